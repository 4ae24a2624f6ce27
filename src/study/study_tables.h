// The tables of the sections of a study file, as those of a model file.
#ifndef FLYBALL_STUDY_STUDY_TABLES_H
#define FLYBALL_STUDY_STUDY_TABLES_H

#include "describe/types.h"

// The version of the format.
enum { FB_STUDY_FORMAT = 1 };

// A key at the top of a study file.
typedef struct FbStudySection {
    const char* key;
    const char* doc;
    bool is_required;
} FbStudySection;

extern const FbStudySection fb_study_sections[];  // ended by a key that is NULL

extern const FbTypeInfo fb_study_range_table;  // into FbStudyParameter
// Into FbStudyParameter as well, in the order of FbDistribution; ended by NULL.
extern const FbTypeInfo* const fb_study_distribution_tables[];
extern const FbTypeInfo fb_study_samples_table;  // into FbStudySamples
extern const FbTypeInfo fb_study_modes_table;    // into FbStudyModes
extern const FbTypeInfo fb_study_measure_table;  // into FbStudyMeasure
extern const FbTypeInfo fb_study_search_table;   // into FbStudySearch
extern const FbTypeInfo fb_study_slurm_table;    // into FbStudySlurm

#endif
