// Measures of benchmark cases that are linearized about their equilibrium.
#ifndef FLYBALL_STUDY_BENCH_LINEAR_H
#define FLYBALL_STUDY_BENCH_LINEAR_H

#include "study/bench_case.h"

// The equilibrium of a model, in joint and in absolute coordinates.
typedef struct FbLinearCase {
    const FbModel* model;
    FbModel* absolute_model;
    FbOperatingPoint *point, *absolute_point;
} FbLinearCase;

// The model must outlive the case; free in any case. Absolute coordinates only on request: they are
// not available for every model.
FbStatus fb_linear_case_create(const FbModelDef* def, const FbModel* model, bool has_absolute,
                               FbLinearCase* out, FbError* err);
void fb_linear_case_free(FbLinearCase* c);

FbStatus fb_case_calc_linear(const FbCaseMeasure* measure, const FbLinearCase* c, double* error,
                             FbError* err);

#endif
