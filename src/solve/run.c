// One step of a run: limits, breaks, events, acceptance, restarts.
#include "solve/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/failure.h"
#include "solve/point.h"
#include "solve/weights.h"

FbStatus fb_run_init(FbRun* run, FbDynamics* d, FbIntegrator* integrator, const FbSizes* max,
                     FbError* err) {
    memset(run, 0, sizeof *run);
    run->dynamics = d;
    run->integrator = integrator;
    run->row_change = run->blow = run->chatter_time = run->touch = NAN;
    run->arena = fb_arena_create();
    if (!run->arena) {
        return fb_fail_memory(err);
    }
    FbPoint* points[] = {&run->at, &run->start, &run->probe, &run->event};
    for (int i = 0; i < 4; i++) {
        fb_point_take(run->arena, max, points[i]);
    }
    run->roots = FB_TAKE(run->arena, double, max->n_root + 1);
    run->roots_before = FB_TAKE(run->arena, double, max->n_root + 1);
    run->roots_after = FB_TAKE(run->arena, double, max->n_root + 1);
    run->root_scale = FB_TAKE(run->arena, double, max->n_root + 1);
    run->side = FB_TAKE(run->arena, int, max->n_root + 1);
    run->others = FB_TAKE(run->arena, int, max->n_root + 1);
    run->kinks = FB_TAKE(run->arena, FbKink, max->n_switch + 1);
    run->depth_start = FB_TAKE(run->arena, double, max->n_switch + 1);
    run->depth_end = FB_TAKE(run->arena, double, max->n_switch + 1);
    run->depth_probe = FB_TAKE(run->arena, double, max->n_switch + 1);
    run->scale_now = FB_TAKE(run->arena, double, max->n_switch + 1);
    run->depth_looks = FB_TAKE(run->arena, double, 3 * FB_KINK_LEVELS * max->n_switch + 1);
    return fb_arena_has_failed(run->arena) ? fb_fail_memory(err) : FB_OK;
}

void fb_run_clear(FbRun* run) {
    if (run->integrator) {
        run->integrator->type->destroy(run->integrator);
    }
    fb_arena_destroy(run->arena);
    memset(run, 0, sizeof *run);
}

// Forward dynamics at a known point; a retry there cannot be cured by a smaller step.
FbStatus fb_run_realize(FbRun* run, FbPoint* p, FbError* err) {
    FbStatus status = run->dynamics->ops->accelerations(run->dynamics, p, err);
    return status == FB_RETRY ? fb_fail_point(run->dynamics, p->t, err) : status;
}

// Switches that start on their borders (dry friction at rest) take the pieces, or slide, according
// to the motion that follows, found by trial steps that are discarded.
static FbStatus settle_start(FbRun* run, FbError* err) {
    enum { MAX_ROUNDS = 8 };
    FbIntegrator* s = run->integrator;
    FbKinkFound found = FB_KINK_BORDER;
    for (int k = 0; k < MAX_ROUNDS && found == FB_KINK_BORDER && fb_run_is_on_border(run); k++) {
        double h = s->type->wanted_step(s);
        h = h > 0.0 ? h : fb_weights_natural_time(run->dynamics);  // CVODE chooses in the step
        fb_point_copy(&run->dynamics->size, &run->at, &run->start);
        if (s->type->step(s, run->at.t + h, &run->at, err) < 0) {
            fb_point_copy(&run->dynamics->size, &run->start, &run->at);
            return s->type->restart(s, &run->at, err);
        }
        FB_TRY(fb_run_find_kink(run, &found, err));
        if (found == FB_KINK_BORDER && run->at.t == run->start.t) {
            fb_run_pass_kink(run);
        } else {
            found = FB_KINK_NONE;
        }
        fb_point_copy(&run->dynamics->size, &run->start, &run->at);
        run->touch = NAN;
        fb_run_resume_kinks(run);
        FB_TRY(fb_run_realize(run, &run->at, err));
        FB_TRY(s->type->restart(s, &run->at, err));
    }
    return FB_OK;
}

FbStatus fb_run_restart(FbRun* run, FbError* err) {
    run->touch = NAN;
    fb_run_start_roots(run);
    FB_TRY(fb_run_start_kinks(run));
    if (fb_run_is_on_border(run)) {
        // sign(0) is 0, the piece that is held is not: the first step needs the latter's.
        FB_TRY(fb_run_realize(run, &run->at, err));
    }
    FB_TRY(run->integrator->type->restart(run->integrator, &run->at, err));
    return settle_start(run, err);
}

