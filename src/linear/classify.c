// Which eigenvalues are the mechanism's and which the formulation's: by evidence from the
// eigenvectors, not by the size of the eigenvalue.
//
// A true mode moves along the constraints, |G x| = 0, and satisfies the equations of motion
// projected on them, N' (w^2 M + w C + K) x = 0 (eqs. 7.12-7.14). Formulations with approximations
// (penalty) satisfy both only nearly; but the number of true eigenvalues is known from the rank of
// G, so the modes with the least violation are taken, and the evidence is reported with each.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/linearization.h"

// A mode whose stiffness force along the constraints is below this part of the full one moves as a
// rigid body.
static const double RIGID = 1e-9;
// Evidence below this is rounding.
static const double CLEAN = 1e-6;

static double norm(const double complex* x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
    }
    return sqrt(sum);
}

static double frobenius(const double* a, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * a[i];
    }
    return sqrt(sum);
}

// |Gh x| / (|Gh| |x|)
static double constraint_violation(const FbLinearization* l, const double complex* x,
                                   double size_x) {
    const FbDenseBlocks* b = &l->b;
    double size_g = frobenius(b->G, (size_t)b->m * (size_t)b->n), sum = 0.0;
    for (int r = 0; r < b->m_h; r++) {
        double complex g = 0.0;
        for (int j = 0; j < b->n; j++) {
            g += b->G[(size_t)j * (size_t)b->m + (size_t)r] * x[j];
        }
        sum += creal(g * conj(g));
    }
    return size_g > 0.0 && size_x > 0.0 ? sqrt(sum) / (size_g * size_x) : 0.0;
}

// N' (w^2 M + w C + K) x relative to the sum of the parts; *stiffness receives |N'K x| / (|K| |x|).
static double motion_residual(const FbLinearization* l, double complex w, const double complex* x,
                              double size_x, double* stiffness) {
    const FbDenseBlocks* b = &l->b;
    int n = b->n;
    size_t square = (size_t)n * (size_t)n;
    double size_m = frobenius(b->M, square), size_c = frobenius(b->C, square),
           size_k = frobenius(b->K, square);
    double sum = 0.0, sum_k = 0.0, size_n = frobenius(l->all.N, (size_t)n * (size_t)l->p);
    for (int j = 0; j < l->p; j++) {
        double complex r = 0.0, k = 0.0;
        for (int i = 0; i < n; i++) {
            double ni = l->all.N[(size_t)j * (size_t)n + (size_t)i];
            for (int c = 0; ni != 0.0 && c < n; c++) {
                size_t at = (size_t)c * (size_t)n + (size_t)i;
                r += ni * (w * w * b->M[at] + w * b->C[at] + b->K[at]) * x[c];
                k += ni * b->K[at] * x[c];
            }
        }
        sum += creal(r * conj(r));
        sum_k += creal(k * conj(k));
    }
    double a = cabs(w), scale = (a * a * size_m + a * size_c + size_k) * size_x * size_n;
    *stiffness = size_k * size_x * size_n > 0.0 ? sqrt(sum_k) / (size_k * size_x * size_n) : 0.0;
    return scale > 0.0 ? sqrt(sum) / scale : 0.0;
}

static void describe(FbLinearization* l, int k) {
    FbMode* mode = &l->modes[k];
    double complex w = l->w[k];
    const double complex* x = l->xq + (size_t)k * (size_t)l->b.n;
    double size_x = norm(x, l->b.n), size_w = cabs(w);
    mode->re = creal(w);
    mode->im = cimag(w);
    if (mode->is_infinite) {
        mode->class_ = FB_MODE_CONSTRAINT;
        mode->residual = mode->constraint_residual = 1.0;
        mode->frequency_hz = INFINITY;
        return;
    }
    double stiffness;
    mode->constraint_residual = constraint_violation(l, x, size_x);
    mode->residual = motion_residual(l, w, x, size_x, &stiffness);
    mode->frequency_hz = size_w / (2.0 * 3.14159265358979323846);
    mode->damping_ratio = size_w > 0.0 ? -creal(w) / size_w : 0.0;
    bool is_true = mode->constraint_residual < CLEAN && mode->residual < CLEAN;
    mode->class_ = is_true                              ? FB_MODE_PHYSICAL
                   : mode->constraint_residual >= CLEAN ? FB_MODE_CONSTRAINT
                                                        : FB_MODE_ARTEFACT;
    if (l->options.method == FB_METHOD_INDEPENDENT) {
        mode->class_ = FB_MODE_PHYSICAL;  // by construction
    }
    if (mode->class_ == FB_MODE_PHYSICAL && stiffness < RIGID) {
        mode->class_ = FB_MODE_RIGID_BODY;
    }
}

// The evidence against a mode: infinite, ill-conditioned or violating.
static double evidence(const FbMode* mode) {
    return mode->is_infinite ? INFINITY : fmax(mode->constraint_residual, mode->residual);
}

static int compare_evidence(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

// Exactly as many true modes as the constrained system has: those with the least evidence against
// them.
static void keep_count(FbLinearization* l) {
    int wanted = l->n_reduced - (l->options.method == FB_METHOD_DESCRIPTOR ? 0 : l->b.n_x),
        n = l->n_modes;
    double* sorted = l->beta;  // [size], free after the eigenvalues
    if (n <= wanted || l->options.method == FB_METHOD_INDEPENDENT) {
        return;
    }
    for (int k = 0; k < n; k++) {
        sorted[k] = evidence(&l->modes[k]);
    }
    qsort(sorted, (size_t)n, sizeof(double), compare_evidence);
    double last = wanted > 0 ? sorted[wanted - 1] : -1.0;
    for (int k = 0; k < n; k++) {
        FbMode* mode = &l->modes[k];
        bool is_kept = evidence(mode) <= last && isfinite(last);
        bool is_true = mode->class_ == FB_MODE_PHYSICAL || mode->class_ == FB_MODE_RIGID_BODY;
        if (is_kept && !is_true && last < 0.1) {
            mode->class_ = FB_MODE_PHYSICAL;
        } else if (!is_kept && is_true) {
            mode->class_ = FB_MODE_ARTEFACT;
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
    keep_count(l);
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
