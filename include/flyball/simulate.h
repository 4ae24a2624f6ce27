// From a description to a compiled model, an assembled state, a trajectory and its recorded outputs.
#ifndef FLYBALL_SIMULATE_H
#define FLYBALL_SIMULATE_H

#include "flyball/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// Compiled, immutable; any number of simulations (one per thread) may share it.
typedef struct FbModel FbModel;

// Validates and compiles. All errors and warnings go to `diagnostics`; *out is NULL if there was an error. `def` may be destroyed afterwards.
FB_API FbStatus fb_model_create(const FbModelDef* def, FbModel** out, FbDiagnostics* diagnostics);
FB_API void fb_model_destroy(FbModel* model);

typedef struct FbModelInfo {
    const char* name;
    const char* title;     // NULL: none
    int n_bodies, n_joints, n_constraints, n_forces, n_sensors, n_states, n_events;
    int n_coordinates;     // tree coordinates (velocities)
    int n_loops;           // joints that close a loop
    int n_constraint_rows; // loop closures and constraints, all rows
    int n_structures, n_sliders;
    int n_beams, n_members;  // finite elements, and the members that they make up
} FbModelInfo;

FB_API void fb_model_get_info(const FbModel* model, FbModelInfo* info);
// A structure of members; those given by matrices are not among them.
typedef struct FbStructureInfo {
    const char* name;
    int n_members, n_elements, n_nodes; // nodes inside of members count
    double mass;                        // kg, of the members
    bool is_nonlinear;
} FbStructureInfo;

typedef struct FbSliderInfo {
    const char* name;
    const char* guide;     // its members, or the body of its curve
    int n_pieces;          // elements of the guide; 0: a curve
    double length, mass;   // of the guide, m; of the slider, kg
    const char* theory;
    const char* drive;     // law, feedback, free
} FbSliderInfo;

// false: no such index.
FB_API bool fb_model_get_structure(const FbModel* model, int index, FbStructureInfo* info);
FB_API bool fb_model_get_slider(const FbModel* model, int index, FbSliderInfo* info);
// Warns of each structure that can move without strain (not supported, or a mechanism), naming nodes that move. Such a structure is legal in a
// run, but has no equilibrium under load. Structures of more than 20000 coordinates are not examined.
FB_API FbStatus fb_model_check_structures(const FbModel* model, FbDiagnostics* diagnostics, FbError* err);
FB_API const FbSettings* fb_model_get_settings(const FbModel* model);
// The vibration that the model asks to examine; NULL: none.
FB_API const FbDampingDef* fb_model_get_damping(const FbModel* model);

// Which joints close loops: 0 <= index < n_loops.
FB_API const char* fb_model_get_loop_joint(const FbModel* model, int index);

// Recorded outputs: columns of the result.
FB_API int fb_model_get_output_count(const FbModel* model);
FB_API const char* fb_model_get_output_name(const FbModel* model, int index);
FB_API const char* fb_model_get_output_unit(const FbModel* model, int index);
FB_API int fb_model_find_output(const FbModel* model, const char* name); // -1: none

typedef struct FbProgress {
    double t, t_start, t_end;
    long steps;
    double wall_s;
} FbProgress;

typedef struct FbRunOptions {
    FbSettings settings;   // start from *fb_model_get_settings(model)
    // Called now and then (not more than about ten times a second); return false to stop and keep what is there.
    bool (*progress)(void* self, const FbProgress* progress);
    void* progress_self;
    bool record_poses;     // keep the poses of all bodies (7 doubles each) and the places of sliders with every row, for pictures
    bool ignores_kinks;    // for comparisons: borders of pieces of expressions are not located, steps pass them in the dark
} FbRunOptions;

// A simulation: a state of the model and an integrator. Created assembled: positions and velocities satisfy all constraints.
typedef struct FbSimulation FbSimulation;

FB_API FbRunOptions fb_run_options_default(const FbModel* model);
FB_API FbStatus fb_simulation_create(const FbModel* model, const FbRunOptions* options, FbSimulation** out, FbError* err);
FB_API void fb_simulation_destroy(FbSimulation* sim);

// What the assembly found at the initial state.
typedef struct FbRedundancy {
    const char* part;   // joint or constraint
    FbPlace place;
    const char* rows;   // "translation along z, rotation about x"
    int n_rows;
} FbRedundancy;

typedef struct FbAssembly {
    double position_error; // largest after assembly, m or rad
    double velocity_error;
    int degrees_of_freedom;
    int n_redundant_rows;
    int n_redundancies;    // parts with redundant rows
    int n_ambiguous;       // recorded outputs that are not unique because rows are redundant: components of reactions or
                           // multipliers; those with the smallest multipliers of the loops are given
} FbAssembly;

FB_API void fb_simulation_get_assembly(const FbSimulation* sim, FbAssembly* assembly);
FB_API void fb_simulation_get_redundancy(const FbSimulation* sim, int index, FbRedundancy* redundancy);
// Does the motion determine the output? Only reactions and multipliers of models with redundant rows can be left open.
FB_API bool fb_simulation_is_unique(const FbSimulation* sim, int output);

// Integrates to exactly t (>= the present time). FB_STOPPED: an event or the progress function ended it earlier.
FB_API FbStatus fb_simulation_advance(FbSimulation* sim, double t, FbError* err);
FB_API double fb_simulation_get_time(const FbSimulation* sim);
// All outputs at the present time; values [fb_model_get_output_count].
FB_API FbStatus fb_simulation_calc_outputs(FbSimulation* sim, double* values, FbError* err);

