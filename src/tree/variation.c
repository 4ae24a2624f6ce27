// Derivatives of inverse dynamics as recursions (see variation.h).
#include "tree/variation.h"

#include <assert.h>
#include <string.h>

#include "math/mat3.h"

void fb_variation_init(const FbTree* tree, FbArena* arena, FbVariation* x) {
    x->tree = tree;
    x->links = FB_TAKE(arena, FbLinkVariation, tree->n_link + 1);
    x->columns = FB_TAKE(arena, FbColumnVariation, tree->n_v + 1);
    x->motion = FB_TAKE(arena, double, FB_MOTION_SIZE*(tree->n_link + 1));
    x->force = FB_TAKE(arena, FbVec6, tree->n_link + 1);
    x->acceleration = FB_TAKE(arena, FbVec6, tree->n_link + 1);
}

// N of the body, eq. (2.29): f = m (a + alpha x c + w x (w x c)), n = I alpha + w x I w + c x f.
static void set_inertia(const FbLink* link, const FbMat3* R, FbVec3 w, FbLinkVariation* out) {
    FbVec3 c = fb_mul3(R, link->center);
    FbMat3 RI = fb_mat3_mul(R, &link->inertia), I = fb_mat3_mul_nt(&RI, R);
    FbMat3 C = fb_skew(c), WC = fb_skew_mul_mat3(w, &C), WI = fb_skew_mul_mat3(w, &I);
    FbMat3 force = fb_mat3_scale(-link->mass, fb_mat3_add(fb_skew(fb_cross(w, c)), WC));
    FbMat3 moment =
        fb_mat3_add(fb_skew_mul_mat3(c, &force), fb_mat3_sub(WI, fb_skew(fb_mul3(&I, w))));
    out->own = fb_inertia_from_center(link->mass, c, &I);
    memcpy(out->by_w, moment.m, sizeof moment.m);
    memcpy(out->by_w[3], force.m, sizeof force.m);
}

static void put3(double out[FB_MOTION_SIZE], FbVec3 w, FbVec3 alpha, FbVec3 a) {
    fb_vec3_to(w, out);
    fb_vec3_to(alpha, out + 3);
    fb_vec3_to(a, out + 6);
}

// The columns h and j of velocity `c` of link i, eqs. (2.28) and (2.30).
static void set_column(const FbKinematics* k, int i, int c, FbVec3 turn, FbVec6 V, FbVec6 A,
                       FbColumnVariation* out) {
    FbVec3 ang = k->S[c].ang, lin = k->S[c].lin, w = V.ang;
    FbVec6 F = k->F[i];
    FbVec3 back = fb_cross(w, ang);  // - ang x w
    FbVec3 moved = fb_add(fb_cross(A.ang, lin), fb_cross(w, fb_cross(w, lin)));
    out->S = k->S[c];
    put3(out->by_v, ang, back, fb_scale(2.0, fb_cross(w, lin)));
    put3(out->by_q, back, fb_add(fb_cross(A.ang, ang), fb_cross(back, turn)),
         fb_sub(moved, fb_cross(ang, k->A[i].lin)));
    FbVec3 f = fb_cross(ang, F.lin);
    FbVec3 n = fb_add(fb_cross(ang, F.ang), fb_cross(lin, F.lin));
    fb_vec3_to(fb_add(n, fb_cross(k->arm[i], f)), out->force_by_q);
    fb_vec3_to(f, out->force_by_q + 3);
    out->inertia = fb_dot6(k->S[c], fb_inertia_mul(&k->Ic[i], k->S[c]));
}

void fb_variation_set(FbVariation* x, const FbKinematics* k, const double* v) {
    const FbTree* tree = x->tree;
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        FbLinkVariation* out = &x->links[i];
        FbVec6 V = link->parent >= 0 ? k->V[link->parent] : fb_zero6();
        FbVec6 A = link->parent >= 0 ? k->A[link->parent] : k->A_ground;
        FbVec3 slide = {0, 0, 0}, r = k->arm[i];
        out->turn = fb_vec3(0, 0, 0);
        for (int c = link->v0; c < link->v0 + link->n_v; c++) {
            out->turn = fb_axpy(v[c], k->S[c].ang, out->turn);
            slide = fb_axpy(v[c], k->S[c].lin, slide);
        }
        out->arm = r;
        // How w_p x (w_p x r) + 2 w_p x slide varies with w_p.
        FbMat3 W = fb_skew(V.ang), Rx = fb_skew(r), WR = fb_mat3_mul(&W, &Rx);
        FbVec3 rate = fb_axpy(2.0, slide, fb_cross(V.ang, r));
        out->swing = fb_mat3_scale(-1.0, fb_mat3_add(fb_skew(rate), WR));
        out->has_mass = link->has_mass;
        if (link->has_mass) {
            set_inertia(link, &k->R[i], k->V[i].ang, out);
        }
        for (int c = link->v0; c < link->v0 + link->n_v; c++) {
            set_column(k, i, c, out->turn, V, A, &x->columns[c]);
        }
    }
}

