// Forward dynamics of trees by articulated bodies: O(number of links).
//
// Inwards:  U = I S, D = S' U, u = tau - S' p;  Ia = I - U D^-1 U',  pa = p + Ia c + U D^-1 u, both
// passed on to the parent about its own origin (eqs. 2.9, 2.10, 2.19).
// Outwards: a = D^-1 (u - U' (A_p + c)),  A = A_p + c + S a  (eq. 2.11).
// Balls and three translations are eliminated as blocks, so that what they cannot transmit is
// exactly zero (eqs. 2.21, 2.22).
#include <float.h>

#include "tree/articulated.h"

// A pivot that is smaller than this part of what it was computed from is rounding.
static const double SMALLEST_PIVOT = 16.0 * DBL_EPSILON;

// The body's inertia about the link's origin and the force that it needs to move on.
static void start_link(const FbLink* link, FbKinematics* k, int i) {
    FbArticulated* I = &k->IA[i];
    k->pA[i] = fb_scale6(-1.0, k->external[i]);
    if (!link->has_mass) {
        *I = (FbArticulated){{0}, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {0}};
        return;
    }
    const FbMat3* R = &k->R[i];
    FbVec3 c = fb_mul3(R, link->center), h = fb_scale(link->mass, c), w = k->V[i].ang;
    FbMat3 RI = fb_mat3_mul(R, &link->inertia);
    double J[6];
    for (int r = 0, n = 0; r < 3; r++) {
        for (int s = r; s < 3; s++, n++) {
            J[n] = RI.m[r][0] * R->m[s][0] + RI.m[r][1] * R->m[s][1] + RI.m[r][2] * R->m[s][2];
        }
    }
    FbVec3 spin = fb_cross(w, fb_sym3_mul(J, w)), pull = fb_cross(w, fb_cross(w, h));
    k->pA[i].ang = fb_add(k->pA[i].ang, fb_add(spin, fb_cross(c, pull)));
    k->pA[i].lin = fb_add(k->pA[i].lin, pull);
    I->J[0] = J[0] + (h.y * c.y + h.z * c.z);
    I->J[1] = J[1] - h.x * c.y;
    I->J[2] = J[2] - h.x * c.z;
    I->J[3] = J[3] + (h.x * c.x + h.z * c.z);
    I->J[4] = J[4] - h.y * c.z;
    I->J[5] = J[5] + (h.x * c.x + h.y * c.y);
    I->H[0] = fb_vec3(0, -h.z, h.y);
    I->H[1] = fb_vec3(h.z, 0, -h.x);
    I->H[2] = fb_vec3(-h.y, h.x, 0);
    I->M[0] = I->M[3] = I->M[5] = link->mass;
    I->M[1] = I->M[2] = I->M[4] = 0.0;
}

// L D L' of a symmetric 3x3: d = D0, L10, L20, D1, L21, D2; false unless it is positive definite to
// working precision.
static bool factor3(const double s[6], double d[6]) {
    d[0] = s[0];
    d[1] = s[1] / d[0];
    d[2] = s[2] / d[0];
    d[3] = s[3] - d[1] * s[1];
    double x = s[4] - d[2] * s[1];
    d[4] = x / d[3];
    d[5] = s[5] - d[2] * s[2] - d[4] * x;
    return d[0] > 0.0 && d[3] > SMALLEST_PIVOT * s[3] && d[5] > SMALLEST_PIVOT * s[5] &&
           isfinite(1.0 / d[0]) && isfinite(d[5]);
}

static inline FbVec3 solve3(const double d[6], FbVec3 b) {
    double y = b.y - d[1] * b.x, z = (b.z - d[2] * b.x - d[4] * y) / d[5];
    y = y / d[3] - d[4] * z;
    return (FbVec3){b.x / d[0] - d[1] * y - d[2] * z, y, z};
}

// X[j] = A^-1 b[j], column by column.
static void solve_columns(const double d[6], const FbVec3 b[3], FbVec3 x[3]) {
    for (int j = 0; j < 3; j++) {
        x[j] = solve3(d, b[j]);
    }
}

static inline FbVec3 column3(const FbVec3 rows[3], int j) {
    return j == 0   ? (FbVec3){rows[0].x, rows[1].x, rows[2].x}
           : j == 1 ? (FbVec3){rows[0].y, rows[1].y, rows[2].y}
                    : (FbVec3){rows[0].z, rows[1].z, rows[2].z};
}

// s -= the symmetric part of (a_i . b_j).
static inline void subtract_products(double s[6], const FbVec3 a[3], const FbVec3 b[3]) {
    for (int i = 0, n = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, n++) {
            s[n] -= fb_dot(a[i], b[j]);
        }
    }
}

// The torque, or the force, of a block's own drives in ground axes.
static FbVec3 block_drive(const FbLink* link, const FbKinematics* k) {
    FbVec3 sum = {0, 0, 0};
    for (int j = link->v0; j < link->v0 + 3; j++) {
        sum = fb_axpy(k->tau[j], link->kind == FB_LINK_BALL ? k->S[j].ang : k->S[j].lin, sum);
    }
    return sum;
}

