// Looks for the borders of pieces inside a step, on its dense output.
//
// Looks at the depths are taken more closely where these vary much; what lies between three looks
// is judged by parabolas; borders are narrowed down by regula falsi (theory manual, section 5.12).
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/kinks.h"
#include "solve/point.h"

// Where a step began on a border: parts of it at which the inside is looked for.
static const double LOOKS[] = {0.5, 0.25, 0.125, 1.0 / 32.0, 1.0 / 256.0, 1.0 / 4096.0};
enum { N_LOOKS = sizeof LOOKS / sizeof *LOOKS };

// Which switches are beyond their borders; the number of them.
static int mark_beyond(FbRun* run, const double* depth) {
    int n = 0;
    for (int i = 0; i < fb_kinks_count(run); i++) {
        run->kinks[i].is_beyond = !run->kinks[i].is_free && fb_kink_is_beyond(run, i, depth[i]);
        n += run->kinks[i].is_beyond;
    }
    return n;
}

// May the depth have been negative somewhere inside the step, although it is not at its ends? It
// moves about as fast as in the step before.
static bool is_suspicious(const FbRun* run, int i, double h) {
    const FbKink* k = &run->kinks[i];
    double a = run->depth_start[i], b = run->depth_end[i];
    double way = fmax(fabs(b - a), k->speed * h);
    return !k->is_free && !k->is_touch && (!k->is_known || fmin(a, b) < 2.0 * way);
}

// The smallest depth by the parabola through three looks, and its time; NaN: not between them.
static double lowest(const double t[3], const double d[3], double* at) {
    double s0 = (d[1] - d[0]) / (t[1] - t[0]), s1 = (d[2] - d[1]) / (t[2] - t[1]);
    double bend = (s1 - s0) / (t[2] - t[0]);
    *at = 0.5 * (t[0] + t[1]) - 0.5 * s0 / bend;
    bool is_between = bend > 0.0 && *at > t[0] && *at < t[2];
    return is_between ? d[0] + (*at - t[0]) * (s0 + bend * (*at - t[1])) : NAN;
}

// Five looks, equally apart, at an interval.
typedef struct Span {
    double t[5];
    double* row[5];  // depths
} Span;

// The polynomial through five samples, at the fraction CHECK of their interval.
static const double CHECK = 0.41421356237309515;
static const double AT_CHECK[5] = {-0.029556897355733757, 0.29821818781565573, 0.8562799494945832,
                                   -0.1458411225055795, 0.020899882551074077};

// Do the looks show all that happens? The one in the middle should lie on the cubic through the
// others, and one more, at the part CHECK, on the polynomial through all of them.
static bool is_resolved(const FbRun* run, const Span* s, const double* check) {
    static const double PART = 0.05;  // of the range
    for (int i = 0; i < fb_kinks_count(run); i++) {
        double d[5], low = check[i], high = check[i], quartic = 0.0;
        for (int k = 0; k < 5; k++) {
            d[k] = s->row[k][i];
            low = fmin(low, d[k]);
            high = fmax(high, d[k]);
            quartic += AT_CHECK[k] * d[k];
        }
        double cubic = (4.0 * (d[1] + d[3]) - d[0] - d[4]) / 6.0, range = high - low;
        double miss = fmax(fabs(cubic - d[2]), fabs(quartic - check[i]));
        bool is_close = low < 2.0 * range && range > fb_kink_noise(run, i);
        bool is_held = !run->kinks[i].is_free && !run->kinks[i].is_touch;
        if (is_held && is_close && miss > PART * range) {
            return false;
        }
    }
    return true;
}

// Switches that are inside their pieces at t; those that began on a border only where they are
// clearly.
static void note_insides(FbRun* run, double t, const double* depth) {
    for (int i = 0; i < fb_kinks_count(run); i++) {
        double least = fb_kink_noise(run, i);
        if (run->kinks[i].is_border) {
            least = fmax(least, 10.0 * fabs(run->depth_start[i]));
        }
        if (depth[i] > least) {
            run->kinks[i].inside = t;
        }
    }
}

