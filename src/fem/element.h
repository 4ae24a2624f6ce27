// Element types: what the equations need to know about a finite element with any number of nodes.
//
// A node has three coordinates (the displacement of its point) or six (and its small turn), in
// ground axes; an element's vectors list them node by node. Matrices are row-major [n x n], n =
// n_nodes times n_coordinates. Elements with large rotations are kinds of part of their own
// (system/part.h); in the linear theory every type contributes constant matrices alone.
#ifndef FLYBALL_FEM_ELEMENT_H
#define FLYBALL_FEM_ELEMENT_H

#include "math/vec3.h"

enum { FB_MAX_ELEMENT_NODES = 32 };  // as many as bits of FbPortPath.moves

typedef struct FbElementType {
    const char* name;
    int n_nodes, n_coordinates;
    // `self`: the properties of one element; `p`: its nodes in the drawing, [n_nodes]; `R`: its
    // axes there. Results in ground axes.
    void (*calc_stiffness)(const void* self, const FbVec3* p, const FbMat3* R, double* K);
    void (*calc_mass)(const void* self, const FbVec3* p, const FbMat3* R, double* M);
    // Its whole mass, kg, and the centre of that.
    double (*calc_center)(const void* self, const FbVec3* p, FbVec3* center);
    // How well its nodes span it: 1 at best, 0 if it is flat, negative if it is inside out. NULL:
    // checked elsewhere.
    double (*calc_quality)(const void* self, const FbVec3* p);
    // The geometric stiffness by the stresses of the displacements u. NULL: elsewhere.
    void (*calc_geometric)(const void* self, const FbVec3* p, const FbMat3* R, const double* u,
                           double* K);
} FbElementType;

static inline int fb_element_size(const FbElementType* type) {
    return type->n_nodes * type->n_coordinates;
}

extern const FbElementType fb_element_beam;  // beam_linear.c; self: FbBeam

// out = A y of n entries
static inline void fb_element_multiply(int n, const double* A, const double* y, double* out) {
    for (int i = 0; i < n; i++) {
        double product = 0.0;
        for (int j = 0; j < n; j++) {
            product += A[i * n + j] * y[j];
        }
        out[i] = product;
    }
}

static inline double fb_element_dot(int n, const double* x, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

#endif
