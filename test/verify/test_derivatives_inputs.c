// Derivatives of accelerations, rates of states and outputs with respect to inputs and parameters,
// against differences and closed forms; models from a source that was read once; their hashes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_file.h"
#include "run_support.h"

enum { MOST = 256 };

static void ok(FbStatus status, const FbError* err) {
    if (status != FB_OK) {
        fail_msg("status %d: %s", (int)status, err->text);
    }
}

static FbSimulation* start(const FbModel* model, double step) {
    FbRunOptions options = fb_run_options_default(model);
    FbSimulation* sim;
    FbError err = {0};
    options.settings.step = step;
    options.settings.integrator = step > 0.0 ? "radau" : options.settings.integrator;
    ok(fb_simulation_create(model, &options, &sim, &err), &err);
    return sim;
}

typedef struct Values {
    double a[MOST], x[MOST], y[MOST];
} Values;

// Outputs with one input a little off; it is put back.
static void outputs_beside(FbSimulation* sim, int input, double h, double* y) {
    FbError err = {0};
    double u = fb_simulation_get_input(sim, input);
    ok(fb_simulation_set_input(sim, input, u + h, &err), &err);
    ok(fb_simulation_calc_outputs(sim, y, &err), &err);
    ok(fb_simulation_set_input(sim, input, u, &err), &err);
}

// All outputs against differences by each input; some of them are accelerations and reactions.
static void check_outputs(const FbModel* model, FbSimulation* sim) {
    int n_u = fb_model_get_input_count(model), n_y = fb_model_get_output_count(model);
    FbError err = {0};
    double largest = 0.0;
    assert_in_range(n_y, 1, MOST);
    for (int k = 0; k < n_u; k++) {
        double direction[8] = {0}, above[MOST], below[MOST], h = 1e-4;
        Values d;
        direction[k] = 1.0;
        FbStatus status = fb_simulation_calc_input_derivatives(sim, direction, d.a, d.x, d.y, &err);
        if (status == FB_ERR_MODEL) {
            continue;  // it prescribes a motion
        }
        ok(status, &err);
        outputs_beside(sim, k, h, above);
        outputs_beside(sim, k, -h, below);
        int n_q, n_v, n_x;
        fb_model_get_motion_sizes(model, &n_q, &n_v, &n_x);
        for (int j = 0; j < n_v && j < MOST; j++) {
            largest = fmax(largest, fabs(d.a[j]));
        }
        for (int i = 0; i < n_y; i++) {
            double expected = (above[i] - below[i]) / (2.0 * h);
            test_close(fb_model_get_output_name(model, i), d.y[i], expected,
                       1e-6 * (1.0 + fabs(expected)));
        }
    }
    assert_true(largest > 1e-3);
}

static void test_inputs(void** state) {
    (void)state;
    static const char* const paths[] = {
        "test/verify/inputs/rail.yaml", "test/verify/inputs/everywhere.yaml",
        "test/verify/inputs/structure.yaml", "test/verify/derivatives_inputs/loop.yaml"};
    for (int i = 0; i < 4; i++) {
        FbModel* model = test_model_from_file(paths[i]);
        FbSimulation* sim = start(model, 0.0);
        FbError err = {0};
        check_outputs(model, sim);
        ok(fb_simulation_step(sim, 0.0173, &err), &err);
        check_outputs(model, sim);
        fb_simulation_destroy(sim);
        fb_model_destroy(model);
    }
}

