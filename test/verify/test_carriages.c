// What hangs on sliders: every Jacobian block against finite differences, loads against closed
// forms, a mass that hangs against a mass that slides, pendulums against those on a rigid cart, and
// the balance of energy.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"
#include "test_linear_support.h"

static const double TOLERANCE = 1e-8;  // of the block's size: fourth-order differences
static const char* const THEORIES[5] = {"consistent", "linear_consistent", "convective", "form_1a",
                                        "form_1b"};

static void check_blocks(const char* text, const char* name, double size) {
    unsigned seed = 11;
    TestSystem t;
    test_system_init(&t, test_model_from_text(text));
    for (int round = 0; round < 3; round++) {
        test_system_scatter(&t, &seed, size);
        assert_true(test_compare_blocks(&t, name) < TOLERANCE);
    }
    test_system_free(&t);
}

#define SOFT                                                                                       \
    "flyball: 1\ngravity: [1, -2, -9.81]\n"                                                        \
    "materials: {soft: {E: 210, nu: 0.3, density: 7.85}}\n"                                        \
    "sections:\n"                                                                                  \
    "  bar: {type: general, material: soft, A: 0.4, Iy: 0.02, Iz: 0.03, J: 0.025, "                \
    "shear_y: 0.8, shear_z: 0.7}\n"                                                                \
    "bodies: {bob: {position: [0.3, 0.2, -0.4], mass: 1.2, center: [0.1, 0, 0], inertia: [0.1, "   \
    "0.2, 0.3]}}\njoints: {h: {type: universal, between: [m.carriage, bob], point: [0.4, 0.1, "    \
    "0.3]"                                                                                         \
    ", axis: [0, 1, 0], x_axis: [1, 0, 0]}}\nforces: {k: {type: spring, a: m.carriage, b: {body: " \
    "ground, at: [1, 1, 1]}, "                                                                     \
    "stiffness: 3}}\n"

static void blocks_on_beams(void** state) {
    (void)state;
    const char* drives[2] = {"value: '0.5 + 0.3*sin(2*t + 0.4)'", "free: true, position: 0.4"};
    for (int k = 0; k < 20; k++) {
        bool is_back = k / 5 % 2, is_free = k / 10;
        char text[4000], name[80];
        const char* theory = THEORIES[k % 5];
        if (k % 5 == 4 || (is_free && k % 5 == 1)) {
            continue;  // 1b leaves derivatives out; linear_consistent is driven
        }
        snprintf(text, sizeof(text),
                 SOFT
                 "structures:\n  f:\n    theory: %s\n    beam: timoshenko\n    nodes: {A: {at: [0, "
                 "0, 0], support: "
                 "clamped}, B: [0.4, 0.3, 0.8]}\n    members: {g: {from: %s, to: %s, section: bar, "
                 "elements: 2}}\nsliders: {m: {guide: f.g, mass: 2, theory: %s, %s}}\n",
                 k % 5 == 0 ? "nonlinear" : "linear", is_back ? "B" : "A", is_back ? "A" : "B",
                 theory, drives[is_free]);
        snprintf(name, sizeof(name), "%s %s %s", theory, is_back ? "backwards" : "forwards",
                 is_free ? "free" : "driven");
        check_blocks(text, name, 0.2);
    }
}

