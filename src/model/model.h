// The compiled model: immutable flat arrays that every system of the model shares.
#ifndef FLYBALL_MODEL_MODEL_H
#define FLYBALL_MODEL_MODEL_H

#include <stdatomic.h>

#include "base/expr.h"
#include "describe/kept_mesh.h"
#include "fem/element.h"
#include "fem/guide_frame.h"
#include "fem/slider.h"
#include "flyball/simulate.h"
#include "force/force.h"
#include "law/moves.h"
#include "math/tape_store.h"
#include "model/drawing.h"
#include "tree/term.h"
#include "tree/tree.h"

// A rigid body and the link that carries it.
typedef struct FbBody {
    const char* name;
    int link;     // -1: ground
    FbMat3 R_LB;  // body frame in the link frame
    FbVec3 p_LB;
    FbMat3 R_GB;  // drawing position
    FbVec3 p_GB;
    FbPlace place;
} FbBody;

// A frame fixed in a link.
typedef struct FbLinkFrame {
    int link;
    FbMat3 R;
    FbVec3 p;
} FbLinkFrame;

typedef struct FbJoint {
    const char* name;
    const FbJointType* type;
    FbLinkFrame a, b;                // frames on both bodies
    bool is_loop;                    // closes a loop: rows instead of coordinates
    bool is_reversed;                // traversed from b to a
    int first_link, n_links;         // in the tree
    int velocity[FB_MAX_JOINT_V];    // tree: velocity index of each coordinate, -1 for loop joints
    int coordinate[FB_MAX_JOINT_V];  // tree: index into q, -1 for balls and loop joints
    int first_row, n_rows;           // loop
    FbPlace place;
} FbJoint;

// One constraint equation: sum of terms - offset - law(t) = 0.
typedef struct FbRow {
    int term, n_terms;
    double offset;
    int law;  // -1: none
    bool is_holonomic;
    bool is_joint;  // owner is a joint, else a constraint or a slider
    int owner;
    int carriage;   // 1 + the carriage that the row keeps on its guide (owner: its slider), 0: none
    int component;  // of a carriage: FbCarriageRow
    const char* text;  // what it forbids
    double unit;       // its natural size: the length of its loop, or 1 for angles
} FbRow;

typedef struct FbConstraint {
    const char* name;
    int first_row, n_rows;
    FbPlace place;
} FbConstraint;

// An expression whose inputs are signals; FB_INPUT_VALUE and FB_INPUT_RATE denote the force's own
// measure.
enum { FB_INPUT_VALUE = 1 << 28, FB_INPUT_RATE };
typedef struct FbFunction {
    FbExpr* expr;
    bool acts;                     // on the motion; others are only observed
    int first_switch, n_switches;  // where it acts: the operations whose pieces are held
    FbPlace place;
} FbFunction;

// The switches of one expression, of a function or of a law.
typedef struct FbSwitchGroup {
    int function, law;  // -1: the other
    int element;        // whose measure the expression may use, -1: none
    int first, n;       // among all switches
    int n_held;         // the first of them; the others are singular points that may be touched
    bool has_angles;    // that follow the motion
    const char* owner;  // "force 'floor'"
} FbSwitchGroup;

// A force in place: along a term, between two frames, or at a point.
typedef struct FbForce {
    const char* name;
    const FbForceType* type;
    FbForceMeasure measure;  // resolved: never COORDINATE_OR_DISTANCE
    const FbForceDef* def;   // the head of the struct of its type, the model's own
    double rest;
    bool in_body_frame;  // three expressions along the axes of the body
    int term;            // scalar measures
    int function[3];     // -1: none; scalar measures use [0]
    int law;             // -1: none
    FbLinkFrame a, b;    // frames; point forces use a
    int path, n_path;    // frames and point forces
    // Loads on nodes of linear structures: what a unit along each axis gives to each velocity of
    // the path in the drawing, [n_path x 3]; NULL: elsewhere.
    double* linear_rows;
    FbPlace place;
} FbForce;

