// A run of a benchmark case as bytes, for ranks and files of programs that have read the same case.
#ifndef FLYBALL_STUDY_BENCH_BYTES_H
#define FLYBALL_STUDY_BENCH_BYTES_H

#include "base/text.h"
#include "study/bench_case.h"

// Appends the run and its messages.
void fb_bench_run_pack(const FbBenchRun* run, const FbDiagnostics* diagnostics, FbText* out);

// The run again, and its messages. FB_ERR_IO: these bytes are not a run of this case.
FbStatus fb_bench_run_unpack(const FbBenchCase* c, const FbBenchOptions* options, const char* data,
                             size_t size, FbBenchRun** out, FbDiagnostics* diagnostics,
                             FbError* err);

#endif
