// Linear systems, dense and sparse, real and complex: residuals, refactorization, changing pivots,
// singular values.
#include "math/linear.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/complex.h"
#include "test_base_support.h"

// A random square pattern with a full diagonal, so that it is structurally regular.
static FbPattern random_square(uint64_t* seed, int n, int per_column, FbArena* arena) {
    FbPatternBuilder* b = fb_pattern_builder_create(n, n);
    for (int j = 0; j < n; j++) {
        fb_pattern_builder_add(b, j, j);
        for (int k = 0; k < per_column; k++) {
            fb_pattern_builder_add(b, random_below(seed, n), j);
        }
    }
    FbPattern p;
    assert_int_equal(fb_pattern_builder_finish(b, arena, &p, NULL), FB_OK);
    fb_pattern_builder_destroy(b);
    return p;
}

// Random values, the diagonal scaled by `diagonal`.
static void fill_values(uint64_t* seed, const FbPattern* p, bool is_complex, double diagonal,
                        double* values) {
    int parts = is_complex ? 2 : 1;
    for (int j = 0; j < p->n_col; j++) {
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            for (int part = 0; part < parts; part++) {
                values[parts * k + part] = (p->row[k] == j ? diagonal : 1.0) * random_unit(seed);
            }
        }
    }
}

static double complex entry(const double* a, bool is_complex, int k) {
    return is_complex ? CMPLX(a[2 * k], a[2 * k + 1]) : CMPLX(a[k], 0.0);
}

// max |A x - b| / max |a_ij| |x_j|
static double residual(const FbPattern* p, bool is_complex, const double* a, const double* x,
                       const double* b) {
    int n = p->n_col;
    double complex* sum = calloc((size_t)n, sizeof *sum);
    double worst = 0.0, size = 0.0;
    for (int j = 0; j < n; j++) {
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            double complex term = entry(a, is_complex, k) * entry(x, is_complex, j);
            sum[p->row[k]] += term;
            size = fmax(size, cabs(term));
        }
    }
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, cabs(sum[i] - entry(b, is_complex, i)));
    }
    free(sum);
    return worst / size;
}

static void solve_and_check(FbLinear* s, const FbPattern* p, bool is_complex, uint64_t* seed,
                            double limit) {
    double b[1000], x[1000];
    int count = p->n_col * (is_complex ? 2 : 1);
    for (int i = 0; i < count; i++) {
        b[i] = x[i] = random_unit(seed);
    }
    fb_linear_solve(s, x);
    assert_near(residual(p, is_complex, fb_linear_values(s), x, b), 0.0, limit);
}

// Each solver is refactored several times with values whose best pivots differ: diagonal dominant,
// then nearly zero.
static void check_kind(uint64_t* seed, int n, int per_column, FbLinearKind kind, bool is_complex) {
    static const double diagonals[] = {100.0, 1.0, 90.0, 1e-9, 1.0, 0.0, 1e-12, 50.0};
    FbArena* arena = fb_arena_create();
    FbPattern p = random_square(seed, n, per_column, arena);
    FbLinear* s;
    assert_int_equal(fb_linear_create(&p, kind, is_complex, &s, NULL), FB_OK);
    assert_int_equal(fb_linear_chooses_sparse(&p, kind), kind == FB_LINEAR_SPARSE);
    for (size_t i = 0; i < sizeof diagonals / sizeof *diagonals; i++) {
        fill_values(seed, &p, is_complex, diagonals[i], fb_linear_values(s));
        FbStatus status = fb_linear_factor(s);
        // With an empty diagonal a sparse pattern can be singular; that has its own test.
        if (status == FB_RETRY && diagonals[i] < 1.0) {
            continue;
        }
        assert_int_equal(status, FB_OK);
        assert_int_equal(fb_linear_bad_column(s), -1);
        assert_true(fb_linear_rcond(s) > 0.0 && fb_linear_rcond(s) <= 1.0);
        solve_and_check(s, &p, is_complex, seed, 1e-11);
    }
    fb_linear_destroy(s);
    fb_arena_destroy(arena);
}

static void random_systems_are_solved(void** state) {
    (void)state;
    uint64_t seed = 31;
    for (int repeat = 0; repeat < 40; repeat++) {
        int n = 1 + random_below(&seed, 120), per_column = 2 + random_below(&seed, 6);
        check_kind(&seed, n, per_column, FB_LINEAR_DENSE, false);
        check_kind(&seed, n, per_column, FB_LINEAR_DENSE, true);
        check_kind(&seed, n, per_column, FB_LINEAR_SPARSE, false);
        check_kind(&seed, n, per_column, FB_LINEAR_SPARSE, true);
    }
}

