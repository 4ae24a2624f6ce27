// Spatial (6-D) vectors and inertias, all in ground axes about a point of reference.
//
// A motion is (angular velocity, velocity of the body-fixed point now at the reference point); a
// force is (moment about the reference point, force). The point is near what moves, each link's own
// origin in the recursions, because about a far one the moments of a body are lost in rounding;
// with axes in common, a change of the point is one cross product.
#ifndef FLYBALL_MATH_SPATIAL_H
#define FLYBALL_MATH_SPATIAL_H

#include "math/vec3.h"

typedef struct FbVec6 {
    FbVec3 ang;
    FbVec3 lin;
} FbVec6;

static inline FbVec6 fb_vec6(FbVec3 ang, FbVec3 lin) {
    return (FbVec6){ang, lin};
}
static inline FbVec6 fb_zero6(void) {
    return (FbVec6){{0, 0, 0}, {0, 0, 0}};
}
static inline FbVec6 fb_add6(FbVec6 a, FbVec6 b) {
    return (FbVec6){fb_add(a.ang, b.ang), fb_add(a.lin, b.lin)};
}
static inline FbVec6 fb_sub6(FbVec6 a, FbVec6 b) {
    return (FbVec6){fb_sub(a.ang, b.ang), fb_sub(a.lin, b.lin)};
}
static inline FbVec6 fb_scale6(double s, FbVec6 a) {
    return (FbVec6){fb_scale(s, a.ang), fb_scale(s, a.lin)};
}
static inline FbVec6 fb_axpy6(double s, FbVec6 a, FbVec6 b) {
    return (FbVec6){fb_axpy(s, a.ang, b.ang), fb_axpy(s, a.lin, b.lin)};
}
static inline double fb_dot6(FbVec6 a, FbVec6 b) {
    return fb_dot(a.ang, b.ang) + fb_dot(a.lin, b.lin);
}
// v x m: the rate of a motion vector m that is carried along by v.
static inline FbVec6 fb_cross_motion(FbVec6 v, FbVec6 m) {
    return (FbVec6){fb_cross(v.ang, m.ang), fb_add(fb_cross(v.ang, m.lin), fb_cross(v.lin, m.ang))};
}
// v x* f: the rate of a force vector f that is carried along by v.
static inline FbVec6 fb_cross_force(FbVec6 v, FbVec6 f) {
    return (FbVec6){fb_add(fb_cross(v.ang, f.ang), fb_cross(v.lin, f.lin)), fb_cross(v.ang, f.lin)};
}
// Velocity of the point p of a body moving with v.
static inline FbVec3 fb_velocity_at(FbVec6 v, FbVec3 p) {
    return fb_add(v.lin, fb_cross(v.ang, p));
}
// The spatial force of a force f through the point p.
static inline FbVec6 fb_force_at(FbVec3 p, FbVec3 f) {
    return (FbVec6){fb_cross(p, f), f};
}

// Rigid-body inertia about the reference point: mass, first moment h = m c, second moment
// (symmetric).
typedef struct FbInertia {
    double m;
    FbVec3 h;
    double xx, yy, zz, xy, xz, yz;
} FbInertia;

static inline FbInertia fb_inertia_add(FbInertia a, FbInertia b) {
    return (FbInertia){a.m + b.m,   fb_add(a.h, b.h), a.xx + b.xx, a.yy + b.yy,
                       a.zz + b.zz, a.xy + b.xy,      a.xz + b.xz, a.yz + b.yz};
}
// About a point that is at -r from the current one: I - [r][h] - [h][r] - m [r]^2, h + m r.
static inline FbInertia fb_inertia_shift(const FbInertia* i, FbVec3 r) {
    FbVec3 g = fb_axpy(0.5 * i->m, r, i->h);  // [r][g] + [g][r] = g r' + r g' - 2 (r . g) 1
    double d = 2.0 * fb_dot(r, g);
    return (FbInertia){i->m,
                       fb_axpy(i->m, r, i->h),
                       i->xx + (d - 2.0 * g.x * r.x),
                       i->yy + (d - 2.0 * g.y * r.y),
                       i->zz + (d - 2.0 * g.z * r.z),
                       i->xy - (g.x * r.y + g.y * r.x),
                       i->xz - (g.x * r.z + g.z * r.x),
                       i->yz - (g.y * r.z + g.z * r.y)};
}
// Momentum I v.
static inline FbVec6 fb_inertia_mul(const FbInertia* i, FbVec6 v) {
    FbVec3 w = v.ang;
    FbVec3 iw = {i->xx * w.x + i->xy * w.y + i->xz * w.z, i->xy * w.x + i->yy * w.y + i->yz * w.z,
                 i->xz * w.x + i->yz * w.y + i->zz * w.z};
    return (FbVec6){fb_add(iw, fb_cross(i->h, v.lin)),
                    fb_sub(fb_scale(i->m, v.lin), fb_cross(i->h, w))};
}
// From mass, centre and central inertia, all in ground axes.
static inline FbInertia fb_inertia_from_center(double m, FbVec3 c, const FbMat3* ic) {
    double cc = fb_dot(c, c);
    return (FbInertia){m,
                       fb_scale(m, c),
                       ic->m[0][0] + m * (cc - c.x * c.x),
                       ic->m[1][1] + m * (cc - c.y * c.y),
                       ic->m[2][2] + m * (cc - c.z * c.z),
                       ic->m[0][1] - m * c.x * c.y,
                       ic->m[0][2] - m * c.x * c.z,
                       ic->m[1][2] - m * c.y * c.z};
}

#endif
