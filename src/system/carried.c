// Structures are placed and moved with the bodies that carry them: the displacements and velocities
// that strain the beams least.
//
// With the strain rates B v of all beams, their stiffnesses k, and the equations A v = b of drives,
// loops and set joint velocities, v minimises (B v)' k (B v) under A v = b, and the kinetic energy
// where that leaves a choice. Steps dv from v = 0 solve
//   [s M + K  A'  B'; A  -e  0; B  0  -1/k] (dv, mu, n) = (-K v, b - A v, -B v)
// (eqs. 8.75, 8.76): the strain rates have their own rows, so that a rigid motion, which needs no
// n, is accurate to rounding. K is that of superelements, whose strains are not known. Each step
// shrinks what strains in a mode by s/(s + omega^2).
// Positions take the same steps with the strains themselves and the errors of the rows on the right
// side (eq. 8.79).
// Unknowns and rows are scaled so that their own entries are 1, whatever the units of the model.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/carried.h"
#include "system/port.h"

// Of the size of a row, for redundant ones; of the largest inertia, for coordinates without any.
static const double REGULARIZATION = 1e-14, NO_INERTIA = 1e-10;
// Steps end where they change the fastest velocity by less than this.
static const double SETTLED = 1e-15, SMALL = 1e-9;
enum { MAX_STEPS = 60 };
// Where steps of superelements shrink too slowly, s is smaller by SOFTER, several times if need be:
// their lowest frequency is not known beforehand.
static const double SOFTER = 1e-2;
enum { MAX_SOFTER = 4 };
// Positions: largest turn (rad) or translation, in units of the model, of one step.
static const double MAX_MOVE = 0.3;

static void mark_superelements(FbCarrier* c) {
    const FbModel* m = c->s->m;
    for (int i = 0; i < m->n_superelements; i++) {
        for (int k = 0; k < m->superelements[i].n; k++) {
            if (m->superelements[i].v[k] >= 0) {
                c->of[m->superelements[i].v[k]] = i + 1;
            }
        }
    }
}

static FbStatus build(FbCarrier* c, FbError* err) {
    const FbPattern* vv = &c->s->m->vv;
    int size = c->n_v + c->n_row;
    c->arena = fb_arena_create();
    FbPatternBuilder* b = c->arena ? fb_pattern_builder_create(size, size) : NULL;
    if (!b) {
        return fb_fail_memory(err);
    }
    for (int col = 0; col < c->n_v; col++) {
        for (int i = vv->start[col]; i < vv->start[col + 1]; i++) {
            fb_pattern_builder_add(b, vv->row[i], col);
        }
    }
    for (int i = 0; i < c->n_entries; i++) {
        fb_pattern_builder_add(b, c->n_v + c->entries[i].row, c->entries[i].col);
        fb_pattern_builder_add(b, c->entries[i].col, c->n_v + c->entries[i].row);
    }
    for (int r = 0; r < c->n_row; r++) {
        fb_pattern_builder_add(b, c->n_v + r, c->n_v + r);
    }
    FbStatus status = fb_pattern_builder_finish(b, c->arena, &c->pattern, err);
    fb_pattern_builder_destroy(b);
    c->x = FB_TAKE(c->arena, double, size + 1);
    c->scale = FB_TAKE(c->arena, double, size + 1);
    c->mu = FB_TAKE(c->arena, double, c->n_row + 1);
    c->of = c->s->m->n_superelements > 0 ? FB_TAKE(c->arena, int, c->n_v + 1) : NULL;
    FB_TRY(status);
    if (c->of) {
        mark_superelements(c);
    }
    return fb_arena_has_failed(c->arena)
               ? fb_fail_memory(err)
               : fb_linear_create(&c->pattern, FB_LINEAR_AUTO, false, &c->solver, err);
}

