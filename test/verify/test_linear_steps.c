// The stepper for linear equations: the linear form against the general residual, runs against
// radau and closed forms, orders, tolerances, and models that are not linear.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

#define FOLDER "test/verify/linear_steps/"

static const char* const THEORIES[] = {"form_1a", "form_1b", "convective", "linear_consistent"};

// y += factor U (B_M x'' + B_C x' + B_K x) of all groups.
static void add_shares(const FbMovingGroup* groups, const FbMovingShare* shares, int n,
                       const double* const motion[3], double* y) {
    for (int g = 0; g < n; g++) {
        double force[FB_MOVING] = {0};
        for (int kind = 0; kind < FB_MOVING_KINDS; kind++) {
            double x[FB_MOVING] = {0};
            for (int k = 0; k < groups[g].n; k++) {
                for (int e = 0; e < FB_MOVING; e++) {
                    x[e] += groups[g].F[FB_MOVING * k + e] * motion[kind][groups[g].v[k]];
                }
            }
            for (int r = 0; r < shares[g].rank; r++) {
                double z = 0.0;
                for (int e = 0; e < FB_MOVING; e++) {
                    z += shares[g].B[kind][r][e] * x[e];
                }
                for (int e = 0; e < FB_MOVING; e++) {
                    force[e] += shares[g].U[r][e] * z;
                }
            }
        }
        for (int k = 0; k < groups[g].n; k++) {
            for (int e = 0; e < FB_MOVING; e++) {
                y[groups[g].v[k]] += groups[g].F[FB_MOVING * k + e] * force[e];
            }
        }
    }
}

// The residual by the linear form at p.
static void calc_residual(TestSystem* t, const FbLinearForm* form, const FbPoint* p, double* r) {
    FbDynamics* d = t->d;
    const FbMovingGroup* groups;
    int n_v = d->size.n_v, n = d->ops->find_moving(d, &groups);
    FbMovingShare* shares = calloc((size_t)form->max_moving + 1, sizeof *shares);
    double* displacement = calloc((size_t)n_v + 1, sizeof(double));
    assert_non_null(shares);
    assert_non_null(displacement);
    for (int j = 0; j < n_v; j++) {
        displacement[j] = p->q[j] - form->origin[j];
    }
    d->ops->calc_linear(d, p->t, r, shares);
    const double* motion[3] = {p->a, p->v, displacement};
    fb_pattern_multiply(form->vv, form->M, 1.0, p->a, r);
    fb_pattern_multiply(form->vv, form->C, 1.0, p->v, r);
    fb_pattern_multiply(form->vv, form->K, 1.0, displacement, r);
    add_shares(groups, shares, n, motion, r);
    if (form->has_reaction) {
        d->ops->add_reaction(d, p->t, displacement, r);
    }
    for (int j = 0; j < n_v && d->size.n_c > 0; j++) {
        for (int k = form->cv->start[j]; k < form->cv->start[j + 1]; k++) {
            r[j] += form->G[k] * p->lambda[form->cv->row[k]];
        }
    }
    free(shares);
    free(displacement);
}

static void check_form(FbModel* model, const char* name) {
    TestSystem t;
    FbLinearForm form;
    FbError err = {0};
    unsigned seed = 7;
    test_system_init(&t, model);
    int n_v = t.d->size.n_v;
    fb_system_begin(t.system, &t.p);
    if (t.d->ops->find_linear(t.d, 0.0, &form, &err) != FB_OK) {
        fail_msg("%s: %s", name, err.text);
    }
    double *linear = calloc((size_t)n_v, sizeof(double)), *r = calloc((size_t)n_v, sizeof(double));
    double* rows = calloc((size_t)t.d->size.n_c + 1, sizeof(double));
    for (int k = 0; k < 5; k++) {
        double size = 0.0, error = 0.0;
        test_system_scatter(&t, &seed, 1e-3);
        t.p.t = 0.017 * k;
        calc_residual(&t, &form, &t.p, linear);
        assert_int_equal(t.d->ops->residual(t.d, &t.p, r, NULL, rows), FB_OK);
        for (int j = 0; j < n_v; j++) {
            size = fmax(size, fabs(r[j]));
            error = fmax(error, fabs(r[j] - linear[j]));
        }
        if (!(error <= 1e-11 * size)) {
            fail_msg("%s: the linear form differs by %.3g of %.3g N", name, error, size);
        }
    }
    free(linear);
    free(r);
    free(rows);
    test_system_free(&t);
}

