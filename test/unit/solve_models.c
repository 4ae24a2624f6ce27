// Small hand-written dynamics with known solutions, for testing integrators without the mechanics.
#include "solve_models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/dense.h"
#include "math/rotation.h"

static const double GRAVITY = 9.81;

void test_point_init(FbPoint* p, double storage[6][TEST_MAX]) {
    *p = (FbPoint){0.0, storage[0], storage[1], storage[2], storage[3], storage[4], storage[5]};
}

static FbStatus residual(FbDynamics* d, const FbPoint* p, double* r, double* c, double* gdot) {
    TestModel* m = (TestModel*)d;
    m->residuals++;
    if (p->t > m->retry_beyond || m->retries > 0) {
        m->retries--;
        return FB_RETRY;
    }
    m->equations->residual(m, p, r, c, gdot);
    return FB_OK;
}

static FbStatus jacobian(FbDynamics* d, const FbPoint* p, FbBlocks* blocks, FbError* err) {
    (void)err;
    TestModel* m = (TestModel*)d;
    m->jacobians++;
    memset(m->values, 0, sizeof m->values);
    m->equations->jacobian(m, p);
    *blocks = m->blocks;
    return FB_OK;
}

// M a + G' lambda = -r(a = 0, lambda = 0), G a = -drift.
static FbStatus accelerations(FbDynamics* d, FbPoint* p, FbError* err) {
    TestModel* m = (TestModel*)d;
    int n = d->size.n_v, n_c = d->size.n_c, size = n + n_c, pivot[2 * TEST_MAX];
    double a[4 * TEST_MAX * TEST_MAX] = {0}, b[2 * TEST_MAX] = {0}, x_rate[TEST_MAX],
                            gdot[TEST_MAX];
    FbBlocks blocks;
    jacobian(d, p, &blocks, err);
    memset(p->a, 0, sizeof(double) * (size_t)n);
    memset(p->lambda, 0, sizeof(double) * (size_t)n_c);
    FbStatus status = residual(d, p, b, x_rate, gdot);
    if (status != FB_OK) {
        return status;
    }
    if (n_c > 0) {
        m->equations->drift(m, p, b + n);
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            a[j * size + i] = blocks.M[j * n + i];
        }
        for (int i = 0; i < n_c; i++) {
            a[j * size + n + i] = a[(n + i) * size + j] = blocks.G[j * n_c + i];
        }
    }
    if (fb_lu_factor(size, a, pivot) >= 0) {
        return FB_RETRY;
    }
    fb_lu_solve(size, a, pivot, b);
    for (int i = 0; i < n; i++) {
        p->a[i] = -b[i];
    }
    for (int i = 0; i < n_c; i++) {
        p->lambda[i] = -b[n + i];
    }
    return FB_OK;
}

static void state_rates(FbDynamics* d, const FbPoint* p, double* x_rate) {
    TestModel* m = (TestModel*)d;
    double r[TEST_MAX], gdot[TEST_MAX];
    m->equations->residual(m, p, r, x_rate, gdot);
}

static void plus(const FbDynamics* d, const double* q0, const double* xi, double* q) {
    if (d->n_ball > 0) {
        fb_quaternion_plus(q0, fb_vec3_from(xi), q);
        return;
    }
    for (int i = 0; i < d->size.n_v; i++) {
        q[i] = q0[i] + xi[i];
    }
}

static void minus(const FbDynamics* d, const double* q, const double* q0, double* xi) {
    if (d->n_ball > 0) {
        fb_vec3_to(fb_quaternion_minus(q, q0), xi);
        return;
    }
    for (int i = 0; i < d->size.n_v; i++) {
        xi[i] = q[i] - q0[i];
    }
}

static void chart_rate(const FbDynamics* d, const double* xi, const double* v, double* rate) {
    if (d->n_ball > 0) {
        fb_vec3_to(fb_rotation_chart_rate(fb_vec3_from(xi), fb_vec3_from(v)), rate);
        return;
    }
    memmove(rate, v, sizeof(double) * (size_t)d->size.n_v);
}

