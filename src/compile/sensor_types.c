// Sensor types: what can be measured, and how it becomes signals.
#include <stddef.h>
#include <string.h>

#include "compile/compile.h"
#include "math/rotation.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const char* const SCALAR[] = {""};
static const char* const XYZ[] = {"x", "y", "z"};
static const char* const WXYZ[] = {"w", "x", "y", "z"};
static const char* const YAW_PITCH_ROLL[] = {"yaw", "pitch", "roll"};

// Adds n signals that start as `first` with component 0, 1, ...
static bool add_signals(FbBuilder* b, FbSensor* sensor, FbSignal first, int n,
                        const char* const* suffixes) {
    sensor->first_signal = b->m->n_signals;
    sensor->suffixes = suffixes;
    for (int i = 0; i < n; i++) {
        first.component += i > 0;
        if (fb_compile_signal(b, &first) < 0) {
            return false;
        }
    }
    sensor->n_signals = n;
    return true;
}

// The frame that a sensor's values are measured in: a body, or ground.
static bool observer(FbBuilder* b, const FbSensorDef* def, FbLinkFrame* out) {
    FbPointDef origin = {.body = def->frame};
    return fb_compile_point(b, &origin, &def->origin, "frame", out);
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

static bool point_sensor(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor, FbSignalKind kind,
                         const char* unit) {
    FbLinkFrame point, frame, origin;
    if (!fb_compile_point(b, &def->point, &def->origin, "point", &point) ||
        !observer(b, def, &frame)) {
        return false;
    }
    origin = frame;
    if (def->relative_to.body) {
        if (!fb_compile_point(b, &def->relative_to, &def->origin, "relative_to", &origin)) {
            return false;
        }
        if (origin.link != frame.link) {
            fb_compile_error(b, FB_ERR_MODEL, &def->origin, "relative_to",
                             "`relative_to` must be a point of the observing body; set `frame: %s`",
                             def->relative_to.body);
            return false;
        }
        origin.R = frame.R;
    }
    return add_axis_terms(b, sensor, FB_TERM_SLIDE, &origin, &point, kind, unit);
}

static bool build_position(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    return point_sensor(b, def, sensor, FB_SIGNAL_VALUE, "m");
}
static bool build_velocity(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    return point_sensor(b, def, sensor, FB_SIGNAL_RATE, "m/s");
}
static bool build_acceleration(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    return point_sensor(b, def, sensor, FB_SIGNAL_ACCELERATION, "m/s^2");
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

static bool turn_sensor(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor, FbSignalKind kind,
                        const char* unit) {
    FbLinkFrame body, frame;
    if (!fb_compile_point(b, &def->point, &def->origin, "body", &body) ||
        !observer(b, def, &frame)) {
        return false;
    }
    return fb_compile_is_linear_turn(b->m, body.link, frame.link)
               ? add_linear_turns(b, sensor, &frame, &body, kind, unit)
               : add_axis_terms(b, sensor, FB_TERM_TURN_A, &frame, &body, kind, unit);
}
static bool build_angular_velocity(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    return turn_sensor(b, def, sensor, FB_SIGNAL_RATE, "rad/s");
}
static bool build_angular_acceleration(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    return turn_sensor(b, def, sensor, FB_SIGNAL_ACCELERATION, "rad/s^2");
}

static bool orientation(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor, FbSignalKind kind,
                        const char* unit, int n, const char* const* suffixes) {
    FbLinkFrame body, frame;
    if (!fb_compile_point(b, &def->point, &def->origin, "body", &body) ||
        !observer(b, def, &frame)) {
        return false;
    }
    FbSignal s = {.kind = kind,
                  .link = body.link,
                  .R = body.R,
                  .frame_link = frame.link,
                  .frame_R = frame.R,
                  .unit = unit};
    return add_signals(b, sensor, s, n, suffixes);
}
static bool build_orientation(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    return orientation(b, def, sensor, FB_SIGNAL_QUATERNION, "1", 4, WXYZ);
}
static bool build_angles(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    return orientation(b, def, sensor, FB_SIGNAL_ANGLE, "rad", 3, YAW_PITCH_ROLL);
}

static bool build_distance(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    FbLinkFrame a, c;
    if (!fb_compile_point(b, &def->point, &def->origin, "a", &a) ||
        !fb_compile_point(b, &def->relative_to, &def->origin, "b", &c)) {
        return false;
    }
    FbTerm term = fb_term_between(FB_TERM_DISTANCE, &a, &c);
    FbSignal s = {.kind = FB_SIGNAL_VALUE, .term = b->m->n_terms, .n_terms = 1, .unit = "m"};
    return fb_compile_term(b, &term) >= 0 && add_signals(b, sensor, s, 1, SCALAR);
}

static bool reaction(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor, FbSignalKind kind,
                     const char* unit) {
    int j = fb_def_find_joint(b->def, def->origin.scope, def->part ? def->part : "");
    FbLinkFrame frame;
    if (j < 0) {
        fb_compile_error(b, FB_ERR_NAME, &def->origin, "joint", "there is no joint '%s'",
                         def->part ? def->part : "");
        return false;
    }
    if (!observer(b, def, &frame)) {
        return false;
    }
    FbSignal s = {
        .kind = kind, .index = j, .frame_link = frame.link, .frame_R = frame.R, .unit = unit};
    b->m->has_reactions = true;
    return add_signals(b, sensor, s, 3, XYZ);
}
static bool build_reaction(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    return reaction(b, def, sensor, FB_SIGNAL_REACTION_FORCE, "N");
}
static bool build_reaction_torque(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    return reaction(b, def, sensor, FB_SIGNAL_REACTION_TORQUE, "N*m");
}

static bool build_multiplier(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    static const char* const ROWS[] = {"1", "2", "3", "4", "5", "6"};
    int c = fb_def_find_constraint(b->def, def->origin.scope, def->part ? def->part : "");
    if (c < 0) {
        fb_compile_error(b, FB_ERR_NAME, &def->origin, "constraint", "there is no constraint '%s'",
                         def->part ? def->part : "");
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

static bool energy(FbBuilder* b, FbSensor* sensor, FbEnergyKind kind) {
    FbSignal s = {.kind = FB_SIGNAL_ENERGY, .component = (int)kind, .unit = "J"};
    return add_signals(b, sensor, s, 1, SCALAR);
}
static bool build_kinetic(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    (void)def;
    return energy(b, sensor, FB_ENERGY_KINETIC);
}
static bool build_potential(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    (void)def;
    return energy(b, sensor, FB_ENERGY_POTENTIAL);
}
static bool build_energy(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    (void)def;
    return energy(b, sensor, FB_ENERGY_TOTAL);
}
static bool build_supplied(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    (void)def;
    return energy(b, sensor, FB_ENERGY_SUPPLIED);
}
static bool build_dissipated(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    (void)def;
    return energy(b, sensor, FB_ENERGY_DISSIPATED);
}

static bool build_momentum(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    (void)def;
    return add_signals(b, sensor, (FbSignal){.kind = FB_SIGNAL_MOMENTUM, .unit = "kg*m/s"}, 3, XYZ);
}
static bool build_angular_momentum(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    (void)def;
    return add_signals(b, sensor,
                       (FbSignal){.kind = FB_SIGNAL_ANGULAR_MOMENTUM, .unit = "kg*m^2/s"}, 3, XYZ);
}
static bool build_center(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    (void)def;
    return add_signals(b, sensor, (FbSignal){.kind = FB_SIGNAL_CENTER, .unit = "m"}, 3, XYZ);
}

// An expression that is just one name keeps that name's unit.
static bool build_expression(FbBuilder* b, const FbSensorDef* def, FbSensor* sensor) {
    int function = fb_compile_function(b, def->expression ? def->expression : "", &def->origin,
                                       "value", (FbUse){.result = fb_quantity_of_unit(def->unit)});
    if (function < 0) {
        return false;
    }
    const FbExpr* expr = b->m->functions[function].expr;
    bool is_name = fb_expr_input_count(expr) == 1 && !strpbrk(def->expression, "+-*/^(<>=! ");
    FbSignal s = {.kind = FB_SIGNAL_FUNCTION,
                  .index = function,
                  .unit = is_name ? b->m->signals[fb_expr_inputs(expr)[0]].unit : ""};
    return add_signals(b, sensor, is_name ? b->m->signals[fb_expr_inputs(expr)[0]] : s, 1, SCALAR);
}

#define POINT_FIELD(field_key, member, optional, text)                                     \
    {                                                                                      \
        .key = field_key, .kind = FB_FIELD_POINT, .offset = offsetof(FbSensorDef, member), \
        .unit = "m", .is_optional = optional, .doc = text                                  \
    }
#define BODY_FIELD                                                           \
    {                                                                        \
        .key = "body", .kind = FB_FIELD_BODY,                                \
        .offset = offsetof(FbSensorDef, point) + offsetof(FbPointDef, body), \
        .doc = "The observed body."                                          \
    }
#define FRAME_FIELD                                                                        \
    {                                                                                      \
        .key = "frame", .kind = FB_FIELD_BODY, .offset = offsetof(FbSensorDef, frame),     \
        .is_optional = true,                                                               \
        .doc =                                                                             \
            "The observer: values are relative to this body and along its axes; default: " \
            "ground."                                                                      \
    }
#define COMPONENT_FIELD                                                                      \
    {                                                                                        \
        .key = "component", .kind = FB_FIELD_COMPONENT,                                      \
        .offset = offsetof(FbSensorDef, component), .choices = "x|y|z", .is_optional = true, \
        .doc = "Record only x, y or z; default: all three."                                  \
    }

static const FbField point_fields[] = {
    POINT_FIELD("point", point, false, "The observed point."),
    POINT_FIELD("relative_to", relative_to, true,
                "Point of the observing body to measure from; default: its origin."),
    FRAME_FIELD,
    COMPONENT_FIELD,
};
static const FbField body_fields[] = {BODY_FIELD, FRAME_FIELD};
static const FbField body_vector_fields[] = {BODY_FIELD, FRAME_FIELD, COMPONENT_FIELD};
static const FbField distance_fields[] = {
    POINT_FIELD("a", point, false, "First point."),
    POINT_FIELD("b", relative_to, false, "Second point."),
};
static const FbField reaction_fields[] = {
    {.key = "joint",
     .kind = FB_FIELD_JOINT,
     .offset = offsetof(FbSensorDef, part),
     .doc = "The joint; it may be one that closes a loop."},
    {.key = "frame",
     .kind = FB_FIELD_BODY,
     .offset = offsetof(FbSensorDef, frame),
     .is_optional = true,
     .doc = "Use the axes of this body instead of those of ground."},
    COMPONENT_FIELD,
};
static const FbField multiplier_fields[] = {
    {.key = "constraint",
     .kind = FB_FIELD_PART,
     .offset = offsetof(FbSensorDef, part),
     .doc = "The constraint."},
};
static const FbField expression_fields[] = {
    {.key = "value",
     .kind = FB_FIELD_EXPRESSION,
     .offset = offsetof(FbSensorDef, expression),
     .doc = "The expression."},
    {.key = "unit",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbSensorDef, unit),
     .is_optional = true,
     .doc = "Unit shown in the header."},
};
static const FbField component_fields[] = {COMPONENT_FIELD};

#define SENSOR(id, type_name, text, field_table, build_function)                                \
    static const FbSensorType id = {.info = {type_name, text, field_table, COUNT(field_table)}, \
                                    .build = build_function}
#define SENSOR_PLAIN(id, type_name, text, build_function) \
    static const FbSensorType id = {.info = {type_name, text, NULL, 0}, .build = build_function}

SENSOR(position, "position", "Position of a point.", point_fields, build_position);
SENSOR(velocity, "velocity", "Velocity of a point, as the observer sees it.", point_fields,
       build_velocity);
SENSOR(acceleration, "acceleration", "Acceleration of a point, as the observer sees it.",
       point_fields, build_acceleration);
SENSOR(orientation_type, "orientation", "Orientation of a body as a unit quaternion w, x, y, z.",
       body_fields, build_orientation);
SENSOR(angles, "angles",
       "Orientation of a body as yaw, pitch and roll (rotations about z, then y, then x).",
       body_fields, build_angles);
SENSOR(angular_velocity, "angular_velocity", "Angular velocity of a body.", body_vector_fields,
       build_angular_velocity);
SENSOR(angular_acceleration, "angular_acceleration", "Angular acceleration of a body.",
       body_vector_fields, build_angular_acceleration);
SENSOR(distance, "distance", "Distance between two points.", distance_fields, build_distance);
SENSOR(reaction_type, "reaction",
       "Force that a joint exerts on its second body, without what actuators and springs in the "
       "joint do.",
       reaction_fields, build_reaction);
SENSOR(
    reaction_torque, "reaction_torque",
    "Torque that a joint exerts on its second body, about the joint's `point` as that body carries "
    "it (the origin of frame b).",
    reaction_fields, build_reaction_torque);
SENSOR(multiplier, "multiplier",
       "Lagrange multipliers of a constraint: the force or torque that keeps it, positive where it "
       "holds the constrained value back (the pull of a rope; a drive that pushes is negative).",
       multiplier_fields, build_multiplier);
SENSOR_PLAIN(kinetic_energy, "kinetic_energy", "Kinetic energy of all bodies.", build_kinetic);
SENSOR_PLAIN(potential_energy, "potential_energy", "Potential energy of gravity and springs.",
             build_potential);
SENSOR_PLAIN(total_energy, "energy", "Kinetic plus potential energy.", build_energy);
SENSOR_PLAIN(supplied_work, "supplied_work",
             "Work done by actuators, laws and expressions since the start.", build_supplied);
SENSOR_PLAIN(dissipated_work, "dissipated_work",
             "Energy lost in dampers and friction since the start.", build_dissipated);
SENSOR(momentum, "momentum", "Linear momentum of all bodies.", component_fields, build_momentum);
SENSOR(angular_momentum, "angular_momentum",
       "Angular momentum of all bodies about the ground's origin.", component_fields,
       build_angular_momentum);
SENSOR(center_of_mass, "center_of_mass", "Centre of mass of all bodies.", component_fields,
       build_center);
SENSOR(expression, "expression", "Any expression of time, coordinates, sensors, forces and states.",
       expression_fields, build_expression);

const FbSensorType* const fb_sensor_types[] = {
    &position,
    &velocity,
    &acceleration,
    &orientation_type,
    &angles,
    &angular_velocity,
    &angular_acceleration,
    &distance,
    &reaction_type,
    &reaction_torque,
    &multiplier,
    &kinetic_energy,
    &potential_energy,
    &total_energy,
    &supplied_work,
    &dissipated_work,
    &momentum,
    &angular_momentum,
    &center_of_mass,
    &expression,
    &fb_sensor_applied_force,
    &fb_sensor_applied_torque,
    &fb_sensor_gyro,
    &fb_sensor_accelerometer,
    &fb_sensor_hold,
    &fb_sensor_modal_amplitude,
    &fb_sensor_section_forces,
    &fb_sensor_stress,
    &fb_sensor_slider_position,
    &fb_sensor_slider_velocity,
    &fb_sensor_slider_contact,
    &fb_sensor_slider_coriolis,
    &fb_sensor_composite_mass,
    &fb_sensor_composite_coriolis,
    NULL,
};

const FbSensorType* fb_sensor_type_find(const char* name) {
    for (int i = 0; name && fb_sensor_types[i]; i++) {
        if (strcmp(fb_sensor_types[i]->info.name, name) == 0) {
            return fb_sensor_types[i];
        }
    }
    return NULL;
}
