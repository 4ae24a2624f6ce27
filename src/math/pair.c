// Products of two sparse matrices with two vectors, by rows: indices are read once for both, and
// what is zero (axial and lateral motions of members that do not couple) not at all.
#include "math/pair.h"

// Places of the next entry of each row, and their number.
static int count_rows(const FbPattern* p, const double* A, const double* B, int* start) {
    int count = 0;
    for (int e = 0; e < fb_pattern_count(p); e++) {
        if (A[e] != 0.0 || B[e] != 0.0) {
            start[p->row[e] + 1]++;
            count++;
        }
    }
    for (int i = 0; i < p->n_row; i++) {
        start[i + 1] += start[i];
    }
    return count;
}

// `start` serves as the next place of each row; it ends as the start of the next one.
static void fill(FbPair* pair, const FbPattern* p, const double* A, const double* B) {
    for (int col = 0; col < p->n_col; col++) {
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            if (A[e] != 0.0 || B[e] != 0.0) {
                int at = pair->start[p->row[e]]++;
                pair->col[at] = col;
                pair->values[2 * at] = A[e];
                pair->values[2 * at + 1] = B[e];
            }
        }
    }
    for (int i = p->n_row; i > 0; i--) {
        pair->start[i] = pair->start[i - 1];
    }
    pair->start[0] = 0;
}

FbStatus fb_pair_init(FbPair* pair, const FbPattern* pattern, const double* A, const double* B,
                      FbArena* arena, FbError* err) {
    *pair = (FbPair){.n_row = pattern->n_row};
    pair->start = FB_TAKE(arena, int, pattern->n_row + 1);
    if (!pair->start) {
        return fb_fail_memory(err);
    }
    int count = count_rows(pattern, A, B, pair->start);
    pair->col = FB_TAKE(arena, int, count + 1);
    pair->values = FB_TAKE(arena, double, 2 * (size_t)count + 1);
    if (fb_arena_has_failed(arena)) {
        return fb_fail_memory(err);
    }
    fill(pair, pattern, A, B);
    return FB_OK;
}

void fb_pair_multiply(const FbPair* pair, const double* x, const double* y, double* r) {
    const double* restrict values = pair->values;
    const int* restrict col = pair->col;
    for (int i = 0; i < pair->n_row; i++) {
        double a = 0.0, b = 0.0;
        for (int e = pair->start[i]; e < pair->start[i + 1]; e++) {
            a += values[2 * e] * x[col[e]];
            b += values[2 * e + 1] * y[col[e]];
        }
        r[i] += a + b;
    }
}
