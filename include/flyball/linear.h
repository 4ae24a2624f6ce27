// Operating points (initial state, equilibrium, steady motion, a time of a run) and linearization
// about them.
#ifndef FLYBALL_LINEAR_H
#define FLYBALL_LINEAR_H

#include "flyball/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum FbOperatingKind { FB_AT_INITIAL, FB_AT_EQUILIBRIUM, FB_AT_TIME } FbOperatingKind;

// A joint coordinate that turns or slides at a constant rate in a relative equilibrium ("joint" or
// "joint.q2").
typedef struct FbSteadyRate {
    const char* coordinate;
    double rate;  // rad/s or m/s
} FbSteadyRate;

typedef struct FbOperatingOptions {
    FbOperatingKind kind;
    double time;                 // FB_AT_TIME: simulated up to there with the model's settings
    const FbSteadyRate* steady;  // FB_AT_EQUILIBRIUM: what keeps moving; everything else rests
    int n_steady;
} FbOperatingOptions;

typedef struct FbOperatingPoint FbOperatingPoint;

FB_API FbOperatingOptions fb_operating_options_default(void);
// Finds the point. For an equilibrium: Newton on the constrained statics from the drawing, with
// line search, then dynamic relaxation; the error says what does not balance where there is none.
// The model must outlive the point.
FB_API FbStatus fb_operating_point_create(const FbModel* model, const FbOperatingOptions* options,
                                          FbOperatingPoint** out, FbError* err);
FB_API void fb_operating_point_destroy(FbOperatingPoint* point);

// The same description with six coordinates per body and all joints as constraints, as other codes
// have it, and the operating point of such a model where all bodies are and move as in `other` (a
// point of the model in joint coordinates).
FB_API FbStatus fb_model_create_absolute(const FbModelDef* def, FbModel** out,
                                         FbDiagnostics* diagnostics);
FB_API FbStatus fb_operating_point_create_like(const FbModel* absolute,
                                               const FbOperatingPoint* other,
                                               FbOperatingPoint** out, FbError* err);

typedef struct FbOperatingInfo {
    // The largest unbalanced generalized force relative to force_scale (at a stiff coordinate: to
    // the force that 3.6e-3 rad or of the model's length make, if that is more), or rate of a state
    // that forces depend on, relative to its terms.
    double residual;
    // The largest generalized force that acts (of gravity and inertia, of forces, of constraints)
    // or that gravity would exert in the worst position, N or N m.
    double force_scale;
    double largest_acceleration;  // m/s2 or rad/s2: the drift where it is no equilibrium
    bool is_equilibrium;
    bool is_steady;  // some coordinates keep constant rates: those that were asked for, or drives
    bool is_parked;  // there is no such point with drives and controllers; laws and sliders stand still, states keep their
                     // initial values
    int iterations;
    int relaxations;  // steps of dynamic relaxation that were needed
    int degrees_of_freedom;
    int n_redundant_rows;  // of constraints: if there are any, some reactions are not unique
    int n_coordinates;  // named joint coordinates, tree and loop joints alike
} FbOperatingInfo;

FB_API void fb_operating_point_get_info(const FbOperatingPoint* point, FbOperatingInfo* info);
// As fb_simulation_is_unique(); after fb_operating_point_calc_outputs().
FB_API bool fb_operating_point_is_unique(const FbOperatingPoint* point, int output);
// A joint coordinate by index: name ("crank" or "crank.q2"), unit and value. false: no such index.
FB_API bool fb_operating_point_get_coordinate(const FbOperatingPoint* point, int index,
                                              const char** name, const char** unit, double* value);
// s, s' and s'' that the law of a slider has at the time of the point; false: it has no law. An equilibrium is found with such a slider
// parked at s; elsewhere the linearization holds for the moment, with s' and s'' as they are.
FB_API bool fb_operating_point_get_slider_law(const FbOperatingPoint* point, int slider, double motion[3]);
// All recorded outputs of the model at the point.
FB_API FbStatus fb_operating_point_calc_outputs(FbOperatingPoint* point, double* values,
                                                FbError* err);

