// The position field: rates along a path, exact derivatives, forces brought to the ends, and the
// shape functions of the linear theories.
#include "test_fem_support.h"

enum { N = FB_BEAM_DOF, NN = FB_BEAM_DOF * FB_BEAM_DOF };

static const double STEP = 1e-3;  // fourth order: errors of 1e-12 in truncation and in rounding

static void shapes_are_hermite_polynomials_with_derivatives(void** state) {
    (void)state;
    const double L = 1.7;
    double h[4][4];
    fb_field_calc_shapes(L, 0.0, h);
    for (int i = 0; i < 4; i++) {
        assert_near(h[0][i], i == 0, 0.0);
        assert_near(L * h[1][i], i == 1, 1e-15);
    }
    fb_field_calc_shapes(L, 1.0, h);
    for (int i = 0; i < 4; i++) {
        assert_near(h[0][i], i == 2, 0.0);
        assert_near(L * h[1][i], i == 3, 1e-15);
    }
    for (int at = -1; at < 5; at++) {  // also outside the element
        double s = 0.4 * at, f[4][4][4], d;
        fb_field_calc_shapes(L, s / L, h);
        for (int k = 0; k < 4; k++) {
            fb_field_calc_shapes(L, (s + 0.1 * DIFFERENCE_STEPS[k]) / L, f[k]);
        }
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 4; i++) {
                const double* v[4] = {&f[0][k][i], &f[1][k][i], &f[2][k][i], &f[3][k][i]};
                difference(1, v, 0.1, &d);  // exact for cubics
                assert_near(h[k + 1][i], d, 1e-13);
            }
        }
    }
}

// Ends that move along smooth paths: p(t), R(t) = exp(x(t)) R0 with x(0) = 0.
static void ports_at(const FbPort port[2], double t, FbPort out[2]) {
    for (int k = 0; k < 2; k++) {
        FbPort* o = &out[k];
        *o = port[k];
        o->p = fb_add(port[k].p, fb_axpy(t, port[k].v, fb_scale(0.5 * t * t, port[k].a)));
        // R = exp(w t + dw t^2/2) R0: angular velocity w and acceleration dw at t = 0
        FbVec3 x = fb_axpy(t, port[k].w, fb_scale(0.5 * t * t, port[k].dw));
        FbMat3 turn = fb_rotation_from_vector(x);
        o->R = fb_mat3_mul(&turn, &port[k].R);
    }
}

static void rates_are_those_along_a_path(void** state) {
    (void)state;
    uint64_t seed = 7;
    for (int trial = 0; trial < 5; trial++) {
        FbPort port[2], moved[2];
        FbBeamField field, at[4];
        random_ports(&seed, port);
        fb_field_calc(port, &field);
        for (int i = 0; i < 4; i++) {
            ports_at(port, DIFFERENCE_STEPS[i] * STEP, moved);
            fb_field_calc(moved, &at[i]);
        }
        for (int i = 0; i < N; i++) {
            double d1 = (at[0].e[i] - 8 * at[1].e[i] + 8 * at[2].e[i] - at[3].e[i]) / (12 * STEP);
            double d2 =
                (-at[0].e[i] + 16 * at[1].e[i] - 30 * field.e[i] + 16 * at[2].e[i] - at[3].e[i]) /
                (12 * STEP * STEP);
            assert_near(field.de[i], d1, 1e-8);
            assert_near(field.dde[i], d2, 1e-6);
        }
    }
}

typedef struct Moving {
    const FbPort* port;
    Level level;
} Moving;

// e, de, dde
static void field_moved(const void* self, int k, double x, double* out) {
    const Moving* m = self;
    FbPort moved[2];
    FbBeamField field;
    move_ports(m->port, m->level, k, x, moved);
    fb_field_calc(moved, &field);
    memcpy(out, field.e, sizeof field.e);
    memcpy(out + N, field.de, sizeof field.de);
    memcpy(out + 2 * N, field.dde, sizeof field.dde);
}

