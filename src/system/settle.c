// Several switches on their borders at one time: dry friction in two dampers of one body, of which
// one comes to rest while the other sticks.
//
// Changed one after another they may cycle: each change brings another one beyond
// its border. Together they have an answer (for dry friction exactly one, because the matrix B of
// slide.c is positive definite then): each slides with a share between 0 and 1, or it is on a piece
// into which the motion leads it. All combinations are tried.
#include <math.h>
#include <string.h>

#include "system/work.h"

typedef enum Way { WAY_SLIDES, WAY_FIRST, WAY_SECOND, N_WAYS } Way;

typedef struct Settling {
    FbSystem* s;
    const FbPoint* p;
    int n;
    int index[FB_MAX_SETTLING];
    FbPiece pair[FB_MAX_SETTLING];  // piece and other: on both sides of the border
    double dt;                      // s, for differences along the motion
} Settling;

static bool has(const Settling* e, int i) {
    for (int k = 0; k < e->n; k++) {
        if (e->index[k] == i) {
            return true;
        }
    }
    return false;
}

static bool add(Settling* e, int i) {
    if (has(e, i)) {
        return true;
    }
    if (e->n == FB_MAX_SETTLING) {
        return false;
    }
    e->index[e->n++] = i;
    return true;
}

// Those that are requested and all that slide. false: too many, or not determined by the motion
// alone.
static bool gather(Settling* e, int n, const int* switches) {
    const FbSlides* l = &e->s->slides;
    bool is_ok = true;
    for (int k = 0; k < l->n; k++) {
        is_ok = is_ok && l->leader[k] == k && !l->is_idle[k] && add(e, l->index[k]);
    }
    for (int k = 0; k < n; k++) {
        is_ok = is_ok && add(e, switches[k]);
    }
    return is_ok && e->n > 1;
}

static void find_pairs(Settling* e) {
    for (int k = 0; k < e->n; k++) {
        if (!fb_slides_has(e->s, e->index[k])) {
            fb_system_change_piece(&e->s->dynamics, e->p, e->index[k]);
        }
        e->pair[k] = e->s->pieces[e->index[k]];
        e->pair[k].share = 0.0;
    }
}

static void set_ways(const Settling* e, const Way* way) {
    FbSlides* l = &e->s->slides;
    l->n = 0;
    l->dt = e->dt;
    for (int k = 0; k < e->n; k++) {
        FbPiece* piece = &e->s->pieces[e->index[k]];
        *piece = e->pair[k];
        if (way[k] == WAY_SECOND) {
            piece->piece = e->pair[k].other;
            piece->other = e->pair[k].piece;
        } else if (way[k] == WAY_SLIDES) {
            l->index[l->n] = e->index[k];
            l->leader[l->n] = l->n;
            l->is_idle[l->n++] = false;
        }
    }
}

// Does the motion lead those that do not slide into their pieces?
static bool leads_inside(const Settling* e, const Way* way) {
    FbSystem* s = e->s;
    FbSlides* l = &s->slides;
    FbPoint at = {e->p->t, e->p->q, e->p->v, l->a, e->p->x, l->lambda, e->p->w};
    FbError err;
    int n = s->m->n_switches;
    double *ahead = l->depths, *behind = ahead + n, *scale = behind + n;
    if (fb_system_accelerations(&s->dynamics, &at, &err) != FB_OK) {
        return false;
    }
    FbPoint there = fb_slides_look_ahead(s, &at, e->dt);
    fb_system_calc_depths(&s->dynamics, &there, ahead, scale);
    there = fb_slides_look_ahead(s, &at, -e->dt);
    fb_system_calc_depths(&s->dynamics, &there, behind, scale);
    for (int k = 0; k < e->n; k++) {
        int i = e->index[k];
        if (way[k] != WAY_SLIDES && !(ahead[i] > behind[i])) {
            return false;
        }
    }
    return true;
}

static bool is_answer(const Settling* e, const Way* way) {
    FbSystem* s = e->s;
    set_ways(e, way);
    if (s->slides.n > 0 && !(fb_slides_are_determined(s, e->p) && fb_slides_solve(s, e->p) &&
                             fb_slides_are_between(s))) {
        return false;
    }
    s->slides.is_solving = true;  // the shares stay
    bool is_inside = leads_inside(e, way);
    s->slides.is_solving = false;
    return is_inside;
}

static bool count_up(int n, Way* way) {
    for (int k = 0; k < n; k++) {
        if (way[k] + 1 < N_WAYS) {
            way[k]++;
            return true;
        }
        way[k] = WAY_SLIDES;
    }
    return false;
}

bool fb_system_settle(FbDynamics* d, const FbPoint* p, int n, const int* switches, double h) {
    static const double PART = 1e-3;  // of a step, for differences along the motion
    FbSystem* s = fb_system_of(d);
    Settling e = {.s = s, .p = p, .dt = PART * h};
    if (!gather(&e, n, switches)) {
        return false;
    }
    FbSlides slides = s->slides;
    FbPiece before[FB_MAX_SETTLING];
    for (int k = 0; k < e.n; k++) {
        before[k] = s->pieces[e.index[k]];
    }
    find_pairs(&e);
    bool had_trouble = s->has_trouble;
    Way way[FB_MAX_SETTLING] = {WAY_SLIDES};
    do {
        if (is_answer(&e, way)) {
            fb_slides_weigh(s, p, h);
            s->has_trouble = had_trouble;
            return true;
        }
    } while (count_up(e.n, way));
    s->slides = slides;
    for (int k = 0; k < e.n; k++) {
        s->pieces[e.index[k]] = before[k];
    }
    s->has_trouble = had_trouble;
    fb_slides_solve(s, p);
    return false;
}
