// Beams in the equations: the constant matrices of the linear elements, the forces and blocks of
// those with large rotations, line loads, energies.
#include <string.h>

#include "system/block.h"
#include "system/port.h"

// Displacement of a velocity's coordinate from the drawing; balls never carry linear elements.
static double displacement(const FbModel* m, const double* q, int v) {
    int i = m->q_of_v[v];
    return i >= 0 ? q[i] - m->q_drawn[i] : 0.0;
}

static void calc_displacements(const FbModel* m, const double* q, double* dq) {
    for (int j = 0; j < m->tree.n_v; j++) {
        dq[j] = displacement(m, q, j);
    }
}

// r += M a + C v + K (q - q_drawn) + gravity (eq. 8.34), as applied forces with the other sign.
static void apply_linear(FbSystem* s, const FbPoint* p, const double* a) {
    const FbModel* m = s->m;
    double *dq = s->work_v[3], *tau = s->k.tau;
    calc_displacements(m, p->q, dq);
    fb_pattern_multiply(&m->vv, m->linear_M, -1.0, a, tau);
    fb_pattern_multiply(&m->vv, m->linear_C, -1.0, p->v, tau);
    fb_pattern_multiply(&m->vv, m->linear_K, -1.0, dq, tau);
    for (int j = 0; j < m->tree.n_v; j++) {
        tau[j] -= m->linear_r[j];
    }
}

static void realize_ports(const FbSystem* s, const FbBeamElement* e, FbPort port[2]) {
    fb_port_realize(s, &e->end[0], &port[0]);
    fb_port_realize(s, &e->end[1], &port[1]);
}

static bool has_load(const FbBeamElement* e) {
    return e->load[0] >= 0 || e->load[1] >= 0 || e->load[2] >= 0;
}

// Work-equivalent forces of a constant force per length q, dual to e: L int h q (eq. 8.33).
static void load_vector(double length, FbVec3 q, double f[FB_DOF]) {
    double weight[4] = {0.5 * length, length / 12.0, 0.5 * length, -length / 12.0};
    for (int i = 0; i < 4; i++) {
        fb_vec3_to(fb_scale(weight[i], q), f + 3 * i);
    }
}

static FbVec3 load_now(FbSystem* s, const FbPoint* p, const FbBeamElement* e) {
    double q[3];
    for (int i = 0; i < 3; i++) {
        q[i] = e->load[i] >= 0 ? fb_function_calc(s, p, e->load[i], 0.0, 0.0) : 0.0;
    }
    return fb_vec3_from(q);
}

void fb_beam_calc_load(FbSystem* s, const FbPoint* p, const FbBeamElement* e, double f[FB_DOF]) {
    load_vector(e->beam.length, fb_scale(-1.0, load_now(s, p, e)), f);
}

static void multiply_transposed(const double* J, const double* f, double* out) {
    for (int j = 0; j < FB_DOF; j++) {
        double sum = 0.0;
        for (int i = 0; i < FB_DOF; i++) {
            sum += J[i * FB_DOF + j] * f[i];
        }
        out[j] = sum;
    }
}

// The load's force per unit of q along axis c, on the element's path.
static void load_row(FbSystem* s, const FbBeamElement* e, const FbPort port[2], FbVec3 q,
                     double* row) {
    double f[FB_DOF], g[FB_DOF];
    load_vector(e->beam.length, q, f);
    if (e->is_linear) {
        FbColumns c = {.n = e->path.n, .v = e->path.v, .pose = e->EJ0};
        fb_columns_project(&c, f, row);
        return;
    }
    FbBeamField field;
    fb_field_calc(port, &field);
    multiply_transposed(field.J, f, g);
    FbColumns c = fb_ports_calc_columns(s, &e->path, &e->end[0], &e->end[1], port, true);
    fb_columns_project(&c, g, row);
}

static void apply_load(FbSystem* s, const FbPoint* p, const FbBeamElement* e) {
    FbPort port[2];
    size_t mark = s->scratch_used;
    double* row = fb_scratch_take(s, (size_t)e->path.n);
    realize_ports(s, e, port);
    load_row(s, e, port, load_now(s, p, e), row);
    for (int k = 0; k < e->path.n; k++) {
        s->k.tau[e->path.v[k]] += row[k];
    }
    s->scratch_used = mark;
}

