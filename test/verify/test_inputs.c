// Inputs: values that are set from outside, against closed forms, against the same steps as
// functions of time, and their derivatives against differences.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flyball/linear.h"
#include "run_support.h"

#define RAIL "test/verify/inputs/rail.yaml"
#define EVERYWHERE "test/verify/inputs/everywhere.yaml"

typedef struct Drive {
    FbModel* model;
    FbSimulation* sim;
    double y[16];
} Drive;

static Drive start_with(FbModel* model, const FbRunOptions* options) {
    Drive d = {.model = model};
    FbError err = {0};
    if (fb_simulation_create(model, options, &d.sim, &err) != FB_OK) {
        fail_msg("%s", err.text);
    }
    return d;
}

static Drive start(const char* path, const char* integrator, double step) {
    FbModel* model = test_model_from_file(path);
    FbRunOptions options = fb_run_options_default(model);
    options.settings.integrator = integrator;
    options.settings.step = step;
    return start_with(model, &options);
}

static void finish(Drive* d) {
    fb_simulation_destroy(d->sim);
    fb_model_destroy(d->model);
}

static void ok(FbStatus status, const FbError* err) {
    if (status != FB_OK) {
        fail_msg("status %d: %s", (int)status, err->text);
    }
}

static void set(Drive* d, const char* name, double value) {
    FbError err = {0};
    ok(fb_simulation_set_input_named(d->sim, name, value, &err), &err);
}

static void step(Drive* d, double h) {
    FbError err = {0};
    ok(fb_simulation_step(d->sim, h, &err), &err);
}

static double output(Drive* d, const char* name) {
    FbError err = {0};
    ok(fb_simulation_calc_outputs(d->sim, d->y, &err), &err);
    int i = fb_model_find_output(d->model, name);
    assert_true(i >= 0);
    return d->y[i];
}

// x'' = u/m, with u changed every 0.1 s: exact sums, by every method.
static void check_pushes(const char* integrator, double h, double tolerance) {
    Drive d = start(RAIL, integrator, h);
    double x = 0.0, v = 0.0, m = 2.0;
    for (int k = 0; k < 20; k++) {
        double u = 8.0 * sin(1.7 * k);
        set(&d, "u", u);
        test_close("acceleration at once", output(&d, "a"), u / m, 1e-12);
        step(&d, 0.1);
        x += 0.1 * v + 0.5 * 0.01 * u / m;
        v += 0.1 * u / m;
        test_close(integrator, output(&d, "x"), x, tolerance);
        test_close(integrator, output(&d, "v"), v, tolerance);
    }
    finish(&d);
}

static void test_pushes(void** state) {
    (void)state;
    const char* const* all = test_all_integrators();
    for (int i = 0; all[i]; i++) {
        bool is_multistep = test_is_bdf(all[i]) || strcmp(all[i], "adams") == 0;
        check_pushes(all[i], 0.0, is_multistep ? 1e-8 : 1e-12);
    }
    check_pushes("auto", 0.0, 1e-12);
    check_pushes("radau", 0.01, 1e-12);
    check_pushes("gauss4", 0.02, 1e-12);
    check_pushes("alpha", 0.01, 1e-3);
}

