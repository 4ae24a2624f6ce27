// From a description to a compiled model, an assembled state, a trajectory, and its recorded
// outputs with their accuracy.
#ifndef FLYBALL_SIMULATE_H
#define FLYBALL_SIMULATE_H

#include "flyball/model.h"
#include "flyball/structure.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Models ----

// A compiled model. It never changes, and any number of threads may share it.
typedef struct FbModel FbModel;

// Checks and compiles a description. All errors and warnings go to `diagnostics`; *out is NULL if
// there was an error, whose status is returned. `def` may be destroyed afterwards.
FB_API FbStatus fb_model_create(const FbModelDef* def, FbModel** out, FbDiagnostics* diagnostics);
// The same with six coordinates per body and all joints as constraints, as in codes with absolute
// coordinates: for comparisons (linear.h).
FB_API FbStatus fb_model_create_absolute(const FbModelDef* def, FbModel** out,
                                         FbDiagnostics* diagnostics);
// Frees a model, after everything that was made from it; NULL is allowed.
FB_API void fb_model_destroy(FbModel* model);

// What a model consists of. Nodes of structures count as bodies.
typedef struct FbModelInfo {
    const char* name;
    const char* title;  // NULL: none
    int n_bodies;       // without the ground
    int n_joints;
    int n_constraints;
    int n_forces;
    int n_sensors;  // recorded or not
    int n_states;   // extra first-order states
    int n_events;
    int n_coordinates;      // velocities of the spanning tree
    int n_loops;            // joints that close a loop
    int n_constraint_rows;  // of loop closures and constraints
    int n_structures;       // made of members
    int n_sliders;
    int n_beams;    // finite elements
    int n_members;  // that they make up
    uint64_t reserved[8];
} FbModelInfo;

// A structure made of members; those given by matrices are not among them.
typedef struct FbStructureInfo {
    const char* name;
    int n_members;
    int n_elements;
    int n_nodes;        // with those inside members
    double mass;        // kg, of the members
    bool is_nonlinear;  // large rotations
    uint64_t reserved[4];
} FbStructureInfo;

// A structure of solid or shell elements.
typedef struct FbMeshInfo {
    const char* name;
    int n_elements;
    int n_nodes;
    int n_coordinates;           // that are left, with those of named nodes and modes
    double mass;                 // kg
    double size[3];              // m, along the axes of the mesh
    const double* load_factors;  // [n_load_factors] of buckling, ascending
    int n_load_factors;          // -1: not requested
    uint64_t reserved[4];
} FbMeshInfo;

// A sliding mass.
typedef struct FbSliderInfo {
    const char* name;
    const char* guide;   // its members or nodes, or the body of its curve
    int n_pieces;        // elements of the guide; 0: a curve
    double length;       // m, of the guide
    double mass;         // kg, of the slider
    const char* theory;  // which forces it exerts on its guide
    const char* drive;   // law, feedback, free
    int n_through;       // nodes that a smooth guide passes; 0: it is not one
    uint64_t reserved[3];
} FbSliderInfo;

// Fills *info with names and counts.
FB_API void fb_model_get_info(const FbModel* model, FbModelInfo* info);
// Fills *info for a structure, 0 <= index < n_structures. false: no such index.
FB_API bool fb_model_get_structure(const FbModel* model, int index, FbStructureInfo* info);
// Fills *info for a structure of solid or shell elements, from index 0 on. false: no such index.
FB_API bool fb_model_get_mesh(const FbModel* model, int index, FbMeshInfo* info);
// Fills *info for a slider, 0 <= index < n_sliders. false: no such index.
FB_API bool fb_model_get_slider(const FbModel* model, int index, FbSliderInfo* info);
// The name of a body, 0 <= body < n_bodies. NULL: no such index.
FB_API const char* fb_model_get_body_name(const FbModel* model, int body);
// The name of a joint that closes a loop, 0 <= index < n_loops. NULL: no such index.
FB_API const char* fb_model_get_loop_joint(const FbModel* model, int index);
// A checksum (64 hexadecimal digits) that changes with the model file, with parameters and with
// what a program adds: saved states belong to models with the same one. It is computed by the first
// call; "" if memory ran out.
FB_API const char* fb_model_get_hash(const FbModel* model);
// The simulation settings of the description.
FB_API const FbSettings* fb_model_get_settings(const FbModel* model);
// The vibration examined by request of the description; NULL: none.
FB_API const FbDampingDef* fb_model_get_damping(const FbModel* model);
// Warns about each structure that can move without strain (unsupported, or a mechanism), with the
// names of nodes that move. Such a structure can be simulated but has no equilibrium under load.
// Structures of more than 20000 coordinates are not examined.
FB_API FbStatus fb_model_check_structures(const FbModel* model, FbDiagnostics* diagnostics,
                                          FbError* err);

