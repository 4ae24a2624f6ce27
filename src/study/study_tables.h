// The tables of the sections of a study file, as those of a model file.
#ifndef FLYBALL_STUDY_STUDY_TABLES_H
#define FLYBALL_STUDY_STUDY_TABLES_H

#include "describe/types.h"

extern const FbTypeInfo fb_study_range_table;  // into FbStudyParameter
// Into FbStudyParameter as well, in the order of FbDistribution; ended by NULL.
extern const FbTypeInfo* const fb_study_distribution_tables[];
extern const FbTypeInfo fb_study_samples_table;  // into FbStudySamples
extern const FbTypeInfo fb_study_modes_table;    // into FbStudyModes
extern const FbTypeInfo fb_study_measure_table;  // into FbStudyMeasure
extern const FbTypeInfo fb_study_search_table;   // into FbStudySearch
extern const FbTypeInfo fb_study_slurm_table;    // into FbStudySlurm

#endif
