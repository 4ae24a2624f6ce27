// Shell elements of the linear theory with three or four nodes, each with three displacements and
// three turns.
#ifndef FLYBALL_FEM_SHELL_H
#define FLYBALL_FEM_SHELL_H

#include <stdbool.h>

#include "fem/element.h"

enum { FB_SHELL_MAX_NODES = 4, FB_SHELL_MAX_POINTS = 7 };

// What the elements of a group have in common. The material's first axis is that of the element
// axes R, projected onto the surface; the second is normal to it, in the surface.
typedef struct FbShell {
    int n_nodes;         // 3 or 4
    double thickness;    // m
    double offset;       // m: of the middle surface from the nodes, along the normal
    double plane[3][3];  // Pa: plane stress, for xx, yy, xy
    double shear[2];     // Pa: of xz and yz, corrected for its distribution (5/6)
    double drilling;     // Pa: against turns about the normal that the surface does not follow
    double density;      // kg/m3
    double angle;        // rad: of the material's axes about the normal, besides
    bool is_lumped;
} FbShell;

extern const FbElementType fb_element_tri3, fb_element_quad4;  // self: FbShell

// The surface: points, shape functions, directors.

typedef struct FbShellPoint {
    double xi[2], weight;
} FbShellPoint;

int fb_shell_get_points(int n_nodes, FbShellPoint* out);
void fb_shell_calc_shapes(int n_nodes, const double xi[2], double* N, double (*dN)[2]);
// The normals of the element's own surface at its nodes.
void fb_shell_calc_directors(int n_nodes, const FbVec3* p, FbVec3* V);

// calc_stiffness of both types (shell.c).
void fb_shell_calc_stiffness(const void* self, const FbVec3* p, const FbMat3* R, double* K);

#endif
