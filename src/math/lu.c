// Dense LU with partial pivoting, A = P L U (column-major, in place), and Cholesky A = L L'.
//
// Right-looking: step k eliminates column k below the pivot and updates the columns to its right
// with unit-stride loops. Nothing skips a multiplication by zero, so that a NaN anywhere reaches a
// pivot and is found there.
#include <float.h>
#include <math.h>

#include "base/wide.h"
#include "math/dense.h"
#include "math/lu_small.h"

static inline int largest_below(int n, const double* col, int k) {
    int p = k;
    double best = fabs(col[k]);
    for (int i = k + 1; i < n; i++) {
        if (fabs(col[i]) > best) {
            best = fabs(col[i]);
            p = i;
        }
    }
    return p;
}

static inline void swap_rows(int n, double* a, int i, int k) {
    for (int j = 0; j < n; j++, a += n) {
        double t = a[k];
        a[k] = a[i];
        a[i] = t;
    }
}

FB_WIDE static int factor(int n, double* a, int* pivot) {
    const size_t ld = (size_t)n;
    for (int k = 0; k < n; k++) {
        double* restrict l = a + (size_t)k * ld;
        int p = largest_below(n, l, k);
        pivot[k] = p;
        if (p != k) {
            swap_rows(n, a, p, k);
        }
        double reciprocal = 1.0 / l[k];
        // Fails for zero, infinite and NaN pivots and for those too small to have a reciprocal.
        if (!(fabs(reciprocal) > 0.0 && fabs(reciprocal) <= DBL_MAX)) {
            return k;
        }
        l[k] = reciprocal;
        for (int i = k + 1; i < n; i++) {
            l[i] *= reciprocal;
        }
        for (int j = k + 1; j < n; j++) {
            double* restrict u = a + (size_t)j * ld;
            double f = u[k];
            for (int i = k + 1; i < n; i++) {
                u[i] -= f * l[i];
            }
        }
    }
    return -1;
}

int fb_lu_factor(int n, double* a, int* pivot) {
    return factor(n, a, pivot);
}

void fb_lu_solve(int n, const double* lu, const int* pivot, double* b) {
    if (n <= FB_LU_SMALL) {
        fb_lu_solve_small(n, lu, pivot, b);
        return;
    }
    const size_t ld = (size_t)n;
    for (int k = 0; k < n; k++) {
        double t = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = t;
    }
    for (int k = 0; k < n; k++) {
        const double* restrict l = lu + (size_t)k * ld;
        double f = b[k];
        for (int i = k + 1; i < n; i++) {
            b[i] -= f * l[i];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        const double* restrict u = lu + (size_t)k * ld;
        double f = b[k] * u[k];
        b[k] = f;
        for (int i = 0; i < k; i++) {
            b[i] -= f * u[i];
        }
    }
}

int fb_cholesky_factor(int n, double* a) {
    const size_t ld = (size_t)n;
    for (int k = 0; k < n; k++) {
        double* restrict l = a + (size_t)k * ld;
        if (!(l[k] > 0.0 && l[k] <= DBL_MAX)) {
            return k;
        }
        l[k] = sqrt(l[k]);
        double reciprocal = 1.0 / l[k];
        for (int i = k + 1; i < n; i++) {
            l[i] *= reciprocal;
        }
        for (int j = k + 1; j < n; j++) {
            double* restrict c = a + (size_t)j * ld;
            double f = l[j];
            for (int i = j; i < n; i++) {
                c[i] -= f * l[i];
            }
        }
    }
    return -1;
}

void fb_cholesky_solve(int n, const double* l, double* b) {
    const size_t ld = (size_t)n;
    for (int k = 0; k < n; k++) {
        const double* restrict col = l + (size_t)k * ld;
        double f = b[k] /= col[k];
        for (int i = k + 1; i < n; i++) {
            b[i] -= f * col[i];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        const double* restrict col = l + (size_t)k * ld;
        double sum = b[k];
        for (int i = k + 1; i < n; i++) {
            sum -= col[i] * b[i];
        }
        b[k] = sum / col[k];
    }
}
