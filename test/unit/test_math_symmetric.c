// Sparse symmetric factorization: solutions, inertia against dense eigenvalues, order, scale, rows
// of constraints, singular matrices.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/dense.h"
#include "math/quotient.h"
#include "math/sparse.h"
#include "math/symmetric.h"
#include "math/symmetric_analysis.h"

enum { MOST = 400 };

static uint64_t seed;

static double random_number(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed >> 11) / 4503599627370496.0 - 1.0;
}

static int random_below(int n) {
    return (int)((random_number() + 1.0) * 0.5 * n) % n;
}

// A symmetric matrix, dense, to choose from.
typedef struct Case {
    int n;
    double a[MOST * MOST];
    FbArena* arena;
    FbSparse sparse;
} Case;

static Case c;

static void start(int n) {
    c.n = n;
    memset(c.a, 0, sizeof c.a);
}

static void add(int i, int j, double value) {
    c.a[i * c.n + j] += value;
    c.a[j * c.n + i] += i != j ? value : 0.0;
}

static void add_stiffness(int i, int j, double k) {
    add(i, i, k);
    if (i != j) {
        add(j, j, k);
        add(i, j, -k);
    }
}

static FbSymmetric* factor(FbSymmetricKind kind, FbStatus expected) {
    static FbTriplet entries[MOST * MOST];
    size_t count = 0;
    FbError err;
    for (int i = 0; i < c.n; i++) {
        for (int j = 0; j < c.n; j++) {
            if (c.a[i * c.n + j] != 0.0) {
                entries[count++] = (FbTriplet){i, j, c.a[i * c.n + j]};
            }
        }
    }
    c.arena = fb_arena_create();
    FbSymmetric* s = NULL;
    assert_int_equal(fb_sparse_from_triplets(c.n, c.n, entries, count, c.arena, &c.sparse, &err),
                     FB_OK);
    assert_int_equal(fb_symmetric_create(&c.sparse.pattern, &s, &err), FB_OK);
    memcpy(fb_symmetric_values(s), c.sparse.values, sizeof(double) * count);
    assert_int_equal(fb_symmetric_factor(s, kind), expected);
    return s;
}

static void finish(FbSymmetric* s) {
    fb_symmetric_destroy(s);
    fb_arena_destroy(c.arena);
}

// Several right-hand sides, multiples of one: each solution is that multiple of x.
static void assert_many_agree(FbSymmetric* s, const double* b, const double* x) {
    static double many[6 * MOST];
    double size = 0.0;
    for (int i = 0; i < c.n; i++) {
        size = fmax(size, fabs(x[i]));
    }
    for (int count = 1; count <= 6; count++) {
        for (int k = 0; k < count * c.n; k++) {
            many[k] = (1 + k / c.n) * b[k % c.n];
        }
        assert_int_equal(fb_symmetric_solve_many(s, count, many), FB_OK);
        for (int k = 0; k < count * c.n; k++) {
            assert_true(fabs(many[k] - (1 + k / c.n) * x[k % c.n]) < 1e-9 * size);
        }
    }
}

// |A x - b| / (|A| |x| + |b|) by largest entries.
static double backward_error(FbSymmetric* s) {
    double x[MOST], b[MOST], worst = 0.0, largest_x = 0.0, largest_a = 0.0;
    for (int i = 0; i < c.n; i++) {
        x[i] = b[i] = random_number();
    }
    fb_symmetric_solve(s, x);
    assert_many_agree(s, b, x);
    for (int i = 0; i < c.n; i++) {
        double sum = 0.0;
        for (int j = 0; j < c.n; j++) {
            sum += fabs(c.a[i * c.n + j]);
        }
        largest_x = fmax(largest_x, fabs(x[i]));
        largest_a = fmax(largest_a, sum);
    }
    for (int i = 0; i < c.n; i++) {
        double rest = b[i];
        for (int j = 0; j < c.n; j++) {
            rest -= c.a[i * c.n + j] * x[j];
        }
        worst = fmax(worst, fabs(rest));
    }
    return worst / (largest_a * largest_x + 1.0);
}

