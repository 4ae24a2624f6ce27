// The number of steps is a matter of the motion, not of how the mechanism is written down.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

static void assert_same(const char* what, const TestRun* one, const TestRun* other) {
    double steps = (double)fb_result_get_stats(one->result)->steps;
    test_close(what, (double)fb_result_get_stats(other->result)->steps, steps, 0.1 * steps + 2.0);
}

// Pins of the cranks, in the order of the file.
static const double PINS[3][3][2] = {
    {{0, 0}, {2, 0}, {1, 1}}, {{2, 0}, {1, 1}, {0, 0}}, {{1, 1}, {0, 0}, {2, 0}}};

static TestRun run_cranks(int order, const char* integrator) {
    const double(*p)[2] = PINS[order];
    return test_run_with("test/verify/steps/cranks.yaml", (TestMethod){.integrator = integrator},
                         "x1=%g; y1=%g; x2=%g; y2=%g; x3=%g; y3=%g", p[0][0], p[0][1], p[1][0],
                         p[1][1], p[2][0], p[2][1]);
}

// Which two of three cranks come first in the file: they are dead at other instants, and where they
// are, others of the rows hold the platform. The run continues as if nothing had happened.
static void redundant_cranks(void** state) {
    (void)state;
    static const char* const methods[] = {"dop853", "auto", "radau"};
    for (int i = 0; i < 3; i++) {
        TestRun one = run_cranks(0, methods[i]);
        for (int order = 0; order < 3; order++) {
            TestRun other = run_cranks(order, methods[i]);
            assert_int_equal(fb_result_get_warning_count(other.result), 0);
            test_close(methods[i], test_run_last(&other, "platform.x"),
                       test_run_last(&one, "platform.x"), 2e-9);
            // With radau a step that is long enough to hold a dead instant counts by chance.
            if (strcmp(methods[i], "radau") != 0) {
                assert_same(methods[i], &one, &other);
            }
            test_run_free(&other);
        }
        test_run_free(&one);
    }
}

// Inside a step two of the cranks are dead for an instant; samples there need rows of others. The
// cranks are parallel, so they have the same angular acceleration at every sample; they used to
// differ by up to 1.8e-4 rad/s^2.
static void samples_at_dead_cranks(void** state) {
    (void)state;
    static const char* const methods[] = {"dop853", "radau"};
    for (int i = 0; i < 2; i++) {
        TestRun run = test_run_file("test/verify/steps/cranks.yaml",
                                    (TestMethod){.integrator = methods[i], .sample = 0.0005});
        double differs = 0.0;
        for (int j = 0; j < run.n_rows; j++) {
            double first = test_run_value(&run, j, "turn1.z");
            differs = fmax(differs, fabs(test_run_value(&run, j, "turn2.z") - first));
            differs = fmax(differs, fabs(test_run_value(&run, j, "turn3.z") - first));
        }
        test_close(methods[i], differs, 0.0, 1e-8);
        test_run_free(&run);
    }
}

// A stiff light beam guides a mass as a constraint would: the second increment of Newton's
// iteration takes back what the first one did, which says nothing about how the third will be.
// Steps that were cut for it used to be three times as many.
static void stiff_guide(void** state) {
    (void)state;
    TestRun run = test_run_file("bench/cases/s1-fe/guide.yaml",
                                (TestMethod){.integrator = "radau", .duration = 2.0});
    const FbRunStats* stats = fb_result_get_stats(run.result);
    assert_true(stats->steps < 300);
    test_run_free(&run);
}

// Links of a millionth and a billionth of the heaviest: what regularization leaves of the weights
// of redundant rows must not exchange rows for dependent ones, which then let the loop drift apart.
static void light_links(void** state) {
    (void)state;
    double first = NAN;
    for (const char* const* name = test_integrators(); *name; name++) {
        TestRun run =
            test_run_file("test/verify/steps/light_links.yaml", (TestMethod){.integrator = *name});
        const FbRunStats* stats = fb_result_get_stats(run.result);
        assert_true(stats->steps < 300 && stats->max_constraint_error < 1e-12);
        first = isnan(first) ? test_run_last(&run, "p.x") : first;
        test_close(*name, test_run_last(&run, "p.x"), first, 1e-9);
        test_run_free(&run);
    }
}

