// Runs of models for tests.
#include "run_support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "solve/integrator.h"

const char* const* test_integrators(void) {
#ifdef TEST_HAS_SUNDIALS
    static const char* const names[] = {"radau", "dop853", "bdf", "adams", NULL};
#else
    static const char* const names[] = {"radau", "dop853", NULL};
#endif
    return names;
}

const char* const* test_all_integrators(void) {
#ifdef TEST_HAS_SUNDIALS
    static const char* const names[] = {"radau", "dop853", "bdf", "adams", "ida", NULL};
    return names;
#else
    return test_integrators();
#endif
}

bool test_is_bdf(const char* integrator) {
    return strcmp(integrator, "bdf") == 0 || strcmp(integrator, "ida") == 0;
}

TestRun test_run_model(FbModel* model, TestMethod method) {
    TestRun run = {.model = model};
    FbRunOptions o = fb_run_options_default(model);
    FbError err = {0};
    o.settings.integrator = method.integrator ? method.integrator : o.settings.integrator;
    o.settings.duration = method.duration > 0.0 ? method.duration : o.settings.duration;
    o.settings.sample = method.sample > 0.0 ? method.sample : o.settings.sample;
    o.settings.rtol = method.rtol > 0.0 ? method.rtol : o.settings.rtol;
    o.settings.atol = method.atol > 0.0 ? method.atol : o.settings.atol;
    const FbIntegratorType* type = fb_integrator_find(o.settings.integrator);
    if (type && type->has_no_control && !(o.settings.step > 0.0)) {
        o.settings.step = o.settings.duration / 100.0;
    }
    FbStatus status = fb_simulate(model, &o, &run.result, &err);
    if (status != FB_OK) {
        fail_msg("%s: status %d: %s", o.settings.integrator, (int)status, err.text);
    }
    run.n_rows = fb_result_get_row_count(run.result);
    return run;
}

TestRun test_run_text(const char* text, TestMethod method) {
    return test_run_model(test_model_from_text(text), method);
}

TestRun test_run_file(const char* path, TestMethod method) {
    return test_run_model(test_model_from_file(path), method);
}

TestRun test_run_with(const char* path, TestMethod method, const char* changes, ...) {
    va_list list;
    va_start(list, changes);
    FbModelDef* def = test_def_with_list(path, changes, list);
    va_end(list);
    FbModel* model = test_model_from_def(def);
    fb_model_def_destroy(def);
    return test_run_model(model, method);
}

void test_run_free(TestRun* run) {
    fb_result_destroy(run->result);
    fb_model_destroy(run->model);
}

double test_run_time(const TestRun* run, int row) {
    return fb_result_get_time(run->result, row);
}

double test_run_value(const TestRun* run, int row, const char* output) {
    int column = fb_model_find_output(run->model, output);
    if (column < 0) {
        fail_msg("the model has no output '%s'", output);
    }
    return fb_result_get_value(run->result, row, column);
}

double test_run_last(const TestRun* run, const char* output) {
    return test_run_value(run, run->n_rows - 1, output);
}

double test_run_drift(const TestRun* run, const char* output) {
    double most = 0.0, first = test_run_value(run, 0, output);
    for (int i = 1; i < run->n_rows; i++) {
        double x = fabs(test_run_value(run, i, output) - first);
        most = x > most || isnan(x) ? x : most;
    }
    return most;
}

void test_close(const char* what, double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%s is %.15g instead of %.15g: off by %.3g, allowed %.3g", what, value, expected,
                 value - expected, tolerance);
    }
}
