// The mechanics of one model behind the contract: FbDynamics plus assembly, outputs and energies.
// One per thread.
#ifndef FLYBALL_SYSTEM_SYSTEM_H
#define FLYBALL_SYSTEM_SYSTEM_H

#include "base/arena.h"
#include "base/memory.h"
#include "flyball/simulate.h"
#include "math/linear.h"
#include "system/contract.h"

typedef struct FbSystem FbSystem;

FbStatus fb_system_create(const FbModel* model, FbSystem** out, FbError* err);
void fb_system_destroy(FbSystem* s);
FbDynamics* fb_system_get_dynamics(FbSystem* s);  // sizes are final after fb_system_assemble

// Fills p at time t with the assembled initial state (a and lambda too): what the user set is kept,
// the rest follows. p->q, v, x, w, a and lambda must have room for the sizes in
// fb_system_get_max_sizes.
FbStatus fb_system_assemble(FbSystem* s, double t, FbPoint* p, FbAssembly* out, FbError* err);
// The rest of an assembly at the position p->q and the states p->x, which are given and satisfy the
// constraints: velocities, rows, accelerations.
FbStatus fb_system_assemble_at(FbSystem* s, FbPoint* p, FbAssembly* out, FbError* err);

// chart.c: coordinates of one system mean the same in another of the same model from now on.
void fb_charts_copy(const FbSystem* from, FbSystem* to);

// Removes forces from the equations from now on; a name that is not a force is an error.
FbStatus fb_system_release(FbSystem* s, const char* const* names, int n, FbError* err);
// Frozen: laws are constant (value at the time, zero rates). Held: and released forces act.
void fb_system_freeze(FbSystem* s, bool is_frozen);
void fb_system_hold(FbSystem* s, bool is_held);
// Chooses the independent constraint rows again for the position q (sizes of the dynamics may
// change).
FbStatus fb_system_choose_rows(FbSystem* s, const double* q, FbError* err);
FbSizes fb_system_get_max_sizes(
    const FbSystem* s);  // n_c and n_g: all rows, before redundant ones are dropped
void fb_system_get_redundancy(const FbSystem* s, int index, FbRedundancy* out);
// uniqueness.c: which outputs are reactions that the motion leaves open at p, and how many.
FbStatus fb_system_find_ambiguous(FbSystem* s, const FbPoint* p, int* count, FbError* err);
bool fb_system_is_ambiguous(const FbSystem* s, int output);  // as found last
// Forces that stuck at the same time while the motion did not determine their shares: names of two
// of them and the first time; false: none. And whether an output depends on such a share.
bool fb_system_get_shared(const FbSystem* s, const char* names[2], double* t);
bool fb_system_is_shared(const FbSystem* s, int output);

// All recorded outputs at p (a and lambda must be current where
// fb_system_outputs_need_accelerations).
FbStatus fb_system_calc_outputs(FbSystem* s, const FbPoint* p, double* values, FbError* err);
bool fb_system_outputs_need_accelerations(const FbSystem* s);

typedef struct FbEnergies {
    double kinetic, potential;    // J: gravity and springs
    double supplied, dissipated;  // J since the start, from p->w
} FbEnergies;
void fb_system_calc_energies(FbSystem* s, const FbPoint* p, FbEnergies* out);

// Over ALL rows, redundant ones included.
typedef struct FbConstraintErrors {
    double position, velocity;  // largest |g| (m, rad) and |gdot|
    double share;               // largest |g| of the size that its row is judged by ...
    double worst;               // ... which is this |g| ...
    int row;                    // ... of this row; -1: none
} FbConstraintErrors;
void fb_system_calc_constraint_errors(FbSystem* s, const FbPoint* p, FbConstraintErrors* out);
// "translation along x of joint 'b'"
void fb_system_write_row(const FbSystem* s, int row, char* text, size_t size);

// Derivatives along a direction of the inputs at p, where accelerations and multipliers are known:
// of accelerations [n_v], multipliers [n_c] and rates of states [n_x]; then of outputs.
FbStatus fb_system_calc_input_slopes(FbSystem* s, const FbPoint* p, const double* direction,
                                     double* a, double* lambda, double* x_rate, FbError* err);