static int count_negative_eigenvalues(void) {
    static double a[MOST * MOST], unit[MOST * MOST], w[MOST];
    FbError err;
    int count = 0;
    memcpy(a, c.a, sizeof a);
    memset(unit, 0, sizeof unit);
    for (int i = 0; i < c.n; i++) {
        unit[i * c.n + i] = 1.0;
    }
    assert_int_equal(fb_eigen_symmetric_pencil(c.n, a, unit, w, &err), FB_OK);
    for (int i = 0; i < c.n; i++) {
        count += w[i] < 0.0;
    }
    return count;
}

static void assert_inertia(const FbSymmetric* s, int negative, int zero) {
    FbSigns i = fb_symmetric_get_signs(s);
    assert_int_equal(i.n_negative, negative);
    assert_int_equal(i.n_zero, zero);
    assert_int_equal(i.n_positive, c.n - negative - zero);
}

static void make_grid(int w, int h) {
    start(w * h);
    for (int i = 0; i < w * h; i++) {
        add(i, i, 0.01);
        if (i % w > 0) {
            add_stiffness(i, i - 1, 1.0 + 0.1 * random_number());
        }
        if (i >= w) {
            add_stiffness(i, i - w, 1.0 + 0.1 * random_number());
        }
    }
}

static void definite_systems_are_solved(void** state) {
    (void)state;
    make_grid(20, 17);
    FbSymmetric* s = factor(FB_SYMMETRIC_DEFINITE, FB_OK);
    assert_inertia(s, 0, 0);
    assert_true(backward_error(s) < 1e-15);
    finish(s);
}

// K - shift for many shifts: as many negative pivots as eigenvalues below the shift.
static void inertia_counts_eigenvalues(void** state) {
    (void)state;
    seed = 3;
    for (int k = 0; k < 12; k++) {
        make_grid(12, 11);
        for (int i = 0; i < c.n; i++) {
            add(i, i, -0.05 - 0.6 * k);
        }
        FbSymmetric* s = factor(FB_SYMMETRIC_INDEFINITE, FB_OK);
        assert_inertia(s, count_negative_eigenvalues(), 0);
        assert_true(backward_error(s) < 1e-14);
        finish(s);
        s = factor(FB_SYMMETRIC_DEFINITE, FB_RETRY);
        finish(s);
    }
}

// Random entries, dense and sparse, zeros on the diagonal: fronts of all sizes with 2 x 2 pivots.
static void indefinite_systems_are_solved(void** state) {
    (void)state;
    seed = 5;
    for (int k = 0; k < 60; k++) {
        int n = 2 + random_below(120), count = n + random_below(6 * n);
        start(n);
        for (int e = 0; e < count; e++) {
            int i = random_below(n), j = random_below(n);
            add(i, j, i == j && k % 2 == 0 ? 0.0 : random_number());
        }
        for (int i = 0; i < n; i++) {  // regular: a permutation of pairs
            add(i, n - 1 - i, 2.0 + random_number());
        }
        FbSymmetric* s = factor(FB_SYMMETRIC_INDEFINITE, FB_OK);
        assert_inertia(s, count_negative_eigenvalues(), 0);
        assert_true(backward_error(s) < 5e-14);
        finish(s);
    }
}

static void large_fronts_are_eliminated_by_panels(void** state) {
    (void)state;
    seed = 7;
    start(150);
    for (int i = 0; i < c.n; i++) {
        for (int j = 0; j <= i; j++) {
            add(i, j, i == j ? 0.0 : random_number());
        }
    }
    FbSymmetric* s = factor(FB_SYMMETRIC_INDEFINITE, FB_OK);
    assert_inertia(s, count_negative_eigenvalues(), 0);
    assert_true(backward_error(s) < 1e-14);
    finish(s);
    for (int i = 0; i < c.n; i++) {
        add(i, i, 150.0);
    }
    s = factor(FB_SYMMETRIC_DEFINITE, FB_OK);
    assert_true(backward_error(s) < 1e-15);
    finish(s);
}

