// The equilibrium from which a run starts: held by forces that are then removed.
#include <string.h>

#include "solve/operating_point.h"

// At rest, with all forces, at the time p->t (eqs. 7.1, 7.2).
static FbStatus find(const FbSystem* s, const FbModel* model, double t, FbOperatingPoint** out,
                     FbError* err) {
    FbOperatingPoint* op = NULL;
    *out = NULL;
    FbStatus status = fb_operating_point_create_empty(model, &op, err);
    *out = op;
    FB_TRY(status);
    fb_system_copy_inputs(op->system, s);
    fb_system_hold(op->system, true);
    op->keeps_states = true;  // controllers wait, as laws do
    FB_TRY(fb_system_assemble(op->system, t, &op->p, &op->assembly, err));
    // Initial velocities belong to the run, not to the equilibrium.
    memset(op->p.v, 0, sizeof(double) * (size_t)op->dynamics->size.n_v);
    return fb_find_equilibrium(op, err);
}

static FbStatus report(const FbError* found, FbError* err) {
    FbError copy = *found;
    return fb_fail(err, copy.status, copy.place.line > 0 ? &copy.place : NULL,
                   "the run cannot start at an equilibrium (simulation.start_at): %.420s",
                   copy.text);
}

static FbStatus start_at_equilibrium(FbSystem* s, const FbModel* model, const FbSettings* settings,
                                     FbPoint* p, FbAssembly* assembly, FbError* err) {
    FbOperatingPoint* op = NULL;
    FbError found = {.status = FB_OK};
    FbStatus status = find(s, model, settings->start, &op, &found);
    if (status == FB_OK) {
        memcpy(p->q, op->p.q, sizeof(double) * (size_t)op->dynamics->size.n_q);
        fb_charts_copy(op->system, s);
        memcpy(p->x, op->p.x, sizeof(double) * (size_t)op->dynamics->size.n_x);
    } else if (status == FB_ERR_MEMORY) {
        fb_fail_memory(err);
    } else {
        report(&found, err);
    }
    fb_operating_point_destroy(op);
    FB_TRY(status);
    FB_TRY(fb_system_release(s, settings->release, settings->n_release, err));
    return fb_system_assemble_at(s, p, assembly, err);
}

FbStatus fb_start_elsewhere(FbSystem* s, const FbModel* model, const FbSettings* settings,
                            FbPoint* p, FbAssembly* assembly, FbError* err) {
    if (settings->starts_at_equilibrium) {
        FB_TRY(start_at_equilibrium(s, model, settings, p, assembly, err));
    }
    return settings->start_mode > 0 ? fb_start_in_mode(s, model, settings, p, assembly, err)
                                    : FB_OK;
}
