// Dense matrices as Matrix Market files.
#ifndef FLYBALL_RECORD_MATRIX_MARKET_H
#define FLYBALL_RECORD_MATRIX_MARKET_H

#include "base/error.h"

// Writes a column-major [n_row x n_col] matrix in the array format, with a comment of one line
// (NULL: none). Numbers read back as exactly the same doubles.
FbStatus fb_matrix_market_write(const char* path, const char* comment, int n_row, int n_col,
                                const double* values, FbError* err);

#endif
