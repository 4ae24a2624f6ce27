// The JSON document of a run: what `flyball run --json` prints and what is written next to the CSV.
#include <math.h>

#include "base/error.h"
#include "flyball/report.h"
#include "record/damping.h"
#include "record/json_pair.h"
#include "solve/estimate.h"

static void write_source(FbJson* json, const FbModel* model, const FbRunRecord* record) {
    FbModelInfo info;
    fb_model_get_info(model, &info);
    fb_json_pair_text(json, "model", record->model_path);
    fb_json_pair_text(json, "title", info.title);
    fb_json_pair_text(json, "model_sha256", record->model_sha256);
    fb_json_pair_text(json, "version", fb_version());
}

static void write_stats(FbJson* json, const FbRunStats* s, int n_rows) {
    fb_json_pair_text(json, "integrator", s->integrator);
    fb_json_pair_text(json, "integrator_reason", s->integrator_reason);
    fb_json_pair_number(json, "rtol", s->rtol);
    fb_json_pair_number(json, "atol", s->atol);
    fb_json_pair_number(json, "t_start", s->t_start);
    fb_json_pair_number(json, "t_end", s->t_end);
    fb_json_pair_integer(json, "samples", n_rows);
    fb_json_pair_number(json, "wall_s", s->wall_s);
    fb_json_pair_number(json, "cpu_s", s->cpu_s);
    fb_json_pair_integer(json, "steps", s->steps);
    fb_json_pair_integer(json, "rejected", s->rejected);
    fb_json_pair_integer(json, "rhs_evals", s->rhs_evals);
    fb_json_pair_integer(json, "jacobian_evals", s->jacobian_evals);
    fb_json_pair_integer(json, "factorizations", s->factorizations);
    fb_json_pair_number(json, "max_constraint_error", s->max_constraint_error);
    fb_json_pair_number(json, "energy_start", s->energy_start);
    fb_json_pair_number(json, "energy_end", s->energy_end);
    fb_json_pair_number(json, "energy_balance", s->energy_balance);
}

static void write_final(FbJson* json, const FbResult* result) {
    const FbModel* model = fb_result_get_model(result);
    int last = fb_result_get_row_count(result) - 1;
    fb_json_key(json, "final");
    fb_json_begin_object(json);
    for (int c = 0; last >= 0 && c < fb_result_get_column_count(result); c++) {
        fb_json_pair_number(json, fb_model_get_output_name(model, c),
                            fb_result_get_value(result, last, c));
    }
    fb_json_end_object(json);
}

// Columns that the motion does not determine.
static void write_not_unique(FbJson* json, const FbResult* result) {
    const FbModel* model = fb_result_get_model(result);
    fb_json_key(json, "not_unique");
    fb_json_begin_array(json);
    for (int c = 0; c < fb_result_get_column_count(result); c++) {
        if (!fb_result_is_unique(result, c)) {
            fb_json_string(json, fb_model_get_output_name(model, c));
        }
    }
    fb_json_end_array(json);
}

