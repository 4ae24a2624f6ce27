// Saved states: runs that are split at random states equal the whole runs, to the last bit;
// states that are wrong are refused.
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../every.h"
#include "base/sha256.h"
#include "flyball/linear.h"
#include "run_support.h"
#include "system/part.h"

enum { MOST = 2048 };

static void ok(const char* what, FbStatus status, const FbError* err) {
    if (status != FB_OK) {
        fail_msg("%s: status %d: %s", what, (int)status, err->text);
    }
}

static FbSimulation* start(const FbModel* model, const char* integrator, double step) {
    FbRunOptions options = fb_run_options_default(model);
    FbSimulation* sim = NULL;
    FbError err = {0};
    options.settings.integrator = integrator;
    options.settings.step = step;
    FbStatus status = fb_simulation_create(model, &options, &sim, &err);
    return status == FB_OK ? sim : NULL;
}

// Saves one simulation and restores the state into the other.
static void hand_over(const char* what, FbSimulation* from, FbSimulation* to) {
    void* data;
    size_t size;
    FbError err = {0};
    ok(what, fb_simulation_save(from, &data, &size, &err), &err);
    ok(what, fb_simulation_restore(to, data, size, &err), &err);
    fb_free(data);
    assert_true(fb_simulation_get_time(from) == fb_simulation_get_time(to));
}

static void outputs(FbSimulation* sim, double* y) {
    FbError err = {0};
    ok("outputs", fb_simulation_calc_outputs(sim, y, &err), &err);
}

static bool is_same(const char* what, const FbModel* model, const double* a, const double* b,
                    double tolerance, double t) {
    for (int i = 0; i < fb_model_get_output_count(model); i++) {
        bool is_good = tolerance > 0.0 ? fabs(a[i] - b[i]) <= tolerance * (1.0 + fabs(a[i]))
                                       : memcmp(&a[i], &b[i], sizeof *a) == 0;
        if (!is_good) {
            print_error("%s: at t = %g s, output %s is %.17g instead of %.17g\n", what, t,
                        fb_model_get_output_name(model, i), b[i], a[i]);
            return false;
        }
    }
    return true;
}

// Runs n periods of length h, split at random ones; returns the number of splits, -1: it differs.
static int split(const char* name, const FbModel* model, const char* integrator, double step,
                 double h, int n, double tolerance, unsigned* seed) {
    char what[200];
    static double whole[MOST], parts[MOST];
    FbSimulation* a = start(model, integrator, step);
    FbSimulation *b = start(model, integrator, step), *c = start(model, integrator, step);
    FbError err = {0};
    int n_splits = 0;
    bool is_good = a && b && c && fb_model_get_output_count(model) <= MOST;
    snprintf(what, sizeof what, "%s by %s", name, integrator);
    double t0 = a ? fb_simulation_get_time(a) : 0.0;
    for (int k = 1; is_good && k <= n; k++) {
        FbStatus status = fb_simulation_advance(a, t0 + k * h, &err);
        FbStatus other = fb_simulation_advance(b, t0 + k * h, &err);
        if (status != other) {
            print_error("%s: status %d and %d: %s\n", what, (int)status, (int)other, err.text);
            n_splits = -1;
        }
        if (status != FB_OK || n_splits < 0) {
            break;
        }
        if (test_random(seed) > -0.6) {
            hand_over(what, b, c);
            FbSimulation* swap = b;
            b = c;
            c = swap;
            n_splits++;
        }
        outputs(a, whole);
        outputs(b, parts);
        if (!is_same(what, model, whole, parts, tolerance, t0 + k * h)) {
            n_splits = -1;
            break;
        }
    }
    fb_simulation_destroy(a);
    fb_simulation_destroy(b);
    fb_simulation_destroy(c);
    return n_splits;
}

static FbModel* read_model(const char* path) {
    FbDiagnostics* d = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    if (fb_model_def_read_file(path, NULL, &def, d) == FB_OK) {
        fb_model_create(def, &model, d);
    }
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(d);
    return model;
}

// Every model that is shipped; large ones less often.
static int split_model(const char* name, unsigned* seed, int* n_bad) {
    static const char* const fixed[] = {"alpha", "gauss4", "radau", "dop853", "gauss2", "linear"};
    char path[300];
    snprintf(path, sizeof path, "models/%s", name);
    FbModel* model = read_model(path);
    assert_non_null(model);
    int n_q, n_v, n_x, sum = 0;
    fb_model_get_motion_sizes(model, &n_q, &n_v, &n_x);
    int n = n_v > 200 ? 3 : n_v > 40 ? 5 : 12;
    double h = fb_model_get_settings(model)->duration / 4000.0;
    // Of large ones, whose creation is most of the work, by some of the methods.
    size_t stride = n_v > 200 ? 2 : 1;
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i += stride) {
        int count = split(name, model, fixed[i], h, 2.0 * h, n, 0.0, seed);
        *n_bad += count < 0;
        sum += count > 0 ? count : 0;
    }
    int count = split(name, model, "auto", 0.0, 20.0 * h, n / 2, 0.0, seed);
    *n_bad += count < 0;
    fb_model_destroy(model);
    return sum + (count > 0 ? count : 0);
}

