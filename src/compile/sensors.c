// Sensors and outputs: compiles each once (also on demand by expressions) and lists the recorded
// columns.
#include <string.h>

#include "compile/part_build.h"
#include "compile/sensor_types.h"

#define ADDRESS(name) &fb_sensor_##name,
const FbSensorType* const fb_sensor_types[] = {FB_SENSOR_TYPES(ADDRESS) NULL};

static const FbSensorType* find_type(const char* name) {
    for (int i = 0; name && fb_sensor_types[i]; i++) {
        if (strcmp(fb_sensor_types[i]->info.name, name) == 0) {
            return fb_sensor_types[i];
        }
    }
    return NULL;
}

void fb_sensor_fill(const char* type, size_t size, void* out) {
    const FbSensorType* found = find_type(type);
    FbSensorDef head = {.type = type, .size = size};
    memset(out, 0, size);
    if (found && found->info.size == size) {
        fb_type_fill(&found->info, out);
        memcpy(&head, out, sizeof head);
    }
    head.component = -1;
    head.is_recorded = true;
    memcpy(out, &head, sizeof head);
}

bool fb_sensor_add_signals(FbBuilder* b, FbSensor* sensor, FbSignal first, int n,
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

static bool is_vector_component_wanted(const FbSensorDef* def, int i) {
    return def->component < 0 || def->component == i;
}

bool fb_compile_sensor(FbBuilder* b, int index) {
    FbModel* m = b->m;
    FbSensor* sensor = &m->sensors[index];
    const FbSensorDef* def = b->def->sensors[index];
    if (sensor->stage == 1) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, NULL, "output '%s' is defined by itself",
                         def->name);
        return false;
    }
    if (sensor->stage == 2) {
        return sensor->n_signals > 0;
    }
    sensor->stage = 1;
    sensor->name = fb_arena_text(m->arena, def->name);
    sensor->is_recorded = def->is_recorded;
    const FbSensorType* type = find_type(def->type);
    bool is_ok = false;
    if (!type) {
        fb_compile_error(b, FB_ERR_NAME, &def->origin, "type", "output '%s' has unknown type '%s'",
                         def->name, def->type ? def->type : "");
    } else {
        is_ok = type->build(b, def, sensor);
    }
    if (!is_ok) {
        sensor->n_signals = 0;
    }
    sensor->stage = 2;
    return is_ok;
}

static bool needs_accelerations(const FbModel* m, int signal) {
    const FbSignal* s = &m->signals[signal];
    const int* functions;
    for (int f = 0, n = fb_signal_functions(m, s, &functions); f < n; f++) {
        const FbExpr* expr = m->functions[functions[f]].expr;
        for (int i = 0; i < fb_expr_input_count(expr); i++) {
            if (needs_accelerations(m, fb_expr_inputs(expr)[i])) {
                return true;
            }
        }
    }
    return s->kind == FB_SIGNAL_ACCELERATION || s->kind == FB_SIGNAL_ACCELEROMETER ||
           s->kind == FB_SIGNAL_REACTION_FORCE || s->kind == FB_SIGNAL_REACTION_TORQUE ||
           s->kind == FB_SIGNAL_MULTIPLIER || (s->kind == FB_SIGNAL_PART && s->part->has_inertia);
}

static void add_output(FbBuilder* b, const FbSensor* sensor, const FbSensorDef* def, int i) {
    FbModel* m = b->m;
    FbOutput* out = &m->outputs[m->n_outputs];
    const char* suffix = sensor->suffixes[i];
    bool is_alone = suffix[0] == '\0' || def->component >= 0;
    out->name = is_alone ? sensor->name : fb_arena_format(m->arena, "%s.%s", sensor->name, suffix);
    out->signal = sensor->first_signal + i;
    out->limits = fb_arena_text(m->arena, def->limits);
    out->unit = def->unit && def->unit[0] ? fb_arena_text(m->arena, def->unit)
                                          : m->signals[out->signal].unit;
    m->needs_accelerations = m->needs_accelerations || needs_accelerations(m, out->signal);
    m->n_outputs++;
}

static FbStatus connect(FbBuilder* b) {
    FbModel* m = b->m;
    int most = 0;
    for (int i = 0; i < m->n_sensors; i++) {
        int errors = fb_diagnostics_error_count(b->diagnostics);
        if (!fb_compile_sensor(b, i) && fb_diagnostics_error_count(b->diagnostics) == errors &&
            errors == 0) {
            return FB_ERR_MEMORY;
        }
        most += m->sensors[i].n_signals;
    }
    m->outputs = FB_TAKE(m->arena, FbOutput, most + 1);
    if (!m->outputs) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_sensors; i++) {
        const FbSensor* sensor = &m->sensors[i];
        const FbSensorDef* def = b->def->sensors[i];
        for (int s = 0; sensor->is_recorded && s < sensor->n_signals; s++) {
            if (sensor->n_signals == 1 || is_vector_component_wanted(def, s)) {
                add_output(b, sensor, def, s);
            }
        }
    }
    return FB_OK;
}

const FbPartBuild fb_build_sensors = {
    .connect = connect,
};
