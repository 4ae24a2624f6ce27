// The ranks of `mpirun`, by a module that is loaded with --mpi alone.
#ifndef FLYBALL_APP_MPI_RANKS_H
#define FLYBALL_APP_MPI_RANKS_H

#include "study/ranks.h"

// FB_ERR_UNAVAILABLE: this build has no such module, or MPI is not installed.
FbStatus open_ranks(FbRanks* out, FbError* err);

#endif
