// Inverse dynamics: the recursive Newton-Euler algorithm, and the energies of the
// tree.
#include <string.h>

#include "tree/motion.h"

void fb_tree_clear_forces(const FbTree* tree, FbKinematics* k) {
    memset(k->external, 0, sizeof(FbVec6) * (size_t)tree->n_link);
    memset(k->tau, 0, sizeof(double) * (size_t)tree->n_v);
}

// R I R' w
static inline FbVec3 rotated_inertia_mul(const FbMat3* R, const FbMat3* inertia, FbVec3 w) {
    return fb_mul3(R, fb_mul3(inertia, fb_mul3_transposed(R, w)));
}

// f = d/dt (I V) about the link's origin: force m a_c at the centre, moment I_c alpha + omega x I_c
// omega (eq. 2.7).
static FbVec6 inertial_force(const FbLink* link, const FbMat3* R, FbVec3 w, FbVec6 A) {
    FbVec3 c = fb_mul3(R, link->center);
    FbVec3 a_c = fb_add(fb_velocity_at(A, c), fb_cross(w, fb_cross(w, c)));
    FbVec3 force = fb_scale(link->mass, a_c);
    FbVec3 L = rotated_inertia_mul(R, &link->inertia, w);
    FbVec3 moment = fb_add(rotated_inertia_mul(R, &link->inertia, A.ang), fb_cross(w, L));
    return fb_vec6(fb_add(moment, fb_cross(c, force)), force);
}

// F_parent += F_i about the parent's origin, eq. (2.19).
void fb_tree_pass_force(const FbTree* tree, FbKinematics* k, int i) {
    const FbLink* link = &tree->links[i];
    FbVec6 *to = &k->F[link->parent], f = k->F[i];
    to->ang = fb_add(to->ang, link->has_arm ? fb_add(f.ang, fb_cross(k->arm[i], f.lin)) : f.ang);
    to->lin = fb_add(to->lin, f.lin);
}

void fb_tree_realize_inertial_forces(const FbTree* tree, FbKinematics* k) {
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        k->F[i] =
            link->has_mass ? inertial_force(link, &k->R[i], k->V[i].ang, k->A[i]) : fb_zero6();
    }
}

// Backward pass: r_k = S_k . F_i - tau_k,  F_parent += F_i (eq. 2.8).
void fb_tree_calc_residual(const FbTree* tree, FbKinematics* k, double* r) {
    fb_tree_realize_inertial_forces(tree, k);
    for (int i = tree->n_link - 1; i >= 0; i--) {
        const FbLink* link = &tree->links[i];
        k->F[i] = fb_sub6(k->F[i], k->external[i]);
        for (int j = link->v0; j < link->v0 + link->n_v; j++) {
            r[j] = fb_link_dot(link->kind, &k->S[j], &k->F[i]) - k->tau[j];
        }
        if (link->parent >= 0) {
            fb_tree_pass_force(tree, k, i);
        }
    }
}

void fb_tree_calc_energy(const FbTree* tree, const FbKinematics* k, FbTreeEnergy* out) {
    memset(out, 0, sizeof(*out));
    FbVec3 first_moment = {0, 0, 0};
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        if (!link->has_mass) {
            continue;
        }
        FbVec3 near = fb_link_point(k, i, link->center);
        FbVec3 c = fb_add(fb_base_position(k, i), near);
        FbVec3 v_c = fb_point_velocity(k, i, near);
        FbVec3 L = rotated_inertia_mul(&k->R[i], &link->inertia, k->V[i].ang);
        out->kinetic += 0.5 * (link->mass * fb_dot(v_c, v_c) + fb_dot(k->V[i].ang, L));
        out->potential -= link->mass * fb_dot(tree->gravity, c);
        out->mass += link->mass;
        FbVec3 momentum = fb_scale(link->mass, v_c);
        first_moment = fb_axpy(link->mass, c, first_moment);
        out->momentum = fb_add(out->momentum, momentum);
        out->angular_momentum = fb_add(out->angular_momentum, fb_add(L, fb_cross(c, momentum)));
    }
    out->center = out->mass > 0.0 ? fb_scale(1.0 / out->mass, first_moment) : first_moment;
}
