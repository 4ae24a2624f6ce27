// Numbers that a result gives: functionals of its outputs.
#ifndef FLYBALL_STUDY_MEASURE_H
#define FLYBALL_STUDY_MEASURE_H

#include "study/study.h"

// All kinds but expressions, which need the measures before them.
FbStatus fb_measure_calc(const FbStudyMeasure* m, const FbResult* result, double* out,
                         FbError* err);

#endif