// Turns have the inertia of a mass at the model's length.
static double square_of_length(const FbModel* m, int j) {
    FbLinkKind kind = m->tree.links[m->tree.link_of_v[j]].kind;
    bool is_slide = kind == FB_LINK_SLIDE || kind == FB_LINK_TRANSLATE3;
    return is_slide ? 1.0 : m->length * m->length;
}

static bool is_of_one(const FbCarrier* c, int row, int col) {
    return c->of[row] > 0 && c->of[row] == c->of[col];
}

// Members between nodes of one superelement count in K, too; their strains have the same zeros.
static void add_stiffness(FbCarrier* c, double* values) {
    const FbModel* m = c->s->m;
    for (int col = 0; c->of && col < c->n_v; col++) {
        for (int i = m->vv.start[col]; i < m->vv.start[col + 1]; i++) {
            if (is_of_one(c, m->vv.row[i], col)) {
                values[fb_pattern_index(&c->pattern, m->vv.row[i], col)] += m->linear_K[i];
            }
        }
    }
}

// x -= K v, or K (q - q_drawn) of positions.
static void subtract_stiffness(FbCarrier* c) {
    const FbModel* m = c->s->m;
    for (int col = 0; c->of && col < c->n_v; col++) {
        double own = c->is_position ? fb_displacement(m, c->p->q, col) : c->p->v[col];
        for (int i = m->vv.start[col]; c->of[col] > 0 && i < m->vv.start[col + 1]; i++) {
            if (is_of_one(c, m->vv.row[i], col)) {
                c->x[m->vv.row[i]] -= m->linear_K[i] * own;
            }
        }
    }
}

// Modes are scaled so that their inertia is 1, which is no mass, and no measure of others.
static bool is_of_mesh(const FbModel* m, int v) {
    int joint = m->tree.links[m->tree.link_of_v[v]].joint;
    if (joint < 0) {
        return false;
    }
    int body = m->tree.links[m->joints[joint].first_link + m->joints[joint].n_links - 1].body;
    return body >= 0 && m->drawing.bodies[body].role == FB_DRAWN_ROW;
}

static void fill_mass(FbCarrier* c, double* values) {
    FbSystem* s = c->s;
    const FbPattern* vv = &s->m->vv;
    double* M = s->blocks.M;
    memset(M, 0, sizeof(double) * (size_t)fb_pattern_count(vv));
    fb_tree_add_mass_matrix(&s->m->tree, &s->k, vv, M);
    fb_parts_add_mass(s, c->p->q, M);
    double largest = 0.0;
    for (int j = 0; j < c->n_v; j++) {
        double mass = M[fb_at(vv, j, j)] / square_of_length(s->m, j);
        largest = is_of_mesh(s->m, j) ? largest : fmax(largest, mass);
    }
    for (int col = 0; col < c->n_v; col++) {
        double scale =
            is_of_mesh(s->m, col) ? M[fb_at(vv, col, col)] : largest * square_of_length(s->m, col);
        for (int i = vv->start[col]; i < vv->start[col + 1]; i++) {
            double own = vv->row[i] == col ? NO_INERTIA * scale : 0.0;
            values[fb_pattern_index(&c->pattern, vv->row[i], col)] = c->soft * (M[i] + own);
        }
    }
}

// Inertias, compliances and what the equations weigh come to 1 (the latter to REGULARIZATION).
static void apply_scale(FbCarrier* c, double* values) {
    for (int i = 0; i < c->n_v + c->n_row; i++) {
        double own = fabs(values[fb_pattern_index(&c->pattern, i, i)]);
        bool is_equation = i >= c->n_v && c->compliance[i - c->n_v] < 0.0;
        c->scale[i] = own > 0.0 ? sqrt((is_equation ? REGULARIZATION : 1.0) / own) : 1.0;
    }
    for (int col = 0; col < c->n_v + c->n_row; col++) {
        for (int i = c->pattern.start[col]; i < c->pattern.start[col + 1]; i++) {
            values[i] *= c->scale[c->pattern.row[i]] * c->scale[col];
        }
    }
}

