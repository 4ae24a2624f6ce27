// 3-vectors and 3x3 matrices (row-major arrays), by value where it is short.
#ifndef FLYBALL_MATH_VEC3_H
#define FLYBALL_MATH_VEC3_H

#include <math.h>

typedef struct FbVec3 {
    double x, y, z;
} FbVec3;

// Row-major.
typedef struct FbMat3 {
    double m[3][3];
} FbMat3;

static inline FbVec3 fb_vec3(double x, double y, double z) {
    return (FbVec3){x, y, z};
}
static inline FbVec3 fb_vec3_from(const double a[3]) {
    return (FbVec3){a[0], a[1], a[2]};
}
static inline void fb_vec3_to(FbVec3 v, double a[3]) {
    a[0] = v.x;
    a[1] = v.y;
    a[2] = v.z;
}
static inline FbVec3 fb_add(FbVec3 a, FbVec3 b) {
    return (FbVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline FbVec3 fb_sub(FbVec3 a, FbVec3 b) {
    return (FbVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline FbVec3 fb_scale(double s, FbVec3 a) {
    return (FbVec3){s * a.x, s * a.y, s * a.z};
}
static inline FbVec3 fb_axpy(double s, FbVec3 a, FbVec3 b) {
    return (FbVec3){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}
static inline double fb_dot(FbVec3 a, FbVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline FbVec3 fb_cross(FbVec3 a, FbVec3 b) {
    return (FbVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double fb_norm(FbVec3 a) {
    return sqrt(fb_dot(a, a));
}

static inline FbMat3 fb_mat3_identity(void) {
    return (FbMat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}
static inline FbMat3 fb_mat3_from(const double a[9]) {
    return (FbMat3){{{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}}};
}
static inline FbVec3 fb_mat3_col(const FbMat3* a, int j) {
    return (FbVec3){a->m[0][j], a->m[1][j], a->m[2][j]};
}
static inline FbVec3 fb_mul3(const FbMat3* a, FbVec3 v) {
    return (FbVec3){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                    a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                    a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}
static inline FbVec3 fb_mul3_transposed(const FbMat3* a, FbVec3 v) {
    return (FbVec3){a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                    a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                    a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z};
}
static inline FbMat3 fb_mat3_mul(const FbMat3* a, const FbMat3* b) {
    FbMat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
    return c;
}
// A' B
static inline FbMat3 fb_mat3_mul_tn(const FbMat3* a, const FbMat3* b) {
    FbMat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a->m[0][i] * b->m[0][j] + a->m[1][i] * b->m[1][j] + a->m[2][i] * b->m[2][j];
        }
    }
    return c;
}

#endif
