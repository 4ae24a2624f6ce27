// Independent rows: against the rank by singular values, on random sparse rows with planted
// dependencies.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/dense.h"
#include "math/elimination.h"

enum { COLUMNS = 24, ROWS = 30 };

static double random_number(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static int rank_of(int n_rows, const double rows[ROWS][COLUMNS]) {
    double a[ROWS * COLUMNS], s[COLUMNS];
    FbError err;
    for (int i = 0; i < n_rows; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            a[j * n_rows + i] = rows[i][j];
        }
    }
    assert_int_equal(fb_svd(n_rows, COLUMNS, a, s, NULL, NULL, &err), FB_OK);
    int rank = 0;
    for (int i = 0; i < (n_rows < COLUMNS ? n_rows : COLUMNS); i++) {
        rank += s[i] > 1e-10 * s[0];
    }
    return rank;
}

// Every third row is a combination of two earlier ones; the rest has few entries.
static void make_row(double rows[ROWS][COLUMNS], int i, unsigned* seed) {
    memset(rows[i], 0, sizeof rows[i]);
    if (i % 3 == 2) {
        for (int j = 0; j < COLUMNS; j++) {
            rows[i][j] = 2.0 * rows[i - 1][j] - 0.5 * rows[i / 2][j];
        }
        return;
    }
    for (int k = 0; k < 3; k++) {
        rows[i][(int)((random_number(seed) + 1.0) * 0.5 * (COLUMNS - 1))] = random_number(seed);
    }
}

static int add(FbElimination* e, const double row[COLUMNS]) {
    int columns[2 * COLUMNS], n = 0;
    double values[2 * COLUMNS];
    for (int j = COLUMNS - 1; j >= 0; j--) {  // each entry in two halves: equal columns add up
        for (int half = 0; row[j] != 0.0 && half < 2; half++) {
            columns[n] = j;
            values[n++] = 0.5 * row[j];
        }
    }
    return fb_elimination_add(e, n, columns, values, 0.0);
}

static void rank_after_each_row(void** state) {
    (void)state;
    unsigned seed = 3;
    for (int round = 0; round < 40; round++) {
        double rows[ROWS][COLUMNS];
        FbElimination* e = fb_elimination_create(COLUMNS, 1e-10);
        assert_non_null(e);
        int before = 0;
        for (int i = 0; i < ROWS; i++) {
            make_row(rows, i, &seed);
            int kept = add(e, rows[i]), rank = rank_of(i + 1, (const double(*)[COLUMNS])rows);
            assert_int_equal(kept, rank - before);
            before = rank;
        }
        fb_elimination_destroy(e);
    }
}

static void empty_and_tiny_rows(void** state) {
    (void)state;
    FbElimination* e = fb_elimination_create(3, 1e-9);
    assert_int_equal(fb_elimination_add(e, 0, NULL, NULL, 0.0), 0);
    assert_int_equal(fb_elimination_add(e, 1, (int[]){1}, (double[]){0.0}, 0.0), 0);
    // Compared with the natural size 1, not with the length of the row: it may be rounding alone.
    assert_int_equal(fb_elimination_add(e, 1, (int[]){1}, (double[]){1e-17}, 0.0), 0);
    assert_int_equal(fb_elimination_add(e, 1, (int[]){1}, (double[]){1e-6}, 0.0), 1);
    assert_int_equal(fb_elimination_add(e, 2, (int[]){1, 2}, (double[]){1.0, 1e-12}, 0.0), 0);
    assert_int_equal(fb_elimination_add(e, 2, (int[]){1, 2}, (double[]){1.0, 1e-6}, 0.0), 1);
    fb_elimination_destroy(e);
}

// What is left of a row is as uncertain as the rows that were subtracted.
static void rounding_spreads(void** state) {
    (void)state;
    FbElimination* e = fb_elimination_create(3, 1e-9);
    assert_int_equal(fb_elimination_add(e, 2, (int[]){0, 1}, (double[]){1.0, 0.5}, 1e-7), 1);
    double close[] = {1.0, 0.5 + 1e-8};
    assert_int_equal(fb_elimination_add(e, 2, (int[]){0, 1}, close, 0.0), 0);
    assert_int_equal(fb_elimination_add(e, 1, (int[]){2}, (double[]){1e-8}, 0.0), 1);
    double far[] = {1.0, 0.5 + 1e-6};
    assert_int_equal(fb_elimination_add(e, 2, (int[]){0, 1}, far, 0.0), 1);
    fb_elimination_destroy(e);
}

// A row of which little was left is divided by that: what it is subtracted from feels its rounding
// the more.
static void rounding_is_magnified(void** state) {
    (void)state;
    double little[] = {1.0, 0.5 + 1e-3}, unclear[] = {1.0, 1e-5}, clear[] = {1.0, 1e-3};
    FbElimination* e = fb_elimination_create(4, 1e-9);
    assert_int_equal(fb_elimination_add(e, 2, (int[]){0, 1}, (double[]){1.0, 0.5}, 0.0), 1);
    assert_int_equal(fb_elimination_add(e, 2, (int[]){0, 1}, little, 1e-7), 1);
    assert_int_equal(fb_elimination_add(e, 2, (int[]){1, 2}, unclear, 0.0), 0);
    assert_int_equal(fb_elimination_add(e, 2, (int[]){1, 2}, clear, 0.0), 1);
    fb_elimination_destroy(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_after_each_row), cmocka_unit_test(rounding_spreads),
        cmocka_unit_test(rounding_is_magnified), cmocka_unit_test(empty_and_tiny_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