// How many outputs are recorded. A vector counts once for each component.
FB_API int fb_model_get_output_count(const FbModel* model);
// The name of an output ("tip.x"). NULL: no such index.
FB_API const char* fb_model_get_output_name(const FbModel* model, int index);
// The unit of an output, "" if it has none. NULL: no such index.
FB_API const char* fb_model_get_output_unit(const FbModel* model, int index);
// The index of the output with this name; -1: none.
FB_API int fb_model_find_output(const FbModel* model, const char* name);

// An input: a value that is set from outside while the model runs.
typedef struct FbInputInfo {
    const char* name;
    const char* unit;  // "": none
    double value;      // until it is set, SI units
    double min, max;   // what it may be set to; infinite: no limit
    uint64_t reserved[4];
} FbInputInfo;

// How many inputs the model has.
FB_API int fb_model_get_input_count(const FbModel* model);
// Fills *info for an input. false: no such index.
FB_API bool fb_model_get_input(const FbModel* model, int index, FbInputInfo* info);
// The index of the input with this name; -1: none.
FB_API int fb_model_find_input(const FbModel* model, const char* name);

// A sensor whose values a function of the program computes.
typedef struct FbCallbackInfo {
    const char* name;
    int n_arguments;
    int n_results;
    bool is_set;           // there is a function
    bool has_derivatives;  // ... with derivatives
    double period;         // s, of samples; 0: it is called whenever it is needed
    uint64_t reserved[4];
} FbCallbackInfo;

// How many callbacks the model has.
FB_API int fb_model_get_callback_count(const FbModel* model);
// Fills *info for a callback. false: no such index.
FB_API bool fb_model_get_callback(const FbModel* model, int index, FbCallbackInfo* info);

// ---- Simulations, step by step ----

// How far a run is.
typedef struct FbProgress {
    double t;               // s, current time of the run
    double t_start, t_end;  // s
    long steps;             // so far
    double wall_s;          // spent so far
} FbProgress;

// How to run. Start from fb_run_options_default().
typedef struct FbRunOptions {
    FbSettings settings;  // those of the model
    // Called by the running thread at most about ten times a second; returns false to stop the run
    // and keep the results so far. NULL: none.
    bool (*progress)(void* self, const FbProgress* progress);
    void* progress_self;  // handed to `progress`
    bool record_poses;  // keep poses of bodies and positions of sliders with every row, for reports
    bool ignores_kinks;    // do not locate the kinks of expressions: for comparisons only
    const double* inputs;  // [n inputs of the model] from the start on; NULL: their defaults
    uint64_t reserved[7];
} FbRunOptions;

// A state of a model and an integrator. One thread at a time may use it: a call that changes it
// while another thread is in one fails with FB_ERR_ARGUMENT.
typedef struct FbSimulation FbSimulation;

// A part that has redundant constraint rows.
typedef struct FbRedundancy {
    const char* part;  // joint or constraint
    FbPlace place;     // where it was written
    const char* rows;  // "translation along z, rotation about x"
    int n_rows;
    uint64_t reserved[4];
} FbRedundancy;

// What the assembly of the initial state found.
typedef struct FbAssembly {
    double position_error;   // m or rad: the largest of any constraint row
    double velocity_error;   // m/s or rad/s
    int degrees_of_freedom;  // velocities less independent constraint rows
    int n_redundant_rows;
    int n_redundancies;  // parts with redundant rows
    int n_ambiguous;  // recorded outputs that are not unique because rows are redundant (reactions,
                      // multipliers); those with the smallest multipliers are reported
    uint64_t reserved[4];
} FbAssembly;

