// Modes at two values of a parameter: which is which (eq. 7.31).
//
// With the right vectors r_j of both and the left vectors l_i, scaled so that l_i r_i = 1,
//   c_ij = (l_i r'_j) (l'_j r_i)
// is 1 for the same mode and 0 for any other where nothing changed, its sum over j is 1, and it
// does not depend on units or on the length of vectors.
#include "linear/mode_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/linearization.h"
#include "math/dense.h"

// c_ij within this distance of 1 leaves no doubt: all others together are no more than that.
static const double CLEAR = 0.25;
// Eigenvalues that differ by less than this part of their size are the same.
static const double SAME = 1e-6;
// The difference of two eigenvalues may turn by 60 degrees.
static const double TURN = 0.5;
// Candidates whose |c_ij| differ by less than this part are equally good.
static const double TIE = 0.2;

struct FbModeSet {
    FbArena* arena;
    int n, n_x, f, p, N;        // coordinates, states, independent ones and velocities, all modes
    FbMode* modes;              // [N]
    double complex* w;          // [N]
    double complex *q, *v, *x;  // [n x N], [n x N], [n_x x N]
    int *place_q, *place_v;     // [f], [p] independent coordinates and velocities
    double* scale;              // [N]
    double complex* lu;         // [N x N] of the right vectors, reduced and scaled
    int* pivot;
    bool is_defective;
};

static bool take(FbModeSet* s) {
    size_t N = (size_t)s->N, n = (size_t)s->n;
    s->modes = FB_TAKE(s->arena, FbMode, N + 1);
    s->w = FB_TAKE(s->arena, double complex, N + 1);
    s->q = FB_TAKE(s->arena, double complex, n* N + 1);
    s->v = FB_TAKE(s->arena, double complex, n* N + 1);
    s->x = FB_TAKE(s->arena, double complex, (size_t)s->n_x* N + 1);
    s->place_q = FB_TAKE(s->arena, int, s->f + 1);
    s->place_v = FB_TAKE(s->arena, int, s->p + 1);
    s->scale = FB_TAKE(s->arena, double, N + 1);
    s->lu = FB_TAKE(s->arena, double complex, N* N + 1);
    s->pivot = FB_TAKE(s->arena, int, N + 1);
    return !fb_arena_has_failed(s->arena);
}

// The state of mode j of `from` in the independent coordinates of `to`, scaled.
static void reduce(const FbModeSet* to, const FbModeSet* from, int j, double complex* y) {
    size_t at = (size_t)j * (size_t)from->n;
    for (int i = 0; i < to->f; i++) {
        y[i] = from->q[at + (size_t)to->place_q[i]];
    }
    for (int i = 0; i < to->p; i++) {
        y[to->f + i] = from->v[at + (size_t)to->place_v[i]];
    }
    for (int i = 0; i < to->n_x; i++) {
        y[to->f + to->p + i] = from->x[(size_t)j * (size_t)from->n_x + (size_t)i];
    }
    for (int i = 0; i < to->N; i++) {
        y[i] /= to->scale[i];
    }
}

// Of a conjugate pair the one above the real axis comes first.
static void order_pairs(const FbLinearization* l, int* order) {
    memcpy(order, l->order, sizeof(int) * (size_t)l->n_modes);
    for (int i = 0; i + 1 < l->n_modes; i++) {
        double complex a = l->w[order[i]], b = l->w[order[i + 1]];
        if (cimag(a) < 0.0 && a == conj(b)) {
            int k = order[i];
            order[i] = order[i + 1];
            order[i + 1] = k;
        }
    }
}

static void copy_modes(const FbLinearization* l, FbModeSet* s, const int* order) {
    size_t n = (size_t)s->n, n_x = (size_t)s->n_x;
    for (int i = 0; i < s->N; i++) {
        size_t k = (size_t)order[i], at = (size_t)i;
        s->modes[i] = l->modes[k];
        s->w[i] = l->w[k];
        memcpy(s->q + at * n, l->xq + k * n, sizeof *s->q * n);
        memcpy(s->v + at * n, l->xv + k * n, sizeof *s->v * n);
        memcpy(s->x + at * n_x, l->xx + k * n_x, sizeof *s->x * n_x);
    }
    memcpy(s->place_q, l->holonomic.independent, sizeof(int) * (size_t)s->f);
    memcpy(s->place_v, l->all.independent, sizeof(int) * (size_t)s->p);
    memcpy(s->scale, l->balance, sizeof(double) * (size_t)s->N);
}