// The looks around the lowest of three and one more between them.
static void narrow_looks(double at, double depth, double t[3], double d[3]) {
    double time[4] = {t[0], t[1], t[2], at}, value[4] = {d[0], d[1], d[2], depth};
    for (int k = 3; k > 0 && time[k] < time[k - 1]; k--) {
        double swap = time[k];
        time[k] = time[k - 1];
        time[k - 1] = swap;
        swap = value[k];
        value[k] = value[k - 1];
        value[k - 1] = swap;
    }
    int first = value[1] <= value[2] ? 0 : 1;
    for (int k = 0; k < 3; k++) {
        t[k] = time[first + k];
        d[k] = value[first + k];
    }
}

// Some depth may go below zero between three looks that are all above it: by parabolas, as long as
// these are near zero. Coarse looks may miss that by more.
static FbStatus look_lower(FbRun* run, const double times[3], double* const row[3], bool is_coarse,
                           double* hi) {
    enum { MAX_LOOKS = 3 };
    double part = is_coarse ? 0.3 : 0.1, at;
    for (int i = 0; i < fb_kinks_count(run) && isnan(*hi); i++) {
        const FbKink* k = &run->kinks[i];
        double t[3] = {times[0], times[1], times[2]}, d[3] = {row[0][i], row[1][i], row[2][i]};
        double range = fmax(d[0], fmax(d[1], d[2])) - fmin(d[0], fmin(d[1], d[2]));
        for (int n = 0; n < MAX_LOOKS && !k->is_free && !k->is_touch; n++) {
            if (!(lowest(t, d, &at) < part * range)) {
                break;
            }
            FB_TRY(fb_run_calc_depths(run, at, false, run->depth_probe));
            if (fb_kink_is_beyond(run, i, run->depth_probe[i])) {
                *hi = at;
                break;
            }
            narrow_looks(at, run->depth_probe[i], t, d);
        }
    }
    return FB_OK;
}

static FbStatus scan_resolved(FbRun* run, const Span* s, bool is_coarse, double* hi) {
    for (int k = 1; k < 5 && isnan(*hi); k++) {
        if (mark_beyond(run, s->row[k]) > 0) {
            *hi = s->t[k];
            return FB_OK;
        }
        if (k < 4 && mark_beyond(run, s->row[k + 1]) == 0) {
            FB_TRY(look_lower(run, s->t + k - 1, s->row + k - 1, is_coarse, hi));
            if (!isnan(*hi)) {
                mark_beyond(run, run->depth_probe);
                return FB_OK;
            }
        }
        note_insides(run, s->t[k], s->row[k]);
    }
    return FB_OK;
}

// Looks for borders from t0 to t1, with depths d0 and d1 there, more closely where depths vary
// much. *hi: the first look beyond a border, whose switches are marked; NaN: none.
static FbStatus scan(FbRun* run, double t0, double* d0, double t1, double* d1, bool is_coarse,
                     int level, double* hi) {
    double* room = run->depth_looks + 3 * fb_kinks_count(run) * level;
    Span s = {{t0, 0, 0, 0, t1},
              {d0, room, room + fb_kinks_count(run), room + 2 * fb_kinks_count(run), d1}};
    for (int k = 1; k < 4; k++) {
        s.t[k] = t0 + (t1 - t0) * k / 4;
        FB_TRY(fb_run_calc_depths(run, s.t[k], is_coarse, s.row[k]));
    }
    FB_TRY(fb_run_calc_depths(run, t0 + CHECK * (t1 - t0), is_coarse, run->depth_probe));
    bool is_fine = level >= run->look_level && is_resolved(run, &s, run->depth_probe);
    if (level + 1 == FB_KINK_LEVELS || is_fine) {
        return scan_resolved(run, &s, is_coarse, hi);
    }
    FB_TRY(scan(run, t0, d0, s.t[2], s.row[2], is_coarse, level + 1, hi));
    return isnan(*hi) ? scan(run, s.t[2], s.row[2], t1, d1, is_coarse, level + 1, hi) : FB_OK;
}

