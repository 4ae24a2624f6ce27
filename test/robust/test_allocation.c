// No allocation between two accepted steps: counted around every step of the integrators, with the
// mechanics of real models behind them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "flyball/flyball.h"
#include "run_support.h"
#include "solve/integrator.h"
#include "system/system.h"

static double* numbers(int n) {
    double* x = calloc((size_t)n + 1, sizeof(double));
    assert_non_null(x);
    return x;
}

static FbPoint point_create(FbSizes n) {
    return (FbPoint){.q = numbers(n.n_q),
                     .v = numbers(n.n_v),
                     .a = numbers(n.n_v),
                     .x = numbers(n.n_x),
                     .lambda = numbers(n.n_c),
                     .w = numbers(n.n_w)};
}

static void point_free(FbPoint* p) {
    double* arrays[] = {p->q, p->v, p->a, p->x, p->lambda, p->w};
    for (int i = 0; i < 6; i++) {
        free(arrays[i]);
    }
}

typedef struct Stepping {
    const char* name;
    FbModel* model;
    FbSystem* system;
    FbDynamics* d;
    FbPoint start, p;
    double* outputs;
    double end;
} Stepping;

// Steps, and outputs after each; returns the calls of the allocator since the start.
static long count_run(Stepping* a, FbIntegrator* s) {
    FbError err = {0};
    a->p.t = 0.0;
    assert_int_equal(s->type->restart(s, &a->start, &err), FB_OK);
    long before = counting.n_calls;
    int steps = 0;
    for (; a->p.t < a->end; steps++) {
        bool has_changed = false;
        if (s->type->step(s, a->end, &a->p, &err) != FB_OK) {
            fail_msg("%s, %s: %s", a->name, s->type->name, err.text);
        }
        assert_int_equal(a->d->ops->accepted(a->d, &a->p, &has_changed, &err), FB_OK);
        assert_false(has_changed);
        assert_int_equal(fb_system_calc_outputs(a->system, &a->p, a->outputs, &err), FB_OK);
    }
    assert_true(steps > 5);
    return counting.n_calls - before;
}

// All that a method may need (matrices of every order, the full Newton iteration of a leap) is
// taken when it starts; what KLU and CVODE take for themselves is not seen here.
static void check_steps(const char* name, FbModel* model, const FbIntegratorType* type,
                        double end) {
    FbError err = {0};
    FbIntegrator* s = NULL;
    FbIntegratorOptions o = {.rtol = 1e-8, .atol = 1e-10, .max_step = INFINITY};
    o.fixed_step = type->has_no_control ? end / 200.0 : 0.0;
    Stepping a = {.name = name, .model = model, .end = end};
    a.outputs = numbers(fb_model_get_output_count(model));
    assert_int_equal(fb_system_create(model, &a.system, &err), FB_OK);
    a.d = fb_system_get_dynamics(a.system);
    a.p = point_create(fb_system_get_max_sizes(a.system));
    a.start = point_create(fb_system_get_max_sizes(a.system));
    FbAssembly assembly;
    assert_int_equal(fb_system_assemble(a.system, 0.0, &a.start, &assembly, &err), FB_OK);
    assert_int_equal(type->create(a.d, &o, &s, &err), FB_OK);
    long first = count_run(&a, s), second = count_run(&a, s);
    if (first != 0 || second != 0) {
        fail_msg("%s, %s: %ld allocations in the first run, %ld in the second", name, type->name,
                 first, second);
    }
    type->destroy(s);
    point_free(&a.start);
    point_free(&a.p);
    free(a.outputs);
    fb_system_destroy(a.system);
    fb_model_destroy(model);
}

static void check_file(const char* name, const char* changes, double end, double explicit_end) {
    char path[100];
    snprintf(path, sizeof(path), "models/%s.yaml", name);
    for (const char* const* method = test_integrators(); *method; method++) {
        const FbIntegratorType* type = fb_integrator_find(*method);
        check_steps(name, test_model_with(path, "%s", changes), type,
                    type->is_implicit ? end : explicit_end);
    }
}

static void governor(void** state) {
    (void)state;
    check_file("governor", "", 2.0, 0.01);
}