// 2 x 2 blocks [d 1; 1 d]: with d = 1e3 the diagonal is the pivot, with d = 1e-13 keeping it would
// lose 13 digits.
static void pivots_are_chosen_anew_when_they_fade(void** state) {
    (void)state;
    enum { N = 60 };
    uint64_t seed = 32;
    for (int is_complex = 0; is_complex < 2; is_complex++) {
        FbArena* arena = fb_arena_create();
        FbPatternBuilder* b = fb_pattern_builder_create(N, N);
        for (int j = 0; j < N; j++) {
            fb_pattern_builder_add(b, j, j);
            fb_pattern_builder_add(b, j ^ 1, j);
            fb_pattern_builder_add(b, (j + 2) % N, j);
        }
        FbPattern p;
        fb_pattern_builder_finish(b, arena, &p, NULL);
        fb_pattern_builder_destroy(b);
        FbLinear* s;
        assert_int_equal(fb_linear_create(&p, FB_LINEAR_SPARSE, is_complex, &s, NULL), FB_OK);
        static const double sizes[] = {1e3, 1e-13, 1e3, 0.0, 1e-8};
        for (int i = 0; i < 5; i++) {
            double* values = fb_linear_values(s);
            memset(values, 0, sizeof *values * (size_t)(fb_pattern_count(&p) * (1 + is_complex)));
            for (int j = 0; j < N; j++) {
                values[(1 + is_complex) * fb_pattern_index(&p, j, j)] = sizes[i];
                values[(1 + is_complex) * fb_pattern_index(&p, j ^ 1, j)] = 1.0;
                values[(1 + is_complex) * fb_pattern_index(&p, (j + 2) % N, j)] += 0.3;
            }
            assert_int_equal(fb_linear_factor(s), FB_OK);
            solve_and_check(s, &p, is_complex, &seed, 1e-13);
        }
        fb_linear_destroy(s);
        fb_arena_destroy(arena);
    }
}

// A matrix with rows `twin` and 0 equal up to rounding is refused, and the next regular one is
// solved.
static void check_singular(FbLinearKind kind, bool is_complex, int n, uint64_t* seed) {
    FbArena* arena = fb_arena_create();
    FbPattern p;
    fb_pattern_full(n, n, arena, &p, NULL);
    FbLinear* s;
    assert_int_equal(fb_linear_create(&p, kind, is_complex, &s, NULL), FB_OK);
    double* v = fb_linear_values(s);
    int parts = is_complex ? 2 : 1, twin = n - 2;
    for (int round = 0; round < 3; round++) {
        fill_values(seed, &p, is_complex, 1.0, v);
        for (int k = 0; k < n * parts; k++) {  // column twin = 2 * column 0: exactly dependent
            v[twin * n * parts + k] = 2.0 * v[k];
        }
        assert_int_equal(fb_linear_factor(s), FB_RETRY);
        assert_true(fb_linear_bad_column(s) >= 0 && fb_linear_bad_column(s) < n);
        assert_true(fb_linear_rcond(s) < 1e-13);
        fill_values(seed, &p, is_complex, 1.0, v);
        v[3] = NAN;
        assert_int_equal(fb_linear_factor(s), FB_RETRY);
        fill_values(seed, &p, is_complex, 1.0, v);
        v[parts * n * n - 1] = INFINITY;
        assert_int_equal(fb_linear_factor(s), FB_RETRY);
        fill_values(seed, &p, is_complex, 1.0, v);
        assert_int_equal(fb_linear_factor(s), FB_OK);
        solve_and_check(s, &p, is_complex, seed, 1e-11);
    }
    fb_linear_destroy(s);
    fb_arena_destroy(arena);
}

static void singular_matrices_are_refused(void** state) {
    (void)state;
    uint64_t seed = 33;
    for (int n = 3; n < 40; n += 4) {
        check_singular(FB_LINEAR_DENSE, false, n, &seed);
        check_singular(FB_LINEAR_DENSE, true, n, &seed);
        check_singular(FB_LINEAR_SPARSE, false, n, &seed);
        check_singular(FB_LINEAR_SPARSE, true, n, &seed);
    }
}

