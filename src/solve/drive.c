// A simulation driven from outside: inputs, steps, events, reset.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/model.h"
#include "solve/simulation.h"

FbStatus fb_simulation_settle(FbSimulation* sim, FbError* err) {
    FbDynamics* d = sim->run.dynamics;
    // Samples that a callback failed to give are still due.
    if (fb_system_clear_failure(sim->system)) {
        d->ops->at_break(d, &sim->run.at);
    }
    if (!sim->has_new_inputs && !sim->has_failed) {
        return FB_OK;
    }
    FbStatus status = fb_run_interrupt(&sim->run, err);
    status = fb_system_conclude(sim->system, status, err);
    sim->has_new_inputs = sim->has_failed = status != FB_OK;
    return status;
}

FbStatus fb_simulation_set_input(FbSimulation* sim, int input, double value, FbError* err) {
    if (input < 0 || input >= sim->model->n_inputs) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "there is no input %d; the model has %d", input,
                       sim->model->n_inputs);
    }
    FB_TRY(fb_simulation_enter(sim, err));
    FbStatus status = FB_OK;
    // A value that stays as it is does not disturb the method.
    if (value != fb_system_get_inputs(sim->system)[input]) {
        status = fb_system_set_input(sim->system, sim->run.at.t, input, value, err);
        sim->has_new_inputs = sim->has_new_inputs || status == FB_OK;
    }
    fb_simulation_leave(sim);
    return status;
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

void fb_simulation_get_motion(const FbSimulation* sim, double* q, double* v, double* x) {
    const FbSizes* n = &sim->run.dynamics->size;
    const FbPoint* p = &sim->run.at;
    if (q) {
        memcpy(q, p->q, sizeof *q * (size_t)n->n_q);
    }
    if (v) {
        memcpy(v, p->v, sizeof *v * (size_t)n->n_v);
    }
    if (x) {
        memcpy(x, p->x, sizeof *x * (size_t)n->n_x);
    }
}

const char* fb_simulation_get_velocity_name(const FbSimulation* sim, int index) {
    const FbDynamics* d = sim->run.dynamics;
    return index >= 0 && index < d->size.n_v ? d->ops->name_of_velocity(d, index) : NULL;
}

static FbStatus check_finite(const char* what, const double* x, int n, FbError* err) {
    for (int i = 0; x && i < n; i++) {
        if (!isfinite(x[i])) {
            return fb_fail(err, FB_ERR_RANGE, NULL, "%s %d is %g; it must be finite", what, i,
                           x[i]);
        }
    }
    return FB_OK;
}

// Removes rounding from the motion at p; more than that is an error.
static FbStatus project(FbSimulation* sim, FbPoint* p, FbError* err) {
    static const double ROUNDING = 1e-6;  // of the length of the model, and of its speed
    FbDynamics* d = sim->run.dynamics;
    double position = 0.0, velocity = 0.0, length = sim->model->length;
    FB_TRY(fb_system_choose_rows(sim->system, p->q, err));
    fb_dynamics_tell_states(d, p->x);
    if (d->ops->project_position) {
        FB_TRY(d->ops->project_position(d, p->t, p->q, &position, err));
        FB_TRY(d->ops->project_velocity(d, p->t, p->q, p->v, &velocity, err));
    }
    double speed = d->v_scale ? d->v_scale[0] : length;
    for (int j = 0; j < d->size.n_v; j++) {
        speed = fmax(speed, fmax(fabs(p->v[j]) * length, d->v_scale ? d->v_scale[j] : 0.0));
    }
    bool is_good = position <= ROUNDING * fmax(length, 1.0) && velocity <= ROUNDING * speed;
    return is_good ? FB_OK
                   : fb_fail(err, FB_ERR_ASSEMBLY, NULL,
                             "the motion violates constraints by %.3g m or rad and %.3g m/s or "
                             "rad/s; set coordinates that belong together, such as those of "
                             "fb_simulation_get_motion()",
                             position, velocity);
}

static FbStatus set_motion(FbSimulation* sim, const double* q, const double* v, const double* x,
                           FbError* err) {
    FbDynamics* d = sim->run.dynamics;
    FbPoint* p = &sim->run.at;
    if (q) {
        memcpy(p->q, q, sizeof *q * (size_t)d->size.n_q);
    }
    if (v) {
        memcpy(p->v, v, sizeof *v * (size_t)d->size.n_v);
    }
    if (x) {
        memcpy(p->x, x, sizeof *x * (size_t)d->size.n_x);
    }
    FB_TRY(project(sim, p, err));
    fb_system_move_to(sim->system, p);
    FB_TRY(fb_run_realize(&sim->run, p, err));
    sim->has_new_inputs = false;
    return fb_run_restart(&sim->run, err);
}

FbStatus fb_simulation_set_motion(FbSimulation* sim, const double* q, const double* v,
                                  const double* x, FbError* err) {
    const FbSizes* n = &sim->run.dynamics->size;
    void* old;
    size_t size;
    FbError ignored;
    FB_TRY(check_finite("coordinate", q, n->n_q, err));
    FB_TRY(check_finite("velocity", v, n->n_v, err));
    FB_TRY(check_finite("state", x, n->n_x, err));
    FB_TRY(fb_simulation_save(sim, &old, &size, err));
    fb_system_clear_failure(sim->system);
    FbStatus status = set_motion(sim, q, v, x, err);
    status = fb_system_conclude(sim->system, status, err);
    if (status != FB_OK) {
        fb_simulation_restore(sim, old, size, &ignored);
    }
    free(old);
    return status;
}
