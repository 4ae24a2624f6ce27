// Points of a study that are drawn instead of placed on a grid.
//
// Each is a function of the study and its number alone, so that any thread, part or machine may
// compute it, and a sequence may be continued.
#ifndef FLYBALL_STUDY_SAMPLES_H
#define FLYBALL_STUDY_SAMPLES_H

#include "study/study_reader.h"

// Reads `samples`; errors are reported. After the parameters.
void fb_study_read_samples(FbStudyReader* r, const FbNode* map);

// How many points there are.
long fb_samples_count(const FbStudy* study);

// The parameters of a point.
void fb_samples_get_point(const FbStudy* study, int index, double* parameters);

// 0 < u < 1: number `index` of the random stream of a seed.
double fb_random_uniform(uint64_t seed, uint64_t stream, uint64_t index);
// 64 random bits of it.
uint64_t fb_random_bits(uint64_t seed, uint64_t stream, uint64_t index);

#endif
