// Callbacks against the same laws as expressions: motion, equilibria, linearizations, samples,
// saved states; their derivatives, given and by differences; and callbacks that fail.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flyball/linear.h"
#include "flyball/sensor.h"
#include "model_file.h"
#include "run_support.h"

#define FOLDER "test/verify/callbacks/"

static void ok(FbStatus status, const FbError* err) {
    if (status != FB_OK) {
        fail_msg("status %d: %s", (int)status, err->text);
    }
}

// ---- The laws ----

static FbStatus calc_spring(void* self, double t, const double* u, double* y, FbError* err) {
    (void)self, (void)t, (void)err;
    y[0] = -30.0 * sin(u[0]) - 2.0 * u[1] - 0.5 * u[1] * u[1] * u[1];
    return FB_OK;
}
static FbStatus calc_spring_slopes(void* self, double t, const double* u, double* d, FbError* err) {
    (void)self, (void)t, (void)err;
    d[0] = -30.0 * cos(u[0]);
    d[1] = -2.0 - 1.5 * u[1] * u[1];
    return FB_OK;
}

// u: tip.x, tip_v.y, z, u, a.q
static FbStatus calc_pilot(void* self, double t, const double* u, double* y, FbError* err) {
    (void)self, (void)t, (void)err;
    y[0] = -8.0 * tanh(u[0]) + u[3] * u[2];
    y[1] = -u[1] + 0.3 * u[0] * u[0];
    y[2] = sin(u[2]) + u[3] * u[3];
    y[3] = -2.0 * u[2] + u[4] + 0.1 * u[3];
    return FB_OK;
}
static FbStatus calc_pilot_slopes(void* self, double t, const double* u, double* d, FbError* err) {
    (void)self, (void)t, (void)err;
    double c = cosh(u[0]);
    const double slopes[4][5] = {{-8.0 / (c * c), 0, u[3], u[2], 0},
                                 {0.6 * u[0], -1, 0, 0, 0},
                                 {0, 0, cos(u[2]), 2.0 * u[3], 0},
                                 {0, 0, -2, 0.1, 1}};
    memcpy(d, slopes, sizeof slopes);
    return FB_OK;
}

static FbModel* create(FbModelDef* def) {
    FbModel* model = test_model_from_def(def);
    fb_model_def_destroy(def);
    return model;
}

static void set(FbModelDef* def, const char* name, FbCallback callback) {
    FbError err = {0};
    ok(fb_model_def_set_callback(def, name, &callback, &err), &err);
}

typedef enum Kind { EXPRESSION, GIVEN, DIFFERENCES, N_KINDS } Kind;

static FbModel* create_compared(Kind kind) {
    FbModelDef* def = test_def_with(FOLDER "compare.yaml", "w=%d", kind != EXPRESSION);
    bool is_given = kind == GIVEN;
    set(def, "spring", (FbCallback){calc_spring, is_given ? calc_spring_slopes : NULL, NULL, {0}});
    set(def, "pilot", (FbCallback){calc_pilot, is_given ? calc_pilot_slopes : NULL, NULL, {0}});
    return create(def);
}

// ---- The same results as by expressions ----

static void check_motion(const char* integrator, double tolerance) {
    FbResult* runs[N_KINDS];
    FbModel* models[N_KINDS];
    FbError err = {0};
    for (int k = 0; k < N_KINDS; k++) {
        models[k] = create_compared(k);
        FbRunOptions options = fb_run_options_default(models[k]);
        options.settings.integrator = integrator;
        ok(fb_simulate(models[k], &options, &runs[k], &err), &err);
    }
    for (int k = 1; k < N_KINDS; k++) {
        assert_int_equal(fb_result_get_row_count(runs[k]), fb_result_get_row_count(runs[0]));
        for (int r = 0; r < fb_result_get_row_count(runs[0]); r++) {
            for (int i = 0; i < fb_model_get_output_count(models[0]); i++) {
                double expected = fb_result_get_value(runs[0], r, i);
                test_close(fb_model_get_output_name(models[0], i),
                           fb_result_get_value(runs[k], r, i), expected,
                           tolerance * (1.0 + fabs(expected)));
            }
        }
    }
    for (int k = 0; k < N_KINDS; k++) {
        fb_result_destroy(runs[k]);
        fb_model_destroy(models[k]);
    }
}

