// The linear beam element: textbook matrices, rigid motions, energies of its own shape functions,
// closed-form deflections, and frequencies whose error falls with the fourth power of the element
// length.
#include <string.h>

#include "base/error.h"
#include "fem/beam.h"
#include "math/dense.h"
#include "test_base_support.h"

enum { N = FB_BEAM_DOF };

static FbBeam steel_bar(double length, double shear) {
    FbBeam beam = {.length = length, .EA = 2.1e6, .GJ = 130.0, .EIy = 350.0, .EIz = 900.0};
    beam.phi_y = shear * 12.0 * beam.EIz / (4e5 * length * length);
    beam.phi_z = shear * 12.0 * beam.EIy / (3e5 * length * length);
    beam.mass_per_length = 7.8;
    return beam;
}

static void multiply(const double* A, const double* x, double* y) {
    for (int i = 0; i < N; i++) {
        y[i] = 0.0;
        for (int j = 0; j < N; j++) {
            y[i] += A[i * N + j] * x[j];
        }
    }
}

static double quadratic(const double* A, const double* x) {
    double y[N], sum = 0.0;
    multiply(A, x, y);
    for (int i = 0; i < N; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

// The six rigid motions of the element about end A.
static void set_rigid(int k, double L, double d[N]) {
    for (int i = 0; i < N; i++) {
        d[i] = 0.0;
    }
    d[k] = d[6 + k] = 1.0;
    if (k == 4) {
        d[8] = -L;
    }
    if (k == 5) {
        d[7] = L;
    }
}

static void rigid_motions_need_no_force(void** state) {
    (void)state;
    for (int shear = 0; shear < 2; shear++) {
        FbBeam beam = steel_bar(0.7, shear);
        double K[N * N], d[N], f[N];
        fb_beam_calc_stiffness(&beam, K);
        for (int k = 0; k < 6; k++) {
            set_rigid(k, beam.length, d);
            multiply(K, d, f);
            for (int i = 0; i < N; i++) {
                assert_near(f[i], 0.0, 1e-11);
            }
        }
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                assert_true(K[i * N + j] == K[j * N + i]);
            }
        }
    }
}

// mu L/420 [156, 22 L, 54, -13 L; ...]
static void mass_is_the_textbook_one(void** state) {
    (void)state;
    FbBeam beam = steel_bar(0.7, 0.0);
    double M[N * N], L = beam.length, m = beam.mass_per_length * L / 420.0;
    fb_beam_calc_mass(&beam, M);
    const double expected[4][4] = {{156, 22 * L, 54, -13 * L},
                                   {22 * L, 4 * L * L, 13 * L, -3 * L * L},
                                   {54, 13 * L, 156, -22 * L},
                                   {-13 * L, -3 * L * L, -22 * L, 4 * L * L}};
    const int xy[4] = {1, 5, 7, 11}, xz[4] = {2, 4, 8, 10};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            double sign = (i + j) % 2 == 0 ? 1.0 : -1.0;
            assert_near(M[xy[i] * N + xy[j]], m * expected[i][j], 1e-14);
            assert_near(M[xz[i] * N + xz[j]], sign * m * expected[i][j], 1e-14);
        }
    }
    assert_near(M[0], 140 * m, 1e-14);
    assert_near(M[6], 70 * m, 1e-14);
}

// The kinetic energy of rigid motions is exact, with rotary inertia and shear.
static void mass_of_rigid_motions(void** state) {
    (void)state;
    for (int shear = 0; shear < 2; shear++) {
        FbBeam beam = steel_bar(0.7, shear);
        beam.inertia_x = 0.03;
        beam.inertia_y = 0.01;
        beam.inertia_z = 0.02;
        double M[N * N], d[N], L = beam.length, m = beam.mass_per_length * L;
        fb_beam_calc_mass(&beam, M);
        const double expected[6] = {
            m, m, m, 0.03 * L, m * L * L / 3 + 0.01 * L, m * L * L / 3 + 0.02 * L};
        for (int k = 0; k < 6; k++) {
            set_rigid(k, L, d);
            assert_near(quadratic(M, d), expected[k], 1e-14);
        }
    }
}

