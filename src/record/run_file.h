// The table of a run while it is being written: NAME.csv.part, which takes the name NAME.csv when
// the run is over, and NAME.csv.state, from which a run that was killed is continued. Or NAME.fbr,
// a binary table (fbr.h): the ending says which.
//
// At any moment there is an old table, a new one, or both, and never half a row of either under
// their names. The program that is writing holds a lock on its table.
#ifndef FLYBALL_RECORD_RUN_FILE_H
#define FLYBALL_RECORD_RUN_FILE_H

#include <stdio.h>

#include "base/sha256.h"
#include "base/text.h"
#include "flyball/compare.h"
#include "solve/stream.h"

typedef struct FbRunFile {
    const FbModel* model;
    bool is_binary;
    char *path, *part_path, *new_path, *state_path, *new_state_path;
    FILE* file;
    bool has_part_name;  // the file is the part; until its first row it has yet another name
    bool has_failed;     // a row could not be written
    FbText text;
    uint64_t size;  // of all whole rows
    FbSha256 digest;
    void* state;  // of the run that is continued; NULL: none
    size_t state_size;
    FbSamples before;  // rows before it, on request
    FbRowSink sink;
} FbRunFile;

// Prepares to write the table `path`; with `is_resumed` to continue what is left of an earlier run,
// if there is something: file->state says. `keeps_rows`: the rows before are read. Close in any
// case. FB_ERR_IO: it cannot be written, or another program is writing it.
FbStatus fb_run_file_open(FbRunFile* file, const FbModel* model, const char* path, bool is_resumed,
                          bool keeps_rows, FbError* err);
// Whether there are rows of an earlier run that was not finished.
bool fb_run_file_is_unfinished(const char* path);

// All rows of a result, where they do not come through the sink.
FbStatus fb_run_file_write_result(FbRunFile* file, const FbResult* result, FbError* err);

// All rows are there: the table goes to the disk. Its digest.
FbStatus fb_run_file_finish(FbRunFile* file, char sha256[65], FbError* err);
// The table takes its name, in place of an old one. What was saved for a continuation is removed
// unless it `is_unfinished`.
FbStatus fb_run_file_take_name(FbRunFile* file, bool is_unfinished, FbError* err);
// Frees what is left; the part stays where it is.
void fb_run_file_close(FbRunFile* file);

#endif
