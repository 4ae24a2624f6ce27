// Sensor types: what can be measured, and how it becomes signals.
#include <stddef.h>
#include <string.h>

#include "compile/sensor_types.h"
#include "math/rotation.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const char* const SCALAR[] = {""};
static const char* const XYZ[] = {"x", "y", "z"};
static const char* const WXYZ[] = {"w", "x", "y", "z"};
static const char* const YAW_PITCH_ROLL[] = {"yaw", "pitch", "roll"};

// The frame that a sensor's values are measured in: a body, or ground.
static bool observer(FbBuilder* b, const FbSensorDef* head, const char* frame, FbLinkFrame* out) {
    FbPointDef origin = {.body = frame};
    return fb_compile_point(b, &origin, &head->origin, "frame", out);
}

static bool find_body(FbBuilder* b, const char* name, const FbSensorDef* head, FbLinkFrame* out) {
    FbPointDef origin = {.body = name};
    return fb_compile_point(b, &origin, &head->origin, "body", out);
}

// Three terms of one kind along the observer's axes, each a signal of the given kind.
static bool add_axis_terms(FbBuilder* b, FbSensor* sensor, FbTermKind kind,
                           const FbLinkFrame* frame, const FbLinkFrame* target, FbSignalKind signal,
                           const char* unit) {
    FbModel* m = b->m;
    int first = m->n_terms;
    for (int i = 0; i < 3; i++) {
        FbTerm term = fb_term_between(kind, frame, target);
        term.a = fb_mat3_col(&frame->R, i);
        term.b = fb_mat3_col(&frame->R, (i + 1) % 3);
        term.c = fb_mat3_col(&target->R, (i + 1) % 3);
        if (fb_compile_term(b, &term) < 0) {
            return false;
        }
    }
    sensor->first_signal = m->n_signals;
    sensor->suffixes = XYZ;
    for (int i = 0; i < 3; i++) {
        FbSignal s = {.kind = signal, .term = first + i, .n_terms = 1, .unit = unit};
        if (fb_compile_signal(b, &s) < 0) {
            return false;
        }
    }
    sensor->n_signals = 3;
    return true;
}

static bool point_sensor(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor, FbSignalKind kind,
                         const char* unit) {
    const FbPointSensorDef* def = (const FbPointSensorDef*)head;
    FbLinkFrame point, frame, origin;
    if (!fb_compile_point(b, &def->point, &head->origin, "point", &point) ||
        !observer(b, head, def->frame, &frame)) {
        return false;
    }
    origin = frame;
    if (def->relative_to.body) {
        if (!fb_compile_point(b, &def->relative_to, &head->origin, "relative_to", &origin)) {
            return false;
        }
        if (origin.link != frame.link) {
            fb_compile_error(b, FB_ERR_MODEL, &head->origin, "relative_to",
                             "`relative_to` must be a point of the observing body; set `frame: %s`",
                             def->relative_to.body);
            return false;
        }
        origin.R = frame.R;
    }
    return add_axis_terms(b, sensor, FB_TERM_SLIDE, &origin, &point, kind, unit);
}

static bool build_position(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    return point_sensor(b, head, sensor, FB_SIGNAL_VALUE, "m");
}
static bool build_velocity(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    return point_sensor(b, head, sensor, FB_SIGNAL_RATE, "m/s");
}
static bool build_acceleration(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    return point_sensor(b, head, sensor, FB_SIGNAL_ACCELERATION, "m/s^2");
}

// Nodes of linear structures turn by small turns, which are added.
static bool add_linear_turns(FbBuilder* b, FbSensor* sensor, const FbLinkFrame* frame,
                             const FbLinkFrame* body, FbSignalKind kind, const char* unit) {
    FbSignal s[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        s[i] = (FbSignal){.kind = kind, .unit = unit};
        if (!fb_compile_linear_turn(b, body, frame, i, &s[i])) {
            return false;
        }
    }
    sensor->first_signal = b->m->n_signals;
    sensor->suffixes = XYZ;
    for (int i = 0; i < 3; i++) {
        if (fb_compile_signal(b, &s[i]) < 0) {
            return false;
        }
    }
    sensor->n_signals = 3;
    return true;
}

