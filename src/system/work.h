// The internals of FbSystem: one thread's mutable side of a model.
#ifndef FLYBALL_SYSTEM_WORK_H
#define FLYBALL_SYSTEM_WORK_H

#include <assert.h>

#include "math/linear.h"
#include "model/model.h"
#include "system/system.h"

// What travelling parts add to the blocks, and the velocities that they touch at present.
typedef struct FbTravelling {
    int n;
    int* v;             // [n], increasing; NULL: nothing travels
    int* place;         // [n x n] column-major, in vv; -1: not there
    bool* is_touched;   // [n_v]
    bool needs_motion;  // the blocks depend on more than time
    FbBlocks blocks;    // M, C, K, Rx
} FbTravelling;

// The linear form of the equations, where a solver has requested it.
typedef struct FbLinearState {
    FbArena* arena;  // NULL: it has not
    FbLinearForm form;
    double *M, *C, *K, *G;
    double* load;           // [n_v] what does not depend on time
    double* offset;         // [n_c] likewise
    FbPoint at;             // the drawing at rest
    int *loaded, n_loaded;  // beams with line loads that depend on time
    FbMovingGroup* groups;
    int* first_group;  // [n_sliders + 1]
    double* room;      // for their F
    double* q;         // [n_q] displaced
} FbLinearState;

// Derivatives of a scalar with respect to q (tangent), v, x and u; only touched entries are
// non-zero.
typedef struct FbGradient {
    double* q;  // [n_v]
    double* v;  // [n_v]
    double* x;  // [n_x + n_inputs]
    int* touched;
    bool* is_touched;
    int n_touched;
} FbGradient;

// The matrix [M G'; G -e] that forward dynamics and projections share.
typedef struct FbKkt {
    FbPattern pattern;
    FbLinear* solver;
    int* of_M;         // [entries of vv]; NULL: the pattern is vv
    int* of_G;         // [entries of cv]
    int* of_Gt;        // [entries of cv]
    int* of_diagonal;  // [n_c]
    double* scale;     // [n_v + n_c] powers of two that bring all entries to about 1
    double* rhs;
    double* correction;  // [2 (n_v + n_c)] of iterative refinement
    double* q;           // [n_q] where it was factored
    bool is_factored, is_projection;
    bool has_constant;  // factored is the mass matrix of linear structures alone, which stays
    bool was_regular;   // so where it is not, a smaller step may help
} FbKkt;

// Room for the smallest multipliers of redundant rows (multiplier.c).
typedef struct FbLeastNorm {
    bool is_needed;
    double* Q;  // [n_v x n_c] orthonormal
    double* R;  // [n_c x n_c] upper
    double* S;  // [n_c x n_c]
    double* w;  // [n_c x dropped rows]
    double* y;  // [n_c]
} FbLeastNorm;

// What a sampler has measured.
typedef struct FbSampleState {
    double value;        // shown now
    double* ring;        // [late + 1] the last samples
    double first, next;  // times of the first and of the next sample, s
    long count;          // samples so far
    double fresh;        // sample that is being taken
} FbSampleState;

// A callback at the time and arguments of its last call.
typedef struct FbCallbackState {
    double t;
    double* arguments;  // [n_arguments]
    double* results;    // [n_results]
    double* slopes;     // [n_results x n_arguments] of results by arguments, row-major
    bool has_results, has_slopes;
    // For differences: arguments and results nearby, and how an argument changes with the motion.
    double *near, *above, *below;
    FbGradient gradient;
} FbCallbackState;

// Switches that slide along the borders of their pieces (slide.c).
enum { FB_MAX_SLIDES = 16, FB_MAX_SETTLING = 6 };
typedef struct FbSlides {
    int index[FB_MAX_SLIDES], n;
    int leader[FB_MAX_SLIDES];  // the first of those on the same border, which share its share
    // The others keep it on its border whatever its share is: that stays what it was set to.
    bool is_idle[FB_MAX_SLIDES];
    bool may_lead;  // one has ended: idle ones may be needed now
    // Outputs that depend on such a share [n_outputs], and the first time: two of the switches, s.
    bool* is_shared;
    int shared[2];
    double shared_time;
    double* outputs;  // [2 n_outputs] room
    double* depths;   // [3 n_switches] room
    bool is_solving;
    double dt;                    // s, for differences along the motion
    double *a, *lambda, *x_rate;  // rates with the shares that are tried
    double *q, *v, *xi, *x;       // room
} FbSlides;