static void blocks_on_curves(void** state) {
    (void)state;
    const char* drives[2] = {"value: '0.6 + 0.3*sin(2*t)'", "free: true, position: 0.5"};
    for (int i = 0; i < 2; i++) {
        char text[3000];
        snprintf(text, sizeof(text),
                 "flyball: 1\ngravity: [1, -2, -9.81]\nbodies:\n"
                 "  hub: {mass: 1.3, center: [0.2, -0.1, 0.1], inertia: [0.3, 0.4, 0.5]}\n"
                 "  bob: {position: [0.5, 0, 0.2], mass: 1, inertia: [0.1, 0.2, 0.3]}\n"
                 "joints:\n  spin: {type: spherical, between: [ground, hub], point: [0, 0, 0]}\n"
                 "  h: {type: revolute, between: [m.carriage, bob], point: [0.5, 0.2, 0.1], axis: "
                 "[0, 1, 0]}\nconstraints: {b: {type: distance, a: bob, b: {body: hub, at: [0.4, "
                 "0.4, 0.4]}}}\n"
                 "sliders:\n  m: {body: hub, points: [[0, 0, 0], [0.5, 0.2, 0.1], [1, 0.1, -0.2], "
                 "[1.2, -0.4, 0]], mass: 2.5, %s}\n",
                 drives[i]);
        check_blocks(text, "on a curve", 0.3);
    }
}

// EI = 2e4 N m2.
#define BEAM(theory, elements)                                                          \
    "materials: {steel: {E: 1e11, nu: 0.3, density: 1e5}}\n"                            \
    "sections: {bar: {type: general, material: steel, A: 1e-5, Iy: 2e-7, Iz: 2e-7, J: " \
    "3e-7}}\nstructures:\n  f:\n    theory: " theory                                    \
    "\n    nodes: {A: {at: [0, 0, 0], support: clamped}, B: {at: [2, 0, 0]}}\n"         \
    "    members: {g: {from: A, to: B, section: bar, elements: " elements "}}\n"

// At rest the beam carries the slider and what hangs on it, by whatever it hangs.
static void loads_at_rest(void** state) {
    (void)state;
    const char* hung[4] = {
        "joints: {h: {type: revolute, between: [t.carriage, bob], point: [1.2, 0, 0], axis: [0, 1, "
        "0]}}\n",
        "joints: {h: {type: fixed, between: [bob, t.carriage], point: [1.2, 0, 0]}}\n",
        "forces: {k: {type: spring, a: t.carriage, b: bob, stiffness: 500, damping: 1}}\njoints: "
        "{h: {type: "
        "prismatic, between: [ground, bob], point: [1.2, 0, 0], axis: [0, 0, 1]}}\n",
        "constraints: {d: {type: distance, a: t.carriage, b: bob}}\njoints: {h: {type: prismatic, "
        "between: [ground, bob], point: [1.2, 0, 0], axis: [0, 0, 1]}}\n"};
    const double EI = 2e4, W = 15.0 * 9.81, s = 1.2, q = 9.81;
    const double own = q * s * s * (24.0 - 8.0 * s + s * s) / (24.0 * EI);
    for (int k = 0; k < 20; k++) {
        char text[4000];
        const char* theory = THEORIES[k % 5];
        snprintf(text, sizeof(text),
                 "flyball: 1\ngravity: [0, 0, -9.81]\n%s"
                 "bodies: {bob: {position: [1.2, 0, %d], mass: 5, inertia: [0.1, 0.1, 0.1]}}\n%s"
                 "sliders: {t: {guide: f.g, mass: 10, value: '1.2', theory: %s}}\n"
                 "outputs: {c: {type: position, point: t.carriage}, p: {type: slider_position, "
                 "slider: t}, F: {type: slider_contact, slider: t}, R: {type: reaction, joint: "
                 "f.A}, M: {type: section_forces, member: f.g, at: 0.2}, a: {type: orientation, "
                 "body: t.carriage}}\n",
                 k % 5 == 0 ? BEAM("nonlinear", "5") : BEAM("linear", "5"), k / 5 == 1 ? 0 : -1,
                 hung[k / 5], theory);
        FbModel* model = test_model_from_text(text);
        FbOperatingPoint* point = test_point_at(model, fb_operating_options_default());
        double y[32];
        FbError err = {0};
        assert_int_equal(fb_operating_point_calc_outputs(point, y, &err), FB_OK);
        double w = y[fb_model_find_output(model, "c.z")];
        double tolerance = k % 5 == 0 ? 1e-4 : k % 5 == 1 ? 1e-7 : 1e-9;
        test_close(theory, w, -W * s * s * s / (3.0 * EI) - own, tolerance * fabs(w));
        test_close("place", w, y[fb_model_find_output(model, "p.z")], 1e-14);
        test_close("contact", y[fb_model_find_output(model, "F.z")], -W, 1e-8 * W);
        test_close("reaction", y[fb_model_find_output(model, "R.z")], W + q * 2.0, 1e-8 * W);
        test_close(
            "moment",
            hypot(y[fb_model_find_output(model, "M.My")], y[fb_model_find_output(model, "M.Mz")]),
            W * (s - 0.4) + 0.5 * q * 1.6 * 1.6, 1e-4 * W);
        fb_operating_point_destroy(point);
        fb_model_destroy(model);
    }
}

