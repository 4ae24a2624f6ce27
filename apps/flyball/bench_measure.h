// Measures the errors of a benchmark run against references, energy and other models.
#ifndef FLYBALL_APP_BENCH_MEASURE_H
#define FLYBALL_APP_BENCH_MEASURE_H

#include "bench_case.h"
#include "flyball/simulate.h"

// The error of one measure: the largest over its outputs. `other` is the result of the measure's
// other model, or NULL.
FbStatus calc_measure(const Measure* measure, const FbResult* result, const FbResult* other,
                      double* error, FbError* err);

// Of a measure of kind `order`: |p - exact| for errors [n_of] in proportion to factors^-p.
double calc_order_error(const Measure* measure, const double* errors);

#endif