typedef struct FbRunStats {
    const char* integrator;        // the method used
    const char* integrator_reason; // why `auto` chose it, or "asked for"
    double rtol, atol, t_start, t_end;
    double wall_s, cpu_s;
    long steps, rejected, rhs_evals, jacobian_evals, factorizations, newton_iterations;
    double max_constraint_error;   // position level, at step ends and samples
    double max_velocity_error;
    double energy_start, energy_end;
    double energy_balance;         // energy_end - energy_start - supplied work + dissipated work
} FbRunStats;

FB_API void fb_simulation_get_stats(const FbSimulation* sim, FbRunStats* stats);

typedef struct FbResult FbResult;

typedef struct FbEventRecord {
    const char* name;
    double t;
    int direction;
    const double* outputs; // [n outputs] at the event
} FbEventRecord;

// The whole run at the sample times of the settings. On failure *out still holds the rows up to there (NULL only if nothing could be
// started), and err says when, where and what to try.
FB_API FbStatus fb_simulate(const FbModel* model, const FbRunOptions* options, FbResult** out, FbError* err);

// How large the errors of a run are, from a companion run.
typedef struct FbErrorEstimate {
    double relative;   // the largest of any output at any sample, relative to the output's range (to its size where it is constant)
    int worst_output;  // -1: none has an error
    double lost_from;  // s: from this time on no digit is left, for errors grow exponentially; NaN: digits hold to the end
    double tenfold_s;  // s in which errors grow by ten there; INFINITY: they do not
    double rtol;       // of the companion
    double cpu_s;      // that it took
} FbErrorEstimate;

// Estimates the errors of a run that fb_simulate made with these options, by a second run at a tolerance 1000 times looser, which costs about
// half as much. The estimate is of the right magnitude, seldom too small; certificates are the stricter way (fb_simulate_accurately).
FB_API FbStatus fb_result_estimate_error(FbResult* result, const FbRunOptions* options, FbError* err);
FB_API const FbErrorEstimate* fb_result_get_error_estimate(const FbResult* result); // NULL: none was made
// The error of one output in its SI unit, and what it is relative to (NaN: the output is nothing but error). NaN: no estimate was made.
FB_API double fb_result_get_output_error(const FbResult* result, int column);
FB_API double fb_result_get_output_scale(const FbResult* result, int column);

typedef enum FbCertificateStatus {
    FB_CERTIFIED,     // all rules hold
    FB_NOT_FALLING,   // the differences between runs do not fall with the tolerance
    FB_ABOVE_TARGET,  // they fall, but no tolerance reaches the target
    FB_UNCONFIRMED,   // no cross-check was made
    FB_CROSS_FAILED,  // no method of another kind could do the run
    FB_CROSS_DIFFERS, // one could, and differs by more than the target allows
    FB_RUN_FAILED     // a run at a tighter tolerance failed or was stopped
} FbCertificateStatus;

// How accurate a run is: errors are the largest of any output at any sample, relative to that output's largest value (an output that is
// below the target and nothing but rounding is judged by its difference in SI units).
typedef struct FbCertificate {
    double target, estimate;  // the estimate is never below the difference to the cross-check; INFINITY: none
    bool is_reached;          // status == FB_CERTIFIED
    FbCertificateStatus status;
    char message[320];        // why it is not reached, or empty
    double rtol, atol;        // of the run that is returned
    int n_runs;               // by the same method
    double difference;        // between the last two of them; NaN: there is only one
    double contraction;       // by how much the difference fell when the tolerance fell by 30; NaN: there were only two runs
    int worst_output;         // -1: none differs
    bool has_cross_check;     // a method of another kind ran as well
    const char* cross_integrator; // NULL: none was tried
    double cross_rtol;
    double cross_difference;  // to it
} FbCertificate;

// As fb_simulate, at tolerances that are tightened until the global error is below `accuracy` or cannot be made so (is_reached says which).
FB_API FbStatus fb_simulate_accurately(const FbModel* model, const FbRunOptions* options, double accuracy, FbResult** out,
                                       FbCertificate* certificate, FbError* err);
FB_API void fb_result_destroy(FbResult* result);
FB_API const FbModel* fb_result_get_model(const FbResult* result);
FB_API int fb_result_get_row_count(const FbResult* result);
FB_API int fb_result_get_column_count(const FbResult* result); // without time
FB_API double fb_result_get_time(const FbResult* result, int row);
FB_API double fb_result_get_value(const FbResult* result, int row, int column);
// Pose of a body frame in the ground frame: position in m, unit quaternion (w, x, y, z) that does not jump between rows.
// false: poses were not recorded, or there is no such row or body.
FB_API bool fb_result_get_pose(const FbResult* result, int row, int body, double position[3], double quaternion[4]);
// Where a slider is along its undeformed guide, m from its start; slider: its index in the description. false: as above.
FB_API bool fb_result_get_slide(const FbResult* result, int row, int slider, double* s);
FB_API const FbRunStats* fb_result_get_stats(const FbResult* result);
FB_API const FbAssembly* fb_result_get_assembly(const FbResult* result);
FB_API bool fb_result_is_unique(const FbResult* result, int column); // as fb_simulation_is_unique() at the start
FB_API int fb_result_get_event_count(const FbResult* result);
FB_API void fb_result_get_event(const FbResult* result, int index, FbEventRecord* record);
FB_API int fb_result_get_warning_count(const FbResult* result);
FB_API const char* fb_result_get_warning(const FbResult* result, int index);

// CSV as in `flyball run -o`: header "t [s],name [unit],...".
FB_API FbStatus fb_result_write_csv(const FbResult* result, const char* path, FbError* err);

#ifdef __cplusplus
}
#endif
#endif
