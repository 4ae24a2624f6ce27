// Runs whose rows leave memory while they are computed, and that can be resumed from a saved state.
#ifndef FLYBALL_SOLVE_STREAM_H
#define FLYBALL_SOLVE_STREAM_H

#include "flyball/simulate.h"

// Takes the rows of a run. Both functions are called at the ends of steps; what they return, if it
// is negative, ends the run.
typedef struct FbRowSink {
    void* self;
    // n further rows of 1 + outputs numbers, time first.
    FbStatus (*write)(void* self, const double* rows, int n, FbError* err);
    // A state from which the run continues exactly; all rows before it were written. NULL: no
    // states are wanted.
    FbStatus (*save)(void* self, const void* data, size_t size, FbError* err);
    double save_interval;  // s of wall time between two states; 0: one after each step
} FbRowSink;

typedef struct FbStreaming {
    const FbRowSink* sink;  // NULL: rows are only counted
    bool keeps_rows;        // all in memory; else only as many as fit into a fixed room
    const void* state;      // of `save`, to continue from; NULL: the run begins
    size_t state_size;
    const double* rows;  // [n_rows] with a state and keeps_rows: those before it
    int n_rows;
} FbStreaming;

// As fb_simulate(). FB_ERR_MODEL: the state is of another model or of other settings;
// FB_ERR_SYNTAX: it is not a state of a run, or it was altered.
FbStatus fb_simulate_streaming(const FbModel* model, const FbRunOptions* options,
                               const FbStreaming* streaming, FbResult** out, FbError* err);

// A checksum of the model and of all settings that the rows depend on.
void fb_run_key(const FbModel* model, const FbRunOptions* options, char out[65]);

#endif
