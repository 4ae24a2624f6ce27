// Section forces inside elements: loads, weight, inertia and damping against closed forms,
// against reactions and against the elastica; in any plane, turned, and travelled backwards.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"
#include "test_linear_support.h"

static const TestMethod FINE = {.integrator = "radau", .rtol = 1e-9, .atol = 1e-11};
static const char* const NAMES[6] = {"N", "Qy", "Qz", "T", "My", "Mz"};

static double component(const TestRest* r, const char* sensor, int i) {
    char name[40];
    snprintf(name, sizeof(name), "%s.%s", sensor, NAMES[i]);
    return test_rest_output(r, name);
}

// Weight mu g = 2 * 1.5 = 3 N/m; EI = 200 and 100 N m2.
static const double L = 2.0;
static const char* const SHEAR = ", shear_y: 0.5, shear_z: 0.5";

static void turn(const double R[3][3], const double x[3], double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = R[i][0] * x[0] + R[i][1] * x[1] + R[i][2] * x[2];
    }
}

// A cantilever of one or more elements with weight and a load per length, drawn turned and moved:
// in the axes of the section always the same parabolas.
static void loads_inside_an_element(void** state) {
    (void)state;
    const double c = cos(0.7), s = sin(0.7), q[3] = {0.5, -4.0, 1.5}, g[3] = {0.3, -1.2, 0.9};
    const double turns[3][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                   {{c, -s, 0}, {s, c, 0}, {0, 0, 1}},
                                   {{c * c, -s, c * s}, {s * c, c, s * s}, {-s, 0, c}}};
    for (int k = 0; k < 3 * 2 * 2; k++) {
        const double(*R)[3] = turns[k % 3];
        double A[3] = {3.0, -1.0, 2.0}, B[3], y[3], load[3], weight[3], x[3] = {L, 0, 0};
        const double ey[3] = {0, 1, 0};
        turn(R, x, B);
        turn(R, ey, y);
        turn(R, q, load);
        turn(R, g, weight);
        TestRest r = test_rest_of(
            test_model_with("test/verify/section_forces/loaded_cantilever.yaml",
                            "gx=%.17g; "
                            "gy=%.17g; "
                            "gz=%.17g; "
                            "ax=%.17g; "
                            "ay=%.17g; "
                            "az=%.17g; "
                            "bx=%.17g; "
                            "by=%.17g; "
                            "bz=%.17g; "
                            "n=%d; "
                            "yx=%.17g; "
                            "yy=%.17g; "
                            "yz=%.17g; "
                            "qx=%.17g; "
                            "qy=%.17g; "
                            "qz=%.17g; "
                            "edge_z: 0.05,\n      shear_y: 0.5, shear_z: 0.5 => edge_z: 0.05%s",
                            weight[0], weight[1], weight[2], A[0], A[1], A[2], A[0] + B[0],
                            A[1] + B[1], A[2] + B[2], k / 6 ? 3 : 1, y[0], y[1], y[2], load[0],
                            load[1], load[2], k / 3 % 2 ? SHEAR : ""));
        double p[3];
        for (int i = 0; i < 3; i++) {
            p[i] = q[i] + 2.0 * g[i];
        }
        for (int at = 0; at < 2; at++) {
            double arm = L * (at ? 0.63 : 1.0);
            const double expected[6] = {p[0] * arm,
                                        p[1] * arm,
                                        p[2] * arm,
                                        0.0,
                                        -0.5 * p[2] * arm * arm,
                                        0.5 * p[1] * arm * arm};
            for (int i = 0; i < 6; i++) {
                test_close(NAMES[i], component(&r, at ? "b" : "a", i), expected[i], 1e-10);
            }
        }
        double stress = fabs(component(&r, "b", 0)) + fabs(component(&r, "b", 4)) * 0.05 / 1e-4 +
                        fabs(component(&r, "b", 5)) * 0.05 / 2e-4;
        test_close("stress", test_rest_output(&r, "s.axial"), stress, 1e-8);
        test_rest_free(&r);
    }
}

// In each plane of drawing, and drawn from its tip: the bending moment keeps its size.
static void planes_and_backwards(void** state) {
    (void)state;
    const char* planes[3] = {"xy", "xz", "yz"};
    const char* loads[3] = {"[0, -4, 0]", "[0, 0, -4]", "[0, 0, -4]"};
    for (int k = 0; k < 12; k++) {
        bool is_back = k / 6;
        TestRest r = test_rest_of(test_model_with(
            "test/verify/section_forces/plane_cantilever.yaml",
            "at=%g; "
            "plane: xy => plane: %s; "
            "theory: linear => theory: %s; "
            "from: A => from: %s; "
            "to: B => to: %s; "
            "load: [0, -4, 0] => load: %s",
            is_back ? 0.75 : 0.25, planes[k % 3], k / 3 % 2 ? "nonlinear" : "linear",
            is_back ? "B" : "A", is_back ? "A" : "B", loads[k % 3]));
        double arm = 0.75 * L, tolerance = k / 3 % 2 ? 0.02 : 1e-10;
        test_close("N", component(&r, "b", 0), 0.0, k / 3 % 2 ? 0.5 : 1e-10);
        test_close("Q", fabs(component(&r, "b", 1)), 4.0 * arm, tolerance * 4.0 * arm);
        test_close("M", fabs(component(&r, "b", 5)), 2.0 * arm * arm, tolerance * 2.0 * arm * arm);
        test_close("side", component(&r, "b", 2), 0.0, 1e-12);
        test_rest_free(&r);
    }
}

