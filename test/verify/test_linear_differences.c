// The first-order matrix A against high-order differences of the nonlinear motion in the same
// independent coordinates: random trees and loops with balls, rolling and states, at rest and
// moving.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linear/linearization.h"
#include "math/dense.h"
#include "math/rotation.h"
#include "random_model.h"
#include "test_linear_support.h"

enum { MOST = 64 };

typedef struct Reduced {
    FbOperatingPoint* op;
    FbLinearization* l;
    FbDynamics* d;
    FbPoint p;  // where the motion is evaluated
    int f, p_v, n_x, N;
    double r[MOST], c[MOST], gdot[MOST];
    double base_a[MOST], base_x[MOST];
} Reduced;

// Dependent velocities follow from the independent ones: gdot = 0 is linear in v.
static void solve_velocities(Reduced* s) {
    const FbNullspace* all = &s->l->all;
    int m = all->m, pivot[MOST];
    double square[MOST * MOST];
    FbBlocks b;
    FbError err;
    if (m == 0) {
        return;
    }
    assert_int_equal(s->d->ops->jacobian(s->d, &s->p, &b, &err), FB_OK);
    for (int k = 0; k < m; k++) {
        for (int r = 0; r < m; r++) {
            int at = fb_pattern_index(b.cv, r, all->dependent[k]);
            square[k * m + r] = at >= 0 ? b.G[at] : 0.0;
        }
    }
    assert_true(fb_lu_factor(m, square, pivot) < 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(s->d->ops->residual(s->d, &s->p, s->r, s->c, s->gdot), FB_OK);
        fb_lu_solve(m, square, pivot, s->gdot);
        for (int k = 0; k < m; k++) {
            s->p.v[all->dependent[k]] -= s->gdot[k];
        }
    }
}

// Places the point at (eta, zeta, xi) off the operating point.
static void place(Reduced* s, const double* y) {
    const FbPoint* at = &s->op->p;
    int n = s->d->size.n_v;
    double step[MOST] = {0};
    FbError err;
    memcpy(s->p.v, at->v, sizeof(double) * (size_t)n);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < s->f; i++) {
            step[j] += s->l->holonomic.N[i * n + j] * y[i];
        }
        for (int i = 0; i < s->p_v; i++) {
            s->p.v[j] += s->l->all.N[i * n + j] * y[s->f + i];
        }
    }
    for (int i = 0; i < s->n_x; i++) {
        s->p.x[i] = at->x[i] + y[s->f + s->p_v + i];
    }
    s->p.t = at->t;
    s->d->ops->plus(s->d, at->q, step, s->p.q);
    if (s->d->ops->project_position) {
        assert_int_equal(s->d->ops->project_position(s->d, s->p.t, s->p.q, NULL, &err), FB_OK);
    }
    solve_velocities(s);
}

// How fast the displacement from the moving operating point changes. A ball turns by exp(theta)
// from a frame that turns itself: to first order theta' = w - exp(-theta) w0.
static void displacement_rates(Reduced* s, double* rate) {
    const FbPoint* at = &s->op->p;
    double theta[MOST];
    s->d->ops->minus(s->d, s->p.q, at->q, theta);
    for (int j = 0; j < s->d->size.n_v; j++) {
        rate[j] = s->p.v[j] - at->v[j];
    }
    for (int i = 0; i < s->d->n_ball; i++) {
        int j = s->d->ball[i];
        FbMat3 R = fb_rotation_from_vector(fb_vec3_from(theta + j));
        FbVec3 w0 = fb_mul3_transposed(&R, fb_vec3_from(at->v + j));
        rate[j] = s->p.v[j] - w0.x;
        rate[j + 1] = s->p.v[j + 1] - w0.y;
        rate[j + 2] = s->p.v[j + 2] - w0.z;
    }
}

static void motion(Reduced* s, const double* y, double* out) {
    double rate[MOST];
    FbError err;
    place(s, y);
    displacement_rates(s, rate);
    assert_int_equal(s->d->ops->accelerations(s->d, &s->p, &err), FB_OK);
    for (int i = 0; i < s->f; i++) {
        out[i] = rate[s->l->holonomic.independent[i]];
    }
    for (int i = 0; i < s->p_v; i++) {
        out[s->f + i] = s->p.a[s->l->all.independent[i]];
    }
    if (s->n_x > 0) {
        s->d->ops->state_rates(s->d, &s->p, out + s->f + s->p_v);
    }
}

static double compare(Reduced* s, const char* name, unsigned seed) {
    const double h = 1e-3;
    int N = s->N;
    double y[MOST] = {0}, values[4][MOST], worst = 0.0, size = 1.0;
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < 4; k++) {
            y[j] = (double[]){h, -h, 2 * h, -2 * h}[k];
            motion(s, y, values[k]);
        }
        y[j] = 0.0;
        for (int i = 0; i < N; i++) {
            double numeric =
                (8 * (values[0][i] - values[1][i]) - (values[2][i] - values[3][i])) / (12 * h);
            size = fmax(size, fabs(numeric));
            double error = fabs(numeric - s->l->A[j * N + i]);
            if (error > worst) {
                worst = error;
            }
        }
    }
    if (worst > 1e-7 * size) {
        print_message("%s %u: A deviates by %.3g of %.3g (f %d, p %d, states %d)\n", name, seed,
                      worst, size, s->f, s->p_v, s->n_x);
    }
    return worst / size;
}

