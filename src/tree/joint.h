// Joint types as data: the elementary motions they allow in the tree, and the rows they impose when
// they close a loop.
#ifndef FLYBALL_TREE_JOINT_H
#define FLYBALL_TREE_JOINT_H

#include <stddef.h>

#include "describe/types.h"
#include "math/vec3.h"

// Elementary motion along or about an axis (0 x, 1 y, 2 z) of the moving frame.
typedef enum FbMotionKind { FB_ROTATE, FB_SLIDE, FB_SCREW, FB_TRANSLATE3, FB_BALL } FbMotionKind;

typedef struct FbMotion {
    FbMotionKind kind;
    int axis;
} FbMotion;

// A row of a loop closure. FB_ROW_SLIDE: axis `a` of frame A dotted with the vector from A to B is
// zero. FB_ROW_DOT: axis a of A is perpendicular to axis b of B. FB_ROW_SCREW: slide along z equals
// pitch times turns about z.
typedef enum FbRowKind { FB_ROW_SLIDE, FB_ROW_DOT, FB_ROW_SCREW } FbRowKind;

typedef struct FbClosureRow {
    FbRowKind kind;
    int a, b;
    const char* text;  // "translation along x", "rotation about y": what it forbids
} FbClosureRow;

// How a coordinate is measured where the joint closes a loop.
typedef enum FbCoordinateKind {
    FB_COORD_SLIDE,   // along axis a of frame A
    FB_COORD_TURN_A,  // angle about axis a of frame A
    FB_COORD_TURN_B,  // angle about axis a of frame B
    FB_COORD_CARDAN,  // one of the successive rotations about x, y, z: axis says which
    FB_COORD_NONE,    // not a scalar coordinate (ball)
} FbCoordinateKind;

typedef struct FbCoordinate {
    const char* name;  // "angle", "displacement", ...
    const char* unit;  // "rad" or "m"
    FbCoordinateKind kind;
    int axis;
} FbCoordinate;

// The value of a coordinate that the relative pose of frame b in frame a shows (angles up to full
// turns), eq. (4.2).
double fb_coordinate_of_pose(const FbCoordinate* c, const FbMat3* R, FbVec3 p);

typedef struct FbJointType {
    FbTypeInfo info;  // fields point into FbJointDef
    int n_v;
    int n_q;
    int n_motions;
    FbMotion motions[6];
    int n_rows;
    FbClosureRow rows[6];
    FbCoordinate coordinates[FB_MAX_JOINT_V];
    bool has_axis;  // placement needs an axis
} FbJointType;

extern const FbJointType fb_joint_fixed, fb_joint_revolute, fb_joint_prismatic,
    fb_joint_cylindrical, fb_joint_universal, fb_joint_spherical, fb_joint_planar, fb_joint_screw,
    fb_joint_free, fb_joint_pin_slot, fb_joint_translation, fb_joint_gimbal, fb_joint_node;
extern const FbJointType* const fb_joint_types[];  // ended by NULL

const FbJointType* fb_joint_type_find(const char* name);

#endif
