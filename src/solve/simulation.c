// Creating, advancing and measuring a simulation.
#include "solve/simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "model/model.h"
#include "solve/auto.h"
#include "solve/operating_point.h"
#include "solve/point.h"
#include "solve/settings.h"

FbRunOptions fb_run_options_default(const FbModel* model) {
    return (FbRunOptions){.settings = *fb_model_get_settings(model)};
}

static FbStatus create_integrator(FbSimulation* sim, const FbPoint* p, FbIntegrator** out,
                                  FbError* err) {
    const FbSettings* s = &sim->options.settings;
    const FbIntegratorType* type = NULL;
    FB_TRY(fb_settings_find_integrator(sim->model, s, &type, err));
    FbIntegratorOptions options = {
        .rtol = s->rtol,
        .atol = s->atol,
        .max_step = s->max_step > 0.0 ? s->max_step : INFINITY,
        .sample = s->sample,
        .needs_accelerations = fb_system_outputs_need_accelerations(sim->system),
        .end = s->start + s->duration,
        .fixed_step = s->step,
        .has_spectral_radius = true,
        .spectral_radius = s->spectral_radius,
    };
    FbDynamics* d = fb_system_get_dynamics(sim->system);
    if (type == &fb_integrator_auto) {
        FbError why;
        FbStatus status = fb_integrator_linear.create(d, &options, out, &why);
        if (status >= 0) {
            snprintf(sim->reason, sizeof sim->reason, "the equations are linear");
            return FB_OK;
        }
        if (status == FB_ERR_MEMORY) {
            return fb_fail_memory(err);
        }
    }
    FB_TRY(type->create(d, &options, out, err));
    bool is_chosen = !s->integrator || strcmp(s->integrator, "auto") == 0;
    snprintf(sim->reason, sizeof sim->reason, is_chosen ? "steps of a fixed length" : "asked for");
    if (type == &fb_integrator_auto) {
        bool is_stiff =
            fb_system_is_stiff(sim->system, p, s->duration, sim->reason, sizeof sim->reason);
        fb_auto_begin_with(*out, is_stiff, sim->reason);
    }
    return FB_OK;
}

// The method of the run so far, and why: `auto` may change it.
static void describe_method(FbSimulation* sim) {
    const FbIntegrator* s = sim->run.integrator;
    const char* reason = fb_auto_get_reason(s);
    sim->stats.integrator = fb_auto_get_name(s);
    if (reason) {
        snprintf(sim->reason, sizeof sim->reason, "%s", reason);
    }
}

static FbStatus take_arrays(FbSimulation* sim, const FbSizes* max, FbError* err) {
    sim->arena = fb_arena_create();
    if (!sim->arena) {
        return fb_fail_memory(err);
    }
    fb_point_take(sim->arena, max, &sim->sample);
    sim->event_counts = FB_TAKE(sim->arena, int, max->n_root + 1);
    sim->event_directions = FB_TAKE(sim->arena, int, max->n_root + 1);
    if (fb_arena_has_failed(sim->arena)) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < max->n_root; i++) {
        sim->event_directions[i] = fb_system_get_event_direction(sim->system, i);
    }
    return FB_OK;
}

static FbStatus on_interval(void* self, FbRun* run, double from, double to, FbError* err);
static FbStatus on_event(void* self, FbRun* run, const FbPoint* p, int root, int direction,
                         bool* is_ignored, FbError* err);

// Assembles into sim->sample, then creates the integrator for the sizes that came out.
static FbStatus start(FbSimulation* sim, FbError* err) {
    FbSizes max = fb_system_get_max_sizes(sim->system);
    FbIntegrator* integrator = NULL;
    FB_TRY(take_arrays(sim, &max, err));
    FB_TRY(fb_system_assemble(sim->system, sim->options.settings.start, &sim->sample,
                              &sim->assembly, err));
    FB_TRY(fb_start_elsewhere(sim->system, sim->model, &sim->options.settings, &sim->sample,
                              &sim->assembly, err));
    fb_system_begin(sim->system, &sim->sample);
    FB_TRY(fb_system_check_buckling(sim->system, &sim->sample, err));
    FB_TRY(create_integrator(sim, &sim->sample, &integrator, err));
    FbDynamics* d = fb_system_get_dynamics(sim->system);
    sim->has_run = true;
    FB_TRY(fb_run_init(&sim->run, d, integrator, &max, err));
    sim->run.hooks = (FbRunHooks){sim, on_interval, on_event};
    sim->run.directions = sim->event_directions;
    sim->run.has_fixed_steps = sim->options.settings.step > 0.0;
    sim->run.ignores_kinks = sim->options.ignores_kinks || sim->run.has_fixed_steps;
    sim->run.needs_accelerations = fb_system_outputs_need_accelerations(sim->system);
    fb_point_copy(&d->size, &sim->sample, &sim->run.at);
    return fb_run_restart(&sim->run, err);
}

