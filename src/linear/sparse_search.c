// Finds the modes next to a shift: a shift that meets no mode, a basis, pairs, and what was missed.
//
// The basis comes from ARPACK or, where the constraints leave few freedoms, from as many random
// vectors as there are freedoms. Pairs are always taken from it by a Rayleigh-Ritz step with the
// shifted operator. To look for missed modes, the operator is applied outside the span of the
// basis: its largest eigenvalue there belongs to the nearest mode that is not known.
#include "linear/sparse_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/arpack.h"
#include "math/dense.h"

// The first shift, as a part of trace |K| / trace M; the second is this part of the last mode.
static const double FIRST_SHIFT = 1e-3, SHIFT_OF_MODE = 0.1;
// A shift this much closer to one mode than to the last wanted one costs the others their digits.
static const double HIT = 1e5;
static const double ROUGH = 1e-3;  // tolerance of the first pass, which only places the shift
static const double STEP_DOWN = 100.0;
// Relative to the size of the operator at a shift below all listed modes, 1/|shift|: smaller
// negative values are rounding, and what they would belong to shows better further down.
static const double SEEN = 1e-8;
static const double LEAST_APPROACH = 1e-12;
enum {
    MAX_APPROACH = 8,
    FEW_RESTARTS = 4,
    MAX_MOVES = 8,
    MAX_ROUNDS = 8,
    MAX_RESTARTS = 300,
    LEAST_KRYLOV = 30
};

typedef FbSparseSearch Search;