static FbStatus project(FbRun* run, FbPoint* p, FbError* err) {
    FbDynamics* d = run->dynamics;
    FbStatus status = FB_OK;
    fb_dynamics_tell_states(d, p->x);
    if (d->ops->project_position) {
        status = d->ops->project_position(d, p->t, p->q, NULL, err);
    }
    if (status >= 0 && d->ops->project_velocity) {
        status = d->ops->project_velocity(d, p->t, p->q, p->v, NULL, err);
    }
    return status < 0 ? status : FB_OK;
}

FbStatus fb_run_refine(FbRun* run, double t, FbPoint* p, FbError* err) {
    FbIntegrator* s = run->integrator;
    FB_TRY(s->type->refine ? s->type->refine(s, t, p) : s->type->interpolate(s, t, p));
    return project(run, p, err);
}

double fb_run_resolution(const FbRun* run) {
    // As laws do with their breaks (fb_law_first_after); near t = 0 the steps are the measure.
    static const double ROUNDING_UNITS = 64.0;
    const FbIntegrator* s = run->integrator;
    return ROUNDING_UNITS * DBL_EPSILON * fmax(fabs(run->at.t), s->type->wanted_step(s));
}

// The point of an end of the last step, where t is one; false: it is inside.
static bool is_at_end(FbRun* run, double t, FbPoint* p) {
    bool is_start = t < run->at.t && t - run->start.t <= fb_run_resolution(run);
    if (t != run->at.t && !is_start) {
        return false;
    }
    fb_point_copy(&run->dynamics->size, is_start ? &run->start : &run->at, p);
    p->t = t;
    return true;
}

// Rows that are good at p, which is inside or at the end of a step: p is projected onto them.
static FbStatus enter_sample(FbRun* run, FbPoint* p, bool* has_other_rows, FbError* err) {
    FbDynamics* d = run->dynamics;
    *has_other_rows = false;
    if (d->ops->enter_sample) {
        FB_TRY(d->ops->enter_sample(d, p, has_other_rows, err));
    }
    return *has_other_rows ? project(run, p, err) : FB_OK;
}

void fb_run_leave_sample(FbRun* run) {
    if (run->dynamics->ops->leave_sample) {
        run->dynamics->ops->leave_sample(run->dynamics);
    }
}

FbStatus fb_run_sample(FbRun* run, double t, FbPoint* p, FbError* err) {
    FbIntegrator* s = run->integrator;
    bool has_other_rows;
    if (is_at_end(run, t, p)) {
        // Accelerations and multipliers of an implicit step are only as good as its motion needs.
        // (In structures they are better than what the rounding of places leaves of stiff forces.)
        const FbDynamics* d = run->dynamics;
        bool is_exact = !run->needs_accelerations || (d->size.n_c == 0 && d->is_stiff);
        FB_TRY(enter_sample(run, p, &has_other_rows, err));
        return is_exact ? FB_OK : fb_run_realize(run, p, err);
    }
    bool is_accurate =
        run->has_fixed_steps || !s->type->is_dense_accurate || s->type->is_dense_accurate(s);
    FB_TRY(is_accurate || !s->type->refine ? s->type->interpolate(s, t, p)
                                           : s->type->refine(s, t, p));
    FB_TRY(enter_sample(run, p, &has_other_rows, err));
    if (!has_other_rows) {
        FB_TRY(project(run, p, err));
    }
    return run->needs_accelerations ? fb_run_realize(run, p, err) : FB_OK;
}

FbStatus fb_run_sample_finely(FbRun* run, double t, FbPoint* p, FbError* err) {
    if (!is_at_end(run, t, p)) {
        FB_TRY(fb_run_refine(run, t, p, err));
    }
    return fb_run_realize(run, p, err);
}

// Breaks inside a step of fixed length do not end it; they are counted from just before its end.
static double first_break(const FbRun* run, double t_limit) {
    const FbDynamics* d = run->dynamics;
    if (!d->ops->next_break) {
        return INFINITY;
    }
    double from = run->has_fixed_steps ? t_limit - fb_run_resolution(run) : run->at.t;
    return d->ops->next_break(d, fmax(from, run->at.t));
}

