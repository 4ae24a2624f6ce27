// What `sweep` and `optimize` share: reading the study, progress, and running it until it is done
// or interrupted.
#ifndef FLYBALL_APP_STUDY_RUN_H
#define FLYBALL_APP_STUDY_RUN_H

#include "flyball/study.h"
#include "options.h"
#include "study_part.h"

typedef FbStatus (*StudyCheck)(const FbStudy* study, FbError* err);
typedef FbStatus (*StudyRunner)(const FbStudy* study, const FbStudyOptions* options,
                                FbStudyRun** out, FbError* err);

typedef struct StudyCommand {
    const char* ending;  // of the table's name, where -o does not give it
    StudyCheck check;
    StudyRunner run;
    StudyPart part;
} StudyCommand;

// Reads options->operands[0], runs it, with --mpi as one rank of several, reports. Returns an exit
// code.
int run_study(const Options* options, const StudyCommand* command);

#endif
