// Benchmark cases from C: lists, errors of case files, runs, limits, failures and stops.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "flyball/bench.h"

static char folder[64];  // of a case of our own

static int set_up(void** state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/flyball_bench_XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static const char* case_path(void) {
    static char path[128];
    snprintf(path, sizeof path, "%s/case.yaml", folder);
    return path;
}

static int tear_down(void** state) {
    (void)state;
    remove(case_path());
    return rmdir(folder);
}

static void write_case(const char* text) {
    FILE* file = fopen(case_path(), "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static FbBenchCase* read_case(const char* path) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbBenchCase* c = NULL;
    assert_int_equal(fb_bench_case_read(path, &c, diagnostics), FB_OK);
    assert_int_equal(fb_diagnostics_count(diagnostics), 0);
    fb_diagnostics_destroy(diagnostics);
    return c;
}

// Runs a case; the first error, if there is one, has to hold `wanted`.
static FbBenchRun* run_case(const FbBenchCase* c, const FbBenchOptions* options, FbStatus status,
                            const char* wanted) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbBenchRun* run = NULL;
    assert_int_equal(fb_bench_case_run(c, options, &run, diagnostics), status);
    assert_int_equal(fb_diagnostics_error_count(diagnostics) > 0, wanted != NULL);
    if (wanted != NULL) {
        assert_non_null(strstr(fb_diagnostics_get(diagnostics, 0)->text, wanted));
    }
    fb_diagnostics_destroy(diagnostics);
    assert_non_null(run);
    return run;
}

// ---- Lists ----

static void test_list(void** state) {
    (void)state;
    FbBenchList* list = NULL;
    FbError err;
    assert_int_equal(fb_bench_list_read("bench/cases", &list, &err), FB_OK);
    int n = fb_bench_list_get_count(list);
    assert_true(n >= 15);
    assert_string_equal(fb_bench_list_get_name(list, 0), "a01");
    for (int i = 1; i < n; i++) {
        assert_true(strcmp(fb_bench_list_get_name(list, i - 1), fb_bench_list_get_name(list, i)) <
                    0);
    }
    assert_null(fb_bench_list_get_name(list, -1));
    assert_null(fb_bench_list_get_name(list, n));
    fb_bench_list_destroy(list);
    assert_int_equal(fb_bench_list_read("models", &list, &err), FB_OK);
    assert_int_equal(fb_bench_list_get_count(list), 0);
    fb_bench_list_destroy(list);
    assert_int_equal(fb_bench_list_read("no/such/folder", &list, &err), FB_ERR_IO);
    assert_null(list);
    assert_string_equal(err.file, "no/such/folder");
    fb_bench_list_destroy(NULL);
}

// ---- Case files ----

static void expect_error(const char* text, int line, const char* wanted) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbBenchCase* c = NULL;
    write_case(text);
    assert_int_equal(fb_bench_case_read(folder, &c, diagnostics), FB_ERR_SYNTAX);
    assert_null(c);
    const FbDiagnostic* first = fb_diagnostics_get(diagnostics, 0);
    assert_string_equal(first->place.file, case_path());
    assert_int_equal(first->place.line, line);
    if (strstr(first->text, wanted) == NULL) {
        fail_msg("%s instead of %s", first->text, wanted);
    }
    fb_diagnostics_destroy(diagnostics);
    fb_bench_case_destroy(c);
}

#define HEAD "case: x\ntitle: X\nquantity: q\nmodel: m.yaml\n"

static void test_bad_files(void** state) {
    (void)state;
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbBenchCase* c = NULL;
    assert_int_equal(fb_bench_case_read("no/such/folder", &c, diagnostics), FB_ERR_IO);
    assert_null(c);
    assert_string_equal(fb_diagnostics_get(diagnostics, 0)->place.file, "no/such/folder/case.yaml");
    fb_diagnostics_destroy(diagnostics);
    expect_error("", 1, "the file is empty");
    expect_error("case: [\n", 2, "");
    expect_error("[1, 2]\n", 1, "are required");
    expect_error(HEAD "limits: 3\n", 5, "unknown key 'limits'");
    expect_error(HEAD "measures: 3\n", 1, "are required");
    expect_error(HEAD "measures:\n  - {name: e, kind: nice}\n", 6, "unknown kind of measure");
    expect_error(HEAD "measures:\n  - {name: e, kind: max-abs, output: [e]}\n", 6, "reference");
    expect_error(HEAD "measures:\n  - 7\n", 6, "required");
    expect_error(HEAD "duration: long\n", 5, "a number is required for 'duration'");
}

