// The vectors of a search for modes: a basis from ARPACK or from random vectors, the operator on it
// and outside it, and the pairs that a Rayleigh-Ritz step takes from it.
#include <math.h>
#include <string.h>

#include "linear/arpack.h"
#include "linear/sparse_search.h"
#include "math/dense.h"

// A shift this much closer to one mode than to the last wanted one costs the others their digits.
static const double HIT = 1e5;
enum { MAX_RESTARTS = FB_SEARCH_RESTARTS, LEAST_KRYLOV = 30 };

typedef FbSparseSearch Search;

static double dot(const double* a, const double* b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// The same numbers in [-1, 1] in every run.
// Random in the size of each coordinate: otherwise those with large masses, such as modal
// amplitudes of a small part, would drown the others.
static void fill_random(Search* s, double* x) {
    for (int i = 0; i < s->p.n_state; i++) {
        s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
        double size = i < 2 * s->p.n ? s->p.own_size[i % s->p.n] : 1.0;
        x[i] = size * ((double)(int64_t)(s->seed >> 11) / 4503599627370496.0 - 1.0);
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
void fb_sparse_basis_append(Search* s, const double* x) {
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
void fb_sparse_basis_fill_start(Search* s) {
    fill_random(s, s->start);
    for (int k = 0; k < (s->p.is_damped ? 2 : 1); k++) {
        multiply(s, s->start, s->product);
        apply(s, s->product, s->start);
    }
}

FbStatus fb_sparse_basis_run_arpack(Search* s, int n_wanted, bool wants_negative, double tolerance,
                                    int restarts, FbArpackBasis* out, FbError* err) {
    int free = s->p.dimension - (s->is_outside ? s->n_basis : 0);
    int krylov = 2 * n_wanted + 1 > LEAST_KRYLOV ? 2 * n_wanted + 1 : LEAST_KRYLOV;
    *out = (FbArpackBasis){.values = s->fresh_values, .vectors = s->fresh};
    if (free < n_wanted + 3) {
        return FB_RETRY;
    }
    fb_sparse_basis_fill_start(s);
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
FbStatus fb_sparse_basis_take_pairs(Search* s, FbError* err) {
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

static FbStatus not_converged(const Search* s, FbError* err) {
    return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                   "no eigenvalue near the shift %g converged in %d restarts", creal(s->p.shift),
                   MAX_RESTARTS);
}

// ARPACK's own pairs where the operator is symmetric: its vectors are orthonormal.
static void adopt_pairs(Search* s, const FbArpackBasis* found) {
    size_t n = (size_t)s->p.n_state, k = (size_t)found->count;
    memcpy(s->basis, s->fresh, sizeof(double) * n * k);
    memset(s->y, 0, sizeof *s->y * k * k);
    s->n_basis = found->count;
    for (size_t j = 0; j < k; j++) {
        multiply(s, s->basis + j * n, s->b_basis + j * n);
        s->y[j * k + j] = 1.0;
        s->nu[j] = creal(found->values[j]);
    }
    sort_pairs(s);
}

FbStatus fb_sparse_basis_find(Search* s, double tolerance, FbError* err) {
    FbArpackBasis found;
    s->n_basis = 0;
    FbStatus status =
        fb_sparse_basis_run_arpack(s, s->n_eigen, false, tolerance, MAX_RESTARTS, &found, err);
    if (status < 0) {
        return status;
    }
    if (status == FB_OK && s->p.is_symmetric) {
        adopt_pairs(s, &found);
        return FB_OK;
    }
    for (int k = 0; k < found.count; k++) {
        fb_sparse_basis_append(s, s->fresh + (size_t)k * (size_t)s->p.n_state);
    }
    return s->n_basis > 0 ? fb_sparse_basis_take_pairs(s, err) : not_converged(s, err);
}

// The place in the order of the last pair that the list will need: conjugates count once.
int fb_sparse_basis_last_needed(const Search* s) {
    int modes = 0;
    for (int k = 0; k < s->n_basis; k++) {
        modes += cimag(s->nu[s->order[k]]) <= 0.0;  // Im s > 0 has Im nu < 0
        if (modes == s->options.count) {
            return k;
        }
    }
    return s->n_basis - 1;
}

bool fb_sparse_basis_has_hit(const Search* s) {
    double largest = 0.0, smallest = INFINITY;
    for (int k = 0; k <= fb_sparse_basis_last_needed(s); k++) {
        double size = cabs(s->nu[s->order[k]]);
        largest = fmax(largest, size);
        smallest = fmin(smallest, size);
    }
    return largest > HIT * smallest;
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
    s->capacity = s->is_small ? p->dimension : s->n_eigen + 1 + FB_SEARCH_ROUNDS * (s->n_more + 1);
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

void fb_sparse_search_calc_vector(const Search* s, int pair, double complex* u) {
    int n = s->p.n_state;
    memset(u, 0, sizeof(double complex) * (size_t)n);
    for (int k = 0; k < s->n_basis; k++) {
        double complex y = s->y[(size_t)pair * (size_t)s->n_basis + (size_t)k];
        const double* q = s->basis + (size_t)k * (size_t)n;
        for (int i = 0; y != 0.0 && i < n; i++) {
            u[i] += y * q[i];
        }
    }
}

void fb_sparse_search_calc_real_vector(const Search* s, int pair, double* u) {
    int n = s->p.n_state;
    memset(u, 0, sizeof(double) * (size_t)n);
    for (int k = 0; k < s->n_basis; k++) {
        double y = creal(s->y[(size_t)pair * (size_t)s->n_basis + (size_t)k]);
        const double* q = s->basis + (size_t)k * (size_t)n;
        for (int i = 0; y != 0.0 && i < n; i++) {
            u[i] += y * q[i];
        }
    }
}
