// Events of a description: what is watched, and what happens there.
#include "compile/part_build.h"

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

static FbStatus connect(FbBuilder* b) {
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

static void add_users(const FbModel* m, FbUsers* u) {
    for (int i = 0; i < m->n_events; i++) {
        fb_users_add_function(u, m->events[i].function);
    }
}

const FbPartBuild fb_build_events = {
    .kind = &fb_part_events,
    .connect = connect,
    .add_users = add_users,
};
