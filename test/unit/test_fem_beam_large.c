// Chains of large-rotation beam elements of both orders in equilibrium: roll-up into circles, patch
// test, and convergence to the continuous rod (solved by shooting here, and as published) for the
// 45-degree bend of Bathe and Bolourchi and the Princeton beam.
#include <string.h>

#include "math/dense.h"
#include "test_fem_beam_support.h"

enum { N = FB_BEAM_DOF, MAX_ELEMENT = 48, MAX_DOF = 6 * MAX_ELEMENT };

static const double PI_ = 3.14159265358979323846;

// A cantilever: node 0 is clamped. Node frames are parallel to ground in the drawing; `axes` are
// those of the elements' ends.
typedef struct Chain {
    int n;
    FbBeam beam[MAX_ELEMENT];
    FbMat3 axes[MAX_ELEMENT][2];
    FbMat3 R[MAX_ELEMENT + 1];
    FbVec3 p[MAX_ELEMENT + 1];
    double K[MAX_DOF * MAX_DOF], f[MAX_DOF];  // column-major
} Chain;

// A section of a straight or curved rod.
typedef struct Rod {
    double length, curvature;  // curved in the plane x-y
    double EA, GJ, EIy, EIz, GAy, GAz;
} Rod;

static bool is_fourth_order, is_curved;  // what elements are made

static FbBeam element_of(const Rod* rod, double L) {
    FbBeam beam = {.length = L, .EA = rod->EA, .GJ = rod->GJ, .EIy = rod->EIy, .EIz = rod->EIz};
    beam.phi_y = 12.0 * rod->EIz / (rod->GAy * L * L);
    beam.phi_z = 12.0 * rod->EIy / (rod->GAz * L * L);
    beam.is_fourth_order = is_fourth_order;
    beam.psi_0 = fb_vec3(0.0, 0.0, is_curved ? rod->curvature * L : 0.0);
    return beam;
}

static FbVec3 drawn_point(const Rod* rod, double s) {
    double k = rod->curvature, half = sin(0.5 * k * s);
    return k == 0.0 ? fb_vec3(s, 0.0, 0.0) : fb_vec3(sin(k * s) / k, 2.0 * half * half / k, 0.0);
}

static void draw(const Rod* rod, int n, Chain* out) {
    double h = rod->length / n;
    out->n = n;
    for (int i = 0; i <= n; i++) {
        out->R[i] = fb_mat3_identity();
        out->p[i] = drawn_point(rod, i * h);
    }
    for (int e = 0; e < n; e++) {
        out->beam[e] = element_of(rod, is_curved ? h : fb_norm(fb_sub(out->p[e + 1], out->p[e])));
        for (int k = 0; k < 2; k++) {
            double at = is_curved ? e + k : e + 0.5;
            out->axes[e][k] = fb_rotation_about(2, rod->curvature * h * at);
        }
    }
}

static void element_ports(const Chain* c, int e, FbPort port[2]) {
    memset(port, 0, 2 * sizeof *port);
    for (int k = 0; k < 2; k++) {
        port[k].R = fb_mat3_mul(&c->R[e + k], &c->axes[e][k]);
        port[k].p = c->p[e + k];
    }
}

// f and K of all free nodes.
static void assemble(Chain* c) {
    int n = 6 * c->n;
    memset(c->f, 0, sizeof c->f);
    memset(c->K, 0, sizeof(double) * (size_t)(n * n));
    for (int e = 0; e < c->n; e++) {
        FbPort port[2];
        FbPortForces out = {0};
        element_ports(c, e, port);
        fb_beam_add_elastic(&c->beam[e], port, true, &out, NULL, NULL);
        for (int i = e == 0 ? 6 : 0; i < N; i++) {
            c->f[6 * (e - 1) + i] += out.f[i];
            for (int j = e == 0 ? 6 : 0; j < N; j++) {
                c->K[6 * (e - 1) + i + (6 * (e - 1) + j) * n] += out.K[i * N + j];
            }
        }
    }
}

static double update(Chain* c, const double* x) {
    double largest = 0.0;
    for (int i = 0; i < c->n; i++) {
        FbVec3 dp = fb_vec3_from(x + 6 * i), turn = fb_vec3_from(x + 6 * i + 3);
        FbMat3 T = fb_rotation_from_vector(turn);
        c->p[i + 1] = fb_add(c->p[i + 1], dp);
        c->R[i + 1] = fb_mat3_mul(&T, &c->R[i + 1]);
        largest = fmax(largest, fmax(fb_norm(dp), fb_norm(turn)));
    }
    return largest;
}

