// Forward passes over the tree: poses, motion subspaces, velocities, accelerations; charts of the
// coordinates.
#include <string.h>

#include "math/rotation.h"
#include "tree/articulated.h"

FbStatus fb_kinematics_init_position(const FbTree* tree, FbArena* arena, FbKinematics* k,
                                     FbError* err) {
    int n = tree->n_link > 0 ? tree->n_link : 1;
    int nv = tree->n_v > 0 ? tree->n_v : 1;
    *k = (FbKinematics){.tree = tree,
                        .A_ground = fb_vec6(fb_vec3(0, 0, 0), fb_scale(-1.0, tree->gravity))};
    k->R = FB_TAKE(arena, FbMat3, n);
    k->p = FB_TAKE(arena, FbVec3, n);
    k->arm = FB_TAKE(arena, FbVec3, n);
    k->base_p = FB_TAKE(arena, FbVec3, n);
    k->base_q = FB_TAKE(arena, FbVec3, n);
    k->S = FB_TAKE(arena, FbVec6, nv);
    k->charts = FB_TAKE(arena, FbChartState, tree->n_charts + 1);
    return fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
}

FbStatus fb_kinematics_init(const FbTree* tree, FbArena* arena, FbKinematics* k, FbError* err) {
    int n = tree->n_link > 0 ? tree->n_link : 1;
    int nv = tree->n_v > 0 ? tree->n_v : 1;
    FB_TRY(fb_kinematics_init_position(tree, arena, k, err));
    k->base_v = FB_TAKE(arena, FbVec3, n);
    k->V = FB_TAKE(arena, FbVec6, n);
    k->A = FB_TAKE(arena, FbVec6, n);
    k->F = FB_TAKE(arena, FbVec6, n);
    k->external = FB_TAKE(arena, FbVec6, n);
    k->tau = FB_TAKE(arena, double, nv);
    k->Ic = FB_TAKE(arena, FbInertia, n);
    k->Bc = FB_TAKE(arena, double, 12 * n);
    k->psi1 = FB_TAKE(arena, FbVec6, nv);
    k->psi2 = FB_TAKE(arena, FbVec6, nv);
    k->IA = FB_TAKE(arena, FbArticulated, n);
    k->pA = FB_TAKE(arena, FbVec6, n);
    k->c = FB_TAKE(arena, FbVec6, n);
    k->U = FB_TAKE(arena, FbVec6, nv);
    k->D = FB_TAKE(arena, double, 6 * n);
    k->u = FB_TAKE(arena, double, nv);
    fb_long_bodies_init(tree, arena, k);
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

// Turns the joint frame R by the link's own motion, adds its displacement to the arm and writes its
// columns S, eq. (2.2).
static void move_link(const FbLink* link, const double* q, FbMat3* R, FbVec3* arm, FbVec6* S) {
    FbVec3 zero = {0, 0, 0};
    FbVec3 axis;
    switch (link->kind) {
        case FB_LINK_FIXED:
            return;
        case FB_LINK_TURN:
            axis = fb_scale(link->sign, fb_mat3_col(R, link->axis));
            turn_columns(R, link->axis, link->sign * q[0]);
            S[0] = fb_vec6(axis, zero);
            return;
        case FB_LINK_SLIDE:
            axis = fb_scale(link->sign, fb_mat3_col(R, link->axis));
            *arm = fb_axpy(q[0], axis, *arm);
            S[0] = fb_vec6(zero, axis);
            return;
        case FB_LINK_SCREW:
            axis = fb_scale(link->sign, fb_mat3_col(R, link->axis));
            turn_columns(R, link->axis, link->sign * q[0]);
            *arm = fb_axpy(link->pitch * q[0], axis, *arm);
            S[0] = fb_vec6(axis, fb_scale(link->pitch, axis));
            return;
        case FB_LINK_TRANSLATE3:
            for (int j = 0; j < 3; j++) {
                axis = fb_scale(link->sign, fb_mat3_col(R, j));
                *arm = fb_axpy(q[j], axis, *arm);
                S[j] = fb_vec6(zero, axis);
            }
            return;
        case FB_LINK_BALL: {
            FbMat3 turn = fb_rotation_from_quaternion(q);
            *R = fb_mat3_mul(R, &turn);
            for (int j = 0; j < 3; j++) {
                S[j] = fb_vec6(fb_mat3_col(R, j), zero);
            }
            return;
        }
    }
}

void fb_tree_find_base(FbTree* tree, int i) {
    FbLink* link = &tree->links[i];
    const FbLink* parent = link->parent >= 0 ? &tree->links[link->parent] : NULL;
    link->is_base_moving = fb_link_keeps_axes(link->kind) && (!parent || parent->is_base_moving);
    link->base = !parent || link->is_base_moving ? i : parent->base;
    bool is_turn =
        link->kind == FB_LINK_TURN || link->kind == FB_LINK_BALL || link->kind == FB_LINK_FIXED;
    link->has_arm = !(is_turn && fb_dot(link->p_PJ, link->p_PJ) == 0.0);
}

// R and p of eq. (2.1), the position from the base.
void fb_tree_realize_position(const FbTree* tree, const double* q, FbKinematics* k) {
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        int parent = link->parent;
        bool is_turned = link->chart > 0 && k->charts[link->chart - 1].is_changed;
        FbMat3 R = is_turned ? k->charts[link->chart - 1].R_PJ : link->R_PJ;
        FbVec3 zero = {0, 0, 0}, arm = zero;
        if (parent >= 0) {
            R = fb_mat3_mul(&k->R[parent], &R);
            arm = link->has_arm ? fb_mul3(&k->R[parent], link->p_PJ) : zero;
        }
        if (link->base == i) {
            k->base_p[i] = parent >= 0 ? fb_add(k->base_p[parent], arm) : link->p_PJ;
            FbVec3 moved = zero;
            move_link(link, q + link->q0, &R, &moved, k->S + link->v0);
            arm = fb_add(arm, moved);
            k->base_q[i] = parent >= 0 ? fb_add(k->base_q[parent], moved) : moved;
            k->p[i] = zero;
            if (!link->is_base_moving) {
                k->base_q[i] = zero;
                k->p[i] = moved;
            }
        } else {
            move_link(link, q + link->q0, &R, &arm, k->S + link->v0);
            k->p[i] = link->has_arm ? fb_add(k->p[parent], arm) : k->p[parent];
        }
        k->R[i] = R;
        k->arm[i] = arm;
    }
}

