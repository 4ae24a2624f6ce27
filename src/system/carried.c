// Structures are placed and moved with the bodies that carry them: the displacements and velocities
// that strain the beams least.
//
// With the strain rates B v of all beams, their stiffnesses k, and the equations A v = b of drives,
// loops and set joint velocities, v minimises (B v)' k (B v) under A v = b, and the kinetic energy
// where that leaves a choice. Steps dv from v = 0 solve
//   [s M  A'  B'; A  -e  0; B  0  -1/k] (dv, mu, n) = (0, b - A v, -B v)
// (eqs. 8.75, 8.76): the strain rates have their own rows, so that a rigid motion, which needs no
// n, is accurate to rounding. Each step shrinks what strains in a mode by s/(s + omega^2).
// Positions take the same steps with the strains themselves and the errors of the rows on the right
// side (eq. 8.79).
// Unknowns and rows are scaled so that their own entries are 1, whatever the units of the model.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/part.h"
#include "system/port.h"

// s, relative to EI/(mass per length * length^4) of the softest structure: a hundredth of the
// square of its lowest frequency.
static const double SLOW = 0.1;
// Stiffness of a hinge, relative to the bending stiffness of its structure.
static const double HINGE = 0.1;
// Of the size of a row, for redundant ones; of the largest inertia, for coordinates without any.
static const double REGULARIZATION = 1e-14, NO_INERTIA = 1e-10;
// Steps end where they change the fastest velocity by less than this.
static const double SETTLED = 1e-15;
enum { MAX_STEPS = 60 };
// Positions: largest turn (rad) or translation, in units of the model, of one step.
static const double MAX_MOVE = 0.3;

typedef struct Entry {
    int row, col;
    double value;
} Entry;

typedef struct Carrier {
    FbSystem* s;
    FbPoint* p;
    FbArena* arena;
    int n_v, n_row;
    Entry* entries;
    int n_entries, capacity;
    double* b;           // [n_row] what the rows must give
    double* compliance;  // [n_row] 1/k of strain rates; -1: an equation
    int rows_capacity, compliance_capacity;
    double soft;  // s
    FbPattern pattern;
    FbLinear* solver;
    double* scale;         // [n_v + n_row] of the unknowns, and of their equations
    double* x;             // [n_v + n_row]
    double* mu;            // [n_row] of equations; strain rates have none
    bool is_position;      // displacements from p->q instead of velocities
    const double* target;  // [n_conditions of the model] of positions; NULL: not requested
    bool is_out_of_memory;
} Carrier;

static void add_entry(Carrier* c, int col, double value) {
    if (value == 0.0) {
        return;
    }
    if (!fb_grow((void**)&c->entries, &c->capacity, c->n_entries, sizeof(Entry))) {
        c->is_out_of_memory = true;
        return;
    }
    c->entries[c->n_entries++] = (Entry){c->n_row, col, value};
}

// Ends the row whose entries have been added.
static void end_row(Carrier* c, double b, double compliance) {
    if (!fb_grow((void**)&c->b, &c->rows_capacity, c->n_row, sizeof(double)) ||
        !fb_grow((void**)&c->compliance, &c->compliance_capacity, c->n_row, sizeof(double))) {
        c->is_out_of_memory = true;
        return;
    }
    c->b[c->n_row] = b;
    c->compliance[c->n_row++] = compliance;
}

static void add_dense_row(Carrier* c, const double* dense, double b) {
    for (int j = 0; j < c->n_v; j++) {
        add_entry(c, j, dense[j]);
    }
    end_row(c, b, -1.0);
}

static void add_constraints(Carrier* c) {
    FbSystem* s = c->s;
    double* dense = s->work_v[0];
    int n = c->is_position ? s->m->n_holonomic : s->m->n_rows;
    for (int r = 0; r < n; r++) {
        memset(dense, 0, sizeof(double) * (size_t)c->n_v);
        fb_row_add_gradient(s, r, dense);
        add_dense_row(
            c, dense,
            c->is_position ? -fb_row_calc_error(s, r, c->p->t) : -fb_row_calc_rate(s, r, c->p->t));
    }
}

