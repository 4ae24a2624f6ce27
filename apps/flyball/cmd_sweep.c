// `flyball sweep`: a model at all points of a grid, or at a part of them.
#include <stdio.h>

#include "study_run.h"

static int read_part(const Options* options, StudyCommand* command) {
    int part, n;
    char rest;
    if (options->part == NULL) {
        return EXIT_OK;
    }
    if (sscanf(options->part, "%d/%d%c", &part, &n, &rest) != 2 || part < 1 || n < 1 || part > n) {
        return usage_error(options, "--part is '%s'; it must be I/N with 1 <= I <= N, as in 3/16",
                           options->part);
    }
    command->part = part - 1;
    command->n_parts = n;
    return EXIT_OK;
}

int cmd_sweep(const Options* options) {
    StudyCommand command = {
        .ending = ".csv", .check = fb_study_check_sweep, .run = fb_study_sweep, .n_parts = 1};
    int code = read_part(options, &command);
    return code == EXIT_OK ? run_study(options, &command) : code;
}
