// The report of a run that is in memory.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "record/damping.h"
#include "solve/estimate.h"
#include "solve/result.h"
#include "view/gltf.h"
#include "view/report.h"

static double get_time(const void* self, int row) {
    return fb_result_get_time(self, row);
}

static double get_value(const void* self, int row, int output) {
    return fb_result_get_value(self, row, output);
}

static void get_pose(const void* self, int row, int body, double pose[7]) {
    if (!fb_result_get_pose(self, row, body, pose, pose + 3)) {
        memset(pose, 0, 7 * sizeof(double));
        pose[3] = 1.0;
    }
}

static const double* get_mesh(const void* self, int row, int superelement) {
    return fb_result_get_mesh(self, row, superelement, false);
}

static double get_slide(const void* self, int row, int slider) {
    double s = 0.0;
    fb_result_get_slide(self, row, slider, &s);
    return s;
}

static void add_settings(FbReportSource* r, FbArena* arena, const FbResult* result) {
    const FbRunStats* s = fb_result_get_stats(result);
    FbPairs* p = &r->settings;
    fb_pairs_add(p, arena, "integrator", "%s", s->integrator);
    fb_pairs_add(p, arena, "why", "%s", s->integrator_reason);
    fb_pairs_add(p, arena, "rtol", "%g", s->rtol);
    fb_pairs_add(p, arena, "atol", "%g", s->atol);
    fb_pairs_add(p, arena, "from", "%g s", s->t_start);
    fb_pairs_add(p, arena, "to", "%g s", s->t_end);
    FbInputInfo input;
    for (int i = 0; fb_model_get_input(fb_result_get_model(result), i, &input); i++) {
        const char* key = fb_arena_format(arena, "input %s", input.name);
        fb_pairs_add(p, arena, key ? key : "input", "%g%s%s", result->inputs[i],
                     input.unit[0] ? " " : "", input.unit);
    }
}

static void add_statistics(FbReportSource* r, FbArena* arena, const FbResult* result) {
    const FbRunStats* s = fb_result_get_stats(result);
    FbPairs* p = &r->statistics;
    fb_pairs_add(p, arena, "samples", "%d", fb_result_get_row_count(result));
    fb_pairs_add(p, arena, "steps", "%ld", s->steps);
    fb_pairs_add(p, arena, "rejected steps", "%ld", s->rejected);
    fb_pairs_add(p, arena, "evaluations", "%ld", s->rhs_evals);
    fb_pairs_add(p, arena, "Jacobians", "%ld", s->jacobian_evals);
    fb_pairs_add(p, arena, "factorizations", "%ld", s->factorizations);
    fb_pairs_add(p, arena, "processor time", "%.4g s", s->cpu_s);
    fb_pairs_add(p, arena, "wall time", "%.4g s", s->wall_s);
    if (s->wall_s > 0.0) {
        double speed = (s->t_end - s->t_start) / s->wall_s;
        fb_pairs_add(p, arena, "speed", "%.*f \xc3\x97 real time", speed < 9.95 ? 2 : 0, speed);
    }
}

static void add_checks(FbReportSource* r, FbArena* arena, const FbResult* result) {
    const FbRunStats* s = fb_result_get_stats(result);
    const FbAssembly* a = fb_result_get_assembly(result);
    FbPairs* p = &r->checks;
    fb_pairs_add(p, arena, "energy at the start", "%.9g J", s->energy_start);
    fb_pairs_add(p, arena, "energy at the end", "%.9g J", s->energy_end);
    fb_pairs_add(p, arena, "energy balance", "%.2g J", s->energy_balance);
    fb_pairs_add(p, arena, "largest constraint error", "%.2g (m or rad)", s->max_constraint_error);
    fb_pairs_add(p, arena, "largest velocity error", "%.2g (m/s or rad/s)", s->max_velocity_error);
    fb_pairs_add(p, arena, "assembly error", "%.2g (m or rad)", a->position_error);
    fb_pairs_add(&r->summary, arena, "degrees of freedom", "%d", a->degrees_of_freedom);
    if (a->n_redundant_rows > 0) {
        fb_pairs_add(&r->summary, arena, "redundant equations", "%d", a->n_redundant_rows);
    }
}

static void add_estimate(FbReportSource* r, FbArena* arena, const FbResult* result) {
    const FbErrorEstimate* e = fb_result_get_error_estimate(result);
    if (e == NULL) {
        return;
    }
    const char* worst = fb_model_get_output_name(fb_result_get_model(result), e->worst_output);
    fb_pairs_add(&r->checks, arena, "estimated error", "%.2g of %s %s", e->relative,
                 worst ? fb_estimate_describe_scale(result, e->worst_output) : "the range of",
                 worst ? worst : "any output");
    if (e->until < fb_result_get_stats(result)->t_end) {
        fb_pairs_add(&r->checks, arena, "estimated until", "t = %.3g s", e->until);
    }
    if (isfinite(e->lost_from)) {
        fb_pairs_add(&r->checks, arena, "digits are lost from", "t = %.3g s on", e->lost_from);
    }
}

