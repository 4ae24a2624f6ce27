// Masses that move along linear beams, element by element with the kernels alone: benchmarks S2
// (moving mass on a simply supported beam) and S4 (cantilever, all linear theories) against their
// reference data.
#include "fem/slider.h"
#include "math/dense.h"
#include "test_fem_support.h"

enum { N = FB_BEAM_DOF, NN = FB_BEAM_DOF * FB_BEAM_DOF, MAX_DOF = 48 };

// A straight chain along x in the plane x-y: deflection and rotation of each node, a mass that
// moves along it.
typedef struct Chain {
    int n_element, n;
    FbBeam beam;
    bool is_clamped;  // at its start; else supported at both ends
    FbSliderMass mass;
    FbVec3 gravity;
    FbSliderMotion (*law)(double t);
    double M[MAX_DOF * MAX_DOF], K[MAX_DOF * MAX_DOF];
} Chain;

static const int LOCAL[4] = {1, 5, 7, 11};  // deflections and rotations in the plane

static bool is_held(const Chain* c, int dof) {
    return c->is_clamped ? dof < 2 : dof == 0 || dof == c->n - 2;
}

static void assemble(const Chain* c, int element, const double* A, double* out) {
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            const int r = 2 * element + i, s = 2 * element + j;
            if (!is_held(c, r) && !is_held(c, s)) {
                out[s * c->n + r] += A[LOCAL[i] * N + LOCAL[j]];
            }
        }
    }
}

static void init_chain(Chain* c) {
    double M[NN], K[NN];
    fb_beam_calc_mass(&c->beam, M);
    fb_beam_calc_stiffness(&c->beam, K);
    c->n = 2 * (c->n_element + 1);
    memset(c->M, 0, sizeof c->M);
    memset(c->K, 0, sizeof c->K);
    for (int e = 0; e < c->n_element; e++) {
        assemble(c, e, M, c->M);
        assemble(c, e, K, c->K);
    }
    for (int i = 0; i < c->n; i++) {
        if (is_held(c, i)) {
            c->M[i * c->n + i] = c->K[i * c->n + i] = 1.0;
        }
    }
}

// Adds E' f, its plane part, to the nodes of the element.
static void add_dual(int element, double sign, const double* E, const double* f, double* out) {
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < N; k++) {
            out[2 * element + i] += sign * E[k * N + LOCAL[i]] * f[k];
        }
    }
}

typedef struct Motion {
    double E[NN], e0[N], e[N], de[N];
} Motion;

// e and de of one element.
static void calc_motion(const Chain* c, int element, const double* u, const double* du,
                        Motion* out) {
    const double L = c->beam.length;
    FbMat3 R = fb_mat3_identity();
    fb_field_calc_linear(&c->beam, &R, fb_vec3(element * L, 0, 0), fb_vec3((element + 1) * L, 0, 0),
                         out->E, out->e0);
    for (int k = 0; k < N; k++) {
        out->e[k] = out->e0[k];
        out->de[k] = 0.0;
        for (int i = 0; i < 4; i++) {
            out->e[k] += out->E[k * N + LOCAL[i]] * u[2 * element + i];
            out->de[k] += out->E[k * N + LOCAL[i]] * du[2 * element + i];
        }
    }
}

// Geometric stiffness of the axial reaction in everything between the start and the mass.
static void add_axial_reaction(const Chain* c, int element, const FbSliderMotion* at,
                               const double* u, const double* du, double* right) {
    const double P = -c->mass.mass * (at->dds - c->gravity.x);
    for (int k = 0; k <= element; k++) {
        Motion m;
        double f[N] = {0};
        calc_motion(c, k, u, du, &m);
        fb_field_add_axial(c->beam.length, k < element ? c->beam.length : at->s, P,
                           fb_vec3(1, 0, 0), m.e, m.e0, f, NULL, NULL);
        add_dual(k, -1.0, m.E, f, right);
    }
}