static void test_motion(void** state) {
    (void)state;
    const char* const* all = test_all_integrators();
    for (int i = 0; all[i]; i++) {
        bool is_multistep = test_is_bdf(all[i]) || strcmp(all[i], "adams") == 0;
        check_motion(all[i], is_multistep ? 1e-6 : 1e-8);
    }
}

// Newton's method with exact blocks converges as fast as with those of expressions.
static void test_cost_is_that_of_expressions(void** state) {
    (void)state;
    long iterations[N_KINDS], steps[N_KINDS];
    FbError err = {0};
    for (int k = 0; k < N_KINDS; k++) {
        FbModel* model = create_compared(k);
        FbRunOptions options = fb_run_options_default(model);
        FbResult* result;
        options.settings.integrator = "radau";
        options.settings.step = 0.02;
        ok(fb_simulate(model, &options, &result, &err), &err);
        iterations[k] = fb_result_get_stats(result)->newton_iterations;
        steps[k] = fb_result_get_stats(result)->steps;
        fb_result_destroy(result);
        fb_model_destroy(model);
    }
    for (int k = 1; k < N_KINDS; k++) {
        assert_int_equal(steps[k], steps[0]);
        assert_true(labs(iterations[k] - iterations[0]) <= 2);
    }
}

static void compare(const char* what, const double* a, const double* b, int n, double tolerance) {
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(a[i]));
    }
    for (int i = 0; i < n; i++) {
        test_close(what, b[i], a[i], tolerance * largest);
    }
}

// The blocks: A, B, C and D at rest and in motion, against those of the expressions.
static void check_blocks(FbOperatingKind at, Kind kind, double tolerance) {
    FbReducedMatrices m[2];
    FbModel* models[2];
    FbOperatingPoint* points[2];
    FbLinearization* lin[2];
    FbError err = {0};
    for (int i = 0; i < 2; i++) {
        models[i] = create_compared(i == 0 ? EXPRESSION : kind);
        FbOperatingOptions options = fb_operating_options_default();
        FbLinearOptions how = fb_linear_options_default();
        options.kind = at;
        ok(fb_operating_point_create(models[i], &options, &points[i], &err), &err);
        ok(fb_linearization_create(points[i], &how, &lin[i], &err), &err);
        ok(fb_linearization_run(lin[i], &err), &err);
        ok(fb_linearization_calc_input_output(lin[i], &err), &err);
        fb_linearization_get_matrices(lin[i], &m[i]);
    }
    assert_int_equal(m[0].n, 7);
    assert_int_equal(m[0].n_y, m[1].n_y);
    assert_int_equal(m[0].n_inputs, 2);
    compare("A", m[0].A, m[1].A, m[0].n * m[0].n, tolerance);
    compare("B", m[0].B, m[1].B, m[0].n * m[0].n_u, tolerance);
    compare("C", m[0].Cy, m[1].Cy, m[0].n_y * m[0].n, tolerance);
    compare("D", m[0].D, m[1].D, m[0].n_y * m[0].n_u, tolerance);
    double largest = 0.0;
    for (int i = 0; i < m[1].n; i++) {
        largest = fmax(largest, fabs(m[1].B[i]));
    }
    assert_true(largest > 1e-3);  // of u: it does act
    for (int i = 0; i < 2; i++) {
        fb_linearization_destroy(lin[i]);
        fb_operating_point_destroy(points[i]);
        fb_model_destroy(models[i]);
    }
}

static void test_blocks(void** state) {
    (void)state;
    check_blocks(FB_AT_INITIAL, GIVEN, 1e-12);
    check_blocks(FB_AT_EQUILIBRIUM, GIVEN, 1e-9);
    check_blocks(FB_AT_INITIAL, DIFFERENCES, 1e-8);
    check_blocks(FB_AT_EQUILIBRIUM, DIFFERENCES, 1e-8);
}

// ---- Differences at all sizes ----

typedef struct Cubic {
    double L, k, far;  // f = -k (x - far) (1 + (x - far)^2 / L^2)
} Cubic;

