// Kinks: where an expression leaves the piece that a step holds, the step ends.
//
// During a step every switch (max, abs, if, ...) continues on the piece where the step began, so
// that the method sees a smooth function even beyond the border; the depth inside the piece is
// positive before it and negative beyond. After the step the first border is located on the dense
// output, the step is cut there, the piece changes, and the method restarts (theory manual,
// section 5.12).
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/kinks.h"
#include "solve/point.h"

static const double TIME_TOLERANCE = 1e-14;  // of the step
// Changes of one switch in a row that fit into the longest step: more are not located.
enum { MAX_CHATTER = 40 };
// Changes in a row without any progress in time.
enum { MAX_STALLS = 12 };
// Steps in a row that are discarded because of a singular point inside them.
enum { MAX_REDONE = 10 };
// Corrections of the time of a singular point.
enum { MAX_CORRECTIONS = 6 };
// Steps without a change after which a free switch is held again.
enum { CALM_STEPS = 20 };

// For differences along the motion: the first steps of a method after its restart may be too short.
static double step_length(const FbRun* run) {
    static const double PART = 1e-3;
    return fmax(run->integrator->type->wanted_step(run->integrator), PART * run->longest);
}

// Depths at a point; the scales follow.
void fb_kinks_calc_depths(FbRun* run, const FbPoint* p, double* depth) {
    FbDynamics* d = run->dynamics;
    d->ops->depths(d, p, depth, run->scale_now);
    for (int i = 0; i < fb_kinks_count(run); i++) {
        run->kinks[i].scale = fmax(run->kinks[i].scale, run->scale_now[i]);
    }
}

static double v_scale(const FbDynamics* d, int j) {
    return d->v_scale ? d->v_scale[j] : 1.0;
}

// By how much the depths change where the velocities change by that of the whole motion, all in the
// same direction or in turn.
static void raise_scales(FbRun* run, bool is_in_turn) {
    FbDynamics* d = run->dynamics;
    fb_point_copy(&d->size, &run->at, &run->probe);
    for (int j = 0; j < d->size.n_v; j++) {
        double change = run->speed * v_scale(d, j);
        run->probe.v[j] += is_in_turn && j % 2 == 1 ? -change : change;
    }
    d->ops->depths(d, &run->probe, run->depth_probe, run->scale_now);
    for (int i = 0; i < fb_kinks_count(run); i++) {
        double size = fabs(run->depth_probe[i] - run->depth_end[i]);
        run->kinks[i].scale = size > run->kinks[i].scale ? size : run->kinks[i].scale;
    }
}

// A velocity that constraints hold to zero is not the zero of its own size, which is that of its
// rounding: the motion that they share says what is small (theory manual, section 5.12). The depths
// of run->at are in run->depth_end.
static void weigh_speeds(FbRun* run) {
    const FbDynamics* d = run->dynamics;
    double speed = 0.0;
    for (int j = 0; d->size.n_c > 0 && j < d->size.n_v; j++) {
        speed = fmax(speed, fabs(run->at.v[j]) / v_scale(d, j));
    }
    if (speed > 2.0 * run->speed && isfinite(speed)) {
        run->speed = speed;
        raise_scales(run, false);
        raise_scales(run, true);
    }
}

FbStatus fb_run_calc_depths(FbRun* run, double t, bool is_coarse, double* depth) {
    run->n_looks++;
    FbIntegrator* s = run->integrator;
    if (t == run->at.t) {
        fb_kinks_calc_depths(run, &run->at, depth);
        return FB_OK;
    }
    FB_TRY(is_coarse && s->type->glance ? s->type->glance(s, t, &run->probe)
                                        : s->type->interpolate(s, t, &run->probe));
    fb_kinks_calc_depths(run, &run->probe, depth);
    return FB_OK;
}

