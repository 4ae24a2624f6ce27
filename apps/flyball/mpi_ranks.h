// The ranks of `mpirun`, by a module that is loaded with --mpi alone.
#ifndef FLYBALL_APP_MPI_RANKS_H
#define FLYBALL_APP_MPI_RANKS_H

#include "options.h"
#include "study/ranks.h"

// A command of which every rank runs its part; returns an exit code. Only rank 0 writes files and
// speaks.
typedef int (*RankedCommand)(const Options* options, FbRanks* ranks, const void* self);

// Runs the command as one rank of several. An error if this build has no such module, or MPI is not
// installed.
int run_ranked(const Options* options, RankedCommand command, const void* self);

#endif