// Components of one push as three laws: they begin and end at one time, not at three that differ by
// rounding, with a restart each.
static void events_at_once(void** state) {
    (void)state;
    for (const char* const* name = test_integrators(); *name; name++) {
        TestMethod method = {.integrator = *name};
        TestRun one = test_run_file("test/verify/steps/push_one.yaml", method);
        TestRun three = test_run_file("test/verify/steps/push_three.yaml", method);
        int count = fb_result_get_event_count(one.result);
        assert_int_equal(count, 5);
        assert_int_equal(fb_result_get_event_count(three.result), 3 * count);
        for (int i = 0; i < 3 * count; i++) {
            FbEventRecord first, event;
            assert_true(fb_result_get_event(three.result, i - i % 3, &first));
            assert_true(fb_result_get_event(three.result, i, &event));
            assert_true(event.t == first.t);
        }
        double steps = (double)fb_result_get_stats(one.result)->steps;
        test_close(*name, (double)fb_result_get_stats(three.result)->steps, steps, 1.0);
        test_close(*name, test_run_last(&three, "place.x"), test_run_last(&one, "place.x"), 1e-11);
        test_run_free(&one);
        test_run_free(&three);
    }
}

// A load that hangs by a strut of a billionth of its mass: what the forces in the strut round to
// turns it about its own axis, but that is no reason for short steps, and the load moves as by a
// string.
static void light_strut(void** state) {
    (void)state;
    static const char* const turns[] = {"0", "1", "2", "2.5"};
    TestRun string =
        test_run_file("test/verify/steps/light_string.yaml", (TestMethod){.integrator = "dop853"});
    for (int i = 0; i < 12; i++) {
        const char* method = i < 4 ? "dop853" : i < 8 ? "auto" : "radau";
        const char* turn = turns[i % 4];
        TestRun strut = test_run_with("test/verify/steps/light_strut.yaml",
                                      (TestMethod){.integrator = method}, "turn=%s", turn);
        assert_in_range(fb_result_get_stats(strut.result)->steps, 10, i < 8 ? 50 : 200);
        test_close(turn, test_run_last(&strut, "load.x"), test_run_last(&string, "load.x"), 5e-9);
        test_close(turn, test_run_last(&strut, "load.y"), test_run_last(&string, "load.y"), 5e-9);
        test_run_free(&strut);
    }
    test_run_free(&string);
}

// The spin of such a strut is what the moments of forces of ten newtons about its own axis leave:
// none, if it is symmetric. In doubles their rounding, 1e-16 * 9 Nm, is 3e-5 rad/s^2 of its moment
// of inertia; in extended precision a thousandth of that, and several of these.
static void light_spin(void** state) {
    (void)state;
    static const char* const turns[] = {"0.4", "1", "2", "2.5"};
    const double more = LDBL_MANT_DIG > DBL_MANT_DIG ? 1.0 : 2048.0;
    for (int i = 0; i < 12; i++) {
        const char* method = i < 4 ? "dop853" : i < 8 ? "auto" : "radau";
        TestRun run = test_run_with("test/verify/steps/light_spin.yaml",
                                    (TestMethod){.integrator = method}, "turn=%s", turns[i % 4]);
        for (int row = 0; row < run.n_rows; row++) {
            double along = 0.0;
            for (const char* c = "xyz"; *c; c++) {
                char turning[] = "turning.?", end[] = "end.?";
                turning[8] = end[4] = *c;
                along += test_run_value(&run, row, turning) * test_run_value(&run, row, end);
            }
            test_close("spin", along, 0.0, 4e-7 * more);
        }
        assert_true(test_run_drift(&run, "spin") < 2e-7 * more);
        test_run_free(&run);
    }
}

// Jumps of two laws that differ by a unit of rounding are one: behind it both are on their new
// sides.
static void jumps_at_once(void** state) {
    (void)state;
    static const char* const starts[] = {"0.3", "0.1 + 0.2", "0.7 - 0.4", "3*0.1", "0.9/3"};
    for (const char* const* name = test_integrators(); *name; name++) {
        const char* path = "test/verify/steps/jumps.yaml";
        TestMethod method = {.integrator = *name};
        TestRun one = test_run_with(path, method, "start=%s", starts[0]);
        for (int i = 1; i < 5; i++) {
            TestRun other = test_run_with(path, method, "start=%s", starts[i]);
            double steps = (double)fb_result_get_stats(one.result)->steps;
            test_close(*name, (double)fb_result_get_stats(other.result)->steps, steps, 1.0);
            test_close(*name, (double)fb_result_get_stats(other.result)->rejected,
                       (double)fb_result_get_stats(one.result)->rejected, 1.0);
            test_run_free(&other);
        }
        test_run_free(&one);
    }
}

