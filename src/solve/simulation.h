// A simulation: a system, its run and what is measured on the way.
#ifndef FLYBALL_SOLVE_SIMULATION_H
#define FLYBALL_SOLVE_SIMULATION_H

#include <stdatomic.h>

#include "solve/result.h"
#include "solve/run.h"
#include "solve/work.h"
#include "system/system.h"

struct FbSimulation {
    const FbModel* model;
    FbRunOptions options;
    FbSystem* system;
    FbRun run;
    bool has_run;
    FbAssembly assembly;
    FbRunStats stats;
    char reason[FB_REASON_TEXT];
    FbConstraintErrors violated;  // the largest so far, by the size of its row ...
    double violated_time;         // ... and when
    double t_end;
    double wall_before, next_progress;  // s
    FbPoint sample;
    FbArena* arena;
    int* event_counts;      // [n events]
    int* event_directions;  // [n events]
    FbResult* result;       // where rows and events go, or NULL
    double next_sample;     // index of the next row
    FbStepPlan plan;        // of a companion (companion.h); without a log: none
    bool skips_samples;     // ... whose samples inside steps are skipped
    FbWorkUnits units;      // ... with a limit of its work
    double work, dearest_step, most_work;
    bool is_too_dear;       // it was stopped there
    atomic_flag is_in_use;  // by a call that changes it
    double* start_inputs;   // [n inputs] of the options; NULL: their defaults
    bool has_new_inputs;    // the run has to be interrupted for them
    bool has_failed;        // ... or because its last step has failed
    bool waits_for_event;   // stops at the next one with a name ...
    FbEventRecord event;    // ... which is this
};

// A call that changes the simulation begins, or fails because another thread is in one; and ends.
FbStatus fb_simulation_enter(FbSimulation* sim, FbError* err);
void fb_simulation_leave(FbSimulation* sim);

// The run takes notice of inputs that were set: accelerations, pieces of expressions, the method.
FbStatus fb_simulation_settle(FbSimulation* sim, FbError* err);
// Moves all that a simulation has, which is then empty, into another.
void fb_simulation_move(FbSimulation* from, FbSimulation* to);

// Makes the whole run into a new result.
FbStatus fb_simulation_record_run(FbSimulation* sim, FbResult** out, FbError* err);

// Steps until t; ends steps at sample times where the dense output is not accurate enough.
// FB_STOPPED as in the public header.
FbStatus fb_simulation_run_to(FbSimulation* sim, double t, FbError* err);

// A new row of the result at p: outputs and, if requested, poses.
FbStatus fb_simulation_record(FbSimulation* sim, const FbPoint* p, FbError* err);

// Warnings in the result about limits of drives that bound.
void fb_simulation_report_limits(FbSimulation* sim);

#endif
