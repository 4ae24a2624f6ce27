// The shifted sparse matrix of the linearised equations, its factorization and the operator that
// eigenvalue iterations see.
#include "linear/sparse_pencil.h"

#include <float.h>
#include <math.h>
#include <string.h>

// K counts as symmetric if it differs from K' by less than this part of its largest entry.
static const double SYMMETRIC = 1e-13;

// Adds an entry to the pattern (values NULL) or to the values of the factored matrix.
typedef struct Sink {
    FbSparsePencil* p;
    FbPatternBuilder* builder;
    double* values;
} Sink;

static void put(Sink* s, int row, int col, double complex value) {
    if (s->builder) {
        fb_pattern_builder_add(s->builder, row, col);
        return;
    }
    int at = fb_pattern_index(&s->p->pattern, row, col);
    if (s->p->is_complex) {
        s->values[2 * at] += creal(value);
        s->values[2 * at + 1] += cimag(value);
    } else {
        s->values[at] += creal(value);
    }
}

// [K - sigma M  G'; G  0]
static void put_undamped(Sink* s, double complex shift) {
    const FbSparsePencil* p = s->p;
    const FbBlocks* b = &p->b;
    for (int col = 0; col < p->n; col++) {
        for (int e = b->vv->start[col]; e < b->vv->start[col + 1]; e++) {
            put(s, b->vv->row[e], col, b->K[e] - shift * b->M[e]);
        }
        for (int e = p->m > 0 ? b->cv->start[col] : 0; p->m > 0 && e < b->cv->start[col + 1]; e++) {
            put(s, p->n + b->cv->row[e], col, b->G[e]);
            put(s, col, p->n + b->cv->row[e], b->G[e]);
        }
    }
}

static void put_constraints(Sink* s) {
    const FbSparsePencil* p = s->p;
    const FbBlocks* b = &p->b;
    int n = p->n;
    for (int col = 0; p->m > 0 && col < n; col++) {
        for (int e = b->cv->start[col]; e < b->cv->start[col + 1]; e++) {
            int row = 2 * n + b->cv->row[e];
            put(s, n + col, row, b->G[e]);
            if (b->cv->row[e] < p->m_h) {
                put(s, row, col, b->G[e]);
            } else {
                put(s, row, col, b->Gq[e]);
                put(s, row, n + col, b->G[e]);
            }
        }
    }
}

static void put_states(Sink* s, double complex shift) {
    const FbSparsePencil* p = s->p;
    const FbBlocks* b = &p->b;
    int n = p->n, x0 = 2 * n + p->m;
    for (int i = 0; i < p->n_x; i++) {
        for (int j = 0; j < n; j++) {
            put(s, n + j, x0 + i, b->Rx[(size_t)i * (size_t)n + (size_t)j]);
            put(s, x0 + i, j, -b->Xq[(size_t)j * (size_t)p->n_x + (size_t)i]);
            put(s, x0 + i, n + j, -b->Xv[(size_t)j * (size_t)p->n_x + (size_t)i]);
        }
        for (int j = 0; j < p->n_x; j++) {
            double complex own = i == j ? shift : 0.0;
            put(s, x0 + i, x0 + j, own - b->Xx[(size_t)j * (size_t)p->n_x + (size_t)i]);
        }
    }
}

// sigma E - A in the order (dq, dv, l, x)
static void put_damped(Sink* s, double complex shift) {
    const FbSparsePencil* p = s->p;
    const FbBlocks* b = &p->b;
    const FbDynamics* d = p->op->dynamics;
    int n = p->n;
    for (int col = 0; col < n; col++) {
        put(s, col, col, shift);
        put(s, col, n + col, -1.0);
        for (int e = b->vv->start[col]; e < b->vv->start[col + 1]; e++) {
            put(s, n + b->vv->row[e], col, b->K[e]);
            put(s, n + b->vv->row[e], n + col, b->C[e] + shift * b->M[e]);
        }
    }
    for (int i = 0; i < d->n_ball; i++) {
        for (int k = 0; k < 9; k++) {
            int j = d->ball[i], r = k / 3, c = k % 3;
            put(s, j + r, j + c, -fb_ball_rate(p->op->p.v + j, r, c));
        }
    }
    for (int i = 0; i < p->op->spins.n_entries; i++) {  // as in terms.c
        const FbSpinEntry* x = &p->op->spins.entries[i];
        put(s, x->row, x->col, x->value);
        for (int e = b->vv->start[x->row]; e < b->vv->start[x->row + 1]; e++) {
            put(s, n + b->vv->row[e], n + x->col, b->M[e] * x->value);
        }
    }
    put_constraints(s);
    put_states(s, shift);
}

