// How nodes of linear structures rotate: by the vector of their three small rotations.
//
// Their coordinates are turns about x, y and z in this order, which differ from the components of a
// vector in the second order, and differently in other axes. What is measured and drawn of
// them is linear in the coordinates, as the theory is, and so the same in all axes: the rotation
// exp(r) of the drawn one with r = sum S0_j (q_j - q_j drawn), the angular velocity r' (eq. 8.80).
#include "math/rotation.h"
#include "system/work.h"

FbMat3 fb_link_calc_rotation(const FbSystem* s, const double* q, int link) {
    const FbModel* m = s->m;
    if (link < 0) {
        return fb_mat3_identity();
    }
    if (!m->is_linear_link[link]) {
        return s->k.R[link];
    }
    FbVec3 r = {0, 0, 0};
    for (int l = link; l >= 0; l = m->tree.links[l].parent) {
        const FbLink* own = &m->tree.links[l];
        for (int j = 0; j < own->n_v; j++) {
            r = fb_axpy(q[own->q0 + j] - m->q_drawn[own->q0 + j], m->drawn_turn[own->v0 + j], r);
        }
    }
    FbMat3 turn = fb_rotation_from_vector(r);
    return fb_mat3_mul(&turn, &m->drawn_axes[link]);
}
