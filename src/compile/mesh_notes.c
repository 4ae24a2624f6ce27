// What a user of meshes should check before trusting the results: units, too few modes, and
// bodies that are fixed to points without rotations.
#include <math.h>
#include <string.h>

#include "compile/compile.h"

// Of the static response to a load with the named nodes held: modes that leave out more than this
// do not describe how the load deforms the structure.
static const double MUCH = 0.1;

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
static void mark_points(const FbBuilder* b, const FbSuperelementDef* def, bool* is_point) {
    for (int i = 0; def->n_elements > 0 && i < def->n; i++) {
        int j = fb_def_find_joint(b->def, def->origin.scope, def->coordinates[i].joint);
        const FbJointDef* joint = j >= 0 ? &b->def->joints[j] : NULL;
        if (joint && strcmp(joint->type, "translation") == 0) {
            int body = fb_def_find_body(b->def, joint->origin.scope, joint->body_b);
            is_point[body >= 0 ? body : b->def->n_bodies] = true;
        }
    }
}

static void note_joint(FbBuilder* b, const FbJointDef* joint, const bool* is_point) {
    const char* ends[2] = {joint->body_a, joint->body_b};
    bool passes_turns = strcmp(joint->type, "spherical") != 0;
    for (int k = 0; passes_turns && k < 2; k++) {
        int body = fb_def_find_body(b->def, joint->origin.scope, ends[k]);
        bool is_own = body >= 0 && strcmp(b->def->bodies[body].name, joint->name) == 0;
        if (body >= 0 && is_point[body] && !is_own) {
            fb_diagnose(b->diagnostics, FB_WARNING, FB_ERR_MODEL, &joint->origin.place,
                        "joint '%s' (%s) attaches '%s' to '%s', a single node of solid elements, "
                        "which has no rotations, so those of '%s' are held as if by the ground; "
                        "attach it to a group of nodes ('group'), or use a spherical joint if it "
                        "is a hinge",
                        joint->name, joint->type, ends[1 - k], ends[k], ends[1 - k]);
        }
    }
}

FbStatus fb_compile_mesh_notes(FbBuilder* b) {
    const FbModelDef* def = b->def;
    if (def->n_superelements == 0) {
        return FB_OK;
    }
    FbArena* scratch = fb_arena_create();
    bool* is_point = scratch ? FB_TAKE(scratch, bool, def->n_bodies + 1) : NULL;
    for (int i = 0; is_point && i < def->n_superelements; i++) {
        note_units(b, &def->superelements[i]);
        note_modes(b, &def->superelements[i]);
        mark_points(b, &def->superelements[i], is_point);
    }
    for (int j = 0; is_point && j < def->n_joints; j++) {
        note_joint(b, &def->joints[j], is_point);
    }
    fb_arena_destroy(scratch);
    return is_point ? FB_OK : FB_ERR_MEMORY;
}