static bool turn_sensor(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor, FbSignalKind kind,
                        const char* unit) {
    const FbBodySensorDef* def = (const FbBodySensorDef*)head;
    FbLinkFrame body, frame;
    if (!find_body(b, def->body, head, &body) || !observer(b, head, def->frame, &frame)) {
        return false;
    }
    return fb_compile_is_linear_turn(b->m, body.link, frame.link)
               ? add_linear_turns(b, sensor, &frame, &body, kind, unit)
               : add_axis_terms(b, sensor, FB_TERM_TURN_A, &frame, &body, kind, unit);
}
static bool build_angular_velocity(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    return turn_sensor(b, head, sensor, FB_SIGNAL_RATE, "rad/s");
}
static bool build_angular_acceleration(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    return turn_sensor(b, head, sensor, FB_SIGNAL_ACCELERATION, "rad/s^2");
}

static bool orientation(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor, FbSignalKind kind,
                        const char* unit, int n, const char* const* suffixes) {
    const FbBodySensorDef* def = (const FbBodySensorDef*)head;
    FbLinkFrame body, frame;
    if (!find_body(b, def->body, head, &body) || !observer(b, head, def->frame, &frame)) {
        return false;
    }
    FbSignal s = {.kind = kind,
                  .link = body.link,
                  .R = body.R,
                  .frame_link = frame.link,
                  .frame_R = frame.R,
                  .unit = unit};
    return fb_sensor_add_signals(b, sensor, s, n, suffixes);
}
static bool build_orientation(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    return orientation(b, head, sensor, FB_SIGNAL_QUATERNION, "1", 4, WXYZ);
}
static bool build_angles(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    return orientation(b, head, sensor, FB_SIGNAL_ANGLE, "rad", 3, YAW_PITCH_ROLL);
}

static bool build_distance(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    const FbDistanceSensorDef* def = (const FbDistanceSensorDef*)head;
    FbLinkFrame a, c;
    if (!fb_compile_point(b, &def->a, &head->origin, "a", &a) ||
        !fb_compile_point(b, &def->b, &head->origin, "b", &c)) {
        return false;
    }
    FbTerm term = fb_term_between(FB_TERM_DISTANCE, &a, &c);
    FbSignal s = {.kind = FB_SIGNAL_VALUE, .term = b->m->n_terms, .n_terms = 1, .unit = "m"};
    return fb_compile_term(b, &term) >= 0 && fb_sensor_add_signals(b, sensor, s, 1, SCALAR);
}

static bool reaction(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor, FbSignalKind kind,
                     const char* unit) {
    const FbReactionSensorDef* def = (const FbReactionSensorDef*)head;
    int j = fb_def_find_joint(b->def, head->origin.scope, def->joint ? def->joint : "");
    FbLinkFrame frame;
    if (j < 0) {
        fb_compile_error(b, FB_ERR_NAME, &head->origin, "joint", "there is no joint '%s'",
                         def->joint ? def->joint : "");
        return false;
    }
    if (!observer(b, head, def->frame, &frame)) {
        return false;
    }
    FbSignal s = {
        .kind = kind, .index = j, .frame_link = frame.link, .frame_R = frame.R, .unit = unit};
    b->m->has_reactions = true;
    return fb_sensor_add_signals(b, sensor, s, 3, XYZ);
}
static bool build_reaction(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    return reaction(b, head, sensor, FB_SIGNAL_REACTION_FORCE, "N");
}
static bool build_reaction_torque(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    return reaction(b, head, sensor, FB_SIGNAL_REACTION_TORQUE, "N*m");
}

