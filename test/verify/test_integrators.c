// Every integrator completes every shipped model and agrees with a far more accurate run; tight
// tolerances, models without motion and positions where constraints become dependent included.
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../every.h"
#include "run_support.h"

// Times the model's rtol: what the errors of the steps may add up to over a run. Multistep methods
// of thousands of steps collect more than a few long ones, and stiff controllers (the robot)
// multiply what an explicit method leaves in their fast motions.
static double allowed(const char* integrator) {
    return strcmp(integrator, "radau") == 0 ? 500.0 : strcmp(integrator, "bdf") == 0 ? 2e4 : 5e3;
}

// Long enough to see every feature of a model; short where each step costs much or errors grow
// exponentially.
static double limit_duration(const char* name, double duration) {
    static const struct {
        const char* name;
        double duration;
    } limits[] = {
        {"double_pendulum.yaml", 3.0}, {"engine.yaml", 0.3},       {"governor.yaml", 1.0},
        {"governor_turned.yaml", 0.5}, {"robot.yaml", 1.9},        {"rolling_disc.yaml", 2.0},
        {"slider_crank.yaml", 2.0},    {"spinning_top.yaml", 1.0}, {"crane.yaml", 0.3},
        {"tower.yaml", 0.3},           {"frame.yaml", 0.1},        {"bridge_deck.yaml", 0.01},
        {"tube_mast.yaml", 0.01},      {"bracket.yaml", 0.02},     {"plate_damper.yaml", 0.1},
    };
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        if (strcmp(name, limits[i].name) == 0) {
            return fmin(duration, limits[i].duration);
        }
    }
    return duration;
}

// The magnitude that errors of a column are compared with. Sums that cancel (energies, forces in
// equilibrium) have that of their parts.
static double column_scale(const TestRun* run, int column) {
    const char* unit = fb_model_get_output_unit(run->model, column);
    bool is_sum = strchr(unit, 'J') || strchr(unit, 'N');
    double scale = is_sum ? 10.0 : 1e-2;
    for (int i = 0; i < run->n_rows; i++) {
        scale = fmax(scale, fabs(fb_result_get_value(run->result, i, column)));
    }
    return scale;
}

// The run of a file; one that an event stops is complete too.
static TestRun run_file(const char* path, TestMethod method) {
    TestRun run = {.model = test_model_from_file(path)};
    FbRunOptions o = fb_run_options_default(run.model);
    FbError err = {0};
    o.settings.integrator = method.integrator;
    o.settings.duration = method.duration;
    o.settings.rtol = method.rtol > 0.0 ? method.rtol : o.settings.rtol;
    o.settings.atol = method.atol > 0.0 ? method.atol : o.settings.atol;
    FbStatus status = fb_simulate(run.model, &o, &run.result, &err);
    if (status != FB_OK && status != FB_STOPPED) {
        fail_msg("%s with %s: %s", path, method.integrator, err.text);
    }
    run.n_rows = fb_result_get_row_count(run.result);
    return run;
}

static void compare(const char* what, const TestRun* run, const TestRun* reference,
                    double tolerance) {
    assert_int_equal(run->n_rows, reference->n_rows);
    for (int c = 0; c < fb_result_get_column_count(run->result); c++) {
        double scale = column_scale(reference, c);
        for (int i = 0; i < run->n_rows; i++) {
            char text[200];
            snprintf(text, sizeof(text), "%s: %s at t = %g s", what,
                     fb_model_get_output_name(run->model, c), test_run_time(run, i));
            test_close(text, fb_result_get_value(run->result, i, c),
                       fb_result_get_value(reference->result, i, c), tolerance * scale);
        }
    }
}

static bool has_structures(const FbModel* model) {
    FbModelInfo info;
    FbMeshInfo mesh;
    fb_model_get_info(model, &info);
    return info.n_beams > 0 || fb_model_get_mesh(model, 0, &mesh);
}

