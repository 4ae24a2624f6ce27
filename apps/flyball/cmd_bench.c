// `flyball bench`: runs the benchmark problems, measures their errors, and compares them with the
// limits.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "bench_cases.h"
#include "bench_linear.h"
#include "bench_pages.h"
#include "bench_report.h"
#include "bench_run.h"
#include "folder.h"
#include "load.h"
#include "terminal.h"

static double pick_limit(const Options* options, const Measure* m) {
    return options->is_tight && !isnan(m->tight_limit) ? m->tight_limit : m->limit;
}

// Runs the measure's other model where there is one, and compares.
static int measure_one(const Options* options, const BenchCase* c, int k, const FbResult* result,
                       CaseOutcome* outcome) {
    const Measure* m = &c->measures[k];
    LoadedModel other = {0};
    FbResult* other_result = NULL;
    FbError err = {0};
    int code = EXIT_OK;
    if (m->other != NULL) {
        code = run_case_model(options, c, m->other, 0, &other, &other_result, &err);
    }
    MeasureOutcome* o = &outcome->measures[k];
    if (code == EXIT_OK) {
        FbStatus status = calc_measure(m, result, other_result, &o->error, &err);
        if (status < 0) {
            print_error(&err);
            code = exit_code_of(status);
        }
    }
    o->is_passed = isnan(o->limit) ? !isnan(o->error) : o->error <= o->limit;
    if (code != EXIT_OK) {
        snprintf(outcome->failure, sizeof outcome->failure, "%s", err.text);
    }
    fb_result_destroy(other_result);
    free_model(&other);
    return code;
}

// The measure that is closest to its limit, or furthest beyond it.
static int find_worst(const CaseOutcome* outcome, int n) {
    int worst = 0;
    double largest = -1.0;
    for (int k = 0; k < n; k++) {
        double ratio = outcome->measures[k].error / outcome->measures[k].limit;
        if (isnan(outcome->measures[k].error)) {
            ratio = INFINITY;
        }
        if (ratio > largest) {  // measures without a limit (NaN) are ignored
            largest = ratio;
            worst = k;
        }
    }
    return worst;
}

// The measures of a simulated run.
static int measure_run(const Options* options, const BenchCase* c, int run, const FbResult* result,
                       CaseOutcome* outcome) {
    int code = EXIT_OK;
    for (int k = 0; k < c->n_measures; k++) {
        if (c->measures[k].run == run && c->measures[k].kind != MEASURE_ORDER) {
            int measured = measure_one(options, c, k, result, outcome);
            code = code == EXIT_OK ? measured : code;
        }
    }
    return code;
}

static void init_outcome(const Options* options, CaseOutcome* outcome, const BenchCase* c,
                         MeasureOutcome* measures) {
    *outcome = (CaseOutcome){.bench_case = c, .measures = measures};
    for (int k = 0; k < c->n_measures; k++) {
        measures[k] = (MeasureOutcome){.error = NAN, .limit = pick_limit(options, &c->measures[k])};
    }
}

static bool has_absolute_measures(const BenchCase* c, int run) {
    bool has = false;
    for (int k = 0; k < c->n_measures; k++) {
        has = has || (c->measures[k].run == run && c->measures[k].is_absolute);
    }
    return has;
}

// Measures whatever can be measured; the first failure is reported and kept.
static int measure_linear_run(const BenchCase* c, int run, const LoadedModel* loaded,
                              CaseOutcome* outcome) {
    LinearCase linear;
    FbError err = {0};
    FbStatus status = create_linear_case(loaded->def, loaded->model, has_absolute_measures(c, run),
                                         &linear, &err);
    for (int k = 0; status >= 0 && k < c->n_measures && !is_interrupted(); k++) {
        MeasureOutcome* o = &outcome->measures[k];
        if (c->measures[k].run == run && c->measures[k].kind != MEASURE_ORDER) {
            status = calc_linear_measure(&c->measures[k], &linear, &o->error, &err);
            o->is_passed = isnan(o->limit) ? !isnan(o->error) : o->error <= o->limit;
        }
    }
    free_linear_case(&linear);
    if (status < 0) {
        print_error(&err);
        snprintf(outcome->failure, sizeof outcome->failure, "%s", err.text);
        return exit_code_of(status);
    }
    return is_interrupted() ? EXIT_INTERRUPTED : EXIT_OK;
}