static bool build_multiplier(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    const FbMultiplierSensorDef* def = (const FbMultiplierSensorDef*)head;
    static const char* const ROWS[] = {"1", "2", "3", "4", "5", "6"};
    int c =
        fb_def_find_constraint(b->def, head->origin.scope, def->constraint ? def->constraint : "");
    if (c < 0) {
        fb_compile_error(b, FB_ERR_NAME, &head->origin, "constraint", "there is no constraint '%s'",
                         def->constraint ? def->constraint : "");
        return false;
    }
    const FbConstraint* constraint = &b->m->constraints[c];
    sensor->first_signal = b->m->n_signals;
    sensor->suffixes = constraint->n_rows == 1 ? SCALAR : ROWS;
    for (int i = 0; i < constraint->n_rows; i++) {
        FbSignal s = {.kind = FB_SIGNAL_MULTIPLIER, .index = constraint->first_row + i, .unit = ""};
        if (fb_compile_signal(b, &s) < 0) {
            return false;
        }
    }
    sensor->n_signals = constraint->n_rows;
    return true;
}

// An expression that is just one name keeps that name's unit.
static bool build_expression(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    const FbExpressionSensorDef* def = (const FbExpressionSensorDef*)head;
    const char* value = def->value ? def->value : "";
    int function = fb_compile_function(b, value, &head->origin, "value",
                                       (FbUse){.result = fb_quantity_of_unit(head->unit)});
    if (function < 0) {
        return false;
    }
    const FbExpr* expr = b->m->functions[function].expr;
    bool is_name = fb_expr_input_count(expr) == 1 && !strpbrk(value, "+-*/^(<>=! ");
    FbSignal s = {.kind = FB_SIGNAL_FUNCTION,
                  .index = function,
                  .unit = is_name ? b->m->signals[fb_expr_inputs(expr)[0]].unit : ""};
    return fb_sensor_add_signals(b, sensor, is_name ? b->m->signals[fb_expr_inputs(expr)[0]] : s, 1,
                                 SCALAR);
}

#define POINT_FIELD(type, member, optional, text)                                              \
    {                                                                                          \
        .key = #member, .kind = FB_FIELD_POINT, .offset = offsetof(type, member), .unit = "m", \
        .is_optional = optional, .doc = text                                                   \
    }
#define BODY_FIELD                                                                       \
    {                                                                                    \
        .key = "body", .kind = FB_FIELD_BODY, .offset = offsetof(FbBodySensorDef, body), \
        .doc = "The observed body."                                                      \
    }
#define FRAME_FIELD(type)                                                                  \
    {                                                                                      \
        .key = "frame", .kind = FB_FIELD_BODY, .offset = offsetof(type, frame),            \
        .is_optional = true,                                                               \
        .doc =                                                                             \
            "The observer: values are relative to this body and along its axes; default: " \
            "ground."                                                                      \
    }

static const FbField point_fields[] = {
    POINT_FIELD(FbPointSensorDef, point, false, "The observed point."),
    POINT_FIELD(FbPointSensorDef, relative_to, true,
                "Point of the observing body to measure from; default: its origin."),
    FRAME_FIELD(FbPointSensorDef),
    FB_SENSOR_COMPONENT,
};
static const FbField body_fields[] = {BODY_FIELD, FRAME_FIELD(FbBodySensorDef)};
static const FbField body_vector_fields[] = {BODY_FIELD, FRAME_FIELD(FbBodySensorDef),
                                             FB_SENSOR_COMPONENT};
static const FbField distance_fields[] = {
    POINT_FIELD(FbDistanceSensorDef, a, false, "First point."),
    POINT_FIELD(FbDistanceSensorDef, b, false, "Second point."),
};
static const FbField reaction_fields[] = {
    {.key = "joint",
     .kind = FB_FIELD_JOINT,
     .offset = offsetof(FbReactionSensorDef, joint),
     .doc = "The joint; it may be one that closes a loop."},
    {.key = "frame",
     .kind = FB_FIELD_BODY,
     .offset = offsetof(FbReactionSensorDef, frame),
     .is_optional = true,
     .doc = "Use the axes of this body instead of those of ground."},
    FB_SENSOR_COMPONENT,
};
static const FbField multiplier_fields[] = {
    {.key = "constraint",
     .kind = FB_FIELD_PART,
     .offset = offsetof(FbMultiplierSensorDef, constraint),
     .doc = "The constraint."},
};
static const FbField expression_fields[] = {
    {.key = "value",
     .kind = FB_FIELD_EXPRESSION,
     .offset = offsetof(FbExpressionSensorDef, value),
     .doc = "The expression."},
    {.key = "unit",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbSensorDef, unit),
     .is_optional = true,
     .doc = "Unit shown in the header."},
};

