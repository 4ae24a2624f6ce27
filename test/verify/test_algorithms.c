// Algorithm against algorithm on random trees and loops: inverse dynamics, articulated bodies, mass
// matrix, energies, constrained accelerations, Lagrange's equations.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_support.h"
#include "random_model.h"

enum { MAX_V = 96, MODELS = 60 };

static void start(TestSystem* t, const RandomModel* r) {
    static char text[40000];
    random_model_write(r, text, sizeof(text));
    test_system_init(t, test_model_from_text(text));
    assert_true(t->d->size.n_v <= MAX_V && t->d->size.n_c <= MAX_V);
}

// Away from the drawing, but on the manifold.
static void scatter_on_manifold(TestSystem* t, unsigned* seed, double size) {
    FbError err = {0};
    double left = 0.0;
    test_system_scatter(t, seed, size);
    t->p.t = 0.0;
    if (t->d->size.n_c > 0) {
        assert_int_equal(t->d->ops->project_position(t->d, 0.0, t->p.q, NULL, &err), FB_OK);
        assert_int_equal(t->d->ops->project_velocity(t->d, 0.0, t->p.q, t->p.v, NULL, &err), FB_OK);
        assert_int_equal(t->d->ops->project_velocity(t->d, 0.0, t->p.q, t->p.v, &left, &err),
                         FB_OK);
        assert_true(left < 1e-10);
    }
}

static void calc_residual(TestSystem* t, const FbPoint* p, double* r) {
    static double c[MAX_V], g[MAX_V];
    assert_int_equal(t->d->ops->residual(t->d, p, r, c, g), FB_OK);
}

static double mass_entry(const FbBlocks* b, int i, int j) {
    int at = fb_pattern_index(b->vv, i, j);
    return at >= 0 ? b->M[at] : 0.0;
}

static void fill_mass(TestSystem* t, double M[MAX_V][MAX_V]) {
    FbBlocks b;
    FbError err;
    assert_int_equal(t->d->ops->jacobian(t->d, &t->p, &b, &err), FB_OK);
    for (int i = 0; i < t->d->size.n_v; i++) {
        for (int j = 0; j < t->d->size.n_v; j++) {
            M[i][j] = mass_entry(&b, i, j);
        }
    }
}

// Cholesky: fails the test unless M is symmetric and positive definite; x := M^-1 x.
static void solve_positive(int n, double M[MAX_V][MAX_V], double* x) {
    static double L[MAX_V][MAX_V];
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            assert_true(fabs(M[i][j] - M[j][i]) <= 1e-12 * sqrt(M[i][i] * M[j][j]));
            double sum = M[i][j];
            for (int k = 0; k < j; k++) {
                sum -= L[i][k] * L[j][k];
            }
            assert_true(i != j || sum > 0.0);
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= L[i][k] * x[k];
        }
        x[i] /= L[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            x[i] -= L[k][i] * x[k];
        }
        x[i] /= L[i][i];
    }
}