FbStatus fb_run_start_kinks(FbRun* run) {
    FbDynamics* d = run->dynamics;
    if (fb_kinks_count(run) == 0) {
        return FB_OK;
    }
    d->ops->hold_pieces(d, &run->at);
    memset(run->kinks, 0, sizeof *run->kinks * (size_t)fb_kinks_count(run));
    for (int i = 0; i < fb_kinks_count(run); i++) {
        run->kinks[i].is_touch = d->ops->is_touch(d, i);
    }
    for (int i = 0; run->ignores_kinks && i < fb_kinks_count(run); i++) {
        d->ops->free_piece(d, i, true);
        run->kinks[i].is_free = true;
    }
    fb_kinks_calc_depths(run, &run->at, run->depth_start);
    return FB_OK;
}

// A jump of one value (of a law at its break, of another switch) may bring others beyond their
// borders: these change too, except those that have just done so.
static void settle(FbRun* run) {
    FbDynamics* d = run->dynamics;
    enum { MAX_ROUNDS = 8 };
    for (int round = 0, n = 1; round < MAX_ROUNDS && n > 0; round++) {
        n = 0;
        fb_kinks_calc_depths(run, &run->at, run->depth_start);
        for (int i = 0; i < fb_kinks_count(run); i++) {
            FbKink* k = &run->kinks[i];
            if (!k->is_new && !k->is_free && fb_kink_is_beyond(run, i, run->depth_start[i])) {
                d->ops->reset_idle_pieces(d, &run->at, run->depth_start, step_length(run));
                d->ops->change_piece(d, &run->at, i);
                k->is_new = true;
                n++;
            }
        }
    }
}

bool fb_run_is_on_border(const FbRun* run) {
    for (int i = 0; i < fb_kinks_count(run); i++) {
        const FbKink* k = &run->kinks[i];
        if (!k->is_free && !k->is_touch && fabs(run->depth_start[i]) <= fb_kink_noise(run, i)) {
            return true;
        }
    }
    return false;
}

void fb_run_resume_kinks(FbRun* run) {
    if (fb_kinks_count(run) > 0) {
        settle(run);
        for (int i = 0; i < fb_kinks_count(run); i++) {
            run->kinks[i].is_known = run->kinks[i].is_known && !run->kinks[i].is_touch;
        }
        run->dynamics->ops->follow_pieces(run->dynamics, &run->at);
        fb_kinks_calc_depths(run, &run->at, run->depth_start);
    }
}

// May a switch that is not held have passed a border in the step?
static bool is_dark(const FbRun* run, double h) {
    for (int i = 0; i < fb_kinks_count(run); i++) {
        double a = run->depth_start[i], b = run->depth_end[i];
        double way = fmax(fabs(b - a), run->kinks[i].speed * h);
        if (run->kinks[i].is_free && (!run->kinks[i].is_known || fmin(a, b) < 2.0 * way)) {
            return true;
        }
    }
    return false;
}

// After a step without kinks: what is learnt from it.
static void pass_step(FbRun* run) {
    double h = run->at.t - run->start.t;
    run->has_dark_step = is_dark(run, h) || run->n_redone >= MAX_REDONE;
    run->n_redone = 0;
    run->dynamics->ops->follow_pieces(run->dynamics, &run->at);
    fb_run_follow_touches(run);
    run->last_span = h;
    run->n_stalls = 0;
    run->longest = fmax(run->longest, h);
    for (int i = 0; i < fb_kinks_count(run); i++) {
        FbKink* k = &run->kinks[i];
        double change = fabs(run->depth_end[i] - run->depth_start[i]);
        k->speed = isnan(change) ? 0.0 : change / h;
        k->is_known = !isnan(change);
        k->is_new = k->is_new && !(run->depth_end[i] > fb_kink_noise(run, i));
        k->is_tried = k->is_tried && k->is_new;
        k->n_chatter = k->is_new ? k->n_chatter : 0;
        k->calm = k->is_free ? k->calm + 1 : 0;
        if (k->is_free && fb_kink_is_beyond(run, i, run->depth_end[i])) {
            run->dynamics->ops->change_piece(run->dynamics, &run->at, i);
            k->calm = 0;
        }
        if (k->calm > CALM_STEPS && !run->ignores_kinks) {
            run->dynamics->ops->free_piece(run->dynamics, i, false);
            k->is_free = false;
            k->is_new = true;
        }
    }
    double* start = run->depth_start;
    run->depth_start = run->depth_end;
    run->depth_end = start;
}