static void test_info(void** state) {
    (void)state;
    FbBenchCase* c = read_case("bench/cases/a01");
    FbBenchInfo info;
    fb_bench_case_get_info(c, &info);
    assert_string_equal(info.name, "a01");
    assert_string_equal(info.title, "Simple pendulum");
    assert_non_null(strstr(info.source, "A01"));
    assert_non_null(strstr(info.quantity, "energy"));
    assert_string_equal(info.model_path, "bench/cases/a01/../../../models/pendulum.yaml");
    assert_int_equal(info.n_measures, 2);
    assert_false(info.is_linear);
    fb_bench_case_destroy(c);
    fb_bench_case_destroy(NULL);
}

// ---- Runs ----

// The largest change of the pendulum's energy over the samples of the case.
static double calc_energy_drift(FbRunStats* stats) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbResult* result = NULL;
    FbError err;
    fb_model_def_read_file("models/pendulum.yaml", NULL, &def, diagnostics);
    assert_int_equal(fb_model_create(def, &model, diagnostics), FB_OK);
    FbRunOptions options = fb_run_options_default(model);
    options.settings.duration = 10.0;
    options.settings.sample = 0.1;
    assert_int_equal(fb_simulate(model, &options, &result, &err), FB_OK);
    int column = fb_model_find_output(model, "energy");
    double drift = 0.0, start = fb_result_get_value(result, 0, column);
    for (int i = 0; i < fb_result_get_row_count(result); i++) {
        drift = fmax(drift, fabs(fb_result_get_value(result, i, column) - start));
    }
    *stats = *fb_result_get_stats(result);
    fb_result_destroy(result);
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(diagnostics);
    return drift;
}

static void test_run(void** state) {
    (void)state;
    FbBenchCase* c = read_case("bench/cases/a01");
    FbBenchOptions options = fb_bench_options_default();
    FbBenchRun* run = run_case(c, &options, FB_OK, NULL);
    FbBenchOutcome outcome;
    FbBenchMeasure position, energy, none;
    FbRunStats stats;
    double drift = calc_energy_drift(&stats);
    fb_bench_run_get_outcome(run, &outcome);
    fb_bench_run_get_measure(run, 0, &position);
    fb_bench_run_get_measure(run, 1, &energy);
    assert_string_equal(position.name, "position");
    assert_string_equal(position.kind, "max-abs");
    assert_true(position.is_within && position.error > 0.0 && position.error <= position.limit);
    assert_true(energy.is_within && energy.error == drift && energy.limit == 1e-7);
    // The worst one is the outcome.
    int worst = energy.error / energy.limit > position.error / position.limit ? 1 : 0;
    const FbBenchMeasure* w = worst ? &energy : &position;
    assert_int_equal(outcome.worst, worst);
    assert_string_equal(outcome.worst_name, w->name);
    assert_true(outcome.error == w->error && outcome.limit == w->limit);
    assert_true(outcome.is_within && outcome.status == FB_OK && outcome.failure[0] == '\0');
    assert_null(outcome.failed_model);
    assert_int_equal(outcome.stats.steps, stats.steps);
    assert_string_equal(outcome.stats.integrator, "dop853");
    assert_true(outcome.stats.cpu_s > 0.0 && outcome.load_s > 0.0);
    fb_bench_run_get_measure(run, 2, &none);
    assert_null(none.name);
    fb_bench_run_get_measure(run, -1, &none);
    assert_null(none.name);
    fb_bench_run_destroy(run);
    fb_bench_run_destroy(NULL);
    fb_bench_case_destroy(c);
}

// Tight tolerances meet tight limits; another pendulum is outside, and that is not a failure.
static void test_options(void** state) {
    (void)state;
    FbBenchCase* c = read_case("bench/cases/a01");
    FbBenchOptions options = fb_bench_options_default();
    FbBenchOutcome outcome;
    options.is_tight = true;
    FbBenchRun* run = run_case(c, &options, FB_OK, NULL);
    fb_bench_run_get_outcome(run, &outcome);
    assert_true(outcome.is_within && outcome.limit == 1e-11 && outcome.stats.rtol == 1e-13);
    fb_bench_run_destroy(run);
    options = fb_bench_options_default();
    FbOverride longer = {"L", "1.1 m"};
    options.overrides = &longer;
    options.n_overrides = 1;
    run = run_case(c, &options, FB_OK, NULL);
    fb_bench_run_get_outcome(run, &outcome);
    assert_true(!outcome.is_within && outcome.error > 0.01 && outcome.worst == 0);
    fb_bench_run_destroy(run);
    fb_bench_case_destroy(c);
}

static void test_linear_case(void** state) {
    (void)state;
    FbBenchCase* c = read_case("bench/cases/fourbar");
    FbBenchInfo info;
    fb_bench_case_get_info(c, &info);
    assert_true(info.is_linear);
    FbBenchOptions options = fb_bench_options_default();
    FbBenchRun* run = run_case(c, &options, FB_OK, NULL);
    FbBenchOutcome outcome;
    fb_bench_run_get_outcome(run, &outcome);
    assert_true(outcome.is_within && outcome.stats.steps == 0);
    assert_string_equal(outcome.stats.integrator, "");
    fb_bench_run_destroy(run);
    fb_bench_case_destroy(c);
}