// A carriage and its guide at one point (carriage.c).
typedef struct FbCarriageState {
    FbSliderMotion motion;         // along the traversed element itself
    const FbBeamElement* element;  // NULL: on a curve
    const FbLinkFrame* end[2];
    FbLinkFrame origin;      // that places are counted from: near the slider
    double distance;         // of the carriage from the ground's origin, m
    FbPort port[2], own[2];  // ends of the element; the carriage, and nothing
    FbBeamField field;
    double de_by_pose[FB_BEAM_DOF * FB_BEAM_DOF];
    FbGuideBeam beam;
    FbGuideFrame guide;
    FbVec3 axis[FB_CARRIAGE_ROWS];  // of each row: of the ground, or turning with the carriage
    double error[FB_CARRIAGE_ROWS], rate[FB_CARRIAGE_ROWS], bias[FB_CARRIAGE_ROWS];
    double by_s[FB_CARRIAGE_ROWS];
    double lambda[FB_CARRIAGE_ROWS];  // multipliers of the rows in use
    // Columns: by velocity of the element's path [9] each, and of the carriage's [6] each.
    double *guide_by_v, *guide_rate_by_v, *own_by_v;
    double* G;   // [6 x n_v]
    double* Gq;  // [6 x n_v] of the rates
} FbCarriageState;

// Sums over all parts; moments about the ground origin.
typedef struct FbMomenta {
    double mass;
    FbVec3 momentum, angular_momentum, first_moment;
} FbMomenta;

// Memory of the model's tapes.
typedef struct FbTapeWork {
    double *residual, *powers, *blocks;
} FbTapeWork;

enum { FB_MAX_PART_KINDS = 16 };

// A node of a structure with large rotations: its translations, and what says how it has turned.
typedef struct FbNodeTurn {
    int v[3];      // velocities; the third is -1 in a plane
    int q;         // quaternion, or in a plane the angle
    double sense;  // in a plane: 1 where the angle turns the first translation to the second, or -1
} FbNodeTurn;

// What belongs to one choice of constraint rows (row_set.c).
typedef struct FbRowSet {
    FbArena* arena;
    int* active;
    int* slot_of_row;  // [n_rows] a copy
    double* c_scale;
    FbPattern cv;
    double *G, *Gq;
    FbKkt kkt;
    FbLeastNorm least;
} FbRowSet;

