// What a user of meshes and matrices should check before trusting the results: units, too few
// modes, and joints, torques and levers at points without rotations.
#include <math.h>
#include <string.h>

#include "compile/compile.h"

// Of the static response to a load with the named nodes held: modes that leave out more than this
// do not describe how the load deforms the structure.
static const double MUCH = 0.1;
// Of the distance from the origin of the drawing: points as near to a node as this are at it.
static const double SAME_PLACE = 1e-9;

// What a body is that has no rotations; 0: it has some, or is none of these.
enum { POINT_OF_MESH = 1, POINT_OF_MATRICES };

static const char* const names[] = {
    [POINT_OF_MESH] = "a single node of solid elements, which has no rotations",
    [POINT_OF_MATRICES] = "a node without rows of rotations",
};
static const char* const remedies[] = {
    [POINT_OF_MESH] = "attach it to a group of nodes ('group')",
    [POINT_OF_MATRICES] = "attach it to a node with rotations",
};

static void note_units(FbBuilder* b, const FbSuperelementDef* def) {
    if (def->may_be_millimetres) {
        FbPlace place = fb_origin_place(&def->origin, "file");
        fb_diagnose(b->diagnostics, FB_WARNING, FB_ERR_MODEL, &place,
                    "the mesh of structure '%s' has a mass of %.4g kg and a size of %.4g x %.4g x "
                    "%.4g m; if its file is in millimetres, give 'unit: 1 mm'",
                    def->name, def->mesh_mass, def->mesh_size[0], def->mesh_size[1],
                    def->mesh_size[2]);
    }
}

static void note_modes(FbBuilder* b, const FbSuperelementDef* def) {
    for (int i = 0; i < def->n_loads; i++) {
        const FbSuperelementLoadDef* load = &def->loads[i];
        bool is_repeated = i > 0 && strcmp(load->name, def->loads[i - 1].name) == 0;
        if (load->left_out > MUCH && !is_repeated) {
            fb_diagnose(b->diagnostics, FB_WARNING, FB_ERR_MODEL, &load->origin.place,
                        "the modes of the reduced structure '%s' contain only %.0f %% of its "
                        "deformation by load '%s' between the named nodes: at rest these nodes and "
                        "the stresses are right, but a load that varies needs more 'modes'",
                        def->name, 100.0 * (1.0 - load->left_out), load->name);
        }
    }
}

// The bodies that are points: they have displacements and no turns.
static void mark_points(const FbBuilder* b, const FbSuperelementDef* def, char* points) {
    for (int i = 0; i < def->n; i++) {
        int j = fb_def_find_joint(b->def, def->origin.scope, def->coordinates[i].joint);
        const FbJointDef* joint = j >= 0 ? &b->def->joints[j] : NULL;
        if (joint && strcmp(joint->type, "translation") == 0) {
            int body = fb_def_find_body(b->def, joint->origin.scope, joint->body_b);
            points[body >= 0 ? body : b->def->n_bodies] =
                def->n_elements > 0 ? POINT_OF_MESH : POINT_OF_MATRICES;
        }
    }
}

static void note_joint(FbBuilder* b, const FbJointDef* joint, const char* points) {
    const char* ends[2] = {joint->body_a, joint->body_b};
    bool passes_turns = strcmp(joint->type, "spherical") != 0;
    for (int k = 0; passes_turns && k < 2; k++) {
        int body = fb_def_find_body(b->def, joint->origin.scope, ends[k]);
        bool is_own = body >= 0 && strcmp(b->def->bodies[body].name, joint->name) == 0;
        if (body >= 0 && points[body] && !is_own) {
            fb_diagnose(b->diagnostics, FB_WARNING, FB_ERR_MODEL, &joint->origin.place,
                        "joint '%s' (%s) attaches '%s' to '%s', %s, so those of '%s' are held as "
                        "if by the ground; %s, or use a spherical joint if it is a hinge",
                        joint->name, joint->type, ends[1 - k], ends[k], names[(int)points[body]],
                        ends[1 - k], remedies[(int)points[body]]);
        }
    }
}

// ---- Forces ----

static int find_body(const FbBuilder* b, const FbForceDef* force, const char* name) {
    return name ? fb_def_find_body(b->def, force->origin.scope, name) : -1;
}

static void note_moment(FbBuilder* b, const FbForceDef* force, const char* name, const char* what,
                        const char* points) {
    int body = find_body(b, force, name);
    if (body >= 0 && points[body]) {
        fb_diagnose(b->diagnostics, FB_WARNING, FB_ERR_MODEL, &force->origin.place,
                    "%s '%s': %s on '%s' has no effect: this is %s; %s", force->type, force->name,
                    what, name, names[(int)points[body]], remedies[(int)points[body]]);
    }
}

// A force beside a node has a moment about it.
static void note_lever(FbBuilder* b, const FbForceDef* force, const FbPointDef* point,
                       const char* points) {
    int index = find_body(b, force, point->body);
    if (index < 0 || point->point) {
        return;
    }
    FbVec3 at = fb_vec3_from(point->at), place = fb_vec3_from(b->def->bodies[index].position);
    FbVec3 lever = point->is_global ? fb_sub(at, place) : at;
    if (fb_norm(lever) > SAME_PLACE * (fb_norm(at) + fb_norm(place))) {
        note_moment(b, force, point->body, "the moment of its force", points);
    }
}

static bool has_any(const double* a, const double* b) {
    bool is_there = false;
    for (int i = 0; i < 3; i++) {
        is_there |= a[i] != 0.0 || b[i] != 0.0;
    }
    return is_there;
}

static void note_force(FbBuilder* b, const FbForceDef* force, const char* points) {
    if (strcmp(force->type, "torque") == 0) {
        note_moment(b, force, ((const FbPointTorqueDef*)force)->body, "a torque", points);
    }
    if (strcmp(force->type, "force") == 0) {
        note_lever(b, force, &((const FbPointForceDef*)force)->point, points);
    }
    if (strcmp(force->type, "spring") == 0) {
        note_lever(b, force, &((const FbSpringDef*)force)->a, points);
        note_lever(b, force, &((const FbSpringDef*)force)->b, points);
    }
    if (strcmp(force->type, "bushing") == 0) {
        const FbBushingDef* bushing = (const FbBushingDef*)force;
        bool turns = has_any(bushing->rotation_stiffness, bushing->rotation_damping);
        const FbPointDef* ends[2] = {&bushing->a.origin, &bushing->b.origin};
        for (int k = 0; k < 2; k++) {
            note_lever(b, force, ends[k], points);
            if (turns) {
                note_moment(b, force, ends[k]->body, "its moment by rotations", points);
            }
        }
    }
}

FbStatus fb_compile_mesh_notes(FbBuilder* b) {
    const FbModelDef* def = b->def;
    if (def->n_superelements == 0) {
        return FB_OK;
    }
    FbArena* scratch = fb_arena_create();
    char* points = scratch ? FB_TAKE(scratch, char, def->n_bodies + 1) : NULL;
    for (int i = 0; points && i < def->n_superelements; i++) {
        note_units(b, &def->superelements[i]);
        note_modes(b, &def->superelements[i]);
        mark_points(b, &def->superelements[i], points);
    }
    for (int j = 0; points && j < def->n_joints; j++) {
        note_joint(b, &def->joints[j], points);
    }
    for (int i = 0; points && i < def->n_forces; i++) {
        note_force(b, def->forces[i], points);
    }
    fb_arena_destroy(scratch);
    return points ? FB_OK : FB_ERR_MEMORY;
}
