// Submits a script to Slurm.
#ifndef FLYBALL_APP_SUBMIT_H
#define FLYBALL_APP_SUBMIT_H

#include "base/error.h"

enum { JOB_ROOM = 64 };  // for the number of a job

// sbatch --parsable [--dependency=afterany:AFTER] SCRIPT. `job`: its number. `after` may be NULL.
FbStatus submit_job(const char* script, const char* after, char job[JOB_ROOM], FbError* err);

#endif
