// Undamped modes in independent coordinates: K x = omega^2 M x with symmetric K and positive
// definite M (eq. 7.8).
#include <float.h>
#include <math.h>
#include <string.h>

#include "linear/linearization.h"
#include "math/dense.h"

// Of the largest entry of K: what rounding may leave of its skew part at an equilibrium.
static const double SYMMETRIC = 1e-8;
// Of the largest square of a rate that stiffness and mass can make, for each coordinate: what
// rounding leaves of that of a rigid-body mode.
static const double ROUNDING = 64.0 * DBL_EPSILON;

static FbStatus check_rest(const FbLinearization* l, FbError* err) {
    if (l->options.method != FB_METHOD_INDEPENDENT) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "undamped modes require the independent method");
    }
    double fastest = 0.0;
    for (int j = 0; j < l->b.n; j++) {
        fastest = fmax(fastest, fabs(l->op->p.v[j]));
    }
    if (fastest > 0.0 || l->f != l->p) {
        return fb_fail(err, FB_ERR_UNAVAILABLE, NULL,
                       "undamped modes require a position of rest without rolling; use the complex "
                       "modes here");
    }
    return FB_OK;
}

// K is symmetric at an equilibrium of forces that have a potential.
static FbStatus check_symmetry(const FbLinearization* l, FbError* err) {
    int f = l->f;
    double largest = 0.0, skew = 0.0;
    for (int j = 0; j < f; j++) {
        for (int i = 0; i < f; i++) {
            double k = l->Kr[(size_t)j * (size_t)f + (size_t)i];
            double unit = l->mass_unit[i] * l->mass_unit[j];
            largest = fmax(largest, fabs(k) * unit);
            skew = fmax(skew, fabs(k - l->Kr[(size_t)i * (size_t)f + (size_t)j]) * unit);
        }
    }
    if (!(skew <= SYMMETRIC * largest)) {
        return fb_fail(err, FB_ERR_UNAVAILABLE, NULL,
                       "the stiffness is not symmetric (by %.2g of its largest entry), as with "
                       "forces that have no potential or away from equilibrium; use the complex "
                       "modes here",
                       skew / largest);
    }
    return FB_OK;
}

static void copy_symmetric(const FbLinearization* l, const double* from, double* to) {
    int f = l->f;
    for (int j = 0; j < f; j++) {
        for (int i = 0; i < f; i++) {
            double sum =
                from[(size_t)j * (size_t)f + (size_t)i] + from[(size_t)i * (size_t)f + (size_t)j];
            to[(size_t)j * (size_t)f + (size_t)i] = 0.5 * sum * l->mass_unit[i] * l->mass_unit[j];
        }
    }
}

// The largest square of a rate in sight: of the modes, and of stiffnesses against masses where
// constraints cancel them.
static double calc_largest_square(const FbLinearization* l, const double* squares) {
    double most = 0.0;
    int n = l->b.n;
    for (int k = 0; k < l->f; k++) {
        most = fmax(most, fabs(squares[k]));
    }
    for (int i = 0; i < n * n; i++) {
        most = fmax(most, fabs(l->b.K[i]) * l->all.scale[i % n] * l->all.scale[i / n]);
    }
    return most;
}

// Displacements of mode k in all coordinates, from those in the independent ones.
static void expand(FbLinearization* l, int k, const double* x) {
    int n = l->b.n, f = l->f;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < f; j++) {
            sum += l->holonomic.N[(size_t)j * (size_t)n + (size_t)i] * x[j];
        }
        l->xq[(size_t)k * (size_t)n + (size_t)i] = sum;
    }
}

// |K x - omega^2 M x| relative to the sum of the sizes of the parts.
static double calc_residual(const FbLinearization* l, double square, const double* x) {
    int f = l->f;
    double sum = 0.0, scale = 0.0;
    for (int i = 0; i < f; i++) {
        double r = 0.0, size = 0.0;
        for (int j = 0; j < f; j++) {
            size_t at = (size_t)j * (size_t)f + (size_t)i;
            r += (l->Kr[at] - square * l->Mr[at]) * x[j];
            size += (fabs(l->Kr[at]) + fabs(square * l->Mr[at])) * fabs(x[j]);
        }
        sum += r * r;
        scale += size * size;
    }
    return scale > 0.0 ? sqrt(sum / scale) : 0.0;
}

// Without damping a rigid-body mode has zero frequency: what rounding left of it is removed.
static void finish_modes(FbLinearization* l, const double* squares, const double* vectors) {
    double rounding = ROUNDING * l->f * calc_largest_square(l, squares);
    for (int k = 0; k < l->n_modes; k++) {
        FbMode* mode = &l->modes[k];
        if (fabs(squares[k]) <= rounding) {
            mode->class_ = FB_MODE_RIGID_BODY;
            l->w[k] = 0.0;
            mode->re = mode->im = mode->frequency_hz = mode->damping_ratio = 0.0;
        }
        mode->residual = calc_residual(l, squares[k], vectors + (size_t)k * (size_t)l->f);
    }
}

// The order of classify.c is by |lambda| within a class; here omega^2 ascends already.
static void sort_modes(FbLinearization* l) {
    for (int k = 0; k < l->n_modes; k++) {
        l->order[k] = k;
    }
}

static FbStatus solve(FbLinearization* l, FbError* err) {
    int f = l->f;
    double *vectors = l->work_a, *mass = l->work_e, *squares = l->beta;
    fb_linear_scale_mass(l);
    FB_TRY(check_symmetry(l, err));
    copy_symmetric(l, l->Kr, vectors);
    copy_symmetric(l, l->Mr, mass);
    FB_TRY(fb_eigen_symmetric_pencil(f, vectors, mass, squares, err));
    l->n_modes = f;
    for (int i = 0; i < f * f; i++) {
        vectors[i] *= l->mass_unit[i % f];
    }
    for (int k = 0; k < f; k++) {
        double omega = sqrt(fabs(squares[k]));
        l->w[k] = squares[k] >= 0.0 ? CMPLX(0.0, omega) : CMPLX(omega, 0.0);
        expand(l, k, vectors + (size_t)k * (size_t)f);
    }
    fb_linear_classify(l);
    finish_modes(l, squares, vectors);
    sort_modes(l);
    return FB_OK;
}

FbStatus fb_linearization_run_undamped(FbLinearization* l, FbError* err) {
    l->has_run = false;
    l->n_modes = 0;
    l->moving = -1;
    memset(l->modes, 0, sizeof(FbMode) * (size_t)(l->size > l->n_reduced ? l->size : l->n_reduced));
    FB_TRY(check_rest(l, err));
    if (l->f == 0) {
        return fb_fail(err, FB_ERR_MODEL, NULL,
                       "the mechanism has no degree of freedom, so it cannot vibrate");
    }
    FB_TRY(fb_linear_take_blocks(l, err));
    FB_TRY(fb_linear_reduce(l, err));
    FB_TRY(solve(l, err));
    l->has_run = true;
    return FB_OK;
}
