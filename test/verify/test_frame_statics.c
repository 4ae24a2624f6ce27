// Frames at rest: deflections, reactions, section forces and stresses against the formulas of
// textbooks, large rotations, and what does not depend on how the model is turned.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"
#include "test_linear_support.h"

static const double PI = 3.14159265358979323846;

// EI = 200 N m2, EA = 1e6 N, GA = 5000 N; edges at 0.05 m.
static const double EI = 200.0, EA = 1e6, GA = 5000.0, L = 2.0;

static void check(const TestRest* r, const char* coordinate, double expected, double relative) {
    test_close(coordinate, test_coordinate(r->point, coordinate), expected,
               relative * fmax(fabs(expected), 1e-3));
}

// A beam along x from A to B, supports and loads as given.
static TestRest beam(const char* settings, const char* a, const char* b, const char* member) {
    return test_rest_of(
        test_model_with("test/verify/frame_statics/beam.yaml",
                        "plane: xy => plane: xy\n%s; , support: clamped => %s; , force: "
                        "[0, -3, 0] => %s; , elements: 3 => %s",
                        settings, a, b, member));
}

static const double EXACT = 1e-11;

static void cantilevers(void** state) {
    (void)state;
    TestRest r = beam("", ", support: clamped", ", force: [0, -3, 0]", ", elements: 3");
    check(&r, "f.B.q2", -3.0 * pow(L, 3) / (3.0 * EI), EXACT);
    check(&r, "f.B.q3", -3.0 * pow(L, 2) / (2.0 * EI), EXACT);
    test_rest_free(&r);
    r = beam("", ", support: clamped", ", force: [7, 0, 0], moment: [0, 0, 5]", "");
    check(&r, "f.B.q1", 7.0 * L / EA, EXACT);
    check(&r, "f.B.q2", 5.0 * L * L / (2.0 * EI), EXACT);
    check(&r, "f.B.q3", 5.0 * L / EI, EXACT);
    test_rest_free(&r);
    r = beam("", ", support: clamped", "", ", elements: 3, load: [0, -4, 0]");
    check(&r, "f.B.q2", -4.0 * pow(L, 4) / (8.0 * EI), EXACT);
    check(&r, "f.B.q3", -4.0 * pow(L, 3) / (6.0 * EI), EXACT);
    test_rest_free(&r);
    r = beam("    beam: timoshenko\n", ", support: clamped", ", force: [0, -3, 0]",
             ", elements: 2, load: [0, -4, 0]");
    check(&r, "f.B.q2",
          -3.0 * (pow(L, 3) / (3.0 * EI) + L / GA) -
              4.0 * (pow(L, 4) / (8.0 * EI) + L * L / (2.0 * GA)),
          EXACT);
    test_rest_free(&r);
    // The same load as weight.
    r = test_rest_of(test_model_from_file("test/verify/frame_statics/cantilever_by_weight.yaml"));
    check(&r, "f.B.q2", -4.0 * pow(L, 4) / (8.0 * EI), EXACT);
    test_rest_free(&r);
}

static void supported_beams(void** state) {
    (void)state;
    const char* mid = ", elements: 4, stations: {mid: {at: 0.5, force: [0, -3, 0]}}";
    const char* line = ", elements: 4, stations: {mid: 0.5}, load: [0, -4, 0]";
    TestRest r = beam("", ", support: pinned", ", support: roller", mid);
    check(&r, "f.m.mid.q2", -3.0 * pow(L, 3) / (48.0 * EI), EXACT);
    test_rest_free(&r);
    r = beam("", ", support: pinned", ", support: roller", line);
    check(&r, "f.m.mid.q2", -5.0 * 4.0 * pow(L, 4) / (384.0 * EI), EXACT);
    test_rest_free(&r);
    r = beam("", ", support: clamped", ", support: clamped", mid);
    check(&r, "f.m.mid.q2", -3.0 * pow(L, 3) / (192.0 * EI), EXACT);
    test_rest_free(&r);
    r = beam("", ", support: clamped", ", support: clamped", line);
    check(&r, "f.m.mid.q2", -4.0 * pow(L, 4) / (384.0 * EI), EXACT);
    test_rest_free(&r);
    // A spring at the tip: in parallel with 3 EI/L^3; a torsion spring at the root: in series.
    r = beam("", ", support: clamped", ", force: [0, -3, 0], stiffness: [0, 50]", ", elements: 2");
    check(&r, "f.B.q2", -3.0 / (50.0 + 3.0 * EI / pow(L, 3)), EXACT);
    test_rest_free(&r);
    r = beam("", ", support: pinned, stiffness: [0, 0, 0, 0, 0, 80]", ", force: [0, -3, 0]", "");
    check(&r, "f.B.q2", -3.0 * (pow(L, 3) / (3.0 * EI) + L * L / 80.0), EXACT);
    test_rest_free(&r);
    // A roller on a slope of 45 degrees: the beam can only shorten and bend along it.
    r = beam("", ", support: clamped", ", force: [0, -3, 0], support: roller, direction: [1, 1, 0]",
             "");
    check(&r, "f.B.q1", -3.0 / sqrt(2.0) / (0.5 * EA / L + 0.5 * 3.0 * EI / pow(L, 3)), EXACT);
    test_rest_free(&r);
}

