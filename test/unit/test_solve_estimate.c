// When digits are lost, from made-up differences to a looser run.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solve/estimate.h"

enum { N = 401 };

static void close_to(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g instead of %.17g", value, expected);
    }
}

// Errors that grow tenfold every 2 s: the looser run, 1e-8 at the start, is lost at 14 s, and the
// other one two decades (4 s) later; in any unit of time.
static void exponential_growth(void** state) {
    (void)state;
    for (double unit = 1e-6; unit < 1e7; unit *= 1e3) {
        double t[N], d[N], tenfold;
        for (int i = 0; i < N; i++) {
            t[i] = unit * 0.1 * i;
            d[i] = fmin(1e-8 * pow(10.0, t[i] / (2.0 * unit)), 1.0);
        }
        double loss = fb_estimate_loss(N, t, d, 100.0, &tenfold);
        close_to(loss / unit, 18.0, 0.3);
        close_to(tenfold / unit, 2.0, 0.01);
        // One decade better holds for 2 s more.
        close_to(fb_estimate_loss(N, t, d, 1000.0, &tenfold) / unit, 20.0, 0.3);
    }
}

static void digits_that_hold(void** state) {
    (void)state;
    double t[N], d[N], tenfold;
    for (int i = 0; i < N; i++) {
        t[i] = 0.1 * i;
        d[i] = 1e-7 * t[i];
    }
    assert_true(isinf(fb_estimate_loss(N, t, d, 100.0, &tenfold)));
    assert_true(isinf(tenfold));
    assert_true(isinf(fb_estimate_loss(0, t, d, 100.0, &tenfold)));
}

// Lost between two samples, or from the first on: then that is the time.
static void sudden_losses(void** state) {
    (void)state;
    const double t[] = {0.0, 1.0, 2.0, 3.0}, jump[] = {0.0, 0.0, 0.5, 0.5},
                 whole[] = {1.0, 1.0, 1.0, 1.0};
    double tenfold;
    close_to(fb_estimate_loss(4, t, jump, 100.0, &tenfold), 2.0, 0.0);
    close_to(fb_estimate_loss(4, t, whole, 100.0, &tenfold), 0.0, 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(exponential_growth),
                                       cmocka_unit_test(digits_that_hold),
                                       cmocka_unit_test(sudden_losses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
