// Events as parts: functions of the point whose sign changes switch laws or end the run.
#include "system/part.h"

static void take(FbSystem* s) {
    s->event_count = FB_TAKE(s->arena, int, s->m->n_events);
}

static void calc_roots(FbSystem* s, const FbPoint* p, double* values) {
    for (int i = 0; i < s->m->n_events; i++) {
        values[i] = fb_function_calc(s, p, s->m->events[i].function, 0.0, 0.0);
    }
}

static FbStatus cross(FbSystem* s, FbPoint* p, int root, bool* has_changed, bool* stop,
                      FbError* err) {
    FbDynamics* d = &s->dynamics;
    const FbEvent* e = &s->m->events[root];
    if (e->max_count > 0 && s->event_count[root] >= e->max_count) {
        return FB_OK;
    }
    s->event_count[root]++;
    *stop = e->action == FB_EVENT_STOP;
    if (e->action != FB_EVENT_SWITCH) {
        return FB_OK;
    }
    s->law_of[e->law] = e->to;
    *has_changed = true;
    fb_dynamics_tell_states(d, p->x);
    // Velocities follow when the run continues, which counts the work of that.
    return fb_system_project_position(d, p->t, p->q, NULL, err);
}

static void remember(FbSystem* s, FbMemory* m) {
    fb_memory_bytes(m, s->event_count, sizeof *s->event_count * (size_t)s->m->n_events);
}

static int count(const FbModel* m) {
    return m->n_events;
}

static const char* name_of_root(const FbModel* m, int root) {
    return m->events[root].name;
}

static int direction_of_root(const FbModel* m, int root) {
    return m->events[root].direction;
}

const FbPartKind fb_part_events = {
    .name = "event",
    .count = count,
    .take = take,
    .remember = remember,
    .count_roots = count,
    .calc_roots = calc_roots,
    .name_of_root = name_of_root,
    .direction_of_root = direction_of_root,
    .cross = cross,
};
