// Several switches that slide along their borders together, of which the motion does not determine
// the shares: dry friction that sticks in two hinges of one loop.
//
// Any one of them may carry more if another carries less. The share of one is set to the middle of
// what is possible, and reactions that depend on it are reported as not unique.
#include <math.h>
#include <string.h>

#include "system/work.h"

// With the last one idle and its share set: the shares of the others, and all outputs.
static bool try_share(FbSystem* s, const FbPoint* p, double share, double* shares,
                      double* outputs) {
    FbSlides* l = &s->slides;
    FbPoint at = {p->t, p->q, p->v, l->a, p->x, l->lambda, p->w};
    FbError err;
    s->pieces[l->index[l->n - 1]].share = share;
    if (!fb_slides_solve(s, p) || fb_system_accelerations(&s->dynamics, &at, &err) != FB_OK) {
        return false;
    }
    for (int k = 0; k < l->n; k++) {
        shares[k] = s->pieces[l->index[k]].share;
    }
    return fb_system_calc_outputs(s, &at, outputs, &err) == FB_OK;
}

// Reactions that differ between the two ends of what is possible are not unique.
static void mark_shared(FbSystem* s, double t) {
    static const double UNIQUE = 1e-6;  // of the largest reaction
    FbSlides* l = &s->slides;
    int n = s->m->n_outputs, first = 0;
    double largest = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) {
            if (fb_signal_is_reaction(s->m, s->m->outputs[i].signal)) {
                double a = l->outputs[i], b = l->outputs[n + i];
                largest = pass == 0 ? fmax(largest, fmax(fabs(a), fabs(b))) : largest;
                l->is_shared[i] |= pass == 1 && fabs(a - b) > UNIQUE * largest;
            }
        }
    }
    while (l->is_idle[first]) {
        first++;
    }
    if (isnan(l->shared_time)) {
        l->shared_time = t;
        l->shared[0] = l->index[first];
        l->shared[1] = l->index[l->n - 1];
    }
}

// The last one is held by the others: its share becomes the middle of those with which all stay on
// their borders. false: there is none.
bool fb_slides_share_load(FbSystem* s, const FbPoint* p) {
    FbSlides* l = &s->slides;
    double none[FB_MAX_SLIDES], all[FB_MAX_SLIDES], low = 0.0, high = 1.0;
    l->is_idle[l->n - 1] = true;
    if (!try_share(s, p, 0.0, none, l->outputs) ||
        !try_share(s, p, 1.0, all, l->outputs + s->m->n_outputs)) {
        return false;
    }
    for (int k = 0; k < l->n - 1; k++) {
        double slope = all[k] - none[k];
        double zero = -none[k] / slope, one = (1.0 - none[k]) / slope;
        bool is_open = slope == 0.0 || !isfinite(zero) || !isfinite(one);
        low = is_open ? low : fmax(low, fmin(zero, one));
        high = is_open ? high : fmin(high, fmax(zero, one));
    }
    if (!(low < high)) {
        return false;
    }
    s->pieces[l->index[l->n - 1]].share = 0.5 * (low + high);
    if (!fb_slides_solve(s, p) || !fb_slides_are_between(s)) {
        return false;
    }
    mark_shared(s, p->t);
    return true;
}

void fb_slides_examine_follower(FbSystem* s, const FbPoint* p) {
    FbSlides* l = &s->slides;
    int last = l->n - 1, leader = l->leader[last];
    double shares[FB_MAX_SLIDES];
    l->leader[last] = last;
    l->is_idle[last] = true;
    if (try_share(s, p, 0.0, shares, l->outputs) &&
        try_share(s, p, 1.0, shares, l->outputs + s->m->n_outputs)) {
        mark_shared(s, p->t);
    }
    l->leader[last] = leader;
    l->is_idle[last] = false;
    fb_slides_solve(s, p);
}

void fb_slides_forget(FbSystem* s) {
    memset(s->slides.is_shared, 0, sizeof(bool) * (size_t)s->m->n_outputs);
    s->slides.shared_time = NAN;
}

bool fb_system_get_shared(const FbSystem* s, const char* names[2], double* t) {
    const FbSlides* l = &s->slides;
    *t = l->shared_time;
    for (int k = 0; k < 2 && !isnan(*t); k++) {
        names[k] = fb_system_name_switch(&s->dynamics, l->shared[k]);
    }
    return !isnan(*t);
}

bool fb_system_is_shared(const FbSystem* s, int output) {
    return output >= 0 && output < s->m->n_outputs && s->slides.is_shared[output];
}
