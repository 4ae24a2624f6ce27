// Small hand-written dynamics with known solutions, for testing integrators without the mechanics.
#ifndef FLYBALL_TEST_SOLVE_MODELS_H
#define FLYBALL_TEST_SOLVE_MODELS_H

#include "solve/integrator.h"
#include "system/contract.h"

enum { TEST_MAX = 8 };

typedef struct TestModel TestModel;

typedef struct TestEquations {
    void (*residual)(const TestModel* m, const FbPoint* p, double* r, double* c, double* gdot);
    // Fills the dense column-major blocks of the model (zero on entry).
    void (*jacobian)(TestModel* m, const FbPoint* p);
    // G a + drift = 0 is the constraint's second derivative. NULL if there is none.
    void (*drift)(const TestModel* m, const FbPoint* p, double* drift);
    void (*position_error)(const TestModel* m, double t, const double* q, double* g);
} TestEquations;

struct TestModel {
    FbDynamics dynamics;
    const TestEquations* equations;
    FbBlocks blocks;
    FbPattern vv, cv;
    int vv_start[TEST_MAX + 1], vv_row[TEST_MAX * TEST_MAX];
    int cv_start[TEST_MAX + 1], cv_row[TEST_MAX * TEST_MAX];
    double values[9][TEST_MAX * TEST_MAX];
    int ball[1];
    double scale[TEST_MAX];
    double parameter[8];
    // The present point.
    FbPoint at;
    double storage[6][TEST_MAX];
    long residuals, jacobians;
    double retry_beyond;  // t from which residual() asks for a retry; INFINITY: never
    long retries;         // so many of the next residuals ask for one
    double law;           // switched by events
    int events;
};

void test_point_init(FbPoint* p, double storage[6][TEST_MAX]);

// m v' + c v + k (q - a sin(w t)) = 0; the quadrature is the damper's work. parameter: m, c, k, a,
// w.
void test_oscillator_init(TestModel* m, double mass, double damping, double stiffness);
// q'' = -g/l sin(q) with g/l = 9.81.
void test_pendulum_init(TestModel* m, double angle);
// The same as a point in the plane at distance 1, angle from the downward vertical.
void test_point_pendulum_init(TestModel* m, double angle);
// A body turning about a fixed point; weight is m g l (0: free), inertia principal.
void test_top_init(TestModel* m, const double inertia[3], double weight, const double omega[3]);
// Prothero-Robinson as a second-order system: m = 1, c v with c = stiffness (v - cos t): q = sin t.
void test_prothero_init(TestModel* m, double stiffness);
// Van der Pol in x (x' = y, y' = mu ((1 - x^2) y) - x) beside a free particle.
void test_vdp_init(TestModel* m, double mu);

// Integrates from m->at to t_end; p receives the end. Fails the test where a step fails.
void test_integrate(TestModel* m, const FbIntegratorType* type, const FbIntegratorOptions* o,
                    double t_end, FbPoint* p, FbIntegratorStats* stats);
FbIntegratorOptions test_tolerance(double rtol);

double test_top_energy(const TestModel* m, const FbPoint* p);
// Angular momentum in the fixed frame.
void test_top_momentum(const TestModel* m, const FbPoint* p, double out[3]);
// Angle of the pendulum from rest at angle0 after t, by Jacobi's elliptic functions.
double test_pendulum_angle(double angle0, double t);

#endif