FbStatus fb_mode_set_create(const FbLinearization* l, FbModeSet** out, FbError* err) {
    *out = NULL;
    if (l->options.method != FB_METHOD_INDEPENDENT || !l->has_run || l->n_modes != l->n_reduced) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL,
                       "modes can be followed only by a linearization in independent coordinates");
    }
    FbModeSet* s = calloc(1, sizeof *s);
    int* order = malloc(sizeof(int) * ((size_t)l->n_modes + 1));
    if (s) {
        *s = (FbModeSet){.arena = fb_arena_create(),
                         .n = l->b.n,
                         .n_x = l->b.n_x,
                         .f = l->f,
                         .p = l->p,
                         .N = l->n_reduced};
    }
    if (!s || !order || !s->arena || !take(s)) {
        free(order);
        fb_mode_set_destroy(s);
        return fb_fail_memory(err);
    }
    order_pairs(l, order);
    copy_modes(l, s, order);
    free(order);
    for (int j = 0; j < s->N; j++) {
        reduce(s, s, j, s->lu + (size_t)j * (size_t)s->N);
    }
    s->is_defective = fb_lu_factor_complex(s->N, s->lu, s->pivot) >= 0;
    *out = s;
    return FB_OK;
}

void fb_mode_set_destroy(FbModeSet* set) {
    if (set) {
        fb_arena_destroy(set->arena);
        free(set);
    }
}

int fb_mode_set_count(const FbModeSet* set) {
    return set->N;
}

const FbMode* fb_mode_set_get(const FbModeSet* set, int index) {
    return index >= 0 && index < set->N ? &set->modes[index] : NULL;
}

// Left vectors of `a` times right vectors of `b`: out[j N + i] = l_i r'_j.
static void multiply(const FbModeSet* a, const FbModeSet* b, double complex* out) {
    for (int j = 0; j < b->N; j++) {
        double complex* column = out + (size_t)j * (size_t)a->N;
        reduce(a, b, j, column);
        if (!a->is_defective) {
            fb_lu_solve_complex(a->N, a->lu, a->pivot, column);
        }
    }
}

static bool are_same(double complex a, double complex b) {
    return cabs(a - b) <= SAME * fmax(cabs(a), cabs(b));
}

// Of candidates that are equally good: above the real axis, then to the right. So the upper one of
// a pair that meets its conjugate on the real axis continues to the right, and back.
static bool is_preferred(double complex a, double complex b) {
    return cimag(a) != cimag(b) ? cimag(a) > cimag(b) : creal(a) > creal(b);
}

// Modes with the same eigenvalue share a space, whose vectors may be any: the sum of c over those
// that are the same as i, of one that is the same as j, or of all these where both are several.
static double complex sum_of_same(const FbModeSet* a, const FbModeSet* b, const double complex* c,
                                  int i, int j) {
    double complex sum = 0.0;
    int n_a = 0, n_b = 0;
    for (int k = 0; k < b->N; k++) {
        n_b += are_same(b->w[k], b->w[j]);
    }
    for (int m = 0; m < a->N; m++) {
        if (!are_same(a->w[m], a->w[i])) {
            continue;
        }
        n_a++;
        for (int k = 0; k < b->N; k++) {
            sum += are_same(b->w[k], b->w[j]) ? c[(size_t)m * (size_t)b->N + (size_t)k] : 0.0;
        }
    }
    return sum / (n_a < n_b ? n_a : n_b);
}

static bool is_repeated(const FbModeSet* a, int i) {
    bool is = false;
    for (int m = 0; m < a->N; m++) {
        is |= m != i && are_same(a->w[m], a->w[i]);
    }
    return is;
}

