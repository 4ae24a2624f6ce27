// Distributions of the parameters of a study.
#ifndef FLYBALL_STUDY_DISTRIBUTION_H
#define FLYBALL_STUDY_DISTRIBUTION_H

#include "study/study_reader.h"

// The value that the parameter does not exceed with probability u, 0 < u < 1 (eq. 11.11).
double fb_distribution_quantile(const FbStudyParameter* p, double u);

// Reads `{distribution: ..., ...}` and checks it; errors are reported.
void fb_study_read_distribution(FbStudyReader* r, const FbNode* map, FbStudyParameter* p);

// The name of a distribution in a file: "normal".
extern const char* const fb_distribution_names[];

#endif
