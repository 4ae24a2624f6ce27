// Compressed-column patterns: building them from loose entries, finding entries, multiplying.
#include "math/pattern.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct Entry {
    int row, col;
} Entry;

struct FbPatternBuilder {
    int n_row, n_col;
    Entry* entries;
    int count, capacity;
    bool has_failed;   // out of memory
    bool has_outside;  // an entry outside the matrix
    Entry outside;
};

FbPatternBuilder* fb_pattern_builder_create(int n_row, int n_col) {
    FbPatternBuilder* b = calloc(1, sizeof *b);
    if (b) {
        b->n_row = n_row;
        b->n_col = n_col;
    }
    return b;
}

void fb_pattern_builder_destroy(FbPatternBuilder* b) {
    if (b) {
        free(b->entries);
        free(b);
    }
}

void fb_pattern_builder_add(FbPatternBuilder* b, int row, int col) {
    if (row < 0 || row >= b->n_row || col < 0 || col >= b->n_col) {
        b->has_outside = true;
        b->outside = (Entry){row, col};
        return;
    }
    if (!fb_grow((void**)&b->entries, &b->capacity, b->count, sizeof *b->entries)) {
        b->has_failed = true;
        return;
    }
    b->entries[b->count++] = (Entry){row, col};
}

// Stable counting sort of `in` by row; `start` has n_row + 1 places.
static void sort_by_row(int count, const Entry* in, int n_row, int* start, Entry* out) {
    memset(start, 0, sizeof *start * (size_t)(n_row + 1));
    for (int k = 0; k < count; k++) {
        start[in[k].row + 1]++;
    }
    for (int i = 0; i < n_row; i++) {
        start[i + 1] += start[i];
    }
    for (int k = 0; k < count; k++) {
        out[start[in[k].row]++] = in[k];
    }
}

// Entries come in row order, so a repetition in a column is the entry just before: `last` [n_col]
// remembers its row.
static int drop_repetitions(int count, Entry* entries, int n_col, int* last) {
    for (int j = 0; j < n_col; j++) {
        last[j] = -1;
    }
    int kept = 0;
    for (int k = 0; k < count; k++) {
        if (last[entries[k].col] != entries[k].row) {
            last[entries[k].col] = entries[k].row;
            entries[kept++] = entries[k];
        }
    }
    return kept;
}

// Fills start and row of `out` from distinct entries in row order; `next` has n_col places.
static void fill_columns(int count, const Entry* entries, int* next, FbPattern* out) {
    for (int k = 0; k < count; k++) {
        out->start[entries[k].col + 1]++;
    }
    for (int j = 0; j < out->n_col; j++) {
        out->start[j + 1] += out->start[j];
        next[j] = out->start[j];
    }
    for (int k = 0; k < count; k++) {
        out->row[next[entries[k].col]++] = entries[k].row;
    }
}

FbStatus fb_pattern_builder_finish(FbPatternBuilder* b, FbArena* arena, FbPattern* out,
                                   FbError* err) {
    if (b->has_outside) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL,
                       "entry (%d, %d) is outside the matrix pattern of %d x %d", b->outside.row,
                       b->outside.col, b->n_row, b->n_col);
    }
    int largest = b->n_row > b->n_col ? b->n_row : b->n_col;
    Entry* sorted = calloc((size_t)b->count + 1, sizeof *sorted);
    int* places = malloc(sizeof *places * ((size_t)largest + 1));
    *out = (FbPattern){.n_row = b->n_row, .n_col = b->n_col};
    out->start = FB_TAKE(arena, int, b->n_col + 1);
    FbStatus status = b->has_failed || !sorted || !places || !out->start ? FB_ERR_MEMORY : FB_OK;
    if (status == FB_OK) {
        sort_by_row(b->count, b->entries, b->n_row, places, sorted);
        int count = drop_repetitions(b->count, sorted, b->n_col, places);
        out->row = FB_TAKE(arena, int, count);
        if (out->row) {
            fill_columns(count, sorted, places, out);
        } else {
            status = FB_ERR_MEMORY;
        }
    }
    free(sorted);
    free(places);
    return status == FB_OK ? FB_OK : fb_fail_memory(err);
}

FbStatus fb_pattern_full(int n_row, int n_col, FbArena* arena, FbPattern* out, FbError* err) {
    *out = (FbPattern){.n_row = n_row, .n_col = n_col};
    if (n_row > 0 && n_col > INT_MAX / n_row) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "a full matrix of %d x %d is too large", n_row,
                       n_col);
    }
    out->start = FB_TAKE(arena, int, n_col + 1);
    out->row = FB_TAKE(arena, int, n_row* n_col);
    if (!out->start || !out->row) {
        return fb_fail_memory(err);
    }
    for (int j = 0; j < n_col; j++) {
        out->start[j + 1] = out->start[j] + n_row;
        for (int i = 0; i < n_row; i++) {
            out->row[out->start[j] + i] = i;
        }
    }
    return FB_OK;
}

FbStatus fb_pattern_diagonal(int n, FbArena* arena, FbPattern* out, FbError* err) {
    *out = (FbPattern){.n_row = n, .n_col = n};
    out->start = FB_TAKE(arena, int, n + 1);
    out->row = FB_TAKE(arena, int, n + 1);
    if (!out->start || !out->row) {
        return fb_fail_memory(err);
    }
    for (int j = 0; j < n; j++) {
        out->start[j + 1] = j + 1;
        out->row[j] = j;
    }
    return FB_OK;
}

int fb_pattern_index(const FbPattern* p, int row, int col) {
    int low = p->start[col], high = p->start[col + 1];
    if (high - low == p->n_row) {
        return low + row;
    }
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->row[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < p->start[col + 1] && p->row[low] == row ? low : -1;
}

int fb_pattern_seek(const FbPattern* p, int row, int col, int from) {
    if (p->start[col + 1] - p->start[col] == p->n_row) {
        return p->start[col] + row;
    }
    while (p->row[from] < row) {
        from++;
    }
    return from;
}

void fb_pattern_multiply(const FbPattern* p, const double* values, double factor, const double* x,
                         double* y) {
    const int* restrict row = p->row;
    for (int j = 0; j < p->n_col; j++) {
        int begin = p->start[j], end = p->start[j + 1];
        double f = factor * x[j];
        if (end - begin == p->n_row) {
            const double* restrict a = values + begin;
            for (int i = 0; i < p->n_row; i++) {
                y[i] += f * a[i];
            }
            continue;
        }
        for (int k = begin; k < end; k++) {
            y[row[k]] += f * values[k];
        }
    }
}

void fb_pattern_multiply_transposed(const FbPattern* p, const double* values, double factor,
                                    const double* x, double* y) {
    for (int j = 0; j < p->n_col; j++) {
        double sum = 0.0;
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            sum += values[k] * x[p->row[k]];
        }
        y[j] += factor * sum;
    }
}
