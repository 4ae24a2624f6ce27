// Runs that are continued from any of their saved states have the same rows to the last bit,
// whatever the method does there; rows leave memory as they should.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../every.h"
#include "run_support.h"
#include "solve/result.h"
#include "solve/stream.h"

enum { MOST_STATES = 4000 };

typedef struct Kept {
    void* data;
    size_t size;
    int n_rows;  // before it
} Kept;

// Keeps rows and states in memory.
typedef struct Store {
    int width, n_rows, capacity;
    double* rows;
    Kept states[MOST_STATES];
    int n_states, stride, n_asked;
} Store;

static FbStatus keep_rows(void* self, const double* rows, int n, FbError* err) {
    Store* s = self;
    (void)err;
    for (int i = 0; i < n; i++) {
        assert_true(
            fb_grow((void**)&s->rows, &s->capacity, s->n_rows, sizeof(double) * (size_t)s->width));
        memcpy(s->rows + (size_t)s->n_rows++ * (size_t)s->width,
               rows + (size_t)i * (size_t)s->width, sizeof(double) * (size_t)s->width);
    }
    return FB_OK;
}

static FbStatus keep_state(void* self, const void* data, size_t size, FbError* err) {
    Store* s = self;
    (void)err;
    if (s->n_asked++ % s->stride != 0 || s->n_states == MOST_STATES) {
        return FB_OK;
    }
    Kept k = {.data = malloc(size), .size = size, .n_rows = s->n_rows};
    assert_non_null(k.data);
    memcpy(k.data, data, size);
    s->states[s->n_states++] = k;
    return FB_OK;
}

static void free_store(Store* s) {
    for (int i = 0; i < s->n_states; i++) {
        free(s->states[i].data);
    }
    free(s->rows);
    free(s);
}

static Store* new_store(const FbModel* model, int stride) {
    Store* s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->width = fb_model_get_output_count(model) + 1;
    s->stride = stride;
    return s;
}

typedef struct Case {
    const char *path, *integrator;
    double duration, sample, step;
    int stride;  // of the states that are tried
} Case;

static FbResult* run(const FbModel* model, const Case* c, const FbStreaming* how) {
    FbRunOptions options = fb_run_options_default(model);
    FbResult* result = NULL;
    FbError err = {0};
    options.settings.integrator = c->integrator;
    options.settings.duration = c->duration;
    options.settings.sample = c->sample;
    options.settings.step = c->step;
    FbStatus status = fb_simulate_streaming(model, &options, how, &result, &err);
    if (status < 0) {
        fail_msg("%s: %s", c->path, err.text);
    }
    return result;
}

static int first_difference(const Store* whole, const Store* rest, int from) {
    for (int i = 0; i < rest->n_rows; i++) {
        size_t size = sizeof(double) * (size_t)whole->width;
        if (from + i >= whole->n_rows ||
            memcmp(whole->rows + (size_t)(from + i) * (size_t)whole->width,
                   rest->rows + (size_t)i * (size_t)whole->width, size) != 0) {
            return from + i;
        }
    }
    return from + rest->n_rows == whole->n_rows ? -1 : whole->n_rows;
}

static int continue_from(const FbModel* model, const Case* c, const Store* whole, const Kept* k,
                         const FbResult* first) {
    Store* rest = new_store(model, 1);
    FbRowSink sink = {.self = rest, .write = keep_rows};
    FbStreaming how = {.sink = &sink, .state = k->data, .state_size = k->size};
    FbResult* result = run(model, c, &how);
    int at = first_difference(whole, rest, k->n_rows);
    const FbRunStats *a = fb_result_get_stats(first), *b = fb_result_get_stats(result);
    assert_int_equal(fb_result_get_row_count(result), fb_result_get_row_count(first));
    assert_int_equal(fb_result_get_event_count(result), fb_result_get_event_count(first));
    if (at < 0) {
        assert_int_equal(a->steps, b->steps);
        assert_int_equal(a->rejected, b->rejected);
        assert_string_equal(a->integrator_reason, b->integrator_reason);
        assert_true(a->energy_balance == b->energy_balance);
        assert_true(a->max_constraint_error == b->max_constraint_error);
        assert_int_equal(fb_result_get_warning_count(first), fb_result_get_warning_count(result));
    }
    fb_result_destroy(result);
    free_store(rest);
    return at;
}

// Returns the number of states that do not continue exactly.
static int try_case(const Case* c, int* n_states) {
    FbModel* model = test_model_from_file(c->path);
    Store* whole = new_store(model, c->stride * TEST_EVERY(10));
    FbRowSink sink = {.self = whole, .write = keep_rows, .save = keep_state};
    FbStreaming how = {.sink = &sink};
    FbResult* result = run(model, c, &how);
    int n_bad = 0;
    for (int i = 0; i < whole->n_states; i++) {
        int at = continue_from(model, c, whole, &whole->states[i], result);
        if (at >= 0) {
            int n = whole->states[i].n_rows;
            print_error("%s: from t = %.10g s on row %d (t = %.10g s) differs\n", c->path,
                        whole->rows[(size_t)(n - 1) * (size_t)whole->width], at,
                        whole->rows[(size_t)at * (size_t)whole->width]);
            n_bad++;
        }
    }
    *n_states += whole->n_states;
    fb_result_destroy(result);
    free_store(whole);
    fb_model_destroy(model);
    return n_bad;
}

static void test_continued(void** state) {
    (void)state;
    // Loops through singular positions, friction that sticks, a guide with a slider, drives, fixed
    // steps.
    static const Case cases[] = {
        {"models/windows.yaml", "auto", 3.5, 1e-3, 0.0, 2},
        {"models/windows.yaml", "dop853", 3.0, 0.05, 0.0, 2},
        {"models/fourbar.yaml", "auto", 4.0, 1e-3, 0.0, 2},
        {"models/bricard.yaml", "auto", 3.0, 0.05, 0.0, 2},
        {"bench/auto/friction.yaml", "auto", 2.0, 1e-3, 0.0, 3},
        {"models/reeled_pendulum.yaml", "auto", 3.0, 0.05, 0.0, 2},
        {"models/double_pendulum.yaml", "auto", 3.0, 0.02, 0.0, 3},
        {"models/governor.yaml", "auto", 1.0, 1e-3, 0.0, 3},
        {"models/frame.yaml", "auto", 1.0, 5e-3, 0.0, 8},
        {"models/cart_pole.yaml", "alpha", 0.5, 0.02, 5e-3, 5},
        {"test/verify/states/thermostat.yaml", "auto", 60.0, 0.5, 0.0, 3},
        {"test/verify/feedback/sampled_feedback.yaml", "radau", 1.0, 0.02, 0.0, 5},
    };
    int n_bad = 0, n = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int before = n;
        n_bad += try_case(&cases[i], &n);
        print_message("%s by %s: %d states\n", cases[i].path, cases[i].integrator, n - before);
    }
    print_message("%d states\n", n);
    assert_true(n > 200 / TEST_EVERY(10));
    assert_int_equal(n_bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_continued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
