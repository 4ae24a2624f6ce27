// The report of a linearization: eigenvalues, and how each body moves in each mode.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/complex.h"
#include "linear/linearization.h"
#include "model/model.h"
#include "record/json_pair.h"
#include "view/report.h"

static const char* const class_names[] = {"physical", "rigid-body", "constraint", "artefact"};

// Shapes beyond this many numbers are left out: those of the last modes of large models.
enum { MAX_SHAPE_VALUES = 2000000 };
// In models with many bodies, smaller shares of the kinetic energy are not listed.
enum { MANY_BODIES = 100 };
static const double LEAST_SHARE = 1e-3;

typedef struct ModesData {
    FbOperatingPoint* op;
    FbLinearization* all;  // one of these
    FbLowest* lowest;
    double* poses;          // [n_bodies x 7]
    double *re, *im;        // [n_bodies x 6]
    double complex* shape;  // [n_bodies x 6] displacement and rotation of body frames, ground axes
    double* fractions;      // [n_bodies]
    double* slides;         // [n_sliders]
    int* member;            // [n_bodies] that a node belongs to, -1: no node
    double* of_member;      // [n_members] shares
} ModesData;

static int get_count(const ModesData* d) {
    return d->all ? fb_linearization_get_mode_count(d->all) : fb_lowest_get_count(d->lowest);
}

static const FbMode* get_mode(const ModesData* d, int mode) {
    return d->all ? fb_linearization_get_mode(d->all, mode) : fb_lowest_get_mode(d->lowest, mode);
}

static double get_time(const void* self, int row) {
    (void)self;
    (void)row;
    return 0.0;
}

static void get_pose(const void* self, int row, int body, double pose[7]) {
    (void)row;
    memcpy(pose, ((const ModesData*)self)->poses + 7 * body, 7 * sizeof(double));
}

static double get_slide(const void* self, int row, int slider) {
    (void)row;
    return ((const ModesData*)self)->slides[slider];
}

// Shapes are velocities where the eigenvalue is not zero.
static void calc_shape(const ModesData* d, int mode, int n_bodies) {
    const FbMode* m = get_mode(d, mode);
    double complex lambda = CMPLX(m->re, m->im);
    bool is_velocity = !m->is_infinite && lambda != 0.0;
    if (d->all) {
        fb_linearization_calc_motions(d->all, mode, d->re, d->im);
    } else {
        fb_lowest_calc_motions(d->lowest, mode, d->re, d->im);
    }
    for (int i = 0; i < 6 * n_bodies; i++) {
        d->shape[i] = CMPLX(d->re[i], d->im[i]) / (is_velocity ? lambda : 1.0);
    }
}

// Scaled so that the largest part, rotations taken at the model's length, is real and as long as
// the model.
static void normalize(const ModesData* d, int n_bodies, double length) {
    double complex largest = 0.0;
    for (int i = 0; i < 6 * n_bodies; i++) {
        double complex x = d->shape[i] * (i % 6 < 3 ? 1.0 : length);
        largest = cabs(x) > cabs(largest) ? x : largest;
    }
    double complex factor = cabs(largest) > 0.0 ? length / largest : 0.0;
    for (int i = 0; i < 6 * n_bodies; i++) {
        d->shape[i] *= factor;
    }
}

// Of each body: real parts of displacement and rotation, then imaginary parts.
static double get_shape_value(const void* self, int i) {
    double complex x = ((const ModesData*)self)->shape[6 * (i / 12) + i % 6];
    return i % 12 < 6 ? creal(x) : cimag(x);
}

static void write_eigenvalue(FbJson* json, const FbMode* m) {
    fb_json_pair_number(json, "re", m->is_infinite ? NAN : m->re);
    fb_json_pair_number(json, "im", m->is_infinite ? NAN : m->im);
    fb_json_pair_text(json, "class", class_names[m->class_]);
    fb_json_pair_number(json, "frequency_hz", m->is_infinite ? NAN : m->frequency_hz);
    fb_json_pair_number(json, "damping_ratio", m->is_infinite ? NAN : m->damping_ratio);
    fb_json_pair_number(json, "residual", m->residual);
}

