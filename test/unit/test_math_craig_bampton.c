// Reduction to a boundary and modes: the whole spectrum with all modes, frequencies from above with
// some, exact statics; and the lowest modes of large pencils with multiple frequencies.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/craig_bampton.h"
#include "math/dense.h"
#include "math/symmetric.h"

typedef struct Grid {
    FbArena* arena;
    FbStructureMatrices m;
    int n;
} Grid;

static void add(FbTriplet* t, size_t* n, int row, int col, double value) {
    t[(*n)++] = (FbTriplet){row, col, value};
}

// Masses on a square membrane of side x side, joined by springs and held softly at the corner 0;
// it has double frequencies. Masses vary by 1 + spread * index.
static Grid make_grid(int side, double held, double spread) {
    Grid g = {.arena = fb_arena_create(), .n = side * side};
    FbError err;
    FbTriplet* k = malloc(sizeof *k * (size_t)(g.n * 8 + 1));
    FbTriplet* m = malloc(sizeof *m * (size_t)(g.n + 1));
    size_t n_k = 0, n_m = 0;
    for (int i = 0; i < g.n; i++) {
        add(m, &n_m, i, i, 1.0 + spread * i);
        int next[2] = {(i + 1) % side ? i + 1 : -1, i + side < g.n ? i + side : -1};
        for (int d = 0; d < 2; d++) {
            int j = next[d];
            if (j >= 0) {
                add(k, &n_k, i, i, 100.0);
                add(k, &n_k, j, j, 100.0);
                add(k, &n_k, i, j, -100.0);
                add(k, &n_k, j, i, -100.0);
            }
        }
    }
    add(k, &n_k, 0, 0, held);
    assert_int_equal(fb_sparse_from_triplets(g.n, g.n, k, n_k, g.arena, &g.m.stiffness, &err),
                     FB_OK);
    assert_int_equal(fb_sparse_from_triplets(g.n, g.n, m, n_m, g.arena, &g.m.mass, &err), FB_OK);
    free(k);
    free(m);
    return g;
}

static double* dense_of(const FbSparse* a) {
    int n = a->pattern.n_col;
    double* out = calloc((size_t)n * (size_t)n, sizeof *out);
    for (int j = 0; j < n; j++) {
        for (int e = a->pattern.start[j]; e < a->pattern.start[j + 1]; e++) {
            out[j * n + a->pattern.row[e]] = a->values[e];
        }
    }
    return out;
}

// Squared frequencies of the whole, ascending; the caller frees.
static double* spectrum(const Grid* g) {
    FbError err;
    double *k = dense_of(&g->m.stiffness), *m = dense_of(&g->m.mass);
    double* w = calloc((size_t)g->n, sizeof *w);
    assert_int_equal(fb_eigen_symmetric_pencil(g->n, k, m, w, &err), FB_OK);
    free(k);
    free(m);
    return w;
}

static FbReduced reduce(const Grid* g, int n_modes, FbModesMethod method, double** squares) {
    static const int boundary[3] = {7, 0, 30};
    FbReduced r;
    FbError err;
    int where;
    assert_int_equal(
        fb_craig_bampton(&g->m, boundary, 3, n_modes, method, g->arena, &r, &where, &err), FB_OK);
    size_t size = sizeof(double) * (size_t)r.n * (size_t)r.n;
    double *k = malloc(size), *m = malloc(size);
    memcpy(k, r.stiffness, size);
    memcpy(m, r.mass, size);
    *squares = calloc((size_t)r.n, sizeof(double));
    assert_int_equal(fb_eigen_symmetric_pencil(r.n, k, m, *squares, &err), FB_OK);
    free(k);
    free(m);
    return r;
}

static void all_modes_give_the_whole_spectrum(void** state) {
    (void)state;
    Grid g = make_grid(7, 3.0, 0.01);
    double *whole = spectrum(&g), *reduced;
    FbReduced r = reduce(&g, -1, FB_MODES_AUTO, &reduced);
    assert_int_equal(r.n, g.n);
    for (int i = 0; i < g.n; i++) {
        assert_true(fabs(reduced[i] - whole[i]) < 1e-12 * whole[g.n - 1]);
    }
    free(whole);
    free(reduced);
    fb_arena_destroy(g.arena);
}

static void frequencies_converge_from_above(void** state) {
    (void)state;
    Grid g = make_grid(7, 3.0, 0.01);
    double *whole = spectrum(&g), before[4] = {INFINITY, INFINITY, INFINITY, INFINITY}, first[4];
    for (int m = 2; m <= 40; m += 6) {
        double* reduced;
        reduce(&g, m, FB_MODES_AUTO, &reduced);
        for (int i = 0; i < 4; i++) {
            assert_true(reduced[i] >= whole[i] - 1e-12 * whole[g.n - 1]);
            assert_true(reduced[i] <= before[i] + 1e-12 * whole[g.n - 1]);
            before[i] = reduced[i];
            first[i] = m == 2 ? reduced[i] : first[i];
        }
        free(reduced);
    }
    // Each error has fallen by a thousand on the way from 2 to 38 of 46 modes.
    for (int i = 0; i < 4; i++) {
        assert_true(before[i] - whole[i] < 1e-3 * (first[i] - whole[i]));
    }
    free(whole);
    fb_arena_destroy(g.arena);
}

