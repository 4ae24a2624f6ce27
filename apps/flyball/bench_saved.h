// Cases of `flyball bench -o FILE` that are done, in FILE.part.runs, for --resume.
#ifndef FLYBALL_APP_BENCH_SAVED_H
#define FLYBALL_APP_BENCH_SAVED_H

#include "bench_report.h"

// Takes over what an interrupted command with the same cases and options has saved (without
// --resume: forgets it). `take` gets each case that has a run now.
FbStatus read_saved_cases(const Options* options, const BenchCases* cases, CaseOutcome* outcomes,
                          void (*take)(const Options*, CaseOutcome*, FbDiagnostics*), FbError* err);

// Appends the run of a case.
FbStatus save_case(const Options* options, const BenchCases* cases, int index,
                   const FbBenchRun* run, const FbDiagnostics* diagnostics, FbError* err);

// All is done.
void forget_saved_cases(const Options* options);

#endif
