// The motion of a run as arrays, read from the document that fb_motion_write() makes: what the
// writers of other formats draw from.
#ifndef FLYBALL_VIEW_SCENE_H
#define FLYBALL_VIEW_SCENE_H

#include "base/arena.h"
#include "base/error.h"
#include "math/vec3.h"
#include "read/yaml.h"

// A pose: position, unit quaternion (w, x, y, z).
typedef struct FbScenePose {
    FbVec3 p;
    double e[4];
} FbScenePose;

typedef struct FbSceneShape {
    const char* type;
    FbVec3 size, from, to, at;
    double radius, inner_radius, length;
    FbMat3 R;
} FbSceneShape;

typedef struct FbSceneBody {
    const char* name;
    const char* color;  // "#rrggbb" or NULL
    bool is_node;       // of a structure: the beams are drawn instead
    bool is_carriage;   // holds the coordinate of a slider, and is nowhere
    FbSceneShape* shapes;
    int n_shapes;
    FbVec3* links;  // points that a stick figure connects
    int n_links;
    FbScenePose drawn;   // in the drawing, where beams are attached
    FbScenePose* poses;  // [n_frames]
} FbSceneBody;

// A joint, a spring, a bushing or a rod between points of two bodies (-1: ground).
typedef struct FbScenePair {
    const char *name, *type;
    int body_a, body_b;
    FbVec3 at_a, at_b, axis_a;
} FbScenePair;

typedef struct FbScenePairs {
    FbScenePair* items;
    int n;
} FbScenePairs;

typedef struct FbSceneElement {
    int body[2];  // its ends, -1: ground
    int member;
} FbSceneElement;

typedef struct FbSceneMember {
    const char* name;
    double radius;  // m, NaN: not known
    int first, n;   // its elements
} FbSceneMember;

// A mass on its guide: elements, a curve in a body, or a spline through bodies.
typedef struct FbSceneSlider {
    const char* name;
    double length;
    int* pieces;  // [n_pieces] elements, -1 - e where e is travelled backwards
    int n_pieces;
    int body;
    FbVec3* curve;  // [n_curve] at equal distances
    int n_curve;
    int* bodies;       // [n_knots]
    double* knots;     // [n_knots]
    double* tangents;  // [n_knots x n_knots]
    int n_knots;
    double* s;  // [n_frames]
} FbSceneSlider;

// A surface whose displacements are sums of shapes.
typedef struct FbSceneMesh {
    const char* name;
    double* points;  // [3 x n_points]
    int n_points;
    int* triangles;  // [3 x n_triangles]
    int n_triangles;
    double* shapes;  // [3 x n_points x n_shapes]
    int n_shapes;
    double* amplitudes;  // [n_shapes x n_frames]
} FbSceneMesh;

typedef struct FbScene {
    FbVec3 gravity;
    double length;  // size of the first frame, m
    double* times;  // [n_frames] s
    int n_frames;
    FbSceneBody* bodies;
    int n_bodies;
    FbScenePairs joints, springs, bushings, rods;
    FbSceneMember* members;
    int n_members;
    FbSceneElement* elements;
    int n_elements;
    FbSceneSlider* sliders;
    int n_sliders;
    FbSceneMesh* meshes;
    int n_meshes;
} FbScene;

// Reads the text of a motion; everything is kept in the arena. FB_ERR_SYNTAX: its parts do not fit
// together, with a message that names the part; FB_ERR_MODEL: it has no frames.
FbStatus fb_scene_read(const char* text, size_t size, const char* file, FbArena* arena,
                       FbScene* out, FbError* err);

// A point of a body, or of the ground, in a frame.
FbVec3 fb_scene_point(const FbScene* scene, int body, int frame, FbVec3 at);
// Where a slider is in a frame, and the direction of its guide there.
FbVec3 fb_scene_slide(const FbScene* scene, const FbSceneSlider* slider, int frame,
                      FbVec3* direction);

#endif
