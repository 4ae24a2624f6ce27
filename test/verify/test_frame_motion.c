// Frames that move: energy and momenta that stay, centrifugal stiffening, moving supports, loops of
// flexible parts, and the linear theory as the limit of the nonlinear one.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

static const double PI = 3.14159265358979323846;

#define PARTS                                        \
    "flyball: 1\n"                                   \
    "materials: {m: {E: 1e6, G: 4e5, density: 2}}\n" \
    "sections: {bar: {type: general, material: m, A: 1, Iy: 1e-4, Iz: 2e-4, J: 3e-4}}\n"

static const TestMethod FINE = {.integrator = "radau", .rtol = 1e-10, .atol = 1e-12};

// Thrown with spin about all axes and bent: nothing acts on it from outside.
static void thrown_beam(void** state) {
    (void)state;
    const char* forms[] = {"", "    mass: lumped\n", "    beam: timoshenko\n"};
    for (int i = 0; i < 3; i++) {
        char text[3000];
        snprintf(text, sizeof(text),
                 "flyball: 1\ngravity: [0, 0, 0]\nmaterials: {m: {E: 1e4, G: 4e3, density: 2}}\n"
                 "sections: {bar: {type: general, material: m, A: 1, Iy: 1e-3, Iz: 2e-3, J: 3e-3, "
                 "shear_y: 0.8, shear_z: 0.8}}\n"
                 "structures:\n  f:\n    theory: nonlinear\n%s    nodes:\n"
                 "      A: {at: [0, 0, 0], velocity: [0, -2, 1, 3, 0, 4]}\n"
                 "      B: {at: [1, 0, 0], velocity: [0.5, 1, 0, 2, 1, 4]}\n"
                 "      C: {at: [1.8, 0.6, 0], velocity: [0, 4, -1, 0, 1, 3]}\n"
                 "    members: {a: {from: A, to: B, section: bar, elements: 2}, b: {from: B, to: "
                 "C, section: bar, elements: 2}}\n"
                 "outputs: {E: {type: energy}, U: {type: potential_energy}, P: {type: momentum}, "
                 "H: {type: angular_momentum}, c: {type: center_of_mass}, turn: {type: "
                 "orientation, body: f.B}}\n"
                 "simulation: {duration: 1.5, sample: 0.05}\n",
                 forms[i]);
        TestRun run = test_run_text(text, FINE);
        double E = test_run_value(&run, 0, "E"), U = 0.0;
        for (int row = 0; row < run.n_rows; row++) {
            U = fmax(U, test_run_value(&run, row, "U"));
        }
        assert_true(U > 0.2 * E);  // it bends a lot
        test_close("energy", test_run_drift(&run, "E"), 0.0, 1e-7 * E);
        const char* kept[] = {"P.x", "P.y", "P.z", "H.x", "H.y", "H.z"};
        for (int k = 0; k < 6; k++) {
            test_close(kept[k], test_run_drift(&run, kept[k]), 0.0, 2e-7);
        }
        double t = test_run_time(&run, run.n_rows - 1);
        test_close("center", test_run_last(&run, "c.y") - test_run_value(&run, 0, "c.y"),
                   t * test_run_value(&run, 0, "P.y") / (2.0 * 2.0), 1e-7);
        test_run_free(&run);
    }
}

// The limit of small motions in a plane, where the mass matrices are the same (in space the rotary
// inertia about the axis is lumped with large rotations): the difference falls with the amplitude.
static void small_motions(void** state) {
    (void)state;
    double error[2];
    for (int i = 0; i < 2; i++) {
        TestRun run[2];
        for (int k = 0; k < 2; k++) {
            char text[3000];
            snprintf(text, sizeof(text),
                     PARTS
                     "gravity: [0, 0, 0]\nstructures:\n  f:\n    plane: xz\n    theory: %s\n    "
                     "nodes: {A: "
                     "{at: [0, 0], support: clamped}, B: {at: [1, 0.5], velocity: [%g, 0, %g]}, "
                     "C: {at: [2, 0], support: pinned}}\n"
                     "    members: {a: {from: A, to: B, section: bar, elements: 2}, b: {from: B, "
                     "to: C, section: bar, elements: 2}}\n"
                     "outputs: {x: f.B.q1, y: f.B.q2}\nsimulation: {duration: 0.2, sample: 0.01}\n",
                     k ? "nonlinear" : "linear", i ? 0.03 : 0.3, i ? 0.02 : 0.2);
            run[k] = test_run_text(text, FINE);
        }
        error[i] = 0.0;
        double size = 0.0;
        for (int row = 0; row < run[0].n_rows; row++) {
            double y = test_run_value(&run[0], row, "y");
            error[i] = fmax(error[i], fabs(test_run_value(&run[1], row, "y") - y));
            size = fmax(size, fabs(y));
        }
        error[i] /= size;
        test_run_free(&run[0]);
        test_run_free(&run[1]);
    }
    assert_true(error[0] > 1e-3 && error[0] < 0.1);
    assert_true(error[1] < 0.11 * error[0]);
}

