// The report of a linearization: eigenvalues, and how each body moves in each mode.
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/linearization.h"
#include "math/rotation.h"
#include "record/json_pair.h"
#include "view/report.h"

static const char* const class_names[] = {"physical", "rigid-body", "constraint", "artefact"};

// A small complex motion of a body frame, ground axes.
typedef struct BodyMotion {
    double complex linear[3], angular[3];
} BodyMotion;

typedef struct ModesData {
    FbLinearization* l;
    double* poses;      // [n_bodies x 7]
    BodyMotion* shape;  // [n_bodies]
    double* fractions;  // [n_bodies]
} ModesData;

static double get_time(const void* self, int row) {
    (void)self;
    (void)row;
    return 0.0;
}

static void get_pose(const void* self, int row, int body, double pose[7]) {
    (void)row;
    memcpy(pose, ((const ModesData*)self)->poses + 7 * body, 7 * sizeof(double));
}

// The displacement of a point of a body; shapes are velocities where the eigenvalue is not zero.
static FbStatus calc_displacement(FbLinearization* l, int mode, int body, const double at[3],
                                  double complex u[3]) {
    const FbMode* m = fb_linearization_get_mode(l, mode);
    double complex lambda = CMPLX(m->re, m->im);
    bool is_velocity = !m->is_infinite && lambda != 0.0;
    double re[3], im[3];
    FB_TRY(fb_linearization_calc_shape(l, mode, body, at, re, im));
    for (int i = 0; i < 3; i++) {
        u[i] = CMPLX(re[i], im[i]) / (is_velocity ? lambda : 1.0);
    }
    return FB_OK;
}

// Rotation from the displacements d_i of the ends of the body's unit vectors r_i relative to its
// origin: d_i = theta x r_i, hence theta = sum r_i x d_i / 2.
static FbStatus calc_motion(const ModesData* d, int mode, int body, BodyMotion* out) {
    static const double origin[3] = {0.0, 0.0, 0.0};
    FbMat3 R = fb_rotation_from_quaternion(d->poses + 7 * body + 3);
    FB_TRY(calc_displacement(d->l, mode, body, origin, out->linear));
    memset(out->angular, 0, sizeof out->angular);
    for (int i = 0; i < 3; i++) {
        double at[3] = {i == 0, i == 1, i == 2}, r[3];
        double complex u[3];
        FB_TRY(calc_displacement(d->l, mode, body, at, u));
        fb_vec3_to(fb_mat3_col(&R, i), r);
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            out->angular[k] +=
                0.5 * (r[a] * (u[b] - out->linear[b]) - r[b] * (u[a] - out->linear[a]));
        }
    }
    return FB_OK;
}

// Scaled so that the largest part, rotations taken at the model's length, is real and as long as
// the model.
static void normalize(const ModesData* d, int n_bodies, double length) {
    double complex largest = 0.0;
    for (int b = 0; b < n_bodies; b++) {
        for (int i = 0; i < 3; i++) {
            double complex x = d->shape[b].linear[i], y = d->shape[b].angular[i] * length;
            largest = cabs(x) > cabs(largest) ? x : largest;
            largest = cabs(y) > cabs(largest) ? y : largest;
        }
    }
    double complex factor = cabs(largest) > 0.0 ? length / largest : 0.0;
    for (int b = 0; b < n_bodies; b++) {
        for (int i = 0; i < 3; i++) {
            d->shape[b].linear[i] *= factor;
            d->shape[b].angular[i] *= factor;
        }
    }
}

static void write_complex(FbStream* s, const char* re_key, const char* im_key,
                          const double complex x[3]) {
    double re[3] = {creal(x[0]), creal(x[1]), creal(x[2])};
    double im[3] = {cimag(x[0]), cimag(x[1]), cimag(x[2])};
    fb_stream_vector(s, re_key, re, 3);
    fb_stream_vector(s, im_key, im, 3);
}

static void write_eigenvalue(FbJson* json, const FbMode* m) {
    fb_json_pair_number(json, "re", m->is_infinite ? NAN : m->re);
    fb_json_pair_number(json, "im", m->is_infinite ? NAN : m->im);
    fb_json_pair_text(json, "class", class_names[m->class_]);
    fb_json_pair_number(json, "frequency_hz", m->is_infinite ? NAN : m->frequency_hz);
    fb_json_pair_number(json, "damping_ratio", m->is_infinite ? NAN : m->damping_ratio);
    fb_json_pair_number(json, "residual", m->residual);
}