static FbStatus calc_cubic(void* self, double t, const double* u, double* y, FbError* err) {
    const Cubic* c = self;
    double x = u[0] - c->far * c->L;
    (void)t, (void)err;
    y[0] = -c->k * x * (1.0 + x * x / (c->L * c->L));
    return FB_OK;
}

static double find_stiffness(FbModel* model) {
    FbOperatingOptions options = fb_operating_options_default();
    FbLinearOptions how = fb_linear_options_default();
    FbOperatingPoint* point;
    FbLinearization* lin;
    FbReducedMatrices m;
    FbError err = {0};
    options.kind = FB_AT_INITIAL;
    ok(fb_operating_point_create(model, &options, &point, &err), &err);
    ok(fb_linearization_create(point, &how, &lin, &err), &err);
    ok(fb_linearization_run(lin, &err), &err);
    fb_linearization_get_matrices(lin, &m);
    double K = m.K[0];
    fb_linearization_destroy(lin);
    fb_operating_point_destroy(point);
    return K;
}

static void check_size(double L, double far, double start, double tolerance) {
    FbModelDef* def =
        test_def_with(FOLDER "rail.yaml", "L=%.17g; far=%.17g; start=%.17g", L, far, start);
    Cubic cubic = {L, 8.0, far};
    set(def, "law", (FbCallback){calc_cubic, NULL, &cubic, {0}});
    FbModel* model = create(def);
    test_close("stiffness", find_stiffness(model), 8.0 * (1.0 + 3.0 * start * start),
               tolerance * 8.0);
    fb_model_destroy(model);
}

static void test_differences_at_all_sizes(void** state) {
    (void)state;
    for (double L = 1e-6; L < 2e7; L *= 10.0) {
        check_size(L, 0.0, 0.5, 1e-8);
        check_size(L, 0.0, 0.0, 1e-8);
        check_size(L, 1e3, 0.5, 1e-4);
    }
}

// ---- Samples ----

// pilot: rail.q, rail.v, memory
static FbStatus calc_memory(void* self, double t, const double* u, double* y, FbError* err) {
    int* calls = self;
    (void)t, (void)err;
    y[0] = u[2] + 0.02 * (0.5 - u[0]);
    ++*calls;
    return FB_OK;
}
static FbStatus calc_drive(void* self, double t, const double* u, double* y, FbError* err) {
    (void)self, (void)t, (void)err;
    y[0] = 60.0 * (0.5 - u[0]) - 14.0 * u[1] + 10.0 * u[2];
    return FB_OK;
}

static FbModel* create_sampled(bool is_callback, int* calls) {
    FbModelDef* def = test_def_with(FOLDER "sampled.yaml", "w=%d", is_callback);
    set(def, "pilot", (FbCallback){calc_memory, NULL, calls, {0}});
    set(def, "drive", (FbCallback){calc_drive, NULL, NULL, {0}});
    return create(def);
}

static void test_samples(void** state) {
    (void)state;
    int calls = 0, ignored = 0;
    FbModel *a = create_sampled(false, &ignored), *b = create_sampled(true, &calls);
    FbRunOptions of_a = fb_run_options_default(a), of_b = fb_run_options_default(b);
    FbResult *ra, *rb;
    FbError err = {0};
    ok(fb_simulate(a, &of_a, &ra, &err), &err);
    ok(fb_simulate(b, &of_b, &rb, &err), &err);
    double largest = 0.0;
    for (int r = 0; r < fb_result_get_row_count(ra); r++) {
        for (int i = 0; i < 3; i++) {
            double expected = fb_result_get_value(ra, r, i);
            test_close("sampled", fb_result_get_value(rb, r, i), expected,
                       1e-11 * (1.0 + fabs(expected)));
            largest = fmax(largest, fabs(expected));
        }
    }
    assert_true(largest > 1.0);
    assert_in_range(calls, 50, 52);  // once a sample
    FbCallbackInfo info;
    assert_int_equal(fb_model_get_callback_count(b), 2);
    assert_true(fb_model_get_callback(b, 0, &info));
    assert_true(info.is_set && !info.has_derivatives && info.period == 0.02);
    assert_int_equal(info.n_arguments, 3);
    assert_int_equal(info.n_results, 1);
    assert_false(fb_model_get_callback(b, 2, &info));
    fb_result_destroy(ra);
    fb_result_destroy(rb);
    fb_model_destroy(a);
    fb_model_destroy(b);
}

