// Forward passes over the tree: poses, motion subspaces, velocities, accelerations; charts of the
// coordinates.
#include <string.h>

#include "math/rotation.h"
#include "tree/tree.h"

FbStatus fb_kinematics_init(const FbTree* tree, FbArena* arena, FbKinematics* k, FbError* err) {
    int n = tree->n_link > 0 ? tree->n_link : 1;
    int nv = tree->n_v > 0 ? tree->n_v : 1;
    k->A_ground = fb_vec6(fb_vec3(0, 0, 0), fb_scale(-1.0, tree->gravity));
    k->R = FB_TAKE(arena, FbMat3, n);
    k->p = FB_TAKE(arena, FbVec3, n);
    k->V = FB_TAKE(arena, FbVec6, n);
    k->A = FB_TAKE(arena, FbVec6, n);
    k->F = FB_TAKE(arena, FbVec6, n);
    k->S = FB_TAKE(arena, FbVec6, nv);
    k->external = FB_TAKE(arena, FbVec6, n);
    k->tau = FB_TAKE(arena, double, nv);
    k->Ic = FB_TAKE(arena, FbInertia, n);
    k->Bc = FB_TAKE(arena, double, 12 * n);
    k->psi1 = FB_TAKE(arena, FbVec6, nv);
    k->psi2 = FB_TAKE(arena, FbVec6, nv);
    k->IA = FB_TAKE(arena, double, 36 * n);
    k->pA = FB_TAKE(arena, FbVec6, n);
    k->U = FB_TAKE(arena, FbVec6, nv);
    k->Dinv = FB_TAKE(arena, double, 9 * n);
    k->u = FB_TAKE(arena, double, nv);
    return fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
}

// R Rot(axis, angle): only two columns change.
static void turn_columns(FbMat3* R, int axis, double angle) {
    double c = cos(angle), s = sin(angle);
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    for (int r = 0; r < 3; r++) {
        double x = R->m[r][i], y = R->m[r][j];
        R->m[r][i] = c * x + s * y;
        R->m[r][j] = c * y - s * x;
    }
}

// Moves the joint frame (R, p) by the link's own motion and writes its columns S.
static void move_link(const FbLink* link, const double* q, FbMat3* R, FbVec3* p, FbVec6* S) {
    FbVec3 zero = {0, 0, 0};
    FbVec3 axis;
    switch (link->kind) {
        case FB_LINK_FIXED:
            return;
        case FB_LINK_TURN:
            axis = fb_scale(link->sign, fb_mat3_col(R, link->axis));
            turn_columns(R, link->axis, link->sign * q[0]);
            S[0] = fb_vec6(axis, fb_cross(*p, axis));
            return;
        case FB_LINK_SLIDE:
            axis = fb_scale(link->sign, fb_mat3_col(R, link->axis));
            *p = fb_axpy(q[0], axis, *p);
            S[0] = fb_vec6(zero, axis);
            return;
        case FB_LINK_SCREW:
            axis = fb_scale(link->sign, fb_mat3_col(R, link->axis));
            turn_columns(R, link->axis, link->sign * q[0]);
            *p = fb_axpy(link->pitch * q[0], axis, *p);
            S[0] = fb_vec6(axis, fb_axpy(link->pitch, axis, fb_cross(*p, axis)));
            return;
        case FB_LINK_TRANSLATE3:
            for (int j = 0; j < 3; j++) {
                axis = fb_scale(link->sign, fb_mat3_col(R, j));
                *p = fb_axpy(q[j], axis, *p);
                S[j] = fb_vec6(zero, axis);
            }
            return;
        case FB_LINK_BALL: {
            FbMat3 turn = fb_rotation_from_quaternion(q);
            *R = fb_mat3_mul(R, &turn);
            for (int j = 0; j < 3; j++) {
                axis = fb_mat3_col(R, j);
                S[j] = fb_vec6(axis, fb_cross(*p, axis));
            }
            return;
        }
    }
}

