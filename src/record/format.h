// File formats of results: one table each, listed in format.c. `flyball run --format`, its help and
// fb_result_write() loop over the list.
#ifndef FLYBALL_RECORD_FORMAT_H
#define FLYBALL_RECORD_FORMAT_H

#include "flyball/simulate.h"

typedef struct FbResultFormat {
    const char* name;  // as asked for; also the ending of file names
    const char* doc;   // what reads it
    FbStatus (*write)(const FbResult* result, const char* path, FbError* err);
} FbResultFormat;

extern const FbResultFormat fb_format_csv, fb_format_mat;

#endif