static void keep_only_at_start(FbRun* run) {
    for (int i = 0; i < fb_kinks_count(run); i++) {
        run->kinks[i].is_beyond = run->kinks[i].is_beyond && isnan(run->kinks[i].inside);
    }
}

// The change of depths within times that cannot be distinguished.
static void set_time_noise(FbRun* run) {
    static const double ROUNDING_UNITS = 8.0;
    double part = ROUNDING_UNITS * DBL_EPSILON * fabs(run->at.t) / (run->at.t - run->start.t);
    for (int i = 0; i < fb_kinks_count(run); i++) {
        double change = fabs(run->depth_end[i] - run->depth_start[i]);
        run->kinks[i].time_noise = isnan(change) ? 0.0 : part * change;
    }
}

// Where a singular point is touched before `end` the step is to be made again, up to it.
static FbStatus stop_at_touch(FbRun* run, double end, FbKinkFound* found) {
    double t = NAN;
    if (!run->is_hopping && run->n_redone < MAX_REDONE) {
        FB_TRY(fb_run_find_touch(run, end, &t));
    }
    bool has_arrived = isnan(t) && run->at.t == run->touch && !run->is_hopping;
    if (has_arrived && run->n_corrections < MAX_CORRECTIONS) {
        FB_TRY(fb_run_approach_touch(run, &t));
    }
    if (isnan(t)) {
        return FB_OK;
    }
    if (run->n_redone++ == 0 && isnan(run->touch)) {
        run->touch_end = run->at.t;
        run->touch_span = run->at.t - run->start.t;
    }
    run->touch = t;
    run->is_seen = true;
    fb_point_copy(&run->dynamics->size, &run->start, &run->at);
    *found = FB_KINK_TOUCH;
    return FB_OK;
}

// The step is cut where the first of the marked switches leaves its piece.
static FbStatus cut_step(FbRun* run, double hi, FbKinkFound* found, FbError* err) {
    int first;
    double tolerance =
        fmax(TIME_TOLERANCE * (run->at.t - run->start.t), 4.0 * DBL_EPSILON * fabs(run->at.t));
    FB_TRY(fb_kinks_find_first(run, tolerance, &hi, &first));
    FB_TRY(stop_at_touch(run, hi, found));
    if (*found == FB_KINK_TOUCH) {
        return FB_OK;
    }
    FB_TRY(fb_kinks_refine(run, first, hi, tolerance, err));
    FB_TRY(fb_run_realize(run, &run->event, err));
    fb_point_copy(&run->dynamics->size, &run->event, &run->at);
    return FB_OK;
}

FbStatus fb_run_find_kink(FbRun* run, FbKinkFound* found, FbError* err) {
    double hi;
    bool is_at_start;
    *found = FB_KINK_NONE;
    run->has_dark_step = false;
    if (fb_kinks_count(run) == 0) {
        return FB_OK;
    }
    fb_kinks_calc_depths(run, &run->at, run->depth_end);
    weigh_speeds(run);
    set_time_noise(run);
    FB_TRY(fb_kinks_find_beyond(run, &hi));
    if (isnan(hi)) {
        FB_TRY(stop_at_touch(run, run->at.t, found));
        if (*found == FB_KINK_NONE) {
            FB_TRY(fb_run_foresee_touch(run));
            pass_step(run);
        }
        return FB_OK;
    }
    *found = FB_KINK_BORDER;
    FB_TRY(fb_kinks_find_insides(run, hi, &is_at_start));
    if (is_at_start) {
        keep_only_at_start(run);
        fb_point_copy(&run->dynamics->size, &run->start, &run->at);
        return FB_OK;
    }
    return cut_step(run, hi, found, err);
}

