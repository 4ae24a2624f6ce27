// Fronts of complex numbers. The arithmetic is written out: the products of <complex.h> handle
// infinities in a library call, which costs more than the product itself.
#include <math.h>

#include "base/complex.h"

typedef struct Number {
    double re, im;
} Number;

static inline Number number(double complex z) {
    return (Number){creal(z), cimag(z)};
}
static inline Number real(double x) {
    return (Number){x, 0.0};
}
static inline Number add(Number a, Number b) {
    return (Number){a.re + b.re, a.im + b.im};
}
static inline Number sub(Number a, Number b) {
    return (Number){a.re - b.re, a.im - b.im};
}
static inline Number mul(Number a, Number b) {
    return (Number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline Number scale(double a, Number b) {
    return (Number){a * b.re, a * b.im};
}
// Scaled by the larger part, so that squares of large or small numbers do not overflow.
static inline Number invert(Number a) {
    if (fabs(a.re) >= fabs(a.im)) {
        double ratio = a.im / a.re, d = 1.0 / (a.re + a.im * ratio);
        return (Number){d, -ratio * d};
    }
    double ratio = a.re / a.im, d = 1.0 / (a.re * ratio + a.im);
    return (Number){ratio * d, -d};
}
static inline double size_of(Number a) {
    return fabs(a.re) + fabs(a.im);
}

// Columns of numbers: the real parts of all, then the imaginary ones.
enum { PARTS = 2 };

static inline Number get(const double* column, int n, int i) {
    return (Number){column[i], column[n + i]};
}
static inline void increase(double* column, int n, int i, Number a) {
    column[i] += a.re;
    column[n + i] += a.im;
}
// y += f x, n numbers of columns of `length`.
static inline void add_scaled(int n, int length, Number f, const double* restrict x,
                              double* restrict y) {
    for (int i = 0; i < n; i++) {
        double re = x[i], im = x[length + i];
        y[i] += f.re * re - f.im * im;
        y[length + i] += f.re * im + f.im * re;
    }
}
// y += f x of a real x.
static inline void add_real_column(int n, Number f, const double* restrict x, double* restrict y) {
    for (int i = 0; i < n; i++) {
        y[i] += f.re * x[i];
        y[n + i] += f.im * x[i];
    }
}

#include "tree/fronts_kernel.h"

const FbTreeFrontKernel fb_link_front_complex = {.factor = factor, .solve = solve};