// The settings of the model, no progress function, no poses.
FB_API FbRunOptions fb_run_options_default(const FbModel* model);
// Creates a simulation and assembles it: positions and velocities satisfy all constraints. The
// model must outlive it. FB_ERR_ASSEMBLY: loops cannot be closed.
FB_API FbStatus fb_simulation_create(const FbModel* model, const FbRunOptions* options,
                                     FbSimulation** out, FbError* err);
// Frees a simulation; NULL is allowed.
FB_API void fb_simulation_destroy(FbSimulation* sim);
// Fills *assembly.
FB_API void fb_simulation_get_assembly(const FbSimulation* sim, FbAssembly* assembly);
// Fills *redundancy, 0 <= index < n_redundancies; empty ({0}) for another index.
FB_API void fb_simulation_get_redundancy(const FbSimulation* sim, int index,
                                         FbRedundancy* redundancy);
// Whether the motion determines an output. Only reactions and multipliers of models with redundant
// rows may be undetermined.
FB_API bool fb_simulation_is_unique(const FbSimulation* sim, int output);

// An event that happened.
typedef struct FbEventRecord {
    const char* name;
    double t;               // s
    int direction;          // +1 rising, -1 falling
    const double* outputs;  // [columns] at the event
} FbEventRecord;

// Integrates exactly to t (s), which must not be before the current time. FB_STOPPED: an event or
// the progress function ended it earlier. On failure the simulation stays at the last valid state.
FB_API FbStatus fb_simulation_advance(FbSimulation* sim, double t, FbError* err);
// The current time, s.
FB_API double fb_simulation_get_time(const FbSimulation* sim);
// Integrates over h (s, >= 0) from the current time. FB_STOPPED and failures as above.
FB_API FbStatus fb_simulation_step(FbSimulation* sim, double h, FbError* err);
// Integrates to the next event with a name, but not beyond t (s). FB_STOPPED: there was one (or the
// progress function ended it); *event says which, with its outputs NULL; its name is NULL if there
// was none. `event` may be NULL.
FB_API FbStatus fb_simulation_advance_to_event(FbSimulation* sim, double t, FbEventRecord* event,
                                               FbError* err);
// Sets an input of the model from the current time on. FB_ERR_RANGE: the value is NaN or beyond the
// limits; FB_ERR_ARGUMENT: no such index; FB_ERR_MODEL: a motion that a law prescribes would jump.
// On failure nothing has changed.
FB_API FbStatus fb_simulation_set_input(FbSimulation* sim, int input, double value, FbError* err);
// The same by name. FB_ERR_NAME: there is no such input.
FB_API FbStatus fb_simulation_set_input_named(FbSimulation* sim, const char* name, double value,
                                              FbError* err);
// The current value of an input. NaN: no such index.
FB_API double fb_simulation_get_input(const FbSimulation* sim, int input);
// Back to the start, as if created again with the same options. Where this fails (out of memory),
// the simulation is as it was.
FB_API FbStatus fb_simulation_reset(FbSimulation* sim, FbError* err);
// How the motion responds to the inputs at the current time: derivatives of accelerations, of the
// rates of states and of outputs along `direction` [inputs of the model], in SI units; each array
// may be NULL. Exact, except that outputs of reactions, energies and expressions of accelerations
// are found by differences. FB_ERR_MODEL: an input that `direction` has prescribes a motion by a
// law.
FB_API FbStatus fb_simulation_calc_input_derivatives(FbSimulation* sim, const double* direction,
                                                     double* accelerations, double* state_rates,
                                                     double* outputs, FbError* err);