// The angle of an elastica EI th'' = -P cos(th) at its tip, clamped at th = 0: by shooting.
static double elastica(double P, double EI) {
    double low = 0.0, high = 20.0, th = 0.0;
    for (int trial = 0; trial < 80; trial++) {
        double k = 0.5 * (low + high);
        const int n = 2000;
        double h = 1.0 / n, y = k;
        th = 0.0;
        for (int i = 0; i < n; i++) {  // midpoint rule twice: Stoermer-Verlet
            double half = y - 0.5 * h * P / EI * cos(th);
            th += h * half;
            y = half - 0.5 * h * P / EI * cos(th);
        }
        if (y > 0.0) {
            high = k;
        } else {
            low = k;
        }
    }
    return th;
}

// A thin bar bent by a dead force of 4 EI/L^2: forces in the axes of the turned section, which do
// not jump from element to element and come to those of the elastica with order two at least.
static void axes_turn_with_the_section(void** state) {
    (void)state;
    double angle = elastica(4.0, 1.0), error[2];
    const char* planes[3] = {"xy", "xz", "yz"};
    const char* force[3] = {"[0, 4, 0]", "[0, 0, 4]", "[0, 0, 4]"};
    for (int k = 0; k < 6; k++) {
        TestRest r = test_rest_of(test_model_with("test/verify/section_forces/bent_bar.yaml",
                                                  "n=%d; "
                                                  "left=%.10f; "
                                                  "right=%.10f; "
                                                  "plane: xy => plane: %s; "
                                                  "force: [0, 4, 0] => force: %s",
                                                  k < 3 ? 4 : 8, 0.5 - 1e-9, 0.5 + 1e-9,
                                                  planes[k % 3], force[k % 3]));
        for (int i = 0; i < 6; i++) {
            test_close(NAMES[i], component(&r, "b", i), component(&r, "a", i), 1e-7);
        }
        double N = component(&r, "tip", 0), Q = fabs(component(&r, "tip", 1));
        test_close("force", hypot(N, Q), 4.0, 1e-9);
        error[k / 3] = fabs(Q - 4.0 * cos(angle));
        test_rest_free(&r);
    }
    test_close("tip Q", error[1], 0.0, 1e-4);
    assert_true(error[1] < 0.3 * error[0]);
}

// A bar without mass of its own carries a body and has stiffness damping: EI (w'' + beta w''').
static void damping_is_in_the_section(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/section_forces/damped_section.yaml", FINE);
    double largest = 0.0;
    for (int row = 1; row < run.n_rows; row++) {
        double w = test_run_value(&run, row, "w"), th = test_run_value(&run, row, "th");
        double rate = test_run_value(&run, row, "dw"), turn_rate = test_run_value(&run, row, "dth");
        double strain_rate = 0.02 * 200.0 * (6.0 * rate / 4.0 - 2.0 * turn_rate / 2.0);
        double moment = 200.0 * (6.0 * w / 4.0 - 2.0 * th / 2.0) + strain_rate;
        double shear = -200.0 * (12.0 * (w + 0.02 * rate) - 12.0 * (th + 0.02 * turn_rate)) / 8.0;
        test_close("Mz", test_run_value(&run, row, "a.Mz"), moment, 1e-8);
        test_close("Qy", test_run_value(&run, row, "a.Qy"), -shear, 1e-8);
        test_close("middle", test_run_value(&run, row, "m.Mz"), moment + shear, 1e-8);
        test_close("T.z", test_run_value(&run, row, "T.z"), -moment, 1e-8);
        largest = fmax(largest, fabs(strain_rate));
    }
    assert_true(largest > 0.1);
    test_run_free(&run);
}