static void test_splits(void** state) {
    (void)state;
    unsigned seed = 11;
    int n = 0, n_bad = 0, n_models = 0;
    DIR* dir = opendir("models");
    assert_non_null(dir);
    for (struct dirent* e; (e = readdir(dir)) != NULL;) {
        size_t length = strlen(e->d_name);
        if (length > 5 && strcmp(e->d_name + length - 5, ".yaml") == 0) {
            n += n_models++ % TEST_EVERY(3) == 0 ? split_model(e->d_name, &seed, &n_bad) : 0;
        }
    }
    closedir(dir);
    print_message("%d splits of %d models\n", n, n_models);
    assert_int_equal(n_bad, 0);
    assert_true(n >= 1000 / TEST_EVERY(5));
}

// Sampled controllers with delays, moves, sliders, friction that sticks, hysteresis by events:
// memory that is not motion.
static void test_memory(void** state) {
    (void)state;
    static const char* const paths[] = {
        "test/verify/feedback/sampled_feedback.yaml",
        "test/verify/feedback/oscillator_seen_late.yaml",
        "test/verify/feedback/discrete_integral.yaml",
        "test/verify/feedback/sampled_drive.yaml",
        "test/verify/feedback/slider_by_feedback.yaml",
        "test/verify/feedback/oscillator_with_an_event.yaml",
        "test/verify/inputs/friction.yaml",
        "test/verify/inputs/structure.yaml",
        "test/verify/states/thermostat.yaml",
    };
    unsigned seed = 5;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        FbModel* model = test_model_from_file(paths[i]);
        double duration = fb_model_get_settings(model)->duration;
        assert_true(
            split(paths[i], model, "alpha", duration / 2000, duration / 100, 60, 0.0, &seed) > 10);
        assert_true(
            split(paths[i], model, "radau", duration / 1000, duration / 100, 60, 0.0, &seed) > 10);
        assert_true(
            split(paths[i], model, "gauss4", duration / 1000, duration / 100, 60, 0.0, &seed) > 10);
        assert_true(
            split(paths[i], model, "dop853", duration / 2000, duration / 100, 40, 0.0, &seed) > 8);
        assert_true(split(paths[i], model, "auto", 0.0, duration / 60, 50, 0.0, &seed) > 10);
        fb_model_destroy(model);
    }
}

// Several switches on their borders at once, which settle together; and sampled callbacks. The
// implicit methods with fixed steps do not take such friction.
static void test_settled(void** state) {
    (void)state;
    static const char* const paths[] = {
        "test/verify/kinks/block_on_block.yaml", "test/verify/kinks/stuck_together.yaml",
        "test/verify/kinks/stuck_unequal.yaml", "test/verify/kinks/crank_with_friction.yaml",
        "docs/guide/models/tether.yaml"};
    static const char* const methods[] = {"auto", "radau", "dop853"};
    unsigned seed = 7;
    for (size_t i = 0; i < 3 * (sizeof paths / sizeof paths[0]); i++) {
        FbModel* model = test_model_from_file(paths[i / 3]);
        double duration = fb_model_get_settings(model)->duration;
        assert_true(split(paths[i / 3], model, methods[i % 3], 0.0, duration / 60, 50, 0.0, &seed) >
                    10);
        fb_model_destroy(model);
    }
}

// Inputs belong to the state; and a state goes through a file into another simulation.
static void test_file(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/inputs/rail.yaml");
    FbSimulation *a = start(model, "alpha", 0.01), *b = start(model, "alpha", 0.01);
    FbError err = {0};
    double ya[8], yb[8];
    char path[] = "state_of_test_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    ok("set", fb_simulation_set_input(a, 0, -4.0, &err), &err);
    ok("step", fb_simulation_step(a, 0.5, &err), &err);
    ok("write", fb_simulation_write_state(a, path, &err), &err);
    ok("read", fb_simulation_read_state(b, path, &err), &err);
    assert_true(fb_simulation_get_input(b, 0) == -4.0);
    ok("step", fb_simulation_step(a, 0.5, &err), &err);
    ok("step", fb_simulation_step(b, 0.5, &err), &err);
    outputs(a, ya);
    outputs(b, yb);
    assert_true(is_same("file", model, ya, yb, 0.0, 1.0));
    // A simulation with other steps takes the state, and begins anew there.
    FbSimulation* c = start(model, "radau", 0.0);
    ok("read", fb_simulation_read_state(c, path, &err), &err);
    ok("step", fb_simulation_step(c, 0.5, &err), &err);
    outputs(c, yb);
    assert_true(is_same("other method", model, ya, yb, 1e-6, 1.0));
    unlink(path);
    assert_int_equal(fb_simulation_read_state(b, path, &err), FB_ERR_IO);
    assert_int_equal(fb_simulation_write_state(b, "no/such/folder/state", &err), FB_ERR_IO);
    fb_simulation_destroy(a);
    fb_simulation_destroy(b);
    fb_simulation_destroy(c);
    fb_model_destroy(model);
}

