// A run that `flyball run -o` wrote: its table, its document and its motion, read back for reports
// and plots.
#ifndef FLYBALL_APP_RESULT_FILES_H
#define FLYBALL_APP_RESULT_FILES_H

#include "options.h"
#include "run_report.h"
#include "view/report.h"

typedef struct SavedRun {
    FbArena* arena;
    const char* stem;  // path without .csv or .json
    FbSamples table;
    char* motion;           // text of STEM.motion.json, NULL: there is none
    FbReportSource source;  // of the above
} SavedRun;

// Reads STEM.csv and, where they are there, STEM.json and STEM.motion.json; `path` is any of them
// or STEM. Prints what is wrong and returns an exit code; free in any case.
int read_saved_run(const Options* options, const char* path, SavedRun* out);
void free_saved_run(SavedRun* run);

// The references of --reference, if it was given.
int read_references(const Options* options, SavedRun* run);

#endif