// A uniform cantilever that turns with W = eta sqrt(EI/mu)/L^2 and flaps across the plane of
// rotation with 6.4495 (eta = 5) or 11.2023 (eta = 10) of the same unit (Wright, Smith, Thresher
// and Wang 1982); without rotation it is 3.5160. From crossings of the tip through its plane.
static double flap_frequency(double eta, int n) {
    const double L = 2.0, unit = sqrt(200.0 / 2.0) / (L * L), W = eta * unit;
    char text[4000];
    // Stretched by mu W^2 (L^2 x/2 - x^3/6)/EA at the start; flapping starts with a speed in
    // proportion to x.
    snprintf(text, sizeof(text),
             "flyball: 1\ngravity: [0, 0, 0]\nparameters: {W: %.17g, L: 2, h: L/%d}\n"
             "materials: {m: {E: 1e6, nu: 0.3, density: 0.02}}\n"
             "sections: {bar: {type: general, material: m, A: 100, Iy: 2e-4, Iz: 2e-3, J: 1e-3}}\n"
             "bodies: {hub: {mass: 1, inertia: [1e9, 1e9, 1e9]}}\n"
             "joints: {spin: {type: revolute, between: [ground, hub], point: [0, 0, 0], axis: [0, "
             "0, 1], velocity: W}}\n"
             "structures:\n  f:\n    theory: nonlinear\n    nodes: {N0: {at: [0, 0, 0], body: "
             "hub}}\n    repeat:\n      for: i\n      from: 1\n      to: %d\n"
             "      nodes: {\"N{i}\": {at: [i*h, 0, 0], displacement: [2*W^2*(L^2*i*h/2 - "
             "(i*h)^3/6)/1e8], velocity: [0, W*(i*h + 2*W^2*(L^2*i*h/2 - (i*h)^3/6)/1e8), "
             "0.001*W*i*h, 0, -0.001*W, W]}}\n"
             "      members: {\"m{i}\": {from: \"N{i-1}\", to: \"N{i}\", section: bar, y_axis: "
             "[0, 1, 0]}}\n"
             "outputs: {z: f.N%d.q3, s: spin.q}\nsimulation: {duration: %.17g, sample: %.17g}\n",
             W, n, n, n, 10.5 * 2.0 * PI / (unit * (3.0 + eta)), 0.02 / unit);
    TestRun run =
        test_run_text(text, (TestMethod){.integrator = "radau", .rtol = 1e-7, .atol = 1e-11});
    double first = NAN, last = NAN;
    int n_crossings = 0;
    for (int row = 1; row < run.n_rows; row++) {
        double a = test_run_value(&run, row - 1, "z"), b = test_run_value(&run, row, "z");
        if (row > 1 && a * b < 0.0) {
            double t = test_run_time(&run, row - 1);
            last = t + (test_run_time(&run, row) - t) * a / (a - b);
            first = n_crossings++ == 0 ? last : first;
        }
    }
    test_run_free(&run);
    return PI * (n_crossings - 1) / (last - first) / unit;
}

static void centrifugal_stiffening(void** state) {
    (void)state;
    test_close("eta 0.01", flap_frequency(0.01, 6), 3.5160, 0.02);
    test_close("eta 5", flap_frequency(5.0, 6), 6.4495, 0.01);
    test_close("eta 10", flap_frequency(10.0, 6), 11.2023, 0.02);
}

// A support that moves by x(t) is, seen from it, a fixed one with the load -mu x''(t).
static void moving_support(void** state) {
    (void)state;
    const char* text[] = {
        PARTS
        "gravity: [0, 0, 0]\nstructures:\n  f:\n    plane: xy\n    nodes: {A: {at: [0, 0]}, B: "
        "{at: [0, 2], mass: 1}}\n    members: {m: {from: A, to: B, section: bar, elements: 3}}\n"
        "constraints: {x: {type: motion, joint: f.A.q1, value: \"0.02*t^3\"}, y: {type: motion, "
        "joint: f.A.q2, value: 0}, turn: {type: motion, joint: f.A.q3, value: 0}}\n"
        "outputs: {d: f.B.q1 - f.A.q1, x: f.A.q1}\nsimulation: {duration: 1.3, sample: 0.1}\n",
        PARTS
        "gravity: [0, 0, 0]\nstructures:\n  f:\n    plane: xy\n    nodes: {A: {at: [0, 0], "
        "support: clamped}, B: {at: [0, 2], mass: 1, force: [\"-0.12*t\", 0, 0]}}\n    members: "
        "{m: {from: A, to: B, section: bar, elements: 3, load: [\"-2*0.12*t\", 0, 0]}}\n"
        "outputs: {d: f.B.q1}\nsimulation: {duration: 1.3, sample: 0.1}\n"};
    TestRun a = test_run_text(text[0], FINE), b = test_run_text(text[1], FINE);
    double size = fabs(test_run_last(&b, "d"));
    assert_true(size > 1e-4);
    test_close("support", test_run_last(&a, "x"), 0.02 * 1.3 * 1.3 * 1.3, 1e-12);
    for (int row = 0; row < b.n_rows; row++) {
        test_close("relative motion", test_run_value(&a, row, "d"), test_run_value(&b, row, "d"),
                   1e-6 * size);
    }
    test_run_free(&a);
    test_run_free(&b);
}

// A crank, a flexible rod and a sliding block, closed by joints: falls, bends, keeps its energy.
static void flexible_slider_crank(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/frame_motion/flexible_slider_crank.yaml",
                                (TestMethod){.integrator = "radau", .rtol = 1e-9, .atol = 1e-11});
    double bend = 0.0, swing = 0.0;
    for (int row = 0; row < run.n_rows; row++) {
        swing = fmax(swing, fabs(test_run_value(&run, row, "angle")));
        bend = fmax(bend, fabs(test_run_value(&run, row, "bend")));
    }
    assert_true(bend > 0.01 && swing > 0.5);
    test_close("energy", test_run_drift(&run, "E"), 0.0, 1e-6);
    test_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thrown_beam),
        cmocka_unit_test(small_motions),
        cmocka_unit_test(centrifugal_stiffening),
        cmocka_unit_test(moving_support),
        cmocka_unit_test(flexible_slider_crank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