// Newton's method for a force and a moment (ground axes) at the last node, in equal steps of the
// load. Returns the last step's number of iterations.
static int load_tip(Chain* c, FbVec3 force, FbVec3 moment, int n_step) {
    static int pivot[MAX_DOF];
    int n = 6 * c->n, iteration = 0;
    for (int step = 1; step <= n_step; step++) {
        double part = (double)step / n_step, size = 1.0;
        for (iteration = 0; size > 1e-9; iteration++) {
            assert_true(iteration < 40);
            assemble(c);
            double load[6];
            fb_vec3_to(fb_scale(part, force), load);
            fb_vec3_to(fb_scale(part, moment), load + 3);
            for (int i = 0; i < n; i++) {
                c->f[i] = (i < n - 6 ? 0.0 : load[i - n + 6]) - c->f[i];
            }
            assert_int_equal(fb_lu_factor(n, c->K, pivot), -1);
            fb_lu_solve(n, c->K, pivot, c->f);
            size = update(c, c->f);
        }
    }
    return iteration;
}

// ---- the continuous rod: r' = R (e_x + C_n^-1 R' F), R' = R [kappa_0 + C_m^-1 R' m], m' = -r' x
// F, m = 0 at the tip ----

typedef struct RodState {
    double y[10];  // r, quaternion, m
} RodState;

static RodState rod_rate(const Rod* rod, FbVec3 F, const RodState* x) {
    FbMat3 R = fb_rotation_from_quaternion(x->y + 3);
    FbVec3 n = fb_mul3_transposed(&R, F), m = fb_mul3_transposed(&R, fb_vec3_from(x->y + 7));
    FbVec3 stretch = fb_vec3(1.0 + n.x / rod->EA, n.y / rod->GAy, n.z / rod->GAz);
    FbVec3 kappa = fb_vec3(m.x / rod->GJ, m.y / rod->EIy, rod->curvature + m.z / rod->EIz);
    FbVec3 dr = fb_mul3(&R, stretch);
    RodState out;
    fb_vec3_to(dr, out.y);
    fb_quaternion_rate(x->y + 3, kappa, out.y + 3);
    fb_vec3_to(fb_cross(F, dr), out.y + 7);
    return out;
}

static RodState rod_sum(const RodState* a, double h, const RodState* b) {
    RodState out;
    for (int i = 0; i < 10; i++) {
        out.y[i] = a->y[i] + h * b->y[i];
    }
    return out;
}

// The tip for the clamp's moment m0, by the classical Runge-Kutta method.
static RodState rod_tip(const Rod* rod, FbVec3 F, const double m0[3]) {
    enum { N_STEP = 600 };
    double h = rod->length / N_STEP;
    RodState x = {{0, 0, 0, 1, 0, 0, 0, m0[0], m0[1], m0[2]}};
    for (int i = 0; i < N_STEP; i++) {
        RodState k1 = rod_rate(rod, F, &x), x2 = rod_sum(&x, 0.5 * h, &k1);
        RodState k2 = rod_rate(rod, F, &x2), x3 = rod_sum(&x, 0.5 * h, &k2);
        RodState k3 = rod_rate(rod, F, &x3), x4 = rod_sum(&x, h, &k3);
        RodState k4 = rod_rate(rod, F, &x4);
        for (int j = 0; j < 10; j++) {
            x.y[j] += h / 6.0 * (k1.y[j] + 2.0 * k2.y[j] + 2.0 * k3.y[j] + k4.y[j]);
        }
        fb_quaternion_normalize(x.y + 3);
    }
    return x;
}

static FbVec3 shoot(const Rod* rod, FbVec3 force) {
    enum { N_LOAD = 10 };
    double m0[3] = {0.0, 0.0, 0.0}, unit = fb_norm(force) * rod->length;
    RodState tip = {{0}};
    for (int step = 1; step <= N_LOAD; step++) {
        FbVec3 F = fb_scale((double)step / N_LOAD, force);
        for (int iteration = 0; iteration < 12; iteration++) {
            double J[9];
            int pivot[3];
            tip = rod_tip(rod, F, m0);
            for (int k = 0; k < 3; k++) {
                double varied[3] = {m0[0], m0[1], m0[2]}, d = 1e-6 * unit;
                varied[k] += d;
                RodState other = rod_tip(rod, F, varied);
                for (int i = 0; i < 3; i++) {
                    J[i + 3 * k] = (other.y[7 + i] - tip.y[7 + i]) / d;
                }
            }
            assert_int_equal(fb_lu_factor(3, J, pivot), -1);
            fb_lu_solve(3, J, pivot, tip.y + 7);
            for (int i = 0; i < 3; i++) {
                m0[i] -= tip.y[7 + i];
            }
        }
        assert_true(fabs(tip.y[7]) + fabs(tip.y[8]) + fabs(tip.y[9]) < 1e-9 * unit);
    }
    return fb_vec3_from(tip.y);
}

// ---- the tests ----

static Chain chain;

