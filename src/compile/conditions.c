// Initial conditions: joints and sensors with values at the start.
#include <string.h>

#include "compile/compile.h"
#include "math/rotation.h"

static FbStatus add_condition(FbBuilder* b, int signal, double value, const char* text,
                              const FbOrigin* origin) {
    FbModel* m = b->m;
    if (signal < 0 || !fb_grow((void**)&m->conditions, &m->conditions_capacity, m->n_conditions,
                               sizeof(FbCondition))) {
        return FB_ERR_MEMORY;
    }
    FbPlace place = origin->place;
    place.file = fb_arena_text(m->arena, place.file);
    m->conditions[m->n_conditions++] =
        (FbCondition){.signal = signal, .value = value, .text = text, .place = place};
    return FB_OK;
}

// The orientation of a ball is set directly: in the drawing, and as directions that the assembly
// holds.
static FbStatus set_ball(FbBuilder* b, int j, int first) {
    FbModel* m = b->m;
    const FbJointDef* def = &b->def->joints[j];
    const FbJoint* joint = &m->joints[j];
    const bool* is_set = def->has_position + first;
    if (!is_set[0] && !is_set[1] && !is_set[2]) {
        return FB_OK;
    }
    if (!(is_set[0] && is_set[1] && is_set[2])) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "position",
                         "the rotation of joint '%s' is one rotation vector: set all three of its "
                         "components or none",
                         def->name);
        return FB_OK;
    }
    if (joint->is_loop) {
        fb_compile_error(
            b, FB_ERR_MODEL, &def->origin, "position",
            "joint '%s' closes a loop; set the initial values of its neighbours instead",
            def->name);
        return FB_OK;
    }
    const FbLink* ball = &m->tree.links[m->tree.link_of_v[joint->velocity[first]]];
    FbVec3 phi = fb_vec3_from(def->position + first);
    FbMat3 R = fb_rotation_from_vector(joint->is_reversed ? fb_scale(-1.0, phi) : phi);
    fb_quaternion_from_rotation(&R, m->q_drawn + ball->q0);
    const char* text = fb_arena_format(m->arena, "orientation of joint '%s'", def->name);
    for (int i = 0; i < 3; i++) {
        FbSignal hold = {.kind = FB_SIGNAL_VALUE, .n_terms = 0, .index = ball->v0 + i};
        FB_TRY(add_condition(b, fb_compile_signal(b, &hold), 0.0, text, &def->origin));
    }
    return FB_OK;
}

static FbStatus set_joint(FbBuilder* b, int j) {
    const FbJointDef* def = &b->def->joints[j];
    const FbJoint* joint = &b->m->joints[j];
    for (int i = 0; i < joint->type->n_v; i++) {
        FbCoordinateDef c = {def->name, i};
        FbOrigin unscoped = def->origin;
        unscoped.scope = NULL;
        bool is_ball = joint->type->coordinates[i].kind == FB_COORD_NONE;
        if (is_ball && joint->type->coordinates[i].axis == 0) {
            FB_TRY(set_ball(b, j, i));
        }
        if (def->has_position[i] && !is_ball) {
            FB_TRY(add_condition(
                b, fb_compile_coordinate(b, &c, &unscoped, "position", false), def->position[i],
                fb_arena_format(b->m->arena, "position of joint '%s'", def->name), &def->origin));
        }
        if (def->has_velocity[i]) {
            FB_TRY(add_condition(
                b, fb_compile_coordinate(b, &c, &unscoped, "velocity", true), def->velocity[i],
                fb_arena_format(b->m->arena, "velocity of joint '%s'", def->name), &def->origin));
        }
    }
    return FB_OK;
}

// initial: {sensor: name.x, value: 1}: the sensor must be a plain position or velocity.
static FbStatus set_sensor(FbBuilder* b, int i) {
    const FbInitialDef* def = &b->def->initials[i];
    const char* sensor = def->sensor ? def->sensor : "";
    int function =
        fb_compile_function(b, sensor, &def->origin, "sensor", (FbUse){.is_for_dynamics = true});
    if (function < 0) {
        return FB_OK;
    }
    const FbExpr* expr = b->m->functions[function].expr;
    int signal = fb_expr_input_count(expr) == 1 ? fb_expr_inputs(expr)[0] : -1;
    bool is_plain = signal >= 0 && (b->m->signals[signal].kind == FB_SIGNAL_VALUE ||
                                    b->m->signals[signal].kind == FB_SIGNAL_RATE);
    if (!is_plain || strpbrk(sensor, "+-*/^( ")) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "sensor",
                         "'%s' cannot be prescribed at the start; name a position, velocity, "
                         "distance or coordinate",
                         sensor);
        return FB_OK;
    }
    FbQuantity wanted = fb_quantity_of_unit(b->m->signals[signal].unit);
    if (!fb_compile_check_written(b, wanted, &def->origin, "value")) {
        return FB_OK;
    }
    return add_condition(b, signal, def->value,
                         fb_arena_format(b->m->arena, "initial '%s'", sensor), &def->origin);
}

FbStatus fb_compile_conditions(FbBuilder* b) {
    if (b->is_absolute) {
        return FB_OK;  // its states come from an operating point
    }
    for (int j = 0; j < b->m->n_joints; j++) {
        int first = b->m->n_conditions;
        FB_TRY(set_joint(b, j));
        for (int i = first; i < b->m->n_conditions; i++) {
            b->m->conditions[i].is_of_node = b->m->is_node[j];
        }
    }
    for (int i = 0; i < b->def->n_initials; i++) {
        FB_TRY(set_sensor(b, i));
    }
    return FB_OK;
}