static void put_all(Sink* s, double complex shift) {
    if (s->p->is_damped) {
        put_damped(s, shift);
    } else {
        put_undamped(s, shift);
    }
}

static double row_sum_norm(const FbPattern* pattern, const double* values, double* sums) {
    double largest = 0.0;
    memset(sums, 0, sizeof(double) * (size_t)pattern->n_row);
    for (int e = 0; e < fb_pattern_count(pattern); e++) {
        sums[pattern->row[e]] += fabs(values[e]);
        largest = fmax(largest, sums[pattern->row[e]]);
    }
    return largest;
}

static bool is_symmetric(const FbPattern* pattern, const double* values) {
    double largest = 0.0, difference = 0.0;
    for (int col = 0; col < pattern->n_col; col++) {
        for (int e = pattern->start[col]; e < pattern->start[col + 1]; e++) {
            int at = fb_pattern_index(pattern, col, pattern->row[e]);
            double other = at >= 0 ? values[at] : 0.0;
            largest = fmax(largest, fabs(values[e]));
            difference = fmax(difference, fabs(values[e] - other));
        }
    }
    return difference <= SYMMETRIC * largest;
}

// A bound of all w^2 if M were its diagonal: the largest sum over j of |K_ij| / sqrt(M_ii M_jj),
// which has the same unit in every row.
static double calc_stiffest(FbSparsePencil* p) {
    const FbBlocks* b = &p->b;
    double *root = p->rhs, *sums = p->rhs + p->n, largest = 0.0;
    for (int j = 0; j < p->n; j++) {
        int at = fb_pattern_index(b->vv, j, j);
        root[j] = at >= 0 && b->M[at] > 0.0 ? 1.0 / sqrt(b->M[at]) : 0.0;
        sums[j] = 0.0;
    }
    for (int col = 0; col < p->n; col++) {
        for (int e = b->vv->start[col]; e < b->vv->start[col + 1]; e++) {
            int row = b->vv->row[e];
            sums[row] += fabs(b->K[e]) * root[row] * root[col];
        }
    }
    for (int j = 0; j < p->n; j++) {
        largest = fmax(largest, sums[j]);
    }
    return largest > 0.0 ? largest : 1.0;  // nothing holds: any scale will do
}

// The displacement of unit energy: 1 / sqrt(M_ii), or by the stiffness where there is no mass.
static void calc_own_sizes(FbSparsePencil* p) {
    const FbBlocks* b = &p->b;
    for (int j = 0; j < p->n; j++) {
        int at = fb_pattern_index(b->vv, j, j);
        double mass = at >= 0 ? b->M[at] : 0.0;
        double inertia = mass > 0.0 ? mass : at >= 0 ? fabs(b->K[at]) / p->stiffness_ratio : 0.0;
        p->own_size[j] = inertia > 0.0 ? 1.0 / sqrt(inertia) : 1.0;  // constraints move it
    }
}

static void measure(FbSparsePencil* p) {
    const FbBlocks* b = &p->b;
    double trace_k = 0.0, trace_m = 0.0;
    for (int j = 0; j < p->n; j++) {
        int at = fb_pattern_index(b->vv, j, j);
        trace_k += at >= 0 ? fabs(b->K[at]) : 0.0;
        trace_m += at >= 0 ? b->M[at] : 0.0;
    }
    bool is_known = trace_k > 0.0 && trace_m > 0.0;
    p->stiffness_ratio = is_known ? trace_k / trace_m : 1.0;  // nothing holds: any shift will do
    p->rate = sqrt(p->stiffness_ratio);
    calc_own_sizes(p);
    p->size_K = row_sum_norm(b->vv, b->K, p->rhs);
    p->stiffest = calc_stiffest(p);
    p->size_C = row_sum_norm(b->vv, b->C, p->rhs);
    p->size_M = row_sum_norm(b->vv, b->M, p->rhs);
    p->size_G = p->m > 0 ? row_sum_norm(b->cv, b->G, p->rhs) : 0.0;
}

