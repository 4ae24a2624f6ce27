// What the files of the Radau integrator share: the state of the method and of one collocation
// step.
#ifndef FLYBALL_SOLVE_RADAU_H
#define FLYBALL_SOLVE_RADAU_H

#include "solve/integrator.h"
#include "solve/newton_matrix.h"
#include "solve/noise.h"
#include "solve/radau_coefficients.h"
#include "solve/weights.h"

enum { FB_RADAU_METHODS = 3 };

// The contraction of Newton's iteration that is expected where only one ratio of increments has
// been seen, unless the steps before say more.
static const double FB_RADAU_SLOW = 0.02;

// One step: where it started, the rates at its stages, where it ended.
typedef struct FbCollocation {
    const FbRadauMethod* method;  // NULL: no step yet
    double t, h;
    FbPoint start, end;
    double* x_rate;         // [n_x] at the start
    double* a;              // [s x n_v] v' at the stages
    double* xi_rate;        // [s x n_v] D(xi) v at the stages (v itself except for ball joints)
    double* x_rates;        // [s x n_x]
    double* lambda;         // [s x n_c]
    bool is_lambda_good;    // they converged too (the motion can do so before them)
    double* power;          // [s x n_w]
    double* xi_end;         // [n_v] end (-) start
    bool has_smooth_start;  // the rates at the start fit those of the stages: no stiff transient
    double* xi_rate_end;
    double* xi_acc_end;
} FbCollocation;

typedef struct FbNewtonReport {
    double theta;   // contraction rate
    double shrink;  // by how much a failed iteration wants the step reduced
    int iterations;
    FbWorst worst;         // the last increment
    double lambda_change;  // the last increment of the multipliers, relative to the largest of them
    bool is_full;          // solved with blocks at every stage
} FbNewtonReport;

// What the choice of order learns about each method: work per second of simulated time.
typedef struct FbOrderRecord {
    double rate;
    long blocked_until;  // step count
    int block;
} FbOrderRecord;

// In which form Newton's iteration sees the equations: r, or in the solved form (5.19).
typedef struct FbRadauForm {
    bool is_solved, is_trial;
    double theta_before;  // contraction in the form r
    long blocked_until;   // step count
    int block;
} FbRadauForm;

typedef struct FbRadauFull FbRadauFull;
typedef struct FbRadauTravel FbRadauTravel;

typedef struct FbRadau {
    FbIntegrator base;
    FbIntegratorStats stats;
    FbArena* arena;
    FbSizes size;  // of the arrays
    FbRadauMethod methods[FB_RADAU_METHODS];
    bool is_known[FB_RADAU_METHODS];      // its coefficients; the number of stages is always
    double rtol_power[FB_RADAU_METHODS];  // rtol^((s + 1)/(2 s)), eq. (5.10)
    int method;
    FbCollocation steps[3];
    FbCollocation *now, *last, *spare;
    double *V, *xi, *x;                    // [s x n] at the stages
    double *R, *P, *S, *D;                 // [s x n] residuals
    double* Dq;                            // [s x n_c] and the share of positions, solved form
    double *b, *bxi;                       // transformed right-hand sides
    double *error_v, *error_xi, *error_x;  // of the embedded method
    // Solutions of the systems, [n_v + n_x + n_c] and [n_v], the complex ones interleaved.
    double *w[FB_RADAU_MAX_PAIRS + 1], *w_xi[FB_RADAU_MAX_PAIRS + 1];
    double* slow_error;  // [n_v + n_x + n_c]
    double* q_stages;    // [s x n_q] of all stages at once
    double *q_stage, *work, *work_q, *lambda_before, *power_free;
    FbWeights weights;
    FbNewtonMatrix* matrix;
    double* q_blocks;        // [n_q] where its blocks were evaluated
    double* increments;      // [s x n_v] of accelerations, where nodes turn
    int slow_system;         // of the matrix: filters the velocities' error (6.21); 0: none
    bool is_slow_factored;   // with the current blocks
    FbRadauTravel* travel;   // NULL: nothing has travelled so far
    FbRadauFull* full;       // of the method that may need it; NULL: none does
    bool has_jacobian;       // some Jacobian is there
    bool is_jacobian_fresh;  // ... evaluated at the start of the current step
    double h_factored;       // 0: none
    int method_factored;
    FbPoint at;                     // start of the next step
    double* x_rate;                 // [n_x] there
    double h;                       // wanted next
    double h_before, error_before;  // of the last accepted step
    double eta;                     // theta / (1 - theta), carried over
    double theta;
    double slow_theta;   // recent contraction of the slowest parts
    double h_recent;     // the longest step of late
    double theta_tried;  // contraction of the last attempt, 1 where it failed
    bool is_first, was_rejected, is_leaping;
    bool was_inaccurate;   // a trial of this step was rejected for its error
    bool is_patient;       // no shorter step can be taken instead: Newton's iteration may be slow
    bool is_led;           // somebody else chooses steps and orders
    int failures;          // of Newton's iteration in the current step, with this order
    double h_limit;        // where Newton's iteration failed of late; 0: it did not
    bool has_no_value;     // an evaluation of the last trial failed
    bool has_driven_work;  // some quadrature depends on the multipliers
    long leaps;            // across singular positions so far
    char warning[200];     // that steps crept through a position with dependent constraints
    char coarse[200];      // that values inside steps could not be refined
    long steps_since_change;
    double work_done;  // in the current step, counted in residual evaluations
    FbOrderRecord records[FB_RADAU_METHODS];
    FbRadauForm form;
    FbNoise noise;
    double *a_solved, *lambda_solved;  // [n_v], [n_c] by forward dynamics at the last point
} FbRadau;

