// The report of a linearization: eigenvalues, and how each body moves in each mode.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "record/json_pair.h"
#include "view/drawing.h"
#include "view/methods.h"
#include "view/modes_data.h"

static const char* const class_names[] = {"physical", "rigid-body", "constraint", "artefact"};

// Shapes beyond this many numbers are left out: those of the last modes of large models.
enum { MAX_SHAPE_VALUES = 2000000 };
// In models with many bodies, smaller shares of the kinetic energy are not listed.
enum { MANY_BODIES = 100 };
static const double LEAST_SHARE = 1e-3;

static double get_time(const void* self, int row) {
    (void)self;
    (void)row;
    return 0.0;
}

static void get_pose(const void* self, int row, int body, double pose[7]) {
    (void)row;
    const FbModesData* d = self;
    memcpy(pose, d->poses + 7 * d->op->model->drawing.number[body], 7 * sizeof(double));
}

static double get_slide(const void* self, int row, int slider) {
    (void)row;
    return ((const FbModesData*)self)->slides[slider];
}

// Of each body in the picture: real parts of displacement and rotation, then imaginary parts.
static double get_shape_value(const void* self, int i) {
    double complex x = ((const FbModesData*)self)->shape[6 * (i / 12) + i % 6];
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

// Bodies, nodes together with the member that they belong to, and rows of a structure together.
static void write_participation(FbJson* json, const FbModesData* d, const FbModel* model) {
    double least = model->n_bodies > MANY_BODIES ? LEAST_SHARE : 0.0;
    memset(d->of_member, 0, sizeof(double) * (size_t)model->n_members);
    memset(d->of_mesh, 0, sizeof(double) * (size_t)model->n_superelements);
    fb_json_key(json, "participation");
    fb_json_begin_array(json);
    for (int b = 0; b < model->n_bodies; b++) {
        if (d->member[b] >= 0) {
            d->of_member[d->member[b]] += d->fractions[b];
        } else if (d->mesh_of[b] >= 0) {
            d->of_mesh[d->mesh_of[b]] += d->fractions[b];
        } else if (d->fractions[b] >= least) {
            write_share(json, model->bodies[b].name, d->fractions[b]);
        }
    }
    for (int i = 0; i < model->n_members; i++) {
        if (d->of_member[i] >= least) {
            write_share(json, model->members[i].name, d->of_member[i]);
        }
    }
    for (int i = 0; i < model->n_superelements; i++) {
        if (d->of_mesh[i] > 0.0 && d->of_mesh[i] >= least) {
            write_share(json, model->superelements[i].name, d->of_mesh[i]);
        }
    }
    fb_json_end_array(json);
}

static void write_mesh_shapes(FbStream* s, const FbReportSource* r, const FbModesData* d,
                              int mode) {
    if (r->n_meshes == 0 || d->shown_of[mode] < 0) {
        return;
    }
    fb_json_key(&s->json, "meshes");
    fb_json_begin_array(&s->json);
    for (int i = 0; i < r->n_meshes; i++) {
        fb_drawing_write_amplitudes(s, r, i, 2 * d->shown_of[mode], 2, NULL);
    }
    fb_json_end_array(&s->json);
}

static FbStatus write_mode(FbStream* s, const FbReportSource* r, const FbModesData* d, int mode,
                           bool has_shape) {
    int n = r->model->drawing.n_numbered;
    FB_TRY(d->all ? fb_linearization_calc_participation(d->all, mode, d->fractions)
                  : fb_lowest_calc_participation(d->lowest, mode, d->fractions));
    fb_json_begin_object(&s->json);
    write_eigenvalue(&s->json, fb_modes_get_mode(d, mode));
    write_participation(&s->json, d, r->model);
    if (has_shape) {
        fb_modes_calc_shape(d, mode, r->model->n_bodies);
        fb_modes_pick_shape(d, fb_modes_find_factor(d));
        fb_stream_array(s, "shape", 12 * n, get_shape_value, d, FB_NUMBER_F32);
        write_mesh_shapes(s, r, d, mode);
    }
    fb_json_end_object(&s->json);
    fb_stream_flush(s);
    return FB_OK;
}

// Of large models the shapes of pairs of conjugates are written once, and the first ones only.
static FbStatus write_mode_list(FbStream* s, const FbReportSource* r, const FbModesData* d,
                                FbError* err) {
    int n = fb_modes_get_count(d);
    double size = 12.0 * (r->model->drawing.n_numbered + 1), used = 0.0;
    bool is_large = size * n > MAX_SHAPE_VALUES || r->n_meshes > 0;
    fb_json_key(&s->json, "modes");
    fb_json_begin_array(&s->json);
    for (int k = 0; k < n; k++) {
        bool is_partner = is_large && fb_modes_get_mode(d, k)->im < 0.0;
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

// ---- Meshes ----

// The real part of a mode, or the imaginary one, as displacements of the coordinates.
static void get_mesh_column(const void* self, int superelement, int column, double* c) {
    const FbModesData* d = self;
    const FbSuperelement* e = &d->op->model->superelements[superelement];
    int mode = d->shown[column / 2];
    double *re, *im;
    fb_modes_calc_velocities(d, mode, &re, &im);
    for (int k = 0; k < e->n; k++) {
        double complex x = d->factors[column / 2] * CMPLX(re[e->v[k]], im[e->v[k]]);
        c[k] = column % 2 == 0 ? creal(x) : cimag(x);
    }
}

static bool has_meshes(const FbModel* m) {
    for (int i = 0; i < m->n_superelements; i++) {
        if (m->superelements[i].mesh) {
            return true;
        }
    }
    return false;
}

// The lowest modes, one of each pair.
static void choose_mesh_modes(FbModesData* d) {
    for (int k = 0; k < fb_modes_get_count(d); k++) {
        const FbMode* m = fb_modes_get_mode(d, k);
        bool is_shown = m->im >= 0.0 && !m->is_infinite && d->n_shown < FB_MOST_MESH_MODES;
        d->shown_of[k] = is_shown ? d->n_shown : -1;
        if (is_shown) {
            double complex lambda = CMPLX(m->re, m->im);
            fb_modes_calc_shape(d, k, d->op->model->n_bodies);
            d->shown[d->n_shown] = k;
            d->factors[d->n_shown++] = fb_modes_find_factor(d) / (lambda != 0.0 ? lambda : 1.0);
        }
    }
}

static const char* name_method(const FbModesData* d) {
    static const char* const methods[] = {"independent", "descriptor", "ode", "penalty"};
    return d->all ? methods[d->all->options.method] : "sparse, the lowest modes";
}

static void add_numbers(FbReportSource* r, FbArena* arena, const FbModesData* d) {
    FbOperatingInfo info;
    fb_operating_point_get_info(d->op, &info);
    fb_pairs_add(&r->summary, arena, "degrees of freedom", "%d", info.degrees_of_freedom);
    fb_pairs_add(&r->settings, arena, "method", "%s", name_method(d));
    fb_pairs_add(&r->settings, arena, "point", "%s, t = %g s",
                 info.is_equilibrium ? "equilibrium" : "not an equilibrium", d->op->p.t);
    fb_pairs_add(&r->checks, arena, "unbalanced force", "%.2g of %.3g N or N m", info.residual,
                 info.force_scale);
    fb_pairs_add(&r->checks, arena, "largest acceleration", "%.2g (m/s\xc2\xb2 or rad/s\xc2\xb2)",
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
    for (int k = 0; k < fb_modes_get_count(d); k++) {
        counts[fb_modes_get_mode(d, k)->class_]++;
    }
    for (int c = 0; c < 4; c++) {
        fb_pairs_add(&r->statistics, arena, class_names[c], "%d eigenvalues", counts[c]);
    }
}

static FbStatus write_method(FbStream* s, const FbReportSource* r, const FbReportMethod* m,
                             FbArena* arena, FbError* err) {
    FbStatus status = FB_OK;
    fb_json_begin_object(&s->json);
    fb_json_pair_text(&s->json, "method", m->method);
    fb_json_pair_text(&s->json, "coordinates", m->coordinates);
    fb_json_pair_number(&s->json, "error", m->error);
    fb_json_pair_number(&s->json, "time_s", m->time_s);
    fb_json_pair_integer(&s->json, "repeat", m->repeat);
    fb_json_pair_text(&s->json, "failure", m->l ? NULL : m->failure);
    if (m->l) {
        FbModesData data = {.all = m->l, .op = m->l->op};
        FbReportSource source = *r;  // without the shapes of meshes
        source.model = m->l->op->model;
        source.n_meshes = 0;
        status = fb_modes_init(&data, arena, err);
        status = status == FB_OK ? write_mode_list(s, &source, &data, err) : status;
    }
    fb_json_end_object(&s->json);
    return status;
}

// The modes of the report, and those of all methods where there are several.
static FbStatus write_modes(FbStream* s, const FbReportSource* r, FbError* err) {
    const FbModesData* d = r->more;
    FB_TRY(write_mode_list(s, r, d, err));
    if (d->n_methods < 2) {
        return FB_OK;
    }
    FbArena* arena = fb_arena_create();
    FbStatus status = arena ? FB_OK : fb_fail_memory(err);
    fb_json_key(&s->json, "methods");
    fb_json_begin_array(&s->json);
    for (int i = 0; i < d->n_methods && status == FB_OK; i++) {
        status = write_method(s, r, &d->methods[i], arena, err);
    }
    fb_json_end_array(&s->json);
    fb_arena_destroy(arena);
    return status;
}

static FbStatus write_report(FbModesData* d, const FbReportOptions* options, const char* path,
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
    FbStatus status = fb_modes_init(d, arena, err);
    if (status == FB_OK && has_meshes(d->op->model)) {
        choose_mesh_modes(d);
        source.mesh_columns =
            (FbMeshColumns){.self = d, .n = 2 * d->n_shown, .get = get_mesh_column};
    }
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
    FbModesData data = {.all = l, .op = l->op};
    return write_report(&data, options, path, err);
}

FbStatus fb_report_write_lowest(FbLowest* l, const FbReportOptions* options, const char* path,
                                FbError* err) {
    FbModesData data = {.lowest = l, .op = fb_lowest_get_point(l)};
    return write_report(&data, options, path, err);
}

FbStatus fb_report_write_methods(const FbReportMethod* methods, int n,
                                 const FbReportOptions* options, const char* path, FbError* err) {
    for (int i = 0; i < n; i++) {
        if (methods[i].l) {
            FbModesData data = {
                .all = methods[i].l, .op = methods[i].l->op, .methods = methods, .n_methods = n};
            return write_report(&data, options, path, err);
        }
    }
    return fb_fail(err, FB_ERR_ARGUMENT, NULL, "no method gave eigenvalues");
}
