// Sensors of forces: the vectors of force and torque that a force exerts.
#include <stddef.h>

#include "compile/sensor_types.h"
#include "system/part.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const char* const XYZ[] = {"x", "y", "z"};

// The element, -1 where there is none or where it has no vector.
static int find_element(FbBuilder* b, const FbAppliedSensorDef* def) {
    const FbOrigin* origin = &def->head.origin;
    const char* name = def->force ? def->force : "";
    int i = fb_def_find_force(b->def, origin->scope, name);
    if (i < 0) {
        fb_compile_error(b, FB_ERR_NAME, origin, "force", "there is no force '%s'", name);
        return -1;
    }
    const FbForce* e = &b->m->forces[i];
    if (e->type && e->measure == FB_MEASURE_COORDINATE) {
        fb_compile_error(b, FB_ERR_MODEL, origin, "force",
                         "%s '%s' acts along a coordinate of a joint, not at a point; record "
                         "'%s.force'",
                         e->type->info.name, e->name, e->name);
    }
    return e->type && e->measure != FB_MEASURE_COORDINATE ? i : -1;
}

static bool applied(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor, FbForceOutput output,
                    const char* unit) {
    const FbAppliedSensorDef* def = (const FbAppliedSensorDef*)head;
    int element = find_element(b, def);
    FbLinkFrame frame;
    FbPointDef origin = {.body = def->frame};
    if (element < 0 || !fb_compile_point(b, &origin, &head->origin, "frame", &frame)) {
        return false;
    }
    sensor->first_signal = b->m->n_signals;
    sensor->suffixes = XYZ;
    for (int i = 0; i < 3; i++) {
        FbSignal s = {.kind = FB_SIGNAL_PART,
                      .part = &fb_part_forces,
                      .output = output,
                      .index = element,
                      .component = i,
                      .frame_link = frame.link,
                      .frame_R = frame.R,
                      .unit = unit};
        if (fb_compile_signal(b, &s) < 0) {
            return false;
        }
    }
    sensor->n_signals = 3;
    return true;
}

static bool build_force(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    return applied(b, head, sensor, FB_FORCE_OUTPUT_FORCE, "N");
}
static bool build_torque(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    return applied(b, head, sensor, FB_FORCE_OUTPUT_TORQUE, "N*m");
}

static const FbField fields[] = {
    {.key = "force",
     .kind = FB_FIELD_PART,
     .offset = offsetof(FbAppliedSensorDef, force),
     .doc = "A bushing, a force or torque on a body, or a spring or actuator between points."},
    {.key = "frame",
     .kind = FB_FIELD_BODY,
     .offset = offsetof(FbAppliedSensorDef, frame),
     .is_optional = true,
     .doc = "Use the axes of this body instead of those of ground."},
    FB_SENSOR_COMPONENT,
};

FbAppliedSensorDef fb_applied_sensor_def_default(const char* type) {
    FbAppliedSensorDef def;
    fb_sensor_fill(type, sizeof def, &def);
    return def;
}

const FbSensorType fb_sensor_applied_force = {
    .info = {.name = "applied_force",
             .doc = "Force that a bushing, or a spring or actuator between points, exerts on the "
                    "body of b (the opposite acts on that of a); for a force: on its body.",
             .fields = fields,
             .n_fields = COUNT(fields),
             .size = sizeof(FbAppliedSensorDef)},
    .build = build_force};

const FbSensorType fb_sensor_applied_torque = {
    .info = {.name = "applied_torque",
             .doc = "Torque that comes with `applied_force`, about the origin of frame b of a "
                    "bushing (the opposite acts on the body of a, about the same point); for a "
                    "torque: on its body.",
             .fields = fields,
             .n_fields = COUNT(fields),
             .size = sizeof(FbAppliedSensorDef)},
    .build = build_torque};
