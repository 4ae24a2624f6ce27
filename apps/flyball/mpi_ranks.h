// The ranks of `mpirun`, by modules that are loaded only with --mpi.
#ifndef FLYBALL_APP_MPI_RANKS_H
#define FLYBALL_APP_MPI_RANKS_H

#include "math/reducer.h"
#include "options.h"
#include "study/ranks.h"

// A command of which every rank runs its part; returns an exit code. Only rank 0 writes files and
// speaks.
typedef int (*RankedCommand)(const Options* options, FbRanks* ranks, const void* self);

// Runs the command as one rank of several. An error if this build has no such module, or MPI is not
// installed.
int run_ranked(const Options* options, RankedCommand command, const void* self);

// The processes that reduce structures together, by PETSc and SLEPc. FB_ERR_UNAVAILABLE as above.
FbStatus open_reducer(FbReducer* out, FbError* err);

#endif
