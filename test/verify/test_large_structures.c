// Large linear structures without constraints, which are checked and balanced by symmetric
// elimination: the verdicts and digits of small ones, and closed forms.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"
#include "test_linear_support.h"

static const char COLUMNS[] = "test/verify/large_structures/columns.yaml";
// Of the longest column: 1 N m2, 0.02 kg/m over 2 m, and the load at which it buckles under its
// weight (Greenhill: q L^3 = 7.8373 EI).
static const double EI = 1.0, LENGTH = 2.0, PER_LENGTH = 0.02, GREENHILL = 7.83734744;

static FbModel* column(const char* change, int n, double g, double push, double turn) {
    FbModelDef* def = test_def_with(COLUMNS, "%s; N=%d; g=%.17g; push=%.17g; turn=%.17g", change, n,
                                    g, push, turn);
    FbModel* model = test_model_from_def(def);
    fb_model_def_destroy(def);
    return model;
}

static const char AS_IT_IS[] = "N: 14 => N: 14",
                  PINNED[] = "[0, 0], support: clamped => [0, 0], support: pinned",
                  FREE[] = "[0, 0], support: clamped => [0, 0]";
static const int SIZES[] = {1, 14};        // 180 and 1350 coordinates
static const double TURNS[] = {0.0, 0.7};  // rad

// Just below and just above Greenhill's load.
static void buckling(void** state) {
    (void)state;
    double critical = GREENHILL * EI / (PER_LENGTH * LENGTH * LENGTH * LENGTH);
    for (int i = 0; i < 4; i++) {
        int n = SIZES[i % 2];
        double turn = TURNS[i / 2];
        test_expect_structure_warning(column(AS_IT_IS, n, 0.999 * critical, 0.0, turn), NULL);
        test_expect_structure_warning(column(AS_IT_IS, n, 1.001 * critical, 0.0, turn),
                                      "buckle under the loads");
    }
}

// A mechanism is named as one, not as a structure that buckles; nothing comes to rest in it.
static void mechanisms(void** state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        int n = SIZES[i % 2];
        double turn = TURNS[i / 2];
        test_expect_structure_warning(column(PINNED, n, 1.0, 0.0, turn), "in 1 way without strain");
        test_expect_structure_warning(column(FREE, n, 1.0, 0.0, turn), "in 3 ways without strain");
        const char* const changes[] = {PINNED, FREE};
        for (int k = 0; k < 2 && n == SIZES[0]; k++) {  // large ones take long to give up
            FbModel* model = column(changes[k], n, 1.0, 1.0, turn);
            FbOperatingOptions options = fb_operating_options_default();
            FbOperatingPoint* point = NULL;
            FbError err = {0};
            assert_true(fb_operating_point_create(model, &options, &point, &err) < 0);
            assert_non_null(strstr(err.text, "no equilibrium"));
            fb_model_destroy(model);
        }
    }
}

// The top of the column: P L^3 / 3 EI to the side (shear is left out), q L^2 / 2 EA down.
static void statics(void** state) {
    (void)state;
    const double EA = 1e4, push = 1e-3, g = 2.0;
    double side = push * LENGTH * LENGTH * LENGTH / (3.0 * EI);
    double down = g * PER_LENGTH * LENGTH * LENGTH / (2.0 * EA);
    for (int i = 0; i < 4; i++) {
        double turn = TURNS[i / 2], values[2], c = cos(turn), s = sin(turn);
        FbModel* model = column(AS_IT_IS, SIZES[i % 2], g, push, turn);
        FbOperatingPoint* point = test_point_at(model, fb_operating_options_default());
        FbOperatingInfo info;
        FbError err = {0};
        fb_operating_point_get_info(point, &info);
        assert_true(info.is_equilibrium && info.residual < 1e-12);
        assert_int_equal(fb_operating_point_calc_outputs(point, values, &err), FB_OK);
        double slack = 1e-10;  // rounding of 30 elements: some 1e-16 n^4 of bending
        test_close("to the side", -s * values[0] + c * values[1], side, slack * side);
        test_close("down", -c * values[0] - s * values[1], down, slack * side);
        fb_operating_point_destroy(point);
        fb_model_destroy(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckling),
        cmocka_unit_test(mechanisms),
        cmocka_unit_test(statics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
