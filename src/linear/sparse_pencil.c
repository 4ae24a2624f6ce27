// The shifted sparse matrix of the linearised equations, its factorization and the operator that
// eigenvalue iterations see.
#include "linear/sparse_pencil.h"

#include <float.h>
#include <math.h>
#include <string.h>

// K counts as symmetric if it differs from K' by less than this part of its largest entry.
// w^2 of a rigid-body motion is rounding of the stiffest entries.
static const double SLOW = 1e-13;
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

// Entry (r, c) of W, d(q')/dq of a ball joint that turns with body rates w: -[w]x.
static double ball_rate(const double* w, int r, int c) {
    int third = 3 - r - c;
    return r == c ? 0.0 : (c == (r + 1) % 3 ? w[third] : -w[third]);
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
            put(s, j + r, j + c, -ball_rate(p->op->p.v + j, r, c));
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
    p->size_K = row_sum_norm(b->vv, b->K, p->rhs);
    p->stiffest = p->stiffness_ratio;
    for (int j = 0; j < p->n; j++) {
        int at = fb_pattern_index(b->vv, j, j);
        bool has_mass = at >= 0 && b->M[at] > 0.0;
        p->stiffest = has_mass ? fmax(p->stiffest, p->rhs[j] / b->M[at]) : p->stiffest;
    }
    p->size_C = row_sum_norm(b->vv, b->C, p->rhs);
    p->size_M = row_sum_norm(b->vv, b->M, p->rhs);
    p->size_G = p->m > 0 ? row_sum_norm(b->cv, b->G, p->rhs) : 0.0;
    p->is_symmetric = !p->is_damped && is_symmetric(b->vv, b->K);
}

static FbStatus build(FbSparsePencil* p, FbError* err) {
    FbPatternBuilder* builder = fb_pattern_builder_create(p->size, p->size);
    if (!builder) {
        return fb_fail_memory(err);
    }
    put_all(&(Sink){.p = p, .builder = builder}, 0.0);
    FbStatus status = fb_pattern_builder_finish(builder, p->arena, &p->pattern, err);
    fb_pattern_builder_destroy(builder);
    FB_TRY(status);
    FB_TRY(fb_linear_create(&p->pattern, FB_LINEAR_AUTO, p->is_complex, &p->linear, err));
    size_t size = (size_t)p->size, n = (size_t)p->n;
    p->rhs = FB_TAKE(p->arena, double, 2 * size + 1);
    p->scratch = FB_TAKE(p->arena, double, 2 * (size_t)p->n_state + 1);
    p->full = FB_TAKE(p->arena, double complex, size + 1);
    p->force = FB_TAKE(p->arena, double complex, 2 * n + 1);
    p->velocity = FB_TAKE(p->arena, double complex, n + 1);
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
    FB_TRY(build(p, err));
    measure(p);
    return FB_OK;
}

void fb_sparse_pencil_free(FbSparsePencil* p) {
    fb_linear_destroy(p->linear);
    fb_arena_destroy(p->arena);
    p->linear = NULL;
    p->arena = NULL;
}

FbStatus fb_sparse_pencil_factor(FbSparsePencil* p, double complex shift) {
    size_t count = (size_t)fb_pattern_count(&p->pattern) * (p->is_complex ? 2 : 1);
    double* values = fb_linear_values(p->linear);
    memset(values, 0, sizeof(double) * count);
    put_all(&(Sink){.p = p, .values = values}, shift);
    p->shift = shift;
    p->n_factorizations++;
    return fb_linear_factor(p->linear);
}

void fb_sparse_pencil_multiply(void* self, const double* u, double* bu) {
    const FbSparsePencil* p = self;
    memset(bu, 0, sizeof(double) * (size_t)p->n);
    fb_pattern_multiply(p->b.vv, p->b.M, 1.0, u, bu);
}

