// `flyball optimize`: searches for the best parameters of a model.
#include "study_run.h"
#include "terminal.h"

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
    return run_study(options, &command);
}
