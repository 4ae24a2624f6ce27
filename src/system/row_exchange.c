// Exchanges a kept constraint row for a redundant one where the kept ones come near to losing rank
// on the way, though all rows together do not (theory manual, eq. 4.17).
//
// A redundant row is a sum of kept ones, g_d = sum w_k g_k. Taking it in place of row k multiplies
// the volume that the kept rows span by w_k: while all weights are small the choice is good, and
// before the kept rows become dependent one of them grows without bound.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/work.h"

// A weight beyond this is worth an exchange; sums of redundant rows are examined first.
static const double LARGE_WEIGHT = 2.0, SUSPICIOUS = 3.0;

// rhs += factor times the gradient of a row in its unit.
static void add_gradient(const FbSystem* s, int r, double factor, double* rhs) {
    const FbModel* m = s->m;
    for (int t = m->rows[r].term; t < m->rows[r].term + m->rows[r].n_terms; t++) {
        const FbTerm* term = &m->terms[t];
        double share = factor * term->factor / m->rows[r].unit;
        if (term->kind == FB_TERM_COORDINATE) {
            rhs[term->coordinate_v] += share;
            continue;
        }
        for (int k = term->path; k < term->path + term->n_path; k++) {
            int v = m->paths.v[k];
            double slope = fb_term_slope(&s->k, &s->term[t], v, m->paths.sign[k]);
            rhs[v] += share * m->paths.sign[k] * slope;
        }
    }
}

// The largest weight in x of the kept rows, in their units, and its slot; with `like` >= 0 only of
// rows that are holonomic or not as that one is.
static double largest_weight(const FbSystem* s, int like, const double* x, int* slot) {
    const FbModel* m = s->m;
    double largest = 0.0;
    *slot = -1;
    for (int c = 0; c < s->dynamics.size.n_c; c++) {
        const FbRow* row = &m->rows[s->active[c]];
        double weight = fabs(x[s->dynamics.size.n_v + c]) * row->unit;
        bool may_leave = like < 0 || row->is_holonomic == m->rows[like].is_holonomic;
        if (may_leave && weight > largest) {
            largest = weight;
            *slot = c;
        }
    }
    return largest;
}

static double* cleared(FbSystem* s) {
    memset(s->kkt.rhs, 0, sizeof(double) * (size_t)(s->dynamics.size.n_v + s->dynamics.size.n_c));
    return s->kkt.rhs;
}

// Weights of the redundant rows, each by itself where there are few: a sum of several has another
// size in a mirrored drawing, whose rows have other signs. Of many, GROUPS sums are examined, with
// signs that no symmetry of a model shares.
static bool is_suspicious(FbSystem* s) {
    enum { GROUPS = 12 };
    int redundant = s->m->n_rows - s->dynamics.size.n_c, slot;
    for (int g = 0; g < GROUPS && g < redundant; g++) {
        double* x = cleared(s);
        for (int r = 0, i = 0; r < s->m->n_rows; r++) {
            if (s->slot_of_row[r] < 0 && i++ % GROUPS == g) {
                add_gradient(s, r, (unsigned)r * 2654435761U & 0x10000U ? 1.0 : -1.0, x);
            }
        }
        fb_kkt_solve(s, x);
        if (largest_weight(s, -1, x, &slot) > (redundant > GROUPS ? SUSPICIOUS : LARGE_WEIGHT)) {
            return true;
        }
    }
    return false;
}

// Is there a redundant row that should take the place of a kept one at q, where all rows are
// realized?
static bool find_exchange(FbSystem* s, const double* q, int* enters, int* leaves) {
    FbError ignored;
    *enters = *leaves = -1;
    // The matrix of projections is regularized too much: where a light body holds heavy ones
    // together its weights would be unreliable.
    bool has_matrix = fb_kkt_is_at(s, q) || fb_kkt_factor(s, q, false, &ignored) == FB_OK;
    if (!has_matrix || !is_suspicious(s)) {
        return false;
    }
    double largest = LARGE_WEIGHT;
    for (int r = 0; r < s->m->n_rows; r++) {
        if (s->slot_of_row[r] >= 0) {
            continue;
        }
        int slot;
        double* x = cleared(s);
        add_gradient(s, r, 1.0, x);
        fb_kkt_solve_refined(s, x);
        double weight = largest_weight(s, r, x, &slot);
        if (weight > largest) {
            largest = weight;
            *enters = r;
            *leaves = s->active[slot];
        }
    }
    return *enters >= 0;
}

static FbStatus exchange(FbSystem* s, int enters, int leaves, void (*before)(FbSystem* s),
                         FbError* err) {
    bool* is_dropped = malloc(sizeof(bool) * ((size_t)s->m->n_rows + 1));
    if (!is_dropped) {
        return fb_fail_memory(err);
    }
    for (int r = 0; r < s->m->n_rows; r++) {
        is_dropped[r] = r == leaves || (s->slot_of_row[r] < 0 && r != enters);
    }
    if (before) {
        before(s);
    }
    FbStatus status = fb_rows_use(s, is_dropped, err);
    free(is_dropped);
    return status;
}

FbStatus fb_rows_improve(FbSystem* s, const FbPoint* p, void (*before)(FbSystem* s),
                         bool* has_changed, FbError* err) {
    // Each makes the choice much better, so that few are ever needed.
    enum { MAX_EXCHANGES = 8 };
    int enters, leaves;
    *has_changed = false;
    for (int i = 0; i < MAX_EXCHANGES && s->dynamics.size.n_c < s->m->n_rows &&
                    find_exchange(s, p->q, &enters, &leaves);
         i++) {
        FB_TRY(exchange(s, enters, leaves, *has_changed ? NULL : before, err));
        *has_changed = true;
        fb_rows_realize(s, p->q, p->v, false);
    }
    return FB_OK;
}