// Random velocities that the constraints allow.
static void set_in_motion(FbOperatingPoint* op, unsigned* seed) {
    FbError err;
    FbDynamics* d = op->dynamics;
    for (int j = 0; j < d->size.n_v; j++) {
        op->p.v[j] = test_random(seed);
    }
    if (d->ops->project_velocity) {
        assert_int_equal(d->ops->project_velocity(d, op->p.t, op->p.q, op->p.v, NULL, &err), FB_OK);
    }
    assert_int_equal(d->ops->accelerations(d, &op->p, &err), FB_OK);
    op->info.is_equilibrium = false;
}

// The deviation of a model text; NAN where it has no degree of freedom.
static double check_text(const char* text, const char* name, unsigned seed, bool is_moving) {
    FbError err = {0};
    FbModel* model = test_model_from_text(text);
    FbLinearOptions how = fb_linear_options_default();
    Reduced s = {.op = test_point_at(model, (FbOperatingOptions){.kind = FB_AT_INITIAL})};
    s.d = s.op->dynamics;
    double error = NAN;
    if (s.d->size.n_v > s.d->size.n_c) {
        unsigned random = seed;
        if (is_moving) {
            set_in_motion(s.op, &random);
        }
        assert_int_equal(fb_linearization_create(s.op, &how, &s.l, &err), FB_OK);
        assert_int_equal(fb_linearization_run(s.l, &err), FB_OK);
        s.f = s.l->f;
        s.p_v = s.l->p;
        s.n_x = s.l->b.n_x;
        s.N = s.l->n_reduced;
        assert_true(s.N <= MOST && s.d->size.n_v <= MOST);
        s.p = test_point_create(s.op->system);
        error = compare(&s, name, seed);
        test_point_free(&s.p);
    }
    fb_linearization_destroy(s.l);
    fb_operating_point_destroy(s.op);
    fb_model_destroy(model);
    return error;
}

static const char CONTROL[] =
    "sensors:\n"
    "  where: {type: position, point: B0}\n"
    "  fast: {type: velocity, point: {body: B0, at: [0.1, 0, 0.2]}}\n"
    "states:\n"
    "  one: {initial: 0.2, rate: where.z + fast.x - 0.5*one*two}\n"
    "  two: {initial: -0.3, rate: one - sin(two) + where.x*fast.y}\n"
    "forces:\n"
    "  thrust: {type: force, point: B0, value: [-3*one, where.x - two*where.y, 2*one - fast.z]}\n";

static void check_random(RandomModel r, const char* name, bool has_states, int n_seeds) {
    char text[16384];
    int n_checked = 0;
    for (unsigned seed = 1; n_checked < n_seeds && seed < 60; seed++) {
        r.seed = seed * 7919u;
        random_model_write(&r, text, sizeof(text));
        if (has_states) {
            assert_true(strlen(text) + sizeof(CONTROL) < sizeof(text));
            strcat(text, CONTROL);
        }
        for (int moving = 0; moving < 2; moving++) {
            double error = check_text(text, name, seed, moving);
            if (isnan(error)) {
                break;
            }
            assert_true(error < 1e-7);
            n_checked++;
        }
    }
    assert_true(n_checked >= n_seeds);
}

static void test_trees(void** state) {
    (void)state;
    check_random((RandomModel){.n_bodies = 4}, "tree", false, 16);
}

static void test_trees_with_states(void** state) {
    (void)state;
    check_random((RandomModel){.n_bodies = 4}, "tree with states", true, 16);
}

static void test_loops(void** state) {
    (void)state;
    check_random((RandomModel){.n_bodies = 5, .n_loops = 1}, "loop", false, 16);
    check_random((RandomModel){.n_bodies = 7, .n_loops = 2}, "loops", true, 16);
}

static void test_rolling(void** state) {
    (void)state;
    check_random((RandomModel){.n_bodies = 3, .has_rolling = true}, "rolling", false, 12);
    check_random((RandomModel){.n_bodies = 4, .n_loops = 1, .has_rolling = true},
                 "rolling and loop", true, 12);
}

// Four-bar and slider-crank in the middle of their motion.
static void test_mechanisms_in_motion(void** state) {
    (void)state;
    const char* const files[] = {"models/fourbar.yaml", "models/slider_crank.yaml",
                                 "models/rolling_disc.yaml", "models/bicycle.yaml"};
    for (int i = 0; i < 4; i++) {
        char text[16384];
        FILE* file = fopen(files[i], "r");
        assert_non_null(file);
        size_t n = fread(text, 1, sizeof(text) - 1, file);
        fclose(file);
        text[n] = '\0';
        assert_true(check_text(text, files[i], 5, true) < 1e-7);
        assert_true(check_text(text, files[i], 5, false) < 1e-7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_trees_with_states),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_mechanisms_in_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
