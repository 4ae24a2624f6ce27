// Feedback drives: expands one into its states, sensors and report of limits.
//
// A cascade (eqs. 10.8 to 10.11): the goal asks for a speed, the speed for an acceleration, which
// is integrated twice; each is limited. A phase-locked drive has an estimator of phase and
// frequency in front (eqs. 10.12 to 10.14).
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "describe/def.h"

// Of the limit of the acceleration, for approaching the goal; the rest corrects errors.
static const double BRAKING = 0.5;
// The estimated frequency counts as at least this part of the first guess, so that a signal at rest
// does not stop the estimator.
static const double LEAST_FREQUENCY = 0.1;
// The estimator's bandwidth, if it is not given, in parts of the frequency.
static const double LOCK = 0.1;

typedef struct Expansion {
    FbModelDef* def;
    const FbFeedbackDef* f;
    FbError* err;
} Expansion;

static const char* format(const Expansion* x, const char* text, ...)
    __attribute__((format(printf, 2, 3)));

// Room for an expression with the names of a drive in it; NULL: out of memory.
static const char* format(const Expansion* x, const char* text, ...) {
    char buffer[2048];
    va_list args;
    va_start(args, text);
    int n = vsnprintf(buffer, sizeof buffer, text, args);
    va_end(args);
    return n >= 0 && n < (int)sizeof buffer ? fb_arena_text(x->def->arena, buffer) : NULL;
}

static FbStatus fail(const Expansion* x, const char* key, const char* rule, double value) {
    FbPlace place = fb_origin_place(&x->f->origin, key);
    return fb_fail(x->err, FB_ERR_RANGE, &place, "%s of the feedback of '%s' is %g; it must be %s",
                   key, x->f->name, value, rule);
}

static FbStatus check_limits(const Expansion* x) {
    const FbFeedbackDef* f = x->f;
    const char* const keys[] = {"bandwidth", "max_speed", "max_acceleration", "max_force"};
    const double values[] = {f->bandwidth, f->max_speed, f->max_acceleration, f->max_force};
    for (int i = 0; i < 4; i++) {
        if (!(values[i] > 0.0) && (i == 0 || !isnan(values[i]))) {
            return fail(x, keys[i], "> 0", values[i]);
        }
    }
    if (f->stroke[0] >= f->stroke[1]) {
        FbPlace place = fb_origin_place(&f->origin, "stroke");
        return fb_fail(
            x->err, FB_ERR_RANGE, &place,
            "the stroke of the feedback of '%s' is [%g, %g]; the smaller value must come first",
            f->name, f->stroke[0], f->stroke[1]);
    }
    if (!isnan(f->max_force) && !(f->mass > 0.0)) {
        return fail(x, "max_force", "used with a mass > 0", f->max_force);
    }
    return FB_OK;
}

static FbStatus check_lock(const Expansion* x) {
    const FbFeedbackDef* f = x->f;
    if (!f->sensor || !f->rate) {
        FbPlace place = fb_origin_place(&f->origin, "type");
        return fb_fail(x->err, FB_ERR_MODEL, &place,
                       "the phase-locked feedback of '%s' needs `sensor` and its `rate`", f->name);
    }
    if (!(f->frequency > 0.0)) {
        return fail(x, "frequency", "> 0", f->frequency);
    }
    if (!(f->lock_bandwidth > 0.0) && !isnan(f->lock_bandwidth)) {
        return fail(x, "lock_bandwidth", "> 0", f->lock_bandwidth);
    }
    if (!isfinite(f->centre) || !isfinite(f->amplitude)) {
        return fail(x, isfinite(f->centre) ? "amplitude" : "centre", "a finite number", NAN);
    }
    return FB_OK;
}

// `key` is the field of the description in which errors of the expression are.
static FbStatus add_sensor(const Expansion* x, const char* suffix, const char* key,
                           const char* expression, const char* limits) {
    FbPlace place = fb_origin_place(&x->f->origin, key);
    FbFieldPlace field = {"value", place.line, place.col};
    FbExpressionSensorDef sensor;
    FB_TRY(fb_def_fill(x->def->types.sensors, "expression", sizeof sensor, &sensor, x->err));
    sensor.head.name = format(x, "%s.%s", x->f->name, suffix);
    sensor.head.origin = (FbOrigin){x->f->origin.place, &field, 1, x->f->origin.scope};
    sensor.head.limits = limits;
    sensor.head.is_recorded = limits != NULL;
    sensor.head.unit = limits ? "1" : NULL;
    sensor.head.component = -1;
    sensor.value = expression;
    return sensor.head.name && expression ? fb_model_def_add_sensor(x->def, &sensor.head, x->err)
                                          : fb_fail_memory(x->err);
}