static double largest(const double* x, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

// r(a) = M a + r(0): the mass matrix belongs to the inverse dynamics.
static void check_mass_matrix(TestSystem* t, double M[MAX_V][MAX_V]) {
    double full[MAX_V], bias[MAX_V], zero[MAX_V] = {0};
    int n = t->d->size.n_v;
    FbPoint at_rest = t->p;
    at_rest.a = zero;
    calc_residual(t, &t->p, full);
    calc_residual(t, &at_rest, bias);
    double size = 1.0 + largest(full, n) + largest(bias, n);
    for (int i = 0; i < n; i++) {
        double sum = bias[i];
        for (int j = 0; j < n; j++) {
            sum += M[i][j] * t->p.a[j];
        }
        assert_true(fabs(sum - full[i]) < 1e-12 * size);
    }
}

static void check_kinetic_energy(TestSystem* t, double M[MAX_V][MAX_V]) {
    FbEnergies e;
    double sum = 0.0;
    for (int i = 0; i < t->d->size.n_v; i++) {
        for (int j = 0; j < t->d->size.n_v; j++) {
            sum += 0.5 * t->p.v[i] * M[i][j] * t->p.v[j];
        }
    }
    fb_system_calc_energies(t->system, &t->p, &e);
    assert_true(fabs(sum - e.kinetic) < 1e-12 * (1.0 + e.kinetic));
}

// Forward dynamics: the residual vanishes, and the dense solution is the same.
static void check_forward_dynamics(TestSystem* t, double M[MAX_V][MAX_V]) {
    double r[MAX_V], bias[MAX_V], zero[MAX_V] = {0};
    int n = t->d->size.n_v;
    FbError err = {0};
    FbPoint at_rest = t->p;
    at_rest.a = zero;
    calc_residual(t, &at_rest, bias);
    double size = 1.0 + largest(bias, n);
    assert_int_equal(t->d->ops->accelerations(t->d, &t->p, &err), FB_OK);
    calc_residual(t, &t->p, r);
    double fastest = 1.0 + largest(t->p.a, n);
    for (int i = 0; i < n; i++) {
        bias[i] = -bias[i];
        assert_true(fabs(r[i]) < 1e-11 * size);
    }
    solve_positive(n, M, bias);
    for (int i = 0; i < n; i++) {
        assert_true(fabs(bias[i] - t->p.a[i]) < 1e-9 * fastest);
    }
}

static void random_trees(void** state) {
    (void)state;
    static double M[MAX_V][MAX_V];
    for (unsigned m = 0; m < MODELS; m++) {
        RandomModel r = {.n_bodies = 1 + (int)(m % 12), .seed = 100 + m};
        unsigned seed = m;
        TestSystem t;
        start(&t, &r);
        if (t.d->size.n_v > 0) {
            scatter_on_manifold(&t, &seed, 0.8);
            fill_mass(&t, M);
            check_mass_matrix(&t, M);
            check_kinetic_energy(&t, M);
            check_forward_dynamics(&t, M);
        }
        test_system_free(&t);
    }
}

// The point at time h on the parabola through p with its velocity and acceleration.
static void follow(TestSystem* t, double h, double* q, double* v) {
    double xi[MAX_V];
    for (int j = 0; j < t->d->size.n_v; j++) {
        xi[j] = h * t->p.v[j] + 0.5 * h * h * t->p.a[j];
        v[j] = t->p.v[j] + h * t->p.a[j];
    }
    t->d->ops->plus(t->d, t->p.q, xi, q);
}

static double energy_at(TestSystem* t, double h) {
    double q[2 * MAX_V], v[MAX_V];
    FbEnergies e;
    FbPoint p = t->p;
    follow(t, h, q, v);
    p.q = q;
    p.v = v;
    fb_system_calc_energies(t->system, &p, &e);
    return e.kinetic + e.potential;
}

// d/dt (T + V) = v' r for any motion: checks the inertial forces of all joints, balls too, against
// the energies alone.
static void energy_rate_is_power(void** state) {
    (void)state;
    for (unsigned m = 0; m < MODELS; m++) {
        RandomModel r = {.n_bodies = 2 + (int)(m % 6), .seed = 500 + m};
        unsigned seed = m;
        double residual[MAX_V], power = 0.0, h = 1e-3;
        TestSystem t;
        start(&t, &r);
        test_system_scatter(&t, &seed, 0.8);
        calc_residual(&t, &t.p, residual);
        double size = 1.0;
        for (int j = 0; j < t.d->size.n_v; j++) {
            power += t.p.v[j] * residual[j];
            size += fabs(t.p.v[j] * residual[j]);
        }
        double rate = (8.0 * (energy_at(&t, h) - energy_at(&t, -h)) -
                       (energy_at(&t, 2.0 * h) - energy_at(&t, -2.0 * h))) /
                      (12.0 * h);
        assert_true(fabs(rate - power) < 1e-8 * size);
        test_system_free(&t);
    }
}

static void energies_moved(TestSystem* t, int j, double h, double* kinetic, double* potential) {
    double xi[MAX_V] = {0}, q[2 * MAX_V];
    FbEnergies e;
    FbPoint p = t->p;
    xi[j] = h;
    t->d->ops->plus(t->d, t->p.q, xi, q);
    p.q = q;
    fb_system_calc_energies(t->system, &p, &e);
    *kinetic = e.kinetic;
    *potential = e.potential;
}

// dT/dv_j at h along the motion.
static double momentum_at(TestSystem* t, int j, double h) {
    double q[2 * MAX_V], v[MAX_V], T[2];
    FbEnergies e;
    FbPoint p = t->p;
    follow(t, h, q, v);
    p.q = q;
    p.v = v;
    for (int side = 0; side < 2; side++) {  // T is quadratic in v: one difference is exact
        v[j] += side == 0 ? 0.5 : -1.0;
        fb_system_calc_energies(t->system, &p, &e);
        T[side] = e.kinetic;
    }
    return T[0] - T[1];
}

// r_j = d/dt dT/dv_j - dT/dq_j + dV/dq_j where every coordinate is a number.
static void lagrange_equations(void** state) {
    (void)state;
    const double h = 1e-3;
    for (unsigned m = 0; m < MODELS; m++) {
        RandomModel r = {.n_bodies = 1 + (int)(m % 6), .is_scalar = true, .seed = 900 + m};
        unsigned seed = m;
        double residual[MAX_V], T[4], V[4];
        TestSystem t;
        start(&t, &r);
        test_system_scatter(&t, &seed, 0.8);
        calc_residual(&t, &t.p, residual);
        double size = 10.0 + largest(residual, t.d->size.n_v);
        for (int j = 0; j < t.d->size.n_v; j++) {
            const double at[4] = {h, -h, 2.0 * h, -2.0 * h};
            double p[4];
            for (int k = 0; k < 4; k++) {
                energies_moved(&t, j, at[k], &T[k], &V[k]);
                p[k] = momentum_at(&t, j, at[k]);
            }
            double by_q = (8.0 * (V[0] - T[0] - V[1] + T[1]) - (V[2] - T[2] - V[3] + T[3]));
            double by_t = 8.0 * (p[0] - p[1]) - (p[2] - p[3]);
            assert_true(fabs((by_q + by_t) / (12.0 * h) - residual[j]) < 1e-8 * size);
        }
        test_system_free(&t);
    }
}

// At rest the residual is the gradient of the potential, in the tangent space of balls too.
static void gravity_is_a_gradient(void** state) {
    (void)state;
    const double h = 1e-3;
    for (unsigned m = 0; m < MODELS; m++) {
        RandomModel r = {.n_bodies = 1 + (int)(m % 8), .seed = 1300 + m};
        unsigned seed = m;
        double residual[MAX_V], T, V[4];
        TestSystem t;
        start(&t, &r);
        test_system_scatter(&t, &seed, 0.8);
        memset(t.p.v, 0, sizeof(double) * (size_t)t.d->size.n_v);
        memset(t.p.a, 0, sizeof(double) * (size_t)t.d->size.n_v);
        calc_residual(&t, &t.p, residual);
        for (int j = 0; j < t.d->size.n_v; j++) {
            const double at[4] = {h, -h, 2.0 * h, -2.0 * h};
            for (int k = 0; k < 4; k++) {
                energies_moved(&t, j, at[k], &T, &V[k]);
            }
            double slope = (8.0 * (V[0] - V[1]) - (V[2] - V[3])) / (12.0 * h);
            assert_true(fabs(slope - residual[j]) < 1e-8 * (10.0 + fabs(slope)));
        }
        test_system_free(&t);
    }
}

// Position errors and constraint rates at time h along the motion.
static void constraints_at(TestSystem* t, double h, double* g, double* gdot) {
    double q[2 * MAX_V], v[MAX_V], r[MAX_V], c[MAX_V];
    FbPoint p = t->p;
    follow(t, h, q, v);
    p.q = q;
    p.v = v;
    p.t = h;
    assert_int_equal(t->d->ops->position_error(t->d, h, q, g), FB_OK);
    assert_int_equal(t->d->ops->residual(t->d, &p, r, c, gdot), FB_OK);
}

// r = 0, and g'' = 0 by second differences of g (first ones of gdot for rolling).
static void check_constrained_motion(TestSystem* t) {
    const double h = 1e-3;
    double r[MAX_V], g[5][MAX_V], gdot[5][MAX_V];
    FbError err = {0};
    int n_c = t->d->size.n_c, n_g = t->d->size.n_g;
    assert_int_equal(t->d->ops->accelerations(t->d, &t->p, &err), FB_OK);
    calc_residual(t, &t->p, r);
    double size = 10.0 + largest(t->p.lambda, n_c);
    assert_true(largest(r, t->d->size.n_v) < 1e-10 * size);
    for (int k = 0; k < 5; k++) {
        constraints_at(t, (k - 2) * h, g[k], gdot[k]);
    }
    double fastest = 1.0 + largest(t->p.a, t->d->size.n_v);
    for (int c = 0; c < n_c; c++) {
        double rate = (8.0 * (gdot[3][c] - gdot[1][c]) - (gdot[4][c] - gdot[0][c])) / (12.0 * h);
        assert_true(fabs(rate) < 1e-7 * fastest);
        if (c < n_g) {
            double second =
                (16.0 * (g[1][c] + g[3][c]) - g[0][c] - g[4][c] - 30.0 * g[2][c]) / (12.0 * h * h);
            assert_true(fabs(g[2][c]) < 1e-12);
            assert_true(fabs(second) < 1e-7 * fastest);
        }
    }
}

static void random_loops(void** state) {
    (void)state;
    static double M[MAX_V][MAX_V];
    int n_moving = 0;
    for (unsigned m = 0; m < MODELS; m++) {
        RandomModel r = {.n_bodies = 6 + (int)(m % 8),
                         .n_loops = 1 + (int)(m % 3),
                         .has_rolling = m % 4 == 3,
                         .seed = 1700 + m};
        unsigned seed = m;
        TestSystem t;
        start(&t, &r);
        if (t.assembly.degrees_of_freedom > 0 && t.assembly.n_redundant_rows == 0) {
            n_moving++;
            scatter_on_manifold(&t, &seed, 0.05);
            fill_mass(&t, M);
            check_mass_matrix(&t, M);
            check_kinetic_energy(&t, M);
            check_constrained_motion(&t);
        }
        test_system_free(&t);
    }
    assert_true(n_moving > MODELS / 4);  // the others are locked or redundant
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees),       cmocka_unit_test(energy_rate_is_power),
        cmocka_unit_test(lagrange_equations), cmocka_unit_test(gravity_is_a_gradient),
        cmocka_unit_test(random_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
