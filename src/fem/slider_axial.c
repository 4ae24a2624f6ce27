// The axial reaction of a sliding mass in a linear element: geometric stiffness of the loaded part,
// and its shortening by bending (eqs. 9.17-9.19).
#include <string.h>

#include "fem/slider.h"

// Three Gauss points on [0, 1]: exact for the products of slopes, which are of degree four.
static const double GAUSS_X[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double GAUSS_W[3] = {5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0};

// G_ij = int_0^s h_i' h_j' dx
static void calc_slope_products(double length, double s, double G[4][4]) {
    memset(G, 0, sizeof(double) * 16);
    for (int k = 0; k < 3; k++) {
        double h[4][4];
        fb_field_calc_shapes(length, GAUSS_X[k] * s / length, h);
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                G[i][j] += GAUSS_W[k] * s * h[1][i] * h[1][j];
            }
        }
    }
}

static FbVec3 across(FbVec3 axis, FbVec3 x) {
    return fb_axpy(-fb_dot(axis, x), axis, x);
}

// df/de = P G (x) Q
static void add_matrix(double P, double G[4][4], FbVec3 axis, double* matrix) {
    const double t[3] = {axis.x, axis.y, axis.z};
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        for (int j = 0; j < FB_BEAM_DOF; j++) {
            const int r = i % 3, c = j % 3;
            matrix[i * FB_BEAM_DOF + j] += P * G[i / 3][j / 3] * ((r == c) - t[r] * t[c]);
        }
    }
}

// Q x for each of the four vectors of x - x0 (x0 may be NULL).
static void calc_across(FbVec3 axis, const double* x, const double* x0, FbVec3 out[4]) {
    for (int i = 0; i < 4; i++) {
        FbVec3 v = fb_vec3_from(x + 3 * i);
        out[i] = across(axis, x0 != NULL ? fb_sub(v, fb_vec3_from(x0 + 3 * i)) : v);
    }
}

static FbVec3 combine(const double h[4], const FbVec3 x[4]) {
    FbVec3 sum = fb_scale(h[0], x[0]);
    for (int i = 1; i < 4; i++) {
        sum = fb_axpy(h[i], x[i], sum);
    }
    return sum;
}

// out += N' x
static void add_dual(const double h[4], FbVec3 x, double out[FB_BEAM_DOF]) {
    for (int i = 0; i < 4; i++) {
        out[3 * i] += h[i] * x.x;
        out[3 * i + 1] += h[i] * x.y;
        out[3 * i + 2] += h[i] * x.z;
    }
}

// out += k G x
static void add_products(double k, double G[4][4], const FbVec3 x[4], double out[FB_BEAM_DOF]) {
    for (int i = 0; i < 4; i++) {
        FbVec3 y = fb_scale(k, combine(G[i], x));
        out[3 * i] += y.x;
        out[3 * i + 1] += y.y;
        out[3 * i + 2] += y.z;
    }
}

static double quadratic(double G[4][4], const FbVec3 x[4], const FbVec3 y[4]) {
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        sum += fb_dot(x[i], combine(G[i], y));
    }
    return sum;
}

void fb_field_add_axial(double length, double s, double P, FbVec3 axis, const double e[FB_BEAM_DOF],
                        const double e0[FB_BEAM_DOF], double f[FB_BEAM_DOF], double* matrix,
                        double* energy) {
    double G[4][4];
    FbVec3 d[4];
    calc_slope_products(length, s, G);
    calc_across(axis, e, e0, d);
    add_products(P, G, d, f);
    if (matrix != NULL) {
        add_matrix(P, G, axis, matrix);
    }
    if (energy != NULL) {
        *energy = 0.5 * P * quadratic(G, d, d);
    }
}

// What the slope at s adds to the rates: w[k] = Q N_(k+1) (e - e0), dw[k] and ddw[k] the same of e'
// and e''.
static void add_border(const FbSliderMotion* at, double h[4][4], const FbVec3 w[3],
                       const FbVec3 dw[2], FbVec3 ddw, FbShortening* out) {
    const double ds = at->ds, dds = at->dds;
    FbVec3 pull = fb_axpy(dds, w[0], fb_axpy(2.0 * ds, dw[0], fb_scale(ds * ds, w[1])));
    out->value_s = 0.5 * fb_dot(w[0], w[0]);
    out->value_ss = fb_dot(w[0], w[1]);
    add_dual(h[1], w[0], out->value_se);
    out->rate += ds * out->value_s;
    out->acceleration +=
        dds * out->value_s + 2.0 * ds * fb_dot(w[0], dw[0]) + ds * ds * out->value_ss;
    add_dual(h[1], pull, out->acceleration_e);
    add_dual(h[2], fb_scale(ds * ds, w[0]), out->acceleration_e);
    add_dual(h[1], fb_scale(2.0 * ds, w[0]), out->acceleration_de);
    out->acceleration_s = dds * out->value_ss + fb_dot(dw[0], dw[0]) + fb_dot(w[0], ddw) +
                          2.0 * ds * (fb_dot(w[1], dw[0]) + fb_dot(w[0], dw[1])) +
                          ds * ds * (fb_dot(w[1], w[1]) + fb_dot(w[0], w[2]));
    out->acceleration_ds = 2.0 * (fb_dot(w[0], dw[0]) + ds * out->value_ss);
}

void fb_field_calc_shortening(double length, const FbSliderMotion* motion, FbVec3 axis,
                              const double e[FB_BEAM_DOF], const double de[FB_BEAM_DOF],
                              const double dde[FB_BEAM_DOF], const double e0[FB_BEAM_DOF],
                              FbShortening* out) {
    double G[4][4], h[4][4];
    FbVec3 d[4], v[4], a[4];
    memset(out, 0, sizeof *out);
    calc_slope_products(length, motion->s, G);
    fb_field_calc_shapes(length, motion->s / length, h);
    calc_across(axis, e, e0, d);
    calc_across(axis, de, NULL, v);
    calc_across(axis, dde, NULL, a);
    out->value = 0.5 * quadratic(G, d, d);
    out->rate = quadratic(G, d, v);
    out->acceleration = quadratic(G, v, v) + quadratic(G, d, a);
    add_products(1.0, G, d, out->value_e);
    add_products(1.0, G, a, out->acceleration_e);
    add_products(2.0, G, v, out->acceleration_de);
    FbVec3 w[3] = {combine(h[1], d), combine(h[2], d), combine(h[3], d)};
    FbVec3 dw[2] = {combine(h[1], v), combine(h[2], v)};
    add_border(motion, h, w, dw, combine(h[1], a), out);
}