// The velocities that move the nodes of an element, ascending, and which nodes each moves: bit i is
// node i.
typedef struct FbPortPath {
    int n;
    int* v;
    uint32_t* moves;
} FbPortPath;

// What every finite element has, for functions that do not ask for its type.
typedef struct FbElement {
    const FbElementType* type;
    const void* self;        // its properties
    double alpha, beta;      // Rayleigh damping
    const FbLinkFrame* end;  // [n_nodes] element axes at the nodes, in the links that carry them
    const FbVec3* p_drawn;   // [n_nodes] the nodes in the drawing
    FbMat3 R_drawn;          // element axes there
    FbPortPath path;
    // Linear theory: d = J0 (q - q_drawn), by columns, [path.n][size]; NULL: large rotations.
    double* J0;
} FbElement;

// A beam element.
typedef struct FbBeamElement {
    FbElement base;  // first
    const char* name;
    FbBeam beam;
    bool is_linear;
    int body[2];         // its nodes
    FbLinkFrame end[2];  // section frames in the links that carry the nodes
    FbVec3 p_drawn[2];
    int load[3];  // functions of the force per length, -1: none
    // Linear theory: e = e0 + E d; E J0 by columns, [n][12].
    double* EJ0;
    double e0[FB_BEAM_DOF];
    double area, edge_y, edge_z, torsion_modulus;  // for stresses, NaN: none
    FbPlace place;
    const struct FbGuideSpline* spline;  // the element is a segment of a smooth guide, without mass
                                         // and stiffness; NULL: it is a beam
    int segment;                         // its number there
} FbBeamElement;

// The elements of one member, one after the other.
typedef struct FbMember {
    const char* name;
    int first, n;
    double length;
} FbMember;

// All elements of one structure.
typedef struct FbStructure {
    const char* name;
    int first, n;  // beams
    int n_members, n_nodes;
    bool is_nonlinear;
    bool is_theory_open;   // its theory was not given explicitly
    double mass;           // kg, of the members
    double damping_ratio;  // of every mode; 0: none
    int* v;                // [n_v] the velocities that move its nodes, ascending
    int n_v;
    FbPlace place;
} FbStructure;

// A modal amplitude that is measured: a sum of the coordinates of a structure.
typedef struct FbModalOutput {
    int structure, mode;  // the mode from 1
    int term;             // the first of as many as the structure has velocities
} FbModalOutput;

// The smooth line through points of links (eqs. 9.36-9.39). Between points k and k + 1 its field is
//   e = (p_k, L tau_k, p_k+1, L tau_k+1),   tau_i = sum_j tangents[i][j] p_j.
typedef struct FbGuideSpline {
    int n;
    FbLinkFrame* points;      // [n] section frames: axes of the ground in the drawing
    const int* bodies;        // [n]
    FbVec3* p_drawn;          // [n]
    double* knots;            // [n] lengths along the drawn line
    double* tangents;         // [n x n], row-major
    bool* moves;              // [path.n x n] does the velocity move the point?
    FbPortPath path;          // of all points; without `moves`
    FbBeamElement* segments;  // [n - 1]
    bool is_linear;           // all points move linearly with the coordinates
    bool is_straight;         // as drawn
} FbGuideSpline;

// The velocities that the field of an element of a guide depends on: those of all points of a
// spline.
static inline const FbPortPath* fb_field_path(const FbBeamElement* e) {
    return e->spline ? &e->spline->path : &e->base.path;
}
// The axis of the element in the drawing.
static inline FbVec3 fb_element_axis(const FbBeamElement* e) {
    return fb_mat3_col(&e->base.R_drawn, 0);
}

// An element of a guide: travelled from its end B to A where reversed, beginning at length `start`.
typedef struct FbGuidePiece {
    const FbBeamElement* element;  // a beam of the model, or a segment of the slider's own spline
    int beam;                      // its number; -1: a segment
    bool is_reversed;
    double start;
} FbGuidePiece;

