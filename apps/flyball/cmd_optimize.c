// `flyball optimize`: the parameters of a model that are best, by search.
#include "study/optimize.h"

#include "study/search.h"
#include "study_run.h"
#include "terminal.h"

int cmd_optimize(const Options* options) {
    StudyCommand command = {
        .ending = ".trials.csv", .check = fb_optimize_check, .run = fb_optimize_run, .n_parts = 1};
    if (!fb_search_is_available()) {
        print_note(
            "optimize needs NLopt, which this build does not have; install it (Debian and "
            "Ubuntu: libnlopt-dev) and build Flyball again");
        return EXIT_USAGE;
    }
    return run_study(options, &command);
}
