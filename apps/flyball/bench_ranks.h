// The cases of `flyball bench`, shared among the processes of mpirun.
#ifndef FLYBALL_APP_BENCH_RANKS_H
#define FLYBALL_APP_BENCH_RANKS_H

#include "bench_report.h"
#include "study/ranks.h"

// What is done with a case that some rank has run: `outcome` has its run. Returns an exit code;
// EXIT_FILE ends the sharing.
typedef int (*CaseTaker)(void* self, CaseOutcome* outcome, FbDiagnostics* diagnostics);

typedef struct RankedCases {
    const Options* options;
    const BenchCases* cases;
    FbRanks* ranks;
    CaseOutcome* outcomes;  // [n_cases] on rank 0; those with a run are done
    CaseTaker take;
    void* self;
} RankedCases;

// Rank 0: all cases that have no run yet. FB_STOPPED: it was interrupted.
FbStatus share_cases(const RankedCases* r, FbError* err);
// Another rank: runs cases until there are no more; returns an exit code.
int work_on_cases(const Options* options, const BenchCases* cases, FbRanks* ranks);

// Of all files that describe the cases, and the options: whoever has another one has other cases.
void hash_cases(const Options* options, const BenchCases* cases, char out[65]);

#endif
