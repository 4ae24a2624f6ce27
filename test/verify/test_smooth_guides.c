// Guides through nodes: every Jacobian block against finite differences, the guide of the members
// as the limit, the balance of energy, what hangs against what slides, and the same model turned,
// moved far away and in other units.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../every.h"
#include "run_support.h"

static const char* const THEORIES[5] = {"consistent", "linear_consistent", "convective", "form_1a",
                                        "form_1b"};
#define FOLDER "test/verify/smooth_guides/"

static const char* kind_of(int theory) {
    return theory == 0 ? "nonlinear" : "linear";
}

// With a load on the carriage and without, driven by a law, by states, and free.
static void blocks_on_beams(void** state) {
    (void)state;
    const char* const files[2] = {FOLDER "beam.yaml", FOLDER "alone.yaml"};
    const char* const drives[3] = {"value: '0.5 + 0.3*sin(2*t + 0.4)'", "state: c",
                                   "free: true, position: 0.4"};
    for (int k = 0; k < 30; k++) {
        int theory = k % 5, drive = k / 5 % 3, file = k / 15;
        char name[80];
        bool is_partial = theory == 4;
        if (is_partial || (drive == 2 && theory == 1)) {
            continue;  // 1b leaves derivatives out
        }
        snprintf(name, sizeof name, "%s %s %s", files[file], THEORIES[theory], drives[drive]);
        test_check_blocks(
            test_model_with(files[file],
                            "f:\n    theory: linear => f:\n    theory: %s; "
                            "theory: linear_consistent, => theory: %s, rotary_inertia: %s,; "
                            "value: '0.5 + 0.3*sin(2*t + 0.4)' => %s",
                            kind_of(theory), THEORIES[theory], theory == 1 ? "0" : "0.2",
                            drives[drive]),
            name, 0.2);
    }
}

// Points of bodies, of a frame with large rotations and of a mesh, on a curve in space.
static void blocks_on_curves(void** state) {
    (void)state;
    const char* const drives[3] = {"value: '0.5 + 0.3*sin(2*t + 0.4)'", "state: c",
                                   "free: true, position: 0.6"};
    for (int i = 0; i < 6; i++) {
        const char* file = i < 3 ? FOLDER "curved.yaml" : FOLDER "plate.yaml";
        test_check_blocks(
            test_model_with(file, "value: '0.5 + 0.3*sin(2*t + 0.4)' => %s", drives[i % 3]), file,
            0.2);
    }
}

// Points known by matrices from elsewhere, without turns: loaded, by every drive and theory.
static void blocks_on_matrices(void** state) {
    (void)state;
    const char* const drives[3] = {"value: '0.5 + 0.3*sin(2*t + 0.4)'", "state: c",
                                   "free: true, position: 0.5"};
    for (int k = 0; k < 9; k++) {
        int theory = 1 + k % 3, drive = k / 3;
        if (theory == 1 && drive == 2) {
            continue;  // linear_consistent is driven
        }
        char name[80];
        snprintf(name, sizeof name, "matrices %s %s", THEORIES[theory], drives[drive]);
        test_check_blocks(test_model_with(FOLDER "chain.yaml",
                                          "theory: linear_consistent => theory: %s; "
                                          "value: '0.5 + 0.3*sin(2*t + 0.4)' => %s",
                                          THEORIES[theory], drives[drive]),
                          name, 0.2);
    }
}

static TestRun run_cantilever(const char* guide, int theory, int n) {
    return test_run_with(FOLDER "cantilever.yaml",
                         (TestMethod){.integrator = theory == 0 ? "radau" : "linear"},
                         "n=%d; theory: linear\n => theory: %s\n; theory: linear_consistent => "
                         "theory: %s; guide: rod.bar => guide: %s",
                         n, kind_of(theory), THEORIES[theory], guide);
}

// The largest difference of the motion of the tip and of the mass, as a part of their range.
static double compare(const TestRun* a, const TestRun* b) {
    const char* const outputs[2] = {"tip", "x"};
    double largest = 0.0;
    for (int i = 0; i < 2; i++) {
        double range = 0.0, error = 0.0;
        for (int row = 0; row < a->n_rows; row++) {
            double x = test_run_value(a, row, outputs[i]);
            range = fmax(range, fabs(x));
            error = fmax(error, fabs(x - test_run_value(b, row, outputs[i])));
        }
        largest = fmax(largest, error / range);
    }
    return largest;
}

// A guide through the nodes of a member comes to that of the member's own elements, and the balance
// of energy holds, by every theory.
static void members_are_the_limit(void** state) {
    (void)state;
    for (int theory = TEST_EVERY(2) - 1; theory < 5; theory += TEST_EVERY(2)) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            int n = i ? 12 : 6;
            TestRun member = run_cantilever("rod.bar", theory, n);
            TestRun smooth = run_cantilever("{through: rod.bar}", theory, n);
            error[i] = compare(&member, &smooth);
            test_close("balance", test_run_drift(&smooth, "balance"), 0.0, 4e-6);
            test_run_free(&member);
            test_run_free(&smooth);
        }
        printf("%s: differs by %.2g with 6 elements, by %.2g with 12\n", THEORIES[theory], error[0],
               error[1]);
        assert_true(error[0] < 2e-2);
        assert_true(error[1] < 0.3 * error[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_on_beams),
        cmocka_unit_test(blocks_on_curves),
        cmocka_unit_test(blocks_on_matrices),
        cmocka_unit_test(members_are_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