// A force on the boundary moves the boundary by as much as in the whole, with any number of modes.
static void statics_at_the_boundary_is_exact(void** state) {
    (void)state;
    Grid g = make_grid(7, 3.0, 0.01);
    double* k = dense_of(&g.m.stiffness);
    double* x = calloc((size_t)g.n, sizeof *x);
    x[7] = 2.0;
    x[30] = -5.0;
    assert_int_equal(fb_cholesky_factor(g.n, k), -1);
    fb_cholesky_solve(g.n, k, x);
    double* squares;
    FbReduced r = reduce(&g, 2, FB_MODES_AUTO, &squares);
    double y[5] = {2.0, 0.0, -5.0, 0.0, 0.0};
    assert_int_equal(fb_cholesky_factor(r.n, r.stiffness), -1);
    fb_cholesky_solve(r.n, r.stiffness, y);
    // Rounding times the condition number of K, which is 1.6e4.
    double tolerance = DBL_EPSILON * 1.6e4;
    assert_true(fabs(y[0] - x[7]) < tolerance && fabs(y[1] - x[0]) < tolerance &&
                fabs(y[2] - x[30]) < tolerance);
    assert_true(y[3] == 0.0 && y[4] == 0.0);
    free(squares);
    free(k);
    free(x);
    fb_arena_destroy(g.arena);
}

// Loads and damping are projected by the same shapes: damping proportional to stiffness and mass
// stays so, and a load M r of rigid translation keeps its sum.
static void damping_and_loads_follow(void** state) {
    (void)state;
    Grid g = make_grid(7, 0.0, 0.01);  // free: all translate together
    double* load = calloc((size_t)g.n, sizeof *load);
    double total = 0.0;
    for (int i = 0; i < g.n; i++) {
        load[i] = 1.0 + 0.01 * i;
        total += load[i];
    }
    g.m.damping = g.m.mass;
    g.m.loads = load;
    g.m.n_loads = 1;
    double* squares;
    FbReduced r = reduce(&g, 3, FB_MODES_AUTO, &squares);
    double sum = 0.0, mass = 0.0;
    for (int i = 0; i < r.n * r.n; i++) {
        assert_true(r.damping[i] == r.mass[i]);
    }
    for (int i = 0; i < 3; i++) {
        sum += r.loads[i];
        for (int j = 0; j < 3; j++) {
            mass += r.mass[i * r.n + j];
        }
    }
    assert_true(fabs(sum - total) < 1e-11 && fabs(mass - total) < 1e-11);
    assert_true(fabs(squares[0]) < 1e-12);
    free(squares);
    free(load);
    fb_arena_destroy(g.arena);
}

// Both iterations find the same lowest modes as LAPACK, double ones twice.
static void check_iteration(FbModesMethod method) {
    Grid g = make_grid(20, 1e-3, 0.0);
    double *whole = spectrum(&g), *dense, *iterated;
    assert_true(fabs(whole[2] - whole[1]) < 1e-2 * whole[2]);
    FbReduced a = reduce(&g, 12, FB_MODES_DENSE, &dense);
    FbReduced b = reduce(&g, 12, method, &iterated);
    for (int i = 0; i < 12; i++) {
        assert_true(fabs(a.squares[i] - b.squares[i]) < 1e-9 * a.squares[i]);
    }
    for (int i = 0; i < a.n; i++) {
        assert_true(fabs(dense[i] - iterated[i]) < 1e-8 * (1.0 + dense[i]));
    }
    free(whole);
    free(dense);
    free(iterated);
    fb_arena_destroy(g.arena);
}

static void iteration_agrees_with_lapack(void** state) {
    (void)state;
    check_iteration(FB_MODES_SUBSPACE);
    check_iteration(FB_MODES_LANCZOS);
}

static FbStatus solve_with(void* solver, int count, double* b) {
    return fb_symmetric_solve_many(solver, count, b);
}

// Copies of a chain that do not touch each other, with a massless row each.
static void make_copies(int copies, int length, double unit, FbArena* arena, FbSparse* K,
                        FbSparse* M) {
    int n = copies * length, count = 0;
    FbTriplet* k = FB_TAKE(arena, FbTriplet, 3 * n);
    FbTriplet* m = FB_TAKE(arena, FbTriplet, n);
    FbError err;
    for (int i = 0; i < n; i++) {
        k[count++] = (FbTriplet){i, i, 2.0};
        m[i] = (FbTriplet){i, i, i % length == 3 ? 0.0 : unit};
        if (i % length > 0) {
            k[count++] = (FbTriplet){i, i - 1, -1.0};
            k[count++] = (FbTriplet){i - 1, i, -1.0};
        }
    }
    assert_int_equal(fb_sparse_from_triplets(n, n, k, (size_t)count, arena, K, &err), FB_OK);
    assert_int_equal(fb_sparse_from_triplets(n, n, m, (size_t)n, arena, M, &err), FB_OK);
}

