// Solid elements of the linear theory: tetrahedra, hexahedra and wedges with straight or curved
// edges. Nodes are numbered as in Abaqus and CalculiX: corners first, then the middles of edges.
#ifndef FLYBALL_FEM_SOLID_H
#define FLYBALL_FEM_SOLID_H

#include <stdbool.h>

#include "fem/element.h"

enum { FB_SOLID_MAX_NODES = 20, FB_SOLID_MAX_POINTS = 27, FB_SOLID_MAX_BUBBLES = 4 };

typedef struct FbSolidPoint {
    double xi[3], weight;
} FbSolidPoint;

// The shape functions of a type and its integration points.
typedef struct FbSolidShape {
    int n_nodes;
    // N [n_nodes] and dN [n_nodes x 3], the derivatives with respect to xi
    void (*calc)(const double xi[3], double* N, double (*dN)[3]);
    int (*get_points)(bool is_for_mass, FbSolidPoint* out);  // their number
} FbSolidShape;

extern const FbSolidShape fb_solid_tet4, fb_solid_tet10, fb_solid_hex8, fb_solid_hex20,
    fb_solid_wedge6, fb_solid_wedge15;

// What the elements of a group have in common: a linear elastic material in its own axes. Strains
// and stresses are xx, yy, zz, xy, yz, zx, with engineering shear strains.
typedef struct FbSolid {
    const FbSolidShape* shape;
    double D[6][6];  // Pa
    double density;  // kg/m3
    bool is_lumped;  // masses at the nodes alone
} FbSolid;

// The element types with these shapes; self: FbSolid, R: the axes of the material.
extern const FbElementType fb_element_tet4, fb_element_tet10, fb_element_hex8, fb_element_hex20,
    fb_element_wedge6, fb_element_wedge15;

const FbSolidShape* fb_solid_find_shape(const FbElementType* type);  // NULL: not a solid

// J = dx/dxi (columns) and its determinant.
double fb_solid_calc_jacobian(int n_nodes, const FbVec3* p, double (*dN)[3], FbMat3* J);
// dN/dx = dN/dxi J^-1, in place
void fb_solid_turn_gradients(int n_nodes, const FbMat3* J, double det, double (*dN)[3]);
// The material matrix in ground axes.
void fb_solid_calc_material(const FbSolid* solid, const FbMat3* R, double D[6][6]);
// K += weight B' D B for the gradients of n functions, K [3 n x 3 n]
void fb_solid_add_stiffness(int n, double (*dN)[3], double D[6][6], double weight, double* K);

// Gradients dN/dx of all functions at a point; of hex8 and wedge6 also of their bubbles. Their
// number.
int fb_solid_calc_gradients(const FbSolidShape* shape, const FbVec3* p, const double xi[3],
                            double (*dN)[3]);
// B [6 rows of `stride`]: the strains by the displacements of n functions.
void fb_solid_calc_strains(int n, double (*dN)[3], double* B, int stride);

// solid_stress.c: what the stresses at all places of an element have in common.
typedef struct FbSolidStress {
    const FbSolidShape* shape;
    const FbVec3* p;
    double D[6][6];                                // in ground axes
    double bubbles[3 * FB_SOLID_MAX_BUBBLES][24];  // by the displacements of the nodes
} FbSolidStress;

void fb_solid_prepare_stress(const FbSolid* solid, const FbVec3* p, const FbMat3* R,
                             FbSolidStress* out);
// The stresses xx, yy, zz, xy, yz, zx in ground axes by the displacements, out [6 x 3 n_nodes]: at
// a node, or in the middle (-1).
void fb_solid_calc_stress(const FbSolidStress* stress, int node, double* out);
// At any point, by given displacements u [3 n_nodes].
void fb_solid_calc_stress_at(const FbSolidStress* stress, const double xi[3], const double* u,
                             double t[6]);
// solid_geometric.c: of all types.
void fb_solid_calc_geometric(const void* self, const FbVec3* p, const FbMat3* R, const double* u,
                             double* K);

// solid_bubbles.c, of hex8 and wedge6: the number of bubbles (others: 0); their gradients at a
// point where det J is known; how the displacements of the nodes move them, W [3 per bubble x 24];
// and the strains that they add then.
int fb_solid_count_bubbles(const FbSolidShape* shape);
void fb_solid_calc_bubbles(const FbSolidShape* shape, const FbVec3* p, const double xi[3],
                           double det, double (*dN)[3]);
void fb_solid_solve_bubbles(const FbSolidShape* shape, const FbVec3* p, double D[6][6],
                            double (*W)[24]);
void fb_solid_add_bubbles(const FbSolidShape* shape, const double (*W)[24], double (*dN)[3],
                          double* B, int stride);
// calc_stiffness of hex8 and wedge6.
void fb_solid_calc_bubble_stiffness(const void* self, const FbVec3* p, const FbMat3* R, double* K);

#endif