// Eliminates the turns of a ball, eq. (2.21): what is left is a mass; the moment is its drives'.
// The columns of J^-1 H stay in U[].ang, J^-1 (drive - n) in U[].lin of the first.
static bool eliminate_ball(const FbLink* link, FbKinematics* k, int i) {
    FbArticulated* I = &k->IA[i];
    FbVec6 *p = &k->pA[i], *U = &k->U[link->v0];
    double* d = &k->D[6 * i];
    if (!factor3(I->J, d)) {
        return false;
    }
    FbVec3 drive = block_drive(link, k), g = solve3(d, fb_sub(drive, p->ang)), h[3], x[3];
    for (int j = 0; j < 3; j++) {
        h[j] = column3(I->H, j);
    }
    solve_columns(d, h, x);
    U[0] = fb_vec6(x[0], g);
    U[1].ang = x[1];
    U[2].ang = x[2];
    if (link->parent >= 0) {
        subtract_products(I->M, h, x);
        p->lin = fb_add(p->lin, fb_rows3_mul_transposed(I->H, g));
        p->lin = fb_add(p->lin, fb_sym3_mul(I->M, k->c[i].lin));
        p->ang = drive;
    }
    return true;
}

// Eliminates three translations, eq. (2.22): a moment of inertia is left, and the drives' force.
static bool eliminate_translations(const FbLink* link, FbKinematics* k, int i) {
    FbArticulated* I = &k->IA[i];
    FbVec6 *p = &k->pA[i], *U = &k->U[link->v0];
    double* d = &k->D[6 * i];
    if (!factor3(I->M, d)) {
        return false;
    }
    FbVec3 drive = block_drive(link, k), g = solve3(d, fb_sub(drive, p->lin)), x[3];
    solve_columns(d, I->H, x);
    U[0] = fb_vec6(x[0], g);
    U[1].ang = x[1];
    U[2].ang = x[2];
    if (link->parent >= 0) {
        subtract_products(I->J, I->H, x);
        p->ang = fb_add(p->ang, fb_rows3_mul(I->H, g));
        p->lin = drive;
    }
    return true;
}

static inline void subtract_outer(FbArticulated* I, FbVec6 U, FbVec6 x) {
    I->J[0] -= U.ang.x * x.ang.x;
    I->J[1] -= U.ang.x * x.ang.y;
    I->J[2] -= U.ang.x * x.ang.z;
    I->J[3] -= U.ang.y * x.ang.y;
    I->J[4] -= U.ang.y * x.ang.z;
    I->J[5] -= U.ang.z * x.ang.z;
    I->H[0] = fb_axpy(-U.ang.x, x.lin, I->H[0]);
    I->H[1] = fb_axpy(-U.ang.y, x.lin, I->H[1]);
    I->H[2] = fb_axpy(-U.ang.z, x.lin, I->H[2]);
    I->M[0] -= U.lin.x * x.lin.x;
    I->M[1] -= U.lin.x * x.lin.y;
    I->M[2] -= U.lin.x * x.lin.z;
    I->M[3] -= U.lin.y * x.lin.y;
    I->M[4] -= U.lin.y * x.lin.z;
    I->M[5] -= U.lin.z * x.lin.z;
}

// Eliminates one motion, eqs. (2.9), (2.10).
static bool eliminate_one(const FbLink* link, FbKinematics* k, int i) {
    FbArticulated* I = &k->IA[i];
    FbVec6 S = k->S[link->v0], U;
    if (link->kind == FB_LINK_TURN) {
        U = fb_vec6(fb_sym3_mul(I->J, S.ang), fb_rows3_mul_transposed(I->H, S.ang));
        k->D[6 * i] = fb_dot(S.ang, U.ang);
        k->u[link->v0] = k->tau[link->v0] - fb_dot(S.ang, k->pA[i].ang);
    } else {
        U = fb_articulated_mul(I, S);
        k->D[6 * i] = fb_dot6(S, U);
        k->u[link->v0] = k->tau[link->v0] - fb_dot6(S, k->pA[i]);
    }
    k->U[link->v0] = U;
    double f = 1.0 / k->D[6 * i];
    if (!(k->D[6 * i] > 0.0 && isfinite(f))) {
        return false;
    }
    if (link->parent >= 0) {
        subtract_outer(I, U, fb_scale6(f, U));
        k->pA[i] = fb_axpy6(f * k->u[link->v0], U, k->pA[i]);
        k->pA[i] = fb_add6(k->pA[i], fb_articulated_mul(I, k->c[i]));
    }
    return true;
}

// Eliminates the link's own motion; returns false where it has no inertia along it.
static bool eliminate(const FbLink* link, FbKinematics* k, int i) {
    switch (link->kind) {
        case FB_LINK_FIXED:
            if (link->parent >= 0) {
                k->pA[i] = fb_add6(k->pA[i], fb_articulated_mul(&k->IA[i], k->c[i]));
            }
            return true;
        case FB_LINK_BALL:
            return eliminate_ball(link, k, i);
        case FB_LINK_TRANSLATE3:
            return eliminate_translations(link, k, i);
        default:
            return eliminate_one(link, k, i);
    }
}