// The methods for structures and long runs, on loops and on a structure.
static void low_orders(void** state) {
    (void)state;
    const FbIntegratorType* types[] = {&fb_integrator_alpha, &fb_integrator_gauss4,
                                       &fb_integrator_gauss6};
    for (int i = 0; i < 3; i++) {
        check_steps("governor", test_model_from_file("models/governor.yaml"), types[i], 0.1);
        check_steps("squeezer", test_model_from_file("models/squeezer.yaml"), types[i], 2e-3);
        check_steps("frame", test_model_from_file("models/frame.yaml"), types[i], 0.1);
    }
}

static void squeezer(void** state) {
    (void)state;
    check_file("squeezer", "", 0.03, 0.03);
}

// Through a flat position, across which radau leaps for itself and for others.
static void windows(void** state) {
    (void)state;
    check_file("windows", "N=10", 3.0, 3.0);
}

// Redundant constraints with reactions among the outputs.
static void redundant(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/robust/allocation/four_bar.yaml");
    check_steps("four-bar", model, &fb_integrator_radau, 1.0);
}

// A program sets inputs, steps and looks: nothing of that allocates once it has begun.
static void check_driven_model(const char* path, FbModel* model, const char* integrator,
                               double step) {
    FbRunOptions options = fb_run_options_default(model);
    FbSimulation* sim = NULL;
    FbError err = {0};
    double y[16];
    options.settings.integrator = integrator;
    options.settings.step = step;
    assert_int_equal(fb_simulation_create(model, &options, &sim, &err), FB_OK);
    long before = 0;
    for (int k = 0; k < 120; k++) {
        before = k == 20 ? counting.n_calls : before;
        assert_int_equal(fb_simulation_set_input(sim, 0, 0.1 * (k % 7), &err), FB_OK);
        assert_int_equal(fb_simulation_step(sim, 0.004, &err), FB_OK);
        assert_int_equal(fb_simulation_calc_outputs(sim, y, &err), FB_OK);
    }
    if (counting.n_calls != before) {
        fail_msg("%s by %s: %ld allocations in 100 steps", path, integrator,
                 counting.n_calls - before);
    }
    fb_simulation_destroy(sim);
    fb_model_destroy(model);
}

static void check_driven(const char* path, const char* integrator, double step) {
    check_driven_model(path, test_model_from_file(path), integrator, step);
}

static FbStatus calc(void* self, double t, const double* u, double* y, FbError* err) {
    (void)self, (void)t, (void)err;
    y[0] = -8.0 * u[0] - 0.1 * u[1];
    return FB_OK;
}

// Callbacks, and their differences, do not allocate either.
static void called(void** state) {
    (void)state;
    static const char path[] = "test/verify/callbacks/rail.yaml";
    static const char* const methods[] = {"alpha", "radau", "dop853", "gauss4"};
    for (int i = 0; i < 4; i++) {
        FbModelDef* def = test_def_from_file(path);
        FbCallback callback = {.calc = calc};
        FbError err = {0};
        assert_int_equal(fb_model_def_set_callback(def, "law", &callback, &err), FB_OK);
        check_driven_model(path, test_model_from_def(def), methods[i], 0.002);
        fb_model_def_destroy(def);
    }
}

static void driven(void** state) {
    (void)state;
    static const char* const paths[] = {"test/verify/inputs/rail.yaml",
                                        "test/verify/inputs/everywhere.yaml"};
    for (int i = 0; i < 2; i++) {
        check_driven(paths[i], "alpha", 0.002);
        check_driven(paths[i], "radau", 0.002);
        check_driven(paths[i], "dop853", 0.002);
        check_driven(paths[i], "radau", 0.0);
        check_driven(paths[i], "dop853", 0.0);
    }
    check_driven(paths[0], "gauss4", 0.002);
    check_driven("test/verify/derivatives_inputs/loop.yaml", "gauss4", 0.002);
    check_driven("test/verify/derivatives_inputs/loop.yaml", "gauss2", 0.002);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(governor), cmocka_unit_test(low_orders), cmocka_unit_test(squeezer),
        cmocka_unit_test(windows),  cmocka_unit_test(redundant),  cmocka_unit_test(driven),
        cmocka_unit_test(called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