static int second_order(void** state) {
    (void)state;
    is_fourth_order = is_curved = false;
    return 0;
}
static int fourth_order(void** state) {
    (void)state;
    is_fourth_order = true;
    is_curved = false;
    return 0;
}
static int curved(void** state) {
    (void)state;
    is_fourth_order = is_curved = true;
    return 0;
}

// M = 2 pi EI/L bends the cantilever into one circle, twice that into two; no element is bent by pi
// or more.
static void roll_up_is_exact_with_any_number_of_elements(void** state) {
    (void)state;
    const Rod rod = {
        .length = 10.0, .EA = 1e4, .GJ = 60.0, .EIy = 70.0, .EIz = 100.0, .GAy = 5e3, .GAz = 5e3};
    const int counts[] = {3, 5, 10, 20};
    for (int i = 0; i < 4; i++) {
        for (int circles = 1; circles <= (counts[i] >= 5 ? 2 : 1); circles++) {
            draw(&rod, counts[i], &chain);
            double M = 2.0 * PI_ * circles * rod.EIz / rod.length;
            int n_iteration = load_tip(&chain, fb_vec3(0, 0, 0), fb_vec3(0, 0, M), 40 * circles);
            FbVec3 tip = chain.p[chain.n];
            print_message("%2d elements, %d circles: tip off by %.1e, %d iterations\n", counts[i],
                          circles, fb_norm(tip), n_iteration);
            assert_near(fb_norm(tip), 0.0, 1e-11);
            for (int k = 0; k < chain.n; k++) {  // every node on the circle
                double angle = 2.0 * PI_ * circles * k / chain.n, radius = rod.EIz / M;
                assert_near(chain.p[k].x, radius * sin(angle), 1e-11);
                assert_near(chain.p[k].y, radius * (1.0 - cos(angle)), 1e-11);
            }
        }
    }
}

// With GJ = EIy = EIz an end moment bends and twists a rod into a helix around it, with constant
// strains: exact, also with elements of very different lengths.
static void helix_is_exact_with_uneven_elements(void** state) {
    (void)state;
    const Rod rod = {
        .length = 10.0, .EA = 1e4, .GJ = 100.0, .EIy = 100.0, .EIz = 100.0, .GAy = 5e3, .GAz = 5e3};
    const double s[5] = {0.0, 1.0, 4.5, 5.2, 10.0};
    draw(&rod, 4, &chain);
    for (int e = 0; e < 4; e++) {
        chain.beam[e] = element_of(&rod, s[e + 1] - s[e]);
        chain.p[e + 1] = fb_vec3(s[e + 1], 0.0, 0.0);
    }
    FbVec3 m = fb_vec3(15.0, -9.0, 30.0), axis = fb_scale(1.0 / fb_norm(m), m);
    load_tip(&chain, fb_vec3(0, 0, 0), m, 40);
    for (int e = 1; e <= 4;
         e++) {  // r = a (a.x) s + sin(k s)/k (x - a (a.x)) + (1 - cos(k s))/k a x e_x
        double k = fb_norm(m) / rod.EIz, half = sin(0.5 * k * s[e]);
        FbVec3 along = fb_scale(axis.x, axis), across = fb_sub(fb_vec3(1, 0, 0), along);
        FbVec3 r = fb_axpy(s[e], along, fb_scale(sin(k * s[e]) / k, across));
        r = fb_axpy(2.0 * half * half / k, fb_cross(axis, across), r);
        assert_near(fb_norm(fb_sub(chain.p[e], r)), 0.0, 1e-11);
    }
}

static double tip_error(const Rod* rod, int n, FbVec3 force, int n_step, FbVec3 exact) {
    draw(rod, n, &chain);
    load_tip(&chain, force, fb_vec3(0, 0, 0), n_step);
    return fb_norm(fb_sub(chain.p[n], exact));
}

