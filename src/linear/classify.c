// Which eigenvalues are the mechanism's and which the formulation's: by evidence from the
// eigenvectors, not by the size of the eigenvalue.
//
// A true mode (dq, dv, dx) moves along the constraints, and satisfies the tangent kinematics, the
// equations of motion projected on the constraints and those of the states (eqs. 7.12-7.14).
// Formulations with approximations (penalty) satisfy them only nearly; but the number of true
// eigenvalues is known from the rank of G, so the modes with the least violation are taken, and the
// evidence is reported with each. Rigid-body modes are counted by ranks too (eq. 7.15).
#include <math.h>
#include <string.h>

#include "linear/linearization.h"

// Evidence below this is rounding.
static const double CLEAN = 1e-6;
// A residual above this no longer indicates a true mode.
static const double HOPELESS = 0.1;

typedef struct Vectors {
    double complex w;
    const double complex *q, *v, *x;
    double size_q, size_v, size_x;
} Vectors;

static double norm(const double complex* x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
    }
    return sqrt(sum);
}

static double frobenius(const double* a, int rows, int cols) {
    double sum = 0.0;
    for (size_t i = 0; i < (size_t)rows * (size_t)cols; i++) {
        sum += a[i] * a[i];
    }
    return sqrt(sum);
}

static double relative(double part, double whole) {
    return whole > 0.0 ? part / whole : 0.0;
}

// Entry `row` of a [rows x cols] times x.
static double complex times(const double* a, int rows, int cols, int row, const double complex* x) {
    double complex sum = 0.0;
    for (int j = 0; j < cols; j++) {
        sum += a[(size_t)j * (size_t)rows + (size_t)row] * x[j];
    }
    return sum;
}

static double square(double complex z) {
    return creal(z) * creal(z) + cimag(z) * cimag(z);
}

// |Gh dq| / (|G| |dq|) and, for rolling, |Gn dv + Gq dq| relative to its parts: the larger (eq.
// 7.12).
static double constraint_violation(const FbLinearization* l, const Vectors* z) {
    const FbDenseBlocks* b = &l->b;
    double size_g = frobenius(b->G, b->m, b->n), holonomic = 0.0, rolling = 0.0;
    for (int r = 0; r < b->m; r++) {
        if (r < b->m_h) {
            holonomic += square(times(b->G, b->m, b->n, r, z->q));
        } else {
            rolling += square(times(b->G, b->m, b->n, r, z->v) + times(b->Gq, b->m, b->n, r, z->q));
        }
    }
    double whole = size_g * z->size_v + frobenius(b->Gq, b->m, b->n) * z->size_q;
    return fmax(relative(sqrt(holonomic), size_g * z->size_q), relative(sqrt(rolling), whole));
}

// N' (w M dv + C dv + K dq + Rx dx) relative to the sum of the parts (eq. 7.13).
static double motion_residual(const FbLinearization* l, const Vectors* z) {
    const FbDenseBlocks* b = &l->b;
    int n = b->n;
    double complex* force = l->alpha;
    for (int i = 0; i < n; i++) {
        force[i] = times(b->K, n, n, i, z->q) + z->w * times(b->M, n, n, i, z->v) +
                   times(b->C, n, n, i, z->v) + times(b->Rx, n, b->n_x, i, z->x);
    }
    double sum = 0.0, size_n = frobenius(l->all.N, n, l->p);
    for (int j = 0; j < l->p; j++) {
        double complex r = 0.0;
        for (int i = 0; i < n; i++) {
            r += l->all.N[(size_t)j * (size_t)n + (size_t)i] * force[i];
        }
        sum += square(r);
    }
    double size_k = frobenius(b->K, n, n) * z->size_q;
    double rate = cabs(z->w) + l->rate_scale;
    double whole = (rate * frobenius(b->M, n, n) + frobenius(b->C, n, n)) * z->size_v + size_k +
                   frobenius(b->Rx, n, b->n_x) * z->size_x;
    return relative(sqrt(sum), whole * size_n);
}

