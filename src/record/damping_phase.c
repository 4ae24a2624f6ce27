// Amplification and attenuation: the sign of the power that goes into the vibration (eq. 11.5), or
// of the growth of its envelope where no energy is recorded.
#include "record/damping_phase.h"

#include <math.h>
#include <stdlib.h>

#include "record/curve.h"

// Below this part of a cycle's largest power the vibration is neither amplified nor attenuated.
static const double dead_power = 1e-3;

// The power as a function of time, with the largest value of the cycle around it.
typedef struct Power {
    FbCurve curve;
    bool is_slope;  // of the curve, which is an energy
    const FbDamping* d;
    double* largest;  // [n_cycles + 2]: before the first peak, of each cycle, after the last
} Power;

static double calc_power(const Power* p, double t) {
    return p->is_slope ? fb_curve_slope(&p->curve, t) : fb_curve_value(&p->curve, t);
}

// 0 before the first peak, k in cycle k, n_cycles + 1 after the last.
static int find_cycle(const FbDamping* d, double t) {
    if (d->n_cycles == 0 || t < d->t_0) {
        return 0;
    }
    int low = 0, high = d->n_cycles;  // ends: cycles[high - 1]
    while (low < high) {
        int middle = (low + high) / 2;
        if (d->cycles[middle].t < t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low + 1;
}

static void calc_largest(Power* p) {
    const FbCurve* c = &p->curve;
    for (int i = 0; i < c->n; i++) {
        double* largest = &p->largest[find_cycle(p->d, c->t[i])];
        *largest = fmax(*largest, fabs(calc_power(p, c->t[i])));
    }
    // The pieces before and after the cycles may be too short for their own scale.
    int n = p->d->n_cycles;
    if (n > 0) {
        p->largest[0] = fmax(p->largest[0], p->largest[1]);
        p->largest[n + 1] = fmax(p->largest[n + 1], p->largest[n]);
    }
}

static int direction_at(const Power* p, double t) {
    double power = calc_power(p, t);
    double least = dead_power * p->largest[find_cycle(p->d, t)];
    return (power > least) - (power < -least);
}

// Where between two samples the direction changes.
static double find_change(const Power* p, double from, double to, int direction) {
    for (int k = 0; k < 50; k++) {
        double middle = 0.5 * (from + to);
        if (direction_at(p, middle) == direction) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return 0.5 * (from + to);
}

static int collect(const Power* p, FbDampingPhase* phases) {
    const FbCurve* c = &p->curve;
    int n = 0, direction = direction_at(p, c->t[0]);
    double from = c->t[0];
    for (int i = 1; i < c->n; i++) {
        int next = direction_at(p, c->t[i]);
        bool is_last = i == c->n - 1;
        if (next == direction && !is_last) {
            continue;
        }
        double to = next == direction ? c->t[i] : find_change(p, c->t[i - 1], c->t[i], direction);
        if (direction != 0) {
            phases[n++] = (FbDampingPhase){from, to, direction};
        }
        from = to;
        direction = next;
    }
    return n;
}

// Half cycles: from one extremum to the next.
static int collect_from_envelope(const FbDamping* d, FbDampingPhase* phases) {
    int n = 0;
    for (int i = 1; i < d->n_peaks; i++) {
        double change = d->peaks[i].amplitude - d->peaks[i - 1].amplitude;
        int direction = (change > 0.0) - (change < 0.0);
        if (n > 0 && phases[n - 1].direction == direction) {
            phases[n - 1].to = d->peaks[i].t;
        } else if (direction != 0) {
            phases[n++] = (FbDampingPhase){d->peaks[i - 1].t, d->peaks[i].t, direction};
        }
    }
    return n;
}

static void add_durations(FbDamping* d, FbDampingCycle* cycles) {
    for (int k = 0; k < d->n_cycles; k++) {
        double begin = k > 0 ? cycles[k - 1].t : d->t_0;
        for (int i = 0; i < d->n_phases; i++) {
            const FbDampingPhase* phase = &d->phases[i];
            double overlap = fmin(phase->to, cycles[k].t) - fmax(phase->from, begin);
            if (overlap > 0.0) {
                *(phase->direction > 0 ? &cycles[k].growing_s : &cycles[k].falling_s) += overlap;
            }
        }
    }
}

static void add_energies(const Power* p, FbDamping* d, FbDampingCycle* cycles) {
    double before = p->is_slope && d->n_cycles > 0 ? fb_curve_value(&p->curve, d->t_0) : NAN;
    for (int k = 0; k < d->n_cycles; k++) {
        double begin = k > 0 ? cycles[k - 1].t : d->t_0;
        if (p->is_slope) {
            cycles[k].energy = fb_curve_value(&p->curve, cycles[k].t);
            cycles[k].energy_change = cycles[k].energy - before;
            before = cycles[k].energy;
        } else {
            cycles[k].energy_change = fb_curve_integral(&p->curve, begin, cycles[k].t);
        }
    }
}

FbStatus fb_damping_add_phases(const FbDampingInput* in, FbArena* arena, FbDampingCycle* cycles,
                               FbDamping* d, FbError* err) {
    bool has_power = in->energy || in->power;
    FbDampingPhase* phases = FB_TAKE(arena, FbDampingPhase, in->n + 1);
    Power p = {.curve = {in->t, in->energy ? in->energy : in->power, in->n, 0},
               .is_slope = in->energy != NULL,
               .d = d,
               .largest = FB_TAKE(arena, double, d->n_cycles + 2)};
    if (!phases || !p.largest) {
        return fb_fail_memory(err);
    }
    d->phases = phases;
    d->phases_from = in->energy ? "energy" : in->power ? "power" : "envelope";
    if (has_power) {
        calc_largest(&p);
        d->n_phases = collect(&p, phases);
        add_energies(&p, d, cycles);
    } else {
        d->n_phases = collect_from_envelope(d, phases);
    }
    add_durations(d, cycles);
    return FB_OK;
}
