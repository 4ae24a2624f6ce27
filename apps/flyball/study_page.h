// The report of a sweep or a search: charts of its measures, and what samples say about them.
#ifndef FLYBALL_APP_STUDY_PAGE_H
#define FLYBALL_APP_STUDY_PAGE_H

#include "flyball/study.h"
#include "options.h"

// Writes options->report. Returns an exit code.
int write_study_page(const Options* options, const FbStudy* study, const FbStudyRun* run);

#endif
