// Can linear guides carry their sliders? Linear elements do not include the buckling of a
// compressed beam.
//
// The weight of everything and the loads at the start give the axial forces N of all linear
// elements by linear statics, and these a geometric stiffness (eqs. 8.73, 8.74)
//   K u = f,   K_G = sum_e J0' E' int N(x) N_x' Q N_x dx E J0.
// Where K + K_G is no longer positive the structure buckles. Sliders are moved along their guides,
// one at a time, to find where that happens.
#include "system/buckling.h"

#include <math.h>
#include <stdlib.h>

#include "system/slider_state.h"

enum { MANY_COORDINATES = 2000, BISECTIONS = 30 };

static FbStatus bisect(FbBuckling* k, double* moved, double good, double bad, double* last,
                       FbError* err) {
    for (int i = 0; i < BISECTIONS; i++) {
        bool is_stable;
        *moved = 0.5 * (good + bad);
        FB_TRY(fb_buckling_check(k, &is_stable, err));
        *(is_stable ? &good : &bad) = *moved;
    }
    *last = good;
    return FB_OK;
}

// The farthest place towards an end of its guide that the slider may reach; infinite: the end.
static FbStatus find_limit(FbBuckling* k, int i, bool is_up, double* limit, FbError* err) {
    double start = k->at[i], good = start, end = is_up ? k->m->sliders[i].length : 0.0;
    int steps = k->n > MANY_COORDINATES ? 2 : 12;
    *limit = is_up ? INFINITY : -INFINITY;
    for (int j = 1; j <= steps; j++) {
        bool is_stable;
        k->at[i] = start + (end - start) * j / steps;
        FB_TRY(fb_buckling_check(k, &is_stable, err));
        if (!is_stable) {
            FB_TRY(bisect(k, &k->at[i], good, k->at[i], limit, err));
            break;
        }
        good = k->at[i];
    }
    k->at[i] = start;
    return FB_OK;
}

static FbStatus refuse(FbBuckling* k, int i, FbError* err) {
    const FbSlider* slider = &k->m->sliders[i];
    double full = k->mass[i], most;
    FB_TRY(bisect(k, &k->mass[i], 0.0, full, &most, err));
    return fb_fail(err, FB_ERR_MODEL, &slider->place,
                   "slider '%s' is heavier than its guide '%s' can carry: with the mass at s = "
                   "%.4g m the guide buckles under %.5g kg, and it has %.5g kg; make the guide "
                   "stiffer, or use `theory: nonlinear`, which is valid beyond buckling",
                   slider->name, slider->guide, k->at[i], most, full);
}

// Without sliders; then with one after the other where it starts; then along their guides.
static FbStatus search(FbBuckling* k, FbError* err) {
    const FbModel* m = k->m;
    bool is_stable;
    for (int i = 0; i < m->n_sliders; i++) {
        k->mass[i] = 0.0;
        k->at[i] = k->system->motion[i].s;
    }
    FB_TRY(fb_buckling_check(k, &is_stable, err));
    k->system->has_buckled = !is_stable;
    for (int i = 0; is_stable && i < m->n_sliders; i++) {
        if (fb_slider_is_on_linear(&m->sliders[i])) {
            int carriage = m->sliders[i].carriage;
            k->mass[i] =
                m->sliders[i].mass.mass + (carriage >= 0 ? m->carriages[carriage].mass : 0.0);
            FB_TRY(fb_buckling_check(k, &is_stable, err));
            FB_TRY(is_stable ? FB_OK : refuse(k, i, err));
        }
    }
    for (int i = 0; is_stable && i < m->n_sliders; i++) {
        if (fb_slider_is_on_linear(&m->sliders[i])) {
            FB_TRY(find_limit(k, i, true, &k->system->slider_high[i], err));
            FB_TRY(find_limit(k, i, false, &k->system->slider_low[i], err));
        }
    }
    return FB_OK;
}

static bool has_linear_beams(const FbModel* m) {
    for (int i = 0; i < m->n_beams; i++) {
        if (m->beams[i].is_linear) {
            return true;
        }
    }
    return false;
}

FbStatus fb_system_check_buckling(FbSystem* s, const FbPoint* p, FbError* err) {
    for (int i = 0; i < s->m->n_sliders; i++) {
        s->slider_low[i] = -INFINITY;
        s->slider_high[i] = INFINITY;
    }
    if (!has_linear_beams(s->m)) {
        return FB_OK;
    }
    FbBuckling k = {
        .system = s, .m = s->m, .n_c = s->dynamics.size.n_c, .arena = fb_arena_create()};
    bool is_ready = false;
    FbStatus status = k.arena ? fb_buckling_prepare(&k, p, &is_ready, err) : fb_fail_memory(err);
    status = status == FB_OK && is_ready ? search(&k, err) : status;
    fb_linear_destroy(k.solver);
    fb_symmetric_destroy(k.firm);
    fb_symmetric_destroy(k.loaded);
    fb_arena_destroy(k.arena);
    free(k.list);
    return status;
}

FbStatus fb_sliders_check_limits(FbSystem* s, const FbPoint* p, FbError* err) {
    for (int i = 0; i < s->m->n_sliders; i++) {
        const FbSlider* slider = &s->m->sliders[i];
        if (slider->couple_slope > 0.0) {
            double speed = fb_slider_motion(s, p, slider).ds;
            double share = slider->mass.mass * speed * speed * slider->couple_slope;
            s->largest_share[i] = fmax(s->largest_share[i], share);
        }
        if (s->slider_low[i] == -INFINITY && s->slider_high[i] == INFINITY) {
            continue;
        }
        double at = fb_slider_motion(s, p, slider).s;
        if (at > s->slider_high[i] || at < s->slider_low[i]) {
            return fb_fail(err, FB_ERR_MODEL, &slider->place,
                           "slider '%s' is heavier than its guide '%s' can carry: at t = %.6g s it "
                           "is at s = %.6g m, and beyond s = %.5g m the guide buckles under its "
                           "%.5g kg; make the guide stiffer, or use `theory: nonlinear`",
                           slider->name, slider->guide, p->t, at,
                           at > s->slider_high[i] ? s->slider_high[i] : s->slider_low[i],
                           slider->mass.mass);
        }
    }
    return FB_OK;
}