// Held values and those on their way are part of the state.
static void test_saved_samples(void** state) {
    (void)state;
    int calls = 0;
    FbModel* model = create_sampled(true, &calls);
    FbRunOptions options = fb_run_options_default(model);
    options.settings.integrator = "radau";
    options.settings.step = 0.003;
    FbSimulation *whole, *first, *second;
    FbError err = {0};
    ok(fb_simulation_create(model, &options, &whole, &err), &err);
    ok(fb_simulation_create(model, &options, &first, &err), &err);
    ok(fb_simulation_create(model, &options, &second, &err), &err);
    double t_split[] = {0.01, 0.031, 0.06, 0.245, 0.5};
    for (int i = 0; i < 5; i++) {
        void* data;
        size_t size;
        double a[3], b[3];
        ok(fb_simulation_advance(whole, t_split[i], &err), &err);
        ok(fb_simulation_advance(first, t_split[i], &err), &err);
        ok(fb_simulation_save(first, &data, &size, &err), &err);
        ok(fb_simulation_restore(second, data, size, &err), &err);
        fb_free(data);
        ok(fb_simulation_advance(whole, t_split[i] + 0.1, &err), &err);
        ok(fb_simulation_advance(second, t_split[i] + 0.1, &err), &err);
        ok(fb_simulation_calc_outputs(whole, a, &err), &err);
        ok(fb_simulation_calc_outputs(second, b, &err), &err);
        assert_memory_equal(a, b, sizeof a);
        ok(fb_simulation_reset(whole, &err), &err);
        ok(fb_simulation_reset(first, &err), &err);
    }
    fb_simulation_destroy(whole);
    fb_simulation_destroy(first);
    fb_simulation_destroy(second);
    fb_model_destroy(model);
}

// At an equilibrium a sampled callback counts as one that follows the motion.
static FbStatus calc_stiff(void* self, double t, const double* u, double* y, FbError* err) {
    (void)self, (void)t, (void)err;
    y[0] = -100.0 * u[0] - 3.0 * u[1];
    return FB_OK;
}

static void test_sampled_equilibrium(void** state) {
    (void)state;
    FbModelDef* def = test_def_from_file(FOLDER "steady.yaml");
    set(def, "law", (FbCallback){calc_stiff, NULL, NULL, {0}});
    FbModel* model = create(def);
    FbOperatingOptions options = fb_operating_options_default();
    FbOperatingPoint* point;
    FbError err = {0};
    double y[2];
    ok(fb_operating_point_create(model, &options, &point, &err), &err);
    ok(fb_operating_point_calc_outputs(point, y, &err), &err);
    test_close("x", y[0], -0.1962, 1e-12);
    test_close("force", y[1], 19.62, 1e-10);
    test_close("stiffness", find_stiffness(model), 100.0, 1e-7);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
}

// ---- Failures ----

typedef struct Failing {
    double after;     // s
    int times;        // how often; -1: always
    FbStatus status;  // FB_OK: results that are not finite
    int failures, calls;
} Failing;

static FbStatus calc_failing(void* self, double t, const double* u, double* y, FbError* err) {
    Failing* f = self;
    f->calls++;
    y[0] = -8.0 * u[0];
    if (t > f->after && f->times != f->failures) {
        f->failures++;
        y[0] = f->status == FB_OK ? NAN : y[0];
        if (f->status < 0) {
            snprintf(err->text, sizeof err->text, "unplugged");
        }
        return f->status;
    }
    return FB_OK;
}

static FbSimulation* start_failing(FbModel** model, Failing* f, const char* path,
                                   const char* integrator, double step) {
    FbModelDef* def = test_def_from_file(path);
    set(def, "law", (FbCallback){calc_failing, NULL, f, {0}});
    *model = create(def);
    FbRunOptions options = fb_run_options_default(*model);
    FbSimulation* sim;
    FbError err = {0};
    options.settings.integrator = integrator;
    options.settings.step = step;
    ok(fb_simulation_create(*model, &options, &sim, &err), &err);
    return sim;
}

static double position(FbSimulation* sim) {
    double y[3];
    FbError err = {0};
    ok(fb_simulation_calc_outputs(sim, y, &err), &err);
    return y[0];
}

