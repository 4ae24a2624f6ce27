// Faces and edges of elements: which nodes of a solid they have, their shape functions and the
// forces that loads on them give to their nodes.
#ifndef FLYBALL_FEM_FACE_H
#define FLYBALL_FEM_FACE_H

#include "fem/solid.h"

enum { FB_FACE_MAX_NODES = 8 };

// The faces of a solid, with the middles of their edges where the solid has these.
int fb_solid_count_faces(const FbElementType* type);
// The nodes of a face: its corners in order, then the middles of its edges. Returns their number;
// *n_corners is 3 or 4.
int fb_solid_get_face(const FbElementType* type, int face, int nodes[FB_FACE_MAX_NODES],
                      int* n_corners);

// A surface of 3, 4, 6 or 8 nodes, or an edge of 2 or 3: what a unit of a load per area or per
// length gives to each node.
typedef struct FbFaceLoad {
    double share[FB_FACE_MAX_NODES];   // m2 or m: int N dA, int N ds
    FbVec3 normal[FB_FACE_MAX_NODES];  // m2: int N n dA, n by the right-hand rule; 0 of edges
    double size;                       // m2 or m
} FbFaceLoad;

void fb_face_calc_load(int n_nodes, const FbVec3* p, FbFaceLoad* out);
void fb_edge_calc_load(int n_nodes, const FbVec3* p, FbFaceLoad* out);

#endif