static void apply_beam(FbSystem* s, const FbBeamElement* e) {
    FbPort port[2];
    FbPortForces out;
    memset(out.f, 0, sizeof(out.f));
    realize_ports(s, e, port);
    fb_beam_add_elastic(&e->beam, port, false, &out, NULL, NULL);
    fb_beam_add_inertia(&e->beam, port, false, &out, NULL, NULL);
    fb_port_push(s, &e->end[0], &port[0], out.f);
    fb_port_push(s, &e->end[1], &port[1], out.f + 6);
}

// Needs position, velocity and the accelerations `a` realized.
void fb_structures_apply(FbSystem* s, const FbPoint* p, const double* a) {
    const FbModel* m = s->m;
    if (!m->has_structures) {
        return;
    }
    if (m->linear_M) {
        apply_linear(s, p, a);
    }
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        if (!e->is_linear) {
            apply_beam(s, e);
        }
        if (has_load(e)) {
            apply_load(s, p, e);
        }
    }
    fb_sliders_apply(s, p, a);
}

static void add_beam_blocks(FbSystem* s, const FbBeamElement* e, FbBlocks* b) {
    FbPort port[2];
    FbPortForces out;
    memset(&out, 0, sizeof(out));
    realize_ports(s, e, port);
    fb_beam_add_elastic(&e->beam, port, true, &out, NULL, NULL);
    fb_beam_add_inertia(&e->beam, port, true, &out, NULL, NULL);
    FbColumns c = fb_ports_calc_columns(s, &e->path, &e->end[0], &e->end[1], port, false);
    fb_columns_add(s, &c, out.M, out.C, out.K, b);
    fb_ports_add_geometric(s, &e->path, port, out.f, b->K);
}

// A load fixed in ground axes on a beam that turns: d(J' f).
static void add_load_stiffness(FbSystem* s, const FbPoint* p, const FbBeamElement* e,
                               const FbPort port[2], FbBlocks* b) {
    double f[FB_DOF], g[FB_DOF], K[FB_DOF * FB_DOF] = {0}, zero[FB_DOF * FB_DOF] = {0};
    FbBeamField field;
    fb_beam_calc_load(s, p, e, f);
    fb_field_calc(port, &field);
    fb_field_add_second(port, f, K);
    multiply_transposed(field.J, f, g);
    FbColumns c = fb_ports_calc_columns(s, &e->path, &e->end[0], &e->end[1], port, false);
    fb_columns_add(s, &c, zero, zero, K, b);
    fb_ports_add_geometric(s, &e->path, port, g, b->K);
}

static void add_load_blocks(FbSystem* s, const FbPoint* p, const FbBeamElement* e, FbBlocks* b) {
    FbPort port[2];
    realize_ports(s, e, port);
    if (!e->is_linear) {
        add_load_stiffness(s, p, e, port, b);
    }
    size_t mark = s->scratch_used;
    double* row = fb_scratch_take(s, (size_t)e->path.n);
    for (int i = 0; i < 3; i++) {
        if (e->load[i] < 0) {
            continue;
        }
        double d[2];
        fb_function_add_gradient(s, p, e->load[i], 0.0, 0.0, 1.0, d, &s->gradient);
        load_row(s, e, port, fb_vec3(i == 0, i == 1, i == 2), row);
        fb_block_add_outer(s, e->path.v, row, e->path.n, &s->gradient, b);
        fb_gradient_clear(s, &s->gradient);
    }
    s->scratch_used = mark;
}

void fb_structures_add_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b) {
    const FbModel* m = s->m;
    if (!m->has_structures) {
        return;
    }
    for (int i = 0; m->linear_M && i < fb_pattern_count(&m->vv); i++) {
        b->M[i] += m->linear_M[i];
        b->C[i] += m->linear_C[i];
        b->K[i] += m->linear_K[i];
    }
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        if (!e->is_linear) {
            add_beam_blocks(s, e, b);
        }
        if (has_load(e)) {
            add_load_blocks(s, p, e, b);
        }
    }
    fb_sliders_add_blocks(s, p, b);
}

