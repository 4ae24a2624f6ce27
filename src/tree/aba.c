// Forward dynamics of trees by articulated bodies, in ground axes: O(number of links).
//
// Backward: U = IA S, D = S' U, u = tau - S' pA;  IA_p += IA - U D^-1 U',  pA_p += pA + (IA - U
// D^-1 U') c + U D^-1 u Forward:  a = D^-1 (u - U' (A_p + c)),  A = A_p + c + S a,  with c = V_p x
// S v  (eqs. 2.9-2.11).
#include <string.h>

#include "tree/tree.h"

// Symmetric 6x6, row-major, angular part first.
static void inertia_to_matrix(const FbInertia* in, double m[36]) {
    double h[3] = {in->h.x, in->h.y, in->h.z};
    double io[3][3] = {
        {in->xx, in->xy, in->xz}, {in->xy, in->yy, in->yz}, {in->xz, in->yz, in->zz}};
    double hx[3][3] = {{0, -h[2], h[1]}, {h[2], 0, -h[0]}, {-h[1], h[0], 0}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            m[6 * i + j] = io[i][j];
            m[6 * i + j + 3] = hx[i][j];
            m[6 * (i + 3) + j] = -hx[i][j];
            m[6 * (i + 3) + j + 3] = i == j ? in->m : 0.0;
        }
    }
}

static inline FbVec6 mul66(const double m[36], FbVec6 x) {
    double v[6] = {x.ang.x, x.ang.y, x.ang.z, x.lin.x, x.lin.y, x.lin.z}, r[6];
    for (int i = 0; i < 6; i++) {
        const double* row = m + 6 * i;
        r[i] = row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] * v[3] + row[4] * v[4] +
               row[5] * v[5];
    }
    return (FbVec6){{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}

static inline void subtract_outer(double m[36], double s, FbVec6 a, FbVec6 b) {
    double x[6] = {a.ang.x, a.ang.y, a.ang.z, a.lin.x, a.lin.y, a.lin.z};
    double y[6] = {b.ang.x, b.ang.y, b.ang.z, b.lin.x, b.lin.y, b.lin.z};
    for (int i = 0; i < 6; i++) {
        double f = s * x[i];
        for (int j = 0; j < 6; j++) {
            m[6 * i + j] -= f * y[j];
        }
    }
}

static void start_link(const FbLink* link, FbKinematics* k, int i) {
    FbInertia in = {0};
    k->pA[i] = fb_scale6(-1.0, k->external[i]);
    if (link->has_mass) {
        FbVec3 c = fb_add(k->p[i], fb_mul3(&k->R[i], link->center));
        FbMat3 RI = fb_mat3_mul(&k->R[i], &link->inertia), ic;
        for (int r = 0; r < 3; r++) {
            for (int s = 0; s < 3; s++) {
                ic.m[r][s] = RI.m[r][0] * k->R[i].m[s][0] + RI.m[r][1] * k->R[i].m[s][1] +
                             RI.m[r][2] * k->R[i].m[s][2];
            }
        }
        in = fb_inertia_from_center(link->mass, c, &ic);
        k->pA[i] = fb_add6(k->pA[i], fb_cross_force(k->V[i], fb_inertia_mul(&in, k->V[i])));
    }
    inertia_to_matrix(&in, &k->IA[36 * i]);
}

// Inverse of a symmetric 1x1 or 3x3 D; false if it is not positive definite to working precision.
static bool invert_small(int n, const double d[9], double inv[9]) {
    if (n == 1) {
        inv[0] = 1.0 / d[0];
        return d[0] > 0.0 && isfinite(inv[0]);
    }
    double c00 = d[4] * d[8] - d[5] * d[7], c01 = d[5] * d[6] - d[3] * d[8],
           c02 = d[3] * d[7] - d[4] * d[6];
    double det = d[0] * c00 + d[1] * c01 + d[2] * c02;
    double size = (fabs(d[0]) + fabs(d[4]) + fabs(d[8])) / 3.0;
    if (!(det > 1e-14 * size * size * size)) {
        return false;
    }
    double f = 1.0 / det;
    inv[0] = f * c00;
    inv[1] = f * (d[2] * d[7] - d[1] * d[8]);
    inv[2] = f * (d[1] * d[5] - d[2] * d[4]);
    inv[3] = f * c01;
    inv[4] = f * (d[0] * d[8] - d[2] * d[6]);
    inv[5] = f * (d[2] * d[3] - d[0] * d[5]);
    inv[6] = f * c02;
    inv[7] = f * (d[1] * d[6] - d[0] * d[7]);
    inv[8] = f * (d[0] * d[4] - d[1] * d[3]);
    return true;
}

static FbVec6 velocity_bias(const FbLink* link, const FbKinematics* k, const double* v) {
    FbVec6 c = fb_zero6();
    if (link->parent >= 0) {
        for (int j = link->v0; j < link->v0 + link->n_v; j++) {
            c = fb_axpy6(v[j], k->S[j], c);
        }
        c = fb_cross_motion(k->V[link->parent], c);
    }
    return c;
}

// Eliminates the link's own motion; returns false where it has no inertia along it.
static bool eliminate(const FbLink* link, FbKinematics* k, int i) {
    int n = link->n_v;
    double* IA = &k->IA[36 * i];
    double D[9], *inv = &k->Dinv[9 * i];
    for (int a = 0; a < n; a++) {
        k->U[link->v0 + a] = mul66(IA, k->S[link->v0 + a]);
        k->u[link->v0 + a] = k->tau[link->v0 + a] - fb_dot6(k->S[link->v0 + a], k->pA[i]);
    }
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            D[n * a + b] = fb_dot6(k->S[link->v0 + a], k->U[link->v0 + b]);
        }
    }
    if (n > 0 && !invert_small(n, D, inv)) {
        return false;
    }
    return true;
}

