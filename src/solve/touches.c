// Singular points: where the argument of sqrt, hypot, asin, ... touches the point at which the
// function has a corner or a pole, a step ends.
//
// Such an operation cannot be held: nothing indicates that sqrt(x^2) should continue as -x. A step
// that meets the point is discarded and repeated up to it. The criterion is the distance from the
// singular point along the motion, which has a corner where the point is touched (theory manual,
// section 5.12).
#include <float.h>
#include <math.h>

#include "solve/run.h"

enum { PARTS = 8, LOOKS = PARTS + 3 };
// Of the step: a corner that near to one of its ends is at that end.
static const double MARGIN = 1e-5;
// Of the largest distance in the step: the smallest one that is as good as none.
static const double NEAR = 1e-2;
// Of a bracket: what is left of it in the end.
static const double LEFT = 1e-11;

// The looks at a step, its ends and points next to them among these.
typedef struct Looks {
    double t[LOOKS];
    double* depth[LOOKS];
} Looks;

static bool is_watched(const FbRun* run, int i) {
    return run->kinks[i].is_touch && !run->kinks[i].is_free;
}

// May the distance have been small somewhere inside the step? It moves about as fast as in the last
// one.
static bool is_suspicious(const FbRun* run, int i, double h) {
    const FbKink* k = &run->kinks[i];
    double a = run->depth_start[i], b = run->depth_end[i];
    double way = fmax(fabs(b - a), k->speed * h);
    return is_watched(run, i) && (!k->is_known || fmin(a, b) < 2.0 * way);
}

static FbStatus look(FbRun* run, double end, Looks* l) {
    double a = run->start.t, h = end - a;
    bool is_coarse = run->integrator->type->glance != NULL;
    for (int j = 0; j < LOOKS; j++) {
        double part = j == 0           ? 0.0
                      : j == 1         ? MARGIN
                      : j < LOOKS - 2  ? (double)(j - 1) / PARTS
                      : j == LOOKS - 2 ? 1.0 - MARGIN
                                       : 1.0;
        l->t[j] = j == LOOKS - 1 ? end : a + part * h;
        l->depth[j] =
            j == 0 ? run->depth_start : run->depth_looks + (j - 1) * run->dynamics->size.n_switch;
        if (j > 0) {
            FB_TRY(fb_run_calc_depths(run, l->t[j], is_coarse, l->depth[j]));
        }
    }
    return FB_OK;
}

// The time of the smallest distance between a and b, by the golden section: also where it is a
// corner.
static FbStatus find_lowest(FbRun* run, int i, double a, double b, double* t, double* least) {
    static const double GOLDEN = 0.61803398874989485;
    double x = b - GOLDEN * (b - a), y = a + GOLDEN * (b - a), stop = LEFT * (b - a), fx, fy;
    FB_TRY(fb_run_calc_depths(run, x, false, run->depth_probe));
    fx = run->depth_probe[i];
    FB_TRY(fb_run_calc_depths(run, y, false, run->depth_probe));
    fy = run->depth_probe[i];
    for (int k = 0; k < 100 && b - a > fmax(stop, 4.0 * DBL_EPSILON * fabs(b)); k++) {
        bool is_left = fx < fy;
        if (is_left) {
            b = y;
            y = x;
            fy = fx;
            x = b - GOLDEN * (b - a);
        } else {
            a = x;
            x = y;
            fx = fy;
            y = a + GOLDEN * (b - a);
        }
        FB_TRY(fb_run_calc_depths(run, is_left ? x : y, false, run->depth_probe));
        *(is_left ? &fx : &fy) = run->depth_probe[i];
    }
    *t = fx < fy ? x : y;
    *least = fmin(fx, fy);
    return FB_OK;
}