static void assert_column(const double* A, int k, const double* d, double tolerance) {
    for (int i = 0; i < N; i++) {
        assert_near(A[i * N + k], d[i], tolerance);
    }
}

static void derivatives_are_exact(void** state) {
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 5; trial++) {
        FbPort port[2];
        FbBeamField field;
        double de_by_pose[NN], dde_by_pose[NN], dde_by_velocity[NN], d[3 * N];
        random_ports(&seed, port);
        fb_field_calc(port, &field);
        fb_field_calc_derivatives(port, de_by_pose, dde_by_pose, dde_by_velocity);
        for (int k = 0; k < N; k++) {
            differentiate(field_moved, &(Moving){port, POSE}, k, STEP, 3 * N, d);
            assert_column(field.J, k, d, 1e-9);
            assert_column(de_by_pose, k, d + N, 1e-9);
            assert_column(dde_by_pose, k, d + 2 * N, 1e-8);
            differentiate(field_moved, &(Moving){port, VELOCITY}, k, STEP, 3 * N, d);
            assert_column(field.J, k, d + N, 1e-9);
            assert_column(dde_by_velocity, k, d + 2 * N, 1e-9);
            differentiate(field_moved, &(Moving){port, ACCELERATION}, k, STEP, 3 * N, d);
            assert_column(field.J, k, d + 2 * N, 1e-9);
        }
    }
}

// An arbitrary force dual to e, f_i = sum_j (A e + B de + C dde + (e_i - e_0)^2): everything at the
// ends differs.
typedef struct AnyForce {
    double A[NN], B[NN], C[NN];
} AnyForce;

static void calc_force(const AnyForce* law, const FbPort port[2], FbPortForces* out) {
    FbBeamField x;
    double f[N], f_e[NN];
    fb_field_calc(port, &x);
    memcpy(f_e, law->A, sizeof f_e);
    for (int i = 0; i < N; i++) {
        f[i] = dot_n(N, law->A + i * N, x.e) + dot_n(N, law->B + i * N, x.de) +
               dot_n(N, law->C + i * N, x.dde) + x.e[i] * x.e[0];
        f_e[i * N + i] += x.e[0];
        f_e[i * N] += x.e[i];
    }
    memset(out, 0, sizeof *out);
    FbFieldForce force = {f, f_e, law->B, law->C};
    fb_field_add_force(port, &force, true, out);
}

typedef struct MovingForce {
    const AnyForce* law;
    Moving moving;
} MovingForce;

static void force_moved(const void* self, int k, double x, double* out) {
    const MovingForce* m = self;
    FbPort moved[2];
    FbPortForces forces;
    move_ports(m->moving.port, m->moving.level, k, x, moved);
    calc_force(m->law, moved, &forces);
    memcpy(out, forces.f, sizeof forces.f);
}

static void forces_and_their_derivatives_come_to_the_ends(void** state) {
    (void)state;
    uint64_t seed = 11;
    AnyForce law;
    FbPort port[2];
    FbPortForces forces;
    double d[N];
    for (int i = 0; i < NN; i++) {
        law.A[i] = random_unit(&seed);
        law.B[i] = random_unit(&seed);
        law.C[i] = random_unit(&seed);
    }
    random_ports(&seed, port);
    calc_force(&law, port, &forces);
    for (int k = 0; k < N; k++) {
        differentiate(force_moved, &(MovingForce){&law, {port, POSE}}, k, STEP, N, d);
        assert_column(forces.K, k, d, 1e-7);
        differentiate(force_moved, &(MovingForce){&law, {port, VELOCITY}}, k, STEP, N, d);
        assert_column(forces.C, k, d, 1e-8);
        differentiate(force_moved, &(MovingForce){&law, {port, ACCELERATION}}, k, STEP, N, d);
        assert_column(forces.M, k, d, 1e-8);
    }
}