// The carriage turns with the guide: a body fixed to it follows the slope.
static void carriages_turn_with_the_guide(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[4000];
        snprintf(text, sizeof(text),
                 "flyball: 1\ngravity: [0, 0, -9.81]\n%s"
                 "bodies: {bob: {position: [1.2, 0, 0], mass: 5, inertia: [0.1, 0.1, 0.1]}}\n"
                 "joints: {h: {type: fixed, between: [t.carriage, bob], point: [1.2, 0, 0]}}\n"
                 "sliders: {t: {guide: f.g, mass: 10, value: '1.2'}}\n"
                 "outputs: {x: {type: position, point: {body: bob, at: [1, 0, 0]}}, c: {type: "
                 "position, point: bob}}\n",
                 k ? BEAM("nonlinear", "5") : BEAM("linear", "5"));
        FbModel* model = test_model_from_text(text);
        FbOperatingPoint* point = test_point_at(model, fb_operating_options_default());
        double y[8];
        FbError err = {0};
        assert_int_equal(fb_operating_point_calc_outputs(point, y, &err), FB_OK);
        double slope =
            y[fb_model_find_output(model, "x.z")] - y[fb_model_find_output(model, "c.z")];
        test_close("slope", slope, -(15.0 * 9.81 * 0.72 + 9.81 * (2.4 - 1.44 + 0.288)) / 2e4, 3e-6);
        fb_operating_point_destroy(point);
        fb_model_destroy(model);
    }
}

// A mass that is fixed to the carriage of a slider moves as if it were part of the slider's, over
// the borders of elements, driven or free, where the theory has the true acceleration. (The linear
// consistent theory has it to second order.)
static void hung_mass_is_sliding_mass(void** state) {
    (void)state;
    const char* theories[3] = {"consistent", "linear_consistent", "convective"};
    const char* drives[2] = {"value: '1 + 0.6*sin(3*t)'",
                             "free: true, position: 1, velocity: 0.8, stiffness: 60, rest: 1"};
    const char* bob =
        "bodies: {bob: {position: [1, 0, 0], mass: 2}}\n"
        "joints: {h: {type: fixed, between: [t.carriage, bob], point: [1, 0, 0]}}\n";
    for (int k = 0; k < 12; k++) {
        bool is_free = k / 3 % 2, is_back = k / 6, is_second_order = k % 3 == 1;
        double last[2][3];
        for (int hung = 0; hung < 2 && !(is_free && is_second_order); hung++) {
            char text[4000];
            snprintf(text, sizeof(text),
                     "flyball: 1\ngravity: [0, 0, -9.81]\nmaterials: {steel: {E: %g, density: "
                     "7800}}\nsections: {bar: {type: general, material: steel, A: 1e-3, Iy: 2e-6, "
                     "Iz: 2e-6, J: 3e-6}}\nstructures:\n  f:\n    theory: %s\n    nodes: {A: {at: "
                     "[0, 0, 0], support: clamped}, B: {at: [2, 0, 0]%s}}\n    members: {g: {from: "
                     "%s, to: %s, section: bar, elements: 4}}\n%s"
                     "sliders: {t: {guide: f.g, mass: %g, theory: %s, %s}}\n"
                     "outputs: {p: {type: slider_position, slider: t}, s: t.s, E: {type: energy}, "
                     "W: {type: supplied_work}, balance: E - W}\n"
                     "simulation: {duration: 0.4, sample: 0.05}\n",
                     is_second_order ? 2e10 : 2e8, k % 3 == 0 ? "nonlinear" : "linear",
                     is_back && is_second_order ? ", support: clamped" : "", is_back ? "B" : "A",
                     is_back ? "A" : "B", hung ? bob : "", hung ? 1.0 : 3.0, theories[k % 3],
                     drives[is_free]);
            TestRun run = test_run_text(
                text, (TestMethod){.integrator = "radau", .rtol = 1e-8, .atol = 1e-10});
            last[hung][0] = test_run_last(&run, "p.z");
            last[hung][1] = test_run_last(&run, "p.x");
            last[hung][2] = test_run_last(&run, "s");
            test_close("balance", test_run_drift(&run, "balance"), 0.0, 1e-6);
            test_run_free(&run);
        }
        for (int i = 0; i < 3 && !(is_free && is_second_order); i++) {
            test_close(theories[k % 3], last[1][i], last[0][i], is_second_order ? 2e-7 : 5e-8);
        }
    }
}

