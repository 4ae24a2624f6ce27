// The rows of carried structures: constraints, what is set, strains of beams, and hinges
// (eqs. 8.75, 8.76; carried.c solves them).
#include <math.h>
#include <string.h>

#include "system/carried.h"
#include "system/port.h"

// s, relative to EI/(mass per length * length^4) of the softest structure: a hundredth of the
// square of its lowest frequency.
static const double SLOW = 0.1;
// The same of superelements, of the largest K/M of their coordinates; carried.c finds out whether
// it is small enough.
static const double SOFT_SHARE = 1e-8;
// Stiffness of a hinge, relative to the bending stiffness of its structure.
static const double HINGE = 0.1;

static void add_entry(FbCarrier* c, int col, double value) {
    if (value == 0.0) {
        return;
    }
    if (!fb_grow((void**)&c->entries, &c->capacity, c->n_entries, sizeof(FbCarrierEntry))) {
        c->is_out_of_memory = true;
        return;
    }
    c->entries[c->n_entries++] = (FbCarrierEntry){c->n_row, col, value};
}

// Ends the row whose entries have been added.
static void end_row(FbCarrier* c, double b, double compliance) {
    if (!fb_grow((void**)&c->b, &c->rows_capacity, c->n_row, sizeof(double)) ||
        !fb_grow((void**)&c->compliance, &c->compliance_capacity, c->n_row, sizeof(double))) {
        c->is_out_of_memory = true;
        return;
    }
    c->b[c->n_row] = b;
    c->compliance[c->n_row++] = compliance;
}

static void add_dense_row(FbCarrier* c, const double* dense, double b) {
    for (int j = 0; j < c->n_v; j++) {
        add_entry(c, j, dense[j]);
    }
    end_row(c, b, -1.0);
}

void fb_carrier_add_constraints(FbCarrier* c) {
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
bool fb_carrier_is_carrying(const FbModel* m, const FbCondition* condition, bool is_position) {
    bool is_rate = m->signals[condition->signal].kind == FB_SIGNAL_RATE;
    return is_rate != is_position && !condition->is_of_node;
}

void fb_carrier_add_conditions(FbCarrier* c) {
    FbSystem* s = c->s;
    const FbModel* m = s->m;
    for (int i = 0; i < m->n_conditions; i++) {
        const FbCondition* condition = &m->conditions[i];
        if (!fb_carrier_is_carrying(m, condition, c->is_position)) {
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

void fb_carrier_add_rates(FbCarrier* c, const FbRate* rates, int n) {
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
static void calc_strain(const FbCarrier* c, const FbBeamElement* e, const FbPort port[2],
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

static void add_element(FbCarrier* c, const FbBeamElement* e) {
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
    double stiffest = 0.0;
    for (int j = 0; m->n_superelements > 0 && j < m->tree.n_v; j++) {
        int at = fb_pattern_index(&m->vv, j, j);
        if (at >= 0 && m->linear_M[at] > 0.0) {
            stiffest = fmax(stiffest, m->linear_K[at] / m->linear_M[at]);
        }
    }
    soft = stiffest > 0.0 ? fmin(soft, SOFT_SHARE * stiffest) : soft;
    return isfinite(soft) ? soft : 1.0;
}

// Hinges between members stay at rest if nothing moves them, as if they had a weak spring.
static void add_hinges(FbCarrier* c, const FbStructure* s) {
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

void fb_carrier_add_structures(FbCarrier* c) {
    const FbModel* m = c->s->m;
    for (int i = 0; i < m->n_beams; i++) {
        add_element(c, &m->beams[i]);
    }
    for (int i = 0; i < m->n_structures; i++) {
        add_hinges(c, &m->structures[i]);
    }
    c->soft = calc_soft(m);
}
