// Sensors that a body carries: a gyroscope and an accelerometer, in the body's own axes.
#include <stddef.h>

#include "compile/sensor_types.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const char* const XYZ[] = {"x", "y", "z"};

// Three terms from a to b along the axes of a; returns the first, -1 if that failed.
static int add_terms(FbBuilder* b, FbTermKind kind, double factor, const FbLinkFrame* from,
                     const FbLinkFrame* to) {
    int first = b->m->n_terms;
    for (int i = 0; i < 3; i++) {
        FbTerm term = fb_term_between(kind, from, to);
        term.a = fb_mat3_col(&from->R, i);
        term.b = fb_mat3_col(&from->R, (i + 1) % 3);
        term.c = fb_mat3_col(&to->R, (i + 1) % 3);
        term.factor = factor;
        if (fb_compile_term(b, &term) < 0) {
            return -1;
        }
    }
    return first;
}

static bool add_signals(FbBuilder* b, FbSensor* sensor, FbSignal signals[3]) {
    sensor->first_signal = b->m->n_signals;
    sensor->suffixes = XYZ;
    for (int i = 0; i < 3; i++) {
        if (fb_compile_signal(b, &signals[i]) < 0) {
            return false;
        }
    }
    sensor->n_signals = 3;
    return true;
}

static FbLinkFrame ground(void) {
    return (FbLinkFrame){.link = -1, .R = fb_mat3_identity()};
}

// The body sees the ground turn with the opposite of its own angular velocity.
static bool build_gyro(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    const FbGyroDef* def = (const FbGyroDef*)head;
    FbPointDef at = {.body = def->body};
    FbLinkFrame body, origin = ground();
    if (!fb_compile_point(b, &at, &head->origin, "body", &body)) {
        return false;
    }
    FbSignal signals[3];
    if (fb_compile_is_linear_turn(b->m, body.link, -1)) {
        // In linear theory its axes are those of the drawing.
        FbLinkFrame axes = {.link = -1, .R = fb_mat3_mul(&b->m->drawn_axes[body.link], &body.R)};
        for (int i = 0; i < 3; i++) {
            signals[i] = (FbSignal){.kind = FB_SIGNAL_RATE, .unit = "rad/s"};
            if (!fb_compile_linear_turn(b, &body, &axes, i, &signals[i])) {
                return false;
            }
        }
        return add_signals(b, sensor, signals);
    }
    int first = add_terms(b, FB_TERM_TURN_A, -1.0, &body, &origin);
    for (int i = 0; i < 3; i++) {
        signals[i] =
            (FbSignal){.kind = FB_SIGNAL_RATE, .term = first + i, .n_terms = 1, .unit = "rad/s"};
    }
    return first >= 0 && add_signals(b, sensor, signals);
}

// The acceleration along the ground's axes becomes one along the body's where it is evaluated.
static bool build_accelerometer(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    const FbAccelerometerDef* def = (const FbAccelerometerDef*)head;
    FbLinkFrame point, origin = ground();
    if (!fb_compile_point(b, &def->point, &head->origin, "point", &point)) {
        return false;
    }
    int first = add_terms(b, FB_TERM_SLIDE, 1.0, &origin, &point);
    FbSignal signals[3];
    for (int i = 0; i < 3; i++) {
        signals[i] = (FbSignal){.kind = FB_SIGNAL_ACCELEROMETER,
                                .term = first,
                                .n_terms = 3,
                                .index = def->has_gravity,
                                .component = i,
                                .link = point.link,
                                .R = point.R,
                                .unit = "m/s^2"};
    }
    return first >= 0 && add_signals(b, sensor, signals);
}

static const FbField gyro_fields[] = {
    {.key = "body",
     .kind = FB_FIELD_BODY,
     .offset = offsetof(FbGyroDef, body),
     .doc = "The body that carries it."},
    FB_SENSOR_COMPONENT,
};

static const FbField accelerometer_fields[] = {
    {.key = "point",
     .kind = FB_FIELD_POINT,
     .offset = offsetof(FbAccelerometerDef, point),
     .unit = "m",
     .doc = "The point of the body where it is mounted."},
    {.key = "gravity",
     .kind = FB_FIELD_BOOL,
     .offset = offsetof(FbAccelerometerDef, has_gravity),
     .default_text = "true",
     .doc = "true: as an instrument reads it, acceleration minus gravity: +9.81 m/s^2 upward at "
            "rest, zero in free fall. false: the acceleration itself."},
    FB_SENSOR_COMPONENT,
};

FbGyroDef fb_gyro_def_default(void) {
    FbGyroDef def;
    fb_sensor_fill("gyro", sizeof def, &def);
    return def;
}

FbAccelerometerDef fb_accelerometer_def_default(void) {
    FbAccelerometerDef def;
    fb_sensor_fill("accelerometer", sizeof def, &def);
    return def;
}

const FbSensorType fb_sensor_gyro = {
    .info = {.name = "gyro",
             .doc = "Angular velocity of a body relative to the ground, along the body's axes.",
             .fields = gyro_fields,
             .n_fields = COUNT(gyro_fields),
             .size = sizeof(FbGyroDef)},
    .build = build_gyro};

const FbSensorType fb_sensor_accelerometer = {
    .info = {.name = "accelerometer",
             .doc =
                 "Acceleration of a point of a body relative to the ground, along the body's axes.",
             .fields = accelerometer_fields,
             .n_fields = COUNT(accelerometer_fields),
             .size = sizeof(FbAccelerometerDef)},
    .build = build_accelerometer};