// K x = w^2 M x and x' M x = 1, also between modes of one frequency.
static void check_modes(const FbSparse* K, const FbSparse* M, double unit, int n_modes,
                        const double* squares, const double* x) {
    int n = K->pattern.n_col;
    double* r = calloc((size_t)n, sizeof(double));
    for (int i = 0; i < n_modes; i++) {
        const double* v = x + (size_t)i * (size_t)n;
        memset(r, 0, sizeof(double) * (size_t)n);
        fb_pattern_multiply(&K->pattern, K->values, 1.0, v, r);
        fb_pattern_multiply(&M->pattern, M->values, -squares[i], v, r);
        for (int j = 0; j < n; j++) {
            assert_true(fabs(r[j]) < 1e-8 / sqrt(unit));
        }
        for (int other = 0; other <= i; other++) {
            double product = 0.0;
            for (int j = 0; j < n; j++) {
                product += v[j] * fb_sparse_get(M, j, j) * x[(size_t)other * (size_t)n + (size_t)j];
            }
            assert_true(fabs(product - (other == i)) < 1e-9);
        }
    }
    free(r);
}

// Every frequency is there as often as there are copies, for any scale of masses.
static void check_copies(int copies, int length, double unit, int n_modes) {
    FbArena* arena = fb_arena_create();
    FbSparse K, M;
    FbError err;
    FbSymmetric* solver;
    size_t size = (size_t)(copies * length) * (size_t)n_modes;
    double* x = FB_TAKE(arena, double, size);
    double* y = FB_TAKE(arena, double, size);
    double squares[64], exact[64];
    make_copies(copies, length, unit, arena, &K, &M);
    assert_int_equal(fb_symmetric_create(&K.pattern, &solver, &err), FB_OK);
    memcpy(fb_symmetric_values(solver), K.values,
           sizeof(double) * (size_t)fb_pattern_count(&K.pattern));
    assert_int_equal(fb_symmetric_factor(solver, FB_SYMMETRIC_DEFINITE), FB_OK);
    FbStatus dense =
        fb_lowest_modes(&K, &M, solve_with, solver, FB_MODES_DENSE, n_modes, exact, y, &err);
    FbStatus found =
        fb_lowest_modes(&K, &M, solve_with, solver, FB_MODES_LANCZOS, n_modes, squares, x, &err);
    assert_true(dense == FB_OK && found == FB_OK);
    for (int i = 0; i < n_modes; i++) {
        assert_true(fabs(squares[i] - exact[i]) < 1e-10 * exact[i]);
    }
    check_modes(&K, &M, unit, n_modes, squares, x);
    fb_symmetric_destroy(solver);
    fb_arena_destroy(arena);
}

static void lanczos_finds_multiple_frequencies(void** state) {
    (void)state;
    check_copies(1, 60, 1.0, 9);
    check_copies(3, 40, 1e-6, 10);
    check_copies(5, 30, 1e7, 23);
    check_copies(4, 6, 1.0, 20);  // all that have mass
}

// Massless coordinates inside are condensed: their modes do not exist.
static void massless_coordinates_are_condensed(void** state) {
    (void)state;
    Grid g = make_grid(7, 3.0, 0.0);
    for (int i = 1; i < 7; i++) {
        g.m.mass.values[i] = 0.0;  // diagonal
    }
    double* squares;
    FbReduced r = reduce(&g, -1, FB_MODES_AUTO, &squares);
    assert_int_equal(r.n, g.n - 6);
    assert_true(squares[0] > 0.0 && isfinite(squares[r.n - 1]));
    free(squares);
    fb_arena_destroy(g.arena);
}

static void what_is_not_held_is_named(void** state) {
    (void)state;
    FbArena* arena = fb_arena_create();
    FbStructureMatrices m = {0};
    FbTriplet k[] = {{0, 0, 1}, {0, 1, -1}, {1, 0, -1}, {1, 1, 1},
                     {2, 2, 5}, {2, 3, -5}, {3, 2, -5}, {3, 3, 5}};
    FbTriplet mass[] = {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}};
    int boundary[] = {0}, where;
    FbReduced r;
    FbError err;
    assert_int_equal(fb_sparse_from_triplets(4, 4, k, 8, arena, &m.stiffness, &err), FB_OK);
    assert_int_equal(fb_sparse_from_triplets(4, 4, mass, 4, arena, &m.mass, &err), FB_OK);
    assert_int_equal(fb_craig_bampton(&m, boundary, 1, 1, FB_MODES_AUTO, arena, &r, &where, &err),
                     FB_ERR_SINGULAR);
    assert_true(where == 2 || where == 3);
    fb_arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_modes_give_the_whole_spectrum),
        cmocka_unit_test(frequencies_converge_from_above),
        cmocka_unit_test(statics_at_the_boundary_is_exact),
        cmocka_unit_test(damping_and_loads_follow),
        cmocka_unit_test(iteration_agrees_with_lapack),
        cmocka_unit_test(lanczos_finds_multiple_frequencies),
        cmocka_unit_test(massless_coordinates_are_condensed),
        cmocka_unit_test(what_is_not_held_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