FbPointSensorDef fb_point_sensor_def_default(const char* type) {
    FbPointSensorDef def;
    fb_sensor_fill(type, sizeof def, &def);
    return def;
}

FbBodySensorDef fb_body_sensor_def_default(const char* type) {
    FbBodySensorDef def;
    fb_sensor_fill(type, sizeof def, &def);
    return def;
}

FbDistanceSensorDef fb_distance_sensor_def_default(void) {
    FbDistanceSensorDef def;
    fb_sensor_fill("distance", sizeof def, &def);
    return def;
}

FbReactionSensorDef fb_reaction_sensor_def_default(const char* type) {
    FbReactionSensorDef def;
    fb_sensor_fill(type, sizeof def, &def);
    return def;
}

FbMultiplierSensorDef fb_multiplier_sensor_def_default(void) {
    FbMultiplierSensorDef def;
    fb_sensor_fill("multiplier", sizeof def, &def);
    return def;
}

FbExpressionSensorDef fb_expression_sensor_def_default(void) {
    FbExpressionSensorDef def;
    fb_sensor_fill("expression", sizeof def, &def);
    return def;
}

#define SENSOR(id, text, field_table, def, build_function)                        \
    const FbSensorType fb_sensor_##id = {.info = {.name = #id,                    \
                                                  .doc = text,                    \
                                                  .fields = field_table,          \
                                                  .n_fields = COUNT(field_table), \
                                                  .size = sizeof(def)},           \
                                         .build = build_function}
SENSOR(position, "Position of a point.", point_fields, FbPointSensorDef, build_position);
SENSOR(velocity, "Velocity of a point, as the observer sees it.", point_fields, FbPointSensorDef,
       build_velocity);
SENSOR(acceleration, "Acceleration of a point, as the observer sees it.", point_fields,
       FbPointSensorDef, build_acceleration);
SENSOR(orientation, "Orientation of a body as a unit quaternion w, x, y, z.", body_fields,
       FbBodySensorDef, build_orientation);
SENSOR(angles, "Orientation of a body as yaw, pitch and roll (rotations about z, then y, then x).",
       body_fields, FbBodySensorDef, build_angles);
SENSOR(angular_velocity, "Angular velocity of a body.", body_vector_fields, FbBodySensorDef,
       build_angular_velocity);
SENSOR(angular_acceleration, "Angular acceleration of a body.", body_vector_fields, FbBodySensorDef,
       build_angular_acceleration);
SENSOR(distance, "Distance between two points.", distance_fields, FbDistanceSensorDef,
       build_distance);
SENSOR(reaction,
       "Force that a joint exerts on its second body, without what actuators and springs in the "
       "joint do.",
       reaction_fields, FbReactionSensorDef, build_reaction);
SENSOR(
    reaction_torque,
    "Torque that a joint exerts on its second body, about the joint's `point` as that body carries "
    "it (the origin of frame b).",
    reaction_fields, FbReactionSensorDef, build_reaction_torque);
SENSOR(multiplier,
       "Lagrange multipliers of a constraint: the force or torque that keeps it, positive where it "
       "holds the constrained value back (the pull of a rope; a drive that pushes is negative).",
       multiplier_fields, FbMultiplierSensorDef, build_multiplier);
SENSOR(expression, "Any expression of time, coordinates, sensors, forces and states.",
       expression_fields, FbExpressionSensorDef, build_expression);
