// The field tables of feedback drives: the fields common to both kinds, and those of each kind.
#include "describe/feedback_table.h"

#include <math.h>

#define AT(member) .offset = offsetof(FbFeedbackFields, def.member)
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#define EXPRESSION(field_key, member, field_unit, optional, text)                      \
    {                                                                                  \
        .key = field_key, .kind = FB_FIELD_EXPRESSION, AT(member), .unit = field_unit, \
        .is_optional = optional, .doc = text                                           \
    }
#define ANY(field_key, member, field_unit, optional, text)                       \
    {                                                                            \
        .key = field_key, .kind = FB_FIELD_REAL, AT(member), .unit = field_unit, \
        .is_optional = optional, .min = -INFINITY, .max = INFINITY, .doc = text  \
    }
#define POSITIVE(field_key, member, field_unit, optional, text)                                 \
    {                                                                                           \
        .key = field_key, .kind = FB_FIELD_REAL, AT(member), .unit = field_unit,                \
        .is_optional = optional, .min = 0.0, .max = INFINITY, .has_open_min = true, .doc = text \
    }

#define LIMITS                                                                                 \
    POSITIVE("bandwidth", bandwidth, "rad/s", false,                                           \
             "How fast it follows: errors decay at this rate."),                               \
        {.key = "stroke",                                                                      \
         .kind = FB_FIELD_REALS,                                                               \
         .offset = offsetof(FbFeedbackFields, stroke),                                         \
         .offset2 = offsetof(FbFeedbackFields, n_stroke),                                      \
         .unit = "m",                                                                          \
         .is_optional = true,                                                                  \
         .min = -INFINITY,                                                                     \
         .max = INFINITY,                                                                      \
         .doc = "Smallest and largest goal; references beyond are limited to them."},          \
        POSITIVE("max_speed", max_speed, "m/s", true, "Largest speed."),                       \
        POSITIVE("max_acceleration", max_acceleration, "m/s^2", true,                          \
                 "Largest acceleration; the goal is approached with half of it, so that "      \
                 "nothing overshoots."),                                                       \
        POSITIVE(                                                                              \
            "max_force", max_force, "N", true,                                                 \
            "Largest force for accelerating the slider itself: max_acceleration times mass."), \
        ANY("velocity", velocity, "m/s", true, "Speed at the start; default: 0.")

static const FbField follow_fields[] = {
    EXPRESSION("reference", reference, "m", false,
               "The position to follow: an expression of time, sensors, laws and states."),
    EXPRESSION("rate", rate, "m/s", true,
               "The rate of the reference, if known: it is then followed without lag."),
    EXPRESSION("acceleration", acceleration, "m/s^2", true,
               "The acceleration of the reference, likewise."),
    ANY("position", position, "m", false, "Position at the start."),
    LIMITS,
};

static const FbField locked_fields[] = {
    EXPRESSION("sensor", sensor, "", false, "The sensed vibration, about zero."),
    EXPRESSION("rate", rate, "", false, "Its rate."),
    POSITIVE("frequency", frequency, "rad/s", false, "Initial guess of its angular frequency."),
    POSITIVE("lock_bandwidth", lock_bandwidth, "rad/s", true,
             "How fast phase and frequency are estimated; default: a tenth of `frequency`."),
    ANY("centre", centre, "m", false, "Middle of the motion."),
    ANY("amplitude", amplitude, "m", false, "Half its stroke."),
    ANY("phase", phase, "rad", true,
        "Phase of the motion: centre + amplitude*sin(2*phase of the vibration + phase)."),
    ANY("position", position, "m", true, "Position at the start; default: that of the motion."),
    LIMITS,
};

static const FbTypeInfo follow = {.name = "follow",
                                  .doc = "The slider follows a reference, within limits.",
                                  .fields = follow_fields,
                                  .n_fields = COUNT(follow_fields)};
static const FbTypeInfo phase_locked = {
    .name = "phase_locked",
    .doc =
        "The slider moves harmonically at twice the frequency of a vibration, whose phase and "
        "frequency are estimated from a sensor.",
    .fields = locked_fields,
    .n_fields = COUNT(locked_fields)};

const FbTypeInfo* const fb_feedback_types[] = {&follow, &phase_locked, NULL};
