// Vibrations of frames: frequencies against closed forms, damping ratios, centrifugal stiffening,
// masses at tips and parked sliders, and spectra that do not depend on how the model is turned.
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

static const double PI = 3.14159265358979323846;

// EI = 200 N m2 (EI about y 100), EA = 1e6 N, 2 kg/m, GJ = 3 N m2, shear area 0.5.
static const double EI = 200.0, EA = 1e6, MU = 2.0, L = 2.0;

enum { MOST = 400 };

static const char IN_SPACE[] = "beam: euler";  // instead of a plane

// Frequencies in rad/s of the modes that oscillate, ascending.
typedef struct Spectrum {
    int n;
    double w[MOST], ratio[MOST];
} Spectrum;

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static Spectrum spectrum_at(FbModelDef* def, TestLinearAsk ask) {
    TestLinear t = test_linear_def(def, ask);
    Spectrum s = {0};
    double pairs[MOST][2];
    for (int i = 0; i < fb_linearization_get_mode_count(t.l); i++) {
        const FbMode* m = fb_linearization_get_mode(t.l, i);
        if (m->class_ == FB_MODE_PHYSICAL && m->im > 0.0) {
            assert_true(s.n < MOST);
            pairs[s.n][0] = 2.0 * PI * m->frequency_hz;
            pairs[s.n++][1] = m->damping_ratio;
        }
    }
    qsort(pairs, (size_t)s.n, sizeof pairs[0], compare);
    for (int i = 0; i < s.n; i++) {
        s.w[i] = pairs[i][0];
        s.ratio[i] = pairs[i][1];
    }
    test_linear_free(&t);
    return s;
}

static Spectrum spectrum(FbModelDef* def) {
    return spectrum_at(def, TEST_AT_INITIAL);
}

static void check(const char* what, double value, double expected, double relative) {
    test_close(what, value, expected, relative * fabs(expected));
}

// Settings of the structure (`plane: xy` of the file), what its ends have, and how many elements.
static FbModelDef* beam(const char* settings, const char* a, const char* b, int n) {
    return test_def_with(
        "test/verify/frame_modes/beam.yaml",
        "plane: xy => %s; , support: clamped => %s; [2, 0, 0] => [2, 0, 0]%s; n=%d", settings, a, b,
        n);
}

// Finite elements are stiffer than the beam: w too high by (k h)^4/1440 (theory manual, 8.1).
static void uniform_beams(void** state) {
    (void)state;
    const struct {
        const char *a, *b;
        double k[3];  // times length
        int n_zero;
    } cases[] = {
        {", support: clamped", "", {1.875104068711961, 4.694091132974175, 7.854757438237613}, 0},
        {", support: pinned", ", support: roller", {PI, 2.0 * PI, 3.0 * PI}, 0},
        {", support: clamped",
         ", support: clamped",
         {4.730040744862704, 7.853204624095838, 10.995607838001671},
         0},
        {", support: clamped",
         ", support: roller",
         {3.926602312047919, 7.068582745628732, 10.210176122813031},
         0},
        {"", "", {4.730040744862704, 7.853204624095838, 10.995607838001671}, 3}};
    const char* theories[] = {"plane: xy", "plane: xy\n    theory: nonlinear"};
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        int n = 16;
        Spectrum s = spectrum(beam(theories[i % 2], cases[i / 2].a, cases[i / 2].b, n));
        for (int k = 0; k < 3; k++) {
            double kL = cases[i / 2].k[k], w = kL * kL / (L * L) * sqrt(EI / MU);
            double error = pow(kL / n, 4) / 1440.0;
            assert_true(s.w[k] > w * (1.0 + 0.5 * error));
            check("frequency", s.w[k], w * (1.0 + error), 0.5 * error + 1e-9);
        }
    }
}

static double nearest(const Spectrum* s, double w) {
    double found = INFINITY;
    for (int k = 0; k < s->n; k++) {
        found = fabs(s->w[k] - w) < fabs(found - w) ? s->w[k] : found;
    }
    return found;
}

// Rods that stretch and twist: w = (2 n - 1) pi c/(2 L), too high by (k h)^2/24.
static void rods(void** state) {
    (void)state;
    int n = 20;
    Spectrum s = spectrum(beam(IN_SPACE, ", support: clamped", "", n));
    double speeds[] = {sqrt(EA / MU), sqrt(3.0 / (2.0 * 3e-4))};  // rho (Iy + Iz)
    for (int i = 0; i < 2; i++) {
        double w = PI / (2.0 * L) * speeds[i] * (1.0 + pow(PI / (2.0 * n), 2) / 24.0);
        check(i ? "torsion" : "stretching", nearest(&s, w), w, 1e-6);
    }
    // Both bending planes.
    check("first", s.w[0], 3.516015268 / (L * L) * sqrt(100.0 / MU), 1e-6);
}