// The largest constraint errors seen, with those at p.
static void watch_constraints(FbSimulation* sim, const FbPoint* p) {
    FbConstraintErrors e;
    fb_system_calc_constraint_errors(sim->system, p, &e);
    sim->stats.max_constraint_error = fmax(sim->stats.max_constraint_error, e.position);
    sim->stats.max_velocity_error = fmax(sim->stats.max_velocity_error, e.velocity);
    if (e.share > sim->violated.share) {
        sim->violated = e;
        sim->violated_time = p->t;
    }
}

static void start_stats(FbSimulation* sim) {
    const FbSettings* s = &sim->options.settings;
    FbEnergies e = {0};
    fb_system_calc_energies(sim->system, &sim->run.at, &e);
    describe_method(sim);
    sim->stats.integrator_reason = sim->reason;
    sim->stats.rtol = s->rtol;
    sim->stats.atol = s->atol;
    sim->stats.t_start = s->start;
    sim->stats.energy_start = e.kinetic + e.potential;
    watch_constraints(sim, &sim->run.at);
}

// The values of the options, which may be gone later.
static FbStatus keep_inputs(FbSimulation* sim, FbError* err) {
    size_t size = sizeof(double) * (size_t)sim->model->n_inputs;
    const double* values = sim->options.inputs;
    sim->options.inputs = NULL;
    if (!values || size == 0) {
        return FB_OK;
    }
    FB_TRY(fb_system_start_inputs(sim->system, values, err));
    sim->start_inputs = malloc(size);
    if (!sim->start_inputs) {
        return fb_fail_memory(err);
    }
    memcpy(sim->start_inputs, values, size);
    sim->options.inputs = sim->start_inputs;
    return FB_OK;
}

FbStatus fb_simulation_create(const FbModel* model, const FbRunOptions* options, FbSimulation** out,
                              FbError* err) {
    *out = NULL;
    FB_TRY(fb_settings_check(model, &options->settings, err));
    FbSimulation* sim = calloc(1, sizeof *sim);
    if (!sim) {
        return fb_fail_memory(err);
    }
    sim->model = model;
    sim->options = *options;
    FbSettings* s = &sim->options.settings;
    s->sample = s->sample > 0.0 ? s->sample : s->duration / 100.0;
    s->atol = s->atol > 0.0 ? s->atol : FB_ATOL_PART * s->rtol;
    sim->t_end = s->start + s->duration;
    FbStatus status = fb_system_create(model, &sim->system, err);
    if (status == FB_OK) {
        status = fb_system_check_callbacks(sim->system, err);
    }
    if (status == FB_OK) {
        status = keep_inputs(sim, err);
    }
    if (status == FB_OK) {
        status = start(sim, err);
        status = fb_system_conclude(sim->system, status, err);
    }
    if (status != FB_OK) {
        fb_simulation_destroy(sim);
        return status;
    }
    start_stats(sim);
    *out = sim;
    return FB_OK;
}

void fb_simulation_destroy(FbSimulation* sim) {
    if (!sim) {
        return;
    }
    if (sim->has_run) {
        fb_run_clear(&sim->run);
    }
    fb_arena_destroy(sim->arena);
    fb_system_destroy(sim->system);
    free(sim->start_inputs);
    free(sim);
}

void fb_simulation_get_assembly(const FbSimulation* sim, FbAssembly* assembly) {
    *assembly = sim->assembly;
}

void fb_simulation_get_redundancy(const FbSimulation* sim, int index, FbRedundancy* redundancy) {
    fb_system_get_redundancy(sim->system, index, redundancy);
}

