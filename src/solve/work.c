// The work of integrators, counted in evaluations of forward dynamics (theory manual,
// section 5.10).
#include "solve/work.h"

// What a system eliminated along a deep tree costs, as entries in a column (a chain of 1000 hinges:
// 8.9 accelerations for the factors of a step).
static const double DEEP_COUNT = 40.0;

// Entries in a column of M, C and K, on average.
static double column_count(FbDynamics* d, const FbPoint* p) {
    if (d->is_deep) {
        return DEEP_COUNT;
    }
    FbBlocks blocks;
    FbError err;
    if (d->size.n_v == 0 || d->ops->jacobian(d, p, &blocks, &err) != FB_OK) {
        return d->size.n_v;
    }
    return (double)fb_pattern_count(blocks.vv) / d->size.n_v;
}

// Measured on models of 1 to 450 coordinates: trees, loops and structures
// (docs/decisions/integrators.md). k entries in a column of the Jacobian blocks make factorizations
// cost about k^2 and all else about k more.
FbWorkUnits fb_work_units(FbDynamics* d, const FbPoint* p) {
    bool has_loops = d->size.n_c > 0;
    double k = column_count(d, p);
    return (FbWorkUnits){
        .residual = (has_loops ? 0.45 : 0.7) + 0.008 * k,
        .jacobian = (has_loops ? 4.0 : 2.0) + 0.08 * k,
        .factors = 1.0 + 0.005 * k * k,
        .step = has_loops ? 1.5 : 0.0,
    };
}

double fb_work_count(const FbWorkUnits* u, bool has_residuals, const FbIntegratorStats* c) {
    double residual = has_residuals ? u->residual : 1.0;
    double evaluations =
        residual * (double)c->rhs_evals + (1.0 - residual) * (double)c->solved_evals;
    return evaluations + u->jacobian * (double)c->jacobian_evals +
           u->factors * (double)c->factorizations + u->step * (double)c->steps;
}
