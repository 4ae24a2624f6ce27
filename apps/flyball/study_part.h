// Which part of a sweep this process runs, and the names of the tables of parts.
#ifndef FLYBALL_APP_STUDY_PART_H
#define FLYBALL_APP_STUDY_PART_H

#include "options.h"

typedef struct StudyPart {
    int part, n_parts;  // from 0
    bool is_of_array;   // chosen by the scheduler: all tasks have one command line
} StudyPart;

// From --part, or else from the Slurm array in whose task the program runs. Returns an exit code,
// after a message if it is not EXIT_OK.
int read_part(const Options* options, StudyPart* out);

// "decay.csv" -> "decay.part-2-of-8.csv"; to be freed, NULL: out of memory.
char* make_part_path(const char* table, int part, int n_parts);

#endif