static void test_defaults_and_limits(void** state) {
    (void)state;
    Drive d = start(RAIL, "auto", 0.0);
    FbInputInfo info;
    FbError err = {0};
    assert_int_equal(fb_model_get_input_count(d.model), 1);
    assert_true(fb_model_get_input(d.model, 0, &info));
    assert_string_equal(info.name, "u");
    assert_string_equal(info.unit, "N");
    assert_true(info.value == 1.0 && info.min == -10.0 && info.max == 10.0);
    assert_false(fb_model_get_input(d.model, 1, &info));
    assert_false(fb_model_get_input(d.model, -1, &info));
    assert_int_equal(fb_model_find_input(d.model, "v"), -1);
    assert_true(fb_simulation_get_input(d.sim, 0) == 1.0);
    assert_true(isnan(fb_simulation_get_input(d.sim, 1)));
    step(&d, 0.5);
    test_close("x by the default", output(&d, "x"), 0.0625, 1e-13);
    double bad[] = {NAN, INFINITY, -INFINITY, 10.000001, -11.0};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(fb_simulation_set_input(d.sim, 0, bad[i], &err), FB_ERR_RANGE);
        assert_non_null(strstr(err.text, "input 'u'"));
        assert_non_null(strstr(err.text, "from -10 to 10"));
        assert_true(fb_simulation_get_input(d.sim, 0) == 1.0);
    }
    assert_int_equal(fb_simulation_set_input(d.sim, 1, 0.0, &err), FB_ERR_ARGUMENT);
    assert_int_equal(fb_simulation_set_input(d.sim, -1, 0.0, &err), FB_ERR_ARGUMENT);
    assert_int_equal(fb_simulation_set_input_named(d.sim, "w", 0.0, &err), FB_ERR_NAME);
    assert_int_equal(fb_simulation_set_input_named(d.sim, NULL, 0.0, &err), FB_ERR_NAME);
    assert_int_equal(fb_simulation_step(d.sim, -0.1, &err), FB_ERR_ARGUMENT);
    assert_int_equal(fb_simulation_step(d.sim, NAN, &err), FB_ERR_ARGUMENT);
    assert_int_equal(fb_simulation_advance(d.sim, 0.4, &err), FB_ERR_ARGUMENT);
    assert_true(fb_simulation_get_time(d.sim) == 0.5);
    step(&d, 0.5);
    test_close("x after all that", output(&d, "x"), 0.25, 1e-13);
    finish(&d);
}

// Values that were refused leave no trace: bit by bit the run that never saw them.
static void test_refused_values_change_nothing(void** state) {
    (void)state;
    Drive a = start(EVERYWHERE, "auto", 0.0), b = start(EVERYWHERE, "auto", 0.0);
    FbError err = {0};
    for (int k = 0; k < 10; k++) {
        assert_int_equal(fb_simulation_set_input_named(a.sim, "u", NAN, &err), FB_ERR_RANGE);
        set(&a, "f", fb_simulation_get_input(a.sim, fb_model_find_input(a.model, "f")));
        step(&a, 0.05);
        step(&b, 0.05);
        assert_true(output(&a, "qa") == output(&b, "qa") && output(&a, "va") == output(&b, "va"));
    }
    finish(&a);
    finish(&b);
}

static void test_start_and_reset(void** state) {
    (void)state;
    FbModel* model = test_model_with(RAIL, "u: {default: 1 N => u: {default: 2 N");
    FbRunOptions options = fb_run_options_default(model);
    double values[] = {4.0};
    FbError err = {0};
    options.inputs = values;
    Drive d = start_with(model, &options);
    values[0] = 9.0;  // the simulation has its own
    step(&d, 1.0);
    test_close("x", output(&d, "x"), 1.0, 1e-13);
    set(&d, "u", -3.0);
    step(&d, 0.3);
    double before = output(&d, "x");
    ok(fb_simulation_reset(d.sim, &err), &err);
    assert_true(fb_simulation_get_time(d.sim) == 0.0 && output(&d, "x") == 0.0);
    assert_true(fb_simulation_get_input(d.sim, 0) == 4.0);
    step(&d, 1.0);
    set(&d, "u", -3.0);
    step(&d, 0.3);
    assert_true(output(&d, "x") == before);
    fb_simulation_destroy(d.sim);
    options.inputs = (double[]){NAN};
    assert_int_equal(fb_simulation_create(model, &options, &d.sim, &err), FB_ERR_RANGE);
    finish(&d);
}

static void test_steps_to_events(void** state) {
    (void)state;
    Drive d = start(RAIL, "auto", 0.0);
    FbEventRecord event;
    FbError err = {0};
    assert_int_equal(fb_simulation_advance_to_event(d.sim, 1.0, &event, &err), FB_OK);
    assert_null(event.name);
    assert_int_equal(fb_simulation_advance_to_event(d.sim, 9.0, &event, &err), FB_STOPPED);
    assert_string_equal(event.name, "passed");
    test_close("when", event.t, 2.0, 1e-10);
    assert_true(fb_simulation_get_time(d.sim) == event.t && event.direction == 1);
    test_close("where", output(&d, "x"), 1.0, 1e-10);
    // Not the same one again; and without waiting nothing stops.
    assert_int_equal(fb_simulation_advance_to_event(d.sim, 2.5, NULL, &err), FB_OK);
    set(&d, "u", -10.0);
    assert_int_equal(fb_simulation_advance(d.sim, 4.0, &err), FB_OK);
    set(&d, "u", 10.0);
    assert_int_equal(fb_simulation_advance(d.sim, 6.0, &err), FB_OK);
    finish(&d);
}

