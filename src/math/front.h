// Dense fronts of the multifrontal elimination: the first columns of a symmetric matrix eliminated,
// the Schur complement left.
#ifndef FLYBALL_MATH_FRONT_H
#define FLYBALL_MATH_FRONT_H

#include <stdbool.h>

// The lower triangle of a symmetric matrix [m x m], column-major. The first k rows have all their
// entries; the others get more from later fronts.
typedef struct FbFront {
    int m, k;
    double* a;
    int* index;    // [m] which rows of the whole matrix these are; follows the pivots
    double* off;   // [k] after: D(j + 1, j) of a 2 x 2 pivot at j, j + 1; else 0
    double* work;  // [m * k] for the indefinite elimination
    double noise;  // entries below this are rounding
    // Of the elimination.
    int n_negative;
} FbFront;

// Eliminates all k columns of a positive definite front; column j of the result holds D_j on the
// diagonal and L below. False: a pivot is at most limit[j] (rounding of what it was made of), or
// not finite.
bool fb_front_eliminate_definite(FbFront* f, const double* limit);

// Eliminates those of the k columns that have acceptable pivots and returns how many; they come
// first, then those that must wait, then the others.
int fb_front_eliminate(FbFront* f);

// The k columns of L, unit lower [m x k]: x[0 .. k) = L11^-1 x, then x[k .. m) -= L21 x[0 .. k);
// and x[0 .. k) = L11^-T (x[0 .. k) - L21' x[k .. m)).
void fb_front_solve_forward(int m, int k, const double* l, double* x);
void fb_front_solve_backward(int m, int k, const double* l, double* x);
// The same with x[index[i]] instead of x[i], for few columns: 1 <= k <= FB_FRONT_FEW.
enum { FB_FRONT_FEW = 4 };
void fb_front_forward_indexed(int m, int k, const double* l, const int* index, double* x);
void fb_front_backward_indexed(int m, int k, const double* l, const int* index, double* x);

// front_many.c: the same for several right-hand sides at once, x [m x FB_FRONT_MANY] by rows.
enum { FB_FRONT_MANY = 4 };
typedef struct FbFrontMany {
    void (*forward)(int m, int k, const double* l, double* x);
    void (*backward)(int m, int k, const double* l, double* x);
} FbFrontMany;
const FbFrontMany* fb_front_many_get(void);
const FbFrontMany* fb_front_many_find_wide(void);  // NULL: not on this machine

#endif
