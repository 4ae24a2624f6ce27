// Samplers: sensors that hold a value from one sample to the next.
#include <math.h>
#include <stddef.h>

#include "compile/part_build.h"
#include "compile/sensor_types.h"

static const char* const SCALAR[] = {""};

// A delay this close to a whole number of periods (in periods) counts as that number.
static const double WHOLE = 1e-9;
enum { MAX_LATE = 1000000 };

bool fb_compile_check_sampling(FbBuilder* b, const FbSensorDef* head, double period, double delay) {
    if (!(period > 0.0) || !isfinite(period)) {
        fb_compile_error(b, FB_ERR_RANGE, &head->origin, "period",
                         "the period of '%s' is %g s; it must be > 0", head->name, period);
        return false;
    }
    if (!(delay >= 0.0) || !(delay / period <= MAX_LATE)) {
        fb_compile_error(b, FB_ERR_RANGE, &head->origin, "delay",
                         "the delay of '%s' is %g s; it must be >= 0 and at most %d periods",
                         head->name, delay, MAX_LATE);
        return false;
    }
    return true;
}

int fb_compile_late(double period, double delay) {
    return (int)ceil(delay / period - WHOLE);
}

// The signal exists before its expression, so that the expression may refer to it.
static bool build_hold(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    const FbHoldSensorDef* def = (const FbHoldSensorDef*)head;
    FbModel* m = b->m;
    if (!fb_compile_check_sampling(b, head, def->period, def->delay)) {
        return false;
    }
    if (!fb_grow((void**)&m->samplers, &m->samplers_capacity, m->n_samplers, sizeof(FbSampler))) {
        b->is_out_of_memory = true;
        return false;
    }
    m->samplers[m->n_samplers] = (FbSampler){.sensor = (int)(sensor - m->sensors),
                                             .function = -1,
                                             .period = def->period,
                                             .late = fb_compile_late(def->period, def->delay),
                                             .initial = def->initial};
    FbSignal signal = {.kind = FB_SIGNAL_SAMPLE, .index = m->n_samplers++, .unit = ""};
    sensor->first_signal = fb_compile_signal(b, &signal);
    sensor->suffixes = SCALAR;
    sensor->n_signals = sensor->first_signal >= 0;
    return sensor->n_signals > 0;
}

// Does the function depend on the sampler, directly or through others? Each sampler on the way is
// visited once.
static bool depends_on(const FbModel* m, int function, int sampler, bool* is_seen) {
    const FbExpr* expr = m->functions[function].expr;
    for (int i = 0; i < fb_expr_input_count(expr); i++) {
        int input = fb_expr_inputs(expr)[i];
        const FbSignal* signal = input < FB_INPUT_VALUE ? &m->signals[input] : NULL;
        int inner = -1;
        if (signal && signal->kind == FB_SIGNAL_SAMPLE) {
            if (signal->index == sampler) {
                return true;
            }
            inner = is_seen[signal->index] ? -1 : m->samplers[signal->index].function;
            is_seen[signal->index] = true;
        } else if (signal && signal->kind == FB_SIGNAL_SCALAR_FORCE) {
            inner = m->forces[signal->index].function[0];
        }
        if (inner >= 0 && depends_on(m, inner, sampler, is_seen)) {
            return true;
        }
        const int* functions;
        for (int f = 0, n = signal ? fb_signal_functions(m, signal, &functions) : 0; f < n; f++) {
            if (depends_on(m, functions[f], sampler, is_seen)) {
                return true;
            }
        }
    }
    return false;
}

// What each sampler needs, and whether it may be looked through.
static FbStatus examine(FbBuilder* b) {
    FbModel* m = b->m;
    for (int i = 0; i < m->n_samplers; i++) {
        bool* is_seen = FB_TAKE(m->arena, bool, m->n_samplers + 1);
        if (!is_seen) {
            return FB_ERR_MEMORY;
        }
        FbSampler* sampler = &m->samplers[i];
        sampler->needs_forces = !fb_compile_is_for_dynamics(m, sampler->function);
        sampler->is_always_held =
            sampler->needs_forces || depends_on(m, sampler->function, i, is_seen);
        m->needs_accelerations = m->needs_accelerations || sampler->needs_forces;
    }
    return FB_OK;
}

static FbStatus connect(FbBuilder* b) {
    FbModel* m = b->m;
    int n_errors = fb_diagnostics_error_count(b->diagnostics);
    for (int i = 0; i < m->n_samplers; i++) {
        if (m->samplers[i].is_of_callback) {
            continue;
        }
        const FbSensorDef* head = b->def->sensors[m->samplers[i].sensor];
        const FbHoldSensorDef* def = (const FbHoldSensorDef*)head;
        FbQuantity value = fb_quantity_of_unit(head->unit);
        fb_compile_check_written(b, value, &head->origin, "initial");
        m->samplers[i].function = fb_compile_function(b, def->of ? def->of : "", &head->origin,
                                                      "of", (FbUse){.result = value});
    }
    return fb_diagnostics_error_count(b->diagnostics) == n_errors && !b->is_out_of_memory
               ? examine(b)
               : FB_OK;
}

static const FbField hold_fields[] = {
    {.key = "of",
     .kind = FB_FIELD_EXPRESSION,
     .offset = offsetof(FbHoldSensorDef, of),
     .unit = "",
     .doc = "What is measured: an expression of time, coordinates, sensors and states; "
            "accelerations and reactions are allowed too."},
    {.key = "period",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbHoldSensorDef, period),
     .unit = "s",
     .min = 0.0,
     .max = INFINITY,
     .has_open_min = true,
     .doc = "Time between two samples; the first is taken at the start of the run."},
    {.key = "delay",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbHoldSensorDef, delay),
     .unit = "s",
     .default_text = "0",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Minimum age of a sample before it is used, rounded up to whole periods."},
    {.key = "initial",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbHoldSensorDef, initial),
     .unit = "",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Value until the first sample is old enough; default: the first sample."},
    {.key = "unit",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbSensorDef, unit),
     .unit = "",
     .is_optional = true,
     .doc = "Unit shown in the header."},
};

FbHoldSensorDef fb_hold_sensor_def_default(void) {
    FbHoldSensorDef def;
    fb_sensor_fill("hold", sizeof def, &def);
    return def;
}

const FbSensorType fb_sensor_hold = {
    .info = {.name = "hold",
             .doc = "A value that is sampled once per period and held until the next sample, as a "
                    "digital controller does.",
             .fields = hold_fields,
             .n_fields = sizeof hold_fields / sizeof hold_fields[0],
             .size = sizeof(FbHoldSensorDef)},
    .build = build_hold,
};

static void add_users(const FbModel* m, FbUsers* u) {
    for (int i = 0; i < m->n_samplers; i++) {
        fb_users_add_function(u, m->samplers[i].function);
    }
}

const FbPartBuild fb_build_samplers = {
    .kind = &fb_part_samplers,
    .connect = connect,
    .add_users = add_users,
};
