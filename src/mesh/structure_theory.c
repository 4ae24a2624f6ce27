// The theory of a structure that does not name one: large rotations if it can rotate, otherwise
// small displacements.
//
// What holds it (supports, springs to the ground, bodies and joints that do not turn) gives rows
// r . (w L, v) = 0 for its rigid motions; it can turn if these leave a motion with w, that is if
// their Gram matrix has a null vector with a rotation.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"
#include "mesh/structure.h"

// Eigenvalues of the Gram matrix of unit rows below it are zeros; parts of a unit vector too.
static const double NOTHING = 1e-9;

typedef struct Holders {
    const FbModelDef* def;
    const FbStructureDef* list;  // all structures that are still to be meshed
    int n;
    const bool* is_linear;  // [n] those that are known not to turn
    const bool* is_still;   // [n_bodies] bodies that do not turn
    const FbStructureDef* s;
    FbMat3 R;
    FbVec3 center;  // structure axes
    double length;
    double gram[36];  // of (w L, v), structure axes
    bool is_unknown;  // something else holds a node: only a run can decide
} Holders;

static void add_row(Holders* h, FbVec3 w, FbVec3 v) {
    double r[6];
    fb_vec3_to(w, r);
    fb_vec3_to(v, r + 3);
    for (int i = 0; i < 36; i++) {
        h->gram[i] += r[i / 6] * r[i % 6];
    }
}

static void hold_turn(Holders* h, FbVec3 axis) {
    add_row(h, axis, fb_vec3(0, 0, 0));
}
static void hold_way(Holders* h, FbVec3 at, FbVec3 way) {
    FbVec3 arm = fb_scale(1.0 / h->length, fb_sub(at, h->center));
    add_row(h, fb_cross(arm, way), way);
}

static void hold_all(Holders* h, FbVec3 at, bool turns) {
    const FbVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        hold_way(h, at, unit[i]);
        if (turns) {
            hold_turn(h, unit[i]);
        }
    }
}

// "f.A" or "f.m.n1" for the structure "f", from a scope inwards or outwards.
static bool is_part(const char* name, const char* scope, const char* structure) {
    size_t length = scope ? strlen(scope) : 0, n = strlen(structure);
    bool is_plain = name && strncmp(name, structure, n) == 0 && name[n] == '.';
    bool is_scoped = name && length > 0 && length < n && strncmp(structure, scope, length) == 0 &&
                     strncmp(name, structure + length, n - length) == 0 && name[n - length] == '.';
    return is_plain || is_scoped;
}

// A node of a linear structure, which bends but does not turn far.
static bool is_linear_node(const Holders* h, const char* name, const char* scope) {
    for (int i = 0; i < h->n; i++) {
        if (is_part(name, scope, h->list[i].name)) {
            return h->is_linear[i];
        }
    }
    for (int i = 0; i < h->def->n_structures; i++) {
        if (is_part(name, scope, h->def->structures[i].name)) {
            return !h->def->structures[i].is_nonlinear;
        }
    }
    for (int i = 0; i < h->def->n_superelements; i++) {
        if (is_part(name, scope, h->def->superelements[i].name)) {
            return true;
        }
    }
    return false;
}

static const char* const STEADY[] = {"fixed", "prismatic", "translation", NULL};

