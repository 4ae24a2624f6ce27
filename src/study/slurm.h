// A sweep as jobs of the Slurm scheduler: an array whose tasks are parts, and a job that joins
// them.
#ifndef FLYBALL_STUDY_SLURM_H
#define FLYBALL_STUDY_SLURM_H

#include "base/text.h"
#include "flyball/study.h"

// The section `slurm` of a study file: what is asked of the scheduler. NULL: its default.
typedef struct FbStudySlurm {
    int tasks;    // 0: as many as seem sensible
    int at_once;  // tasks that run at a time; 0: any number
    int cpus_per_task;
    const char *time, *memory, *partition, *account, *qos, *constraint, *reservation;
    const char** setup;  // [n_setup] shell commands before the program
    int n_setup;
} FbStudySlurm;

// What the scripts run.
typedef struct FbSlurmJob {
    const char* program;           // path of flyball
    const char* folder;            // where it runs
    const char* study;             // path of the study file
    const char* table;             // path of the joined table
    const char* const* arguments;  // [n_arguments] further ones, as --set and NAME=VALUE
    int n_arguments;
    bool is_retry;  // the array reruns failed points
} FbSlurmJob;

// Tasks of the array.
int fb_slurm_count_tasks(const FbStudy* study);

// "decay.csv" -> "decay.slurm-array.sh": `ending` takes the place of the table's.
void fb_slurm_write_path(const char* table, const char* ending, FbText* out);

// The script of the array, and that of the job that joins its tables.
void fb_slurm_write_array(const FbStudy* study, const FbSlurmJob* job, FbText* out);
void fb_slurm_write_join(const FbStudy* study, const FbSlurmJob* job, FbText* out);

#endif
