// Measures of benchmark cases that are linearized about their equilibrium.
#ifndef FLYBALL_APP_BENCH_LINEAR_H
#define FLYBALL_APP_BENCH_LINEAR_H

#include "bench_case.h"

// The equilibrium of a model, in joint and in absolute coordinates.
typedef struct LinearCase {
    const FbModel* model;
    FbModel* absolute_model;
    FbOperatingPoint *point, *absolute_point;
} LinearCase;

// The model must outlive the case; free in any case. Absolute coordinates only on request: they are
// not available for every model.
FbStatus create_linear_case(const FbModelDef* def, const FbModel* model, bool has_absolute,
                            LinearCase* out, FbError* err);
void free_linear_case(LinearCase* c);

FbStatus calc_linear_measure(const Measure* measure, const LinearCase* c, double* error,
                             FbError* err);

#endif