// The first corner of switch i; NaN: none. A step that began at one does not find it again.
static FbStatus find_corner(FbRun* run, int i, const Looks* l, double* t) {
    double largest = 0.0, h = l->t[LOOKS - 1] - l->t[0];
    double margin = fmax(MARGIN * h, 2.0 * fb_run_resolution(run));
    *t = NAN;
    for (int j = 0; j < LOOKS; j++) {
        largest = fmax(largest, l->depth[j][i]);
    }
    for (int j = run->kinks[i].is_new ? 2 : 1; j < LOOKS - 1; j++) {
        double before = l->depth[j - 1][i], now = l->depth[j][i], after = l->depth[j + 1][i];
        if (!(now < before && now <= after && now < 0.5 * largest)) {
            continue;
        }
        double at, least;
        FB_TRY(find_lowest(run, i, l->t[j - 1], l->t[j + 1], &at, &least));
        bool is_inside = at - l->t[0] > margin && l->t[LOOKS - 1] - at > margin;
        if (least < NEAR * largest && is_inside) {
            *t = at;
            return FB_OK;
        }
    }
    return FB_OK;
}

// Where the distance, taken as linear from a to b, becomes zero.
static FbStatus extrapolate(FbRun* run, int i, double a, double b, double* zero) {
    FB_TRY(fb_run_calc_depths(run, a, false, run->depth_probe));
    double fa = run->depth_probe[i];
    FB_TRY(fb_run_calc_depths(run, b, false, run->depth_probe));
    double fb = run->depth_probe[i];
    *zero = fa > fb ? b + (b - a) * fb / (fa - fb) : NAN;
    return FB_OK;
}

// The location of the singular point estimated from the step before it; NaN: only a near miss.
static FbStatus extrapolate_touch(FbRun* run, double* zero) {
    static const double FIRST = 1e-2, SMALLEST = 1e-6, BEHIND = 1e-3;  // of the step
    static const double ROUNDING_UNITS = 8.0;                          // of times
    double end = run->at.t, h = end - run->start.t;
    double least = fmin(ROUNDING_UNITS * fb_run_resolution(run), 0.25 * h);
    double most = fmax(FIRST * h, least), away = most;
    least = fmax(least, SMALLEST * h);
    *zero = end;
    for (int k = 0; k < 3; k++) {
        double base = fmin(*zero, end);
        FB_TRY(extrapolate(run, run->touched, base - 2.0 * away, base - away, zero));
        if (!(*zero > end - fmax(BEHIND * h, least) && *zero < run->touch_end)) {
            *zero = NAN;
            return FB_OK;
        }
        away = fmin(fmax(fabs(*zero - end), least), most);
    }
    return FB_OK;
}

// The length of the hop across the point is twice this at least.
static double aside_of(const FbRun* run) {
    static const double PART = 1e-12;
    return fmax(PART * run->touch_span, 2.0 * fb_run_resolution(run));
}

// Where to end next on the way to the point: far from it the last step gives only an estimate.
static double aim_at(const FbRun* run, double zero) {
    static const double FAR = 0.1, CAUTION = 0.95;
    double end = run->at.t, way = zero - end, h = end - run->start.t;
    return way > FAR * h ? end + CAUTION * way : zero - aside_of(run);
}

FbStatus fb_run_approach_touch(FbRun* run, double* again) {
    static const double LESS_STRICT = 100.0;
    double end = run->at.t, zero;
    *again = NAN;
    FB_TRY(extrapolate_touch(run, &zero));
    if (isnan(zero)) {
        // Blurred by rounding, or a near miss: the method restarts where a corner was seen.
        run->touch = run->is_seen ? run->touch : NAN;
        return FB_OK;
    }
    // A little before the point; where rounding blurs it, in the end, not as near.
    double aside = aside_of(run), left = zero - end;
    double most = 2.0 * aside * pow(LESS_STRICT, run->n_corrections);
    if (left > 0.25 * aside && left < most) {
        run->touch = zero + left;
        run->is_hopping = true;
    } else if (left > aside) {
        run->touch = aim_at(run, zero);
    } else {
        run->is_hopping = !(zero - aside > run->start.t);
        *again = run->is_hopping ? zero + aside : zero - aside;
        run->n_corrections++;
    }
    return FB_OK;
}

