// Operating points (initial state, equilibrium, steady motion, a time of a run) and what is linear
// about them: matrices, eigenvalues, modes, frequency responses.
//
// An operating point and everything made from it share memory: they belong to one thread at a time.
#ifndef FLYBALL_LINEAR_H
#define FLYBALL_LINEAR_H

#include "flyball/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Operating points ----

// Which point is meant.
typedef enum FbOperatingKind {
    FB_AT_INITIAL,      // the assembled initial state
    FB_AT_EQUILIBRIUM,  // where all forces balance, at rest or in steady motion
    FB_AT_TIME          // a time of a run
} FbOperatingKind;

// A joint coordinate that moves at a constant rate in a relative equilibrium.
typedef struct FbSteadyRate {
    const char* coordinate;  // "joint" or "joint.q2"
    double rate;             // rad/s or m/s
} FbSteadyRate;

// Which operating point to find.
typedef struct FbOperatingOptions {
    FbOperatingKind kind;
    double time;                 // s: FB_AT_TIME, simulated up to there with the model's settings
    const FbSteadyRate* steady;  // [n_steady] FB_AT_EQUILIBRIUM: what keeps moving
    int n_steady;
    const double* inputs;  // [n inputs of the model] NULL: their defaults
    uint64_t reserved[7];
} FbOperatingOptions;

// A state of a model about which it can be linearized.
typedef struct FbOperatingPoint FbOperatingPoint;

// What is known about an operating point.
typedef struct FbOperatingInfo {
    double residual;  // the largest unbalanced generalized force relative to force_scale (at a
                      // stiff coordinate to the force of a displacement of 3.6e-3 rad or of the
                      // model's length, if that is more), or rate of a state relative to its terms
    double force_scale;  // N or N m: the largest generalized force that acts, or that gravity would
                         // exert in the worst position
    double largest_acceleration;  // m/s2 or rad/s2: the drift where it is not an equilibrium
    bool is_equilibrium;          // the residual is below 1e-9
    bool is_steady;               // some coordinates keep constant rates, as requested or driven
    bool is_parked;          // there is no such point with active drives and controllers; laws and
                             // sliders are frozen and states keep their initial values
    int iterations;          // of Newton's method
    int relaxations;         // steps of dynamic relaxation that were needed
    int degrees_of_freedom;  // velocities less independent constraint rows
    int n_redundant_rows;    // constraint rows; if there are any, some reactions are not unique
    int n_coordinates;       // named joint coordinates, of tree and loop joints alike
    const char* warning;     // why the point may not be trusted, such as large rotations of linear
                             // structures; valid as long as the point; NULL: nothing is known
    uint64_t reserved[7];
} FbOperatingInfo;

// An equilibrium at rest.
FB_API FbOperatingOptions fb_operating_options_default(void);
// Finds the point. An equilibrium is found by Newton's method with line search from the drawing,
// then by dynamic relaxation; if there is none, the error says what does not balance. The model
// must outlive the point. FB_ERR_CONVERGENCE: not found.
FB_API FbStatus fb_operating_point_create(const FbModel* model, const FbOperatingOptions* options,
                                          FbOperatingPoint** out, FbError* err);
// The point of a model made by fb_model_create_absolute() where all bodies are and move as in
// `other`, a point of the model that fb_model_create() makes from the same description.
FB_API FbStatus fb_operating_point_create_like(const FbModel* absolute,
                                               const FbOperatingPoint* other,
                                               FbOperatingPoint** out, FbError* err);
// The point where a simulation is now, with its inputs, states and modes of controllers.
FB_API FbStatus fb_operating_point_create_here(FbSimulation* sim, FbOperatingPoint** out,
                                               FbError* err);
// Frees a point, after what was made from it; NULL is allowed.
FB_API void fb_operating_point_destroy(FbOperatingPoint* point);
// Fills *info.
FB_API void fb_operating_point_get_info(const FbOperatingPoint* point, FbOperatingInfo* info);
// A joint coordinate, 0 <= index < n_coordinates: name ("crank" or "crank.q2"), unit and value.
// false: no such index.
FB_API bool fb_operating_point_get_coordinate(const FbOperatingPoint* point, int index,
                                              const char** name, const char** unit, double* value);
// s, s' and s'' (m, m/s, m/s2) that the law of a slider has at the time of the point. false: it has
// no law. An equilibrium is found with such a slider parked at s; elsewhere the linearization holds
// for the moment.
FB_API bool fb_operating_point_get_slider_law(const FbOperatingPoint* point, int slider,
                                              double motion[3]);
// All recorded outputs at the point, SI units; `values` has room for fb_model_get_output_count().
FB_API FbStatus fb_operating_point_calc_outputs(FbOperatingPoint* point, double* values,
                                                FbError* err);