// A propped cantilever with a line load, whose prop also sinks: R = 3 q L/8 - 3 EI d/L^3.
static void reactions_and_prescribed_motion(void** state) {
    (void)state;
    TestRest r = test_rest_of(test_model_from_file("test/verify/frame_statics/sinking_prop.yaml"));
    double up = 3.0 * 4.0 * L / 8.0 - 3.0 * EI * 0.01 / pow(L, 3);
    check(&r, "f.B.q2", -0.01, EXACT);
    test_close("prop", fabs(test_rest_output(&r, "P")), up, 1e-9);
    test_close("F.y", test_rest_output(&r, "F.y"), 4.0 * L - up, 1e-9);
    test_close("T.z", test_rest_output(&r, "T.z"), 4.0 * L * L / 2.0 - up * L, 1e-9);
    test_rest_free(&r);
}

// N, Q and M by statics in a cantilever bent and stretched at its tip, and N/A + M c/I.
static void section_forces_and_stresses(void** state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        TestRest r = test_rest_of(test_model_with("test/verify/frame_statics/bent_cantilever.yaml",
                                                  "theory: linear => theory: %s",
                                                  i ? "nonlinear" : "linear"));
        double tol = i ? 0.3 : 1e-9;  // large displacements change the arms
        double arm = 0.7 * L;
        test_close("N", test_rest_output(&r, "S.N"), 7.0, tol);
        test_close("Qy", test_rest_output(&r, "S.Qy"), -3.0, tol);
        test_close("Qz", test_rest_output(&r, "S.Qz"), 2.0, tol);
        test_close("T", test_rest_output(&r, "S.T"), 0.0, tol);
        test_close("My", test_rest_output(&r, "S.My"), -2.0 * arm, tol);
        test_close("Mz", test_rest_output(&r, "S.Mz"), -3.0 * arm, tol);
        test_close("F.y", test_rest_output(&r, "F.y"), 3.0, 1e-9);
        test_close("F.x", test_rest_output(&r, "F.x"), -7.0, 1e-9);
        test_close("F.z", test_rest_output(&r, "F.z"), -2.0, 1e-9);
        test_close("T.z", test_rest_output(&r, "T.z"), -test_rest_output(&r, "root.Mz"), 1e-9);
        test_close("T.y", test_rest_output(&r, "T.y"), -test_rest_output(&r, "root.My"), 1e-9);
        double bending = fabs(test_rest_output(&r, "root.My")) * 0.05 / 1e-4 +
                         fabs(test_rest_output(&r, "root.Mz")) * 0.05 / 2e-4;
        test_close("axial stress", test_rest_output(&r, "s.axial"),
                   test_rest_output(&r, "root.N") + bending, 1e-6);
        test_rest_free(&r);
    }
}

// Torsion alone: T L/GJ, and shear by the torsion modulus of a circle, T/(pi r^3/2).
static void torsion(void** state) {
    (void)state;
    TestRest r = test_rest_of(test_model_from_file("test/verify/frame_statics/torsion.yaml"));
    check(&r, "f.B.q6", 3.0 * L / (1e6 * PI * 1e-4 / 2.0), EXACT);
    test_close("shear", test_rest_output(&r, "s.shear"), 3.0 / (PI * 1e-3 / 2.0), 1e-6);
    test_close("equivalent", test_rest_output(&r, "s.equivalent"),
               sqrt(3.0) * 3.0 / (PI * 1e-3 / 2.0), 1e-6);
    test_close("T.z", test_rest_output(&r, "T.z"), -3.0, 1e-10);
    test_rest_free(&r);
}

