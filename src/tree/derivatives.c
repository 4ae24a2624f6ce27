// Mass matrix (composite bodies) and analytic derivatives of inverse dynamics with respect to q and
// v, recursive, every vector about the origin of its link.
//
// Moving velocity k's joint by a small amount carries its subtree rigidly along S_k; what does not
// move rigidly is expressed by psi' = V_p x S and psi'' = A_p x S + V_p x psi' (theory manual,
// eqs. 2.12-2.17):
//
//   d f_i / d q_k = S_k x* f_i + I_i psi''_k + 2 B_i psi'_k,
//   d f_i / d v_k = I_i (psi'_k + S'_k) + 2 B_i S_k,
//
// where 2 B m = V x* (I m) - I (V x m) + m x* (I V) reduces to a 6 x 3 matrix because it ignores
// the linear part of m:
//
//   2 B m = (Q alpha - 2 c x (p x alpha), -2 p x alpha),
//   p = m v_c,   Q = [w] I_c - I_c [w] - [I_c w].
#include <string.h>

#include "tree/motion.h"

static FbMat3 rotated(const FbMat3* R, const FbMat3* inertia) {
    FbMat3 RI = fb_mat3_mul(R, inertia);
    FbMat3 out;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            out.m[i][j] =
                RI.m[i][0] * R->m[j][0] + RI.m[i][1] * R->m[j][1] + RI.m[i][2] * R->m[j][2];
            out.m[j][i] = out.m[i][j];
        }
    }
    return out;
}

// Composite layout: b[0..8] the 3x3 block on the angular part (row-major), b[9..11] the momentum p.
static void body_velocity_products(double m, FbVec3 c, const FbMat3* ic, FbVec6 V, double b[12]) {
    FbVec3 w = V.ang;
    FbVec3 v_c = fb_velocity_at(V, c);
    FbVec3 p = fb_scale(m, v_c);
    FbVec3 L = fb_mul3(ic, w);
    double W[3][3] = {{0, -w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}};
    double Lx[3][3] = {{0, -L.z, L.y}, {L.z, 0, -L.x}, {-L.y, L.x, 0}};
    double cv[3] = {c.x, c.y, c.z}, pv[3] = {p.x, p.y, p.z};
    double cp = fb_dot(c, p);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double q = -Lx[i][j];
            for (int l = 0; l < 3; l++) {
                q += W[i][l] * ic->m[l][j] - ic->m[i][l] * W[l][j];
            }
            // -2 [c][p] = -2 (p c' - (c.p) 1)
            b[3 * i + j] = q - 2.0 * (pv[i] * cv[j] - (i == j ? cp : 0.0));
        }
        b[9 + i] = pv[i];
    }
}

static inline FbVec6 velocity_products_mul(const double b[12], FbVec3 alpha) {
    FbVec3 top = {b[0] * alpha.x + b[1] * alpha.y + b[2] * alpha.z,
                  b[3] * alpha.x + b[4] * alpha.y + b[5] * alpha.z,
                  b[6] * alpha.x + b[7] * alpha.y + b[8] * alpha.z};
    return fb_vec6(top, fb_scale(-2.0, fb_cross(fb_vec3_from(b + 9), alpha)));
}

// The angular part of (2 B)' S; its linear part is zero.
static inline FbVec3 velocity_products_mul_transposed(const double b[12], FbVec6 S) {
    FbVec3 s = S.ang;
    FbVec3 top = {b[0] * s.x + b[3] * s.y + b[6] * s.z, b[1] * s.x + b[4] * s.y + b[7] * s.z,
                  b[2] * s.x + b[5] * s.y + b[8] * s.z};
    return fb_axpy(-2.0, fb_cross(S.lin, fb_vec3_from(b + 9)), top);
}

