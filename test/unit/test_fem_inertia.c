// Inertia of beams with large rotations: exact derivatives, energy and momentum balances, rigid
// bodies, the linear limit.
#include "test_fem_support.h"

enum { N = FB_BEAM_DOF, NN = FB_BEAM_DOF * FB_BEAM_DOF };

static const FbBeam BEAM = {.length = 1.3,
                            .mass_per_length = 2.1,
                            .inertia_x = 0.3,
                            .inertia_y = 0.2,
                            .inertia_z = 0.45,
                            .alpha = 0.7};

// Consistent, lumped, the same without rotary inertia, of fourth order.
enum { N_VARIANT = 5 };

static FbBeam variant(int k) {
    FbBeam beam = BEAM;
    beam.is_lumped = k % 2 == 1;
    beam.is_fourth_order = k == 4;
    if (k == 2 || k == 3) {
        beam.inertia_x = beam.inertia_y = beam.inertia_z = 0.0;
    }
    return beam;
}

typedef struct Moving {
    FbBeam beam;
    const FbPort* port;
    Level level;
} Moving;

static void force_moved(const void* self, int k, double x, double* out) {
    const Moving* m = self;
    FbPort moved[2];
    FbPortForces forces = {0};
    move_ports(m->port, m->level, k, x, moved);
    fb_beam_add_inertia(&m->beam, moved, false, &forces, NULL, NULL);
    memcpy(out, forces.f, sizeof forces.f);
}

static void derivatives_are_exact(void** state) {
    (void)state;
    uint64_t seed = 1;
    for (int trial = 0; trial < 2 * N_VARIANT; trial++) {
        FbBeam beam = variant(trial % N_VARIANT);
        FbPort port[2];
        FbPortForces forces = {0};
        double M[NN] = {0}, d[N];
        random_ports(&seed, port);
        fb_beam_add_inertia(&beam, port, true, &forces, NULL, NULL);
        fb_beam_add_mass(&beam, port, M);
        const double* blocks[3] = {forces.K, forces.C, forces.M};
        for (int k = 0; k < 3 * N; k++) {
            Moving moving = {beam, port, (Level)(k / N)};
            differentiate(force_moved, &moving, k % N, 1e-3, N, d);
            for (int i = 0; i < N; i++) {
                assert_near(blocks[k / N][i * N + k % N], d[i], 1e-8);
                assert_near(M[i * N + k % N], forces.M[i * N + k % N], 1e-14);
            }
        }
    }
}

// Ends on smooth paths, p'' = a and R = exp(w t + w' t^2/2) R0 with its exact angular velocity,
// which has the rate w' at t = 0.
static void ports_at(const FbPort port[2], double t, FbPort out[2]) {
    for (int k = 0; k < 2; k++) {
        const FbPort* p = &port[k];
        out[k] = *p;
        out[k].p = fb_add(p->p, fb_axpy(t, p->v, fb_scale(0.5 * t * t, p->a)));
        out[k].v = fb_axpy(t, p->a, p->v);
        FbVec3 x = fb_axpy(t, p->w, fb_scale(0.5 * t * t, p->dw));
        FbVec3 dx = fb_axpy(t, p->dw, p->w);
        FbMat3 turn = fb_rotation_from_vector(x);
        out[k].R = fb_mat3_mul(&turn, &p->R);
        // left Jacobian of SO(3): w = x' + (1 - cos)/a^2 x x x' + (a - sin)/a^3 x x (x x x')
        double a2 = fb_dot(x, x), b = 0.5 - a2 / 24.0, c = 1.0 / 6.0 - a2 / 120.0;
        FbVec3 y = fb_cross(x, dx);
        out[k].w = fb_add(dx, fb_axpy(b, y, fb_scale(c, fb_cross(x, y))));
    }
}

typedef struct Path {
    FbBeam beam;
    const FbPort* port;
} Path;

// kinetic energy, first moment, momentum, angular momentum
static void sums_at(const void* self, int k, double t, double* out) {
    (void)k;
    const Path* path = self;
    FbPort moved[2];
    FbPortForces forces = {0};
    FbBeamSums sums;
    ports_at(path->port, t, moved);
    fb_beam_add_inertia(&path->beam, moved, false, &forces, out, NULL);
    fb_beam_calc_sums(&path->beam, moved, &sums);
    fb_vec3_to(sums.first_moment, out + 1);
    fb_vec3_to(sums.momentum, out + 4);
    fb_vec3_to(sums.angular_momentum, out + 7);
}

