// `flyball bench`: the benchmark problems with their error measures and limits.
#include "options.h"

int cmd_bench(const Options* options) {
    return usage_error(options, "no cases yet");
}
