// Feedback: moves that events start, with prediction, limits and directions; sampled controllers
// against their recursions.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "record/csv.h"
#include "run_support.h"

static const char CASE[] = "bench/cases/s1-feedback/";

static FbSamples read_reference(const char* file) {
    char path[200];
    FbSamples table;
    FbError err;
    snprintf(path, sizeof path, "%s%s", CASE, file);
    if (fb_samples_read_csv(&table, path, &err) != FB_OK) {
        fail_msg("%s", err.text);
    }
    return table;
}

static FbEventRecord event(const TestRun* run, int i) {
    FbEventRecord record;
    fb_result_get_event(run->result, i, &record);
    return record;
}

// Benchmark S1, feedback: the angle, the place of the mass and the times of all events.
static void check_pendulum(TestRun run, double tolerance, double event_tolerance) {
    FbSamples motion = read_reference("reference.csv");
    FbSamples events = read_reference("reference_events.csv");
    assert_int_equal(run.n_rows, 201);
    assert_int_equal(motion.n_rows, 201);
    for (int i = 0; i < run.n_rows; i++) {
        test_close("t", test_run_time(&run, i), fb_samples_get_time(&motion, i), 1e-12);
        test_close("theta", test_run_value(&run, i, "theta"), fb_samples_get_value(&motion, i, 0),
                   tolerance);
        test_close("s", test_run_value(&run, i, "s"), fb_samples_get_value(&motion, i, 1),
                   100.0 * event_tolerance);
    }
    assert_int_equal(fb_result_get_event_count(run.result), 41);
    assert_int_equal(events.n_rows, 41);
    for (int i = 0; i < 41; i++) {
        FbEventRecord e = event(&run, i);
        test_close("event", e.t, fb_samples_get_time(&events, i), event_tolerance);
        assert_string_equal(
            e.name, fb_samples_get_value(&events, i, 0) > 0.5 ? "reel.outward" : "reel.inward");
    }
    fb_samples_free(&motion);
    fb_samples_free(&events);
    test_run_free(&run);
}

static TestMethod tight(const char* integrator) {
    return (TestMethod){integrator, 20.0, 0.1, 1e-12, 1e-14};
}

static void pendulum_by_radau(void** state) {
    (void)state;
    check_pendulum(test_run_file("models/reeled_pendulum.yaml", tight("radau")), 1e-12, 1e-10);
}

static void pendulum_by_dop853(void** state) {
    (void)state;
    check_pendulum(test_run_file("models/reeled_pendulum.yaml", tight("dop853")), 1e-9, 1e-8);
}

// The same mass as a slider on a massless rod: by the law itself, and by a drive that follows it.
static void slider_by_law(void** state) {
    (void)state;
    check_pendulum(test_run_file("test/verify/feedback/slider_by_law.yaml", tight("dop853")), 1e-9,
                   1e-8);
}

static void slider_by_feedback(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/feedback/slider_by_feedback.yaml", tight("radau"));
    check_pendulum(run, 1e-9, 1e-8);
}

// Limits change the motion, and the run says how long they bound.
static void slider_with_limits(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/feedback/slider_with_limits.yaml",
                                (TestMethod){"radau", 5.0, 0.01, 1e-9, 1e-11});
    double largest = 0.0;
    for (int i = 1; i < run.n_rows; i++) {
        double speed = test_run_value(&run, i, "s") - test_run_value(&run, i - 1, "s");
        largest = fmax(largest, fabs(speed) / 0.01);
    }
    assert_true(largest < 1.5 + 1e-6 && largest > 1.49);
    assert_int_equal(fb_result_get_warning_count(run.result), 1);
    assert_non_null(strstr(fb_result_get_warning(run.result, 0), "speed"));
    assert_non_null(strstr(fb_result_get_warning(run.result, 0), "bob.limit"));
    test_run_free(&run);
}

