// Running out of memory anywhere in a study, from its file to its table: no crash, no leak, and an
// error that says so.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "counting.h"
#include "study/optimize.h"
#include "study/search.h"

static const char* study_path = "test/robust/study_memory/oscillator.study.yaml";
static char folder[64], table_path[128];

typedef FbStatus (*Run)(const FbStudy*, const FbStudyOptions*, FbStudyOutcome*, FbError*);

static bool never(void* self) {
    (void)self;
    return false;
}

// What came out: trials that failed, and the sum of all that was measured.
typedef struct Found {
    int n_failed;
    double sum;
} Found;

static FbStatus run_once(Run run, Found* found) {
    FbStudy* s = NULL;
    FbDiagnostics* list = fb_diagnostics_create();
    *found = (Found){0};
    if (!list) {
        return FB_ERR_MEMORY;
    }
    FbStatus status = fb_study_read(study_path, NULL, 0, &s, list);
    if (status == FB_OK) {
        FbStudyOptions options = {
            .path = table_path, .n_threads = 1, .n_parts = 1, .stop = {never, NULL}};
        FbStudyOutcome out;
        FbError err;
        status = run(s, &options, &out, &err);
        found->n_failed = out.n_failed;
        for (int i = 0; i < out.table.n; i++) {
            found->sum += out.table.trials[i]->values[1] + out.table.trials[i]->values[2];
        }
        fb_table_close(&out.table);
    }
    fb_study_destroy(s);
    fb_diagnostics_destroy(list);
    remove(table_path);
    return status;
}

static void check_every_failure(Run run) {
    Found good, found;
    counting.fail_at = 0;
    counting.n_calls = 0;
    assert_int_equal(run_once(run, &good), FB_OK);
    long n = counting.n_calls, live = counting.n_live;
    assert_true(n > 200);
    long n_told = 0;
    for (long i = 1; i <= n; i++) {
        counting.n_calls = 0;
        counting.fail_at = i;
        counting.is_lasting = i % 2 == 0;
        FbStatus status = run_once(run, &found);
        counting.fail_at = 0;
        if (counting.n_live != live) {
            fail_msg("allocation %ld of %ld fails: %ld blocks are lost", i, n,
                     counting.n_live - live);
        }
        // A run within the study may have failed alone, and says so in its row; or what was missing
        // were the words of a message that was not needed.
        if (status == FB_OK && found.n_failed == 0 && found.sum != good.sum) {
            fail_msg("allocation %ld of %ld fails, and nobody says so", i, n);
        }
        n_told += status == FB_ERR_MEMORY || found.n_failed > 0;
    }
    assert_true(n_told > n * 9 / 10);
}

static void sweep(void** state) {
    (void)state;
    check_every_failure(fb_sweep_run);
}

static void sweep_of_samples(void** state) {
    (void)state;
    const char* other = study_path;
    study_path = "test/robust/study_memory/drawn.study.yaml";
    check_every_failure(fb_sweep_run);
    study_path = other;
}

static void optimize(void** state) {
    (void)state;
    if (fb_search_is_available()) {
        check_every_failure(fb_optimize_run);
    }
}

static int set_up(void** state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/flyball_study_XXXXXX");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(table_path, sizeof table_path, "%s/t.csv", folder);
    return 0;
}

static int tear_down(void** state) {
    (void)state;
    remove(table_path);
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sweep), cmocka_unit_test(sweep_of_samples),
                                       cmocka_unit_test(optimize)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
