// The position field of a beam element with large rotations: the vector e(pose), its rates and all
// their derivatives.
//
// With the chord d = p_B - p_A, l = |d|, n = d/l and the section normals t = R e_x (eqs. 9.2-9.4):
//   tau = l t,   tau' = l' t + l w x t,   tau'' = l'' t + 2 l' w x t + l (w' x t + w x (w x t)),
//   l' = n.d',   l'' = n.d'' + l |b|^2,   b = (d' - l' n)/l = n'.
#include "fem/field.h"

#include <string.h>

#include "fem/blocks.h"

typedef struct Chord {
    double l, dl, ddl;
    FbVec3 n, b;  // direction and its rate
    FbVec3 a;     // p_B'' - p_A''
} Chord;

static Chord calc_chord(const FbPort port[2]) {
    Chord c;
    FbVec3 d = fb_sub(port[1].p, port[0].p), v = fb_sub(port[1].v, port[0].v);
    c.a = fb_sub(port[1].a, port[0].a);
    c.l = fb_norm(d);
    c.n = fb_scale(1.0 / c.l, d);
    c.dl = fb_dot(c.n, v);
    c.b = fb_scale(1.0 / c.l, fb_axpy(-c.dl, c.n, v));
    c.ddl = fb_dot(c.n, c.a) + c.l * fb_dot(c.b, c.b);
    return c;
}

void fb_field_calc_shapes(double length, double xi, double h[4][4]) {
    const double x2 = xi * xi, x3 = x2 * xi;
    const double k1 = 1.0 / length, k2 = k1 * k1, k3 = k2 * k1;
    const double shapes[4][4] = {
        {1.0 - 3.0 * x2 + 2.0 * x3, xi - 2.0 * x2 + x3, 3.0 * x2 - 2.0 * x3, x3 - x2},
        {k1 * 6.0 * (x2 - xi), k1 * (1.0 - 4.0 * xi + 3.0 * x2), k1 * 6.0 * (xi - x2),
         k1 * (3.0 * x2 - 2.0 * xi)},
        {k2 * (12.0 * xi - 6.0), k2 * (6.0 * xi - 4.0), k2 * (6.0 - 12.0 * xi),
         k2 * (6.0 * xi - 2.0)},
        {k3 * 12.0, k3 * 6.0, k3 * -12.0, k3 * 6.0},
    };
    memcpy(h, shapes, sizeof shapes);
}

// tau and its rates at one end.
static void calc_tangent(const Chord* c, const FbPort* end, double* e, double* de, double* dde) {
    FbVec3 t = fb_mat3_col(&end->R, 0);
    FbVec3 wt = fb_cross(end->w, t);
    FbVec3 wwt = fb_add(fb_cross(end->dw, t), fb_cross(end->w, wt));
    fb_vec3_to(fb_scale(c->l, t), e);
    fb_vec3_to(fb_axpy(c->dl, t, fb_scale(c->l, wt)), de);
    fb_vec3_to(fb_axpy(c->ddl, t, fb_axpy(2.0 * c->dl, wt, fb_scale(c->l, wwt))), dde);
}

void fb_field_calc(const FbPort port[2], FbBeamField* out) {
    Chord c = calc_chord(port);
    memset(out->J, 0, sizeof out->J);
    for (int k = 0; k < 2; k++) {
        const int at = 6 * k, row = 2 * k + 1;  // block row of tau
        FbVec3 t = fb_mat3_col(&port[k].R, 0);
        fb_vec3_to(port[k].p, out->e + at);
        fb_vec3_to(port[k].v, out->de + at);
        fb_vec3_to(port[k].a, out->dde + at);
        calc_tangent(&c, &port[k], out->e + at + 3, out->de + at + 3, out->dde + at + 3);
        fb_block_add_identity(out->J, 2 * k, 2 * k, 1.0);
        fb_block_add_outer(out->J, row, 0, -1.0, t, c.n);
        fb_block_add_outer(out->J, row, 2, 1.0, t, c.n);
        fb_block_add_cross(out->J, row, row, -c.l, t);
    }
}

// += u g' in the columns of the chord: minus in those of p_A, plus in those of p_B.
static void add_chord_columns(double* A, int row, FbVec3 u, FbVec3 g) {
    fb_block_add_outer(A, row, 0, -1.0, u, g);
    fb_block_add_outer(A, row, 2, 1.0, u, g);
}

// d(tau')/d(pose): t b' + (w x t) n' by d, -(l' + l [w])[t] by phi (eq. 9.5).
static void add_de_by_pose(const Chord* c, const FbPort* end, int row, double* A) {
    FbVec3 t = fb_mat3_col(&end->R, 0);
    add_chord_columns(A, row, t, c->b);
    add_chord_columns(A, row, fb_cross(end->w, t), c->n);
    fb_block_add_cross(A, row, row, -c->dl, t);
    fb_block_add_cross2(A, row, row, -c->l, end->w, t);
}

