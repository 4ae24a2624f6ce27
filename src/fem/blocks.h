// 3 x 3 blocks of row-major 12 x 12 matrices: identity, cross product, outer product, added in
// place.
#ifndef FLYBALL_FEM_BLOCKS_H
#define FLYBALL_FEM_BLOCKS_H

#include "fem/ports.h"

static inline double* fb_block(double* A, int i, int j) {
    return A + 3 * i * FB_BEAM_DOF + 3 * j;
}
// += s 1
static inline void fb_block_add_identity(double* A, int i, int j, double s) {
    double* b = fb_block(A, i, j);
    b[0] += s;
    b[FB_BEAM_DOF + 1] += s;
    b[2 * FB_BEAM_DOF + 2] += s;
}
// += s [u],  [u] x = u x x
static inline void fb_block_add_cross(double* A, int i, int j, double s, FbVec3 u) {
    double* b = fb_block(A, i, j);
    b[1] -= s * u.z;
    b[2] += s * u.y;
    b[FB_BEAM_DOF] += s * u.z;
    b[FB_BEAM_DOF + 2] -= s * u.x;
    b[2 * FB_BEAM_DOF] -= s * u.y;
    b[2 * FB_BEAM_DOF + 1] += s * u.x;
}
// += s u w'
static inline void fb_block_add_outer(double* A, int i, int j, double s, FbVec3 u, FbVec3 w) {
    double* b = fb_block(A, i, j);
    FbVec3 x = fb_scale(s, u);
    b[0] += x.x * w.x;
    b[1] += x.x * w.y;
    b[2] += x.x * w.z;
    b[FB_BEAM_DOF] += x.y * w.x;
    b[FB_BEAM_DOF + 1] += x.y * w.y;
    b[FB_BEAM_DOF + 2] += x.y * w.z;
    b[2 * FB_BEAM_DOF] += x.z * w.x;
    b[2 * FB_BEAM_DOF + 1] += x.z * w.y;
    b[2 * FB_BEAM_DOF + 2] += x.z * w.z;
}
// += s [u][w] = s (w u' - (u.w) 1)
static inline void fb_block_add_cross2(double* A, int i, int j, double s, FbVec3 u, FbVec3 w) {
    fb_block_add_outer(A, i, j, s, w, u);
    fb_block_add_identity(A, i, j, -s * fb_dot(u, w));
}
// += s B
static inline void fb_block_add(double* A, int i, int j, double s, const FbMat3* B) {
    double* b = fb_block(A, i, j);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            b[r * FB_BEAM_DOF + c] += s * B->m[r][c];
        }
    }
}

#endif
