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

// Accelerations, rates of states and outputs, one after the other.
static int count_values(const FbModel* m) {
    return m->tree.n_v + m->n_states + m->n_outputs;
}

// Those of a model at the point of `sim`.
static FbStatus calc_values(FbSimulation* sim, const FbModel* model, double* values, FbError* err) {
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
        status = fb_simulation_calc_outputs(at, values + m->tree.n_v + m->n_states, err);
    }
    if (status == FB_OK) {
        FbDynamics* d = at->run.dynamics;
        copy(values, at->run.at.a, m->tree.n_v);
        if (m->n_states > 0) {
            d->ops->state_rates(d, &at->run.at, values + m->tree.n_v);
        }
    }
    fb_simulation_destroy(at);
    return status;
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

// Central differences with lengths h, h/2, h/4, and their extrapolation (Richardson): D has an
// error of order h^2, the next of order h^4, the last of order h^6.
enum { N_LENGTHS = 3 };
typedef struct Differences {
    FbArena* arena;
    const FbSource* source;
    const FbReadOptions* options;
    const char* parameter;
    int n;            // values
    double value;     // of the parameter
    double* side[2];  // [n] values with less and more of it
    double* here;     // [n] values with what it has
    double *D[N_LENGTHS], *below[N_LENGTHS], *above[N_LENGTHS];  // [n] slopes
    double *largest, *derivative, *error;                        // [n]
} Differences;

// Lengths to begin with, of the size of the parameter: the first where rounding and truncation are
// smallest, the others where a model does not take so much more or less of it.
static const double LENGTHS[] = {4e-3, 6e-5, 1e-6};
// Rounding errors of a value, of its size, in units of DBL_EPSILON.
static const double NOISE = 16.0;

static FbStatus take_differences(FbSimulation* sim, Differences* d, FbError* err) {
    d->arena = fb_arena_create();
    if (!d->arena) {
        return fb_fail_memory(err);
    }
    d->n = count_values(sim->model);
    for (int k = 0; k < N_LENGTHS; k++) {
        d->D[k] = FB_TAKE(d->arena, double, d->n + 1);
        d->below[k] = FB_TAKE(d->arena, double, d->n + 1);
        d->above[k] = FB_TAKE(d->arena, double, d->n + 1);
    }
    double** const arrays[] = {&d->side[0], &d->side[1],    &d->here,
                               &d->largest, &d->derivative, &d->error};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = FB_TAKE(d->arena, double, d->n + 1);
    }
    return fb_arena_has_failed(d->arena) ? fb_fail_memory(err) : FB_OK;
}

// The values with this much of the parameter.
static FbStatus calc_at(FbSimulation* sim, Differences* d, double value, double* out,
                        FbError* err) {
    char text[32];
    FbModel* model;
    fb_format_double(value, text);
    FbOverride override = {d->parameter, text};
    FB_TRY(vary(sim, d->source, d->options, override, &model, err));
    FbStatus status = calc_values(sim, model, out, err);
    fb_model_destroy(model);
    return status;
}

// The differences with this length to both sides, and between them.
static FbStatus take_difference(FbSimulation* sim, Differences* d, double h, int k, FbError* err) {
    double less = d->value - h, more = d->value + h;
    FB_TRY(calc_at(sim, d, less, d->side[0], err));
    FB_TRY(calc_at(sim, d, more, d->side[1], err));
    for (int i = 0; i < d->n; i++) {
        double size = fmax(fabs(d->side[0][i]), fabs(d->side[1][i]));
        d->D[k][i] = (d->side[1][i] - d->side[0][i]) / (more - less);
        d->below[k][i] = (d->here[i] - d->side[0][i]) / (d->value - less);
        d->above[k][i] = (d->side[1][i] - d->here[i]) / (more - d->value);
        d->largest[i] = fmax(d->largest[i], size);
    }
    return FB_OK;
}

// How far the slopes to both sides, of all lengths, are apart.
static double calc_spread(const Differences* d, int i) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < N_LENGTHS; k++) {
        low = fmin(low, fmin(d->below[k][i], d->above[k][i]));
        high = fmax(high, fmax(d->below[k][i], d->above[k][i]));
    }
    return high - low;
}