// A block sticks until the input exceeds friction, slips, and sticks again.
static void test_friction(void** state) {
    (void)state;
    Drive d = start("test/verify/inputs/friction.yaml", "auto", 0.0);
    set(&d, "pull", 2.5);
    step(&d, 0.5);
    test_close("sticks", output(&d, "x"), 0.0, 1e-12);
    set(&d, "pull", 5.0);
    step(&d, 0.5);
    test_close("slips", output(&d, "x"), 0.125, 1e-9);
    test_close("slips", output(&d, "v"), 0.5, 1e-9);
    set(&d, "pull", -2.0);  // decelerated by 2.5 m/s^2 for 0.2 s, then held
    step(&d, 1.0);
    test_close("stops", output(&d, "x"), 0.175, 1e-8);
    test_close("stops", output(&d, "v"), 0.0, 1e-9);
    set(&d, "pull", -5.0);
    step(&d, 0.5);
    test_close("slips back", output(&d, "v"), -0.5, 1e-8);
    finish(&d);
}

// The same steps written as functions of time: if(t < 0.35, before, after).
static void test_same_as_steps_in_time(void** state) {
    (void)state;
    static const char* const names[] = {"u", "w", "f"};
    static const double before[] = {0.4, 1.5, 2.0}, after[] = {-1.2, 4.0, 3.5};
    const char* integrators[] = {"radau", "dop853"};
    for (int k = 0; k < 2; k++) {
        Drive a = start(EVERYWHERE, integrators[k], 0.0);
        step(&a, 0.35);
        for (int i = 0; i < 3; i++) {
            set(&a, names[i], after[i]);
        }
        step(&a, 0.4);
        FbModel* model = test_model_with(
            EVERYWHERE,
            "inputs: => sensors:;u: {default: 0.4} => u: if(t < 0.35, %g, %g);"
            "w: {default: 1.5 rad/s, unit: rad/s} => w: if(t < 0.35, %g, %g);"
            "f: {default: 2} => f: if(t < 0.35, %g, %g);"
            "f*sin(w*t + 0.3) => if(t < 0.35, 2*sin(1.5*t + 0.3), 3.5*sin(4*t + 0.3))",
            before[0], after[0], before[1], after[1], before[2], after[2]);
        FbRunOptions options = fb_run_options_default(model);
        options.settings.integrator = integrators[k];
        Drive b = start_with(model, &options);
        step(&b, 0.75);
        for (int i = 0; i < fb_model_get_output_count(model); i++) {
            const char* name = fb_model_get_output_name(model, i);
            test_close(name, output(&a, name), output(&b, name),
                       1e-7 * (1.0 + fabs(output(&b, name))));
        }
        finish(&a);
        finish(&b);
    }
}

// The integrator of linear structures sees loads that are set.
static void test_linear_structure(void** state) {
    (void)state;
    const char* path = "test/verify/inputs/linear.yaml";
    Drive a = start(path, "auto", 0.0), b = start(path, "radau", 0.0);
    FbRunStats stats;
    for (int k = 0; k < 12; k++) {
        set(&a, "push", k % 3 - 1.0);
        set(&b, "push", k % 3 - 1.0);
        set(&a, "wind", 0.2 * k);
        set(&b, "wind", 0.2 * k);
        step(&a, 0.07);
        step(&b, 0.07);
        test_close("B", output(&a, "B"), output(&b, "B"), 1e-8);
    }
    assert_true(fabs(output(&a, "B")) > 1e-3);
    fb_simulation_get_stats(a.sim, &stats);
    assert_string_equal(stats.integrator, "linear");
    finish(&a);
    finish(&b);
}

// A motion that a law prescribes must not jump, but may be chosen for a run.
static void test_prescribed_motion(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/inputs/drive.yaml");
    FbRunOptions options = fb_run_options_default(model);
    options.inputs = (double[]){3.0};
    Drive d = start_with(model, &options);
    FbError err = {0};
    step(&d, 0.5);
    test_close("angle", output(&d, "angle"), 1.5, 1e-12);
    assert_int_equal(fb_simulation_set_input(d.sim, 0, 2.0, &err), FB_ERR_MODEL);
    assert_non_null(strstr(err.text, "'turn' would jump"));
    step(&d, 0.25);
    test_close("angle", output(&d, "angle"), 2.25, 1e-12);
    FbOperatingPoint* point;
    FbLinearization* l;
    FbLinearOptions how = fb_linear_options_default();
    ok(fb_operating_point_create_here(d.sim, &point, &err), &err);
    ok(fb_linearization_create(point, &how, &l, &err), &err);
    ok(fb_linearization_run(l, &err), &err);
    assert_int_equal(fb_linearization_calc_input_output(l, &err), FB_ERR_MODEL);
    assert_non_null(strstr(err.text, "'speed' prescribes a motion"));
    fb_linearization_destroy(l);
    fb_operating_point_destroy(point);
    finish(&d);
}