static double dot(const double* a, const double* b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// The same numbers in [-1, 1] in every run.
static void fill_random(Search* s, double* x) {
    for (int i = 0; i < s->p.n_state; i++) {
        s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(int64_t)(s->seed >> 11) / 4503599627370496.0 - 1.0;
    }
}

static void multiply(Search* s, const double* x, double* bx) {
    if (s->p.is_damped) {
        memcpy(bx, x, sizeof(double) * (size_t)s->p.n_state);
    } else {
        fb_sparse_pencil_multiply(&s->p, x, bx);
    }
}

static void remove_basis(const Search* s, double* x) {
    int n = s->p.n_state;
    for (int k = 0; k < s->n_basis; k++) {
        size_t at = (size_t)k * (size_t)n;
        double c = dot(s->b_basis + at, x, n);
        for (int i = 0; i < n; i++) {
            x[i] -= c * s->basis[at + (size_t)i];
        }
    }
}

static void apply(void* self, const double* bx, double* y) {
    Search* s = self;
    fb_sparse_pencil_apply(&s->p, bx, y);
    if (s->is_outside) {
        remove_basis(s, y);
    }
}

static void multiply_for_arpack(void* self, const double* x, double* bx) {
    multiply(self, x, bx);
}

// Appends x to the basis unless it lies in its span or moves no mass.
static void append(Search* s, const double* x) {
    int n = s->p.n_state;
    double* q = s->basis + (size_t)s->n_basis * (size_t)n;
    double* bq = s->b_basis + (size_t)s->n_basis * (size_t)n;
    if (s->n_basis >= s->capacity) {
        return;
    }
    memcpy(q, x, sizeof(double) * (size_t)n);
    multiply(s, q, bq);
    double before = sqrt(fmax(0.0, dot(q, bq, n)));
    remove_basis(s, q);
    remove_basis(s, q);  // twice is enough
    multiply(s, q, bq);
    double size = sqrt(fmax(0.0, dot(q, bq, n)));
    if (!(size > 1e-10 * before)) {
        return;
    }
    for (int i = 0; i < n; i++) {
        q[i] /= size;
        bq[i] /= size;
    }
    s->n_basis++;
}

// A random vector that satisfies the constraints: the operator filters what does not, first the
// displacements and, in the damped problem, then the velocities (zv = sigma zq + uq).
static void fill_start(Search* s) {
    fill_random(s, s->start);
    for (int k = 0; k < (s->p.is_damped ? 2 : 1); k++) {
        multiply(s, s->start, s->product);
        apply(s, s->product, s->start);
    }
}

static double complex moved(const Search* s, double complex shift, int attempt) {
    double scale = s->p.is_damped ? s->p.rate : s->p.stiffness_ratio;
    double step = fmax(1e-4 * cabs(shift), 1e-6 * scale) * pow(16.0, attempt);
    return s->p.is_damped ? shift + step : shift - step;
}

static FbStatus factor_near(Search* s, double complex shift, FbError* err) {
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
    FB_TRY(factor_near(s, far, err));
    for (int k = 0; k < s->p.dimension; k++) {
        fill_start(s);
        append(s, s->start);
    }
    return FB_OK;
}

static FbStatus run_arpack(Search* s, int n_wanted, bool wants_negative, double tolerance,
                           int restarts, FbArpackBasis* out, FbError* err) {
    int free = s->p.dimension - (s->is_outside ? s->n_basis : 0);
    int krylov = 2 * n_wanted + 1 > LEAST_KRYLOV ? 2 * n_wanted + 1 : LEAST_KRYLOV;
    *out = (FbArpackBasis){.values = s->fresh_values, .vectors = s->fresh};
    if (free < n_wanted + 3) {
        return FB_RETRY;
    }
    fill_start(s);
    FbArpack a = {.n = s->p.n_state,
                  .n_wanted = n_wanted,
                  .n_krylov = krylov < free ? krylov : free,
                  .is_symmetric = s->p.is_symmetric,
                  .wants_most_negative = wants_negative,
                  .tolerance = tolerance,
                  .max_restarts = restarts,
                  .start = s->start,
                  .self = s,
                  .apply = apply,
                  .multiply = s->p.is_damped ? NULL : multiply_for_arpack};
    return fb_arpack_run(&a, out, err);
}

static FbStatus find_basis(Search* s, double tolerance, FbError* err) {
    FbArpackBasis found;
    s->n_basis = 0;
    FB_TRY(run_arpack(s, s->n_eigen, false, tolerance, MAX_RESTARTS, &found, err));
    for (int k = 0; k < found.count; k++) {
        append(s, s->fresh + (size_t)k * (size_t)s->p.n_state);
    }
    if (s->n_basis == 0) {
        return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                       "no eigenvalue near the shift %g converged in %d restarts",
                       creal(s->p.shift), MAX_RESTARTS);
    }
    return FB_OK;
}

static void sort_pairs(Search* s) {
    for (int k = 0; k < s->n_basis; k++) {
        double complex key = fb_sparse_pencil_key(&s->p, s->nu[k]);
        s->metric[k] = s->nu[k] == 0.0        ? INFINITY  // no inertia
                       : s->options.has_shift ? cabs(key - s->p.shift)
                                              : cabs(key);
        int at = k;
        for (; at > 0 && s->metric[s->order[at - 1]] > s->metric[k]; at--) {
            s->order[at] = s->order[at - 1];
        }
        s->order[at] = k;
    }
}

// T = Q' B Op Q; its eigenvalues are those of the operator on the span of the basis Q.
static FbStatus take_pairs(Search* s, FbError* err) {
    int n = s->p.n_state, k = s->n_basis;
    size_t ld = (size_t)k;
    for (int j = 0; j < k; j++) {
        fb_sparse_pencil_apply(&s->p, s->b_basis + (size_t)j * (size_t)n, s->work);
        for (int i = 0; i < k; i++) {
            s->T[(size_t)j * ld + (size_t)i] = dot(s->b_basis + (size_t)i * (size_t)n, s->work, n);
        }
    }
    if (!s->p.is_symmetric) {
        FB_TRY(fb_eigen_general(k, s->T, s->nu, s->y, err));
        sort_pairs(s);
        return FB_OK;
    }
    memset(s->unit, 0, sizeof(double) * ld * ld);
    for (int j = 0; j < k; j++) {
        s->unit[(size_t)j * ld + (size_t)j] = 1.0;
        for (int i = 0; i < j; i++) {
            double* a = &s->T[(size_t)j * ld + (size_t)i];
            double* b = &s->T[(size_t)i * ld + (size_t)j];
            *a = *b = 0.5 * (*a + *b);
        }
    }
    FB_TRY(fb_eigen_symmetric_pencil(k, s->T, s->unit, s->w, err));
    for (size_t e = 0; e < ld * ld; e++) {
        s->y[e] = s->T[e];
    }
    for (int j = 0; j < k; j++) {
        s->nu[j] = s->w[j];
    }
    sort_pairs(s);
    return FB_OK;
}

