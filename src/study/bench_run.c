// Runs the models of a benchmark case with its settings, and compares its errors with the limits.
#include "study/bench_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "study/bench_linear.h"
#include "study/bench_measure.h"

// A run of a case while it is under way.
typedef struct Runner {
    const FbBenchCase* c;
    const FbBenchOptions* options;
    FbDiagnostics* diagnostics;
    FbBenchRun* run;
    bool is_stopped;
} Runner;

// A model of a case.
typedef struct CaseModel {
    FbModelDef* def;  // kept for compiling it again in other coordinates
    FbModel* model;
} CaseModel;

FbBenchOptions fb_bench_options_default(void) {
    return (FbBenchOptions){.rtol = NAN, .atol = NAN};
}

FbRunOptions fb_bench_make_run_options(const FbBenchCase* c, const FbBenchOptions* options,
                                       const FbModel* model) {
    FbRunOptions run = fb_run_options_default(model);
    FbSettings* s = &run.settings;
    s->duration = isnan(c->duration) ? s->duration : c->duration;
    s->sample = isnan(c->sample) ? s->sample : c->sample;
    s->integrator = options->integrator != NULL ? options->integrator : s->integrator;
    double rtol = !isnan(options->rtol) ? options->rtol : options->is_tight ? c->tight_rtol : NAN;
    double atol = !isnan(options->atol)                       ? options->atol
                  : options->is_tight && isnan(options->rtol) ? c->tight_atol
                                                              : NAN;
    if (!isnan(rtol)) {
        // A tighter relative tolerance alone would leave the absolute one in charge: they keep
        // their ratio.
        s->atol *= rtol / s->rtol;
        s->rtol = rtol;
    }
    s->atol = isnan(atol) ? s->atol : atol;
    return run;
}

static bool should_stop(Runner* r) {
    const FbStop* stop = &r->options->stop;
    r->is_stopped = r->is_stopped || (stop->is_wanted != NULL && stop->is_wanted(stop->self));
    return r->is_stopped;
}

static bool go_on(void* self, const FbProgress* progress) {
    Runner* r = self;
    const FbBenchOptions* o = r->options;
    r->is_stopped =
        r->is_stopped || (o->progress != NULL && !o->progress(o->progress_self, progress));
    return !should_stop(r);
}

// The outcome has the status of the first failure and the text of the last.
static FbStatus keep_failure(Runner* r, FbStatus status, const char* text) {
    FbBenchOutcome* o = &r->run->outcome;
    o->status = o->status == FB_OK ? status : o->status;
    snprintf(r->run->failure, sizeof r->run->failure, "%s", text);
    return status;
}

static FbStatus keep_error(Runner* r, const FbError* err) {
    fb_diagnose_error(r->diagnostics, err);
    return keep_failure(r, err->status, err->text);
}

static FbStatus read_model(Runner* r, const FbOverride* overrides, int n, const char* path,
                           CaseModel* out) {
    FbReadOptions options = {.overrides = overrides, .n_overrides = n};
    FbStatus status = fb_model_def_read_file(path, &options, &out->def, r->diagnostics);
    return status == FB_OK ? fb_model_create(out->def, &out->model, r->diagnostics) : status;
}

// Reads and compiles a model with the parameters of the case and of the options.
static FbStatus load_model(Runner* r, const FbBenchCase* c, const char* path, CaseModel* out) {
    double start = fb_clock_wall_s();
    int n = c->n_overrides + r->options->n_overrides;
    FbOverride* all = calloc((size_t)n + 1, sizeof *all);
    for (int i = 0; all != NULL && i < n; i++) {
        all[i] = i < c->n_overrides ? c->overrides[i] : r->options->overrides[i - c->n_overrides];
    }
    FbStatus status = all != NULL ? read_model(r, all, n, path, out) : FB_ERR_MEMORY;
    free(all);
    r->run->outcome.load_s += fb_clock_wall_s() - start;
    if (status < 0) {
        r->run->outcome.failed_model = path;
        return keep_failure(r, status, "the model could not be read");
    }
    return FB_OK;
}

static void free_model(CaseModel* m) {
    fb_model_destroy(m->model);
    fb_model_def_destroy(m->def);
}

