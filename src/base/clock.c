// Clocks of the operating system.
#include "base/clock.h"

#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) {
        return 0.0;
    }
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double fb_clock_wall_s(void) {
    return seconds(CLOCK_MONOTONIC);
}

double fb_clock_cpu_s(void) {
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}