typedef struct FbSlider {
    const char* name;
    const char* guide;  // its members, or the body of its curve, as a text
    FbSliderMass mass;
    FbGuidePiece* pieces;
    int n_pieces;           // 0: on a curve
    FbGuideSpline* spline;  // its guide is the smooth line through nodes; NULL: it is not
    FbCurve* curve;         // fixed in the frame `on`
    FbLinkFrame on;
    FbPortPath path;  // of the curve's body
    double length;
    // What moves it: one of these.
    int law;               // -1: none
    int state_s, state_v;  // -1: none; its acceleration is function `command`
    int command;
    int coordinate_q, coordinate_v;  // free, -1: none
    int carriage;                    // -1: nothing is attached
    // 1/(N m): by how much the slope under a unit couple exceeds that under one from forces an
    // element to either side, where this grows as elements shrink (form 1, eq. 9.45).
    double couple_slope;
    FbPlace place;
} FbSlider;

// The rows of a carriage: its place on the guide, then its turns.
enum { FB_CARRIAGE_PLACE = 0, FB_CARRIAGE_TURN = 3, FB_CARRIAGE_ROWS = 6 };

// The body at a slider's place that other parts are attached to: rows keep it on the guide.
typedef struct FbCarriage {
    int slider, body;
    FbLinkFrame frame;  // fixed in the body; x along the guide
    FbPortPath path;    // of the body
    FbVec3 cross;  // across the guide: in ground axes as drawn, on curves in those of the curve
    int* v;        // [n] velocities that move the body or its place on the guide, ascending
    int n;
    double mass;  // kg, of what hangs on it and on nothing else
} FbCarriage;

typedef enum FbSignalKind {
    FB_SIGNAL_TIME,
    FB_SIGNAL_STATE,
    FB_SIGNAL_INPUT,
    FB_SIGNAL_LAW,
    FB_SIGNAL_VALUE,  // sum of terms
    FB_SIGNAL_RATE,
    FB_SIGNAL_FUNCTION,
    FB_SIGNAL_SCALAR_FORCE,  // Q of a scalar force (springs: tension)
    FB_SIGNAL_SAMPLE,        // the last sample of a sampler
    FB_SIGNAL_SLIDER,        // component 0: s, 1: its rate
    FB_SIGNAL_CALLBACK,      // result `component` of a callback
    // From here on only for outputs: they need accelerations or have no derivative here.
    FB_SIGNAL_ACCELERATION,
    FB_SIGNAL_ACCELEROMETER,  // of three terms along the ground's axes; index 1: less gravity
    FB_SIGNAL_QUATERNION,
    FB_SIGNAL_ANGLE,  // yaw, pitch, roll
    FB_SIGNAL_PART,   // output `output`, `component` of the part `index` of a kind
    FB_SIGNAL_REACTION_FORCE,
    FB_SIGNAL_REACTION_TORQUE,
    FB_SIGNAL_MULTIPLIER,
    FB_SIGNAL_ENERGY,  // component: FbEnergyKind
    FB_SIGNAL_MOMENTUM,
    FB_SIGNAL_ANGULAR_MOMENTUM,
    FB_SIGNAL_CENTER,
} FbSignalKind;

// What the parts of each kind can be asked for.
typedef enum FbForceOutput {
    FB_FORCE_OUTPUT_FORCE,  // vectors, unless it acts along a coordinate
    FB_FORCE_OUTPUT_TORQUE,
    FB_FORCE_OUTPUT_POWER,  // of any force
} FbForceOutput;

typedef enum FbBeamOutput {
    FB_BEAM_OUTPUT_SECTION,  // at fraction `at`: N, Qy, Qz, T, My, Mz
    FB_BEAM_OUTPUT_STRESS,   // there: largest |axial + bending|, shear by torsion, equivalent
} FbBeamOutput;