static void coordinate_rates(const FbDynamics* d, const double* q, const double* v, double* rate) {
    if (d->n_ball > 0) {
        fb_quaternion_rate(q, fb_vec3_from(v), rate);
        return;
    }
    memcpy(rate, v, sizeof(double) * (size_t)d->size.n_v);
}

static const char* name_of_velocity(const FbDynamics* d, int j) {
    (void)d;
    return j == 0 ? "joint 'first'" : "joint 'other'";
}

static FbStatus position_error(FbDynamics* d, double t, const double* q, double* g) {
    TestModel* m = (TestModel*)d;
    m->equations->position_error(m, t, q, g);
    return FB_OK;
}

// Only for one constraint and unit masses: q += -G' g / (G G'), repeated.
static FbStatus project_position(FbDynamics* d, double t, double* q, double* error, FbError* err) {
    TestModel* m = (TestModel*)d;
    if (d->n_ball > 0) {
        fb_quaternion_normalize(q);
        return FB_OK;
    }
    double v[TEST_MAX] = {0}, g;
    for (int k = 0; k < 5; k++) {
        FbPoint p = {.t = t, .q = q, .v = v};
        FbBlocks b;
        m->equations->position_error(m, t, q, &g);
        if (error && k == 0) {
            *error = fabs(g);
        }
        FbStatus status = jacobian(d, &p, &b, err);
        m->jacobians--;
        if (status != FB_OK) {
            return status;
        }
        double gg = b.G[0] * b.G[0] + b.G[1] * b.G[1];
        q[0] -= b.G[0] * g / gg;
        q[1] -= b.G[1] * g / gg;
        if (fabs(g) < 1e-15) {
            break;
        }
    }
    return FB_OK;
}

static FbStatus project_velocity(FbDynamics* d, double t, const double* q, double* v, double* error,
                                 FbError* err) {
    FbPoint p = {.t = t, .q = (double*)q, .v = v};
    FbBlocks b;
    FB_TRY(jacobian(d, &p, &b, err));
    ((TestModel*)d)->jacobians--;
    double gg = b.G[0] * b.G[0] + b.G[1] * b.G[1], gv = b.G[0] * v[0] + b.G[1] * v[1];
    v[0] -= b.G[0] * gv / gg;
    v[1] -= b.G[1] * gv / gg;
    if (error) {
        *error = fabs(gv);
    }
    return FB_OK;
}

static const FbDynamicsOps plain_ops = {
    .residual = residual,
    .jacobian = jacobian,
    .accelerations = accelerations,
    .state_rates = state_rates,
    .plus = plus,
    .minus = minus,
    .chart_rate = chart_rate,
    .coordinate_rates = coordinate_rates,
    .name_of_velocity = name_of_velocity,
};

static const FbDynamicsOps top_ops = {
    .residual = residual,
    .jacobian = jacobian,
    .accelerations = accelerations,
    .project_position = project_position,
    .plus = plus,
    .minus = minus,
    .chart_rate = chart_rate,
    .coordinate_rates = coordinate_rates,
    .name_of_velocity = name_of_velocity,
};

static const FbDynamicsOps constrained_ops = {
    .residual = residual,
    .jacobian = jacobian,
    .accelerations = accelerations,
    .state_rates = state_rates,
    .position_error = position_error,
    .project_position = project_position,
    .project_velocity = project_velocity,
    .plus = plus,
    .minus = minus,
    .chart_rate = chart_rate,
    .coordinate_rates = coordinate_rates,
    .name_of_velocity = name_of_velocity,
};

static void fill_pattern(int n_row, int n_col, int* start, int* row, FbPattern* p) {
    for (int j = 0; j < n_col; j++) {
        start[j + 1] = start[j] + n_row;
        for (int i = 0; i < n_row; i++) {
            row[start[j] + i] = i;
        }
    }
    *p = (FbPattern){n_row, n_col, start, row};
}

