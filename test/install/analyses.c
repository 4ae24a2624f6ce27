// What the program does beyond a run, done by a stranger's C program: a sweep and a search over
// parameters, a benchmark case, a chart, a report, the JSON document, errors against a reference,
// an equilibrium, a linearization with its matrices, an estimate and a certificate of accuracy.
//
// The model, oscillator.yaml, is a mass on a spring, x = x0 cos(w t) with w^2 = k / m, so that
// everything has a closed form. Files are read from and written to the present folder.
#include <flyball/flyball.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_failed;

static void check(bool is_good, const char* what) {
    if (!is_good) {
        fprintf(stderr, "failed: %s\n", what);
        n_failed++;
    }
}

static void check_status(FbStatus status, const FbError* err, const char* what) {
    if (status != FB_OK) {
        fprintf(stderr, "%s: %s: %s\n", what, fb_status_text(status), err->text);
        n_failed++;
    }
}

static bool has_text(const char* path, const char* wanted) {
    FILE* file = fopen(path, "r");
    static char text[1 << 22];
    size_t n = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = '\0';
    if (file != NULL) {
        fclose(file);
    }
    return strstr(text, wanted) != NULL;
}

// x(1 s) of the closed form.
static double end_of(double k) {
    return 0.5 * cos(sqrt(k));
}

static void check_trials(const FbStudyRun* run) {
    check(fb_study_run_get_trial_count(run) == 4 && fb_study_run_get_trial(run, 4) == NULL,
          "four trials");
    for (int i = 0; i < fb_study_run_get_trial_count(run); i++) {
        const FbTrial* t = fb_study_run_get_trial(run, i);
        check(t->status == FB_TRIAL_OK && t->values[0] == 1.0 + i, "a trial at its point");
        check(fabs(t->values[1] - end_of(1.0 + i)) < 1e-7, "what a trial measures");
    }
    const FbTrial* best = fb_study_run_get_best(run);
    check(best != NULL && best->values[0] == 1.0,
          "k = 1 is the best of the grid: 0.5 cos(1) = 0.27");
}

static void try_sweep(const FbStudy* study) {
    FbStudyOptions options = fb_study_options_default("sweep.csv");
    FbStudyRun* run = NULL;
    FbStudyRunInfo info;
    FbError err;
    check_status(fb_study_check_sweep(study, &err), &err, "check of a sweep");
    options.part = 1;
    options.n_parts = 2;
    check_status(fb_study_sweep(study, &options, &run, &err), &err, "half of a sweep");
    fb_study_run_get_info(run, &info);
    check(info.n_points == 2 && info.n_computed == 2 && info.n_failed == 0, "two of four points");
    fb_study_run_destroy(run);
    options.part = 0;
    options.n_parts = 1;
    check_status(fb_study_sweep(study, &options, &run, &err), &err, "a sweep");
    fb_study_run_get_info(run, &info);
    check(info.n_points == 4 && info.n_computed == 2 && info.n_kept == 2 && info.steps > 0,
          "the table is resumed");
    check_trials(run);
    fb_study_run_destroy(run);
    options.part = 2;
    check(fb_study_sweep(study, &options, &run, &err) == FB_ERR_ARGUMENT && run == NULL,
          "part 2 of 1 is refused");
}

static void try_search(const FbStudy* study) {
    FbStudyOptions options = fb_study_options_default("search.csv");
    FbStudyRun* run = NULL;
    FbError err;
    if (!fb_study_can_optimize()) {
        return;
    }
    check_status(fb_study_check_optimize(study, &err), &err, "check of a search");
    check_status(fb_study_optimize(study, &options, &run, &err), &err, "a search");
    // 0.5 cos(sqrt k) = 0.25 at sqrt k = pi/3.
    const FbTrial* best = fb_study_run_get_best(run);
    check(best != NULL && fabs(best->values[0] - 1.0966227112321507) < 1e-3,
          "the best k is (pi/3)^2");
    char* command = NULL;
    check_status(fb_study_command(study, best->values, &command, &err), &err, "command");
    check(strstr(command, "flyball run oscillator.yaml --set k=1.09") != NULL, command);
    fb_free(command);
    fb_study_run_destroy(run);
}

static void try_study(void) {
    FbDiagnostics* messages = fb_diagnostics_create();
    FbStudy* study = NULL;
    FbStudyInfo info;
    if (fb_study_read("oscillator.study.yaml", NULL, 0, &study, messages) != FB_OK) {
        check(false, fb_diagnostics_get(messages, 0)->text);
        return;
    }
    fb_study_get_info(study, &info);
    check(info.n_parameters == 1 && info.n_measures == 1 && info.n_points == 4 && !info.is_maximum,
          "what a study consists of");
    check(strcmp(fb_study_get_parameter_name(study, 0), "k") == 0 &&
              fb_study_get_parameter_name(study, 1) == NULL,
          "parameters");
    check(strcmp(fb_study_get_measure_name(study, 0), "end") == 0 &&
              strcmp(fb_study_get_measure_unit(study, 0), "m") == 0,
          "measures");
    try_sweep(study);
    try_search(study);
    fb_study_destroy(study);
    fb_diagnostics_destroy(messages);
}

