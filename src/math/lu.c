// Dense LU with partial pivoting, A = P L U (column-major, in place), and Cholesky A = L L'.
//
// Right-looking: a step eliminates a column below the pivot and updates the columns to its right
// with unit-stride loops. Nothing skips a multiplication by zero, so that a NaN anywhere reaches a
// pivot and is found there.
#include <float.h>
#include <math.h>
#include <stdbool.h>

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

// Chooses the pivot of column k, swaps its row to k in all columns and divides the column by it;
// false for zero, infinite and NaN pivots and for those too small to have a reciprocal.
static inline bool eliminate(int n, double* a, int* pivot, int k) {
    double* l = a + (size_t)k * (size_t)n;
    int p = largest_below(n, l, k);
    pivot[k] = p;
    if (p != k) {
        swap_rows(n, a, p, k);
    }
    double reciprocal = 1.0 / l[k];
    if (!(fabs(reciprocal) > 0.0 && fabs(reciprocal) <= DBL_MAX)) {
        return false;
    }
    l[k] = reciprocal;
    for (int i = k + 1; i < n; i++) {
        l[i] *= reciprocal;
    }
    return true;
}

// Rows k to n of u -= f l
static inline void update(int k, int n, double f, const double* restrict l, double* restrict u) {
    for (int i = k; i < n; i++) {
        u[i] -= f * l[i];
    }
}

// Rows k to n of u -= f l + g m, with the numbers of two updates.
static inline void update_twice(int k, int n, double f, const double* restrict l, double g,
                                const double* restrict m, double* restrict u) {
    for (int i = k; i < n; i++) {
        u[i] = (u[i] - f * l[i]) - g * m[i];
    }
}

// Two columns at a time: those to their right are read and written once for both.
FB_WIDE static int factor(int n, double* a, int* pivot) {
    const size_t ld = (size_t)n;
    for (int k = 0; k < n; k += 2) {
        double *l = a + (size_t)k * ld, *m = l + ld;
        if (!eliminate(n, a, pivot, k)) {
            return k;
        }
        if (k + 1 == n) {
            break;
        }
        update(k + 1, n, m[k], l, m);
        if (!eliminate(n, a, pivot, k + 1)) {
            return k + 1;
        }
        for (int j = k + 2; j < n; j++) {
            double* u = a + (size_t)j * ld;
            u[k + 1] -= u[k] * l[k + 1];
            update_twice(k + 2, n, u[k], l, u[k + 1], m, u);
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
