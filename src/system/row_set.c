// Samples between the ends of a step use rows that are good where they are (theory manual, 4.17).
//
// A step begins with rows that are nearly the best choice, and ends where they may not be; in
// between they may lose their rank altogether. The stages of the step hardly notice: they are few,
// and an error that matters to the motion makes the step fail. But a sample may be anywhere, and is
// recorded as it is. The rows of the step are set aside for it, not exchanged for good: matrices of
// the integrator belong to them.
#include <string.h>

#include "system/work.h"

static void set_aside(FbSystem* s) {
    FbRowSet* set = &s->aside;
    memcpy(set->slot_of_row, s->slot_of_row, sizeof(int) * (size_t)s->m->n_rows);
    set->arena = s->row_arena;
    set->active = s->active;
    set->c_scale = s->c_scale;
    set->cv = s->cv;
    set->G = s->blocks.G;
    set->Gq = s->blocks.Gq;
    set->kkt = s->kkt;
    set->least = s->least;
    s->row_arena = NULL;
    s->kkt.solver = NULL;
    s->is_set_aside = true;
}

void fb_system_leave_sample(FbDynamics* d) {
    FbSystem* s = fb_system_of(d);
    const FbRowSet* set = &s->aside;
    if (!s->is_set_aside) {
        return;
    }
    fb_kkt_destroy(s);
    fb_arena_destroy(s->row_arena);
    memcpy(s->slot_of_row, set->slot_of_row, sizeof(int) * (size_t)s->m->n_rows);
    s->row_arena = set->arena;
    s->active = set->active;
    s->c_scale = set->c_scale;
    s->dynamics.c_scale = set->c_scale;
    s->cv = set->cv;
    s->blocks.G = set->G;
    s->blocks.Gq = set->Gq;
    s->kkt = set->kkt;
    s->kkt.is_factored = false;  // M is of the sample
    s->least = set->least;
    s->is_set_aside = false;
}

FbStatus fb_system_enter_sample(FbDynamics* d, const FbPoint* p, bool* has_other_rows,
                                FbError* err) {
    FbSystem* s = fb_system_of(d);
    *has_other_rows = false;
    if (d->size.n_c == s->m->n_rows) {
        return FB_OK;
    }
    fb_turns_predict(s, p->t);
    fb_system_realize(s, p->q, p->v, NULL);
    fb_rows_realize(s, p->q, p->v, false);
    FbStatus status = fb_rows_improve(s, p, set_aside, has_other_rows, err);
    if (status != FB_OK) {
        fb_system_leave_sample(d);
    }
    return status;
}
