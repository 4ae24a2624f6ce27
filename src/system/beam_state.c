// What one beam element does at a point: kinetic energy, rates of strain.
#include <string.h>

#include "math/mat3.h"
#include "system/port.h"

bool fb_beam_end_moves(const FbBeamElement* e, int end) {
    for (int k = 0; k < e->base.path.n; k++) {
        if (e->base.path.moves[k] & (1 << end)) {
            return true;
        }
    }
    return false;
}

// Needs position and velocity realized.
double fb_beam_calc_kinetic(FbSystem* s, const double* v, const FbBeamElement* e) {
    if (!e->is_linear) {
        double T = 0.0;
        FbPort port[2];
        FbPortForces out;
        memset(out.f, 0, sizeof(out.f));
        fb_beam_realize_ports(s, e, port);
        fb_beam_add_inertia(&e->beam, port, false, &out, &T, NULL);
        return T;
    }
    double d[FB_BEAM_DOF] = {0};
    FbMat3 to_element = fb_mat3_transpose(e->base.R_drawn);
    FbColumns c = fb_beam_end_columns(e);
    fb_columns_add_motion(&c, v, d);
    fb_beam_turn_vector(&to_element, d);
    return fb_beam_calc_energy(&e->beam, d);
}

const char* fb_system_find_strained_beam(FbSystem* s, const FbPoint* p) {
    const double slack = 1e-9;
    fb_system_realize(s, p->q, p->v, s->zero_v);
    for (int i = 0; i < s->m->n_beams; i++) {
        const FbBeamElement* e = &s->m->beams[i];
        FbPort port[2];
        fb_beam_realize_ports(s, e, port);
        const FbPort *A = &port[0], *B = &port[1];
        FbVec3 carried = fb_add(A->v, fb_cross(A->w, fb_sub(B->p, A->p)));
        double length = e->beam.length,
               speed = fb_norm(A->v) + fb_norm(B->v) + length * fb_norm(A->w);
        double bend = length * fb_norm(fb_sub(B->w, A->w)) + fb_norm(fb_sub(B->v, carried));
        if (bend > slack * (speed + length * fb_norm(B->w))) {
            return e->name;
        }
    }
    return NULL;
}