// d(tau'')/d(v, w): 2 (t b' + (w x t) n') by d', -(2 l' [t] + l [w x t] + l [w][t]) by w (eq. 9.5).
static void add_dde_by_velocity(const Chord* c, const FbPort* end, int row, double* A) {
    FbVec3 t = fb_mat3_col(&end->R, 0);
    FbVec3 wt = fb_cross(end->w, t);
    add_chord_columns(A, row, fb_scale(2.0, t), c->b);
    add_chord_columns(A, row, fb_scale(2.0, wt), c->n);
    fb_block_add_cross(A, row, row, -1.0, fb_axpy(2.0 * c->dl, t, fb_scale(c->l, wt)));
    fb_block_add_cross2(A, row, row, -c->l, end->w, t);
}

// d(tau'')/d(pose): t c' + 2 (w x t) b' + (w' x t + w x (w x t)) n' by d, with the gradient of l'',
//   c = (1 - n n') d''/l - 2 l' b/l - |b|^2 n,
// and -(l'' + 2 l' [w] + l [w'] + l [w][w]) [t] by phi (eq. 9.6).
static void add_dde_by_pose(const Chord* c, const FbPort* end, int row, double* A) {
    FbVec3 t = fb_mat3_col(&end->R, 0), w = end->w;
    FbVec3 wt = fb_cross(w, t);
    FbVec3 across = fb_axpy(-fb_dot(c->n, c->a), c->n, c->a);
    FbVec3 gradient = fb_scale(1.0 / c->l, fb_axpy(-2.0 * c->dl, c->b, across));
    gradient = fb_axpy(-fb_dot(c->b, c->b), c->n, gradient);
    add_chord_columns(A, row, t, gradient);
    add_chord_columns(A, row, fb_scale(2.0, wt), c->b);
    add_chord_columns(A, row, fb_add(fb_cross(end->dw, t), fb_cross(w, wt)), c->n);
    fb_block_add_cross(A, row, row, -c->ddl, t);
    fb_block_add_cross2(A, row, row, -2.0 * c->dl, w, t);
    fb_block_add_cross2(A, row, row, -c->l, end->dw, t);
    fb_block_add_outer(A, row, row, -c->l, wt, w);  // [w][w][t] = (w x t) w' - (w.t) [w]
    fb_block_add_cross(A, row, row, c->l * fb_dot(w, t), w);
}

void fb_field_calc_derivatives(const FbPort port[2], double* de_by_pose, double* dde_by_pose,
                               double* dde_by_velocity) {
    const size_t size = sizeof(double) * FB_BEAM_DOF * FB_BEAM_DOF;
    Chord c = calc_chord(port);
    if (de_by_pose != NULL) {
        memset(de_by_pose, 0, size);
        add_de_by_pose(&c, &port[0], 1, de_by_pose);
        add_de_by_pose(&c, &port[1], 3, de_by_pose);
    }
    if (dde_by_pose != NULL) {
        memset(dde_by_pose, 0, size);
        add_dde_by_pose(&c, &port[0], 1, dde_by_pose);
        add_dde_by_pose(&c, &port[1], 3, dde_by_pose);
    }
    if (dde_by_velocity != NULL) {
        memset(dde_by_velocity, 0, size);
        add_dde_by_velocity(&c, &port[0], 1, dde_by_velocity);
        add_dde_by_velocity(&c, &port[1], 3, dde_by_velocity);
    }
}

// J' f = (f_pA - n S, l t_A x f_tauA, f_pB + n S, l t_B x f_tauB),  S = t_A.f_tauA + t_B.f_tauB.
void fb_field_add_second(const FbPort port[2], const double f[FB_BEAM_DOF],
                         double K[FB_BEAM_DOF * FB_BEAM_DOF]) {
    FbVec3 d = fb_sub(port[1].p, port[0].p);
    double l = fb_norm(d), sum = 0.0;
    FbVec3 n = fb_scale(1.0 / l, d);
    for (int k = 0; k < 2; k++) {
        const int row = 2 * k + 1;
        FbVec3 t = fb_mat3_col(&port[k].R, 0), f_tau = fb_vec3_from(f + 6 * k + 3);
        FbVec3 moment = fb_cross(t, f_tau);
        double along = fb_dot(t, f_tau);
        sum += along;
        fb_block_add_outer(K, 0, row, -1.0, n, moment);
        fb_block_add_outer(K, 2, row, 1.0, n, moment);
        add_chord_columns(K, row, moment, n);
        fb_block_add_outer(K, row, row, l, t, f_tau);
        fb_block_add_identity(K, row, row, -l * along);
    }
    for (int i = 0; i < 3; i += 2) {
        for (int j = 0; j < 3; j += 2) {
            double s = i == j ? sum / l : -sum / l;
            fb_block_add_identity(K, i, j, s);
            fb_block_add_outer(K, i, j, -s, n, n);
        }
    }
}
