// The large-rotation beam element by itself, of second and of fourth order: rigid motions, gradient
// and tangent by finite differences, the linear limit, damping.
#include <string.h>

#include "fem/field.h"
#include "test_fem_beam_support.h"

enum { N = FB_BEAM_DOF };

static const double angles[] = {0.0, 1e-9, 1e-4, 0.3, 1.2, 2.9, 3.1};
enum { N_ANGLES = sizeof angles / sizeof *angles };

// Each test runs with both orders.
static bool is_fourth_order;

static int second_order(void** state) {
    (void)state;
    is_fourth_order = false;
    return 0;
}
static int fourth_order(void** state) {
    (void)state;
    is_fourth_order = true;
    return 0;
}

static FbBeam test_beam(double shear) {
    FbBeam beam = plain_beam(shear);
    beam.is_fourth_order = is_fourth_order;
    return beam;
}

// Step of the differences: the higher derivatives of the law of fourth order are larger.
static double calc_step(void) {
    return is_fourth_order ? 1e-4 : 2e-3;
}

static double largest_of(int n, const double* x) {
    double largest = 1.0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

static double energy_of(const FbBeam* beam, const FbPort port[2]) {
    FbPortForces out = {0};
    double energy;
    fb_beam_add_elastic(beam, port, false, &out, &energy, NULL);
    return energy;
}

static void forces_of(const FbBeam* beam, const FbPort port[2], double f[N]) {
    FbPortForces out = {0};
    fb_beam_add_elastic(beam, port, false, &out, NULL, NULL);
    memcpy(f, out.f, sizeof out.f);
}

static void rigid_motion_gives_no_force(void** state) {
    (void)state;
    uint64_t seed = 5;
    FbBeam beam = test_beam(1.0);
    for (int repeat = 0; repeat < 200; repeat++) {
        FbPort port[2];
        random_ports(&beam, 1.0, 0.0, &seed, port);
        port[0].R = fb_rotation_from_vector(fb_scale(10.0, random_vec3(&seed)));
        port[1].R = port[0].R;
        port[1].p = fb_add(port[0].p, fb_scale(beam.length, fb_mat3_col(&port[0].R, 0)));
        double f[N];
        forces_of(&beam, port, f);
        for (int i = 0; i < N; i++) {
            assert_near(f[i], 0.0, 3e-14);
        }
        assert_near(energy_of(&beam, port), 0.0, 1e-28);
    }
}

// Turning and moving everything turns the forces and nothing else.
static void forces_turn_with_the_element(void** state) {
    (void)state;
    uint64_t seed = 6;
    FbBeam beam = test_beam(1.0);
    beam.beta = 0.2;
    for (int i = 0; i < N_ANGLES; i++) {
        FbPort port[2], moved[2];
        random_ports(&beam, angles[i], 0.2, &seed, port);
        FbMat3 T = random_rotation(&seed);
        FbVec3 shift = random_vec3(&seed), v = random_vec3(&seed), w = random_vec3(&seed);
        for (int k = 0; k < 2; k++) {
            moved[k].R = fb_mat3_mul(&T, &port[k].R);
            moved[k].p = fb_add(shift, fb_mul3(&T, port[k].p));
            moved[k].w = fb_add(w, fb_mul3(&T, port[k].w));
            moved[k].v = fb_add(fb_add(v, fb_cross(w, moved[k].p)), fb_mul3(&T, port[k].v));
        }
        double f[N], g[N];
        forces_of(&beam, port, f);
        forces_of(&beam, moved, g);
        fb_beam_turn_vector(&T, f);
        for (int k = 0; k < N; k++) {
            assert_near(g[k], f[k], 1e-13);
        }
    }
}

// Central differences with two steps and Richardson's extrapolation: fourth order.
static void gradient_is_exact(void** state) {
    (void)state;
    uint64_t seed = 7;
    const double h = calc_step();
    for (int i = 0; i < N_ANGLES; i++) {
        FbBeam beam = test_beam(i % 2);
        FbPort port[2];
        random_ports(&beam, angles[i], 0.2, &seed, port);
        double f[N];
        forces_of(&beam, port, f);
        for (int k = 0; k < N; k++) {
            double difference[2];
            for (int s = 0; s < 2; s++) {
                FbPort plus[2] = {port[0], port[1]}, minus[2] = {port[0], port[1]};
                double step = s == 0 ? h : 0.5 * h;
                vary_pose(plus, k, step);
                vary_pose(minus, k, -step);
                difference[s] = (energy_of(&beam, plus) - energy_of(&beam, minus)) / (2.0 * step);
            }
            assert_near(f[k], (4.0 * difference[1] - difference[0]) / 3.0,
                        is_fourth_order ? 1e-9 * largest_of(N, f) : 1e-9);
        }
    }
}

typedef void Vary(FbPort port[2], int k, double h);

static void check_tangent(const FbBeam* beam, const FbPort port[2], Vary* vary, const double* K) {
    const double h = calc_step(), tolerance = is_fourth_order ? 5e-9 * largest_of(N * N, K) : 3e-9;
    for (int k = 0; k < N; k++) {
        double difference[2][N];
        for (int s = 0; s < 2; s++) {
            FbPort plus[2] = {port[0], port[1]}, minus[2] = {port[0], port[1]};
            double step = s == 0 ? h : 0.5 * h, p[N], m[N];
            vary(plus, k, step);
            vary(minus, k, -step);
            forces_of(beam, plus, p);
            forces_of(beam, minus, m);
            for (int i = 0; i < N; i++) {
                difference[s][i] = (p[i] - m[i]) / (2.0 * step);
            }
        }
        for (int i = 0; i < N; i++) {
            assert_near(K[i * N + k], (4.0 * difference[1][i] - difference[0][i]) / 3.0, tolerance);
        }
    }
}

static void tangents_are_exact(void** state) {
    (void)state;
    uint64_t seed = 8;
    for (int i = 0; i < N_ANGLES; i++) {
        for (int damped = 0; damped < 2; damped++) {
            FbBeam beam = test_beam(i % 2);
            beam.beta = 0.3 * damped;
            FbPort port[2];
            random_ports(&beam, angles[i], 0.2, &seed, port);
            FbPortForces out = {0};
            fb_beam_add_elastic(&beam, port, true, &out, NULL, NULL);
            check_tangent(&beam, port, vary_pose, out.K);
            check_tangent(&beam, port, vary_velocity, out.C);
            for (int k = 0; k < N * N; k++) {
                assert_true(out.M[k] == 0.0);
            }
        }
    }
}

// Adds: twice the call, twice the values.
static void results_are_added(void** state) {
    (void)state;
    uint64_t seed = 9;
    FbBeam beam = test_beam(1.0);
    beam.beta = 0.3;
    FbPort port[2];
    random_ports(&beam, 0.7, 0.2, &seed, port);
    FbPortForces once = {0}, twice = {0};
    fb_beam_add_elastic(&beam, port, true, &once, NULL, NULL);
    fb_beam_add_elastic(&beam, port, true, &twice, NULL, NULL);
    fb_beam_add_elastic(&beam, port, true, &twice, NULL, NULL);
    for (int i = 0; i < N * N; i++) {
        assert_near(twice.K[i], 2.0 * once.K[i], 1e-13);
        assert_near(twice.C[i], 2.0 * once.C[i], 1e-13);
    }
    assert_near(twice.f[5], 2.0 * once.f[5], 1e-13);
}

// At the undeformed position the tangent is the matrix of the linear theory, turned to ground axes.
static void linear_limit(void** state) {
    (void)state;
    uint64_t seed = 10;
    for (int shear = 0; shear < 2; shear++) {
        FbBeam beam = test_beam(shear);
        beam.beta = 0.3;
        FbPort port[2];
        random_ports(&beam, 0.0, 0.0, &seed, port);
        port[0].v = port[1].v = port[0].w = port[1].w = fb_vec3(0.0, 0.0, 0.0);
        FbPortForces out = {0};
        fb_beam_add_elastic(&beam, port, true, &out, NULL, NULL);
        double K[N * N];
        fb_beam_calc_stiffness(&beam, K);
        fb_beam_turn_matrix(&port[0].R, K);
        for (int i = 0; i < N * N; i++) {
            assert_near(out.K[i], K[i], 1e-13);
            assert_near(out.C[i], 0.3 * K[i], 1e-13);
        }
    }
}

// In equilibrium of a whole structure the tangent is symmetric; of one element only up to the
// commutator of turns: the antisymmetric part of the rows and columns of an end's rotation is half
// the cross-product matrix of that end's moment.
static void antisymmetric_part_is_half_the_moment(void** state) {
    (void)state;
    uint64_t seed = 11;
    FbBeam beam = test_beam(1.0);
    FbPort port[2];
    random_ports(&beam, 1.4, 0.3, &seed, port);
    FbPortForces out = {0};
    fb_beam_add_elastic(&beam, port, true, &out, NULL, NULL);
    double expected[N * N] = {0};
    for (int b = 3; b < N; b += 6) {
        FbMat3 S = fb_skew(fb_scale(-0.5, fb_vec3_from(out.f + b)));
        for (int i = 0; i < 9; i++) {
            expected[(b + i / 3) * N + b + i % 3] = S.m[i / 3][i % 3];
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double odd = 0.5 * (out.K[i * N + j] - out.K[j * N + i]);
            assert_near(odd, expected[i * N + j], 1e-13);
        }
    }
}

// The power of the damping forces is the stated dissipation, and it is never negative; a rigid
// motion dissipates nothing.
static void damping_takes_energy(void** state) {
    (void)state;
    uint64_t seed = 12;
    FbBeam beam = test_beam(1.0), elastic = beam;
    beam.beta = 0.3;
    for (int repeat = 0; repeat < 100; repeat++) {
        FbPort port[2];
        random_ports(&beam, 3.0 * fabs(random_unit(&seed)), 0.3, &seed, port);
        double f[N], f0[N], dissipation, power = 0.0;
        FbPortForces out = {0};
        fb_beam_add_elastic(&beam, port, false, &out, NULL, &dissipation);
        forces_of(&beam, port, f);
        forces_of(&elastic, port, f0);
        for (int k = 0; k < 2; k++) {
            const double* a = f + 6 * k;
            const double* b = f0 + 6 * k;
            power += fb_dot(fb_sub(fb_vec3_from(a), fb_vec3_from(b)), port[k].v);
            power += fb_dot(fb_sub(fb_vec3_from(a + 3), fb_vec3_from(b + 3)), port[k].w);
        }
        assert_near(power, dissipation, 1e-12);
        assert_true(dissipation > 0.0);
        port[1].w = port[0].w;
        port[1].v = fb_add(port[0].v, fb_cross(port[0].w, fb_sub(port[1].p, port[0].p)));
        fb_beam_add_elastic(&beam, port, false, &out, NULL, &dissipation);
        assert_near(dissipation, 0.0, 1e-28);
    }
}

// An arc of a circle: constant moment, no force, and the energy of a bent rod, at any angle below
// pi.
static void arc_is_exact(void** state) {
    (void)state;
    uint64_t seed = 13;
    FbBeam beam = test_beam(1.0);
    for (int i = 1; i < N_ANGLES; i++) {
        double angle = angles[i], radius = beam.length / angle;
        FbPort port[2];
        random_ports(&beam, 1.0, 0.0, &seed, port);
        FbMat3 turn = fb_rotation_about(2, angle);
        port[1].R = fb_mat3_mul(&port[0].R, &turn);
        double half = sin(0.5 * angle);
        FbVec3 chord = fb_vec3(radius * sin(angle), 2.0 * radius * half * half, 0.0);
        port[1].p = fb_add(port[0].p, fb_mul3(&port[0].R, chord));
        double f[N], section[6], moment = beam.EIz * angle / beam.length;
        FbBeamField field;
        FbBeamLoad load = {.length = beam.length};
        fb_field_calc(port, &field);
        memcpy(load.e, field.e, sizeof(load.e));
        forces_of(&beam, port, f);
        for (int k = 0; k <= 4; k++) {
            FbMat3 R = fb_beam_calc_section_axes(port, 0.25 * k);
            fb_beam_calc_section_forces(&load, &R, f, 0.25 * k, k % 2 == 1, section);
            for (int j = 0; j < 6; j++) {
                assert_near(section[j], j == 5 ? moment : 0.0, 1e-13);
            }
        }
        assert_near(energy_of(&beam, port), 0.5 * moment * angle, 1e-13);
    }
}

// Half a turn is the end of the range: the logarithm jumps there, but everything stays of the order
// of the stiffness.
static void half_a_turn_is_finite(void** state) {
    (void)state;
    uint64_t seed = 14;
    FbBeam beam = test_beam(1.0);
    beam.beta = 0.1;
    const double bound = 1e3;
    for (int repeat = 0; repeat < 20; repeat++) {
        FbPort port[2];
        random_ports(&beam, acos(-1.0) + 1e-8 * random_unit(&seed), 0.5, &seed, port);
        FbPortForces out = {0};
        double energy, dissipation;
        fb_beam_add_elastic(&beam, port, true, &out, &energy, &dissipation);
        assert_true(energy > 0.0 && energy < bound);
        assert_true(dissipation >= 0.0 && dissipation < bound);
        for (int k = 0; k < N * N; k++) {
            assert_true(fabs(out.K[k]) < bound && fabs(out.C[k]) < bound);
            assert_true(fabs(out.f[k % N]) < bound);
        }
    }
}

// Section forces of a cantilever with a force and a torque at its end, a force and a moment per
// length: by the balance of either part.
static void section_forces_of_a_cantilever(void** state) {
    (void)state;
    FbBeam beam = test_beam(0.0);
    FbMat3 R = fb_mat3_identity();
    double L = beam.length, section[6];
    const double q = -11.0, c = 0.7;  // along y, about x (linear along the beam)
    FbBeamLoad load = {.length = L,
                       .e = {0, 0, 0, L, 0, 0, L, 0, 0, L, 0, 0},
                       .p = {0, q, 0, 0, 0, 0, 0, q},
                       .couple = {{0, 0, 0}, {0.5 * c, 0, 0}, {c, 0, 0}}};
    // N = 2, Fy = 3, Fz = 5, T = 7 at B; the clamp at A answers
    const double f[N] = {
        -2, -3 - q * L, -5, -7 - 0.5 * c * L, 5 * L, -3 * L - 0.5 * q * L * L, 2, 3, 5, 7, 0, 0};
    for (int k = 0; k <= 8; k++) {
        double xi = 0.125 * k, arm = L * (1.0 - xi);
        const double expected[6] = {2,        3 + q * arm,
                                    5,        7 + 0.5 * c * L * (1.0 - xi * xi),
                                    -5 * arm, 3 * arm + 0.5 * q * arm * arm};
        for (int from_b = 0; from_b < 2; from_b++) {
            fb_beam_calc_section_forces(&load, &R, f, xi, from_b, section);
            for (int j = 0; j < 6; j++) {
                assert_near(section[j], expected[j], 1e-13);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(rigid_motion_gives_no_force, second_order),
        cmocka_unit_test_setup(forces_turn_with_the_element, second_order),
        cmocka_unit_test_setup(gradient_is_exact, second_order),
        cmocka_unit_test_setup(tangents_are_exact, second_order),
        cmocka_unit_test_setup(results_are_added, second_order),
        cmocka_unit_test_setup(linear_limit, second_order),
        cmocka_unit_test_setup(antisymmetric_part_is_half_the_moment, second_order),
        cmocka_unit_test_setup(damping_takes_energy, second_order),
        cmocka_unit_test_setup(arc_is_exact, second_order),
        cmocka_unit_test_setup(half_a_turn_is_finite, second_order),
        cmocka_unit_test_setup(section_forces_of_a_cantilever, second_order),
        cmocka_unit_test_setup(rigid_motion_gives_no_force, fourth_order),
        cmocka_unit_test_setup(forces_turn_with_the_element, fourth_order),
        cmocka_unit_test_setup(gradient_is_exact, fourth_order),
        cmocka_unit_test_setup(tangents_are_exact, fourth_order),
        cmocka_unit_test_setup(results_are_added, fourth_order),
        cmocka_unit_test_setup(linear_limit, fourth_order),
        cmocka_unit_test_setup(antisymmetric_part_is_half_the_moment, fourth_order),
        cmocka_unit_test_setup(damping_takes_energy, fourth_order),
        cmocka_unit_test_setup(arc_is_exact, fourth_order),
        cmocka_unit_test_setup(half_a_turn_is_finite, fourth_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
