// Joints with three turns that count as they are drawn (a force or a constraint acts by an angle)
// and come near gimbal lock: the rates of their angles grow without bound there.
#include <math.h>
#include <stdio.h>

#include "system/work.h"

// Sine of the angle between the outer axes: rates are fifty times what turns, and more.
static const double NEAR = 0.02;
// More steps in a row than a motion past the lock takes.
static const long MANY = 5000;

// The first of three turns of a joint in the tree, -1: none.
static int first_turn(const FbJoint* joint) {
    for (int i = 0; !joint->is_loop && i < joint->type->n_v; i++) {
        if (joint->type->coordinates[i].kind == FB_COORD_CARDAN) {
            return i;
        }
    }
    return -1;
}

static bool has_chart(const FbTree* tree, int joint) {
    for (int c = 0; c < tree->n_charts; c++) {
        if (tree->charts[c].joint == joint) {
            return true;
        }
    }
    return false;
}

// The joint that is nearest to lock where kinematics were realized last, -1: none is near; *angle
// is how near.
static int find_lock(const FbSystem* s, double* angle) {
    const FbModel* m = s->m;
    int found = -1;
    *angle = NEAR;
    for (int j = 0; j < m->n_joints; j++) {
        const FbJoint* joint = &m->joints[j];
        int first = first_turn(joint);
        if (first < 0 || has_chart(&m->tree, j)) {
            continue;
        }
        const int* v = joint->velocity + first;
        double sine = fb_norm(fb_cross(s->k.S[v[0]].ang, s->k.S[v[2]].ang));
        found = sine < *angle ? j : found;
        *angle = fmin(*angle, sine);
    }
    return found;
}

static FbStatus fail(const FbSystem* s, const char* when, int joint, double angle, FbError* err) {
    return fb_fail(
        err, FB_ERR_SINGULAR, &s->m->joints[joint].place,
        "%sjoint '%s' is %.2g rad from gimbal lock: two of its axes coincide there, so the rates "
        "of "
        "its angles, which a force, constraint or expression uses, grow without bound; use a "
        "spherical or free joint, or choose the axes so that this position is far from 90 deg",
        when, s->m->joints[joint].name, angle);
}

const FbError* fb_locks_trouble(FbDynamics* d) {
    FbSystem* s = fb_system_of(d);
    double angle;
    int joint = find_lock(s, &angle);
    if (joint < 0) {
        return NULL;
    }
    fail(s, "", joint, angle, &s->trouble);
    return &s->trouble;
}

FbStatus fb_locks_accept(FbSystem* s, double t, FbError* err) {
    double angle;
    char when[48];
    if (s->linear.arena) {
        return FB_OK;  // nodes of small rotations, and links were not moved
    }
    int joint = find_lock(s, &angle);
    s->lock_steps = joint >= 0 ? s->lock_steps + 1 : 0;
    if (s->lock_steps <= MANY) {
        return FB_OK;
    }
    snprintf(when, sizeof when, "at t = %.10g s ", t);
    return fail(s, when, joint, angle, err);
}