static void init(TestModel* m, const FbDynamicsOps* ops, const TestEquations* e, FbSizes size) {
    memset(m, 0, sizeof *m);
    m->dynamics.ops = ops;
    m->dynamics.size = size;
    m->equations = e;
    fill_pattern(size.n_v, size.n_v, m->vv_start, m->vv_row, &m->vv);
    fill_pattern(size.n_c, size.n_v, m->cv_start, m->cv_row, &m->cv);
    m->blocks = (FbBlocks){&m->vv,       &m->cv,       m->values[0], m->values[1],
                           m->values[2], m->values[3], m->values[4], m->values[5],
                           m->values[6], m->values[7], m->values[8], NULL};
    for (int i = 0; i < TEST_MAX; i++) {
        m->scale[i] = 1.0;
    }
    m->dynamics.q_scale = m->dynamics.v_scale = m->scale;
    m->retry_beyond = INFINITY;
    test_point_init(&m->at, m->storage);
}

static void oscillator_residual(const TestModel* m, const FbPoint* p, double* r, double* c,
                                double* gdot) {
    (void)c, (void)gdot;
    const double* k = m->parameter;
    r[0] = k[0] * p->a[0] + k[1] * p->v[0] + k[2] * (p->q[0] - k[3] * sin(k[4] * p->t)) - m->law;
}

static void oscillator_jacobian(TestModel* m, const FbPoint* p) {
    (void)p;
    m->blocks.M[0] = m->parameter[0];
    m->blocks.C[0] = m->parameter[1];
    m->blocks.K[0] = m->parameter[2];
}

static void oscillator_powers(FbDynamics* d, const FbPoint* p, double* w_rate) {
    w_rate[0] = ((TestModel*)d)->parameter[1] * p->v[0] * p->v[0];
}

void test_oscillator_init(TestModel* m, double mass, double damping, double stiffness) {
    static const TestEquations equations = {.residual = oscillator_residual,
                                            .jacobian = oscillator_jacobian};
    static const FbDynamicsOps ops = {
        .residual = residual,
        .jacobian = jacobian,
        .accelerations = accelerations,
        .powers = oscillator_powers,
        .plus = plus,
        .minus = minus,
        .chart_rate = chart_rate,
        .coordinate_rates = coordinate_rates,
        .name_of_velocity = name_of_velocity,
    };
    init(m, &ops, &equations, (FbSizes){.n_q = 1, .n_v = 1, .n_w = 1});
    m->parameter[0] = mass;
    m->parameter[1] = damping;
    m->parameter[2] = stiffness;
    m->at.q[0] = 1.0;
    m->at.a[0] = -stiffness / mass;
}

static void pendulum_residual(const TestModel* m, const FbPoint* p, double* r, double* c,
                              double* gdot) {
    (void)m, (void)c, (void)gdot;
    r[0] = p->a[0] + GRAVITY * sin(p->q[0]);
}

static void pendulum_jacobian(TestModel* m, const FbPoint* p) {
    m->blocks.M[0] = 1.0;
    m->blocks.K[0] = GRAVITY * cos(p->q[0]);
}

void test_pendulum_init(TestModel* m, double angle) {
    static const TestEquations equations = {.residual = pendulum_residual,
                                            .jacobian = pendulum_jacobian};
    init(m, &plain_ops, &equations, (FbSizes){.n_q = 1, .n_v = 1});
    m->at.q[0] = angle;
    m->at.a[0] = -GRAVITY * sin(angle);
}

// g = (x^2 + y^2 - 1)/2
static void point_residual(const TestModel* m, const FbPoint* p, double* r, double* c,
                           double* gdot) {
    (void)m, (void)c;
    r[0] = p->a[0] + p->q[0] * p->lambda[0];
    r[1] = p->a[1] + GRAVITY + p->q[1] * p->lambda[0];
    gdot[0] = p->q[0] * p->v[0] + p->q[1] * p->v[1];
}

static void point_jacobian(TestModel* m, const FbPoint* p) {
    FbBlocks* b = &m->blocks;
    for (int i = 0; i < 2; i++) {
        b->M[3 * i] = 1.0;
        b->K[3 * i] = p->lambda ? p->lambda[0] : 0.0;
        b->G[i] = p->q[i];
        b->Gq[i] = p->v[i];
    }
}

static void point_drift(const TestModel* m, const FbPoint* p, double* drift) {
    (void)m;
    drift[0] = p->v[0] * p->v[0] + p->v[1] * p->v[1];
}