// A pendulum on a trolley that runs along a stiff beam, turned in space, against the same on a
// rigid cart: by all theories, driven over three borders of elements, and free.
static void pendulum_on_a_trolley(void** state) {
    (void)state;
    const double t[3] = {0.36, 0.48, 0.8}, n[3] = {0.8, -0.6, 0.0};  // along, and the hinge's axis
    const char* common =
        "flyball: 1\ngravity: %s\n"
        "bodies:\n  bob: {position: [%.15g, %.15g, %.15g], mass: 5, inertia: [0.2, 0.2, 0.2]}\n%s"
        "joints:\n  h: {type: revolute, between: [%s, bob], point: [%.15g, %.15g, %.15g], axis: "
        "[%g, %g, %g], position: 0.4}\n%s"
        "simulation: {duration: 1.5, sample: 0.1}\n";
    const char* law = "0.7 + 1.1*t^2*(1.5 - t)";
    for (int k = 0; k < 9; k++) {
        bool is_free = k >= 5;
        double x[3], d[3] = {0.2, 0.1, -0.7}, angle[2][16];
        const char* theory = THEORIES[is_free ? (k == 5 ? 0 : k - 4) : k];
        for (int i = 0; i < 3; i++) {
            x[i] = 1.0 + 0.7 * t[i];
        }
        for (int rigid = 0; rigid < 2; rigid++) {
            char text[5000], guide[2000], cart[300];
            snprintf(cart, sizeof(cart),
                     "  cart: {position: [%.15g, %.15g, %.15g], mass: 3, inertia: [1, 1, 1]}\n",
                     x[0], x[1], x[2]);
            if (rigid) {
                char motion[120];
                snprintf(motion, sizeof(motion),
                         "constraints: {m: {type: motion, joint: p, value: '%s - 0.7'}}\n", law);
                snprintf(guide, sizeof(guide),
                         "  p: {type: prismatic, between: [ground, cart], point: [%.15g, %.15g, "
                         "%.15g], axis: [%g, %g, %g]}\n%soutputs: {s: p.q, th: h.q}\n",
                         x[0], x[1], x[2], t[0], t[1], t[2], is_free ? "" : motion);
            } else {
                snprintf(guide, sizeof(guide),
                         "materials: {m: {E: 1e13, density: 1000}}\nsections: {bar: {type: circle, "
                         "material: m, radius: 0.05}}\nstructures:\n  f:\n    theory: %s\n    "
                         "damping: {beta: 1e-3}\n    nodes: {A: {at: [1, 1, 1], support: clamped}, "
                         "B: {at: [1.72, 1.96, 2.6], "
                         "support: %s}}\n    members: {g: {from: A, to: B, section: bar, elements: "
                         "4}}\nsliders: {s: {guide: f.g, mass: 3, theory: %s, %s%s%s}}\n"
                         "outputs: {s: s.s, th: h.q}\n",
                         k == 0 || k == 5 ? "nonlinear" : "linear", k == 1 ? "free" : "clamped",
                         theory, is_free ? "free: true, position: 0.7" : "value: '",
                         is_free ? "" : law, is_free ? "" : "'");
            }
            snprintf(text, sizeof(text), common, is_free ? "[-4.8, -6.4, 6]" : "[1, -2, -9]",
                     x[0] + d[0], x[1] + d[1], x[2] + d[2], rigid ? cart : "",
                     rigid ? "cart" : "s.carriage", x[0], x[1], x[2], n[0], n[1], n[2], guide);
            TestRun run = test_run_text(
                text, (TestMethod){.integrator = "radau", .rtol = 1e-7, .atol = 1e-9});
            for (int row = 0; row < run.n_rows; row++) {
                angle[rigid][row] = test_run_value(&run, row, "th");
            }
            test_run_free(&run);
        }
        for (int row = 0; row < 16; row++) {
            test_close(theory, angle[0][row], angle[1][row], 5e-6);
        }
        assert_true(fabs(angle[0][15] - 0.4) > 0.05);
    }
}

