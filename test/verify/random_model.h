// Random trees and loops as model text: every joint type, both directions, branches, generic frames
// and masses.
#ifndef FLYBALL_TEST_VERIFY_RANDOM_MODEL_H
#define FLYBALL_TEST_VERIFY_RANDOM_MODEL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct RandomModel {
    int n_bodies;
    int n_loops;
    bool is_scalar;  // no balls: every coordinate is a number
    bool has_rolling;
    unsigned seed;
} RandomModel;

void random_model_write(const RandomModel* r, char* text, size_t size);

#endif
