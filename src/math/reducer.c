// What all shared reductions have in common: the division of the rows, how many modes there are,
// room for the result.
#include "math/reducer.h"

#include <stdint.h>

void fb_reducer_divide(const FbReducer* reducer, int n, int* first, int* count) {
    int64_t begin = (int64_t)n * reducer->rank / reducer->n_ranks;
    int64_t end = (int64_t)n * (reducer->rank + 1) / reducer->n_ranks;
    *first = (int)begin;
    *count = (int)(end - begin);
}

static bool is_boundary(const int* boundary, int n, int row) {
    for (int b = 0; b < n; b++) {
        if (boundary[b] == row) {
            return true;
        }
    }
    return false;
}

// Own rows with mass that are not of the boundary: there are no more modes than these of all ranks.
static int count_massive(const FbOwnRows* own, const int* boundary, int n_boundary) {
    const FbPattern* p = &own->mass.pattern;
    int count = 0;
    for (int j = 0; j < own->count; j++) {
        bool is_massive = false;
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            is_massive |= p->row[e] == own->first + j && own->mass.values[e] > 0.0;
        }
        count += is_massive && !is_boundary(boundary, n_boundary, own->first + j);
    }
    return count;
}

static FbStatus take_result(const FbOwnRows* own, FbArena* arena, FbReduced* out, FbError* err) {
    size_t n = (size_t)out->n, n_forces = (size_t)(own->n_loads - own->n_recovered);
    out->mass = FB_TAKE(arena, double, n* n + 1);
    out->stiffness = FB_TAKE(arena, double, n* n + 1);
    out->damping = own->damping.values ? FB_TAKE(arena, double, n* n + 1) : NULL;
    out->loads = FB_TAKE(arena, double, n*(size_t)own->n_loads + 1);
    out->squares = FB_TAKE(arena, double, out->n_modes + 1);
    out->left_out = FB_TAKE(arena, double, n_forces + 1);
    out->residual = FB_TAKE(arena, double, n_forces*(size_t)own->n_recovered + 1);
    return fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
}

FbStatus fb_reduce_shared(const FbReducer* reducer, const FbOwnRows* own, const int* boundary,
                          int n_boundary, int n_modes, FbArena* arena, FbReduced* out,
                          FbError* err) {
    *out = (FbReduced){.n_boundary = n_boundary};
    int massive = count_massive(own, boundary, n_boundary), unused = 0;
    FB_TRY(reducer->agree(reducer->self, FB_OK, &massive, err));
    out->n_modes = n_modes < 0 || n_modes > massive ? massive : n_modes;
    out->n = n_boundary + out->n_modes;
    FbStatus status = take_result(own, arena, out, err);
    FB_TRY(reducer->agree(reducer->self, status, &unused, err));
    return reducer->reduce(reducer->self, own, boundary, out, err);
}