static void write_share(FbJson* json, const char* name, double share) {
    fb_json_begin_array(json);
    fb_json_string(json, name);
    fb_json_number(json, share);
    fb_json_end_array(json);
}

// Bodies, and nodes together with the member that they belong to.
static void write_participation(FbJson* json, const ModesData* d, const FbModel* model) {
    double least = model->n_bodies > MANY_BODIES ? LEAST_SHARE : 0.0;
    memset(d->of_member, 0, sizeof(double) * (size_t)model->n_members);
    fb_json_key(json, "participation");
    fb_json_begin_array(json);
    for (int b = 0; b < model->n_bodies; b++) {
        if (d->member[b] >= 0) {
            d->of_member[d->member[b]] += d->fractions[b];
        } else if (d->fractions[b] >= least) {
            write_share(json, model->bodies[b].name, d->fractions[b]);
        }
    }
    for (int i = 0; i < model->n_members; i++) {
        if (d->of_member[i] >= least) {
            write_share(json, model->members[i].name, d->of_member[i]);
        }
    }
    fb_json_end_array(json);
}

static FbStatus write_mode(FbStream* s, const FbReportSource* r, const ModesData* d, int mode,
                           bool has_shape) {
    int n = r->model->n_bodies;
    FB_TRY(d->all ? fb_linearization_calc_participation(d->all, mode, d->fractions)
                  : fb_lowest_calc_participation(d->lowest, mode, d->fractions));
    fb_json_begin_object(&s->json);
    write_eigenvalue(&s->json, get_mode(d, mode));
    write_participation(&s->json, d, r->model);
    if (has_shape) {
        calc_shape(d, mode, n);
        normalize(d, n, r->model->length);
        fb_stream_array(s, "shape", 12 * n, get_shape_value, d, FB_NUMBER_F32);
    }
    fb_json_end_object(&s->json);
    fb_stream_flush(s);
    return FB_OK;
}

// Of large models the shapes of pairs of conjugates are written once, and the first ones only.
static FbStatus write_modes(FbStream* s, const FbReportSource* r, FbError* err) {
    const ModesData* d = r->more;
    int n = get_count(d);
    double size = 12.0 * (r->model->n_bodies + 1), used = 0.0;
    bool is_large = size * n > MAX_SHAPE_VALUES;
    fb_json_key(&s->json, "modes");
    fb_json_begin_array(&s->json);
    for (int k = 0; k < n; k++) {
        bool is_partner = is_large && get_mode(d, k)->im < 0.0;
        bool has_shape = !is_partner && used + size <= MAX_SHAPE_VALUES;
        used += has_shape ? size : 0.0;
        FbStatus status = write_mode(s, r, d, k, has_shape);
        if (status < 0) {
            return status == FB_ERR_MEMORY
                       ? fb_fail_memory(err)
                       : fb_fail(err, status, NULL, "the shape of mode %d is not available", k + 1);
        }
    }
    fb_json_end_array(&s->json);
    return FB_OK;
}

static const char* name_method(const ModesData* d) {
    static const char* const methods[] = {"independent", "descriptor", "ode", "penalty"};
    return d->all ? methods[d->all->options.method] : "sparse, the lowest modes";
}

