// Reads matrices from Matrix Market files.
#ifndef FLYBALL_MATH_MATRIX_MARKET_H
#define FLYBALL_MATH_MATRIX_MARKET_H

#include "math/sparse.h"

// Formats coordinate and array, numbers real or integer, general or symmetric (only the lower
// triangle is in the file; the matrix is complete). Entries at the same place add up. Errors carry
// the file's name and the line.
FbStatus fb_matrix_market_read(const char* path, double most_rows, FbArena* arena, FbSparse* out,
                               FbError* err);

#endif
