// Expressions of signals: what a name in a force, output or event means.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compile/compile.h"
#include "law/law.h"
#include "system/part.h"

typedef struct Resolver {
    FbBuilder* b;
    const FbOrigin* origin;
    const char* key;
    FbUse use;
    bool has_reported;
    char unknown[96];
    char remedy[160];  // which components a sensor has, where none of them was named
} Resolver;

static int simple_signal(FbBuilder* b, FbSignalKind kind, int index, const char* unit) {
    FbSignal signal = {.kind = kind, .index = index, .unit = unit};
    return fb_compile_signal(b, &signal);
}

// Splits "part.suffix" at the last dot; false if there is none.
static bool split(const char* name, char* part, size_t size, const char** suffix) {
    const char* dot = strrchr(name, '.');
    if (!dot || (size_t)(dot - name) >= size) {
        return false;
    }
    memcpy(part, name, (size_t)(dot - name));
    part[dot - name] = '\0';
    *suffix = dot + 1;
    return true;
}

// Says which components the sensor has: "; 'tip' has the components tip.x, tip.y, tip.z".
static void list_components(Resolver* r, const FbSensor* s) {
    int n = snprintf(r->remedy, sizeof(r->remedy), "; '%s' has the components", s->name);
    for (int i = 0; i < s->n_signals && n < (int)sizeof(r->remedy); i++) {
        n += snprintf(r->remedy + n, sizeof(r->remedy) - (size_t)n, "%s %s.%s", i > 0 ? "," : "",
                      s->name, s->suffixes[i]);
    }
}

// A bare name (suffix "") means the one value there is: of a scalar, or the chosen `component`.
static int sensor_signal(Resolver* r, int sensor, const char* suffix) {
    FbBuilder* b = r->b;
    if (!fb_compile_sensor(b, sensor)) {
        r->has_reported = true;
        return FB_NAME_UNKNOWN;
    }
    const FbSensor* s = &b->m->sensors[sensor];
    int component = b->def->sensors[sensor]->component;
    for (int i = 0; i < s->n_signals; i++) {
        bool is_only = s->n_signals == 1 || i == component;
        if (strcmp(s->suffixes[i], suffix) == 0 || (suffix[0] == '\0' && is_only)) {
            return s->first_signal + i;
        }
    }
    if (s->n_signals > 1) {
        list_components(r, s);
    }
    return FB_NAME_UNKNOWN;
}

static bool is_coordinate(const char* suffix) {
    bool is_kind = suffix[0] == 'q' || suffix[0] == 'v' || suffix[0] == 'a';
    return is_kind &&
           (suffix[1] == '\0' || (suffix[1] >= '1' && suffix[1] <= '9' && suffix[2] == '\0'));
}

// joint.q, joint.v2, joint.a: the coordinate's value, rate or acceleration.
static int joint_signal(Resolver* r, const char* joint, const char* suffix) {
    char kind = suffix[0];
    int index = suffix[1] ? suffix[1] - '1' : 0;
    FbCoordinateDef c = {.joint = joint, .index = index};
    int errors = fb_diagnostics_error_count(r->b->diagnostics);
    int signal = fb_compile_coordinate(r->b, &c, r->origin, r->key, kind != 'q');
    r->has_reported = fb_diagnostics_error_count(r->b->diagnostics) > errors;
    if (signal >= 0 && kind == 'a') {
        FbSignal* s = &r->b->m->signals[signal];
        s->kind = FB_SIGNAL_ACCELERATION;
        s->unit = s->unit[0] == 'm' ? "m/s^2" : "rad/s^2";
    }
    return signal >= 0 ? signal : FB_NAME_UNKNOWN;
}

bool fb_compile_acts_along_length(const FbBuilder* b, int force) {
    const FbForceDef* def = b->def->forces[force];
    if (b->m->forces[force].measure == FB_MEASURE_DISTANCE) {
        return true;
    }
    const FbTypeInfo* type = fb_def_force_type(b->def, def);
    const FbCoordinateDef* c = type ? fb_compile_force_coordinate(type, def) : NULL;
    int j = c ? fb_def_find_joint(b->def, def->origin.scope, c->joint) : -1;
    return j >= 0 && b->m->joints[j].type->coordinates[c->index].unit[0] == 'm';
}