// The mass matrix at the realized position; sliders as realized last.
void fb_structures_add_mass(FbSystem* s, const double* q, double* M) {
    const FbModel* m = s->m;
    if (!m->has_structures) {
        return;
    }
    for (int i = 0; m->linear_M && i < fb_pattern_count(&m->vv); i++) {
        M[i] += m->linear_M[i];
    }
    FbBlocks b = {.M = M};
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        if (e->is_linear) {
            continue;
        }
        FbPort port[2];
        double mass[FB_DOF * FB_DOF] = {0};
        realize_ports(s, e, port);
        fb_beam_add_mass(&e->beam, port, mass);
        FbColumns c = fb_ports_calc_columns(s, &e->path, &e->end[0], &e->end[1], port, true);
        fb_columns_add(s, &c, mass, NULL, NULL, &b);
    }
    fb_sliders_add_mass(s, q, M);
}

static double quadratic(const FbModel* m, const double* A, const double* x, double* y) {
    double sum = 0.0;
    memset(y, 0, sizeof(double) * (size_t)m->tree.n_v);
    fb_pattern_multiply(&m->vv, A, 1.0, x, y);
    for (int j = 0; j < m->tree.n_v; j++) {
        sum += x[j] * y[j];
    }
    return sum;
}

static void add_linear_energies(FbSystem* s, const FbPoint* p, double* kinetic, double* potential) {
    const FbModel* m = s->m;
    double *dq = s->work_v[3], *y = s->work_v[2];
    calc_displacements(m, p->q, dq);
    *kinetic += 0.5 * quadratic(m, m->linear_M, p->v, y);
    *potential += 0.5 * quadratic(m, m->linear_K, dq, y) + m->linear_energy;
    for (int j = 0; j < m->tree.n_v; j++) {
        *potential += m->linear_r[j] * dq[j];
    }
}

// Needs position and velocity realized.
void fb_structures_add_energies(FbSystem* s, const FbPoint* p, double* kinetic, double* potential) {
    const FbModel* m = s->m;
    if (!m->has_structures) {
        return;
    }
    if (m->linear_M) {
        add_linear_energies(s, p, kinetic, potential);
    }
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        if (e->is_linear) {
            continue;
        }
        FbPort port[2];
        FbPortForces out;
        FbBeamSums sums;
        double T = 0.0, U = 0.0;
        memset(out.f, 0, sizeof(out.f));
        realize_ports(s, e, port);
        fb_beam_add_elastic(&e->beam, port, false, &out, &U, NULL);
        fb_beam_add_inertia(&e->beam, port, false, &out, &T, NULL);
        fb_beam_calc_sums(&e->beam, port, &sums);
        *kinetic += T;
        *potential += U - fb_dot(m->tree.gravity, sums.first_moment);
    }
    fb_sliders_add_energies(s, p, kinetic, potential);
}

// Momentum, angular momentum and centre of mass with the beams'.
void fb_structures_add_momentum(FbSystem* s, const FbPoint* p, FbTreeEnergy* sums) {
    const FbModel* m = s->m;
    FbVec3 first = fb_scale(sums->mass, sums->center);
    for (int i = 0; i < m->n_beams; i++) {
        FbPort port[2];
        FbBeamSums own;
        realize_ports(s, &m->beams[i], port);
        fb_beam_calc_sums(&m->beams[i].beam, port, &own);
        sums->mass += own.mass;
        sums->momentum = fb_add(sums->momentum, own.momentum);
        sums->angular_momentum = fb_add(sums->angular_momentum, own.angular_momentum);
        first = fb_add(first, own.first_moment);
    }
    first = fb_add(first, fb_sliders_add_momentum(s, p, sums));
    if (sums->mass > 0.0) {
        sums->center = fb_scale(1.0 / sums->mass, first);
    }
}

static double load_power(FbSystem* s, const FbPoint* p, const FbBeamElement* e) {
    FbPort port[2];
    double power = 0.0;
    size_t mark = s->scratch_used;
    double* row = fb_scratch_take(s, (size_t)e->path.n);
    realize_ports(s, e, port);
    load_row(s, e, port, load_now(s, p, e), row);
    for (int k = 0; k < e->path.n; k++) {
        power += row[k] * p->v[e->path.v[k]];
    }
    s->scratch_used = mark;
    return power;
}

