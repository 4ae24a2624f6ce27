// The drawable parts of a model; indices of bodies (-1: ground) and coordinates in body frames.
#ifndef FLYBALL_MODEL_DRAWING_H
#define FLYBALL_MODEL_DRAWING_H

#include "flyball/model.h"
#include "math/vec3.h"

typedef enum FbDrawnRole {
    FB_DRAWN_BODY,
    FB_DRAWN_NODE,      // a node of a structure: the beams are drawn instead
    FB_DRAWN_CARRIAGE,  // carries the coordinate of a free slider, and is nowhere
    FB_DRAWN_ROW  // a displacement or mode of a structure given by matrices: not in the picture
} FbDrawnRole;

typedef struct FbDrawnBody {
    FbDrawnRole role;
    double mass;               // kg, of nodes, and as given for bodies (0: none)
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

// The guide of a slider that is not on beams, and the coordinate of a free one.
typedef struct FbDrawnSlider {
    int body;      // its curve is fixed in it, -1: ground
    int carriage;  // body, -1: not free
} FbDrawnSlider;

typedef struct FbDrawing {
    FbDrawnBody* bodies;  // [n_bodies]
    FbDrawnPair* joints;  // [n_joints]
    FbDrawnPair* springs;
    int n_springs;
    FbDrawnPair* rods;  // distance constraints
    int n_rods;
    FbDrawnPair* bushings;
    int n_bushings;
    FbDrawnSlider* sliders;  // [n_sliders]
    int* number;             // [n_bodies] among those in the picture; -1: a row of a structure
    int n_numbered;
} FbDrawing;

#endif
