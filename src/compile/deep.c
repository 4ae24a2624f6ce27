// Deep trees: where M, C and K of the tree are so full that the systems of implicit methods are
// better eliminated along the tree (theory manual, section 2.8).
#include "compile/part_build.h"
#include "tree/fronts.h"

// Below this many velocities dense elimination is faster whatever the tree.
enum { LEAST_DEEP = 24 };
// Forces that couple more entries than this of a velocity, on average, make the fronts large.
enum { MOST_COUPLED = 64 };
// A multiplication of the elimination along the tree takes as long as this many of a dense one.
static const double COST_OF_FRONTS = 1.0;

// Multiplications of an elimination of M, C and K from the leaves: each velocity has all ancestors
// in its row.
static double count_full_work(const FbTree* tree) {
    double work = 0.0;
    for (int j = 0; j < tree->n_v; j++) {
        double n = 0.0;
        for (int i = tree->link_of_v[j]; i >= 0; i = tree->links[i].parent) {
            n += tree->links[i].n_v;
        }
        work += n * n;
    }
    return work;
}

static FbStatus build_own_pattern(FbBuilder* b, FbError* err) {
    FbModel* m = b->m;
    FbPatternBuilder* p = fb_pattern_builder_create(m->tree.n_v, m->tree.n_v);
    if (!p) {
        return fb_fail_memory(err);
    }
    for (int j = 0; j < m->tree.n_v; j++) {
        fb_pattern_builder_add(p, j, j);
    }
    fb_build_forces.add_pattern(b, p);
    FbStatus status = fb_pattern_builder_finish(p, m->arena, &m->own, err);
    fb_pattern_builder_destroy(p);
    return status;
}

FbStatus fb_compile_deep(FbBuilder* b, FbError* err) {
    FbModel* m = b->m;
    if (m->n_rows > 0 || m->has_structures) {
        return FB_OK;
    }
    FB_TRY(build_own_pattern(b, err));
    if (m->tree.n_v < LEAST_DEEP || fb_pattern_count(&m->own) > MOST_COUPLED * m->tree.n_v) {
        return FB_OK;
    }
    FbTreePlan* plan;
    FB_TRY(fb_tree_plan_create(&m->tree, &m->own, 0, &plan, err));
    m->is_deep = COST_OF_FRONTS * fb_tree_plan_count_work(plan) < count_full_work(&m->tree);
    fb_tree_plan_destroy(plan);
    return FB_OK;
}
