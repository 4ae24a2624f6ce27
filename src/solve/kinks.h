// What the files of kinks share: how deep a switch is in its piece, and the search of a step for
// borders.
#ifndef FLYBALL_SOLVE_KINKS_H
#define FLYBALL_SOLVE_KINKS_H

#include <math.h>

#include "solve/run.h"

static inline int fb_kinks_count(const FbRun* run) {
    return run->dynamics->size.n_switch;
}

// Of the largest numbers that a depth was the difference of.
static const double FB_KINK_NOISE = 1e-14;
static inline double fb_kink_noise(const FbRun* run, int i) {
    return fmax(FB_KINK_NOISE * run->kinks[i].scale, run->kinks[i].time_noise);
}

// Of the same: a switch that has changed there is still on its border.
static const double FB_KINK_NEAR = 1e-8;

// A switch that has just changed may have done so a little beyond its new border, at the end of
// sliding along it: only if it continues there.
static inline bool fb_kink_is_beyond(const FbRun* run, int i, double depth) {
    const FbKink* k = &run->kinks[i];
    double least = fb_kink_noise(run, i), start = run->depth_start[i];
    if (k->is_new && start < 0.0 && start > -FB_KINK_NEAR * k->scale) {
        least = fmax(least, -2.0 * start);
    }
    return depth < -least;  // false if it is inactive (NaN)
}

// kinks.c: depths at a point; the scales follow.
void fb_kinks_calc_depths(FbRun* run, const FbPoint* p, double* depth);

// kink_search.c: the first time in the step at which a switch is seen beyond its border, which is
// then marked; NaN: none.
FbStatus fb_kinks_find_beyond(FbRun* run, double* hi);
// Switches that began on a border and are beyond it at hi: were they inside in between? If not they
// were beyond it from the start.
FbStatus fb_kinks_find_insides(FbRun* run, double hi, bool* is_at_start);
// The first border of the marked switches before *hi; those that change there stay marked.
FbStatus fb_kinks_find_first(FbRun* run, double tolerance, double* hi, int* first);
// The accurate point where switch i leaves its piece, into run->event.
FbStatus fb_kinks_refine(FbRun* run, int i, double t, double tolerance, FbError* err);

#endif