static FbStatus evaluate(TestSystem* t, const double* inputs, double* r, double* c, double* gdot) {
    FbError err;
    assert_int_equal(fb_system_start_inputs(t->system, inputs, &err), FB_OK);
    return t->d->ops->residual(t->d, &t->p, r, c, gdot);
}

// The columns of Rx and Xx behind those of the states, at scattered points.
static void check_columns(const char* path, double size) {
    enum { MOST = 64 };
    TestSystem t;
    unsigned seed = 7;
    FbError err = {0};
    test_system_init(&t, test_model_from_file(path));
    int n_v = t.d->size.n_v, n_x = t.d->size.n_x, n_u = fb_model_get_input_count(t.model);
    assert_true(n_v <= MOST && n_x <= MOST && n_u > 0 && n_u <= MOST);
    test_system_scatter(&t, &seed, size);
    t.p.t = 0.37;
    double u[MOST], up[MOST], down[MOST], cu[MOST], cd[MOST], gdot[MOST], most = 0.0;
    for (int i = 0; i < n_u; i++) {
        u[i] = fb_system_get_inputs(t.system)[i];
    }
    for (int k = 0; k < n_u; k++) {
        double keep = u[k], h = 1e-5 * (1.0 + fabs(keep));
        FbBlocks b;
        u[k] = keep + h;
        assert_int_equal(evaluate(&t, u, up, cu, gdot), FB_OK);
        u[k] = keep - h;
        assert_int_equal(evaluate(&t, u, down, cd, gdot), FB_OK);
        u[k] = keep;
        assert_int_equal(fb_system_start_inputs(t.system, u, &err), FB_OK);
        assert_int_equal(t.d->ops->jacobian(t.d, &t.p, &b, &err), FB_OK);
        double largest = 0.0;
        for (int j = 0; j < n_v; j++) {
            double expected = (up[j] - down[j]) / (2.0 * h);
            test_close("dr/du", b.Rx[(n_x + k) * n_v + j], expected, 1e-6 * (1.0 + fabs(expected)));
            largest = fmax(largest, fabs(expected));
        }
        for (int i = 0; i < n_x; i++) {
            double expected = (cu[i] - cd[i]) / (2.0 * h);
            test_close("dc/du", b.Xx[(n_x + k) * n_x + i], expected, 1e-6 * (1.0 + fabs(expected)));
            largest = fmax(largest, fabs(expected));
        }
        assert_true(largest > 1e-6);  // each input acts
        most = fmax(most, largest);
    }
    assert_true(most > 0.1);
    test_system_free(&t);
}

static void test_columns(void** state) {
    (void)state;
    check_columns(RAIL, 0.1);
    check_columns(EVERYWHERE, 0.1);
    check_columns("test/verify/inputs/structure.yaml", 0.01);
}

// Outputs of a point with other inputs, at the same place.
static void outputs_with(const FbModel* model, const double* inputs, double* y) {
    FbOperatingOptions at = fb_operating_options_default();
    FbOperatingPoint* point;
    FbError err = {0};
    at.kind = FB_AT_INITIAL;
    at.inputs = inputs;
    ok(fb_operating_point_create(model, &at, &point, &err), &err);
    ok(fb_operating_point_calc_outputs(point, y, &err), &err);
    fb_operating_point_destroy(point);
}

