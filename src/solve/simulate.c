// The whole run of a model at the sample times of its settings.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solve/simulation.h"

static FbStatus record_start(FbSimulation* sim, FbError* err) {
    sim->next_sample = 1.0;
    return fb_simulation_record(sim, &sim->run.at, err);
}

// A run that stops early still ends with a row at its last point, and so does one that ends at a
// break, just before which its last step ended.
static FbStatus record_end(FbSimulation* sim, FbError* err) {
    FbResult* result = sim->result;
    if (fb_result_get_time(result, result->n_row - 1) >= sim->run.at.t) {
        return FB_OK;
    }
    return fb_simulation_record(sim, &sim->run.at, err);
}

// The names of the first outputs that are not unique.
static int list_outputs(const FbSimulation* sim, bool (*is_listed)(const FbSystem*, int), char* out,
                        size_t size) {
    enum { MOST = 12 };
    int count = 0;
    out[0] = '\0';
    for (int i = 0; i < sim->result->n_column; i++) {
        bool is_one = is_listed(sim->system, i);
        size_t used = strlen(out);
        count += is_one;
        if (is_one && count <= MOST) {
            snprintf(out + used, size - used, "%s%.40s", count > 1 ? ", " : "",
                     fb_model_get_output_name(sim->result->model, i));
        }
    }
    size_t used = strlen(out);
    snprintf(out + used, size - used, count > MOST ? ", ..." : "");
    return count;
}

// Redundant rows leave reactions open: which parts, and what is recorded.
static void warn_of_ambiguity(FbSimulation* sim) {
    FbRedundancy first;
    char text[1024], names[600];
    int n = sim->assembly.n_ambiguous, others = sim->assembly.n_redundancies - 1;
    fb_simulation_get_redundancy(sim, 0, &first);
    list_outputs(sim, fb_system_is_ambiguous, names, sizeof names);
    snprintf(text, sizeof text,
             "%d recorded output%s not unique (%s): %d constraint row%s redundant (of '%.80s'%s). "
             "The reactions reported are those with the smallest loop multipliers; the "
             "motion and all other outputs are not affected",
             n, n == 1 ? " is" : "s are", names, sim->assembly.n_redundant_rows,
             sim->assembly.n_redundant_rows == 1 ? " is" : "s are", first.part ? first.part : "",
             others > 0 ? " and other parts" : "");
    fb_result_add_warning(sim->result, text, NULL);
}

// Forces that stick at the same time may share the load in more than one way.
static void warn_of_shares(FbSimulation* sim) {
    char text[1280], names[600];
    const char* parts[2];
    double t;
    if (!fb_system_get_shared(sim->system, parts, &t)) {
        return;
    }
    int n = list_outputs(sim, fb_system_is_shared, names, sizeof names);
    if (n == 0) {
        return;
    }
    snprintf(text, sizeof text,
             "%d recorded output%s not unique (%s): from t = %.6g s on %.200s and %.200s stick at "
             "the same time, and the motion does not determine how they share the load. One "
             "possibility is reported; the motion is not affected",
             n, n == 1 ? " is" : "s are", names, t, parts[0], parts[1]);
    fb_result_add_warning(sim->result, text, NULL);
}

// Pieces of an expression that changed too often to be located one by one.
static void warn_of_chatter(FbSimulation* sim) {
    const FbRun* run = &sim->run;
    char text[512];
    if (isnan(run->chatter_time)) {
        return;
    }
    snprintf(text, sizeof text,
             "the expression of %.200s keeps switching between its branches from t = %.6g s on; "
             "its kinks are not located there, which costs accuracy and steps: smooth it (tanh, "
             "smooth_step), or add hysteresis with a state",
             run->dynamics->ops->name_of_switch(run->dynamics, run->chatter), run->chatter_time);
    fb_result_add_warning(sim->result, text, NULL);
}

static void warn_of_parts(FbSimulation* sim) {
    const FbRun* run = &sim->run;
    char text[256];
    bool has_kinks = run->dynamics->size.n_switch > 0;
    sim->result->has_rough_steps = run->has_fixed_steps && (has_kinks || run->n_parts > 0);
    if (run->n_parts == 0) {
        return;
    }
    snprintf(
        text, sizeof text,
        "from t = %.6g s on some steps of the fixed length %g s had no solution and were taken "
        "in parts, %ld in all: use a shorter step, or smooth what changes inside a step",
        run->part_time, sim->options.settings.step, run->n_parts);
    fb_result_add_warning(sim->result, text, NULL);
}