// Structures with stiffness damping have rates up to 1e9 1/s, which explicit methods would have to
// follow.
static bool is_explicit(const char* method) {
    return strcmp(method, "dop853") == 0 || strcmp(method, "adams") == 0;
}

static void check_model(const char* name) {
    char path[300], what[300];
    snprintf(path, sizeof(path), "models/%s", name);
    FbModel* model = test_model_from_file(path);
    FbSettings settings = *fb_model_get_settings(model);
    bool is_stiff = has_structures(model);
    fb_model_destroy(model);
    double duration = limit_duration(name, settings.duration);
    TestRun reference =
        run_file(path, (TestMethod){"radau", duration, 0.0, is_stiff ? 1e-3 * settings.rtol : 1e-12,
                                    is_stiff ? 1e-3 * settings.atol : 1e-14});
    for (const char* const* method = test_integrators(); *method; method++) {
        if (is_stiff && is_explicit(*method)) {
            continue;
        }
        TestRun run = run_file(path, (TestMethod){*method, duration, 0.0, 0.0, 0.0});
        snprintf(what, sizeof(what), "%s with %s", name, *method);
        compare(what, &run, &reference, allowed(*method) * settings.rtol);
        assert_true(fb_result_get_stats(run.result)->max_constraint_error < 1e-10);
        test_run_free(&run);
    }
    test_run_free(&reference);
}

static void all_models(void** state) {
    (void)state;
    DIR* folder = opendir("models");
    assert_non_null(folder);
    int n = 0;
    for (struct dirent* entry; (entry = readdir(folder));) {
        const char* end = strrchr(entry->d_name, '.');
        if (end && strcmp(end, ".yaml") == 0) {
            if (n++ % TEST_EVERY(4) == 0) {
                check_model(entry->d_name);
            }
        }
    }
    closedir(folder);
    assert_true(n >= 18);
}

// The projection of small mechanisms is rough compared with such tolerances: steps must not
// collapse.
static void tolerances_near_the_projection(void** state) {
    (void)state;
    TestRun reference =
        run_file("models/squeezer.yaml", (TestMethod){"radau", 0.03, 0.0, 1e-12, 1e-14});
    static const double rtol[] = {1e-9, 1e-9, 1e-9, 1e-10, 1e-11};
    static const double atol[] = {1e-10, 1e-11, 1e-12, 1e-12, 1e-13};
    for (const char* const* method = test_integrators(); *method; method++) {
        for (int i = 0; i < 5; i++) {
            TestRun run = run_file("models/squeezer.yaml",
                                   (TestMethod){*method, 0.03, 0.0, rtol[i], atol[i]});
            compare(*method, &run, &reference, allowed(*method) * rtol[i]);
            assert_true(fb_result_get_stats(run.result)->steps < 8000);
            test_run_free(&run);
        }
    }
    test_run_free(&reference);
}

// A loop that is driven throughout leaves the projection alone with the tolerance.
static void driven_loop(void** state) {
    (void)state;
    static const char* const path = "test/verify/integrators/driven_loop.yaml";
    TestRun reference = test_run_file(path, (TestMethod){"radau", 4.0, 0.08, 1e-12, 1e-14});
    for (const char* const* method = test_integrators(); *method; method++) {
        for (double rtol = 1e-9; rtol > 5e-12; rtol *= 0.1) {
            TestRun run = test_run_file(path, (TestMethod){*method, 4.0, 0.08, rtol, 1e-2 * rtol});
            compare(*method, &run, &reference, 10.0 * rtol);
            test_run_free(&run);
        }
    }
    test_run_free(&reference);
}

// Nothing moves: the run still records, to its end.
static void model_without_motion(void** state) {
    (void)state;
    for (const char* const* method = test_integrators(); *method; method++) {
        TestRun run = test_run_file("test/verify/integrators/model_without_motion.yaml",
                                    (TestMethod){*method, 2.0, 0.5, 1e-9, 1e-11});
        assert_int_equal(run.n_rows, 5);
        for (int i = 0; i < 5; i++) {
            test_close("time", test_run_time(&run, i), 0.5 * i, 0.0);
            test_close("clock", test_run_value(&run, i, "clock"), 0.5 * i, 0.0);
            test_close("p.y", test_run_value(&run, i, "p.y"), 2.0, 0.0);
            test_close("F.z", fabs(test_run_value(&run, i, "F.z")), 19.62, 1e-12);
        }
        test_run_free(&run);
    }
}