static FbStatus add_state(const Expansion* x, const char* suffix, double initial, const char* rate,
                          const char* unit) {
    FbStateDef state = fb_state_def_default();
    state.name = format(x, "%s.%s", x->f->name, suffix);
    state.initial = initial;
    state.rate = rate;
    state.unit = unit;
    state.origin = x->f->origin;
    return state.name && rate ? fb_model_def_add_state(x->def, &state, x->err)
                              : fb_fail_memory(x->err);
}

// Phase and frequency of y = A cos(phase), y' = -A w sin(phase): the error is the angle between the
// measured and the estimated phase (eqs. 10.12, 10.13).
static FbStatus add_lock(const Expansion* x) {
    const FbFeedbackDef* f = x->f;
    const char* n = f->name;
    double b = isnan(f->lock_bandwidth) ? LOCK * f->frequency : f->lock_bandwidth;
    FB_TRY(add_sensor(x, "signal", "sensor", f->sensor, NULL));
    FB_TRY(add_sensor(x, "signal_rate", "rate", f->rate, NULL));
    FB_TRY(add_sensor(
        x, "quadrature", "sensor",
        format(x, "-%s.signal_rate/max(%s.frequency, %.17g)", n, n, LEAST_FREQUENCY * f->frequency),
        NULL));
    FB_TRY(add_sensor(x, "error", "sensor",
                      format(x,
                             "atan2(%s.quadrature*cos(%s.phase) - %s.signal*sin(%s.phase), "
                             "%s.signal*cos(%s.phase) + %s.quadrature*sin(%s.phase))",
                             n, n, n, n, n, n, n, n),
                      NULL));
    FB_TRY(add_state(x, "phase", 0.0, format(x, "%s.frequency + %.17g*%s.error", n, 2.0 * b, n),
                     "rad"));
    return add_state(x, "frequency", f->frequency, format(x, "%.17g*%s.error", b * b, n), "rad/s");
}

// The reference of a locked drive and its derivatives (eq. 10.14).
static FbStatus add_locked_reference(const Expansion* x) {
    const FbFeedbackDef* f = x->f;
    const char* n = f->name;
    FB_TRY(add_lock(x));
    double b = isnan(f->lock_bandwidth) ? LOCK * f->frequency : f->lock_bandwidth;
    FB_TRY(add_sensor(
        x, "reference", "sensor",
        format(x, "%.17g + %.17g*sin(2*%s.phase + %.17g)", f->centre, f->amplitude, n, f->phase),
        NULL));
    FB_TRY(add_sensor(x, "rate", "sensor",
                      format(x, "%.17g*(%s.frequency + %.17g*%s.error)*cos(2*%s.phase + %.17g)",
                             2.0 * f->amplitude, n, 2.0 * b, n, n, f->phase),
                      NULL));
    return add_sensor(x, "acceleration", "sensor",
                      format(x, "%.17g*%s.frequency^2*sin(2*%s.phase + %.17g)", -4.0 * f->amplitude,
                             n, n, f->phase),
                      NULL);
}

static FbStatus add_given_reference(const Expansion* x) {
    const FbFeedbackDef* f = x->f;
    if (!f->reference) {
        FbPlace place = fb_origin_place(&f->origin, "reference");
        return fb_fail(x->err, FB_ERR_MODEL, &place,
                       "the feedback of '%s' needs a `reference`: an expression to follow",
                       f->name);
    }
    FB_TRY(add_sensor(x, "reference", "reference", f->reference, NULL));
    FB_TRY(add_sensor(x, "rate", "rate", f->rate ? f->rate : "0", NULL));
    return add_sensor(x, "acceleration", "acceleration", f->acceleration ? f->acceleration : "0",
                      NULL);
}

static double limit_of_acceleration(const FbFeedbackDef* f) {
    double by_force = isnan(f->max_force) ? INFINITY : f->max_force / f->mass;
    return fmin(isnan(f->max_acceleration) ? INFINITY : f->max_acceleration, by_force);
}

