// Eigenpairs put back into the equations of motion: eigenvalue, residuals, and whether any force
// resists a motion.
#include <math.h>
#include <string.h>

#include "linear/sparse_pencil.h"

static void load_part(FbSparsePencil* p, const double complex* u, bool is_imaginary, double* rhs,
                      int stride) {
    double* part = p->scratch;
    for (int i = 0; i < p->n_state; i++) {
        part[i] = is_imaginary ? cimag(u[i]) : creal(u[i]);
    }
    if (!p->is_damped) {
        double* product = p->scratch + p->n_state;
        fb_sparse_pencil_multiply(p, part, product);
        fb_sparse_pencil_load(p, product, rhs, stride);
    } else {
        fb_sparse_pencil_load(p, part, rhs, stride);
    }
}

// full = (A - sigma E)^-1 E u with all its parts, multipliers included
static void solve_full(FbSparsePencil* p, const double complex* u) {
    if (p->is_complex) {
        load_part(p, u, false, p->rhs, 2);
        load_part(p, u, true, p->rhs + 1, 2);
        fb_sparse_pencil_solve(p);
        for (int i = 0; i < p->size; i++) {
            p->full[i] = CMPLX(p->rhs[2 * i], p->rhs[2 * i + 1]);
        }
        return;
    }
    load_part(p, u, false, p->rhs, 1);
    fb_sparse_pencil_solve(p);
    for (int i = 0; i < p->size; i++) {
        p->full[i] = p->rhs[i];
    }
    load_part(p, u, true, p->rhs, 1);
    fb_sparse_pencil_solve(p);
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
            p->velocity[j + r] -= fb_ball_rate(p->op->p.v + j, r, c) * p->full[j + c];
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

// With damping a motion counts as not resisted if the force along it, x' F / x' x, is below this
// part of what the stiffest place of the model would answer: far above rounding (1e-16), far below
// the softest mode of a chain of a hundred thousand springs (1e-10).
static const double UNRESISTED = 1e-12;
// Without, its w^2 is rounding of the stiffest entries, less where Lanczos finds it; and of the
// shift.
static const double SLOW = 1e-13, SLOW_SYMMETRIC = 1e-15;

static double slow_square(const FbSparsePencil* p) {
    return (p->is_symmetric ? SLOW_SYMMETRIC : SLOW) * p->stiffest + SLOW * cabs(p->shift);
}

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
    bool is_resisted = resisting > limit || damped > limit;
    out->is_rigid =
        p->is_damped ? moves && !is_resisted : !p->is_held && cabs(out->key) <= slow_square(p);
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

// kx = K x, mx = M x of symmetric K and M in one pass: columns stand for rows.
static void multiply_both(const FbSparsePencil* p, const double* x, double* kx, double* mx) {
    const FbBlocks* b = &p->b;
    for (int col = 0; col < p->n; col++) {
        double k = 0.0, m = 0.0;
        for (int e = b->vv->start[col]; e < b->vv->start[col + 1]; e++) {
            double other = x[b->vv->row[e]];
            k += b->K[e] * other;
            m += b->M[e] * other;
        }
        kx[col] = k;
        mx[col] = m;
    }
}

static double real_norm(const double* x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

static double calc_real_drift(int n, const double* x, double factor, const double* u) {
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < n; i++) {
        double expected = factor * u[i];
        sum += (x[i] - expected) * (x[i] - expected);
        size += expected * expected;
    }
    return size > 0.0 ? sqrt(sum / size) : INFINITY;
}

// z = x, of unit mass; its largest displacement is positive.
static void normalise_real(int n, const double* x, const double* mx, double complex* z) {
    double sum = 0.0;
    int largest = 0;
    for (int j = 0; j < n; j++) {
        sum += x[j] * mx[j];
        largest = fabs(x[j]) > fabs(x[largest]) ? j : largest;
    }
    double size = sum > 0.0 ? sqrt(sum) : real_norm(x, n);
    double factor = size > 0.0 && n > 0 ? copysign(1.0 / size, x[largest]) : 1.0;
    for (int j = 0; j < n; j++) {
        z[j] = x[j] * factor;
    }
}

static double calc_violation(FbSparsePencil* p, const double complex* z) {
    double complex* rows = p->full;
    memset(rows, 0, sizeof(double complex) * (size_t)p->m);
    add_product(p->b.cv, p->b.G, 1.0, z, rows);
    double violation = norm(rows, p->m_h);
    return violation > 0.0 ? violation / (p->size_G * norm(z, p->n)) : 0.0;
}

FbStatus fb_sparse_pencil_refine(FbSparsePencil* p, int count, double* vectors) {
    size_t n = (size_t)p->n, size = (size_t)p->size;
    for (int k = count - 1; k >= 0; k--) {  // from the last: solutions are longer
        double *u = vectors + (size_t)k * n, *to = vectors + (size_t)k * size;
        fb_sparse_pencil_multiply(p, u, p->scratch);
        memcpy(to, p->scratch, sizeof(double) * n);
        memset(to + n, 0, sizeof(double) * (size - n));
    }
    return fb_sparse_pencil_solve_many(p, count, vectors);
}

// Undamped and symmetric: eigenvalue and vector are real.
void fb_sparse_pencil_check_real(FbSparsePencil* p, double nu, const double* u, double* x,
                                 double complex* z, FbSparsePair* out) {
    int n = p->n;
    double *kx = (double*)p->force, *mx = kx + n, *reaction = mx + n;
    double key = creal(fb_sparse_pencil_key(p, nu)), size = real_norm(x, n);
    *out = (FbSparsePair){.key = key, .lambda = lambda_of(p, key)};
    out->drift = calc_real_drift(n, x, 1.0 / (key - creal(p->shift)), u);
    multiply_both(p, x, kx, mx);
    memset(reaction, 0, sizeof(double) * (size_t)n);
    if (p->m > 0) {
        fb_pattern_multiply_transposed(p->b.cv, p->b.G, 1.0, x + n, reaction);
    }
    double scale = (p->size_K + fabs(key) * p->size_M) * size + real_norm(reaction, n);
    for (int j = 0; j < n; j++) {
        kx[j] += reaction[j] - key * mx[j];
    }
    out->residual = scale > 0.0 ? real_norm(kx, n) / scale : 0.0;
    out->is_rigid = !p->is_held && fabs(key) <= slow_square(p);
    normalise_real(n, x, mx, z);
    out->constraint_residual = p->m_h > 0 ? calc_violation(p, z) : 0.0;
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
    put_into_equations(p, out);
    normalise(p, z);
    out->constraint_residual = p->m_h > 0 ? calc_violation(p, z) : 0.0;
}