static void lumped_mass_is_diagonal(void** state) {
    (void)state;
    FbBeam beam = steel_bar(0.7, 1.0);
    beam.inertia_x = 0.03;
    beam.inertia_y = 0.01;
    beam.is_lumped = true;
    double M[N * N], L = beam.length, m = beam.mass_per_length * L;
    fb_beam_calc_mass(&beam, M);
    double own = 1e-3 * m * L * L;
    const double expected[6] = {m / 2, m / 2, m / 2, 0.015 * L, 0.005 * L + own, own};
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            assert_near(M[i * N + j], i == j ? expected[i % 6] : 0.0, 1e-15);
        }
    }
}

// int N' q dx of a constant force per length: half the load and -+ q L^2/12 at each end, whatever
// the shear (eq. 8.6).
static void calc_line_load(double L, const double q[3], double f[N]) {
    double half = 0.5 * L, moment = L * L / 12.0;
    const double load[N] = {half * q[0],    half * q[1],   half * q[2],   0.0,
                            -moment * q[2], moment * q[1], half * q[0],   half * q[1],
                            half * q[2],    0.0,           moment * q[2], -moment * q[1]};
    memcpy(f, load, sizeof load);
}

// Tip of a cantilever of one element under a tip force: F L^3/(3 EI) + F L/(GA), in both planes,
// and under a constant line load, which one element bends exactly at its ends: q L^4/(8 EI) + q
// L^2/(2 GA).
static void cantilever_deflections(void** state) {
    (void)state;
    FbBeam beam = steel_bar(0.7, 1.0);
    double K[N * N], L = beam.length;
    fb_beam_calc_stiffness(&beam, K);
    const double EI[2] = {beam.EIz, beam.EIy}, GA[2] = {4e5, 3e5};
    for (int plane = 0; plane < 2; plane++) {
        for (int load = 0; load < 2; load++) {
            double f[N] = {0}, q[3] = {0};
            f[7 + plane] = 5.0;
            q[1 + plane] = 5.0;
            if (load == 1) {
                calc_line_load(L, q, f);
            }
            double a[36], x[6];  // column-major: the matrix is symmetric
            int pivot[6];
            for (int i = 0; i < 36; i++) {
                a[i] = K[(6 + i / 6) * N + 6 + i % 6];
            }
            for (int i = 0; i < 6; i++) {
                x[i] = f[6 + i];
            }
            assert_int_equal(fb_lu_factor(6, a, pivot), -1);
            fb_lu_solve(6, a, pivot, x);
            double w = load == 0
                           ? 5.0 * L * L * L / (3 * EI[plane]) + 5.0 * L / GA[plane]
                           : 5.0 * pow(L, 4) / (8 * EI[plane]) + 5.0 * L * L / (2 * GA[plane]);
            assert_near(x[1 + plane] / w, 1.0, 1e-12);
        }
    }
}

// A straight chain of n elements along x, only the plane x-y (u_y, theta_z of each node),
// column-major.
typedef struct Chain {
    int n;
    double K[162 * 162], M[162 * 162];
} Chain;

static void assemble(const FbBeam* beam, int n_element, Chain* out) {
    static const int dof[4] = {1, 5, 7, 11};
    double K[N * N], M[N * N];
    fb_beam_calc_stiffness(beam, K);
    fb_beam_calc_mass(beam, M);
    out->n = 2 * (n_element + 1);
    for (int i = 0; i < out->n * out->n; i++) {
        out->K[i] = out->M[i] = 0.0;
    }
    for (int e = 0; e < n_element; e++) {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                int at = (2 * e + i) + (2 * e + j) * out->n;
                out->K[at] += K[dof[i] * N + dof[j]];
                out->M[at] += M[dof[i] * N + dof[j]];
            }
        }
    }
}

static void remove_dof(double* A, int n, int k) {
    int m = 0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            if (i != k && j != k) {
                A[m++] = A[i + j * n];
            }
        }
    }
}

static void hold(Chain* chain, int k) {
    remove_dof(chain->K, chain->n, k);
    remove_dof(chain->M, chain->n, k);
    chain->n--;
}

static double frequency(Chain* chain, int mode) {
    double w[162];
    FbError err = {0};
    assert_int_equal(fb_eigen_symmetric_pencil(chain->n, chain->K, chain->M, w, &err), FB_OK);
    return sqrt(w[mode]);
}

static double cantilever_frequency(FbBeam beam, int n_element, int mode) {
    static Chain chain;
    beam.length /= n_element;
    beam.phi_y *= n_element * n_element;
    assemble(&beam, n_element, &chain);
    hold(&chain, 1);
    hold(&chain, 0);
    return frequency(&chain, mode);
}

