// Events: where a root function changes its sign inside a step, located on the dense output.
//
// Each root has a side, the sign it had last. An event is a change of side; the side is set when
// the event has been dealt with, so that rounding around the zero just found cannot trigger it
// again.
#include <math.h>
#include <string.h>

#include "solve/point.h"
#include "solve/run.h"

// Parts of a step in which each root function may change its sign only once.
enum { PARTS = 6 };
static const double TIME_TOLERANCE = 1e-13;  // relative to the step and to the time
static const double NOISE = 1e-14;           // of a root function's largest value: counts as zero

// The probe at t: dense output; a and lambda (rarely needed) linear between the ends.
static FbStatus move_probe(FbRun* run, double t) {
    FbPoint* p = &run->probe;
    const FbSizes* n = &run->dynamics->size;
    double part = (t - run->start.t) / (run->at.t - run->start.t);
    if (run->dynamics->has_roots_of_time) {
        p->t = t;
        return FB_OK;
    }
    FB_TRY(run->integrator->type->interpolate(run->integrator, t, p));
    for (int j = 0; j < n->n_v; j++) {
        p->a[j] = run->start.a[j] + part * (run->at.a[j] - run->start.a[j]);
    }
    for (int i = 0; i < n->n_c; i++) {
        p->lambda[i] = run->start.lambda[i] + part * (run->at.lambda[i] - run->start.lambda[i]);
    }
    return FB_OK;
}

static FbStatus calc_roots(FbRun* run, double t, double* values) {
    FbDynamics* d = run->dynamics;
    if (t == run->at.t) {
        d->ops->roots(d, &run->at, values);
        return FB_OK;
    }
    FB_TRY(move_probe(run, t));
    d->ops->roots(d, &run->probe, values);
    return FB_OK;
}

static int side_of(FbRun* run, int i, double value) {
    run->root_scale[i] = fmax(run->root_scale[i], fabs(value));
    return fabs(value) <= NOISE * run->root_scale[i] ? 0 : value > 0.0 ? 1 : -1;
}

void fb_run_start_roots(FbRun* run) {
    FbDynamics* d = run->dynamics;
    if (d->size.n_root == 0) {
        return;
    }
    d->ops->roots(d, &run->at, run->roots);
    for (int i = 0; i < d->size.n_root; i++) {
        run->side[i] = side_of(run, i, run->roots[i]);
    }
}

static bool is_armed(const FbRun* run, int i) {
    const FbDynamics* d = run->dynamics;
    return !d->ops->is_armed || d->ops->is_armed(d, i, run->start.t);
}

static bool is_wanted(const FbRun* run, int i, int direction) {
    if (!is_armed(run, i)) {
        return false;
    }
    return !run->directions || run->directions[i] == 0 || run->directions[i] == direction;
}

// The zero of root i in [a, b] by ITP (Oliveira & Takahashi 2020): bisection's worst case, secant's
// speed.
static FbStatus locate(FbRun* run, int i, double a, double fa, double b, double fb,
                       double tolerance, double* t) {
    int n_half = (int)ceil(log2(fmax((b - a) / (2.0 * tolerance), 1.0))) + 1;
    double k1 = 0.2 / (b - a);
    for (int k = 0; b - a > 2.0 * tolerance && k < 200; k++) {
        double middle = 0.5 * (a + b), radius = tolerance * ldexp(1.0, n_half - k) - 0.5 * (b - a);
        double secant = (fb * a - fa * b) / (fb - fa);
        double shift = k1 * (b - a) * (b - a), toward = secant < middle ? 1.0 : -1.0;
        double guess = shift <= fabs(middle - secant) ? secant + toward * shift : middle;
        double point = fabs(guess - middle) <= radius ? guess : middle - toward * radius;
        point = point > a && point < b ? point : middle;
        FB_TRY(calc_roots(run, point, run->roots));
        double f = run->roots[i];
        if (f == 0.0) {
            a = b = point;
        } else if ((f > 0.0) == (fb > 0.0)) {
            b = point;
            fb = f;
        } else {
            a = point;
            fa = f;
        }
    }
    *t = 0.5 * (a + b);
    return FB_OK;
}