// Two sliders carry one body, which closes a loop and turns as their beams bend; energy is kept by
// both kinds of integrator, all theories, over borders, driven by a law or by states.
static void energy_of_a_loop(void** state) {
    (void)state;
    const char* drives[3] = {"value: '0.7 + 0.3*sin(4*t)'", "state: c",
                             "free: true, position: 0.7"};
    const char* methods[2] = {"radau", "dop853"};
    for (int k = 0; k < 14; k++) {
        const char* theory = THEORIES[k % 5];
        const char* drive = drives[k < 5 ? 0 : k < 10 ? 1 : 2];
        if (k >= 10 && k % 5 == 1) {
            continue;
        }
        char text[4000];
        snprintf(text, sizeof(text),
                 "flyball: 1\ngravity: [0, 0, -9.81]\nmaterials: {m: {E: 1e8, density: 1000}}\n"
                 "sections: {bar: {type: rectangle, material: m, width: 0.06, height: 0.08}}\n"
                 "structures:\n  f:\n    theory: %s\n    nodes: {A: {at: [0, 0, 0], support: "
                 "clamped}, B: {at: [1.5, 0, 0]}, C: {at: [0, 1, 0], support: clamped}, D: {at: "
                 "[1.5, 1, 0]}}\n    members: {a: {from: A, to: B, section: bar, elements: 3}, c: "
                 "{from: C, to: D, section: bar, elements: 2}}\n"
                 "states: {c_s: {initial: 0.7, rate: c_v}, c_v: {initial: 0, rate: '4*(1 - c_s) - "
                 "0.5*c_v'}}\n"
                 "bodies: {bar: {position: [0.8, 0.5, 0], mass: 3, center: [0.1, 0, -0.2], "
                 "inertia: [0.3, 0.1, 0.3]}}\njoints:\n"
                 "  h: {type: spherical, between: [m.carriage, bar], point: [0.7, 0, 0]}\n"
                 "  k: {type: universal, between: [bar, n.carriage], point: [0.9, 1, 0], axis: [0, "
                 "0, 1], x_axis: [1, 0, 0]}\n"
                 "sliders:\n  m: {guide: f.a, mass: 1, theory: %s, %s}\n"
                 "  n: {guide: f.c, mass: 2, free: true, position: 0.9%s}\n"
                 "outputs: {E: {type: energy}, W: {type: supplied_work}, balance: E - W, z: {type: "
                 "position, point: n.carriage, component: z}}\n"
                 "simulation: {duration: 0.25, sample: 0.05}\n",
                 k % 5 == 0 ? "nonlinear" : "linear", theory, drive,
                 k % 5 == 0 ? "" : ", theory: convective");
        TestRun run = test_run_text(
            text, (TestMethod){.integrator = methods[k % 2], .rtol = 1e-7, .atol = 1e-9});
        test_close(theory, test_run_drift(&run, "balance"), 0.0, 2e-6);
        assert_true(test_run_last(&run, "z") < -1e-4);
        test_run_free(&run);
    }
}