// Constraints that do not hold, next to the sizes of the model: projections leave 1e-10 at most.
static void warn_of_violation(FbSimulation* sim) {
    static const double LARGE = 1e-8;
    const FbConstraintErrors* e = &sim->violated;
    char text[512], name[200];
    if (!(e->share > LARGE)) {
        return;
    }
    fb_system_write_row(sim->system, e->row, name, sizeof name);
    snprintf(text, sizeof text,
             "the %s is violated by %.2g (m or rad) at t = %.6g s, %.1g of its size: it "
             "slightly contradicts the others, or the position is singular. No output is "
             "more accurate than that there: make laws and lengths consistent, or use a smaller "
             "max_step",
             name, e->worst, sim->violated_time, e->share);
    fb_result_add_warning(sim->result, text, NULL);
}

static void finish(FbSimulation* sim) {
    FbResult* result = sim->result;
    FbIntegrator* s = sim->run.integrator;
    fb_simulation_get_stats(sim, &result->stats);
    fb_auto_get_counts(s, result->counts);
    result->n_looks = sim->run.n_looks;
    memcpy(result->reason, sim->reason, sizeof result->reason);
    result->stats.integrator_reason = result->reason;
    result->assembly = sim->assembly;
    for (int i = 0; i < result->n_column; i++) {
        result->is_ambiguous[i] = !fb_simulation_is_unique(sim, i);
    }
    if (sim->assembly.n_ambiguous > 0) {
        warn_of_ambiguity(sim);
    }
    const char* warning = s->type->warning ? s->type->warning(s) : NULL;
    if (warning) {
        fb_result_add_warning(result, warning, NULL);
    }
    fb_simulation_report_limits(sim);
    warn_of_shares(sim);
    warn_of_chatter(sim);
    warn_of_parts(sim);
    warn_of_violation(sim);
    char note[512];
    for (int i = 0; fb_system_write_note(sim->system, i, note, sizeof note); i++) {
        if (note[0]) {
            fb_result_add_warning(result, note, NULL);
        }
    }
    if (!isnan(sim->run.blow)) {
        char text[320];
        snprintf(text, sizeof text,
                 "the rate of a prescribed motion jumps at t = %.6g s, and velocities jump with "
                 "it, as in "
                 "an impact, whose impulse no output contains; unless this is intended, use a law "
                 "with a continuous rate (ramp, trapezoid, jerk, or a table with splines)",
                 sim->run.blow);
        fb_result_add_warning(result, text, NULL);
    }
    if (!isnan(sim->run.row_change)) {
        char text[256];
        snprintf(text, sizeof text,
                 "constraints that seemed redundant became active at t = %.6g s, and the state was "
                 "projected onto them: the run started in a singular position, where more than one "
                 "motion is possible; start it elsewhere",
                 sim->run.row_change);
        fb_result_add_warning(result, text, NULL);
    }
}

FbStatus fb_simulation_start_result(FbSimulation* sim, int most_rows, FbError* err) {
    const FbSettings* s = &sim->options.settings;
    double n_row = s->sample > 0.0 ? ceil(s->duration / s->sample) + 3.0 : 3.0;
    n_row = most_rows > 0 ? fmin(n_row, most_rows) : n_row;
    FB_TRY(fb_result_create(sim->model, (int)n_row, &sim->result, err));
    sim->result->most_rows = most_rows;
    fb_step_log_start(sim->result->log, sim->run.at.t);
    memcpy(sim->result->inputs, fb_system_get_inputs(sim->system),
           sizeof(double) * (size_t)fb_model_get_input_count(sim->model));
    return sim->options.record_poses ? fb_result_keep_poses(sim->result, (int)n_row, err) : FB_OK;
}

FbStatus fb_simulation_record_run(FbSimulation* sim, bool is_continued, FbResult** out,
                                  FbError* err) {
    FbStatus status = is_continued ? FB_OK : record_start(sim, err);
    if (status == FB_OK) {
        status = fb_simulation_run_to(sim, sim->t_end, err);
    }
    if ((status == FB_OK || status == FB_STOPPED) && sim->result->n_row > 0) {
        FbStatus last = record_end(sim, err);
        status = last < 0 ? last : status;
    }
    FbError ignored;
    FbStatus sent = fb_simulation_stream(sim, FB_STREAM_END, 0.0, 0.0, status < 0 ? &ignored : err);
    finish(sim);
    *out = sim->result;
    return status < 0 || sent == FB_OK ? status : sent;
}

FbStatus fb_simulate(const FbModel* model, const FbRunOptions* options, FbResult** out,
                     FbError* err) {
    FbSimulation* sim = NULL;
    *out = NULL;
    FB_TRY(fb_simulation_create(model, options, &sim, err));
    FbStatus status = fb_simulation_start_result(sim, 0, err);
    if (status == FB_OK) {
        status = fb_simulation_record_run(sim, false, out, err);
    } else {
        fb_result_destroy(sim->result);
    }
    fb_simulation_destroy(sim);
    return status;
}
