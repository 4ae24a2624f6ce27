// Derivatives of what a simulation does next with respect to inputs and parameters.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/model.h"
#include "solve/simulation.h"

// Room for one call.
typedef struct Room {
    FbArena* arena;
    double *a, *lambda, *x;
    FbOutputSlopes outputs;
} Room;

static FbStatus take(const FbSimulation* sim, Room* r, FbError* err) {
    const FbModel* m = sim->model;
    FbArena* arena = fb_arena_create();
    *r = (Room){.arena = arena};
    if (!arena) {
        return fb_fail_memory(err);
    }
    r->a = FB_TAKE(arena, double, m->tree.n_v + 1);
    r->lambda = FB_TAKE(arena, double, m->n_rows + 1);
    r->x = FB_TAKE(arena, double, m->n_states + 1);
    r->outputs = (FbOutputSlopes){.values = FB_TAKE(arena, double, m->n_outputs + 1),
                                  .has_gradient = FB_TAKE(arena, bool, m->n_outputs + 1),
                                  .a = FB_TAKE(arena, double, m->tree.n_v + 1),
                                  .lambda = FB_TAKE(arena, double, m->n_rows + 1),
                                  .inputs = FB_TAKE(arena, double, m->n_inputs + 1)};
    return fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
}

static FbStatus check_direction(FbSimulation* sim, const double* direction, FbError* err) {
    for (int i = 0; i < sim->model->n_inputs; i++) {
        if (!isfinite(direction[i])) {
            return fb_fail(err, FB_ERR_RANGE, NULL, "the direction of input '%s' is %g",
                           sim->model->inputs[i].name, direction[i]);
        }
        if (direction[i] != 0.0) {
            FB_TRY(fb_system_check_input(sim->system, i, err));
        }
    }
    return FB_OK;
}

static void copy(double* to, const double* from, int n) {
    if (to && from && n > 0) {
        memcpy(to, from, sizeof *to * (size_t)n);
    }
}

static FbStatus by_inputs(FbSimulation* sim, const double* direction, Room* r, FbError* err) {
    FbPoint* p = &sim->run.at;
    FB_TRY(take(sim, r, err));
    FB_TRY(fb_simulation_settle(sim, err));
    FB_TRY(check_direction(sim, direction, err));
    FB_TRY(fb_system_calc_input_slopes(sim->system, p, direction, r->a, r->lambda, r->x, err));
    fb_system_calc_output_slopes(sim->system, p, direction, r->a, r->lambda, &r->outputs);
    return FB_OK;
}

FbStatus fb_simulation_calc_input_derivatives(FbSimulation* sim, const double* direction,
                                              double* accelerations, double* state_rates,
                                              double* outputs, FbError* err) {
    const FbModel* m = sim->model;
    Room r;
    FB_TRY(fb_simulation_enter(sim, err));
    FbStatus status = by_inputs(sim, direction, &r, err);
    status = fb_system_conclude(sim->system, status, err);
    if (status == FB_OK) {
        copy(accelerations, r.a, m->tree.n_v);
        copy(state_rates, r.x, m->n_states);
        copy(outputs, r.outputs.values, m->n_outputs);
    }
    fb_arena_destroy(r.arena);
    fb_simulation_leave(sim);
    return status;
}

// ---- Parameters ----

static FbStatus report(const FbDiagnostics* diagnostics, FbStatus status, FbError* err) {
    for (int i = 0; i < fb_diagnostics_count(diagnostics); i++) {
        const FbDiagnostic* d = fb_diagnostics_get(diagnostics, i);
        if (d->severity == FB_SEVERE) {
            return fb_fail(err, status, &d->place, "%s", d->text);
        }
    }
    return fb_fail_memory(err);
}

// The functions of the model's callbacks, for another one.
static FbStatus set_callbacks(const FbModel* m, FbModelDef* def, FbError* err) {
    for (int i = 0; i < m->n_callbacks; i++) {
        if (m->callbacks[i].function.calc) {
            FB_TRY(fb_model_def_set_callback(def, m->callbacks[i].name, &m->callbacks[i].function,
                                             err));
        }
    }
    return FB_OK;
}

// The model with another value of a parameter.
static FbStatus vary(const FbSimulation* sim, const FbSource* source, const FbReadOptions* options,
                     FbOverride override, FbModel** out, FbError* err) {
    FbReadOptions with = options ? *options : (FbReadOptions){0};
    int n = with.n_overrides;
    FbOverride* all = calloc((size_t)n + 1, sizeof *all);
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModelDef* def = NULL;
    *out = NULL;
    FbStatus status = all && diagnostics ? FB_OK : fb_fail_memory(err);
    if (status == FB_OK) {
        if (n > 0) {
            memcpy(all, with.overrides, sizeof *all * (size_t)n);
        }
        all[n] = override;
        with.overrides = all;
        with.n_overrides = n + 1;
        status = fb_source_create_def(source, &with, &def, diagnostics);
        status =
            status < 0 ? report(diagnostics, status, err) : set_callbacks(sim->model, def, err);
    }
    if (status == FB_OK && (status = fb_model_create(def, out, diagnostics)) < 0) {
        report(diagnostics, status, err);
    }
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(diagnostics);
    free(all);
    return status;
}

