// The files of a run that `flyball run -o` wrote, with the references that they are compared with.
#ifndef FLYBALL_APP_RESULT_FILES_H
#define FLYBALL_APP_RESULT_FILES_H

#include "options.h"
#include "run_report.h"

typedef struct SavedFiles {
    FbArena* arena;
    const char* stem;        // path without .csv or .json
    FbSavedRun* run;         // NULL: only the table was read
    FbSamples own_table;     // that was read alone
    const FbSamples* table;  // of either
    const FbReportReference* references;
    int n_references;
    const FbSavedRun* beside;  // a second run in the same report, NULL: none
} SavedFiles;

// Reads STEM.csv and, if they exist, STEM.json and STEM.motion.json; `path` is any of them
// or STEM. Prints what is wrong and returns an exit code; free in any case.
int read_saved_run(const Options* options, const char* path, SavedFiles* out);
// Reads STEM.csv alone.
int read_saved_table(const char* path, SavedFiles* out);
void free_saved_files(SavedFiles* files);

// Puts a second run into the report of the first: its motion, and its outputs as references. Both
// must stay.
int compare_with(const SavedFiles* other, SavedFiles* files);

// The references of --reference, if it was given.
int read_references(const Options* options, SavedFiles* files);

#endif