// The composite of link i goes to its parent: momenta about a point that is moved by -r, (2 B)_p =
// 2 B - 2 [r][p] with [r][p] = p r' - (r . p) 1.
static void pass_composite(const FbLink* link, FbKinematics* k, int i, bool with_velocity) {
    FbVec3 r = k->arm[i];
    FbInertia in = link->has_arm ? fb_inertia_shift(&k->Ic[i], r) : k->Ic[i];
    k->Ic[link->parent] = fb_inertia_add(k->Ic[link->parent], in);
    if (!with_velocity) {
        return;
    }
    const double* b = &k->Bc[12 * i];
    double* to = &k->Bc[12 * link->parent];
    for (int j = 0; j < 12; j++) {
        to[j] += b[j];
    }
    if (link->has_arm) {
        double rv[3] = {r.x, r.y, r.z}, rp = fb_dot(r, fb_vec3_from(b + 9));
        for (int j = 0; j < 9; j++) {
            to[j] -= 2.0 * (b[9 + j / 3] * rv[j % 3] - (j % 4 == 0 ? rp : 0.0));
        }
    }
}

static void realize_composites(const FbTree* tree, FbKinematics* k, bool with_velocity) {
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        memset(&k->Ic[i], 0, sizeof(FbInertia));
        if (with_velocity) {
            memset(&k->Bc[12 * i], 0, sizeof(double) * 12);
        }
        if (!link->has_mass) {
            continue;
        }
        FbVec3 c = fb_mul3(&k->R[i], link->center);
        FbMat3 ic = rotated(&k->R[i], &link->inertia);
        k->Ic[i] = fb_inertia_from_center(link->mass, c, &ic);
        if (with_velocity) {
            body_velocity_products(link->mass, c, &ic, k->V[i], &k->Bc[12 * i]);
        }
    }
    for (int i = tree->n_link - 1; i >= 0; i--) {
        if (tree->links[i].parent >= 0 && tree->links[i].carries_mass) {
            pass_composite(&tree->links[i], k, i, with_velocity);
        }
    }
}

// The inertial forces alone, summed over subtrees, into F.
static void realize_subtree_forces(const FbTree* tree, FbKinematics* k) {
    fb_tree_realize_inertial_forces(tree, k);
    for (int i = tree->n_link - 1; i >= 0; i--) {
        if (tree->links[i].parent >= 0 && tree->links[i].carries_mass) {
            fb_tree_pass_force(tree, k, i);
        }
    }
}

void fb_tree_realize_subtrees(const FbTree* tree, FbKinematics* k) {
    realize_composites(tree, k, false);
    realize_subtree_forces(tree, k);
}

void fb_tree_realize_composites(const FbTree* tree, FbKinematics* k) {
    realize_composites(tree, k, false);
}

void fb_tree_add_pattern(const FbTree* tree, FbPatternBuilder* builder) {
    for (int j = 0; j < tree->n_v; j++) {
        for (int i = tree->link_of_v[j]; i >= 0; i = tree->links[i].parent) {
            const FbLink* link = &tree->links[i];
            for (int l = link->v0; l < link->v0 + link->n_v; l++) {
                fb_pattern_builder_add(builder, j, l);
                fb_pattern_builder_add(builder, l, j);
            }
        }
    }
}

// A force about the origin of link i, about that of its parent.
static inline FbVec6 to_parent(const FbLink* link, const FbKinematics* k, int i, FbVec6 f) {
    return link->has_arm ? fb_vec6(fb_add(f.ang, fb_cross(k->arm[i], f.lin)), f.lin) : f;
}

void fb_tree_add_mass_matrix(const FbTree* tree, FbKinematics* k, const FbPattern* vv, double* M) {
    realize_composites(tree, k, false);
    for (int c = 0; c < tree->n_v; c++) {
        if (!tree->links[tree->link_of_v[c]].carries_mass) {
            continue;  // nodes of structures, whose elements have the mass
        }
        FbVec6 U = fb_inertia_mul(&k->Ic[tree->link_of_v[c]], k->S[c]);
        for (int i = tree->link_of_v[c]; i >= 0; i = tree->links[i].parent) {
            const FbLink* link = &tree->links[i];
            for (int l = link->v0; l < link->v0 + link->n_v; l++) {
                double m = fb_link_dot(link->kind, &k->S[l], &U);
                M[fb_pattern_at(vv, l, c)] += m;
                if (i != tree->link_of_v[c]) {
                    M[fb_pattern_at(vv, c, l)] += m;
                }
            }
            U = to_parent(link, k, i, U);
        }
    }
}

typedef struct Values {
    double *M, *C, *K;
} Values;