// What changes at the breaks that a step of fixed length has passed changes at its end.
static void pass_breaks(FbRun* run, double t_break) {
    FbDynamics* d = run->dynamics;
    if (!run->has_fixed_steps || !d->ops->next_break || !d->ops->at_break) {
        return;
    }
    double end = fmin(run->at.t, t_break - fb_run_resolution(run));
    for (double t = run->start.t; (t = d->ops->next_break(d, t)) < end;) {
        d->ops->at_break(d, &run->at);
    }
}

// What a step over the corner at t would make of it, next to the tolerance: forces are evaluated on
// both sides, so only that the slope changes inside a step is neglected.
// One corner may cost a few tolerances: next to such a position errors grow by more than that.
static bool is_harmless(FbRun* run, double t) {
    static const double PART = 10.0;  // times the tolerance
    FbDynamics* d = run->dynamics;
    FbPoint* p = &run->probe;
    double gap = t - run->at.t, worst = 0.0, *bend = run->event.a;
    FbError ignored;
    for (int i = 0; i < 3; i++) {
        fb_point_copy(&d->size, &run->at, p);
        p->t = run->at.t + i * gap;
        if (d->ops->accelerations(d, p, &ignored) != FB_OK) {
            return false;
        }
        for (int j = 0; j < d->size.n_v; j++) {
            bend[j] = (i == 0 ? 0.0 : bend[j]) + (i == 1 ? -2.0 : 1.0) * p->a[j];
        }
    }
    for (int j = 0; j < d->size.n_v; j++) {
        double scale = d->v_scale ? d->v_scale[j] : 1.0;
        worst = fmax(worst, 0.5 * gap * fabs(bend[j]) / scale);
    }
    return worst < PART * run->integrator->options.rtol;
}

// A corner so near that steps must have shrunk before it, which they do where constraints become
// dependent beside it: a step that had to end there would end, and the next one begin, next to that
// position, where no method finds its way. It is passed.
static bool passes_corner(FbRun* run, double t) {
    static const double NEAR = 1e-3;  // of the longest step
    const FbDynamics* d = run->dynamics;
    const FbIntegrator* s = run->integrator;
    return d->size.n_c > 0 && !run->has_fixed_steps && d->ops->is_corner &&
           t - run->at.t < NEAR * s->type->stats(s)->max_step_taken && d->ops->is_corner(d, t) &&
           is_harmless(run, t);
}

// The limit of the next step; *t_break is the time of the break it ends at, or infinite.
static double limit_step(FbRun* run, double t_limit, double* t_break) {
    double next = first_break(run, t_limit);
    if (next <= t_limit && next > run->at.t + fb_run_resolution(run) && passes_corner(run, next)) {
        next = run->dynamics->ops->next_break(run->dynamics, next);
    }
    *t_break = INFINITY;
    t_limit = run->touch < t_limit ? run->touch : t_limit;
    if (!(next <= t_limit + fb_run_resolution(run))) {
        return t_limit;
    }
    *t_break = next;
    // The step ends just before the break, so that its last evaluation still sees the left side.
    double before = fmin(t_limit, nextafter(next, -INFINITY));
    return before > run->at.t ? before : next;
}

// The last of the breaks that cannot be distinguished from that at t: behind it all laws are on
// their new sides. (A break counts as passed up to 64 units of rounding before it,
// fb_law_first_after.)
static double last_break(const FbRun* run, double t) {
    static const double ROUNDING_UNITS = 64.0;
    const FbDynamics* d = run->dynamics;
    double end = t + fb_run_resolution(run);
    for (double next = t; next <= end;) {
        t = next;
        double before = t - ROUNDING_UNITS * DBL_EPSILON * fabs(t);
        next = d->ops->next_break(d, before);
        next = next > t ? next : d->ops->next_break(d, nextafter(before, INFINITY));
        next = next > t ? next : INFINITY;
    }
    return t;
}

static FbStatus check_finite(const FbRun* run, FbError* err) {
    int velocity;
    if (fb_point_is_finite(&run->dynamics->size, &run->at, &velocity)) {
        return FB_OK;
    }
    return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                   "after t = %.10g s the motion of %s is no longer finite. Look for a division "
                   "by zero or an "
                   "unstable law there, or try smaller tolerances",
                   run->start.t, fb_weights_name(run->dynamics, velocity));
}

static FbStatus report_interval(FbRun* run, double from, double to, FbError* err) {
    return run->hooks.on_interval && to > from
               ? run->hooks.on_interval(run->hooks.self, run, from, to, err)
               : FB_OK;
}