// As fb_simulation_is_unique(); after fb_operating_point_calc_outputs().
FB_API bool fb_operating_point_is_unique(const FbOperatingPoint* point, int output);
// Whether a point of rest is stable because its stiffness is positive definite along the
// constraints and its damping takes energy: one sparse factorization for each. false need not mean
// unstable: with states, rolling, unresisted motions, or forces without a potential this test is
// inconclusive.
FB_API FbStatus fb_operating_point_check_stable(FbOperatingPoint* point, bool* is_stable,
                                                FbError* err);

// ---- Linearization ----

// How constraints enter the linear equations.
typedef enum FbLinearMethod {
    FB_METHOD_INDEPENDENT,  // coordinates that satisfy the constraints: the true eigenvalues
    FB_METHOD_DESCRIPTOR,   // with multipliers, as a generalized eigenvalue problem
    FB_METHOD_ODE,          // constraints differentiated twice, on request stabilized
    FB_METHOD_PENALTY       // constraints as stiff springs
} FbLinearMethod;

// How to linearize.
typedef struct FbLinearOptions {
    FbLinearMethod method;
    double penalty;         // FB_METHOD_PENALTY: factor of the stiffness
    double baumgarte_rate;  // 1/s, FB_METHOD_ODE: g'' + 2 rate g' + rate^2 g = 0; 0: none
    uint64_t reserved[8];
} FbLinearOptions;

// What a mode belongs to.
typedef enum FbModeClass {
    FB_MODE_PHYSICAL,    // a motion of the mechanism
    FB_MODE_RIGID_BODY,  // a motion that no force resists
    FB_MODE_CONSTRAINT,  // of the constraint equations: infinite, stabilization or penalty modes
    FB_MODE_ARTEFACT,    // satisfies neither the constraints nor the equations of motion
} FbModeClass;

// An eigenvalue and what is known about it.
typedef struct FbMode {
    double re, im;     // 1/s
    bool is_infinite;  // then re and im are meaningless
    FbModeClass class_;
    double residual;             // of the equations of motion along the constraints, relative
    double constraint_residual;  // |G x| / (|G| |x|): zero for a motion that the constraints allow
    double condition;            // of the eigenvalue, >= 1; 0: not computed
    double frequency_hz;         // |lambda| / (2 pi)
    double damping_ratio;        // -re / |lambda|; 0 for zero eigenvalues
} FbMode;

// Reduced matrices of FB_METHOD_INDEPENDENT, column-major: f independent coordinates, p independent
// velocities (f unless there is rolling) and n_x states. They belong to the linearization.
typedef struct FbReducedMatrices {
    int f, p, n_x;            // as above
    int n;                    // f + p + n_x
    const double *M, *C, *K;  // [p x p], [p x p], [p x f]
    const double* A;          // [n x n] of the first-order system
    int n_u;  // inputs: those of the model, then forces along a line or a coordinate (actuators,
              // springs), by name
    int n_y;  // outputs: recorded ones that have a derivative
    const double *B, *Cy, *D;  // [n x n_u], [n_y x n], [n_y x n_u]
    int n_inputs;              // of n_u: the first ones, which are inputs of the model
    uint64_t reserved[3];
} FbReducedMatrices;

// The equations of motion, linear about an operating point.
typedef struct FbLinearization FbLinearization;

// The independent method, with a penalty factor and no stabilization for the others.
FB_API FbLinearOptions fb_linear_options_default(void);
// Allocates all memory; a run can then be repeated without allocating. The point must outlive it.
FB_API FbStatus fb_linearization_create(FbOperatingPoint* point, const FbLinearOptions* options,
                                        FbLinearization** out, FbError* err);
// Frees a linearization; NULL is allowed.
FB_API void fb_linearization_destroy(FbLinearization* l);
// Computes matrices, eigenvalues and their classes.
FB_API FbStatus fb_linearization_run(FbLinearization* l, FbError* err);
// Instead, for FB_METHOD_INDEPENDENT at rest: the modes without damping, one for each degree of
// freedom, from K x = omega^2 M x. Eigenvalues are i omega, or the positive real root where omega^2
// < 0 (unstable), and exactly zero for rigid-body modes; sorted by omega^2. Fails where the
// stiffness is not symmetric, with rolling, and in motion.
FB_API FbStatus fb_linearization_run_undamped(FbLinearization* l, FbError* err);
// How many modes the last run found.
FB_API int fb_linearization_get_mode_count(const FbLinearization* l);
// A mode: physical ones first, then by class; in order of increasing |lambda|. Valid until the next
// run. NULL: no such index.
FB_API const FbMode* fb_linearization_get_mode(const FbLinearization* l, int index);
// The fraction of the kinetic energy of a mode in each body, [n bodies], with the sum 1 (zeros if
// nothing moves). FB_ERR_ARGUMENT: no such mode.
FB_API FbStatus fb_linearization_calc_participation(FbLinearization* l, int mode,
                                                    double* fractions);
// The velocity of a point of a body (m, body frame) in a mode: complex, in ground axes, of any
// scale. The displacement is velocity / lambda. FB_ERR_ARGUMENT: no such mode or body.
FB_API FbStatus fb_linearization_calc_shape(FbLinearization* l, int mode, int body,
                                            const double at[3], double re[3], double im[3]);