static FbStatus factor(FbCarrier* c, FbError* err) {
    double* values = fb_linear_values(c->solver);
    memset(values, 0, sizeof(double) * (size_t)fb_pattern_count(&c->pattern));
    fill_mass(c, values);
    add_stiffness(c, values);
    for (int i = 0; i < c->n_entries; i++) {
        const FbCarrierEntry* e = &c->entries[i];
        int row = c->n_v + e->row, diagonal = fb_pattern_index(&c->pattern, row, row);
        int own = fb_pattern_index(&c->pattern, e->col, e->col);
        values[fb_pattern_index(&c->pattern, row, e->col)] += e->value;
        values[fb_pattern_index(&c->pattern, e->col, row)] += e->value;
        if (c->compliance[e->row] < 0.0) {
            values[diagonal] -= REGULARIZATION * e->value * e->value / values[own];
        }
    }
    for (int r = 0; r < c->n_row; r++) {
        int at = fb_pattern_index(&c->pattern, c->n_v + r, c->n_v + r);
        values[at] = c->compliance[r] >= 0.0 ? -c->compliance[r]
                     : values[at] < 0.0      ? values[at]
                                             : -1.0;
    }
    apply_scale(c, values);
    FbStatus status = fb_linear_factor(c->solver);
    return status == FB_OK ? FB_OK : fb_system_fail_factor(c->s, status, c->solver, err);
}

static void step(FbCarrier* c) {
    memset(c->x, 0, sizeof(double) * (size_t)(c->n_v + c->n_row));
    memcpy(c->x + c->n_v, c->b, sizeof(double) * (size_t)c->n_row);
    for (int i = 0; i < c->n_entries; i++) {
        const FbCarrierEntry* e = &c->entries[i];
        c->x[c->n_v + e->row] -= e->value * c->p->v[e->col];
        c->x[e->col] -= e->value * c->mu[e->row];
    }
    subtract_stiffness(c);
    for (int i = 0; i < c->n_v + c->n_row; i++) {
        c->x[i] *= c->scale[i];
    }
    fb_linear_solve(c->solver, c->x);
    for (int i = 0; i < c->n_v + c->n_row; i++) {
        c->x[i] *= c->scale[i];
    }
    for (int r = 0; r < c->n_row; r++) {
        c->mu[r] += c->compliance[r] < 0.0 ? c->x[c->n_v + r] : 0.0;
    }
}

static FbStatus solve(FbCarrier* c, FbError* err) {
    FB_TRY(build(c, err));
    FB_TRY(factor(c, err));
    double before = INFINITY;
    int softer = c->of ? 0 : MAX_SOFTER;
    for (int i = 0; i < MAX_STEPS; i++) {
        double fastest = 0.0, change = 0.0;
        step(c);
        for (int j = 0; j < c->n_v; j++) {
            double unit = c->s->m->unit_v[j];
            change = fmax(change, fabs(c->x[j]) / unit);
            c->p->v[j] += c->x[j];
            fastest = fmax(fastest, fabs(c->p->v[j]) / unit);
        }
        bool is_slow = i > 2 && !(change < 0.5 * before);
        bool is_rounding = is_slow && (softer == MAX_SOFTER || change <= SMALL * fastest);
        if (change <= SETTLED * fastest || is_rounding) {
            break;
        }
        before = change;
        if (is_slow) {
            softer++;
            c->soft *= SOFTER;
            FB_TRY(factor(c, err));
            before = INFINITY;
        }
    }
    return fb_is_finite(c->p->v, c->n_v)
               ? FB_OK
               : fb_fail(err, FB_ERR_SINGULAR, NULL,
                         "the velocities of the structures at the start are not finite");
}

static void carrier_free(FbCarrier* c) {
    fb_linear_destroy(c->solver);
    fb_arena_destroy(c->arena);
    free(c->entries);
    free(c->b);
    free(c->compliance);
}