// Calls the hooks and the dynamics for one event at run->event.
static FbStatus fire(FbRun* run, int root, int direction, bool* has_changed, bool* stop,
                     FbError* err) {
    FbDynamics* d = run->dynamics;
    bool is_ignored = false;
    if (run->hooks.on_event) {
        FB_TRY(run->hooks.on_event(run->hooks.self, run, &run->event, root, direction, &is_ignored,
                                   err));
    }
    if (is_ignored || !d->ops->event) {
        return FB_OK;
    }
    FbPoint* p = run->has_fixed_steps ? &run->at : &run->event;
    FB_TRY(d->ops->event(d, p, root, direction, has_changed, stop, err));
    *stop |= run->wants_stop;
    run->wants_stop = false;
    return FB_OK;
}

// The same with rows that are good at the event.
static FbStatus fire_inside(FbRun* run, int root, int direction, bool* has_changed, bool* stop,
                            FbError* err) {
    bool has_other_rows;
    FB_TRY(enter_sample(run, &run->event, &has_other_rows, err));
    FbStatus status = has_other_rows ? fb_run_realize(run, &run->event, err) : FB_OK;
    if (status >= 0) {
        status = fire(run, root, direction, has_changed, stop, err);
    }
    fb_run_leave_sample(run);
    return status;
}

// The event that was found and all others at its time.
static FbStatus fire_all(FbRun* run, int root, int direction, bool* has_changed, bool* stop,
                         FbError* err) {
    int n_root = run->dynamics->size.n_root;
    for (int i = -1; i < n_root; i++) {
        int which = i < 0 ? root : i, way = i < 0 ? direction : run->others[i];
        bool changes = false, stops = false;
        if (way != 0) {
            FB_TRY(fire_inside(run, which, way, &changes, &stops, err));
            fb_run_pass_event(run, which, way);
        }
        *has_changed |= changes;
        *stop |= stops;
    }
    return FB_OK;
}

// All events of the step in time order; one that changes the equations ends the step there, or
// takes effect at the end of a step of fixed length.
static FbStatus handle_events(FbRun* run, bool ends_at_kink, bool* has_changed, bool* stop,
                              FbError* err) {
    double from = run->start.t;
    *has_changed = *stop = false;
    while (run->dynamics->size.n_root > 0 && from < run->at.t && !*has_changed && !*stop) {
        int root, direction;
        FB_TRY(fb_run_find_event(run, from, run->at.t, &root, &direction, err));
        if (root < 0) {
            break;
        }
        FB_TRY(report_interval(run, from, run->event.t, err));
        FB_TRY(fire_all(run, root, direction, has_changed, stop, err));
        from = run->event.t;
        if (*stop || (*has_changed && !run->has_fixed_steps)) {
            fb_point_copy(&run->dynamics->size, &run->event, &run->at);
            return FB_OK;
        }
    }
    // A sample at a kink belongs to the piece that begins there.
    return report_interval(run, from, ends_at_kink ? nextafter(run->at.t, -INFINITY) : run->at.t,
                           err);
}

// One step of the integrator, or a move of the time alone to a limit that is too near for one.
// A step of a fixed length that has no solution is taken in parts, which are halved until one has:
// the grid stays. Further parts are tried with twice the length.
static FbStatus step_in_parts(FbRun* run, double limit, FbError* err) {
    static const double SHORTEST = 1.0 / 256.0;
    FbIntegrator* s = run->integrator;
    double whole = s->options.fixed_step, part = run->part > 0.0 ? 2.0 * run->part : whole;
    FbStatus status = FB_ERR_CONVERGENCE;
    for (part = fmin(part, whole);; part *= 0.5) {
        double end = run->at.t + part;
        bool is_rest = part == whole || limit - end < 0.01 * part;
        status = s->type->step(s, is_rest ? limit : end, &run->at, err);
        if (status != FB_ERR_CONVERGENCE || part < 2.0 * SHORTEST * whole) {
            break;
        }
    }
    run->part = part < whole ? part : 0.0;
    if (status >= 0 && part < whole) {
        run->part_time = run->n_parts == 0 ? run->start.t : run->part_time;
        run->n_parts++;
    }
    return status;
}

