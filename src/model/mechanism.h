// What a compiled model consists of (model.h): bodies, joints, constraints, functions and forces.
#ifndef FLYBALL_MODEL_MECHANISM_H
#define FLYBALL_MODEL_MECHANISM_H

#include "base/expr.h"
#include "force/force.h"
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

#endif
