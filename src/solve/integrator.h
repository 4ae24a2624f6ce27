// The interface of all integrators: one const table per method; the run loop knows nothing else.
#ifndef FLYBALL_SOLVE_INTEGRATOR_H
#define FLYBALL_SOLVE_INTEGRATOR_H

#include "base/memory.h"
#include "system/contract.h"

typedef struct FbIntegratorOptions {
    double rtol, atol;
    double max_step;      // INFINITY: none
    double initial_step;  // 0: chosen
    int order;            // radau: 0 adaptive (5, 9, 13) or one of these; others ignore it
    double fixed_step;    // > 0: constant steps without error control
    bool has_spectral_radius;
    double spectral_radius;  // alpha: at infinity, 0 ... 1; others ignore it
    double sample;  // > 0: spacing of the samples that will be requested; may guide the choice of
                    // order
    bool needs_accelerations;  // samples need accelerations and inner forces, too
    double end;                // of the run; 0: not known
} FbIntegratorOptions;

typedef struct FbIntegratorStats {
    long steps, rejected, rhs_evals, jacobian_evals, factorizations, newton_iterations,
        newton_failures, restarts;
    long solved_evals;  // of rhs_evals of an implicit method: forward dynamics, not residuals
    // Of a method with stages: those of all accepted steps, and matrices factored, real or complex
    // (factorizations are sets of them).
    long stages, matrices;
    double min_step, max_step_taken;
    int max_order;
    int last_order;  // of the last step
} FbIntegratorStats;

// Steps that are led: so much larger errors than the tolerance are accepted, and so much longer
// steps where they end at a limit (relative).
static const double FB_LED_ERROR = 100.0, FB_LED_LONGER = 1.15;

typedef struct FbIntegrator FbIntegrator;

typedef struct FbIntegratorType {
    const char* name;
    const char* doc;
    const char* orders;  // "5, 9, 13"
    const char* use;     // what it is good for, and what it is not
    bool is_implicit;
    bool has_residuals;  // ... and its evaluations are residuals, not forward dynamics
    bool takes_fixed_steps;
    bool has_no_control;  // it only takes fixed steps
    bool needs_linear;    // equations that are linear in the motion, FbLinearForm
    FbStatus (*create)(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                       FbError* err);
    void (*destroy)(FbIntegrator* s);
    // (Re)starts at p: consistent t, q, v, x, w with a and lambda known; arrays are copied.
    FbStatus (*restart)(FbIntegrator* s, const FbPoint* p, FbError* err);
    // One accepted step, ending at or before t_limit (never beyond). The new point (projected,
    // consistent, with a and lambda) is written into `p`, whose arrays belong to the caller.
    // FB_ERR_* : gave up; the error names time, part, remedy; *p is the last good point.
    FbStatus (*step)(FbIntegrator* s, double t_limit, FbPoint* p, FbError* err);
    // Any time inside the last accepted step: t, q, v, x, w (not projected; a and lambda are not
    // written).
    FbStatus (*interpolate)(FbIntegrator* s, double t, FbPoint* p);
    // The same, coarser (order 3 at least) but without any evaluation. NULL: interpolate() needs
    // none.
    FbStatus (*glance)(FbIntegrator* s, double t, FbPoint* p);
    const FbIntegratorStats* (*stats)(const FbIntegrator* s);
    // The length that the next step would like to have.
    double (*wanted_step)(const FbIntegrator* s);
    // Is interpolate() as accurate as the steps? NULL: always. Where it is not, steps should end at
    // sample times, and refine() finds an accurate point inside the last step at the cost of about
    // one more step.
    bool (*is_dense_accurate)(const FbIntegrator* s);
    FbStatus (*refine)(FbIntegrator* s, double t, FbPoint* p);
    // The next step, up to the next restart or call, should have this length, and this order where
    // the method has several; its error counts only where it is far too large. NULL: cannot.
    void (*lead)(FbIntegrator* s, double h, int order);
    // All that the next steps depend on beyond the point, so that they are the same to the last bit
    // after loading: at the end of a step, and when loading after a restart at that point. NULL:
    // the method starts again with the step length that it had.
    void (*remember)(FbIntegrator* s, FbMemory* m);
    // Notes for the user about the run so far ("the equations appear stiff ..."), or NULL. May
    // be NULL itself.
    const char* (*warning)(const FbIntegrator* s);
} FbIntegratorType;

// Concrete integrators embed this first.
struct FbIntegrator {
    const FbIntegratorType* type;
    FbDynamics* dynamics;
    FbIntegratorOptions options;
    bool is_rough;  // the solution may not be smooth in the next step: estimates that count on that
                    // are too small
};

extern const FbIntegratorType fb_integrator_radau;
extern const FbIntegratorType fb_integrator_dop853;
extern const FbIntegratorType fb_integrator_alpha;
extern const FbIntegratorType fb_integrator_linear;
extern const FbIntegratorType fb_integrator_gauss2;
extern const FbIntegratorType fb_integrator_gauss4;
extern const FbIntegratorType fb_integrator_gauss6;
extern const FbIntegratorType fb_integrator_bdf;  // CVODE, built where SUNDIALS is found
extern const FbIntegratorType fb_integrator_adams;
extern const FbIntegratorType fb_integrator_ida;  // SUNDIALS, too

// All methods of this build, ended by NULL; and by name (NULL if unknown).
extern const FbIntegratorType* const fb_integrator_types[];
const FbIntegratorType* fb_integrator_find(const char* name);

#endif