// Derivatives by a parameter with their estimated errors, in SI units. The arrays are the caller's,
// as long as those of fb_simulation_calc_input_derivatives(); each may be NULL.
typedef struct FbParameterDerivatives {
    double *accelerations, *state_rates, *outputs;                    // derivatives
    double *acceleration_errors, *state_rate_errors, *output_errors;  // about as large as these
    uint64_t reserved[2];
} FbParameterDerivatives;
// The same with respect to a parameter of the file that the model was made from, by differences
// between models that are made with slightly smaller and slightly larger values of it, at the
// coordinates, velocities and states of `sim`, extrapolated from three lengths. The errors are
// estimated from what the extrapolation changes and from rounding; where the motion does not depend
// smoothly on the parameter, they are large. `options` are those the model was made with (NULL:
// none); `size` is a natural size of the parameter, for the length of the differences (0: its
// value). FB_ERR_NAME: there is no such parameter; FB_ERR_ASSEMBLY: it changes constraints, so that
// the point of `sim` violates them; FB_ERR_RANGE: `size` and the value are 0.
FB_API FbStatus fb_simulation_estimate_parameter_derivatives(
    FbSimulation* sim, const FbSource* source, const FbReadOptions* options, const char* parameter,
    double size, const FbParameterDerivatives* out, FbError* err);
// The same without errors; each array may be NULL.
FB_API FbStatus fb_simulation_calc_parameter_derivatives(FbSimulation* sim, const FbSource* source,
                                                         const FbReadOptions* options,
                                                         const char* parameter, double size,
                                                         double* accelerations, double* state_rates,
                                                         double* outputs, FbError* err);
// All outputs at the current time, in SI units; `values` has room for fb_model_get_output_count().
FB_API FbStatus fb_simulation_calc_outputs(FbSimulation* sim, double* values, FbError* err);

// The whole state of a simulation, as bytes: the motion, states of controllers, samplers with their
// memory, moves, sliders, which laws, modes and pieces are in force, sticking and slipping, inputs,
// and what the method remembers. A simulation that is restored continues exactly, to the last
// bit, as the saved one did; bdf, adams and ida with error control within the tolerance. *data is
// freed with fb_free().
FB_API FbStatus fb_simulation_save(FbSimulation* sim, void** data, size_t* size, FbError* err);
// Brings a simulation to a saved state, of the same or of another simulation of a model with the
// same fb_model_get_hash(), also of another process on the same kind of machine. The settings stay
// those of `sim`; with another method or step length, the method restarts there. FB_ERR_MODEL:
// the state belongs to another model; FB_ERR_SYNTAX: it is not a state, or it is incomplete,
// altered, or of another version. On failure nothing has changed.
FB_API FbStatus fb_simulation_restore(FbSimulation* sim, const void* data, size_t size,
                                      FbError* err);
// The same with a file. FB_ERR_IO: it could not be written or read.
FB_API FbStatus fb_simulation_write_state(FbSimulation* sim, const char* path, FbError* err);
// Restores what fb_simulation_write_state() has written.
FB_API FbStatus fb_simulation_read_state(FbSimulation* sim, const char* path, FbError* err);

// How many numbers describe the motion: coordinates (a ball joint has a quaternion), velocities,
// states.
FB_API void fb_model_get_motion_sizes(const FbModel* model, int* n_q, int* n_v, int* n_x);
// Copies coordinates, velocities and states, in SI units; each may be NULL.
FB_API void fb_simulation_get_motion(const FbSimulation* sim, double* q, double* v, double* x);
// Sets them at the current time; NULL: as they are. Controllers, samplers and laws keep theirs.
// Positions and velocities must satisfy the constraints up to rounding, which is removed.
// FB_ERR_RANGE: a number is not finite; FB_ERR_ASSEMBLY: constraints are violated. On failure
// nothing has changed.
FB_API FbStatus fb_simulation_set_motion(FbSimulation* sim, const double* q, const double* v,
                                         const double* x, FbError* err);
// The joint or body that a velocity belongs to. NULL: no such index.
FB_API const char* fb_simulation_get_velocity_name(const FbSimulation* sim, int index);

// What a run cost and how well it kept its invariants.
typedef struct FbRunStats {
    const char* integrator;           // the method in use at the end
    const char* integrator_reason;    // why `auto` chose it, or "asked for"
    double rtol, atol;                // tolerances in use
    double t_start, t_end;            // s
    double wall_s, cpu_s;             // what it took
    long steps;                       // accepted
    long rejected;                    // steps that were repeated with a smaller size
    long rhs_evals;                   // evaluations of the equations of motion
    long jacobian_evals;              // evaluations of their derivatives
    long factorizations;              // of Newton matrices
    long newton_iterations;           // of implicit methods
    double max_constraint_error;      // m or rad: position level, at step ends and samples
    double max_velocity_error;        // m/s or rad/s
    double energy_start, energy_end;  // J, kinetic plus potential
    double energy_balance;  // J: energy_end - energy_start - supplied work + dissipated work
    uint64_t reserved[8];
} FbRunStats;