// Two members with a hinge between them at midspan, clamped at the far ends: each takes half.
static void hinges(void** state) {
    (void)state;
    const char* path = "test/verify/frame_statics/hinged_members.yaml";
    TestRest r = test_rest_of(test_model_from_file(path));
    check(&r, "f.B.q2", -3.0 * pow(L, 3) / (3.0 * EI), EXACT);
    test_rest_free(&r);
    // A truss of two bars at 45 degrees: d = P l/(2 EA sin^2).
    r = test_rest_of(test_model_from_file("test/verify/frame_statics/plane_truss.yaml"));
    check(&r, "f.B.q2", -6.0 * sqrt(2.0) / EA, EXACT);
    test_close("N", test_rest_output(&r, "S.N"), -6.0 / sqrt(2.0), 1e-9);
    test_rest_free(&r);
    // The same in space with a third bar: each carries P/(3 sin).
    r = test_rest_of(test_model_from_file("test/verify/frame_statics/tripod.yaml"));
    test_close("N", test_rest_output(&r, "S.N"), -2.0 * sqrt(2.0), 1e-9);
    check(&r, "f.B.q3", -6.0 * sqrt(2.0) / EA / (3.0 * 0.5), EXACT);
    test_rest_free(&r);
}

// Sway of a portal with clamped feet: P h^3/(24 EI) (4 + 6 g)/(1 + 6 g), g = (I_b/l)/(I_c/h), where
// members do not stretch.
static void portal(void** state) {
    (void)state;
    TestRest r = test_rest_of(test_model_from_file("test/verify/frame_statics/portal.yaml"));
    double g = (5e-4 / 3.0) / (2e-4 / 2.0);
    check(&r, "f.C.q1", 6.0 * 8.0 / (24.0 * EI) * (4.0 + 6.0 * g) / (1.0 + 6.0 * g), 1e-6);
    test_rest_free(&r);
}

// Two cantilevers of different structures that meet at a loop joint share the load.
static void loops_through_beams(void** state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        TestRest r = test_rest_of(
            test_model_with("test/verify/frame_statics/meeting_cantilevers.yaml",
                            "theory: linear => theory: %s", i ? "nonlinear" : "linear"));
        check(&r, "f.B.q2", -0.03 * pow(L, 3) / (3.0 * EI), i ? 1e-5 : EXACT);
        test_close("F.y", test_rest_output(&r, "F.y"), -0.03, i ? 1e-7 : 1e-11);
        test_rest_free(&r);
    }
}

// A moment 2 pi n EI/L rolls a beam up into n circles, with any mesh, from the straight drawing.
static void roll_up(void** state) {
    (void)state;
    const struct {
        const char *plane, *at, *moment, *turn;
        int n, turns;
    } cases[] = {{"plane: xy", "[2, 0]", "[0, 0, M]", "f.B.q3", 5, 1},
                 {"plane: xz", "[2, 0]", "[0, -M, 0]", "f.B.q3", 8, 1},
                 {"plane: xy", "[2, 0]", "[0, 0, M]", "f.B.q3", 24, 2}};
    for (int i = 0; i < 3; i++) {
        TestRest r = test_rest_of(test_model_with("test/verify/frame_statics/roll_up.yaml",
                                                  "turns=%d; "
                                                  "n=%d; "
                                                  "plane: xy => %s; "
                                                  "at: [2, 0] => at: %s; "
                                                  "moment: [0, 0, M] => moment: %s",
                                                  cases[i].turns, cases[i].n, cases[i].plane,
                                                  cases[i].at, cases[i].moment));
        test_close("x", test_coordinate(r.point, "f.B.q1"), -2.0, 1e-9);
        test_close("y", test_coordinate(r.point, "f.B.q2"), 0.0, 1e-9);
        test_close("turn", test_coordinate(r.point, cases[i].turn), 2.0 * PI * cases[i].turns,
                   1e-9);
        test_rest_free(&r);
    }
}

// In space a moment does no work around a closed path, so half a turn will do here.
static void roll_up_in_space(void** state) {
    (void)state;
    TestRest r =
        test_rest_of(test_model_from_file("test/verify/frame_statics/roll_up_in_space.yaml"));
    // Half a circle of radius L/pi in the plane x = 0: the tip is 2 L/pi to the left of the beam.
    double height = 2.0 * L / PI;
    test_close("P.x", test_rest_output(&r, "P.x"), 0.0, 1e-9);
    test_close("P.y", test_rest_output(&r, "P.y"), -0.8 * height, 1e-9);
    test_close("P.z", test_rest_output(&r, "P.z"), 0.6 * height, 1e-9);
    test_close("Mz", test_rest_output(&r, "S.Mz"), 100.0 * PI, 1e-7);
    test_rest_free(&r);
}

// A full circle in space, where the moment about a fixed axis could push it out of its plane.
static void full_circle_in_space(void** state) {
    (void)state;
    TestRest r =
        test_rest_of(test_model_from_file("test/verify/frame_statics/full_circle_in_space.yaml"));
    test_close("P.x", test_rest_output(&r, "P.x"), 0.0, 1e-9);
    test_close("P.y", test_rest_output(&r, "P.y"), 0.0, 1e-9);
    test_close("P.z", test_rest_output(&r, "P.z"), 0.0, 1e-9);
    test_rest_free(&r);
}