// The power of any force; force, rate and length or angle of one along a length or a coordinate.
static int force_signal(Resolver* r, int force, const char* suffix) {
    FbBuilder* b = r->b;
    const FbForce* e = &b->m->forces[force];
    bool is_distance = e->measure == FB_MEASURE_DISTANCE;
    bool is_force = strcmp(suffix, "force") == 0 || strcmp(suffix, "torque") == 0;
    if (e->type && strcmp(suffix, "power") == 0) {
        FbSignal power = {.kind = FB_SIGNAL_PART,
                          .part = &fb_part_forces,
                          .output = FB_FORCE_OUTPUT_POWER,
                          .index = force,
                          .unit = "W"};
        return fb_compile_signal(b, &power);
    }
    if (e->type && e->term < 0 && is_force) {
        fb_compile_error(b, FB_ERR_MODEL, r->origin, r->key,
                         "the %s of %s '%s' is a vector; record it by {type: applied_%s, force: "
                         "%s}",
                         suffix, e->type->info.name, e->name, suffix, e->name);
        r->has_reported = true;
    }
    if (!e->type || e->term < 0) {
        return FB_NAME_UNKNOWN;
    }
    bool is_length = fb_compile_acts_along_length(b, force);
    FbSignal s = {.term = e->term, .n_terms = 1, .index = force};
    if (is_force) {
        s.kind = FB_SIGNAL_SCALAR_FORCE;
        s.unit = is_length ? "N" : "N*m";
    } else if (strcmp(suffix, "rate") == 0) {
        s.kind = FB_SIGNAL_RATE;
        s.unit = is_length ? "m/s" : "rad/s";
    } else if (strcmp(suffix, is_distance ? "length" : "angle") == 0 ||
               strcmp(suffix, "value") == 0) {
        s.kind = FB_SIGNAL_VALUE;
        s.unit = is_length ? "m" : "rad";
    } else {
        return FB_NAME_UNKNOWN;
    }
    return fb_compile_signal(b, &s);
}

static int law_signal(Resolver* r, int law, const char* suffix) {
    FbBuilder* b = r->b;
    int derivative = strcmp(suffix, "rate") == 0 ? 1 : strcmp(suffix, "acceleration") == 0 ? 2 : 0;
    FbSignal s = {.kind = FB_SIGNAL_LAW, .index = law, .component = derivative, .unit = ""};
    if (derivative == 2 && b->m->laws[law].has_inputs) {
        fb_compile_error(b, FB_ERR_MODEL, r->origin, r->key,
                         "law '%s' depends on an input; its value and rate may be used in "
                         "expressions, but not its acceleration",
                         b->m->laws[law].name);
        r->has_reported = true;
        return FB_NAME_UNKNOWN;
    }
    return derivative > 0 ? fb_compile_signal(b, &s) : FB_NAME_UNKNOWN;
}

static int resolve_dotted(Resolver* r, const char* name) {
    FbBuilder* b = r->b;
    const char* scope = r->origin->scope;
    char part[96];
    const char* suffix;
    if (!split(name, part, sizeof(part), &suffix)) {
        return FB_NAME_UNKNOWN;
    }
    // The suffix distinguishes joints from sensors: an output may have the name of the joint it
    // shows.
    if (is_coordinate(suffix) && fb_def_find_joint(b->def, scope, part) >= 0) {
        return joint_signal(r, part, suffix);
    }
    int i = fb_def_find_force(b->def, scope, part);
    int signal = i >= 0 ? force_signal(r, i, suffix) : FB_NAME_UNKNOWN;
    if (signal != FB_NAME_UNKNOWN) {
        return signal;
    }
    i = fb_def_find_law(b->def, scope, part);
    signal = i >= 0 ? law_signal(r, i, suffix) : FB_NAME_UNKNOWN;
    if (signal != FB_NAME_UNKNOWN) {
        return signal;
    }
    i = fb_def_find_slider(b->def, scope, part);
    signal = i >= 0 ? fb_compile_slider_signal(b, i, suffix) : -1;
    if (signal >= 0) {
        return signal;
    }
    i = fb_def_find_sensor(b->def, scope, part);
    return i >= 0 ? sensor_signal(r, i, suffix) : FB_NAME_UNKNOWN;
}

static int resolve_plain(Resolver* r, const char* name, FbNumber* found) {
    FbBuilder* b = r->b;
    const char* scope = r->origin->scope;
    int i = fb_def_find_parameter(b->def, scope, name);
    if (i >= 0) {
        *found = (FbNumber){b->def->parameters[i].value, b->def->parameters[i].quantity};
        return FB_NAME_CONSTANT;
    }
    if (strcmp(name, "t") == 0) {
        return simple_signal(b, FB_SIGNAL_TIME, 0, "s");
    }
    if ((i = fb_def_find_state(b->def, scope, name)) >= 0) {
        const char* unit = b->def->states[i].unit;
        return simple_signal(b, FB_SIGNAL_STATE, i, unit ? fb_arena_text(b->m->arena, unit) : "");
    }
    if ((i = fb_def_find_input(b->def, scope, name)) >= 0) {
        return simple_signal(b, FB_SIGNAL_INPUT, i, b->m->inputs[i].unit);
    }
    if ((i = fb_def_find_law(b->def, scope, name)) >= 0) {
        return simple_signal(b, FB_SIGNAL_LAW, i, "");
    }
    if ((i = fb_def_find_sensor(b->def, scope, name)) >= 0) {
        return sensor_signal(r, i, "");
    }
    return resolve_dotted(r, name);
}

