// Contour lines in one cell of a map.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/plane.h"

// The bilinear value of the corners (0,0), (1,0), (1,1), (0,1).
static double value_at(const double z[4], double x, double y) {
    return z[0] * (1 - x) * (1 - y) + z[1] * x * (1 - y) + z[2] * x * y + z[3] * (1 - x) * y;
}

static void test_ends_are_on_the_level(void** state) {
    (void)state;
    double segments[2][4];
    for (int code = 0; code < 16; code++) {
        double z[4];
        for (int k = 0; k < 4; k++) {
            z[k] = (code >> k) & 1 ? 1.0 + 0.3 * k : -0.5 - 0.2 * k;
        }
        int n = fb_contour_cell(z, 0.1, segments), n_signs = 0;
        for (int k = 0; k < 4; k++) {
            n_signs += (z[k] >= 0.1) != (z[(k + 1) % 4] >= 0.1);
        }
        assert_int_equal(n, n_signs / 2);
        for (int s = 0; s < n; s++) {
            for (int e = 0; e < 4; e += 2) {
                double x = segments[s][e], y = segments[s][e + 1];
                assert_true(fabs(value_at(z, x, y) - 0.1) < 1e-12);
                assert_true(x == 0.0 || x == 1.0 || y == 0.0 || y == 1.0);
            }
        }
    }
}

// A saddle whose middle is high: the high corners (0,0) and (1,1) hang together, and each segment
// cuts off a low one.
static void test_saddles(void** state) {
    (void)state;
    double segments[2][4];
    for (int turn = 0; turn < 2; turn++) {
        double low = turn ? -4.0 : -1.0, z[4] = {2.0, low, 2.0, low};
        assert_int_equal(fb_contour_cell(z, 0.0, segments), 2);
        for (int s = 0; s < 2; s++) {
            double x = 0.5 * (segments[s][0] + segments[s][2]);
            double y = 0.5 * (segments[s][1] + segments[s][3]);
            // Low corners are at x - y = 1 and -1, high ones at x + y = 0 and 2.
            double along = turn ? fabs(x + y - 1.0) : fabs(x - y);
            double across = turn ? fabs(x - y) : fabs(x + y - 1.0);
            assert_true(along > 0.3 && across < 1e-12);
        }
    }
}

static void test_gaps(void** state) {
    (void)state;
    double segments[2][4], z[4] = {1.0, -1.0, NAN, 1.0};
    assert_int_equal(fb_contour_cell(z, 0.0, segments), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends_are_on_the_level),
                                       cmocka_unit_test(test_saddles), cmocka_unit_test(test_gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