// The inertia forces add up to the rate of momentum, their moment to that of the angular momentum,
// their power to that of the energy; alpha takes its power out.
static void assert_balances(const FbBeam* beam, const FbPort port[2]) {
    FbPortForces forces = {0}, damped = {0};
    FbBeam free_of_damping = *beam;
    FbBeamSums sums;
    double rate[10], velocity[N], moment[3], kinetic, dissipation;
    free_of_damping.alpha = 0.0;
    fb_beam_add_inertia(&free_of_damping, port, false, &forces, NULL, NULL);
    fb_beam_add_inertia(beam, port, false, &damped, &kinetic, &dissipation);
    fb_beam_calc_sums(beam, port, &sums);
    differentiate(sums_at, &(Path){*beam, port}, 0, 1e-3, 10, rate);
    FbVec3 total = fb_vec3(0, 0, 0), about = fb_vec3(0, 0, 0);
    for (int k = 0; k < 2; k++) {
        FbVec3 F = fb_vec3_from(forces.f + 6 * k);
        fb_vec3_to(port[k].v, velocity + 6 * k);
        fb_vec3_to(port[k].w, velocity + 6 * k + 3);
        total = fb_add(total, F);
        about = fb_add(about, fb_cross(port[k].p, F));
        about = fb_add(about, fb_vec3_from(forces.f + 6 * k + 3));
    }
    fb_vec3_to(sums.momentum, moment);
    assert_near(dot_n(N, forces.f, velocity), rate[0], 1e-8);
    assert_near(rate[1], moment[0], 1e-9);
    assert_near(rate[2], moment[1], 1e-9);
    assert_near(rate[3], moment[2], 1e-9);
    assert_near(total.x, rate[4], 1e-8);
    assert_near(total.y, rate[5], 1e-8);
    assert_near(total.z, rate[6], 1e-8);
    assert_near(about.x, rate[7], 1e-8);
    assert_near(about.y, rate[8], 1e-8);
    assert_near(about.z, rate[9], 1e-8);
    assert_near(dot_n(N, damped.f, velocity) - dot_n(N, forces.f, velocity), dissipation, 1e-12);
    assert_true(dissipation > 0.0 && kinetic > 0.0);
}

static void momentum_and_energy_balance(void** state) {
    (void)state;
    uint64_t seed = 2;
    for (int trial = 0; trial < 2 * N_VARIANT; trial++) {
        FbBeam beam = variant(trial % N_VARIANT);
        FbPort port[2];
        random_ports(&seed, port);
        assert_balances(&beam, port);
    }
}

// A straight element that turns as a rigid rod about its start: m L^2/3.
static void rigid_rod_has_its_moment_of_inertia(void** state) {
    (void)state;
    FbBeam beam = variant(2);
    const double L = beam.length, m = beam.mass_per_length * L;
    FbMat3 R = fb_rotation_from_vector(fb_vec3(0.3, 0.8, -1.2));
    FbVec3 w = fb_scale(2.5, fb_mat3_col(&R, 2)), x = fb_mat3_col(&R, 0);
    FbPort port[2] = {{.R = R, .w = w}, {.R = R, .p = fb_scale(L, x), .w = w}};
    port[1].v = fb_cross(w, port[1].p);
    port[1].a = fb_cross(w, port[1].v);
    FbPortForces forces = {0};
    FbBeamSums sums;
    double kinetic;
    fb_beam_add_inertia(&beam, port, false, &forces, &kinetic, NULL);
    fb_beam_calc_sums(&beam, port, &sums);
    assert_near(kinetic, 0.5 * m * L * L / 3.0 * 2.5 * 2.5, 1e-13);
    assert_near(fb_dot(sums.angular_momentum, fb_mat3_col(&R, 2)), m * L * L / 3.0 * 2.5, 1e-13);
    assert_near(fb_dot(sums.first_moment, x), 0.5 * m * L, 1e-14);
    assert_near(sums.mass, m, 0.0);
}

// Gravity comes with the accelerations of the ends: a resting element weighs m g, half at each end,
// with the moments of a clamped beam.
static void resting_element_weighs_its_mass(void** state) {
    (void)state;
    const double g = 9.81;
    FbBeam beam = variant(2);
    const double L = beam.length, m = beam.mass_per_length * L;
    FbPort port[2] = {{.R = fb_mat3_identity(), .a = {0, g, 0}},
                      {.R = fb_mat3_identity(), .p = {L, 0, 0}, .a = {0, g, 0}}};
    FbPortForces forces = {0};
    fb_beam_add_inertia(&beam, port, false, &forces, NULL, NULL);
    const double expected[N] = {0, 0.5 * m * g, 0, 0, 0, m * g * L / 12,
                                0, 0.5 * m * g, 0, 0, 0, -m * g * L / 12};
    for (int i = 0; i < N; i++) {
        assert_near(forces.f[i], expected[i], 1e-13);
    }
}

// At the drawing the mass matrix is the linear one: consistent without shear and rotary inertia,
// lumped with it.
static void linear_limit_is_the_linear_mass_matrix(void** state) {
    (void)state;
    FbMat3 R = fb_rotation_from_vector(fb_vec3(0.3, 0.8, -1.2));
    for (int k = 0; k < 4; k++) {
        FbBeam beam = variant(k);
        if (k == 0) {
            continue;  // consistent rotary inertia is distributed in the linear element, lumped
                       // here
        }
        FbPort port[2] = {{.R = R, .p = {1, 2, 3}}, {.R = R}};
        port[1].p = fb_axpy(beam.length, fb_mat3_col(&R, 0), port[0].p);
        double linear[NN], M[NN] = {0};
        fb_beam_calc_mass(&beam, linear);
        fb_beam_turn_matrix(&R, linear);
        fb_beam_add_mass(&beam, port, M);
        for (int i = 0; i < NN; i++) {
            assert_near(M[i], linear[i], 1e-14);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(momentum_and_energy_balance),
        cmocka_unit_test(rigid_rod_has_its_moment_of_inertia),
        cmocka_unit_test(resting_element_weighs_its_mass),
        cmocka_unit_test(linear_limit_is_the_linear_mass_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