// Each run starts at rest inside again, also within a certificate and on the same model.
static void runs_repeat(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("models/reeled_pendulum.yaml");
    FbRunOptions options = fb_run_options_default(model);
    // Later the swing is so small that its events, and the work during moves, depend on atol.
    options.settings.duration = 5.0;
    FbResult *first = NULL, *second = NULL, *accurate = NULL;
    FbCertificate certificate;
    FbError err;
    assert_int_equal(fb_simulate(model, &options, &first, &err), FB_OK);
    assert_int_equal(fb_simulate(model, &options, &second, &err), FB_OK);
    int column = fb_model_find_output(model, "theta"), last = fb_result_get_row_count(first) - 1;
    assert_true(fb_result_get_value(first, last, column) ==
                fb_result_get_value(second, last, column));
    assert_int_equal(fb_simulate_accurately(model, &options, 1e-8, &accurate, &certificate, &err),
                     FB_OK);
    assert_true(certificate.is_reached);
    test_close("theta", fb_result_get_value(accurate, last, column),
               fb_result_get_value(first, last, column), 1e-9);
    fb_result_destroy(first);
    fb_result_destroy(second);
    fb_result_destroy(accurate);
    fb_model_destroy(model);
}

// A body on a spring, x = cos(3 t), whose motion nothing disturbs; the law is only watched.
static const TestMethod METHOD = {"radau", 6.0, 0.1, 1e-12, 1e-13};
static const double PI = 3.14159265358979323846;

static TestRun run_oscillator(const char* law) {
    return test_run_with(
        "test/verify/feedback/oscillator.yaml", METHOD,
        "outward: rail.q, inward: rail.v, duration: 0.2, lead: 0.1, frequency: 3 => %s", law);
}

// cos(3 t) crosses zero at (k + 1/2) pi/3, its rate at k pi/3: the moves start `lead` before.
static void check_lead(const char* outward, const char* inward, double phase_out, double phase_in) {
    char law[300];
    snprintf(law, sizeof law,
             "outward: \"%s\", inward: \"%s\", duration: 0.2, lead: 0.1, frequency: 3", outward,
             inward);
    TestRun run = run_oscillator(law);
    int n = fb_result_get_event_count(run.result);
    assert_true(n >= 5);
    for (int i = 0; i < n; i++) {
        FbEventRecord e = event(&run, i);
        double phase = i % 2 == 0 ? phase_out : phase_in;
        double crossings = ((e.t + 0.1) * 3.0 - phase) / PI;
        test_close("crossing", crossings, round(crossings), 1e-9);
        assert_string_equal(e.name, i % 2 == 0 ? "arm.outward" : "arm.inward");
    }
    test_run_free(&run);
}

static void lead_centres_moves(void** state) {
    (void)state;
    check_lead("rail.q", "rail.v", 0.5 * PI, 0.0);
    // Of a state (z = sin(3 t)/3), of time alone, of a law and of a force.
    check_lead("3*z", "sin(3*t)", 0.0, 0.0);
    check_lead("rail.q*1 + 0*arm", "spring.force", 0.5 * PI, 0.5 * PI);
}

// The value in the middle of a centred move, at the event itself, is half way.
static void centred_move_is_half_way(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/feedback/oscillator_with_an_event.yaml", METHOD);
    int column = fb_model_find_output(run.model, "arm"), found = 0;
    for (int i = 0; i < fb_result_get_event_count(run.result); i++) {
        FbEventRecord e = event(&run, i);
        if (strcmp(e.name, "zero") == 0) {
            found++;
            test_close("t", e.t, PI / 6.0, 1e-10);
            test_close("half way", e.outputs[column], 1.5, 1e-9);
        }
    }
    assert_int_equal(found, 1);
    test_run_free(&run);
}