// A case of our own: the frequency w = 2 rad/s, and a limit that it cannot keep with k = 9.
static void try_bench(void) {
    FbDiagnostics* messages = fb_diagnostics_create();
    FbBenchList* list = NULL;
    FbBenchCase* bench_case = NULL;
    FbBenchOptions options = fb_bench_options_default();
    FbOverride stiffer = {"k", "9"};
    FbError err;
    check_status(fb_bench_list_read("cases", &list, &err), &err, "cases");
    check(fb_bench_list_get_count(list) == 1 &&
              strcmp(fb_bench_list_get_name(list, 0), "oscillator") == 0,
          "one case");
    check(fb_bench_case_read("cases/oscillator", &bench_case, messages) == FB_OK, "a case");
    for (int i = 0; bench_case != NULL && i < 2; i++) {
        FbBenchRun* run = NULL;
        FbBenchOutcome outcome;
        options.overrides = &stiffer;
        options.n_overrides = i;
        check(fb_bench_case_run(bench_case, &options, &run, messages) == FB_OK, "run of a case");
        fb_bench_run_get_outcome(run, &outcome);
        check(outcome.is_within == (i == 0) && outcome.limit == 1e-8, "its limit");
        check(fabs(outcome.error - 0.5 * i) < 1e-8, "its error: |3 - 2|/2 with k = 9");
        fb_bench_run_destroy(run);
    }
    fb_bench_case_destroy(bench_case);
    fb_bench_list_destroy(list);
    fb_diagnostics_destroy(messages);
}

static void try_comparison(const FbResult* result) {
    double times[11], values[11];
    for (int i = 0; i <= 10; i++) {
        times[i] = 0.1 * i;
        values[i] = 0.5 * cos(2.0 * times[i]);
    }
    FbSamples table = {0};
    FbError err;
    FbErrorNorms norms;
    FbCompareOptions options = fb_compare_options_default();
    check_status(fb_result_write_csv(result, "oscillator.csv", &err), &err, "CSV");
    check_status(fb_samples_read_csv(&table, "oscillator.csv", &err), &err, "reading CSV");
    FbSeries exact = {.name = "exact",
                      .times = times,
                      .values = values,
                      .time_stride = 1,
                      .value_stride = 1,
                      .n = 11};
    FbSeries series = fb_samples_get_series(&table, fb_samples_find(&table, "x"));
    check_status(fb_compare(&series, &exact, &options, &norms, &err), &err, "comparison");
    check(norms.n == 11 && norms.max < 1e-7 && norms.rms <= norms.max, "x is 0.5 cos(2 t)");
    values[10] += 0.25;
    check_status(fb_compare(&series, &exact, &options, &norms, &err), &err, "comparison");
    check(fabs(norms.max - 0.25) < 1e-7 && fabs(norms.final - 0.25) < 1e-7 && norms.max_time == 1.0,
          "an error is found");
    check(fb_samples_get_series(&table, fb_samples_find(&table, "y")).n == 0, "no column y");
    fb_samples_free(&table);
}

static void try_pictures(const FbResult* result) {
    FbError err;
    char* text = NULL;
    int column = 1, none = 2;
    check_status(fb_result_svg(result, "both", NULL, 0, &text, &err), &err, "SVG");
    check(strstr(text, "x [m]") != NULL && strstr(text, "v [m/s]") != NULL &&
              strstr(text, ">both<") != NULL,
          "a panel for each unit");
    fb_free(text);
    check_status(fb_result_svg(result, NULL, &column, 1, &text, &err), &err, "SVG of one");
    check(strstr(text, "x [m]") == NULL && strstr(text, ">oscillator<") != NULL,
          "one output, the model's name");
    fb_free(text);
    check(fb_result_svg(result, NULL, &none, 1, &text, &err) == FB_ERR_ARGUMENT && text == NULL,
          "no output 2");
    double times[] = {0, 1, 2}, values[] = {0, 1, 4};
    FbChartCurve curve = {.data = {.name = "y",
                                   .times = times,
                                   .values = values,
                                   .time_stride = 1,
                                   .value_stride = 1,
                                   .n = 3}};
    FbTextChart chart = {.label = "y", .curves = &curve, .n_curves = 1, .columns = 30, .rows = 5};
    check_status(fb_chart_text(&chart, &text, &err), &err, "a chart in characters");
    check(strchr(text, '*') != NULL, "it has stars");
    fb_free(text);
    FbReportOptions options = fb_report_options_default();
    check_status(fb_report_write_run(result, &options, "oscillator.html", &err), &err, "report");
    check(has_text("oscillator.html", "oscillator"), "a report");
    check_status(fb_report_write_motion(result, &options, "oscillator.motion.json", &err), &err,
                 "motion");
    check(has_text("oscillator.motion.json", "\"bodies\""), "a motion");
    FbRunRecord record = {.model_path = "oscillator.yaml", .failure = "none, really"};
    check_status(fb_result_json(result, &record, &text, &err), &err, "JSON");
    check(strstr(text, "\"failure\": \"none, really\"") != NULL &&
              strstr(text, "\"samples\": 11") != NULL,
          text);
    fb_free(text);
}