// Fills *m; B, Cy and D are filled by fb_linearization_calc_input_output().
FB_API void fb_linearization_get_matrices(const FbLinearization* l, FbReducedMatrices* m);
// Computes B, Cy and D after a run. FB_ERR_ARGUMENT: not the independent method, or it has not run.
FB_API FbStatus fb_linearization_calc_input_output(FbLinearization* l, FbError* err);
// The name of an input, a column of B. NULL: no such index.
FB_API const char* fb_linearization_get_input_name(const FbLinearization* l, int index);
// The name of an output, a row of Cy. NULL: no such index.
FB_API const char* fb_linearization_get_output_name(const FbLinearization* l, int index);
// The coordinate, velocity or state that a row of A belongs to. NULL: no such index.
FB_API const char* fb_linearization_get_state_name(const FbLinearization* l, int index);
// The transfer function from an input to an output at s = i omega (rad/s), after
// fb_linearization_calc_input_output(); INFINITY where omega coincides with an undamped mode.
// FB_ERR_ARGUMENT: no such input or output.
FB_API FbStatus fb_linearization_calc_response(FbLinearization* l, int input, int output,
                                               double omega, double* re, double* im, FbError* err);
// Writes a column-major [n_row x n_col] matrix in the array format of Matrix Market, with a comment
// of one line (NULL: none). Numbers read back as the same doubles.
FB_API FbStatus fb_matrix_market_write(const char* path, const char* comment, int n_row, int n_col,
                                       const double* values, FbError* err);

// ---- The lowest modes of large models ----

// Which modes to find, by sparse factorization and Lanczos or Arnoldi iteration about a
// shift (docs/decisions/sparse-eigenvalues.md).
typedef struct FbLowestOptions {
    int count;         // modes wanted; a pair of conjugates counts once
    bool is_damped;    // with damping, gyroscopic terms and states; false: K x = w^2 M x, at rest
    bool has_shift;    // the modes nearest to the shift; false: those with the smallest |lambda|
    double shift;      // undamped: w^2, rad2/s2; damped: real part, 1/s
    double shift_im;   // rad/s: damped, imaginary part
    double tolerance;  // of the iteration, relative
    uint64_t reserved[8];
} FbLowestOptions;

// How the search went.
typedef struct FbLowestInfo {
    double shift, shift_im;  // in use at the end, units as above
    int n_shift_moves;       // how often a shift that coincided with a mode was moved
    int n_factorizations;
    int n_solves;
    bool is_symmetric;  // the stiffness matrix, to rounding
    bool is_complete;   // the check found no mode that the list should hold and does not
    int n_recovered;    // modes that only the check found; they are in the list
    double reach;       // distance from the shift within which no mode is unknown; 0: not checked
    double unstable_rate;  // 1/s: growth rate of an unstable mode outside the list; 0: none found
    double counted;        // rad2/s2: symmetric, undamped: the modes whose w^2 differs by less from
                           // the given shift, or from 0, were counted by inertia; 0: not counted
    int n_counted;         // how many these are; complete then is proved
    uint64_t reserved[6];
} FbLowestInfo;

// A list of modes.
typedef struct FbLowest FbLowest;

// Ten undamped modes from the lowest, to full accuracy.
FB_API FbLowestOptions fb_lowest_options_default(void);
// Finds the modes. The point must outlive the result. FB_ERR_UNAVAILABLE: a large system needs
// ARPACK and this build has none, or undamped modes are requested in motion or with states that act
// on it.
FB_API FbStatus fb_modes_lowest(FbOperatingPoint* point, const FbLowestOptions* options,
                                FbLowest** out, FbError* err);
// Frees the list; NULL is allowed.
FB_API void fb_lowest_destroy(FbLowest* l);
// How many modes were found.
FB_API int fb_lowest_get_count(const FbLowest* l);
// A mode, in order of increasing |lambda|. Of a conjugate pair the one with im > 0; undamped, of
// +lambda and -lambda the one with re >= 0. Rigid-body modes have eigenvalue 0, which represents a
// double one. NULL: no such index.
FB_API const FbMode* fb_lowest_get_mode(const FbLowest* l, int index);
// Fills *info.
FB_API void fb_lowest_get_info(const FbLowest* l, FbLowestInfo* info);
// The velocities of the coordinates in a mode, [*n] pairs (re, im): lambda times displacements x
// with x' M x = 1, or these themselves for rigid-body modes. NULL: no such mode.
FB_API const double* fb_lowest_get_velocities(const FbLowest* l, int mode, int* n);
// As fb_linearization_calc_shape().
FB_API FbStatus fb_lowest_calc_shape(FbLowest* l, int mode, int body, const double at[3],
                                     double re[3], double im[3]);
// As fb_linearization_calc_participation().
FB_API FbStatus fb_lowest_calc_participation(FbLowest* l, int mode, double* fractions);

#ifdef __cplusplus
}
#endif
#endif
