// Derivatives of the rows of carriages: of their rates, and of their forces G' lambda (eq. 9.34).
#include <string.h>

#include "fem/mat12.h"
#include "system/carriage.h"
#include "system/guide_spline.h"
#include "system/slider_state.h"

// product += A [9 x 12] u
static void add_product(const double* A, const double* u, double* product) {
    for (int r = 0; r < FB_GUIDE_ROWS; r++) {
        product[r] += fb_dot12(A + r * FB_BEAM_DOF, u);
    }
}

// The rates of the guide's vectors by column k: A by its pose, B by its velocity.
static void add_rate(const double* A, const double* B, const FbColumns* c, int k, double* rate) {
    add_product(A, c->pose + k * FB_BEAM_DOF, rate);
    if (c->velocity_q) {
        add_product(B, c->velocity_q + k * FB_BEAM_DOF, rate);
    }
}

// The rate of a row by a column of the guide: F of its vectors, dF of their rates.
static double guide_entry(const FbCarriageState* x, int r, const double* F, const double* dF) {
    int k = 3 * fb_carriage_vector[r];
    double dot = fb_dot(x->axis[r], fb_vec3_from(dF + k));
    return r < FB_CARRIAGE_TURN
               ? -dot
               : dot + fb_dot(fb_cross(x->own[0].w, x->axis[r]), fb_vec3_from(F + k));
}

// ... and by a column of the carriage: u of its pose, du of its velocity.
static double own_entry(const FbCarriageState* x, int r, const double* u, const double* du) {
    if (r < FB_CARRIAGE_TURN) {
        return fb_dot(x->axis[r], fb_vec3_from(du));
    }
    const FbGuideFrame* g = &x->guide;
    int k = fb_carriage_vector[r];
    FbVec3 b = x->axis[r], turned = fb_cross(fb_vec3_from(u + 3), b);
    FbVec3 rate = fb_add(fb_cross(fb_vec3_from(du + 3), b), fb_cross(x->own[0].w, turned));
    return fb_dot(rate, g->value[k]) + fb_dot(turned, g->rate[k]);
}

// By s itself.
static double along_entry(const FbCarriageState* x, int r) {
    double by_s[FB_GUIDE_ROWS], rate_by_s[FB_GUIDE_ROWS];
    for (int k = 0; k < FB_GUIDE_VECTORS; k++) {
        fb_vec3_to(x->guide.by_s[k], by_s + 3 * k);
        fb_vec3_to(x->guide.rate_by_s[k], rate_by_s + 3 * k);
    }
    return guide_entry(x, r, by_s, rate_by_s);
}

// D' by the coordinates is half of D'' by their rates.
static void add_shortening(FbSystem* s, const double* q, const double* v, const FbCarriage* c,
                           FbCarriageState* x) {
    const FbSlider* slider = &s->m->sliders[c->slider];
    size_t n_v = (size_t)s->m->tree.n_v;
    for (int k = 0; k <= fb_slider_piece(s, c->slider); k++) {
        FbColumns field = fb_beam_field_columns(slider->pieces[k].element);
        FbShortening D;
        fb_slider_calc_shortening(s, q, v, s->zero_v, c->slider, k, &D);
        for (int j = 0; j < field.n; j++) {
            double rate = 0.5 * fb_dot12(D.acceleration_de, field.pose + j * FB_BEAM_DOF);
            for (int r = 0; r < FB_CARRIAGE_TURN; r++) {
                x->Gq[(size_t)r * n_v + (size_t)field.v[j]] +=
                    fb_dot(x->axis[r], slider->mass.axis) * rate;
            }
        }
    }
}

static void calc_rate_gradient(FbSystem* s, const double* q, const double* v, int i) {
    const FbCarriage* c = &s->m->carriages[i];
    FbCarriageState* x = &s->carriages[i];
    size_t n_v = (size_t)s->m->tree.n_v;
    int own = s->m->sliders[c->slider].coordinate_v;
    memset(x->Gq, 0, sizeof(double) * FB_CARRIAGE_ROWS * n_v);
    FbColumns guide = fb_carriage_guide_columns(s, c, x, false);
    FbColumns ends = fb_carriage_end_columns(s, x, false);
    for (int k = 0; k < guide.n; k++) {
        double* dF = x->guide_rate_by_v + FB_GUIDE_ROWS * k;
        int end = fb_carriage_find_end(&ends, guide.v[k]);
        memset(dF, 0, FB_GUIDE_ROWS * sizeof(double));
        add_rate(x->guide.rate_by_pose, x->guide.by_pose, &guide, k, dF);
        if (end >= 0) {
            add_rate(x->guide.rate_by_ends, x->guide.by_ends, &ends, end, dF);
        }
        for (int r = 0; r < FB_CARRIAGE_ROWS; r++) {
            x->Gq[(size_t)r * n_v + (size_t)guide.v[k]] +=
                guide_entry(x, r, x->guide_by_v + FB_GUIDE_ROWS * k, dF);
        }
    }
    FbColumns body = fb_ports_calc_columns(s, &c->path, &c->frame, NULL, false);
    for (int k = 0; k < body.n; k++) {
        for (int r = 0; r < FB_CARRIAGE_ROWS; r++) {
            x->Gq[(size_t)r * n_v + (size_t)body.v[k]] +=
                own_entry(x, r, body.pose + k * FB_BEAM_DOF, body.velocity_q + k * FB_BEAM_DOF);
        }
    }
    for (int r = 0; own >= 0 && r < FB_CARRIAGE_ROWS; r++) {
        x->Gq[(size_t)r * n_v + (size_t)own] += along_entry(x, r);
    }
    if (s->m->sliders[c->slider].mass.theory == FB_SLIDER_LINEAR_CONSISTENT) {
        add_shortening(s, q, v, c, x);
    }
}

