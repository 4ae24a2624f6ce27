// Solving with the LU of a small matrix: one copy of the loops for each n, unrolled, with the
// vector in registers.
//
// Newton iterations of small mechanisms spend their linear algebra here. With n known the compiler
// unrolls the loops fully (the pragma asks it to do so before it tries to vectorize them, which is
// slower at these lengths: five times for n = 4). The arithmetic and its order are those of lu.c.
#include "math/lu_small.h"

static inline __attribute__((always_inline)) void solve(int n, const double* lu, const int* pivot,
                                                        double* b) {
    double x[FB_LU_SMALL];
#pragma GCC unroll 8
    for (int k = 0; k < n; k++) {
        x[k] = b[pivot[k]];
        b[pivot[k]] = b[k];
    }
#pragma GCC unroll 8
    for (int k = 0; k < n; k++) {
#pragma GCC unroll 8
        for (int i = k + 1; i < n; i++) {
            x[i] -= x[k] * lu[k * n + i];
        }
    }
#pragma GCC unroll 8
    for (int k = n - 1; k >= 0; k--) {
        x[k] *= lu[k * n + k];
#pragma GCC unroll 8
        for (int i = 0; i < k; i++) {
            x[i] -= x[k] * lu[k * n + i];
        }
    }
#pragma GCC unroll 8
    for (int k = 0; k < n; k++) {
        b[k] = x[k];
    }
}

static inline __attribute__((always_inline)) void solve_complex(int n, const double* lu,
                                                                const int* pivot, double* b) {
    double re[FB_LU_SMALL], im[FB_LU_SMALL];
#pragma GCC unroll 8
    for (int k = 0; k < n; k++) {
        re[k] = b[2 * pivot[k]];
        im[k] = b[2 * pivot[k] + 1];
        b[2 * pivot[k]] = b[2 * k];
        b[2 * pivot[k] + 1] = b[2 * k + 1];
    }
#pragma GCC unroll 8
    for (int k = 0; k < n; k++) {
#pragma GCC unroll 8
        for (int i = k + 1; i < n; i++) {
            const double* l = lu + 2 * (k * n + i);
            re[i] -= re[k] * l[0] - im[k] * l[1];
            im[i] -= re[k] * l[1] + im[k] * l[0];
        }
    }
#pragma GCC unroll 8
    for (int k = n - 1; k >= 0; k--) {
        const double* d = lu + 2 * (k * n + k);
        double f = re[k] * d[0] - im[k] * d[1];
        im[k] = re[k] * d[1] + im[k] * d[0];
        re[k] = f;
#pragma GCC unroll 8
        for (int i = 0; i < k; i++) {
            const double* u = lu + 2 * (k * n + i);
            re[i] -= re[k] * u[0] - im[k] * u[1];
            im[i] -= re[k] * u[1] + im[k] * u[0];
        }
    }
#pragma GCC unroll 8
    for (int k = 0; k < n; k++) {
        b[2 * k] = re[k];
        b[2 * k + 1] = im[k];
    }
}

void fb_lu_solve_small(int n, const double* lu, const int* pivot, double* b) {
    switch (n) {
        case 1:
            solve(1, lu, pivot, b);
            break;
        case 2:
            solve(2, lu, pivot, b);
            break;
        case 3:
            solve(3, lu, pivot, b);
            break;
        case 4:
            solve(4, lu, pivot, b);
            break;
        case 5:
            solve(5, lu, pivot, b);
            break;
        case 6:
            solve(6, lu, pivot, b);
            break;
        case 7:
            solve(7, lu, pivot, b);
            break;
        case 8:
            solve(8, lu, pivot, b);
            break;
        default:
            break;
    }
}

void fb_lu_solve_complex_small(int n, const double* lu, const int* pivot, double* b) {
    switch (n) {
        case 1:
            solve_complex(1, lu, pivot, b);
            break;
        case 2:
            solve_complex(2, lu, pivot, b);
            break;
        case 3:
            solve_complex(3, lu, pivot, b);
            break;
        case 4:
            solve_complex(4, lu, pivot, b);
            break;
        case 5:
            solve_complex(5, lu, pivot, b);
            break;
        case 6:
            solve_complex(6, lu, pivot, b);
            break;
        case 7:
            solve_complex(7, lu, pivot, b);
            break;
        case 8:
            solve_complex(8, lu, pivot, b);
            break;
        default:
            break;
    }
}
