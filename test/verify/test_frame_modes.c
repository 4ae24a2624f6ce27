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

#define PARTS                                                                          \
    "flyball: 1\ngravity: [0, 0, 0]\n"                                                 \
    "materials: {m: {E: 1e6, G: 1e4, density: 2}}\n"                                   \
    "sections: {bar: {type: general, material: m, A: 1, Iy: 1e-4, Iz: 2e-4, J: 3e-4, " \
    "shear_y: 0.5, shear_z: 0.5}}\n"

enum { MOST = 400 };

// Frequencies in rad/s of the modes that oscillate, ascending.
typedef struct Spectrum {
    int n;
    double w[MOST], ratio[MOST];
} Spectrum;

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static Spectrum spectrum_at(const char* text, TestLinearAsk ask) {
    TestLinear t = test_linear_text(text, ask);
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

static Spectrum spectrum(const char* text) {
    return spectrum_at(text, TEST_AT_INITIAL);
}

static void check(const char* what, double value, double expected, double relative) {
    test_close(what, value, expected, relative * fabs(expected));
}

static void beam_text(char* text, size_t size, const char* settings, const char* a, const char* b,
                      int n) {
    snprintf(text, size,
             PARTS
             "structures:\n  f:\n%s    nodes:\n      A: {at: [0, 0, 0]%s}\n      B: {at: [2, 0, "
             "0]%s}\n    members:\n      m: {from: A, to: B, section: bar, elements: %d, y_axis: "
             "[0, 1, 0]}\n",
             settings, a, b, n);
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
    const char* theories[] = {"    plane: xy\n", "    plane: xy\n    theory: nonlinear\n"};
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        char text[2000];
        int n = 16;
        beam_text(text, sizeof(text), theories[i % 2], cases[i / 2].a, cases[i / 2].b, n);
        Spectrum s = spectrum(text);
        for (int k = 0; k < 3; k++) {
            double kL = cases[i / 2].k[k], w = kL * kL / (L * L) * sqrt(EI / MU);
            double error = pow(kL / n, 4) / 1440.0;
            assert_true(s.w[k] > w * (1.0 + 0.5 * error));
            check("frequency", s.w[k], w * (1.0 + error), 0.5 * error + 1e-9);
        }
    }
}

// Rods that stretch and twist: w = (2 n - 1) pi c/(2 L), too high by (k h)^2/24.
static void rods(void** state) {
    (void)state;
    char text[2000];
    int n = 20;
    beam_text(text, sizeof(text), "", ", support: clamped", "", n);
    Spectrum s = spectrum(text);
    double speeds[] = {sqrt(EA / MU), sqrt(3.0 / (2.0 * 3e-4))};  // rho (Iy + Iz)
    for (int i = 0; i < 2; i++) {
        double w = PI / (2.0 * L) * speeds[i] * (1.0 + pow(PI / (2.0 * n), 2) / 24.0);
        double nearest = INFINITY;
        for (int k = 0; k < s.n; k++) {
            nearest = fabs(s.w[k] - w) < fabs(nearest - w) ? s.w[k] : nearest;
        }
        check(i ? "torsion" : "stretching", nearest, w, 1e-6);
    }
    // Both bending planes.
    check("first", s.w[0], 3.516015268 / (L * L) * sqrt(100.0 / MU), 1e-6);
}

// A simply supported Timoshenko beam: with k = n pi/L
//   (J/GA) mu w^4 - (mu + J k^2 + mu EI k^2/GA) w^2 + EI k^4 = 0,  J = rho I.
static void timoshenko(void** state) {
    (void)state;
    char text[2000];
    int n = 40;
    double GA = 1e4 * 0.5, J = MU * 2e-4;
    beam_text(text, sizeof(text), "    plane: xy\n    beam: timoshenko\n", ", support: pinned",
              ", support: roller", n);
    Spectrum s = spectrum(text);
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
    Spectrum s = spectrum(
        "flyball: 1\ngravity: [0, 0, 0]\nmaterials: {m: {E: 1e6, nu: 0.3, density: 1e-9}}\n"
        "sections:\n  c: {type: general, material: m, A: 100, Iz: 2e-4}\n  b: {type: general, "
        "material: m, A: 100, Iz: 5e-4}\n"
        "structures:\n  f:\n    plane: xz\n    nodes: {A: {at: [0, 0], support: clamped}, B: {at: "
        "[0, 2], mass: 5}, C: {at: [3, 2], mass: 5}, D: {at: [3, 0], support: clamped}}\n"
        "    members:\n      l: {from: A, to: B, section: c}\n      t: {from: B, to: C, section: "
        "b}\n      r: {from: D, to: C, section: c}\n");
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
    const char* forms[] = {
        "B: {at: [2, 0, 0], mass: 3}\n%s",
        ("B: {at: [2, 0, 0]}\n%sbodies: {tip: {mass: 3, inertia: [1e-9, 1e-9, 1e-9], position: [2, "
         "0, 0]}}\njoints: {weld: {type: fixed, between: [f.B, tip], point: [2, 0, 0]}}\n"),
        "B: {at: [2, 0, 0]}\n%ssliders: {p: {guide: f.m, mass: 3, value: 2}}\n",
        "B: {at: [2, 0, 0]}\n%ssliders: {p: {guide: f.m, mass: 3, theory: form_1a, value: 2}}\n",
        "B: {at: [2, 0, 0]}\n%ssliders: {p: {guide: f.m, mass: 3, theory: convective, value: 2}}\n",
    };
    double x = root_with_tip_mass(3.0 / (MU * L)), w = x * x / (L * L) * sqrt(EI / MU);
    for (int i = 0; i < 10; i++) {
        char text[3000], form[1500];
        snprintf(form, sizeof(form), forms[i % 5],
                 "    members: {m: {from: A, to: B, section: bar, elements: 16}}\n");
        snprintf(text, sizeof(text),
                 PARTS
                 "structures:\n  f:\n    plane: xy\n    theory: %s\n    nodes:\n"
                 "      A: {at: [0, 0, 0], support: clamped}\n      %s",
                 i < 5 ? "linear" : "nonlinear", form);
        if (i == 9) {
            continue;  // convective is for linear guides
        }
        Spectrum s = spectrum(text);
        check("tip mass", s.w[0], w, 3e-7);
    }
}

