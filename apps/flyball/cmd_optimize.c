// `flyball optimize`: searches for the best parameters of a model.
#include "study_run.h"
#include "terminal.h"

// All tasks of an array have one command line: each would run the same search, and write the same
// table.
static int check_array(const Options* options) {
    StudyPart part;
    int code = read_part(options, &part);
    if (code == EXIT_OK && part.n_parts > 1) {
        return usage_error(options,
                           "this is task %d of %d of a Slurm array, and each would run the same "
                           "search; submit one job instead, with --ntasks=N and 'mpirun flyball "
                           "optimize STUDY --mpi' for several processors, or, if each task has a "
                           "study of its own, unset SLURM_ARRAY_TASK_ID",
                           part.part + 1, part.n_parts);
    }
    return code;
}

int cmd_optimize(const Options* options) {
    StudyCommand command = {.ending = ".trials.csv",
                            .check = fb_study_check_optimize,
                            .run = fb_study_optimize,
                            .part = {0, 1, false}};
    if (!fb_study_can_optimize()) {
        print_note(
            "optimize needs NLopt, which this build does not have; install it (Debian and "
            "Ubuntu: libnlopt-dev) and build Flyball again");
        return EXIT_USAGE;
    }
    int code = check_array(options);
    return code == EXIT_OK ? run_study(options, &command) : code;
}
