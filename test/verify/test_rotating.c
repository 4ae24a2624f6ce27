// Beams in steady rotation: Wright's table of a turning cantilever, a turned axis far from the
// origin, lag against flap, whirl of a shaft, parked drives, and what is no steady motion.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"
#include "test_linear_support.h"

// A round arm of length 1, mass per length 1, EI = 1, EA = 1e8, on a hub at (50, -20, 30) with the
// axis (1, 2, 2)/3; the arm is along (2, 1, -2)/3.
static double nearest(const TestLinear* t, double frequency) {
    double best = INFINITY;
    for (int k = 0; k < fb_linearization_get_mode_count(t->l); k++) {
        double im = fb_linearization_get_mode(t->l, k)->im;
        best = fabs(im - frequency) < fabs(best - frequency) ? im : best;
    }
    return best;
}

// Wright, Smith, Thresher, Wang 1982: flap frequencies of a uniform cantilever without hub radius.
static const double WRIGHT[][3] = {{0, 3.5160, 22.0345}, {1, 3.6816, 22.1810}, {2, 4.1373, 22.6149},
                                   {3, 4.7973, 23.3203}, {4, 5.5850, 24.2733}, {5, 6.4495, 25.4461},
                                   {6, 7.3604, 26.8091}};

// Driven by a law, and asked for; the lag modes have omega^2 less by that of the turn.
static void turning_cantilever(void** state) {
    (void)state;
    for (int i = 0; i < 7; i++) {
        for (int is_asked = 0; is_asked < 2; is_asked++) {
            double rate = WRIGHT[i][0];
            FbSteadyRate steady = {"axle", rate};
            TestLinearAsk ask = {
                .at = {.kind = FB_AT_EQUILIBRIUM, .steady = &steady, .n_steady = is_asked ? 1 : 0}};
            TestLinear t = test_linear_with("test/verify/rotating/arm.yaml", ask, "rate=%g", rate);
            FbOperatingInfo info;
            fb_operating_point_get_info(t.point, &info);
            assert_true(info.is_equilibrium && !info.is_parked);
            assert_int_equal(info.is_steady, rate > 0.0 || is_asked);
            for (int k = 0; k < 2; k++) {
                double flap = WRIGHT[i][1 + k], lag = sqrt(flap * flap - rate * rate);
                test_close("flap", nearest(&t, flap), flap, 6e-5 * flap);
                test_close("lag", nearest(&t, lag), lag, 6e-5 * flap);
            }
            test_linear_free(&t);
        }
    }
}

// An overhung disc on a turning shaft without mass (Stodola and Green): in fixed axes its whirl l
// satisfies (k11 - m l^2) (k22 - Jt l^2 + Jp W l) - k12^2 = 0; seen from the shaft, l - W.
static double whirl(double l, double W) {
    double m = 2.0, Jp = 0.3, Jt = 0.2, EI = 100.0, L = 0.5;
    double k11 = 12.0 * EI / (L * L * L), k12 = 6.0 * EI / (L * L), k22 = 4.0 * EI / L;
    return (k11 - m * l * l) * (k22 - Jt * l * l + Jp * W * l) - k12 * k12;
}

static void overhung_disc(void** state) {
    (void)state;
    const double rates[] = {0.0, 13.0, 60.0};
    for (int i = 0; i < 3; i++) {
        TestLinear t = test_linear_with("test/verify/rotating/overhung_disc.yaml",
                                        TEST_AT_EQUILIBRIUM, "rate=%g", rates[i]);
        int n_roots = 0;
        for (double l = -200.0; l < 200.0; l += 0.01) {
            double low = l, high = l + 0.01;
            if (!(whirl(low, rates[i]) * whirl(high, rates[i]) < 0.0)) {
                continue;
            }
            for (int k = 0; k < 60; k++) {
                double middle = 0.5 * (low + high);
                *(whirl(low, rates[i]) * whirl(middle, rates[i]) <= 0.0 ? &high : &low) = middle;
            }
            double seen = fabs(low - rates[i]);
            test_close("whirl", nearest(&t, seen), seen, 1e-9 * fabs(low));
            n_roots++;
        }
        assert_int_equal(n_roots, 4);
        test_linear_free(&t);
    }
}

// Gravity along the axis is steady, across it is not.
static void gravity_across(void** state) {
    (void)state;
    TestLinear t = test_linear_with("test/verify/rotating/arm.yaml", TEST_AT_EQUILIBRIUM,
                                    "gravity: [0, 0, 0] => gravity: [-0.01, -0.02, -0.02]");
    FbOperatingInfo info;
    fb_operating_point_get_info(t.point, &info);
    assert_true(info.is_steady);
    test_linear_free(&t);
    FbModel* model = test_model_with("test/verify/rotating/arm.yaml",
                                     "gravity: [0, 0, 0] => gravity: [0.02, -0.01, 0]");
    FbSteadyRate steady = {"axle", 3.0};
    FbOperatingOptions at = {.kind = FB_AT_EQUILIBRIUM, .steady = &steady, .n_steady = 1};
    FbOperatingPoint* point = NULL;
    FbError err;
    assert_true(fb_operating_point_create(model, &at, &point, &err) < 0);
    assert_non_null(strstr(err.text, "not a steady motion"));
    fb_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turning_cantilever),
        cmocka_unit_test(overhung_disc),
        cmocka_unit_test(gravity_across),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
