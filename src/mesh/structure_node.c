// Nodes of a structure: the body, the joint that holds it, its springs and loads.
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "math/rotation.h"
#include "mesh/structure.h"

// A starting displacement may leave what the support allows by rounding only.
static const double BLOCKED_TOLERANCE = 1e-9;

// A direction in which a coordinate of the node's joint moves it, in the structure's axes.
typedef struct Freedom {
    bool is_turn;
    FbVec3 axis;
} Freedom;

// How a node is held: the joint and its coordinates.
typedef struct Holding {
    const char* joint;
    Freedom freedom[6];
    int n;
    FbVec3 axis, x_axis;  // of the joint, in the structure's axes
    bool has_ball;        // the last three coordinates are a rotation vector
    bool has_plane;       // roller in space: a constraint with this normal besides
    FbVec3 plane_normal;
} Holding;

static bool is_support(const FbNodeDef* node, const char* name) {
    return node->support && strcmp(node->support, name) == 0;
}

static bool is_given(const double v[3]) {
    return !isnan(v[0]) || !isnan(v[1]) || !isnan(v[2]);
}

static bool has_own_rotation(const FbNodeDef* node) {
    bool has = node->inertia > 0.0;
    for (int i = 3; i < 6; i++) {
        has |= node->stiffness[i] > 0.0 || node->damping[i] > 0.0;
    }
    return has;
}

bool fb_structure_is_hinge(const FbStructureDef* s, const FbNodeDef* node, const FbNodeEnds* ends) {
    (void)s;
    return ends->n_rigid == 0 && ends->n_hinged > 0 && !has_own_rotation(node) && !node->body &&
           !is_support(node, "clamped");
}

static void add_freedom(Holding* h, bool is_turn, FbVec3 axis) {
    h->freedom[h->n++] = (Freedom){is_turn, axis};
}

static Holding hold_in_plane(const FbStructurePlan* plan, const FbNodeDef* node) {
    Holding h = {.joint = "planar", .axis = plan->normal, .x_axis = plan->first};
    if (node->body || is_support(node, "clamped")) {
        h.joint = "fixed";
        return h;
    }
    if (is_support(node, "roller")) {
        FbVec3 way = is_given(node->direction) ? fb_vec3_from(node->direction) : plan->first;
        h.joint = "pin_slot";
        h.x_axis = fb_scale(1.0 / fb_norm(way), way);
        add_freedom(&h, false, h.x_axis);
    } else if (is_support(node, "pinned")) {
        h.joint = "revolute";
    } else {
        add_freedom(&h, false, plan->first);
        add_freedom(&h, false, plan->second);
    }
    add_freedom(&h, true, plan->normal);
    return h;
}

// Where every member is hinged, the node itself does not turn.
static Holding hold_in_space(const FbStructurePlan* plan, const FbNodeDef* node, bool is_hinge) {
    const FbVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    Holding h = {.joint = "fixed", .axis = unit[2], .x_axis = unit[0]};
    bool is_pinned = is_support(node, "pinned"), is_nonlinear = plan->s->is_nonlinear;
    if (node->body || is_support(node, "clamped") || (is_pinned && is_hinge)) {
        return h;
    }
    for (int i = 0; !is_pinned && i < 3; i++) {
        add_freedom(&h, false, unit[i]);
    }
    for (int i = 0; !is_hinge && i < 3; i++) {
        add_freedom(&h, true, unit[i]);
    }
    h.has_ball = is_nonlinear && !is_hinge;
    h.joint = is_hinge    ? "translation"
              : is_pinned ? (is_nonlinear ? "spherical" : "gimbal")
                          : (is_nonlinear ? "free" : "node");
    if (is_support(node, "roller")) {
        FbVec3 normal = fb_vec3_from(node->direction);
        h.has_plane = true;
        h.plane_normal = fb_scale(1.0 / fb_norm(normal), normal);
    }
    return h;
}

static Holding hold(const FbStructurePlan* plan, const FbNodeDef* node, const FbNodeEnds* ends) {
    return fb_structure_is_plane(plan->s)
               ? hold_in_plane(plan, node)
               : hold_in_space(plan, node, fb_structure_is_hinge(plan->s, node, ends));
}

static double part_along(const double values[6], const Freedom* f) {
    return fb_dot(fb_vec3_from(values + (f->is_turn ? 3 : 0)), f->axis);
}