// The quantities of a slider: acceleration, actuator force and power, contact force, Coriolis force
// on the guide (its size), position, velocity, and the end forces of f_c.
typedef enum FbSliderOutput {
    FB_SLIDER_ACCELERATION,
    FB_SLIDER_FORCE,
    FB_SLIDER_POWER,
    FB_SLIDER_CONTACT_X,
    FB_SLIDER_CONTACT_Y,
    FB_SLIDER_CONTACT_Z,
    FB_SLIDER_POSITION_X,
    FB_SLIDER_POSITION_Y,
    FB_SLIDER_POSITION_Z,
    FB_SLIDER_VELOCITY_X,
    FB_SLIDER_VELOCITY_Y,
    FB_SLIDER_VELOCITY_Z,
    FB_SLIDER_KINETIC,
    FB_SLIDER_CORIOLIS,  // and the eleven after it: force and moment at the element's ends
    FB_SLIDER_MASS_MATRIX = FB_SLIDER_CORIOLIS + 12,          // and the 143 after it: M_e by rows
    FB_SLIDER_CORIOLIS_MATRIX = FB_SLIDER_MASS_MATRIX + 144,  // C_e
} FbSliderOutput;

typedef enum FbEnergyKind {
    FB_ENERGY_KINETIC,
    FB_ENERGY_POTENTIAL,
    FB_ENERGY_TOTAL,
    FB_ENERGY_SUPPLIED,
    FB_ENERGY_DISSIPATED
} FbEnergyKind;

// A kind of part (system/part.h).
typedef struct FbPartKind FbPartKind;

// A scalar that can be recorded or used in an expression.
typedef struct FbSignal {
    FbSignalKind kind;
    const FbPartKind* part;  // of FB_SIGNAL_PART ...
    int output;              // ... which of its outputs
    int term, n_terms;
    int index;  // state, law, function, element, joint, row
    int component;
    int link;        // orientation, accelerometer: of this link's body ...
    FbMat3 R;        // ... with this rotation in the link ...
    int frame_link;  // ... relative to this frame (also the axes of forces, reactions); -1 ground
    double at;       // sections: fraction of the element
    FbMat3 frame_R;
    const char* unit;
} FbSignal;

// A named sensor: one signal, or several (.x .y .z).
typedef struct FbSensor {
    const char* name;
    int first_signal, n_signals;
    const char* const* suffixes;  // [n_signals], "" for a scalar
    bool is_recorded;
    int stage;  // 0 not compiled, 1 in progress, 2 done (to find circles of expressions)
} FbSensor;

typedef struct FbOutput {
    const char* name;
    const char* unit;
    int signal;
    // "a|b|c": the value is a sum of 1, 2, 4 for each of these limits that binds; NULL: no such
    // sum.
    const char* limits;
} FbOutput;

typedef struct FbStateVariable {
    const char* name;
    double initial;
    int function;
} FbStateVariable;

// A value that is set from outside.
typedef struct FbInput {
    const char* name;
    const char* unit;  // "": none
    double min, max;
} FbInput;

typedef struct FbEvent {
    const char* name;
    int function;
    int direction;
    FbEventAction action;
    int law, to;
    int max_count;
} FbEvent;

// A law of moves in place: the expressions that start them.
typedef struct FbMover {
    int law;
    const FbMoves* moves;
    int function[FB_N_MOVES];
    const char* event[FB_N_MOVES];  // "arm.outward"
    FbPlace place;
} FbMover;

// A value that is measured at multiples of a period and shown until the next sample, some samples
// late.
typedef struct FbSampler {
    int sensor;  // in the description
    int function;
    double period;   // s
    int late;        // samples
    double initial;  // NaN: the first sample
    bool is_of_callback;
    bool needs_forces;    // of accelerations, reactions or energies, which only samples may
                          // act on
    bool is_always_held;  // also at operating points: those, and what depends on itself
} FbSampler;

// Values that a function of the program computes from those of expressions.
typedef struct FbCallbackPart {
    const char* name;
    FbPlace place;
    int sensor;            // in the description
    const int* arguments;  // [n_arguments] functions
    int n_arguments, n_results;
    double period;        // s; 0: it is not sampled
    double fallback;      // results without a function; NaN: it needs one
    FbCallback function;  // .calc NULL: none
} FbCallbackPart;

