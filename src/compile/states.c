// States and events of a description, and room for all that expressions can name.
#include <math.h>

#include "compile/compile.h"

FbStatus fb_compile_names(FbBuilder* b) {
    FbModel* m = b->m;
    m->n_sensors = b->def->n_sensors;
    m->sensors = FB_TAKE(m->arena, FbSensor, m->n_sensors + 1);
    m->n_forces = b->def->n_forces;
    m->forces = FB_TAKE(m->arena, FbForce, m->n_forces + 1);
    m->n_states = b->def->n_states;
    m->states = FB_TAKE(m->arena, FbStateVariable, m->n_states + 1);
    if (fb_arena_has_failed(m->arena)) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_states; i++) {
        m->states[i].name = fb_arena_text(m->arena, b->def->states[i].name);
        m->states[i].initial = b->def->states[i].initial;
    }
    return FB_OK;
}

FbStatus fb_compile_state_rates(FbBuilder* b) {
    for (int i = 0; i < b->m->n_states; i++) {
        const FbStateDef* def = &b->def->states[i];
        if (!isfinite(def->initial)) {
            fb_compile_error(b, FB_ERR_RANGE, &def->origin, "initial",
                             "the initial value of state '%s' is not a finite number", def->name);
        }
        FbQuantity value = fb_quantity_of_unit(def->unit);
        FbQuantity rate = fb_quantity_times(value, fb_quantity_of_unit("s"), -1.0);
        fb_compile_check_written(b, value, &def->origin, "initial");
        b->m->states[i].function =
            fb_compile_function(b, def->rate ? def->rate : "0", &def->origin, "rate",
                                (FbUse){.is_for_dynamics = true, .result = rate});
    }
    return FB_OK;
}

static void compile_event(FbBuilder* b, int i) {
    const FbEventDef* def = &b->def->events[i];
    FbEvent* e = &b->m->events[i];
    *e = (FbEvent){.name = fb_arena_text(b->m->arena, def->name),
                   .direction = def->direction,
                   .action = def->action,
                   .law = -1,
                   .to = -1,
                   .max_count = def->max_count};
    e->function = fb_compile_function(b, def->expression ? def->expression : "0", &def->origin,
                                      "when", (FbUse){.is_for_dynamics = true});
    if (def->action != FB_EVENT_SWITCH) {
        return;
    }
    e->law = fb_def_find_law(b->def, def->origin.scope, def->law ? def->law : "");
    e->to = fb_def_find_law(b->def, def->origin.scope, def->to ? def->to : "");
    if (e->law < 0) {
        fb_compile_error(b, FB_ERR_NAME, &def->origin, "law",
                         "event '%s' switches law '%s', which does not exist", def->name,
                         def->law ? def->law : "");
    }
    if (e->to < 0) {
        fb_compile_error(b, FB_ERR_NAME, &def->origin, "to",
                         "event '%s' switches to law '%s', which does not exist", def->name,
                         def->to ? def->to : "");
    }
}

FbStatus fb_compile_events(FbBuilder* b) {
    FbModel* m = b->m;
    m->n_events = b->def->n_events;
    m->events = FB_TAKE(m->arena, FbEvent, m->n_events + 1);
    if (!m->events) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_events; i++) {
        compile_event(b, i);
    }
    return FB_OK;
}