// radau.c: the leverage (5.23) of the multipliers at p, how large they are next to the forces that
// they exert, in the units of rows and coordinates. It has a pole where constraints become
// dependent (5.6). 0: not known.
double fb_radau_calc_leverage(FbIntegrator* self, const FbPoint* p);
// radau.c: what a method needs to know that lets radau take over for a while (crossing.h). A leap
// is as long as the recent steps, or as the caller's.
void fb_radau_expect_step(FbIntegrator* self, double h);
long fb_radau_count_leaps(const FbIntegrator* self);

// radau_turn.c: forces and motions x [n_v] at q, seen from where the blocks of the matrix were
// evaluated, and from there at q (5.64). Nothing where no nodes turn.
bool fb_radau_turns(const FbRadau* r);
void fb_radau_turn_back(const FbRadau* r, const double* q, double* x);
void fb_radau_turn(const FbRadau* r, const double* q, double* x);

// radau_create.c
FbStatus fb_radau_create(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                         FbError* err);
void fb_radau_destroy(FbIntegrator* self);
// All arrays for the current sizes of the dynamics.
FbStatus fb_radau_allocate(FbRadau* r, FbError* err);

// radau_newton.c
void fb_radau_set_powers(FbRadau* r);
double fb_radau_tolerance(const FbRadau* r);  // relative tolerance of the embedded error estimate
void fb_radau_set_weights(FbRadau* r, const FbCollocation* c);
void fb_radau_predict(FbRadau* r, const FbCollocation* from, FbCollocation* c);
// FB_OK: converged. FB_RETRY: not; report->shrink says what to do.
FbStatus fb_radau_newton(FbRadau* r, FbCollocation* c, FbNewtonReport* report);
FbStatus fb_radau_factor(FbRadau* r, double h);
double fb_radau_newton_tolerance(const FbRadau* r);
FbStatus fb_radau_evaluate(FbRadau* r, const FbCollocation* c);  // residuals of all stages
// Stage i; its q is in r->q_stage, which the caller fills.
FbPoint fb_radau_stage_point(const FbRadau* r, const FbCollocation* c, int i);
// The coordinates of all of them in r->q_stages, where there are no balls.
void fb_radau_set_places(FbRadau* r, const FbCollocation* c);
// V, xi and x at the stages from their rates; *change is the largest weighted change.
void fb_radau_update_stages(FbRadau* r, FbCollocation* c, FbWorst* change);
// to = sum_i basis_i from_i over the stages, vectors of n
void fb_radau_combine_stages(const FbRadauMethod* m, const double* basis, int n, const double* from,
                             double* to);
// q_stage = q (+) xi
void fb_radau_plus(const FbRadau* r, const double* q, const double* xi, double* out);

// radau_form.c
// r, x' and gdot at p, in the current form.
FbStatus fb_radau_residual(FbRadau* r, const FbPoint* p, double* out, double* x_rate, double* gdot);
FbStatus fb_radau_calc_blocks(FbRadau* r, FbBlocks* blocks, FbError* err);  // at r->at
// What the rows lack at the last point in the solved form: G and G_q times what a differs by.
void fb_radau_calc_solved_rows(FbRadau* r, double* by_v, double* by_q);
// Are increments of this size, in weights, what rounding of the accelerations in the solved form
// makes of velocities?
bool fb_radau_is_noise(FbRadau* r, const FbCollocation* c, double size);
// Goes over to the solved form for a trial, if it may; theta: contraction in the form r.
bool fb_radau_try_form(FbRadau* r, double theta);
// A step was made or failed: a trial that does not contract much faster is over.
void fb_radau_judge_form(FbRadau* r, double theta);

// radau_error.c: of the step that ends at c->end, in error weights.
FbWorst fb_radau_error(FbRadau* r, const FbCollocation* c, bool filter_twice);

// radau_full.c: the same with blocks evaluated at every stage; for steps across singular positions.
FbStatus fb_radau_full_newton(FbRadau* r, FbCollocation* c, FbNewtonReport* report);
// Memory of the full iteration for s stages, allocated if necessary.
FbStatus fb_radau_full_prepare(FbRadau* r, const FbBlocks* blocks, int s, FbError* err);
int fb_radau_full_stages(const FbRadauFull* f);  // 0: none
void fb_radau_full_destroy(FbRadauFull* f);
void fb_radau_full_remember(FbRadau* r, FbMemory* m);

// radau_memory.c
void fb_radau_remember(FbIntegrator* self, FbMemory* m);

// radau_control.c
void fb_radau_handle_failure(FbRadau* r, const FbNewtonReport* report, double h);
void fb_radau_reject(FbRadau* r, double h, double err, int iterations);
void fb_radau_accept(FbRadau* r, double h, double err, int iterations, bool is_last);

// radau_end.c
void fb_radau_calc_quadratures(FbRadau* r, FbCollocation* c);
void fb_radau_take_end(FbRadau* r, FbCollocation* c);
FbStatus fb_radau_project_end(FbRadau* r, FbCollocation* c, FbError* err);

// radau_dense.c
void fb_radau_finish_dense(FbRadau* r, FbCollocation* c);
void fb_radau_interpolate(FbRadau* r, const FbCollocation* c, double t, FbPoint* p);
FbStatus fb_radau_refine(FbIntegrator* self, double t, FbPoint* p);
// r->now, a leap that reaches beyond t, becomes one that ends at t, on the same branch. FB_RETRY:
// there is none.
FbStatus fb_radau_shorten_leap(FbRadau* r, double t, FbError* err);

#endif
