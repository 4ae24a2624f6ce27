// Vectors of twelve and row-major 12 x 12 matrices of an element: products and forms.
#ifndef FLYBALL_FEM_MAT12_H
#define FLYBALL_FEM_MAT12_H

#include "fem/ports.h"

static inline double fb_dot12(const double* x, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}
// y += A x
static inline void fb_mat12_add_product(const double* A, const double* x, double* y) {
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        y[i] += fb_dot12(A + i * FB_BEAM_DOF, x);
    }
}
// y = A' x
static inline void fb_mat12_mul_transposed(const double* A, const double* x, double* y) {
    for (int j = 0; j < FB_BEAM_DOF; j++) {
        double sum = 0.0;
        for (int i = 0; i < FB_BEAM_DOF; i++) {
            sum += A[i * FB_BEAM_DOF + j] * x[i];
        }
        y[j] = sum;
    }
}
// x' A y
static inline double fb_mat12_form(const double* x, const double* A, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        sum += x[i] * fb_dot12(A + i * FB_BEAM_DOF, y);
    }
    return sum;
}

#endif
