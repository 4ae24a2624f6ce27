// The tables of structures that are given by matrices.
#ifndef FLYBALL_DESCRIBE_MATRICES_TABLE_H
#define FLYBALL_DESCRIBE_MATRICES_TABLE_H

#include "describe/types.h"

extern const FbTypeInfo fb_matrices_table;     // into FbMatrixStructureDef: files
extern const FbTypeInfo fb_reduce_table;       // into FbMatrixStructureDef
extern const FbTypeInfo fb_matrix_node_table;  // into FbMatrixNodeDef; besides: dofs
extern const FbTypeInfo fb_dofs_table;         // into FbMatrixNodeDef

#endif