void fb_variation_set_masses(FbVariation* x, const FbKinematics* k) {
    const FbTree* tree = x->tree;
    FbVec3 zero = {0, 0, 0};
    memset(x->links, 0, sizeof *x->links * (size_t)tree->n_link);
    memset(x->columns, 0, sizeof *x->columns * (size_t)tree->n_v);
    for (int i = 0; i < tree->n_link; i++) {
        const FbLink* link = &tree->links[i];
        x->links[i].arm = k->arm[i];
        x->links[i].has_mass = link->has_mass;
        if (link->has_mass) {
            set_inertia(link, &k->R[i], zero, &x->links[i]);
        }
        for (int c = link->v0; c < link->v0 + link->n_v; c++) {
            x->columns[c].S = k->S[c];
            x->columns[c].inertia = fb_dot6(k->S[c], fb_inertia_mul(&k->Ic[i], k->S[c]));
        }
    }
}

// y of link i from that of its parent (NULL: the ground) without the joint's own share, eq. (2.27).
static void carry(const FbLinkVariation* link, const double* parent, double* y) {
    if (!parent) {
        memset(y, 0, sizeof(double) * FB_MOTION_SIZE);
        return;
    }
    FbVec3 w = fb_vec3_from(parent), alpha = fb_vec3_from(parent + 3);
    FbVec3 a = fb_add(fb_vec3_from(parent + 6), fb_cross(alpha, link->arm));
    put3(y, w, fb_add(alpha, fb_cross(w, link->turn)), fb_add(a, fb_mul3(&link->swing, w)));
}

static FbVec6 calc_inertial(const FbLinkVariation* link, const double* y) {
    FbVec6 f = fb_inertia_mul(&link->own, fb_vec6(fb_vec3_from(y + 3), fb_vec3_from(y + 6)));
    FbVec3 w = fb_vec3_from(y);
    const double(*N)[3] = link->by_w;
    FbVec3 n = {fb_dot(fb_vec3_from(N[0]), w), fb_dot(fb_vec3_from(N[1]), w),
                fb_dot(fb_vec3_from(N[2]), w)};
    FbVec3 p = {fb_dot(fb_vec3_from(N[3]), w), fb_dot(fb_vec3_from(N[4]), w),
                fb_dot(fb_vec3_from(N[5]), w)};
    return fb_vec6(fb_add(f.ang, n), fb_add(f.lin, p));
}

static void realize_motion(const FbVariation* x, const double* q, const double* v, const double* a,
                           int stride) {
    assert(x->motion != NULL);
    for (int i = 0; i < x->tree->n_link; i++) {
        const FbLink* link = &x->tree->links[i];
        double* y = x->motion + FB_MOTION_SIZE * i;
        carry(&x->links[i], link->parent >= 0 ? x->motion + FB_MOTION_SIZE * link->parent : NULL,
              y);
        for (int c = link->v0; c < link->v0 + link->n_v; c++) {
            const FbColumnVariation* col = &x->columns[c];
            double by_q = q ? q[stride * c] : 0.0, by_v = v ? v[stride * c] : 0.0;
            double by_a[6], s = a ? a[stride * c] : 0.0;
            fb_vec3_to(fb_scale(s, col->S.ang), by_a);
            fb_vec3_to(fb_scale(s, col->S.lin), by_a + 3);
            for (int j = 0; j < FB_MOTION_SIZE; j++) {
                y[j] += by_q * col->by_q[j] + by_v * col->by_v[j] + (j < 3 ? 0.0 : by_a[j - 3]);
            }
        }
        x->force[i] = link->has_mass ? calc_inertial(&x->links[i], y) : fb_zero6();
    }
}

static void pass_force(const FbVariation* x, int i, const double* q, int stride, FbVec6 f) {
    const FbLink* link = &x->tree->links[i];
    FbVec6* to = &x->force[link->parent];
    to->ang = fb_add(to->ang, fb_add(f.ang, fb_cross(x->links[i].arm, f.lin)));
    to->lin = fb_add(to->lin, f.lin);
    for (int c = link->v0; q && c < link->v0 + link->n_v; c++) {
        const double* j = x->columns[c].force_by_q;
        FbVec6 turned = fb_vec6(fb_vec3_from(j), fb_vec3_from(j + 3));
        *to = fb_axpy6(q[stride * c], turned, *to);
    }
}

// Accelerations alone: w does not vary.
static void realize_accelerations(const FbVariation* x, const double* a, int stride) {
    for (int i = 0; i < x->tree->n_link; i++) {
        const FbLink* link = &x->tree->links[i];
        FbVec6 A = fb_zero6();
        if (link->parent >= 0) {
            A = x->acceleration[link->parent];
            A.lin = fb_add(A.lin, fb_cross(A.ang, x->links[i].arm));
        }
        for (int c = link->v0; c < link->v0 + link->n_v; c++) {
            A = fb_axpy6(a[stride * c], x->columns[c].S, A);
        }
        x->acceleration[i] = A;
        x->force[i] = link->has_mass ? fb_inertia_mul(&x->links[i].own, A) : fb_zero6();
    }
}

void fb_variation_add_product(const FbVariation* x, double factor, const double* q, const double* v,
                              const double* a, int stride, double* r) {
    const FbTree* tree = x->tree;
    if (q || v) {
        realize_motion(x, q, v, a, stride);
    } else {
        realize_accelerations(x, a, stride);
    }
    for (int i = tree->n_link - 1; i >= 0; i--) {
        const FbLink* link = &tree->links[i];
        FbVec6 f = x->force[i];
        for (int c = link->v0; c < link->v0 + link->n_v; c++) {
            r[stride * c] += factor * fb_link_dot(link->kind, &x->columns[c].S, &f);
        }
        if (link->parent >= 0) {
            pass_force(x, i, q, stride, f);
        }
    }
}