// ... but a state does.
static void states_without_motion(void** state) {
    (void)state;
    for (const char* const* method = test_integrators(); *method; method++) {
        TestRun run = test_run_file("test/verify/integrators/states_without_motion.yaml",
                                    (TestMethod){*method, 2.0, 0.5, 1e-9, 1e-11});
        for (int i = 0; i < run.n_rows; i++) {
            test_close(*method, test_run_value(&run, i, "decay"), exp(-test_run_time(&run, i)),
                       1e-8);
        }
        test_run_free(&run);
    }
}

// A parallelogram swings round through its flat position, where it could fold: it stays one with
// every method and tolerance.
static void dependent_constraints(void** state) {
    (void)state;
    static const char* const path = "docs/guide/models/parallelogram.yaml";
    TestRun reference = run_file(path, (TestMethod){"radau", 10.0, 0.1, 1e-12, 1e-14});
    test_close("left", test_run_last(&reference, "left"), -31.9, 0.1);
    for (const char* const* method = test_integrators(); *method; method++) {
        for (double rtol = 1e-7; rtol > 5e-12; rtol *= 0.1) {
            TestRun run = run_file(path, (TestMethod){*method, 10.0, 0.1, rtol, 1e-2 * rtol});
            char what[100];
            snprintf(what, sizeof(what), "%s with rtol = %g", *method, rtol);
            compare(what, &run, &reference, allowed(*method) * rtol);
            test_run_free(&run);
        }
    }
    test_run_free(&reference);
}

static int count_told(const TestRun* run, const char* method) {
    int n_told = 0;
    for (int i = 0; i < fb_result_get_warning_count(run->result); i++) {
        const char* text = fb_result_get_warning(run->result, i);
        n_told += strstr(text, method) && strstr(text, "dependent") && strstr(text, "radau");
    }
    return n_told;
}

static TestRun run_with_corner(const char* time, TestMethod method) {
    return test_run_with("test/verify/steps/windows.yaml", method, "T=%s", time);
}

// A corner of a law ends a step beside the flat position. Whatever the method starts there with, it
// stays on its branch; and a run with another method reports that radau crossed. (Without the
// corner, long steps of dop853 have their stages on both sides of the position by chance, need no
// help and tell nothing.)
static void crossing_is_told(void** state) {
    (void)state;
    static const char* const corners[] = {"0.714", "1.2276", "1.2281"};
    for (int k = 0; k < 3; k++) {
        TestMethod fine = {"radau", 3.0, 0.1, 1e-12, 1e-14};
        TestRun reference = run_with_corner(corners[k], fine);
        for (const char* const* method = test_integrators(); *method; method++) {
            bool is_other = strcmp(*method, "radau") != 0;
            for (double rtol = 1e-8; rtol > 5e-11; rtol *= 0.1) {
                TestMethod m = {*method, 3.0, 0.1, rtol, 1e-2 * rtol};
                TestRun run = run_with_corner(corners[k], m);
                char what[100];
                snprintf(what, sizeof(what), "%s with rtol = %g, T = %s", *method, rtol,
                         corners[k]);
                compare(what, &run, &reference, allowed(*method) * rtol);
                assert_int_equal(count_told(&run, *method), is_other);
                test_run_free(&run);
            }
        }
        test_run_free(&reference);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_models),
        cmocka_unit_test(tolerances_near_the_projection),
        cmocka_unit_test(driven_loop),
        cmocka_unit_test(model_without_motion),
        cmocka_unit_test(states_without_motion),
        cmocka_unit_test(dependent_constraints),
        cmocka_unit_test(crossing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
