// Sliding along the border of a piece: dry friction that sticks, a relay that holds its input at
// zero.
//
// Where the motion returns to the border from both sides, it stays there. The switch then takes the
// mean (1 - share) f_piece + share f_other, with the share for which the border function b is at
// rest (Filippov; theory manual, eq. 5.18). The accelerations are linear in the shares, so that
//   B share = -b0',   B_kj = b_kj' - b_k0',   b' along the motion with all shares 0 or only share
//   j 1.
#include <math.h>
#include <string.h>

#include "system/work.h"

void fb_slides_take(FbSystem* s) {
    int n_v = s->m->tree.n_v, n_x = s->m->n_states;
    FbSlides* l = &s->slides;
    l->a = FB_TAKE(s->arena, double, n_v + 1);
    l->lambda = FB_TAKE(s->arena, double, s->m->n_rows + 1);
    l->x_rate = FB_TAKE(s->arena, double, n_x + 1);
    l->q = FB_TAKE(s->arena, double, s->m->tree.n_q + 1);
    l->v = FB_TAKE(s->arena, double, n_v + 1);
    l->xi = FB_TAKE(s->arena, double, n_v + 1);
    l->x = FB_TAKE(s->arena, double, n_x + 1);
}

// b of all sliding switches a time `dt` along the motion with the rates in s->slides.
static void calc_borders(FbSystem* s, const FbPoint* p, double dt, double b[FB_MAX_SLIDES]) {
    FbSlides* l = &s->slides;
    for (int j = 0; j < s->m->tree.n_v; j++) {
        l->xi[j] = dt * p->v[j];
        l->v[j] = p->v[j] + dt * l->a[j];
    }
    for (int i = 0; i < s->m->n_states; i++) {
        l->x[i] = p->x[i] + dt * l->x_rate[i];
    }
    fb_tree_plus(&s->m->tree, p->q, l->xi, l->q);
    FbPoint at = {p->t + dt, l->q, l->v, l->a, l->x, l->lambda, p->w};
    fb_turns_predict(s, at.t);
    fb_system_realize(s, at.q, at.v, NULL);
    for (int k = 0; k < l->n; k++) {
        b[k] = fb_switch_calc_border(s, &at, l->index[k]);
    }
}

// b' of all sliding switches with the shares as they are.
static bool calc_rates(FbSystem* s, const FbPoint* p, double rate[FB_MAX_SLIDES]) {
    FbSlides* l = &s->slides;
    FbPoint at = {p->t, p->q, p->v, l->a, p->x, l->lambda, p->w};
    FbError err;
    if (fb_system_accelerations(&s->dynamics, &at, &err) != FB_OK) {
        return false;
    }
    for (int i = 0; i < s->m->n_states; i++) {
        l->x_rate[i] = fb_function_calc(s, p, s->m->states[i].function, 0.0, 0.0);
    }
    double ahead[FB_MAX_SLIDES], behind[FB_MAX_SLIDES];
    calc_borders(s, p, l->dt, ahead);
    calc_borders(s, p, -l->dt, behind);
    for (int k = 0; k < l->n; k++) {
        rate[k] = (ahead[k] - behind[k]) / (2.0 * l->dt);
    }
    return true;
}

static void set_shares(FbSystem* s, const double* shares, int one) {
    for (int k = 0; k < s->slides.n; k++) {
        s->pieces[s->slides.index[k]].share = shares ? shares[k] : k == one ? 1.0 : 0.0;
    }
}

// Gaussian elimination with row pivots; false: singular.
static bool solve(int n, double B[FB_MAX_SLIDES][FB_MAX_SLIDES], double* x) {
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c + 1; r < n; r++) {
            best = fabs(B[r][c]) > fabs(B[best][c]) ? r : best;
        }
        if (!(fabs(B[best][c]) > 0.0) || !isfinite(B[best][c])) {
            return false;
        }
        for (int k = 0; k < n; k++) {
            double swap = B[c][k];
            B[c][k] = B[best][k];
            B[best][k] = swap;
        }
        double swap = x[c];
        x[c] = x[best];
        x[best] = swap;
        for (int r = 0; r < n; r++) {
            double factor = r == c ? 0.0 : B[r][c] / B[c][c];
            for (int k = c; k < n; k++) {
                B[r][k] -= factor * B[c][k];
            }
            x[r] -= factor * x[c];
        }
    }
    for (int c = 0; c < n; c++) {
        x[c] /= B[c][c];
    }
    return true;
}

bool fb_slides_solve(FbSystem* s, const FbPoint* p) {
    FbSlides* l = &s->slides;
    double rate0[FB_MAX_SLIDES], rate[FB_MAX_SLIDES], B[FB_MAX_SLIDES][FB_MAX_SLIDES];
    if (l->n == 0 || l->is_solving) {
        return true;
    }
    l->is_solving = true;
    set_shares(s, NULL, -1);
    bool is_ok = calc_rates(s, p, rate0);
    for (int j = 0; is_ok && j < l->n; j++) {
        set_shares(s, NULL, j);
        is_ok = calc_rates(s, p, rate);
        for (int k = 0; k < l->n; k++) {
            B[k][j] = rate[k] - rate0[k];
        }
    }
    for (int k = 0; k < l->n; k++) {
        rate0[k] = -rate0[k];
    }
    is_ok = is_ok && solve(l->n, B, rate0) && fb_is_finite(rate0, l->n);
    set_shares(s, is_ok ? rate0 : NULL, -1);
    l->is_solving = false;
    return is_ok;
}

static void remove(FbSlides* l, int i) {
    int k = 0;
    while (k < l->n && l->index[k] != i) {
        k++;
    }
    l->n -= k < l->n;
    for (; k < l->n; k++) {
        l->index[k] = l->index[k + 1];
    }
}

static bool is_between(const FbSystem* s) {
    for (int k = 0; k < s->slides.n; k++) {
        double share = s->pieces[s->slides.index[k]].share;
        if (!(share >= 0.0 && share <= 1.0)) {
            return false;
        }
    }
    return true;
}

bool fb_system_slide(FbDynamics* d, const FbPoint* p, int i, double h) {
    FbSystem* s = fb_system_of(d);
    FbSlides* l = &s->slides;
    static const double PART = 1e-3;  // of a step, for differences along the motion
    if (l->n == FB_MAX_SLIDES) {
        return false;
    }
    l->index[l->n++] = i;
    l->dt = PART * h;
    s->pieces[i].share = 0.0;
    if (fb_slides_solve(s, p) && is_between(s)) {
        return true;
    }
    fb_slides_end(s, i);
    fb_slides_solve(s, p);
    return false;
}

void fb_slides_end(FbSystem* s, int i) {
    FbPiece* piece = &s->pieces[i];
    remove(&s->slides, i);
    if (piece->share > 0.5) {
        double other = piece->other;
        piece->other = piece->piece;
        piece->piece = other;
    }
    piece->share = 0.0;
}

bool fb_slides_has(const FbSystem* s, int i) {
    for (int k = 0; k < s->slides.n; k++) {
        if (s->slides.index[k] == i) {
            return true;
        }
    }
    return false;
}