// The first singular point that seems to come, within about a step.
static FbStatus foresee(FbRun* run, double* first) {
    static const double LOOK_BACK = 0.1;  // of the step
    double end = run->at.t, h = end - run->start.t;
    *first = NAN;
    for (int i = 0; i < run->dynamics->size.n_switch; i++) {
        double zero;
        if (!is_watched(run, i) || !(run->depth_end[i] < run->depth_start[i])) {
            continue;
        }
        FB_TRY(extrapolate(run, i, end - LOOK_BACK * h, end, &zero));
        if (zero - end < run->last_span && !(zero >= *first)) {
            *first = zero;
            run->touched = i;
        }
    }
    return FB_OK;
}

// Where the argument passes the point as a straight line, d is a root of the time: it may vanish
// sooner than its last speed suggests.
static bool is_step_away(const FbKink* k, double depth, double h) {
    static const double ROOT = 0.3;
    return ROOT * depth <= k->speed * h;
}

bool fb_run_is_rough(const FbRun* run) {
    double h = run->integrator->type->wanted_step(run->integrator);
    for (int i = 0; i < run->dynamics->size.n_switch; i++) {
        const FbKink* k = &run->kinks[i];
        double depth = run->depth_start[i];
        bool is_near = (k->is_leaving || k->is_coming) && is_step_away(k, depth, h);
        if (is_watched(run, i) && !isnan(depth) && (!k->is_known || is_near)) {
            return true;
        }
    }
    return false;
}

void fb_run_follow_touches(FbRun* run) {
    static const double TINY = 1e-2;  // of the end: the step began at the point
    static const double STEADY =
        0.99;  // of the speed before: it does not turn back before the point
    double h = run->at.t - run->start.t;
    for (int i = 0; i < run->dynamics->size.n_switch; i++) {
        FbKink* k = &run->kinks[i];
        double a = run->depth_start[i], b = run->depth_end[i], speed = fabs(b - a) / h;
        if (is_watched(run, i)) {
            k->is_coming = b < a && speed >= STEADY * k->speed;
            k->is_leaving = b > a && (a < TINY * b || (k->is_leaving && is_step_away(k, a, h)));
        }
    }
}

FbStatus fb_run_foresee_touch(FbRun* run) {
    static const double SHORTER = 0.5;  // than the last step: an obstacle may be the reason
    double end = run->at.t, h = end - run->start.t, zero = NAN;
    if (run->is_hopping || end >= run->touch) {
        return FB_OK;
    }
    if (!isnan(run->touch)) {
        FB_TRY(extrapolate_touch(run, &zero));
    } else if (h < SHORTER * run->last_span) {
        FB_TRY(foresee(run, &zero));
        run->touch_span = zero - end;
        run->touch_end = zero + run->last_span;
    }
    run->touch = zero > end ? aim_at(run, zero) : NAN;
    run->touch = run->touch - end > fb_run_resolution(run) ? run->touch : NAN;
    return FB_OK;
}

FbStatus fb_run_find_touch(FbRun* run, double end, double* t) {
    Looks looks;
    bool is_needed = false;
    int n = run->dynamics->size.n_switch;
    *t = NAN;
    for (int i = 0; i < n && !is_needed; i++) {
        is_needed = is_suspicious(run, i, end - run->start.t);
    }
    if (!is_needed) {
        return FB_OK;
    }
    FB_TRY(look(run, end, &looks));
    for (int i = 0; i < n; i++) {
        double corner = NAN;
        if (is_watched(run, i)) {
            FB_TRY(find_corner(run, i, &looks, &corner));
        }
        if (!isnan(corner) && !(corner >= *t)) {
            *t = corner;
            run->touched = i;
        }
    }
    return FB_OK;
}
