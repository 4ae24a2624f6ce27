// Sliding along the border of a piece: dry friction that sticks, a relay that holds its input at
// zero.
//
// Where the motion returns to the border from both sides, it stays there. The switch then takes the
// mean (1 - share) f_piece + share f_other, with the share for which the border function b is at
// rest (Filippov; theory manual, eq. 5.18). The accelerations are linear in the shares, so that
//   B share = -b0',   B_kj = b_kj' - b_k0',   b' along the motion with all shares 0 or only share
//   j 1.
// Where the others keep a border at rest already (two hinges of one loop that stick), B is
// singular: the motion does not determine the shares. One of them is then set, and the outputs that
// depend on it are reported as not unique.
#include <assert.h>
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
    l->is_shared = FB_TAKE(s->arena, bool, s->m->n_outputs + 1);
    l->outputs = FB_TAKE(s->arena, double, 2 * s->m->n_outputs + 1);
    l->depths = FB_TAKE(s->arena, double, 3 * s->m->n_switches + 1);
}

// The point a time `dt` along the motion with the rates in s->slides, realized.
static FbPoint move_along(FbSystem* s, const FbPoint* p, double dt) {
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
    return at;
}

FbPoint fb_slides_look_ahead(FbSystem* s, const FbPoint* p, double dt) {
    for (int j = 0; j < s->m->tree.n_v; j++) {
        s->slides.a[j] = p->a[j];
    }
    for (int i = 0; i < s->m->n_states; i++) {
        s->slides.x_rate[i] = fb_function_calc(s, p, s->m->states[i].function, 0.0, 0.0);
    }
    return move_along(s, p, dt);
}

// b of all n sliding switches there.
static void calc_borders(FbSystem* s, const FbPoint* p, double dt, int n, double* b) {
    FbPoint at = move_along(s, p, dt);
    for (int k = 0; k < n; k++) {
        b[k] = fb_switch_calc_border(s, &at, s->slides.index[k]);
    }
}

// b' of all sliding switches with the current shares.
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
    double ahead[FB_MAX_SLIDES] = {0}, behind[FB_MAX_SLIDES] = {0};
    const int n = l->n;
    calc_borders(s, p, l->dt, n, ahead);
    calc_borders(s, p, -l->dt, n, behind);
    for (int k = 0; k < n; k++) {
        rate[k] = (ahead[k] - behind[k]) / (2.0 * l->dt);
    }
    return true;
}