static double supported_frequency(FbBeam beam, int n_element, int mode) {
    static Chain chain;
    beam.length /= n_element;
    beam.phi_y *= n_element * n_element;
    assemble(&beam, n_element, &chain);
    hold(&chain, chain.n - 2);
    hold(&chain, 0);
    return frequency(&chain, mode);
}

// cos(b) cosh(b) = -1, w = b^2 sqrt(EI/(mu L^4)); the error of a wave with number k is (k h)^4/1440
// of its frequency.
static void cantilever_frequencies_converge_with_order_four(void** state) {
    (void)state;
    static const double root[3] = {1.8751040687119611, 4.694091132974175, 7.854757438237613};
    FbBeam beam = steel_bar(1.5, 0.0);
    for (int mode = 0; mode < 3; mode++) {
        double exact =
            root[mode] * root[mode] * sqrt(beam.EIz / (beam.mass_per_length * pow(beam.length, 4)));
        double error[2];
        for (int k = 0; k < 2; k++) {
            error[k] = cantilever_frequency(beam, (4 + 4 * mode) << k, mode) / exact - 1.0;
        }
        assert_true(error[1] > 0.0);  // from above: a Ritz method
        double order = log2(error[0] / error[1]);
        print_message("cantilever, mode %d: errors %.2e %.2e, order %.2f\n", mode + 1, error[0],
                      error[1], order);
        assert_near(order, 4.0, 0.15);
        double kh = root[mode] / (8 + 8 * mode);
        assert_near(error[1] * 1440.0 / pow(kh, 4), 1.0, 0.05);
    }
}

// Simply supported with shear and rotary inertia: w = sin(k x), slope ~ cos(k x), so that
// (GA k^2 - mu w^2) (EI k^2 + GA - j w^2) = (GA k)^2; the lower root. The shear strain is constant
// in an element, so the error of the shear energy is of order two, mu w^2 h^2/(24 GA) of the
// frequency.
static void timoshenko_frequencies_converge(void** state) {
    (void)state;
    FbBeam beam = steel_bar(1.5, 1.0);
    beam.phi_y = 12.0 * beam.EIz / (2e4 * beam.length * beam.length);  // a stocky one
    beam.inertia_z = 0.01;
    double GA = 2e4, mu = beam.mass_per_length, j = beam.inertia_z;
    for (int mode = 0; mode < 2; mode++) {
        double k = (mode + 1) * acos(-1.0) / beam.length;
        double b = GA * k * k * j + mu * (beam.EIz * k * k + GA);
        double c = GA * k * k * beam.EIz * k * k;
        double exact = sqrt(2.0 * c / (b + sqrt(b * b - 4.0 * mu * j * c)));
        double error[2];
        for (int i = 0; i < 2; i++) {
            error[i] = supported_frequency(beam, 8 << i, mode) / exact - 1.0;
        }
        double order = log2(error[0] / error[1]);
        print_message("Timoshenko, mode %d: errors %.2e %.2e, order %.2f\n", mode + 1, error[0],
                      error[1], order);
        assert_near(order, 2.0, 0.1);
        double h = beam.length / 16.0;
        assert_near(error[1] * 24.0 * GA / (mu * exact * exact * h * h), 1.0, 0.5);
    }
}

static void lumped_frequencies_converge(void** state) {
    (void)state;
    FbBeam beam = steel_bar(1.5, 0.0);
    beam.is_lumped = true;
    double exact =
        pow(1.8751040687119611, 2) * sqrt(beam.EIz / (beam.mass_per_length * pow(beam.length, 4)));
    double error[2];
    for (int k = 0; k < 2; k++) {
        error[k] = cantilever_frequency(beam, 10 << k, 0) / exact - 1.0;
    }
    print_message("lumped: errors %.2e %.2e\n", error[0], error[1]);
    assert_near(log2(error[0] / error[1]), 2.0, 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_motions_need_no_force),
        cmocka_unit_test(mass_is_the_textbook_one),
        cmocka_unit_test(mass_of_rigid_motions),
        cmocka_unit_test(lumped_mass_is_diagonal),
        cmocka_unit_test(cantilever_deflections),
        cmocka_unit_test(cantilever_frequencies_converge_with_order_four),
        cmocka_unit_test(timoshenko_frequencies_converge),
        cmocka_unit_test(lumped_frequencies_converge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