// A condition of the assembly: term sum (or its rate) = value.
typedef struct FbCondition {
    int signal;  // FB_SIGNAL_VALUE or FB_SIGNAL_RATE
    double value;
    bool is_of_node;   // of a structure's own node
    const char* text;  // "position of joint 'crank'"
    double unit;       // as of a row
    FbPlace place;
} FbCondition;

// External matrices; they are part of those of the linear elements.
typedef struct FbSuperelement {
    int n;
    int* v;              // [n] velocities that it acts on
    int* body;           // [n] bodies that move with them
    const int* rows;     // [n_entries] of its lower part
    const int* cols;     // [n_entries]
    const double* mass;  // [n_entries]
    int n_entries;
    const char* name;
    int n_elements, n_nodes;  // of its mesh; 0: it has none
    double mesh_mass, mesh_size[3];
    double damping_ratio;  // of every mode; 0: none
    double* load_factors;  // [n_load_factors] of buckling
    int n_load_factors;    // -1: not asked for
    FbPlace place;
    const FbKeptMesh* mesh;  // shared with the description; NULL: not kept
} FbSuperelement;

// A value that is measured: a sum of displacements, of a constant, and of the values of loads.
typedef struct FbMeshValue {
    int* v;       // [n] velocities
    double* row;  // [n]
    int n;
    double constant;        // by gravity
    const double* by_load;  // [n_loads] of its superelement
} FbMeshValue;

// A place of a superelement where stresses are measured.
typedef struct FbMeshPlace {
    const char* name;
    bool is_shell;
    FbMeshValue* values;  // [n_values]
    int n_values;
    int first_load, n_loads;  // of its superelement
} FbMeshPlace;

// Forces along coordinates of a superelement by a unit of a value.
typedef struct FbMeshLoad {
    const char* name;  // "plate.wind"
    int function;      // its value
    int* v;            // [n] velocities, where the force is not 0
    double* forces;    // [n]
    int n;
    FbPlace place;
} FbMeshLoad;

// The equations of a small model as tapes of the inputs q, v, a and the numbers of its forces;
// NULL: not of this one.
typedef struct FbTapes {
    FbTapeSet* set;         // that they are in, perhaps of several models
    const double* numbers;  // [n_numbers] the inputs that do not change
    int n_numbers;
    const FbFormulaTape* residual;  // r
    const FbFormulaTape* powers;    // supplied, dissipated
    const FbFormulaTape* blocks;    // M, C and K, each in the order of the pattern vv
} FbTapes;

// A named number.
typedef struct FbValue {
    const char* name;
    double value;
} FbValue;

