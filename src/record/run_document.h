// Where the table of a saved run is, and what the document beside it says about it.
#ifndef FLYBALL_RECORD_RUN_DOCUMENT_H
#define FLYBALL_RECORD_RUN_DOCUMENT_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct FbRunDocument {
    bool is_there;  // it could be read
    bool has_failure;
    char csv_sha256[65], run_sha256[65];  // "": not known
} FbRunDocument;

void fb_run_document_read(FbRunDocument* document, const char* path);

// Of STEM, STEM.csv, STEM.fbr, STEM.json, STEM.motion.json or a part: the stem; NULL: out of
// memory.
const char* fb_run_find_stem(FbArena* arena, const char* path);
// ... and the table: STEM.csv.part of a run that was not finished where that is requested, or where
// there is no other.
const char* fb_run_find_table(FbArena* arena, const char* path);
// The digest of a table; "": it cannot be read.
void fb_run_hash_table(const char* path, char out[65]);

#endif
