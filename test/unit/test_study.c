// Studies: grids, expressions, hashes, the table of trials and its restart, jobs on threads.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pthread.h>

#include "read/read.h"
#include "study/jobs.h"
#include "study/optimize.h"
#include "study/table.h"

static char folder[64];
static char *model, *study;  // the texts of m.yaml and sweep.study.yaml

static const char* path_of(const char* name) {
    static char paths[4][128];
    static int next;
    char* path = paths[next++ % 4];
    snprintf(path, 128, "%s/%s", folder, name);
    return path;
}

static void write_file(const char* name, const char* text) {
    FILE* file = fopen(path_of(name), "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void read_back(const char* name, char* out, size_t size) {
    FILE* file = fopen(path_of(name), "rb");
    assert_non_null(file);
    size_t n = fread(out, 1, size - 1, file);
    out[n] = '\0';
    fclose(file);
}

static void assert_near(double value, double wanted, double tolerance) {
    if (!(fabs(value - wanted) <= tolerance)) {
        fail_msg("%.17g instead of %.17g", value, wanted);
    }
}

static FbStudy* read_study(const char* text) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbStudy* s = NULL;
    write_file("m.yaml", model);
    write_file("s.yaml", text);
    FbStatus status = fb_study_read(path_of("s.yaml"), NULL, 0, &s, diagnostics);
    if (status != FB_OK && fb_diagnostics_count(diagnostics) > 0) {
        print_message("%s\n", fb_diagnostics_get(diagnostics, 0)->text);
    }
    assert_int_equal(status, FB_OK);
    fb_diagnostics_destroy(diagnostics);
    return s;
}

