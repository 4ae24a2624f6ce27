// A simulation: a system, its run and what is measured during it.
#ifndef FLYBALL_SOLVE_SIMULATION_H
#define FLYBALL_SOLVE_SIMULATION_H

#include <stdatomic.h>

#include "solve/result.h"
#include "solve/run.h"
#include "solve/stream.h"
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
    int* event_counts;             // [n events]
    int* event_directions;         // [n events]
    FbResult* result;              // where rows and events go, or NULL
    double next_sample;            // index of the next row
    const FbRowSink* sink;         // takes the rows of the result; NULL: none
    double next_write, next_save;  // wall times
    FbStepPlan plan;               // of a companion (companion.h); without a log: none
    bool skips_samples;            // ... whose samples inside steps are skipped
    FbWorkUnits units;             // ... with a limit of its work
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

// A result for the run, with room for all rows, or for `most_rows` of them (0: all).
FbStatus fb_simulation_start_result(FbSimulation* sim, int most_rows, FbError* err);
// Makes the run into its result; the first row is there already where it is continued.
FbStatus fb_simulation_record_run(FbSimulation* sim, bool is_continued, FbResult** out,
                                  FbError* err);

// stream.c: rows go to the sink, and states from time to time: after a step, where the run was
// stopped from outside, and at its end. Times of clocks are those at which the run was entered.
typedef enum FbStreamMoment { FB_STREAM_STEP, FB_STREAM_STOPPED, FB_STREAM_END } FbStreamMoment;
FbStatus fb_simulation_stream(FbSimulation* sim, FbStreamMoment when, double wall_start,
                              double cpu_start, FbError* err);
// Before a new row: rows in memory give way where there are too many.
FbStatus fb_simulation_make_room(FbSimulation* sim, FbError* err);

// Steps until t; ends steps at sample times where the dense output is not accurate enough.
// FB_STOPPED as in the public header.
FbStatus fb_simulation_run_to(FbSimulation* sim, double t, FbError* err);

// A new row of the result at p: outputs and, if requested, poses.
FbStatus fb_simulation_record(FbSimulation* sim, const FbPoint* p, FbError* err);

// Counts the limits of drives that bind in a row.
void fb_simulation_count_limits(FbSimulation* sim, const double* row);
// Warnings in the result about limits of drives that bound.
void fb_simulation_report_limits(FbSimulation* sim);

#endif
