// The compiled model: immutable flat arrays that every system of the model shares.
#ifndef FLYBALL_MODEL_MODEL_H
#define FLYBALL_MODEL_MODEL_H

#include <stdatomic.h>

#include "math/tape_store.h"
#include "model/drawing.h"
#include "model/mechanism.h"
#include "model/signals.h"
#include "model/structures.h"

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
    char* _Atomic hash;         // of all that it is made of; NULL: not needed yet
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