// S x of one link's own joint.
static inline FbVec6 joint_motion(const FbLink* link, const FbVec6* S, const double* x) {
    FbVec3 zero = {0, 0, 0};
    S += link->v0;
    x += link->v0;
    switch (link->kind) {
        case FB_LINK_TURN:
            return fb_vec6(fb_scale(x[0], S[0].ang), zero);
        case FB_LINK_SLIDE:
            return fb_vec6(zero, fb_scale(x[0], S[0].lin));
        case FB_LINK_SCREW:
            return fb_scale6(x[0], S[0]);
        case FB_LINK_TRANSLATE3:
            return fb_vec6(
                zero, fb_axpy(x[2], S[2].lin, fb_axpy(x[1], S[1].lin, fb_scale(x[0], S[0].lin))));
        case FB_LINK_BALL:
            return fb_vec6(
                fb_axpy(x[2], S[2].ang, fb_axpy(x[1], S[1].ang, fb_scale(x[0], S[0].ang))), zero);
        case FB_LINK_FIXED:
            break;
    }
    return fb_zero6();
}

// V, and c of eq. (2.6): the acceleration that velocities alone cause.
void fb_tree_realize_velocity(const FbTree* tree, const double* v, FbKinematics* k) {
    FbVec3 zero = {0, 0, 0};
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        int parent = link->parent;
        FbVec6 own = joint_motion(link, k->S, v);
        if (link->base == i) {
            FbVec3 before = link->is_base_moving && parent >= 0 ? k->base_v[parent] : zero;
            k->base_v[i] = link->is_base_moving ? fb_add(before, own.lin) : zero;
            k->V[i] = link->is_base_moving ? fb_zero6() : own;
            k->c[i] = fb_zero6();
            continue;
        }
        FbVec6 V = k->V[parent];
        FbVec3 w = V.ang;
        FbVec3 swing = link->has_arm ? fb_cross(w, k->arm[i]) : zero;
        k->V[i] = (FbVec6){fb_add(w, own.ang), fb_add(V.lin, fb_add(swing, own.lin))};
        k->c[i].ang = fb_cross(w, own.ang);
        k->c[i].lin = link->has_arm ? fb_cross(w, fb_axpy(2.0, own.lin, swing)) : zero;
    }
}

// A_i = A_p about the link's origin + S a + c, eq. (2.6).
void fb_tree_realize_acceleration(const FbTree* tree, const double* a, FbKinematics* k) {
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        FbVec6 A = k->A_ground;
        if (link->parent >= 0) {
            A = fb_add6(k->A[link->parent], k->c[i]);
            if (link->has_arm) {
                A.lin = fb_add(A.lin, fb_cross(k->A[link->parent].ang, k->arm[i]));
            }
        }
        k->A[i] = fb_add6(A, joint_motion(link, k->S, a));
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
