// A mesh that is kept beside its matrices: where its points are, which cells they span, and how
// their displacements follow from the coordinates of the superelement. Reports and exported fields
// are drawn from it.
//
//   u = terms * rows,  rows = coordinates (whole) or T coordinates (reduced, eq. 8.62)
//
// It is immutable once it is complete, and shared by the description and the models made of it.
#ifndef FLYBALL_DESCRIBE_KEPT_MESH_H
#define FLYBALL_DESCRIBE_KEPT_MESH_H

#include "base/arena.h"
#include "math/mat3.h"

typedef enum FbCellShape {
    FB_CELL_TRI3,
    FB_CELL_TRI6,
    FB_CELL_QUAD4,
    FB_CELL_QUAD8,
    FB_CELL_TET4,
    FB_CELL_TET10,
    FB_CELL_HEX8,
    FB_CELL_HEX20,
    FB_CELL_WEDGE6,
    FB_CELL_WEDGE15,
    FB_CELL_LINE,  // through any number of points; without faces
    FB_CELL_COUNT
} FbCellShape;

// The faces of a cell: corners in order, outward normal by the right hand, then the middles of the
// edges. Surfaces have one face, themselves.
typedef struct FbCellInfo {
    const char* name;  // as of the element
    int n_nodes, n_faces;
    FbCellShape face_shape[6];
    int face[6][8];
} FbCellInfo;

extern const FbCellInfo fb_cell_infos[FB_CELL_COUNT];

// One summand of a displacement.
typedef struct FbKeptTerm {
    int row;
    double factor;
} FbKeptTerm;

typedef struct FbKeptMesh FbKeptMesh;
struct FbKeptMesh {
    FbArena* arena;       // owns the arrays
    _Atomic int n_users;  // changed by retain and release alone
    FbVec3 position;
    FbMat3 R;  // of the mesh's axes in the ground
    int n_points;
    FbVec3* points;  // [n_points] in the mesh's axes
    int* labels;     // [n_points] numbers in the file
    int n_cells;
    unsigned char* shapes;  // [n_cells] FbCellShape
    int* first;             // [n_cells + 1] of nodes
    int* nodes;             // points of the cells, one cell after the other
    int* term_start;        // [3 n_points + 1]
    FbKeptTerm* terms;      // in the mesh's axes
    int n_rows;
    int n;                 // coordinates of the superelement
    double* T;             // [n_rows x n] column-major; NULL: rows are coordinates
    int n_surface;         // points on the surface of the mesh
    bool is_surface_only;  // inner points and cells were left out
    // Stresses (mesh/mesh_keep_stress.c): rows of displacements of the elements around the points,
    // and sums [6 n_points x n_columns] in the mesh's axes by rows [n_rows x n_columns]; false: out
    // of memory.
    FbKeptTerm* stress_terms;
    int n_stress_terms;
    const void* stress;
    bool (*calc_stress)(const FbKeptMesh* mesh, const double* rows, int n_columns, double* out);
};

FbKeptMesh* fb_kept_mesh_create(void);                    // with one user; NULL: out of memory
FbKeptMesh* fb_kept_mesh_retain(const FbKeptMesh* mesh);  // NULL is allowed
void fb_kept_mesh_release(const FbKeptMesh* mesh);        // NULL is allowed

// Displacements u [3 count] of some points (NULL: of the first ones) in ground axes at coordinates
// c [n]; room [n_rows].
void fb_kept_mesh_calc(const FbKeptMesh* mesh, const double* c, const int* points, int count,
                       double* room, double* u);
// Stresses xx, yy, zz, xy, yz, zx in Pa of some points (NULL: of the first ones) in ground axes,
// out [6 count x n_columns], at coordinates C [n x n_columns]: means of the elements around them,
// of shells at their top. False: out of memory.
bool fb_kept_mesh_calc_stress(const FbKeptMesh* mesh, const double* C, int n_columns,
                              const int* points, int count, double* out);
// The equivalent stress (von Mises) of six components.
double fb_mises(const double s[6]);
// Where a point is drawn, in the ground.
FbVec3 fb_kept_mesh_place(const FbKeptMesh* mesh, int point);

// mesh_surface.c: the faces that bound the solids, and the shells; heap arrays.
typedef struct FbMeshSurface {
    int n_faces;
    unsigned char* shapes;  // [n_faces] TRI3, TRI6, QUAD4 or QUAD8
    int* first;             // [n_faces + 1]
    int* nodes;             // points
} FbMeshSurface;

// False: out of memory.
bool fb_mesh_surface_find(int n_cells, const unsigned char* shapes, const int* first,
                          const int* nodes, FbMeshSurface* out);
void fb_mesh_surface_free(FbMeshSurface* surface);

#endif
