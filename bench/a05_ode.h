// The flyball governor A05 as hand-derived ordinary differential equations: the yardstick for the
// engine's speed.
#ifndef FLYBALL_BENCH_A05_ODE_H
#define FLYBALL_BENCH_A05_ODE_H

#include "system/contract.h"

// Coordinates: shaft angle, slider height, angles of the two arms below the horizontal.
enum { A05_N = 4, A05_SAMPLES = 101 };

// r = M a + h - f with its derivatives; M is diagonal.
typedef struct A05Terms {
    double mass[A05_N];       // diagonal of M
    double r[A05_N];          // for the given a
    double K[A05_N * A05_N];  // dr/dq, column-major
    double C[A05_N * A05_N];  // dr/dv, column-major
} A05Terms;

void a05_start(double q[A05_N], double v[A05_N]);
void a05_residual(const double* q, const double* v, const double* a, double* r);
void a05_accelerations(const double* q, const double* v, double* a);
// Everything, at any a.
void a05_terms(const double* q, const double* v, const double* a, A05Terms* out);

// The same behind the contract, for the project's own integrators. `self` must outlive it.
typedef struct A05Dynamics {
    FbDynamics base;
    FbPattern vv, cv;
    int vv_start[A05_N + 1], vv_row[A05_N * A05_N], cv_start[A05_N + 1];
    double M[A05_N * A05_N];
    double scale[A05_N];
    A05Terms terms;
} A05Dynamics;
void a05_dynamics_init(A05Dynamics* d);

typedef struct A05Run {
    double s[A05_SAMPLES];  // at 0, 0.1, ..., 10 s
    double cpu_s;
    long steps, rhs_evals, jacobian_evals;
    const char* failure;  // NULL: none
} A05Run;

// Both integrate 10 s with their own create and destroy inside the measured time.
void a05_run_radau(double rtol, double atol, A05Run* out);
void a05_run_cvode(double rtol, double atol, A05Run* out);  // failure: "not built" without SUNDIALS

// sqrt(mean(((s - s_ref)/s_ref)^2)) over the samples.
double a05_error(const double s[A05_SAMPLES], const double reference[A05_SAMPLES]);

double bench_cpu_time(void);  // s of this process

#endif