struct FbSystem {
    FbDynamics dynamics;  // first
    const FbModel* m;
    const FbPartKind* kinds[FB_MAX_PART_KINDS];  // those that the model has parts of
    int n_kinds;
    FbArena* arena;
    FbKinematics k;
    FbTermState* term;  // [n_terms]
    // Angles of loop joints over full turns: near what they are expected now, and at the last
    // accepted point.
    double* turns;       // [n_turns]
    double* turn_angle;  // [n_turns]
    double* turn_rate;   // [n_turns]
    double* turn_pull;   // [n_turns] mean acceleration of the last step
    double turn_time;
    double* inputs;              // [n_inputs] as set last
    int* law_of;                 // [n_laws] after switches
    int* event_count;            // [n_events]
    FbMoveState* moves;          // [n_movers]
    FbSampleState* samples;      // [n_samplers]
    FbCallbackState* callbacks;  // [n_callbacks]
    FbError failure;             // of a callback, until it is cleared; status FB_OK: none
    bool is_sampling;            // a sample is being taken: what fails now cannot be tried again
    bool is_sampling_off;  // samplers show what they would measure now: equilibria, linearizations
    FbPoint ahead;         // [a, lambda, x] for the rates of signals that moves predict
    bool* is_off;          // [n_forces] forces that were released
    bool is_held;          // no force is released: the equilibrium before a run
    bool is_frozen;        // laws stand still
    // Constraint rows in use; their storage is rebuilt when the choice changes.
    FbArena* row_arena;
    int* active;       // [n_c] row index
    int* slot_of_row;  // [n_rows] -1: redundant
    FbPattern cv;
    FbBlocks blocks;
    FbBlocks split;  // of deep trees: without their share
    FbKkt kkt;
    FbLeastNorm least;
    FbSymmetric*
        analysed;        // a solver with the pattern of a structure, whose analysis serves others
    FbRowSet aside;      // the rows of the step, while a sample inside it uses others
    bool is_set_aside;   // ... which it does
    double* v_scale;     // [n_v] natural speeds
    double* c_scale;     // [n_c] units of the rows in use
    double* least_v;     // [n_v] least share of the scales in error weights
    double* q_closed;    // [n_q] the drawing with its loops closed, where motion is counted from
    double* held_v;      // [n_v] 1 where rows hold a coordinate, else 0
    int* vector;         // [n_v] FbDynamics.vector
    double rate;         // of the motion at the start, 1/s
    double load;         // largest force at the start on a mass times the length, 1/s^2
    double* zero_v;      // [n_v] zeros
    double* work_v[4];   // [n_v]
    double* work_q[2];   // [n_q]
    double* all_lambda;  // [n_rows] multipliers for outputs, minimum norm where not unique
    FbGradient gradient;
    FbNodeTurn* node_turns;  // [n_node_turns]
    int n_node_turns;
    int* piece;                  // [n_sliders] element of the guide that each is on, -1: look
    FbSliderMotion* motion;      // [n_sliders] along the whole guide, as realized last
    FbCarriageState* carriages;  // [n_carriages]
    double now;                  // time requested last, for the laws of carriages
    // [n_sliders] where on its guide the weight of each would make it buckle; infinite: nowhere.
    double *slider_low, *slider_high;
    double* largest_share;   // [n_sliders] of m s'^2 couple_slope, so far (form 1)
    double largest_turn;     // rad, of linear structures, so far ...
    int turned;              // ... and its velocity
    bool has_buckled;        // linear structures cannot even carry their own loads
    bool has_no_sliders;     // for the statics of the rest
    bool is_parked;          // sliders are held where their laws have them: equilibria
    bool are_drives_parked;  // those with states too, and laws
    double* element_room;    // for the largest linear element, [n (n + 3)]
    double* port_columns;    // [4 x max_port_path x 12]
    double* field_columns;   // ... of segments of smooth guides
    double* scratch;         // stack of doubles for expressions and paths
    size_t scratch_used, scratch_size;
    // What assembly found.
    int n_redundancies;
    FbRedundancy* redundancies;
    bool* is_ambiguous;  // [n_outputs] reactions that the motion does not determine
    // Pieces of expressions, while a run holds them.
    bool holds_pieces;
    FbPiece* pieces;        // [n_switches]
    FbPiece* fresh_pieces;  // [n_switches] room
    FbSlides slides;
    FbTravelling travelling;
    FbTapeWork tapes;
    FbLinearState linear;
    // Why the last evaluation failed.
    long lock_steps;  // in a row near gimbal lock
    bool has_trouble;
    FbError trouble;
};

static inline FbSystem* fb_system_of(FbDynamics* d) {
    return (FbSystem*)d;
}

static inline double* fb_scratch_take(FbSystem* s, size_t n) {
    assert(s->scratch != NULL && s->scratch_used + n <= s->scratch_size);
    double* p = s->scratch + s->scratch_used;
    s->scratch_used += n;
    return p;
}

// Are all of x finite? Zero times infinity or NaN is NaN.
static inline bool fb_is_finite(const double* x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * 0.0;
    }
    return sum == 0.0;
}

// Place in a value array; full patterns are column-major matrices.
static inline int fb_at(const FbPattern* p, int row, int col) {
    return p->start[1] == p->n_row && p->start[p->n_col] == p->n_row * p->n_col
               ? col * p->n_row + row
               : fb_pattern_index(p, row, col);
}