static void forces_at_the_ends_do_the_same_work(void** state) {
    (void)state;
    uint64_t seed = 5;
    FbPort port[2];
    FbBeamField field;
    double f[N], ends[N] = {0}, by_J[N] = {0}, velocity[N];
    random_ports(&seed, port);
    fb_field_calc(port, &field);
    for (int i = 0; i < N; i++) {
        f[i] = random_unit(&seed);
    }
    fb_field_add_to_ends(port, f, ends);
    for (int k = 0; k < 2; k++) {
        fb_vec3_to(port[k].v, velocity + 6 * k);
        fb_vec3_to(port[k].w, velocity + 6 * k + 3);
    }
    assert_near(dot_n(N, ends, velocity), dot_n(N, f, field.de), 1e-13);
    for (int i = 0; i < NN; i++) {
        by_J[i % N] += field.J[i] * f[i / N];
    }
    for (int i = 0; i < N; i++) {
        assert_near(ends[i], by_J[i], 1e-14);
    }
}

// A rigid motion of a straight element moves every point of its centre line rigidly; stretched,
// evenly.
static void rigid_motion_and_even_stretching_are_represented(void** state) {
    (void)state;
    const double L = 0.8, stretch = 1.25;
    FbMat3 R = fb_rotation_from_vector(fb_vec3(1.1, -0.4, 2.0));
    FbVec3 v = fb_vec3(1, 2, 3), w = fb_vec3(-2, 0.5, 1), x = fb_mat3_col(&R, 0);
    FbPort port[2] = {{.R = R, .p = fb_vec3(3, 1, 2), .v = v, .w = w}, {.R = R, .w = w}};
    port[1].p = fb_axpy(L * stretch, x, port[0].p);
    port[1].v = fb_add(v, fb_cross(w, fb_scale(L * stretch, x)));
    FbBeamField field;
    double h[4][4];
    fb_field_calc(port, &field);
    fb_field_calc_shapes(L, 0.3, h);
    for (int i = 0; i < 3; i++) {
        double r = 0.0, dr = 0.0, at[3], speed[3];
        for (int k = 0; k < 4; k++) {
            r += h[0][k] * field.e[3 * k + i];
            dr += h[0][k] * field.de[3 * k + i];
        }
        FbVec3 arm = fb_scale(0.3 * L * stretch, x);
        fb_vec3_to(fb_add(port[0].p, arm), at);
        fb_vec3_to(fb_add(v, fb_cross(w, arm)), speed);
        assert_near(r, at[i], 1e-14);
        assert_near(dr, speed[i], 1e-14);
    }
}

// Timoshenko's shape functions as in eq. 8.2.
static void calc_timoshenko(double L, double phi, double xi, double n[4]) {
    double x2 = xi * xi, x3 = x2 * xi, a = 1.0 / (1.0 + phi);
    n[0] = a * (1.0 - 3.0 * x2 + 2.0 * x3 + phi * (1.0 - xi));
    n[1] = a * L * (xi - 2.0 * x2 + x3 + 0.5 * phi * (xi - x2));
    n[2] = a * (3.0 * x2 - 2.0 * x3 + phi * xi);
    n[3] = a * L * (x3 - x2 - 0.5 * phi * (xi - x2));
}

// N E in element axes at xi, [3 x 12].
static void calc_linear_shapes(const FbBeam* beam, double xi, double NE[3][N]) {
    double E[NN], e0[N], h[4][4];
    FbMat3 R = fb_mat3_identity();
    fb_field_calc_linear(beam, &R, fb_vec3(0, 0, 0), fb_vec3(beam->length, 0, 0), E, e0);
    fb_field_calc_shapes(beam->length, xi, h);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < N; j++) {
            NE[i][j] = 0.0;
            for (int k = 0; k < 4; k++) {
                NE[i][j] += h[0][k] * E[(3 * k + i) * N + j];
            }
        }
    }
}

