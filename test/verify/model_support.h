// What tests of whole models share: an assembled system, and comparing the contract's blocks with
// finite differences.
#ifndef FLYBALL_TEST_VERIFY_MODEL_SUPPORT_H
#define FLYBALL_TEST_VERIFY_MODEL_SUPPORT_H

#include "flyball/flyball.h"
#include "model_file.h"
#include "system/system.h"

// A system with an assembled point that owns its arrays.
typedef struct TestSystem {
    FbModel* model;
    FbSystem* system;
    FbDynamics* d;
    FbPoint p;
    FbAssembly assembly;
} TestSystem;

void test_system_init(TestSystem* t, FbModel* model);  // takes the model over
void test_system_free(TestSystem* t);
FbPoint test_point_create(const FbSystem* s);
void test_point_free(FbPoint* p);

// Deterministic numbers in [-1, 1].
double test_random(unsigned* seed);

// Moves the point somewhere generic (q off the manifold too) with random v, a, x, lambda.
void test_system_scatter(TestSystem* t, unsigned* seed, double size);

// The largest deviation of M, C, K, G, Gq, Rx, Xq, Xv, Xx from central differences, relative to the
// size of each block; prints where it is.
double test_compare_blocks(TestSystem* t, const char* name);
// Fails unless all blocks agree with differences at three points that are up to `size` off the
// start. Takes the model over.
void test_check_blocks(FbModel* model, const char* name, double size);

#endif
