// Solves with the columns of L that a front left, for FB_FRONT_MANY right-hand sides at once: the
// columns are read once for all of them. x [m x FB_FRONT_MANY] has the sides of a row side by side.
// Compiled twice: for every machine, and with wider vectors; the numbers are the same.
#ifndef FLYBALL_MATH_FRONT_MANY_H
#define FLYBALL_MATH_FRONT_MANY_H

#include <stddef.h>

#include "math/front.h"

enum { MANY = FB_FRONT_MANY, WIDTH = 4 };

// Rows [first, m) of x -= n columns of L times rows f of x.
static void subtract_four(int first, int m, const double* restrict l, double* restrict x,
                          const double* f) {
    const double *l1 = l + m, *l2 = l1 + m, *l3 = l2 + m;
    double g[WIDTH][MANY];
    for (int c = 0; c < WIDTH * MANY; c++) {
        g[c / MANY][c % MANY] = f[c];
    }
    for (int i = first; i < m; i++) {
        double* restrict to = x + (size_t)i * MANY;
        for (int c = 0; c < MANY; c++) {
            to[c] -= (l[i] * g[0][c] + l1[i] * g[1][c]) + (l2[i] * g[2][c] + l3[i] * g[3][c]);
        }
    }
}

static void subtract_one(int first, int m, const double* restrict l, double* restrict x,
                         const double* f) {
    for (int i = first; i < m; i++) {
        for (int c = 0; c < MANY; c++) {
            x[(size_t)i * MANY + (size_t)c] -= l[i] * f[c];
        }
    }
}

static void forward(int m, int k, const double* l, double* x) {
    int j = 0;
    for (; j + WIDTH <= k; j += WIDTH, l += WIDTH * (size_t)m) {
        for (int c = 0; c < WIDTH; c++) {  // the triangle at the top
            subtract_one(j + c + 1, j + WIDTH, l + (size_t)c * (size_t)m, x,
                         x + (size_t)(j + c) * MANY);
        }
        double f[WIDTH * MANY];
        for (int c = 0; c < WIDTH * MANY; c++) {
            f[c] = x[(size_t)j * MANY + (size_t)c];
        }
        subtract_four(j + WIDTH, m, l, x, f);
    }
    for (; j < k; j++, l += m) {
        double f[MANY];
        for (int c = 0; c < MANY; c++) {
            f[c] = x[(size_t)j * MANY + (size_t)c];
        }
        subtract_one(j + 1, m, l, x, f);
    }
}

// sums [WIDTH x MANY] = columns of L, rows [first, m), times those of x.
static void sum_four(int first, int m, const double* restrict l, const double* restrict x,
                     double* sums) {
    const double *l1 = l + m, *l2 = l1 + m, *l3 = l2 + m;
    double s[WIDTH][MANY] = {{0.0}};
    for (int i = first; i < m; i++) {
        const double* from = x + (size_t)i * MANY;
        for (int c = 0; c < MANY; c++) {
            s[0][c] += l[i] * from[c];
            s[1][c] += l1[i] * from[c];
            s[2][c] += l2[i] * from[c];
            s[3][c] += l3[i] * from[c];
        }
    }
    for (int c = 0; c < WIDTH * MANY; c++) {
        sums[c] = s[c / MANY][c % MANY];
    }
}

static void subtract_sum(int first, int m, const double* l, const double* x, double* to) {
    double s[MANY] = {0.0};
    for (int i = first; i < m; i++) {
        for (int c = 0; c < MANY; c++) {
            s[c] += l[i] * x[(size_t)i * MANY + (size_t)c];
        }
    }
    for (int c = 0; c < MANY; c++) {
        to[c] -= s[c];
    }
}

static void backward(int m, int k, const double* l, double* x) {
    int end = k;
    for (; end % WIDTH != 0; end--) {
        subtract_sum(end, m, l + (size_t)(end - 1) * (size_t)m, x, x + (size_t)(end - 1) * MANY);
    }
    for (; end > 0; end -= WIDTH) {
        int j = end - WIDTH;
        const double* from = l + (size_t)j * (size_t)m;
        double sums[WIDTH * MANY];
        sum_four(end, m, from, x, sums);
        for (int c = 0; c < WIDTH * MANY; c++) {
            x[(size_t)j * MANY + (size_t)c] -= sums[c];
        }
        for (int c = WIDTH - 2; c >= 0; c--) {  // the triangle at the top
            subtract_sum(j + c + 1, end, from + (size_t)c * (size_t)m, x,
                         x + (size_t)(j + c) * MANY);
        }
    }
}

#endif