typedef struct FbOutputSlopes {
    double* values;               // [n_outputs]
    bool* has_gradient;           // [n_outputs] exact; others are differences
    double *a, *lambda, *inputs;  // room, [n_v], [n_rows], [n_inputs]
} FbOutputSlopes;
void fb_system_calc_output_slopes(FbSystem* s, const FbPoint* p, const double* direction,
                                  const double* a, const double* lambda, FbOutputSlopes* out);
// FB_ERR_MODEL: a law that prescribes a motion uses the input.
FbStatus fb_system_check_input(const FbSystem* s, int input, FbError* err);

// Callbacks: FB_ERR_MODEL where one has no function and no default; forgets that one has failed,
// true: one had; and how a call ended during which one may have failed.
FbStatus fb_system_check_callbacks(const FbSystem* s, FbError* err);
bool fb_system_clear_failure(FbSystem* s);
FbStatus fb_system_conclude(const FbSystem* s, FbStatus status, FbError* err);

// The patterns of the blocks: M, C and K; G of the rows in use.
void fb_system_get_patterns(const FbSystem* s, const FbPattern** vv, const FbPattern** cv);
// The solver of accelerations, with the pattern of M, C and K; NULL where there are constraints,
// which may change it, or none is needed.
const FbLinear* fb_system_get_mass_solver(const FbSystem* s);
// Are some rates at p so much faster than the motion that an implicit method should begin? Fills
// `reason`.
bool fb_system_is_stiff(FbSystem* s, const FbPoint* p, double duration, char* reason, size_t size);

// The largest acting generalized force at p, of gravity and inertia, of forces, of constraints: as
// its work along a displacement of the model's size, J.
double fb_system_calc_force_scale(FbSystem* s, const FbPoint* p);

// The value of a scalar joint coordinate at q, also where the joint closes a loop.
double fb_system_calc_joint_coordinate(FbSystem* s, const double* q, int joint, int index);

// Position and unit quaternion (w first) of each body frame in the ground frame at q, of the bodies
// in the picture, [FbDrawing.n_numbered x 7].
void fb_system_calc_poses(FbSystem* s, const double* q, double* poses);
// Length along the undeformed guide of each slider at p, [n sliders].
void fb_system_calc_slides(FbSystem* s, const FbPoint* p, double* slides);

// Kinetic energy of each body for velocities v at q, [n bodies].
void fb_system_calc_body_energies(FbSystem* s, const double* q, const double* v, double* energy);
// Velocity of the origin and angular velocity of each body frame, ground axes, [n bodies x 6].
void fb_system_calc_body_motions(FbSystem* s, const double* q, const double* v, double* motions);
// A vector of a body in ground axes, at the position realized last.
void fb_system_turn_to_ground(const FbSystem* s, int body, const double in_body[3], double out[3]);

// Coordinates and velocities of an absolute model in which all bodies are and move as in the model
// of `other`.
void fb_system_copy_motion(FbSystem* absolute, FbSystem* other, const FbPoint* from, FbPoint* to);

// inputs.c: the model's inputs, [n_inputs]. Start: before an assembly (NULL: as they are). Set: at
// the time t of a run, which has to be interrupted then; fails, and changes nothing, where the
// value is beyond its limits or would make a prescribed motion jump.
FbStatus fb_system_start_inputs(FbSystem* s, const double* values, FbError* err);
FbStatus fb_system_set_input(FbSystem* s, double t, int input, double value, FbError* err);
void fb_system_copy_inputs(FbSystem* s, const FbSystem* other);
const double* fb_system_get_inputs(const FbSystem* s);
// Fails where an input prescribes a motion, so that there is no dr/du.
FbStatus fb_system_check_inputs(const FbSystem* s, FbError* err);

// Inputs of a linearization: those of the model, then the elements whose force can be varied. Their
// generalized direction -dr/du is added to column [n_v], and the rates of states dc/du to rate
// [n_x].
int fb_system_get_input_count(const FbSystem* s);
const char* fb_system_get_input_name(const FbSystem* s, int input);
FbStatus fb_system_calc_input_direction(FbSystem* s, const FbPoint* p, int input, double* column,
                                        double* rate, FbError* err);
// The gradient of output i with respect to q, v [n_v] and x [n_x]; false where it has none
// (accelerations, reactions, energies).
bool fb_system_calc_output_gradient(FbSystem* s, const FbPoint* p, int output, double* by_q,
                                    double* by_v, double* by_x);