static void add_certificate(FbReportSource* r, FbArena* arena, const FbResult* result,
                            const FbCertificate* c) {
    if (c == NULL) {
        return;
    }
    FbPairs* p = &r->certificate;
    fb_pairs_add(p, arena, "verdict", "%s", c->is_reached ? "reached" : "NOT reached");
    if (c->message[0]) {
        fb_pairs_add(p, arena, "because", "%s", c->message);
    }
    fb_pairs_add(p, arena, "target", "%.3g", c->target);
    if (isfinite(c->estimate)) {
        fb_pairs_add(p, arena, "estimated error", "%.3g", c->estimate);
    }
    if (c->worst_output >= 0) {
        fb_pairs_add(p, arena, "worst output", "%s",
                     fb_model_get_output_name(fb_result_get_model(result), c->worst_output));
    }
    fb_pairs_add(p, arena, "runs", "%d", c->n_runs);
    if (!isnan(c->contraction)) {
        fb_pairs_add(p, arena, "contraction", "%.3g", c->contraction);
    }
    if (c->has_cross_check) {
        fb_pairs_add(p, arena, "second method", "%s", c->cross_integrator);
        fb_pairs_add(p, arena, "difference from it", "%.3g", c->cross_difference);
    }
}

static void add_outputs(FbReportSource* r, FbArena* arena, const FbResult* result) {
    const FbModel* model = fb_result_get_model(result);
    int n = fb_result_get_column_count(result);
    const char** names = FB_TAKE(arena, const char*, n + 1);
    const char** units = FB_TAKE(arena, const char*, n + 1);
    for (int i = 0; names != NULL && units != NULL && i < n; i++) {
        names[i] = fb_model_get_output_name(model, i);
        units[i] = fb_model_get_output_unit(model, i);
    }
    r->n_rows = fb_result_get_row_count(result);
    r->n_outputs = n;
    r->output_names = names;
    r->output_units = units;
    r->self = result;
    r->get_time = get_time;
    r->get_value = get_value;
}

static void add_events(FbReportSource* r, FbArena* arena, const FbResult* result) {
    int n = fb_result_get_event_count(result);
    FbReportEvent* events = FB_TAKE(arena, FbReportEvent, n + 1);
    for (int i = 0; events != NULL && i < n; i++) {
        FbEventRecord record;
        fb_result_get_event(result, i, &record);
        events[i] = (FbReportEvent){record.name, record.t, record.direction};
    }
    r->events = events;
    r->n_events = n;
}

static void add_warnings(FbReportSource* r, FbArena* arena, const FbResult* result,
                         const FbReportOptions* o) {
    int n = fb_result_get_warning_count(result);
    const char** warnings = FB_TAKE(arena, const char*, o->n_warnings + n + 1);
    r->n_warnings = 0;
    for (int i = 0; warnings != NULL && i < o->n_warnings; i++) {
        warnings[r->n_warnings++] = o->warnings[i];
    }
    for (int i = 0; warnings != NULL && i < n; i++) {
        warnings[r->n_warnings++] = fb_result_get_warning(result, i);
    }
    r->warnings = warnings;
}

// The vibration requested by the options or the model, as text.
static void add_damping(FbReportSource* r, FbArena* arena, const FbResult* result,
                        const FbReportOptions* o) {
    FbDamping* own = NULL;
    bool is_asked = o->damping || fb_model_get_damping(fb_result_get_model(result));
    if (!is_asked || (!o->damping && fb_damping_create(result, NULL, &own, NULL) < 0)) {
        return;
    }
    FbText text;
    FbJson json;
    fb_text_init(&text);
    fb_json_init(&json, &text, false);
    fb_damping_write_json(&json, o->damping ? o->damping : own);
    r->damping = text.has_failed ? NULL : fb_arena_text(arena, text.data);
    fb_text_free(&text);
    fb_damping_destroy(own);
}

FbStatus fb_report_of_result(const FbResult* result, const FbReportOptions* options, FbArena* arena,
                             FbReportSource* out, FbError* err) {
    *out = fb_report_source("run");
    fb_report_add_model(out, arena, fb_result_get_model(result));
    fb_report_add_options(out, options);
    add_settings(out, arena, result);
    add_statistics(out, arena, result);
    add_checks(out, arena, result);
    add_estimate(out, arena, result);
    add_certificate(out, arena, result, options->certificate);
    add_outputs(out, arena, result);
    add_events(out, arena, result);
    add_damping(out, arena, result, options);
    add_warnings(out, arena, result, options);
    double position[3], quaternion[4];
    bool has_poses = fb_result_get_pose(result, 0, 0, position, quaternion);
    out->get_pose = has_poses ? get_pose : NULL;
    out->get_slide = get_slide;
    out->get_mesh = get_mesh;
    return fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
}

typedef FbStatus (*Writer)(const FbReportSource* source, const char* path, FbError* err);

static FbStatus write_with(Writer writer, const FbResult* result, const FbReportOptions* options,
                           const char* path, FbError* err) {
    FbArena* arena = fb_arena_create();
    if (arena == NULL) {
        return fb_fail_memory(err);
    }
    FbReportSource source;
    FbStatus status = fb_report_of_result(result, options, arena, &source, err);
    if (status == FB_OK) {
        status = writer(&source, path, err);
    }
    fb_arena_destroy(arena);
    return status;
}

FbStatus fb_report_write_run(const FbResult* result, const FbReportOptions* options,
                             const char* path, FbError* err) {
    return write_with(fb_report_write, result, options, path, err);
}

FbStatus fb_report_write_motion(const FbResult* result, const FbReportOptions* options,
                                const char* path, FbError* err) {
    return write_with(fb_motion_write, result, options, path, err);
}

static FbStatus write_gltf(const FbReportSource* source, const char* path, FbError* err) {
    char* motion;
    size_t size;
    FB_TRY(fb_motion_make(source, &motion, &size, err));
    FbStatus status = fb_gltf_write_motion(motion, size, source->title, NULL, path, err);
    free(motion);
    return status;
}

FbStatus fb_report_write_gltf(const FbResult* result, const FbReportOptions* options,
                              const char* path, FbError* err) {
    return write_with(write_gltf, result, options, path, err);
}