// The error is that of the callback; the simulation is where it was, and continues once the
// callback works again.
static void check_failure(const char* integrator, double step, FbStatus status) {
    Failing f = {.after = 0.3, .times = -1, .status = status};
    FbModel* model;
    FbSimulation* sim = start_failing(&model, &f, FOLDER "rail.yaml", integrator, step);
    FbError err = {0};
    FbStatus expected = status < 0 ? status : FB_ERR_CONVERGENCE;
    assert_int_equal(fb_simulation_advance(sim, 1.0, &err), expected);
    assert_non_null(strstr(err.text, "'law'"));
    assert_true(status >= 0 || strstr(err.text, "unplugged") != NULL);
    assert_true(status >= 0 || f.failures == 1);
    assert_int_equal(err.place.line, 7);
    double t = fb_simulation_get_time(sim);
    assert_true(t <= 0.3 + 1e-9);
    f.times = 0;
    f.failures = 0;
    ok(fb_simulation_advance(sim, 1.0, &err), &err);
    double tolerance = step > 0.0 ? 2e-4 : 1e-6;
    test_close(integrator, position(sim), 0.5 * cos(2.0), tolerance);
    fb_simulation_destroy(sim);
    fb_model_destroy(model);
}

static void test_failures(void** state) {
    (void)state;
    const char* const* all = test_all_integrators();
    for (int i = 0; all[i]; i++) {
        check_failure(all[i], 0.0, FB_ERR_IO);
        check_failure(all[i], 0.0, FB_RETRY);
        check_failure(all[i], 0.0, FB_OK);
    }
    check_failure("auto", 0.0, FB_ERR_IO);
    check_failure("radau", 0.01, FB_ERR_IO);
    check_failure("gauss4", 0.01, FB_RETRY);
    check_failure("alpha", 0.002, FB_ERR_IO);
}

// A trial that fails is a step that was too long.
static void test_trial_that_fails(void** state) {
    (void)state;
    static const char* const methods[] = {"radau", "dop853", "auto"};
    for (int i = 0; i < 3; i++) {
        Failing f = {.after = 0.3, .times = 8, .status = FB_RETRY};
        FbModel* model;
        FbSimulation* sim = start_failing(&model, &f, FOLDER "rail.yaml", methods[i], 0.0);
        FbError err = {0};
        FbRunStats stats;
        ok(fb_simulation_advance(sim, 1.0, &err), &err);
        fb_simulation_get_stats(sim, &stats);
        assert_true(stats.rejected >= 1 || i == 0);  // radau does not count Newton's failures
        assert_int_equal(f.failures, 8);
        test_close(methods[i], position(sim), 0.5 * cos(2.0), 1e-7);
        fb_simulation_destroy(sim);
        fb_model_destroy(model);
    }
}

// A sample cannot be taken at another time: whatever fails there ends the step.
static void test_sample_that_fails(void** state) {
    (void)state;
    static const FbStatus list[] = {FB_ERR_IO, FB_RETRY, FB_OK};
    for (int i = 0; i < 3; i++) {
        Failing f = {.after = 0.055, .times = -1, .status = list[i]};
        FbModel* model;
        FbSimulation* sim = start_failing(&model, &f, FOLDER "steady.yaml", "radau", 0.0);
        FbError err = {0};
        FbStatus expected = list[i] < 0 ? list[i] : FB_ERR_CONVERGENCE;
        assert_int_equal(fb_simulation_advance(sim, 0.2, &err), expected);
        assert_non_null(strstr(err.text, "callback 'law' failed at t = 0.06 s"));
        test_close("t", fb_simulation_get_time(sim), 0.06, 1e-12);
        assert_int_equal(f.failures, 1);
        f.times = 0;
        f.failures = 0;
        ok(fb_simulation_advance(sim, 0.2, &err), &err);
        double x = position(sim);
        fb_simulation_destroy(sim);
        fb_model_destroy(model);
        Failing never = {.after = INFINITY};
        sim = start_failing(&model, &never, FOLDER "steady.yaml", "radau", 0.0);
        ok(fb_simulation_advance(sim, 0.2, &err), &err);
        test_close("x after a failure", x, position(sim), 1e-9);
        fb_simulation_destroy(sim);
        fb_model_destroy(model);
    }
}