// Is the motion (m along x, y, z, rad about them) one that the joint can make?
static bool is_possible(const Holding* h, const double values[6]) {
    FbVec3 rest[2] = {fb_vec3_from(values), fb_vec3_from(values + 3)};
    double limit[2] = {BLOCKED_TOLERANCE * fb_norm(rest[0]), BLOCKED_TOLERANCE * fb_norm(rest[1])};
    for (int i = 0; i < h->n; i++) {
        const Freedom* f = &h->freedom[i];
        rest[f->is_turn] = fb_axpy(-part_along(values, f), f->axis, rest[f->is_turn]);
    }
    double height = h->has_plane ? fabs(fb_dot(h->plane_normal, fb_vec3_from(values))) : 0.0;
    return fb_norm(rest[0]) <= limit[0] && fb_norm(rest[1]) <= limit[1] && height <= limit[0];
}

static void check_start(FbStructurePlan* plan, const FbNodeDef* node, const Holding* h,
                        const char* key, bool is_given_here, const double values[6]) {
    if (is_given_here && !is_possible(h, values)) {
        const char* how = node->body           ? "welded to a body"
                          : node->support      ? node->support
                          : h->joint[0] == 't' ? "a hinge"
                                               : "in a plane structure";
        fb_structure_report(
            plan, FB_ERR_RANGE, &node->origin, key,
            "node '%s' is %s and cannot start with this %s; remove the held components", node->name,
            how, key);
    }
}

static void check_support(FbStructurePlan* plan, const FbNodeDef* node) {
    static const char* const known[] = {"free", "clamped", "pinned", "roller"};
    bool is_known = !node->support;
    for (int i = 0; i < 4; i++) {
        is_known |= is_support(node, known[i]);
    }
    if (!is_known) {
        const char* close = fb_did_you_mean(node->support, known, 4);
        fb_structure_report(plan, FB_ERR_NAME, &node->origin, "support",
                            "support of node '%s' is '%s'; it must be one of free, clamped, "
                            "pinned, roller%s%s%s",
                            node->name, node->support, close ? "; did you mean '" : "",
                            close ? close : "", close ? "'?" : "");
    }
    if (node->body && node->support && !is_support(node, "free")) {
        fb_structure_report(plan, FB_ERR_MODEL, &node->origin, "body",
                            "node '%s' is welded to body '%s' and also %s to the ground; give only "
                            "one of 'body' and 'support'",
                            node->name, node->body, node->support);
    }
}

static void check_direction(FbStructurePlan* plan, const FbNodeDef* node) {
    FbVec3 way = fb_vec3_from(node->direction);
    bool is_plane = fb_structure_is_plane(plan->s), is_roller = is_support(node, "roller");
    if (!is_given(node->direction)) {
        if (is_roller && !is_plane) {
            fb_structure_report(
                plan, FB_ERR_MODEL, &node->origin, "support",
                "roller '%s' needs 'direction', the normal of the plane it rolls on", node->name);
        }
    } else if (!is_roller) {
        fb_structure_report(plan, FB_ERR_MODEL, &node->origin, "direction",
                            "'direction' goes with 'support: roller'; node '%s' would ignore it",
                            node->name);
    } else if (!(fb_norm(way) > 0.0 && isfinite(fb_norm(way)))) {
        fb_structure_report(plan, FB_ERR_RANGE, &node->origin, "direction",
                            "the direction of roller '%s' has no length", node->name);
    } else if (is_plane && !(fabs(fb_dot(way, plan->normal)) <= 1e-9 * fb_norm(way))) {
        fb_structure_report(plan, FB_ERR_RANGE, &node->origin, "direction",
                            "roller '%s' would roll out of the plane of the structure; give a "
                            "direction in it",
                            node->name);
    }
}

// Springs and dampers of a plane structure act in its plane.
static void check_springs(FbStructurePlan* plan, const FbNodeDef* node) {
    int n = plan->s->plane_normal;
    const char* const keys[] = {"stiffness", "damping"};
    for (int i = 0; i < 12; i++) {
        double value = i < 6 ? node->stiffness[i] : node->damping[i - 6];
        int k = i % 6;
        bool is_out = n >= 0 && (k < 3 ? k == n : k - 3 != n);
        if (!(value >= 0.0 && isfinite(value))) {
            fb_structure_report(plan, FB_ERR_RANGE, &node->origin, keys[i / 6],
                                "%s of node '%s' has the value %g; it must be >= 0", keys[i / 6],
                                node->name, value);
        } else if (is_out && value > 0.0) {
            fb_structure_report(
                plan, FB_ERR_MODEL, &node->origin, keys[i / 6],
                "%s of node '%s' %s %c has no effect in a plane structure; remove it", keys[i / 6],
                node->name, k < 3 ? "along" : "about", "xyz"[k % 3]);
        }
    }
}