// Whoever starts on a border and leaves its piece at once may be back, and far inside, when looked
// at first: a body that hardly sticks. The way it sets out shows that.
static FbStatus look_at_start(FbRun* run, double* hi) {
    static const double SOON = 1.0 / 256.0;  // of the step
    bool has_border = false;
    for (int i = 0; i < fb_kinks_count(run); i++) {
        const FbKink* k = &run->kinks[i];
        has_border = has_border || (k->is_border && !k->is_free && !k->is_touch);
    }
    double t = run->start.t + SOON * (run->at.t - run->start.t);
    if (has_border && t > run->start.t) {
        FB_TRY(fb_run_calc_depths(run, t, false, run->depth_probe));
        *hi = mark_beyond(run, run->depth_probe) > 0 ? t : NAN;
    }
    return FB_OK;
}

static FbStatus scan_step(FbRun* run, bool is_coarse, double* hi) {
    // A step much longer than the last one may show depths that seem smooth by chance only.
    double growth = run->last_span > 0.0 ? (run->at.t - run->start.t) / run->last_span : 2.0;
    // (A companion's steps are all longer, and its run has looked closely.)
    growth = run->is_companion ? 1.0 : growth;
    run->look_level = (int)fmin(fmax(log2(growth), 0.0), FB_KINK_LEVELS - 2.0);
    *hi = NAN;
    for (int i = 0; i < fb_kinks_count(run); i++) {
        FbKink* k = &run->kinks[i];
        double least = k->is_new ? FB_KINK_NEAR * k->scale : fb_kink_noise(run, i);
        k->is_border = !(run->depth_start[i] > least);
        k->inside = k->is_border ? NAN : run->start.t;
    }
    FB_TRY(look_at_start(run, hi));
    return isnan(*hi) ? scan(run, run->start.t, run->depth_start, run->at.t, run->depth_end,
                             is_coarse, 0, hi)
                      : FB_OK;
}

// The first time in the step at which a switch is seen beyond its border; NaN: none.
FbStatus fb_kinks_find_beyond(FbRun* run, double* hi) {
    double h = run->at.t - run->start.t;
    bool is_needed = mark_beyond(run, run->depth_end) > 0;
    for (int i = 0; i < fb_kinks_count(run) && !is_needed; i++) {
        is_needed = is_suspicious(run, i, h);
    }
    *hi = NAN;
    if (is_needed) {
        bool is_coarse = run->integrator->type->glance != NULL;
        FB_TRY(scan_step(run, is_coarse, hi));
        if (is_coarse && !isnan(*hi)) {
            FB_TRY(scan_step(run, false, hi));
        }
    }
    return FB_OK;
}

// Switches that began on a border and are beyond it at hi: were they inside in between? If not they
// were beyond it from the start.
FbStatus fb_kinks_find_insides(FbRun* run, double hi, bool* is_at_start) {
    double a = run->start.t;
    bool has_border = false;
    for (int i = 0; i < fb_kinks_count(run); i++) {
        has_border = has_border || (run->kinks[i].is_beyond && isnan(run->kinks[i].inside));
    }
    for (int n = 0; has_border && n < N_LOOKS; n++) {
        double t = a + LOOKS[n] * (hi - a);
        FB_TRY(fb_run_calc_depths(run, t, false, run->depth_probe));
        for (int i = 0; i < fb_kinks_count(run); i++) {
            FbKink* k = &run->kinks[i];
            double least = fmax(fb_kink_noise(run, i), 10.0 * fabs(run->depth_start[i]));
            if (k->is_beyond && isnan(k->inside) && run->depth_probe[i] > least) {
                k->inside = t;
            }
        }
    }
    *is_at_start = false;
    for (int i = 0; i < fb_kinks_count(run); i++) {
        *is_at_start = *is_at_start || (run->kinks[i].is_beyond && isnan(run->kinks[i].inside));
    }
    return FB_OK;
}

