// The table of the section `slurm` of a study file.
#include <stddef.h>

#include "study/slurm.h"
#include "study/study_tables.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define AT(member) .unit = "", .offset = offsetof(FbStudySlurm, member)
#define TEXT(name, what) \
    { .key = #name, .kind = FB_FIELD_TEXT, AT(name), .is_optional = true, .doc = what }

static const FbField slurm_fields[] = {
    {.key = "tasks",
     .kind = FB_FIELD_INT,
     AT(tasks),
     .is_optional = true,
     .min = 1,
     .max = 100000,
     .doc = "Number of tasks in the array; default: one for every four points per processor, at "
            "most 256."},
    {.key = "at_once",
     .kind = FB_FIELD_INT,
     AT(at_once),
     .is_optional = true,
     .min = 1,
     .max = 100000,
     .doc = "Largest number of tasks that run at a time; default: any number."},
    {.key = "cpus_per_task",
     .kind = FB_FIELD_INT,
     AT(cpus_per_task),
     .default_text = "1",
     .min = 1,
     .max = 4096,
     .doc = "Processors per task, and so the number of its parallel runs."},
    TEXT(time, "Time limit of a task: MINUTES, HOURS:MINUTES:SECONDS or DAYS-HOURS."),
    TEXT(memory, "Memory of a task, such as 2G or 500M."),
    TEXT(partition, "Partition of the cluster."),
    TEXT(account, "Account that is charged."),
    TEXT(qos, "Quality of service."),
    TEXT(constraint, "Features that the nodes must have."),
    TEXT(reservation, "Reservation to use."),
    {.key = "setup",
     .kind = FB_FIELD_TEXTS,
     AT(setup),
     .offset2 = offsetof(FbStudySlurm, n_setup),
     .is_optional = true,
     .doc = "Shell commands that each job runs first, such as 'module load flyball'."},
};
const FbTypeInfo fb_study_slurm_table = {.name = "slurm",
                                         .doc = "What 'sweep --slurm' requests from the scheduler.",
                                         .fields = slurm_fields,
                                         .n_fields = COUNT(slurm_fields)};