bool fb_simulation_is_unique(const FbSimulation* sim, int output) {
    return !fb_system_is_ambiguous(sim->system, output) &&
           !fb_system_is_shared(sim->system, output);
}

double fb_simulation_get_time(const FbSimulation* sim) {
    return sim->run.at.t;
}

FbStatus fb_simulation_calc_outputs(FbSimulation* sim, double* values, FbError* err) {
    FB_TRY(fb_simulation_enter(sim, err));
    FbStatus status = fb_simulation_settle(sim, err);
    if (status == FB_OK) {
        status = fb_system_calc_outputs(sim->system, &sim->run.at, values, err);
    }
    fb_simulation_leave(sim);
    return status;
}

// Sample k of the settings: the last one is the end.
static double sample_time(const FbSimulation* sim, double k) {
    const FbSettings* s = &sim->options.settings;
    double t = s->start + k * s->sample;
    // The last sample is the end, also where rounding would put it a little beside.
    return t > sim->t_end - 1e-9 * s->sample ? sim->t_end : t;
}

static void record_meshes(const FbModel* m, const FbPoint* p, double* out) {
    for (int is_velocity = 0; out && is_velocity < 2; is_velocity++) {
        for (int i = 0; i < m->n_superelements; i++) {
            const FbSuperelement* e = &m->superelements[i];
            for (int k = 0; e->mesh && k < e->n; k++) {
                int q = m->q_of_v[e->v[k]];
                *out++ = is_velocity ? p->v[e->v[k]] : p->q[q] - m->q_drawn[q];
            }
        }
    }
}

FbStatus fb_simulation_record(FbSimulation* sim, const FbPoint* p, FbError* err) {
    FB_TRY(fb_simulation_make_room(sim, err));
    double* row = fb_result_add_row(sim->result, p->t);
    if (!row) {
        return fb_fail_memory(err);
    }
    FbStatus status = fb_system_calc_outputs(sim->system, p, row, err);
    if (status < 0) {
        fb_result_drop_row(sim->result);
        return status;
    }
    fb_simulation_count_limits(sim, row);
    double* poses = fb_result_last_poses(sim->result);
    if (poses) {
        fb_system_calc_poses(sim->system, p->q, poses);
        fb_system_calc_slides(sim->system, p, fb_result_last_slides(sim->result));
        fb_result_join_quaternions(sim->result);
        record_meshes(sim->model, p, fb_result_last_meshes(sim->result));
    }
    return status;
}

static FbStatus record(FbSimulation* sim, const FbPoint* p, FbError* err) {
    watch_constraints(sim, p);
    return fb_simulation_record(sim, p, err);
}

static FbStatus on_interval(void* self, FbRun* run, double from, double to, FbError* err) {
    FbSimulation* sim = self;
    (void)from;
    if (!sim->result) {
        return FB_OK;
    }
    double t = sample_time(sim, sim->next_sample);
    while (t <= to) {
        if (!sim->skips_samples || t >= to - fb_run_resolution(run)) {
            FbStatus status = fb_run_sample(run, t, &sim->sample, err);
            if (status >= 0) {
                status = record(sim, &sim->sample, err);
            }
            fb_run_leave_sample(run);
            FB_TRY(status);
        }
        sim->next_sample += 1.0;
        if (t >= sim->t_end) {
            sim->next_sample = INFINITY;
            break;
        }
        t = sample_time(sim, sim->next_sample);
    }
    return FB_OK;
}

static FbStatus on_event(void* self, FbRun* run, const FbPoint* p, int root, int direction,
                         bool* is_ignored, FbError* err) {
    FbSimulation* sim = self;
    if (!fb_system_get_event_name(sim->system, root)) {
        return FB_OK;
    }
    int max_count = root < sim->model->n_events ? sim->model->events[root].max_count : 0;
    if (max_count > 0 && sim->event_counts[root] >= max_count) {
        *is_ignored = true;
        return FB_OK;
    }
    sim->event_counts[root]++;
    if (sim->waits_for_event) {
        run->wants_stop = true;
        sim->event = (FbEventRecord){
            .name = fb_system_get_event_name(sim->system, root), .t = p->t, .direction = direction};
    }
    if (!sim->result) {
        return FB_OK;
    }
    double* values = fb_result_add_event(sim->result, fb_system_get_event_name(sim->system, root),
                                         p->t, direction);
    return values ? fb_system_calc_outputs(sim->system, p, values, err) : fb_fail_memory(err);
}

