// A simulation driven from outside: inputs, steps, events, reset.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/model.h"
#include "solve/simulation.h"

FbStatus fb_simulation_settle(FbSimulation* sim, FbError* err) {
    if (!sim->has_new_inputs) {
        return FB_OK;
    }
    FB_TRY(fb_run_interrupt(&sim->run, err));
    sim->has_new_inputs = false;
    return FB_OK;
}

FbStatus fb_simulation_set_input(FbSimulation* sim, int input, double value, FbError* err) {
    if (input < 0 || input >= sim->model->n_inputs) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "there is no input %d; the model has %d", input,
                       sim->model->n_inputs);
    }
    // A value that stays as it is does not disturb the method.
    if (value == fb_system_get_inputs(sim->system)[input]) {
        return FB_OK;
    }
    FB_TRY(fb_system_set_input(sim->system, sim->run.at.t, input, value, err));
    sim->has_new_inputs = true;
    return FB_OK;
}

FbStatus fb_simulation_set_input_named(FbSimulation* sim, const char* name, double value,
                                       FbError* err) {
    const FbModel* m = sim->model;
    int input = fb_model_find_input(m, name);
    if (input >= 0) {
        return fb_simulation_set_input(sim, input, value, err);
    }
    enum { MOST = 64 };
    const char* names[MOST];
    int n = 0;
    for (; n < m->n_inputs && n < MOST; n++) {
        names[n] = m->inputs[n].name;
    }
    const char* close = name ? fb_did_you_mean(name, names, n) : NULL;
    return fb_fail(err, FB_ERR_NAME, NULL, "the model has no input '%s'%s%s%s", name ? name : "",
                   close ? "; did you mean '" : "", close ? close : "", close ? "'?" : "");
}

double fb_simulation_get_input(const FbSimulation* sim, int input) {
    return input >= 0 && input < sim->model->n_inputs ? fb_system_get_inputs(sim->system)[input]
                                                      : NAN;
}

FbStatus fb_simulation_step(FbSimulation* sim, double h, FbError* err) {
    double t = sim->run.at.t;
    if (!(h >= 0.0) || !isfinite(t + h)) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL,
                       "cannot step by %g s: the length must be finite and not negative", h);
    }
    return fb_simulation_run_to(sim, t + h, err);
}

FbStatus fb_simulation_advance_to_event(FbSimulation* sim, double t, FbEventRecord* event,
                                        FbError* err) {
    sim->event = (FbEventRecord){0};
    sim->waits_for_event = true;
    FbStatus status = fb_simulation_advance(sim, t, err);
    sim->waits_for_event = sim->run.wants_stop = false;
    if (event) {
        *event = sim->event;
    }
    return status;
}

FbStatus fb_simulation_reset(FbSimulation* sim, FbError* err) {
    FbSimulation* fresh = NULL;
    FbSimulation* old = malloc(sizeof *old);
    FbStatus status =
        old ? fb_simulation_create(sim->model, &sim->options, &fresh, err) : fb_fail_memory(err);
    if (status != FB_OK) {
        free(old);
        return status;
    }
    fb_simulation_move(sim, old);
    fb_simulation_move(fresh, sim);
    free(fresh);
    fb_simulation_destroy(old);
    return FB_OK;
}