void fb_carriages_calc_rate_gradients(FbSystem* s, const double* q, const double* v) {
    for (int i = 0; i < s->m->n_carriages; i++) {
        calc_rate_gradient(s, q, v, i);
    }
}

// One velocity's share in the rows: how it moves the guide's vectors, and how it turns the
// carriage.
typedef struct Column {
    int v;
    FbVec3 F[FB_GUIDE_VECTORS], turn;
} Column;

// d(Q_row)/d(col) of Q = sum lambda b . F where carriage and guide meet: axes b turn with the
// carriage, vectors F move with the guide.
static double mixed(const FbCarriageState* x, const Column* row, const Column* col) {
    double sum = 0.0;
    for (int r = FB_CARRIAGE_TURN; r < FB_CARRIAGE_ROWS; r++) {
        int k = fb_carriage_vector[r];
        FbVec3 b = x->axis[r], turned = fb_cross(col->turn, b);
        FbVec3 moment = fb_add(fb_cross(turned, x->guide.value[k]), fb_cross(b, col->F[k]));
        sum += x->lambda[r] * (fb_dot(row->turn, moment) + fb_dot(turned, row->F[k]));
    }
    return sum;
}

static Column column_of(const FbCarriage* c, const FbCarriageState* x, const FbColumns* guide,
                        int own, int i) {
    Column col = {.v = own};
    if (i < guide->n) {
        col.v = guide->v[i];
        for (int k = 0; k < FB_GUIDE_VECTORS; k++) {
            col.F[k] = fb_vec3_from(x->guide_by_v + FB_GUIDE_ROWS * i + 3 * k);
        }
    } else if (i < guide->n + c->path.n) {
        col.v = c->path.v[i - guide->n];
        col.turn = fb_vec3_from(x->own_by_v + 6 * (i - guide->n) + 3);
    } else {
        memcpy(col.F, x->guide.by_s, sizeof(col.F));
    }
    return col;
}

// How G' lambda of the guide's column changes with s.
static double along_guide(const FbCarriageState* x, const FbVec3* f, const FbColumns* guide,
                          const FbColumns* ends, int i) {
    double F[FB_GUIDE_ROWS] = {0}, sum = 0.0;
    int end = fb_carriage_find_end(ends, guide->v[i]);
    add_product(x->guide.by_pose_s, guide->pose + i * FB_BEAM_DOF, F);
    if (end >= 0) {
        add_product(x->guide.by_ends_s, ends->pose + end * FB_BEAM_DOF, F);
    }
    for (int k = 0; k < FB_GUIDE_VECTORS; k++) {
        sum += fb_dot(f[k], fb_vec3_from(F + 3 * k));
    }
    return sum;
}

// The derivative of G' lambda with respect to s: of a free slider in K, of a drive's state in Rx.
static void add_along(FbSystem* s, const FbCarriage* c, const FbCarriageState* x,
                      const FbColumns* guide, const FbVec3* f, FbBlocks* b) {
    const FbSlider* slider = &s->m->sliders[c->slider];
    int own = slider->coordinate_v, n = guide->n + c->path.n;
    Column along = column_of(c, x, guide, own, n);
    FbColumns ends = fb_carriage_end_columns(s, x, true);
    for (int i = 0; i < n; i++) {
        Column row = column_of(c, x, guide, own, i);
        double shared = i < guide->n ? along_guide(x, f, guide, &ends, i) : 0.0;
        double by_s = shared + mixed(x, &row, &along);
        if (own >= 0) {
            b->K[fb_at(&s->m->vv, row.v, own)] += by_s;
            b->K[fb_at(&s->m->vv, own, row.v)] += shared + mixed(x, &along, &row);
        } else if (slider->command >= 0) {
            b->Rx[(size_t)slider->state_s * (size_t)s->m->tree.n_v + (size_t)row.v] += by_s;
        }
    }
    if (own >= 0) {
        double sum = 0.0;
        for (int k = 0; k < FB_GUIDE_VECTORS; k++) {
            sum += fb_dot(f[k], x->guide.by_ss[k]);
        }
        b->K[fb_at(&s->m->vv, own, own)] += sum;
    }
}

