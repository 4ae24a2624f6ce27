// The forces of a mass that slides along a beam element, by each theory (eqs. 9.9-9.16).
//
// Mass and rotary inertia have the same form: c = m with the shape functions N, c = J with their
// derivatives N_s. With N = h' (x) 1 every block is a product of scalars times the projector Q (1,
// or 1 - t t' for transverse inertia):
//
//   consistent:  A = Q (N e'' + 2 s' N_s e' + (s'^2 N_ss + s'' N_s) e)
//                f = c N' A,   along = c A.N_s e
//   form 1:      A = Q (N e'' + s' N_s e'),   B = Q N e'
//                f = c (N' A + s' N_s' B),   along = -c B.N_s e'
//
// e'' contains -g, so f includes the weight. Q must not remove the weight along t, so
// W = -m t (t.g) is added again.
#include "fem/slider.h"

#include <string.h>

// One inertia: its size and where its shape functions start among the derivatives.
typedef struct Part {
    double c;
    double (*h)[4];  // h[k]: k-th derivative of its shape functions, k = 0 ... 3
} Part;

typedef struct Context {
    const FbSliderMass* mass;
    const double *e, *de, *dde;
    FbSliderMotion at;
    FbVec3 gravity;
    bool has_blocks;
} Context;

static bool is_form_1(FbSliderTheory theory) {
    return theory == FB_SLIDER_FORM_1A || theory == FB_SLIDER_FORM_1B;
}

// N x
static FbVec3 interpolate(const double h[4], const double* x) {
    return fb_vec3(h[0] * x[0] + h[1] * x[3] + h[2] * x[6] + h[3] * x[9],
                   h[0] * x[1] + h[1] * x[4] + h[2] * x[7] + h[3] * x[10],
                   h[0] * x[2] + h[1] * x[5] + h[2] * x[8] + h[3] * x[11]);
}

static FbVec3 project(const FbSliderMass* mass, FbVec3 x) {
    return mass->is_transverse ? fb_axpy(-fb_dot(mass->axis, x), mass->axis, x) : x;
}

// out += c N' x
static void add_dual(double c, const double h[4], FbVec3 x, double out[FB_BEAM_DOF]) {
    for (int i = 0; i < 4; i++) {
        const double k = c * h[i];
        out[3 * i] += k * x.x;
        out[3 * i + 1] += k * x.y;
        out[3 * i + 2] += k * x.z;
    }
}

// W[i][j] += c a_i b_j
static void add_weights(double c, const double a[4], const double b[4], double W[4][4]) {
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            W[i][j] += c * a[i] * b[j];
        }
    }
}

// out = W (x) Q
static void spread(const FbSliderMass* mass, double W[4][4], double* out) {
    const double t[3] = {mass->axis.x, mass->axis.y, mass->axis.z};
    double Q[3][3];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            Q[r][c] = (r == c) - (mass->is_transverse ? t[r] * t[c] : 0.0);
        }
    }
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        for (int j = 0; j < FB_BEAM_DOF; j++) {
            out[i * FB_BEAM_DOF + j] = W[i / 3][j / 3] * Q[i % 3][j % 3];
        }
    }
}

typedef struct Weights {
    double e[4][4], de[4][4], dde[4][4];
} Weights;

// Coefficients of e in N r'' at fixed rates: s'^2 N_ss + s'' N_s, one derivative further with k
// = 1.
static void calc_path(const Context* x, const Part* p, int k, double out[4]) {
    const double ds2 = x->at.ds * x->at.ds;
    for (int i = 0; i < 4; i++) {
        out[i] = ds2 * p->h[k + 2][i] + x->at.dds * p->h[k + 1][i];
    }
}

// A = Q (N e'' + 2 s' N_s e' + path e), one derivative along the element further with k = 1.
static FbVec3 calc_acceleration(const Context* x, const Part* p, int k, const double path[4]) {
    FbVec3 a = interpolate(p->h[k], x->dde);
    a = fb_axpy(2.0 * x->at.ds, interpolate(p->h[k + 1], x->de), a);
    return project(x->mass, fb_add(a, interpolate(path, x->e)));
}