// Is a point of rest stable because its stiffness is positive definite along the constraints and its damping takes energy? One
// sparse factorization for each; false where this does not tell, which need not mean that it is unstable: with states, rolling,
// motions that nothing resists, or forces without a potential.
FB_API FbStatus fb_operating_point_check_stable(FbOperatingPoint* point, bool* is_stable, FbError* err);

typedef enum FbLinearMethod {
    FB_METHOD_INDEPENDENT,
    FB_METHOD_DESCRIPTOR,
    FB_METHOD_ODE,
    FB_METHOD_PENALTY
} FbLinearMethod;

typedef struct FbLinearOptions {
    FbLinearMethod method;
    double penalty;         // stiffness factor of FB_METHOD_PENALTY
    double baumgarte_rate;  // 1/s, FB_METHOD_ODE: g'' + 2 rate g' + rate^2 g = 0; 0: none
} FbLinearOptions;

typedef enum FbModeClass {
    FB_MODE_PHYSICAL,
    FB_MODE_RIGID_BODY,  // a motion that no force resists
    FB_MODE_CONSTRAINT,  // belongs to the constraint equations: infinite, stabilization or penalty
                         // modes
    FB_MODE_ARTEFACT,    // satisfies neither the constraints nor the equations of motion
} FbModeClass;

typedef struct FbMode {
    double re, im;  // eigenvalue, 1/s; infinite ones have is_infinite
    bool is_infinite;
    FbModeClass class_;
    double residual;             // of the equations of motion along the constraints, relative
    double constraint_residual;  // |G x| / (|G| |x|): zero for a motion that the constraints allow
    double condition;            // of the eigenvalue, >= 1; 0: not computed
    double frequency_hz;         // |lambda| / 2 pi
    double damping_ratio;        // -Re/|lambda|; 0 for zero eigenvalues
} FbMode;

typedef struct FbLinearization FbLinearization;

FB_API FbLinearOptions fb_linear_options_default(void);
// All memory is taken here; fb_linearization_run may then be repeated without allocating.
FB_API FbStatus fb_linearization_create(FbOperatingPoint* point, const FbLinearOptions* options,
                                        FbLinearization** out, FbError* err);
FB_API void fb_linearization_destroy(FbLinearization* l);
// Terms, eigenvalues and their classes.
FB_API FbStatus fb_linearization_run(FbLinearization* l, FbError* err);

// Instead of the above, for FB_METHOD_INDEPENDENT at rest: the modes without damping, one for each
// degree of freedom, from the symmetric problem K x = omega^2 M x. Eigenvalues are i omega, or the
// positive real root where omega^2 < 0 (unstable), and exactly zero for rigid-body modes; sorted by
// omega^2. Fails where the stiffness is not symmetric, with rolling, and in motion.
FB_API FbStatus fb_linearization_run_undamped(FbLinearization* l, FbError* err);

FB_API int fb_linearization_get_mode_count(const FbLinearization* l);
FB_API const FbMode* fb_linearization_get_mode(
    const FbLinearization* l, int index);  // physical first, then by class; by |lambda|
// Share of each body in the kinetic energy of a mode, [n bodies], sums to 1 (zeros if nothing
// moves).
FB_API FbStatus fb_linearization_calc_participation(FbLinearization* l, int mode,
                                                    double* fractions);
FB_API const char* fb_model_get_body_name(const FbModel* model, int body);

// Reduced matrices of FB_METHOD_INDEPENDENT, column-major: f independent coordinates, p independent
// velocities (f unless there is rolling), n_x states; first-order A of size f + p + n_x.
typedef struct FbReducedMatrices {
    int f, p, n_x, n;         // n = f + p + n_x
    const double *M, *C, *K;  // [p x p], [p x p], [p x f]
    const double* A;          // [n x n]
    int n_u, n_y;  // inputs: actuators and applied forces by name; outputs: recorded ones that have
                   // a derivative
    const double *B, *Cy, *D;  // [n x n_u], [n_y x n], [n_y x n_u]
} FbReducedMatrices;