static int linearize_run(const Options* options, const BenchCase* c, int run,
                         CaseOutcome* outcome) {
    BenchCase view = get_case_of_run(c, run);
    LoadedModel loaded;
    FbError err = {0};
    int code = load_case_model(options, &view, view.model, &loaded, &err);
    outcome->load_s += loaded.load_s;
    double wall = fb_clock_wall_s(), cpu = fb_clock_cpu_s();
    if (code == EXIT_OK) {
        code = measure_linear_run(c, run, &loaded, outcome);
    } else {
        snprintf(outcome->failure, sizeof outcome->failure, "%s", err.text);
    }
    outcome->stats.wall_s += fb_clock_wall_s() - wall;
    outcome->stats.cpu_s += fb_clock_cpu_s() - cpu;
    free_model(&loaded);
    return code;
}

// The costs of all runs together; settings are those of the first.
static void add_stats(const FbRunStats* s, CaseOutcome* outcome) {
    FbRunStats* sum = &outcome->stats;
    if (outcome->integrator[0] == '\0') {
        double wall_s = sum->wall_s, cpu_s = sum->cpu_s;
        *sum = *s;
        sum->wall_s += wall_s;
        sum->cpu_s += cpu_s;
        snprintf(outcome->integrator, sizeof outcome->integrator, "%s", s->integrator);
        return;
    }
    sum->wall_s += s->wall_s;
    sum->cpu_s += s->cpu_s;
    sum->steps += s->steps;
    sum->rejected += s->rejected;
    sum->rhs_evals += s->rhs_evals;
    sum->jacobian_evals += s->jacobian_evals;
    sum->factorizations += s->factorizations;
    sum->max_constraint_error = fmax(sum->max_constraint_error, s->max_constraint_error);
}

static int simulate_run(const Options* options, const BenchCase* c, int run, CaseOutcome* outcome) {
    BenchCase view = get_case_of_run(c, run);
    LoadedModel loaded;
    FbResult* result = NULL;
    FbError err = {0};
    int code = run_case_model(options, &view, view.model, 0, &loaded, &result, &err);
    outcome->load_s += loaded.load_s;
    if (result != NULL) {
        add_stats(fb_result_get_stats(result), outcome);
    }
    if (code == EXIT_OK) {
        code = measure_run(options, &view, run, result, outcome);
    } else {
        snprintf(outcome->failure, sizeof outcome->failure, "%s",
                 code == EXIT_INTERRUPTED ? "interrupted" : err.text);
    }
    fb_result_destroy(result);
    free_model(&loaded);
    return code;
}

static double find_error(const CaseOutcome* outcome, const char* name) {
    const BenchCase* c = outcome->bench_case;
    for (int k = 0; k < c->n_measures; k++) {
        if (strcmp(c->measures[k].name, name) == 0) {
            return outcome->measures[k].error;
        }
    }
    return NAN;  // not the name of a measure: never passes
}

// Orders follow from the errors of other measures, once all of these are available.
static void measure_order(const Measure* m, CaseOutcome* outcome, MeasureOutcome* o) {
    enum { MAX_OF = 16 };
    double errors[MAX_OF];
    for (int i = 0; i < m->n_of && i < MAX_OF; i++) {
        errors[i] = find_error(outcome, m->of[i]);
    }
    o->error = m->n_of <= MAX_OF ? calc_order_error(m, errors) : NAN;
    o->is_passed = isnan(o->limit) ? !isnan(o->error) : o->error <= o->limit;
}

static void judge_case(const BenchCase* c, CaseOutcome* outcome) {
    outcome->is_passed = true;
    for (int k = 0; k < c->n_measures; k++) {
        if (c->measures[k].kind == MEASURE_ORDER) {
            measure_order(&c->measures[k], outcome, &outcome->measures[k]);
        }
        outcome->is_passed = outcome->is_passed && outcome->measures[k].is_passed;
    }
    outcome->worst = find_worst(outcome, c->n_measures);
}

