// `flyball sweep --slurm`.
#ifndef FLYBALL_APP_STUDY_SLURM_H
#define FLYBALL_APP_STUDY_SLURM_H

#include "flyball/study.h"
#include "options.h"

// Writes the scripts of an array job and of the job that joins its tables; with --submit also
// submits them. Returns an exit code.
int write_slurm(const Options* options, const FbStudy* study);

#endif
