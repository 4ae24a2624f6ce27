// Damping that is proportional to mass and stiffness (eq. 7.21).
#include "linear/proportional.h"

#include <math.h>

// Relative to the largest entry of C: the largest misfit.
static const double ROUNDING = 1e-11;

static double largest(const double* x, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static bool is_symmetric(const FbPattern* p, const double* A, double size) {
    for (int j = 0; j < p->n_col; j++) {
        for (int i = p->start[j]; i < p->start[j + 1]; i++) {
            int other = fb_pattern_index(p, j, p->row[i]);
            double mirrored = other >= 0 ? A[other] : 0.0;
            if (!(fabs(A[i] - mirrored) <= ROUNDING * size)) {
                return false;
            }
        }
    }
    return true;
}

// One step of least squares over the entries, each matrix scaled to one: M and K are nearly
// parallel for fine meshes, so what is left is fitted again.
static void improve(const FbBlocks* b, int n, double M, double K, double C, FbProportional* out) {
    double mm = 0.0, mk = 0.0, kk = 0.0, mr = 0.0, kr = 0.0;
    for (int i = 0; i < n; i++) {
        double m = b->M[i] / M, k = b->K[i] / K;
        mm += m * m;
        mk += m * k;
    }
    for (int i = 0; i < n; i++) {
        double m = b->M[i] / M, k = b->K[i] / K - mk / mm * m;
        double r = (b->C[i] - out->alpha * b->M[i] - out->beta * b->K[i]) / C;
        kk += k * k;
        mr += m * r;
        kr += k * r;
    }
    double beta = kk > 0.0 ? kr / kk : 0.0, alpha = mr / mm - mk / mm * beta;
    out->alpha += alpha * C / M;
    out->beta += beta * C / K;
}

static bool is_fitted(const FbBlocks* b, int n, double C, const FbProportional* d) {
    for (int i = 0; i < n; i++) {
        if (!(fabs(b->C[i] - d->alpha * b->M[i] - d->beta * b->K[i]) <= ROUNDING * C)) {
            return false;
        }
    }
    return d->alpha >= 0.0 && d->beta >= 0.0;
}

void fb_proportional_find(const FbOperatingPoint* point, FbProportional* out) {
    FbDynamics* d = point->dynamics;
    FbBlocks b;
    FbError err;
    *out = (FbProportional){0};
    bool is_at_rest = d->size.n_x == 0 && largest(point->p.v, d->size.n_v) == 0.0;
    if (!is_at_rest || d->ops->jacobian(d, &point->p, &b, &err) != FB_OK) {
        return;
    }
    int n = fb_pattern_count(b.vv);
    double M = largest(b.M, n), K = largest(b.K, n), C = largest(b.C, n);
    if (!(M > 0.0) || !(K > 0.0) || !is_symmetric(b.vv, b.K, K)) {
        return;
    }
    for (int k = 0; C > 0.0 && k < 4; k++) {
        improve(&b, n, M, K, C, out);
    }
    out->is_used = C == 0.0 || is_fitted(&b, n, C, out);
}

double complex fb_proportional_root(const FbProportional* d, double mu) {
    double half = 0.5 * (d->alpha + d->beta * mu);
    return -half + csqrt(CMPLX(half * half - mu, 0.0));
}

// Overdamped motions of fast modes decay with rates above 1/beta.
bool fb_proportional_keeps_order(const FbProportional* d, double w) {
    return d->alpha + d->beta * w * w < 2.0 * w && d->beta * w < 1.0;
}
