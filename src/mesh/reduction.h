// What `flyball reduce` asks of the reading of a model: who reduces structures, and who is told of
// the result. The reader finds it in its options; without it a process reduces alone.
#ifndef FLYBALL_MESH_REDUCTION_H
#define FLYBALL_MESH_REDUCTION_H

#include "flyball/structure.h"
#include "math/reducer.h"

// A structure that was reduced: its rows are those of the named nodes, then its modes.
typedef struct FbReducedStructure {
    const FbMatrixStructureDef* s;  // names, nodes, axes, damping
    const FbReduced* r;             // with all damping but `damping_ratio`
    int n_whole;                    // rows before
    bool has_weight;                // the first three loads are those of a unit gravity
    int n_loads, n_places;          // further ones, and places of stresses
} FbReducedStructure;

typedef struct FbReduction {
    const FbReducer* reducer;  // NULL: this process reduces alone
    void* self;
    FbStatus (*take)(void* self, const FbReducedStructure* structure, FbError* err);
} FbReduction;

#endif