// Nonlinear rods share the rotary inertia of an element among the turns of both ends so that
// torsion is of fourth order, too low by (k h)^4/480 (theory manual, 9.25); of second order: too
// low by (k h)^2/24.
static void torsion_of_nonlinear_rods(void** state) {
    (void)state;
    double k = PI / (2.0 * L), w = k * sqrt(3.0 / (2.0 * 3e-4));
    for (int n = 4; n <= 8; n += 4) {
        double kh = k * L / n;
        Spectrum s = spectrum(
            beam("theory: nonlinear\n    element: fourth_order", ", support: clamped", "", n));
        check("fourth order", nearest(&s, w) / w - 1.0, -pow(kh, 4) / 480.0, 0.1);
        s = spectrum(
            beam("theory: nonlinear\n    element: second_order", ", support: clamped", "", n));
        check("second order", nearest(&s, w) / w - 1.0, -kh * kh / 24.0, 0.1);
    }
}

// A ring in its plane, free: w^2 = EI/(mu r^4) n^2 (n^2 - 1)^2/(n^2 + 1), twice each. Drawn as arcs
// its frequencies are of fourth order.
static void ring(void** state) {
    (void)state;
    double error[2][2];
    for (int i = 0; i < 2; i++) {
        Spectrum s = spectrum(test_def_with("test/verify/frame_modes/ring.yaml", "n=%d", 8 << i));
        for (int n = 2; n <= 3; n++) {
            double w = sqrt(0.1 / 16.0 * n * n * pow(n * n - 1.0, 2) / (n * n + 1.0));
            check("pair", s.w[2 * (n - 2)], s.w[2 * (n - 2) + 1], 1e-6);
            error[i][n - 2] = s.w[2 * (n - 2)] / w - 1.0;
        }
    }
    for (int k = 0; k < 2; k++) {
        test_close("order of the ring", log2(error[0][k] / error[1][k]), 4.0, 0.15);
        assert_true(error[1][k] > 0.0 && error[1][k] < 1e-3);
    }
}

// A simply supported Timoshenko beam: with k = n pi/L
//   (J/GA) mu w^4 - (mu + J k^2 + mu EI k^2/GA) w^2 + EI k^4 = 0,  J = rho I.
static void timoshenko(void** state) {
    (void)state;
    int n = 40;
    double GA = 1e4 * 0.5, J = MU * 2e-4;
    Spectrum s = spectrum(
        beam("plane: xy\n    beam: timoshenko", ", support: pinned", ", support: roller", n));
    for (int i = 1; i <= 3; i++) {
        double k = i * PI / L, a = J * MU / GA, b = MU + J * k * k + MU * EI * k * k / GA;
        double w = sqrt((b - sqrt(b * b - 4.0 * a * EI * pow(k, 4))) / (2.0 * a));
        double error = MU * w * w * (L / n) * (L / n) / (24.0 * GA);
        check("Timoshenko", s.w[i - 1], w * (1.0 + error), 0.2 * error + 1e-8);
    }
}

// A light portal with a heavy girder: w^2 = 24 EI/h^3 (1 + 6 g)/(4 + 6 g)/m.
static void portal(void** state) {
    (void)state;
    Spectrum s = spectrum(test_def_from_file("test/verify/frame_modes/portal.yaml"));
    double g = (5e-4 / 3.0) / (2e-4 / 2.0);
    check("sway", s.w[0], sqrt(24.0 * EI / 8.0 * (1.0 + 6.0 * g) / (4.0 + 6.0 * g) / 10.0), 1e-5);
}

// 1 + cos x cosh x = r x (sin x cosh x - cos x sinh x), r: tip mass over the beam's.
static double root_with_tip_mass(double r) {
    double lo = 0.3, hi = 1.8752;
    for (int i = 0; i < 80; i++) {
        double x = 0.5 * (lo + hi);
        double f = 1.0 + cos(x) * cosh(x) - r * x * (sin(x) * cosh(x) - cos(x) * sinh(x));
        *(f > 0.0 ? &lo : &hi) = x;
    }
    return lo;
}