// The vectors of one column that do not depend on the row (eqs. 2.14-2.17).
typedef struct Column {
    FbVec6 U;        // Ic S
    FbVec6 Y;        // Ic psi'' + 2 Bc psi'
    FbVec6 Z;        // Ic (psi' + S') + 2 Bc S
    FbVec6 carried;  // S x* F
    FbVec3 T;        // (2 Bc)' S, angular part
} Column;

static void calc_column(const FbTree* tree, const FbKinematics* k, int c, Column* col) {
    int i = tree->link_of_v[c];
    const double* B = &k->Bc[12 * i];
    FbVec6 S = k->S[c];
    FbVec6 s_rate = fb_cross_motion(k->V[i], S);
    col->U = fb_inertia_mul(&k->Ic[i], S);
    col->Y =
        fb_add6(fb_inertia_mul(&k->Ic[i], k->psi2[c]), velocity_products_mul(B, k->psi1[c].ang));
    col->Z = fb_add6(fb_inertia_mul(&k->Ic[i], fb_add6(k->psi1[c], s_rate)),
                     velocity_products_mul(B, S.ang));
    col->carried = fb_cross_force(S, k->F[i]);
    col->T = velocity_products_mul_transposed(B, S);
}

// psi' and psi'' about the origin of the velocity's own link, eq. (2.12).
static void realize_psi(const FbTree* tree, FbKinematics* k) {
    for (int c = 0; c < tree->n_v; c++) {
        int i = tree->link_of_v[c], parent = tree->links[i].parent;
        if (!tree->links[i].carries_mass) {
            continue;
        }
        FbVec6 V = fb_zero6(), A = k->A_ground;
        if (parent >= 0) {
            V = fb_velocity_about(k, parent, k->p[i]);
            A = fb_spatial_acceleration_about(k, parent, k->p[i]);
        }
        k->psi1[c] = fb_cross_motion(V, k->S[c]);
        k->psi2[c] = fb_add6(fb_cross_motion(A, k->S[c]), fb_cross_motion(V, k->psi1[c]));
    }
}

// The entries of column c, and of its row, with the velocities of link i; own: that is c's link.
static void add_entries(const FbTree* tree, const FbKinematics* k, const FbPattern* vv, int i,
                        int c, bool is_own, const Column* col, const Values* b) {
    const FbLink* link = &tree->links[i];
    for (int l = link->v0; l < link->v0 + link->n_v; l++) {
        int lc = fb_pattern_at(vv, l, c);
        FbVec6 S = k->S[l];
        double m = fb_link_dot(link->kind, &S, &col->U);
        b->M[lc] += m;
        b->C[lc] += fb_link_dot(link->kind, &S, &col->Z);
        b->K[lc] += fb_link_dot(link->kind, &S, &col->Y);
        if (is_own) {
            continue;
        }
        b->K[lc] += fb_link_dot(link->kind, &S, &col->carried);
        int cl = fb_pattern_at(vv, c, l);
        FbVec6 s_rate = fb_cross_motion(k->V[i], S);
        b->M[cl] += m;
        b->C[cl] += fb_dot6(col->U, fb_add6(k->psi1[l], s_rate)) + fb_dot(col->T, S.ang);
        b->K[cl] += fb_dot6(col->U, k->psi2[l]) + fb_dot(col->T, k->psi1[l].ang);
    }
}

void fb_tree_add_derivatives(const FbTree* tree, FbKinematics* k, const FbPattern* vv, double* M,
                             double* C, double* K) {
    Values b = {M, C, K};
    realize_composites(tree, k, true);
    realize_subtree_forces(tree, k);
    realize_psi(tree, k);
    for (int c = 0; c < tree->n_v; c++) {
        Column col;
        int own = tree->link_of_v[c];
        if (!tree->links[own].carries_mass) {
            continue;
        }
        calc_column(tree, k, c, &col);
        for (int i = own; i >= 0; i = tree->links[i].parent) {
            const FbLink* link = &tree->links[i];
            add_entries(tree, k, vv, i, c, i == own, &col, &b);
            if (link->has_arm) {
                col.U = to_parent(link, k, i, col.U);
                col.Y = to_parent(link, k, i, col.Y);
                col.Z = to_parent(link, k, i, col.Z);
                col.carried = to_parent(link, k, i, col.carried);
            }
        }
    }
}
