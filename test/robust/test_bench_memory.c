// Running out of memory anywhere in a benchmark case, from the list of cases to the last measure:
// no crash, no leak, and an error that says so.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "flyball/bench.h"

static const char folder[] = "test/robust/bench_memory";

// What came out.
typedef struct Found {
    bool is_within;
    double errors[6];
} Found;

static FbStatus run_case(const FbBenchCase* c, FbDiagnostics* list, Found* found) {
    FbBenchOptions options = fb_bench_options_default();
    FbBenchRun* run = NULL;
    FbBenchOutcome outcome;
    FbStatus status = fb_bench_case_run(c, &options, &run, list);
    if (run != NULL) {
        fb_bench_run_get_outcome(run, &outcome);
        found->is_within = outcome.is_within;
        for (int k = 0; k < 6; k++) {
            FbBenchMeasure m;
            fb_bench_run_get_measure(run, k, &m);
            found->errors[k] = m.error;
        }
    }
    fb_bench_run_destroy(run);
    return status;
}

static FbStatus run_once(Found* found) {
    FbBenchList* names = NULL;
    FbBenchCase* c = NULL;
    FbDiagnostics* list = fb_diagnostics_create();
    memset(found, 0, sizeof *found);
    if (list == NULL) {
        return FB_ERR_MEMORY;
    }
    FbStatus status = fb_bench_list_read(folder, &names, NULL);
    if (status == FB_OK) {
        assert_int_equal(fb_bench_list_get_count(names), 1);
        status = fb_bench_case_read("test/robust/bench_memory/oscillator", &c, list);
    }
    if (status == FB_OK) {
        status = run_case(c, list, found);
    }
    fb_bench_case_destroy(c);
    fb_bench_list_destroy(names);
    fb_diagnostics_destroy(list);
    return status;
}

static void check_every_failure(void** state) {
    (void)state;
    Found good, found;
    counting.n_calls = 0;
    assert_int_equal(run_once(&good), FB_OK);
    assert_true(good.is_within);
    long n = counting.n_calls, live = counting.n_live;
    assert_true(n > 200);
    for (long i = 1; i <= n; i++) {
        counting.n_calls = 0;
        counting.fail_at = i;
        counting.is_lasting = i % 2 == 0;
        FbStatus status = run_once(&found);
        counting.fail_at = 0;
        if (counting.n_live != live) {
            fail_msg("allocation %ld of %ld fails: %ld blocks are lost", i, n,
                     counting.n_live - live);
        }
        // What was missing may have been the words of a message that was not needed.
        bool is_same = memcmp(found.errors, good.errors, sizeof good.errors) == 0;
        if (status == FB_OK && !is_same) {
            fail_msg("allocation %ld of %ld fails, and nobody says so", i, n);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_every_failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