// A mass at the tip: lumped at the node, as a rigid body welded to it, and as a parked slider on a
// linear and on a nonlinear guide by several theories; all have the same frequency.
static void masses_at_the_tip(void** state) {
    (void)state;
    const char* forms[][2] = {
        {"test/verify/frame_modes/tip_mass_lumped.yaml", ""},
        {"test/verify/frame_modes/tip_mass_as_a_body.yaml", ""},
        {"test/verify/frame_modes/tip_mass_as_a_slider.yaml", ", theory: form_1a =>"},
        {"test/verify/frame_modes/tip_mass_as_a_slider.yaml", ""},
        {"test/verify/frame_modes/tip_mass_as_a_slider.yaml", "form_1a => convective"}};
    double x = root_with_tip_mass(3.0 / (MU * L)), w = x * x / (L * L) * sqrt(EI / MU);
    for (int i = 0; i < 9; i++) {  // convective is for linear guides
        Spectrum s = spectrum(test_def_with(forms[i % 5][0], "theory: linear => theory: %s; %s",
                                            i < 5 ? "linear" : "nonlinear", forms[i % 5][1]));
        check("tip mass", s.w[0], w, 3e-7);
    }
}

// Parked inside an element: the second of two elements gets m N' N, checked by hand on one element,
// where K and M are 2 x 2: w^2 of |K - w^2 (M + m N' N)| = 0.
static void parked_inside(void** state) {
    (void)state;
    Spectrum s = spectrum(test_def_from_file("test/verify/frame_modes/parked_slider.yaml"));
    double xi = 1.3 / L, N[2] = {xi * xi * (3.0 - 2.0 * xi), L * xi * xi * (xi - 1.0)};
    double a = 12.0 * EI / pow(L, 3), b = -6.0 * EI / (L * L), c = 4.0 * EI / L;
    double m = MU * L / 420.0;
    double A = 156.0 * m + 3.0 * N[0] * N[0], B = -22.0 * L * m + 3.0 * N[0] * N[1],
           C = 4.0 * L * L * m + 3.0 * N[1] * N[1];
    double p = A * C - B * B, q = -(a * C + c * A - 2.0 * b * B), r = a * c - b * b;
    double root = sqrt(q * q - 4.0 * p * r);
    check("first", s.w[0], sqrt((-q - root) / (2.0 * p)), 1e-12);
    check("second", s.w[1], sqrt((-q + root) / (2.0 * p)), 1e-12);
}

// A beam between a hub and the ground would be bent by a steady rotation, which is refused.
static void steady_rotation_is_refused(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/frame_modes/steady_rotation.yaml");
    FbSteadyRate rate = {"spin", 2.0};
    FbOperatingOptions at = {.kind = FB_AT_EQUILIBRIUM, .steady = &rate, .n_steady = 1};
    FbOperatingPoint* point = NULL;
    FbError err = {0};
    assert_int_equal(fb_operating_point_create(model, &at, &point, &err), FB_ERR_MODEL);
    assert_non_null(strstr(err.text, "strains beam 'f.m.e1'"));
    fb_model_destroy(model);
}

static void rayleigh_ratios(void** state) {
    (void)state;
    const char* theories[] = {"linear", "nonlinear"};
    for (int i = 0; i < 2; i++) {
        char settings[200];
        snprintf(settings, sizeof(settings),
                 "plane: xy\n    theory: %s\n    damping: {alpha: 0.4, beta: 1e-4}", theories[i]);
        Spectrum s = spectrum(beam(settings, ", support: clamped", ", support: roller", 6));
        for (int k = 0; k < s.n; k++) {
            check("ratio", s.ratio[k], 0.5 * (0.4 / s.w[k] + 1e-4 * s.w[k]), 1e-8);
        }
        assert_true(s.n >= 10);
    }
    Spectrum s = spectrum(beam("plane: xy\n    damping: {ratio: 0.03, between: [10, 80]}",
                               ", support: clamped", "", 6));
    double beta = 2.0 * 0.03 / 90.0, alpha = beta * 800.0;
    for (int k = 0; k < s.n && s.w[k] < 1000.0; k++) {
        check("ratio", s.ratio[k], 0.5 * (alpha / s.w[k] + beta * s.w[k]), 1e-8);
    }
}

// Every mode has the ratio, with masses, springs, a body at the tip, a hinge, in plane and space;
// motions without strain have none.
static void modal_ratios(void** state) {
    (void)state;
    const char* paths[] = {"test/verify/frame_modes/damped_plane_frame.yaml",
                           "test/verify/frame_modes/damped_space_frame.yaml",
                           // Floating free: three motions without strain.
                           "test/verify/frame_modes/damped_floating_beam.yaml"};
    const int zero[] = {0, 0, 3};
    for (int i = 0; i < 3; i++) {
        TestLinear t = test_linear_file(paths[i], TEST_AT_INITIAL);
        assert_int_equal(test_count(&t, FB_MODE_RIGID_BODY), 2 * zero[i]);
        test_linear_free(&t);
        Spectrum s = spectrum(test_def_from_file(paths[i]));
        assert_true(s.n >= 10);
        for (int k = 0; k < s.n; k++) {
            test_close("ratio", s.ratio[k], 0.03, 1e-9);
        }
    }
}

