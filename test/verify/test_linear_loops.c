// Linearizations of mechanisms with loops: the four-bar benchmark by all methods in joint and in
// absolute coordinates, chains of four-bars, the squeezer with a spring at its crank.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"
#include "test_linear_support.h"

static const double complex FOURBAR[2] = {CMPLX(-0.2423858093105051, 2.1339550283483803),
                                          CMPLX(-0.2423858093105051, -2.1339550283483803)};

static TestLinear fourbar(FbLinearOptions how, bool is_absolute) {
    TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
    ask.how = how;
    ask.is_absolute = is_absolute;
    return test_linear_file("models/fourbar.yaml", ask);
}

// 2-norm of the differences of both eigenvalues, as the benchmark has it; also the conjugate one.
static double fourbar_error(const TestLinear* t) {
    return sqrt(2.0) * test_spectrum_error(t, FOURBAR, 2);
}

// The planar loop is modelled with spatial revolutes: three of five rows are redundant in joint
// coordinates, and as many of 24 in absolute ones.
static void test_fourbar(void** state) {
    (void)state;
    for (int absolute = 0; absolute < 2; absolute++) {
        for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_ODE; method++) {
            TestLinear t = fourbar((FbLinearOptions){.method = (FbLinearMethod)method}, absolute);
            test_close("phi", test_coordinate(t.point, "pin_B"), 2.234331019017586, 1e-13);
            double error = fourbar_error(&t);
            if (!(error <= 1e-11)) {
                fail_msg("method %d, absolute %d: error %.3g", method, absolute, error);
            }
            assert_int_equal(test_count(&t, FB_MODE_PHYSICAL), 2);
            assert_int_equal(test_count(&t, FB_MODE_RIGID_BODY), 0);
            assert_int_equal(test_count(&t, FB_MODE_ARTEFACT), 0);
            assert_true(test_largest_residual(&t) < 1e-12);
            test_linear_free(&t);
        }
    }
}

// As many zeros as twice the constraints, or copies of the stabilization rate: all called
// constraint modes, whatever their size.
static void test_fourbar_dependent(void** state) {
    (void)state;
    for (int absolute = 0; absolute < 2; absolute++) {
        int n_constraint = absolute ? 34 : 4;
        for (int i = 0; i < 4; i++) {
            double rate = (double[]){0.0, 0.5, 3.0, 50.0}[i];
            TestLinear t = fourbar(
                (FbLinearOptions){.method = FB_METHOD_ODE, .baumgarte_rate = rate}, absolute);
            assert_true(fourbar_error(&t) < 1e-11);
            assert_int_equal(test_count(&t, FB_MODE_CONSTRAINT), n_constraint);
            for (int k = 2; k < fb_linearization_get_mode_count(t.l); k++) {
                // double roots: accurate to the square root of rounding
                const FbMode* m = fb_linearization_get_mode(t.l, k);
                assert_true(cabs(CMPLX(m->re, m->im) + rate) < 2e-6 * (1.0 + rate));
                assert_true(m->constraint_residual > 1e-3);
            }
            test_linear_free(&t);
        }
    }
}

// Infinite eigenvalues, and those that rounding makes of them, have no condition worth the name.
static void test_fourbar_descriptor_classes(void** state) {
    (void)state;
    for (int absolute = 0; absolute < 2; absolute++) {
        TestLinear t = fourbar((FbLinearOptions){.method = FB_METHOD_DESCRIPTOR}, absolute);
        int n = fb_linearization_get_mode_count(t.l);
        assert_int_equal(n, absolute ? 2 * 18 + 17 : 2 * 3 + 2);
        assert_int_equal(test_count(&t, FB_MODE_CONSTRAINT), n - 2);
        for (int k = 2; k < n; k++) {
            assert_true(fb_linearization_get_mode(t.l, k)->condition > 1e10);
        }
        assert_true(fb_linearization_get_mode(t.l, 0)->condition < 1e3);
        test_linear_free(&t);
    }
}