// The place in the order of the last pair that the list will need: conjugates count once.
static int last_needed(const Search* s) {
    int modes = 0;
    for (int k = 0; k < s->n_basis; k++) {
        modes += cimag(s->nu[s->order[k]]) <= 0.0;  // Im s > 0 has Im nu < 0
        if (modes == s->options.count) {
            return k;
        }
    }
    return s->n_basis - 1;
}

static bool has_hit(const Search* s) {
    double largest = 0.0, smallest = INFINITY;
    for (int k = 0; k <= last_needed(s); k++) {
        double size = cabs(s->nu[s->order[k]]);
        largest = fmax(largest, size);
        smallest = fmin(smallest, size);
    }
    return largest > HIT * smallest;
}

// Pairs about the shift; one that meets a mode is moved away.
static FbStatus search_at(Search* s, double complex shift, double tolerance, FbError* err) {
    for (int i = 0;; i++) {
        if (s->p.shift != shift) {
            FB_TRY(factor_near(s, shift, err));
        }
        if (!s->is_small) {
            FB_TRY(find_basis(s, tolerance, err));
        }
        FB_TRY(take_pairs(s, err));
        if (i == MAX_MOVES || !has_hit(s)) {
            return FB_OK;
        }
        s->info.n_shift_moves++;
        shift = moved(s, s->p.shift, i);
    }
}

// Close to the wanted modes, which keeps their digits, and on the side where no stable system has
// any.
static double complex better_shift(const Search* s) {
    double last = s->metric[s->order[last_needed(s)]], now = cabs(s->p.shift);
    double part = s->p.is_damped ? fmin(SHIFT_OF_MODE, 0.25 / s->options.count) : SHIFT_OF_MODE;
    double size = part * last;
    bool is_far = size < 0.5 * now || size > 1e3 * now;
    if (!isfinite(size) || !is_far || !(size > 1e-8 * now)) {  // only rigid-body modes wanted: stay
        return s->p.shift;
    }
    return s->p.is_damped ? size : -size;
}

// Fine meshes have lowest modes far below the mean stiffness, and from far away they are
// indistinguishable: a few inverse iterations estimate how far below, and the shift follows.
static FbStatus approach(Search* s, double* shift, FbError* err) {
    int n = s->p.n_state;
    for (int step = 0; step < MAX_APPROACH; step++) {
        FB_TRY(factor_near(s, *shift, err));
        fill_start(s);
        for (int k = 0; k < 3; k++) {
            multiply(s, s->start, s->product);
            apply(s, s->product, s->start);
        }
        multiply(s, s->start, s->product);
        double size = dot(s->start, s->product, n);
        apply(s, s->product, s->work);
        double nu = dot(s->product, s->work, n) / size;
        double mu = creal(s->p.shift) + 1.0 / nu;  // a mean of the modes that are left
        if (!(mu > LEAST_APPROACH * s->p.stiffness_ratio) || mu > 0.1 * fabs(*shift)) {
            return FB_OK;
        }
        *shift = -mu;
    }
    return FB_OK;
}

