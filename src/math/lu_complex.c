// Dense complex LU with partial pivoting, as in lu.c, on interleaved (re, im) pairs.
//
// The arithmetic is written out: the products of <complex.h> handle infinities in a library call,
// which costs more than the product itself. Pivots are chosen by |re| + |im|.
#include <float.h>
#include <math.h>

#include "math/dense.h"
#include "math/lu_small.h"

static inline double size_of(const double* z) {
    return fabs(z[0]) + fabs(z[1]);
}

static inline int largest_below(int n, const double* col, int k) {
    int p = k;
    double best = size_of(col + 2 * k);
    for (int i = k + 1; i < n; i++) {
        if (size_of(col + 2 * i) > best) {
            best = size_of(col + 2 * i);
            p = i;
        }
    }
    return p;
}

static inline void swap_rows(int n, double* a, int i, int k) {
    for (int j = 0; j < n; j++, a += 2 * n) {
        double re = a[2 * k], im = a[2 * k + 1];
        a[2 * k] = a[2 * i];
        a[2 * k + 1] = a[2 * i + 1];
        a[2 * i] = re;
        a[2 * i + 1] = im;
    }
}

// 1/z, scaled by the larger part so that the square of a large or small |z| does not overflow.
static inline void invert(double z[2]) {
    double re = z[0], im = z[1];
    if (fabs(re) >= fabs(im)) {
        double ratio = im / re, d = 1.0 / (re + im * ratio);
        z[0] = d;
        z[1] = -ratio * d;
    } else {
        double ratio = re / im, d = 1.0 / (re * ratio + im);
        z[0] = ratio * d;
        z[1] = -d;
    }
}

// y[i] -= f x[i] for `from` <= i < `to`
static inline void subtract_scaled(int from, int to, double f_re, double f_im,
                                   const double* restrict x, double* restrict y) {
    for (int i = from; i < to; i++) {
        double re = x[2 * i], im = x[2 * i + 1];
        y[2 * i] -= f_re * re - f_im * im;
        y[2 * i + 1] -= f_re * im + f_im * re;
    }
}

int fb_lu_factor_complex(int n, double complex* matrix, int* pivot) {
    double* a = (double*)matrix;
    const size_t ld = 2 * (size_t)n;
    for (int k = 0; k < n; k++) {
        double* l = a + (size_t)k * ld;
        int p = largest_below(n, l, k);
        pivot[k] = p;
        if (p != k) {
            swap_rows(n, a, p, k);
        }
        double* d = l + 2 * k;
        double size = size_of(d);
        if (size > 0.0 && size <= DBL_MAX) {
            invert(d);
            size = size_of(d);
        }
        if (!(size > 0.0 && size <= DBL_MAX)) {
            return k;
        }
        for (int i = k + 1; i < n; i++) {
            double re = l[2 * i], im = l[2 * i + 1];
            l[2 * i] = re * d[0] - im * d[1];
            l[2 * i + 1] = re * d[1] + im * d[0];
        }
        for (int j = k + 1; j < n; j++) {
            double* u = a + (size_t)j * ld;
            subtract_scaled(k + 1, n, u[2 * k], u[2 * k + 1], l, u);
        }
    }
    return -1;
}

static void permute(int n, const int* pivot, double* b) {
    for (int k = 0; k < n; k++) {
        int p = pivot[k];
        double re = b[2 * p], im = b[2 * p + 1];
        b[2 * p] = b[2 * k];
        b[2 * p + 1] = b[2 * k + 1];
        b[2 * k] = re;
        b[2 * k + 1] = im;
    }
}

void fb_lu_solve_complex(int n, const double complex* lu, const int* pivot,
                         double complex* right_side) {
    const double* a = (const double*)lu;
    double* b = (double*)right_side;
    if (n <= FB_LU_SMALL) {
        fb_lu_solve_complex_small(n, a, pivot, b);
        return;
    }
    const size_t ld = 2 * (size_t)n;
    permute(n, pivot, b);
    for (int k = 0; k < n; k++) {
        subtract_scaled(k + 1, n, b[2 * k], b[2 * k + 1], a + (size_t)k * ld, b);
    }
    for (int k = n - 1; k >= 0; k--) {
        const double* u = a + (size_t)k * ld;
        double re = b[2 * k] * u[2 * k] - b[2 * k + 1] * u[2 * k + 1];
        double im = b[2 * k] * u[2 * k + 1] + b[2 * k + 1] * u[2 * k];
        b[2 * k] = re;
        b[2 * k + 1] = im;
        subtract_scaled(0, k, re, im, u, b);
    }
}