static void point_error(const TestModel* m, double t, const double* q, double* g) {
    (void)m, (void)t;
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
}

void test_point_pendulum_init(TestModel* m, double angle) {
    static const TestEquations equations = {point_residual, point_jacobian, point_drift,
                                            point_error};
    init(m, &constrained_ops, &equations, (FbSizes){.n_q = 2, .n_v = 2, .n_c = 1, .n_g = 1});
    m->at.q[0] = sin(angle);
    m->at.q[1] = -cos(angle);
    FbError err;
    accelerations(&m->dynamics, &m->at, &err);
}

// I a + w x I w - c x R' (0, 0, -weight), c = (0, 0, 1) in the body.
static void top_residual(const TestModel* m, const FbPoint* p, double* r, double* c, double* gdot) {
    (void)c, (void)gdot;
    const double* j = m->parameter;
    FbMat3 R = fb_rotation_from_quaternion(p->q);
    FbVec3 w = fb_vec3_from(p->v), h = fb_vec3(j[0] * w.x, j[1] * w.y, j[2] * w.z);
    FbVec3 u = fb_mul3_transposed(&R, fb_vec3(0, 0, -j[3]));
    FbVec3 torque = fb_cross(fb_vec3(0, 0, 1), u), gyro = fb_cross(w, h);
    fb_vec3_to(fb_sub(gyro, torque), r);
    for (int i = 0; i < 3; i++) {
        r[i] += j[i] * p->a[i];
    }
}

static void top_jacobian(TestModel* m, const FbPoint* p) {
    const double* j = m->parameter;
    FbMat3 R = fb_rotation_from_quaternion(p->q);
    FbVec3 u = fb_mul3_transposed(&R, fb_vec3(0, 0, -j[3])), w = fb_vec3_from(p->v);
    FbVec3 h = fb_vec3(j[0] * w.x, j[1] * w.y, j[2] * w.z);
    for (int k = 0; k < 3; k++) {
        double e[3] = {k == 0, k == 1, k == 2};
        FbVec3 unit = fb_vec3_from(e), column;
        m->blocks.M[4 * k] = j[k];
        column = fb_add(fb_cross(unit, h), fb_cross(w, fb_scale(j[k], unit)));
        fb_vec3_to(column, m->blocks.C + 3 * k);
        column = fb_scale(-1.0, fb_cross(fb_vec3(0, 0, 1), fb_cross(u, unit)));
        fb_vec3_to(column, m->blocks.K + 3 * k);
    }
}

void test_top_init(TestModel* m, const double inertia[3], double weight, const double omega[3]) {
    static const TestEquations equations = {.residual = top_residual, .jacobian = top_jacobian};
    init(m, &top_ops, &equations, (FbSizes){.n_q = 4, .n_v = 3});
    m->dynamics.n_ball = 1;
    m->dynamics.ball = m->ball;
    memcpy(m->parameter, inertia, 3 * sizeof(double));
    m->parameter[3] = weight;
    double start[4] = {1, 0, 0, 0};
    fb_quaternion_plus(start, fb_vec3(0.5, 0.2, 0.0), m->at.q);
    memcpy(m->at.v, omega, 3 * sizeof(double));
    FbError err;
    accelerations(&m->dynamics, &m->at, &err);
}

static void prothero_residual(const TestModel* m, const FbPoint* p, double* r, double* c,
                              double* gdot) {
    (void)c, (void)gdot;
    double k = m->parameter[0];
    r[0] = p->a[0] + sin(p->t) + k * (p->v[0] - cos(p->t)) + k * (p->q[0] - sin(p->t));
}

static void prothero_jacobian(TestModel* m, const FbPoint* p) {
    (void)p;
    m->blocks.M[0] = 1.0;
    m->blocks.C[0] = m->blocks.K[0] = m->parameter[0];
}

void test_prothero_init(TestModel* m, double stiffness) {
    static const TestEquations equations = {.residual = prothero_residual,
                                            .jacobian = prothero_jacobian};
    init(m, &plain_ops, &equations, (FbSizes){.n_q = 1, .n_v = 1});
    m->parameter[0] = stiffness;
    m->at.v[0] = 1.0;
}