// Derivatives of the part's force c N' A + N' W and of along = (c A + W).N_s e.
static void add_consistent_blocks(const Context* x, const Part* p, const double path[4], FbVec3 F,
                                  Weights* w, FbSliderForces* out) {
    const double c = p->c, ds = x->at.ds;
    const double* h = p->h[0];
    double path_s[4];
    calc_path(x, p, 1, path_s);
    FbVec3 A_s = calc_acceleration(x, p, 1, path_s);
    FbVec3 r_s = interpolate(p->h[1], x->e), r_ss = interpolate(p->h[2], x->e);
    FbVec3 turning = fb_axpy(ds, r_ss, interpolate(p->h[1], x->de));  // d(N_s e)/dt
    FbVec3 A_ds = project(x->mass, fb_scale(2.0, turning));
    FbVec3 A_dds = project(x->mass, r_s);
    add_weights(c, h, path, w->e);
    add_weights(2.0 * c * ds, h, p->h[1], w->de);
    add_weights(c, h, h, w->dde);
    add_dual(1.0, p->h[1], F, out->f_s);
    add_dual(c, h, A_s, out->f_s);
    add_dual(c, h, A_ds, out->f_ds);
    add_dual(c, h, A_dds, out->f_dds);
    add_dual(c, path, A_dds, out->along_e);
    add_dual(1.0, p->h[1], F, out->along_e);
    add_dual(2.0 * c * ds, p->h[1], A_dds, out->along_de);
    add_dual(c, h, A_dds, out->along_dde);
    out->along_s += c * fb_dot(A_s, r_s) + fb_dot(F, r_ss);
    out->along_ds += c * fb_dot(A_ds, r_s);
    out->along_dds += c * fb_dot(A_dds, r_s);
}

// Returns the part's force F, f += N' F.
static FbVec3 add_consistent(const Context* x, const Part* p, FbVec3 W, Weights* w,
                             FbSliderForces* out) {
    double path[4];
    calc_path(x, p, 0, path);
    FbVec3 F = fb_axpy(p->c, calc_acceleration(x, p, 0, path), W);
    FbVec3 slope = interpolate(p->h[1], x->e), turning = interpolate(p->h[1], x->de);
    FbVec3 v = project(x->mass, fb_axpy(x->at.ds, slope, interpolate(p->h[0], x->de)));
    add_dual(1.0, p->h[0], F, out->f);
    add_dual(2.0 * p->c * x->at.ds, p->h[0], project(x->mass, turning), out->coriolis);
    out->along += fb_dot(F, slope);
    out->kinetic += 0.5 * p->c * fb_dot(v, v);
    if (x->has_blocks) {
        add_consistent_blocks(x, p, path, F, w, out);
    }
    return F;
}

// Derivatives of c (N' A + s' N_s' B) + N' W and -c B.B_s; form 1b leaves out those of the Coriolis
// part c s' (N' B_s + N_s' B).
static void add_form_1_blocks(const Context* x, const Part* p, FbVec3 W, Weights* w,
                              FbSliderForces* out) {
    const bool has_coriolis = x->mass->theory == FB_SLIDER_FORM_1A;
    const double c = p->c, ds = has_coriolis ? x->at.ds : 0.0;
    FbVec3 B[3], A[2];
    for (int k = 0; k < 3; k++) {
        B[k] = project(x->mass, interpolate(p->h[k], x->de));
    }
    for (int k = 0; k < 2; k++) {
        A[k] = fb_axpy(ds, B[k + 1], project(x->mass, interpolate(p->h[k], x->dde)));
    }
    add_weights(c, p->h[0], p->h[0], w->dde);
    add_weights(c * ds, p->h[0], p->h[1], w->de);
    add_weights(c * ds, p->h[1], p->h[0], w->de);
    add_dual(1.0, p->h[1], fb_axpy(c, fb_axpy(ds, B[1], A[0]), W), out->f_s);
    add_dual(c, p->h[0], A[1], out->f_s);
    add_dual(c * ds, p->h[2], B[0], out->f_s);
    if (has_coriolis) {
        add_dual(c, p->h[0], B[1], out->f_ds);
        add_dual(c, p->h[1], B[0], out->f_ds);
    }
    add_dual(-c, p->h[0], B[1], out->along_de);
    add_dual(-c, p->h[1], B[0], out->along_de);
    out->along_s -= c * (fb_dot(B[1], B[1]) + fb_dot(B[0], B[2]));
}

static FbVec3 add_form_1(const Context* x, const Part* p, FbVec3 W, Weights* w,
                         FbSliderForces* out) {
    const double c = p->c, ds = x->at.ds;
    FbVec3 B = project(x->mass, interpolate(p->h[0], x->de));
    FbVec3 B_s = project(x->mass, interpolate(p->h[1], x->de));
    FbVec3 inertia = fb_scale(c, project(x->mass, interpolate(p->h[0], x->dde)));
    FbVec3 F = fb_axpy(c * ds, B_s, fb_add(inertia, W));
    add_dual(1.0, p->h[0], F, out->f);
    add_dual(c * ds, p->h[1], B, out->f);
    add_dual(c * ds, p->h[0], B_s, out->coriolis);
    add_dual(c * ds, p->h[1], B, out->coriolis);
    out->along -= c * fb_dot(B, B_s);
    out->kinetic += 0.5 * c * fb_dot(B, B);
    if (x->has_blocks) {
        add_form_1_blocks(x, p, W, w, out);
    }
    return F;
}

