// Reading a table of trials back, and what reading and writing share.
#ifndef FLYBALL_STUDY_TABLE_READ_H
#define FLYBALL_STUDY_TABLE_READ_H

#include "study/table.h"

typedef struct FbTableHash {
    char text[17];
} FbTableHash;

// The first 16 digits of the study's hash, as they stand in each row.
FbTableHash fb_table_short_hash(const FbStudy* study);

// Adds a trial to the memory of the table, or replaces the one at the same parameters.
FbStatus fb_table_keep(FbTrialTable* table, FbTrial* trial, FbError* err);

// Reads all rows of a file: of table->path, or of the table of a part. *size: bytes up to the end
// of the last whole line.
FbStatus fb_table_read(FbTrialTable* table, const char* path, bool is_retry, size_t* size,
                       FbError* err);

#endif