// Narrows the interval in which switch i leaves its piece, by the method of Illinois (regula
// falsi).
static FbStatus narrow(FbRun* run, int i, double tolerance, double* lo, double* hi) {
    double a = *lo, b = *hi, fa, fb;
    FB_TRY(fb_run_calc_depths(run, a, false, run->depth_probe));
    fa = run->depth_probe[i];
    FB_TRY(fb_run_calc_depths(run, b, false, run->depth_probe));
    fb = run->depth_probe[i];
    int side = 0;
    if (!(fb <= 0.0)) {
        *lo = *hi;
        return FB_OK;
    }
    for (int k = 0; b - a > 2.0 * tolerance && k < 100; k++) {
        double t = fa > fb ? (fa * b - fb * a) / (fa - fb) : 0.5 * (a + b);
        t = k % 3 == 2 ? 0.5 * (a + b) : t;  // bisection now and then: no worst case
        t = fmin(fmax(t, a + tolerance), b - tolerance);
        FB_TRY(fb_run_calc_depths(run, t, false, run->depth_probe));
        double f = run->depth_probe[i];
        if (f > 0.0) {
            a = t;
            fa = f;
            fb *= side == 1 ? 0.5 : 1.0;
            side = 1;
        } else {
            b = t;
            fb = f;
            fa *= side == -1 ? 0.5 : 1.0;
            side = -1;
        }
    }
    *lo = a;
    *hi = b;
    return FB_OK;
}

static int first_marked(const FbRun* run) {
    int i = 0;
    while (!run->kinks[i].is_beyond) {
        i++;
    }
    return i;
}

// The first border of the marked switches before *hi; those that change there stay marked.
FbStatus fb_kinks_find_first(FbRun* run, double tolerance, double* hi, int* first) {
    double b = *hi;
    for (;;) {
        int i = first_marked(run);
        double lo = run->kinks[i].inside, up = b;
        FB_TRY(narrow(run, i, tolerance, &lo, &up));
        FB_TRY(fb_run_calc_depths(run, lo, false, run->depth_probe));
        bool is_earlier = false;
        for (int j = 0; j < fb_kinks_count(run); j++) {
            FbKink* k = &run->kinks[j];
            bool is_before = k->is_beyond && j != i && k->inside < lo &&
                             fb_kink_is_beyond(run, j, run->depth_probe[j]);
            is_earlier = is_earlier || is_before;
        }
        *hi = up;
        *first = i;
        if (!is_earlier) {
            break;
        }
        for (int j = 0; j < fb_kinks_count(run); j++) {
            FbKink* k = &run->kinks[j];
            k->is_beyond = k->is_beyond && j != i && k->inside < lo &&
                           fb_kink_is_beyond(run, j, run->depth_probe[j]);
        }
        b = lo;
    }
    FB_TRY(fb_run_calc_depths(run, *hi, false, run->depth_probe));
    for (int j = 0; j < fb_kinks_count(run); j++) {
        FbKink* k = &run->kinks[j];
        k->is_beyond = j == *first || (k->is_beyond && run->depth_probe[j] <= 0.0);
    }
    return FB_OK;
}

// The accurate point where switch i leaves its piece, into run->event: the dense output may miss
// the trajectory by a little, so the time is corrected by Newton's method.
FbStatus fb_kinks_refine(FbRun* run, int i, double t, double tolerance, FbError* err) {
    double from = run->start.t, to = run->at.t, delta = 1e-4 * (to - from);
    if (run->is_companion) {
        FbStatus status = fb_run_sample(run, t, &run->event, err);
        fb_run_leave_sample(run);
        return status;
    }
    for (int k = 0; k < 4; k++) {
        FB_TRY(fb_run_refine(run, t, &run->event, err));
        fb_kinks_calc_depths(run, &run->event, run->depth_probe);
        double f = run->depth_probe[i], lo = fmax(from, t - delta), hi = fmin(to, t + delta);
        FB_TRY(fb_run_calc_depths(run, lo, false, run->depth_probe));
        double f_lo = run->depth_probe[i];
        FB_TRY(fb_run_calc_depths(run, hi, false, run->depth_probe));
        double slope = (run->depth_probe[i] - f_lo) / (hi - lo);
        double next = slope < 0.0 ? fmin(fmax(t - f / slope, from), to) : t;
        if (!(fabs(next - t) > tolerance)) {
            break;
        }
        t = next;
    }
    return FB_OK;
}
