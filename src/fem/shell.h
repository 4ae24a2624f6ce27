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

// The strains xx, yy, xy, xz, yz by the displacements and turns of the nodes, in the axes of the
// material at a place of the element (xi, eta, and zeta from -1 to 1 across the thickness).
enum { FB_SHELL_STRAINS = 5 };
typedef struct FbShellPlace {
    double xi[2], zeta;
} FbShellPlace;
typedef struct FbShellStrains {
    FbVec3 axes[3];                           // the third is the normal
    double det;                               // volume by a unit of xi, eta and zeta
    FbVec3 slope[2][6 * FB_SHELL_MAX_NODES];  // du/dx along the first two axes
    double B[FB_SHELL_STRAINS][6 * FB_SHELL_MAX_NODES];
} FbShellStrains;
void fb_shell_calc_strains(const FbShell* shell, const FbVec3* p, const FbMat3* R, int n_at,
                           const FbShellPlace* at, FbShellStrains* out);

// shell_stress.c: at a node or in the middle (-1), by the displacements and turns of the nodes, out
// [FB_SHELL_VALUES x 6 n_nodes]: stresses xx, yy, zz, xy, yz, zx in ground axes on a side (1: top,
// where the normal points, 0: in the middle, -1: bottom); then per length, in the axes of the
// material, Nx, Ny, Nxy, Mx, My, Mxy (positive: tension at the top) and Qx, Qy.
enum { FB_SHELL_VALUES = 14 };
void fb_shell_calc_stress(const FbShell* shell, const FbVec3* p, const FbMat3* R, int node,
                          int side, double* out);

// shell_geometric.c: of both types.
void fb_shell_calc_geometric(const void* self, const FbVec3* p, const FbMat3* R, const double* u,
                             double* K);

// calc_stiffness of both types (shell.c).
void fb_shell_calc_stiffness(const void* self, const FbVec3* p, const FbMat3* R, double* K);

#endif
