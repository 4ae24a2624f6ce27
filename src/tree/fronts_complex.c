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
static inline int is_zero(Number a) {
    return a.re == 0.0 && a.im == 0.0;
}

#include "tree/fronts_kernel.h"

const FbTreeFrontKernel fb_link_front_complex = {.factor = factor, .solve = solve};