static void add_numbers(FbReportSource* r, FbArena* arena, const ModesData* d) {
    FbOperatingInfo info;
    fb_operating_point_get_info(d->op, &info);
    fb_pairs_add(&r->summary, arena, "degrees of freedom", "%d", info.degrees_of_freedom);
    fb_pairs_add(&r->settings, arena, "method", "%s", name_method(d));
    fb_pairs_add(&r->settings, arena, "point", "%s, t = %g s",
                 info.is_equilibrium ? "equilibrium" : "not an equilibrium", d->op->p.t);
    fb_pairs_add(&r->checks, arena, "unbalanced force", "%.2g of %.3g N or N m", info.residual,
                 info.force_scale);
    fb_pairs_add(&r->checks, arena, "largest acceleration", "%.2g (m/s2 or rad/s2)",
                 info.largest_acceleration);
    if (d->lowest) {
        FbLowestInfo lowest;
        fb_lowest_get_info(d->lowest, &lowest);
        fb_pairs_add(&r->checks, arena, "no mode missing in between", "%s",
                     !lowest.is_complete    ? "not known"
                     : lowest.counted > 0.0 ? "yes, counted by inertia"
                                            : "yes, by a second search");
    }
    int counts[4] = {0};
    for (int k = 0; k < get_count(d); k++) {
        counts[get_mode(d, k)->class_]++;
    }
    for (int c = 0; c < 4; c++) {
        fb_pairs_add(&r->statistics, arena, class_names[c], "%d eigenvalues", counts[c]);
    }
}

static FbStatus init_data(ModesData* d, FbArena* arena, FbError* err) {
    const FbModel* m = d->op->model;
    int n = m->n_bodies;
    d->poses = FB_TAKE(arena, double, 7 * n + 1);
    d->re = FB_TAKE(arena, double, 6 * n + 1);
    d->im = FB_TAKE(arena, double, 6 * n + 1);
    d->shape = FB_TAKE(arena, double complex, 6 * n + 1);
    d->fractions = FB_TAKE(arena, double, n + 1);
    d->slides = FB_TAKE(arena, double, m->n_sliders + 1);
    d->member = FB_TAKE(arena, int, n + 1);
    d->of_member = FB_TAKE(arena, double, m->n_members + 1);
    if (fb_arena_has_failed(arena)) {
        return fb_fail_memory(err);
    }
    for (int b = 0; b < n; b++) {
        d->member[b] = -1;
    }
    for (int i = m->n_members - 1; i >= 0; i--) {
        for (int e = 2 * m->members[i].first; e < 2 * (m->members[i].first + m->members[i].n);
             e++) {
            int body = m->beams[e / 2].body[e % 2];
            if (body >= 0 && m->drawing.bodies[body].role == FB_DRAWN_NODE) {
                d->member[body] = i;
            }
        }
    }
    fb_system_calc_poses(d->op->system, d->op->p.q, d->poses);
    fb_system_calc_slides(d->op->system, &d->op->p, d->slides);
    return FB_OK;
}

static FbStatus write_report(ModesData* d, const FbReportOptions* options, const char* path,
                             FbError* err) {
    FbArena* arena = fb_arena_create();
    if (arena == NULL) {
        return fb_fail_memory(err);
    }
    FbReportSource source = fb_report_source("modes");
    fb_report_add_model(&source, arena, d->op->model);
    fb_report_add_options(&source, options);
    source.warnings = options->warnings;
    source.n_warnings = options->n_warnings;
    add_numbers(&source, arena, d);
    FbStatus status = init_data(d, arena, err);
    if (status == FB_OK) {
        source.n_rows = 1;
        source.self = source.more = d;
        source.get_time = get_time;
        source.get_pose = get_pose;
        source.get_slide = get_slide;
        source.write_more = write_modes;
        status = fb_report_write(&source, path, err);
    }
    fb_arena_destroy(arena);
    return status;
}

FbStatus fb_report_write_modes(FbLinearization* l, const FbReportOptions* options, const char* path,
                               FbError* err) {
    ModesData data = {.all = l, .op = l->op};
    return write_report(&data, options, path, err);
}

FbStatus fb_report_write_lowest(FbLowest* l, const FbReportOptions* options, const char* path,
                                FbError* err) {
    ModesData data = {.lowest = l, .op = fb_lowest_get_point(l)};
    return write_report(&data, options, path, err);
}
