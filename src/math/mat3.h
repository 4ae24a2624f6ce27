// Sums, outer products and cross-product matrices of 3x3 matrices, by value.
#ifndef FLYBALL_MATH_MAT3_H
#define FLYBALL_MATH_MAT3_H

#include "math/vec3.h"

static inline double fb_mat3_det(const FbMat3* a) {
    return fb_dot(fb_mat3_col(a, 0), fb_cross(fb_mat3_col(a, 1), fb_mat3_col(a, 2)));
}
static inline FbMat3 fb_mat3_add(FbMat3 a, FbMat3 b) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a.m[i][j] += b.m[i][j];
        }
    }
    return a;
}
static inline FbMat3 fb_mat3_sub(FbMat3 a, FbMat3 b) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a.m[i][j] -= b.m[i][j];
        }
    }
    return a;
}
static inline FbMat3 fb_mat3_scale(double s, FbMat3 a) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a.m[i][j] *= s;
        }
    }
    return a;
}
static inline FbMat3 fb_mat3_transpose(FbMat3 a) {
    return (FbMat3){{{a.m[0][0], a.m[1][0], a.m[2][0]},
                     {a.m[0][1], a.m[1][1], a.m[2][1]},
                     {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}
// diag(d) A
static inline FbMat3 fb_mat3_scale_rows(FbVec3 d, FbMat3 a) {
    for (int j = 0; j < 3; j++) {
        a.m[0][j] *= d.x;
        a.m[1][j] *= d.y;
        a.m[2][j] *= d.z;
    }
    return a;
}
// A + d 1
static inline FbMat3 fb_mat3_add_diagonal(FbMat3 a, double d) {
    for (int i = 0; i < 3; i++) {
        a.m[i][i] += d;
    }
    return a;
}
// A B'
static inline FbMat3 fb_mat3_mul_nt(const FbMat3* a, const FbMat3* b) {
    FbMat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a->m[i][0] * b->m[j][0] + a->m[i][1] * b->m[j][1] + a->m[i][2] * b->m[j][2];
        }
    }
    return c;
}
// a b'
static inline FbMat3 fb_outer(FbVec3 a, FbVec3 b) {
    return (FbMat3){{{a.x * b.x, a.x * b.y, a.x * b.z},
                     {a.y * b.x, a.y * b.y, a.y * b.z},
                     {a.z * b.x, a.z * b.y, a.z * b.z}}};
}
// [a]x, the matrix of the cross product: [a]x b = a x b
static inline FbMat3 fb_skew(FbVec3 a) {
    return (FbMat3){{{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}}};
}
// A [a]x
static inline FbMat3 fb_mat3_mul_skew(const FbMat3* m, FbVec3 a) {
    FbMat3 c;
    for (int i = 0; i < 3; i++) {
        const double* r = m->m[i];
        c.m[i][0] = r[1] * a.z - r[2] * a.y;
        c.m[i][1] = r[2] * a.x - r[0] * a.z;
        c.m[i][2] = r[0] * a.y - r[1] * a.x;
    }
    return c;
}
// [a]x A
static inline FbMat3 fb_skew_mul_mat3(FbVec3 a, const FbMat3* m) {
    FbMat3 c;
    for (int j = 0; j < 3; j++) {
        c.m[0][j] = a.y * m->m[2][j] - a.z * m->m[1][j];
        c.m[1][j] = a.z * m->m[0][j] - a.x * m->m[2][j];
        c.m[2][j] = a.x * m->m[1][j] - a.y * m->m[0][j];
    }
    return c;
}

#endif