extern const FbDynamicsOps fb_system_ops;  // system.c

// Positions, velocities (v may be NULL) and, where a is not NULL, accelerations of the tree.
void fb_system_realize(FbSystem* s, const double* q, const double* v, const double* a);

// signal.c
double fb_signal_calc(FbSystem* s, const FbPoint* p, int signal);
void fb_signal_add_gradient(FbSystem* s, const FbPoint* p, int signal, double factor,
                            FbGradient* g);
double fb_function_calc(FbSystem* s, const FbPoint* p, int function, double value, double rate);
// The expression of a function, the values of its inputs and room to evaluate it (on the scratch
// stack).
const FbExpr* fb_function_gather(FbSystem* s, const FbPoint* p, int function, double value,
                                 double rate, double** inputs, double** scratch);
// d[0], d[1]: with respect to the own measure; the rest is added to g, times factor.
double fb_function_add_gradient(FbSystem* s, const FbPoint* p, int function, double value,
                                double rate, double factor, double d[2], FbGradient* g);
void fb_gradient_clear(const FbSystem* s, FbGradient* g);
// Gradients of a term along its path: of the value, and (not NULL) of the rate with respect to q.
void fb_term_path_gradients(const FbSystem* s, const FbTerm* term, const FbTermState* state,
                            double* value, double* rate);
// Adds factor times the derivatives of a law's value (component 0) or rate (1) with respect to the
// inputs that it uses.
void fb_law_add_gradient(const FbSystem* s, int index, double t, int component, double factor,
                         FbGradient* g);
static inline void fb_law_now(const FbSystem* s, int index, double t, double out[3]) {
    const FbLaw* law = &s->m->laws[s->law_of[index]];
    if (law->type == &fb_law_moves) {
        const FbMoves* moves = law->data;
        fb_moves_calc(moves, &s->moves[moves->slot], t, out);
    } else if (law->n_switches > 0 && s->holds_pieces) {
        fb_law_calc_with(law, t, s->inputs, s->pieces + law->first_switch, out);
    } else if (law->has_inputs) {
        fb_law_calc_with(law, t, s->inputs, NULL, out);
    } else {
        fb_law_calc(law, t, out);
    }
    if (s->is_frozen) {
        out[1] = out[2] = 0.0;
    }
}

// tapes.c: memory; the operations of the contract; blocks without rows and states, false: they are
// left to the passes over the links.
void fb_tapes_take(FbSystem* s);
FbStatus fb_system_residuals(FbDynamics* d, int n, const double* q, const double* v,
                             const double* a, double* r);
void fb_system_all_powers(FbDynamics* d, int n, const double* q, const double* v, double* rates);
bool fb_tapes_calc_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b);

// stiff.c
double fb_system_calc_fastest_rate(FbDynamics* d, const FbPoint* p);
// costs.c
bool fb_system_calc_costs(const FbDynamics* d, FbCosts* out);

// linear_turn.c: the rotation of a link as it is measured and drawn, at the realized position q.
FbMat3 fb_link_calc_rotation(const FbSystem* s, const double* q, int link);

// output.c: all that a signal may need at p.
void fb_system_realize_outputs(FbSystem* s, const FbPoint* p);
// fb_system_calc_energies where positions and velocities are realized.
void fb_system_sum_energies(FbSystem* s, const FbPoint* p, FbEnergies* out);

// callback.c: results, and their derivatives with respect to the arguments [n_arguments] and to
// time itself.
double fb_callback_calc(FbSystem* s, const FbPoint* p, const FbSignal* signal);
const double* fb_callback_calc_slopes(FbSystem* s, const FbPoint* p, const FbSignal* signal);
double fb_callback_calc_time_slope(FbSystem* s, const FbPoint* p, const FbSignal* signal);
void fb_callback_add_gradient(FbSystem* s, const FbPoint* p, const FbSignal* signal, double factor,
                              FbGradient* g);
// Says which callback has no results at p; false: all have.
bool fb_callbacks_explain(FbSystem* s, const FbPoint* p);

