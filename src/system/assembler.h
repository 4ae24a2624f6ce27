// The equations of an assembly: all constraint rows and set values, linearized, and the smallest
// change that satisfies them.
#ifndef FLYBALL_SYSTEM_ASSEMBLER_H
#define FLYBALL_SYSTEM_ASSEMBLER_H

#include "system/part.h"
#include "system/tree_mass.h"

typedef struct FbAssembler {
    FbSystem* s;
    double t;
    FbArena* arena;
    int n_v, n_row, n_cond;  // rows of the model, conditions in use
    const FbCondition** condition;
    double* target;        // [n_cond]
    double* all_targets;   // [conditions of the model]
    FbPattern pattern, a;  // a: [n_row + n_cond x n_v]
    FbLinear* solver;
    // Velocities of deep trees: instead of the solver, with values as of unit_v = 1.
    FbTreeMass* mass;
    const FbPattern* w;  // pattern of the metric
    double* values;      // of a
    int *of_a, *of_at, *of_w, *of_diagonal;
    double *x, *c;
    double* total;  // [n_v + n_row + n_cond] sum of the steps so far, scaled; velocities only
    double *unit_v, *unit;  // [n_v] and [n_row + n_cond]: what a scaled unknown or equation of 1 is
    double* dense;          // [n_v]
    double most;            // a step may be so long, in units of unit_v, if that is more than usual
    bool is_velocity;
} FbAssembler;

FbStatus fb_assembler_init(FbAssembler* as, FbSystem* s, double t, bool is_velocity, FbError* err);
void fb_assembler_free(FbAssembler* as);
// Three of these hold the orientation of a ball joint: its turn from the one that was set.
static inline bool fb_condition_is_ball(const FbSignal* signal) {
    return signal->n_terms == 0 && signal->kind == FB_SIGNAL_VALUE;
}
double fb_assembler_condition(FbSystem* s, const FbPoint* p, const FbCondition* condition);
// The errors of all equations at p; returns the largest in units of the equations, and where.
double fb_assembler_calc_errors(FbAssembler* as, const FbPoint* p, bool with_conditions,
                                int* worst);
FbStatus fb_assembler_factor(FbAssembler* as, const FbPoint* p, bool with_conditions, FbError* err);
// The smallest change in x that removes the errors.
void fb_assembler_solve(FbAssembler* as);
// Adds the slowest motion that removes the errors that are left; returns how much that is, of all.
double fb_assembler_add_slowest(FbAssembler* as, FbPoint* p);

#endif
