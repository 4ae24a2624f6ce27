// Why a mechanism has no accelerations: something without inertia, or motions that coincide.
#include <float.h>
#include <math.h>
#include <string.h>

#include "system/work.h"

// Inertia below this part of what it is summed up from is rounding.
static const double ROUNDING = 256.0 * DBL_EPSILON;
// Two motions are the same if everything they move moves equally up to this fraction.
static const double ALIKE = 1e-8;
// Axes are parallel below this angle, rad.
static const double PARALLEL = 1e-4;

// What the inertia along velocity j is calculated from: masses times squared distances, or masses.
static double inertia_before_cancelling(const FbSystem* s, int j) {
    const FbTree* tree = &s->m->tree;
    int top = tree->link_of_v[j];
    FbLinkKind kind = tree->links[top].kind;
    bool is_slide = kind == FB_LINK_SLIDE || kind == FB_LINK_TRANSLATE3;
    double sum = 0.0;
    for (int i = top; i < tree->n_link; i++) {
        int up = i;
        while (up > top) {
            up = tree->links[up].parent;
        }
        const FbLink* link = &tree->links[i];
        if (up == top && link->has_mass) {
            FbVec3 c = fb_add(s->k.p[i], fb_mul3(&s->k.R[i], link->center));
            double d = fb_norm(fb_sub(c, s->k.p[top]));
            double trace = link->inertia.m[0][0] + link->inertia.m[1][1] + link->inertia.m[2][2];
            sum += is_slide ? link->mass : link->mass * d * d + trace;
        }
    }
    return sum;
}

// A body that no joint mentions.
static FbStatus fail_floating(const FbModel* m, int link, const char* name, FbError* err) {
    const FbPlace* place = NULL;
    for (int i = 0; i < m->n_bodies; i++) {
        place = m->bodies[i].link == link ? &m->bodies[i].place : place;
    }
    if (m->tree.links[link].mass > 0.0) {
        return fb_fail(
            err, FB_ERR_SINGULAR, place,
            "body '%s' floats freely but has no rotational inertia; give it 'inertia' or a shape "
            "of finite size, or keep it from rotating with a joint of type 'translation'",
            name);
    }
    return fb_fail(err, FB_ERR_SINGULAR, place,
                   "body '%s' floats freely but has no mass; give it mass and inertia, or attach "
                   "it with a joint",
                   name);
}

static FbStatus fail_without_inertia(const FbSystem* s, int velocity, FbError* err) {
    const FbModel* m = s->m;
    int link = m->tree.link_of_v[velocity], joint = m->tree.links[link].joint;
    const char* name = s->dynamics.ops->name_of_velocity(&s->dynamics, velocity);
    if (joint < 0) {
        return fail_floating(m, link, name, err);
    }
    return fb_fail(err, FB_ERR_SINGULAR, &m->joints[joint].place,
                   "joint '%s' has no inertia along one of its coordinates; give mass and inertia "
                   "to the bodies it moves, or constrain them",
                   name);
}

// Another rotation of the same joint whose axis is parallel; -1: none.
static int parallel_axis(const FbSystem* s, int j) {
    const FbTree* tree = &s->m->tree;
    int joint = tree->links[tree->link_of_v[j]].joint;
    for (int k = 0; joint >= 0 && k < tree->n_v; k++) {
        FbVec3 a = s->k.S[j].ang, b = s->k.S[k].ang;
        if (k != j && tree->links[tree->link_of_v[k]].joint == joint && fb_dot(b, b) > 0.0 &&
            fb_norm(fb_cross(a, b)) < PARALLEL) {
            return k;
        }
    }
    return -1;
}

// Another velocity that moves the same things in the same way; -1: none.
static int same_motion(const FbSystem* s, int j) {
    const FbPattern* vv = &s->m->vv;
    const double* M = s->blocks.M;
    double own = M[fb_at(vv, j, j)];
    for (int i = vv->start[j]; i < vv->start[j + 1]; i++) {
        int k = vv->row[i];
        double other = M[fb_at(vv, k, k)];
        if (k != j && M[i] * M[i] > (1.0 - ALIKE) * own * other) {
            return k;
        }
    }
    return -1;
}

// Does the ball joint of velocity j carry something without inertia about some axis?
static bool is_spin_without_inertia(const FbSystem* s, int j) {
    const FbLink* link = &s->m->tree.links[s->m->tree.link_of_v[j]];
    if (link->kind != FB_LINK_BALL) {
        return false;
    }
    FbVec3 row[3];
    double product = 1.0;
    for (int i = 0; i < 3; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = s->blocks.M[fb_at(&s->m->vv, link->v0 + i, link->v0 + k)];
        }
        row[i] = fb_vec3_from(x);
        product *= x[i];
    }
    return !(fabs(fb_dot(row[0], fb_cross(row[1], row[2]))) > ROUNDING * product);
}

FbStatus fb_system_fail_singular(FbSystem* s, int velocity, FbError* err) {
    const FbModel* m = s->m;
    if (velocity < 0 || velocity >= m->tree.n_v) {
        return fb_fail(err, FB_ERR_SINGULAR, NULL,
                       "the constraint forces are not determined at this position");
    }
    memset(s->blocks.M, 0, sizeof(double) * (size_t)fb_pattern_count(&m->vv));
    fb_tree_add_mass_matrix(&m->tree, &s->k, &m->vv, s->blocks.M);
    s->kkt.is_factored = false;
    double inertia = s->blocks.M[fb_at(&m->vv, velocity, velocity)];
    if (!(inertia > ROUNDING * inertia_before_cancelling(s, velocity))) {
        return fail_without_inertia(s, velocity, err);
    }
    int joint = m->tree.links[m->tree.link_of_v[velocity]].joint;
    const FbPlace* place = joint >= 0 ? &m->joints[joint].place : NULL;
    const char* name = s->dynamics.ops->name_of_velocity(&s->dynamics, velocity);
    if (parallel_axis(s, velocity) >= 0) {
        return fb_fail(
            err, FB_ERR_SINGULAR, place,
            "joint '%s' is in gimbal lock: two of its axes coincide here, so the rates of its "
            "angles, which a force, constraint or expression uses, are not unique; use a spherical "
            "or free joint, or choose the axes so that this position is far from 90 deg",
            name);
    }
    if (is_spin_without_inertia(s, velocity)) {
        return fb_fail(err, FB_ERR_SINGULAR, place,
                       "joint '%s' allows a spin about an axis without inertia (a point mass, or a "
                       "slender rod); write a small `sphere` instead of "
                       "a `point`, a thin `cylinder` instead of a `rod`, or use a universal joint",
                       name);
    }
    int other = same_motion(s, velocity);
    if (other >= 0) {
        return fb_fail(
            err, FB_ERR_SINGULAR, place,
            "'%s' and '%s' cause the same motion here, so their accelerations are not determined; "
            "remove one, or give mass and inertia to the bodies between them",
            name, s->dynamics.ops->name_of_velocity(&s->dynamics, other));
    }
    return fb_fail(
        err, FB_ERR_SINGULAR, place,
        "the acceleration of '%s' is not determined: its motion, combined with that of other "
        "joints, involves no inertia; give mass and inertia to everything that can move",
        name);
}

FbStatus fb_system_fail_factor(FbSystem* s, FbStatus status, const FbLinear* solver, FbError* err) {
    return status == FB_ERR_MEMORY ? fb_fail_memory(err)
                                   : fb_system_fail_singular(s, fb_linear_bad_column(solver), err);
}