// linear_terms.c: can a signal be differentiated?
bool fb_signal_has_gradient(const FbModel* m, int signal);

// sample.c: samplers. The first samples, at p (q, v, x known).
void fb_samples_start(FbSystem* s, const FbPoint* p);
// The last sample, not what would be measured now.
static inline bool fb_sample_is_shown(const FbSystem* s, int sampler) {
    return !s->is_sampling_off || s->m->samplers[sampler].is_always_held;
}

// forces.c: forces, their work and their blocks
static inline bool fb_force_is_off(const FbSystem* s, const FbForce* e) {
    return s->is_off[e - s->m->forces] && !s->is_held;
}
double fb_force_calc_force(FbSystem* s, const FbPoint* p, const FbForce* e,
                           const FbTermState* state, FbScalarForce* out);

// beam_load.c: line loads
static inline bool fb_beam_has_load(const FbBeamElement* e) {
    return e->load[0] >= 0 || e->load[1] >= 0 || e->load[2] >= 0;
}
// What a beam resists its line load with, dual to its field.
void fb_beam_calc_load(FbSystem* s, const FbPoint* p, const FbBeamElement* e,
                       double f[FB_BEAM_DOF]);
void fb_beam_apply_load(FbSystem* s, const FbPoint* p, const FbBeamElement* e);
void fb_beam_add_load_blocks(FbSystem* s, const FbPoint* p, const FbBeamElement* e, FbBlocks* b);
double fb_beam_calc_load_power(FbSystem* s, const FbPoint* p, const FbBeamElement* e);

// structure_links.c: forces of beams, sliders and carriages on links, for the reactions of joints.
void fb_beams_move_to_links(FbSystem* s, const FbPoint* p, const double* a);
void fb_sliders_move_to_links(FbSystem* s, const FbPoint* p, const double* a);
// beam_state.c
double fb_beam_calc_kinetic(FbSystem* s, const double* v, const FbBeamElement* e);
bool fb_beam_end_moves(const FbBeamElement* e, int end);
// beam_section.c: needs position, velocity and acceleration realized.
void fb_beam_calc_section(FbSystem* s, const FbPoint* p, const FbBeamElement* e, double at,
                          double forces[6]);

// slider_state.c
void fb_sliders_realize(FbSystem* s, const FbPoint* p);  // where each is along its guide
// carriage.c: rows that keep carriages on their guides. Realize: positions and, where v is given,
// velocities were realized.
void fb_carriages_take(FbSystem* s);
void fb_carriages_realize(FbSystem* s, const double* q, const double* v);
void fb_carriages_calc_bias(FbSystem* s, const FbPoint* p);  // accelerations for a = 0 realized
void fb_carriages_set_states(FbSystem* s, const double* x);  // of the drives, before projections
// Multipliers: clear, set row by row, then push the forces on links and coordinates.
void fb_carriages_clear(FbSystem* s);
static inline void fb_carriage_set(FbSystem* s, const FbRow* row, double lambda) {
    s->carriages[row->carriage - 1].lambda[row->component] = lambda;
}
void fb_carriages_push(FbSystem* s, const double* q);
void fb_carriages_move_to_links(FbSystem* s, const double* q);
// What a carriage's multipliers exert on its slider: along the guide, and as a force on the guide.
double fb_carriage_calc_along(const FbSystem* s, int carriage);
FbVec3 fb_carriage_calc_contact(const FbSystem* s, int carriage);
// carriage_blocks.c: after the multipliers were set: derivatives of G' lambda; of the rates of rows
// (Gq of the states).
void fb_carriages_calc_rate_gradients(FbSystem* s, const double* q, const double* v);
void fb_carriages_add_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b);

// row.c: constraints
void fb_rows_realize(FbSystem* s, const double* q, const double* v,
                     bool only_active);  // terms of the rows; v may be NULL
