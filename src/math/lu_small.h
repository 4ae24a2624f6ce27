// Solving with the LU of a small matrix, unrolled.
#ifndef FLYBALL_MATH_LU_SMALL_H
#define FLYBALL_MATH_LU_SMALL_H

enum { FB_LU_SMALL = 8 };  // the largest n

// As fb_lu_solve and fb_lu_solve_complex (interleaved parts), for 1 <= n <= FB_LU_SMALL.
void fb_lu_solve_small(int n, const double* lu, const int* pivot, double* b);
void fb_lu_solve_complex_small(int n, const double* lu, const int* pivot, double* b);

#endif
