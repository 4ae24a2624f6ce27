// Shared by tests of whole models: compiling, scattering states, finite differences of the
// contract.
#include "model_support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double* numbers(int n) {
    double* x = calloc((size_t)n + 1, sizeof(double));
    assert_non_null(x);
    return x;
}

FbPoint test_point_create(const FbSystem* s) {
    FbSizes n = fb_system_get_max_sizes(s);
    return (FbPoint){.q = numbers(n.n_q),
                     .v = numbers(n.n_v),
                     .a = numbers(n.n_v),
                     .x = numbers(n.n_x),
                     .lambda = numbers(n.n_c),
                     .w = numbers(n.n_w)};
}

void test_point_free(FbPoint* p) {
    free(p->q);
    free(p->v);
    free(p->a);
    free(p->x);
    free(p->lambda);
    free(p->w);
}

void test_system_init(TestSystem* t, FbModel* model) {
    FbError err = {0};
    t->model = model;
    assert_int_equal(fb_system_create(model, &t->system, &err), FB_OK);
    t->d = fb_system_get_dynamics(t->system);
    t->p = test_point_create(t->system);
    FbStatus status = fb_system_assemble(t->system, 0.0, &t->p, &t->assembly, &err);
    if (status != FB_OK) {
        print_message("%s\n", err.text);
    }
    assert_int_equal(status, FB_OK);
}

void test_system_free(TestSystem* t) {
    test_point_free(&t->p);
    fb_system_destroy(t->system);
    fb_model_destroy(t->model);
}

