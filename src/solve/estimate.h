// The error of a run from its difference from a looser run: pure functions of the differences.
#ifndef FLYBALL_SOLVE_ESTIMATE_H
#define FLYBALL_SOLVE_ESTIMATE_H

#include "flyball/simulate.h"

// When a run whose error is 1/factor of that of a looser one has lost its digits. difference [n] is
// that of the two at the times t, relative and rising (its largest value so far). INFINITY: the
// looser run keeps its digits to the end. *tenfold (may be infinite) is the time in which errors
// grow by ten where digits are lost.
double fb_estimate_loss(int n, const double* t, const double* difference, double factor,
                        double* tenfold);

// What the relative error of an output is a part of, as a text before its name: "the range of", or
// "the value of" if the output is as good as constant.
const char* fb_estimate_describe_scale(const FbResult* result, int column);

#endif