static inline void add6(const double x[6], double y[6]) {
    for (int j = 0; j < 6; j++) {
        y[j] += x[j];
    }
}

// J += Z + Z', with the columns of Z given.
static inline void add_symmetric(const FbVec3 z[3], double J[6]) {
    J[0] += 2.0 * z[0].x;
    J[1] += z[1].x + z[0].y;
    J[2] += z[2].x + z[0].z;
    J[3] += 2.0 * z[1].y;
    J[4] += z[2].y + z[1].z;
    J[5] += 2.0 * z[2].z;
}

// Adds what is left of link i to its parent, about the parent's origin, eq. (2.19):
// H_p += H + N, J_p += J + Z + Z' with N = [r] M, Z = [r] (H + N/2)'.
static void pass_to_parent(const FbLink* link, FbKinematics* k, int i) {
    const FbArticulated* I = &k->IA[i];
    FbArticulated* P = &k->IA[link->parent];
    FbVec6 *p = &k->pA[link->parent], f = k->pA[i];
    bool has_ball = link->kind == FB_LINK_BALL, has_force = link->kind != FB_LINK_TRANSLATE3;
    FbVec3 r = k->arm[i];
    p->ang = fb_add(p->ang, link->has_arm ? fb_add(f.ang, fb_cross(r, f.lin)) : f.ang);
    p->lin = fb_add(p->lin, f.lin);
    if (!has_ball) {
        add6(I->J, P->J);
    }
    if (!has_force) {
        return;
    }
    add6(I->M, P->M);
    for (int j = 0; j < 3 && !has_ball; j++) {
        P->H[j] = fb_add(P->H[j], I->H[j]);
    }
    if (!link->has_arm) {
        return;
    }
    const double* M = I->M;
    FbVec3 n[3] = {fb_cross(r, fb_vec3(M[0], M[1], M[2])), fb_cross(r, fb_vec3(M[1], M[3], M[4])),
                   fb_cross(r, fb_vec3(M[2], M[4], M[5]))};
    FbVec3 z[3];
    for (int j = 0; j < 3; j++) {
        FbVec3 row = column3(n, j);
        P->H[j] = fb_add(P->H[j], row);
        z[j] = fb_cross(r, has_ball ? fb_scale(0.5, row) : fb_axpy(0.5, row, I->H[j]));
    }
    add_symmetric(z, P->J);
}

// The link's motion when its parent and all velocities are known; A: about its origin, with c.
static void move_block(const FbLink* link, FbKinematics* k, int i, FbVec6 A, double* a) {
    const FbVec6* U = &k->U[link->v0];
    FbVec3 by = link->kind == FB_LINK_BALL ? A.lin : A.ang;
    FbVec3 x = {fb_dot(fb_vec3(U[0].ang.x, U[1].ang.x, U[2].ang.x), by),
                fb_dot(fb_vec3(U[0].ang.y, U[1].ang.y, U[2].ang.y), by),
                fb_dot(fb_vec3(U[0].ang.z, U[1].ang.z, U[2].ang.z), by)};
    FbVec3 moved = fb_sub(U[0].lin, x);
    FbVec3 own = fb_sub(moved, link->kind == FB_LINK_BALL ? A.ang : A.lin);
    for (int j = 0; j < 3; j++) {
        const FbVec6* S = &k->S[link->v0 + j];
        a[link->v0 + j] = fb_dot(link->kind == FB_LINK_BALL ? S->ang : S->lin, own);
    }
    k->A[i] = link->kind == FB_LINK_BALL ? fb_vec6(moved, A.lin) : fb_vec6(A.ang, moved);
}

static void move_outwards(const FbTree* tree, FbKinematics* k, double* a) {
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        FbVec6 A = k->A_ground;
        if (link->parent >= 0) {
            A = fb_add6(k->A[link->parent], k->c[i]);
            if (link->has_arm) {
                A.lin = fb_add(A.lin, fb_cross(k->A[link->parent].ang, k->arm[i]));
            }
        }
        if (link->n_v == 3) {
            move_block(link, k, i, A, a);
        } else if (link->n_v == 1) {
            double x = (k->u[link->v0] - fb_dot6(k->U[link->v0], A)) / k->D[6 * i];
            a[link->v0] = x;
            k->A[i] = fb_axpy6(x, k->S[link->v0], A);
        } else {
            k->A[i] = A;
        }
    }
}

int fb_tree_calc_accelerations(const FbTree* tree, FbKinematics* k, double* a) {
    if (k->long_bodies) {
        return fb_long_bodies_calc_accelerations(tree, k, a);
    }
    for (int i = 0; i < tree->n_link; i++) {
        start_link(&tree->links[i], k, i);
    }
    for (int i = tree->n_link - 1; i >= 0; i--) {
        const FbLink* link = &tree->links[i];
        if (!eliminate(link, k, i)) {
            return link->v0;
        }
        if (link->parent >= 0) {
            pass_to_parent(link, k, i);
        }
    }
    move_outwards(tree, k, a);
    return -1;
}