// The slopes to both sides differ in proportion to the length where the derivative is continuous;
// near a corner they do not, and the derivative is anywhere between them.
static bool has_corner(const Differences* d, int i, double noise) {
    double longer = d->above[1][i] - d->below[1][i], shorter = d->above[2][i] - d->below[2][i];
    double left = fabs(2.0 * shorter - longer);
    return left > 0.1 * fabs(longer) && left > 8.0 * noise;
}

// The error is what the last extrapolation changed, and the rounding of the shortest difference.
static void extrapolate(Differences* d, double shortest) {
    for (int i = 0; i < d->n; i++) {
        double first = (4.0 * d->D[1][i] - d->D[0][i]) / 3.0;
        double second = (4.0 * d->D[2][i] - d->D[1][i]) / 3.0;
        double noise = NOISE * DBL_EPSILON * d->largest[i] / shortest;
        d->derivative[i] = (16.0 * second - first) / 15.0;
        d->error[i] = 2.0 * fabs(d->derivative[i] - second) + noise;
        if (has_corner(d, i, noise)) {
            d->error[i] += calc_spread(d, i);
        }
    }
}

static FbStatus by_parameter(FbSimulation* sim, Differences* d, double size, FbError* err) {
    FB_TRY(take_differences(sim, d, err));
    FB_TRY(fb_simulation_settle(sim, err));
    FB_TRY(find_value(sim->model, d->parameter, &d->value, err));
    double unit = size > 0.0 ? size : fabs(d->value);
    if (!(unit * LENGTHS[2] > 0.0) || !isfinite(unit)) {
        return fb_fail(err, FB_ERR_RANGE, NULL,
                       "the parameter '%s' is %g, and its size %g; give a size > 0 to take a "
                       "difference",
                       d->parameter, d->value, size);
    }
    FB_TRY(calc_at(sim, d, d->value, d->here, err));
    FbStatus status = FB_ERR_RANGE;
    for (size_t i = 0; i < sizeof LENGTHS / sizeof LENGTHS[0]; i++) {
        double h = LENGTHS[i] * unit;
        status = FB_OK;
        for (int k = 0; k < N_LENGTHS && status == FB_OK; k++) {
            status = take_difference(sim, d, ldexp(h, -k), k, err);
        }
        if (status == FB_OK) {
            extrapolate(d, ldexp(h, -(N_LENGTHS - 1)));
        }
        if (status == FB_OK || status == FB_ERR_MEMORY) {
            break;
        }
    }
    return status;
}

FbStatus fb_simulation_estimate_parameter_derivatives(FbSimulation* sim, const FbSource* source,
                                                      const FbReadOptions* options,
                                                      const char* parameter, double size,
                                                      const FbParameterDerivatives* out,
                                                      FbError* err) {
    int n_v = sim->model->tree.n_v, n_x = sim->model->n_states, n_y = sim->model->n_outputs;
    Differences d = {.source = source, .options = options, .parameter = parameter};
    FB_TRY(fb_simulation_enter(sim, err));
    FbStatus status = by_parameter(sim, &d, size, err);
    if (status == FB_OK) {
        copy(out->accelerations, d.derivative, n_v);
        copy(out->state_rates, d.derivative + n_v, n_x);
        copy(out->outputs, d.derivative + n_v + n_x, n_y);
        copy(out->acceleration_errors, d.error, n_v);
        copy(out->state_rate_errors, d.error + n_v, n_x);
        copy(out->output_errors, d.error + n_v + n_x, n_y);
    }
    fb_arena_destroy(d.arena);
    fb_simulation_leave(sim);
    return status;
}

FbStatus fb_simulation_calc_parameter_derivatives(FbSimulation* sim, const FbSource* source,
                                                  const FbReadOptions* options,
                                                  const char* parameter, double size,
                                                  double* accelerations, double* state_rates,
                                                  double* outputs, FbError* err) {
    FbParameterDerivatives out = {
        .accelerations = accelerations, .state_rates = state_rates, .outputs = outputs};
    return fb_simulation_estimate_parameter_derivatives(sim, source, options, parameter, size, &out,
                                                        err);
}
