// Peaks of a vibration and the effective damping ratio zeta_n = ln(A_0/A_n)/(2 pi n), eq. (11.2).
//
// The vibration is cut into lobes of one sign; a lobe ends where the other sign reaches a twentieth
// of its peak, so that ripples of higher modes around zero do not count as cycles.
#include "record/damping.h"

#include <math.h>
#include <stdlib.h>

#include "record/curve.h"
#include "record/damping_phase.h"

static const double two_pi = 6.283185307179586477;
static const double lobe_threshold = 0.05;
// The start counts as a peak unless it falls too steeply: y' T/(2 pi) beyond this part of y, which
// costs 2e-4 of the amplitude ...
static const double rest_slope = 0.02;
// ... where polynomials through 3, 4 and 5 samples agree on the slope to this part; where they do
// not, higher modes hide it.
static const double slope_agreement = 0.25;
// And it needs at least this part of a quarter cycle to its first zero.
static const double rest_quarter = 0.8;

// A cycle that lasts this much longer or shorter than those before it is one of something else.
static const double irregular_cycle = 1.6;
// The amplitude, relative to the first one, that is no more than rounding.
static const double rounded_amplitude = 1e-12;
// So many cycles back a cycle is compared; the frequency may change along the run.
enum { CYCLES_BEFORE = 5 };

typedef struct Lobe {
    int sign;
    int first, last;  // samples
    int peak;         // the sample farthest from 0
} Lobe;

static int sign_of(double x) {
    return (x > 0.0) - (x < 0.0);
}

// Cuts z into lobes; returns their number.
static int find_lobes(const double* z, int n, Lobe* lobes) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        Lobe* l = count > 0 ? &lobes[count - 1] : NULL;
        double peak = l ? fabs(z[l->peak]) : 0.0;
        bool is_other = l ? -l->sign * z[i] > lobe_threshold * peak : z[i] != 0.0;
        if (is_other) {
            lobes[count++] = (Lobe){sign_of(z[i]), i, i, i};
        } else if (l) {
            l->last = i;
            l->peak = l->sign * z[i] > peak ? i : l->peak;
        }
    }
    return count;
}

// The time from the first peak to the same peak one cycle later, about; 0: unknown.
static double guess_period(const FbCurve* z, const Lobe* lobes, int n) {
    if (n < 3) {
        return n == 2 ? 2.0 * (z->t[lobes[1].peak] - z->t[lobes[0].peak]) : 0.0;
    }
    // The first lobe may be cut by the start; later ones are whole.
    int a = n > 3 ? 1 : 0;
    return z->t[lobes[a + 2].peak] - z->t[lobes[a].peak];
}

// Does the vibration clearly pass the start with a slope?
static bool has_slope_at_start(const FbCurve* z, double period) {
    double low = INFINITY, high = -INFINITY;
    for (int n = 3; n <= 5 && n <= z->n; n++) {
        FbCurve first = {z->t, z->y, n, 0};
        double slope = fb_curve_slope(&first, z->t[0]) * period / (two_pi * z->y[0]);
        low = fmin(low, slope);
        high = fmax(high, slope);
    }
    return high < -rest_slope && high - low < -slope_agreement * low;
}

static bool is_rest_at_start(const FbCurve* z, const Lobe* lobe, double period) {
    int i = lobe->first;
    while (i < lobe->last && z->y[i + 1] * lobe->sign > 0.0) {
        i++;
    }
    double a = z->y[i], b = i + 1 < z->n ? z->y[i + 1] : 0.0;
    double step = i + 1 < z->n ? (z->t[i + 1] - z->t[i]) * a / (a - b) : 0.0;
    double quarter = z->t[i] + step - z->t[0];
    return quarter >= 0.25 * rest_quarter * period && !has_slope_at_start(z, period);
}

// The peak of lobe k; false: it has none that can be relied on.
static bool find_peak(const FbCurve* z, const Lobe* lobe, double period, FbDampingPeak* out) {
    double value;
    if (lobe->peak == 0) {
        *out = (FbDampingPeak){z->t[0], fabs(z->y[0])};
        return period > 0.0 && is_rest_at_start(z, lobe, period);
    }
    bool is_found = fb_curve_extremum(z, lobe->peak, lobe->sign, &out->t, &value);
    out->amplitude = is_found ? fabs(value) : 0.0;
    return is_found;
}

static double ratio_of(double from, double to, int cycles) {
    return log(from / to) / (two_pi * cycles);
}

static void add_cycle(FbDamping* d, FbDampingCycle* cycles, const FbDampingPeak* peak) {
    int k = d->n_cycles++;
    double before = k > 0 ? cycles[k - 1].amplitude : d->amplitude_0;
    double t = k > 0 ? cycles[k - 1].t : d->t_0;
    cycles[k] = (FbDampingCycle){.t = peak->t,
                                 .amplitude = peak->amplitude,
                                 .ratio = ratio_of(before, peak->amplitude, 1),
                                 .overall = ratio_of(d->amplitude_0, peak->amplitude, k + 1),
                                 .frequency_hz = 1.0 / (peak->t - t),
                                 .energy = NAN,
                                 .energy_change = NAN};
}