// Whatever is computed: a start, a run, an equilibrium.
static void test_failure_everywhere(void** state) {
    (void)state;
    Failing f = {.after = -1.0, .times = -1, .status = FB_ERR_IO};
    FbModelDef* def = test_def_from_file(FOLDER "rail.yaml");
    set(def, "law", (FbCallback){calc_failing, NULL, &f, {0}});
    FbModel* model = create(def);
    FbRunOptions options = fb_run_options_default(model);
    FbOperatingOptions rest = fb_operating_options_default();
    FbSimulation* sim;
    FbOperatingPoint* point;
    FbResult* result = NULL;
    FbError err = {0};
    assert_int_equal(fb_simulation_create(model, &options, &sim, &err), FB_ERR_IO);
    assert_non_null(strstr(err.text, "callback 'law' failed at t = 0 s: unplugged"));
    assert_int_equal(fb_operating_point_create(model, &rest, &point, &err), FB_ERR_IO);
    f.after = 0.5;
    err = (FbError){0};
    assert_int_equal(fb_simulate(model, &options, &result, &err), FB_ERR_IO);
    assert_non_null(strstr(err.text, "unplugged"));
    assert_true(fb_result_get_row_count(result) >= 3);  // what it has recorded before
    fb_result_destroy(result);
    fb_model_destroy(model);
}

static void test_without_function(void** state) {
    (void)state;
    FbModel* model = create(test_def_from_file(FOLDER "rail.yaml"));
    FbRunOptions options = fb_run_options_default(model);
    FbOperatingOptions rest = fb_operating_options_default();
    FbOperatingPoint* point;
    FbSimulation* sim;
    FbResult* result;
    FbError err = {0};
    assert_int_equal(fb_simulation_create(model, &options, &sim, &err), FB_ERR_MODEL);
    assert_non_null(strstr(err.text, "no function is set"));
    assert_int_equal(err.place.line, 7);
    assert_int_equal(fb_operating_point_create(model, &rest, &point, &err), FB_ERR_MODEL);
    fb_model_destroy(model);
    // With a default, which here carries the weight.
    model = create(test_def_from_file(FOLDER "steady.yaml"));
    options = fb_run_options_default(model);
    ok(fb_simulate(model, &options, &result, &err), &err);
    int last = fb_result_get_row_count(result) - 1;
    test_close("x", fb_result_get_value(result, last, 0), 0.5, 1e-12);
    bool has_warned = false;
    for (int i = 0; i < fb_result_get_warning_count(result); i++) {
        has_warned |= strstr(fb_result_get_warning(result, i), "callback 'law'") != NULL;
    }
    assert_true(has_warned);
    fb_result_destroy(result);
    fb_model_destroy(model);
}

static void test_wrong_calls(void** state) {
    (void)state;
    FbModelDef* def = test_def_from_file(FOLDER "rail.yaml");
    FbCallback callback = {calc_spring, NULL, NULL, {0}}, empty = {0};
    FbError err = {0};
    assert_int_equal(fb_model_def_set_callback(def, "lav", &callback, &err), FB_ERR_NAME);
    assert_non_null(strstr(err.text, "did you mean 'law'?"));
    assert_int_equal(fb_model_def_set_callback(def, "x", &callback, &err), FB_ERR_NAME);
    assert_int_equal(fb_model_def_set_callback(def, NULL, &callback, &err), FB_ERR_NAME);
    assert_int_equal(fb_model_def_set_callback(def, "law", &empty, &err), FB_ERR_ARGUMENT);
    ok(fb_model_def_set_callback(def, "law", &callback, &err), &err);
    ok(fb_model_def_set_callback(def, "law", NULL, &err), &err);
    FbModel* model = create(def);
    FbCallbackInfo info;
    assert_true(fb_model_get_callback(model, 0, &info));
    assert_false(info.is_set);
    fb_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motion),
        cmocka_unit_test(test_cost_is_that_of_expressions),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_differences_at_all_sizes),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_saved_samples),
        cmocka_unit_test(test_sampled_equilibrium),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_trial_that_fails),
        cmocka_unit_test(test_sample_that_fails),
        cmocka_unit_test(test_failure_everywhere),
        cmocka_unit_test(test_without_function),
        cmocka_unit_test(test_wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