// [K G'; G 0] has one negative eigenvalue for each row of G, whatever the order, and the negative
// ones of K where G x = 0.
static void constraint_rows_need_no_order(void** state) {
    (void)state;
    seed = 11;
    for (int k = 0; k < 20; k++) {
        int w = 8, h = 7, n = w * h, m = 3 + k;
        make_grid(w, h);
        static double kept[MOST * MOST];
        memcpy(kept, c.a, sizeof kept);
        start(n + m);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) {
                add(i, j, kept[i * n + j]);
            }
        }
        for (int row = 0; row < m; row++) {
            add(n + row, row, 1e3);
            add(n + row, row + 1, -1e3 * random_number());
            add(n + row, n - 1 - row, 1e3 * random_number());
        }
        FbSymmetric* s = factor(FB_SYMMETRIC_INDEFINITE, FB_OK);
        assert_inertia(s, m, 0);
        assert_true(backward_error(s) < 1e-14);
        finish(s);
    }
}

// Rows in metres and radians, kilonewtons and micronewtons: a power of two for each changes
// nothing.
static void scale_does_not_matter(void** state) {
    (void)state;
    seed = 13;
    make_grid(9, 9);
    for (int i = 0; i < c.n; i++) {
        add(i, i, -1.7);
    }
    int expected = count_negative_eigenvalues();
    for (int i = 0; i < c.n; i++) {
        double scale = ldexp(1.0, random_below(41) - 20);
        for (int j = 0; j < c.n; j++) {
            c.a[i * c.n + j] *= scale;
            c.a[j * c.n + i] *= scale;
        }
    }
    FbSymmetric* s = factor(FB_SYMMETRIC_INDEFINITE, FB_OK);
    assert_inertia(s, expected, 0);
    finish(s);
}

// A free chain of springs, two of them unconnected: two motions without stiffness.
static void singular_matrices_are_refused(void** state) {
    (void)state;
    seed = 17;
    start(60);
    for (int i = 1; i < c.n; i++) {
        if (i != 20) {
            add_stiffness(i, i - 1, 1.0 + 0.5 * random_number());
        }
    }
    FbSymmetric* s = factor(FB_SYMMETRIC_DEFINITE, FB_RETRY);
    finish(s);
    s = factor(FB_SYMMETRIC_INDEFINITE, FB_RETRY);
    assert_inertia(s, 0, 2);
    finish(s);
    start(3);  // an empty row
    add(0, 0, 1.0);
    add(2, 2, -1.0);
    s = factor(FB_SYMMETRIC_INDEFINITE, FB_RETRY);
    assert_inertia(s, 1, 1);
    finish(s);
    start(2);
    add(0, 0, NAN);
    add(1, 1, 1.0);
    s = factor(FB_SYMMETRIC_INDEFINITE, FB_RETRY);
    assert_int_equal(fb_symmetric_factor(s, FB_SYMMETRIC_DEFINITE), FB_RETRY);
    finish(s);
}

// The same solver with new values, and after a failure.
static void values_can_change(void** state) {
    (void)state;
    seed = 19;
    make_grid(10, 10);
    FbSymmetric* s = factor(FB_SYMMETRIC_DEFINITE, FB_OK);
    double* values = fb_symmetric_values(s);
    for (int e = 0; e < fb_pattern_count(&c.sparse.pattern); e++) {
        values[e] = -c.sparse.values[e];
    }
    assert_int_equal(fb_symmetric_factor(s, FB_SYMMETRIC_DEFINITE), FB_RETRY);
    assert_int_equal(fb_symmetric_factor(s, FB_SYMMETRIC_INDEFINITE), FB_OK);
    assert_inertia(s, c.n, 0);
    for (int e = 0; e < fb_pattern_count(&c.sparse.pattern); e++) {
        values[e] = c.sparse.values[e];
    }
    assert_int_equal(fb_symmetric_factor(s, FB_SYMMETRIC_DEFINITE), FB_OK);
    assert_true(backward_error(s) < 1e-15);
    finish(s);
}

// Work grows with the number of rows in a long chain: no more entries of L than a few a row.
static void fill_stays_small(void** state) {
    (void)state;
    start(390);
    for (int i = 0; i < c.n; i++) {
        add_stiffness(i, i > 0 ? i - 1 : i, 2.0);
    }
    FbSymmetric* s = factor(FB_SYMMETRIC_DEFINITE, FB_OK);
    FbSymbolic symbolic;
    FbError err;
    assert_int_equal(fb_symbolic_init(&symbolic, &c.sparse.pattern, c.arena, &err), FB_OK);
    assert_true(symbolic.n_entries < 4 * (size_t)c.n);
    finish(s);
}

