// Place, tangent and cross direction of a guide with their derivatives (eqs. 9.30, 9.31).
#include "fem/guide_frame.h"

#include <string.h>

#include "fem/blocks.h"
#include "math/mat3.h"

static FbVec3 sum(const double* h, const double* e) {
    FbVec3 r = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        r = fb_axpy(h[i], fb_vec3_from(e + 3 * i), r);
    }
    return r;
}

// rows += factor (h (x) 1) A, three rows of twelve; A NULL: the identity.
static void add_rows(const double* h, double factor, const double* A, double* rows) {
    for (int i = 0; !A && i < FB_BEAM_DOF; i++) {
        rows[i % 3 * FB_BEAM_DOF + i] += factor * h[i / 3];
    }
    for (int i = 0; A && i < 4; i++) {
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < FB_BEAM_DOF; c++) {
                rows[r * FB_BEAM_DOF + c] += factor * h[i] * A[(3 * i + r) * FB_BEAM_DOF + c];
            }
        }
    }
}

// rows += factor M in the columns of the turns of an end.
static void add_turn(int end, double factor, const FbMat3* M, double* rows) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            rows[r * FB_BEAM_DOF + 6 * end + 3 + c] += factor * M->m[r][c];
        }
    }
}

// The vector number `v` of the field is its derivative of that order.
static void calc_field(const FbGuideBeam* b, const FbSliderMotion* m, double h[4][4], int v,
                       FbGuideFrame* out) {
    const double sign = v == FB_GUIDE_TANGENT ? b->sign : 1.0;
    const double *h0 = h[v], *h1 = h[v + 1], *h2 = h[v + 2];
    FbVec3 e1 = sum(h1, b->e), e2 = sum(h2, b->e), de1 = sum(h1, b->de);
    FbVec3 second = fb_axpy(m->ds * m->ds, e2, fb_scale(m->dds, e1));
    second = fb_add(fb_axpy(2.0 * m->ds, de1, second), sum(h0, b->dde));
    out->value[v] = fb_scale(sign, sum(h0, b->e));
    out->rate[v] = fb_scale(sign, fb_axpy(m->ds, e1, sum(h0, b->de)));
    out->acceleration[v] = fb_scale(sign, second);
    out->by_s[v] = fb_scale(sign, e1);
    out->by_ss[v] = fb_scale(sign, e2);
    out->rate_by_s[v] = fb_scale(sign, fb_axpy(m->ds, e2, de1));
    int at = 3 * v * FB_BEAM_DOF;
    add_rows(h0, sign, b->J, out->by_pose + at);
    add_rows(h1, sign, b->J, out->by_pose_s + at);
    add_rows(h1, sign * m->ds, b->J, out->rate_by_pose + at);
    if (b->de_by_pose) {
        add_rows(h0, sign, b->de_by_pose, out->rate_by_pose + at);
    }
}

static void calc_cross(const FbGuideBeam* b, const FbSliderMotion* m, FbGuideFrame* out) {
    const double slope[2] = {-1.0 / b->length, 1.0 / b->length};
    const double share[2] = {1.0 - m->s / b->length, m->s / b->length};
    const int v = FB_GUIDE_CROSS, at = 3 * v * FB_BEAM_DOF;
    double *by_pose = (b->is_smooth ? out->by_ends : out->by_pose) + at,
           *by_pose_s = (b->is_smooth ? out->by_ends_s : out->by_pose_s) + at,
           *rate_by_pose = (b->is_smooth ? out->rate_by_ends : out->rate_by_pose) + at;
    for (int i = 0; i < 2; i++) {
        const FbGuideEnd* end = &b->end[i];
        FbVec3 second = fb_axpy(2.0 * m->ds, end->dy, fb_scale(m->dds, end->y));
        out->value[v] = fb_axpy(share[i], end->y, out->value[v]);
        out->rate[v] = fb_axpy(share[i], end->dy, fb_axpy(slope[i] * m->ds, end->y, out->rate[v]));
        out->acceleration[v] =
            fb_axpy(share[i], end->ddy, fb_axpy(slope[i], second, out->acceleration[v]));
        out->by_s[v] = fb_axpy(slope[i], end->y, out->by_s[v]);
        out->rate_by_s[v] = fb_axpy(slope[i], end->dy, out->rate_by_s[v]);
        FbMat3 turn = fb_skew(end->arm), w = fb_skew(end->w);
        FbMat3 rate = fb_mat3_mul(&w, &turn);
        add_turn(i, -share[i], &turn, by_pose);
        add_turn(i, -slope[i], &turn, by_pose_s);
        add_turn(i, -slope[i] * m->ds, &turn, rate_by_pose);
        add_turn(i, -share[i], &rate, rate_by_pose);
    }
}

void fb_guide_frame_of_beam(const FbGuideBeam* beam, const FbSliderMotion* motion,
                            FbGuideFrame* out) {
    double h[4][4];
    memset(out, 0, sizeof(*out));
    fb_field_calc_shapes(beam->length, motion->s / beam->length, h);
    calc_field(beam, motion, h, FB_GUIDE_PLACE, out);
    calc_field(beam, motion, h, FB_GUIDE_TANGENT, out);
    calc_cross(beam, motion, out);
    for (int v = 0; v < FB_GUIDE_VECTORS; v++) {  // from the element's direction to that of travel
        out->by_s[v] = fb_scale(beam->sign, out->by_s[v]);
        out->rate_by_s[v] = fb_scale(beam->sign, out->rate_by_s[v]);
    }
    for (int i = 0; i < FB_GUIDE_ROWS * FB_BEAM_DOF; i++) {
        out->by_pose_s[i] *= beam->sign;
        out->by_ends_s[i] *= beam->sign;
    }
}