static void empty_columns_are_named(void** state) {
    (void)state;
    for (int kind = FB_LINEAR_DENSE; kind <= FB_LINEAR_SPARSE; kind++) {
        FbArena* arena = fb_arena_create();
        FbPatternBuilder* b = fb_pattern_builder_create(50, 50);
        for (int j = 0; j < 50; j++) {
            fb_pattern_builder_add(b, j == 17 ? 3 : j, j == 17 ? 4 : j);
        }
        FbPattern p;
        fb_pattern_builder_finish(b, arena, &p, NULL);
        fb_pattern_builder_destroy(b);
        FbLinear* s;
        assert_int_equal(fb_linear_create(&p, (FbLinearKind)kind, false, &s, NULL), FB_OK);
        for (int k = 0; k < fb_pattern_count(&p); k++) {
            fb_linear_values(s)[k] = 2.0;
        }
        assert_int_equal(fb_linear_factor(s), FB_RETRY);
        assert_int_equal(fb_linear_bad_column(s), 17);
        fb_linear_destroy(s);
        fb_arena_destroy(arena);
    }
}

// Columns in different units (a stiffness of 1e12 beside a mass of 1e-6) do not look singular.
static void scales_of_columns_do_not_matter(void** state) {
    (void)state;
    uint64_t seed = 34;
    for (int kind = FB_LINEAR_DENSE; kind <= FB_LINEAR_SPARSE; kind++) {
        FbArena* arena = fb_arena_create();
        FbPattern p;
        fb_pattern_full(6, 6, arena, &p, NULL);
        FbLinear* s;
        fb_linear_create(&p, (FbLinearKind)kind, false, &s, NULL);
        fill_values(&seed, &p, false, 1.0, fb_linear_values(s));
        for (int k = 0; k < 36; k++) {
            fb_linear_values(s)[k] *= pow(10.0, 4 * (k / 6) - 12);
        }
        assert_int_equal(fb_linear_factor(s), FB_OK);
        assert_true(fb_linear_rcond(s) > 1e-4);
        fb_linear_destroy(s);
        fb_arena_destroy(arena);
    }
}

static bool auto_is_sparse(int n, int per_column) {
    uint64_t seed = 35;
    FbArena* arena = fb_arena_create();
    FbPattern p;
    if (per_column >= n) {
        fb_pattern_full(n, n, arena, &p, NULL);
    } else {
        p = random_square(&seed, n, per_column, arena);
    }
    bool is_sparse = fb_linear_chooses_sparse(&p, FB_LINEAR_AUTO);
    fb_arena_destroy(arena);
    return is_sparse;
}

static void auto_chooses_by_size_and_filling(void** state) {
    (void)state;
    assert_false(auto_is_sparse(4, 4));
    assert_false(auto_is_sparse(40, 1));
    assert_true(auto_is_sparse(41, 2));
    assert_false(auto_is_sparse(100, 100));
    assert_false(auto_is_sparse(400, 400));
    assert_true(auto_is_sparse(401, 401));
}

static void odd_shapes(void** state) {
    (void)state;
    FbArena* arena = fb_arena_create();
    FbPattern p;
    FbLinear* s = (FbLinear*)arena;
    FbError err = {0};
    fb_pattern_full(2, 3, arena, &p, NULL);
    assert_int_equal(fb_linear_create(&p, FB_LINEAR_AUTO, false, &s, &err), FB_ERR_ARGUMENT);
    assert_null(s);
    assert_string_equal(err.text, "a linear system of 2 x 3 is not square");
    fb_pattern_full(0, 0, arena, &p, NULL);
    assert_int_equal(fb_linear_create(&p, FB_LINEAR_SPARSE, false, &s, &err), FB_OK);
    assert_int_equal(fb_linear_factor(s), FB_OK);
    double nothing[1] = {5.0};
    fb_linear_solve(s, nothing);
    assert_near(nothing[0], 5.0, 0.0);
    fb_linear_destroy(s);
    fb_linear_destroy(NULL);
    fb_arena_destroy(arena);
}

// A large chain of springs, to the ground at one end; `drive` makes its matrix unsymmetric, and the
// spring `cut` is missing.
static void fill_chain(const FbPattern* p, double drive, int cut, double* values) {
    for (int j = 0; j < p->n_col; j++) {
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int i = p->row[e], later = i > j ? i : j;
            double before = j == cut ? 0.0 : 2.0 + j % 7,
                   after = j + 1 == cut ? 0.0 : 2.0 + (j + 1) % 7;
            double own = before + (j + 1 < p->n_col ? after : 0.0);
            double side = later == cut ? 0.0 : -(2.0 + later % 7);
            values[e] = i == j ? own : side + (i > j ? drive : 0.0);
        }
    }
}