// The best candidate for mode i that is not taken yet; of repeated modes that part, the slowest.
static int choose(const FbModeSet* a, const FbModeSet* b, const double complex* c, int i,
                  const bool* is_taken) {
    int best = -1;
    bool is_several = is_repeated(a, i);
    double most = 0.0;
    for (int j = 0; j < b->N; j++) {
        if (is_taken[j]) {
            continue;
        }
        double own = is_several ? cabs(sum_of_same(a, b, c, i, j))
                                : cabs(c[(size_t)i * (size_t)b->N + (size_t)j]);
        bool is_tie = best >= 0 && fabs(own - most) <= TIE * fmax(own, most);
        bool is_better = !is_tie      ? own > most
                         : is_several ? cabs(b->w[j]) < cabs(b->w[best])
                                      : is_preferred(b->w[j], b->w[best]);
        if (best < 0 || is_better) {
            best = j;
            most = own;
        }
    }
    return best;
}

// Has the difference of eigenvalues i and k turned by more than 60 degrees on the way to j and m?
static bool has_turned(const FbModeSet* a, const FbModeSet* b, int i, int k, int j, int m) {
    double complex before = a->w[i] - a->w[k], after = b->w[j] - b->w[m];
    return !are_same(a->w[i], a->w[k]) && !are_same(b->w[j], b->w[m]) &&
           creal(before * conj(after)) < TURN * cabs(before) * cabs(after);
}

static void find_crossings(const FbModeSet* a, const FbModeSet* b, const int* modes, int n,
                           const int* all, const int* next, FbModeMatch* match) {
    for (int t = 0; t < n; t++) {
        for (int k = 0; k < a->N; k++) {
            bool is_other = k != modes[t] && all[k] >= 0 && all[k] != next[t];
            match->has_crossed |= is_other && has_turned(a, b, modes[t], k, next[t], all[k]);
        }
    }
}

static void match_rows(const FbModeSet* a, const FbModeSet* b, const double complex* c,
                       const int* modes, int n, int* next, bool* is_taken, int* all,
                       FbModeMatch* match) {
    *match = (FbModeMatch){.worst = 1.0, .is_clear = !a->is_defective && !b->is_defective};
    for (int t = 0; t < n; t++) {
        int i = modes[t], j = next[t] = choose(a, b, c, i, is_taken);
        is_taken[j] = true;
        double distance = cabs(sum_of_same(a, b, c, i, j) - 1.0);
        match->is_clear &= distance <= CLEAR;
        match->worst = fmin(match->worst, fmax(0.0, 1.0 - distance));
        match->has_crossed |= is_repeated(a, i) && !is_repeated(b, j);  // which is which?
        match->has_met |= !is_repeated(a, i) && is_repeated(b, j);
    }
    // All, for crossings: only where they are found again without doubt.
    for (int k = 0; k < a->N; k++) {
        const double complex* row = c + (size_t)k * (size_t)b->N;
        int best = 0;
        for (int j = 1; j < b->N; j++) {
            best = cabs(row[j]) > cabs(row[best]) ? j : best;
        }
        all[k] = cabs(row[best] - 1.0) <= CLEAR ? best : -1;
    }
    find_crossings(a, b, modes, n, all, next, match);
}

FbStatus fb_mode_set_match(const FbModeSet* a, const FbModeSet* b, const int* modes, int n,
                           int* next, FbModeMatch* match, FbError* err) {
    if (a->n != b->n || a->n_x != b->n_x || a->N != b->N || n > a->N) {
        return fb_fail(err, FB_ERR_MODEL, NULL,
                       "the model has %d coordinates and %d modes instead of %d and %d, so that "
                       "modes cannot be followed",
                       b->n, b->N, a->n, a->N);
    }
    size_t N = (size_t)a->N;
    double complex* c = malloc(sizeof *c * (2 * N * N + 1));
    bool* is_taken = calloc(N + 1, sizeof *is_taken);
    int* all = malloc(sizeof *all * (N + 1));
    FbStatus status = c && is_taken && all ? FB_OK : fb_fail_memory(err);
    if (status == FB_OK) {
        double complex* back = c + N * N;
        multiply(a, b, back);  // l_i r'_j at [j N + i]
        for (size_t i = 0; i < N; i++) {
            for (size_t j = 0; j < N; j++) {
                c[i * N + j] = back[j * N + i];
            }
        }
        multiply(b, a, back);  // l'_j r_i at [i N + j]
        for (size_t i = 0; i < N * N; i++) {
            c[i] *= back[i];
        }
        match_rows(a, b, c, modes, n, next, is_taken, all, match);
    }
    free(c);
    free(is_taken);
    free(all);
    return status;
}
