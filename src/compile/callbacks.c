// Sensors of type `callback`: results of a function of the program, at any time or sampled.
//
// A sampled one is a callback behind samplers, one for each result: what expressions see is the
// sample. So its arguments, which are compiled last, may contain its own results.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/expr_tape.h"
#include "compile/part_build.h"
#include "compile/sensor_types.h"
#include "describe/def_copy.h"

static const char* const SCALAR[] = {""};

static bool check_results(FbBuilder* b, const FbCallbackSensorDef* def) {
    for (int i = 0; i < def->n_results; i++) {
        bool is_good =
            def->results[i] && fb_name_is_valid(def->results[i]) && !strchr(def->results[i], '.');
        for (int j = 0; is_good && j < i; j++) {
            is_good = strcmp(def->results[i], def->results[j]) != 0;
        }
        if (!is_good) {
            fb_compile_error(b, FB_ERR_NAME, &def->head.origin, "results",
                             "result '%s' of '%s' must be a name of letters, digits and '_' that "
                             "no other result has",
                             def->results[i] ? def->results[i] : "", def->head.name);
            return false;
        }
    }
    return true;
}

static bool check_times(FbBuilder* b, const FbCallbackSensorDef* def) {
    if (!isnan(def->period)) {
        return fb_compile_check_sampling(b, &def->head, def->period, def->delay);
    }
    const char* key = def->delay != 0.0 ? "delay" : !isnan(def->initial) ? "initial" : NULL;
    if (key) {
        fb_compile_error(b, FB_ERR_MODEL, &def->head.origin, key,
                         "'%s' of '%s' has no meaning without 'period'", key, def->head.name);
    }
    return !key;
}

static bool compile_arguments(FbBuilder* b, FbCallbackPart* part) {
    const FbSensorDef* head = b->def->sensors[part->sensor];
    const FbCallbackSensorDef* def = (const FbCallbackSensorDef*)head;
    int* arguments = FB_TAKE(b->m->arena, int, def->n_arguments + 1);
    bool is_good = arguments != NULL;
    int index = (int)(part - b->m->callbacks);
    for (int i = 0; arguments && i < def->n_arguments; i++) {
        const char* key = fb_arena_format(b->m->arena, "arguments[%d]", i);
        const char* text = def->arguments && def->arguments[i] ? def->arguments[i] : "";
        arguments[i] = fb_compile_function(b, text, &head->origin, key ? key : "arguments",
                                           (FbUse){.is_for_dynamics = false});
        is_good = is_good && arguments[i] >= 0;
    }
    part = &b->m->callbacks[index];  // the list may have moved
    part->arguments = arguments;
    part->n_arguments = is_good ? def->n_arguments : 0;
    return is_good;
}

// An expression that is nothing but a signal; -1: out of memory.
static int function_of_signal(FbBuilder* b, int signal, const FbPlace* place) {
    FbModel* m = b->m;
    FbTape tape = {0};
    FbFunction f = {.place = *place};
    int root = fb_tape_input(&tape, signal, 0);
    FbStatus status = fb_tape_finish(&tape, root, m->arena, &f.expr, &b->err);
    fb_tape_free(&tape);
    if (status < 0 || !fb_grow((void**)&m->functions, &m->functions_capacity, m->n_functions,
                               sizeof(FbFunction))) {
        b->is_out_of_memory = true;
        return -1;
    }
    m->functions[m->n_functions] = f;
    return m->n_functions++;
}

// Samplers of the results, which the sensor shows instead.
static bool add_samplers(FbBuilder* b, const FbCallbackSensorDef* def, const FbCallbackPart* part,
                         FbSensor* sensor) {
    FbModel* m = b->m;
    int first = sensor->first_signal, n = sensor->n_signals;
    FbPlace place = part->place;
    FbSignal signal = {
        .kind = FB_SIGNAL_SAMPLE, .index = m->n_samplers, .unit = m->signals[first].unit};
    for (int i = 0; i < n; i++) {
        FbSampler sampler = {.sensor = part->sensor,
                             .function = function_of_signal(b, first + i, &place),
                             .period = def->period,
                             .late = fb_compile_late(def->period, def->delay),
                             .initial = def->initial,
                             .is_of_callback = true};
        if (sampler.function < 0 || !fb_grow((void**)&m->samplers, &m->samplers_capacity,
                                             m->n_samplers, sizeof(FbSampler))) {
            b->is_out_of_memory = true;
            return false;
        }
        m->samplers[m->n_samplers++] = sampler;
    }
    sensor->first_signal = m->n_signals;
    for (int i = 0; i < n; i++, signal.index++) {
        if (fb_compile_signal(b, &signal) < 0) {
            return false;
        }
    }
    return true;
}