// Every theory, with rotary inertia, turned and moved; rows with laws; in space.
static void form_is_the_residual(void** state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            FbModelDef* def =
                test_def_with(FOLDER "frame.yaml",
                              "theory: form_1a => theory: %s; turn=%g; mx=%g; my=%g; rotary=%g",
                              THEORIES[i], 0.7 * k, 3.0 * k, -2.0 * k, k == 1 ? 0.4 : 0.0);
            check_form(test_model_from_def(def), THEORIES[i]);
            fb_model_def_destroy(def);
        }
        FbModelDef* def =
            test_def_with(FOLDER "space.yaml", "theory: convective => theory: %s", THEORIES[i]);
        check_form(test_model_from_def(def), THEORIES[i]);
        fb_model_def_destroy(def);
    }
}

// The largest difference of an output, of its range.
static double difference(const TestRun* a, const TestRun* b, const char* output) {
    double lo = INFINITY, hi = -INFINITY, most = 0.0;
    assert_int_equal(a->n_rows, b->n_rows);
    for (int row = 0; row < a->n_rows; row++) {
        double x = test_run_value(a, row, output), y = test_run_value(b, row, output);
        lo = fmin(lo, y);
        hi = fmax(hi, y);
        most = fmax(most, fabs(x - y));
    }
    return most / (hi - lo);
}

static void check_balance(const TestRun* run, double tolerance) {
    double first = test_run_value(run, 0, "energy"), largest = 0.0;
    for (int row = 0; row < run->n_rows; row++) {
        double work = test_run_value(run, row, "supplied") - test_run_value(run, row, "dissipated");
        double now = test_run_value(run, row, "energy");
        largest = fmax(largest, fabs(now - first));
        test_close("energy", now - first, work, tolerance * fmax(largest, 1.0));
    }
}

static void check_against_radau(const char* path, const char* changes, const char* const* outputs) {
    const TestMethod fine = {.integrator = "radau", .rtol = 1e-10, .atol = 1e-12};
    const TestMethod linear = {.integrator = "linear", .rtol = 1e-9, .atol = 1e-11};
    TestRun a = test_run_with(path, linear, "%s", changes),
            b = test_run_with(path, fine, "%s", changes);
    assert_string_equal(fb_result_get_stats(a.result)->integrator, "linear");
    for (int i = 0; outputs[i]; i++) {
        double e = difference(&a, &b, outputs[i]);
        if (!(e <= 2e-6)) {
            fail_msg("%s with %s: %s differs by %.3g of its range", path, changes, outputs[i], e);
        }
    }
    check_balance(&a, 1e-6);
    test_run_free(&a);
    test_run_free(&b);
}

static void runs_agree_with_radau(void** state) {
    (void)state;
    const char* const plane[] = {"along", "across", "angle", "supplied", "dissipated", NULL};
    const char* const space[] = {"x", "z", "push", "supplied", "dissipated", NULL};
    char changes[120];
    for (int i = 0; i < 4; i++) {
        snprintf(changes, sizeof changes, "theory: form_1a => theory: %s; turn=%g; mx=%d",
                 THEORIES[i], 0.4 * i, 2 * i);
        check_against_radau(FOLDER "frame.yaml", changes, plane);
    }
    check_against_radau(FOLDER "space.yaml", "c: {type => c: {type", space);
    check_against_radau(FOLDER "space.yaml", "theory: convective => theory: linear_consistent",
                        space);
}

// The error falls with rtol over the whole range, and work grows.
static void error_falls_with_rtol(void** state) {
    (void)state;
    TestMethod m = {.integrator = "linear", .rtol = 1e-12, .atol = 1e-14};
    TestRun exact = test_run_file(FOLDER "frame.yaml", m);
    double before = INFINITY;
    long work = 0;
    for (int k = 3; k <= 9; k += 2) {
        m.rtol = pow(10.0, -k);
        m.atol = 0.01 * m.rtol;
        TestRun run = test_run_file(FOLDER "frame.yaml", m);
        double e = difference(&run, &exact, "along");
        const FbRunStats* stats = fb_result_get_stats(run.result);
        if (!(e < 0.3 * before) || !((double)stats->rhs_evals > 0.95 * (double)work)) {
            fail_msg("rtol 1e-%d: error %.3g after %.3g, %ld evaluations after %ld", k, e, before,
                     stats->rhs_evals, work);
        }
        before = e;
        work = stats->rhs_evals;
        test_run_free(&run);
    }
    test_run_free(&exact);
}

#define SAME "outputs: => outputs:"

// Steps of a fixed length: order 5, 9 and 13, as the tolerance asks for.
static TestRun run_fixed(const char* changes, const char* integrator, double rtol, double step) {
    FbModelDef* def = test_def_with(FOLDER "beam.yaml", "%s", changes);
    FbModel* model = test_model_from_def(def);
    fb_model_def_destroy(def);
    FbRunOptions o = fb_run_options_default(model);
    FbResult* result = NULL;
    FbError err = {0};
    o.settings.integrator = integrator;
    o.settings.rtol = rtol;
    o.settings.atol = 1e-3 * rtol;
    o.settings.step = step;
    if (fb_simulate(model, &o, &result, &err) != FB_OK) {
        fail_msg("%s", err.text);
    }
    return (TestRun){model, result, fb_result_get_row_count(result)};
}

