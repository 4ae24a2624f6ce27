// Memory of the systems of a tree, and the choice of their kernel (see fronts.h).
#include "tree/fronts.h"

#include <stdlib.h>

#include "tree/fronts_parts.h"

static const FbTreeFrontKernel* kernel_of(const FbTreeFronts* f) {
    return f->is_complex ? &fb_link_front_complex : &fb_link_front_real;
}

FbStatus fb_tree_fronts_create(const FbTreePlan* plan, bool is_complex, FbTreeFronts** out,
                               FbError* err) {
    *out = NULL;
    FbArena* arena = fb_arena_create();
    FbTreeFronts* f = arena ? FB_TAKE(arena, FbTreeFronts, 1) : NULL;
    if (!f) {
        fb_arena_destroy(arena);
        return fb_fail_memory(err);
    }
    size_t parts = is_complex ? 2 : 1, n_link = (size_t)plan->tree->n_link + 1;
    size_t n_rest = (size_t)plan->ground.n_col;
    *f = (FbTreeFronts){.arena = arena, .plan = plan, .is_complex = is_complex};
    f->values = FB_TAKE(arena, double, parts*(size_t)(fb_pattern_count(plan->pattern) + 1));
    f->matrix = FB_TAKE(arena, double, parts*(size_t)(plan->n_matrix + 1));
    f->factors = FB_TAKE(arena, double, parts*(size_t)(plan->n_factors + 1));
    f->columns = FB_TAKE(arena, double, parts* FB_MOTION_SIZE*(size_t)(plan->tree->n_v + 1));
    f->motion = FB_TAKE(arena, double, parts* FB_MOTION_SIZE* n_link);
    f->force = FB_TAKE(arena, double, parts* FB_FORCE_SIZE* n_link);
    f->rest = FB_TAKE(arena, double, parts*(n_rest + 1));
    FbStatus status = fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
    if (status == FB_OK && n_rest > 0) {
        status = fb_linear_create(&plan->ground, FB_LINEAR_DENSE, is_complex, &f->ground, err);
    }
    if (status != FB_OK) {
        fb_tree_fronts_destroy(f);
        return status;
    }
    *out = f;
    return FB_OK;
}

void fb_tree_fronts_destroy(FbTreeFronts* f) {
    if (f) {
        if (f->ground) {
            fb_linear_destroy(f->ground);
        }
        fb_arena_destroy(f->arena);
    }
}

double* fb_tree_fronts_values(FbTreeFronts* f) {
    return f->values;
}

FbStatus fb_tree_fronts_factor(FbTreeFronts* f, const FbVariation* x, double complex s,
                               double complex (*E)[3][3]) {
    return kernel_of(f)->factor(f, x, s, E);
}

void fb_tree_fronts_solve(FbTreeFronts* f, const FbVariation* x, double* b) {
    kernel_of(f)->solve(f, x, b);
}
