// The JSON document of a run: what `flyball run --json` prints and what lies next to the CSV.
#ifndef FLYBALL_RECORD_RESULT_JSON_H
#define FLYBALL_RECORD_RESULT_JSON_H

#include "base/text.h"
#include "flyball/damping.h"

// What the result itself does not know.
typedef struct FbRunRecord {
    const char* model_path;
    const char* model_sha256;
    const char* csv_path;         // NULL: none was written
    double load_s;                // reading and compiling the model
    const char* const* warnings;  // of the reader, before those of the run
    int n_warnings;
    const char* failure;               // why the run ended early; NULL: it did not
    const FbCertificate* certificate;  // of its accuracy; NULL: none was asked for
    const FbDamping* damping;          // NULL: none was asked for
} FbRunRecord;

void fb_result_write_json(FbJson* json, const FbResult* result, const FbRunRecord* record);

#endif