// (M + M_slider) u'' = right
static void add_slider(const Chain* c, double t, const double* u, const double* du, double* M,
                       double* right) {
    FbSliderMotion at = c->law(t);
    const double L = c->beam.length;
    int element = (int)fmin(fmax(floor(at.s / L), 0.0), c->n_element - 1.0);
    at.s -= element * L;
    Motion m;
    FbSliderForces forces;
    double dde[N] = {0}, ME[NN] = {0};  // u'' = 0: what is left is the right-hand side
    calc_motion(c, element, u, du, &m);
    for (int k = 0; k < N; k += 6) {
        fb_vec3_to(fb_scale(-1.0, c->gravity), dde + k);
    }
    fb_slider_calc(&c->mass, L, m.e, m.de, dde, c->gravity, &at, true, &forces);
    add_dual(element, -1.0, m.E, forces.f, right);
    for (int i = 0; i < NN; i++) {
        for (int k = 0; k < N; k++) {
            for (int l = 0; l < N; l++) {
                if (m.E[k * N + i / N] != 0.0 && m.E[l * N + i % N] != 0.0) {
                    ME[i] += m.E[k * N + i / N] * forces.f_dde[k * N + l] * m.E[l * N + i % N];
                }
            }
        }
    }
    assemble(c, element, ME, M);
    if (c->mass.theory == FB_SLIDER_LINEAR_CONSISTENT) {
        add_axial_reaction(c, element, &at, u, du, right);
    }
}

static void calc_acceleration(const Chain* c, double t, const double* u, const double* du,
                              double* a) {
    double M[MAX_DOF * MAX_DOF];
    int pivot[MAX_DOF];
    const int n = c->n;
    memcpy(M, c->M, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; i++) {
        a[i] = -dot_n(n, c->K + i * n, u);
    }
    add_slider(c, t, u, du, M, a);
    for (int i = 0; i < n; i++) {
        a[i] = is_held(c, i) ? 0.0 : a[i];
    }
    assert_int_equal(fb_lu_factor(n, M, pivot), -1);
    fb_lu_solve(n, M, pivot, a);
}

