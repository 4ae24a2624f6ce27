// Which expressions act on the motion, directly or through sensors and forces that others measure,
// and the numbers of their switches: the operations whose pieces a step holds, and those with
// singular points.
#include "compile/compile.h"

typedef struct Marker {
    FbModel* m;
    const char* kind;
    const char* name;
    int element;  // whose own measure the expression may use, -1: none
} Marker;

static void mark(const Marker* k, int function);

static void mark_element(FbModel* m, int element) {
    Marker k = {m, "force", m->forces[element].name, element};
    for (int f = 0; f < 3; f++) {
        mark(&k, m->forces[element].function[f]);
    }
}

static const char* sensor_of(const FbModel* m, int signal) {
    for (int i = 0; i < m->n_sensors; i++) {
        int first = m->sensors[i].first_signal;
        if (signal >= first && signal < first + m->sensors[i].n_signals) {
            return m->sensors[i].name;
        }
    }
    return "";
}

static void mark_signal(FbModel* m, int signal) {
    const FbSignal* s = &m->signals[signal];
    const int* functions;
    Marker k = {m, "sensor", sensor_of(m, signal), -1};
    for (int i = 0, n = fb_signal_functions(m, s, &functions); i < n; i++) {
        mark(&k, functions[i]);
    }
    if (s->kind == FB_SIGNAL_SCALAR_FORCE) {
        mark_element(m, s->index);
    }
}

static void mark(const Marker* k, int function) {
    FbModel* m = k->m;
    FbFunction* f = function >= 0 ? &m->functions[function] : NULL;
    if (!f || f->acts) {
        return;
    }
    f->acts = true;
    int n = fb_expr_switch_count(f->expr), n_touches = fb_expr_touch_count(f->expr);
    if (n + n_touches > 0) {
        f->first_switch = m->n_switches;
        f->n_switches = n;
        m->switch_groups[m->n_switch_groups++] =
            (FbSwitchGroup){.function = function,
                            .law = -1,
                            .element = k->element,
                            .first = m->n_switches,
                            .n = n + n_touches,
                            .n_held = n,
                            .has_angles = fb_expr_has_angles(f->expr),
                            .owner = fb_arena_format(m->arena, "%s '%s'", k->kind, k->name)};
        m->n_switches += n + n_touches;
        m->has_switches_of_motion = true;
    }
    for (int i = 0; i < fb_expr_input_count(f->expr); i++) {
        int input = fb_expr_inputs(f->expr)[i];
        if (input < FB_INPUT_VALUE) {
            mark_signal(m, input);
        }
    }
}

static void mark_law(FbModel* m, int law) {
    FbLaw* l = &m->laws[law];
    const FbExpr* expr = fb_law_get_expression(l);
    int n = expr ? fb_expr_switch_count(expr) : 0, n_touches = expr ? fb_expr_touch_count(expr) : 0;
    if (n + n_touches > 0) {
        l->first_switch = m->n_switches;
        l->n_switches = n;
        m->switch_groups[m->n_switch_groups++] =
            (FbSwitchGroup){.function = -1,
                            .law = law,
                            .element = -1,
                            .first = m->n_switches,
                            .n = n + n_touches,
                            .n_held = n,
                            .has_angles = fb_expr_has_angles(expr),
                            .owner = fb_arena_format(m->arena, "law '%s'", l->name)};
        m->n_switches += n + n_touches;
    }
}

FbStatus fb_compile_switches(FbBuilder* b) {
    FbModel* m = b->m;
    m->switch_groups = FB_TAKE(m->arena, FbSwitchGroup, m->n_functions + m->n_laws + 1);
    if (!m->switch_groups) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_laws; i++) {
        mark_law(m, i);
    }
    for (int i = 0; i < m->n_forces; i++) {
        mark_element(m, i);
    }
    for (int i = 0; i < m->n_states; i++) {
        Marker k = {m, "state", m->states[i].name, -1};
        mark(&k, m->states[i].function);
    }
    for (int i = 0; i < m->n_beams; i++) {
        Marker k = {m, "load on", m->beams[i].name, -1};
        for (int c = 0; c < 3; c++) {
            mark(&k, m->beams[i].load[c]);
        }
    }
    return FB_OK;
}
