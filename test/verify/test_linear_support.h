// What tests of operating points and linearizations share: finding, linearizing, comparing spectra.
#ifndef FLYBALL_TEST_VERIFY_LINEAR_SUPPORT_H
#define FLYBALL_TEST_VERIFY_LINEAR_SUPPORT_H

#include "base/complex.h"
#include "flyball/linear.h"
#include "model_support.h"

typedef struct TestLinear {
    FbModel *model, *absolute;  // the second only for absolute coordinates
    FbOperatingPoint *point, *absolute_point;
    FbLinearization* l;
} TestLinear;

typedef struct TestLinearAsk {
    FbOperatingOptions at;  // zero: FB_AT_INITIAL
    FbLinearOptions how;    // zero: independent
    bool is_absolute;
} TestLinearAsk;

extern const TestLinearAsk TEST_AT_INITIAL, TEST_AT_EQUILIBRIUM;

// Each fails the test with the library's message. For the changes see model_file.h.
TestLinear test_linear_text(const char* text, TestLinearAsk ask);
TestLinear test_linear_file(const char* path, TestLinearAsk ask);
TestLinear test_linear_with(const char* path, TestLinearAsk ask, const char* changes, ...)
    __attribute__((format(printf, 3, 4)));
TestLinear test_linear_def(FbModelDef* def, TestLinearAsk ask);  // takes the description over
void test_linear_free(TestLinear* t);

FbOperatingPoint* test_point_at(const FbModel* model, FbOperatingOptions at);

// A model at its equilibrium and its outputs there.
typedef struct TestRest {
    FbModel* model;
    FbOperatingPoint* point;
    double outputs[64];
} TestRest;

TestRest test_rest_of(FbModel* model);  // takes the model over
void test_rest_free(TestRest* r);
double test_rest_output(const TestRest* r, const char* name);

double test_coordinate(const FbOperatingPoint* point, const char* name);
double test_largest_residual(const TestLinear* t);  // of the true modes

int test_count(const TestLinear* t, FbModeClass class_);
// The largest distance between the physical eigenvalues and the expected ones, each matched with
// its nearest; fails if their number differs.
double test_spectrum_error(const TestLinear* t, const double complex* expected, int n);
// Fails with the list of eigenvalues if the error is larger.
void test_spectrum(const char* what, const TestLinear* t, const double complex* expected, int n,
                   double tolerance);

// What the check of structures says of the model: one warning that has `part` in it, or none where
// it is NULL. Destroys the model.
void test_expect_structure_warning(FbModel* model, const char* part);

#endif