static double fixed_error(double rtol, double step, const TestRun* exact) {
    TestRun run = run_fixed(SAME, "linear", rtol, step);
    double e = fabs(test_run_last(&run, "mid") - test_run_last(exact, "mid"));
    test_run_free(&run);
    return e;
}

static void orders(void** state) {
    (void)state;
    const TestMethod fine = {.integrator = "radau", .rtol = 1e-13, .atol = 1e-15};
    const struct {
        double rtol, step, order;
    } cases[] = {{1e-2, 0.004, 5.0}, {1e-4, 0.0125, 9.0}, {1e-11, 0.025, 13.0}};
    TestRun exact = test_run_file(FOLDER "beam.yaml", fine);
    for (int i = 0; i < 3; i++) {
        double coarse = fixed_error(cases[i].rtol, cases[i].step, &exact);
        double half = fixed_error(cases[i].rtol, 0.5 * cases[i].step, &exact);
        double seen = log2(coarse / half);
        if (!(fabs(seen - cases[i].order) < 0.6)) {
            fail_msg("order %.2f instead of %g (%.3g, %.3g)", seen, cases[i].order, coarse, half);
        }
    }
    test_run_free(&exact);
}

// Generalized-alpha on the matrices: one solution a step, and the motion of Newton's iteration,
// which the same beam has beside a state.
static void alpha_solves_once(void** state) {
    (void)state;
    TestRun a = run_fixed(SAME, "alpha", 1e-11, 0.004);
    TestRun b = run_fixed("outputs: => states: {x: {rate: -x, initial: 1}}\noutputs:", "alpha",
                          1e-11, 0.004);
    const FbRunStats *sa = fb_result_get_stats(a.result), *sb = fb_result_get_stats(b.result);
    assert_int_equal(sa->newton_iterations, sa->steps);
    assert_int_equal(sa->factorizations, 1);
    assert_true(sb->newton_iterations > sb->steps);
    assert_true(difference(&a, &b, "mid") < 1e-9);
    test_run_free(&a);
    test_run_free(&b);
}

// Asked for by name, a model that is not linear is refused with the part that is not; auto runs it.
static void not_linear(void** state) {
    (void)state;
    const char* const cases[][2] = {
        {"theory: linear => theory: nonlinear", "has large rotations"},
        {"outputs: => sliders: {m: {guide: beam.a, mass: 1, free: true, position: 1}}\noutputs:",
         "slider 'm' is free to slide"},
        {"outputs: => forces: {k: {type: spring, a: beam.right, b: {body: ground, at: [4, 1, 0]},"
         " stiffness: 10}}\noutputs:",
         "force 'k' follows directions that turn"},
        {"right: {at: [4, 0]} => right: {at: [4, 0], force: [0, \"-beam.right.q2^3\", 0]}",
         "has an expression that depends on more than time"},
    };
    for (int i = 0; i < 4; i++) {
        FbModelDef* def = test_def_with(FOLDER "not_linear.yaml", "%s", cases[i][0]);
        FbModel* model = test_model_from_def(def);
        FbRunOptions o = fb_run_options_default(model);
        FbResult* result = NULL;
        FbError err = {0};
        o.settings.integrator = "linear";
        assert_int_equal(fb_simulate(model, &o, &result, &err), FB_ERR_MODEL);
        if (!strstr(err.text, cases[i][1])) {
            fail_msg("'%s' does not say '%s'", err.text, cases[i][1]);
        }
        fb_result_destroy(result);
        result = NULL;
        o.settings.integrator = "auto";
        assert_int_equal(fb_simulate(model, &o, &result, &err), FB_OK);
        assert_string_not_equal(fb_result_get_stats(result)->integrator, "linear");
        fb_result_destroy(result);
        fb_model_destroy(model);
        fb_model_def_destroy(def);
    }
}

// auto takes it where it can.
static void auto_takes_it(void** state) {
    (void)state;
    TestRun run = test_run_file(FOLDER "frame.yaml", (TestMethod){.integrator = "auto"});
    assert_string_equal(fb_result_get_stats(run.result)->integrator, "linear");
    test_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(form_is_the_residual),  cmocka_unit_test(runs_agree_with_radau),
        cmocka_unit_test(error_falls_with_rtol), cmocka_unit_test(orders),
        cmocka_unit_test(alpha_solves_once),     cmocka_unit_test(not_linear),
        cmocka_unit_test(auto_takes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