// What the guide's field does not know of the motion along it: m s'' in the equation of s, and for
// form 1 the weight along it.
static void add_own_motion(const Context* x, double h[4][4], FbSliderForces* out) {
    const double m = x->mass->mass;
    const bool is_1 = is_form_1(x->mass->theory);
    if (is_1 || x->mass->is_transverse) {
        out->along += m * x->at.dds;
        out->kinetic += 0.5 * m * x->at.ds * x->at.ds;
        out->along_dds += x->has_blocks ? m : 0.0;
    }
    if (is_1) {
        out->along -= m * fb_dot(x->gravity, interpolate(h[1], x->e));
    }
    if (is_1 && x->has_blocks) {
        add_dual(-m, h[1], x->gravity, out->along_e);
        out->along_s -= m * fb_dot(x->gravity, interpolate(h[2], x->e));
    }
}

static void clear(bool has_blocks, FbSliderForces* out) {
    if (has_blocks) {
        memset(out, 0, sizeof *out);
        return;
    }
    memset(out->f, 0, sizeof out->f);
    memset(out->coriolis, 0, sizeof out->coriolis);
    out->along = 0.0;
    out->kinetic = 0.0;
}

void fb_slider_calc(const FbSliderMass* mass, double length, const double e[FB_BEAM_DOF],
                    const double de[FB_BEAM_DOF], const double dde[FB_BEAM_DOF], FbVec3 gravity,
                    const FbSliderMotion* motion, bool has_blocks, FbSliderForces* out) {
    double h[5][4] = {0};  // the fourth derivative of a cubic is zero
    Weights w = {0};
    Context x = {mass, e, de, dde, *motion, gravity, has_blocks};
    Part point = {mass->mass, h};
    Part rotary = {mass->rotary, (h + 1)};
    FbVec3 zero = fb_vec3(0.0, 0.0, 0.0), W = zero;
    if (mass->is_transverse) {
        W = fb_scale(-mass->mass * fb_dot(mass->axis, gravity), mass->axis);
    }
    clear(has_blocks, out);
    fb_field_calc_shapes(length, motion->s / length, h);
    FbVec3 (*add)(const Context*, const Part*, FbVec3, Weights*, FbSliderForces*) =
        is_form_1(mass->theory) ? add_form_1 : add_consistent;
    out->contact = fb_scale(-1.0, add(&x, &point, W, &w, out));
    if (mass->rotary != 0.0) {
        add(&x, &rotary, zero, &w, out);
    }
    add_own_motion(&x, h, out);
    out->position = interpolate(h[0], e);
    out->velocity = fb_axpy(motion->ds, interpolate(h[1], e), interpolate(h[0], de));
    if (has_blocks) {
        spread(mass, w.e, out->f_e);
        spread(mass, w.de, out->f_de);
        spread(mass, w.dde, out->f_dde);
    }
}

bool fb_slider_has_quick_parts(const FbSliderMass* mass) {
    return is_form_1(mass->theory);
}

double fb_slider_calc_along(const FbSliderMass* mass, double length, const double e[FB_BEAM_DOF],
                            const double de[FB_BEAM_DOF], FbVec3 gravity,
                            const FbSliderMotion* motion) {
    double h[5][4] = {0}, along = 0.0;
    const double inertia[2] = {mass->mass, mass->rotary};
    fb_field_calc_shapes(length, motion->s / length, h);
    for (int k = 0; k < (mass->rotary != 0.0 ? 2 : 1); k++) {
        FbVec3 B = project(mass, interpolate(h[k], de));
        along -= inertia[k] * fb_dot(B, project(mass, interpolate(h[k + 1], de)));
    }
    along += mass->mass * motion->dds;
    return along - mass->mass * fb_dot(gravity, interpolate(h[1], e));
}

void fb_slider_calc_weight(const FbSliderMass* mass, double length, double s, FbVec3 gravity,
                           double f[FB_BEAM_DOF]) {
    double h[5][4] = {0}, lifted[FB_BEAM_DOF] = {0};
    const double inertia[2] = {mass->mass, mass->rotary};
    fb_vec3_to(fb_scale(-1.0, gravity), lifted);
    fb_vec3_to(fb_scale(-1.0, gravity), lifted + 6);
    fb_field_calc_shapes(length, s / length, h);
    memset(f, 0, FB_BEAM_DOF * sizeof(double));
    for (int k = 0; k < (mass->rotary != 0.0 ? 2 : 1); k++) {
        FbVec3 F = fb_scale(inertia[k], project(mass, interpolate(h[k], lifted)));
        if (k == 0 && mass->is_transverse) {
            F = fb_add(F, fb_scale(-mass->mass * fb_dot(mass->axis, gravity), mass->axis));
        }
        add_dual(1.0, h[k], F, f);
    }
}