// The right-hand side (B u, 0) or E u, into every stride-th entry of rhs.
static void load(FbSparsePencil* p, const double* bu, double* rhs, int stride) {
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

static void solve(FbSparsePencil* p) {
    p->n_solves++;
    fb_linear_solve(p->linear, p->rhs);
}

void fb_sparse_pencil_apply(void* self, const double* bu, double* y) {
    FbSparsePencil* p = self;
    int stride = p->is_complex ? 2 : 1, n = p->n;
    if (p->is_complex) {
        memset(p->rhs, 0, sizeof(double) * 2 * (size_t)p->size);
    }
    load(p, bu, p->rhs, stride);
    solve(p);
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

static void load_part(FbSparsePencil* p, const double complex* u, bool is_imaginary, double* rhs,
                      int stride) {
    double* part = p->scratch;
    for (int i = 0; i < p->n_state; i++) {
        part[i] = is_imaginary ? cimag(u[i]) : creal(u[i]);
    }
    if (!p->is_damped) {
        double* product = p->scratch + p->n_state;
        fb_sparse_pencil_multiply(p, part, product);
        load(p, product, rhs, stride);
    } else {
        load(p, part, rhs, stride);
    }
}

// full = (A - sigma E)^-1 E u with all its parts, multipliers included
static void solve_full(FbSparsePencil* p, const double complex* u) {
    if (p->is_complex) {
        load_part(p, u, false, p->rhs, 2);
        load_part(p, u, true, p->rhs + 1, 2);
        solve(p);
        for (int i = 0; i < p->size; i++) {
            p->full[i] = CMPLX(p->rhs[2 * i], p->rhs[2 * i + 1]);
        }
        return;
    }
    load_part(p, u, false, p->rhs, 1);
    solve(p);
    for (int i = 0; i < p->size; i++) {
        p->full[i] = p->rhs[i];
    }
    load_part(p, u, true, p->rhs, 1);
    solve(p);
    for (int i = 0; i < p->size; i++) {
        p->full[i] += CMPLX(0.0, p->rhs[i]);
    }
}

static double complex other_root(const FbSparsePencil* p, double complex key) {
    double complex z = key - creal(p->shift);
    return creal(p->shift) + cimag(p->shift) * cimag(p->shift) / z;
}

// Re (A - sigma E)^-1 E has nu = z/(z^2 + b^2) with z = s - a, sigma = a + i b; two roots.
double complex fb_sparse_pencil_key(const FbSparsePencil* p, double complex nu) {
    if (!p->is_complex) {
        return p->shift + 1.0 / nu;
    }
    double b = cimag(p->shift);
    double complex root = csqrt(1.0 - 4.0 * nu * nu * b * b);
    double complex first = creal(p->shift) + (1.0 + root) / (2.0 * nu);
    double complex second = other_root(p, first);
    return cabs(first - p->shift) <= cabs(second - p->shift) ? first : second;
}

// One of the eigenvalues that belong to mu or s: s itself, or sqrt(-mu) with Re >= 0 and Im >= 0
// for real mu.
static double complex lambda_of(const FbSparsePencil* p, double complex key) {
    if (p->is_damped) {
        return key;
    }
    if (cimag(key) == 0.0) {
        double w = sqrt(fabs(creal(key)));
        return creal(key) >= 0.0 ? CMPLX(0.0, w) : CMPLX(w, 0.0);
    }
    return csqrt(-key);
}

static double norm(const double complex* x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
    }
    return sqrt(sum);
}

// y += factor A x
static void add_product(const FbPattern* a, const double* values, double complex factor,
                        const double complex* x, double complex* y) {
    for (int col = 0; col < a->n_col; col++) {
        double complex xc = factor * x[col];
        for (int e = a->start[col]; e < a->start[col + 1]; e++) {
            y[a->row[e]] += values[e] * xc;
        }
    }
}

// How the state part of Op u differs from nu u (from u/(s - sigma) with a complex shift).
static double calc_drift(const FbSparsePencil* p, double complex factor, const double complex* u) {
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < p->n_state; i++) {
        int at = i < 2 * p->n ? i : i + p->m;
        double complex z = p->full[at];
        if (p->is_damped && i >= p->n && i < 2 * p->n) {
            z /= p->rate;
        }
        double complex expected = factor * u[i];
        sum += creal((z - expected) * conj(z - expected));
        size += creal(expected * conj(expected));
    }
    return size > 0.0 ? sqrt(sum / size) : INFINITY;
}

// With a complex shift: which of the two roots this vector belongs to.
static double complex choose_root(const FbSparsePencil* p, double complex key,
                                  const double complex* u) {
    double complex other = other_root(p, key);
    double complex conjugates[2] = {key, other};
    double first = calc_drift(p, 1.0 / (conjugates[0] - p->shift), u);
    double second = calc_drift(p, 1.0 / (conjugates[1] - p->shift), u);
    return first <= second ? key : other;
}

static void calc_velocity(FbSparsePencil* p, double complex s) {
    const FbDynamics* d = p->op->dynamics;
    for (int j = 0; j < p->n; j++) {
        p->velocity[j] = s * p->full[j];
    }
    for (int i = 0; i < d->n_ball; i++) {
        for (int k = 0; k < 9; k++) {
            int j = d->ball[i], r = k / 3, c = k % 3;
            p->velocity[j + r] -= ball_rate(p->op->p.v + j, r, c) * p->full[j + c];
        }
    }
    for (int i = 0; i < p->op->spins.n_entries; i++) {
        const FbSpinEntry* x = &p->op->spins.entries[i];
        p->velocity[x->row] += x->value * p->full[x->col];
    }
}