// Only falling zeros of x start outward moves, once in a period.
static void directions_count(void** state) {
    (void)state;
    TestRun run = run_oscillator(
        "outward: rail.q, outward_direction: rising, inward: rail.q, inward_direction: falling, "
        "duration: 0.2, start: outer");
    int n = fb_result_get_event_count(run.result);
    assert_int_equal(n, 6);
    for (int i = 0; i < n; i++) {
        FbEventRecord e = event(&run, i);
        test_close("t", e.t, (i + 0.5) * PI / 3.0, 1e-10);
        assert_string_equal(e.name, i % 2 == 0 ? "arm.inward" : "arm.outward");
        assert_int_equal(e.direction, i % 2 == 0 ? -1 : 1);
    }
    test_run_free(&run);
}

// Crossings during a move do not count: moves of 1.2 s at zeros 1.047 s apart use every second one.
static void events_during_moves_do_not_count(void** state) {
    (void)state;
    TestRun run = run_oscillator("outward: rail.q, inward: rail.q, duration: 1.2");
    assert_int_equal(fb_result_get_event_count(run.result), 3);
    for (int i = 0; i < 3; i++) {
        test_close("t", event(&run, i).t, (2 * i + 0.5) * PI / 3.0, 1e-10);
    }
    test_run_free(&run);
}

static void limits_lengthen_moves(void** state) {
    (void)state;
    TestRun run = run_oscillator("outward: rail.q, inward: rail.q, duration: 0.1, max_rate: 5");
    // 1.875/5 = 0.375 s; half way after half of it.
    assert_int_equal(fb_result_get_warning_count(run.result), 1);
    const char* warning = fb_result_get_warning(run.result, 0);
    assert_non_null(strstr(warning, "law 'arm'"));
    assert_non_null(strstr(warning, "0.375 s instead of 0.1 s"));
    for (int i = 0; i < run.n_rows; i++) {
        double x = (test_run_time(&run, i) - PI / 6.0) / 0.375;
        if (x > 0.0 && x < 1.0) {
            test_close("arm", test_run_value(&run, i, "arm"),
                       1.0 + x * x * x * (10.0 - 15.0 * x + 6.0 * x * x), 1e-10);
        }
    }
    test_run_free(&run);
}

// A cart driven by u_k = -4 x_(k-d) - 2 v_(k-d), held for T: between samples the motion is a
// parabola.
static void check_sampled_drive(const char* integrator, double delay, int late, double initial) {
    const double T = 0.05;
    char at_first[40] = "";
    if (!isnan(initial)) {
        snprintf(at_first, sizeof at_first, ", initial: %g", initial);
    }
    TestRun run = test_run_with("test/verify/feedback/sampled_drive.yaml",
                                (TestMethod){integrator, 5.0, 0.05, 1e-11, 1e-13},
                                "delay=%g; "
                                "delay: delay => delay: delay%s",
                                delay, at_first);
    // Runge-Kutta methods are exact for parabolas; the others start anew from order one at each
    // sample.
    bool is_exact = strcmp(integrator, "radau") == 0 || strcmp(integrator, "dop853") == 0;
    double x[102] = {1.0}, v[102] = {0.0}, tolerance = is_exact ? 1e-12 : 1e-9;
    assert_int_equal(run.n_rows, 101);
    for (int k = 0; k <= 100; k++) {
        bool is_first = k < late && !isnan(initial);
        int j = k >= late ? k - late : 0;
        double u = is_first ? -6.0 * initial : -4.0 * x[j] - 2.0 * v[j];
        test_close("q", test_run_value(&run, k, "q"), x[k], tolerance);
        test_close("v", test_run_value(&run, k, "rate"), v[k], tolerance);
        test_close("u", test_run_value(&run, k, "u"), u, 10.0 * tolerance);
        x[k + 1] = x[k] + T * (v[k] + 0.5 * T * u);
        v[k + 1] = v[k] + T * u;
    }
    test_run_free(&run);
}