static void vdp_residual(const TestModel* m, const FbPoint* p, double* r, double* c, double* gdot) {
    (void)gdot;
    r[0] = p->a[0] - p->x[0];
    c[0] = p->x[1];
    c[1] = m->parameter[0] * (1.0 - p->x[0] * p->x[0]) * p->x[1] - p->x[0];
}

static void vdp_jacobian(TestModel* m, const FbPoint* p) {
    double mu = m->parameter[0];
    m->blocks.M[0] = 1.0;
    m->blocks.Rx[0] = -1.0;
    m->blocks.Xx[1] = -2.0 * mu * p->x[0] * p->x[1] - 1.0;
    m->blocks.Xx[2] = 1.0;
    m->blocks.Xx[3] = mu * (1.0 - p->x[0] * p->x[0]);
}

void test_vdp_init(TestModel* m, double mu) {
    static const TestEquations equations = {.residual = vdp_residual, .jacobian = vdp_jacobian};
    init(m, &plain_ops, &equations, (FbSizes){.n_q = 1, .n_v = 1, .n_x = 2});
    m->parameter[0] = mu;
    m->at.x[0] = 2.0;
    m->at.a[0] = 2.0;
}

double test_top_energy(const TestModel* m, const FbPoint* p) {
    FbMat3 R = fb_rotation_from_quaternion(p->q);
    double e = m->parameter[3] * R.m[2][2];
    for (int i = 0; i < 3; i++) {
        e += 0.5 * m->parameter[i] * p->v[i] * p->v[i];
    }
    return e;
}

void test_top_momentum(const TestModel* m, const FbPoint* p, double out[3]) {
    FbMat3 R = fb_rotation_from_quaternion(p->q);
    const double* j = m->parameter;
    fb_vec3_to(fb_mul3(&R, fb_vec3(j[0] * p->v[0], j[1] * p->v[1], j[2] * p->v[2])), out);
}

// sn by descending Landen transformations; k < 1.
static long double elliptic_sn(long double u, long double k, long double* quarter) {
    enum { N = 12 };
    long double a[N], c[N], phi;
    a[0] = 1.0L;
    c[0] = k;
    long double b = sqrtl(1.0L - k * k);
    for (int i = 1; i < N; i++) {
        a[i] = 0.5L * (a[i - 1] + b);
        c[i] = 0.5L * (a[i - 1] - b);
        b = sqrtl(a[i - 1] * b);
    }
    *quarter = acosl(-1.0L) / (2.0L * a[N - 1]);
    phi = ldexpl(a[N - 1] * u, N - 1);
    for (int i = N - 1; i > 0; i--) {
        phi = 0.5L * (phi + asinl(c[i] / a[i] * sinl(phi)));
    }
    return sinl(phi);
}

double test_pendulum_angle(double angle0, double t) {
    long double k = sinl(0.5L * angle0), quarter, unused;
    elliptic_sn(0.0L, k, &quarter);
    // From rest at angle0: sin(angle/2) = k sn(K - w t).
    long double s = elliptic_sn(quarter - sqrtl((long double)GRAVITY) * t, k, &unused);
    return (double)(2.0L * asinl(k * s));
}

FbIntegratorOptions test_tolerance(double rtol) {
    return (FbIntegratorOptions){.rtol = rtol, .atol = 0.01 * rtol, .max_step = INFINITY};
}

void test_integrate(TestModel* m, const FbIntegratorType* type, const FbIntegratorOptions* o,
                    double t_end, FbPoint* p, FbIntegratorStats* stats) {
    FbError err = {0};
    FbIntegrator* s = NULL;
    assert_int_equal(type->create(&m->dynamics, o, &s, &err), FB_OK);
    assert_int_equal(type->restart(s, &m->at, &err), FB_OK);
    p->t = m->at.t;
    while (p->t < t_end) {
        if (type->step(s, t_end, p, &err) != FB_OK) {
            fail_msg("%s", err.text);
        }
    }
    assert_true(p->t == t_end);
    if (stats) {
        *stats = *type->stats(s);
    }
    type->destroy(s);
}
