// The lowest modes of symmetric systems, with a proof that none is missing.
//
// The number of modes below a bound is the number of negative pivots of the matrix shifted by it,
// less one for each constraint (eqs. 7.25, 7.26). Two such counts around the listed modes show
// whether any is missing; so does one, where none is below zero. What is missing is looked for
// outside the span of the modes that are known.
//
// Parlett: The Symmetric Eigenvalue Problem. SIAM, 1998, sec. 3.3.
#include <math.h>

#include "linear/sparse_search.h"

// Where K is singular the first shift is this part of the stiffest w^2: far above its rounding.
static const double FIRST_SHIFT = 1e-10;
// The final shift then, as a part of the last wanted mode, if that is more than rounding.
static const double SHIFT_OF_MODE = 0.1, ROUNDING = 1e-14;
static const double ROUGH = 1e-3;  // tolerance of the first pass, which only places the shift
// Bounds of counts keep this distance from modes: of w^2, and of the stiffest.
static const double GAP = 1e-6, BLUR = 4e-14;
// Relative to the size of the operator at a shift below all listed modes, 1/|shift|: smaller
// negative values are rounding, and what they would belong to shows better further down.
static const double SEEN = 1e-8;
static const double STEP_DOWN = 100.0;
enum { FEW_RESTARTS = 4 };

typedef FbSparseSearch Search;

// Close to the wanted modes, which keeps their digits, and on the side where no stable system has
// any.
static double better_shift(const Search* s) {
    double last = s->metric[s->order[fb_sparse_basis_last_needed(s)]], now = cabs(s->p.shift);
    double size = SHIFT_OF_MODE * last;
    bool is_near = size >= 0.5 * now && size <= 1e3 * now;
    bool is_rounding = !(size > ROUNDING * s->p.stiffest);  // only rigid-body modes wanted
    return is_near || is_rounding || !isfinite(size) ? creal(s->p.shift) : -size;
}

// At zero if K resists all motions: then no digits cancel.
static FbStatus search_at_zero(Search* s, bool* is_done, FbError* err) {
    *is_done = false;
    FbStatus status = fb_sparse_pencil_factor(&s->p, 0.0);
    if (status < 0) {
        return fb_fail_memory(err);
    }
    if (status != FB_OK) {
        return FB_OK;
    }
    FB_TRY(fb_sparse_basis_find(s, s->options.tolerance, err));
    *is_done = !fb_sparse_basis_has_hit(s);
    s->p.is_held = *is_done && s->p.n_below == 0;
    return FB_OK;
}

static FbStatus search_lowest(Search* s, FbError* err) {
    bool is_done;
    FB_TRY(search_at_zero(s, &is_done, err));
    if (is_done) {
        return FB_OK;
    }
    if (s->n_basis == 0) {
        FB_TRY(fb_sparse_search_factor_near(s, -FIRST_SHIFT * s->p.stiffest, err));
        FB_TRY(fb_sparse_basis_find(s, ROUGH, err));
    }
    return fb_sparse_search_at(s, better_shift(s), s->options.tolerance, err);
}

FbStatus fb_sparse_count_search(Search* s, FbError* err) {
    s->n_basis = 0;
    FB_TRY(s->options.has_shift
               ? fb_sparse_search_at(s, s->options.shift, s->options.tolerance, err)
               : search_lowest(s, err));
    s->stable_from = creal(s->p.shift);
    s->n_unstable = s->stable_from <= 0.0 ? s->p.n_below : -1;
    return FB_OK;
}

// ---- The proof ----

static double metric_at(const Search* s, int place) {
    return s->metric[s->order[place]];
}

static bool is_gap(const Search* s, double low, double high) {
    return isfinite(high) && high - low > 2.0 * fmax(GAP * high, BLUR * s->p.stiffest);
}

// Two neighbours in the order with room for a bound between them: behind the last wanted mode, else
// before it, so that only its equals are not counted. False: all are equal and at the centre.
static bool find_gap(const Search* s, double* low, double* high) {
    int last = fb_sparse_basis_last_needed(s);
    for (int k = last; k + 1 < s->n_basis; k++) {
        *low = metric_at(s, k);
        *high = metric_at(s, k + 1);
        if (is_gap(s, *low, *high)) {
            return true;
        }
    }
    for (int k = last; k >= 0; k--) {
        *low = k > 0 ? metric_at(s, k - 1) : 0.0;
        *high = metric_at(s, k);
        if (is_gap(s, *low, *high)) {
            return true;
        }
    }
    return false;
}

static int count_known(const Search* s, double bound) {
    int count = 0;
    for (int k = 0; k < s->n_basis; k++) {
        count += s->metric[k] < bound;
    }
    return count;
}

// The modes within `bound` of the centre.
static FbStatus count_within(Search* s, double bound, int* count) {
    double centre = s->options.has_shift ? creal(s->p.shift) : 0.0;
    int above, below = 0;
    bool is_stable = s->n_unstable == 0 && centre - bound <= s->stable_from;
    FbStatus status = fb_sparse_pencil_count(&s->p, centre + bound, &above);
    if (status == FB_OK && !is_stable) {
        status = fb_sparse_pencil_count(&s->p, centre - bound, &below);
    }
    *count = above - below;
    return status;
}

// A bound in the gap that is not a mode.
static FbStatus count(Search* s, double low, double high, double* bound, int* n) {
    static const double places[] = {0.5, 0.4, 0.6, 0.3};
    FbStatus status = FB_RETRY;
    for (int i = 0; status == FB_RETRY && i < 4; i++) {
        *bound = low + places[i] * (high - low);
        status = count_within(s, *bound, n);
    }
    return status;
}

