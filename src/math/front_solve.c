// Solves with the columns of L that a front left: several columns at a time, so that the right-hand
// side is read once for all of them and sums do not wait for each other.
#include "math/front.h"

#include <stddef.h>

// Columns at a time.
enum { WIDTH = 4 };

// Rows of a unit lower triangle [k x k] alone.
static void solve_triangle(int m, int k, const double* l, double* x) {
    for (int j = 0; j < k; j++, l += m) {
        for (int i = j + 1; i < k; i++) {
            x[i] -= l[i] * x[j];
        }
    }
}

static void subtract_four(int first, int m, const double* restrict l, double* restrict x,
                          const double* f) {
    const double *l1 = l + m, *l2 = l1 + m, *l3 = l2 + m;
    double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
    for (int i = first; i < m; i++) {
        x[i] -= (l[i] * f0 + l1[i] * f1) + (l2[i] * f2 + l3[i] * f3);
    }
}

static void subtract_three(int first, int m, const double* restrict l, double* restrict x,
                           const double* f) {
    const double *l1 = l + m, *l2 = l1 + m;
    double f0 = f[0], f1 = f[1], f2 = f[2];
    for (int i = first; i < m; i++) {
        x[i] -= l[i] * f0 + l1[i] * f1 + l2[i] * f2;
    }
}

static void subtract_one(int first, int m, const double* restrict l, double* restrict x, double f) {
    for (int i = first; i < m; i++) {
        x[i] -= l[i] * f;
    }
}

void fb_front_solve_forward(int m, int k, const double* l, double* x) {
    int j = 0;
    for (; j + WIDTH <= k; j += WIDTH, l += WIDTH * (size_t)m) {
        double f[WIDTH];
        solve_triangle(m, WIDTH, l + j, x + j);
        for (int c = 0; c < WIDTH; c++) {
            f[c] = x[j + c];
        }
        subtract_four(j + WIDTH, m, l, x, f);
    }
    if (k - j == 3) {
        double f[3];
        solve_triangle(m, 3, l + j, x + j);
        for (int c = 0; c < 3; c++) {
            f[c] = x[j + c];
        }
        subtract_three(k, m, l, x, f);
        return;
    }
    for (; j < k; j++, l += m) {
        subtract_one(j + 1, m, l, x, x[j]);
    }
}

static void sum_four(int first, int m, const double* restrict l, const double* restrict x,
                     double* sums) {
    const double *l1 = l + m, *l2 = l1 + m, *l3 = l2 + m;
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    for (int i = first; i < m; i++) {
        s0 += l[i] * x[i];
        s1 += l1[i] * x[i];
        s2 += l2[i] * x[i];
        s3 += l3[i] * x[i];
    }
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
}

static void sum_few(int n, int first, int m, const double* l, const double* x, double* sums) {
    for (int c = 0; c < n; c++, l += m) {
        sums[c] = 0.0;
        for (int i = first; i < m; i++) {
            sums[c] += l[i] * x[i];
        }
    }
}

// Rows of the transposed triangle.
static void solve_transposed(int m, int k, const double* l, double* x) {
    for (int j = k - 1; j >= 0; j--) {
        for (int i = j + 1; i < k; i++) {
            x[j] -= l[(size_t)j * (size_t)m + (size_t)i] * x[i];
        }
    }
}

void fb_front_solve_backward(int m, int k, const double* l, double* x) {
    int rest = k % WIDTH;
    for (int end = k; end > 0;) {
        int n = end == k && rest > 0 ? rest : WIDTH, j = end - n;
        const double* from = l + (size_t)j * (size_t)m;
        double sums[WIDTH];
        if (n == WIDTH) {
            sum_four(end, m, from, x, sums);
        } else {
            sum_few(n, end, m, from, x, sums);
        }
        for (int c = 0; c < n; c++) {
            x[j + c] -= sums[c];
        }
        solve_transposed(m, n, from + j, x + j);
        end = j;
    }
}

// ---- Few columns: the rows stay where they are ----

void fb_front_forward_indexed(int m, int k, const double* l, const int* index, double* x) {
    double f[WIDTH] = {0.0};
    const double* column[WIDTH];
    for (int j = 0; j < k; j++) {
        column[j] = l + (size_t)j * (size_t)m;
        f[j] = x[index[j]];
        for (int c = 0; c < j; c++) {
            f[j] -= column[c][j] * f[c];
        }
        x[index[j]] = f[j];
    }
    for (int j = k; j < WIDTH; j++) {
        column[j] = l;
    }
    const double *l0 = column[0], *l1 = column[1], *l2 = column[2], *l3 = column[3];
    double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
    if (k <= 3) {
        for (int i = k; i < m; i++) {
            x[index[i]] -= l0[i] * f0 + l1[i] * f1 + l2[i] * f2;
        }
        return;
    }
    for (int i = k; i < m; i++) {
        x[index[i]] -= (l0[i] * f0 + l1[i] * f1) + (l2[i] * f2 + l3[i] * f3);
    }
}

void fb_front_backward_indexed(int m, int k, const double* l, const int* index, double* x) {
    const double* column[WIDTH];
    for (int j = 0; j < WIDTH; j++) {
        column[j] = j < k ? l + (size_t)j * (size_t)m : l;
    }
    const double *l0 = column[0], *l1 = column[1], *l2 = column[2], *l3 = column[3];
    double s[WIDTH] = {0.0}, s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    for (int i = k; i < m; i++) {
        double xi = x[index[i]];
        s0 += l0[i] * xi;
        s1 += l1[i] * xi;
        s2 += l2[i] * xi;
        s3 += l3[i] * xi;
    }
    s[0] = s0, s[1] = s1, s[2] = s2, s[3] = s3;
    for (int j = k - 1; j >= 0; j--) {
        for (int c = j + 1; c < k; c++) {
            s[j] += column[j][c] * x[index[c]];
        }
        x[index[j]] -= s[j];
    }
}