// A vibrating bar with mass, weight, damping and shear: at its clamp what the support exerts, at a
// node what the other element has, by both theories.
static void reactions_and_borders(void** state) {
    (void)state;
    const char* theories[2] = {"linear", "nonlinear"};
    for (int k = 0; k < 4; k++) {
        TestRun run = test_run_with("test/verify/section_forces/vibrating_bar.yaml", FINE,
                                    "left=%.10f; "
                                    "right=%.10f; "
                                    "theory: linear => theory: %s; "
                                    "beam: euler => beam: %s",
                                    1.0 / 3.0 - 1e-9, 1.0 / 3.0 + 1e-9, theories[k % 2],
                                    k / 2 ? "timoshenko" : "euler");
        double changed = 0.0;
        for (int row = 0; row < run.n_rows; row++) {
            double sum[4] = {0};
            for (int i = 0; i < 6; i++) {
                char name[3][16];
                for (int c = 0; c < 3; c++) {
                    snprintf(name[c], sizeof(name[c]), "%c.%s", "alr"[c], NAMES[i]);
                }
                double a = test_run_value(&run, row, name[0]);
                sum[i / 3] += a * a;
                test_close(name[1], test_run_value(&run, row, name[1]),
                           test_run_value(&run, row, name[2]), 1e-5);
            }
            const char* reactions[6] = {"F.x", "F.y", "F.z", "T.x", "T.y", "T.z"};
            for (int i = 0; i < 6; i++) {
                double x = test_run_value(&run, row, reactions[i]);
                sum[2 + i / 3] += x * x;
            }
            test_close("force", sqrt(sum[0]), sqrt(sum[2]), 1e-7 * sqrt(sum[2]));
            test_close("moment", sqrt(sum[1]), sqrt(sum[3]), 1e-7 * sqrt(sum[3]));
            changed = fmax(
                changed, fabs(test_run_value(&run, row, "a.Mz") - test_run_value(&run, 0, "a.Mz")));
        }
        assert_true(changed > 5.0);
        test_run_free(&run);
    }
}

// A mass that stands on an element: the moment is linear up to it and zero beyond, in one element.
static void slider_on_the_element(void** state) {
    (void)state;
    const char* theories[5] = {"consistent", "linear_consistent", "convective", "form_1a",
                               "form_1b"};
    for (int k = 0; k < 10; k++) {
        bool is_back = k / 5;
        TestRest r = test_rest_of(test_model_with(
            "test/verify/section_forces/slider_on_a_bar.yaml",
            "a_at=%g; "
            "b_at=%g; "
            "plane: xy\n    theory: linear => plane: xy\n    theory: %s; "
            "from: A => from: %s; "
            "to: B => to: %s; "
            "value: '1.2' => value: '%g'; "
            "theory: linear_consistent => theory: %s",
            is_back ? 0.75 : 0.25, is_back ? 0.3 : 0.7, k % 5 == 0 ? "nonlinear" : "linear",
            is_back ? "B" : "A", is_back ? "A" : "B", is_back ? 0.8 : 1.2, theories[k % 5]));
        double tolerance = k % 5 == 0 ? 1e-3 : 1e-9;
        test_close("before", fabs(component(&r, "a", 5)), 30.0 * (1.2 - 0.5), tolerance);
        test_close("Q before", fabs(component(&r, "a", 1)), 30.0, tolerance);
        test_close("beyond", component(&r, "b", 5), 0.0, 1e-7);
        test_close("Q beyond", component(&r, "b", 1), 0.0, 1e-7);
        test_rest_free(&r);
    }
}

// C_e is the rate of M_e, and f_c = C_e u' (form 1a, one element, the other end clamped).
static void composite_matrices(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/section_forces/composite_matrices.yaml", FINE);
    for (int row = 1; row + 1 < run.n_rows; row++) {
        double rate = (test_run_value(&run, row + 1, "M") - test_run_value(&run, row - 1, "M")) /
                      (test_run_time(&run, row + 1) - test_run_time(&run, row - 1));
        double C = test_run_value(&run, row, "C"), D = test_run_value(&run, row, "D");
        test_close("C_e", C, rate, 1e-4);
        test_close("f_c", test_run_value(&run, row, "f.by"),
                   D * test_run_value(&run, row, "v") + C * test_run_value(&run, row, "w"), 1e-9);
    }
    test_run_free(&run);
}

// Samples inside the long steps of a loose tolerance: forces that are differences of stiff ones are
// as good there as at the ends of steps.
static void samples_inside_long_steps(void** state) {
    (void)state;
    static const char* const outputs[] = {"middle.N", "middle.Qy", "middle.Qz", "middle.My"};
    const char* path = "bench/cases/flexible-fourbar/fourbar.yaml";
    TestMethod fine = {.rtol = 1e-6, .atol = 1e-9, .duration = 1.0, .sample = 0.05};
    TestRun exact = test_run_file(path, fine);
    static const double tolerances[][2] = {{1e-3, 1e-9}, {1e-4, 1e-7}, {1e-2, 1e-7}};
    for (int i = 0; i < 3; i++) {
        TestMethod loose = fine;
        loose.rtol = tolerances[i][0];
        loose.atol = tolerances[i][1];
        TestRun run = test_run_file(path, loose);
        for (int k = 0; k < 4; k++) {
            double range = test_run_drift(&exact, outputs[k]);
            for (int row = 2; row < run.n_rows; row++) {  // the start vibrates
                test_close(outputs[k], test_run_value(&run, row, outputs[k]),
                           test_run_value(&exact, row, outputs[k]), 0.03 * range);
            }
        }
        test_run_free(&run);
    }
    test_run_free(&exact);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_inside_long_steps), cmocka_unit_test(loads_inside_an_element),
        cmocka_unit_test(planes_and_backwards),      cmocka_unit_test(axes_turn_with_the_section),
        cmocka_unit_test(damping_is_in_the_section), cmocka_unit_test(reactions_and_borders),
        cmocka_unit_test(slider_on_the_element),     cmocka_unit_test(composite_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