static double solve_chain(FbLinear* s, const FbPattern* p) {
    enum { N = 1500 };
    double x[N], b[N];
    for (int i = 0; i < N; i++) {
        x[i] = b[i] = 1.0 + i % 5;
    }
    fb_linear_solve(s, x);
    return residual(p, false, fb_linear_values(s), x, b);
}

// Symmetric elimination while the values are symmetric, LU while they are not, and a name for the
// singular ones; the same values again are not factored twice.
static void large_symmetric_systems(void** state) {
    (void)state;
    enum { N = 1500, CUT = 700 };
    FbArena* arena = fb_arena_create();
    FbPatternBuilder* builder = fb_pattern_builder_create(N, N);
    for (int j = 0; j < N; j++) {
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < N; i++) {
            fb_pattern_builder_add(builder, i, j);
        }
    }
    FbPattern p;
    FbLinear* s = NULL;
    FbError err;
    assert_int_equal(fb_pattern_builder_finish(builder, arena, &p, &err), FB_OK);
    fb_pattern_builder_destroy(builder);
    assert_int_equal(fb_linear_create(&p, FB_LINEAR_SYMMETRIC, false, &s, &err), FB_OK);
    const double drives[] = {0.0, 0.0, 0.5, 0.0};
    for (int k = 0; k < 4; k++) {
        fill_chain(&p, drives[k], -1, fb_linear_values(s));
        assert_int_equal(fb_linear_factor(s), FB_OK);
        assert_true(solve_chain(s, &p) < 1e-13);
    }
    fill_chain(&p, 0.0, CUT, fb_linear_values(s));
    assert_int_equal(fb_linear_factor(s), FB_RETRY);
    assert_true(fb_linear_bad_column(s) >= CUT);  // the part that floats
    fb_linear_destroy(s);
    fb_arena_destroy(arena);
}

// What a solver remembers of earlier values (pivots) must not reach what follows a reset: the same
// bits as those of a new one.
static void a_reset_solver_is_as_new(void** state) {
    (void)state;
    uint64_t seed = 11;
    FbArena* arena = fb_arena_create();
    FbPattern p = random_square(&seed, 120, 3, arena);
    size_t count = (size_t)fb_pattern_count(&p);
    double* values = malloc(sizeof(double) * count);
    for (int kind = FB_LINEAR_AUTO; kind <= FB_LINEAR_SYMMETRIC; kind++) {
        FbLinear *used, *fresh;
        double x[120], y[120];
        assert_int_equal(fb_linear_create(&p, (FbLinearKind)kind, false, &used, NULL), FB_OK);
        assert_int_equal(fb_linear_create(&p, (FbLinearKind)kind, false, &fresh, NULL), FB_OK);
        fill_values(&seed, &p, false, 1e-3, fb_linear_values(used));
        assert_int_equal(fb_linear_factor(used), FB_OK);
        fb_linear_reset(used);
        assert_near(fb_linear_rcond(used), 0.0, 0.0);
        fill_values(&seed, &p, false, 0.5, values);
        memcpy(fb_linear_values(used), values, sizeof(double) * count);
        memcpy(fb_linear_values(fresh), values, sizeof(double) * count);
        assert_int_equal(fb_linear_factor(used), FB_OK);
        assert_int_equal(fb_linear_factor(fresh), FB_OK);
        for (int i = 0; i < 120; i++) {
            x[i] = y[i] = random_unit(&seed);
        }
        fb_linear_solve(used, x);
        fb_linear_solve(fresh, y);
        assert_memory_equal(x, y, sizeof x);
        fb_linear_destroy(used);
        fb_linear_destroy(fresh);
    }
    free(values);
    fb_arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems_are_solved),
        cmocka_unit_test(pivots_are_chosen_anew_when_they_fade),
        cmocka_unit_test(singular_matrices_are_refused),
        cmocka_unit_test(empty_columns_are_named),
        cmocka_unit_test(scales_of_columns_do_not_matter),
        cmocka_unit_test(auto_chooses_by_size_and_filling),
        cmocka_unit_test(odd_shapes),
        cmocka_unit_test(large_symmetric_systems),
        cmocka_unit_test(a_reset_solver_is_as_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