// Those on the same border have the same share; that of idle ones stays.
static void set_shares(FbSystem* s, const double* shares, int one) {
    for (int k = 0; k < s->slides.n; k++) {
        int l = s->slides.leader[k];
        double idle = s->pieces[s->slides.index[l]].share;
        s->pieces[s->slides.index[k]].share = s->slides.is_idle[l] ? idle
                                              : shares             ? shares[l]
                                              : l == one           ? 1.0
                                                                   : 0.0;
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

static int find_leaders(const FbSlides* l, int leaders[FB_MAX_SLIDES]) {
    int n = 0;
    for (int k = 0; k < l->n; k++) {
        if (l->leader[k] == k && !l->is_idle[k]) {
            leaders[n++] = k;
        }
    }
    return n;
}

// B and b0' of the leaders.
static bool calc_system(FbSystem* s, const FbPoint* p, int n, const int leaders[FB_MAX_SLIDES],
                        double B[FB_MAX_SLIDES][FB_MAX_SLIDES], double rate0[FB_MAX_SLIDES]) {
    double rate[FB_MAX_SLIDES] = {0};
    set_shares(s, NULL, -1);
    bool is_ok = calc_rates(s, p, rate0);
    for (int j = 0; is_ok && j < n; j++) {
        set_shares(s, NULL, leaders[j]);
        is_ok = calc_rates(s, p, rate);
        for (int k = 0; k < n; k++) {
            B[k][j] = rate[leaders[k]] - rate0[leaders[k]];
        }
    }
    return is_ok;
}

// Do the leaders determine their shares at p?
bool fb_slides_are_determined(FbSystem* s, const FbPoint* p) {
    static const double SINGULAR = 1e-7;  // of what each does to its own border
    double B[FB_MAX_SLIDES][FB_MAX_SLIDES] = {{0}}, rate0[FB_MAX_SLIDES] = {0},
           own[FB_MAX_SLIDES] = {0};
    int leaders[FB_MAX_SLIDES] = {0}, n = find_leaders(&s->slides, leaders);
    s->slides.is_solving = true;
    bool is_regular = n > 0 && calc_system(s, p, n, leaders, B, rate0);
    s->slides.is_solving = false;
    for (int k = 0; is_regular && k < n; k++) {
        own[k] = fabs(B[k][k]);
    }
    for (int c = 0; is_regular && c < n; c++) {
        is_regular = fabs(B[c][c]) > SINGULAR * own[c];
        for (int r = c + 1; is_regular && r < n; r++) {
            double factor = B[r][c] / B[c][c];
            for (int k = c; k < n; k++) {
                B[r][k] -= factor * B[c][k];
            }
        }
    }
    return is_regular;
}

// Idle ones take the place of one that has ended, as far as they are needed.
static void choose_leaders(FbSystem* s, const FbPoint* p) {
    FbSlides* l = &s->slides;
    l->may_lead = false;
    for (int k = 0; k < l->n; k++) {
        if (l->is_idle[k]) {
            double share = s->pieces[l->index[k]].share;
            l->is_idle[k] = false;
            if (!fb_slides_are_determined(s, p)) {
                l->is_idle[k] = true;
                s->pieces[l->index[k]].share = share;
            }
        }
    }
}

static bool solve_slides(FbSystem* s, const FbPoint* p) {
    FbSlides* l = &s->slides;
    double rate0[FB_MAX_SLIDES] = {0}, rate[FB_MAX_SLIDES], B[FB_MAX_SLIDES][FB_MAX_SLIDES] = {{0}};
    double shares[FB_MAX_SLIDES] = {0};
    int leaders[FB_MAX_SLIDES] = {0};
    if (l->may_lead) {
        choose_leaders(s, p);
    }
    int n = find_leaders(l, leaders);
    if (n == 0) {
        return true;  // idle ones keep their shares until they end
    }
    l->is_solving = true;
    bool is_ok = calc_system(s, p, n, leaders, B, rate0);
    for (int k = 0; k < n; k++) {
        rate[k] = -rate0[leaders[k]];
    }
    if (is_ok && !(solve(n, B, rate) && fb_is_finite(rate, n))) {
        s->has_trouble = true;
        fb_fail(&s->trouble, FB_RETRY, NULL,
                "the expression of %s stays on the boundary between two of its branches, but no "
                "combination of them keeps it there at t = %.10g s",
                fb_system_name_switch(&s->dynamics, l->index[leaders[0]]), p->t);
        is_ok = false;
    }
    for (int k = 0; k < n; k++) {
        shares[leaders[k]] = rate[k];
    }
    set_shares(s, is_ok ? shares : NULL, -1);
    l->is_solving = false;
    return is_ok;
}

// Nearly always there are none.
bool fb_slides_solve(FbSystem* s, const FbPoint* p) {
    return s->slides.n == 0 || s->slides.is_solving || solve_slides(s, p);
}

static void remove(FbSlides* l, int i) {
    int k = 0;
    while (k < l->n && l->index[k] != i) {
        k++;
    }
    if (k == l->n) {
        return;
    }
    l->n--;
    for (int j = k; j < l->n; j++) {
        l->index[j] = l->index[j + 1];
        l->leader[j] = l->leader[j + 1];
        l->is_idle[j] = l->is_idle[j + 1];
    }
    for (int j = 0; j < l->n; j++) {
        l->leader[j] -= l->leader[j] > k;
    }
}

static void end_one(FbSystem* s, int i) {
    FbPiece* piece = &s->pieces[i];
    remove(&s->slides, i);
    s->slides.may_lead = true;
    if (piece->share > 0.5) {
        double other = piece->other;
        piece->other = piece->piece;
        piece->piece = other;
    }
    piece->share = 0.0;
}

bool fb_slides_are_between(const FbSystem* s) {
    for (int k = 0; k < s->slides.n; k++) {
        double share = s->pieces[s->slides.index[k]].share;
        if (!(share >= 0.0 && share <= 1.0)) {
            return false;
        }
    }
    return true;
}

// Is the border of the last one that of switch k, at p and along the motion?
static bool is_same_border(FbSystem* s, const FbPoint* p, int k) {
    static const double SAME = 1e-12;  // of how far they move
    FbSlides* l = &s->slides;
    double ahead[FB_MAX_SLIDES] = {0}, behind[FB_MAX_SLIDES] = {0};
    const int n = l->n, last = n - 1;
    assert(k < last);
    calc_borders(s, p, l->dt, n, ahead);
    calc_borders(s, p, -l->dt, n, behind);
    double way = fabs(ahead[k] - behind[k]) + fabs(ahead[last] - behind[last]);
    double miss = fabs(ahead[k] - ahead[last]) + fabs(behind[k] - behind[last]);
    const FbPiece *a = &s->pieces[l->index[k]], *b = &s->pieces[l->index[last]];
    bool is_alike = fmin(a->piece, a->other) == fmin(b->piece, b->other) &&
                    fmax(a->piece, a->other) == fmax(b->piece, b->other);
    return is_alike && miss <= SAME * way;
}

// The one among those before the last that slides along the same border; the last itself: none.
static int find_leader(FbSystem* s, const FbPoint* p) {
    int last = s->slides.n - 1;
    for (int k = 0; k < last; k++) {
        if (s->slides.leader[k] == k && is_same_border(s, p, k)) {
            return k;
        }
    }
    return last;
}

// How far the other piece of each moves its border in a step, which is a measure of what rounding
// may do to it at rest.
void fb_slides_weigh(FbSystem* s, const FbPoint* p, double h) {
    FbSlides* l = &s->slides;
    static const double OTHERS = 10.0;  // forces that it holds, and whose rounding moves it
    double none[FB_MAX_SLIDES] = {0}, all[FB_MAX_SLIDES] = {0};
    l->is_solving = true;
    for (int k = 0; k < l->n; k++) {
        FbPiece* piece = &s->pieces[l->index[k]];
        double share = piece->share;
        piece->share = 0.0;
        bool is_ok = calc_rates(s, p, none);
        piece->share = 1.0;
        is_ok = is_ok && calc_rates(s, p, all);
        piece->share = share;
        double reach = OTHERS * h * fabs(all[k] - none[k]);
        piece->reach = is_ok && reach > 0.0 && isfinite(reach) ? reach : 1.0;
    }
    l->is_solving = false;
}

static bool slide(FbSystem* s, const FbPoint* p, int i, double h) {
    FbSlides* l = &s->slides;
    static const double PART = 1e-3;  // of a step, for differences along the motion
    if (l->n == FB_MAX_SLIDES) {
        return false;
    }
    l->index[l->n] = i;
    l->leader[l->n] = l->n;
    l->is_idle[l->n] = false;
    l->n++;
    l->dt = PART * h;
    s->pieces[i].share = 0.0;
    int leader = l->leader[l->n - 1] = find_leader(s, p);
    s->pieces[i].piece = s->pieces[l->index[leader]].piece;
    s->pieces[i].other = s->pieces[l->index[leader]].other;
    bool is_new = leader == l->n - 1;
    if (is_new && l->n > 1 && !fb_slides_are_determined(s, p)
            ? fb_slides_share_load(s, p)
            : fb_slides_solve(s, p) && fb_slides_are_between(s)) {
        if (!is_new) {
            fb_slides_examine_follower(s, p);
        }
        return true;
    }
    end_one(s, i);
    fb_slides_solve(s, p);
    return false;
}

bool fb_system_slide(FbDynamics* d, const FbPoint* p, int i, double h) {
    FbSystem* s = fb_system_of(d);
    bool is_sliding = slide(s, p, i, h);
    fb_slides_weigh(s, p, h);
    return is_sliding;
}

void fb_slides_end(FbSystem* s, int i) {
    FbSlides* l = &s->slides;
    int k = 0;
    while (l->index[k] != i) {
        k++;
    }
    // From the last on: those before it keep their numbers.
    for (int leader = l->leader[k], j = l->n - 1; j >= leader; j--) {
        if (l->leader[j] == leader) {
            end_one(s, l->index[j]);
        }
    }
}

void fb_slides_end_unled(FbSystem* s, const FbPoint* p) {
    FbSlides* l = &s->slides;
    int leaders[FB_MAX_SLIDES];
    if (l->n > 0 && l->may_lead) {
        choose_leaders(s, p);
    }
    while (l->n > 0 && find_leaders(l, leaders) == 0) {
        end_one(s, l->index[l->n - 1]);
    }
}

bool fb_slides_follows(const FbSystem* s, int k) {
    return s->slides.leader[k] != k;
}

bool fb_slides_has(const FbSystem* s, int i) {
    for (int k = 0; k < s->slides.n; k++) {
        if (s->slides.index[k] == i) {
            return true;
        }
    }
    return false;
}