static int set_up(void** state) {
    (void)state;
    size_t size;
    assert_int_equal(fb_read_file("test/unit/study/m.yaml", &model, &size, NULL), FB_OK);
    assert_int_equal(fb_read_file("test/unit/study/sweep.study.yaml", &study, &size, NULL), FB_OK);
    snprintf(folder, sizeof folder, "/tmp/flyball_study_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void** state) {
    (void)state;
    free(model);
    free(study);
    remove(path_of("m.yaml"));
    remove(path_of("s.yaml"));
    remove(path_of("t.csv"));
    return rmdir(folder);
}

static void test_grid(void** state) {
    (void)state;
    FbStudy* s = read_study(study);
    double p[2];
    assert_int_equal(fb_study_count_points(s), 12);
    for (int i = 0; i < 12; i++) {
        fb_study_get_point(s, i, p);
        assert_near(p[0], 1.0 + i / 3, 1e-15);
        assert_near(p[1], i % 3 == 0 ? 0.01 : i % 3 == 1 ? 0.1 : 1.0, 1e-15);
    }
    // Ends are met exactly.
    assert_true(p[0] == 4.0 && p[1] == 1.0);
    fb_study_destroy(s);
}

static void test_trial(void** state) {
    (void)state;
    FbStudy* s = read_study(study);
    FbArena* arena = fb_arena_create();
    FbTrial* t = fb_trial_create(s, arena);
    FbError err;
    t->values[0] = 4.0;
    t->values[1] = 0.5;
    s->model_text = "no point reads the text again";
    assert_int_equal(fb_trial_run(s, NULL, t, &err), FB_OK);
    assert_int_equal(t->status, FB_TRIAL_OK);
    assert_near(t->values[2], 0.5 * cos(2.0), 1e-8);
    assert_true(t->values[3] == 2.0 * t->values[2]);
    assert_true(t->objective == t->values[2] * 0.5);
    // An invalid value makes a failed trial with a message, not an error.
    t->values[0] = -1.0;
    assert_int_equal(fb_trial_run(s, NULL, t, &err), FB_OK);
    assert_int_equal(t->status, FB_TRIAL_FAILED);
    assert_non_null(strstr(t->message, "m.yaml:5:"));
    assert_true(isnan(t->values[2]) && isnan(t->objective));
    assert_false(fb_trial_is_better(s, t, NULL));
    fb_arena_destroy(arena);
    fb_study_destroy(s);
}

static void assert_hash(const char* text, const char* sha256, bool is_same) {
    FbStudy* s = read_study(text);
    assert_int_equal(strcmp(s->sha256, sha256) == 0, is_same);
    fb_study_destroy(s);
}

static char* replace(const char* text, const char* old, const char* new) {
    const char* at = strstr(text, old);
    assert_non_null(at);
    char* out = calloc(strlen(text) + strlen(new) + 1, 1);
    memcpy(out, text, (size_t)(at - text));
    strcat(out, new);
    strcat(out, at + strlen(old));
    return out;
}

static void test_hash(void** state) {
    (void)state;
    FbStudy* s = read_study(study);
    // What does not change the rows, and what does.
    static const char* const changes[][3] = {
        {"n: 4", "n: 7", "same"},
        {"to: 4", "to: 5, start: 2", "same"},
        {"maximize", "minimize", "same"},
        {"of: final", "of: mean", ""},
        {"2*end", "3*end", ""},
        {"10 + k", "11 + k", ""},
        {"measures", "simulation: {rtol: 1e-8}\nmeasures", ""},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char* text = replace(study, changes[i][0], changes[i][1]);
        assert_hash(text, s->sha256, changes[i][2][0] != '\0');
        free(text);
    }
    fb_study_destroy(s);
}

static FbTrial* add(FbTrialTable* table, double k, double x0, int point) {
    FbError err;
    FbTrial* t = fb_table_create_trial(table, (double[]){k, x0});
    assert_non_null(t);
    t->point = point;
    t->values[2] = k + x0;
    t->values[3] = 1.0 / 3.0;
    t->objective = point;
    assert_int_equal(fb_table_add(table, t, &err), FB_OK);
    return t;
}

static void test_table(void** state) {
    (void)state;
    FbStudy* s = read_study(study);
    FbTrialTable table;
    FbError err;
    remove(path_of("t.csv"));
    const char* path = path_of("t.csv");
    assert_int_equal(fb_table_open(&table, s, path, false, false, &err), FB_OK);
    for (int i = 999; i >= 0; i--) {
        FbTrial* t = add(&table, 0.1 * i, 1.0 / (1 + i), i);
        assert_ptr_equal(fb_table_find(&table, t->values), t);
    }
    assert_null(fb_table_find(&table, (double[]){0.1, 0.1}));
    assert_int_equal(fb_table_finish(&table, &err), FB_OK);
    fb_table_close(&table);
    // Read back: the same doubles, in the order of the points.
    assert_int_equal(fb_table_open(&table, s, path, false, false, &err), FB_OK);
    assert_int_equal(table.n, 1000);
    for (int i = 0; i < 1000; i++) {
        const FbTrial* t = table.trials[i];
        assert_int_equal(t->point, i);
        assert_true(t->values[0] == 0.1 * i && t->values[1] == 1.0 / (1 + i));
        assert_true(t->values[2] == t->values[0] + t->values[1] && t->values[3] == 1.0 / 3.0);
    }
    fb_table_close(&table);
    fb_study_destroy(s);
}

static void test_table_that_was_cut(void** state) {
    (void)state;
    FbStudy* s = read_study(study);
    FbTrialTable table;
    FbError err;
    char text[4096];
    const char* path = path_of("t.csv");
    for (size_t cut = 0; cut < 150; cut += 7) {
        remove(path);
        assert_int_equal(fb_table_open(&table, s, path, true, false, &err), FB_OK);
        add(&table, 1.0, 2.0, 0);
        FbTrial* t = add(&table, 3.0, 4.0, 1);
        t->status = FB_TRIAL_FAILED;
        snprintf(t->message, FB_TRIAL_MESSAGE, "a \"quoted\", strange message");
        assert_int_equal(fb_table_add(&table, t, &err), FB_OK);
        fb_table_close(&table);
        read_back("t.csv", text, sizeof text);
        size_t size = strlen(text) - cut;
        text[size] = '\0';
        write_file("t.csv", text);
        assert_int_equal(fb_table_open(&table, s, path, true, false, &err), FB_OK);
        assert_in_range(table.n, 1, 2);
        assert_true(table.trials[0]->values[2] == 3.0);
        add(&table, 5.0, 6.0, 2);
        fb_table_close(&table);
        assert_int_equal(fb_table_open(&table, s, path, true, true, &err), FB_OK);
        assert_in_range(table.n, 2,
                        3);  // those that failed are forgotten when they are tried again
        fb_table_close(&table);
    }
    fb_study_destroy(s);
}

// ---- Jobs ----

typedef struct Counts {
    pthread_mutex_t lock;
    int runs[500];
    int n_total, failing;
} Counts;

static FbStatus count_job(void* self, int job, FbError* err) {
    Counts* c = self;
    pthread_mutex_lock(&c->lock);
    c->runs[job]++;
    c->n_total++;
    pthread_mutex_unlock(&c->lock);
    return job == c->failing ? fb_fail(err, FB_ERR_RANGE, NULL, "job %d", job) : FB_OK;
}

static void test_jobs(void** state) {
    (void)state;
    for (int n_threads = 0; n_threads < 20; n_threads += 3) {
        Counts c = {.lock = PTHREAD_MUTEX_INITIALIZER, .failing = -1};
        FbJobs jobs = {.n_jobs = 500, .n_threads = n_threads, .run = count_job, .self = &c};
        FbError err;
        assert_int_equal(fb_jobs_run(&jobs, &err), FB_OK);
        for (int i = 0; i < 500; i++) {
            assert_int_equal(c.runs[i], 1);
        }
        c = (Counts){.lock = PTHREAD_MUTEX_INITIALIZER, .failing = 3};
        assert_int_equal(fb_jobs_run(&jobs, &err), FB_ERR_RANGE);
        assert_string_equal(err.text, "job 3");
        jobs.n_jobs = 0;
        assert_int_equal(fb_jobs_run(&jobs, &err), FB_OK);
    }
}

// ---- The unit cube of a search ----

static void test_unit_cube(void** state) {
    (void)state;
    FbStudy* s = read_study(study);
    double x[2], p[2];
    fb_optimize_from_unit(s, (double[]){0.0, 1.0}, p);
    assert_true(p[0] == 1.0 && p[1] == 1.0);
    fb_optimize_from_unit(s, (double[]){0.5, 0.5}, p);
    assert_near(p[0], 2.5, 1e-15);
    assert_near(p[1], 0.1, 1e-15);
    fb_optimize_get_start(s, 0, x);
    assert_near(x[0], 0.5, 1e-15);
    assert_near(x[1], 0.5, 1e-15);
    // Sixteen starts are spread: every quarter of the square has three to five of them.
    int quarters[2][2] = {{0}};
    for (int k = 0; k < 16; k++) {
        fb_optimize_get_start(s, k, x);
        assert_true(x[0] >= 0.0 && x[0] <= 1.0 && x[1] >= 0.0 && x[1] <= 1.0);
        quarters[x[0] > 0.5][x[1] > 0.5]++;
    }
    for (int i = 0; i < 4; i++) {
        assert_in_range(quarters[i / 2][i % 2], 2, 6);
    }
    fb_study_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_trial),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_table_that_was_cut),
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_unit_cube),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