// B and D by differences of accelerations and outputs, at a point in motion.
static void test_linearization(void** state) {
    (void)state;
    FbModel* model = test_model_from_file(EVERYWHERE);
    FbOperatingOptions at = fb_operating_options_default();
    FbLinearOptions how = fb_linear_options_default();
    FbOperatingPoint* point;
    FbLinearization* l;
    FbReducedMatrices m;
    FbError err = {0};
    double u[3] = {0.7, 1.1, -1.3}, up[16], down[16];
    at.kind = FB_AT_INITIAL;
    at.inputs = u;
    ok(fb_operating_point_create(model, &at, &point, &err), &err);
    ok(fb_linearization_create(point, &how, &l, &err), &err);
    ok(fb_linearization_run(l, &err), &err);
    ok(fb_linearization_calc_input_output(l, &err), &err);
    fb_linearization_get_matrices(l, &m);
    assert_int_equal(m.n_inputs, 3);
    assert_int_equal(m.n_u, 3 + 3);  // and the forces motor, coil, drive
    for (int k = 0; k < 3; k++) {
        FbInputInfo info;
        assert_true(fb_model_get_input(model, k, &info));
        assert_string_equal(fb_linearization_get_input_name(l, k), info.name);
        double h = 1e-5, keep = u[k];
        u[k] = keep + h;
        outputs_with(model, u, up);
        u[k] = keep - h;
        outputs_with(model, u, down);
        u[k] = keep;
        for (int y = 0; y < m.n_y; y++) {
            int o = fb_model_find_output(model, fb_linearization_get_output_name(l, y));
            double expected = (up[o] - down[o]) / (2.0 * h);
            test_close(fb_linearization_get_output_name(l, y), m.D[k * m.n_y + y], expected, 1e-8);
        }
        // Rows of B: the acceleration of the loop's independent coordinate, and the state.
        int n_found = 0;
        for (int i = m.f; i < m.n; i++) {
            const char* name = fb_linearization_get_state_name(l, i);
            char of[8] = "rate";
            if (i < m.f + m.p) {
                snprintf(of, sizeof of, "a%s", name);
            }
            int o = fb_model_find_output(model, of);
            if (o >= 0) {
                double expected = (up[o] - down[o]) / (2.0 * h);
                test_close(name, m.B[k * m.n + i], expected, 1e-7 * (1.0 + fabs(expected)));
                n_found++;
            }
        }
        assert_int_equal(n_found, 2);
    }
    fb_linearization_destroy(l);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
}

// Linearized where a simulation is: with its inputs, its state and its time.
static void test_here(void** state) {
    (void)state;
    Drive d = start(EVERYWHERE, "radau", 0.0);
    FbOperatingPoint* point;
    FbError err = {0};
    step(&d, 0.2);
    set(&d, "u", -0.8);
    step(&d, 0.2);
    set(&d, "f", 5.0);
    double y[16];
    ok(fb_operating_point_create_here(d.sim, &point, &err), &err);
    ok(fb_operating_point_calc_outputs(point, y, &err), &err);
    for (int i = 0; i < fb_model_get_output_count(d.model); i++) {
        const char* name = fb_model_get_output_name(d.model, i);
        test_close(name, y[i], output(&d, name), 1e-9 * (1.0 + fabs(y[i])));
    }
    fb_operating_point_destroy(point);
    finish(&d);
}

// An equilibrium depends on the inputs: a spring is stretched by u/k.
static void test_equilibrium(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/inputs/spring.yaml");
    double y[4], u[] = {6.0};
    FbOperatingOptions at = fb_operating_options_default();
    FbOperatingPoint* point;
    FbError err = {0};
    at.inputs = u;
    ok(fb_operating_point_create(model, &at, &point, &err), &err);
    ok(fb_operating_point_calc_outputs(point, y, &err), &err);
    test_close("stretch", y[0], 0.06, 1e-12);
    fb_operating_point_destroy(point);
    u[0] = NAN;
    assert_int_equal(fb_operating_point_create(model, &at, &point, &err), FB_ERR_RANGE);
    // A run that starts at the equilibrium starts at that of its inputs.
    FbRunOptions options = fb_run_options_default(model);
    options.settings.starts_at_equilibrium = true;
    options.inputs = (double[]){-2.0};
    Drive d = start_with(model, &options);
    test_close("start", output(&d, "x"), -0.02, 1e-12);
    finish(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pushes),
        cmocka_unit_test(test_defaults_and_limits),
        cmocka_unit_test(test_refused_values_change_nothing),
        cmocka_unit_test(test_start_and_reset),
        cmocka_unit_test(test_steps_to_events),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_same_as_steps_in_time),
        cmocka_unit_test(test_linear_structure),
        cmocka_unit_test(test_prescribed_motion),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_linearization),
        cmocka_unit_test(test_here),
        cmocka_unit_test(test_equilibrium),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
