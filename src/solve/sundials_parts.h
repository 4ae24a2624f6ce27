// Declarations shared by the files of the SUNDIALS integrators.
#ifndef FLYBALL_SOLVE_SUNDIALS_PARTS_H
#define FLYBALL_SOLVE_SUNDIALS_PARTS_H

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>

#include "solve/crossing.h"
#include "solve/integrator.h"
#include "solve/newton_matrix.h"
#include "solve/weights.h"

// Of one step: each makes it shorter, down to what t can resolve.
enum { FB_SUNDIALS_FAILURES = 30 };

typedef struct FbSundials FbSundials;

// Since the last restart.
typedef struct FbSundialsCounts {
    long steps, rejected, iterations, failures;
    double h, next;  // the last step, the wanted one
    int order;
} FbSundialsCounts;

// One package of SUNDIALS; what returns a bool has failed with false, and s->message says why.
typedef struct FbSundialsPackage {
    const char* name;
    bool has_multipliers;                      // y = (q, v, x, w, lambda), else (q, v, x, w)
    void (*start)(FbSundials* s);              // what belongs to y = s->at: rates, multipliers
    bool (*create)(FbSundials* s);             // memory, from y
    bool (*restart)(FbSundials* s, double h);  // from y, with this first step; 0: chosen
    bool (*step)(FbSundials* s, double t_limit, double* t);
    bool (*interpolate)(FbSundials* s, double t, N_Vector y);
    void (*count)(FbSundials* s, FbSundialsCounts* out);
    void (*destroy)(FbSundials* s);
} FbSundialsPackage;

extern const FbSundialsPackage fb_sundials_cvode, fb_sundials_ida;

struct FbSundials {
    FbIntegrator base;
    const FbSundialsPackage* package;
    FbIntegratorStats stats;
    FbArena* arena;
    FbSizes size;
    int n;
    bool is_bdf;
    SUNContext context;
    void* memory;
    N_Vector y;                        // z, the state without its offset
    N_Vector y_rate, is_differential;  // IDA
    double* offset;                    // [n] of q and v (see sundials.c)
    SUNNonlinearSolver nonlinear;
    SUNLinearSolver linear;
    SUNMatrix matrix_tag;  // required for a direct solver; ours is in `matrix`
    FbNewtonMatrix* matrix;
    double gamma;
    FbPoint at;    // projected, with a and lambda
    FbPoint work;  // projected state of one evaluation
    double *b, *bxi;
    int tiny_steps;  // in a row
    FbCrossing crossing;
    bool is_creeping;  // up to a position that radau should cross
    FbWeights weights;
    FbIntegratorStats before;  // of the runs before the last restart
    FbStatus failure;          // of the last evaluation
    bool has_no_value;         // an evaluation of this step, or of tiny ones before, failed
    FbError error;
    char message[256];  // SUNDIALS' own
    double wanted;
};

// Keeps a message, as SUNDIALS calls for it.
void fb_sundials_keep_message(int code, const char* module, const char* function, char* text,
                              void* self);
// y as a point without a, and with lambda where y has it.
FbPoint fb_sundials_view(const FbSundials* s, double t, double* y);
// q, v, x and w.
void fb_sundials_copy_state(const FbSundials* s, const FbPoint* from, FbPoint* to);
// p = z + o
void fb_sundials_copy_shifted(const FbSundials* s, double t, N_Vector z, FbPoint* p);
// z' and the inverse weights of z, as CVODE calls for them.
int fb_sundials_calc_rates(realtype t, N_Vector z, N_Vector z_dot, void* self);
int fb_sundials_calc_weights(N_Vector z, N_Vector ewt, void* self);
// The projected state that belongs to z, with its accelerations.
FbStatus fb_sundials_realize(FbSundials* s, double t, N_Vector z, FbPoint* p);
// The blocks at p, in a matrix that is rebuilt if their patterns changed.
FbStatus fb_sundials_realize_blocks(FbSundials* s, const FbPoint* p, FbError* err);
// Newton's iteration with our own linear solver, which solves as `solve` does.
bool fb_sundials_attach_newton(FbSundials* s);
typedef int (*FbSundialsSolve)(SUNLinearSolver solver, SUNMatrix A, N_Vector x, N_Vector rhs,
                               realtype tolerance);
bool fb_sundials_create_solver(FbSundials* s, FbSundialsSolve solve);
// The tangent vector of a change of q, and back with `length` times what the tangent space cannot
// hold (the length of quaternions).
void fb_sundials_to_tangent(const FbSundials* s, const double* q, const double* bq, double* bxi);
void fb_sundials_from_tangent(const FbSundials* s, const double* q, const double* dxi,
                              const double* bq, double length, double* dq);

#endif
