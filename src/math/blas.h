// The products of dense blocks that BLAS computes, behind our own names; column-major.
#ifndef FLYBALL_MATH_BLAS_H
#define FLYBALL_MATH_BLAS_H

// The lower triangle of C [n x n] -= A A', A [n x k].
void fb_blas_subtract_square(int n, int k, const double* a, int lda, double* c, int ldc);
// C [m x n] -= A B', A [m x k], B [n x k]; all with the same leading dimension.
void fb_blas_subtract_product(int m, int n, int k, const double* a, const double* b, int ld,
                              double* c);
// C [m x n] = A B, A [m x k], B [k x n].
void fb_blas_multiply(int m, int n, int k, const double* a, int lda, const double* b, int ldb,
                      double* c, int ldc);
// C [m x n] = A' B, A [k x m], B [k x n].
void fb_blas_multiply_transposed(int m, int n, int k, const double* a, int lda, const double* b,
                                 int ldb, double* c, int ldc);
// C [m x n] -= A B, A [m x k], B [k x n].
void fb_blas_subtract(int m, int n, int k, const double* a, int lda, const double* b, int ldb,
                      double* c, int ldc);
// B [m x n] = B L^-T, L [n x n] lower; both with the same leading dimension.
void fb_blas_solve_transposed(int m, int n, const double* l, double* b, int ld);

// For programs, before anything else: on how many threads OpenBLAS runs, where it is the BLAS. A
// setting of the whole process, so the library itself leaves it alone.
void fb_blas_set_threads(int n);

#endif
