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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parallel_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
