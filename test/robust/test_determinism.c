// The same bits for any number of threads: all benchmark cases, one after the other and four at a
// time, give the same errors and the same numbers of steps. Loose tolerances do, and take less
// time.
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../every.h"
#include "base/sha256.h"
#include "flyball/bench.h"

enum { THREADS = 4, MOST = 100 };
static const double LOOSE = 5e-2;

// Cases that are run by any number of threads, each of which takes the next one.
typedef struct Work {
    const FbBenchList* list;
    int n;
    atomic_int next;
    char hashes[MOST][65];
} Work;

static void add_number(FbSha256* h, double x) {
    double number = isnan(x) ? NAN : x;
    fb_sha256_add(h, &number, sizeof number);
}

// Of what was measured and counted.
static void hash_run(const FbBenchRun* run, int n_measures, char out[65]) {
    FbSha256 h;
    FbBenchOutcome o;
    fb_sha256_init(&h);
    fb_bench_run_get_outcome(run, &o);
    for (int i = 0; i < n_measures; i++) {
        FbBenchMeasure m;
        fb_bench_run_get_measure(run, i, &m);
        // A time is never the same.
        add_number(&h, strcmp(m.kind, "linearization-time") == 0 ? 0.0 : m.error);
    }
    const double counts[] = {(double)o.status,          (double)o.stats.steps,
                             (double)o.stats.rhs_evals, (double)o.stats.jacobian_evals,
                             o.stats.energy_end,        o.stats.max_constraint_error};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        add_number(&h, counts[i]);
    }
    fb_sha256_end(&h, out);
}

static void run_case(const char* name, char out[65]) {
    FbDiagnostics* d = fb_diagnostics_create();
    FbBenchCase* bench_case = NULL;
    FbBenchRun* run = NULL;
    char folder[300];
    snprintf(folder, sizeof folder, "bench/cases/%s", name);
    if (fb_bench_case_read(folder, &bench_case, d) == FB_OK) {
        FbBenchInfo info;
        FbBenchOptions options = fb_bench_options_default();
        options.rtol = LOOSE;
        fb_bench_case_get_info(bench_case, &info);
        fb_bench_case_run(bench_case, &options, &run, d);
        hash_run(run, info.n_measures, out);
    }
    fb_bench_run_destroy(run);
    fb_bench_case_destroy(bench_case);
    fb_diagnostics_destroy(d);
}

static void* work(void* self) {
    Work* w = self;
    for (int i; (i = atomic_fetch_add(&w->next, 1)) < w->n;) {
        if (i % TEST_EVERY(4) == 0) {
            run_case(fb_bench_list_get_name(w->list, i), w->hashes[i]);
        }
    }
    return NULL;
}

static void run_all(Work* w, int n_threads) {
    pthread_t threads[THREADS];
    for (int i = 0; i < n_threads; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, w), 0);
    }
    for (int i = 0; i < n_threads; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void test_cases(void** state) {
    (void)state;
    FbBenchList* list = NULL;
    FbError err;
    assert_int_equal(fb_bench_list_read("bench/cases", &list, &err), FB_OK);
    int n = fb_bench_list_get_count(list), n_bad = 0;
    assert_in_range(n, 20, MOST);
    static Work alone, together;
    alone = (Work){.list = list, .n = n};
    together = (Work){.list = list, .n = n};
    run_all(&alone, 1);
    run_all(&together, THREADS);
    for (int i = 0; i < n; i++) {
        if (i % TEST_EVERY(4) == 0 && alone.hashes[i][0] == '\0') {
            fail_msg("%s did not run", fb_bench_list_get_name(list, i));
        }
        if (strcmp(alone.hashes[i], together.hashes[i]) != 0) {
            print_error("%s: %s in one thread, %s beside others\n", fb_bench_list_get_name(list, i),
                        alone.hashes[i], together.hashes[i]);
            n_bad++;
        }
    }
    fb_bench_list_destroy(list);
    assert_int_equal(n_bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
