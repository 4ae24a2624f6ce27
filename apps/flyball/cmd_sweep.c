// `flyball sweep`: a model at all points of a grid, or at a part of them.
#include "study_run.h"
#include "terminal.h"

enum { MAX_JOINED = 100000 };  // more than any scheduler's array has tasks

static int check_options(const Options* options) {
    if (options->join > MAX_JOINED) {
        return usage_error(options, "--join is %d; it must be at most %d", options->join,
                           MAX_JOINED);
    }
    if (options->join > 0 && options->part != NULL) {
        return usage_error(options, "--join and --part exclude each other");
    }
    if (options->is_submit && !options->is_slurm) {
        return usage_error(options, "--submit is only for --slurm");
    }
    if (options->is_slurm && (options->join > 0 || options->part != NULL)) {
        return usage_error(options, "--slurm divides the sweep itself, without --part and --join");
    }
    if (options->is_mpi && (options->join > 0 || options->is_slurm)) {
        return usage_error(options, "--mpi runs points; --join and --slurm do not");
    }
    return EXIT_OK;
}

int cmd_sweep(const Options* options) {
    StudyCommand command = {.ending = ".csv",
                            .check = fb_study_check_sweep,
                            .run = fb_study_sweep,
                            .part = {0, 1, false}};
    int code = check_options(options);
    if (code == EXIT_OK && options->join == 0 && !options->is_slurm) {
        code = read_part(options, &command.part);
    }
    if (code != EXIT_OK) {
        return code;
    }
    return run_study(options, &command);
}
