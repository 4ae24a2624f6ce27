// The rows, events and statistics of a finished or interrupted run.
#ifndef FLYBALL_SOLVE_RESULT_H
#define FLYBALL_SOLVE_RESULT_H

#include "flyball/simulate.h"
#include "solve/auto.h"
#include "solve/step_log.h"

// Limits of a drive that an output may count.
enum { FB_REASON_TEXT = 256, FB_RESULT_LIMITS = 8 };

struct FbResult {
    const FbModel* model;
    int n_column;
    double* rows;  // [(n_row - first_row) x (1 + n_column)] time first
    int n_row, row_capacity;
    int first_row;  // that is in memory; 0: all are
    int most_rows;  // that are kept in memory; 0: all
    int n_sent;     // rows that the sink of the run has got
    double* poses;  // [n_row x (7 n_body + n_slider + 2 n_mesh)], or NULL: not requested
    int n_body, n_slider, pose_capacity;  // bodies in the picture
    int n_mesh;                           // coordinates of structures whose mesh is kept
    FbEventRecord* events;
    int n_event, event_capacity;
    char** warnings;
    int n_warning, warning_capacity;
    FbRunStats stats;
    char reason[FB_REASON_TEXT];
    FbAssembly assembly;
    bool* is_ambiguous;                 // [n_column]
    int* limits;                        // [n_column x FB_RESULT_LIMITS] rows in which each bound
    FbIntegratorStats counts[FB_ARMS];  // of each kind of method
    bool has_rough_steps;               // of fixed length, over kinks or in parts
    long n_looks;                       // for kinks
    FbStepLog* log;                     // of the steps
    bool has_estimate;                  // of errors
    FbErrorEstimate estimate;
    double *output_errors, *output_scales;  // [n_column]
    double* inputs;                         // [inputs of the model] at the start
};

// Room for `n_row` rows is reserved, so that recording does not allocate.
FbStatus fb_result_create(const FbModel* model, int n_row, FbResult** out, FbError* err);
// From now on rows have poses of bodies and places of sliders; before the first row, with room for
// `n_row` of them.
FbStatus fb_result_keep_poses(FbResult* result, int n_row, FbError* err);
// The poses of the last row, for the caller to fill, then to make continuous; NULL: not requested.
double* fb_result_last_poses(FbResult* result);
double* fb_result_last_slides(FbResult* result);
void fb_result_join_quaternions(FbResult* result);
// Displacements of the coordinates of structures whose mesh is kept, then their velocities; NULL:
// there are none. And those of one structure in a row.
double* fb_result_last_meshes(FbResult* result);
const double* fb_result_get_mesh(const FbResult* result, int row, int superelement,
                                 bool is_velocity);
// The values of a new row at time t, for the caller to fill; NULL: out of memory.
double* fb_result_add_row(FbResult* result, double t);
void fb_result_drop_row(FbResult* result);
// Row r, time first; it must be in memory.
const double* fb_result_row(const FbResult* result, int r);
// Keeps only the last row in memory. Not with poses.
void fb_result_forget_rows(FbResult* result);
// The values of a new event, for the caller to fill; `name` must outlive the result.
double* fb_result_add_event(FbResult* result, const char* name, double t, int direction);
FbStatus fb_result_add_warning(FbResult* result, const char* text, FbError* err);

#endif