void fb_tree_realize_position(const FbTree* tree, const double* q, FbKinematics* k) {
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        FbMat3 R = link->R_PJ;
        FbVec3 p = link->p_PJ;
        if (link->parent >= 0) {
            R = fb_mat3_mul(&k->R[link->parent], &link->R_PJ);
            p = fb_add(k->p[link->parent], fb_mul3(&k->R[link->parent], link->p_PJ));
        }
        move_link(link, q + link->q0, &R, &p, k->S + link->v0);
        k->R[i] = R;
        k->p[i] = p;
    }
}

// S v of one link's own joint.
static inline FbVec6 joint_motion(const FbLink* link, const FbVec6* S, const double* x) {
    FbVec6 m = fb_scale6(x[link->v0], S[link->v0]);
    for (int j = 1; j < link->n_v; j++) {
        m = fb_axpy6(x[link->v0 + j], S[link->v0 + j], m);
    }
    return m;
}

void fb_tree_realize_velocity(const FbTree* tree, const double* v, FbKinematics* k) {
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        FbVec6 V = link->parent >= 0 ? k->V[link->parent] : fb_zero6();
        k->V[i] = link->n_v > 0 ? fb_add6(V, joint_motion(link, k->S, v)) : V;
    }
}

// A_i = A_p + S a + V_p x (S v), eq. (2.6).
void fb_tree_realize_acceleration(const FbTree* tree, const double* v, const double* a,
                                  FbKinematics* k) {
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        int parent = link->parent;
        FbVec6 A = parent >= 0 ? k->A[parent] : k->A_ground;
        if (link->n_v > 0) {
            A = fb_add6(A, joint_motion(link, k->S, a));
            if (parent >= 0) {
                A = fb_add6(A, fb_cross_motion(k->V[parent], joint_motion(link, k->S, v)));
            }
        }
        k->A[i] = A;
    }
}

void fb_tree_plus(const FbTree* tree, const double* q0, const double* xi, double* q) {
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        if (link->kind == FB_LINK_BALL) {
            fb_quaternion_plus(q0 + link->q0, fb_vec3_from(xi + link->v0), q + link->q0);
            continue;
        }
        for (int j = 0; j < link->n_v; j++) {
            q[link->q0 + j] = q0[link->q0 + j] + xi[link->v0 + j];
        }
    }
}

void fb_tree_minus(const FbTree* tree, const double* q, const double* q0, double* xi) {
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        if (link->kind == FB_LINK_BALL) {
            fb_vec3_to(fb_quaternion_minus(q + link->q0, q0 + link->q0), xi + link->v0);
            continue;
        }
        for (int j = 0; j < link->n_v; j++) {
            xi[link->v0 + j] = q[link->q0 + j] - q0[link->q0 + j];
        }
    }
}

void fb_tree_chart_rate(const FbTree* tree, const double* xi, const double* v, double* xi_rate) {
    memcpy(xi_rate, v, sizeof(double) * (size_t)tree->n_v);
    for (int b = 0; b < tree->n_ball; b++) {
        int j = tree->ball_v[b];
        fb_vec3_to(fb_rotation_chart_rate(fb_vec3_from(xi + j), fb_vec3_from(v + j)), xi_rate + j);
    }
}

void fb_tree_coordinate_rates(const FbTree* tree, const double* q, const double* v,
                              double* q_rate) {
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        if (link->kind == FB_LINK_BALL) {
            fb_quaternion_rate(q + link->q0, fb_vec3_from(v + link->v0), q_rate + link->q0);
            continue;
        }
        for (int j = 0; j < link->n_v; j++) {
            q_rate[link->q0 + j] = v[link->v0 + j];
        }
    }
}

void fb_tree_normalize(const FbTree* tree, double* q) {
    for (int b = 0; b < tree->n_ball; b++) {
        fb_quaternion_normalize(q + tree->links[tree->ball_link[b]].q0);
    }
}
