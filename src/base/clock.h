// Elapsed seconds (monotonic) and seconds of processor time, for statistics and progress.
#ifndef FLYBALL_BASE_CLOCK_H
#define FLYBALL_BASE_CLOCK_H

double fb_clock_wall_s(void);  // from an arbitrary start; never goes back
double fb_clock_cpu_s(void);   // of the calling thread

#endif
