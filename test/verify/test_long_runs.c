// Loops stay closed for as long as one likes: position and velocity errors over minutes, with every
// integrator.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "run_support.h"

static const double CLOSED = 1e-10;  // m or rad; rates relative to the speeds, which are below 10

static void check_closed(const char* name, FbModel* (*load)(void), double duration, double rtol) {
    for (const char* const* method = test_integrators(); *method; method++) {
        TestRun run =
            test_run_model(load(), (TestMethod){*method, duration, 0.1, rtol, 1e-2 * rtol});
        const FbRunStats* stats = fb_result_get_stats(run.result);
        char what[100];
        snprintf(what, sizeof(what), "largest position error of %s with %s", name, *method);
        test_close(what, stats->max_constraint_error, 0.0, CLOSED);
        snprintf(what, sizeof(what), "largest velocity error of %s with %s", name, *method);
        test_close(what, stats->max_velocity_error, 0.0, 10.0 * CLOSED);
        test_run_free(&run);
    }
}

static FbModel* four_bar(void) {
    return test_model_from_file("test/verify/long_runs/four_bar.yaml");
}

static FbModel* bricard(void) {
    return test_model_from_file("models/bricard.yaml");
}

static void four_bar_for_minutes(void** state) {
    (void)state;
    check_closed("the four-bar", four_bar, 200.0, 1e-6);
}

static void bricard_for_minutes(void** state) {
    (void)state;
    check_closed("Bricard's mechanism", bricard, 200.0, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bar_for_minutes),
        cmocka_unit_test(bricard_for_minutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