static void check_mass(FbStructurePlan* plan, const FbNodeDef* node) {
    if (!(node->mass >= 0.0 && isfinite(node->mass))) {
        fb_structure_report(plan, FB_ERR_RANGE, &node->origin, "mass",
                            "mass of node '%s' is %g kg; it must be >= 0", node->name, node->mass);
    }
    if (!(node->inertia >= 0.0 && isfinite(node->inertia))) {
        fb_structure_report(plan, FB_ERR_RANGE, &node->origin, "inertia",
                            "inertia of node '%s' is %g kg*m^2; it must be >= 0", node->name,
                            node->inertia);
    }
}

static void check_use(FbStructurePlan* plan, const FbNodeDef* node, const FbNodeEnds* ends) {
    if (ends->n_rigid + ends->n_hinged == 0 && !plan->has_bad_member) {
        fb_structure_report(plan, FB_ERR_MODEL, &node->origin, NULL,
                            "node '%s' belongs to no member; connect it to one, or remove it",
                            node->name);
    }
    bool has_moment = node->moment[0] || node->moment[1] || node->moment[2];
    if (has_moment && fb_structure_is_hinge(plan->s, node, ends)) {
        fb_structure_report(plan, FB_ERR_MODEL, &node->origin, "moment",
                            "every member is hinged to node '%s', so a moment on it turns no "
                            "member; connect one member rigidly",
                            node->name);
    }
}

void fb_structure_check_node(FbStructurePlan* plan, const FbNodeDef* node, const FbNodeEnds* ends) {
    int errors = fb_diagnostics_error_count(plan->diagnostics);
    for (int i = 0; i < 3; i++) {
        if (!isfinite(node->at[i])) {
            fb_structure_report(plan, FB_ERR_RANGE, &node->origin, "at",
                                "the position of node '%s' is not finite", node->name);
            return;
        }
    }
    check_support(plan, node);
    check_direction(plan, node);
    check_springs(plan, node);
    check_mass(plan, node);
    check_use(plan, node, ends);
    if (fb_diagnostics_error_count(plan->diagnostics) == errors) {
        Holding h = hold(plan, node, ends);
        check_start(plan, node, &h, "displacement", node->has_displacement, node->displacement);
        check_start(plan, node, &h, "velocity", node->has_velocity, node->velocity);
    }
}

static FbStatus add_body(FbStructurePlan* plan, const FbNodeDef* node, const char* name,
                         FbError* err) {
    FbBodyDef body = fb_body_def_default();
    body.name = name;
    fb_vec3_to(fb_structure_place(plan, fb_vec3_from(node->at)), body.position);
    memcpy(body.rotation, plan->R.m, sizeof plan->R.m);
    body.mass = node->mass;
    for (int i = 0; i < 3; i++) {
        body.inertia[i] = node->inertia;
    }
    body.origin = fb_structure_origin(&node->origin);
    return fb_model_def_add_body(plan->def, &body, err);
}

// A ball's velocity is measured in the axes of the turned node.
static void set_start(const FbNodeDef* node, const Holding* h, FbJointDef* joint) {
    double velocity[6];
    memcpy(velocity, node->velocity, sizeof velocity);
    if (h->has_ball && node->has_displacement) {
        FbMat3 turn = fb_rotation_from_vector(fb_vec3_from(node->displacement + 3));
        fb_vec3_to(fb_mul3_transposed(&turn, fb_vec3_from(velocity + 3)), velocity + 3);
    }
    for (int i = 0; i < h->n; i++) {
        joint->has_position[i] = node->has_displacement;
        joint->has_velocity[i] = node->has_velocity;
        joint->position[i] =
            node->has_displacement ? part_along(node->displacement, &h->freedom[i]) : 0.0;
        joint->velocity[i] = node->has_velocity ? part_along(velocity, &h->freedom[i]) : 0.0;
    }
}

static FbStatus add_joint(FbStructurePlan* plan, const FbNodeDef* node, const Holding* h,
                          const char* name, FbError* err) {
    static const char* const places[][2] = {{"between", "body"},
                                            {"between[0]", "body"},
                                            {"position", "displacement"},
                                            {"velocity", "velocity"}};
    FbJointDef joint = fb_joint_def_default();
    joint.name = name;
    joint.type = h->joint;
    joint.body_a = node->body ? node->body : "ground";
    joint.body_b = name;
    fb_vec3_to(fb_structure_place(plan, fb_vec3_from(node->at)), joint.point);
    fb_vec3_to(fb_mul3(&plan->R, h->axis), joint.axis);
    fb_vec3_to(fb_mul3(&plan->R, h->x_axis), joint.x_axis);
    set_start(node, h, &joint);
    bool is_plain = !node->body && !node->has_displacement && !node->has_velocity;
    joint.origin = is_plain ? fb_structure_origin(&node->origin)
                            : fb_structure_origin_with(plan, &node->origin, places, 4);
    return fb_model_def_add_joint(plan->def, &joint, err);
}