// A limit as text; without one, a number that nothing reaches.
static double finite(double limit) {
    return isfinite(limit) ? limit : 1e300;
}

// The speed with which the distance e is closed: k e, and beyond d = a/k^2 that from which braking
// with a is enough, sqrt(2 a (|e| - d/2)) (eq. 10.9).
static const char* approach(const Expansion* x, double k, double a) {
    const char* n = x->f->name;
    if (!isfinite(a)) {
        return format(x, "%.17g*(%s.goal - %s.s)", k, n, n);
    }
    double d = a / (k * k);
    return format(x,
                  "if(abs(%s.goal - %s.s) < %.17g, %.17g*(%s.goal - %s.s), "
                  "sign(%s.goal - %s.s)*sqrt(max(%.17g*(abs(%s.goal - %s.s) - %.17g), 0)))",
                  n, n, d, k, n, n, n, n, 2.0 * a, n, n, 0.5 * d);
}

// Goal, speed and acceleration, each within its limits, and the two states.
static FbStatus add_cascade(const Expansion* x, double position) {
    const FbFeedbackDef* f = x->f;
    const char* n = f->name;
    double low = isnan(f->stroke[0]) ? -1e300 : f->stroke[0];
    double high = isnan(f->stroke[1]) ? 1e300 : f->stroke[1];
    double v = finite(isnan(f->max_speed) ? INFINITY : f->max_speed), a = limit_of_acceleration(f);
    const char* outside =
        format(x, "%s.reference > %.17g or %s.reference < %.17g", n, high, n, low);
    const char* speed = approach(x, 0.5 * f->bandwidth, BRAKING * a);
    if (!outside || !speed) {
        return fb_fail_memory(x->err);
    }
    FB_TRY(add_sensor(x, "goal", "reference",
                      format(x, "clamp(%s.reference, %.17g, %.17g)", n, low, high), NULL));
    FB_TRY(add_sensor(x, "wanted_v", "reference",
                      format(x, "if(%s, 0, %s.rate) + %s", outside, n, speed), NULL));
    FB_TRY(add_sensor(x, "wanted_a", "reference",
                      format(x,
                             "if(%s or abs(%s.wanted_v) > %.17g, 0, %s.acceleration) + "
                             "%.17g*(clamp(%s.wanted_v, %.17g, %.17g) - %s.v)",
                             outside, n, v, n, 2.0 * f->bandwidth, n, -v, v, n),
                      NULL));
    FB_TRY(add_state(x, "s", position, format(x, "%s.v", n), "m"));
    FB_TRY(add_state(x, "v", f->velocity,
                     format(x, "clamp(%s.wanted_a, %.17g, %.17g)", n, -finite(a), finite(a)),
                     "m/s"));
    return add_sensor(x, "limit", "reference",
                      format(x,
                             "if(%s, 1, 0) + if(abs(%s.wanted_v) > %.17g, 2, 0) + "
                             "if(abs(%s.wanted_a) > %.17g, 4, 0)",
                             outside, n, v, n, finite(a)),
                      "stroke|speed|acceleration");
}

FbStatus fb_model_def_add_feedback(FbModelDef* def, const FbFeedbackDef* feedback, FbError* err) {
    Expansion x = {def, feedback, err};
    const char* type = feedback->type ? feedback->type : "follow";
    bool is_locked = strcmp(type, "phase_locked") == 0;
    double position = feedback->position;
    if (!is_locked && strcmp(type, "follow") != 0) {
        FbPlace place = fb_origin_place(&feedback->origin, "type");
        return fb_fail(err, FB_ERR_NAME, &place,
                       "the feedback of '%s' has the unknown type '%s' (follow, phase_locked)",
                       feedback->name, type);
    }
    FB_TRY(check_limits(&x));
    if (is_locked) {
        FB_TRY(check_lock(&x));
        FB_TRY(add_locked_reference(&x));
        position = isnan(position) ? feedback->centre + feedback->amplitude * sin(feedback->phase)
                                   : position;
    } else {
        FB_TRY(add_given_reference(&x));
    }
    if (!isfinite(position)) {
        return fail(&x, "position", "given: where the drive starts", position);
    }
    return add_cascade(&x, position);
}