// Relative to the fastest rate of the system, because anything is large next to a small one:
// w dq - dv - W dq and w dx - (Xq dq + Xv dv + Xx dx), each relative to its parts: the larger (eq.
// 7.14).
static double first_order_residual(const FbLinearization* l, const Vectors* z) {
    const FbDenseBlocks* b = &l->b;
    int n = b->n, n_x = b->n_x;
    double kinematic = 0.0, states = 0.0, rate = cabs(z->w) + l->rate_scale;
    for (int i = 0; i < n; i++) {
        double complex turned = b->W ? times(b->W, n, n, i, z->q) : 0.0;
        kinematic += square(z->w * z->q[i] - z->v[i] - turned);
    }
    for (int i = 0; i < n_x; i++) {
        states += square(z->w * z->x[i] - times(b->Xq, n_x, n, i, z->q) -
                         times(b->Xv, n_x, n, i, z->v) - times(b->Xx, n_x, n_x, i, z->x));
    }
    double turn = b->W ? frobenius(b->W, n, n) : 0.0;
    double whole = (rate + turn) * z->size_q + z->size_v;
    double whole_x = (rate + frobenius(b->Xx, n_x, n_x)) * z->size_x +
                     frobenius(b->Xq, n_x, n) * z->size_q + frobenius(b->Xv, n_x, n) * z->size_v;
    return fmax(relative(sqrt(kinematic), whole), relative(sqrt(states), whole_x));
}

// |A y - w y| of a mode in independent coordinates, relative to its parts.
static double reduced_residual(const FbLinearization* l, int k) {
    int N = l->n_reduced;
    const double complex* y = l->right + (size_t)k * (size_t)N;
    double sum = 0.0, size = 0.0, size_a = 0.0;
    for (int i = 0; i < N; i++) {
        double complex r = -l->w[k] * y[i];
        for (int j = 0; j < N; j++) {
            double a = l->A[(size_t)j * (size_t)N + (size_t)i] * l->balance[j] / l->balance[i];
            size_a += a * a;
            r += l->A[(size_t)j * (size_t)N + (size_t)i] * y[j];
        }
        sum += square(r / l->balance[i]);
        size += square(y[i] / l->balance[i]);
    }
    return relative(sqrt(sum), (sqrt(size_a) + cabs(l->w[k])) * sqrt(size));
}

static Vectors vectors_of(FbLinearization* l, int k) {
    size_t n = (size_t)l->b.n, n_x = (size_t)l->b.n_x;
    double complex *q = l->xq + (size_t)k * n, *v = l->xv + (size_t)k * n,
                   *x = l->xx + (size_t)k * n_x;
    if (l->n_rigid < 0) {  // undamped modes come with displacements alone
        memset(x, 0, sizeof(double complex) * n_x);
        for (size_t i = 0; i < n; i++) {
            v[i] = l->w[k] * q[i];
        }
    }
    return (Vectors){.w = l->w[k],
                     .q = q,
                     .v = v,
                     .x = x,
                     .size_q = norm(q, l->b.n),
                     .size_v = norm(v, l->b.n),
                     .size_x = norm(x, l->b.n_x)};
}

// If a motion continues by itself from rest at the point, its shape is that of its velocities.
static void give_shape(FbLinearization* l, int k, const Vectors* z) {
    if (z->size_q * l->rate_scale < CLEAN * z->size_v) {
        memcpy(l->xq + (size_t)k * (size_t)l->b.n, z->v, sizeof(double complex) * (size_t)l->b.n);
    }
}

// A vector of a chain that ends in a null vector is not an eigenvector: the part of A y outside the
// rigid-body motions was zero by the rank decision.
static void describe_rigid(FbLinearization* l, int k) {
    Vectors z = vectors_of(l, k);
    l->modes[k].class_ = FB_MODE_RIGID_BODY;
    l->modes[k].constraint_residual = constraint_violation(l, &z);
    give_shape(l, k, &z);
}

static void describe(FbLinearization* l, int k) {
    FbMode* mode = &l->modes[k];
    double size_w = cabs(l->w[k]);
    mode->re = creal(l->w[k]);
    mode->im = cimag(l->w[k]);
    if (mode->is_infinite) {
        mode->class_ = FB_MODE_CONSTRAINT;
        mode->residual = mode->constraint_residual = 1.0;
        mode->frequency_hz = INFINITY;
        return;
    }
    mode->frequency_hz = size_w / (2.0 * 3.14159265358979323846);
    mode->damping_ratio = size_w > 0.0 ? -creal(l->w[k]) / size_w : 0.0;
    bool is_independent = l->options.method == FB_METHOD_INDEPENDENT;
    if (is_independent && k < l->n_rigid) {
        describe_rigid(l, k);
        return;
    }
    Vectors z = vectors_of(l, k);
    mode->constraint_residual = constraint_violation(l, &z);
    mode->residual = fmax(motion_residual(l, &z), first_order_residual(l, &z));
    if (is_independent && l->n_rigid >= 0) {
        mode->residual = reduced_residual(l, k);
    }
    bool is_true = mode->constraint_residual < CLEAN && mode->residual < CLEAN;
    mode->class_ = is_true || is_independent            ? FB_MODE_PHYSICAL
                   : mode->constraint_residual >= CLEAN ? FB_MODE_CONSTRAINT
                                                        : FB_MODE_ARTEFACT;
}