// Looking at derivatives does not disturb a run: to the last bit.
static void test_nothing_changes(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/derivatives_inputs/loop.yaml");
    FbSimulation *a = start(model, 0.004), *b = start(model, 0.004);
    FbError err = {0};
    double direction[2] = {1.0, -2.0}, x[MOST], y[MOST];
    for (int k = 0; k < 30; k++) {
        ok(fb_simulation_calc_input_derivatives(a, direction, x, NULL, NULL, &err), &err);
        ok(fb_simulation_step(a, 0.004, &err), &err);
        ok(fb_simulation_step(b, 0.004, &err), &err);
    }
    ok(fb_simulation_calc_outputs(a, x, &err), &err);
    ok(fb_simulation_calc_outputs(b, y, &err), &err);
    assert_memory_equal(x, y, sizeof(double) * (size_t)fb_model_get_output_count(model));
    direction[0] = NAN;
    assert_int_equal(fb_simulation_calc_input_derivatives(a, direction, x, NULL, NULL, &err),
                     FB_ERR_RANGE);
    fb_simulation_destroy(a);
    fb_simulation_destroy(b);
    fb_model_destroy(model);
}

// A deep chain has no mass matrix; the directions are linear in each other.
static void test_deep(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/derivatives_inputs/deep.yaml");
    FbSimulation* sim = start(model, 0.0);
    check_outputs(model, sim);
    fb_simulation_destroy(sim);
    fb_model_destroy(model);
}

#define LOOP "test/verify/derivatives_inputs/loop.yaml"

static FbSource* read_source(const char* path) {
    FbDiagnostics* messages = fb_diagnostics_create();
    FbSource* source;
    if (fb_source_read_file(path, &source, messages) != FB_OK) {
        fail_msg("%s", fb_diagnostics_get(messages, 0)->text);
    }
    fb_diagnostics_destroy(messages);
    return source;
}

static FbModel* make(const FbSource* source, const FbReadOptions* options) {
    FbDiagnostics* messages = fb_diagnostics_create();
    FbModelDef* def;
    assert_int_equal(fb_source_create_def(source, options, &def, messages), FB_OK);
    FbModel* model = test_model_from_def(def);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(messages);
    return model;
}

// By a stiffness, a mass and a force: against closed forms of the rail, and of the loop against the
// input that does the same.
static void test_parameters(void** state) {
    (void)state;
    FbSource* source = read_source(LOOP);
    FbModel* model = make(source, NULL);
    FbSimulation* sim = start(model, 0.0);
    FbError err = {0};
    Values by_parameter, by_input;
    double direction[2] = {0.0, 1.0};
    ok(fb_simulation_step(sim, 0.0173, &err), &err);
    ok(fb_simulation_set_input(sim, 0, 0.7, &err), &err);
    ok(fb_simulation_calc_parameter_derivatives(sim, source, NULL, "push", 1.0, by_parameter.a,
                                                by_parameter.x, by_parameter.y, &err),
       &err);
    ok(fb_simulation_calc_input_derivatives(sim, direction, by_input.a, by_input.x, by_input.y,
                                            &err),
       &err);
    int n_q, n_v, n_x;
    fb_model_get_motion_sizes(model, &n_q, &n_v, &n_x);
    double largest = 0.0;
    for (int j = 0; j < n_v; j++) {
        test_close("a", by_parameter.a[j], by_input.a[j], 1e-6 * (1.0 + fabs(by_input.a[j])));
        largest = fmax(largest, fabs(by_input.a[j]));
    }
    assert_true(largest > 0.1);
    for (int j = 0; j < n_x; j++) {
        test_close("x", by_parameter.x[j], by_input.x[j], 1e-7);
    }
    for (int i = 0; i < fb_model_get_output_count(model); i++) {
        test_close(fb_model_get_output_name(model, i), by_parameter.y[i], by_input.y[i],
                   1e-6 * (1.0 + fabs(by_input.y[i])));
    }
    // What a difference cannot be taken of.
    FbStatus status = fb_simulation_calc_parameter_derivatives(sim, source, NULL, "nothing", 0.0,
                                                               NULL, NULL, NULL, &err);
    assert_int_equal(status, FB_ERR_NAME);
    status = fb_simulation_calc_parameter_derivatives(sim, source, NULL, "push", 0.0, NULL, NULL,
                                                      NULL, &err);
    assert_int_equal(status, FB_ERR_RANGE);
    fb_simulation_destroy(sim);
    fb_model_destroy(model);
    fb_source_destroy(source);
}