// The result may hold rows even if the simulation failed.
static FbStatus simulate(Runner* r, const FbBenchCase* c, const char* path, CaseModel* model,
                         FbResult** result) {
    FB_TRY(load_model(r, c, path, model));
    FbRunOptions options = fb_bench_make_run_options(c, r->options, model->model);
    options.progress = go_on;
    options.progress_self = r;
    FbError err = {0};
    FbStatus status = fb_simulate(model->model, &options, result, &err);
    if (status < 0) {
        bool is_missing = status == FB_ERR_NAME || status == FB_ERR_UNAVAILABLE;
        err.status = r->options->integrator != NULL && is_missing ? FB_ERR_ARGUMENT : err.status;
        return keep_error(r, &err);
    }
    return should_stop(r) ? keep_failure(r, FB_STOPPED, "interrupted") : FB_OK;
}

static void judge(FbBenchMeasure* m) {
    m->is_within = isnan(m->limit) ? !isnan(m->error) : m->error <= m->limit;
}

// Runs the measure's other model where there is one, and compares.
static void measure_one(Runner* r, const FbBenchCase* c, int k, const FbResult* result) {
    const FbCaseMeasure* m = &c->measures[k];
    CaseModel other = {0};
    FbResult* other_result = NULL;
    FbError err = {0};
    FbStatus status = m->other != NULL ? simulate(r, c, m->other, &other, &other_result) : FB_OK;
    if (status == FB_OK &&
        fb_case_calc_measure(m, result, other_result, &r->run->measures[k].error, &err) < 0) {
        keep_error(r, &err);
    }
    judge(&r->run->measures[k]);
    fb_result_destroy(other_result);
    free_model(&other);
}

static bool belongs_to(const FbCaseMeasure* m, int run) {
    return m->run == run && m->kind != FB_CASE_ORDER;
}

static bool has_absolute_measures(const FbBenchCase* c, int run) {
    bool has = false;
    for (int k = 0; k < c->n_measures; k++) {
        has = has || (c->measures[k].run == run && c->measures[k].is_absolute);
    }
    return has;
}

static void measure_linear_run(Runner* r, int run, const CaseModel* model) {
    const FbBenchCase* c = r->c;
    FbLinearCase linear;
    FbError err = {0};
    FbStatus status = fb_linear_case_create(model->def, model->model, has_absolute_measures(c, run),
                                            &linear, &err);
    for (int k = 0; status >= 0 && k < c->n_measures && !should_stop(r); k++) {
        FbBenchMeasure* m = &r->run->measures[k];
        if (belongs_to(&c->measures[k], run)) {
            status = fb_case_calc_linear(&c->measures[k], &linear, &m->error, &err);
            judge(m);
        }
    }
    fb_linear_case_free(&linear);
    if (status < 0) {
        keep_error(r, &err);
    }
}

static void linearize_run(Runner* r, int run) {
    FbBenchCase view = fb_case_of_run(r->c, run);
    FbRunStats* stats = &r->run->outcome.stats;
    CaseModel model = {0};
    FbStatus status = load_model(r, &view, view.model, &model);
    double wall = fb_clock_wall_s(), cpu = fb_clock_cpu_s();
    if (status == FB_OK) {
        measure_linear_run(r, run, &model);
    }
    stats->wall_s += fb_clock_wall_s() - wall;
    stats->cpu_s += fb_clock_cpu_s() - cpu;
    free_model(&model);
}

// The costs of all runs together; settings are those of the first.
static void add_stats(const FbRunStats* s, FbBenchRun* run) {
    FbRunStats* sum = &run->outcome.stats;
    if (run->integrator[0] == '\0') {
        double wall_s = sum->wall_s, cpu_s = sum->cpu_s;
        *sum = *s;
        sum->wall_s += wall_s;
        sum->cpu_s += cpu_s;
        snprintf(run->integrator, sizeof run->integrator, "%s", s->integrator);
        return;
    }
    sum->wall_s += s->wall_s;
    sum->cpu_s += s->cpu_s;
    sum->steps += s->steps;
    sum->rejected += s->rejected;
    sum->rhs_evals += s->rhs_evals;
    sum->jacobian_evals += s->jacobian_evals;
    sum->factorizations += s->factorizations;
    sum->newton_iterations += s->newton_iterations;
    sum->max_constraint_error = fmax(sum->max_constraint_error, s->max_constraint_error);
    sum->max_velocity_error = fmax(sum->max_velocity_error, s->max_velocity_error);
}

static void simulate_run(Runner* r, int run) {
    FbBenchCase view = fb_case_of_run(r->c, run);
    CaseModel model = {0};
    FbResult* result = NULL;
    FbStatus status = simulate(r, &view, view.model, &model, &result);
    if (result != NULL) {
        add_stats(fb_result_get_stats(result), r->run);
    }
    for (int k = 0; status == FB_OK && k < view.n_measures; k++) {
        if (belongs_to(&view.measures[k], run)) {
            measure_one(r, &view, k, result);
        }
    }
    fb_result_destroy(result);
    free_model(&model);
}

