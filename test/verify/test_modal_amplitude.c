// Modal amplitudes as outputs: of a simply supported beam in closed form, turned and moved, over a
// run and next to other modes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "run_support.h"

static const double PI = 3.14159265358979323846;

// Length 2, mass per length 3, EI = 50, along (0.6, 0.8) of the plane x-z, far from the origin.
// phi_k = sqrt(2/(m L)) sin(k pi x/L), so that w = a sin(k pi x/L) has the amplitude a sqrt(m L/2).
static void simply_supported(void** state) {
    (void)state;
    for (int k = 1; k <= 3; k += 2) {
        TestRun run = test_run_with(
            "test/verify/modal_amplitude/simply_supported.yaml",
            (TestMethod){.integrator = "radau", .rtol = 1e-10, .atol = 1e-13}, "mode=%d", k);
        double w = (k * PI / 2.0) * (k * PI / 2.0) * sqrt(50.0 / 3.0), a = 0.01 * sqrt(3.0);
        // Mesh: frequencies are too high by (k h)^4/1440, shapes differ by (k h)^4/720.
        double kh = k * PI / 2.0 * 0.2, mesh = kh * kh * kh * kh;
        const char* names[] = {"one", "two", "three"};
        for (int row = 0; row < run.n_rows; row++) {
            double t = test_run_time(&run, row), mid = test_run_value(&run, row, "mid");
            for (int i = 0; i < 3; i++) {
                double value = fabs(test_run_value(&run, row, names[i]));
                test_close(names[i], value, i + 1 == k ? fabs(mid) * sqrt(3.0) : 0.0,
                           mesh / 700.0 * a);
            }
            test_close("cosine", fabs(test_run_value(&run, row, names[k - 1])),
                       fabs(a * cos(w * t)), (mesh / 700.0 + mesh / 1400.0 * w * t) * a + 1e-6 * a);
        }
        test_close("energy", test_run_value(&run, 0, "E") / (0.5 * w * w * a * a), 1.0,
                   mesh / 200.0);
        test_run_free(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(simply_supported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
