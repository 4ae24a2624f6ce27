// What the laws of moves share: the quintic move, the fields and checks of their limits.
#ifndef FLYBALL_LAW_PROFILE_H
#define FLYBALL_LAW_PROFILE_H

#include <math.h>
#include <stddef.h>

#include "law/law.h"

// A move of `rise` by 10 x^3 - 15 x^4 + 6 x^5, x = (t - start)/duration in [0, 1] (eq. 10.1):
// value, rate and acceleration relative to where it began.
void fb_quintic_calc(double rise, double start, double duration, double t, double out[3]);

// The shortest duration >= `duration` for which the quintic keeps the limits (INFINITY: none),
// eq. (10.2).
double fb_quintic_duration(double rise, double duration, double max_rate, double max_acceleration);

// Fails where the value of field `key` is not > 0.
FbStatus fb_law_check_positive(const FbLawDef* head, const char* key, double value, FbError* err);

// Fields of the struct `type`; keys are the names of the members.
#define FB_PROFILE_FIELD(type, member, field_unit, text)                                   \
    {                                                                                      \
        .key = #member, .kind = FB_FIELD_REAL, .offset = offsetof(type, member),           \
        .unit = field_unit, .min = 0.0, .max = INFINITY, .has_open_min = true, .doc = text \
    }

#define FB_PROFILE_FROM_TO_START(type)                                                       \
    {.key = "from",                                                                          \
     .kind = FB_FIELD_REAL,                                                                  \
     .offset = offsetof(type, from),                                                         \
     .unit = "",                                                                             \
     .min = -INFINITY,                                                                       \
     .max = INFINITY,                                                                        \
     .doc = "Value before the start."},                                                      \
        {.key = "to",                                                                        \
         .kind = FB_FIELD_REAL,                                                              \
         .offset = offsetof(type, to),                                                       \
         .unit = "",                                                                         \
         .min = -INFINITY,                                                                   \
         .max = INFINITY,                                                                    \
         .doc = "Value after the end."},                                                     \
    {                                                                                        \
        .key = "start", .kind = FB_FIELD_REAL, .offset = offsetof(type, start), .unit = "s", \
        .default_text = "0", .is_optional = true, .min = -INFINITY, .max = INFINITY,         \
        .doc = "Time at which the value begins to change."                                   \
    }

// Limits of rate and acceleration that must be given.
#define FB_PROFILE_LIMITS(type)                                                 \
    FB_PROFILE_FIELD(type, max_rate, "/s",                                      \
                     "Largest rate, per second; short moves do not reach it."), \
        FB_PROFILE_FIELD(type, max_acceleration, "/s^2",                        \
                         "Largest acceleration and deceleration, per second squared.")

#endif
