// Motions and forces about any point near a link.
//
// A point is given from the base of the link it is used with (tree.h); `link` may be -1, the
// ground, whose base is its origin. Spatial vectors are about that point.
#ifndef FLYBALL_TREE_MOTION_H
#define FLYBALL_TREE_MOTION_H

#include "tree/tree.h"

// The point x of a link, from its base.
static inline FbVec3 fb_link_point(const FbKinematics* k, int link, FbVec3 x) {
    return link >= 0 ? fb_add(k->p[link], fb_mul3(&k->R[link], x)) : x;
}
// Where the base of a link is, and how fast, from the ground's origin.
static inline FbVec3 fb_base_position(const FbKinematics* k, int link) {
    if (link < 0) {
        return fb_vec3(0, 0, 0);
    }
    int base = k->tree->links[link].base;
    return fb_add(k->base_p[base], k->base_q[base]);
}
static inline FbVec3 fb_base_velocity(const FbKinematics* k, int link) {
    return link >= 0 ? k->base_v[k->tree->links[link].base] : fb_vec3(0, 0, 0);
}
static inline bool fb_has_same_base(const FbKinematics* k, int a, int b) {
    return a == b || (a >= 0 && b >= 0 && k->tree->links[a].base == k->tree->links[b].base);
}
// From the point x of the ground to the base of a link: constants first, so that only their
// difference, which does not change, rounds as far ones do.
static inline FbVec3 fb_base_from(const FbKinematics* k, FbVec3 x, int link) {
    if (link < 0) {
        return fb_scale(-1.0, x);
    }
    int base = k->tree->links[link].base;
    return fb_add(fb_sub(k->base_p[base], x), k->base_q[base]);
}
// From the base of link a to that of link b: exactly zero where it is the same.
static inline FbVec3 fb_base_step(const FbKinematics* k, int a, int b) {
    if (fb_has_same_base(k, a, b)) {
        return fb_vec3(0, 0, 0);
    }
    if (a < 0 || b < 0) {
        return a < 0 ? fb_base_position(k, b) : fb_scale(-1.0, fb_base_position(k, a));
    }
    int base = k->tree->links[a].base;
    return fb_sub(fb_base_from(k, k->base_p[base], b), k->base_q[base]);
}
static inline FbVec3 fb_base_velocity_step(const FbKinematics* k, int a, int b) {
    return fb_has_same_base(k, a, b) ? fb_vec3(0, 0, 0)
                                     : fb_sub(fb_base_velocity(k, b), fb_base_velocity(k, a));
}
// A point that is given from the base of link b, from the base of link a.
static inline FbVec3 fb_from_base(const FbKinematics* k, int a, int b, FbVec3 at_b) {
    if (b < 0 && a >= 0) {  // a point of the ground: as above
        return fb_scale(-1.0, fb_base_from(k, at_b, a));
    }
    return fb_add(at_b, fb_base_step(k, a, b));
}
// The same point, from the point x of link a.
static inline FbVec3 fb_from_point(const FbKinematics* k, int a, FbVec3 x, int b, FbVec3 at_b) {
    return a < 0 ? fb_add(at_b, fb_base_from(k, x, b))
                 : fb_sub(fb_from_base(k, a, b, at_b), fb_link_point(k, a, x));
}
// The point x of a link, from the ground's origin.
static inline FbVec3 fb_ground_point(const FbKinematics* k, int link, FbVec3 x) {
    return fb_add(fb_base_position(k, link), fb_link_point(k, link, x));
}

// From the link's origin to a point.
static inline FbVec3 fb_lever(const FbKinematics* k, int link, FbVec3 at) {
    return link >= 0 ? fb_sub(at, k->p[link]) : at;
}
// A motion about an origin, about a point at `lever` from it.
static inline FbVec6 fb_motion_at(FbVec6 m, FbVec3 lever) {
    return (FbVec6){m.ang, fb_add(m.lin, fb_cross(m.ang, lever))};
}
// The column of velocity j, and the velocity of a link less that of its base, about a point.
static inline FbVec6 fb_column_at(const FbKinematics* k, int j, FbVec3 at) {
    return fb_motion_at(k->S[j], fb_lever(k, k->tree->link_of_v[j], at));
}
static inline FbVec6 fb_velocity_about(const FbKinematics* k, int link, FbVec3 at) {
    return link >= 0 ? fb_motion_at(k->V[link], fb_lever(k, link, at)) : fb_zero6();
}
// The velocity of the material point, from the ground.
static inline FbVec3 fb_point_velocity(const FbKinematics* k, int link, FbVec3 at) {
    return fb_add(fb_base_velocity(k, link), fb_velocity_about(k, link, at).lin);
}
// Angular acceleration, and acceleration of the material point less g.
static inline FbVec6 fb_acceleration_about(const FbKinematics* k, int link, FbVec3 at) {
    if (link < 0) {
        return k->A_ground;
    }
    FbVec3 c = fb_lever(k, link, at), w = k->V[link].ang;
    FbVec6 A = fb_motion_at(k->A[link], c);
    A.lin = fb_add(A.lin, fb_cross(w, fb_cross(w, c)));
    return A;
}
// The same as a spatial vector, a - w x v, of an observer who moves with the base, eq. (2.24).
static inline FbVec6 fb_spatial_acceleration_about(const FbKinematics* k, int link, FbVec3 at) {
    FbVec6 A = fb_acceleration_about(k, link, at), V = fb_velocity_about(k, link, at);
    A.lin = fb_sub(A.lin, fb_cross(V.ang, V.lin));
    return A;
}
// A force f about the point `at` acts on a link.
static inline void fb_push(FbKinematics* k, int link, FbVec3 at, FbVec6 f) {
    if (link >= 0) {
        FbVec6* x = &k->external[link];
        x->ang = fb_add(x->ang, fb_add(f.ang, fb_cross(fb_lever(k, link, at), f.lin)));
        x->lin = fb_add(x->lin, f.lin);
    }
}

#endif
