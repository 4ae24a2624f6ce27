// One model, many threads: each simulation gives bit for bit what it gives alone.
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

enum { THREADS = 6 };

typedef struct Job {
    const FbModel* model;
    const char* integrator;
    double duration;
    FbResult* result;
    FbStatus status;
} Job;

static void* work(void* self) {
    Job* job = self;
    FbError err;
    FbRunOptions o = fb_run_options_default(job->model);
    o.settings.integrator = job->integrator;
    o.settings.duration = job->duration;
    o.settings.sample = job->duration / 50.0;
    o.settings.rtol = 1e-7;
    o.settings.atol = 1e-9;
    job->status = fb_simulate(job->model, &o, &job->result, &err);
    return NULL;
}

static void compare(const FbResult* a, const FbResult* b) {
    assert_int_equal(fb_result_get_row_count(a), fb_result_get_row_count(b));
    for (int i = 0; i < fb_result_get_row_count(a); i++) {
        for (int c = 0; c < fb_result_get_column_count(a); c++) {
            double x = fb_result_get_value(a, i, c), y = fb_result_get_value(b, i, c);
            assert_memory_equal(&x, &y, sizeof(double));
        }
    }
    assert_int_equal(fb_result_get_stats(a)->steps, fb_result_get_stats(b)->steps);
}

static void check_parallel(const char* path, const char* integrator, double duration) {
    FbModel* model = test_model_from_file(path);
    Job alone = {model, integrator, duration, NULL, FB_OK}, jobs[THREADS];
    pthread_t threads[THREADS];
    work(&alone);
    assert_int_equal(alone.status, FB_OK);
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (Job){model, integrator, duration, NULL, FB_OK};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(jobs[i].status, FB_OK);
        compare(alone.result, jobs[i].result);
        fb_result_destroy(jobs[i].result);
    }
    fb_result_destroy(alone.result);
    fb_model_destroy(model);
}

static void parallel_runs(void** state) {
    (void)state;
    for (const char* const* method = test_integrators(); *method; method++) {
        check_parallel("models/squeezer.yaml", *method, 0.01);
        check_parallel("models/robot.yaml", *method, 0.5);
    }
    check_parallel("models/governor.yaml", "radau", 2.0);
    check_parallel("models/engine.yaml", "radau", 0.5);
    check_parallel("models/rocket_sled.yaml", "radau", 5.0);
    check_parallel("models/rolling_disc.yaml", "dop853", 2.0);
    check_parallel("models/windows.yaml", "dop853", 3.0);
    check_parallel("models/reeled_pendulum.yaml", "radau", 5.0);
    check_parallel("docs/guide/models/digital_drive.yaml", "dop853", 2.0);
}

typedef struct Intruder {
    FbSimulation* sim;
    FbStatus status;
    FbError err;
    int count;
} Intruder;

static void* intrude(void* self) {
    Intruder* x = self;
    x->status = fb_simulation_step(x->sim, 0.0, &x->err);
    x->count++;
    return NULL;
}

// While the simulation is in a step, another thread asks it for one.
static bool during_the_step(void* self, const FbProgress* progress) {
    pthread_t thread;
    (void)progress;
    assert_int_equal(pthread_create(&thread, NULL, intrude, self), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return true;
}

// Two threads in one simulation: the second is refused, the first goes on undisturbed.
static void test_one_simulation(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/inputs/everywhere.yaml");
    FbRunOptions o = fb_run_options_default(model);
    FbSimulation* alone;
    Intruder x = {.status = FB_OK};
    FbError err;
    assert_int_equal(fb_simulation_create(model, &o, &alone, &err), FB_OK);
    o.progress = during_the_step;
    o.progress_self = &x;
    assert_int_equal(fb_simulation_create(model, &o, &x.sim, &err), FB_OK);
    assert_int_equal(fb_simulation_step(x.sim, 3.0, &err), FB_OK);
    assert_int_equal(fb_simulation_step(alone, 3.0, &err), FB_OK);
    assert_true(x.count > 0);
    assert_int_equal(x.status, FB_ERR_ARGUMENT);
    assert_non_null(strstr(x.err.text, "another thread"));
    double a[16], b[16];
    assert_int_equal(fb_simulation_calc_outputs(x.sim, a, &err), FB_OK);
    assert_int_equal(fb_simulation_calc_outputs(alone, b, &err), FB_OK);
    assert_memory_equal(a, b, sizeof(double) * (size_t)fb_model_get_output_count(model));
    fb_simulation_destroy(x.sim);
    fb_simulation_destroy(alone);
    fb_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_simulation),
                                       cmocka_unit_test(parallel_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