// The report of the files that were written: those that are there.
static void try_saved(void) {
    FbDiagnostics* messages = fb_diagnostics_create();
    FbReportOptions options = fb_report_options_default();
    FbSavedRun* run = NULL;
    FbError err;
    options.title = "from files";
    check(fb_saved_run_read("oscillator.csv", &run, messages) == FB_OK, "saved files");
    check(fb_diagnostics_count(messages) == 1 && fb_diagnostics_error_count(messages) == 0,
          "a note: there is no oscillator.json");
    check(strcmp(fb_saved_run_get_stem(run), "oscillator") == 0, "the stem");
    check(fb_saved_run_get_table(run)->n_rows == 11, "the table");
    check_status(fb_report_check_path("saved.html", &err), &err, "a path");
    check(fb_report_check_path("no/such/folder/saved.html", &err) == FB_ERR_IO, "a bad path");
    check_status(fb_report_write_saved(run, &options, "saved.html", &err), &err, "report of files");
    check(has_text("saved.html", "from files"), "a report of files");
    fb_saved_run_destroy(run);
    check(fb_saved_run_read("nothing", &run, messages) < 0 && run == NULL, "no files");
    fb_diagnostics_destroy(messages);
}

static void try_linear(const FbModel* model) {
    FbOperatingOptions at = fb_operating_options_default();
    FbLinearOptions how = fb_linear_options_default();
    FbOperatingPoint* point = NULL;
    FbLinearization* l = NULL;
    FbReducedMatrices m;
    FbError err;
    check_status(fb_operating_point_create(model, &at, &point, &err), &err, "equilibrium");
    check_status(fb_linearization_create(point, &how, &l, &err), &err, "linearization");
    check_status(fb_linearization_run(l, &err), &err, "eigenvalues");
    check(fabs(fabs(fb_linearization_get_mode(l, 0)->im) - 2.0) < 1e-8, "w = 2 rad/s");
    check_status(fb_linearization_calc_input_output(l, &err), &err, "inputs");
    fb_linearization_get_matrices(l, &m);
    check(m.n == 2 && fabs(m.K[0] - 4.0) < 1e-9, "K = 4 N/m");
    check(m.n_u == 2 && strcmp(fb_linearization_get_input_name(l, 1), "push") == 0, "an input");
    check(fabs(m.B[3] - 1.0) < 1e-9, "a push of 1 N gives 1 m/s2");
    check_status(fb_matrix_market_write("K.mtx", "stiffness", m.p, m.f, m.K, &err), &err, "matrix");
    check(has_text("K.mtx", "%%MatrixMarket matrix array real general\n% stiffness\n1 1\n"),
          "a matrix file");
    fb_linearization_destroy(l);
    fb_operating_point_destroy(point);
}

static void try_accuracy(const FbModel* model, const FbRunOptions* options, FbResult* result) {
    FbError err;
    FbCertificate certificate;
    FbResult* accurate = NULL;
    check_status(fb_result_estimate_error(result, options, &err), &err, "estimate");
    check(fb_result_get_error_estimate(result)->relative < 1e-6, "a small error");
    check_status(fb_simulate_accurately(model, options, 1e-8, &accurate, &certificate, &err), &err,
                 "certificate");
    check(certificate.is_reached && certificate.estimate <= 1e-8, "a certificate");
    fb_result_destroy(accurate);
}

static void try_bounds(const FbResult* result) {
    FbEventRecord event;
    check(isnan(fb_result_get_time(result, 11)) && isnan(fb_result_get_time(result, -1)),
          "no row 11");
    check(isnan(fb_result_get_value(result, 0, 2)) && isnan(fb_result_get_value(result, 0, -1)),
          "no column 2");
    check(!fb_result_get_event(result, 0, &event) && event.name == NULL, "no event");
    check(fb_result_get_warning(result, fb_result_get_warning_count(result)) == NULL, "no warning");
}

int main(void) {
    FbDiagnostics* messages = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbResult* result = NULL;
    FbError err;
    if (fb_model_def_read_file("oscillator.yaml", NULL, &def, messages) != FB_OK ||
        fb_model_create(def, &model, messages) != FB_OK) {
        fprintf(stderr, "%s\n", fb_diagnostics_get(messages, 0)->text);
        return 1;
    }
    FbRunOptions options = fb_run_options_default(model);
    options.record_poses = true;
    check_status(fb_simulate(model, &options, &result, &err), &err, "run");
    try_bounds(result);
    try_comparison(result);
    try_pictures(result);
    try_saved();
    try_accuracy(model, &options, result);
    try_linear(model);
    try_study();
    try_bench();
    fb_result_destroy(result);
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(messages);
    printf("%s\n", n_failed == 0
                       ? "studies, charts, reports, comparisons, linearization, accuracy: good"
                       : "failed");
    return n_failed == 0 ? 0 : 1;
}