double fb_row_calc_error(const FbSystem* s, int row, double t);
double fb_row_calc_rate(const FbSystem* s, int row, double t);
// The size by which its error is judged: its unit, or more where coordinates far from their bases
// round to more; for rows that others imply (`is_drawn`), also where the drawing does.
double fb_row_calc_size(const FbSystem* s, int row, bool is_drawn);
void fb_rows_apply(FbSystem* s, const double* q, const double* lambda);
void fb_rows_add_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b);
void fb_row_add_gradient(const FbSystem* s, int row, double* dense);  // G row into dense [n_v]

// scales.c: natural sizes of errors. Set: at the assembled point p, with accelerations.
FbStatus fb_scales_create(FbSystem* s, FbError* err);
void fb_scales_set(FbSystem* s, const FbPoint* p);

// row_choice.c: which rows are independent
FbStatus fb_rows_choose(FbSystem* s, const double* q, FbError* err);
FbStatus fb_rows_use(FbSystem* s, const bool* is_dropped, FbError* err);
// row_exchange.c: redundant rows take the place of kept ones at p, where all rows are realized,
// until all of them are sums of kept ones with small weights.
// `before` (may be NULL) is called before the first exchange.
FbStatus fb_rows_improve(FbSystem* s, const FbPoint* p, void (*before)(FbSystem* s),
                         bool* has_changed, FbError* err);
// row_set.c: samples inside a step use rows that are good there, and give those of the step back.
FbStatus fb_system_enter_sample(FbDynamics* d, const FbPoint* p, bool* has_other_rows,
                                FbError* err);
void fb_system_leave_sample(FbDynamics* d);

// pieces.c: the operations of the contract that hold and change pieces.
void fb_pieces_take(FbSystem* s);
void fb_system_hold_pieces(FbDynamics* d, const FbPoint* p);
void fb_system_calc_depths(FbDynamics* d, const FbPoint* p, double* depth, double* scale);
void fb_system_change_piece(FbDynamics* d, const FbPoint* p, int i);
void fb_system_follow_pieces(FbDynamics* d, const FbPoint* p);
bool fb_system_is_touch(const FbDynamics* d, int i);
void fb_system_free_piece(FbDynamics* d, int i, bool is_free);
void fb_system_reset_idle_pieces(FbDynamics* d, const FbPoint* p, const double* depth, double h);
// What a switch compares with zero; positions and velocities realized at p.
double fb_switch_calc_border(FbSystem* s, const FbPoint* p, int i);
// slide.c: shares of the switches that slide, at p (false: not determined); begin, end.
void fb_slides_take(FbSystem* s);
bool fb_slides_solve(FbSystem* s, const FbPoint* p);
bool fb_system_slide(FbDynamics* d, const FbPoint* p, int i, double h);
void fb_slides_end(FbSystem* s, int i);
// Those that others kept on their borders end where none of these is left.
void fb_slides_end_unled(FbSystem* s, const FbPoint* p);
bool fb_slides_are_determined(FbSystem* s, const FbPoint* p);  // by the motion, their shares
// settle.c
bool fb_system_settle(FbDynamics* d, const FbPoint* p, int n, const int* switches, double h);
bool fb_slides_has(const FbSystem* s, int i);
bool fb_slides_are_between(const FbSystem* s);  // all shares are from 0 to 1
// slide.c: sets the reaches of those that slide, for steps of length h.
void fb_slides_weigh(FbSystem* s, const FbPoint* p, double h);
// stuck.c: the others keep the last one on its border: it takes a share of the load that lets all
// stay there. false: there is none.
bool fb_slides_share_load(FbSystem* s, const FbPoint* p);
// The last one slides along the border of another: do reactions depend on their having one share?
void fb_slides_examine_follower(FbSystem* s, const FbPoint* p);
void fb_slides_forget(FbSystem* s);  // that any did
// The point a little later than p, realized, extrapolated with its accelerations; valid until the
// next call.
FbPoint fb_slides_look_ahead(FbSystem* s, const FbPoint* p, double dt);
// Does the k-th of them slide along the border of one before it?
bool fb_slides_follows(const FbSystem* s, int k);
const char* fb_system_name_switch(const FbDynamics* d, int i);
// uniqueness.c: is a signal a reaction or a multiplier, or an expression of such?
bool fb_signal_is_reaction(const FbModel* m, int signal);