// Weights of redundant rows have other signs in a mirror; the choice of rows must not be a matter
// of whether they cancel.
static void mirrored_loop(void** state) {
    (void)state;
    for (const char* const* name = test_integrators(); *name; name++) {
        TestMethod method = {.integrator = *name};
        TestRun one = test_run_file("test/verify/steps/bennett.yaml", method);
        TestRun other = test_run_file("test/verify/steps/bennett_mirrored.yaml", method);
        double steps = (double)fb_result_get_stats(one.result)->steps;
        test_close(*name, (double)fb_result_get_stats(other.result)->steps, steps, 1.0);
        test_close(*name, test_run_last(&other, "kinetic"), test_run_last(&one, "kinetic"), 1e-8);
        test_run_free(&one);
        test_run_free(&other);
    }
}

// The shares of dry friction that sticks are found with the same matrices as the derivatives of a
// step, which must not contain what is left of that: twice the inertia halves each increment.
static void stuck_in_a_loop(void** state) {
    (void)state;
    const char* path = "test/verify/steps/stuck_in_a_loop.yaml";
    TestRun exact = test_run_file(path, (TestMethod){.integrator = "dop853", .rtol = 1e-12});
    TestRun run = test_run_file(path, (TestMethod){.integrator = "radau"});
    assert_true(fb_result_get_stats(run.result)->steps < 30);
    assert_true(fb_result_get_stats(run.result)->jacobian_evals < 30);
    test_close("radau", test_run_last(&run, "p.x"), test_run_last(&exact, "p.x"), 1e-8);
    test_run_free(&run);
    test_run_free(&exact);
}

// Forces between the cranks pass through a platform of a billionth of their mass: kept rows that
// become dependent there do not show in the matrix of projections. The run used to end.
static void light_platform(void** state) {
    (void)state;
    static const char* const methods[] = {"dop853", "radau"};
    for (int i = 0; i < 2; i++) {
        TestMethod method = {.integrator = methods[i]};
        TestRun one = test_run_file("test/verify/steps/light_platform.yaml", method);
        TestRun other = test_run_file("test/verify/steps/light_platform_swapped.yaml", method);
        assert_in_range(fb_result_get_stats(one.result)->steps, 5, 20);
        assert_same(methods[i], &one, &other);
        test_close("p.x", test_run_last(&other, "p.x"), test_run_last(&one, "p.x"), 1e-9);
        test_run_free(&one);
        test_run_free(&other);
    }
}

// What was set to its value in the drawing differs from it by rounding: it starts at rest there,
// and what it is going to move by is not known from that.
static void set_to_the_drawing(void** state) {
    (void)state;
    static const char* const methods[] = {"dop853", "radau"};
    for (int i = 0; i < 2; i++) {
        TestMethod method = {.integrator = methods[i]};
        TestRun one = test_run_file("test/verify/steps/set.yaml", method);
        TestRun other = test_run_with("test/verify/steps/set.yaml", method, "d=2e-15");
        test_close(methods[i], (double)fb_result_get_stats(other.result)->rhs_evals,
                   (double)fb_result_get_stats(one.result)->rhs_evals, 0.0);
        test_run_free(&one);
        test_run_free(&other);
    }
}

// A corner of a force's law two microseconds after constraints were dependent: a step that had to
// end there, or begin, would not find its way. It is passed. Runs took a thousand steps, failed or
// continued on another branch. The end was extrapolated from runs with the corner 1, 2 and 4 ms
// earlier and later, 1.98617474775.
static void corner_beside_a_fork(void** state) {
    (void)state;
    static const char* const methods[] = {"auto", "dop853", "radau"};
    for (int i = 0; i < 3; i++) {
        TestRun run = test_run_file("test/verify/steps/corner_beside_a_fork.yaml",
                                    (TestMethod){.integrator = methods[i]});
        test_close(methods[i], test_run_last(&run, "q"), 1.98617474775, 2e-9);
        assert_in_range(fb_result_get_stats(run.result)->steps, 20, 100);
        for (int k = 0; k < fb_result_get_warning_count(run.result); k++) {
            assert_null(strstr(fb_result_get_warning(run.result, k), "another branch"));
        }
        test_run_free(&run);
    }
}

