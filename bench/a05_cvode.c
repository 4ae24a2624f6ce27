// The hand-derived A05 equations as eight first-order ones, solved by CVODE's BDF with the exact
// dense Jacobian.
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "a05_ode.h"

static int rates(realtype t, N_Vector y, N_Vector rate, void* self) {
    (void)t;
    (void)self;
    const double* x = N_VGetArrayPointer(y);
    double* out = N_VGetArrayPointer(rate);
    for (int i = 0; i < A05_N; i++) {
        out[i] = x[A05_N + i];
    }
    a05_accelerations(x, x + A05_N, out + A05_N);
    return 0;
}

// d(v, a)/d(q, v) = [0, 1; -M^-1 K, -M^-1 C]
static int jacobian(realtype t, N_Vector y, N_Vector rate, SUNMatrix J, void* self, N_Vector w1,
                    N_Vector w2, N_Vector w3) {
    (void)t, (void)self, (void)w1, (void)w2, (void)w3;
    const double* x = N_VGetArrayPointer(y);
    const double* f = N_VGetArrayPointer(rate);
    A05Terms terms;
    a05_terms(x, x + A05_N, f + A05_N, &terms);
    for (int j = 0; j < A05_N; j++) {
        double *dq = SUNDenseMatrix_Column(J, j), *dv = SUNDenseMatrix_Column(J, A05_N + j);
        for (int i = 0; i < A05_N; i++) {
            dq[i] = 0.0;
            dv[i] = i == j;
            dq[A05_N + i] = -terms.K[i + A05_N * j] / terms.mass[i];
            dv[A05_N + i] = -terms.C[i + A05_N * j] / terms.mass[i];
        }
    }
    return 0;
}

typedef struct Solver {
    SUNContext context;
    N_Vector y;
    SUNMatrix J;
    SUNLinearSolver linear;
    void* cvode;
} Solver;

static void destroy(Solver* s) {
    if (s->cvode != NULL) {
        CVodeFree(&s->cvode);
    }
    if (s->linear != NULL) {
        SUNLinSolFree(s->linear);
    }
    if (s->J != NULL) {
        SUNMatDestroy(s->J);
    }
    if (s->y != NULL) {
        N_VDestroy(s->y);
    }
    if (s->context != NULL) {
        SUNContext_Free(&s->context);
    }
}

static int create(Solver* s, double rtol, double atol) {
    *s = (Solver){0};
    if (SUNContext_Create(NULL, &s->context) != 0) {
        return -1;
    }
    s->y = N_VNew_Serial(2 * A05_N, s->context);
    s->J = SUNDenseMatrix(2 * A05_N, 2 * A05_N, s->context);
    s->cvode = CVodeCreate(CV_BDF, s->context);
    if (s->y == NULL || s->J == NULL || s->cvode == NULL) {
        return -1;
    }
    double* y = N_VGetArrayPointer(s->y);
    a05_start(y, y + A05_N);
    s->linear = SUNLinSol_Dense(s->y, s->J, s->context);
    if (s->linear == NULL || CVodeInit(s->cvode, rates, 0.0, s->y) != CV_SUCCESS ||
        CVodeSStolerances(s->cvode, rtol, atol) != CV_SUCCESS ||
        CVodeSetLinearSolver(s->cvode, s->linear, s->J) != CV_SUCCESS ||
        CVodeSetJacFn(s->cvode, jacobian) != CV_SUCCESS) {
        return -1;
    }
    return CVodeSetMaxNumSteps(s->cvode, 1000000);
}

static int integrate(Solver* s, A05Run* out) {
    const double* y = N_VGetArrayPointer(s->y);
    out->s[0] = y[1];
    for (int i = 1; i < A05_SAMPLES; i++) {
        realtype t;
        if (CVode(s->cvode, 0.1 * i, s->y, &t, CV_NORMAL) < 0) {
            return -1;
        }
        out->s[i] = y[1];
    }
    long linear_evals = 0;
    CVodeGetNumSteps(s->cvode, &out->steps);
    CVodeGetNumRhsEvals(s->cvode, &out->rhs_evals);
    CVodeGetNumJacEvals(s->cvode, &out->jacobian_evals);
    CVodeGetNumLinRhsEvals(s->cvode, &linear_evals);
    out->rhs_evals += linear_evals;
    return 0;
}

void a05_run_cvode(double rtol, double atol, A05Run* out) {
    *out = (A05Run){0};
    double start = bench_cpu_time();
    Solver solver;
    if (create(&solver, rtol, atol) != 0) {
        out->failure = "CVODE could not be set up";
    } else if (integrate(&solver, out) != 0) {
        out->failure = "CVODE gave up";
    }
    destroy(&solver);
    out->cpu_s = bench_cpu_time() - start;
}
