// Triangles of simple solids, for formats that have only triangles.
#ifndef FLYBALL_VIEW_SOLID_H
#define FLYBALL_VIEW_SOLID_H

#include <stdbool.h>
#include <stdint.h>

#include "math/vec3.h"

typedef struct FbSolid {
    float* at;      // [3 x n_vertices]
    float* normal;  // [3 x n_vertices]
    int n_vertices, at_capacity, normal_capacity;
    uint32_t* corners;  // [n_corners] of triangles, counter-clockwise seen from outside
    int n_corners, corner_capacity;
    bool has_failed;  // out of memory
} FbSolid;

void fb_solid_free(FbSolid* solid);

int fb_solid_add_vertex(FbSolid* solid, FbVec3 at, FbVec3 normal);
void fb_solid_add_triangle(FbSolid* solid, int a, int b, int c);

// Where a solid stands: its own z axis and the others, and its middle.
typedef struct FbSolidFrame {
    FbMat3 R;
    FbVec3 p;
} FbSolidFrame;

// With z along `axis` (any direction where that is zero).
FbSolidFrame fb_solid_frame(FbVec3 middle, FbVec3 axis);

void fb_solid_add_box(FbSolid* solid, const FbSolidFrame* frame, FbVec3 size);
void fb_solid_add_ball(FbSolid* solid, FbVec3 middle, double radius);
// Along z; inner > 0: a tube.
void fb_solid_add_cylinder(FbSolid* solid, const FbSolidFrame* frame, double radius, double inner,
                           double length);
// A bar with round ends.
void fb_solid_add_bar(FbSolid* solid, FbVec3 from, FbVec3 to, double radius);
// A coil of unit length along z, from the origin, whose wire is drawn for a length of `length`.
void fb_solid_add_coil(FbSolid* solid, double radius, double wire, double length);
// A cone along z whose base is at the frame, and its tip at `height`.
void fb_solid_add_cone(FbSolid* solid, const FbSolidFrame* frame, double radius, double height);

#endif