static bool is_one_of(const char* type, const char* const* names) {
    for (int i = 0; type && names[i]; i++) {
        if (strcmp(type, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_steady(const Holders* h, const char* name, const char* scope) {
    int body = fb_def_find_body(h->def, scope, name);
    return body == FB_GROUND || (body >= 0 && h->is_still[body]) || is_linear_node(h, name, scope);
}

// Joints that do not turn pass it on.
static bool pass_on(const Holders* h, const FbJointDef* joint, bool* is_still) {
    const char *end[2] = {joint->body_a, joint->body_b}, *scope = joint->origin.scope;
    bool has_changed = false;
    for (int k = 0; k < 2; k++) {
        int body = fb_def_find_body(h->def, scope, end[k]);
        if (body >= 0 && !is_still[body] && is_steady(h, end[1 - k], scope)) {
            is_still[body] = has_changed = true;
        }
    }
    return has_changed;
}

// In both directions in turn, so that chains are followed in one pass whichever way they are
// listed.
static void find_still(const Holders* h, bool* is_still) {
    const FbModelDef* def = h->def;
    bool has_changed = true;
    for (int pass = 0; has_changed || pass < 2; pass++) {
        has_changed = false;
        for (int i = 0; i < def->n_joints; i++) {
            const FbJointDef* joint = &def->joints[pass % 2 ? def->n_joints - 1 - i : i];
            has_changed |= is_one_of(joint->type, STEADY) && pass_on(h, joint, is_still);
        }
    }
}

static void hold_by_support(Holders* h, const FbNodeDef* node, FbVec3 at) {
    FbVec3 way = fb_vec3_from(node->direction);
    if (strcmp(node->support, "roller") == 0 && !fb_structure_is_plane(h->s)) {
        hold_way(h, at, fb_scale(1.0 / fb_norm(way), way));
    } else if (strcmp(node->support, "roller") == 0) {
        double n[3] = {0, 0, 0};
        n[h->s->plane_normal] = 1.0;
        FbVec3 first = fb_vec3(h->s->plane_normal != 0, h->s->plane_normal == 0, 0);
        way = isnan(way.x) ? first : fb_scale(1.0 / fb_norm(way), way);
        hold_way(h, at, fb_cross(fb_vec3_from(n), way));
    } else if (strcmp(node->support, "free") != 0) {
        hold_all(h, at, strcmp(node->support, "clamped") == 0);
    }
}

static void hold_by_node(Holders* h, const FbNodeDef* node, FbVec3 at) {
    const FbVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (node->support) {
        hold_by_support(h, node, at);
    }
    if (node->body && is_steady(h, node->body, node->origin.scope)) {
        hold_all(h, at, true);
    }
    for (int i = 0; i < 3; i++) {
        if (node->stiffness[i] > 0.0) {
            hold_way(h, at, unit[i]);
        }
        if (node->stiffness[3 + i] > 0.0) {
            hold_turn(h, unit[i]);
        }
    }
}

static int find_node(const FbStructureDef* s, const char* name) {
    int found = -1;
    for (int i = 0; name && i < s->n_nodes; i++) {
        found = s->nodes[i].name && strcmp(s->nodes[i].name, name) == 0 ? i : found;
    }
    return found;
}

static void hold_by_station(Holders* h, const FbMemberDef* m, const FbStationDef* station) {
    const FbStructureDef* s = h->s;
    int from = station->node ? find_node(s, m->from) : -1;
    int to = station->node ? find_node(s, m->to) : -1;
    if (from >= 0 && to >= 0) {
        FbVec3 a = fb_vec3_from(s->nodes[from].at), b = fb_vec3_from(s->nodes[to].at);
        hold_by_node(h, station->node, fb_axpy(station->at, fb_sub(b, a), a));
    }
}

static void hold_by_nodes(Holders* h) {
    const FbStructureDef* s = h->s;
    for (int i = 0; i < s->n_nodes; i++) {
        hold_by_node(h, &s->nodes[i], fb_vec3_from(s->nodes[i].at));
    }
    for (int i = 0; i < s->n_members; i++) {
        for (int k = 0; k < s->members[i].n_stations; k++) {
            hold_by_station(h, &s->members[i], &s->members[i].stations[k]);
        }
    }
}

// A joint between a node and something that does not turn holds the node's point and the turns
// across its axis; what other types hold is left open.
static void hold_by_joint(Holders* h, const FbJointDef* joint) {
    static const char* const points[] = {"revolute", "spherical", "universal", "gimbal", NULL};
    const char *end[2] = {joint->body_a, joint->body_b}, *scope = joint->origin.scope;
    for (int k = 0; k < 2; k++) {
        if (!is_part(end[k], scope, h->s->name) || !is_steady(h, end[1 - k], scope)) {
            continue;
        }
        FbVec3 place = fb_sub(fb_vec3_from(joint->point), fb_vec3_from(h->s->position));
        FbVec3 at = fb_mul3_transposed(&h->R, place);
        FbVec3 axis = fb_mul3_transposed(&h->R, fb_vec3_from(joint->axis));
        bool is_point = is_one_of(joint->type, points) && !joint->has_frames;
        if (is_one_of(joint->type, STEADY)) {
            hold_all(h, h->center, true);
        } else if (!is_point) {
            h->is_unknown = true;
        } else {
            hold_all(h, at, false);
        }
        if (is_point && strcmp(joint->type, "revolute") == 0) {
            axis = fb_scale(1.0 / fb_norm(axis), axis);
            FbVec3 hint = fabs(axis.x) < 0.7 ? fb_vec3(1, 0, 0) : fb_vec3(0, 1, 0);
            FbVec3 across = fb_cross(axis, hint);
            across = fb_scale(1.0 / fb_norm(across), across);
            hold_turn(h, across);
            hold_turn(h, fb_cross(axis, across));
        }
    }
}

// A part that refers to the structure may hold it.
typedef struct Part {
    Holders* h;
    const char* scope;
} Part;

static void hold_by_part(void* self, const FbField* field, const char* body, const char* joint) {
    Part* part = self;
    (void)field;
    part->h->is_unknown |= is_part(body, part->scope, part->h->s->name) ||
                           is_part(joint, part->scope, part->h->s->name);
}

static void hold_by_others(Holders* h) {
    const FbModelDef* def = h->def;
    for (int i = 0; i < def->n_joints; i++) {
        hold_by_joint(h, &def->joints[i]);
    }
    for (int i = 0; i < def->n_constraints; i++) {
        const FbConstraintDef* c = def->constraints[i];
        Part part = {h, c->origin.scope};
        fb_type_visit_names(fb_def_constraint_type(def, c), c, hold_by_part, &part);
    }
    for (int i = 0; i < def->n_forces; i++) {
        const FbForceDef* f = def->forces[i];
        const FbTypeInfo* type = fb_def_force_type(def, f);
        Part part = {h, f->origin.scope};
        if (type && type->can_hold) {
            fb_type_visit_names(type, f, hold_by_part, &part);
        }
    }
}

static void hold_in_plane(Holders* h) {
    const FbVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int n = h->s->plane_normal;
    for (int i = 0; n >= 0 && i < 3; i++) {
        if (i == n) {
            hold_way(h, h->center, unit[i]);
        } else {
            hold_turn(h, unit[i]);
        }
    }
}

// A null vector of the Gram matrix with a rotation?
static bool has_free_turn(Holders* h) {
    double one[36] = {0}, w[6];
    for (int i = 0; i < 6; i++) {
        one[7 * i] = 1.0;
    }
    if (fb_eigen_symmetric_pencil(6, h->gram, one, w, NULL) < 0) {
        return false;
    }
    bool is_free = false;
    for (int k = 0; k < 6; k++) {
        is_free |= w[k] < NOTHING && fb_norm(fb_vec3_from(h->gram + 6 * k)) > sqrt(NOTHING);
    }
    return is_free;
}

static bool can_turn(const Holders* all, const FbStructureDef* s) {
    Holders h = *all;
    h.s = s;
    h.R = fb_mat3_from(s->rotation);
    for (int i = 0; i < s->n_nodes; i++) {
        h.center = fb_axpy(1.0 / s->n_nodes, fb_vec3_from(s->nodes[i].at), h.center);
    }
    for (int i = 0; i < s->n_nodes; i++) {
        h.length = fmax(h.length, fb_norm(fb_sub(fb_vec3_from(s->nodes[i].at), h.center)));
    }
    if (!(h.length > 0.0) || !isfinite(h.length)) {
        return false;
    }
    hold_in_plane(&h);
    hold_by_nodes(&h);
    hold_by_others(&h);
    return !h.is_unknown && has_free_turn(&h);
}

// Parts on a structure that cannot rotate cannot rotate either; the others can.
static void choose(const FbModelDef* def, FbStructureDef* list, int n, bool* is_linear,
                   bool* is_still) {
    Holders h = {.def = def, .list = list, .n = n, .is_linear = is_linear, .is_still = is_still};
    for (int i = 0; i < n; i++) {
        // Damping of every mode is meant for the modes of the drawing.
        bool is_open = list[i].is_theory_open && !list[i].is_nonlinear && list[i].n_nodes > 0 &&
                       !(list[i].damping_ratio > 0.0);
        is_linear[i] = !is_open && !list[i].is_nonlinear;
    }
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        find_still(&h, is_still);
        for (int i = 0; i < n; i++) {
            bool is_asked = !is_linear[i] && !list[i].is_nonlinear;
            if (is_asked && !can_turn(&h, &list[i])) {
                is_linear[i] = has_changed = true;
            }
        }
    }
    for (int i = 0; i < n; i++) {
        list[i].is_nonlinear = !is_linear[i];
    }
}

FbStatus fb_structures_choose_theory(const FbModelDef* def, FbStructureDef* list, int n) {
    bool* room = calloc((size_t)(n + def->n_bodies) + 1, sizeof(bool));
    if (!room) {
        return FB_ERR_MEMORY;
    }
    choose(def, list, n, room, room + n);
    free(room);
    return FB_OK;
}
