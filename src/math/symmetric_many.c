// Solves of a factored symmetric matrix with many right-hand sides, some at a time.
#include <stdlib.h>
#include <string.h>

#include "math/front.h"
#include "math/symmetric_data.h"

enum { MANY = FB_FRONT_MANY };

// Right-hand sides side by side: x by number of elimination, part by row of a front.
typedef struct Many {
    FbSymmetric* s;
    const FbFrontMany* kernel;
    double *x, *part;  // [n x MANY]
} Many;

static void gather(const Many* a, const int* index, int n) {
    for (int i = 0; i < n; i++) {
        memcpy(a->part + (size_t)i * MANY, a->x + (size_t)index[i] * MANY, sizeof(double) * MANY);
    }
}

static void scatter(const Many* a, const int* index, int n) {
    for (int i = 0; i < n; i++) {
        memcpy(a->x + (size_t)index[i] * MANY, a->part + (size_t)i * MANY, sizeof(double) * MANY);
    }
}

static void forward(const Many* a, const FbSymmetricBlock* b) {
    const int* index = a->s->index.values + b->index;
    gather(a, index, b->m);
    a->kernel->forward(b->m, b->n_done, a->s->factor.values + b->values, a->part);
    scatter(a, index, b->m);
}

// part = D^-1 part of the eliminated rows.
static void divide(const Many* a, const FbSymmetricBlock* b) {
    const double* l = a->s->factor.values + b->values;
    const double* off = a->s->off.values + b->off;
    size_t step = (size_t)b->m + 1;
    for (int j = 0; j < b->n_done; j++) {
        double d = l[(size_t)j * step], *x = a->part + (size_t)j * MANY;
        bool is_pair = off[j] != 0.0;
        double e = is_pair ? l[(size_t)(j + 1) * step] : 1.0, c = off[j], det = d * e - c * c;
        for (int k = 0; k < MANY; k++) {
            if (!is_pair) {
                x[k] /= d;
            } else {
                double x0 = x[k], x1 = x[MANY + k];
                x[k] = (e * x0 - c * x1) / det;
                x[MANY + k] = (d * x1 - c * x0) / det;
            }
        }
        j += is_pair;
    }
}

static void backward(const Many* a, const FbSymmetricBlock* b) {
    const int* index = a->s->index.values + b->index;
    gather(a, index, b->m);
    divide(a, b);
    a->kernel->backward(b->m, b->n_done, a->s->factor.values + b->values, a->part);
    scatter(a, index, b->n_done);
}

static void solve(const Many* a, int count, double* b) {
    const FbSymbolic* y = &a->s->symbolic;
    size_t n = (size_t)y->n;
    for (size_t i = 0; i < n; i++) {
        double scale = a->s->scale[y->order[i]];
        for (int k = 0; k < MANY; k++) {
            a->x[i * MANY + (size_t)k] =
                k < count ? b[(size_t)k * n + (size_t)y->order[i]] * scale : 0.0;
        }
    }
    for (int f = 0; f < y->n_front; f++) {
        forward(a, &a->s->blocks[f]);
    }
    for (int f = y->n_front - 1; f >= 0; f--) {
        backward(a, &a->s->blocks[f]);
    }
    for (size_t i = 0; i < n; i++) {
        double scale = a->s->scale[y->order[i]];
        for (int k = 0; k < count; k++) {
            b[(size_t)k * n + (size_t)y->order[i]] = a->x[i * MANY + (size_t)k] * scale;
        }
    }
}

FbStatus fb_symmetric_solve_many(FbSymmetric* s, int count, double* b) {
    size_t n = (size_t)s->symbolic.n;
    if (count == 1) {
        fb_symmetric_solve(s, b);
        return FB_OK;
    }
    Many a = {
        .s = s, .kernel = fb_front_many_get(), .x = malloc(sizeof(double) * MANY * 2 * (n + 1))};
    if (!a.x) {
        return FB_ERR_MEMORY;
    }
    a.part = a.x + MANY * (n + 1);
    for (int first = 0; first < count; first += MANY) {
        int left = count - first;
        solve(&a, left < MANY ? left : MANY, b + (size_t)first * n);
    }
    free(a.x);
    return FB_OK;
}

void fb_symmetric_trim(FbSymmetric* s) {
    FbPool* pools[] = {&s->stack, &s->front, &s->work};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        free(pools[i]->values);
        *pools[i] = (FbPool){0};
    }
}