// Constraints are dependent at t = 0.49985011 s, and the run ends so soon after it that no leap
// across fits: one that reaches beyond the end leads the way. Runs ended with an error or took
// hundreds of steps. The ends are from a polynomial through samples 6 to 50 ms away from there.
static void end_beside_a_fork(void** state) {
    (void)state;
    static const struct {
        double t, q;
    } ends[] = {{0.49986, 1.3554807960034},
                {0.49988, 1.3555669926553},
                {0.49995, 1.3558686819450},
                {0.5, 1.3560841752424},
                {0.5003, 1.3573771509519}};
    static const struct {
        const char* integrator;
        double rtol;
    } methods[] = {{"auto", 1e-7},    {"auto", 1e-9},  {"auto", 1e-11}, {"dop853", 1e-9},
                   {"dop853", 1e-10}, {"radau", 1e-6}, {"radau", 1e-9}, {"radau", 1e-12}};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 8; k++) {
            TestMethod method = {methods[k].integrator, ends[i].t, ends[i].t, methods[k].rtol,
                                 1e-2 * methods[k].rtol};
            TestRun run = test_run_file("test/verify/steps/end_beside_a_fork.yaml", method);
            test_close(methods[k].integrator, test_run_last(&run, "q"), ends[i].q,
                       100.0 * methods[k].rtol + 1e-11);
            // Velocities next to the position are as uncertain as the places over their distance
            // from it squared; on another branch they differ by 1 rad/s.
            test_close(methods[k].integrator, test_run_last(&run, "w"), 4.30984, 2e-2);
            assert_in_range(fb_result_get_stats(run.result)->steps, 5, 60);
            test_run_free(&run);
        }
    }
}

// Laws that contradict each other a little: below the limit of an error, the run warns, at every
// size, and says where.
static void violation_is_said(void** state) {
    (void)state;
    static const double sizes[] = {1e-4, 1.0, 1e5};
    for (int i = 0; i < 3; i++) {
        TestRun run = test_run_with("test/verify/steps/nearly_consistent.yaml", (TestMethod){0},
                                    "size=%g", sizes[i]);
        assert_int_equal(fb_result_get_warning_count(run.result), 1);
        assert_non_null(strstr(fb_result_get_warning(run.result, 0), "is violated by"));
        assert_non_null(strstr(fb_result_get_warning(run.result, 0), "at t = 1 s"));
        test_run_free(&run);
        run = test_run_with("test/verify/steps/nearly_consistent.yaml", (TestMethod){0},
                            "size=%g; drift=1e-9", sizes[i]);
        assert_int_equal(fb_result_get_warning_count(run.result), 0);
        test_run_free(&run);
    }
}

// A screw that closes a loop makes several turns in a step of constant acceleration: they are
// counted.
static void turns_in_a_step(void** state) {
    (void)state;
    static const char* const methods[] = {"dop853", "radau", "bdf", "adams"};
    const double lead = 6e-3 / (2.0 * acos(-1.0)), weight = 40.0 * 9.81, tau = 1.5;
    double a = (tau + lead * weight) / (0.02 + 40.0 * lead * lead);
    for (int i = 0; i < 4; i++) {
        TestRun run = test_run_file("test/verify/steps/screw_jack.yaml",
                                    (TestMethod){.integrator = methods[i]});
        test_close(methods[i], test_run_last(&run, "q"), 0.5 * a, 1e-9 * a);
        test_close(methods[i], test_run_last(&run, "z"), -0.5 * a * lead, 1e-9 * a * lead);
        assert_true(fb_result_get_stats(run.result)->steps < 50);
        test_run_free(&run);
    }
    // Here radau's steps were too long to count the turns in them: the run ended. Such a step is
    // taken again as shorter ones.
    double inertia = 0.02 + 40.0 * lead * lead, w = 7.0;
    double q = 0.5 * lead * weight / inertia + 30.0 / (inertia * w * w) * (1.0 - cos(w));
    for (int i = 0; i < 4; i++) {
        TestRun run = test_run_with("test/verify/steps/screw_jack.yaml",
                                    (TestMethod){.integrator = methods[i]}, "tau=30; w=7");
        test_close(methods[i], test_run_last(&run, "q"), q, 1e-8 * q);
        test_close(methods[i], test_run_last(&run, "z"), -q * lead, 1e-8 * q * lead);
        test_run_free(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_cranks),     cmocka_unit_test(samples_at_dead_cranks),
        cmocka_unit_test(stiff_guide),          cmocka_unit_test(light_links),
        cmocka_unit_test(events_at_once),       cmocka_unit_test(light_spin),
        cmocka_unit_test(light_strut),          cmocka_unit_test(jumps_at_once),
        cmocka_unit_test(mirrored_loop),        cmocka_unit_test(stuck_in_a_loop),
        cmocka_unit_test(light_platform),       cmocka_unit_test(set_to_the_drawing),
        cmocka_unit_test(corner_beside_a_fork), cmocka_unit_test(end_beside_a_fork),
        cmocka_unit_test(violation_is_said),    cmocka_unit_test(turns_in_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
