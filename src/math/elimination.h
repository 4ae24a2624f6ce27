// Which of many sparse rows are independent, found by elimination one row at a time, in the order
// they come.
#ifndef FLYBALL_MATH_ELIMINATION_H
#define FLYBALL_MATH_ELIMINATION_H

#include <stdbool.h>

typedef struct FbElimination FbElimination;

// Rows of n columns that are scaled by the caller: a row's natural size, that of the quantities it
// is calculated from, is 1. It is dependent if elimination by the kept ones leaves no entry above
// `tolerance`. It is not compared with its own length: all of it may be rounding. NULL: out of
// memory.
FbElimination* fb_elimination_create(int n, double tolerance);
void fb_elimination_destroy(FbElimination* e);

// One row by its entries (equal columns add up), each uncertain by `rounding`; what is left of it
// after elimination by others is as uncertain as the most uncertain of them, and more so where what
// was left of those was small. 1: independent, and
// kept; 0: dependent on the kept ones; -1: out of memory. The cost is that of the rows that share
// columns with it, not of all.
int fb_elimination_add(FbElimination* e, int count, const int* columns, const double* values,
                       double rounding);

#endif
