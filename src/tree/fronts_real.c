// Fronts of real numbers.
#include <math.h>

#include "base/complex.h"

typedef double Number;

static inline Number number(double complex z) {
    return creal(z);
}
static inline Number real(double x) {
    return x;
}
static inline Number add(Number a, Number b) {
    return a + b;
}
static inline Number sub(Number a, Number b) {
    return a - b;
}
static inline Number mul(Number a, Number b) {
    return a * b;
}
static inline Number scale(double a, Number b) {
    return a * b;
}
static inline Number invert(Number a) {
    return 1.0 / a;
}
static inline double size_of(Number a) {
    return fabs(a);
}

// Columns of numbers.
enum { PARTS = 1 };

static inline Number get(const double* column, int n, int i) {
    (void)n;
    return column[i];
}
static inline void increase(double* column, int n, int i, Number a) {
    (void)n;
    column[i] += a;
}
// y += f x, n numbers of columns of `length`.
static inline void add_scaled(int n, int length, Number f, const double* restrict x,
                              double* restrict y) {
    (void)length;
    for (int i = 0; i < n; i++) {
        y[i] += f * x[i];
    }
}
// y += f x of a real x.
static inline void add_real_column(int n, Number f, const double* restrict x, double* restrict y) {
    for (int i = 0; i < n; i++) {
        y[i] += f * x[i];
    }
}

#include "tree/fronts_kernel.h"

const FbTreeFrontKernel fb_link_front_real = {.factor = factor, .solve = solve};
