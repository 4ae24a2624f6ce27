// Members drawn as arcs of circles: centre, turn and axes from three points.
#include <math.h>

#include "math/rotation.h"
#include "mesh/structure.h"

static const double PI_ = 3.14159265358979323846;
// Sine of the angle at a point of the arc below which three points lie on a line.
static const double STRAIGHT = 1e-9;

static bool report(FbStructurePlan* plan, const FbMemberDef* m, const char* text) {
    fb_structure_report(plan, FB_ERR_MODEL, &m->origin, "through", "member '%s' %s", m->name, text);
    return false;
}

// The circle through a, p and b: its centre seen from p is
//   (|u|^2 v - |v|^2 u) x (u x v) / (2 |u x v|^2),  u = a - p, v = b - p.
static FbVec3 calc_center(FbVec3 a, FbVec3 p, FbVec3 b) {
    FbVec3 u = fb_sub(a, p), v = fb_sub(b, p), n = fb_cross(u, v);
    FbVec3 mixed = fb_axpy(-fb_dot(v, v), u, fb_scale(fb_dot(u, u), v));
    return fb_axpy(0.5 / fb_dot(n, n), fb_cross(mixed, n), p);
}

// Angle from a to b about the centre, in the direction of the axis, between 0 and 2 pi.
static double calc_angle(FbVec3 from, FbVec3 to, FbVec3 axis) {
    double angle = atan2(fb_dot(axis, fb_cross(from, to)), fb_dot(from, to));
    return angle > 0.0 ? angle : angle + 2.0 * PI_;
}

static bool is_in_plane(const FbStructurePlan* plan, FbVec3 axis) {
    return !fb_structure_is_plane(plan->s) ||
           fb_norm(fb_cross(axis, plan->normal)) < STRAIGHT * fb_norm(axis);
}

bool fb_structure_check_arc(FbStructurePlan* plan, const FbMemberDef* m, FbMemberPlan* out) {
    FbVec3 a = fb_vec3_from(plan->s->nodes[out->from].at), p = fb_vec3_from(m->through);
    FbVec3 b = fb_vec3_from(plan->s->nodes[out->to].at);
    FbVec3 first = fb_sub(p, a), second = fb_sub(b, p), normal = fb_cross(first, second);
    double size = fb_norm(first) * fb_norm(second);
    if (!plan->s->is_nonlinear) {
        return report(plan, m,
                      "is an arc, which the linear theory does not have; use 'theory: nonlinear', "
                      "or straight members");
    }
    if (!(fb_norm(normal) > STRAIGHT * size)) {
        return report(plan, m,
                      "passes through a point on the line of its nodes; an arc of a circle needs a "
                      "point beside it (or leave 'through' out)");
    }
    if (!is_in_plane(plan, normal)) {
        return report(plan, m, "leaves the plane of the structure; 'through' must lie in it");
    }
    FbVec3 axis = fb_scale(1.0 / fb_norm(normal), normal);
    out->center = calc_center(a, p, b);
    FbVec3 from = fb_sub(a, out->center);
    double angle = calc_angle(from, fb_sub(b, out->center), axis), radius = fb_norm(from);
    out->turn = fb_scale(angle, axis);
    out->length = angle * radius;
    out->x = fb_scale(1.0 / radius, fb_cross(axis, from));
    if (!(angle < PI_ * m->n_elements)) {
        fb_structure_report(plan, FB_ERR_RANGE, &m->origin, "elements",
                            "member '%s' turns by %.4g deg with %d element%s; an element must turn "
                            "by less than 180 deg",
                            m->name, angle * 180.0 / PI_, m->n_elements,
                            m->n_elements == 1 ? "" : "s");
        return false;
    }
    return true;
}

FbVec3 fb_member_place(const FbStructurePlan* plan, const FbMemberPlan* member, double at) {
    FbVec3 a = fb_vec3_from(plan->s->nodes[member->from].at);
    FbVec3 b = fb_vec3_from(plan->s->nodes[member->to].at);
    if (!fb_member_is_arc(member)) {
        return fb_axpy(at, fb_sub(b, a), a);
    }
    return fb_add(member->center, fb_member_turn(member, at, fb_sub(a, member->center)));
}

FbVec3 fb_member_turn(const FbMemberPlan* member, double at, FbVec3 direction) {
    FbMat3 R = fb_rotation_from_vector(fb_scale(at, member->turn));
    return fb_member_is_arc(member) ? fb_mul3(&R, direction) : direction;
}