static FbStatus search(Search* s, FbError* err) {
    const FbLowestOptions* o = &s->options;
    if (s->is_small) {
        FB_TRY(span_everything(s, err));
    }
    if (o->has_shift) {
        return search_at(s, CMPLX(o->shift, s->p.is_complex ? o->shift_im : 0.0), o->tolerance,
                         err);
    }
    double first =
        s->p.is_damped ? sqrt(FIRST_SHIFT) * s->p.rate : -FIRST_SHIFT * s->p.stiffness_ratio;
    if (s->p.is_symmetric && !s->is_small) {
        FB_TRY(approach(s, &first, err));
    }
    FB_TRY(search_at(s, first, ROUGH, err));
    return search_at(s, better_shift(s), o->tolerance, err);
}

// How far from the shift everything must be known for the list to be right.
static double needed_reach(const Search* s) {
    double last = s->metric[s->order[last_needed(s)]];
    return s->options.has_shift ? last : last + cabs(s->p.shift);
}

// Would the list have held this one?
static bool is_missing(const Search* s, double complex nu) {
    double last = s->metric[s->order[last_needed(s)]];
    double complex key = fb_sparse_pencil_key(&s->p, nu);
    double metric = s->options.has_shift ? cabs(key - s->p.shift) : cabs(key);
    return metric < last * (1.0 - 1e-7);
}