// Marks the `count` smallest values.
static void mark_smallest(const double* values, int n, int count, int* is_chosen) {
    memset(is_chosen, 0, sizeof(int) * (size_t)n);
    for (; count > 0; count--) {
        int best = -1;
        for (int k = 0; k < n; k++) {
            if (!is_chosen[k] && isfinite(values[k]) && (best < 0 || values[k] < values[best])) {
                best = k;
            }
        }
        if (best < 0) {
            return;
        }
        is_chosen[best] = 1;
    }
}

// Exactly as many true modes as the constrained system has: those with the least evidence against
// them.
static void keep_count(FbLinearization* l) {
    int n = l->n_modes, *is_kept = l->order;
    double* evidence = l->beta;  // [size], free after the eigenvalues
    for (int k = 0; k < n; k++) {
        const FbMode* mode = &l->modes[k];
        evidence[k] =
            mode->is_infinite ? INFINITY : fmax(mode->constraint_residual, mode->residual);
    }
    mark_smallest(evidence, n, l->n_reduced, is_kept);
    for (int k = 0; k < n; k++) {
        FbMode* mode = &l->modes[k];
        if (is_kept[k] && evidence[k] < HOPELESS) {
            mode->class_ = FB_MODE_PHYSICAL;
        } else if (mode->class_ == FB_MODE_PHYSICAL) {
            mode->class_ = FB_MODE_ARTEFACT;
        }
    }
}

// Of the true modes those nearest to the rigid-body motions, as many as ranks say there are.
static void find_rigid(FbLinearization* l) {
    int n = l->n_modes, *is_rigid = l->order;
    double* distance = l->beta;
    for (int k = 0; k < n; k++) {
        distance[k] = INFINITY;
        if (l->modes[k].class_ == FB_MODE_PHYSICAL) {
            Vectors z = vectors_of(l, k);
            double complex* y = l->alpha;
            for (int i = 0; i < l->f; i++) {
                y[i] = z.q[l->holonomic.independent[i]];
            }
            for (int i = 0; i < l->p; i++) {
                y[l->f + i] = z.v[l->all.independent[i]];
            }
            memcpy(y + l->f + l->p, z.x, sizeof(double complex) * (size_t)l->b.n_x);
            distance[k] = fb_linear_distance_from_rigid(l, y);
        }
    }
    mark_smallest(distance, n, l->n_rigid, is_rigid);
    for (int k = 0; k < n; k++) {
        if (is_rigid[k]) {
            l->modes[k].class_ = FB_MODE_RIGID_BODY;
        }
    }
}

static bool comes_before(const FbMode* a, const FbMode* b) {
    if ((a->class_ == FB_MODE_PHYSICAL) != (b->class_ == FB_MODE_PHYSICAL) ||
        a->class_ != b->class_) {
        return a->class_ < b->class_;
    }
    if (a->is_infinite != b->is_infinite) {
        return b->is_infinite;
    }
    double x = hypot(a->re, a->im), y = hypot(b->re, b->im);
    if (fabs(x - y) > 1e-9 * fmax(x, y)) {
        return x < y;
    }
    return a->im > b->im;
}

void fb_linear_classify(FbLinearization* l) {
    for (int k = 0; k < l->n_modes; k++) {
        describe(l, k);
    }
    if (l->options.method != FB_METHOD_INDEPENDENT) {
        keep_count(l);
        if (l->n_rigid > 0) {
            find_rigid(l);
        }
    }
    for (int k = 0; k < l->n_modes;
         k++) {  // insertion sort of the indices: nearly sorted, and no allocation
        int at = k;
        while (at > 0 && comes_before(&l->modes[k], &l->modes[l->order[at - 1]])) {
            l->order[at] = l->order[at - 1];
            at--;
        }
        l->order[at] = k;
    }
}
