// The vectors of a block Lanczos iteration; for lanczos.c and lanczos_block.c alone.
#ifndef FLYBALL_MATH_LANCZOS_DATA_H
#define FLYBALL_MATH_LANCZOS_DATA_H

#include "math/dense.h"
#include "math/lanczos.h"

// Columns of a block; rows that are combined at a time.
enum { FB_LANCZOS_BLOCK = 4, FB_LANCZOS_ROWS = 256 };

typedef struct FbLanczos {
    const FbLanczosProblem* problem;
    size_t n;
    int most;        // vectors at a time
    int n_vectors;   // in V, without the next block
    int width;       // of the next block, which follows them; 0: nothing else can move
    int last_width;  // of the block before
    double* V;       // [n x (most + 2 blocks)] orthonormal
    double* BX;      // [n x block] B times the next block; scratch in between
    double* H;       // [most x most] V' B K^-1 A V
    double* R;       // [block x block] what the last block left, by the next one
    double* h;       // [most x block]
    double *S, *mu;  // eigenvectors and values of H, ascending
    double* rows;    // [FB_LANCZOS_ROWS x most]
    double smallest;
    int* massless;  // [n_massless] rows
    int n_massless;
    bool keeps_massless;  // of results
    int n_solves;
    unsigned long long seed;
    double* room;
    FbError* err;
} FbLanczos;

static inline double* fb_lanczos_column(const FbLanczos* l, int j) {
    return l->V + (size_t)j * l->n;
}

// A first block of deterministic numbers, orthogonal to the vectors there are; the width is 0 if
// there is none.
FbStatus fb_lanczos_start(FbLanczos* l);
// The next block becomes vectors and columns of H; what K^-1 A makes of it, the next block.
FbStatus fb_lanczos_extend(FbLanczos* l);
// Y = K^-1 A X, [n x count], without the rows that have no mass.
FbStatus fb_lanczos_apply(FbLanczos* l, int count, const double* X, double* Y);
// The first `count` vectors become V S of the last `count` of n_from columns of S in reverse order:
// the largest value first. S is used up.
void fb_lanczos_combine(FbLanczos* l, int n_from, int count);

#endif