typedef struct Estimate {
    double a, x, y[2], a_error, x_error, y_error[2];
} Estimate;

static Estimate estimate(const FbSource* source, const FbReadOptions* options,
                         const char* parameter) {
    FbModel* model = make(source, options);
    FbSimulation* sim = start(model, 0.0);
    FbError err = {0};
    Estimate e;
    FbParameterDerivatives out = {.accelerations = &e.a,
                                  .state_rates = &e.x,
                                  .outputs = e.y,
                                  .acceleration_errors = &e.a_error,
                                  .state_rate_errors = &e.x_error,
                                  .output_errors = e.y_error};
    ok(fb_simulation_estimate_parameter_derivatives(sim, source, options, parameter, 0.0, &out,
                                                    &err),
       &err);
    fb_simulation_destroy(sim);
    fb_model_destroy(model);
    return e;
}

// The error is not larger than its estimate, and this is small against `size`.
static void check_estimate(const char* what, double value, double exact, double error,
                           double size) {
    if (!(fabs(value - exact) <= error) || !(error <= 1e-9 * size)) {
        fail_msg("%s: %.17g instead of %.17g, with an estimated error of %.3g of %.3g", what, value,
                 exact, error, size);
    }
}

// Against closed forms, with masses, stiffnesses and forces of any size.
static void test_errors_of_derivatives(void** state) {
    (void)state;
    FbSource* source = read_source("test/verify/derivatives_inputs/scaled.yaml");
    for (double s = 1e-6; s < 2e7; s *= 10.0) {
        char m[32], k[32], p[32];
        FbOverride set[] = {{"m", m}, {"k", k}, {"p", p}};
        FbReadOptions options = {.overrides = set, .n_overrides = 3};
        snprintf(m, sizeof m, "%.17g", 2.0 * s);
        snprintf(k, sizeof k, "%.17g", 3.0 / s);
        snprintf(p, sizeof p, "%.17g", 1.5 * s);
        double mass = 2.0 * s, stiffness = 3.0 / s, force = 1.5 * s;
        double a = (force * force * force - 0.7 * stiffness - 0.1 + 1.0) / mass;
        double all = (force * force * force + 0.7 * stiffness + 1.1) / mass;
        Estimate e = estimate(source, &options, "m");
        check_estimate("m", e.a, -a / mass, e.a_error, all / mass);
        check_estimate("k^2 by m", e.y[1], 0.0, e.y_error[1], stiffness * stiffness / mass);
        e = estimate(source, &options, "k");
        check_estimate("k", e.a, -0.7 / mass, e.a_error, all / stiffness);
        check_estimate("k^2", e.y[1], 2.0 * stiffness, e.y_error[1], stiffness);
        e = estimate(source, &options, "p");
        check_estimate("p", e.a, 3.0 * force * force / mass, e.a_error, all / force);
        check_estimate("rate", e.x, 1.4 * force, e.x_error, force);
        e = estimate(source, &options, "corner");
        check_estimate("corner", e.a, 0.0, e.a_error, all);
    }
    // On a corner there is no derivative, and near it differences do not find it; the error says
    // so: the slope is 0 on one side, 1/m on the other.
    static const char* const corners[] = {"1", "1.0005", "0.9995", "1.0015", "1.003", "0.997"};
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        FbOverride set = {"corner", corners[i]};
        FbReadOptions options = {.overrides = &set, .n_overrides = 1};
        Estimate e = estimate(source, &options, "corner");
        double exact = atof(corners[i]) > 1.0 ? 0.5 : 0.0;
        if (!(fabs(e.a - exact) <= e.a_error)) {
            fail_msg("corner %s: %g instead of %g, error %g", corners[i], e.a, exact, e.a_error);
        }
        assert_true(e.a_error > 1e-4);
    }
    fb_source_destroy(source);
}

