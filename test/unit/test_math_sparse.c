// Sparse matrices from triplets and files: sums, parts, symmetry, definiteness, and what is wrong
// in a file.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/matrix_market.h"

static FbArena* arena;

static int set_up(void** state) {
    (void)state;
    arena = fb_arena_create();
    return arena ? 0 : -1;
}

static int tear_down(void** state) {
    (void)state;
    fb_arena_destroy(arena);
    return 0;
}

static FbSparse make(int n, const FbTriplet* entries, size_t count) {
    FbSparse a;
    FbError err;
    assert_int_equal(fb_sparse_from_triplets(n, n, entries, count, arena, &a, &err), FB_OK);
    return a;
}

static void triplets_add_up_in_order(void** state) {
    (void)state;
    const FbTriplet e[] = {{2, 1, 3.0}, {0, 0, 1.0}, {1, 1, 4.0}, {2, 1, 0.5}, {0, 3, 7.0}};
    FbSparse a = make(4, e, 5);
    assert_int_equal(fb_pattern_count(&a.pattern), 4);
    assert_true(fb_sparse_get(&a, 2, 1) == 3.5 && fb_sparse_get(&a, 0, 0) == 1.0);
    assert_true(fb_sparse_get(&a, 0, 3) == 7.0 && fb_sparse_get(&a, 3, 0) == 0.0);
    assert_true(a.pattern.row[a.pattern.start[1]] == 1);  // rows increase
    const int rows[] = {-1, 0, 1, -1}, cols[] = {-1, 0, -1, -1};
    FbSparse part;
    FbError err;
    assert_int_equal(fb_sparse_pick(&a, rows, 2, cols, 1, arena, &part, &err), FB_OK);
    assert_int_equal(fb_pattern_count(&part.pattern), 2);
    assert_true(fb_sparse_get(&part, 0, 0) == 4.0 && fb_sparse_get(&part, 1, 0) == 3.5);
}

static void asymmetry_is_found(void** state) {
    (void)state;
    const FbTriplet e[] = {{0, 0, 4.0}, {1, 1, 9.0}, {0, 1, 1.0}, {1, 0, 1.3}, {2, 2, 1.0}};
    FbSparse a = make(3, e, 5);
    int row, col;
    assert_true(fabs(fb_sparse_asymmetry(&a, &row, &col) - 0.3 / 6.0) < 1e-15);
    assert_int_equal(row + col, 1);
    FbError err;
    assert_int_equal(fb_sparse_symmetrize(&a, arena, &err), FB_OK);
    assert_true(fabs(fb_sparse_get(&a, 0, 1) - 1.15) < 1e-15);
    assert_true(fb_sparse_asymmetry(&a, &row, &col) == 0.0);
    assert_true(fb_sparse_get(&a, 1, 1) == 9.0);
}

static FbStatus check(const FbTriplet* e, size_t n, int* where) {
    FbSparse a = make(3, e, n);
    FbError err;
    double value;
    return fb_sparse_check_semidefinite(&a, 1e-8, where, &value, &err);
}