FB_API void fb_linearization_get_matrices(const FbLinearization* l, FbReducedMatrices* m);
FB_API FbStatus fb_linearization_calc_input_output(FbLinearization* l,
                                                   FbError* err);  // fills B, Cy, D
FB_API const char* fb_linearization_get_input_name(const FbLinearization* l, int index);
FB_API const char* fb_linearization_get_output_name(const FbLinearization* l, int index);
FB_API const char* fb_linearization_get_state_name(const FbLinearization* l, int index);
// The transfer function from an input to an output at s = i omega.
FB_API FbStatus fb_linearization_calc_response(FbLinearization* l, int input, int output,
                                               double omega, double* re, double* im, FbError* err);
// Velocity of a point of a body in a mode (ground axes, complex), for drawing mode shapes:
// displacement = velocity / lambda.
FB_API FbStatus fb_linearization_calc_shape(FbLinearization* l, int mode, int body,
                                            const double at[3], double re[3], double im[3]);

// The lowest modes of large systems, by sparse factorization and Lanczos or Arnoldi iteration about
// a shift (docs/decisions/sparse-eigenvalues.md).
typedef struct FbLowestOptions {
    int count;        // modes wanted; a pair of conjugates counts once
    bool is_damped;   // false: K x = w^2 M x, at rest; true: with damping, gyroscopic terms, states
    bool has_shift;   // false: chosen from the model, the list holds the smallest |lambda|;
                      // true: the modes nearest to the shift
    double shift;     // undamped: w^2, rad^2/s^2; damped: real part, 1/s
    double shift_im;  // damped: imaginary part, rad/s
    double tolerance;  // of the iteration, relative
} FbLowestOptions;

typedef struct FbLowestInfo {
    double shift, shift_im;  // in use at the end, units as above
    int n_shift_moves;       // how often a shift that met a mode was moved
    int n_factorizations, n_solves;
    bool is_symmetric;     // the stiffness matrix, to rounding
    bool is_complete;      // the check found no mode that the list should hold and does not
    int n_recovered;       // modes that only the check found; they are in the list
    double reach;          // from the shift, its unit: no mode within it is unknown; 0: not checked
    double unstable_rate;  // 1/s: growth of an unstable mode outside of the list; 0: none found
} FbLowestInfo;

typedef struct FbLowest FbLowest;

FB_API FbLowestOptions fb_lowest_options_default(void);
// Fails with FB_ERR_UNAVAILABLE where a large system needs ARPACK and the build has none, and for
// undamped modes of a point in motion or with states that act on it. The point must outlive the
// result and not be used by another thread meanwhile.
FB_API FbStatus fb_modes_lowest(FbOperatingPoint* point, const FbLowestOptions* options,
                                FbLowest** out, FbError* err);
FB_API void fb_lowest_destroy(FbLowest* l);
FB_API int fb_lowest_get_count(const FbLowest* l);
// By rising |lambda|. Of a pair of conjugates that with Im > 0; undamped also one of +lambda and
// -lambda, that with Re >= 0. Rigid-body modes have eigenvalue 0 and stand for the double one.
FB_API const FbMode* fb_lowest_get_mode(const FbLowest* l, int index);
FB_API void fb_lowest_get_info(const FbLowest* l, FbLowestInfo* info);
// Velocities of the coordinates in a mode, (re, im) interleaved, [n] pairs; lambda times
// displacements x with x' M x = 1, or these themselves for rigid-body modes. NULL: no such mode.
FB_API const double* fb_lowest_get_velocities(const FbLowest* l, int mode, int* n);
// Velocity of a point of a body in a mode (ground axes, complex).
FB_API FbStatus fb_lowest_calc_shape(FbLowest* l, int mode, int body, const double at[3],
                                     double re[3], double im[3]);
// Share of each body in the kinetic energy of a mode, [n bodies].
FB_API FbStatus fb_lowest_calc_participation(FbLowest* l, int mode, double* fractions);

#ifdef __cplusplus
}
#endif
#endif