static void pass_to_parent(const FbLink* link, FbKinematics* k, int i, const double* v) {
    int n = link->n_v;
    double* IA = &k->IA[36 * i];
    const double* inv = &k->Dinv[9 * i];
    FbVec6 push = k->pA[i];
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            subtract_outer(IA, inv[n * a + b], k->U[link->v0 + a], k->U[link->v0 + b]);
            push = fb_axpy6(inv[n * a + b] * k->u[link->v0 + b], k->U[link->v0 + a], push);
        }
    }
    push = fb_add6(push, mul66(IA, velocity_bias(link, k, v)));
    int parent = link->parent;
    k->pA[parent] = fb_add6(k->pA[parent], push);
    for (int j = 0; j < 36; j++) {
        k->IA[36 * parent + j] += IA[j];
    }
}

int fb_tree_calc_accelerations(const FbTree* tree, const double* v, FbKinematics* k, double* a) {
    for (int i = 0; i < tree->n_link; i++) {
        start_link(&tree->links[i], k, i);
    }
    for (int i = tree->n_link - 1; i >= 0; i--) {
        const FbLink* link = &tree->links[i];
        if (!eliminate(link, k, i)) {
            return link->v0;
        }
        if (link->parent >= 0) {
            pass_to_parent(link, k, i, v);
        }
    }
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        FbVec6 A = fb_add6(link->parent >= 0 ? k->A[link->parent] : k->A_ground,
                           velocity_bias(link, k, v));
        double rest[FB_MAX_LINK_V];
        for (int j = 0; j < link->n_v; j++) {
            rest[j] = k->u[link->v0 + j] - fb_dot6(k->U[link->v0 + j], A);
        }
        for (int j = 0; j < link->n_v; j++) {
            double x = 0.0;
            for (int l = 0; l < link->n_v; l++) {
                x += k->Dinv[9 * i + link->n_v * j + l] * rest[l];
            }
            a[link->v0 + j] = x;
        }
        for (int j = 0; j < link->n_v; j++) {
            A = fb_axpy6(a[link->v0 + j], k->S[link->v0 + j], A);
        }
        k->A[i] = A;
    }
    return -1;
}