// Not located any more: the error control of the method finds its way.
static void release(FbRun* run, int i) {
    FbKink* k = &run->kinks[i];
    run->dynamics->ops->free_piece(run->dynamics, i, true);
    k->is_free = true;
    k->is_new = k->is_tried = false;
    k->calm = k->n_chatter = 0;
    if (isnan(run->chatter_time)) {
        run->chatter_time = run->at.t;
        run->chatter = i;
    }
}

static bool has_chattered(FbRun* run, FbKink* k) {
    if (k->n_chatter == 0) {
        k->chatter_start = run->at.t;
    }
    bool is_short = run->at.t - k->chatter_start <= run->longest;
    k->n_chatter = is_short ? k->n_chatter + 1 : 0;
    return k->n_chatter > MAX_CHATTER;
}

// Switches that keep changing one after the other at one time are asked together.
static bool settle_together(FbRun* run) {
    enum { MAX_SWITCHES = 8 };
    FbDynamics* d = run->dynamics;
    int n = 0, index[MAX_SWITCHES];
    for (int i = 0; i < fb_kinks_count(run) && n < MAX_SWITCHES; i++) {
        const FbKink* k = &run->kinks[i];
        if ((k->is_beyond || k->is_new) && !k->is_free && !k->is_touch) {
            index[n++] = i;
        }
    }
    if (!d->ops->settle(d, &run->at, n, index, step_length(run))) {
        return false;
    }
    for (int j = 0; j < n; j++) {
        FbKink* k = &run->kinks[index[j]];
        k->is_beyond = k->is_tried = false;
        k->is_new = true;
    }
    return true;
}

// A switch without a jump (abs beside sign) slides only along the border of another one.
static void slide_with_others(FbRun* run) {
    FbDynamics* d = run->dynamics;
    double h = step_length(run);
    for (int i = 0; i < fb_kinks_count(run); i++) {
        FbKink* k = &run->kinks[i];
        if (!k->is_beyond) {
            continue;
        }
        if (d->ops->slide(d, &run->at, i, h)) {
            k->is_tried = k->is_new = false;
        } else if (settle_together(run)) {
            return;
        } else {
            release(run, i);
        }
        k->is_beyond = false;
    }
}

void fb_run_pass_kink(FbRun* run) {
    FbDynamics* d = run->dynamics;
    bool has_moved = run->at.t > run->start.t;
    run->n_redone = 0;
    run->n_kinks++;
    run->n_stalls = has_moved ? 0 : run->n_stalls + 1;
    run->last_span = has_moved ? run->at.t - run->start.t : run->last_span;
    run->longest = fmax(run->longest, run->at.t - run->start.t);
    fb_kinks_calc_depths(run, &run->at, run->depth_probe);
    d->ops->reset_idle_pieces(d, &run->at, run->depth_probe, step_length(run));
    enum { PATIENCE = 4 };
    if (run->n_stalls > PATIENCE && run->n_stalls <= MAX_STALLS && settle_together(run)) {
        return;
    }
    for (int i = 0; i < fb_kinks_count(run); i++) {
        FbKink* k = &run->kinks[i];
        k->is_tried = k->is_tried && !has_moved;
        if (!k->is_beyond) {
            k->n_chatter = has_moved ? 0 : k->n_chatter;
            k->is_new = k->is_new && !(has_moved && run->depth_probe[i] > fb_kink_noise(run, i));
            continue;
        }
        double h = step_length(run);
        bool is_stalled = run->n_stalls > MAX_STALLS;
        if (k->is_tried && !is_stalled && d->ops->slide(d, &run->at, i, h)) {
            k->is_tried = k->is_new = k->is_beyond = false;
            continue;
        }
        if (k->is_tried && !is_stalled) {
            continue;  // tried again when the others slide
        }
        k->is_beyond = false;
        if (is_stalled || has_chattered(run, k)) {
            release(run, i);
            continue;
        }
        d->ops->change_piece(d, &run->at, i);
        k->is_new = true;
        k->is_tried = !has_moved;
    }
    slide_with_others(run);
}