// Parked inside an element: the second of two elements gets m N' N, checked by hand on one element,
// where K and M are 2 x 2: w^2 of |K - w^2 (M + m N' N)| = 0.
static void parked_inside(void** state) {
    (void)state;
    Spectrum s = spectrum(
        PARTS
        "structures:\n  f:\n    plane: xy\n    nodes: {A: {at: [0, 0], support: clamped}, B: "
        "{at: [2, 0]}}\n    members: {m: {from: A, to: B, section: bar}}\n"
        "sliders: {p: {guide: f.m, mass: 3, value: 1.3}}\n");
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
        char text[2000], settings[200];
        snprintf(settings, sizeof(settings),
                 "    plane: xy\n    theory: %s\n    damping: {alpha: 0.4, beta: 1e-4}\n",
                 theories[i]);
        beam_text(text, sizeof(text), settings, ", support: clamped", ", support: roller", 6);
        Spectrum s = spectrum(text);
        for (int k = 0; k < s.n; k++) {
            check("ratio", s.ratio[k], 0.5 * (0.4 / s.w[k] + 1e-4 * s.w[k]), 1e-8);
        }
        assert_true(s.n >= 10);
    }
    char text[2000];
    beam_text(text, sizeof(text), "    plane: xy\n    damping: {ratio: 0.03, between: [10, 80]}\n",
              ", support: clamped", "", 6);
    Spectrum s = spectrum(text);
    double beta = 2.0 * 0.03 / 90.0, alpha = beta * 800.0;
    for (int k = 0; k < s.n && s.w[k] < 1000.0; k++) {
        check("ratio", s.ratio[k], 0.5 * (alpha / s.w[k] + beta * s.w[k]), 1e-8);
    }
}

