// What a compiled model consists of (model.h): finite elements, guides and sliders, matrices of
// meshes.
#ifndef FLYBALL_MODEL_STRUCTURES_H
#define FLYBALL_MODEL_STRUCTURES_H

#include "describe/kept_mesh.h"
#include "fem/element.h"
#include "fem/guide_frame.h"
#include "fem/slider.h"
#include "model/mechanism.h"

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

#endif