// explain.c: why the evaluation at p failed; velocity >= 0: its accelerations are not determined.
void fb_system_explain(FbSystem* s, const FbPoint* p, int velocity);
const FbError* fb_system_trouble(const FbDynamics* d);
// lock.c: a joint near gimbal lock at the point of the last evaluation, NULL: none; and the run is
// there: an error where it has been for too many steps.
const FbError* fb_locks_trouble(FbDynamics* d);
FbStatus fb_locks_accept(FbSystem* s, double t, FbError* err);

// kkt.c, projection.c
FbStatus fb_kkt_create(FbSystem* s, FbError* err);
void fb_kkt_destroy(FbSystem* s);
void fb_kkt_reset(FbSystem* s);  // as if created again
FbStatus fb_kkt_factor(FbSystem* s, const double* q, bool is_projection,
                       FbError* err);                   // M and G at the realized position
void fb_kkt_solve(FbSystem* s, double* x);              // [n_v + n_c] right side, then solution
void fb_kkt_solve_refined(FbSystem* s, double* x);      // without the regularization
bool fb_kkt_is_at(const FbSystem* s, const double* q);  // is that of accelerations, exactly there?
// singular.c: says why velocity `velocity` (< 0: unknown) has no determined acceleration at the
// realized position: nothing that it moves has inertia, or its joint causes the same motion as
// others.
FbStatus fb_system_fail_singular(FbSystem* s, int velocity, FbError* err);
// Of a matrix of forces and accelerations whose factorization has failed so: memory, or singular.
FbStatus fb_system_fail_factor(FbSystem* s, FbStatus status, const FbLinear* solver, FbError* err);
FbStatus fb_system_accelerations(FbDynamics* d, FbPoint* p, FbError* err);
FbStatus fb_system_project_position(FbDynamics* d, double t, double* q, double* error,
                                    FbError* err);
FbStatus fb_system_project_velocity(FbDynamics* d, double t, const double* q, double* v,
                                    double* error, FbError* err);

// carried.c: moves p->q so that structures follow the bodies that carry them: as little strained as
// the rows and, if not NULL, the targets [n_conditions] of the positions that are set allow.
FbStatus fb_system_place_structures(FbSystem* s, FbPoint* p, const double* target, FbError* err);

// turn.c: angles of loop joints. Draw: those of the drawing. Start: at rest near the angles known
// so far (positions realized). Predict: expected at t. Accept: p is a new point of the motion
// (positions and velocities realized).
void fb_turns_draw(FbSystem* s);
void fb_turns_start(FbSystem* s, double t, const double* q);
void fb_turns_predict(FbSystem* s, double t);
// FB_ERR_CONVERGENCE: the step was too long to count the turns of a row.
FbStatus fb_turns_check(FbDynamics* d, const FbPoint* p);  // the operation of the contract
FbStatus fb_turns_accept(FbSystem* s, const FbPoint* p, FbError* err);

// chart.c: angles that are redefined near gimbal lock. Reset: none is. Accept: p is a new point
// (positions and velocities realized); true: it is expressed in other charts now, and realized.
void fb_charts_reset(FbSystem* s);
void fb_charts_predict(FbSystem* s, double t);
bool fb_charts_may_change(const FbSystem* s, const double* q);
bool fb_charts_accept(FbSystem* s, FbPoint* p);
// The angle of a joint whose angles are redefined, at the realized position; false: they are not.
bool fb_charts_get_angle(const FbSystem* s, int joint, int index, double* angle);

// multiplier.c. Express: each dropped row by those in use, w in `least`; false where these are
// dependent here.
FbStatus fb_multipliers_create(FbSystem* s, FbError* err);
bool fb_multipliers_express(FbSystem* s);
void fb_system_calc_all_lambda(FbSystem* s, const FbPoint* p);

// signal.c: a component of what a joint transmits, given the forces in all links, along all
// coordinates and the multipliers of all rows.
double fb_reaction_calc(const FbSystem* s, const FbSignal* signal, const FbVec6* F,
                        const double* tau, const double* lambda);

#endif
