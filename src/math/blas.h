// The products of dense blocks that BLAS computes, behind our own names; column-major.
#ifndef FLYBALL_MATH_BLAS_H
#define FLYBALL_MATH_BLAS_H

// The lower triangle of C [n x n] -= A A', A [n x k].
void fb_blas_subtract_square(int n, int k, const double* a, int lda, double* c, int ldc);
// C [m x n] -= A B', A [m x k], B [n x k]; all with the same leading dimension.
void fb_blas_subtract_product(int m, int n, int k, const double* a, const double* b, int ld,
                              double* c);

// For programs, before anything else: on how many threads OpenBLAS runs, where it is the BLAS. A
// setting of the whole process, so the library itself leaves it alone.
void fb_blas_set_threads(int n);

#endif
