// Sliders added to a description: a free one brings its own coordinate and the forces along it.
#include <math.h>

#include "base/error.h"
#include "base/text.h"
#include "describe/def.h"

// A massless body on its own straight rail: its coordinate is the length along the guide.
static FbStatus add_rail(FbModelDef* def, const FbSliderDef* slider, const char* name,
                         FbError* err) {
    FbBodyDef body = fb_body_def_default();
    body.name = fb_arena_format(def->arena, "%s.rail", slider->name);
    if (!body.name) {
        return fb_fail_memory(err);
    }
    body.origin = slider->origin;
    FB_TRY(fb_model_def_add_body(def, &body, err));
    FbJointDef joint = fb_joint_def_default();
    joint.name = name;
    joint.type = "prismatic";
    joint.body_a = "ground";
    joint.body_b = body.name;
    joint.axis[0] = 1.0;
    joint.axis[1] = joint.axis[2] = 0.0;
    joint.has_position[0] = joint.has_velocity[0] = true;
    joint.position[0] = slider->position;
    joint.velocity[0] = slider->velocity;
    joint.origin = slider->origin;
    joint.origin.scope = NULL;
    return fb_model_def_add_joint(def, &joint, err);
}

static FbStatus add_spring(FbModelDef* def, const FbSliderDef* slider, const char* joint,
                           FbError* err) {
    if (slider->stiffness == 0.0 && slider->friction == 0.0) {
        return FB_OK;
    }
    FbTorsionDef force;
    FB_TRY(fb_def_fill(def->types.forces, "torsion", sizeof force, &force, err));
    force.head.name = fb_arena_format(def->arena, "%s.spring", slider->name);
    force.head.origin = slider->origin;
    force.joint.joint = joint;
    force.stiffness = slider->stiffness;
    force.damping = slider->friction;
    force.rest = slider->rest;
    return fb_model_def_add_force(def, &force.head, err);
}

static FbStatus add_push(FbModelDef* def, const FbSliderDef* slider, const char* joint,
                         FbError* err) {
    if (!slider->force) {
        return FB_OK;
    }
    FbActuatorDef force;
    FB_TRY(fb_def_fill(def->types.forces, "actuator", sizeof force, &force, err));
    FbPlace place = fb_origin_place(&slider->origin, "force");
    FbFieldPlace field = {"value", place.line, place.col};
    force.head.name = fb_arena_format(def->arena, "%s.push", slider->name);
    force.head.origin = (FbOrigin){slider->origin.place, &field, 1, slider->origin.scope};
    force.joint.joint = joint;
    force.value = slider->force;
    return fb_model_def_add_force(def, &force.head, err);
}

FbStatus fb_model_def_add_slider(FbModelDef* def, const FbSliderDef* slider, FbError* err) {
    FB_TRY(fb_def_append_slider(def, slider, err));
    if (!slider->is_free) {
        return FB_OK;
    }
    const char* name = fb_arena_format(def->arena, "%s.carriage", slider->name);
    if (!name) {
        return fb_fail_memory(err);
    }
    FB_TRY(add_rail(def, slider, name, err));
    FB_TRY(add_spring(def, slider, name, err));
    return add_push(def, slider, name, err);
}