static void write_participation(FbJson* json, const ModesData* d, const FbModel* model) {
    fb_json_key(json, "participation");
    fb_json_begin_array(json);
    for (int b = 0; b < model->n_bodies; b++) {
        fb_json_begin_array(json);
        fb_json_string(json, model->bodies[b].name);
        fb_json_number(json, d->fractions[b]);
        fb_json_end_array(json);
    }
    fb_json_end_array(json);
}

static FbStatus write_mode(FbStream* s, const FbReportSource* r, const ModesData* d, int mode) {
    int n = r->model->n_bodies;
    FB_TRY(fb_linearization_calc_participation(d->l, mode, d->fractions));
    for (int b = 0; b < n; b++) {
        FB_TRY(calc_motion(d, mode, b, &d->shape[b]));
    }
    normalize(d, n, r->model->length);
    fb_json_begin_object(&s->json);
    write_eigenvalue(&s->json, fb_linearization_get_mode(d->l, mode));
    write_participation(&s->json, d, r->model);
    fb_json_key(&s->json, "bodies");
    fb_json_begin_array(&s->json);
    for (int b = 0; b < n; b++) {
        fb_json_begin_object(&s->json);
        write_complex(s, "linear_re", "linear_im", d->shape[b].linear);
        write_complex(s, "angular_re", "angular_im", d->shape[b].angular);
        fb_json_end_object(&s->json);
    }
    fb_json_end_array(&s->json);
    fb_json_end_object(&s->json);
    fb_stream_flush(s);
    return FB_OK;
}

static FbStatus write_modes(FbStream* s, const FbReportSource* r, FbError* err) {
    const ModesData* d = r->more;
    fb_json_key(&s->json, "modes");
    fb_json_begin_array(&s->json);
    for (int k = 0; k < fb_linearization_get_mode_count(d->l); k++) {
        FbStatus status = write_mode(s, r, d, k);
        if (status < 0) {
            return status == FB_ERR_MEMORY
                       ? fb_fail_memory(err)
                       : fb_fail(err, status, NULL, "the shape of mode %d is not known", k + 1);
        }
    }
    fb_json_end_array(&s->json);
    return FB_OK;
}

static void add_numbers(FbReportSource* r, FbArena* arena, const FbLinearization* l) {
    static const char* const methods[] = {"independent", "descriptor", "ode", "penalty"};
    FbOperatingInfo info;
    fb_operating_point_get_info(l->op, &info);
    fb_pairs_add(&r->summary, arena, "degrees of freedom", "%d", info.degrees_of_freedom);
    fb_pairs_add(&r->settings, arena, "method", "%s", methods[l->options.method]);
    fb_pairs_add(&r->settings, arena, "point", "%s, t = %g s",
                 info.is_equilibrium ? "equilibrium" : "not an equilibrium", l->op->p.t);
    fb_pairs_add(&r->checks, arena, "unbalanced force", "%.2g of %.3g N or N m", info.residual,
                 info.force_scale);
    fb_pairs_add(&r->checks, arena, "largest acceleration", "%.2g (m/s2 or rad/s2)",
                 info.largest_acceleration);
    int counts[4] = {0};
    for (int k = 0; k < fb_linearization_get_mode_count(l); k++) {
        counts[fb_linearization_get_mode(l, k)->class_]++;
    }
    for (int c = 0; c < 4; c++) {
        fb_pairs_add(&r->statistics, arena, class_names[c], "%d eigenvalues", counts[c]);
    }
}

FbStatus fb_report_write_modes(FbLinearization* l, const FbReportOptions* options, const char* path,
                               FbError* err) {
    FbArena* arena = fb_arena_create();
    if (arena == NULL) {
        return fb_fail_memory(err);
    }
    int n = l->op->model->n_bodies;
    ModesData data = {.l = l,
                      .poses = FB_TAKE(arena, double, 7 * n + 1),
                      .shape = FB_TAKE(arena, BodyMotion, n + 1),
                      .fractions = FB_TAKE(arena, double, n + 1)};
    FbReportSource source = fb_report_source("modes");
    fb_report_add_model(&source, arena, l->op->model);
    fb_report_add_options(&source, options);
    source.warnings = options->warnings;
    source.n_warnings = options->n_warnings;
    add_numbers(&source, arena, l);
    FbStatus status = fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
    if (status == FB_OK) {
        fb_system_calc_poses(l->op->system, l->op->p.q, data.poses);
        source.n_rows = 1;
        source.self = source.more = &data;
        source.get_time = get_time;
        source.get_pose = get_pose;
        source.write_more = write_modes;
        status = fb_report_write(&source, path, err);
    }
    fb_arena_destroy(arena);
    return status;
}