// The field of a smooth guide is a sum of places; the direction across turns with its ends.
static void add_second_of_smooth(FbSystem* s, const FbCarriageState* x, const FbVec3* f,
                                 FbBlocks* b) {
    static const double zero[FB_BEAM_DOF * FB_BEAM_DOF] = {0};
    const FbBeamElement* e = x->element;
    const FbVec3 across[FB_GUIDE_VECTORS] = {[FB_GUIDE_CROSS] = f[FB_GUIDE_CROSS]};
    double K[FB_BEAM_DOF * FB_BEAM_DOF] = {0}, field[FB_BEAM_DOF], moments[FB_BEAM_DOF];
    fb_guide_frame_calc_ends(&x->guide, f, field);
    fb_guide_frame_calc_moments(&x->guide, f, moments);
    fb_guide_spline_add_geometric(s, e, field, b->K);
    fb_guide_beam_add_second(&x->beam, x->port, x->motion.s, across, K);
    FbColumns ends = fb_carriage_end_columns(s, x, true);
    fb_columns_add(s, &ends, zero, zero, K, b);
    fb_ports_add_geometric(s, &e->base.path, &e->end[0], &e->end[1], moments, b->K);
}

// The guide's own second derivatives: of turning sections, or of a curve that turns.
static void add_second(FbSystem* s, const FbCarriage* c, const FbCarriageState* x,
                       const FbColumns* guide, const FbVec3* f, FbBlocks* b) {
    static const double zero[FB_BEAM_DOF * FB_BEAM_DOF] = {0};
    double K[FB_BEAM_DOF * FB_BEAM_DOF] = {0}, ends[FB_BEAM_DOF];
    if (x->element && x->element->is_linear) {
        return;
    }
    if (x->element && x->element->spline) {
        add_second_of_smooth(s, x, f, b);
        return;
    }
    if (x->element) {
        fb_guide_beam_add_second(&x->beam, x->port, x->motion.s, f, K);
    } else {
        fb_guide_curve_add_second(&x->guide, x->port[0].p, f, K);
    }
    FbColumns poses = {.n = guide->n, .v = guide->v, .pose = guide->pose};
    fb_columns_add(s, &poses, zero, zero, K, b);
    fb_guide_frame_calc_ends(&x->guide, f, ends);
    fb_ports_add_geometric(s, x->element ? &x->element->base.path : &s->m->sliders[c->slider].path,
                           x->end[0], x->end[1], ends, b->K);
}

// The pull on a guide that shortens reaches as far as the state of a drive has the slider.
static void add_pull_by_state(FbSystem* s, const FbPoint* p, int slider, double pull,
                              const FbColumns* field, FbBlocks* b) {
    size_t mark = s->scratch_used, n_v = (size_t)s->m->tree.n_v;
    double f[FB_BEAM_DOF], *row = fb_scratch_take(s, (size_t)field->n);
    fb_slider_calc_end_force(s, p->q, slider, pull, f);
    fb_columns_project(field, f, row);
    for (int j = 0; j < field->n; j++) {
        b->Rx[(size_t)s->m->sliders[slider].state_s * n_v + (size_t)field->v[j]] += row[j];
    }
    s->scratch_used = mark;
}

static void add_pull(FbSystem* s, const FbPoint* p, int i, FbBlocks* b) {
    static const double zero[FB_BEAM_DOF * FB_BEAM_DOF] = {0};
    const FbSlider* slider = &s->m->sliders[s->m->carriages[i].slider];
    double pull = fb_carriage_calc_pull(s, i);
    int last = fb_slider_piece(s, s->m->carriages[i].slider);
    for (int k = 0; pull != 0.0 && k <= last; k++) {
        FbColumns field = fb_beam_field_columns(slider->pieces[k].element);
        double f[FB_BEAM_DOF], matrix[FB_BEAM_DOF * FB_BEAM_DOF];
        fb_slider_calc_piece_force(s, p->q, s->m->carriages[i].slider, k, pull, f, matrix);
        fb_columns_add(s, &field, zero, zero, matrix, b);
        if (k == last && slider->command >= 0) {
            add_pull_by_state(s, p, s->m->carriages[i].slider, pull, &field, b);
        }
    }
}

static void add_blocks(FbSystem* s, const FbPoint* p, int i, FbBlocks* b) {
    const FbCarriage* c = &s->m->carriages[i];
    const FbCarriageState* x = &s->carriages[i];
    FbVec3 f[FB_GUIDE_VECTORS];
    double own[FB_BEAM_DOF] = {0};
    fb_carriage_calc_forces(x, f, own);
    FbColumns guide = fb_carriage_guide_columns(s, c, x, true);
    int n = guide.n + c->path.n;
    for (int l = 0; l < n; l++) {
        Column col = column_of(c, x, &guide, -1, l);
        for (int j = 0; j < n; j++) {
            Column row = column_of(c, x, &guide, -1, j);
            double value = mixed(x, &row, &col);
            if (value != 0.0) {
                b->K[fb_at(&s->m->vv, row.v, col.v)] += value;
            }
        }
    }
    add_along(s, c, x, &guide, f, b);
    add_second(s, c, x, &guide, f, b);
    fb_ports_add_geometric(s, &c->path, &c->frame, NULL, own, b->K);
    add_pull(s, p, i, b);
}

void fb_carriages_add_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b) {
    for (int i = 0; i < s->m->n_carriages; i++) {
        add_blocks(s, p, i, b);
    }
}