// The direct derivative of such an output with respect to the inputs, [n inputs]: forces that are
// measured.
void fb_system_calc_output_feedthrough(FbSystem* s, const FbPoint* p, int output, double* by_input);

// A velocity that is given a rate.
typedef struct FbRate {
    int v;
    double rate;
} FbRate;
// Sets p->v to the motion that drives, loops and the joint velocities that are set (or, not NULL,
// `rates` in place of these) impose, with as little strain in the beams as possible: structures
// move as rigid bodies with their supports. Velocities that are set for nodes of structures are
// ignored. At rest if the model has no beams.
FbStatus fb_system_carry_structures(FbSystem* s, FbPoint* p, const FbRate* rates, int n_rates,
                                    FbError* err);

// Free bodies and nodes that turn steadily: their coordinates, their turn and the velocity of a
// point; and the matrix of (w x) in the slides, d v/d q.
typedef struct FbSpin {
    int slide[3], n_slides;
    int ball;  // first velocity, -1: none
    int last;  // link
    double w[3], at[3], v[3];
} FbSpin;
typedef struct FbSpinEntry {
    int row, col;
    double value;
} FbSpinEntry;
typedef struct FbSpins {
    FbSpin* spins;
    int n_spins;
    FbSpinEntry* entries;
    int n_entries;
} FbSpins;
// spin.c: those that p moves so. Their velocities and accelerations at another position, the others
// staying as they are; and the way of all coordinates in a time.
FbStatus fb_system_find_spins(FbSystem* s, const FbPoint* p, FbArena* arena, FbSpins* out,
                              FbError* err);
void fb_system_calc_spin(FbSystem* s, const FbSpins* spins, const double* q, double* v, double* a);
void fb_system_turn_spin(FbSystem* s, const FbSpins* spins, const double* q, double time,
                         const double* v, double* xi);

// A run starts at p: what remembers (the element that a slider is on) starts from there.
void fb_system_begin(FbSystem* s, const FbPoint* p);

// Fails where a linear guide buckles under the weight of a slider where it starts; else remembers
// how far each may go. Allocates. To be called at the start of a run, after fb_system_begin.
FbStatus fb_system_check_buckling(FbSystem* s, const FbPoint* p, FbError* err);

// Of a root: the name under which its events are recorded, and the crossings that count (+1, -1, 0
// both). NULL: an event of the mechanics' own, which is not recorded.
const char* fb_system_get_event_name(const FbSystem* s, int root);
int fb_system_get_event_direction(const FbSystem* s, int root);

// Notes for the user about the run so far: index = 0, 1, ... until it returns false;
// some are empty.
bool fb_system_write_note(const FbSystem* s, int index, char* text, size_t size);
// linear_structures.c: what to know about one point that is not part of a run, "" if nothing.
void fb_system_write_point_note(FbSystem* s, const FbPoint* p, char* text, size_t size);

// Drives are frozen from now on: sliders at the positions of their laws or states, laws of
// constraints at their values; states keep theirs.
void fb_system_park_drives(FbSystem* s);
// The rates of coordinates that laws drive at p->t, one for each law that moves. false: a law that
// moves drives something else, or accelerates.
bool fb_system_get_driven_rates(FbSystem* s, const FbPoint* p, FbRate* rates, int* n);

// Sliders with a law are held from now on where the law has them at the time.
void fb_system_park_sliders(FbSystem* s);
// s, s' and s'' that the law of a slider has at t; false: it has none.
bool fb_system_get_law_of_slider(const FbSystem* s, int slider, double t, double motion[3]);

// Fails where the blocks of the contract do not say everything: constraints that follow states.
FbStatus fb_system_check_linear(const FbSystem* s, FbError* err);

// A beam that the velocities of p bend, stretch or twist; NULL: none.
const char* fb_system_find_strained_beam(FbSystem* s, const FbPoint* p);

// memory.c: all that the next evaluations depend on beyond the point. Loading may take memory.
FbStatus fb_system_remember(FbSystem* s, FbMemory* m, FbError* err);

// A run is moved to p: angles are counted, and sliders are, where they are there.
void fb_system_move_to(FbSystem* s, const FbPoint* p);

// Samplers show what they would measure now, as if they did so all the time: for equilibria and
// linearizations.
void fb_system_stop_sampling(FbSystem* s);
// Laws, moves and samples are as in the other system of the same model.
void fb_system_copy_discrete(FbSystem* s, const FbSystem* other);

#endif