// Error ~ 1/alpha over six decades: the exponent by least squares. (Beyond, rounding of size eps
// alpha takes over.)
static void test_fourbar_penalty(void** state) {
    (void)state;
    for (int absolute = 0; absolute < 2; absolute++) {
        double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
        int n = 0;
        for (double decade = 2.0 + absolute; decade <= 8.0 + absolute; decade += 1.0, n++) {
            TestLinear t = fourbar(
                (FbLinearOptions){.method = FB_METHOD_PENALTY, .penalty = pow(10.0, decade)},
                absolute);
            double y = log10(fourbar_error(&t));
            sx += decade;
            sy += y;
            sxx += decade * decade;
            sxy += decade * y;
            assert_int_equal(test_count(&t, FB_MODE_RIGID_BODY) + test_count(&t, FB_MODE_ARTEFACT),
                             0);
            test_linear_free(&t);
        }
        double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
        test_close("exponent", slope, -1.0, 0.05);
    }
}

// N windows drawn leaning: they hang down in the equilibrium. theta'' = -(g/L) ((N+1)/2 + N) /
// ((N+1)/3 + N) theta.

static void test_windows(void** state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        int N = (int[]){2, 5, 20}[i];
        double w = sqrt(9.81 * (0.5 * (N + 1) + N) / ((N + 1) / 3.0 + N));
        for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_ODE; method++) {
            if (N > 5 && method != FB_METHOD_INDEPENDENT) {
                continue;  // 100 coordinates: QZ takes its time
            }
            TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
            ask.how.method = (FbLinearMethod)method;
            TestLinear t =
                test_linear_with("test/verify/linear_loops/windows.yaml", ask, "N=%d", N);
            test_spectrum("windows", &t, (double complex[]){CMPLX(0, w), CMPLX(0, -w)}, 2, 1e-10);
            test_close("angle", test_coordinate(t.point, "A0"), -0.4, 1e-12);
            FbOperatingInfo info;
            fb_operating_point_get_info(t.point, &info);
            assert_int_equal(info.degrees_of_freedom, 1);
            assert_true(info.residual < 1e-12);
            test_linear_free(&t);
        }
    }
}

static FbModelDef* squeezer(double beta) {
    return test_def_with("models/squeezer.yaml", "beta0=%.17g; tau=0", beta);
}

static void test_locked_squeezer(void** state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        double beta = (double[]){-0.062, 0.0, 0.3, 1.0}[i];
        char law[32];
        FbError err = {0};
        FbModelDef* def = squeezer(beta);
        FbMotionDef lock = fb_motion_def_default();
        snprintf(law, sizeof(law), "%.17g", beta);
        lock.head.name = "lock";
        lock.joint.joint = "pin_O";
        lock.value = law;
        assert_int_equal(fb_model_def_add_constraint(def, &lock.head, &err), FB_OK);
        FbModel* model = test_model_from_def(def);
        fb_model_def_destroy(def);
        FbOperatingPoint* point = test_point_at(model, fb_operating_options_default());
        FbOperatingInfo info;
        fb_operating_point_get_info(point, &info);
        assert_int_equal(info.degrees_of_freedom, 0);
        assert_true(info.is_equilibrium);
        test_close("crank", test_coordinate(point, "pin_O"), beta, 1e-12);
        for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_PENALTY; method++) {
            FbLinearOptions how = {.method = (FbLinearMethod)method, .penalty = 1e7};
            FbLinearization* l = NULL;
            assert_int_equal(fb_linearization_create(point, &how, &l, &err), FB_OK);
            assert_int_equal(fb_linearization_run(l, &err), FB_ERR_MODEL);
            assert_non_null(strstr(err.text, "no degree of freedom"));
            fb_linearization_destroy(l);
        }
        fb_operating_point_destroy(point);
        fb_model_destroy(model);
    }
}

static FbModelDef* sprung_squeezer(double beta, double rest) {
    FbError err = {0};
    FbModelDef* def = squeezer(beta);
    FbTorsionDef spring = fb_torsion_def_default();
    spring.head.name = "crank_spring";
    spring.joint.joint = "pin_O";
    spring.stiffness = 0.5;
    spring.rest = rest;
    assert_int_equal(fb_model_def_add_force(def, &spring.head, &err), FB_OK);
    return def;
}

