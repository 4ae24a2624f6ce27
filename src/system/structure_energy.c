// Energies, momenta and powers of structures.
#include <string.h>

#include "system/port.h"

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
    fb_structures_calc_displacements(m, p->q, dq);
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
        FbVec3 origin = fb_beam_realize_ports(s, e, port);
        fb_beam_add_elastic(&e->beam, port, false, &out, &U, NULL);
        fb_beam_add_inertia(&e->beam, port, false, &out, &T, NULL);
        fb_beam_calc_sums(&e->beam, port, &sums);
        FbVec3 first = fb_axpy(sums.mass, origin, sums.first_moment);
        *kinetic += T;
        *potential += U - fb_dot(m->tree.gravity, first);
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
        FbVec3 origin = fb_beam_realize_ports(s, &m->beams[i], port);
        fb_beam_calc_sums(&m->beams[i].beam, port, &own);
        FbVec3 orbital = fb_cross(origin, own.momentum);
        sums->mass += own.mass;
        sums->momentum = fb_add(sums->momentum, own.momentum);
        sums->angular_momentum =
            fb_add(sums->angular_momentum, fb_add(own.angular_momentum, orbital));
        first = fb_add(first, fb_axpy(own.mass, origin, own.first_moment));
    }
    first = fb_add(first, fb_sliders_add_momentum(s, p, sums));
    if (sums->mass > 0.0) {
        sums->center = fb_scale(1.0 / sums->mass, first);
    }
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
        if (fb_beam_has_load(e)) {
            *supplied += fb_beam_calc_load_power(s, p, e);
        }
        if (e->is_linear || (e->beam.alpha == 0.0 && e->beam.beta == 0.0)) {
            continue;
        }
        FbPort port[2];
        FbPortForces out;
        double elastic = 0.0, mass = 0.0;
        memset(out.f, 0, sizeof(out.f));
        fb_beam_realize_ports(s, e, port);
        fb_beam_add_elastic(&e->beam, port, false, &out, NULL, &elastic);
        fb_beam_add_inertia(&e->beam, port, false, &out, NULL, &mass);
        *dissipated += elastic + mass;
    }
    fb_sliders_add_powers(s, p, supplied);
}
