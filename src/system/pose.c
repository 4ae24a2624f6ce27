// Poses of the bodies at a position.
#include "math/rotation.h"
#include "system/work.h"

void fb_system_calc_poses(FbSystem* s, const double* q, double* poses) {
    const FbModel* m = s->m;
    fb_system_realize(s, q, NULL, NULL);
    for (int i = 0; i < m->n_bodies; i++) {
        const FbBody* b = &m->bodies[i];
        int at = m->drawing.number[i];
        if (at < 0) {
            continue;
        }
        FbMat3 R = b->R_LB;
        FbVec3 p = b->p_LB;
        if (b->link >= 0) {
            FbMat3 link = fb_link_calc_rotation(s, q, b->link);
            R = fb_mat3_mul(&link, &b->R_LB);
            p = fb_ground_point(&s->k, b->link, b->p_LB);
        }
        fb_vec3_to(p, poses + 7 * at);
        fb_quaternion_from_rotation(&R, poses + 7 * at + 3);
    }
}