// Step k of a run with fixed steps ends at start + k step, and the last one at the end.
static double next_on_grid(const FbSimulation* sim) {
    static const double ROUNDING = 1e-6;  // of a step
    const FbSettings* s = &sim->options.settings;
    double k = floor((sim->run.at.t - s->start) / s->step + ROUNDING) + 1.0;
    double t = s->start + k * s->step;
    return t > sim->t_end - ROUNDING * s->step ? sim->t_end : t;
}

// Where high-order dense output is less accurate than the steps, they end at the samples, unless
// those are much denser.
static double limit_to_sample(const FbSimulation* sim, double t) {
    FbIntegrator* s = sim->run.integrator;
    if (sim->run.has_fixed_steps) {
        return fmin(t, next_on_grid(sim));
    }
    bool is_accurate = !s->type->is_dense_accurate || s->type->is_dense_accurate(s);
    // Loops may be close to a singular position at a sample: a step should not have to start there.
    if (!sim->result || is_accurate || s->dynamics->size.n_c > 0 || sim->plan.log ||
        sim->options.settings.sample < 0.5 * s->type->wanted_step(s)) {
        return t;
    }
    // A sample at a break (where the step before it ended just short of it) is due at the start of
    // this step: the one after it limits.
    double next = sample_time(sim, sim->next_sample);
    if (next <= sim->run.at.t + fb_run_resolution(&sim->run)) {
        next = sample_time(sim, sim->next_sample + 1.0);
    }
    return fmin(t, next);
}

// May the run continue? Calls the progress function at most ten times a second.
static bool report_progress(FbSimulation* sim, double wall_start) {
    static const long STEPS_PER_LOOK = 16;
    static const double INTERVAL_S = 0.1;
    long steps = sim->run.integrator->type->stats(sim->run.integrator)->steps;
    if (!sim->options.progress || steps % STEPS_PER_LOOK != 0) {
        return true;
    }
    double now = fb_clock_wall_s();
    if (now < sim->next_progress) {
        return true;
    }
    sim->next_progress = now + INTERVAL_S;
    FbProgress progress = {sim->run.at.t, sim->options.settings.start, sim->t_end, steps,
                           sim->wall_before + now - wall_start};
    return sim->options.progress(sim->options.progress_self, &progress);
}

// Where samples inside a step would cost as much as a step, a companion has them at the ends of its
// steps only, which move to the nearest one.
static double end_at_sample(const FbSimulation* sim, double h) {
    static const double SHORTER = 0.7;
    double t = sim->run.at.t, start = sim->options.settings.start;
    double last = floor((t + FB_LED_LONGER * h - start) / sim->options.settings.sample);
    double to_sample = sample_time(sim, last) - t;
    return to_sample >= SHORTER * h ? to_sample : h;
}

// A companion takes its steps from the run that it goes with.
static void lead(FbSimulation* sim) {
    enum { DENSE_ORDER = 8 };
    FbIntegrator* s = sim->run.integrator;
    int order;
    if (!sim->plan.log || !s->type->lead) {
        return;
    }
    double h = fb_step_plan_next(&sim->plan, sim->run.at.t, &order);
    sim->skips_samples = order != DENSE_ORDER;
    s->type->lead(s, sim->skips_samples ? end_at_sample(sim, h) : h, order);
}

// After a step: false where a companion has done as much as it may.
static bool note_step(FbSimulation* sim) {
    static const double FORGET = 0.9,
                        DEARER = 1.6;  // the next step may cost, of the most expensive recent one
    const FbIntegrator* s = sim->run.integrator;
    FbIntegratorStats counts[FB_ARMS];
    if (sim->result) {
        fb_step_log_add(sim->result->log, sim->run.at.t, s->type->stats(s)->last_order);
    }
    if (!(sim->most_work > 0.0)) {
        return true;
    }
    fb_auto_get_counts(s, counts);
    double before = sim->work;
    sim->work = fb_work_count(&sim->units, false, &counts[FB_ARM_EXPLICIT]) +
                fb_work_count(&sim->units, true, &counts[FB_ARM_IMPLICIT]) +
                FB_WORK_LOOK * (double)sim->run.n_looks;
    fb_step_plan_hurry(&sim->plan, sim->work / sim->most_work);
    sim->dearest_step = fmax(FORGET * sim->dearest_step, sim->work - before);
    sim->is_too_dear =
        sim->run.at.t < sim->t_end && sim->work + DEARER * sim->dearest_step > sim->most_work;
    return !sim->is_too_dear;
}