void fb_guide_frame_of_curve(const FbCurve* curve, FbVec3 cross, const FbPort* port,
                             const FbSliderMotion* m, FbGuideFrame* out) {
    FbVec3 c[4], zero = {0, 0, 0};
    memset(out, 0, sizeof(*out));
    fb_curve_calc(curve, m->s, c);
    const FbVec3 local[FB_GUIDE_VECTORS][3] = {
        {c[0], c[1], c[2]}, {c[1], c[2], c[3]}, {cross, zero, zero}};
    FbMat3 w = fb_skew(port->w);
    for (int v = 0; v < FB_GUIDE_VECTORS; v++) {
        FbVec3 x = fb_mul3(&port->R, local[v][0]), x1 = fb_mul3(&port->R, local[v][1]);
        FbVec3 x2 = fb_mul3(&port->R, local[v][2]);
        FbVec3 rate = fb_axpy(m->ds, x1, fb_cross(port->w, x));
        FbVec3 second = fb_add(fb_cross(port->dw, x), fb_cross(port->w, fb_cross(port->w, x)));
        second = fb_axpy(2.0 * m->ds, fb_cross(port->w, x1), second);
        second = fb_axpy(m->ds * m->ds, x2, fb_axpy(m->dds, x1, second));
        bool is_place = v == FB_GUIDE_PLACE;
        out->value[v] = is_place ? fb_add(port->p, x) : x;
        out->rate[v] = is_place ? fb_add(port->v, rate) : rate;
        out->acceleration[v] = is_place ? fb_add(port->a, second) : second;
        out->by_s[v] = x1;
        out->by_ss[v] = x2;
        out->rate_by_s[v] = fb_axpy(m->ds, x2, fb_cross(port->w, x1));
        double *pose = out->by_pose + 3 * v * FB_BEAM_DOF,
               *by_s = out->by_pose_s + 3 * v * FB_BEAM_DOF;
        double* rates = out->rate_by_pose + 3 * v * FB_BEAM_DOF;
        FbMat3 turn = fb_skew(x), turn1 = fb_skew(x1), turned = fb_mat3_mul(&w, &turn);
        for (int r = 0; is_place && r < 3; r++) {
            pose[r * FB_BEAM_DOF + r] = 1.0;
        }
        add_turn(0, -1.0, &turn, pose);
        add_turn(0, -1.0, &turn1, by_s);
        add_turn(0, -m->ds, &turn1, rates);
        add_turn(0, -1.0, &turned, rates);
    }
}

// out = A' f
static void multiply_transposed(const double* A, const FbVec3 f[FB_GUIDE_VECTORS], double* out) {
    memset(out, 0, FB_BEAM_DOF * sizeof(double));
    for (int v = 0; v < FB_GUIDE_VECTORS; v++) {
        const double force[3] = {f[v].x, f[v].y, f[v].z};
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < FB_BEAM_DOF; c++) {
                out[c] += A[(3 * v + r) * FB_BEAM_DOF + c] * force[r];
            }
        }
    }
}

void fb_guide_frame_calc_ends(const FbGuideFrame* frame, const FbVec3 f[FB_GUIDE_VECTORS],
                              double out[FB_BEAM_DOF]) {
    multiply_transposed(frame->by_pose, f, out);
}

void fb_guide_frame_calc_moments(const FbGuideFrame* frame, const FbVec3 f[FB_GUIDE_VECTORS],
                                 double out[FB_BEAM_DOF]) {
    multiply_transposed(frame->by_ends, f, out);
}

// d(x x f) where x turns by phi: (phi x x) x f = [f] [x] phi.
static void add_turned(int end, double factor, FbVec3 x, FbVec3 f, double* K) {
    fb_block_add_cross2(K, 2 * end + 1, 2 * end + 1, factor, f, x);
}

void fb_guide_beam_add_second(const FbGuideBeam* beam, const FbPort port[2], double s,
                              const FbVec3 f[FB_GUIDE_VECTORS], double* K) {
    double h[4][4], field[FB_BEAM_DOF];
    fb_field_calc_shapes(beam->length, s / beam->length, h);
    for (int i = 0; i < 4; i++) {
        FbVec3 part = fb_scale(h[0][i], f[FB_GUIDE_PLACE]);
        part = fb_axpy(beam->sign * h[1][i], f[FB_GUIDE_TANGENT], part);
        fb_vec3_to(part, field + 3 * i);
    }
    fb_field_add_second(port, field, K);
    add_turned(0, 1.0 - s / beam->length, beam->end[0].y, f[FB_GUIDE_CROSS], K);
    add_turned(1, s / beam->length, beam->end[1].y, f[FB_GUIDE_CROSS], K);
}

void fb_guide_curve_add_second(const FbGuideFrame* frame, FbVec3 origin,
                               const FbVec3 f[FB_GUIDE_VECTORS], double* K) {
    for (int v = 0; v < FB_GUIDE_VECTORS; v++) {
        FbVec3 x = frame->value[v];
        add_turned(0, 1.0, v == FB_GUIDE_PLACE ? fb_sub(x, origin) : x, f[v], K);
    }
}
