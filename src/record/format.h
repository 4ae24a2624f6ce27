// File formats of results: one table each, listed in format.c. `flyball run --format`, `convert`,
// their help and fb_result_write() loop over the list.
#ifndef FLYBALL_RECORD_FORMAT_H
#define FLYBALL_RECORD_FORMAT_H

#include "flyball/compare.h"
#include "flyball/simulate.h"

typedef struct FbResultFormat {
    const char* name;  // as requested; also the ending of file names
    const char* doc;   // what reads it
    FbStatus (*write)(const FbSamples* table, const char* path, FbError* err);
} FbResultFormat;

extern const FbResultFormat fb_format_csv, fb_format_fbr, fb_format_mat, fb_format_npz,
    fb_format_parquet;

// Writes a table in a format by its name. FB_ERR_NAME: there is no such format.
FbStatus fb_samples_write(const FbSamples* table, const char* format, const char* path,
                          FbError* err);
// A table without rows that has the outputs of a model as its columns; freed by fb_samples_free().
FbStatus fb_samples_of_model(FbSamples* table, const FbModel* model, FbError* err);

#endif
