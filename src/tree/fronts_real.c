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
static inline int is_zero(Number a) {
    return a == 0.0;
}

#include "tree/fronts_kernel.h"

const FbTreeFrontKernel fb_link_front_real = {.factor = factor, .solve = solve};