// Values set for nodes of a structure do not say how their neighbours move.
static bool is_carrying(const FbModel* m, const FbCondition* condition, bool is_position) {
    bool is_rate = m->signals[condition->signal].kind == FB_SIGNAL_RATE;
    return is_rate != is_position && !condition->is_of_node;
}

static void add_conditions(Carrier* c) {
    FbSystem* s = c->s;
    const FbModel* m = s->m;
    for (int i = 0; i < m->n_conditions; i++) {
        const FbCondition* condition = &m->conditions[i];
        if (!is_carrying(m, condition, c->is_position)) {
            continue;
        }
        const FbSignal* signal = &m->signals[condition->signal];
        if (signal->n_terms == 0 &&
            c->is_position) {  // of a ball, which keeps the orientation that was set
            add_entry(c, signal->index, 1.0);
            end_row(c, 0.0, -1.0);
            continue;
        }
        FbGradient* g = &s->gradient;
        fb_signal_add_gradient(s, c->p, condition->signal, 1.0, g);
        for (int j = 0; j < g->n_touched; j++) {
            int v = g->touched[j];
            add_entry(c, v, c->is_position ? g->q[v] : g->v[v]);
        }
        fb_gradient_clear(s, g);
        end_row(c,
                c->is_position ? c->target[i] - fb_signal_calc(s, c->p, condition->signal)
                               : condition->value,
                -1.0);
    }
}

static void add_rates(Carrier* c, const FbRate* rates, int n) {
    for (int i = 0; i < n; i++) {
        add_entry(c, rates[i].v, 1.0);
        end_row(c, rates[i].rate, -1.0);
    }
}

// Rates of strain of one element: turns of B against A, and B's way seen from between both
// (eq. 8.75).
static void strain_of(const double d[FB_BEAM_DOF], const FbMat3* R, FbVec3 along, double out[6]) {
    FbVec3 wa = fb_vec3_from(d + 3), wb = fb_vec3_from(d + 9);
    FbVec3 way = fb_sub(fb_vec3_from(d + 6), fb_vec3_from(d));
    way = fb_sub(way, fb_cross(fb_scale(0.5, fb_add(wa, wb)), along));
    fb_vec3_to(fb_mul3_transposed(R, fb_sub(wb, wa)), out);
    fb_vec3_to(fb_mul3_transposed(R, way), out + 3);
}

// The strains that element e has at p.
static void calc_strain(const Carrier* c, const FbBeamElement* e, const FbPort port[2],
                        const FbMat3* R, FbVec3 along, double out[6]) {
    if (!e->is_linear) {
        fb_beam_calc_strains(&e->beam, port, out);
        return;
    }
    double d[FB_BEAM_DOF] = {0};
    FbColumns columns = fb_beam_end_columns(e);
    fb_columns_add_displacement(c->s->m, &columns, c->p->q, d);
    strain_of(d, R, along, out);
}

static void add_element(Carrier* c, const FbBeamElement* e) {
    const FbBeam* beam = &e->beam;
    double L = beam->length, L3 = L * L * L;
    double k[6] = {beam->GJ / L,
                   beam->EIy / L,
                   beam->EIz / L,
                   beam->EA / L,
                   12.0 * beam->EIz / (L3 * (1.0 + beam->phi_y)),
                   12.0 * beam->EIy / (L3 * (1.0 + beam->phi_z))};
    FbPort port[2];
    fb_beam_realize_ports(c->s, e, port);
    const FbMat3* R = e->is_linear ? &e->base.R_drawn : &port[0].R;
    FbVec3 along =
        e->is_linear ? fb_sub(e->p_drawn[1], e->p_drawn[0]) : fb_sub(port[1].p, port[0].p);
    FbColumns columns =
        e->is_linear ? fb_beam_end_columns(e)
                     : fb_ports_calc_columns(c->s, &e->base.path, &e->end[0], &e->end[1], true);
    double now[6] = {0};
    if (c->is_position) {
        calc_strain(c, e, port, R, along, now);
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; k[i] > 0.0 && j < columns.n; j++) {
            double strain[6];
            strain_of(columns.pose + j * FB_BEAM_DOF, R, along, strain);
            add_entry(c, columns.v[j], strain[i]);
        }
        if (k[i] > 0.0) {
            end_row(c, -now[i], 1.0 / k[i]);
        }
    }
}

