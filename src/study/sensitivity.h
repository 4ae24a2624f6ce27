// What the samples of a study say about its measures: moments, quantiles, and which parameters they
// depend on (section 11.9 of the theory).
#ifndef FLYBALL_STUDY_SENSITIVITY_H
#define FLYBALL_STUDY_SENSITIVITY_H

#include "study/table.h"

// A Sobol' index with the half width of its interval of 95 %.
typedef struct FbIndex {
    double value, width;
} FbIndex;

// Of one measure. What cannot be computed is NaN.
typedef struct FbSensitivity {
    int n;                     // points that were measured
    double mean, deviation;    // of the measure
    double low, median, high;  // quantiles of 5, 50 and 95 %
    double r_squared;          // the part of the variance that the regression explains
    double* coefficients;      // [n_parameters] standardized regression coefficients
    FbIndex *first, *total;    // [n_parameters] Sobol' indices; NULL: not these samples
    int n_blocks;              // of which they are means
} FbSensitivity;

// Of all measures, [n_measures], in the memory of the arena; *out is NULL where the study has no
// samples.
FbStatus fb_sensitivity_calc(const FbStudy* study, const FbTrialTable* table, FbArena* arena,
                             FbSensitivity** out, FbError* err);

#endif
