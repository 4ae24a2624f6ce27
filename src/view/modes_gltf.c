// A mode as glTF: one cycle of its swing about the operating point, enlarged so that it is seen.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "view/gltf.h"
#include "view/modes_data.h"
#include "view/report.h"

enum { N_PARTS = 48 };                // of a cycle
static const double CYCLE_S = 2.0;    // that a cycle takes, whatever the frequency of the mode
static const double AMPLITUDE = 0.1;  // largest displacement, in sizes of what is drawn
static const double MOST_TURN = 0.5;  // rad

typedef struct Swing {
    FbModesData d;
    double complex* slides;   // [n_sliders]
    double complex** meshes;  // [n_superelements] of the coordinates of each
    double** now;             // [n_superelements] the same at the row that was asked for last
} Swing;

static double complex phase_of(int row) {
    double angle = 2.0 * acos(-1.0) * (row % N_PARTS) / N_PARTS;
    return CMPLX(cos(angle), sin(angle));
}

static double get_time(const void* self, int row) {
    (void)self;
    return CYCLE_S * row / N_PARTS;
}

// The turn by a rotation vector, then e.
static void turn(const double v[3], double e[4]) {
    double angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5, w = cos(0.5 * angle);
    const double x = s * v[0], y = s * v[1], z = s * v[2];
    const double a = e[0], b = e[1], c = e[2], d = e[3];
    e[0] = w * a - x * b - y * c - z * d;
    e[1] = w * b + x * a + y * d - z * c;
    e[2] = w * c - x * d + y * a + z * b;
    e[3] = w * d + x * c - y * b + z * a;
}

static void get_pose(const void* self, int row, int body, double pose[7]) {
    const FbModesData* d = &((const Swing*)self)->d;
    int number = d->op->model->drawing.number[body];
    const double complex* shape = d->shape + 6 * number;
    double complex phase = phase_of(row);
    double moved[6];
    for (int i = 0; i < 6; i++) {
        moved[i] = creal(phase * shape[i]);
    }
    memcpy(pose, d->poses + 7 * number, 7 * sizeof(double));
    for (int i = 0; i < 3; i++) {
        pose[i] += moved[i];
    }
    turn(moved + 3, pose + 3);
}

static double get_slide(const void* self, int row, int slider) {
    const Swing* s = self;
    return s->d.slides[slider] + creal(phase_of(row) * s->slides[slider]);
}

static const double* get_mesh(const void* self, int row, int superelement) {
    const Swing* s = self;
    double complex phase = phase_of(row);
    for (int k = 0; k < s->d.op->model->superelements[superelement].n; k++) {
        s->now[superelement][k] = creal(phase * s->meshes[superelement][k]);
    }
    return s->now[superelement];
}

static FbStatus take_room(Swing* s, FbArena* arena, FbError* err) {
    const FbModel* m = s->d.op->model;
    s->slides = FB_TAKE(arena, double complex, m->n_sliders + 1);
    s->meshes = FB_TAKE(arena, double complex*, m->n_superelements + 1);
    s->now = FB_TAKE(arena, double*, m->n_superelements + 1);
    for (int i = 0; s->meshes && s->now && i < m->n_superelements; i++) {
        s->meshes[i] = FB_TAKE(arena, double complex, m->superelements[i].n + 1);
        s->now[i] = FB_TAKE(arena, double, m->superelements[i].n + 1);
    }
    return fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
}

// The diagonal of the box around the bodies, or the model's length where it is larger.
static double calc_size(const FbModesData* d) {
    const FbModel* m = d->op->model;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int b = 0; b < m->drawing.n_numbered; b++) {
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], d->poses[7 * b + i]);
            high[i] = fmax(high[i], d->poses[7 * b + i]);
        }
    }
    double diagonal = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    return isfinite(diagonal) ? fmax(diagonal, m->length) : m->length;
}