// EI/length of a structure as a whole, in its weakest section; the length is that of all members.
static double calc_bending(const FbModel* m, const FbStructure* s, double* length) {
    double EI = INFINITY;
    *length = 0.0;
    for (int e = s->first; e < s->first + s->n; e++) {
        const FbBeam* beam = &m->beams[e].beam;
        *length += beam->length;
        EI = beam->EIy > 0.0 ? fmin(EI, beam->EIy) : EI;
        EI = beam->EIz > 0.0 ? fmin(EI, beam->EIz) : EI;
    }
    return isfinite(EI) && s->n > 0 ? EI / *length : 0.0;
}

// The square of a slow frequency of the softest structure.
static double calc_soft(const FbModel* m) {
    double soft = INFINITY, length;
    for (int i = 0; i < m->n_structures; i++) {
        const FbStructure* s = &m->structures[i];
        double bending = calc_bending(m, s, &length);
        if (s->mass > 0.0 && bending > 0.0) {
            soft = fmin(soft, SLOW * bending / (s->mass * length * length));
        }
    }
    return isfinite(soft) ? soft : 1.0;
}

// Hinges between members stay at rest if nothing moves them, as if they had a weak spring.
static void add_hinges(Carrier* c, const FbStructure* s) {
    const FbModel* m = c->s->m;
    double length, k = HINGE * calc_bending(m, s, &length);
    for (int i = 0; k > 0.0 && i < s->n_v; i++) {
        int joint = m->tree.links[m->tree.link_of_v[s->v[i]]].joint;
        if (joint >= 0 && m->is_node[joint] && m->joints[joint].a.link >= 0) {
            add_entry(c, s->v[i], 1.0);
            end_row(c, c->is_position ? -fb_displacement(m, c->p->q, s->v[i]) : 0.0, 1.0 / k);
        }
    }
}