// Needs position, velocity and acceleration realized.
void fb_structures_add_powers(FbSystem* s, const FbPoint* p, double* supplied, double* dissipated) {
    const FbModel* m = s->m;
    if (!m->has_structures) {
        return;
    }
    if (m->linear_M) {
        *dissipated += quadratic(m, m->linear_C, p->v, s->work_v[2]);
    }
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        if (has_load(e)) {
            *supplied += load_power(s, p, e);
        }
        if (e->is_linear || (e->beam.alpha == 0.0 && e->beam.beta == 0.0)) {
            continue;
        }
        FbPort port[2];
        FbPortForces out;
        double elastic = 0.0, mass = 0.0;
        memset(out.f, 0, sizeof(out.f));
        realize_ports(s, e, port);
        fb_beam_add_elastic(&e->beam, port, false, &out, NULL, &elastic);
        fb_beam_add_inertia(&e->beam, port, false, &out, NULL, &mass);
        *dissipated += elastic + mass;
    }
    fb_sliders_add_powers(s, p, supplied);
}

bool fb_beam_end_moves(const FbBeamElement* e, int end) {
    for (int k = 0; k < e->path.n; k++) {
        if (e->path.moves[k] & (1 << end)) {
            return true;
        }
    }
    return false;
}

// Needs position and velocity realized.
double fb_beam_calc_kinetic(FbSystem* s, const double* v, const FbBeamElement* e) {
    double T = 0.0;
    if (!e->is_linear) {
        FbPort port[2];
        FbPortForces out;
        memset(out.f, 0, sizeof(out.f));
        realize_ports(s, e, port);
        fb_beam_add_inertia(&e->beam, port, false, &out, &T, NULL);
        return T;
    }
    double M[FB_DOF * FB_DOF], d[FB_DOF] = {0};
    fb_beam_calc_mass(&e->beam, M);
    fb_beam_turn_matrix(&e->R_drawn, M);
    for (int k = 0; k < e->path.n; k++) {
        for (int i = 0; i < FB_DOF; i++) {
            d[i] += e->J0[k * FB_DOF + i] * v[e->path.v[k]];
        }
    }
    for (int i = 0; i < FB_DOF; i++) {
        for (int j = 0; j < FB_DOF; j++) {
            T += 0.5 * d[i] * M[i * FB_DOF + j] * d[j];
        }
    }
    return T;
}

// Elastic end forces and the section forces that follow (eq. 8.20).
void fb_beam_calc_section(FbSystem* s, const double* q, const FbBeamElement* e, double at,
                          double forces[6]) {
    FbPort port[2];
    realize_ports(s, e, port);
    if (!e->is_linear) {
        FbPortForces out;
        FbPort still[2] = {port[0], port[1]};
        FbVec3 zero = {0, 0, 0};
        still[0].v = still[0].w = still[1].v = still[1].w = zero;
        memset(out.f, 0, sizeof(out.f));
        fb_beam_add_elastic(&e->beam, still, false, &out, NULL, NULL);
        fb_beam_calc_section_forces(&e->beam, &port[0].R, out.f, at, forces);
        return;
    }
    double K[FB_DOF * FB_DOF], d[FB_DOF] = {0}, f[FB_DOF] = {0};
    fb_beam_calc_stiffness(&e->beam, K);
    fb_beam_turn_matrix(&e->R_drawn, K);
    for (int k = 0; k < e->path.n; k++) {
        double x = displacement(s->m, q, e->path.v[k]);
        for (int i = 0; i < FB_DOF; i++) {
            d[i] += e->J0[k * FB_DOF + i] * x;
        }
    }
    for (int i = 0; i < FB_DOF; i++) {
        for (int j = 0; j < FB_DOF; j++) {
            f[i] += K[i * FB_DOF + j] * d[j];
        }
    }
    fb_beam_calc_section_forces(&e->beam, &e->R_drawn, f, at, forces);
}
