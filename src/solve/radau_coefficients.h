// The Radau IIA methods of 3, 5 and 7 stages (orders 5, 9, 13): nodes, matrix, eigenvalues,
// transformation.
#ifndef FLYBALL_SOLVE_RADAU_COEFFICIENTS_H
#define FLYBALL_SOLVE_RADAU_COEFFICIENTS_H

#include "base/complex.h"

enum { FB_RADAU_MAX_STAGES = 7, FB_RADAU_MAX_PAIRS = 3 };

typedef struct FbRadauMethod {
    int s;       // stages; the order is 2 s - 1
    int n_pair;  // complex pairs among the eigenvalues of A^-1
    double c[FB_RADAU_MAX_STAGES];
    double A[FB_RADAU_MAX_STAGES][FB_RADAU_MAX_STAGES];
    double at_zero[FB_RADAU_MAX_STAGES];  // Lagrange basis of the nodes at 0
    // Monomial coefficients of the Lagrange basis: L_j(x) = sum_k basis[j][k] x^k.
    double basis[FB_RADAU_MAX_STAGES][FB_RADAU_MAX_STAGES];
    // The same for the nodes 0, c_1, ..., c_s: the start of the step counts as one more stage in
    // the dense output.
    double wide[FB_RADAU_MAX_STAGES + 1][FB_RADAU_MAX_STAGES + 1];
    // A^-1 = T diag(gamma) T^-1: the real eigenvalue and one of each pair.
    double gamma0;
    double t0[FB_RADAU_MAX_STAGES], t0_inv[FB_RADAU_MAX_STAGES];
    double complex gamma[FB_RADAU_MAX_PAIRS];
    double complex t[FB_RADAU_MAX_STAGES][FB_RADAU_MAX_PAIRS];
    double complex t_inv[FB_RADAU_MAX_PAIRS][FB_RADAU_MAX_STAGES];
} FbRadauMethod;

// s is 3, 5 or 7.
void fb_radau_method_init(FbRadauMethod* m, int s);

// L_j(theta), and the integrals of L_j from 0 to theta, j < s.
void fb_radau_basis(const FbRadauMethod* m, double theta, double* values);
void fb_radau_basis_integral(const FbRadauMethod* m, double theta, double* values);

// For the basis of the nodes 0, c_1, ..., c_s (s + 1 values): its integral and double integral from
// 0 to theta.
void fb_radau_wide_integrals(const FbRadauMethod* m, double theta, double* once, double* twice);

#endif