static void definiteness_is_checked(void** state) {
    (void)state;
    int where;
    const FbTriplet free_chain[] = {{0, 0, 1},  {0, 1, -1}, {1, 0, -1}, {1, 1, 2},
                                    {1, 2, -1}, {2, 1, -1}, {2, 2, 1}};
    assert_int_equal(check(free_chain, 7, &where), FB_OK);
    const FbTriplet massless[] = {{0, 0, 1}, {2, 2, 3}};
    assert_int_equal(check(massless, 2, &where), FB_OK);
    const FbTriplet negative[] = {{0, 0, 1}, {1, 1, -1e-3}, {2, 2, 1}};
    assert_int_equal(check(negative, 3, &where), FB_RETRY);
    assert_int_equal(where, 1);
    const FbTriplet zero_diagonal[] = {{0, 0, 1}, {1, 2, 1}, {2, 1, 1}, {2, 2, 1}};
    assert_int_equal(check(zero_diagonal, 4, &where), FB_RETRY);
    assert_int_equal(where, 1);
    const FbTriplet indefinite[] = {{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {1, 1, 1}, {2, 2, 1}};
    assert_int_equal(check(indefinite, 5, &where), FB_RETRY);
    assert_true(where == 0 || where == 1);
    const FbTriplet barely[] = {{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1 - 1e-6}, {2, 2, 1}};
    assert_int_equal(check(barely, 5, &where), FB_RETRY);
}

static FbStatus read_text(const char* text, FbSparse* out, FbError* err) {
    const char path[] = "test_math_sparse.mtx";
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    FbStatus status = fb_matrix_market_read(path, 1e6, arena, out, err);
    remove(path);
    return status;
}

static void files_are_read(void** state) {
    (void)state;
    FbSparse a;
    FbError err;
    assert_int_equal(read_text("%%MatrixMarket matrix coordinate real symmetric\n"
                               "% a comment\n\n3 3 4\n1 1 2.5\n2 1 -1e0\n  3 3 4\n2 2 1\n",
                               &a, &err),
                     FB_OK);
    assert_int_equal(a.pattern.n_col, 3);
    assert_true(fb_sparse_get(&a, 0, 1) == -1.0 && fb_sparse_get(&a, 1, 0) == -1.0);
    assert_true(fb_sparse_get(&a, 2, 2) == 4.0);
    assert_int_equal(
        read_text("%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 3 5\n2 1 4\n", &a,
                  &err),
        FB_OK);
    assert_true(a.pattern.n_row == 2 && a.pattern.n_col == 3);
    assert_true(fb_sparse_get(&a, 0, 2) == 5.0 && fb_sparse_get(&a, 1, 0) == 4.0);
    assert_int_equal(
        read_text("%%MatrixMarket MATRIX Array Real general\n2 2\n1\n2\n3\n4\n", &a, &err), FB_OK);
    assert_true(fb_sparse_get(&a, 1, 0) == 2.0 && fb_sparse_get(&a, 0, 1) == 3.0);
    assert_int_equal(
        read_text("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n", &a, &err), FB_OK);
    assert_true(fb_sparse_get(&a, 0, 1) == 2.0 && fb_sparse_get(&a, 1, 1) == 3.0);
}

static void wrong_files_are_told(void** state) {
    (void)state;
    static const struct {
        const char* text;
        int line;
        const char* message;
    } cases[] = {
        {"", 1, "not a Matrix Market file"},
        {"1 2 3\n", 1, "not a Matrix Market file"},
        {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", 1, "complex"},
        {"%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n", 1, "hermitian"},
        {"%%MatrixMarket matrix sparse real general\n1 1 1\n1 1 1\n", 1, "coordinate or array"},
        {"%%MatrixMarket matrix coordinate real general\n2 2\n", 2, "rows columns entries"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", 2, "square"},
        {"%%MatrixMarket matrix coordinate real general\n%\n2 2 2\n1 1 5\n1 3 5\n", 5, "(1, 3)"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 x\n", 3, "finite value"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 nan\n", 3, "finite value"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1\n", 3, "row column value"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", 3,
         "above the diagonal"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", 3, "after 1 of 2"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n2 2 1\n", 4, "continues"},
        {"%%MatrixMarket matrix array real general\n1 2\n1 2\n", 3, "one finite number"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 999999999999\n1 1 1\n", 3, "after 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FbSparse a;
        FbError err = {0};
        FbStatus status = read_text(cases[i].text, &a, &err);
        if (status >= 0 || err.place.line != cases[i].line || !strstr(err.text, cases[i].message)) {
            fail_msg("case %zu: status %d, line %d: %s", i, (int)status, err.place.line, err.text);
        }
    }
    FbSparse a;
    FbError err;
    assert_int_equal(fb_matrix_market_read("no such file.mtx", 1e6, arena, &a, &err), FB_ERR_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(triplets_add_up_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(asymmetry_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(definiteness_is_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_files_are_told, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