// How much larger the shape has to be so that it is seen, and no body turns too far.
static double calc_scale(const FbModesData* d) {
    double move = 0.0, angle = 0.0;
    for (int b = 0; b < d->op->model->drawing.n_numbered; b++) {
        const double complex* x = d->shape + 6 * b;
        move = fmax(move, hypot(hypot(cabs(x[0]), cabs(x[1])), cabs(x[2])));
        angle = fmax(angle, hypot(hypot(cabs(x[3]), cabs(x[4])), cabs(x[5])));
    }
    double by_move = move > 0.0 ? AMPLITUDE * calc_size(d) / move : INFINITY;
    double by_turn = angle > 0.0 ? MOST_TURN / angle : INFINITY;
    double scale = fmin(by_move, by_turn);
    return isfinite(scale) ? scale : AMPLITUDE;
}

// Sliders and meshes swing with the coordinates, bodies as the shape says.
static void calc_swing(Swing* s, int mode) {
    const FbModel* m = s->d.op->model;
    const FbMode* found = fb_modes_get_mode(&s->d, mode);
    double complex lambda = CMPLX(found->re, found->im);
    double *re, *im;
    fb_modes_calc_shape(&s->d, mode, m->n_bodies);
    double complex factor = fb_modes_find_factor(&s->d);
    fb_modes_pick_shape(&s->d, factor);
    double scale = calc_scale(&s->d);
    for (int i = 0; i < 6 * m->drawing.n_numbered; i++) {
        s->d.shape[i] *= scale;
    }
    factor *= scale;
    fb_modes_calc_velocities(&s->d, mode, &re, &im);
    factor = lambda != 0.0 ? factor / lambda : factor;
    for (int i = 0; i < m->n_sliders; i++) {
        int v = m->sliders[i].coordinate_v;
        s->slides[i] = v >= 0 ? factor * CMPLX(re[v], im[v]) : 0.0;
    }
    for (int i = 0; i < m->n_superelements; i++) {
        const FbSuperelement* e = &m->superelements[i];
        for (int k = 0; k < e->n; k++) {
            s->meshes[i][k] = factor * CMPLX(re[e->v[k]], im[e->v[k]]);
        }
    }
}

static FbStatus write_motion(const Swing* s, FbReportSource* source, const char* path,
                             FbError* err) {
    char* motion;
    size_t size;
    source->n_rows = N_PARTS + 1;
    source->self = s;
    source->get_time = get_time;
    source->get_pose = get_pose;
    source->get_slide = get_slide;
    source->get_mesh = get_mesh;
    FB_TRY(fb_motion_make(source, &motion, &size, err));
    FbStatus status = fb_gltf_write_motion(motion, size, source->title, NULL, path, err);
    free(motion);
    return status;
}

static FbStatus write_mode(Swing* s, int mode, const FbReportOptions* options, const char* path,
                           FbError* err) {
    int n = fb_modes_get_count(&s->d);
    if (!(mode >= 0 && mode < n) || fb_modes_get_mode(&s->d, mode)->is_infinite) {
        return fb_fail(err, FB_ERR_RANGE, NULL,
                       "there is no mode %d with a finite eigenvalue; there are %d modes", mode + 1,
                       n);
    }
    FbArena* arena = fb_arena_create();
    FbStatus status = arena ? fb_modes_init(&s->d, arena, err) : fb_fail_memory(err);
    status = status == FB_OK ? take_room(s, arena, err) : status;
    if (status == FB_OK) {
        FbReportSource source = fb_report_source("run");
        fb_report_add_model(&source, arena, s->d.op->model);
        fb_report_add_options(&source, options);
        calc_swing(s, mode);
        status = write_motion(s, &source, path, err);
    }
    fb_arena_destroy(arena);
    return status;
}

FbStatus fb_linearization_write_gltf(FbLinearization* l, int mode, const FbReportOptions* options,
                                     const char* path, FbError* err) {
    Swing swing = {.d = {.all = l, .op = l->op}};
    return write_mode(&swing, mode, options, path, err);
}

FbStatus fb_lowest_write_gltf(FbLowest* l, int mode, const FbReportOptions* options,
                              const char* path, FbError* err) {
    Swing swing = {.d = {.lowest = l, .op = fb_lowest_get_point(l)}};
    return write_mode(&swing, mode, options, path, err);
}