static void sampled_drive(void** state) {
    (void)state;
    for (int i = 0; test_all_integrators()[i]; i++) {
        check_sampled_drive(test_all_integrators()[i], 0.0, 0, NAN);
    }
    check_sampled_drive("radau", 0.1, 2, NAN);
    check_sampled_drive("dop853", 0.1, 2, 0.25);
    check_sampled_drive("radau", 0.06, 2, NAN);  // rounded up to whole periods
}

// A sampler may depend on itself: the digital integral I_k = I_(k-1) + T x_k of x = 2 + t.
static void discrete_integral(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/feedback/discrete_integral.yaml",
                                (TestMethod){"dop853", 2.0, 0.125, 1e-11, 1e-13});
    double sum = 10.0, before = 10.0;
    assert_int_equal(run.n_rows, 17);
    for (int i = 0; i < run.n_rows; i++) {
        if (i % 2 == 0) {
            before = sum;
            sum += 0.25 * (2.0 + 0.125 * i);
        }
        test_close("sum", test_run_value(&run, i, "sum"), sum, 1e-11);
        // Samplers that are due together measure before any of them changes.
        test_close("copy", test_run_value(&run, i, "copy"), before, 1e-11);
        test_close("slow", test_run_value(&run, i, "slow"), 2.0 + 0.5 * (i / 4), 1e-11);
    }
    test_run_free(&run);
}

// What cannot act back at once may be sampled: an accelerometer, u_k = -0.4 a(t_k-) - 3 x_k on a
// cart of 1 kg that nothing else pushes, so that a(t_k-) = u_(k-1).
static void sampled_acceleration(void** state) {
    (void)state;
    const double T = 0.1;
    TestRun run = test_run_file("test/verify/feedback/sampled_acceleration.yaml",
                                (TestMethod){"radau", 3.0, 0.1, 1e-11, 1e-13});
    double x = 1.0, v = 0.0, u = 0.0;
    for (int k = 0; k < run.n_rows; k++) {
        u = -0.4 * u - 3.0 * x;
        test_close("q", test_run_value(&run, k, "q"), x, 1e-11);
        test_close("u", test_run_value(&run, k, "u"), u, 1e-10);
        x += T * (v + 0.5 * T * u);
        v += T * u;
    }
    test_run_free(&run);
}

// Events of a sampled signal happen at the sample that shows the change of sign.
static void moves_of_samples(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/feedback/oscillator_seen_late.yaml", METHOD);
    int n = fb_result_get_event_count(run.result);
    assert_int_equal(n, 6);
    for (int i = 0; i < n; i++) {
        double crossing = (i + 0.5) * PI / 3.0;
        test_close("t", event(&run, i).t, 0.04 * ceil(crossing / 0.04) + 0.04, 1e-12);
    }
    test_run_free(&run);
}

// Blocks with samplers that are transparent (as at an operating point) and ones that are not.
static void derivatives(void** state) {
    (void)state;
    for (int is_off = 0; is_off < 2; is_off++) {
        TestSystem t;
        test_system_init(&t, test_model_from_file("test/verify/feedback/sampled_feedback.yaml"));
        if (is_off) {
            fb_system_stop_sampling(t.system);
        }
        unsigned seed = 7;
        test_system_scatter(&t, &seed, 0.3);
        assert_true(test_compare_blocks(&t, "sampled") < 1e-7);
        test_system_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_by_radau),     cmocka_unit_test(pendulum_by_dop853),
        cmocka_unit_test(slider_by_law),         cmocka_unit_test(slider_by_feedback),
        cmocka_unit_test(slider_with_limits),    cmocka_unit_test(runs_repeat),
        cmocka_unit_test(lead_centres_moves),    cmocka_unit_test(centred_move_is_half_way),
        cmocka_unit_test(directions_count),      cmocka_unit_test(events_during_moves_do_not_count),
        cmocka_unit_test(limits_lengthen_moves), cmocka_unit_test(sampled_drive),
        cmocka_unit_test(discrete_integral),     cmocka_unit_test(sampled_acceleration),
        cmocka_unit_test(moves_of_samples),      cmocka_unit_test(derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
