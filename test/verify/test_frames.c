// Frames as files describe them against closed forms of statics: supports, hinges, trusses, loads,
// springs, sections, planes, stations, instances. Elements without shear are exact at their nodes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

// E I of the section, E A, and the same of the rectangle in space.
static const double E = 2e11, A = 1.2e-3, I = 8e-7;
static const double WIDTH = 0.02, HEIGHT = 0.04;

// The outputs in equilibrium.
static TestRun stand(FbModel* model) {
    return test_run_model(model, (TestMethod){"radau", 1e-6, 1e-6, 1e-8, 1e-12});
}

static void check(const TestRun* run, const char* output, double expected) {
    test_close(output, test_run_value(run, 0, output), expected, 1e-8 * fabs(expected) + 1e-14);
}

// A simply supported beam under a line load in each plane: the first coordinate is along the beam,
// the second across.
static void every_plane(void** state) {
    (void)state;
    static const char* const names[] = {"xy", "xz", "yz"};
    static const char* const loads[] = {"0, -300, 0", "0, 0, -300", "0, 0, -300"};
    static const char* const across[] = {"y", "z", "z"};
    double q = 300.0, L = 4.0;
    for (int i = 0; i < 3; i++) {
        for (int n = 2; n <= 6; n += 4) {
            TestRun run = stand(test_model_with("test/verify/frames/plane_beam.yaml",
                                                "n=%d; "
                                                "plane: xy => plane: %s; "
                                                "0, -300, 0 => %s; "
                                                "component: y => component: %s",
                                                n, names[i], loads[i], across[i]));
            check(&run, "w", -5.0 * q * pow(L, 4) / (384.0 * E * I));
            check(&run, "slope", -q * pow(L, 3) / (24.0 * E * I));
            check(&run, "R", q * L / 2.0);
            test_run_free(&run);
        }
    }
}

// The same in a template, its plane turned upright and its axis along y.
static void turned_instance(void** state) {
    (void)state;
    TestRun run = stand(test_model_from_file("test/verify/frames/turned_instance.yaml"));
    double w = -5.0 * 300.0 * pow(4.0, 4) / (384.0 * E * I);
    check(&run, "w", w);
    check(&run, "p.x", 1.0);
    check(&run, "p.y", 4.0);
    check(&run, "p.z", 3.0 + w);
    test_run_free(&run);
}

// Clamped, hinged in the middle, on a roller at the end, loaded in the second half.
static void hinged_beam(void** state) {
    (void)state;
    double P = 1000.0, a = 2.0, b = 3.0;
    TestRun run = stand(test_model_from_file("test/verify/frames/hinged_beam.yaml"));
    double w = -P / 2.0 * pow(a, 3) / (3.0 * E * I);
    check(&run, "B", w);
    check(&run, "mid", w / 2.0 - P * pow(b, 3) / (48.0 * E * I));
    check(&run, "C", P / 2.0);
    check(&run, "M", -P / 2.0 * a);
    // Slope of the right part at the hinge less that of the left.
    double left = -P / 2.0 * a * a / (2.0 * E * I);
    check(&run, "kink", -w / b - P * b * b / (16.0 * E * I) - left);
    test_run_free(&run);
}

// A beam on three supports of which the middle one is a station.
static void station_as_support(void** state) {
    (void)state;
    TestRun run = stand(test_model_from_file("test/verify/frames/station_as_support.yaml"));
    check(&run, "mid", 1.25 * 100.0 * 3.0);
    check(&run, "A", 0.375 * 100.0 * 3.0);
    test_run_free(&run);
}

// Two bars at 45 degrees, a load at their joint.
static void plane_truss(void** state) {
    (void)state;
    for (int n = 1; n <= 3; n += 2) {
        TestRun run = stand(test_model_with("test/verify/frames/plane_truss.yaml", "n=%d", n));
        check(&run, "y", -5000.0 * sqrt(2.0) / (2.0 * E * A * 0.5));
        test_close("x", test_run_value(&run, 0, "x"), 0.0, 1e-14);
        test_run_free(&run);
    }
}

// A tripod: every member hinged at both ends, nothing may spin or swing freely.
static void space_truss(void** state) {
    (void)state;
    double L = sqrt(1.0 + 4.0), c = 2.0 / L, area = WIDTH * HEIGHT;
    for (int n = 1; n <= 2; n++) {
        TestRun run = stand(test_model_with("test/verify/frames/tripod.yaml", "n=%d", n));
        check(&run, "z", -5000.0 * L / (3.0 * E * area * c * c));
        test_close("x", test_run_value(&run, 0, "x"), 0.0, 1e-13);
        check(&run, "R", 5000.0 / 3.0);
        test_run_free(&run);
    }
}

// A cantilever in space bends about both axes and twists; its height is upright by itself.
static void space_cantilever(void** state) {
    (void)state;
    double L = 2.0, Iz = WIDTH * pow(HEIGHT, 3) / 12.0, Iy = HEIGHT * pow(WIDTH, 3) / 12.0;
    double J = 0.228681677119571 * HEIGHT * pow(WIDTH, 3), G = E / 2.5;
    for (int turned = 0; turned < 2; turned++) {
        TestRun run = stand(
            test_model_with("test/verify/frames/space_cantilever.yaml",
                            "30]}}\n    members: {m: {from: A, to: B, section: r, elements: 3}} => "
                            "30]}}\n    members: {m: {from: A, to: B, section: r, elements: 3%s}}",
                            turned ? ", y_axis: [0, 1, 0]" : ""));
        double up = turned ? Iy : Iz, aside = turned ? Iz : Iy;
        check(&run, "x", 1000.0 * L / (E * WIDTH * HEIGHT));
        check(&run, "y", 20.0 * pow(L, 3) / (3.0 * E * aside));
        check(&run, "z", 30.0 * pow(L, 3) / (3.0 * E * up));
        check(&run, "ry", -30.0 * L * L / (2.0 * E * up));
        check(&run, "twist", 5.0 * L / (G * J));
        check(&run, "R.x", -1000.0);
        check(&run, "R.y", -20.0);
        check(&run, "M.y", 30.0 * L);
        check(&run, "M.z", -20.0 * L);
        check(&run, "T", -5.0);
        test_run_free(&run);
    }
}