// Potential energy and half the inertia seen at the crank, with the crank at beta.
static void squeezer_energies(double beta, double rest, double* potential, double* kinetic) {
    TestSystem s;
    FbModelDef* def = sprung_squeezer(beta, rest);
    test_system_init(&s, test_model_from_def(def));
    fb_model_def_destroy(def);
    FbError err;
    FbEnergies e;
    for (int j = 0; j < s.d->size.n_v; j++) {
        s.p.v[j] = 1.0;
    }
    assert_int_equal(s.d->ops->project_velocity(s.d, 0.0, s.p.q, s.p.v, NULL, &err), FB_OK);
    fb_system_calc_energies(s.system, &s.p, &e);
    int crank = -1;
    for (int j = 0; j < s.d->size.n_v; j++) {
        if (strstr(s.d->ops->name_of_velocity(s.d, j), "pin_O")) {
            crank = j;
        }
    }
    assert_true(crank >= 0);
    *potential = e.potential;
    *kinetic = e.kinetic / (s.p.v[crank] * s.p.v[crank]);
    test_system_free(&s);
}

static void test_sprung_squeezer(void** state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        double rest = (double[]){-0.1, 0.2, 0.8}[i];
        TestLinear t = test_linear_def(sprung_squeezer(rest, rest), TEST_AT_EQUILIBRIUM);
        double beta = test_coordinate(t.point, "pin_O");
        // Sixth-order central differences of the energy along the mechanism.
        const double h = 4e-3;
        double V[7], T[7];
        for (int k = 0; k < 7; k++) {
            squeezer_energies(beta + (k - 3) * h, rest, &V[k], &T[k]);
        }
        double slope = (45 * (V[4] - V[2]) - 9 * (V[5] - V[1]) + (V[6] - V[0])) / (60 * h);
        double stiffness =
            (2 * (V[0] + V[6]) - 27 * (V[1] + V[5]) + 270 * (V[2] + V[4]) - 490 * V[3]) /
            (180 * h * h);
        test_close("slope of the potential", slope, 0.0, 1e-9);
        double w = sqrt(stiffness / (2.0 * T[3]));
        test_spectrum("squeezer", &t, (double complex[]){CMPLX(0, w), CMPLX(0, -w)}, 2, 1e-7 * w);
        FbOperatingInfo info;
        fb_operating_point_get_info(t.point, &info);
        assert_true(info.residual < 1e-12);
        test_linear_free(&t);
    }
}

// The methods agree with each other on the squeezer: ten joints, three loops, and 42 absolute
// coordinates.
static void test_squeezer_methods(void** state) {
    (void)state;
    TestLinear t = test_linear_def(sprung_squeezer(-0.062, -0.062), TEST_AT_EQUILIBRIUM);
    const FbMode* m = fb_linearization_get_mode(t.l, 0);
    double complex expected[2] = {CMPLX(m->re, m->im), CMPLX(m->re, -m->im)};
    for (int absolute = 0; absolute < 2; absolute++) {
        for (int method = FB_METHOD_DESCRIPTOR; method <= FB_METHOD_ODE; method++) {
            TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
            ask.how.method = (FbLinearMethod)method;
            ask.is_absolute = absolute;
            TestLinear other = test_linear_def(sprung_squeezer(-0.062, -0.062), ask);
            test_spectrum("squeezer by another method", &other, expected, 2, 1e-9 * fabs(m->im));
            test_linear_free(&other);
        }
    }
    test_linear_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fourbar),
        cmocka_unit_test(test_fourbar_dependent),
        cmocka_unit_test(test_fourbar_descriptor_classes),
        cmocka_unit_test(test_fourbar_penalty),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_locked_squeezer),
        cmocka_unit_test(test_sprung_squeezer),
        cmocka_unit_test(test_squeezer_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
