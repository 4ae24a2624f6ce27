// The files of `flyball run -o`: which there are, and the order in which they replace old ones.
#ifndef FLYBALL_APP_RUN_FILES_H
#define FLYBALL_APP_RUN_FILES_H

#include "base/text.h"
#include "options.h"
#include "record/run_file.h"

// Where the files of a run go; empty texts without -o.
typedef struct RunFiles {
    FbText csv;                  // the table: CSV, or binary where that was requested
    FbText json, motion, other;  // other: in the format that was requested
    const char* report;          // NULL: not wanted
    bool has_motion;             // the motion is wanted
    FbRunFile table;             // the CSV while it is written
    char csv_sha256[65];
    bool stays_part;  // an old, complete result keeps the name
} RunFiles;

// The names DIR/<model>.csv and .json; a folder that is not writable is reported before the run.
FbStatus prepare_files(const Options* options, const FbModel* model, bool has_poses,
                       RunFiles* files, FbError* err);
void free_files(RunFiles* files);

// Opens the table. `keeps_rows`: rows of a run that is continued are needed in memory.
FbStatus open_table(const Options* options, const FbModel* model, bool keeps_rows, RunFiles* files,
                    FbError* err);
// Whether the folder has the complete result of a run with this key (fb_run_key).
bool is_complete(const RunFiles* files, const char* key);
// Whether the table has an old one that must stay: this run was stopped, that one was complete.
bool must_stay_part(const RunFiles* files, bool is_stopped);

// The table and its document take their names: the old document is removed first, so that none is
// left beside a table that it does not describe.
FbStatus replace_results(RunFiles* files, const char* document, bool is_stopped, FbError* err);

#endif
