// Finds the folder of the benchmark cases and the cases in it.
#ifndef FLYBALL_APP_BENCH_CASES_H
#define FLYBALL_APP_BENCH_CASES_H

#include "base/arena.h"
#include "flyball/bench.h"
#include "options.h"

typedef struct BenchCases {
    FbArena* arena;
    const char* folder;
    FbBenchCase** cases;  // [n_cases]
    int n_cases;
} BenchCases;

// All cases, or those named on the command line, in that order. Prints what is wrong and returns an
// exit code; free in any case.
int find_bench_cases(const Options* options, BenchCases* out);
void free_bench_cases(BenchCases* cases);

#endif