// Does anything move? Needs the rows realized at rest.
static bool is_moved(const FbCarrier* c, const FbRate* rates, int n_rates) {
    const FbModel* m = c->s->m;
    bool is_moving = false;
    assert(rates || n_rates == 0);
    for (int r = 0; r < m->n_rows; r++) {
        is_moving |= fb_row_calc_rate(c->s, r, c->p->t) != 0.0;
    }
    for (int i = 0; !rates && i < m->n_conditions; i++) {
        is_moving |=
            fb_carrier_is_carrying(m, &m->conditions[i], false) && m->conditions[i].value != 0.0;
    }
    for (int i = 0; i < n_rates; i++) {
        is_moving |= rates[i].rate != 0.0;
    }
    return is_moving;
}

FbStatus fb_system_carry_structures(FbSystem* s, FbPoint* p, const FbRate* rates, int n_rates,
                                    FbError* err) {
    FbCarrier c = {.s = s, .p = p, .n_v = s->m->tree.n_v};
    memset(p->v, 0, sizeof(double) * (size_t)c.n_v);
    if (s->m->n_beams + s->m->n_superelements == 0) {
        return FB_OK;
    }
    fb_system_realize(s, p->q, p->v, s->zero_v);
    fb_rows_realize(s, p->q, p->v, false);
    if (!is_moved(&c, rates, n_rates)) {
        return FB_OK;
    }
    fb_carrier_add_constraints(&c);
    if (rates) {
        fb_carrier_add_rates(&c, rates, n_rates);
    } else {
        fb_carrier_add_conditions(&c);
    }
    fb_carrier_add_structures(&c);
    FbStatus status = c.is_out_of_memory ? fb_fail_memory(err) : solve(&c, err);
    carrier_free(&c);
    return status;
}

// One step of positions; *move: its longest turn or translation, in units of the model.
static FbStatus move_once(FbCarrier* c, double* move, FbError* err) {
    FbSystem* s = c->s;
    const FbModel* m = s->m;
    FbPoint* p = c->p;
    fb_system_realize(s, p->q, s->zero_v, s->zero_v);
    fb_turns_start(s, p->t, p->q);
    fb_parts_realize(s, p);
    fb_rows_realize(s, p->q, s->zero_v, false);
    fb_carrier_add_constraints(c);
    if (c->target) {
        fb_carrier_add_conditions(c);
    }
    fb_carrier_add_structures(c);
    FB_TRY(c->is_out_of_memory ? fb_fail_memory(err) : build(c, err));
    FB_TRY(factor(c, err));
    step(c);
    *move = 0.0;
    for (int j = 0; j < c->n_v; j++) {
        *move = fmax(*move, fabs(c->x[j]) / m->unit_v[j]);
    }
    double f = *move > MAX_MOVE ? MAX_MOVE / *move : 1.0;
    for (int j = 0; j < c->n_v; j++) {
        c->x[j] *= f;
    }
    fb_tree_plus(&m->tree, p->q, c->x, s->work_q[0]);
    memcpy(p->q, s->work_q[0], sizeof(double) * (size_t)m->tree.n_q);
    fb_tree_normalize(&m->tree, p->q);
    return isfinite(*move) ? FB_OK
                           : fb_fail(err, FB_ERR_SINGULAR, NULL,
                                     "the positions of the structures at the start are not finite");
}

FbStatus fb_system_place_structures(FbSystem* s, FbPoint* p, const double* target, FbError* err) {
    double before = INFINITY;
    FbStatus status = FB_OK;
    memset(p->v, 0, sizeof(double) * (size_t)s->m->tree.n_v);
    for (int i = 0; status == FB_OK && i < MAX_STEPS; i++) {
        FbCarrier c = {
            .s = s, .p = p, .n_v = s->m->tree.n_v, .is_position = true, .target = target};
        double move = 0.0;
        status = move_once(&c, &move, err);
        carrier_free(&c);
        bool is_rounding = move < MAX_MOVE && i > 4 && !(move < 0.9 * before);
        if (!(move > SETTLED) || is_rounding) {
            break;
        }
        before = move;
    }
    return status;
}
