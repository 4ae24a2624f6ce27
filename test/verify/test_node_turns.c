// Stiff bars that turn far in one step (theory manual, eq. 5.64): the length of steps does not
// depend on how stiff they are, and results stay those of short steps.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

#define FOLDER "test/verify/node_turns/"

static double run(const char* path, double stiffness, const char* changes, double rtol,
                  long* steps) {
    const TestMethod method = {.integrator = "radau", .rtol = rtol, .atol = 1e-3 * rtol};
    TestRun run =
        test_run_with(path, method, "stiffness: 1, => stiffness: %g,; %s", stiffness, changes);
    double angle = test_run_last(&run, "angle");
    *steps = fb_result_get_stats(run.result)->steps;
    test_run_free(&run);
    return angle;
}

// About 3200 steps where increments do not turn with the nodes.
static void stiffness_costs_nothing(void** state) {
    (void)state;
    const char* const cases[][2] = {
        {FOLDER "pendulum.yaml", "n: 4 => n: 4"},
        {FOLDER "pendulum.yaml", "B: [1, 0, 0] => B: [0.8, 0, 0.6]"},
        {FOLDER "pendulum.yaml", "axis: [0, 1, 0] => axis: [0, -0.8, 0.6]"},
        {FOLDER "plane.yaml", "n: 4 => n: 4"},
        {FOLDER "plane.yaml", "B: [1, 0] => B: [0.6, 0.8]"},
    };
    for (int i = 0; i < 5; i++) {
        long steps, fine_steps;
        double angle = run(cases[i][0], 1e4, cases[i][1], 1e-5, &steps);
        double fine = run(cases[i][0], 1e4, cases[i][1], 1e-6, &fine_steps);
        if (!(steps <= 400) || !(fabs(angle - fine) <= 2e-5)) {
            fail_msg("%s with %s: %ld steps, the angle differs by %.3g rad", cases[i][0],
                     cases[i][1], steps, angle - fine);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffness_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