static bool is_available_to_dynamics(const FbModel* m, int signal) {
    const FbSignal* s = &m->signals[signal];
    const int* functions;
    for (int f = 0, n = fb_signal_functions(m, s, &functions); f < n; f++) {
        if (!fb_compile_is_for_dynamics(m, functions[f])) {
            return false;
        }
    }
    return s->kind < FB_SIGNAL_ACCELERATION;
}

bool fb_compile_is_for_dynamics(const FbModel* m, int function) {
    const FbExpr* expr = m->functions[function].expr;
    const int* inputs = fb_expr_inputs(expr);
    for (int i = 0; i < fb_expr_input_count(expr); i++) {
        if (inputs[i] < FB_INPUT_VALUE && !is_available_to_dynamics(m, inputs[i])) {
            return false;
        }
    }
    return true;
}

// What a signal is: by its unit, or by the expression or law that it is.
static FbQuantity quantity_of(const FbBuilder* b, int signal) {
    const FbModel* m = b->m;
    const FbSignal* s = &m->signals[signal];
    if (s->kind == FB_SIGNAL_LAW) {
        FbQuantity second = fb_quantity_of_unit("s");
        return fb_quantity_times(m->laws[s->index].quantity, second, -s->component);
    }
    if ((s->kind == FB_SIGNAL_CALLBACK || s->kind == FB_SIGNAL_SAMPLE) && s->unit[0]) {
        FbQuantity q = fb_quantity_of_unit(s->unit);
        q.is_written = true;
        return q;
    }
    if (s->kind == FB_SIGNAL_INPUT) {
        return fb_compile_input_quantity(&b->def->inputs[s->index]);
    }
    return s->kind == FB_SIGNAL_FUNCTION ? fb_expr_quantity(m->functions[s->index].expr)
                                         : fb_quantity_of_unit(s->unit);
}

// The force's own length or angle, or its rate; false for any other name.
static bool resolve_measure(const Resolver* r, const char* name, int* input, FbNumber* found) {
    bool is_value = strcmp(name, "length") == 0 || strcmp(name, "angle") == 0 ||
                    strcmp(name, "displacement") == 0;
    bool is_rate = strcmp(name, "rate") == 0;
    if (!r->use.has_measure || (!is_value && !is_rate)) {
        return false;
    }
    *input = is_value ? FB_INPUT_VALUE : FB_INPUT_RATE;
    found->quantity = is_value ? r->use.measure
                               : fb_quantity_times(r->use.measure, fb_quantity_of_unit("s"), -1.0);
    return true;
}

// What else has this name in the model; NULL: nothing. Outputs may: they are often called after
// what they record, such as `length: damper.length`.
static const char* find_namesake(const Resolver* r, const char* name) {
    const FbModelDef* def = r->b->def;
    const char* scope = r->origin->scope;
    return fb_def_find_parameter(def, scope, name) >= 0 ? "a parameter"
           : fb_def_find_law(def, scope, name) >= 0     ? "a law"
           : fb_def_find_state(def, scope, name) >= 0   ? "a state"
           : fb_def_find_input(def, scope, name) >= 0   ? "an input"
                                                        : NULL;
}

static int resolve(void* self, const char* name, FbNumber* constant) {
    Resolver* r = self;
    int found;
    if (resolve_measure(r, name, &found, constant)) {
        const char* other = find_namesake(r, name);
        if (!other) {
            return found;
        }
        r->has_reported = true;
        fb_compile_error(r->b, FB_ERR_NAME, r->origin, r->key,
                         "'%s' could mean the %s of this force or %s of the model; give the "
                         "latter another name",
                         name, name, other);
        return FB_NAME_UNKNOWN;
    }
    found = resolve_plain(r, name, constant);
    if (found == FB_NAME_UNKNOWN) {
        snprintf(r->unknown, sizeof(r->unknown), "%s", name);
    } else if (found >= 0 && r->use.is_for_dynamics && !is_available_to_dynamics(r->b->m, found)) {
        r->has_reported = true;
        fb_compile_error(
            r->b, FB_ERR_MODEL, r->origin, r->key,
            "'%s' depends on accelerations, orientations, reactions, energies, powers "
            "or vectors of forces; it can be recorded, but it cannot influence the motion",
            name);
        return FB_NAME_UNKNOWN;
    }
    if (found >= 0) {
        constant->quantity = quantity_of(r->b, found);
    }
    return found;
}