// A damped run loses the energy that the work of its dampers says.
static void modal_energy(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/frame_modes/modal_damping.yaml",
                                (TestMethod){.integrator = "radau", .rtol = 1e-10, .atol = 1e-12});
    double start = test_run_value(&run, 0, "E");
    assert_true(test_run_last(&run, "D") > 0.2 * start);
    test_close("balance", test_run_drift(&run, "sum"), 0.0, 1e-7 * start);
    test_run_free(&run);
}

// A space frame as drawn and turned about an odd axis.
static void turning_changes_nothing(void** state) {
    (void)state;
    const char* turned = "test/verify/frame_modes/turned_frame.yaml";
    Spectrum a = spectrum(test_def_from_file(turned)),
             b = spectrum(test_def_with(
                 turned,
                 "[3, -1, 2] => [3, -1, 2], orientation: {axis: [0.3, -0.5, 0.8], angle: 1.1}"));
    assert_int_equal(a.n, b.n);
    for (int k = 0; k < a.n; k++) {
        check("turned", b.w[k], a.w[k], 1e-9);
    }
    // A plane frame is the same in every plane, and in space where nothing leaves the plane.
    a = spectrum(beam("plane: xy", ", support: clamped", "", 5));
    b = spectrum(test_def_with("test/verify/frame_modes/beam.yaml",
                               "plane: xy => plane: xz; , y_axis: [0, 1, 0] =>; n=5"));
    Spectrum c = spectrum(beam(IN_SPACE, ", support: clamped", "", 5));
    assert_int_equal(a.n, b.n);
    for (int k = 0; k < a.n; k++) {
        double nearest = INFINITY;
        check("another plane", b.w[k], a.w[k], 1e-10);
        for (int j = 0; j < c.n; j++) {
            nearest = fabs(c.w[j] - a.w[k]) < fabs(nearest - a.w[k]) ? c.w[j] : nearest;
        }
        check("in space", nearest, a.w[k], 1e-10);
    }
}

static void expect_warning(FbModelDef* def, const char* part) {
    FbModel* model = test_model_from_def(def);
    fb_model_def_destroy(def);
    test_expect_structure_warning(model, part);
}

static FbModelDef* space_beam(const char* theory, const char* a, const char* b) {
    return test_def_with(
        "test/verify/frame_modes/space_beam.yaml",
        "theory: linear => theory: %s; , support: clamped => %s; [5, 2, 0] => [5, 2, 0]%s", theory,
        a, b);
}

// How many motions are without strain, and which nodes move: supports, constraints, springs, bodies
// and long members.
static void mechanisms(void** state) {
    (void)state;
    expect_warning(space_beam("linear", ", support: clamped", ""), NULL);
    expect_warning(space_beam("nonlinear", ", support: clamped", ""), NULL);
    expect_warning(space_beam("linear", "", ""),
                   "in 6 ways without strain (node 'A' can move along x, y, z");
    expect_warning(space_beam("nonlinear", "", ""), "in 6 ways without strain");
    expect_warning(space_beam("nonlinear", ", support: pinned", ""), "in 3 ways");
    expect_warning(
        space_beam("linear", ", support: pinned", ", support: roller, direction: [0, 0, 1]"),
        "in 2 ways without strain (node 'B' can move along x;");
    // Springs hold it, to the ground and to a body that stands.
    expect_warning(space_beam("linear", ", stiffness: [1, 1, 1, 1, 1, 1]", ""), NULL);
    expect_warning(
        space_beam("linear", ", support: pinned", ", stiffness: [0.01, 0, 0.01, 0, 0.01, 0]"),
        NULL);
    // A frame on a hub that turns is none; the hub is meant to.
    expect_warning(test_def_from_file("test/verify/frame_modes/on_a_hub.yaml"), NULL);
    // A member of many elements is soft, but no mechanism.
    expect_warning(beam("plane: xy", ", support: clamped", "", 500), NULL);
    expect_warning(beam("plane: xy", ", support: pinned", "", 500),
                   "in 1 way without strain (node 'B' can move along y");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_beams),
        cmocka_unit_test(rods),
        cmocka_unit_test(torsion_of_nonlinear_rods),
        cmocka_unit_test(ring),
        cmocka_unit_test(timoshenko),
        cmocka_unit_test(portal),
        cmocka_unit_test(masses_at_the_tip),
        cmocka_unit_test(parked_inside),
        cmocka_unit_test(steady_rotation_is_refused),
        cmocka_unit_test(rayleigh_ratios),
        cmocka_unit_test(modal_ratios),
        cmocka_unit_test(modal_energy),
        cmocka_unit_test(turning_changes_nothing),
        cmocka_unit_test(mechanisms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