// The bend of 45 degrees and 100 in radius with 600 at its tip, as a polygon of 16 members (Bathe
// and Bolourchi 1979; Cardona and Geradin 1988: 47.04, 15.55, 53.50).
static void bend_of_45_degrees(void** state) {
    (void)state;
    TestRest r =
        test_rest_of(test_model_from_file("test/verify/frame_statics/bend_of_45_degrees.yaml"));
    test_close("P.x", test_rest_output(&r, "P.x"), 47.04, 0.2);
    test_close("P.y", test_rest_output(&r, "P.y"), 15.55, 0.1);
    test_close("P.z", test_rest_output(&r, "P.z"), 53.50, 0.15);
    test_rest_free(&r);
}

// The same as one arc, against the continuous rod solved by shooting (test_fem_beam_large): order
// four, and 0.06 % of the deflection with three elements. Turned by a quarter about x, the force
// with it, it moves alike.
static void arc_of_45_degrees(void** state) {
    (void)state;
    const char* path = "test/verify/frame_statics/arc_of_45_degrees.yaml";
    const double exact[3] = {46.891586, 15.557676, 53.607986};
    double error[3];
    for (int k = 0; k < 3; k++) {
        TestRest r = test_rest_of(test_model_with(path, "n=%d", 3 << k));
        const double off[3] = {test_rest_output(&r, "P.x") - exact[0],
                               test_rest_output(&r, "P.y") - exact[1],
                               test_rest_output(&r, "P.z") - exact[2]};
        error[k] = sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
        test_close("shear at the tip",
                   hypot(test_rest_output(&r, "end.Qy"),
                         hypot(test_rest_output(&r, "end.Qz"), test_rest_output(&r, "end.N"))),
                   600, 1e-6);
        test_close("moment at the tip", test_rest_output(&r, "end.My"), 0.0, 1e-6);
        test_rest_free(&r);
    }
    assert_true(error[0] < 6e-4 * 53.6);
    test_close("order", log2(error[0] / error[1]), 4.0, 0.15);
    test_close("order", log2(error[1] / error[2]), 4.0, 0.05);
    TestRest r = test_rest_of(test_model_with(path,
                                              "n=3; [0, 0, load] => [0, -load, 0]; "
                                              "R*(1 - cos(pi/4)), 0] => 0, R*(1 - cos(pi/4))]; "
                                              "R*(1 - cos(0.2)), 0] => 0, R*(1 - cos(0.2))]"));
    TestRest drawn = test_rest_of(test_model_with(path, "n=3"));
    test_close("x", test_rest_output(&r, "P.x"), test_rest_output(&drawn, "P.x"), 1e-8);
    test_close("y", -test_rest_output(&r, "P.y"), test_rest_output(&drawn, "P.z"), 1e-8);
    test_close("z", test_rest_output(&r, "P.z"), test_rest_output(&drawn, "P.y"), 1e-8);
    test_rest_free(&r);
    test_rest_free(&drawn);
}

// A dead tip force on a slender cantilever, P L^2/EI = 10 (Bisshopp and Drucker 1945; Mattiasson
// 1981: 0.55500, 0.81061).
static void large_deflection(void** state) {
    (void)state;
    const char* planes[] = {"plane: xy", "beam: euler"};  // the second is in space
    for (int i = 0; i < 2; i++) {
        TestRest r = test_rest_of(test_model_with("test/verify/frame_statics/large_deflection.yaml",
                                                  "plane: xy => %s", planes[i]));
        test_close("x/L", -test_coordinate(r.point, "f.B.q1") / L, 0.55500, 3e-5);
        test_close("y/L", test_coordinate(r.point, "f.B.q2") / L, 0.81061, 3e-5);
        test_rest_free(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilevers),
        cmocka_unit_test(supported_beams),
        cmocka_unit_test(reactions_and_prescribed_motion),
        cmocka_unit_test(section_forces_and_stresses),
        cmocka_unit_test(torsion),
        cmocka_unit_test(hinges),
        cmocka_unit_test(portal),
        cmocka_unit_test(loops_through_beams),
        cmocka_unit_test(roll_up),
        cmocka_unit_test(roll_up_in_space),
        cmocka_unit_test(full_circle_in_space),
        cmocka_unit_test(bend_of_45_degrees),
        cmocka_unit_test(arc_of_45_degrees),
        cmocka_unit_test(large_deflection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