static void write_events(FbJson* json, const FbResult* result) {
    const FbModel* model = fb_result_get_model(result);
    fb_json_key(json, "events");
    fb_json_begin_array(json);
    for (int e = 0; e < fb_result_get_event_count(result); e++) {
        FbEventRecord event;
        fb_result_get_event(result, e, &event);
        fb_json_begin_object(json);
        fb_json_pair_text(json, "name", event.name);
        fb_json_pair_number(json, "t", event.t);
        fb_json_pair_integer(json, "direction", event.direction);
        fb_json_key(json, "outputs");
        fb_json_begin_object(json);
        for (int c = 0; c < fb_result_get_column_count(result); c++) {
            fb_json_pair_number(json, fb_model_get_output_name(model, c), event.outputs[c]);
        }
        fb_json_end_object(json);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

static void write_warnings(FbJson* json, const FbResult* result, const FbRunRecord* record) {
    fb_json_key(json, "warnings");
    fb_json_begin_array(json);
    for (int w = 0; w < record->n_warnings; w++) {
        fb_json_string(json, record->warnings[w]);
    }
    for (int w = 0; w < fb_result_get_warning_count(result); w++) {
        fb_json_string(json, fb_result_get_warning(result, w));
    }
    fb_json_end_array(json);
}

// In the order of FbCertificateStatus.
static const char* const status_names[] = {
    "certified",          "not falling",         "above target", "no cross-check",
    "cross-check failed", "cross-check differs", "run failed",
};

static void write_certificate(FbJson* json, const FbResult* result, const FbCertificate* c) {
    fb_json_key(json, "certificate");
    if (!c) {
        fb_json_null(json);
        return;
    }
    const FbModel* model = fb_result_get_model(result);
    fb_json_begin_object(json);
    fb_json_pair_number(json, "target", c->target);
    fb_json_pair_number(json, "estimate", c->estimate);
    fb_json_key(json, "reached");
    fb_json_bool(json, c->is_reached);
    fb_json_pair_text(json, "status", status_names[c->status]);
    fb_json_pair_text(json, "message", c->message[0] ? c->message : NULL);
    fb_json_pair_text(
        json, "worst_output",
        c->worst_output >= 0 ? fb_model_get_output_name(model, c->worst_output) : NULL);
    fb_json_key(json, "runs");
    fb_json_integer(json, c->n_runs);
    fb_json_pair_number(json, "difference", c->difference);
    fb_json_pair_number(json, "contraction", c->contraction);
    fb_json_pair_text(json, "cross_integrator", c->has_cross_check ? c->cross_integrator : NULL);
    fb_json_pair_number(json, "cross_rtol", c->has_cross_check ? c->cross_rtol : NAN);
    fb_json_pair_number(json, "cross_difference", c->cross_difference);
    fb_json_end_object(json);
}

static void write_estimate(FbJson* json, const FbResult* result) {
    const FbErrorEstimate* e = fb_result_get_error_estimate(result);
    const FbModel* model = fb_result_get_model(result);
    fb_json_key(json, "error_estimate");
    if (!e) {
        fb_json_null(json);
        return;
    }
    fb_json_begin_object(json);
    fb_json_pair_number(json, "relative", e->relative);
    fb_json_pair_text(
        json, "worst_output",
        e->worst_output >= 0 ? fb_model_get_output_name(model, e->worst_output) : NULL);
    fb_json_pair_text(
        json, "relative_to",
        e->worst_output >= 0 ? fb_estimate_describe_scale(result, e->worst_output) : NULL);
    fb_json_pair_number(json, "lost_from", e->lost_from);
    fb_json_pair_number(json, "tenfold_s", e->tenfold_s);
    fb_json_pair_number(json, "until", e->until);
    fb_json_pair_number(json, "cost", e->cost);
    fb_json_pair_number(json, "cpu_s", e->cpu_s);
    fb_json_key(json, "outputs");
    fb_json_begin_object(json);
    for (int c = 0; c < fb_result_get_column_count(result); c++) {
        double error = fb_result_get_output_error(result, c);
        fb_json_key(json, fb_model_get_output_name(model, c));
        fb_json_begin_object(json);
        fb_json_pair_number(json, "absolute", error);
        fb_json_pair_number(json, "relative", error / fb_result_get_output_scale(result, c));
        fb_json_end_object(json);
    }
    fb_json_end_object(json);
    fb_json_end_object(json);
}

static void write_document(FbJson* json, const FbResult* result, const FbRunRecord* record) {
    fb_json_begin_object(json);
    write_source(json, fb_result_get_model(result), record);
    write_stats(json, fb_result_get_stats(result), fb_result_get_row_count(result));
    fb_json_pair_number(json, "load_s", record->load_s);
    write_final(json, result);
    write_not_unique(json, result);
    fb_json_pair_text(json, "csv", record->csv_path);
    fb_json_pair_text(json, "csv_sha256", record->csv_sha256);
    fb_json_pair_text(json, "run_sha256", record->run_sha256);
    write_certificate(json, result, record->certificate);
    write_estimate(json, result);
    if (record->damping) {
        fb_json_key(json, "damping");
        fb_damping_write_json(json, record->damping);
    }
    write_events(json, result);
    fb_json_pair_text(json, "failure", record->failure);
    write_warnings(json, result, record);
    fb_json_end_object(json);
}

FbStatus fb_result_json(const FbResult* result, const FbRunRecord* record, char** out,
                        FbError* err) {
    FbText text;
    FbJson json;
    fb_text_init(&text);
    fb_json_init(&json, &text, true);
    write_document(&json, result, record);
    fb_text_add(&text, "\n");
    *out = fb_text_steal(&text);
    return *out ? FB_OK : fb_fail_memory(err);
}
