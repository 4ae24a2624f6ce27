// The same mechanism at the origin and far away: as many steps, the same digits, the same
// derivatives.
//
// Lengths in the models are sums of powers of two, so that the drawing does not round at any of the
// places.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"
#include "solve/weights.h"

// At the origin, at 65 km, and at ten million lengths.
static const char* const PLACES[][3] = {
    {"0", "0", "0"}, {"65536", "-32768", "16384"}, {"1e7", "2e6", "-3e6"}};
enum { N_PLACES = 3 };

typedef struct Case {
    const char* name;
    const char* outputs[4];
    double duration;
} Case;

static const Case CASES[] = {
    {"double_pendulum", {"q", "o.w", "o.x", "r.x"}, 1.0},
    {"four_bar", {"q", "p.x", "r.x", "r.z"}, 1.0},
    {"springs", {"x", "y", "z.y", "h"}, 1.0},
    {"rope", {"p.y", "p.z", "w.x", "w.y"}, 0.25},
    {"flight", {"w.x", "w.z", "x", "u.y"}, 2.0},
    {"frame_linear", {"d.z", "c.z"}, 0.01},
    {"frame_nonlinear", {"d.z", "c.z"}, 0.01},
};

static FbModel* model_at(const Case* c, const char* const place[3]) {
    char path[200];
    snprintf(path, sizeof(path), "test/verify/places/%s.yaml", c->name);
    return test_model_with(path, "X=%s; Y=%s; Z=%s", place[0], place[1], place[2]);
}

static void compare(const Case* c, const TestRun* near, const TestRun* far, const char* what) {
    long steps = fb_result_get_stats(near->result)->steps;
    long far_steps = fb_result_get_stats(far->result)->steps;
    for (int i = 0; i < 4 && c->outputs[i]; i++) {
        double expected = test_run_last(near, c->outputs[i]);
        test_close(what, test_run_last(far, c->outputs[i]), expected, 1e-11 * fabs(expected));
    }
    if (labs(far_steps - steps) > steps / 10) {
        print_message("%s: %ld steps instead of %ld\n", what, far_steps, steps);
    }
    assert_true(labs(far_steps - steps) <= steps / 10);
}

static void same_at_every_place(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const Case* c = &CASES[i];
        for (const char* const* method = test_integrators(); *method; method++) {
            TestMethod how = {*method, c->duration, c->duration, 1e-8, 1e-10};
            TestRun near = test_run_model(model_at(c, PLACES[0]), how);
            for (int p = 1; p < N_PLACES; p++) {
                char what[200];
                TestRun far = test_run_model(model_at(c, PLACES[p]), how);
                snprintf(what, sizeof(what), "%s by %s at %s m", c->name, *method, PLACES[p][0]);
                compare(c, &near, &far, what);
                test_run_free(&far);
            }
            test_run_free(&near);
        }
    }
}

// All blocks, wherever it is and however fast it passes.
static void derivatives_at_every_place(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        for (int p = 0; p < N_PLACES; p++) {
            unsigned seed = 11;
            TestSystem t;
            test_system_init(&t, model_at(&CASES[i], PLACES[p]));
            double scale = strstr(CASES[i].name, "frame") ? 1e-3 : 0.5;
            test_system_scatter(&t, &seed, scale);
            assert_true(test_compare_blocks(&t, CASES[i].name) < 1e-8);
            test_system_free(&t);
        }
    }
}

// What flies past needs the steps of its spin, as what stays: alone, on a rail, or tied together.
static const char* const FLIGHTS[] = {"test/verify/places/flight_alone.yaml",
                                      "test/verify/places/flight_on_a_rail.yaml",
                                      "test/verify/places/flight_tied_together.yaml"};

static void speed_costs_nothing(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof(FLIGHTS) / sizeof(FLIGHTS[0]); i++) {
        TestMethod how = {"dop853", 20.0, 20.0, 1e-9, 1e-11};
        TestRun still = test_run_with(FLIGHTS[i], how, "u=0"),
                fast = test_run_file(FLIGHTS[i], how);
        long steps = fb_result_get_stats(still.result)->steps;
        assert_true(labs(fb_result_get_stats(fast.result)->steps - steps) <= steps / 10);
        test_close("w.y", test_run_last(&fast, "w.y"), test_run_last(&still, "w.y"), 1e-9);
        test_run_free(&still);
        test_run_free(&fast);
    }
}

// Kepler's third law at 7000 km from the origin: after 17 periods the satellite is where it was.
static void orbit(void** state) {
    (void)state;
    TestRun run = test_run_file(
        "test/verify/places/orbit.yaml",
        (TestMethod){"dop853", 17.0 * 5828.516637686015, 17.0 * 5828.516637686015, 1e-10, 1e-12});
    test_close("x", test_run_last(&run, "p.x"), 7e6, 1e-3);
    assert_true(fb_result_get_stats(run.result)->steps < 2000);
    test_run_free(&run);
}