double test_random(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

void test_system_scatter(TestSystem* t, unsigned* seed, double size) {
    FbSizes n = t->d->size;
    double* xi = numbers(n.n_v);
    double* q = numbers(n.n_q);
    for (int j = 0; j < n.n_v; j++) {
        xi[j] = size * test_random(seed);
        t->p.v[j] = test_random(seed);
        t->p.a[j] = test_random(seed);
    }
    t->d->ops->plus(t->d, t->p.q, xi, q);
    memcpy(t->p.q, q, sizeof(double) * (size_t)n.n_q);
    for (int i = 0; i < n.n_x; i++) {
        t->p.x[i] = test_random(seed);
    }
    for (int i = 0; i < n.n_c; i++) {
        t->p.lambda[i] = test_random(seed);
    }
    t->p.t = 0.3;
    free(xi);
    free(q);
}

typedef struct Values {
    double *r, *c, *g;
} Values;

static void evaluate(TestSystem* t, const FbPoint* p, Values* out) {
    assert_int_equal(t->d->ops->residual(t->d, p, out->r, out->c, out->g), FB_OK);
}

typedef enum Kind { BY_Q, BY_V, BY_A, BY_X, BY_LAMBDA } Kind;

static void evaluate_moved(TestSystem* t, Kind kind, int j, double h, double* xi, double* q,
                           Values* out) {
    FbPoint p = t->p;
    double* entry = kind == BY_V        ? &p.v[j]
                    : kind == BY_A      ? &p.a[j]
                    : kind == BY_X      ? &p.x[j]
                    : kind == BY_LAMBDA ? &p.lambda[j]
                                        : NULL;
    if (kind == BY_Q) {
        xi[j] = h;
        t->d->ops->plus(t->d, t->p.q, xi, q);
        xi[j] = 0.0;
        p.q = q;
        evaluate(t, &p, out);
        return;
    }
    double kept = *entry;
    *entry = kept + h;
    evaluate(t, &p, out);
    *entry = kept;
}

// Fourth-order central differences of all values.
static void difference(TestSystem* t, Kind kind, int j, double* xi, double* q, Values v[4],
                       Values* out) {
    const double h = 1e-3;
    FbSizes n = t->d->size;
    evaluate_moved(t, kind, j, h, xi, q, &v[0]);
    evaluate_moved(t, kind, j, -h, xi, q, &v[1]);
    evaluate_moved(t, kind, j, 2 * h, xi, q, &v[2]);
    evaluate_moved(t, kind, j, -2 * h, xi, q, &v[3]);
    for (int i = 0; i < n.n_v; i++) {
        out->r[i] = (8 * (v[0].r[i] - v[1].r[i]) - (v[2].r[i] - v[3].r[i])) / (12 * h);
    }
    for (int i = 0; i < n.n_x; i++) {
        out->c[i] = (8 * (v[0].c[i] - v[1].c[i]) - (v[2].c[i] - v[3].c[i])) / (12 * h);
    }
    for (int i = 0; i < n.n_c; i++) {
        out->g[i] = (8 * (v[0].g[i] - v[1].g[i]) - (v[2].g[i] - v[3].g[i])) / (12 * h);
    }
}

static double entry_of(const FbPattern* pattern, const double* values, int i, int j) {
    int at = fb_pattern_index(pattern, i, j);
    return at >= 0 ? values[at] : 0.0;
}

typedef struct Worst {
    double error, size;
    const char* block;
    int i, j;
} Worst;

static void compare(Worst* w, const char* block, int i, int j, double analytic, double numeric) {
    double error = fabs(analytic - numeric);
    w->size = fmax(w->size, fabs(numeric));
    if (!(error <= w->error)) {
        *w = (Worst){error, w->size, block, i, j};
    }
}

double test_compare_blocks(TestSystem* t, const char* name) {
    FbSizes n = t->d->size;
    FbBlocks b;
    FbError err;
    assert_int_equal(t->d->ops->jacobian(t->d, &t->p, &b, &err), FB_OK);
    double* xi = numbers(n.n_v);
    double* q = numbers(n.n_q);
    Values v[5];
    for (int k = 0; k < 5; k++) {
        v[k] = (Values){numbers(n.n_v), numbers(n.n_x), numbers(n.n_c)};
    }
    Worst w = {0.0, 1.0, "none", 0, 0};
    for (int kind = BY_Q; kind <= BY_LAMBDA; kind++) {
        int count = kind == BY_X ? n.n_x : kind == BY_LAMBDA ? n.n_c : n.n_v;
        for (int j = 0; j < count; j++) {
            difference(t, (Kind)kind, j, xi, q, v, &v[4]);
            for (int i = 0; i < n.n_v; i++) {
                double a = kind == BY_Q   ? entry_of(b.vv, b.K, i, j)
                           : kind == BY_V ? entry_of(b.vv, b.C, i, j)
                           : kind == BY_A ? entry_of(b.vv, b.M, i, j)
                           : kind == BY_X ? b.Rx[j * n.n_v + i]
                                          : entry_of(b.cv, b.G, j, i);
                compare(&w, (const char*[]){"K", "C", "M", "Rx", "G'"}[kind], i, j, a, v[4].r[i]);
            }
            for (int i = 0; i < n.n_c && kind <= BY_V; i++) {
                compare(&w, kind == BY_Q ? "Gq" : "G", i, j,
                        entry_of(b.cv, kind == BY_Q ? b.Gq : b.G, i, j), v[4].g[i]);
            }
            for (int i = 0; i < n.n_x && kind != BY_A && kind != BY_LAMBDA; i++) {
                double a = kind == BY_X ? b.Xx[j * n.n_x + i]
                                        : (kind == BY_Q ? b.Xq : b.Xv)[j * n.n_x + i];
                compare(&w, kind == BY_Q ? "Xq" : kind == BY_V ? "Xv" : "Xx", i, j, a, v[4].c[i]);
            }
        }
    }
    for (int k = 0; k < 5; k++) {
        free(v[k].r);
        free(v[k].c);
        free(v[k].g);
    }
    free(xi);
    free(q);
    if (w.error > 1e-8 * w.size) {
        print_message("%s: largest deviation %.3g (of size %.3g) in %s[%d][%d]\n", name, w.error,
                      w.size, w.block, w.i, w.j);
    }
    return w.error / w.size;
}

void test_check_blocks(FbModel* model, const char* name, double size) {
    const double tolerance = 1e-8;  // of the block's size: fourth-order differences with h = 1e-3
    unsigned seed = 11;
    TestSystem t;
    test_system_init(&t, model);
    for (int round = 0; round < 3; round++) {
        test_system_scatter(&t, &seed, size);
        fb_system_begin(t.system, &t.p);  // no differences across borders of a guide's elements
        assert_true(test_compare_blocks(&t, name) < tolerance);
    }
    test_system_free(&t);
}