static bool check_quantity(FbBuilder* b, FbQuantity given, FbQuantity wanted,
                           const FbPlace* place) {
    if (!fb_quantity_contradicts(given, wanted)) {
        return true;
    }
    char found[96], needed[96];
    fb_quantity_format(given, found, sizeof found);
    fb_quantity_format(wanted, needed, sizeof needed);
    fb_diagnose(b->diagnostics, FB_SEVERE, FB_ERR_UNIT, place, "this is %s, but %s is needed here",
                found, needed);
    return false;
}

bool fb_compile_check_law(FbBuilder* b, int law, FbQuantity wanted, const FbOrigin* origin,
                          const char* key) {
    FbPlace place = fb_origin_place(origin, key);
    return law < 0 || check_quantity(b, b->m->laws[law].quantity, wanted, &place);
}

bool fb_compile_check_written(FbBuilder* b, FbQuantity wanted, const FbOrigin* origin,
                              const char* key) {
    FbPlace place = fb_origin_place(origin, key);
    return check_quantity(b, fb_def_find_quantity(b->def, origin, key), wanted, &place);
}

int fb_compile_function(FbBuilder* b, const char* text, const FbOrigin* origin, const char* key,
                        FbUse use) {
    FbModel* m = b->m;
    FbPlace place = fb_origin_place(origin, key);
    Resolver r = {.b = b, .origin = origin, .key = key, .use = use};
    FbFunction f = {.place = place};
    FbError err;
    FbStatus status = fb_expr_compile(text, resolve, &r, &place, m->arena, &f.expr, &err);
    if (status < 0) {
        bool is_open = status == FB_ERR_NAME && r.unknown[0] && !r.remedy[0];
        // A name that could not be looked up is not an unknown one.
        b->is_out_of_memory |= status == FB_ERR_MEMORY || fb_arena_has_failed(m->arena);
        if (!r.has_reported && !b->is_out_of_memory) {
            const char* hint = is_open ? fb_compile_hint(b, origin->scope, r.unknown) : r.remedy;
            fb_diagnose(b->diagnostics, FB_SEVERE, status, &err.place, "%s%s", err.text, hint);
        }
        return -1;
    }
    if (!check_quantity(b, fb_expr_quantity(f.expr), use.result, &place)) {
        return -1;
    }
    f.place.file = fb_arena_text(m->arena, place.file);
    if (!fb_grow((void**)&m->functions, &m->functions_capacity, m->n_functions,
                 sizeof(FbFunction))) {
        b->is_out_of_memory = true;
        return -1;
    }
    m->functions[m->n_functions] = f;
    return m->n_functions++;
}

// Forces whose expressions refer to each other in a circle: a search along signals, forces,
// signals.
typedef struct Circle {
    FbBuilder* b;
    char* stage;  // [n_forces] 0 not seen, 1 on the way, 2 done
} Circle;

static bool is_circle_free(Circle* c, int element);

static bool is_signal_circle_free(Circle* c, int signal) {
    const FbModel* m = c->b->m;
    const FbSignal* s = &m->signals[signal];
    if (s->kind == FB_SIGNAL_SCALAR_FORCE) {
        return is_circle_free(c, s->index);
    }
    const int* functions;
    bool is_ok = true;
    for (int f = 0, n = fb_signal_functions(m, s, &functions); f < n; f++) {
        const FbExpr* expr = m->functions[functions[f]].expr;
        for (int i = 0; is_ok && i < fb_expr_input_count(expr); i++) {
            is_ok = is_signal_circle_free(c, fb_expr_inputs(expr)[i]);
        }
    }
    return is_ok;
}

static bool is_circle_free(Circle* c, int element) {
    const FbModel* m = c->b->m;
    if (c->stage[element] == 1) {
        const FbForceDef* def = c->b->def->forces[element];
        fb_compile_error(c->b, FB_ERR_MODEL, &def->origin, "value",
                         "force '%s' is defined by itself", def->name);
        return false;
    }
    bool is_ok = true;
    for (int f = 0; is_ok && c->stage[element] == 0 && f < 3; f++) {
        int function = m->forces[element].function[f];
        const FbExpr* expr = function >= 0 ? m->functions[function].expr : NULL;
        c->stage[element] = 1;
        for (int i = 0; is_ok && expr && i < fb_expr_input_count(expr); i++) {
            int input = fb_expr_inputs(expr)[i];
            is_ok = input >= FB_INPUT_VALUE || is_signal_circle_free(c, input);
        }
        c->stage[element] = 0;
    }
    c->stage[element] = 2;
    return is_ok;
}

FbStatus fb_compile_check_circles(FbBuilder* b) {
    Circle c = {b, FB_TAKE(b->m->arena, char, b->m->n_forces + 1)};
    if (!c.stage) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < b->m->n_forces && is_circle_free(&c, i); i++) {
    }
    return fb_diagnostics_status(b->diagnostics);
}
