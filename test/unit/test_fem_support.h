// What the tests of fem/ share: random ends of an element, moved ends, differences of fourth order.
#ifndef FLYBALL_TEST_FEM_SUPPORT_H
#define FLYBALL_TEST_FEM_SUPPORT_H

#include <stdlib.h>
#include <string.h>

#include "fem/field.h"
#include "math/rotation.h"
#include "test_base_support.h"

static inline FbVec3 random_vec(uint64_t* seed, double size) {
    double x = random_unit(seed), y = random_unit(seed), z = random_unit(seed);
    return fb_scale(size, fb_vec3(x, y, z));
}

static inline FbPort random_port(uint64_t* seed, FbVec3 p) {
    FbPort port = {.R = fb_rotation_from_vector(random_vec(seed, 0.7))};
    port.p = fb_add(p, random_vec(seed, 0.2));
    port.v = random_vec(seed, 2.0);
    port.w = random_vec(seed, 2.0);
    port.a = random_vec(seed, 5.0);
    port.dw = random_vec(seed, 5.0);
    return port;
}

static inline void random_ports(uint64_t* seed, FbPort port[2]) {
    port[0] = random_port(seed, fb_vec3(0.3, -0.1, 0.2));
    port[1] = random_port(seed, fb_vec3(1.5, 0.3, -0.4));
}

// What of an end is moved along one of twelve directions.
typedef enum Level { POSE, VELOCITY, ACCELERATION } Level;

static inline void move_ports(const FbPort port[2], Level level, int k, double step,
                              FbPort out[2]) {
    double d[3] = {0};
    d[k % 3] = step;
    FbVec3 x = fb_vec3_from(d);
    bool turns = k % 6 >= 3;
    out[0] = port[0];
    out[1] = port[1];
    FbPort* end = &out[k / 6];
    if (level == POSE && turns) {
        FbMat3 turn = fb_rotation_from_vector(x);
        end->R = fb_mat3_mul(&turn, &end->R);
        return;
    }
    FbVec3* target = level == POSE       ? &end->p
                     : level == VELOCITY ? (turns ? &end->w : &end->v)
                                         : (turns ? &end->dw : &end->a);
    *target = fb_add(*target, x);
}

// Fourth-order difference of `n` values at -2h, -h, h, 2h.
static inline void difference(int n, const double* f[4], double h, double* out) {
    for (int i = 0; i < n; i++) {
        out[i] = (f[0][i] - 8.0 * f[1][i] + 8.0 * f[2][i] - f[3][i]) / (12.0 * h);
    }
}

static const double DIFFERENCE_STEPS[4] = {-2.0, -1.0, 1.0, 2.0};

// f(argument moved by x along direction k) -> n values.
typedef void (*Moved)(const void* self, int k, double x, double* out);

// Derivative of `f` along direction k.
static inline void differentiate(Moved f, const void* self, int k, double h, int n, double* out) {
    double* values = calloc((size_t)n * 4, sizeof *values);
    const double* at[4];
    for (int i = 0; i < 4; i++) {
        f(self, k, DIFFERENCE_STEPS[i] * h, values + i * n);
        at[i] = values + i * n;
    }
    difference(n, at, h, out);
    free(values);
}

static inline double dot_n(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

#endif
