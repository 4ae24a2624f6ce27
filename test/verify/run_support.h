// What tests of whole runs share: simulating a model with a method and tolerances, reading
// columns.
#ifndef FLYBALL_TEST_VERIFY_RUN_SUPPORT_H
#define FLYBALL_TEST_VERIFY_RUN_SUPPORT_H

#include "model_support.h"

typedef struct TestRun {
    FbModel* model;
    FbResult* result;
    int n_rows;
} TestRun;

// Zero: as the model says.
typedef struct TestMethod {
    const char* integrator;
    double duration, sample, rtol, atol;
} TestMethod;

// The integrators of this build that control their steps, ended by NULL ...
const char* const* test_integrators(void);
// ... and IDA.
const char* const* test_all_integrators(void);
// One of the BDF methods, which collect the errors of thousands of steps.
bool test_is_bdf(const char* integrator);

// Fails the test with the message of the run if it does not reach the end. For the changes see
// model_file.h.
TestRun test_run_text(const char* text, TestMethod method);
TestRun test_run_file(const char* path, TestMethod method);
TestRun test_run_with(const char* path, TestMethod method, const char* changes, ...)
    __attribute__((format(printf, 3, 4)));
TestRun test_run_model(FbModel* model, TestMethod method);  // takes the model over
void test_run_free(TestRun* run);

double test_run_time(const TestRun* run, int row);
double test_run_value(const TestRun* run, int row, const char* output);
double test_run_last(const TestRun* run, const char* output);
// Largest |output - output at the first row| over the run.
double test_run_drift(const TestRun* run, const char* output);

// Fails the test with both numbers if they differ by more than `tolerance`.
void test_close(const char* what, double value, double expected, double tolerance);

#endif
