// Points of a trajectory: taking and copying their arrays.
#include "solve/point.h"

#include <math.h>
#include <string.h>

void fb_point_take(FbArena* arena, const FbSizes* n, FbPoint* p) {
    p->q = FB_TAKE(arena, double, n->n_q + 1);
    p->v = FB_TAKE(arena, double, n->n_v + 1);
    p->a = FB_TAKE(arena, double, n->n_v + 1);
    p->x = FB_TAKE(arena, double, n->n_x + 1);
    p->lambda = FB_TAKE(arena, double, n->n_c + 1);
    p->w = FB_TAKE(arena, double, n->n_w + 1);
}

void fb_array_copy(double* to, const double* from, int n) {
    if (n > 0) {
        memcpy(to, from, sizeof(double) * (size_t)n);
    }
}

void fb_point_copy(const FbSizes* n, const FbPoint* from, FbPoint* to) {
    to->t = from->t;
    fb_array_copy(to->q, from->q, n->n_q);
    fb_array_copy(to->v, from->v, n->n_v);
    fb_array_copy(to->a, from->a, n->n_v);
    fb_array_copy(to->x, from->x, n->n_x);
    fb_array_copy(to->lambda, from->lambda, n->n_c);
    fb_array_copy(to->w, from->w, n->n_w);
}

static int first_bad(int n, const double* values) {
    for (int i = 0; i < n; i++) {
        if (!isfinite(values[i])) {
            return i;
        }
    }
    return -1;
}

bool fb_point_is_finite(const FbSizes* n, const FbPoint* p, int* velocity) {
    int bad_v = first_bad(n->n_v, p->v), bad_a = first_bad(n->n_v, p->a);
    *velocity = bad_v >= 0 ? bad_v : bad_a;
    return *velocity < 0 && isfinite(p->t) && first_bad(n->n_q, p->q) < 0 &&
           first_bad(n->n_x, p->x) < 0 && first_bad(n->n_c, p->lambda) < 0;
}

bool fb_sizes_match(const FbSizes* a, const FbSizes* b) {
    return a->n_q == b->n_q && a->n_v == b->n_v && a->n_x == b->n_x && a->n_w == b->n_w &&
           a->n_c == b->n_c;
}

void fb_point_remember(const FbSizes* n, FbPoint* p, FbMemory* m) {
    FB_REMEMBER(m, p->t);
    fb_memory_doubles(m, p->q, n->n_q);
    fb_memory_doubles(m, p->v, n->n_v);
    fb_memory_doubles(m, p->a, n->n_v);
    fb_memory_doubles(m, p->x, n->n_x);
    fb_memory_doubles(m, p->lambda, n->n_c);
    fb_memory_doubles(m, p->w, n->n_w);
}