// Looks outside the basis until the nearest mode there is farther than the list reaches.
static FbStatus look_outside(Search* s, FbError* err) {
    FbLowestInfo* info = &s->info;
    s->is_outside = true;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        FbArpackBasis found;
        FbError ignored;
        double need = needed_reach(s), largest = 0.0;
        FbStatus status = run_arpack(s, s->n_more, false, fmin(1e-8, s->options.tolerance),
                                     MAX_RESTARTS, &found, &ignored);
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
        bool is_known = last_needed(s) + 1 >= s->options.count;
        if (is_known && info->reach >= need * (1.0 - 1e-7)) {
            info->is_complete = true;
            return FB_OK;
        }
        int before = s->n_basis;
        for (int k = 0; k < found.count; k++) {
            info->n_recovered += is_missing(s, found.values[k]);
            append(s, s->fresh + (size_t)k * (size_t)s->p.n_state);
        }
        if (s->n_basis == before) {
            return FB_OK;
        }
        FB_TRY(take_pairs(s, err));
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

// Without ARPACK the basis must span everything, up to what dense matrices can hold.
static void choose_sizes(Search* s) {
    enum { MOST_WITHOUT_ARPACK = 500 };
    FbSparsePencil* p = &s->p;
    int most = p->is_damped ? p->dimension : p->n - p->m;
    s->options.count = s->options.count < most ? s->options.count : most;
    s->n_eigen = p->is_damped ? 2 * s->options.count + 4 : s->options.count + 2;
    s->n_more = s->n_eigen / 4 > 2 ? s->n_eigen / 4 : 2;
    int small = 3 * s->n_eigen + LEAST_KRYLOV;
    if (!fb_arpack_is_available() && small < MOST_WITHOUT_ARPACK) {
        small = MOST_WITHOUT_ARPACK;
    }
    s->is_small = p->dimension <= small;
    s->capacity = s->is_small ? p->dimension : s->n_eigen + 1 + MAX_ROUNDS * (s->n_more + 1);
}

static FbStatus take_memory(Search* s, FbError* err) {
    size_t n = (size_t)s->p.n_state, most = (size_t)s->capacity;
    size_t fresh = s->is_small ? 1 : (size_t)s->n_eigen + 1;
    s->basis = FB_TAKE(s->arena, double, n* most + 1);
    s->b_basis = FB_TAKE(s->arena, double, n* most + 1);
    s->fresh = FB_TAKE(s->arena, double, n* fresh + 1);
    s->fresh_values = FB_TAKE(s->arena, double complex, fresh + 1);
    s->start = FB_TAKE(s->arena, double, n + 1);
    s->work = FB_TAKE(s->arena, double, n + 1);
    s->product = FB_TAKE(s->arena, double, n + 1);
    s->T = FB_TAKE(s->arena, double, most* most + 1);
    s->unit = FB_TAKE(s->arena, double, most* most + 1);
    s->w = FB_TAKE(s->arena, double, most + 1);
    s->nu = FB_TAKE(s->arena, double complex, most + 1);
    s->y = FB_TAKE(s->arena, double complex, most* most + 1);
    s->metric = FB_TAKE(s->arena, double, most + 1);
    s->order = FB_TAKE(s->arena, int, most + 1);
    return fb_arena_has_failed(s->arena) ? fb_fail_memory(err) : FB_OK;
}

FbStatus fb_sparse_search_init(Search* s, FbError* err) {
    s->arena = fb_arena_create();
    if (!s->arena) {
        return fb_fail_memory(err);
    }
    s->seed = 1;
    s->p.shift = NAN;  // nothing is factored yet
    choose_sizes(s);
    return take_memory(s, err);
}

FbStatus fb_sparse_search_run(Search* s, FbError* err) {
    FB_TRY(search(s, err));
    FB_TRY(check_completeness(s, err));
    s->info.shift = creal(s->p.shift);
    s->info.shift_im = cimag(s->p.shift);
    s->info.is_symmetric = s->p.is_symmetric;
    return FB_OK;
}

// The most negative w^2 that is known and has no place in the list.
static double lowest_unlisted(const Search* s) {
    double lowest = 0.0;
    for (int k = last_needed(s) + 1; k < s->n_basis; k++) {
        double complex nu = s->nu[s->order[k]];
        double key = nu != 0.0 ? creal(fb_sparse_pencil_key(&s->p, nu)) : 0.0;
        lowest = fmin(lowest, key);
    }
    return lowest < -1e-10 * s->p.stiffest ? lowest : 0.0;  // no rounding of a rigid-body mode
}

// A negative eigenvalue of the operator belongs to w^2 below the shift, and shows well if it is not
// much farther below than the shift itself: so the shift climbs down a ladder.
FbStatus fb_sparse_search_look_below(Search* s, FbError* err) {
    double lowest = s->p.is_symmetric ? lowest_unlisted(s) : 0.0;
    double shift = fmin(creal(s->p.shift), -FIRST_SHIFT * s->p.stiffness_ratio);
    bool is_wanted = s->p.is_symmetric && !s->is_small && lowest == 0.0;
    s->is_outside = true;
    for (; is_wanted && shift > -10.0 * s->p.stiffest; shift *= STEP_DOWN) {
        FbArpackBasis found = {0};
        FbError ignored;
        FbStatus status = fb_sparse_pencil_factor(&s->p, shift);
        if (status == FB_RETRY) {  // regular at other shifts, so this one is a mode
            lowest = shift;
            break;
        }
        if (status == FB_OK) {
            status = run_arpack(s, 1, true, 1e-2, FEW_RESTARTS, &found, &ignored);
        }
        if (status == FB_ERR_MEMORY) {
            return fb_fail_memory(err);
        }
        if (found.count > 0 && creal(found.values[0]) * fabs(shift) < -SEEN) {
            lowest = shift + 1.0 / creal(found.values[0]);
            break;
        }
    }
    s->is_outside = false;
    s->info.unstable_rate = sqrt(-lowest);
    return FB_OK;
}

void fb_sparse_search_calc_vector(const Search* s, int pair, double complex* u) {
    int n = s->p.n_state;
    memset(u, 0, sizeof(double complex) * (size_t)n);
    for (int k = 0; k < s->n_basis; k++) {
        double complex y = s->y[(size_t)pair * (size_t)s->n_basis + (size_t)k];
        const double* q = s->basis + (size_t)k * (size_t)n;
        for (int i = 0; i < n; i++) {
            u[i] += y * q[i];
        }
    }
}