// Fills *stats for the run so far. Its texts live as long as the simulation.
FB_API void fb_simulation_get_stats(const FbSimulation* sim, FbRunStats* stats);

// ---- Whole runs and their results ----

// The rows, events, warnings and statistics of a run.
typedef struct FbResult FbResult;

// Runs a model over the sample times of the settings. The model must outlive the result. On failure
// *out still holds the rows computed so far (NULL only if the run could not start), and *err says
// when it ended, why, and what to try.
FB_API FbStatus fb_simulate(const FbModel* model, const FbRunOptions* options, FbResult** out,
                            FbError* err);
// Frees a result; NULL is allowed.
FB_API void fb_result_destroy(FbResult* result);
// The model that was run.
FB_API const FbModel* fb_result_get_model(const FbResult* result);
// How many rows (samples) there are.
FB_API int fb_result_get_row_count(const FbResult* result);
// How many outputs there are, time not included: fb_model_get_output_count().
FB_API int fb_result_get_column_count(const FbResult* result);
// The time of a row, s. NaN: no such row.
FB_API double fb_result_get_time(const FbResult* result, int row);
// An output in a row, SI unit. NaN: no such row or column.
FB_API double fb_result_get_value(const FbResult* result, int row, int column);
// Copies an output of all rows, or the times (column -1), to `values` [rows]; nothing for another
// column.
FB_API void fb_result_copy_column(const FbResult* result, int column, double* values);
// The pose of a body in the ground frame: position in m, unit quaternion (w, x, y, z) that does not
// jump between rows. false: poses were not recorded, there is no such row or body, or the body only
// stands for a displacement or mode of a structure given by matrices or a mesh.
FB_API bool fb_result_get_pose(const FbResult* result, int row, int body, double position[3],
                               double quaternion[4]);
// The position of a slider along its undeformed guide, m from its start. false: as above.
FB_API bool fb_result_get_slide(const FbResult* result, int row, int slider, double* s);
// What the run cost.
FB_API const FbRunStats* fb_result_get_stats(const FbResult* result);
// What the assembly at its start found.
FB_API const FbAssembly* fb_result_get_assembly(const FbResult* result);
// As fb_simulation_is_unique(), at the start.
FB_API bool fb_result_is_unique(const FbResult* result, int column);
// How many events happened.
FB_API int fb_result_get_event_count(const FbResult* result);
// Fills *record, in the order of time. false: no such index, and *record is empty.
FB_API bool fb_result_get_event(const FbResult* result, int index, FbEventRecord* record);
// How many warnings there are.
FB_API int fb_result_get_warning_count(const FbResult* result);
// A warning. NULL: no such index.
FB_API const char* fb_result_get_warning(const FbResult* result, int index);
// Writes all rows as CSV, as `flyball run -o`: the header is "t [s],name [unit],...", and numbers
// read back as the same doubles. FB_ERR_IO: the file could not be written.
FB_API FbStatus fb_result_write_csv(const FbResult* result, const char* path, FbError* err);
// Writes all rows in a format by its name: "csv", "fbr", "mat", "npz", "parquet". FB_ERR_NAME:
// there is no such format; FB_ERR_IO: the file could not be written.
FB_API FbStatus fb_result_write(const FbResult* result, const char* format, const char* path,
                                FbError* err);
// The name of a format, index = 0, 1, ...; NULL: there are no more. *doc (may be NULL): what reads
// it.
FB_API const char* fb_result_get_format(int index, const char** doc);

// ---- Methods of integration ----