static void collect_peaks(const FbCurve* z, const Lobe* lobes, int n_lobes, FbDampingPeak* peaks,
                          FbDampingCycle* cycles, FbDamping* d) {
    double period = guess_period(z, lobes, n_lobes);
    bool has_start = false;
    for (int k = 0; k < n_lobes; k++) {
        FbDampingPeak* peak = &peaks[d->n_peaks];
        if (!find_peak(z, &lobes[k], period, peak)) {
            continue;
        }
        d->n_peaks++;
        if (lobes[k].sign < 0) {
            continue;
        }
        if (has_start) {
            add_cycle(d, cycles, peak);
        } else {
            has_start = true;
            d->t_0 = peak->t;
            d->amplitude_0 = peak->amplitude;
            d->starts_at_rest = lobes[k].peak == 0;
        }
    }
}

static void calc_overall(const FbDampingInput* in, FbDamping* d) {
    d->n_asked = in->cycles > 0 ? in->cycles : d->n_cycles;
    d->is_complete = d->n_asked > 0 && d->n_cycles >= d->n_asked;
    if (d->is_complete) {
        const FbDampingCycle* last = &d->cycles[d->n_asked - 1];
        d->ratio = last->overall;
        d->frequency_hz = d->n_asked / (last->t - d->t_0);
        d->share = d->ratio / d->bound;
    }
}

static FbStatus check_series(const FbDampingInput* in, FbError* err) {
    if (in->n < 3) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL,
                       "%d samples show no vibration; record more samples", in->n);
    }
    for (int i = 0; i < in->n; i++) {
        bool is_increasing = i == 0 || in->t[i] > in->t[i - 1];
        if (!is_increasing || !isfinite(in->y[i])) {
            return fb_fail(err, FB_ERR_ARGUMENT, NULL,
                           "sample %d at t = %g s %s, so the samples do not describe a vibration",
                           i, in->t[i],
                           is_increasing ? "is not finite" : "is not later than the previous one");
        }
    }
    return FB_OK;
}

FbStatus fb_damping_calc(const FbDampingInput* in, FbArena* arena, FbDamping* out, FbError* err) {
    FB_TRY(check_series(in, err));
    *out = (FbDamping){.about = in->about,
                       .t_0 = NAN,
                       .amplitude_0 = NAN,
                       .ratio = NAN,
                       .frequency_hz = NAN,
                       .bound = in->bound,
                       .share = NAN};
    double* z = FB_TAKE(arena, double, in->n);
    Lobe* lobes = FB_TAKE(arena, Lobe, in->n);
    if (!z || !lobes) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < in->n; i++) {
        z[i] = in->y[i] - in->about;
    }
    FbCurve curve = {in->t, z, in->n, in->points};
    int n_lobes = find_lobes(z, in->n, lobes);
    FbDampingPeak* peaks = FB_TAKE(arena, FbDampingPeak, n_lobes + 1);
    FbDampingCycle* cycles = FB_TAKE(arena, FbDampingCycle, n_lobes + 1);
    if (!peaks || !cycles) {
        return fb_fail_memory(err);
    }
    out->peaks = peaks;
    out->cycles = cycles;
    collect_peaks(&curve, lobes, n_lobes, peaks, cycles, out);
    calc_overall(in, out);
    return fb_damping_add_phases(in, arena, cycles, out, err);
}

static double duration_of(const FbDamping* d, int k) {
    return d->cycles[k].t - (k > 0 ? d->cycles[k - 1].t : d->t_0);
}

// The median duration of some cycles before cycle k > 0.
static double usual_duration(const FbDamping* d, int k) {
    double sorted[CYCLES_BEFORE] = {0};
    int n = 0;
    for (int i = k > CYCLES_BEFORE ? k - CYCLES_BEFORE : 0; i < k; i++) {
        double x = duration_of(d, i);
        int at = n++;
        for (; at > 0 && sorted[at - 1] > x; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = x;
    }
    return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}

int fb_damping_count_clear(const FbDamping* d) {
    for (int k = 0; k < d->n_cycles; k++) {
        double factor = k > 0 ? duration_of(d, k) / usual_duration(d, k) : 1.0;
        bool is_regular = factor <= irregular_cycle && factor >= 1.0 / irregular_cycle;
        if (!is_regular || !(d->cycles[k].amplitude > rounded_amplitude * d->amplitude_0)) {
            return k;
        }
    }
    return d->n_cycles;
}

double fb_damping_bound(double m1, double m2) {
    return log(m2 / m1) / two_pi;
}
