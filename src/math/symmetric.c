// Multifrontal LDL' of a sparse symmetric matrix: memory, and solves with the columns that the
// fronts have left.
//
// Duff, Reid (as in front.c); Liu: The multifrontal method for sparse matrix solution: theory and
// practice. SIAM Review 34 (1992) 82-109.
#include "math/symmetric.h"

#include <stdlib.h>
#include <string.h>

#include "math/front.h"
#include "math/symmetric_data.h"

static FbStatus take(FbSymmetric* s, FbError* err) {
    const FbSymbolic* y = &s->symbolic;
    size_t n = (size_t)y->n, fronts = (size_t)y->n_front;
    s->values = FB_TAKE(s->arena, double, fb_pattern_count(s->pattern) + 1);
    s->scale = FB_TAKE(s->arena, double, n + 1);
    s->limit = FB_TAKE(s->arena, double, n + 1);
    s->local = FB_TAKE(s->arena, int, n + 1);
    s->x = FB_TAKE(s->arena, double, n + 1);
    s->part = FB_TAKE(s->arena, double, n + 1);
    s->blocks = FB_TAKE(s->arena, FbSymmetricBlock, fronts + 1);
    s->stack_rows = FB_TAKE(s->arena, int, fronts + 1);
    s->stack_waiting = FB_TAKE(s->arena, int, fronts + 1);
    s->child = FB_TAKE(s->arena, int, 2 * fronts + 1);
    size_t rows = n + (size_t)y->row_start[y->n_front];
    bool is_there = !fb_arena_has_failed(s->arena) &&
                    fb_pool_reserve(&s->factor, y->n_entries + 1) &&
                    fb_pool_reserve(&s->off, n + 1) && fb_index_pool_reserve(&s->index, rows + 1);
    if (!is_there) {
        return fb_fail_memory(err);
    }
    memset(s->values, 0, sizeof(double) * (size_t)fb_pattern_count(s->pattern));
    return FB_OK;
}

static void release(FbSharedSymbolic* y) {
    if (y && --y->uses == 0) {
        fb_arena_destroy(y->arena);
        free(y);
    }
}

static FbSharedSymbolic* analyse(const FbPattern* pattern, FbError* err) {
    FbSharedSymbolic* y = calloc(1, sizeof *y);
    if (!y || !(y->arena = fb_arena_create())) {
        free(y);
        fb_fail_memory(err);
        return NULL;
    }
    y->uses = 1;
    if (fb_symbolic_init(&y->symbolic, pattern, y->arena, err) != FB_OK) {
        release(y);
        return NULL;
    }
    return y;
}

static bool is_same_pattern(const FbPattern* a, const FbPattern* b) {
    size_t n = (size_t)a->n_col;
    return a->n_row == b->n_row && a->n_col == b->n_col &&
           memcmp(a->start, b->start, sizeof(int) * (n + 1)) == 0 &&
           memcmp(a->row, b->row, sizeof(int) * (size_t)a->start[n]) == 0;
}

FbStatus fb_symmetric_create(const FbPattern* pattern, FbSymmetric** out, FbError* err) {
    return fb_symmetric_create_like(pattern, NULL, out, err);
}

FbStatus fb_symmetric_create_like(const FbPattern* pattern, FbSymmetric* other, FbSymmetric** out,
                                  FbError* err) {
    *out = NULL;
    if (pattern->n_row != pattern->n_col) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "a symmetric system of %d x %d is not square",
                       pattern->n_row, pattern->n_col);
    }
    FbSymmetric* s = calloc(1, sizeof *s);
    if (!s) {
        return fb_fail_memory(err);
    }
    s->pattern = pattern;
    s->arena = fb_arena_create();
    if (other && is_same_pattern(pattern, other->pattern)) {
        s->shared = other->shared;
        s->shared->uses++;
    } else {
        s->shared = analyse(pattern, err);
    }
    FbStatus status = s->shared ? FB_OK : FB_ERR_MEMORY;
    if (s->shared) {
        s->symbolic = s->shared->symbolic;
        status = s->arena ? take(s, err) : fb_fail_memory(err);
    }
    if (status != FB_OK) {
        fb_symmetric_destroy(s);
        return status;
    }
    *out = s;
    return FB_OK;
}

void fb_symmetric_destroy(FbSymmetric* s) {
    if (s) {
        FbPool* pools[] = {&s->factor, &s->off, &s->stack, &s->front, &s->work};
        for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
            free(pools[i]->values);
        }
        free(s->index.values);
        free(s->stack_index.values);
        free(s->front_index.values);
        fb_arena_destroy(s->arena);
        release(s->shared);
        free(s);
    }
}

double* fb_symmetric_values(FbSymmetric* s) {
    return s->values;
}

FbSigns fb_symmetric_get_signs(const FbSymmetric* s) {
    return s->signs;
}

int fb_symmetric_get_zero(const FbSymmetric* s) {
    return s->zero;
}

static void gather(FbSymmetric* s, const int* index, int n) {
    for (int i = 0; i < n; i++) {
        s->part[i] = s->x[index[i]];
    }
}

static void scatter(FbSymmetric* s, const int* index, int n) {
    for (int i = 0; i < n; i++) {
        s->x[index[i]] = s->part[i];
    }
}

static void forward(FbSymmetric* s, const FbSymmetricBlock* b) {
    const int* index = s->index.values + b->index;
    const double* l = s->factor.values + b->values;
    if (b->n_done <= FB_FRONT_FEW) {
        fb_front_forward_indexed(b->m, b->n_done, l, index, s->x);
        return;
    }
    gather(s, index, b->m);
    fb_front_solve_forward(b->m, b->n_done, l, s->part);
    scatter(s, index, b->m);
}

// x = D^-1 x of the eliminated rows.
static void divide(FbSymmetric* s, const FbSymmetricBlock* b) {
    const int* index = s->index.values + b->index;
    const double* l = s->factor.values + b->values;
    const double* off = s->off.values + b->off;
    size_t step = (size_t)b->m + 1;
    double* x = s->x;
    for (int j = 0; j < b->n_done; j++) {
        double d = l[(size_t)j * step];
        if (off[j] == 0.0) {
            x[index[j]] /= d;
        } else {
            double e = l[(size_t)(j + 1) * step], c = off[j], det = d * e - c * c;
            double x0 = x[index[j]], x1 = x[index[j + 1]];
            x[index[j]] = (e * x0 - c * x1) / det;
            x[index[++j]] = (d * x1 - c * x0) / det;
        }
    }
}

static void backward(FbSymmetric* s, const FbSymmetricBlock* b) {
    const int* index = s->index.values + b->index;
    const double* l = s->factor.values + b->values;
    divide(s, b);
    if (b->n_done <= FB_FRONT_FEW) {
        fb_front_backward_indexed(b->m, b->n_done, l, index, s->x);
        return;
    }
    gather(s, index, b->m);
    fb_front_solve_backward(b->m, b->n_done, l, s->part);
    scatter(s, index, b->n_done);
}

void fb_symmetric_solve(FbSymmetric* s, double* b) {
    const FbSymbolic* y = &s->symbolic;
    for (int i = 0; i < y->n; i++) {
        s->x[i] = b[y->order[i]] * s->scale[y->order[i]];
    }
    for (int f = 0; f < y->n_front; f++) {
        forward(s, &s->blocks[f]);
    }
    for (int f = y->n_front - 1; f >= 0; f--) {
        backward(s, &s->blocks[f]);
    }
    for (int i = 0; i < y->n; i++) {
        b[y->order[i]] = s->x[i] * s->scale[y->order[i]];
    }
}