static void refuse(FbSimulation* sim, const void* data, size_t size, FbStatus status,
                   const char* text) {
    FbError err = {0};
    double before[8], after[8];
    double t = fb_simulation_get_time(sim);
    outputs(sim, before);
    assert_int_equal(fb_simulation_restore(sim, data, size, &err), status);
    if (!strstr(err.text, text)) {
        fail_msg("'%s' does not say '%s'", err.text, text);
    }
    outputs(sim, after);
    assert_true(fb_simulation_get_time(sim) == t && memcmp(before, after, sizeof(double)) == 0);
}

// Truncated anywhere, altered anywhere, of another model: refused, and nothing changes.
static void test_bad_states(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/inputs/rail.yaml");
    FbModel* other = test_model_with("test/verify/inputs/rail.yaml", "m=3");
    FbModel* third = test_model_from_file("test/verify/inputs/spring.yaml");
    assert_string_not_equal(fb_model_get_hash(model), fb_model_get_hash(other));
    FbModel* again = test_model_from_file("test/verify/inputs/rail.yaml");
    assert_string_equal(fb_model_get_hash(model), fb_model_get_hash(again));
    FbSimulation *a = start(model, "alpha", 0.01), *b = start(other, "alpha", 0.01);
    FbSimulation* c = start(third, "alpha", 0.01);
    FbError err = {0};
    void* data;
    size_t size;
    ok("step", fb_simulation_step(a, 0.5, &err), &err);
    ok("save", fb_simulation_save(a, &data, &size, &err), &err);
    refuse(b, data, size, FB_ERR_MODEL, "another model");
    refuse(c, data, size, FB_ERR_MODEL, "another model");
    refuse(a, NULL, 0, FB_ERR_SYNTAX, "not a saved state");
    refuse(a, "flyball: 1", 10, FB_ERR_SYNTAX, "not a saved state");
    unsigned char* bytes = data;
    for (size_t n = 8; n < size; n += 37) {
        refuse(a, data, n, FB_ERR_SYNTAX, n < 160 ? "state" : "incomplete");
    }
    for (size_t i = 160; i < size; i += 41) {
        bytes[i] ^= 16;
        refuse(a, data, size, FB_ERR_SYNTAX, "altered");
        bytes[i] ^= 16;
    }
    bytes[8] ^= 1;
    refuse(a, data, size, FB_ERR_SYNTAX, "version");
    bytes[8] ^= 1;
    ok("restore", fb_simulation_restore(a, data, size, &err), &err);
    fb_free(data);
    fb_simulation_destroy(a);
    fb_simulation_destroy(b);
    fb_simulation_destroy(c);
    fb_model_destroy(model);
    fb_model_destroy(other);
    fb_model_destroy(third);
    fb_model_destroy(again);
}

// A state that somebody has changed, with the right checksum.
static void forge(unsigned char* data, size_t size, size_t at, unsigned char value) {
    enum { HEADER = 152, CHECKSUM = 88 };
    char checksum[65];
    data[HEADER + at] = value;
    fb_sha256_hex(data + HEADER, size - HEADER, checksum);
    memcpy(data + CHECKSUM, checksum, 64);
}

// The number of forged states that were refused. Others are taken, and then give numbers or errors.
static int restore_forged(const FbModel* model, const char* integrator, double step,
                          unsigned* seed) {
    FbRunOptions options = fb_run_options_default(model);
    FbSimulation* sim = start(model, integrator, step);
    FbError err = {0};
    void* data;
    size_t size;
    int n_refused = 0;
    options.settings.integrator = integrator;
    options.settings.step = step;
    options.settings.max_steps = 200;
    assert_non_null(sim);
    double h = options.settings.duration / 200.0;
    ok("advance", fb_simulation_advance(sim, fb_simulation_get_time(sim) + 20.0 * h, &err), &err);
    ok("save", fb_simulation_save(sim, &data, &size, &err), &err);
    for (int i = 0; i < 120 / TEST_EVERY(2); i++) {
        static const unsigned char values[] = {2, 255, 127};
        unsigned char* copy = malloc(size);
        FbSimulation* other = NULL;
        assert_non_null(copy);
        memcpy(copy, data, size);
        size_t at = (size_t)((0.5 + 0.5 * test_random(seed)) * (double)(size - 152));
        forge(copy, size, at < size - 152 ? at : 0, values[i % 3]);
        ok("create", fb_simulation_create(model, &options, &other, &err), &err);
        FbStatus status = fb_simulation_restore(other, copy, size, &err);
        n_refused += status == FB_ERR_SYNTAX;
        if (status == FB_OK) {
            fb_simulation_step(other, h, &err);
        }
        fb_simulation_destroy(other);
        free(copy);
    }
    fb_free(data);
    fb_simulation_destroy(sim);
    return n_refused;
}