// A propped cantilever in space; the roller is a constraint with the normal of its plane.
static void roller_in_space(void** state) {
    (void)state;
    TestRun run = stand(test_model_from_file("test/verify/frames/roller_in_space.yaml"));
    test_close("z", test_run_value(&run, 0, "z"), 0.0, 1e-12);
    test_close("R", fabs(test_run_value(&run, 0, "R")), 3.0 / 8.0 * 80.0 * 3.0, 1e-6);
    check(&run, "A", 5.0 / 8.0 * 80.0 * 3.0);
    test_run_free(&run);
}

// A roller on a slope takes only what is across it.
static void oblique_roller(void** state) {
    (void)state;
    TestRun run = stand(test_model_from_file("test/verify/frames/oblique_roller.yaml"));
    check(&run, "B.z", 50.0);
    check(&run, "B.x", -50.0 * 4.0 / 3.0);
    check(&run, "A.x", 50.0 * 4.0 / 3.0);
    // The beam is compressed by 66.7 N: B moves along the slope by 5/3 of the shortening.
    check(&run, "s", -(200.0 / 3.0) * 2.0 / (E * A) * 5.0 / 3.0);
    test_run_free(&run);
}

static void spring_and_shear(void** state) {
    (void)state;
    double L = 1.0, P = 700.0, k = 2e5;
    TestRun run = stand(test_model_from_file("test/verify/frames/spring_and_shear.yaml"));
    double Iz = WIDTH * pow(HEIGHT, 3) / 12.0, G = E / 2.5;
    check(&run, "f", -P / (k + 3.0 * E * I / pow(L, 3)));
    check(&run, "g", -P * pow(L, 3) / (3.0 * E * Iz) - P * L / (5.0 / 6.0 * G * WIDTH * HEIGHT));
    check(&run, "h", -7.0 / 900.0);
    test_run_free(&run);
}

// While a cantilever with a mass sliding on it vibrates, the reaction at its support, the weight
// and the load make up the rate of change of momentum.
static void reactions_balance_momentum(void** state) {
    (void)state;
    static const char* const theories[][2] = {
        {"linear", "convective"}, {"linear", "linear_consistent"}, {"nonlinear", "consistent"}};
    enum { N = 40 };
    double dt = 1e-4, weight = 9.81 * (1000.0 * 0.02 * 0.02 * 2.0 + 0.3);
    for (int i = 0; i < 3; i++) {
        TestRun run = test_run_with("test/verify/frames/sliding_mass.yaml",
                                    (TestMethod){"radau", N * dt, dt, 1e-9, 1e-12},
                                    "speed=%s; "
                                    "theory: linear => theory: %s; "
                                    "theory: convective => theory: %s",
                                    i < 2 ? "0.001" : "1", theories[i][0], theories[i][1]);
        double largest = 0.0;
        for (int k = 4; k < N - 2; k++) {
            double P[4];
            for (int j = 0; j < 4; j++) {
                P[j] = test_run_value(&run, k + (j < 2 ? j - 2 : j - 1), "P.z");
            }
            double rate = (P[0] - 8.0 * P[1] + 8.0 * P[2] - P[3]) / (12.0 * dt);
            double force = test_run_value(&run, k, "R") - weight +
                           5.0 * sin(30.0 * test_run_time(&run, k)) * 2.0;
            largest = fmax(largest, fabs(test_run_value(&run, k, "R")));
            test_close(theories[i][1], force, rate, 1e-6 * (1.0 + largest));
        }
        assert_true(largest > 0.1);
        test_run_free(&run);
    }
}

// What a node starts with is there, in every plane and theory.
static void starting_values(void** state) {
    (void)state;
    for (int nonlinear = 0; nonlinear < 2; nonlinear++) {
        TestRun run =
            test_run_with("test/verify/frames/starting_values.yaml",
                          (TestMethod){"radau", 1e-6, 1e-6, 1e-8, 1e-10},
                          "theory: linear => theory: %s", nonlinear ? "nonlinear" : "linear");
        check(&run, "p.x", 1.01);
        check(&run, "p.y", 0.02);
        check(&run, "p.z", 0.03);
        check(&run, "v.y", 2.0);
        check(&run, "v.z", 3.0);
        // Rates of Cardan angles are an angular velocity up to the size of the angles.
        test_close("w.x", test_run_value(&run, 0, "w.x"), 0.4, nonlinear ? 1e-12 : 0.06);
        test_close("w.y", test_run_value(&run, 0, "w.y"), 0.5, nonlinear ? 1e-12 : 0.06);
        check(&run, "gp.x", 1.01);
        check(&run, "gp.z", 0.03);
        check(&run, "gv.z", 3.0);
        check(&run, "gw.y", 0.5);
        test_run_free(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plane),
        cmocka_unit_test(turned_instance),
        cmocka_unit_test(hinged_beam),
        cmocka_unit_test(station_as_support),
        cmocka_unit_test(plane_truss),
        cmocka_unit_test(space_truss),
        cmocka_unit_test(space_cantilever),
        cmocka_unit_test(roller_in_space),
        cmocka_unit_test(oblique_roller),
        cmocka_unit_test(spring_and_shear),
        cmocka_unit_test(reactions_balance_momentum),
        cmocka_unit_test(starting_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
