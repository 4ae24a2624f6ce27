// What a compiled model consists of (model.h): what can be measured, recorded and controlled.
#ifndef FLYBALL_MODEL_SIGNALS_H
#define FLYBALL_MODEL_SIGNALS_H

#include "flyball/simulate.h"
#include "law/moves.h"
#include "model/mechanism.h"

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

#endif
