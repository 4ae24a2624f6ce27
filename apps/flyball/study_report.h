// The results of a sweep or a search, as text and as JSON.
#ifndef FLYBALL_APP_STUDY_REPORT_H
#define FLYBALL_APP_STUDY_REPORT_H

#include "flyball/study.h"
#include "options.h"
#include "study/ranks.h"

void print_outcome(const Options* options, const FbStudy* study, const FbStudyRun* run);
// `run` NULL: it could not begin.
int print_outcome_json(const Options* options, const FbStudy* study, const FbStudyRun* run,
                       const FbRanks* ranks, const char* failure);

#endif