// The name of a part that comes with a node.
static const char* name_with(FbStructurePlan* plan, const char* name, const char* suffix) {
    const char* text = fb_arena_format(plan->arena, "%s.%s", name, suffix);
    return text ? text : name;
}

static FbStatus add_plane(FbStructurePlan* plan, const FbNodeDef* node, const Holding* h,
                          const char* name, FbError* err) {
    FbPointOnPlaneDef c;
    FB_TRY(fb_def_fill(plan->def->types.constraints, "point_on_plane", sizeof c, &c, err));
    c.head.name = name_with(plan, name, "roller");
    c.head.origin = fb_structure_origin(&node->origin);
    c.point.body = name;
    c.plane.body = "ground";
    fb_vec3_to(fb_structure_place(plan, fb_vec3_from(node->at)), c.plane.at);
    fb_vec3_to(fb_mul3(&plan->R, h->plane_normal), c.normal);
    return fb_model_def_add_constraint(plan->def, &c.head, err);
}

static FbStatus add_springs(FbStructurePlan* plan, const FbNodeDef* node, const char* name,
                            FbError* err) {
    double largest = 0.0;
    for (int i = 0; i < 6; i++) {
        largest = fmax(largest, fmax(node->stiffness[i], node->damping[i]));
    }
    if (!(largest > 0.0)) {
        return FB_OK;
    }
    FbBushingDef force;
    FB_TRY(fb_def_fill(plan->def->types.forces, "bushing", sizeof force, &force, err));
    force.head.name = name_with(plan, name, "spring");
    force.head.origin = fb_structure_origin(&node->origin);
    force.a.origin.body = "ground";
    fb_vec3_to(fb_structure_place(plan, fb_vec3_from(node->at)), force.a.origin.at);
    memcpy(force.a.rotation, plan->R.m, sizeof plan->R.m);
    force.b.origin.body = name;
    memcpy(force.translation_stiffness, node->stiffness, 3 * sizeof(double));
    memcpy(force.rotation_stiffness, node->stiffness + 3, 3 * sizeof(double));
    memcpy(force.translation_damping, node->damping, 3 * sizeof(double));
    memcpy(force.rotation_damping, node->damping + 3, 3 * sizeof(double));
    return fb_model_def_add_force(plan->def, &force.head, err);
}

// Components that are left out are zero; false: there is no load.
static bool fill_load(const char* const load[3], const char* out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = load[i] ? load[i] : "0";
    }
    return load[0] || load[1] || load[2];
}

static FbStatus add_force(FbStructurePlan* plan, const FbNodeDef* node, const char* name,
                          FbError* err) {
    static const char* const places[4][2] = {{"value", "force"},
                                             {"value[0]", "force[0]"},
                                             {"value[1]", "force[1]"},
                                             {"value[2]", "force[2]"}};
    FbPointForceDef force;
    FB_TRY(fb_def_fill(plan->def->types.forces, "force", sizeof force, &force, err));
    if (!fill_load(node->force, force.value)) {
        return FB_OK;
    }
    force.head.name = name_with(plan, name, "force");
    force.head.origin = fb_structure_origin_with(plan, &node->origin, places, 4);
    force.point.body = name;
    return fb_model_def_add_force(plan->def, &force.head, err);
}

static FbStatus add_moment(FbStructurePlan* plan, const FbNodeDef* node, const char* name,
                           FbError* err) {
    static const char* const places[4][2] = {{"value", "moment"},
                                             {"value[0]", "moment[0]"},
                                             {"value[1]", "moment[1]"},
                                             {"value[2]", "moment[2]"}};
    FbPointTorqueDef torque;
    FB_TRY(fb_def_fill(plan->def->types.forces, "torque", sizeof torque, &torque, err));
    if (!fill_load(node->moment, torque.value)) {
        return FB_OK;
    }
    torque.head.name = name_with(plan, name, "moment");
    torque.head.origin = fb_structure_origin_with(plan, &node->origin, places, 4);
    torque.body = name;
    return fb_model_def_add_force(plan->def, &torque.head, err);
}

FbStatus fb_structure_add_node(FbStructurePlan* plan, const FbNodeDef* node, const FbNodeEnds* ends,
                               const char* name, FbError* err) {
    Holding h = hold(plan, node, ends);
    FB_TRY(add_body(plan, node, name, err));
    FB_TRY(add_joint(plan, node, &h, name, err));
    if (h.has_plane) {
        FB_TRY(add_plane(plan, node, &h, name, err));
    }
    FB_TRY(add_springs(plan, node, name, err));
    FB_TRY(add_force(plan, node, name, err));
    return add_moment(plan, node, name, err);
}