// The entries of the factored matrix; without constraints those of K and M.
static FbStatus find_pattern(FbSparsePencil* p, FbError* err) {
    if (!p->is_damped && p->m == 0) {
        p->pattern = *p->b.vv;
        return FB_OK;
    }
    FbPatternBuilder* builder = fb_pattern_builder_create(p->size, p->size);
    if (!builder) {
        return fb_fail_memory(err);
    }
    put_all(&(Sink){.p = p, .builder = builder}, 0.0);
    FbStatus status = fb_pattern_builder_finish(builder, p->arena, &p->pattern, err);
    fb_pattern_builder_destroy(builder);
    return status;
}

// Many entries of M are zero where axial and lateral motions of members do not couple.
static FbStatus copy_mass(FbSparsePencil* p, FbError* err) {
    const FbPattern* vv = p->b.vv;
    int kept = 0, at = 0;
    for (int e = 0; e < fb_pattern_count(vv); e++) {
        kept += p->b.M[e] != 0.0;
    }
    p->mass = (FbSparse){.pattern = {.n_row = p->n, .n_col = p->n}};
    p->mass.pattern.start = FB_TAKE(p->arena, int, p->n + 1);
    p->mass.pattern.row = FB_TAKE(p->arena, int, kept + 1);
    p->mass.values = FB_TAKE(p->arena, double, kept + 1);
    if (fb_arena_has_failed(p->arena)) {
        return fb_fail_memory(err);
    }
    for (int col = 0; col < p->n; col++) {
        for (int e = vv->start[col]; e < vv->start[col + 1]; e++) {
            if (p->b.M[e] != 0.0) {
                p->mass.pattern.row[at] = vv->row[e];
                p->mass.values[at++] = p->b.M[e];
            }
        }
        p->mass.pattern.start[col + 1] = at;
    }
    return FB_OK;
}

static FbStatus build(FbSparsePencil* p, FbError* err) {
    FB_TRY(find_pattern(p, err));
    if (p->is_symmetric) {
        FB_TRY(copy_mass(p, err));
        const FbLinear* mass = fb_system_get_mass_solver(p->op->system);
        FB_TRY(fb_symmetric_create_like(&p->pattern, fb_linear_get_symmetric(mass), &p->symmetric,
                                        err));
    } else {
        FB_TRY(fb_linear_create(&p->pattern, FB_LINEAR_AUTO, p->is_complex, &p->linear, err));
    }
    size_t size = (size_t)p->size, n = (size_t)p->n;
    p->rhs = FB_TAKE(p->arena, double, 2 * size + 1);
    p->scratch = FB_TAKE(p->arena, double, 2 * (size_t)p->n_state + 1);
    p->full = FB_TAKE(p->arena, double complex, size + 1);
    p->force = FB_TAKE(p->arena, double complex, 2 * n + 1);
    p->velocity = FB_TAKE(p->arena, double complex, n + 1);
    p->own_size = FB_TAKE(p->arena, double, n + 1);
    return fb_arena_has_failed(p->arena) ? fb_fail_memory(err) : FB_OK;
}

FbStatus fb_sparse_pencil_init(FbSparsePencil* p, const FbOperatingPoint* op, bool is_damped,
                               bool is_complex, FbError* err) {
    FbDynamics* d = op->dynamics;
    *p = (FbSparsePencil){.op = op, .is_damped = is_damped, .is_complex = is_complex};
    p->n = d->size.n_v;
    p->m = d->size.n_c;
    p->m_h = d->size.n_g;
    p->n_x = is_damped ? d->size.n_x : 0;
    p->size = (is_damped ? 2 : 1) * p->n + p->m + p->n_x;
    p->n_state = (is_damped ? 2 : 1) * p->n + p->n_x;
    p->dimension = p->n - p->m + (is_damped ? p->n - p->m_h + p->n_x : 0);
    FbStatus status = d->ops->jacobian(d, &op->p, &p->b, err);
    if (status != FB_OK) {
        return status < 0 ? status
                          : fb_fail(err, FB_ERR_SINGULAR, NULL,
                                    "the derivatives at the operating point are not finite");
    }
    p->arena = fb_arena_create();
    if (!p->arena) {
        return fb_fail_memory(err);
    }
    p->is_symmetric = !p->is_damped && is_symmetric(p->b.vv, p->b.K);
    FB_TRY(build(p, err));
    measure(p);
    return FB_OK;
}

void fb_sparse_pencil_free(FbSparsePencil* p) {
    fb_linear_destroy(p->linear);
    fb_symmetric_destroy(p->symmetric);
    fb_arena_destroy(p->arena);
    p->linear = NULL;
    p->symmetric = NULL;
    p->arena = NULL;
}