static FbCallbackPart* add_part(FbBuilder* b, const FbCallbackSensorDef* def,
                                const FbSensor* sensor) {
    FbModel* m = b->m;
    if (!fb_grow((void**)&m->callbacks, &m->callbacks_capacity, m->n_callbacks,
                 sizeof(FbCallbackPart))) {
        b->is_out_of_memory = true;
        return NULL;
    }
    const FbCallback* function = fb_def_find_callback(b->def, def->head.name);
    FbCallbackPart* part = &m->callbacks[m->n_callbacks++];
    *part = (FbCallbackPart){.name = sensor->name,
                             .place = def->head.origin.place,
                             .sensor = (int)(sensor - m->sensors),
                             .n_results = def->n_results > 0 ? def->n_results : 1,
                             .period = isnan(def->period) ? 0.0 : def->period,
                             .fallback = def->fallback};
    part->place.file = fb_arena_text(m->arena, def->head.origin.place.file);
    if (function) {
        part->function = *function;
    }
    return part;
}

static bool build(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    const FbCallbackSensorDef* def = (const FbCallbackSensorDef*)head;
    if (!check_results(b, def) || !check_times(b, def)) {
        return false;
    }
    const char* const* suffixes = SCALAR;
    if (def->n_results > 0) {
        fb_copy_texts(b->m->arena, def->results, def->n_results, &suffixes);
    }
    int index = b->m->n_callbacks;
    FbCallbackPart* part = suffixes ? add_part(b, def, sensor) : NULL;
    if (!part || (part->period == 0.0 && !compile_arguments(b, part))) {
        return false;
    }
    part = &b->m->callbacks[index];
    const char* unit = head->unit ? fb_arena_text(b->m->arena, head->unit) : "";
    FbSignal signal = {.kind = FB_SIGNAL_CALLBACK, .index = index, .unit = unit ? unit : ""};
    return fb_sensor_add_signals(b, sensor, signal, part->n_results, suffixes) &&
           (part->period == 0.0 || add_samplers(b, def, part, sensor));
}

static FbStatus connect(FbBuilder* b) {
    for (int i = 0; i < b->m->n_callbacks; i++) {
        FbCallbackPart* part = &b->m->callbacks[i];
        const FbSensorDef* head = b->def->sensors[part->sensor];
        FbQuantity value = fb_quantity_of_unit(head->unit);
        fb_compile_check_written(b, value, &head->origin, "initial");
        fb_compile_check_written(b, value, &head->origin, "default");
        if (part->period > 0.0) {
            compile_arguments(b, part);
        }
    }
    return FB_OK;
}

static const FbField fields[] = {
    {.key = "arguments",
     .kind = FB_FIELD_EXPRESSIONS,
     .offset = offsetof(FbCallbackSensorDef, arguments),
     .offset2 = offsetof(FbCallbackSensorDef, n_arguments),
     .unit = "",
     .is_optional = true,
     .doc = "What the function is given besides the time: expressions of coordinates, sensors, "
            "states and inputs."},
    {.key = "results",
     .kind = FB_FIELD_TEXTS,
     .offset = offsetof(FbCallbackSensorDef, results),
     .offset2 = offsetof(FbCallbackSensorDef, n_results),
     .is_optional = true,
     .doc = "Names of its results, used as `sensor.result`; default: one, the sensor itself."},
    {.key = "period",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbCallbackSensorDef, period),
     .unit = "s",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .has_open_min = true,
     .doc = "It is called once per period, from the start of the run, and its results are held; "
            "default: they follow the motion."},
    {.key = "delay",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbCallbackSensorDef, delay),
     .unit = "s",
     .default_text = "0",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Minimum age of results before they are used, rounded up to whole periods."},
    {.key = "initial",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbCallbackSensorDef, initial),
     .unit = "",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Results until the first ones are old enough; default: the first ones."},
    {.key = "default",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbCallbackSensorDef, fallback),
     .unit = "",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Results if no function is set, as in runs of the program `flyball`; "
            "default: an error."},
    {.key = "unit",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbSensorDef, unit),
     .unit = "",
     .is_optional = true,
     .doc = "Unit of all results, checked wherever they are used."},
};

FbCallbackSensorDef fb_callback_sensor_def_default(void) {
    FbCallbackSensorDef def;
    fb_sensor_fill("callback", sizeof def, &def);
    return def;
}

const FbSensorType fb_sensor_callback = {
    .info = {.name = "callback",
             .doc = "Values that a function of a C or Python program computes from measurements: a "
                    "force law, a controller.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbCallbackSensorDef)},
    .build = build,
};

const FbPartBuild fb_build_callbacks = {
    .kind = &fb_part_callbacks,
    .connect = connect,
};