// Every mode has the ratio, with masses, springs, a body at the tip, a hinge, in plane and space;
// motions without strain have none.
static void modal_ratios(void** state) {
    (void)state;
    const char* texts[] = {
        PARTS
        "structures:\n  f:\n    plane: xy\n    damping: {ratio: 0.03}\n    nodes: {A: {at: "
        "[0, 0], support: clamped}, B: {at: [2, 0], mass: 1, stiffness: [0, 40, 0, 0, 0, "
        "5]}, C: {at: [3, 1], support: pinned}}\n    members: {m: {from: A, to: B, section: "
        "bar, elements: 4}, n: {from: B, to: C, section: bar, elements: 2, hinge: from}}\n",
        PARTS
        "structures:\n  f:\n    damping: {ratio: 0.03}\n    nodes: {A: {at: [0, 0, 0], "
        "support: clamped}, B: {at: [1, 1, 0.4]}, C: {at: [2, 0, 0], support: pinned}}\n"
        "    members: {m: {from: A, to: B, section: bar, elements: 3}, n: {from: B, to: C, "
        "section: bar, elements: 2}}\n"
        "bodies: {tip: {mass: 3, inertia: [0.1, 0.2, 0.3], position: [1, 1, 0.6]}}\njoints: "
        "{weld: {type: fixed, between: [f.B, tip], point: [1, 1, 0.4]}}\n",
        // Floating free: three motions without strain.
        PARTS
        "structures:\n  f:\n    plane: xz\n    damping: {ratio: 0.03}\n    nodes: {A: [0, "
        "0], B: [2, 0]}\n    members: {m: {from: A, to: B, section: bar, elements: 5}}\n"};
    const int zero[] = {0, 0, 3};
    for (int i = 0; i < 3; i++) {
        TestLinear t = test_linear_text(texts[i], TEST_AT_INITIAL);
        assert_int_equal(test_count(&t, FB_MODE_RIGID_BODY), 2 * zero[i]);
        test_linear_free(&t);
        Spectrum s = spectrum(texts[i]);
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

#define TURNED(orientation)                                                                      \
    PARTS                                                                                        \
    "templates:\n  part:\n    structures:\n      f:\n        nodes:\n          A: {at: [0, 0, "  \
    "0], support: clamped}\n          B: {at: [0.2, 1.1, 0.1]}\n          C: {at: [1.3, 1.2, "   \
    "-0.3]}\n          D: {at: [1.4, 0.1, 0], support: pinned}\n        members:\n          l: " \
    "{from: A, to: B, section: bar, elements: 2}\n          t: {from: B, to: C, section: bar, "  \
    "elements: 2}\n          r: {from: C, to: D, section: bar, elements: 2, hinge: to}\n"        \
    "instances:\n  i: {template: part, position: [3, -1, 2]" orientation "}\n"

// A space frame as drawn and turned about an odd axis.
static void turning_changes_nothing(void** state) {
    (void)state;
    Spectrum a = spectrum(TURNED("")),
             b = spectrum(TURNED(", orientation: {axis: [0.3, -0.5, 0.8], angle: 1.1}"));
    assert_int_equal(a.n, b.n);
    for (int k = 0; k < a.n; k++) {
        check("turned", b.w[k], a.w[k], 1e-9);
    }
    // A plane frame is the same in every plane, and in space where nothing leaves the plane.
    char xy[2000], xz[2000], space[2000];
    beam_text(xy, sizeof(xy), "    plane: xy\n", ", support: clamped", "", 5);
    beam_text(xz, sizeof(xz), "    plane: xz\n", ", support: clamped", "", 5);
    beam_text(space, sizeof(space), "", ", support: clamped", "", 5);
    *strstr(xz, ", y_axis: [0, 1, 0]") = '}';
    strcpy(strchr(strstr(xz, "elements: 5"), '}'), "}\n");
    a = spectrum(xy);
    b = spectrum(xz);
    Spectrum c = spectrum(space);
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

static void expect_warning(const char* text, const char* part) {
    FbModel* model = test_model_from_text(text);
    FbDiagnostics* list = fb_diagnostics_create();
    FbError err = {0};
    assert_int_equal(fb_model_check_structures(model, list, &err), FB_OK);
    int n = fb_diagnostics_count(list);
    if (n != (part ? 1 : 0) || (part && !strstr(fb_diagnostics_get(list, 0)->text, part))) {
        fail_msg("'%s' instead of '%s'", n > 0 ? fb_diagnostics_get(list, 0)->text : "nothing",
                 part ? part : "nothing");
    }
    fb_diagnostics_destroy(list);
    fb_model_destroy(model);
}

#define SPACE(theory, a, b)                                                            \
    PARTS "structures:\n  f:\n    theory: " theory "\n    nodes: {A: {at: [5, 0, 0]" a \
          "}, B: {at: [5, 2, 0]" b                                                     \
          "}}\n    members: {m: {from: A, to: B, section: bar, elements: "             \
          "2}}\n"

// How many motions are without strain, and which nodes move: supports, constraints, springs, bodies
// and long members.
static void mechanisms(void** state) {
    (void)state;
    expect_warning(SPACE("linear", ", support: clamped", ""), NULL);
    expect_warning(SPACE("nonlinear", ", support: clamped", ""), NULL);
    expect_warning(SPACE("linear", "", ""),
                   "in 6 ways without strain (node 'A' can move along x, y, z");
    expect_warning(SPACE("nonlinear", "", ""), "in 6 ways without strain");
    expect_warning(SPACE("nonlinear", ", support: pinned", ""), "in 3 ways");
    expect_warning(SPACE("linear", ", support: pinned", ", support: roller, direction: [0, 0, 1]"),
                   "in 2 ways without strain (node 'B' can move along x;");
    // Springs hold it, to the ground and to a body that stands.
    expect_warning(SPACE("linear", ", stiffness: [1, 1, 1, 1, 1, 1]", ""), NULL);
    expect_warning(SPACE("linear", ", support: pinned", ", stiffness: [0.01, 0, 0.01, 0, 0.01, 0]"),
                   NULL);
    // A frame on a hub that turns is none; the hub is meant to.
    expect_warning(PARTS
                   "bodies: {hub: {mass: 1, inertia: [1, 1, 1]}}\njoints: {spin: {type: "
                   "revolute, between: [ground, hub], point: [0, 0, 0], axis: [0, 0, 1]}}\n"
                   "structures:\n  f:\n    plane: xy\n    nodes: {A: {at: [0, 0], body: "
                   "hub}, B: {at: [2, 0]}}\n    members: {m: {from: A, to: B, section: "
                   "bar}}\n",
                   NULL);
    // A member of many elements is soft, but no mechanism.
    char text[2000];
    beam_text(text, sizeof(text), "    plane: xy\n", ", support: clamped", "", 500);
    expect_warning(text, NULL);
    beam_text(text, sizeof(text), "    plane: xy\n", ", support: pinned", "", 500);
    expect_warning(text, "in 1 way without strain (node 'B' can move along y");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_beams),
        cmocka_unit_test(rods),
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
