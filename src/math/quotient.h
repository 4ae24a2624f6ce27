// Graphs of sparse symmetric matrices whose rows come in groups, such as the three displacements of
// a node, and their order by nested dissection.
#ifndef FLYBALL_MATH_QUOTIENT_H
#define FLYBALL_MATH_QUOTIENT_H

#include "math/pattern.h"

// Neighbouring rows with the same entries are one vertex.
typedef struct FbQuotient {
    FbPattern graph;  // both triangles, without the diagonal
    int* first;       // [vertices + 1] rows of the matrix
} FbQuotient;

// `pattern` holds both triangles with the diagonal.
FbStatus fb_quotient_init(FbQuotient* q, const FbPattern* pattern, FbArena* arena, FbError* err);

// An order of elimination by nested dissection, vertex order[i] as number i, its place [vertices];
// weights: rows of each vertex. False: METIS is not available, or it failed. It is the same in
// every run.
bool fb_dissect(const FbQuotient* q, int* order, int* place);

#endif
