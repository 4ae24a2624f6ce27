// Binary tables of results, NAME.fbr: names and units, then blocks of rows by columns, each with
// its checksum (docs/decisions/result-format.md). What has been written can be read while more is
// added.
#ifndef FLYBALL_RECORD_FBR_H
#define FLYBALL_RECORD_FBR_H

#include "base/text.h"
#include "flyball/compare.h"

// The beginning of the file; `table` has names and units, its rows are not looked at.
void fb_fbr_add_header(FbText* out, const FbSamples* table);
// n rows of 1 + n_columns numbers as one block.
void fb_fbr_add_block(FbText* out, const double* rows, int n, int n_columns);

// Is this the beginning of such a file?
bool fb_fbr_is(const char* data, size_t size);
// Reads a file in memory. `is_part`: rows end where the first block is incomplete; else that is an
// error.
FbStatus fb_fbr_read(FbSamples* table, const char* data, size_t size, const char* path,
                     bool is_part, FbError* err);

#endif