static void linear_field_has_the_shape_functions_of_the_theory(void** state) {
    (void)state;
    static const int xy[4] = {1, 5, 7, 11}, xz[4] = {2, 4, 8, 10};
    for (int shear = 0; shear < 2; shear++) {
        FbBeam beam = {.length = 0.9, .phi_y = 0.7 * shear, .phi_z = 1.9 * shear};
        for (double xi = 0.0; xi < 1.1; xi += 0.2) {
            double NE[3][N], expected[3][N] = {{0}}, n[4];
            expected[0][0] = 1.0 - xi;
            expected[0][6] = xi;
            calc_timoshenko(beam.length, beam.phi_y, xi, n);
            for (int k = 0; k < 4; k++) {
                expected[1][xy[k]] = n[k];
            }
            calc_timoshenko(beam.length, beam.phi_z, xi, n);
            for (int k = 0; k < 4; k++) {  // a turn about y lowers the end of the x axis
                expected[2][xz[k]] = k % 2 == 0 ? n[k] : -n[k];
            }
            calc_linear_shapes(&beam, xi, NE);
            for (int i = 0; i < 3 * N; i++) {
                assert_near(NE[i / N][i % N], expected[i / N][i % N], 1e-15);
            }
        }
    }
}

static void linear_field_turns_with_the_element(void** state) {
    (void)state;
    FbMat3 R = fb_rotation_from_vector(fb_vec3(0.4, 1.3, -0.8));
    FbBeam beam = {.length = 1.2, .phi_y = 0.3, .phi_z = 0.6};
    FbVec3 p_A = fb_vec3(1, 2, 3), p_B = fb_axpy(beam.length, fb_mat3_col(&R, 0), p_A);
    double E[NN], e0[N];
    fb_field_calc_linear(&beam, &R, p_A, p_B, E, e0);
    // a small rigid turn phi about p_A: tau turns by phi x tau
    FbVec3 phi = fb_vec3(0.3, -0.2, 0.5), arm = fb_sub(p_B, p_A);
    double d[N] = {0}, turned[3];
    fb_vec3_to(phi, d + 3);
    fb_vec3_to(fb_cross(phi, arm), d + 6);
    fb_vec3_to(phi, d + 9);
    fb_vec3_to(fb_cross(phi, arm), turned);
    for (int i = 0; i < 3; i++) {
        assert_near(e0[3 + i], e0[6 + i] - e0[i], 1e-15);
        assert_near(dot_n(N, E + (3 + i) * N, d), turned[i], 1e-15);
        assert_near(dot_n(N, E + (9 + i) * N, d), turned[i], 1e-15);
    }
}

// At the drawing without shear the field with large rotations has the same J as the linear one.
static void both_fields_agree_at_the_drawing(void** state) {
    (void)state;
    FbMat3 R = fb_rotation_from_vector(fb_vec3(0.4, 1.3, -0.8));
    FbBeam beam = {.length = 1.2};
    FbPort port[2] = {{.R = R, .p = fb_vec3(1, 2, 3)}, {.R = R}};
    port[1].p = fb_axpy(beam.length, fb_mat3_col(&R, 0), port[0].p);
    double E[NN], e0[N];
    FbBeamField field;
    fb_field_calc_linear(&beam, &R, port[0].p, port[1].p, E, e0);
    fb_field_calc(port, &field);
    for (int i = 0; i < NN; i++) {
        assert_near(field.J[i], E[i], 1e-14);
        assert_near(field.e[i % N], e0[i % N], 1e-14);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_hermite_polynomials_with_derivatives),
        cmocka_unit_test(rates_are_those_along_a_path),
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(forces_and_their_derivatives_come_to_the_ends),
        cmocka_unit_test(forces_at_the_ends_do_the_same_work),
        cmocka_unit_test(rigid_motion_and_even_stretching_are_represented),
        cmocka_unit_test(linear_field_has_the_shape_functions_of_the_theory),
        cmocka_unit_test(linear_field_turns_with_the_element),
        cmocka_unit_test(both_fields_agree_at_the_drawing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