// A body on the carriage of a bead on a turning rod: r'' = w^2 r with the masses of both, and the
// rod feels both; on a bent wire it turns with the wire.
static void carriages_on_curves(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/carriages/carriage_on_a_circle.yaml",
                                (TestMethod){.integrator = "radau", .rtol = 1e-10, .atol = 1e-12});
    for (int row = 0; row < run.n_rows; row++) {
        double t = test_run_time(&run, row), s = 0.1 * cosh(3.0 * t), v = 0.3 * sinh(3.0 * t);
        test_close("s", test_run_value(&run, row, "s"), s, 1e-8);
        test_close("M", fabs(test_run_value(&run, row, "M")), 2.0 * 5.0 * 3.0 * v * s, 1e-6);
    }
    test_run_free(&run);
    run = test_run_file("test/verify/carriages/carriage_on_a_curve.yaml",
                        (TestMethod){.integrator = "radau"});
    double first[2] = {0};
    for (int row = 0; row < run.n_rows; row++) {
        double along[2] = {test_run_value(&run, row, "a.x") - test_run_value(&run, row, "b.x"),
                           test_run_value(&run, row, "a.y") - test_run_value(&run, row, "b.y")};
        double v[2] = {test_run_value(&run, row, "v.x"), test_run_value(&run, row, "v.y")};
        double angle = atan2(along[0] * v[1] - along[1] * v[0], along[0] * v[0] + along[1] * v[1]);
        first[0] = row == 0 ? angle : first[0];
        test_close("turns with the wire", angle, first[0], 1e-9);
    }
    test_run_free(&run);
}

static void check_refused(const char* text, const char* expected) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbStatus status =
        fb_model_def_read_text(text, strlen(text), "test.yaml", NULL, &def, diagnostics);
    if (status == FB_OK) {
        status = fb_model_create(def, &model, diagnostics);
    }
    assert_true(status < 0);
    bool is_found = false;
    for (int i = 0; i < fb_diagnostics_count(diagnostics); i++) {
        char line[1000];
        fb_diagnostic_format(fb_diagnostics_get(diagnostics, i), line, sizeof(line));
        is_found = is_found || strstr(line, expected);
    }
    assert_true(is_found);
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(diagnostics);
}

// What cannot work is refused with the remedy.
static void impossible_attachments(void** state) {
    (void)state;
    check_refused(
        "flyball: 1\nbodies: {b: {mass: 1}}\nsliders: {t: {body: ground, points: [[0, 0, 0], [1, "
        "0, "
        "0]], mass: 1, free: true}}\nforces: {k: {type: spring, a: b, b: t.rail, stiffness: 1}}\n",
        "attach the part to 't.carriage'");
    check_refused(
        "flyball: 1\nbodies: {b: {mass: 1}}\n"
        "forces: {k: {type: spring, a: b, b: t.carriage, stiffness: 1}}\n",
        "there is no body 't.carriage'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_on_beams),
        cmocka_unit_test(blocks_on_curves),
        cmocka_unit_test(loads_at_rest),
        cmocka_unit_test(carriages_turn_with_the_guide),
        cmocka_unit_test(hung_mass_is_sliding_mass),
        cmocka_unit_test(pendulum_on_a_trolley),
        cmocka_unit_test(energy_of_a_loop),
        cmocka_unit_test(carriages_on_curves),
        cmocka_unit_test(impossible_attachments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
