// Measures the errors of a benchmark run against references, energy and other models.
#ifndef FLYBALL_STUDY_BENCH_MEASURE_H
#define FLYBALL_STUDY_BENCH_MEASURE_H

#include "flyball/simulate.h"
#include "study/bench_case.h"

// The error of one measure: the largest over its outputs. `other` is the result of the measure's
// other model, or NULL.
FbStatus fb_case_calc_measure(const FbCaseMeasure* measure, const FbResult* result,
                              const FbResult* other, double* error, FbError* err);

// Of a measure of kind `order`: |p - exact| for errors [n_of] in proportion to factors^-p.
double fb_case_calc_order(const FbCaseMeasure* measure, const double* errors);

#endif