static FbStatus build(Carrier* c, FbError* err) {
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
    FB_TRY(status);
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

static void fill_mass(Carrier* c, double* values) {
    FbSystem* s = c->s;
    const FbPattern* vv = &s->m->vv;
    double* M = s->blocks.M;
    memset(M, 0, sizeof(double) * (size_t)fb_pattern_count(vv));
    fb_tree_add_mass_matrix(&s->m->tree, &s->k, vv, M);
    fb_parts_add_mass(s, c->p->q, M);
    double largest = 0.0;
    for (int j = 0; j < c->n_v; j++) {
        largest = fmax(largest, M[fb_at(vv, j, j)] / square_of_length(s->m, j));
    }
    for (int col = 0; col < c->n_v; col++) {
        for (int i = vv->start[col]; i < vv->start[col + 1]; i++) {
            double own =
                vv->row[i] == col ? NO_INERTIA * largest * square_of_length(s->m, col) : 0.0;
            values[fb_pattern_index(&c->pattern, vv->row[i], col)] = c->soft * (M[i] + own);
        }
    }
}

// Inertias, compliances and what the equations weigh come to 1 (the latter to REGULARIZATION).
static void apply_scale(Carrier* c, double* values) {
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

static FbStatus factor(Carrier* c, FbError* err) {
    double* values = fb_linear_values(c->solver);
    memset(values, 0, sizeof(double) * (size_t)fb_pattern_count(&c->pattern));
    fill_mass(c, values);
    for (int i = 0; i < c->n_entries; i++) {
        const Entry* e = &c->entries[i];
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
    return fb_linear_factor(c->solver) == FB_OK
               ? FB_OK
               : fb_system_fail_singular(c->s, fb_linear_bad_column(c->solver), err);
}

static void step(Carrier* c) {
    memset(c->x, 0, sizeof(double) * (size_t)(c->n_v + c->n_row));
    memcpy(c->x + c->n_v, c->b, sizeof(double) * (size_t)c->n_row);
    for (int i = 0; i < c->n_entries; i++) {
        const Entry* e = &c->entries[i];
        c->x[c->n_v + e->row] -= e->value * c->p->v[e->col];
        c->x[e->col] -= e->value * c->mu[e->row];
    }
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

static FbStatus solve(Carrier* c, FbError* err) {
    FB_TRY(build(c, err));
    FB_TRY(factor(c, err));
    double before = INFINITY;
    for (int i = 0; i < MAX_STEPS; i++) {
        double fastest = 0.0, change = 0.0;
        step(c);
        for (int j = 0; j < c->n_v; j++) {
            double unit = c->s->m->unit_v[j];
            change = fmax(change, fabs(c->x[j]) / unit);
            c->p->v[j] += c->x[j];
            fastest = fmax(fastest, fabs(c->p->v[j]) / unit);
        }
        bool is_rounding = i > 2 && !(change < 0.5 * before);
        if (change <= SETTLED * fastest || is_rounding) {
            break;
        }
        before = change;
    }
    return fb_is_finite(c->p->v, c->n_v)
               ? FB_OK
               : fb_fail(err, FB_ERR_SINGULAR, NULL,
                         "the velocities of the structures at the start are not finite");
}

static void add_structures(Carrier* c) {
    const FbModel* m = c->s->m;
    for (int i = 0; i < m->n_beams; i++) {
        add_element(c, &m->beams[i]);
    }
    for (int i = 0; i < m->n_structures; i++) {
        add_hinges(c, &m->structures[i]);
    }
    c->soft = calc_soft(m);
}

static void carrier_free(Carrier* c) {
    fb_linear_destroy(c->solver);
    fb_arena_destroy(c->arena);
    free(c->entries);
    free(c->b);
    free(c->compliance);
}

// Does anything move? Needs the rows realized at rest.
static bool is_moved(const Carrier* c, const FbRate* rates, int n_rates) {
    const FbModel* m = c->s->m;
    bool is_moving = false;
    assert(rates || n_rates == 0);
    for (int r = 0; r < m->n_rows; r++) {
        is_moving |= fb_row_calc_rate(c->s, r, c->p->t) != 0.0;
    }
    for (int i = 0; !rates && i < m->n_conditions; i++) {
        is_moving |= is_carrying(m, &m->conditions[i], false) && m->conditions[i].value != 0.0;
    }
    for (int i = 0; i < n_rates; i++) {
        is_moving |= rates[i].rate != 0.0;
    }
    return is_moving;
}

FbStatus fb_system_carry_structures(FbSystem* s, FbPoint* p, const FbRate* rates, int n_rates,
                                    FbError* err) {
    Carrier c = {.s = s, .p = p, .n_v = s->m->tree.n_v};
    memset(p->v, 0, sizeof(double) * (size_t)c.n_v);
    if (s->m->n_beams == 0) {
        return FB_OK;
    }
    fb_system_realize(s, p->q, p->v, s->zero_v);
    fb_rows_realize(s, p->q, p->v, false);
    if (!is_moved(&c, rates, n_rates)) {
        return FB_OK;
    }
    add_constraints(&c);
    if (rates) {
        add_rates(&c, rates, n_rates);
    } else {
        add_conditions(&c);
    }
    add_structures(&c);
    FbStatus status = c.is_out_of_memory ? fb_fail_memory(err) : solve(&c, err);
    carrier_free(&c);
    return status;
}

// One step of positions; *move: its longest turn or translation, in units of the model.
static FbStatus move_once(Carrier* c, double* move, FbError* err) {
    FbSystem* s = c->s;
    const FbModel* m = s->m;
    FbPoint* p = c->p;
    fb_system_realize(s, p->q, s->zero_v, s->zero_v);
    fb_turns_start(s, p->t, p->q);
    fb_parts_realize(s, p);
    fb_rows_realize(s, p->q, s->zero_v, false);
    add_constraints(c);
    if (c->target) {
        add_conditions(c);
    }
    add_structures(c);
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
        Carrier c = {.s = s, .p = p, .n_v = s->m->tree.n_v, .is_position = true, .target = target};
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