// The accurate point at the event, with its time corrected where the accurate trajectory differs
// from the dense output.
static FbStatus refine_event(FbRun* run, int i, double from, double to, double tolerance,
                             FbError* err) {
    FbDynamics* d = run->dynamics;
    FbPoint* p = &run->event;
    double t = p->t, delta = 1e-4 * (to - from);
    for (int k = 0; k < 4; k++) {
        FB_TRY(fb_run_sample_finely(run, t, p, err));
        d->ops->roots(d, p, run->roots);
        double f = run->roots[i], lo = fmax(from, t - delta), hi = fmin(to, t + delta);
        FB_TRY(calc_roots(run, lo, run->roots));
        double f_lo = run->roots[i];
        FB_TRY(calc_roots(run, hi, run->roots));
        double slope = (run->roots[i] - f_lo) / (hi - lo);
        double next = slope != 0.0 ? fmin(fmax(t - f / slope, from), to) : t;
        if (fabs(next - t) <= tolerance || !isfinite(next)) {
            break;
        }
        t = next;
    }
    return FB_OK;
}

// Other events that change sides at the event `root`, as far as times can be distinguished, happen
// with it: three components of one load begin to move at once, whatever their rounding.
static FbStatus find_others(FbRun* run, int root, double from, double to, double tolerance) {
    static const double APART = 8.0;  // tolerances
    FbDynamics* d = run->dynamics;
    double t = run->event.t, delta = 1e-4 * (to - from);
    double lo = fmax(from, t - delta), hi = fmin(to, t + delta);
    memset(run->others, 0, sizeof(int) * (size_t)d->size.n_root);
    if (d->size.n_root == 1 || !(hi > lo)) {
        return FB_OK;
    }
    FB_TRY(calc_roots(run, lo, run->roots_before));
    FB_TRY(calc_roots(run, hi, run->roots_after));
    d->ops->roots(d, &run->event, run->roots);
    for (int i = 0; i < d->size.n_root; i++) {
        double slope = (run->roots_after[i] - run->roots_before[i]) / (hi - lo);
        int side = side_of(run, i, run->roots[i] + APART * tolerance * slope);
        bool is_crossed = i != root && run->side[i] != 0 && side == -run->side[i];
        run->others[i] = is_crossed && is_wanted(run, i, side) ? side : 0;
    }
    return FB_OK;
}

// The earliest change of side in [a, b], where roots_before holds the values at a; those at b go to
// roots_after.
static FbStatus find_in_part(FbRun* run, double a, double b, double tolerance, int* root,
                             int* direction, double* t) {
    *root = -1;
    FB_TRY(calc_roots(run, b, run->roots_after));
    for (int i = 0; i < run->dynamics->size.n_root; i++) {
        double fa = run->roots_before[i], fb = run->roots_after[i], found = a;
        int side = side_of(run, i, fb);
        if (side == 0 || run->side[i] == 0 || side == run->side[i] || !is_wanted(run, i, side)) {
            continue;
        }
        if ((fa > 0.0) != (fb > 0.0)) {
            FB_TRY(locate(run, i, a, fa, b, fb, tolerance, &found));
        }
        if (*root < 0 || found < *t) {
            *root = i;
            *direction = side;
            *t = found;
        }
    }
    return FB_OK;
}

// A root without a side (it has just begun to count) takes the one at the start of the step.
static void take_missing_sides(FbRun* run) {
    for (int i = 0; i < run->dynamics->size.n_root; i++) {
        if (run->side[i] == 0 && is_armed(run, i)) {
            run->side[i] = side_of(run, i, run->roots_before[i]);
        }
    }
}

// Sides after an interval without an event, even for unwanted directions. Inactive roots need not
// be evaluated and have no side.
static void pass_part(FbRun* run) {
    for (int i = 0; i < run->dynamics->size.n_root; i++) {
        int side = is_armed(run, i) ? side_of(run, i, run->roots_after[i]) : 0;
        run->side[i] = side != 0 || !is_armed(run, i) ? side : run->side[i];
        run->roots_before[i] = run->roots_after[i];
    }
}

FbStatus fb_run_find_event(FbRun* run, double from, double to, int* root, int* direction,
                           FbError* err) {
    FbDynamics* d = run->dynamics;
    double tolerance = TIME_TOLERANCE * fmax(to - from, fabs(to)), a = from, t = from;
    *root = -1;
    if (from == run->start.t) {
        d->ops->roots(d, &run->start, run->roots_before);
        take_missing_sides(run);
    } else {
        FB_TRY(calc_roots(run, from, run->roots_before));
    }
    for (int part = 1; part <= PARTS; part++) {
        double b = part == PARTS ? to : from + (to - from) * part / PARTS;
        FB_TRY(find_in_part(run, a, b, tolerance, root, direction, &t));
        if (*root >= 0) {
            run->event.t = t;
            FB_TRY(refine_event(run, *root, from, to, tolerance, err));
            return find_others(run, *root, from, to, tolerance);
        }
        pass_part(run);
        a = b;
    }
    return FB_OK;
}

void fb_run_pass_event(FbRun* run, int root, int direction) {
    run->side[root] = direction;
}
