// Finds the modes next to a shift in systems of any kind: a shift that meets no mode, pairs, and
// what was missed.
//
// The basis comes from ARPACK or, where the constraints leave few degrees of freedom, from as many
// random vectors as there are of them. Pairs are always taken from it by a Rayleigh-Ritz step with
// the shifted operator. To look for missed modes, the operator is applied outside the span of the
// basis: its largest eigenvalue there belongs to the nearest mode that is not known. Symmetric
// systems are handled in sparse_count.c.
#include "linear/sparse_search.h"

#include <math.h>

// The first shift, as a part of trace |K| / trace M; the second is this part of the last mode.
static const double FIRST_SHIFT = 1e-3, SHIFT_OF_MODE = 0.1;
static const double ROUGH = 1e-3;  // tolerance of the first pass, which only places the shift
enum { MAX_MOVES = 8 };

typedef FbSparseSearch Search;

static double complex moved(const Search* s, double complex shift, int attempt) {
    double scale = s->p.is_damped ? s->p.rate : s->p.stiffness_ratio;
    double step = fmax(1e-4 * cabs(shift), 1e-6 * scale) * pow(16.0, attempt);
    return s->p.is_damped ? shift + step : shift - step;
}

FbStatus fb_sparse_search_factor_near(Search* s, double complex shift, FbError* err) {
    for (int i = 0; i < MAX_MOVES; i++) {
        FbStatus status = fb_sparse_pencil_factor(&s->p, shift);
        if (status < 0) {
            return fb_fail_memory(err);
        }
        if (status == FB_OK) {
            return FB_OK;
        }
        s->info.n_shift_moves++;
        shift = moved(s, shift, i);
    }
    return fb_fail(err, FB_ERR_SINGULAR, NULL,
                   "no shift gives a nonsingular matrix: some part that can move has neither mass "
                   "nor stiffness");
}

// Few freedoms: random vectors, filtered far away from all modes, where the operator is nearly a
// multiple of the projection on the constraints, span them all evenly.
static FbStatus span_everything(Search* s, FbError* err) {
    double far = s->p.is_damped ? 30.0 * s->p.rate : -1e3 * s->p.stiffness_ratio;
    FB_TRY(fb_sparse_search_factor_near(s, far, err));
    for (int k = 0; k < s->p.dimension; k++) {
        fb_sparse_basis_fill_start(s);
        fb_sparse_basis_append(s, s->start);
    }
    return FB_OK;
}

// Pairs about the shift; one that meets a mode is moved away.
FbStatus fb_sparse_search_at(Search* s, double complex shift, double tolerance, FbError* err) {
    for (int i = 0;; i++) {
        if (s->p.shift != shift) {
            FB_TRY(fb_sparse_search_factor_near(s, shift, err));
        }
        FB_TRY(s->is_small ? fb_sparse_basis_take_pairs(s, err)
                           : fb_sparse_basis_find(s, tolerance, err));
        if (i == MAX_MOVES || !fb_sparse_basis_has_hit(s)) {
            return FB_OK;
        }
        s->info.n_shift_moves++;
        shift = moved(s, s->p.shift, i);
    }
}

// Close to the wanted modes, which keeps their digits, and on the side where no stable system has
// any.
static double complex better_shift(const Search* s) {
    double last = s->metric[s->order[fb_sparse_basis_last_needed(s)]], now = cabs(s->p.shift);
    double part = s->p.is_damped ? fmin(SHIFT_OF_MODE, 0.25 / s->options.count) : SHIFT_OF_MODE;
    double size = part * last;
    bool is_far = size < 0.5 * now || size > 1e3 * now;
    if (!isfinite(size) || !is_far || !(size > 1e-8 * now)) {  // only rigid-body modes wanted: stay
        return s->p.shift;
    }
    return s->p.is_damped ? size : -size;
}

static FbStatus search(Search* s, FbError* err) {
    const FbLowestOptions* o = &s->options;
    if (s->is_small) {
        FB_TRY(span_everything(s, err));
    }
    if (o->has_shift) {
        return fb_sparse_search_at(s, CMPLX(o->shift, s->p.is_complex ? o->shift_im : 0.0),
                                   o->tolerance, err);
    }
    double first =
        s->p.is_damped ? sqrt(FIRST_SHIFT) * s->p.rate : -FIRST_SHIFT * s->p.stiffness_ratio;
    FB_TRY(fb_sparse_search_at(s, first, ROUGH, err));
    return fb_sparse_search_at(s, better_shift(s), o->tolerance, err);
}

// How far from the shift everything must be known for the list to be right.
static double needed_reach(const Search* s) {
    double last = s->metric[s->order[fb_sparse_basis_last_needed(s)]];
    return s->options.has_shift ? last : last + cabs(s->p.shift);
}

// Would the list have held this one?
static bool is_missing(const Search* s, double complex nu) {
    double last = s->metric[s->order[fb_sparse_basis_last_needed(s)]];
    double complex key = fb_sparse_pencil_key(&s->p, nu);
    double metric = s->options.has_shift ? cabs(key - s->p.shift) : cabs(key);
    return metric < last * (1.0 - 1e-7);
}

// Looks outside the basis until the nearest mode there is farther than the list reaches.
static FbStatus look_outside(Search* s, FbError* err) {
    FbLowestInfo* info = &s->info;
    s->is_outside = true;
    for (int round = 0; round < FB_SEARCH_ROUNDS; round++) {
        FbArpackBasis found;
        FbError ignored;
        double need = needed_reach(s), largest = 0.0;
        FbStatus status =
            fb_sparse_basis_run_arpack(s, s->n_more, false, fmin(1e-8, s->options.tolerance),
                                       FB_SEARCH_RESTARTS, &found, &ignored);
        if (status == FB_ERR_MEMORY) {
            return fb_fail_memory(err);
        }
        if (status != FB_OK) {
            return FB_OK;  // not checked
        }
        for (int k = 0; k < found.count; k++) {
            largest = fmax(largest, cabs(found.values[k]));
        }
        info->reach = largest > 0.0 ? 1.0 / largest : INFINITY;
        bool is_known = fb_sparse_basis_last_needed(s) + 1 >= s->options.count;
        if (is_known && info->reach >= need * (1.0 - 1e-7)) {
            info->is_complete = true;
            return FB_OK;
        }
        int before = s->n_basis;
        for (int k = 0; k < found.count; k++) {
            info->n_recovered += is_missing(s, found.values[k]);
            fb_sparse_basis_append(s, s->fresh + (size_t)k * (size_t)s->p.n_state);
        }
        if (s->n_basis == before) {
            return FB_OK;
        }
        FB_TRY(fb_sparse_basis_take_pairs(s, err));
    }
    return FB_OK;
}

static FbStatus check_completeness(Search* s, FbError* err) {
    if (s->is_small) {
        s->info.is_complete = true;  // the basis has as many vectors as there are freedoms
        s->info.reach = INFINITY;
    } else if (!s->p.is_complex) {
        FB_TRY(look_outside(s, err));
    }
    s->is_outside = false;
    return FB_OK;
}

FbStatus fb_sparse_search_run(Search* s, FbError* err) {
    if (s->p.is_symmetric && !s->is_small) {
        FB_TRY(fb_sparse_count_search(s, err));
    } else {
        FB_TRY(search(s, err));
        FB_TRY(check_completeness(s, err));
    }
    s->info.shift = creal(s->p.shift);
    s->info.shift_im = cimag(s->p.shift);
    s->info.is_symmetric = s->p.is_symmetric;
    return FB_OK;
}