// One step of the classical Runge-Kutta method.
static void step(const Chain* c, double t, double h, double* u, double* du) {
    static const double at[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    double v[MAX_DOF], a[MAX_DOF] = {0}, x[MAX_DOF], dx[MAX_DOF];
    memcpy(x, u, sizeof x);
    memcpy(dx, du, sizeof dx);
    memcpy(v, du, sizeof v);
    for (int k = 0; k < 4; k++) {
        double y[MAX_DOF], dy[MAX_DOF];
        for (int i = 0; i < c->n; i++) {
            y[i] = x[i] + (k > 0 ? at[k] * h * v[i] : 0.0);
            dy[i] = dx[i] + (k > 0 ? at[k] * h * a[i] : 0.0);
        }
        calc_acceleration(c, t + at[k] * h, y, dy, a);
        memcpy(v, dy, sizeof v);
        for (int i = 0; i < c->n; i++) {
            u[i] += weight[k] * h / 6.0 * v[i];
            du[i] += weight[k] * h / 6.0 * a[i];
        }
    }
}

static FbSliderMotion constant_speed(double t) {
    return (FbSliderMotion){10.0 * t, 10.0, 0.0};
}

// Midspan at 0.5 and 1 s for ten elements (s2_moving_mass_fe.csv).
static void assert_moving_mass(FbSliderTheory theory, double half, double end) {
    Chain c = {.n_element = 10,
               .beam = {.length = 1.0, .EA = 1.0, .GJ = 1.0, .EIy = 1.0, .EIz = 2e6},
               .mass = {.theory = theory, .mass = 100.0},
               .gravity = {0.0, 9.81, 0.0},
               .law = constant_speed};
    double u[MAX_DOF] = {0}, du[MAX_DOF] = {0};
    const int steps = 16000;
    c.beam.mass_per_length = 50.0;
    init_chain(&c);
    for (int k = 0; k < steps; k++) {
        step(&c, (double)k / steps, 1.0 / steps, u, du);
        if (k == steps / 2 - 1) {
            assert_near(u[10], half, 1e-9);
        }
    }
    assert_near(u[10], end, 1e-9);
}

static void moving_mass_with_convective_terms(void** state) {
    (void)state;
    assert_moving_mass(FB_SLIDER_CONVECTIVE, 1.00874762487459e-02, 1.14352357387760e-03);
}

static void moving_mass_by_form_1(void** state) {
    (void)state;
    assert_moving_mass(FB_SLIDER_FORM_1A, 1.00298078642995e-02, 1.09653873424815e-03);
    assert_moving_mass(FB_SLIDER_FORM_1B, 1.00298078642995e-02, 1.09653873424815e-03);
}

static FbSliderMotion pumping(double t) {
    const double w = 2.0 * 7.8, phase = w * t + 3.3;
    return (FbSliderMotion){1.2 + 0.3 * sin(phase), 0.3 * w * cos(phase),
                            -0.3 * w * w * sin(phase)};
}

// Row that projects on the first mode of the bare beam, tip deflection 1.
static void calc_projection(const Chain* c, double* row) {
    double K[MAX_DOF * MAX_DOF], M[MAX_DOF * MAX_DOF], w[MAX_DOF];
    const int n = c->n - 2;
    for (int i = 0; i < n * n; i++) {
        const int at = (i / n + 2) * c->n + i % n + 2;
        K[i] = c->K[at];
        M[i] = c->M[at];
    }
    FbError err = {0};
    assert_int_equal(fb_eigen_symmetric_pencil(n, K, M, w, &err), FB_OK);
    for (int i = 0; i < n; i++) {  // K holds the vectors, of unit modal mass: q1 = tip phi' M u
        row[i + 2] = K[n - 2] * dot_n(n, K, c->M + (i + 2) * c->n + 2);
    }
    row[0] = row[1] = 0.0;
}

// q1 at 1 and 2 s (s4_cantilever_linear.csv). The reference has eight modes; form 1 needs more than
// the others.
static void assert_cantilever(FbSliderTheory theory, double one, double two, double tolerance) {
    Chain c = {.n_element = 10,
               .beam = {.length = 0.2, .EA = 1.0, .GJ = 1.0, .EIy = 1.0, .EIz = 50.0},
               .is_clamped = true,
               .mass = {.theory = theory, .mass = 0.3},
               .law = pumping};
    double u[MAX_DOF] = {0}, du[MAX_DOF] = {0}, row[MAX_DOF];
    c.beam.mass_per_length = 0.5;
    init_chain(&c);
    calc_projection(&c, row);
    for (int k = 1; k <= c.n_element; k++) {  // under 5.625 N at the tip
        double x = 0.2 * k;
        u[2 * k] = 5.625 / 50.0 * (x * x - x * x * x / 6.0);
        u[2 * k + 1] = 5.625 / 50.0 * (2.0 * x - 0.5 * x * x);
    }
    assert_near(dot_n(c.n, row, u), 0.2912064559889, 1e-6);
    const int steps = 20000;  // as the highest frequency of the mesh wants
    for (int k = 0; k < steps; k++) {
        step(&c, 2.0 * k / steps, 2.0 / steps, u, du);
        if (k == steps / 2 - 1) {
            assert_near(dot_n(c.n, row, u), one, tolerance);
        }
    }
    assert_near(dot_n(c.n, row, u), two, tolerance);
}

static void cantilever_by_form_1(void** state) {
    (void)state;
    assert_cantilever(FB_SLIDER_FORM_1A, 0.001064709678007, -0.1523419897436, 3e-4);
}

static void cantilever_with_convective_terms(void** state) {
    (void)state;
    assert_cantilever(FB_SLIDER_CONVECTIVE, 0.008146923588118, -0.5189768328186, 4e-5);
}

static void cantilever_with_axial_reaction(void** state) {
    (void)state;
    assert_cantilever(FB_SLIDER_LINEAR_CONSISTENT, -0.01955948070238, -0.2098341561084, 4e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moving_mass_with_convective_terms),
        cmocka_unit_test(moving_mass_by_form_1),
        cmocka_unit_test(cantilever_by_form_1),
        cmocka_unit_test(cantilever_with_convective_terms),
        cmocka_unit_test(cantilever_with_axial_reaction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
