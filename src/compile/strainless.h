// Structures that can move without strain (eq. 8.72): the search for such motions and its report.
#ifndef FLYBALL_COMPILE_STRAINLESS_H
#define FLYBALL_COMPILE_STRAINLESS_H

#include "math/sparse.h"
#include "system/port.h"

typedef struct FbMechanism {
    FbSystem* system;
    const FbModel* m;
    const FbStructure* structure;
    FbArena* arena;
    int n, n_c;     // own velocities, constraint rows
    int* v;         // [n]
    int* own;       // [n_v] index into v, -1: not its own
    double* scale;  // [n] D^-1/2
    FbSparse S, G;  // scaled
    double* x;      // [n x n_x] orthonormal
    int n_x;
    FbLinear* solver;
    FbPattern pattern;  // of the bordered matrix
} FbMechanism;

// Fills v and own.
FbStatus fb_mechanism_list_own(FbMechanism* s, FbError* err);
// The motions without strain as the first n_x columns of x, orthonormal displacements (turns times
// the model's length); *is_all: no more than these. b holds the blocks of the drawing at rest.
FbStatus fb_mechanism_find(FbMechanism* s, const FbBlocks* b, bool* is_all, FbError* err);
// Names the nodes that move most.
FbStatus fb_mechanism_report(const FbMechanism* s, bool is_all, FbDiagnostics* diagnostics,
                             FbError* err);

#endif
