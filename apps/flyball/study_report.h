// What a sweep or a search found, for people and as JSON.
#ifndef FLYBALL_APP_STUDY_REPORT_H
#define FLYBALL_APP_STUDY_REPORT_H

#include "options.h"
#include "study/sweep.h"

void print_outcome(const Options* options, const FbStudy* study, const FbStudyOutcome* outcome);
int print_outcome_json(const Options* options, const FbStudy* study, const FbStudyOutcome* outcome,
                       const char* failure);

#endif
