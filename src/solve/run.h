// The run loop over any dynamics: steps that end at limits and breaks, events located inside them,
// restarts.
#ifndef FLYBALL_SOLVE_RUN_H
#define FLYBALL_SOLVE_RUN_H

#include "solve/integrator.h"

typedef struct FbRun FbRun;

typedef struct FbRunHooks {
    void* self;
    // A part (from, to] of the trajectory is there: fb_run_sample works for its times until this
    // returns. May be NULL.
    FbStatus (*on_interval)(void* self, FbRun* run, double from, double to, FbError* err);
    // Event `root` at p; *is_ignored = true: nothing happens (it happened often enough). May be
    // NULL.
    FbStatus (*on_event)(void* self, FbRun* run, const FbPoint* p, int root, int direction,
                         bool* is_ignored, FbError* err);
} FbRunHooks;

struct FbRun {
    FbDynamics* dynamics;
    FbIntegrator* integrator;
    FbRunHooks hooks;
    const int* directions;     // [n_root] +1 rising, -1 falling, 0 both; NULL: all both
    bool needs_accelerations;  // at samples
    FbArena* arena;
    FbPoint at;                                               // the present point
    FbPoint start;                                            // of the last step
    FbPoint probe, event;                                     // inside it
    double *roots, *roots_before, *roots_after, *root_scale;  // [n_root]
    double row_change;  // first time at which constraint rows that had seemed redundant became
                        // active; NaN: never
    int* side;          // [n_root] sign on which each root function is, 0 not known yet
};

// The run owns the integrator from now on (also where it fails). `max` are the largest sizes that
// may occur. Fill run->at, then call fb_run_restart.
FbStatus fb_run_init(FbRun* run, FbDynamics* d, FbIntegrator* integrator, const FbSizes* max,
                     FbError* err);
void fb_run_clear(FbRun* run);
FbStatus fb_run_restart(FbRun* run, FbError* err);

// One step, ending at or before t_limit. FB_STOPPED: an event asked to stop; run->at is there.
FbStatus fb_run_step(FbRun* run, double t_limit, FbError* err);

// Two times that are not farther apart than this are one: no step is taken between them.
double fb_run_resolution(const FbRun* run);

// The trajectory at a time inside the last step: projected, with accelerations where they are
// needed.
FbStatus fb_run_sample(FbRun* run, double t, FbPoint* p, FbError* err);

// events.c: the first crossing in (from, to]; *root = -1: none. The point is written to run->event.
FbStatus fb_run_find_event(FbRun* run, double from, double to, int* root, int* direction,
                           FbError* err);
void fb_run_start_roots(FbRun* run);
// The event was dealt with: the root is on its new side.
void fb_run_pass_event(FbRun* run, int root, int direction);

#endif
