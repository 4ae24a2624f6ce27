// Running out of memory anywhere between a model file and its results: no crash, no leak, and an
// error that says so.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../every.h"
#include "counting.h"
#include "flyball/flyball.h"

// The whole way; *stage says how far it came.
static FbStatus run_once(const char* path, const char* integrator, double duration, int* stage) {
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbResult* result = NULL;
    FbError err = {0};
    *stage = 0;
    FbDiagnostics* list = fb_diagnostics_create();
    if (!list) {
        return FB_ERR_MEMORY;
    }
    FbStatus status = fb_model_def_read_file(path, NULL, &def, list);
    if (status == FB_OK) {
        *stage = 1;
        status = fb_model_create(def, &model, list);
    }
    if (status == FB_OK) {
        *stage = 2;
        status = fb_model_check_structures(model, list, &err);
    }
    if (status == FB_OK && *stage == 2) {
        FbRunOptions o = fb_run_options_default(model);
        o.settings.integrator = integrator;
        o.settings.duration = duration;
        o.settings.sample = duration / 4.0;
        status = fb_simulate(model, &o, &result, &err);
        // Whatever came out can be asked.
        for (int i = 0; result && i < fb_result_get_row_count(result); i++) {
            (void)fb_result_get_value(result, i, 0);
        }
    }
    fb_result_destroy(result);
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(list);
    return status;
}

static void check_every_failure(const char* path, const char* integrator, double duration) {
    int stage;
    counting.fail_at = 0;
    counting.n_calls = 0;
    assert_int_equal(run_once(path, integrator, duration, &stage), FB_OK);
    long n = counting.n_calls, live = counting.n_live, reached[3] = {0};
    assert_true(n > 50);
    for (long i = 1; i <= n; i += TEST_EVERY(5)) {
        counting.n_calls = 0;
        counting.fail_at = i;
        counting.is_lasting = i % 2 == 0;
        FbStatus status = run_once(path, integrator, duration, &stage);
        counting.fail_at = 0;
        reached[stage]++;
        if (counting.n_live != live) {
            fail_msg("%s, %s: allocation %ld of %ld fails: %ld blocks are lost (stage %d)", path,
                     integrator, i, n, counting.n_live - live, stage);
        }
        // A reader that lacks the memory to know a name may report the name.
        bool is_said = stage == 0 ? status < 0 : status == FB_ERR_MEMORY;
        if (!is_said) {
            fail_msg("%s, %s: allocation %ld of %ld fails, but the status is %d (stage %d)", path,
                     integrator, i, n, (int)status, stage);
        }
    }
    assert_true(reached[0] > 0 && reached[1] > 0 && reached[2] > 0);
}

static void governor(void** state) {
    (void)state;
    check_every_failure("models/governor.yaml", "radau", 0.01);
    check_every_failure("models/governor.yaml", "dop853", 1e-4);
}

static void loops(void** state) {
    (void)state;
    check_every_failure("models/windows.yaml", "radau", 0.02);
    check_every_failure("models/fourbar.yaml", "dop853", 0.02);
    check_every_failure("models/bricard.yaml", "radau", 0.02);
}

static void multistep(void** state) {
    (void)state;
    int stage;
    if (run_once("models/fourbar.yaml", "bdf", 0.02, &stage) == FB_OK) {
        check_every_failure("models/fourbar.yaml", "bdf", 0.02);
        check_every_failure("models/governor.yaml", "adams", 1e-4);
    }
}

static void parts_of_all_kinds(void** state) {
    (void)state;
    const char* const models[] = {"models/rolling_disc.yaml",
                                  "models/engine.yaml",
                                  "models/engine_mount.yaml",
                                  "models/rocket_sled.yaml",
                                  "models/robot.yaml",
                                  "docs/guide/models/release.yaml",
                                  "docs/guide/models/mast.yaml",
                                  "docs/guide/models/sway.yaml",
                                  "models/reeled_pendulum.yaml",
                                  "docs/guide/models/digital_drive.yaml",
                                  "docs/guide/models/locked.yaml"};
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        check_every_failure(models[i], "radau", 0.005);
    }
}

// Modal damping, a guide that might buckle, structures that might be mechanisms.
static void structures(void** state) {
    (void)state;
    check_every_failure("test/robust/frames.yaml", "radau", 0.002);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(governor),   cmocka_unit_test(loops),
        cmocka_unit_test(multistep),  cmocka_unit_test(parts_of_all_kinds),
        cmocka_unit_test(structures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