// One of the methods that FbSettings.integrator may name.
typedef struct FbIntegratorInfo {
    const char* name;        // as FbSettings.integrator names it
    const char* doc;         // the method in one line
    const char* orders;      // "5, 9, 13"
    const char* use;         // what it is good for
    bool is_implicit;        // it solves equations in each step
    bool is_stiff;           // it may be used with stiff forces and structures
    bool takes_fixed_steps;  // FbSettings.step may be set
    bool controls_error;     // ... or left at 0
    bool is_available;       // in this build
    uint64_t reserved[4];
} FbIntegratorInfo;

// Fills *info; index 0 is "auto". Its texts live as long as the program. false: no such index, and
// *info is empty.
FB_API bool fb_integrator_get_info(int index, FbIntegratorInfo* info);

// ---- Accuracy ----

// How large the errors of a run are, by a companion run.
typedef struct FbErrorEstimate {
    double relative;   // the largest of any output at any sample, relative to the range of the
                       // output (to its size where it is constant)
    int worst_output;  // that has it; -1: none has an error
    double lost_from;  // s: no digit is left from here on, because errors grow exponentially; NaN:
                       // digits hold to the end
    double tenfold_s;  // s in which errors grow by ten there; INFINITY: they do not grow
    double rtol;       // of the companion
    double cpu_s;      // that it took
    double until;   // s: as far as the companion came; before the end if it became too expensive or
                    // failed
    double factor;  // the companion's errors are assumed to be this many times as large
    double cost;    // its work relative to that of the run, counted: about half at most
    uint64_t reserved[1];
} FbErrorEstimate;

// Estimates the errors of a result that fb_simulate() made with these options by a second run on
// its steps, several at a time, which costs at most half as much. The estimate has the right
// magnitude and is seldom too small; certificates are stricter. Fails if no second run can give an
// estimate at that cost; the error says why.
FB_API FbStatus fb_result_estimate_error(FbResult* result, const FbRunOptions* options,
                                         FbError* err);
// The estimate; NULL: none was made.
FB_API const FbErrorEstimate* fb_result_get_error_estimate(const FbResult* result);
// The estimated error of one output in its SI unit. NaN: no estimate was made.
FB_API double fb_result_get_output_error(const FbResult* result, int column);
// What that error is relative to. NaN: the output consists only of error, or no estimate was made.
FB_API double fb_result_get_output_scale(const FbResult* result, int column);

// How an attempt to certify an accuracy ended.
typedef enum FbCertificateStatus {
    FB_CERTIFIED,      // all rules hold
    FB_NOT_FALLING,    // the differences between runs do not decrease with the tolerance
    FB_ABOVE_TARGET,   // they decrease, but no tolerance reaches the target
    FB_UNCONFIRMED,    // no cross-check was made
    FB_CROSS_FAILED,   // no other method could compute the run
    FB_CROSS_DIFFERS,  // one could, and differs by more than the target allows
    FB_RUN_FAILED      // a run at a tighter tolerance failed or was stopped
} FbCertificateStatus;

// How accurate a run is. Errors are the largest of any output at any sample, relative to the
// largest value of that output (an output below the target that consists only of rounding errors is
// judged in SI units).
typedef struct FbCertificate {
    double target;    // as requested
    double estimate;  // not below the difference from the cross-check; INFINITY: none
    bool is_reached;  // status == FB_CERTIFIED
    FbCertificateStatus status;
    char message[320];     // why it is not reached; "": it is
    double rtol, atol;     // of the run that is returned
    int n_runs;            // by the same method
    double difference;     // between the last two of them; NaN: there is only one
    double contraction;    // by how much the difference decreased when the tolerance was divided by
                           // 30; NaN: there were only two runs
    int worst_output;      // -1: none differs
    bool has_cross_check;  // a method of another kind ran as well
    const char* cross_integrator;  // its name; NULL: none was tried
    double cross_rtol;             // its tolerance
    double cross_difference;       // from it
    uint64_t reserved[8];
} FbCertificate;

// As fb_simulate(), at tolerances that are tightened until the global error is below `accuracy`
// (relative, > 0) or this proves impossible. is_reached says which; neither is a failure.
FB_API FbStatus fb_simulate_accurately(const FbModel* model, const FbRunOptions* options,
                                       double accuracy, FbResult** out, FbCertificate* certificate,
                                       FbError* err);

#ifdef __cplusplus
}
#endif
#endif
