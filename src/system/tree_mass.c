// The mass matrix of a deep tree (see tree_mass.h).
#include "system/tree_mass.h"

#include <string.h>

struct FbTreeMass {
    FbArena* arena;
    const FbPattern* pattern;
    FbVariation tree;
    FbTreePlan* plan;
    FbTreeFronts* fronts;
    double complex (*charts)[3][3];  // zero: positions do not vary
};

FbStatus fb_tree_mass_create(const FbTree* tree, const FbPattern* pattern, FbTreeMass** out,
                             FbError* err) {
    *out = NULL;
    FbArena* arena = fb_arena_create();
    FbTreeMass* m = arena ? FB_TAKE(arena, FbTreeMass, 1) : NULL;
    if (!m) {
        fb_arena_destroy(arena);
        return fb_fail_memory(err);
    }
    m->arena = arena;
    m->pattern = pattern;
    m->charts = fb_arena_take(arena, sizeof *m->charts * (size_t)(tree->n_ball + 1));
    fb_variation_init(tree, arena, &m->tree);
    FbStatus status = fb_arena_has_failed(arena)
                          ? fb_fail_memory(err)
                          : fb_tree_plan_create(tree, pattern, 0, &m->plan, err);
    if (status == FB_OK) {
        status = fb_tree_fronts_create(m->plan, false, &m->fronts, err);
    }
    if (status != FB_OK) {
        fb_tree_mass_destroy(m);
        return status;
    }
    *out = m;
    return FB_OK;
}

void fb_tree_mass_destroy(FbTreeMass* m) {
    if (m) {
        fb_tree_fronts_destroy(m->fronts);
        fb_tree_plan_destroy(m->plan);
        fb_arena_destroy(m->arena);
    }
}

void fb_tree_mass_set(FbTreeMass* m, FbKinematics* k) {
    size_t n = (size_t)fb_pattern_count(m->pattern);
    fb_tree_realize_composites(m->tree.tree, k);
    fb_variation_set_masses(&m->tree, k);
    memset(fb_tree_fronts_values(m->fronts), 0, sizeof(double) * n);
}

double fb_tree_mass_get_diagonal(const FbTreeMass* m, int j) {
    return m->tree.columns[j].inertia;
}

double* fb_tree_mass_values(FbTreeMass* m) {
    return fb_tree_fronts_values(m->fronts);
}

FbStatus fb_tree_mass_factor(FbTreeMass* m) {
    return fb_tree_fronts_factor(m->fronts, &m->tree, 1.0, m->charts);
}

void fb_tree_mass_solve(FbTreeMass* m, double* b) {
    fb_tree_fronts_solve(m->fronts, &m->tree, b);
}

void fb_tree_mass_add_product(const FbTreeMass* m, double factor, const double* x, double* y) {
    fb_variation_add_product(&m->tree, factor, NULL, NULL, x, 1, y);
}
