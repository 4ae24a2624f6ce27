// When Newton's iteration with a frozen matrix has converged: the contraction that was observed,
// remembered from step to step, so that one iteration is enough where the equations are linear.
#ifndef FLYBALL_SOLVE_CONTRACTION_H
#define FLYBALL_SOLVE_CONTRACTION_H

#include <stdbool.h>

typedef struct FbContraction {
    double theta;          // of the last step with two iterations or more
    double eta;            // theta / (1 - theta), aged by a power at each step
    double first, before;  // increments of the current step
    double floor;          // increments of rounding alone
    long age;              // steps since the floor was measured; negative: it is not known
    int count;             // iterations of the current step
    int n_stuck;           // of these the last ones that did not shrink
    bool is_beyond;        // the iteration has converged and continues, to measure the floor
} FbContraction;

typedef enum FbNewtonState { FB_NEWTON_MORE, FB_NEWTON_DONE, FB_NEWTON_FAILED } FbNewtonState;

// Nothing is known: a restart.
void fb_contraction_restart(FbContraction* c);
// Nothing is known of the contraction: another matrix.
void fb_contraction_forget(FbContraction* c);
// A step begins.
void fb_contraction_begin(FbContraction* c);
// An increment of this size, in error weights, was added; `noise`: so large may rounding be.
FbNewtonState fb_contraction_judge(FbContraction* c, double size, double tolerance, double noise);

#endif
