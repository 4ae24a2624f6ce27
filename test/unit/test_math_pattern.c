// Sparsity patterns against full tables: building, finding, multiplying.
#include "math/pattern.h"

#include <string.h>

#include "math/pair.h"
#include "test_base_support.h"

// A random pattern with repetitions, and the same as a table of flags (column-major).
static FbPattern random_pattern(uint64_t* seed, int m, int n, int entries, FbArena* arena,
                                bool* table) {
    FbPatternBuilder* b = fb_pattern_builder_create(m, n);
    memset(table, 0, sizeof *table * (size_t)(m * n));
    for (int k = 0; k < entries; k++) {
        int i = random_below(seed, m), j = random_below(seed, n);
        table[j * m + i] = true;
        fb_pattern_builder_add(b, i, j);
    }
    FbPattern p;
    assert_int_equal(fb_pattern_builder_finish(b, arena, &p, NULL), FB_OK);
    fb_pattern_builder_destroy(b);
    return p;
}

static void patterns_hold_exactly_their_entries(void** state) {
    (void)state;
    uint64_t seed = 11;
    for (int repeat = 0; repeat < 200; repeat++) {
        FbArena* arena = fb_arena_create();
        int m = 1 + random_below(&seed, 12), n = 1 + random_below(&seed, 12);
        bool table[144];
        FbPattern p = random_pattern(&seed, m, n, random_below(&seed, 3 * m * n), arena, table);
        int count = 0;
        for (int j = 0; j < n; j++) {
            for (int k = p.start[j] + 1; k < p.start[j + 1]; k++) {
                assert_true(p.row[k - 1] < p.row[k]);
            }
            for (int i = 0, at = p.start[j]; i < m; i++) {
                int k = fb_pattern_index(&p, i, j);
                at = k >= 0 ? fb_pattern_seek(&p, i, j, at) : at;
                assert_true(k < 0 || at == k);
                count += table[j * m + i];
                assert_int_equal(k >= 0, table[j * m + i]);
                if (k >= 0) {
                    assert_int_equal(p.row[k], i);
                    assert_true(k >= p.start[j] && k < p.start[j + 1]);
                }
            }
        }
        assert_int_equal(fb_pattern_count(&p), count);
        assert_int_equal(fb_pattern_is_full(&p), count == m * n);
        fb_arena_destroy(arena);
    }
}

static void products_match_the_full_matrix(void** state) {
    (void)state;
    uint64_t seed = 12;
    for (int repeat = 0; repeat < 100; repeat++) {
        FbArena* arena = fb_arena_create();
        int m = 1 + random_below(&seed, 12), n = 1 + random_below(&seed, 12);
        bool table[144];
        FbPattern p = random_pattern(&seed, m, n, random_below(&seed, 4 * m * n), arena, table);
        double values[144], x[12], y[12], expected[12], xt[12], yt[12], expected_t[12];
        for (int k = 0; k < 144; k++) {
            values[k] = random_unit(&seed);
        }
        for (int i = 0; i < 12; i++) {
            x[i] = random_unit(&seed);
            xt[i] = random_unit(&seed);
            y[i] = expected[i] = random_unit(&seed);
            yt[i] = expected_t[i] = random_unit(&seed);
        }
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < m; i++) {
                double a = table[j * m + i] ? values[fb_pattern_index(&p, i, j)] : 0.0;
                expected[i] += -1.7 * a * x[j];
                expected_t[j] += 0.3 * a * xt[i];
            }
        }
        fb_pattern_multiply(&p, values, -1.7, x, y);
        fb_pattern_multiply_transposed(&p, values, 0.3, xt, yt);
        for (int i = 0; i < 12; i++) {
            assert_near(y[i], expected[i], 1e-14);
            assert_near(yt[i], expected_t[i], 1e-14);
        }
        fb_arena_destroy(arena);
    }
}

// Every other entry is zero in one of the matrices or in both.
static void pairs_multiply_as_two_matrices(void** state) {
    (void)state;
    uint64_t seed = 13;
    for (int repeat = 0; repeat < 100; repeat++) {
        FbArena* arena = fb_arena_create();
        int m = 1 + random_below(&seed, 12), n = 1 + random_below(&seed, 12);
        bool table[144];
        FbPattern p = random_pattern(&seed, m, n, random_below(&seed, 4 * m * n), arena, table);
        double A[144], B[144], x[12], y[12], r[12], expected[12];
        for (int k = 0; k < 144; k++) {
            A[k] = random_below(&seed, 2) ? random_unit(&seed) : 0.0;
            B[k] = random_below(&seed, 2) ? random_unit(&seed) : 0.0;
        }
        for (int i = 0; i < 12; i++) {
            x[i] = random_unit(&seed);
            y[i] = random_unit(&seed);
            r[i] = expected[i] = random_unit(&seed);
        }
        fb_pattern_multiply(&p, A, 1.0, x, expected);
        fb_pattern_multiply(&p, B, 1.0, y, expected);
        FbPair pair;
        assert_int_equal(fb_pair_init(&pair, &p, A, B, arena, NULL), FB_OK);
        fb_pair_multiply(&pair, x, y, r);
        for (int i = 0; i < 12; i++) {
            assert_near(r[i], expected[i], 1e-14);
        }
        fb_arena_destroy(arena);
    }
}

static void full_patterns_are_the_column_major_matrix(void** state) {
    (void)state;
    FbArena* arena = fb_arena_create();
    FbPattern p;
    assert_int_equal(fb_pattern_full(3, 4, arena, &p, NULL), FB_OK);
    assert_true(fb_pattern_is_full(&p));
    assert_int_equal(fb_pattern_index(&p, 2, 3), 11);
    assert_int_equal(fb_pattern_full(100000, 100000, arena, &p, NULL), FB_ERR_ARGUMENT);
    assert_int_equal(fb_pattern_full(0, 0, arena, &p, NULL), FB_OK);
    assert_int_equal(fb_pattern_count(&p), 0);
    fb_arena_destroy(arena);
}

static void entries_outside_are_an_error(void** state) {
    (void)state;
    FbArena* arena = fb_arena_create();
    FbPatternBuilder* b = fb_pattern_builder_create(2, 3);
    fb_pattern_builder_add(b, 1, 2);
    fb_pattern_builder_add(b, 2, 1);
    FbPattern p;
    FbError err = {0};
    assert_int_equal(fb_pattern_builder_finish(b, arena, &p, &err), FB_ERR_ARGUMENT);
    assert_string_equal(err.text, "entry (2, 1) is outside the matrix pattern of 2 x 3");
    fb_pattern_builder_destroy(b);
    fb_arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_hold_exactly_their_entries),
        cmocka_unit_test(products_match_the_full_matrix),
        cmocka_unit_test(pairs_multiply_as_two_matrices),
        cmocka_unit_test(full_patterns_are_the_column_major_matrix),
        cmocka_unit_test(entries_outside_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