static int run_case(const Options* options, const BenchCase* c, CaseOutcome* outcome) {
    int code = EXIT_OK;
    for (int run = -1; run < c->n_runs && !is_interrupted(); run++) {
        if (has_measures(c, run)) {
            int one = is_linear_run(c, run) ? linearize_run(options, c, run, outcome)
                                            : simulate_run(options, c, run, outcome);
            code = code == EXIT_OK ? one : code;
        }
    }
    judge_case(c, outcome);
    outcome->is_passed = outcome->is_passed && code == EXIT_OK;
    outcome->exit_code = code == EXIT_OK && !outcome->is_passed ? EXIT_LIMIT : code;
    return outcome->exit_code;
}

// A failed computation takes precedence over an exceeded limit; the first failure decides.
static int combine_codes(int so_far, int code) {
    bool is_failure = so_far != EXIT_OK && so_far != EXIT_LIMIT;
    return is_failure || code == EXIT_OK ? so_far : code;
}

static int run_cases(const Options* options, const BenchCases* cases, CaseOutcome* outcomes,
                     int* n_done) {
    bool is_table = !options->is_json;
    int code = EXIT_OK;
    if (is_table) {
        print_table_header();
    }
    for (*n_done = 0; *n_done < cases->n_cases && !is_interrupted();) {
        CaseOutcome* outcome = &outcomes[*n_done];
        code = combine_codes(code, run_case(options, outcome->bench_case, outcome));
        ++*n_done;
        if (is_table) {
            print_table_row(outcome);
        }
    }
    return is_interrupted() ? EXIT_INTERRUPTED : code;
}

// The reports of --report; an exceeded limit is reported even if they could not be written.
static int write_pages(const Options* options, const CaseOutcome* outcomes, int n_done, int code) {
    if (options->report == NULL || code == EXIT_INTERRUPTED) {
        return code;
    }
    return combine_codes(code, write_bench_pages(options, outcomes, n_done));
}

static int report(const Options* options, const CaseOutcome* outcomes, int n_done, int n_cases,
                  int code) {
    if (options->is_json) {
        print_bench_document(outcomes, n_done);
    } else {
        print_table_end(outcomes, n_done);
    }
    if (code == EXIT_INTERRUPTED) {
        print_note("interrupted; %d of %d cases were run", n_done, n_cases);
    }
    FbError err;
    if (options->output != NULL && write_bench_csv(options->output, outcomes, n_done, &err) < 0) {
        print_error(&err);
        return EXIT_FILE;
    }
    return write_pages(options, outcomes, n_done, code);
}

static int run_and_report(const Options* options, const BenchCases* cases) {
    FbArena* arena = cases->arena;
    CaseOutcome* outcomes = FB_TAKE(arena, CaseOutcome, cases->n_cases);
    for (int i = 0; outcomes != NULL && i < cases->n_cases; i++) {
        MeasureOutcome* measures = FB_TAKE(arena, MeasureOutcome, cases->cases[i].n_measures);
        if (measures == NULL) {
            outcomes = NULL;
            break;
        }
        init_outcome(options, &outcomes[i], &cases->cases[i], measures);
    }
    if (outcomes == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    int n_done;
    int code = run_cases(options, cases, outcomes, &n_done);
    return report(options, outcomes, n_done, cases->n_cases, code);
}

int cmd_bench(const Options* options) {
    if (options->examples.n > 0 && options->report == NULL) {
        return usage_error(options, "--example requires --report");
    }
    FbError err;
    if (options->report != NULL && make_folder(options->report, &err) < 0) {
        print_error(&err);
        return exit_code_of(err.status);
    }
    BenchCases cases;
    int code = find_bench_cases(options, &cases);
    if (code == EXIT_OK && options->is_list) {
        print_case_list(options, &cases);
    } else if (code == EXIT_OK) {
        code = run_and_report(options, &cases);
    }
    free_bench_cases(&cases);
    return code;
}
