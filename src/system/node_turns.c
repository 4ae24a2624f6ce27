// How far nodes of structures with large rotations have turned between two positions, and what that
// makes of forces and motions along their translations (theory manual, eq. 5.64).
#include <math.h>

#include "math/rotation.h"
#include "system/part.h"

static bool is_identity(const FbMat3* R) {
    for (int i = 0; i < 9; i++) {
        if (R->m[i / 3][i % 3] != (i / 3 == i % 3 ? 1.0 : 0.0)) {
            return false;
        }
    }
    return true;
}

// The next motion of the same joint, in the axes of the one before.
static bool continues(const FbTree* tree, int l, int next) {
    return next < tree->n_link && tree->links[next].parent == l &&
           tree->links[next].joint == tree->links[l].joint && tree->links[next].sign > 0.0 &&
           is_identity(&tree->links[next].R_PJ);
}

// A node in space: translation, then a ball.
static bool find_ball(const FbTree* tree, int l, FbNodeTurn* out) {
    const FbLink* link = &tree->links[l];
    if (link->kind != FB_LINK_TRANSLATE3 || !continues(tree, l, l + 1) ||
        link[1].kind != FB_LINK_BALL) {
        return false;
    }
    *out = (FbNodeTurn){.v = {link->v0, link->v0 + 1, link->v0 + 2}, .q = link[1].q0};
    return true;
}

// A node in a plane: two slides and a turn about their normal.
static bool find_plane(const FbTree* tree, int l, FbNodeTurn* out) {
    const FbLink* link = &tree->links[l];
    if (link->kind != FB_LINK_SLIDE || !continues(tree, l, l + 1) ||
        link[1].kind != FB_LINK_SLIDE || !continues(tree, l + 1, l + 2) ||
        link[2].kind != FB_LINK_TURN || link[0].axis == link[1].axis ||
        link[2].axis == link[0].axis || link[2].axis == link[1].axis) {
        return false;
    }
    bool is_cyclic = link[1].axis == (link[0].axis + 1) % 3;
    *out = (FbNodeTurn){
        .v = {link[0].v0, link[1].v0, -1}, .q = link[2].q0, .sense = is_cyclic ? 1.0 : -1.0};
    return true;
}

void fb_node_turns_take(FbSystem* s) {
    const FbTree* tree = &s->m->tree;
    s->node_turns = FB_TAKE(s->arena, FbNodeTurn, s->m->n_joints + 1);
    for (int l = 0; s->node_turns && l < tree->n_link; l++) {
        int joint = tree->links[l].joint;
        bool is_node = joint >= 0 && s->m->is_node[joint] && !s->m->is_linear_node[joint];
        FbNodeTurn* out = &s->node_turns[s->n_node_turns];
        if (is_node && tree->links[l].sign > 0.0 &&
            (find_ball(tree, l, out) || find_plane(tree, l, out))) {
            s->n_node_turns++;
        }
    }
    s->dynamics.has_node_turns = s->n_node_turns > 0;
}

// x <- R(q) R(q0)' x
static void turn_in_space(const FbNodeTurn* t, const double* q0, const double* q, double* x) {
    FbMat3 from = fb_rotation_from_quaternion(q0 + t->q),
           to = fb_rotation_from_quaternion(q + t->q);
    FbVec3 own = fb_mul3_transposed(&from, fb_vec3(x[t->v[0]], x[t->v[1]], x[t->v[2]]));
    FbVec3 out = fb_mul3(&to, own);
    x[t->v[0]] = out.x;
    x[t->v[1]] = out.y;
    x[t->v[2]] = out.z;
}

static void turn_in_plane(const FbNodeTurn* t, const double* q0, const double* q, double* x) {
    double angle = t->sense * (q[t->q] - q0[t->q]), c = cos(angle), s = sin(angle);
    double a = x[t->v[0]], b = x[t->v[1]];
    x[t->v[0]] = c * a - s * b;
    x[t->v[1]] = s * a + c * b;
}

void fb_system_turn_nodes(const FbDynamics* d, const double* q0, const double* q, double* x) {
    const FbSystem* s = (const FbSystem*)d;
    for (int i = 0; i < s->n_node_turns; i++) {
        const FbNodeTurn* t = &s->node_turns[i];
        if (t->v[2] >= 0) {
            turn_in_space(t, q0, q, x);
        } else {
            turn_in_plane(t, q0, q, x);
        }
    }
}
