// The Gauss methods of 1, 2 and 3 stages (orders 2, 4, 6): nodes, matrix, weights, and the
// transformation that splits Newton's system.
#ifndef FLYBALL_SOLVE_GAUSS_COEFFICIENTS_H
#define FLYBALL_SOLVE_GAUSS_COEFFICIENTS_H

#include <stdbool.h>

#include "base/complex.h"

enum { FB_GAUSS_MAX_STAGES = 3 };

typedef struct FbGaussMethod {
    int s;  // stages; the order is 2 s
    double c[FB_GAUSS_MAX_STAGES], b[FB_GAUSS_MAX_STAGES];
    double A[FB_GAUSS_MAX_STAGES][FB_GAUSS_MAX_STAGES];
    // A^-1 = T diag(gamma) T^-1: the real eigenvalue (s = 1, 3) and one of the pair (s = 2, 3).
    bool has_real, has_pair;
    double gamma0, t0[FB_GAUSS_MAX_STAGES], t0_inv[FB_GAUSS_MAX_STAGES];
    double complex gamma, t[FB_GAUSS_MAX_STAGES], t_inv[FB_GAUSS_MAX_STAGES];
} FbGaussMethod;

// s is 1, 2 or 3.
void fb_gauss_method_init(FbGaussMethod* m, int s);

// The polynomials that are 1 at one node and 0 at the others, at theta.
void fb_gauss_basis(const FbGaussMethod* m, double theta, double* values);

#endif