// Cantilever on an eighth of a circle of radius 100 in the plane x-y, section 1 x 1, E = 1e7, nu =
// 0, tip force 600 along z. Published tip positions (x, y, z): Bathe and Bolourchi
// 1979: 47.2 15.9 53.4; Simo and Vu-Quoc 1986: 47.23 15.79 53.37; Cardona and Geradin
// 1988: 47.04 15.55 53.50, all with eight elements. A polygon of straight elements: order two, of
// arcs: four.
static void bend_of_45_degrees(void** state) {
    (void)state;
    double E = 1e7, G = 0.5e7;
    const Rod rod = {.length = 25.0 * PI_,
                     .curvature = 0.01,
                     .EA = E,
                     .GJ = 0.140577 * G,
                     .EIy = E / 12.0,
                     .EIz = E / 12.0,
                     .GAy = G * 5.0 / 6.0,
                     .GAz = G * 5.0 / 6.0};
    FbVec3 force = fb_vec3(0.0, 0.0, 600.0);
    FbVec3 exact = shoot(&rod, force);
    print_message("45-degree bend: rod %.6f %.6f %.6f\n", exact.x, exact.y, exact.z);
    assert_near(exact.x, 47.2, 0.35);
    assert_near(exact.y, 15.7, 0.2);
    assert_near(exact.z, 53.5, 0.15);
    double error[4];
    for (int k = 0; k < 4; k++) {
        int n = (is_curved ? 3 : 6) << k;
        error[k] = tip_error(&rod, n, force, 40, exact);
        print_message("%2d elements: %.5f %.5f %.5f, off by %.2e\n", n, chain.p[n].x, chain.p[n].y,
                      chain.p[n].z, error[k]);
    }
    assert_true(error[0] < (is_curved ? 0.05 : 0.15));
    for (int k = is_curved; k < 3; k++) {
        assert_near(log2(error[k] / error[k + 1]), is_curved ? 4.0 : 2.0, 0.05);
    }
}

// Aluminium bar 508 x 12.3777 x 3.2024 mm, E = 71.7 GPa, nu = 0.31 with a dead force at its tip at
// an angle to the stiff plane.
static Rod princeton_rod(void) {
    double h = 12.3777e-3, w = 3.2024e-3, E = 71.7e9, G = E / (2.0 * 1.31),
           shear = G * h * w * 5.0 / 6.0;
    const double J = 1.173e-10;
    return (Rod){.length = 0.508,
                 .EA = E * h * w,
                 .GJ = G * J,
                 .EIy = E * h * w * w * w / 12.0,
                 .EIz = E * w * h * h * h / 12.0,
                 .GAy = shear,
                 .GAz = shear};
}

// Tip deflections in the stiff and the soft plane by angle (0, 15, ... 90 degrees), with beam
// elements of a commercial program: Obrezkov, Mikkola, Matikainen, Nonlinear Dynamics 109 (2022).
static const double princeton_force[2] = {8.896, 13.345};
static const double princeton_stiff[2][7] = {
    {1.071418e-2, 1.061329e-2, 1.011170e-2, 8.837226e-3, 6.604665e-3, 3.538889e-3, 0.0},
    {1.606424e-2, 1.645826e-2, 1.665873e-2, 1.518618e-2, 1.157838e-2, 6.248967e-3, 0.0}};
static const double princeton_soft[2][7] = {
    {0.0, 4.208232e-2, 7.939483e-2, 0.108987937, 0.129887616, 0.142194370, 0.146245978},
    {0.0, 6.435813e-2, 0.117735994, 0.156467239, 0.181861627, 0.196097131, 0.200677707}};

static void princeton_beam(void** state) {
    (void)state;
    const Rod rod = princeton_rod();
    for (int i = 0; i < 14; i++) {
        int load = i / 7, k = i % 7;
        double beta = k * PI_ / 12.0, P = princeton_force[load], error[3];
        FbVec3 force = fb_vec3(0.0, -P * cos(beta), P * sin(beta));
        FbVec3 exact = shoot(&rod, force);
        for (int j = 0; j < 3; j++) {
            error[j] = tip_error(&rod, (is_fourth_order ? 3 : 6) << j, force, 20, exact);
        }
        double order = log2(error[1] / error[2]);
        print_message("%6.3f N, %2d degrees: %.6f %.6f, errors %.1e %.1e %.1e, order %.2f\n", P,
                      15 * k, -exact.y, exact.z, error[0], error[1], error[2], order);
        assert_near(-exact.y, princeton_stiff[load][k], 1e-5);
        assert_near(exact.z, princeton_soft[load][k], 1e-5);
        if (is_fourth_order) {
            assert_true(error[0] < 1e-3 * hypot(exact.y, exact.z));  // three elements: 0.1 %
            assert_near(order, 4.0, 0.03);
            continue;
        }
        assert_true(error[2] < 5e-6);
        if (k != 0 && k != 6) {
            assert_near(order, 2.0, 0.05);  // bending and torsion together
        }
        if (k == 6) {
            assert_near(order, 4.0, 0.2);  // plane bending
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(roll_up_is_exact_with_any_number_of_elements, second_order),
        cmocka_unit_test_setup(helix_is_exact_with_uneven_elements, second_order),
        cmocka_unit_test_setup(bend_of_45_degrees, second_order),
        cmocka_unit_test_setup(princeton_beam, second_order),
        cmocka_unit_test_setup(roll_up_is_exact_with_any_number_of_elements, fourth_order),
        cmocka_unit_test_setup(helix_is_exact_with_uneven_elements, fourth_order),
        cmocka_unit_test_setup(princeton_beam, fourth_order),
        cmocka_unit_test_setup(bend_of_45_degrees, curved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