// ---- Failures ----

static void expect_failure(const FbBenchRun* run, FbStatus status, bool is_model) {
    FbBenchOutcome outcome;
    fb_bench_run_get_outcome(run, &outcome);
    assert_int_equal(outcome.status, status);
    assert_false(outcome.is_within);
    assert_true(isnan(outcome.error));
    assert_true(outcome.failure[0] != '\0');
    assert_int_equal(outcome.failed_model != NULL, is_model);
}

static void test_failures(void** state) {
    (void)state;
    FbBenchCase* c = read_case("bench/cases/a01");
    FbBenchOptions options = fb_bench_options_default();
    options.integrator = "nope";
    FbBenchRun* run = run_case(c, &options, FB_ERR_ARGUMENT, "nope");
    expect_failure(run, FB_ERR_ARGUMENT, false);
    fb_bench_run_destroy(run);
    options = fb_bench_options_default();
    FbOverride wrong = {"nix", "1"};
    options.overrides = &wrong;
    options.n_overrides = 1;
    run = run_case(c, &options, FB_ERR_NAME, "nix");
    expect_failure(run, FB_ERR_NAME, true);
    fb_bench_run_destroy(run);
    fb_bench_case_destroy(c);
    write_case(HEAD "measures:\n  - {name: e, kind: energy-drift, output: [energy]}\n");
    c = read_case(folder);
    options = fb_bench_options_default();
    run = run_case(c, &options, FB_ERR_IO, "");
    expect_failure(run, FB_ERR_IO, true);
    fb_bench_run_destroy(run);
    fb_bench_case_destroy(c);
}

// Errors of 0.3, 0, 0, 0.4 m against a table from 0.3 to 3.4 m; an "energy" from 2 to 5.
static void test_norms(void** state) {
    (void)state;
    FbBenchCase* c = read_case("test/unit/study/norms");
    FbBenchOptions options = fb_bench_options_default();
    FbBenchRun* run = run_case(c, &options, FB_OK, NULL);
    const double expected[] = {0.25, 0.4 / 3.1, 150.0};
    for (int i = 0; i < 3; i++) {
        FbBenchMeasure measure;
        fb_bench_run_get_measure(run, i, &measure);
        assert_true(fabs(measure.error - expected[i]) <= 1e-9 * expected[i]);
    }
    fb_bench_run_destroy(run);
    fb_bench_case_destroy(c);
}

static bool wants_stop(void* self) {
    ++*(int*)self;
    return true;
}

static bool refuse(void* self, const FbProgress* progress) {
    (void)progress;
    ++*(int*)self;
    return false;
}

static void test_stop(void** state) {
    (void)state;
    FbBenchCase* c = read_case("bench/cases/a01");
    FbBenchOptions options = fb_bench_options_default();
    int n_asked = 0;
    options.stop = (FbStop){wants_stop, &n_asked};
    FbBenchRun* run = run_case(c, &options, FB_STOPPED, NULL);
    FbBenchOutcome outcome;
    fb_bench_run_get_outcome(run, &outcome);
    assert_true(n_asked > 0 && !outcome.is_within && outcome.stats.steps == 0);
    assert_string_equal(outcome.failure, "interrupted");
    fb_bench_run_destroy(run);
    fb_bench_case_destroy(c);
}

// Progress is asked ten times a second: the run has to be a long one.
static void test_progress(void** state) {
    (void)state;
    char text[8192], source[4096];
    assert_non_null(getcwd(source, sizeof source));
    snprintf(text, sizeof text,
             "case: x\ntitle: X\nquantity: q\nmodel: %s/models/pendulum.yaml\n"
             "duration: 1e6\nsample: 1e5\n"
             "measures:\n  - {name: e, kind: energy-drift, output: [energy]}\n",
             source);
    write_case(text);
    FbBenchCase* c = read_case(folder);
    FbBenchOptions options = fb_bench_options_default();
    int n_asked = 0;
    options.progress = refuse;
    options.progress_self = &n_asked;
    FbBenchRun* run = run_case(c, &options, FB_STOPPED, NULL);
    expect_failure(run, FB_STOPPED, false);
    assert_int_equal(n_asked, 1);
    FbBenchOutcome outcome;
    fb_bench_run_get_outcome(run, &outcome);
    assert_true(outcome.stats.steps > 0 && outcome.stats.t_end < 1e6);
    fb_bench_run_destroy(run);
    fb_bench_case_destroy(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),     cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_info),     cmocka_unit_test(test_run),
        cmocka_unit_test(test_options),  cmocka_unit_test(test_linear_case),
        cmocka_unit_test(test_failures), cmocka_unit_test(test_norms),
        cmocka_unit_test(test_stop),     cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