static void test_forged_states(void** state) {
    (void)state;
    static const char* const paths[] = {"test/verify/feedback/sampled_feedback.yaml",
                                        "test/verify/feedback/slider_by_feedback.yaml",
                                        "test/verify/inputs/friction.yaml",
                                        "test/verify/inputs/structure.yaml",
                                        "test/verify/states/thermostat.yaml",
                                        "models/spinning_top.yaml",
                                        "models/fourbar.yaml"};
    unsigned seed = 3;
    int n_refused = 0;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        FbModel* model = test_model_from_file(paths[i]);
        double h = fb_model_get_settings(model)->duration / 2000.0;
        n_refused += restore_forged(model, "alpha", h, &seed);
        n_refused += restore_forged(model, "radau", 0.0, &seed);
        n_refused += restore_forged(model, "auto", 0.0, &seed);
        fb_model_destroy(model);
    }
    print_message("%d forged states were refused\n", n_refused);
    assert_true(n_refused > 20 / TEST_EVERY(2));
}

// The motion alone: a four-bar set back to where it was; values that cannot be are refused.
static void test_motion(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/inputs/everywhere.yaml");
    FbSimulation* sim = start(model, "radau", 0.0);
    double q[32], v[32], x[4], now[32], y[16], z[16];
    int n_q, n_v, n_x;
    FbError err = {0};
    fb_model_get_motion_sizes(model, &n_q, &n_v, &n_x);
    assert_true(n_q <= 32 && n_v <= 32 && n_x == 1);
    assert_non_null(fb_simulation_get_velocity_name(sim, 0));
    assert_null(fb_simulation_get_velocity_name(sim, n_v));
    ok("step", fb_simulation_step(sim, 0.3, &err), &err);
    fb_simulation_get_motion(sim, q, v, x);
    outputs(sim, y);
    ok("step", fb_simulation_step(sim, 0.3, &err), &err);
    ok("set", fb_simulation_set_motion(sim, q, v, x, &err), &err);
    fb_simulation_get_motion(sim, now, NULL, NULL);
    for (int i = 0; i < n_q; i++) {
        test_close("q", now[i], q[i], 1e-12);
    }
    outputs(sim, z);  // at another time: the angle is the same
    test_close("angle", z[0], y[0], 1e-12);
    ok("step", fb_simulation_step(sim, 0.1, &err), &err);
    double bad = q[0];
    q[0] = NAN;
    assert_int_equal(fb_simulation_set_motion(sim, q, v, x, &err), FB_ERR_RANGE);
    q[0] = bad + 0.2;
    outputs(sim, y);
    assert_int_equal(fb_simulation_set_motion(sim, q, v, x, &err), FB_ERR_ASSEMBLY);
    outputs(sim, z);
    assert_true(is_same("refused", model, y, z, 0.0, 0.7));
    fb_simulation_destroy(sim);
    fb_model_destroy(model);
}

// A kind of part cannot forget that it has a memory.
static void test_kinds(void** state) {
    (void)state;
    static const char* const paths[] = {
        "test/verify/inputs/structure.yaml",
        "test/verify/inputs/rail.yaml",
        "test/verify/feedback/sampled_feedback.yaml",
        "test/verify/feedback/slider_by_feedback.yaml",
        "test/verify/mesh_loads/plate.yaml",
        "models/bracket.yaml",
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        TestSystem t;
        test_system_init(&t, test_model_from_file(paths[i]));
        assert_true(t.system->n_kinds > 0);
        for (int k = 0; k < t.system->n_kinds; k++) {
            const FbPartKind* kind = t.system->kinds[k];
            if ((kind->remember != NULL) == kind->has_no_memory) {
                fail_msg("%s neither remembers nor says that it has no memory", kind->name);
            }
        }
        test_system_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_splits),     cmocka_unit_test(test_memory),
        cmocka_unit_test(test_settled),    cmocka_unit_test(test_file),
        cmocka_unit_test(test_bad_states), cmocka_unit_test(test_forged_states),
        cmocka_unit_test(test_motion),     cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