// Looks outside the basis for as many modes as are missing.
static FbStatus recover(Search* s, double bound, int n, FbError* err) {
    FB_TRY(fb_sparse_search_factor_near(s, s->p.shift, err));
    s->is_outside = true;
    for (int round = 0; round < FB_SEARCH_ROUNDS && count_known(s, bound) < n; round++) {
        FbArpackBasis found;
        FbError ignored;
        int before = s->n_basis;
        double tolerance = fmin(1e-8, s->options.tolerance);
        FbStatus status = fb_sparse_basis_run_arpack(s, s->n_more, false, tolerance,
                                                     FB_SEARCH_RESTARTS, &found, &ignored);
        if (status == FB_ERR_MEMORY) {
            return fb_fail_memory(err);
        }
        for (int k = 0; status >= 0 && k < found.count; k++) {
            fb_sparse_basis_append(s, s->fresh + (size_t)k * (size_t)s->p.n_state);
        }
        if (s->n_basis == before) {
            break;
        }
        FB_TRY(fb_sparse_basis_take_pairs(s, err));
    }
    s->is_outside = false;
    return FB_OK;
}

// Where the list is about a frequency, instability is a question of its own.
static FbStatus count_unstable(Search* s, FbError* err) {
    if (s->n_unstable >= 0) {
        return FB_OK;
    }
    s->stable_from = -FIRST_SHIFT * s->p.stiffest;
    FbStatus status = fb_sparse_pencil_count(&s->p, s->stable_from, &s->n_unstable);
    s->n_unstable = status == FB_OK ? s->n_unstable : -1;
    return status == FB_ERR_MEMORY ? fb_fail_memory(err) : FB_OK;
}

FbStatus fb_sparse_count_prove(Search* s, bool* is_changed, FbError* err) {
    FbLowestInfo* info = &s->info;
    double low, high, bound;
    int n;
    *is_changed = false;
    if (!s->p.is_symmetric || s->is_small) {
        return FB_OK;
    }
    FB_TRY(count_unstable(s, err));
    bool has_gap = find_gap(s, &low, &high);
    if (!has_gap) {  // nothing can be lower: counted behind them, for the record
        low = metric_at(s, s->n_basis - 1);
        high = low + 4.0 * fmax(GAP * low, BLUR * s->p.stiffest);
    }
    FbStatus status = count(s, low, high, &bound, &n);
    if (status != FB_OK) {
        return status == FB_ERR_MEMORY ? fb_fail_memory(err) : FB_OK;
    }
    int known = count_known(s, bound);
    if (known < n && has_gap) {
        *is_changed = true;
        FB_TRY(recover(s, bound, n, err));
        info->n_recovered = count_known(s, bound) - known;
    }
    info->n_counted = n;
    info->counted = bound;
    info->is_complete = has_gap ? count_known(s, bound) == n : known <= n;
    double centre = s->options.has_shift ? creal(s->p.shift) : 0.0;
    info->reach = info->is_complete ? fmax(0.0, bound - fabs(creal(s->p.shift) - centre)) : 0.0;
    return FB_OK;
}

// ---- Unstable modes ----

// The most negative w^2 that is known and has no place in the list; *n_known: how many there are in
// all.
static double lowest_unlisted(const Search* s, int* n_known) {
    double lowest = 0.0, rounding = FIRST_SHIFT * s->p.stiffest;
    *n_known = 0;
    for (int k = 0; k < s->n_basis; k++) {
        double complex nu = s->nu[s->order[k]];
        double key = nu != 0.0 ? creal(fb_sparse_pencil_key(&s->p, nu)) : 0.0;
        *n_known += key < -rounding;
        lowest = k > fb_sparse_basis_last_needed(s) ? fmin(lowest, key) : lowest;
    }
    return lowest < -rounding ? lowest : 0.0;
}

// A negative eigenvalue of the operator belongs to w^2 below the shift, and shows well if it is not
// much farther below than the shift itself: so the shift climbs down a ladder.
static FbStatus climb_down(Search* s, double* lowest, FbError* err) {
    double shift = fmin(creal(s->p.shift), -FIRST_SHIFT * s->p.stiffest);
    while (shift > -10.0 * s->p.stiffest) {
        FbArpackBasis found = {0};
        FbError ignored;
        FbStatus status = fb_sparse_pencil_factor(&s->p, shift);
        if (status == FB_RETRY) {  // regular at other shifts, so this one is a mode
            *lowest = shift;
            return FB_OK;
        }
        if (status == FB_OK) {
            status = fb_sparse_basis_run_arpack(s, 1, true, 1e-2, FEW_RESTARTS, &found, &ignored);
        }
        if (status == FB_ERR_MEMORY) {
            return fb_fail_memory(err);
        }
        if (found.count > 0 && creal(found.values[0]) * fabs(shift) < -SEEN) {
            *lowest = shift + 1.0 / creal(found.values[0]);
            return FB_OK;
        }
        shift *= STEP_DOWN;
    }
    return FB_OK;
}

FbStatus fb_sparse_count_look_below(Search* s, FbError* err) {
    if (!s->p.is_symmetric) {
        return FB_OK;
    }
    int n_known;
    double lowest = lowest_unlisted(s, &n_known);
    bool is_unknown = s->n_unstable < 0 || s->n_unstable > n_known;
    if (!s->is_small && lowest == 0.0 && is_unknown) {
        s->is_outside = true;
        FbStatus status = climb_down(s, &lowest, err);
        s->is_outside = false;
        FB_TRY(status);
    }
    s->info.unstable_rate = sqrt(-lowest);
    return FB_OK;
}
