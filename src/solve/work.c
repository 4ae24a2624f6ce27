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

// Structures and deep trees. Measured on models of up to 450 coordinates
// (docs/decisions/integrators.md): k entries in a column of the Jacobian blocks make factorizations
// cost about k^2 and all else about k more. Stages have a part in the residuals.
static FbWorkUnits usual_units(FbDynamics* d, const FbPoint* p) {
    static const double MATRICES = 3.0;  // of a method of order 9
    bool has_loops = d->size.n_c > 0;
    double k = column_count(d, p);
    return (FbWorkUnits){
        .residual = (has_loops ? 0.45 : 0.7) + 0.008 * k,
        .jacobian = (has_loops ? 4.0 : 2.0) + 0.08 * k,
        .matrix = (1.0 + 0.005 * k * k) / MATRICES,
        .step = has_loops ? 1.5 : 0.0,
    };
}

// The methods' own operations, eq. (5.66): n unknowns, nearly all of which touch each other in
// small mechanisms.
static FbWorkUnits counted_units(const FbDynamics* d, const FbCosts* c) {
    double n = d->size.n_v + d->size.n_x + d->size.n_c, balls = d->n_ball;
    double rates = c->rates + 100.0 + 300.0 * (d->size.n_v + d->size.n_x);
    return (FbWorkUnits){
        .residual = (c->residual + 100.0 + 270.0 * n + 6.0 * n * n + 600.0 * balls) / rates,
        .jacobian = c->jacobian / rates,
        .matrix = (400.0 + n * (150.0 + n * (60.0 + 2.0 * n))) / rates,
        .stage = (c->power + 1400.0 + 700.0 * n + 4400.0 * balls) / rates,
        .step = d->size.n_c > 0 ? 1.5 : 0.0,
    };
}

FbWorkUnits fb_work_units(FbDynamics* d, const FbPoint* p) {
    FbCosts costs;
    bool is_known = d->ops->costs && d->ops->costs(d, &costs);
    return is_known ? counted_units(d, &costs) : usual_units(d, p);
}

double fb_work_count(const FbWorkUnits* u, bool has_residuals, const FbIntegratorStats* c) {
    double residual = has_residuals ? u->residual : 1.0;
    double evaluations =
        residual * (double)c->rhs_evals + (1.0 - residual) * (double)c->solved_evals;
    long matrices = c->matrices > 0 ? c->matrices : c->factorizations;
    return evaluations + u->jacobian * (double)c->jacobian_evals + u->matrix * (double)matrices +
           u->stage * (double)c->stages + u->step * (double)c->steps;
}

double fb_work_explicit_step(const FbWorkUnits* u) {
    return 13.0 + u->step;
}

// One of five stages with two iterations; half of the steps have a new Jacobian.
double fb_work_implicit_step(const FbWorkUnits* u) {
    return 0.5 * u->jacobian + 3.0 * u->matrix + 10.0 * u->residual + 5.0 * u->stage + u->step;
}
