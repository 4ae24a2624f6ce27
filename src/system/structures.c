// Beams in the equations: the constant matrices of the linear elements, the forces, blocks and mass
// of those with large rotations.
#include <string.h>

#include "system/block.h"
#include "system/port.h"

void fb_structures_calc_displacements(const FbModel* m, const double* q, double* dq) {
    for (int j = 0; j < m->tree.n_v; j++) {
        dq[j] = fb_displacement(m, q, j);
    }
}

// r += M a + C v + K (q - q_drawn) + gravity (eq. 8.34), as applied forces with the other sign.
static void apply_linear(FbSystem* s, const FbPoint* p, const double* a) {
    const FbModel* m = s->m;
    double *dq = s->work_v[3], *tau = s->k.tau;
    fb_structures_calc_displacements(m, p->q, dq);
    fb_pattern_multiply(&m->vv, m->linear_M, -1.0, a, tau);
    fb_pattern_multiply(&m->vv, m->linear_C, -1.0, p->v, tau);
    fb_pattern_multiply(&m->vv, m->linear_K, -1.0, dq, tau);
    for (int j = 0; j < m->tree.n_v; j++) {
        tau[j] -= m->linear_r[j];
    }
}

static void apply_beam(FbSystem* s, const FbBeamElement* e) {
    FbPort port[2];
    FbPortForces out;
    memset(out.f, 0, sizeof(out.f));
    fb_beam_realize_ports(s, e, port);
    fb_beam_add_elastic(&e->beam, port, false, &out, NULL, NULL);
    fb_beam_add_inertia(&e->beam, port, false, &out, NULL, NULL);
    fb_port_push(s, &e->end[0], out.f);
    fb_port_push(s, &e->end[1], out.f + 6);
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
        if (fb_beam_has_load(e)) {
            fb_beam_apply_load(s, p, e);
        }
    }
    fb_sliders_apply(s, p, a);
}

static void add_beam_blocks(FbSystem* s, const FbBeamElement* e, FbBlocks* b) {
    FbPort port[2];
    FbPortForces out;
    memset(&out, 0, sizeof(out));
    fb_beam_realize_ports(s, e, port);
    fb_beam_add_elastic(&e->beam, port, true, &out, NULL, NULL);
    fb_beam_add_inertia(&e->beam, port, true, &out, NULL, NULL);
    FbColumns c = fb_ports_calc_columns(s, &e->path, &e->end[0], &e->end[1], false);
    fb_columns_add(s, &c, out.M, out.C, out.K, b);
    fb_ports_add_geometric(s, &e->path, &e->end[0], &e->end[1], out.f, b->K);
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
        if (fb_beam_has_load(e)) {
            fb_beam_add_load_blocks(s, p, e, b);
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
        fb_beam_realize_ports(s, e, port);
        fb_beam_add_mass(&e->beam, port, mass);
        FbColumns c = fb_ports_calc_columns(s, &e->path, &e->end[0], &e->end[1], true);
        fb_columns_add(s, &c, mass, NULL, NULL, &b);
    }
    fb_sliders_add_mass(s, q, M);
}