// A cube of nodes with three rows each, every node tied to its neighbours in all directions.
static FbSparse make_cube(int side, FbArena* arena) {
    FbPatternBuilder* builder =
        fb_pattern_builder_create(3 * side * side * side, 3 * side * side * side);
    FbError err;
    FbSparse a = {0};
    for (int v = 0; v < side * side * side; v++) {
        for (int k = 0; k < 27; k++) {
            int x = v % side + k % 3 - 1, y = v / side % side + k / 3 % 3 - 1,
                z = v / side / side + k / 9 - 1;
            bool is_inside = x >= 0 && y >= 0 && z >= 0 && x < side && y < side && z < side;
            for (int d = 0; is_inside && d < 9; d++) {
                fb_pattern_builder_add(builder, 3 * v + d / 3,
                                       3 * (x + side * (y + side * z)) + d % 3);
            }
        }
    }
    assert_int_equal(fb_pattern_builder_finish(builder, arena, &a.pattern, &err), FB_OK);
    fb_pattern_builder_destroy(builder);
    a.values = FB_TAKE(arena, double, fb_pattern_count(&a.pattern));
    for (int col = 0; col < a.pattern.n_col; col++) {
        for (int e = a.pattern.start[col]; e < a.pattern.start[col + 1]; e++) {
            a.values[e] = a.pattern.row[e] == col ? 100.0 : -1.0;
        }
    }
    return a;
}

// Rows of a node are one vertex; the order by dissection contains every vertex once.
static void groups_of_rows_are_dissected(void** state) {
    (void)state;
    FbArena* arena = fb_arena_create();
    FbSparse a = make_cube(6, arena);
    FbQuotient q;
    FbError err;
    int order[216], place[216];
    assert_int_equal(fb_quotient_init(&q, &a.pattern, arena, &err), FB_OK);
    assert_int_equal(q.graph.n_col, 216);
    assert_int_equal(fb_pattern_count(&q.graph), 16 * 16 * 16 - 216);  // (3 * 6 - 2)^3 with itself
    for (int v = 0; v <= 216; v++) {
        assert_int_equal(q.first[v], 3 * v);
    }
    if (fb_dissect(&q, order, place)) {
        for (int i = 0; i < 216; i++) {
            assert_true(order[i] >= 0 && order[i] < 216 && place[order[i]] == i);
        }
    }
    fb_arena_destroy(arena);
}

// Large enough that a second order is tried: x of ones from the sums of the rows.
static void large_solids_are_solved(void** state) {
    (void)state;
    FbArena* arena = fb_arena_create();
    FbSparse a = make_cube(13, arena);
    int n = a.pattern.n_col;
    FbSymmetric* s;
    FbError err;
    double *one = FB_TAKE(arena, double, 4 * n), *x = FB_TAKE(arena, double, 4 * n);
    for (int i = 0; i < 4 * n; i++) {
        one[i] = 1 + i / n;
    }
    fb_sparse_multiply_symmetric(&a, 4, one, x);
    assert_int_equal(fb_symmetric_create(&a.pattern, &s, &err), FB_OK);
    memcpy(fb_symmetric_values(s), a.values, sizeof(double) * (size_t)fb_pattern_count(&a.pattern));
    assert_int_equal(fb_symmetric_factor(s, FB_SYMMETRIC_DEFINITE), FB_OK);
    assert_int_equal(fb_symmetric_solve_many(s, 4, x), FB_OK);
    for (int i = 0; i < 4 * n; i++) {
        assert_true(fabs(x[i] - one[i]) < 1e-12 * one[i]);
    }
    fb_symmetric_destroy(s);
    fb_arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definite_systems_are_solved),
        cmocka_unit_test(inertia_counts_eigenvalues),
        cmocka_unit_test(indefinite_systems_are_solved),
        cmocka_unit_test(large_fronts_are_eliminated_by_panels),
        cmocka_unit_test(constraint_rows_need_no_order),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(singular_matrices_are_refused),
        cmocka_unit_test(values_can_change),
        cmocka_unit_test(fill_stays_small),
        cmocka_unit_test(groups_of_rows_are_dissected),
        cmocka_unit_test(large_solids_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