static double find_error(const FbBenchRun* run, const char* name) {
    for (int k = 0; k < run->bench_case->n_measures; k++) {
        if (strcmp(run->measures[k].name, name) == 0) {
            return run->measures[k].error;
        }
    }
    return NAN;  // not the name of a measure: never passes
}

// Orders follow from the errors of other measures, once all of these are available.
static void measure_order(const FbCaseMeasure* m, const FbBenchRun* run, FbBenchMeasure* out) {
    enum { MAX_OF = 16 };
    double errors[MAX_OF];
    for (int i = 0; i < m->n_of && i < MAX_OF; i++) {
        errors[i] = find_error(run, m->of[i]);
    }
    out->error = m->n_of <= MAX_OF ? fb_case_calc_order(m, errors) : NAN;
    judge(out);
}

// The measure that is closest to its limit, or furthest beyond it.
static int find_worst(const FbBenchRun* run) {
    int worst = 0;
    double largest = -1.0;
    for (int k = 0; k < run->bench_case->n_measures; k++) {
        const FbBenchMeasure* m = &run->measures[k];
        double ratio = isnan(m->error) ? INFINITY : m->error / m->limit;
        if (ratio > largest) {  // measures without a limit (NaN) are ignored
            largest = ratio;
            worst = k;
        }
    }
    return worst;
}

static void judge_case(Runner* r) {
    FbBenchRun* run = r->run;
    FbBenchOutcome* o = &run->outcome;
    if (o->status == FB_OK && r->is_stopped) {
        keep_failure(r, FB_STOPPED, "interrupted");
    }
    o->is_within = o->status == FB_OK;
    for (int k = 0; k < r->c->n_measures; k++) {
        if (r->c->measures[k].kind == FB_CASE_ORDER) {
            measure_order(&r->c->measures[k], run, &run->measures[k]);
        }
        o->is_within = o->is_within && run->measures[k].is_within;
    }
    o->worst = find_worst(run);
    o->worst_name = run->measures[o->worst].name;
    o->error = run->measures[o->worst].error;
    o->limit = run->measures[o->worst].limit;
    o->failure = run->failure;
    o->stats.integrator = run->integrator;
    o->stats.integrator_reason = "";  // those of the runs are gone with their results
}

FbBenchRun* fb_bench_run_create(const FbBenchCase* c, const FbBenchOptions* options) {
    FbBenchRun* run = calloc(1, sizeof *run);
    FbBenchMeasure* measures = calloc((size_t)c->n_measures + 1, sizeof *measures);
    if (run == NULL || measures == NULL) {
        free(measures);
        free(run);
        return NULL;
    }
    run->bench_case = c;
    run->measures = measures;
    for (int k = 0; k < c->n_measures; k++) {
        const FbCaseMeasure* m = &c->measures[k];
        bool is_tight = options->is_tight && !isnan(m->tight_limit);
        measures[k] = (FbBenchMeasure){.name = m->name,
                                       .kind = fb_case_measure_names[m->kind],
                                       .error = NAN,
                                       .limit = is_tight ? m->tight_limit : m->limit};
    }
    return run;
}

FbStatus fb_bench_case_run(const FbBenchCase* c, const FbBenchOptions* options, FbBenchRun** out,
                           FbDiagnostics* diagnostics) {
    *out = fb_bench_run_create(c, options);
    if (*out == NULL) {
        return FB_ERR_MEMORY;
    }
    Runner r = {.c = c, .options = options, .diagnostics = diagnostics, .run = *out};
    for (int run = -1; run < c->n_runs && !should_stop(&r); run++) {
        if (!fb_case_has_measures(c, run)) {
            continue;
        }
        if (fb_case_is_linear(c, run)) {
            linearize_run(&r, run);
        } else {
            simulate_run(&r, run);
        }
    }
    judge_case(&r);
    return (*out)->outcome.status;
}

void fb_bench_run_destroy(FbBenchRun* run) {
    if (run != NULL) {
        free(run->measures);
        free(run->failed_path);
        free(run);
    }
}

void fb_bench_run_get_outcome(const FbBenchRun* run, FbBenchOutcome* outcome) {
    *outcome = run->outcome;
}

void fb_bench_run_get_measure(const FbBenchRun* run, int index, FbBenchMeasure* measure) {
    bool exists = index >= 0 && index < run->bench_case->n_measures;
    *measure = exists ? run->measures[index] : (FbBenchMeasure){0};
}