// force = K dq + G' l + Rx x: what resists the displacement; *reaction receives |G' l|.
static void calc_static_force(FbSparsePencil* p, double complex* force, double* reaction) {
    const FbBlocks* b = &p->b;
    int n = p->n, l0 = p->is_damped ? 2 * n : n;
    memset(force, 0, sizeof(double complex) * (size_t)n);
    for (int col = 0; p->m > 0 && col < n; col++) {
        for (int e = b->cv->start[col]; e < b->cv->start[col + 1]; e++) {
            force[col] += b->G[e] * p->full[l0 + b->cv->row[e]];
        }
    }
    *reaction = norm(force, n);
    add_product(b->vv, b->K, 1.0, p->full, force);
    for (int i = 0; i < p->n_x; i++) {
        for (int j = 0; j < n; j++) {
            force[j] += b->Rx[(size_t)i * (size_t)n + (size_t)j] * p->full[2 * n + p->m + i];
        }
    }
}

// A motion counts as not resisted if the force along it, x' F / x' x, is below this part of what
// the stiffest place of the model would answer: far above rounding (1e-16), far below the softest
// mode of a chain of a hundred thousand springs (1e-10).
static const double UNRESISTED = 1e-12;

static double force_along(const FbSparsePencil* p, const double complex* force, double size) {
    double complex sum = 0.0;
    for (int j = 0; j < p->n; j++) {
        sum += conj(p->full[j]) * force[j];
    }
    return size > 0.0 ? cabs(sum) / size : 0.0;
}

static void put_into_equations(FbSparsePencil* p, FbSparsePair* out) {
    const FbBlocks* b = &p->b;
    int n = p->n;
    double complex *force = p->force, *damping = p->force + n;
    double reaction, size = norm(p->full, n), a = cabs(out->lambda);
    calc_static_force(p, force, &reaction);
    double resisting = force_along(p, force, size), damped = 0.0;
    double scale = (p->size_K + a * a * p->size_M) * size + reaction;
    if (p->is_damped) {
        memset(damping, 0, sizeof(double complex) * (size_t)n);
        calc_velocity(p, out->key);
        add_product(b->vv, b->C, 1.0, p->velocity, damping);
        damped = force_along(p, damping, size);
        for (int j = 0; j < n; j++) {
            force[j] += damping[j];
        }
        add_product(b->vv, b->M, out->key, p->velocity, force);
        scale += a * p->size_C * size;
    } else {
        add_product(b->vv, b->M, -out->key, p->full, force);
    }
    out->residual = scale > 0.0 ? norm(force, n) / scale : 0.0;
    double limit = UNRESISTED * (p->size_K + p->rate * p->size_C) * size;
    bool moves = size > 1e-6 * norm(p->full + (p->size - p->n_x), p->n_x);
    // In fine meshes even slow modes strain little compared with the stiffest entries: w^2 is the
    // better measure.
    bool is_slow = p->is_damped || cabs(out->key) <= SLOW * p->stiffest;
    out->is_rigid = moves && resisting <= limit && damped <= limit && is_slow;
}

static void normalise(FbSparsePencil* p, double complex* z) {
    int n = p->n, largest = 0;
    double complex *product = p->force, sum = 0.0;
    memset(product, 0, sizeof(double complex) * (size_t)n);
    add_product(p->b.vv, p->b.M, 1.0, p->full, product);
    for (int j = 0; j < n; j++) {
        sum += conj(p->full[j]) * product[j];
        largest = cabs(p->full[j]) > cabs(p->full[largest]) ? j : largest;
    }
    double size = creal(sum) > 0.0 ? sqrt(creal(sum)) : norm(p->full, n);
    double complex phase = n > 0 ? p->full[largest] : 0.0;
    double complex factor = size > 0.0 && phase != 0.0 ? cabs(phase) / (phase * size) : 1.0;
    for (int j = 0; j < n; j++) {
        z[j] = p->full[j] * factor;
    }
}

void fb_sparse_pencil_check(FbSparsePencil* p, double complex nu, const double complex* u,
                            double complex* z, FbSparsePair* out) {
    solve_full(p, u);
    *out = (FbSparsePair){.key = fb_sparse_pencil_key(p, nu)};
    if (p->is_complex) {
        out->key = choose_root(p, out->key, u);
    }
    out->lambda = lambda_of(p, out->key);
    out->drift = calc_drift(p, 1.0 / (out->key - p->shift), u);
    double violation = 0.0, size = norm(p->full, p->n);
    put_into_equations(p, out);
    normalise(p, z);
    if (p->m_h > 0) {
        double complex* rows = p->full;  // no longer needed
        memset(rows, 0, sizeof(double complex) * (size_t)p->m);
        add_product(p->b.cv, p->b.G, 1.0, z, rows);
        size = norm(z, p->n);
        violation = norm(rows, p->m_h);
    }
    out->constraint_residual = violation > 0.0 ? violation / (p->size_G * size) : 0.0;
}
