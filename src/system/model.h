// The compiled model: immutable flat arrays that every system of the model shares.
#ifndef FLYBALL_SYSTEM_MODEL_H
#define FLYBALL_SYSTEM_MODEL_H

#include "base/expr.h"
#include "flyball/simulate.h"
#include "force/force.h"
#include "law/moves.h"
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
    bool is_joint;  // owner is a joint, else a constraint
    int owner;
    const char* text;  // what it forbids
} FbRow;

typedef struct FbConstraint {
    const char* name;
    int first_row, n_rows;
    FbPlace place;
} FbConstraint;

// An expression whose inputs are signals; FB_INPUT_VALUE and FB_INPUT_RATE stand for a force's own
// measure.
enum { FB_INPUT_VALUE = 1 << 28, FB_INPUT_RATE };
typedef struct FbFunction {
    FbExpr* expr;
    FbPlace place;
} FbFunction;

// A force in place: along a term, between two frames, or at a point.
typedef struct FbElement {
    const char* name;
    const FbForceType* type;
    FbForceMeasure measure;  // resolved: never COORDINATE_OR_DISTANCE
    FbForceDef def;
    double rest;
    int term;          // scalar measures
    int function[3];   // -1: none; scalar measures use [0]
    int law;           // -1: none
    FbLinkFrame a, b;  // frames; point forces use a
    int path, n_path;  // frames and point forces
    FbPlace place;
} FbElement;

typedef enum FbSignalKind {
    FB_SIGNAL_TIME,
    FB_SIGNAL_STATE,
    FB_SIGNAL_LAW,
    FB_SIGNAL_VALUE,  // sum of terms
    FB_SIGNAL_RATE,
    FB_SIGNAL_FUNCTION,
    FB_SIGNAL_ELEMENT_FORCE,  // Q of a scalar force (springs: tension)
    FB_SIGNAL_SAMPLE,         // the last sample of a sampler
    // From here on only for outputs: they need accelerations or have no derivative here.
    FB_SIGNAL_ACCELERATION,
    FB_SIGNAL_QUATERNION,
    FB_SIGNAL_ANGLE,  // yaw, pitch, roll
    FB_SIGNAL_REACTION_FORCE,
    FB_SIGNAL_REACTION_TORQUE,
    FB_SIGNAL_MULTIPLIER,
    FB_SIGNAL_ENERGY,  // component: FbEnergyKind
    FB_SIGNAL_MOMENTUM,
    FB_SIGNAL_ANGULAR_MOMENTUM,
    FB_SIGNAL_CENTER,
} FbSignalKind;

typedef enum FbEnergyKind {
    FB_ENERGY_KINETIC,
    FB_ENERGY_POTENTIAL,
    FB_ENERGY_TOTAL,
    FB_ENERGY_SUPPLIED,
    FB_ENERGY_DISSIPATED
} FbEnergyKind;

// A scalar that can be recorded or stand in an expression.
typedef struct FbSignal {
    FbSignalKind kind;
    int term, n_terms;
    int index;  // state, law, function, element, joint, row
    int component;
    int link;        // orientation: of this link's body ...
    FbMat3 R;        // ... with this rotation in the link ...
    int frame_link;  // ... relative to this frame (also the axes of reactions); -1 ground
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
    const char* limits;  // "a|b|c": a sum of 1, 2, 4 for each of these limits that binds; NULL: no such sum
} FbOutput;

typedef struct FbState1 {
    const char* name;
    double initial;
    int function;
} FbState1;

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
    double period;     // s
    int late;          // samples
    double initial;    // NaN: the first sample
    bool is_circular;  // its next sample depends on the present one, also through others
} FbSampler;

// A condition of the assembly: term sum (or its rate) = value.
typedef struct FbCondition {
    int signal;  // FB_SIGNAL_VALUE or FB_SIGNAL_RATE
    double value;
    const char* text;  // "position of joint 'crank'"
    FbPlace place;
} FbCondition;

// What a picture of the model shows; indices of bodies (-1: ground) and coordinates in body frames.
typedef struct FbDrawnBody {
    const char* color;         // "#rrggbb" or NULL
    const FbShapeDef* shapes;  // without their origin
    int n_shapes;
    const FbNamedPoint* points;
    int n_points;
} FbDrawnBody;

// A joint or a spring between points of two bodies.
typedef struct FbDrawnPair {
    const char* name;
    const char* type;
    int body_a, body_b;
    FbVec3 at_a, at_b;
    FbVec3 axis_a;  // joints: the axis in body a
    bool is_loop;
} FbDrawnPair;

typedef struct FbDrawing {
    FbDrawnBody* bodies;  // [n_bodies]
    FbDrawnPair* joints;  // [n_joints]
    FbDrawnPair* springs;
    int n_springs;
    FbDrawnPair* rods;  // distance constraints
    int n_rods;
} FbDrawing;

struct FbModel {
    FbArena* arena;
    const char* name;
    const char* title;  // NULL: none
    const char* file;
    char sha256[65];
    FbSettings settings;
    FbDampingDef damping;
    FbTree tree;
    FbBody* bodies;
    int n_bodies;
    FbJoint* joints;
    int n_joints, n_loops;
    FbConstraint* constraints;
    int n_constraints;
    FbElement* elements;
    int n_elements;
    FbLaw* laws;
    int n_laws, laws_capacity;
    FbTerm* terms;
    int n_terms, terms_capacity;
    FbPaths paths;
    FbRow* rows;  // holonomic ones first
    int n_rows, rows_capacity, n_holonomic;
    FbFunction* functions;
    int n_functions, functions_capacity;
    FbSignal* signals;
    int n_signals, signals_capacity;
    FbSensor* sensors;
    int n_sensors;
    FbOutput* outputs;
    int n_outputs;
    FbState1* states;
    int n_states;
    FbEvent* events;
    int n_events;
    FbMover* movers;
    int n_movers;
    FbSampler* samplers;
    int n_samplers, samplers_capacity;
    FbCondition* conditions;
    int n_conditions, conditions_capacity;
    int n_turns;                     // unwrapped angles
    double* q_drawn;                 // [n_q]
    double length;                   // a typical length, m
    bool has_work;                   // some element supplies or dissipates, or a law drives a row
    bool needs_accelerations;        // some output does
    size_t max_scratch, max_inputs;  // of expressions
    FbPattern vv;                    // of M, C, K
    FbDrawing drawing;
};

// The value of a coordinate that the relative pose of frame b in frame a shows (angles up to full
// turns), eq. (4.2).
double fb_coordinate_of_pose(const FbCoordinate* c, const FbMat3* R, FbVec3 p);

#endif