static FbStatus advance(FbRun* run, double limit, bool* has_jumped, FbError* err) {
    FbIntegrator* s = run->integrator;
    fb_point_copy(&run->dynamics->size, &run->at, &run->start);
    *has_jumped = limit - run->at.t <= fb_run_resolution(run);
    if (*has_jumped) {
        run->at.t = limit;
        return FB_OK;
    }
    s->is_rough = fb_run_is_rough(run);
    FB_TRY(run->has_fixed_steps ? step_in_parts(run, limit, err)
                                : s->type->step(s, limit, &run->at, err));
    return check_finite(run, err);
}

// A step in which turns cannot be counted is not taken, but shorter ones; where the shortest do not
// suffice either, accepted() says so.
static FbStatus advance_countably(FbRun* run, double limit, bool* has_jumped, FbError* err) {
    static const double SHORTER = 0.3;
    enum { MAX_TRIES = 16 };
    FbDynamics* d = run->dynamics;
    FbIntegrator* s = run->integrator;
    FB_TRY(advance(run, limit, has_jumped, err));
    for (int i = 0; i < MAX_TRIES && !*has_jumped && !run->has_fixed_steps && d->ops->check_step &&
                    d->ops->check_step(d, &run->at) == FB_RETRY;
         i++) {
        limit = run->start.t + SHORTER * (run->at.t - run->start.t);
        fb_point_copy(&d->size, &run->start, &run->at);
        FB_TRY(s->type->restart(s, &run->at, err));
        FB_TRY(advance(run, limit, has_jumped, err));
    }
    return FB_OK;
}

// Continues at run->at, where something has changed.
static FbStatus resume(FbRun* run, FbError* err) {
    FbIntegrator* s = run->integrator;
    run->touch = NAN;
    run->is_hopping = run->is_seen = false;
    run->n_corrections = 0;
    fb_run_resume_kinks(run);
    if (!run->dynamics->keeps_motion) {
        FB_TRY(fb_run_take_blow(run, err));
    }
    FB_TRY(fb_run_realize(run, &run->at, err));
    FB_TRY(s->type->restart(s, &run->at, err));
    run->dynamics->keeps_motion = false;
    return FB_OK;
}

FbStatus fb_run_interrupt(FbRun* run, FbError* err) {
    run->dynamics->keeps_motion = false;
    return resume(run, err);
}

FbStatus fb_run_step(FbRun* run, double t_limit, FbError* err) {
    FbDynamics* d = run->dynamics;
    FbIntegrator* s = run->integrator;
    double t_break, limit = limit_step(run, t_limit, &t_break);
    FbKinkFound found = FB_KINK_NONE;
    bool has_jumped;
    FB_TRY(advance_countably(run, limit, &has_jumped, err));
    if (!has_jumped) {
        FB_TRY(fb_run_find_kink(run, &found, err));
    }
    if (found == FB_KINK_TOUCH) {
        return s->type->restart(s, &run->at, err);
    }
    bool has_event, stop, has_kink = found == FB_KINK_BORDER, has_changed = false;
    bool is_at_break = run->at.t == limit && isfinite(t_break);
    bool is_at_touch = run->at.t >= run->touch;
    if (has_jumped) {
        has_event = stop = false;
        FB_TRY(report_interval(run, run->start.t, run->at.t, err));
    } else {
        FB_TRY(handle_events(run, has_kink, &has_event, &stop, err));
    }
    pass_breaks(run, t_break);
    // On the dense output of the step, which means the coordinates that it was taken in.
    FB_TRY(fb_run_check_works(run));
    if (d->ops->accepted) {
        long before = d->row_changes;
        FB_TRY(d->ops->accepted(d, &run->at, &has_changed, err));
        bool is_other = d->row_changes > before;
        run->row_change = is_other && isnan(run->row_change) ? run->at.t : run->row_change;
    }
    if (is_at_break && !has_event && !stop) {
        run->at.t = last_break(run, t_break);
        if (d->ops->at_break) {
            d->ops->at_break(d, &run->at);
        }
    }
    if (has_kink && !has_event && !stop) {
        fb_run_pass_kink(run);
    }
    if (has_event || stop || has_changed || is_at_break || has_jumped || has_kink || is_at_touch) {
        run->kinks[run->touched].is_new |= is_at_touch;
        d->keeps_motion &= !(has_event || stop || is_at_break || has_jumped || has_kink);
        FB_TRY(resume(run, err));
    }
    return stop ? FB_STOPPED : FB_OK;
}
