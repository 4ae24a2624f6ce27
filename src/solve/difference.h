// Comparing the outputs of two runs of one model.
#ifndef FLYBALL_SOLVE_DIFFERENCE_H
#define FLYBALL_SOLVE_DIFFERENCE_H

#include "flyball/simulate.h"

// The largest difference of any output at any sample, relative to the output's largest value in
// both (eq. 6.7); *worst is that output, -1: none. Runs that end at different times also differ by
// that time, relative to the duration. INFINITY where one has a value that the other has not.
double fb_result_difference(const FbResult* a, const FbResult* b, double target, int* worst);

#endif