// K - sigma M where nothing else is in the matrix.
static void fill_plainly(const FbSparsePencil* p, double shift, double* values) {
    int count = fb_pattern_count(&p->pattern);
    for (int e = 0; e < count; e++) {
        values[e] = p->b.K[e] - shift * p->b.M[e];
    }
}

static FbStatus factor_symmetric(FbSparsePencil* p) {
    bool may_be_definite = p->m == 0 && creal(p->shift) <= 0.0;
    FbStatus status = FB_RETRY;
    if (may_be_definite) {
        status = fb_symmetric_factor(p->symmetric, FB_SYMMETRIC_DEFINITE);
    }
    if (status == FB_RETRY) {
        status = fb_symmetric_factor(p->symmetric, FB_SYMMETRIC_INDEFINITE);
    }
    p->n_below = fb_symmetric_get_signs(p->symmetric).n_negative - p->m;
    return status;
}

FbStatus fb_sparse_pencil_factor(FbSparsePencil* p, double complex shift) {
    size_t count = (size_t)fb_pattern_count(&p->pattern) * (p->is_complex ? 2 : 1);
    double* values = p->symmetric ? fb_symmetric_values(p->symmetric) : fb_linear_values(p->linear);
    p->shift = shift;
    p->n_factorizations++;
    if (!p->is_damped && p->m == 0) {
        fill_plainly(p, creal(shift), values);
    } else {
        memset(values, 0, sizeof(double) * count);
        put_all(&(Sink){.p = p, .values = values}, shift);
    }
    return p->symmetric ? factor_symmetric(p) : fb_linear_factor(p->linear);
}

FbStatus fb_sparse_pencil_count(FbSparsePencil* p, double bound, int* n_below) {
    double complex shift = p->shift;
    FbStatus status = fb_sparse_pencil_factor(p, bound);
    *n_below = p->n_below;
    p->shift = shift;
    return status;
}

void fb_sparse_pencil_multiply(void* self, const double* u, double* bu) {
    const FbSparsePencil* p = self;
    memset(bu, 0, sizeof(double) * (size_t)p->n);
    if (p->is_symmetric) {  // sums along columns are faster than along rows
        fb_pattern_multiply_transposed(&p->mass.pattern, p->mass.values, 1.0, u, bu);
    } else {
        fb_pattern_multiply(p->b.vv, p->b.M, 1.0, u, bu);
    }
}

void fb_sparse_pencil_load(FbSparsePencil* p, const double* bu, double* rhs, int stride) {
    int n = p->n;
    for (int i = 0; i < p->size; i++) {
        rhs[i * stride] = 0.0;
    }
    for (int i = 0; i < n; i++) {
        rhs[i * stride] = p->is_damped ? -bu[i] : bu[i];
    }
    if (p->is_damped) {
        double* momentum = p->scratch + p->n_state;
        memset(momentum, 0, sizeof(double) * (size_t)n);
        fb_pattern_multiply(p->b.vv, p->b.M, -p->rate, bu + n, momentum);
        for (int i = 0; i < n; i++) {
            rhs[(n + i) * stride] = momentum[i];
        }
        for (int i = 0; i < p->n_x; i++) {
            rhs[(2 * n + p->m + i) * stride] = -bu[2 * n + i];
        }
    }
}

void fb_sparse_pencil_solve(FbSparsePencil* p) {
    p->n_solves++;
    if (p->symmetric) {
        fb_symmetric_solve(p->symmetric, p->rhs);
    } else {
        fb_linear_solve(p->linear, p->rhs);
    }
}

FbStatus fb_sparse_pencil_solve_many(void* self, int count, double* b) {
    FbSparsePencil* p = self;
    p->n_solves += count;
    return fb_symmetric_solve_many(p->symmetric, count, b);
}

void fb_sparse_pencil_apply(void* self, const double* bu, double* y) {
    FbSparsePencil* p = self;
    int stride = p->is_complex ? 2 : 1, n = p->n;
    if (p->is_complex) {
        memset(p->rhs, 0, sizeof(double) * 2 * (size_t)p->size);
    }
    fb_sparse_pencil_load(p, bu, p->rhs, stride);
    fb_sparse_pencil_solve(p);
    for (int i = 0; i < n; i++) {
        y[i] = p->rhs[i * stride];
    }
    for (int i = 0; p->is_damped && i < n; i++) {
        y[n + i] = p->rhs[(n + i) * stride] / p->rate;
    }
    for (int i = 0; i < p->n_x; i++) {
        y[2 * n + i] = p->rhs[(2 * n + p->m + i) * stride];
    }
}