struct FbModel {
    FbArena* arena;
    const char* name;
    const char* title;  // NULL: none
    const char* file;
    char sha256[65];            // of the file
    char* _Atomic hash;         // of all that it is made of; NULL: not asked for yet
    const FbValue* parameters;  // [n_parameters] of the description
    int n_parameters;
    FbSettings settings;
    FbOrigin simulation;  // where they were written
    FbDampingDef damping;
    FbTree tree;
    // Deep: the tree's share of M, C and K is better kept as recursions (tree/fronts.h). `own` is
    // the pattern of what forces add to it, of models without rows and structures.
    bool is_deep;
    FbPattern own;
    FbBody* bodies;
    int n_bodies;
    FbJoint* joints;
    int n_joints, n_loops;
    FbConstraint* constraints;
    int n_constraints;
    FbForce* forces;
    int n_forces;
    FbLaw* laws;
    int n_laws, laws_capacity;
    FbTerm* terms;
    int n_terms, terms_capacity;
    FbPaths paths;
    FbRow* rows;  // holonomic ones first
    int n_rows, rows_capacity, n_holonomic;
    FbFunction* functions;
    int n_functions, functions_capacity;
    FbSwitchGroup* switch_groups;
    int n_switch_groups, n_switches;
    bool has_switches_of_motion;  // not only of laws
    FbSignal* signals;
    int n_signals, signals_capacity;
    FbSensor* sensors;
    int n_sensors;
    FbOutput* outputs;
    int n_outputs;
    FbStateVariable* states;
    int n_states;
    FbInput* inputs;
    double* input_values;  // [n_inputs] until they are set
    int n_inputs;
    FbEvent* events;
    int n_events;
    FbMover* movers;
    int n_movers;
    FbSampler* samplers;
    int n_samplers, samplers_capacity;
    FbCallbackPart* callbacks;
    int n_callbacks, callbacks_capacity;
    FbCondition* conditions;
    int n_conditions, conditions_capacity;
    const FbElement** elements;  // of the linear theory
    int n_elements;
    FbBeamElement* beams;
    int n_beams;
    FbSuperelement* superelements;
    int n_superelements;
    FbMeshLoad* mesh_loads;
    int n_mesh_loads;
    FbMeshPlace* mesh_places;
    int n_mesh_places;
    FbMember* members;
    int n_members;
    FbStructure* structures;
    int n_structures;
    FbModalOutput* modal;
    int n_modal;
    FbSlider* sliders;
    int n_sliders;
    FbCarriage* carriages;
    int n_carriages;
    // The linear elements together: r += linear_M a + linear_C v + linear_K (q - q_drawn) +
    // linear_r, on the pattern vv; NULL without any.
    double *linear_M, *linear_C, *linear_K;
    double* linear_r;      // [n_v] gravity
    double linear_energy;  // of gravity in the drawing
    int* q_of_v;           // [n_v] index into q, -1 for balls
    int* linear_turns;     // velocities of turns that linear elements follow; first those that
                        // must stay small: rotations of supports, or of structures whose theory is
                        // not given
    int n_linear_turns, n_open_turns;
    bool* is_node;         // [n_joints] holds a structure's own node or hinge
    bool* is_linear_node;  // [n_joints] ... of small displacements, also of external matrices
    // In the drawing: axes that velocities turn about, rotations of links; and which links are
    // nodes of linear structures, carried by nothing else.
    FbVec3* drawn_turn;    // [n_v]
    FbMat3* drawn_axes;    // [n_link]
    bool* is_linear_link;  // [n_link]
    int max_port_path;
    bool has_structures;       // beams or sliders
    int n_turns;               // unwrapped angles
    double* q_drawn;           // [n_q]
    double length;             // of the mechanism, m
    double drawn_distance;     // of the drawing from the ground's origin, m: what it rounds by
    double mass;               // of a body on average, kg
    double* unit_v;            // [n_v] natural size of a change of q: 1 rad, or a length, m
    bool has_work;             // some element supplies or dissipates, or a law drives a row
    bool needs_accelerations;  // some output does
    bool has_reactions;        // some sensor measures what a joint transmits
    size_t max_scratch, max_inputs;  // of expressions
    FbPattern vv;                    // of M, C, K
    FbTapes tapes;
    FbDrawing drawing;
};

// The functions whose values a signal is computed from, and how many there are. Those of forces and
// samplers are not among them.
static inline int fb_signal_functions(const FbModel* m, const FbSignal* s, const int** functions) {
    bool is_callback = s->kind == FB_SIGNAL_CALLBACK;
    *functions = is_callback ? m->callbacks[s->index].arguments : &s->index;
    return is_callback ? m->callbacks[s->index].n_arguments : s->kind == FB_SIGNAL_FUNCTION;
}

// A displacement of the model's size along velocity j: its length, or 1 rad.
static inline double fb_model_displacement(const FbModel* m, int j) {
    FbLinkKind kind = m->tree.links[m->tree.link_of_v[j]].kind;
    return kind == FB_LINK_SLIDE || kind == FB_LINK_TRANSLATE3 ? m->length : 1.0;
}

#endif
