// Orders of the BDF methods as they are observed: they choose orders 1 to 5 by themselves, so
// errors have to fall as the fourth to sixth power of the number of steps, on a tree, on a loop and
// on a structure.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run_support.h"

typedef struct Case {
    const char *model, *output;
    double duration, sample, coarse, fine;
} Case;

static const Case cases[] = {
    {"models/double_pendulum.yaml", "first", 2.0, 0.1, 1e-6, 1e-9},
    {"models/fourbar.yaml", "phi", 2.0, 0.1, 1e-6, 1e-9},
    {"docs/guide/models/portal.yaml", "sway", 0.3, 0.01, 1e-5, 1e-8},
};

static double calc_error(const TestRun* r, const TestRun* reference, const char* output) {
    double sum = 0.0;
    for (int row = 0; row < r->n_rows; row++) {
        double e = test_run_value(r, row, output) - test_run_value(reference, row, output);
        sum += e * e;
    }
    return sqrt(sum / r->n_rows);
}

static TestRun run(const Case* c, const char* method, double rtol) {
    return test_run_file(c->model, (TestMethod){method, c->duration, c->sample, rtol, 0.01 * rtol});
}

static void orders_are_four_to_six(void** state) {
    (void)state;
    for (const char* const* method = test_all_integrators(); *method; method++) {
        for (size_t i = 0; test_is_bdf(*method) && i < sizeof cases / sizeof *cases; i++) {
            const Case* c = &cases[i];
            TestRun reference = run(c, "radau", 1e-12), coarse = run(c, *method, c->coarse),
                    fine = run(c, *method, c->fine);
            double errors = calc_error(&coarse, &reference, c->output) /
                            calc_error(&fine, &reference, c->output);
            double steps = (double)fb_result_get_stats(fine.result)->steps /
                           (double)fb_result_get_stats(coarse.result)->steps;
            double order = log(errors) / log(steps);
            print_message("%s, %s: order %.2f (errors %.0f, steps %.2f times)\n", *method, c->model,
                          order, errors, steps);
            assert_true(order > 4.0 && order < 8.0);
            test_run_free(&reference);
            test_run_free(&coarse);
            test_run_free(&fine);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_four_to_six),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