static FbStatus step_to(FbSimulation* sim, double t, double wall_start, double cpu_start,
                        FbError* err) {
    FbIntegrator* s = sim->run.integrator;
    long max_steps = sim->options.settings.max_steps;
    while (sim->run.at.t < t) {
        if (max_steps > 0 && s->type->stats(s)->steps >= max_steps) {
            return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                           "%s: max_steps = %ld reached at t = %.10g s; raise it, or try a looser "
                           "rtol or another "
                           "integrator",
                           s->type->name, max_steps, sim->run.at.t);
        }
        lead(sim);
        FbStatus status = fb_run_step(&sim->run, limit_to_sample(sim, t), err);
        status = fb_system_conclude(sim->system, status, err);
        if (status != FB_OK) {
            return status;
        }
        if (!note_step(sim)) {
            return FB_STOPPED;
        }
        bool goes_on = report_progress(sim, wall_start);
        FB_TRY(fb_simulation_stream(sim, goes_on ? FB_STREAM_STEP : FB_STREAM_STOPPED, wall_start,
                                    cpu_start, err));
        if (!goes_on) {
            return FB_STOPPED;
        }
    }
    return FB_OK;
}

FbStatus fb_simulation_enter(FbSimulation* sim, FbError* err) {
    return atomic_flag_test_and_set(&sim->is_in_use)
               ? fb_fail(err, FB_ERR_ARGUMENT, NULL,
                         "another thread is using this simulation; give each thread its own")
               : FB_OK;
}

void fb_simulation_leave(FbSimulation* sim) {
    atomic_flag_clear(&sim->is_in_use);
}

FbStatus fb_simulation_run_to(FbSimulation* sim, double t, FbError* err) {
    FB_TRY(fb_simulation_enter(sim, err));
    double wall = fb_clock_wall_s(), cpu = fb_clock_cpu_s();
    FbStatus status = fb_simulation_settle(sim, err);
    if (status == FB_OK) {
        status = step_to(sim, t, wall, cpu, err);
    }
    status = fb_system_conclude(sim->system, status, err);
    sim->has_failed = sim->has_failed || status < 0;
    describe_method(sim);
    watch_constraints(sim, &sim->run.at);
    sim->wall_before += fb_clock_wall_s() - wall;
    sim->stats.wall_s = sim->wall_before;
    sim->stats.cpu_s += fb_clock_cpu_s() - cpu;
    fb_simulation_leave(sim);
    return status;
}

FbStatus fb_simulation_advance(FbSimulation* sim, double t, FbError* err) {
    if (!(t >= sim->run.at.t) || !isfinite(t)) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL,
                       "cannot advance to t = %g s: the current time is %g s", t, sim->run.at.t);
    }
    return fb_simulation_run_to(sim, t, err);
}

void fb_simulation_move(FbSimulation* from, FbSimulation* to) {
    *to = *from;
    to->run.hooks.self = to;
    to->stats.integrator_reason = to->reason;
    memset(from, 0, sizeof *from);
}

void fb_simulation_get_stats(const FbSimulation* sim, FbRunStats* stats) {
    FbEnergies e = {0};
    const FbIntegrator* s = sim->run.integrator;
    const FbIntegratorStats* counts = s->type->stats(s);
    fb_system_calc_energies(sim->system, &sim->run.at, &e);
    *stats = sim->stats;
    stats->t_end = sim->run.at.t;
    stats->steps = counts->steps;
    stats->rejected = counts->rejected;
    stats->rhs_evals = counts->rhs_evals;
    stats->jacobian_evals = counts->jacobian_evals;
    stats->factorizations = counts->factorizations;
    stats->newton_iterations = counts->newton_iterations;
    stats->energy_end = e.kinetic + e.potential;
    const double* more = sim->run.work_correction;
    stats->energy_balance =
        stats->energy_end - stats->energy_start - (e.supplied + more[0]) + e.dissipated + more[1];
}