// Errors are weighed by how far a coordinate is from the drawing, not from its zero.
static void weights_do_not_know_the_origin(void** state) {
    (void)state;
    double weight[2][6];
    for (int far = 0; far < 2; far++) {
        TestSystem t;
        FbWeights w = {0};
        FbArena* arena = fb_arena_create();
        test_system_init(
            &t, test_model_with("test/verify/places/far_body.yaml", "x=%s", far ? "1e7" : "0"));
        t.p.q[0] += 0.25;
        fb_weights_init(&w, t.d, arena);
        fb_weights_restart(&w, t.d, &t.p);
        fb_weights_set(&w, t.d, 1e-6, 1e-8, &t.p);
        memcpy(weight[far], w.xi, sizeof(weight[far]));
        fb_arena_destroy(arena);
        test_system_free(&t);
    }
    assert_memory_equal(weight[0], weight[1], sizeof(weight[0]));
}

// ... nor the axes: a translation and its error are vectors.
static void weights_do_not_know_the_axes(void** state) {
    (void)state;
    static const double AXIS[2][3] = {{1.0, 0.0, 0.0}, {2.0 / 7.0, -3.0 / 7.0, 6.0 / 7.0}};
    double size[2];
    for (int turned = 0; turned < 2; turned++) {
        const double* e = AXIS[turned];
        const double error[6] = {1e-7 * e[0], 1e-7 * e[1], 1e-7 * e[2]};
        TestSystem t;
        FbWeights w = {0};
        FbWorst of_q = {0.0, -1}, of_v = {0.0, -1};
        FbArena* arena = fb_arena_create();
        test_system_init(&t, test_model_with("test/verify/places/far_body.yaml", "x=0"));
        for (int i = 0; i < 3; i++) {
            t.p.q[i] += 0.25 * e[i];
            t.p.v[i] = 3.0 * e[i];
        }
        fb_weights_init(&w, t.d, arena);
        fb_weights_restart(&w, t.d, &t.p);
        fb_weights_set(&w, t.d, 1e-6, 1e-8, &t.p);
        fb_weights_norm_v(&w, 6, w.xi, error, &of_q);
        fb_weights_norm_v(&w, 6, w.v, error, &of_v);
        assert_true(of_q.value > 0.0 && of_v.value > 0.0 && of_q.value != of_v.value);
        size[turned] = of_q.value + 100.0 * of_v.value;
        fb_arena_destroy(arena);
        test_system_free(&t);
    }
    test_close("norm", size[1] / size[0], 1.0, 1e-14);
}

// A stage on two leaf springs is pulled by k A from rest, meets a stop of stiffness 3 k after the
// gap g and returns: x = A (1 - cos w t), then about its new rest with 2 w, and back the same way.
// The compression of the springs, which lets the stage turn, is left out here (3e-4 of the
// stiffness).
static double stage_position(double t) {
    const double k = 250.0, A = 50e-6, g = 20e-6, m = 0.015 + 13.0 / 35.0 * 1.57e-4;
    double w = sqrt(k / m), t1 = acos(1.0 - g / A) / w, v1 = A * w * sin(w * t1);
    double rest = (A + 3.0 * g) / 4.0, a = g - rest, b = v1 / (2.0 * w);
    double contact = atan2(b, a) / w, s = fmod(t, 2.0 * t1 + contact);
    s = s > t1 + contact ? 2.0 * t1 + contact - s : s;
    double u = 2.0 * w * (s - t1);
    return s < t1 ? A * (1.0 - cos(w * s)) : rest + a * cos(u) + b * sin(u);
}

static void leaf_springs_far_away(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/places/leaf_stage.yaml", (TestMethod){0});
    for (int i = 0; i < run.n_rows; i++) {
        test_close("x", test_run_value(&run, i, "x"), stage_position(test_run_time(&run, i)),
                   1e-3 * 50e-6);
    }
    test_run_free(&run);
}

// A ball joint on the axis of a hinge, far away beside it by the rounding of its place (5e-10 m):
// what its redundant rows are made of then must not brake the door.
static void rounded_door(void** state) {
    (void)state;
    TestMethod method = {.integrator = "dop853"};
    const char* path = "test/verify/places/door.yaml";
    TestRun near = test_run_file(path, method);
    TestRun far = test_run_with(path, method, "X=-2058453.3; Y=284942.71; Z=749609.3");
    test_close("spin", test_run_value(&far, 0, "spin.x"), test_run_value(&near, 0, "spin.x"),
               1e-10);
    test_close("spin", test_run_last(&far, "spin.x"), test_run_last(&near, "spin.x"), 1e-9);
    test_run_free(&near);
    test_run_free(&far);
}

// Loads in balance, about lengths that are rounded to 1e-10 m: what moves is rounding, and is not
// resolved further than everything else. It took 140 steps.
static void balance_at_rest(void** state) {
    (void)state;
    static const char* const methods[] = {"dop853", "radau"};
    for (int i = 0; i < 2; i++) {
        TestMethod method = {.integrator = methods[i]};
        TestRun far = test_run_file("test/verify/places/balance.yaml", method);
        test_close(methods[i], test_run_last(&far, "angle"), 0.0, 1e-7);
        assert_in_range(fb_result_get_stats(far.result)->steps, 1, 15);
        test_run_free(&far);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_at_every_place),
        cmocka_unit_test(derivatives_at_every_place),
        cmocka_unit_test(speed_costs_nothing),
        cmocka_unit_test(orbit),
        cmocka_unit_test(weights_do_not_know_the_origin),
        cmocka_unit_test(weights_do_not_know_the_axes),
        cmocka_unit_test(leaf_springs_far_away),
        cmocka_unit_test(rounded_door),
        cmocka_unit_test(balance_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