// A source gives the models that the file gives, in any order, and outlives nothing that it made.
static void test_source(void** state) {
    (void)state;
    FbSource* source = read_source(LOOP);
    FbOverride o = {"push", "0.5 N"};
    FbReadOptions options = {.overrides = &o, .n_overrides = 1};
    FbModel *a = make(source, NULL), *b = make(source, &options), *c = make(source, NULL);
    FbModel *of_file = test_model_from_file(LOOP), *with = test_model_with(LOOP, "push=0.5 N");
    assert_string_equal(fb_model_get_hash(a), fb_model_get_hash(of_file));
    assert_string_equal(fb_model_get_hash(b), fb_model_get_hash(with));
    assert_string_equal(fb_model_get_hash(c), fb_model_get_hash(a));
    assert_string_not_equal(fb_model_get_hash(b), fb_model_get_hash(a));
    FbDiagnostics* messages = fb_diagnostics_create();
    FbModelDef* def;
    o.name = "pash";
    assert_int_equal(fb_source_create_def(source, &options, &def, messages), FB_ERR_NAME);
    assert_null(def);
    fb_source_destroy(source);
    fb_source_destroy(NULL);
    FbSimulation* sim = start(b, 0.0);
    FbError err = {0};
    ok(fb_simulation_step(sim, 0.1, &err), &err);
    fb_simulation_destroy(sim);
    static const char bad[] = "flyball: [1";
    assert_int_equal(fb_source_read_text(bad, sizeof bad - 1, NULL, &source, messages),
                     FB_ERR_SYNTAX);
    assert_int_equal(fb_source_read_text("<?xml", 5, "a.xml", &source, messages), FB_ERR_SYNTAX);
    assert_int_equal(fb_source_read_file("no such file", &source, messages), FB_ERR_IO);
    fb_diagnostics_destroy(messages);
    FbModel* all[] = {a, b, c, of_file, with};
    for (int i = 0; i < 5; i++) {
        fb_model_destroy(all[i]);
    }
}

// Parts that a program adds, and matrices from files of the same names, change the hash.
static char* hash_with_spring(double stiffness) {
    FbModelDef* def = test_def_from_file("test/verify/inputs/rail.yaml");
    FbTorsionDef spring = fb_torsion_def_default();
    FbError err = {0};
    spring.head.name = "added";
    spring.joint = (FbCoordinateDef){.joint = "rail"};
    spring.stiffness = stiffness;
    ok(fb_model_def_add_force(def, &spring.head, &err), &err);
    FbModel* model = test_model_from_def(def);
    char* hash = strdup(fb_model_get_hash(model));
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    return hash;
}

static char* hash_with_matrix(const char* folder, double entry) {
    char path[300];
    snprintf(path, sizeof path, "%s/K.mtx", folder);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "%%%%MatrixMarket matrix coordinate real symmetric\n4 4 5\n1 1 40\n2 2 50\n3 1 %.17g\n"
            "3 3 60\n4 4 70\n",
            entry);
    fclose(file);
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    FbModel* model = test_model_from_file(path);
    char* hash = strdup(fb_model_get_hash(model));
    fb_model_destroy(model);
    return hash;
}

static void test_hash(void** state) {
    (void)state;
    char *a = hash_with_spring(5.0), *b = hash_with_spring(6.0), *c = hash_with_spring(5.0);
    assert_string_equal(a, c);
    assert_string_not_equal(a, b);
    free(a), free(b), free(c);
    char folder[] = "/tmp/flyball_hash_XXXXXX", path[300];
    assert_non_null(mkdtemp(folder));
    char* text = test_text_of_file("test/verify/derivatives_inputs/matrices.yaml");
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    a = hash_with_matrix(folder, -7.0);
    b = hash_with_matrix(folder, -7.0000000000000018);
    c = hash_with_matrix(folder, -7.0);
    assert_string_equal(a, c);
    assert_string_not_equal(a, b);
    remove(path);
    snprintf(path, sizeof path, "%s/K.mtx", folder);
    remove(path);
    remove(folder);
    free(a), free(b), free(c), free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_nothing_changes),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_errors_of_derivatives),
        cmocka_unit_test(test_source),
        cmocka_unit_test(test_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
