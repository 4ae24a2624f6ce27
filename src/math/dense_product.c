// Products of one dense matrix with one, two or three vectors, out = A y. Eight rows at a time,
// whose sums stay in registers; every sum is in the order of the columns, whatever the blocks are.
#include "base/wide.h"
#include "math/dense.h"

enum { MOST = FB_DENSE_MOST_VECTORS };

// 4 `fours` rows from A on; numbers that are constants at each call, so that loops are unrolled.
static inline void multiply_block(int fours, int count, int n, int n_y, const double* A,
                                  const double* const* y, int stride, int from,
                                  double* const* out) {
    FbFour sum[MOST][2] = {{{0.0}}};
    const double* values[MOST];
    for (int k = 0; k < count; k++) {
        values[k] = y[k];
    }
    A += from;
    for (int j = 0; j < n_y; j++, A += n) {
        for (int k = 0; k < count; k++) {
            double value = values[k][stride * j];
            for (int f = 0; f < fours; f++) {
                sum[k][f] += *(const FbFour*)(A + 4 * f) * value;
            }
        }
    }
    for (int k = 0; k < count; k++) {
        for (int f = 0; f < fours; f++) {
            *(FbFour*)(out[k] + from + 4 * f) = sum[k][f];
        }
    }
}

static inline void multiply_row(int count, int n, int n_y, const double* A, const double* const* y,
                                int stride, int row, double* const* out) {
    for (int k = 0; k < count; k++) {
        double sum = 0.0;
        for (int j = 0; j < n_y; j++) {
            sum += A[j * n + row] * y[k][stride * j];
        }
        out[k][row] = sum;
    }
}

static inline void multiply_rows(int count, int n, int n_y, const double* A, const double* const* y,
                                 int stride, double* const* out) {
    int row = 0;
    for (; row + 8 <= n; row += 8) {
        multiply_block(2, count, n, n_y, A, y, stride, row, out);
    }
    for (; row + 4 <= n; row += 4) {
        multiply_block(1, count, n, n_y, A, y, stride, row, out);
    }
    if (row < n && n >= 4) {  // some rows once more, which gives the same numbers
        multiply_block(1, count, n, n_y, A, y, stride, n - 4, out);
        return;
    }
    for (; row < n; row++) {
        multiply_row(count, n, n_y, A, y, stride, row, out);
    }
}

FB_WIDE static void multiply(int count, int n, int n_y, const double* A, const double* const* y,
                             int stride, double* const* out) {
    switch (count) {  // each with its own loops
        case 1:
            multiply_rows(1, n, n_y, A, y, stride, out);
            break;
        case 2:
            multiply_rows(2, n, n_y, A, y, stride, out);
            break;
        default:
            multiply_rows(3, n, n_y, A, y, stride, out);
    }
}

void fb_dense_multiply(int count, int n, int n_y, const double* A, const double* const* y,
                       int stride, double* const* out) {
    multiply(count, n, n_y, A, y, stride, out);
}