static FbStatus check_likeness(const FbModel* a, const FbModel* b, FbError* err) {
    bool is_alike = a->tree.n_q == b->tree.n_q && a->tree.n_v == b->tree.n_v &&
                    a->n_states == b->n_states && a->n_inputs == b->n_inputs &&
                    a->n_outputs == b->n_outputs && a->n_laws == b->n_laws &&
                    a->n_movers == b->n_movers && a->n_samplers == b->n_samplers;
    return is_alike
               ? FB_OK
               : fb_fail(err, FB_ERR_MODEL, NULL,
                         "the model of the source has other parts than that of the simulation; "
                         "give the source and the options that it was made with");
}

// Adds factor times accelerations, rates and outputs of a model at the point of `sim`.
static FbStatus add_values(FbSimulation* sim, const FbModel* model, double factor, Room* r,
                           FbError* err) {
    FbRunOptions options = sim->options;
    FbSimulation* at = NULL;
    const FbModel* m = sim->model;
    options.settings.start = sim->run.at.t;
    options.settings.starts_at_equilibrium = false;
    options.settings.start_mode = 0;
    options.inputs = fb_system_get_inputs(sim->system);
    FB_TRY(check_likeness(m, model, err));
    FbStatus status = fb_simulation_create(model, &options, &at, err);
    if (status == FB_OK) {
        fb_system_copy_discrete(at->system, sim->system);
        status = fb_simulation_set_motion(at, sim->run.at.q, sim->run.at.v, sim->run.at.x, err);
    }
    if (status == FB_OK) {
        status = fb_simulation_calc_outputs(at, r->outputs.a, err);
    }
    if (status == FB_OK) {
        FbDynamics* d = at->run.dynamics;
        for (int j = 0; j < m->tree.n_v; j++) {
            r->a[j] += factor * at->run.at.a[j];
        }
        for (int i = 0; i < m->n_outputs; i++) {
            r->outputs.values[i] += factor * r->outputs.a[i];
        }
        if (m->n_states > 0) {
            d->ops->state_rates(d, &at->run.at, r->lambda);
        }
        for (int i = 0; i < m->n_states; i++) {
            r->x[i] += factor * r->lambda[i];
        }
    }
    fb_simulation_destroy(at);
    return status;
}

// Room for outputs and rates of states where by_inputs() needs accelerations and multipliers.
static FbStatus take_for_parameters(const FbSimulation* sim, Room* r, FbError* err) {
    FB_TRY(take(sim, r, err));
    r->outputs.a = FB_TAKE(r->arena, double, sim->model->n_outputs + 1);
    r->lambda = FB_TAKE(r->arena, double, sim->model->n_states + 1);
    return fb_arena_has_failed(r->arena) ? fb_fail_memory(err) : FB_OK;
}

static FbStatus find_value(const FbModel* m, const char* parameter, double* value, FbError* err) {
    for (int i = 0; parameter && i < m->n_parameters; i++) {
        if (strcmp(m->parameters[i].name, parameter) == 0) {
            *value = m->parameters[i].value;
            return FB_OK;
        }
    }
    return fb_fail(err, FB_ERR_NAME, NULL, "the model has no parameter '%s'",
                   parameter ? parameter : "");
}

static FbStatus by_parameter(FbSimulation* sim, const FbSource* source,
                             const FbReadOptions* options, const char* parameter, double size,
                             Room* r, FbError* err) {
    double value = 0.0;
    FB_TRY(take_for_parameters(sim, r, err));
    FB_TRY(fb_simulation_settle(sim, err));
    FB_TRY(find_value(sim->model, parameter, &value, err));
    double h = cbrt(DBL_EPSILON) * (size > 0.0 ? size : fabs(value));
    if (!(h > 0.0) || !isfinite(h)) {
        return fb_fail(err, FB_ERR_RANGE, NULL,
                       "the parameter '%s' is %g, and its size %g; give a size > 0 to take a "
                       "difference",
                       parameter, value, size);
    }
    for (int side = -1; side <= 1; side += 2) {
        char text[32];
        FbModel* model;
        fb_format_double(value + side * h, text);
        FbOverride override = {parameter, text};
        FB_TRY(vary(sim, source, options, override, &model, err));
        double width = (value + h) - (value - h);
        FbStatus status = add_values(sim, model, side / width, r, err);
        fb_model_destroy(model);
        FB_TRY(status);
    }
    return FB_OK;
}

FbStatus fb_simulation_calc_parameter_derivatives(FbSimulation* sim, const FbSource* source,
                                                  const FbReadOptions* options,
                                                  const char* parameter, double size,
                                                  double* accelerations, double* state_rates,
                                                  double* outputs, FbError* err) {
    const FbModel* m = sim->model;
    Room r;
    FB_TRY(fb_simulation_enter(sim, err));
    FbStatus status = by_parameter(sim, source, options, parameter, size, &r, err);
    if (status == FB_OK) {
        copy(accelerations, r.a, m->tree.n_v);
        copy(state_rates, r.x, m->n_states);
        copy(outputs, r.outputs.values, m->n_outputs);
    }
    fb_arena_destroy(r.arena);
    fb_simulation_leave(sim);
    return status;
}
