// Sliding masses on an element: exact derivatives, energy, closed forms on a rigid guide, for every
// theory.
#include "fem/slider.h"
#include "test_fem_support.h"

enum { N = FB_BEAM_DOF, NN = FB_BEAM_DOF * FB_BEAM_DOF, N_THEORY = 5 };

static const double L = 1.3;
static const FbVec3 GRAVITY = {1.5, -9.81, 2.5};

static FbSliderMass random_mass(uint64_t* seed, int theory, bool is_transverse) {
    FbVec3 x = random_vec(seed, 1.0);
    return (FbSliderMass){.theory = (FbSliderTheory)theory,
                          .mass = 1.7,
                          .rotary = 0.4,
                          .is_transverse = is_transverse,
                          .axis = fb_scale(1.0 / fb_norm(x), x)};
}

// Everything the forces depend on, as one vector: e, de, dde, s, ds, dds.
typedef struct Slide {
    FbSliderMass mass;
    double x[3 * N + 3];
} Slide;

static void calc(const Slide* slide, bool has_blocks, FbSliderForces* out) {
    const double* x = slide->x;
    FbSliderMotion motion = {x[3 * N], x[3 * N + 1], x[3 * N + 2]};
    fb_slider_calc(&slide->mass, L, x, x + N, x + 2 * N, GRAVITY, &motion, has_blocks, out);
}

static Slide random_slide(uint64_t* seed, int theory, bool is_transverse) {
    Slide slide = {.mass = random_mass(seed, theory, is_transverse)};
    for (int i = 0; i < 3 * N + 3; i++) {
        slide.x[i] = 2.0 * random_unit(seed);
    }
    slide.x[3 * N] = 0.5 * L + 0.8 * L * random_unit(seed);  // also outside the element
    return slide;
}

// f, along; of form 1b without its Coriolis force.
static void slide_moved(const void* self, int k, double x, double* out) {
    Slide slide = *(const Slide*)self;
    FbSliderForces forces;
    slide.x[k] += x;
    calc(&slide, false, &forces);
    for (int i = 0; i < N; i++) {
        bool leaves_out = slide.mass.theory == FB_SLIDER_FORM_1B;
        out[i] = forces.f[i] - (leaves_out ? forces.coriolis[i] : 0.0);
    }
    out[N] = forces.along;
}

static void assert_derivatives(const Slide* slide) {
    FbSliderForces forces;
    double d[N + 1];
    calc(slide, true, &forces);
    const double* blocks[3] = {forces.f_e, forces.f_de, forces.f_dde};
    const double* rows[3] = {forces.along_e, forces.along_de, forces.along_dde};
    const double* columns[3] = {forces.f_s, forces.f_ds, forces.f_dds};
    const double along[3] = {forces.along_s, forces.along_ds, forces.along_dds};
    for (int k = 0; k < 3 * N; k++) {
        differentiate(slide_moved, slide, k, 1e-2, N + 1, d);
        for (int i = 0; i < N; i++) {
            assert_near(blocks[k / N][i * N + k % N], d[i], 1e-9);
        }
        assert_near(rows[k / N][k % N], d[N], 1e-9);
    }
    for (int k = 0; k < 3; k++) {
        differentiate(slide_moved, slide, 3 * N + k, 1e-3, N + 1, d);
        for (int i = 0; i < N; i++) {
            assert_near(columns[k][i], d[i], 1e-7);
        }
        assert_near(along[k], d[N], 1e-7);
    }
}

static void derivatives_are_exact(void** state) {
    (void)state;
    uint64_t seed = 1;
    for (int trial = 0; trial < 4 * N_THEORY; trial++) {
        Slide slide = random_slide(&seed, trial % N_THEORY, trial >= 2 * N_THEORY);
        assert_derivatives(&slide);
    }
}

// e(t) = e + de t + ..., s(t) likewise, cubic in time; e'' carries -g.
typedef struct Path {
    FbSliderMass mass;
    double c[4][N + 1];
} Path;

static Slide slide_at(const Path* path, double t) {
    Slide slide = {.mass = path->mass};
    for (int i = 0; i <= N; i++) {
        const double c0 = path->c[0][i], c1 = path->c[1][i], c2 = path->c[2][i], c3 = path->c[3][i];
        double at[3] = {c0 + t * (c1 + t * (c2 + t * c3)), c1 + t * (2.0 * c2 + t * 3.0 * c3),
                        2.0 * c2 + 6.0 * c3 * t};
        for (int k = 0; k < 3; k++) {
            slide.x[i < N ? k * N + i : 3 * N + k] = at[k];
        }
    }
    const double g[3] = {GRAVITY.x, GRAVITY.y, GRAVITY.z};
    for (int i = 0; i < 3; i++) {
        slide.x[2 * N + i] -= g[i];
        slide.x[2 * N + 6 + i] -= g[i];
    }
    return slide;
}

static Path random_path(uint64_t* seed, int theory, bool is_transverse) {
    Path path = {.mass = random_mass(seed, theory, is_transverse)};
    for (int i = 0; i < 4 * (N + 1); i++) {
        path.c[i / (N + 1)][i % (N + 1)] = random_unit(seed);
    }
    return path;
}

// kinetic energy and potential of the weight, position
static void energy_at(const void* self, int k, double t, double* out) {
    (void)k;
    const Path* path = self;
    Slide slide = slide_at(path, t);
    FbSliderForces forces;
    calc(&slide, false, &forces);
    out[0] = forces.kinetic - path->mass.mass * fb_dot(GRAVITY, forces.position);
    fb_vec3_to(forces.position, out + 1);
}

static void power_of_the_forces_is_the_rate_of_energy(void** state) {
    (void)state;
    uint64_t seed = 2;
    for (int trial = 0; trial < 4 * N_THEORY; trial++) {
        Path path = random_path(&seed, trial % N_THEORY, trial >= 2 * N_THEORY);
        Slide slide = slide_at(&path, 0.0);
        FbSliderForces forces;
        double rate[4];
        calc(&slide, false, &forces);
        differentiate(energy_at, &path, 0, 3e-4, 4, rate);
        double power = dot_n(N, forces.f, slide.x + N) + forces.along * slide.x[3 * N + 1];
        assert_near(power, rate[0], 1e-8);
        assert_near(forces.velocity.x, rate[1], 1e-10);
        assert_near(forces.velocity.y, rate[2], 1e-10);
        assert_near(forces.velocity.z, rate[3], 1e-10);
    }
}

// Velocity as position's rate, whose rate in turn is what the contact force says.
static void velocity_at(const void* self, int k, double t, double* out) {
    (void)k;
    Slide slide = slide_at(self, t);
    FbSliderForces forces;
    calc(&slide, false, &forces);
    fb_vec3_to(forces.velocity, out);
}

static void contact_force_accelerates_the_mass(void** state) {
    (void)state;
    uint64_t seed = 6;
    for (int theory = 0; theory < 3; theory++) {
        Path path = random_path(&seed, theory, false);
        Slide slide = slide_at(&path, 0.0);
        FbSliderForces forces;
        double a[3];
        calc(&slide, false, &forces);
        differentiate(velocity_at, &path, 0, 1e-3, 3, a);
        FbVec3 expected = fb_scale(-path.mass.mass, fb_sub(fb_vec3_from(a), GRAVITY));
        assert_near(forces.contact.x, expected.x, 1e-8);
        assert_near(forces.contact.y, expected.y, 1e-8);
        assert_near(forces.contact.z, expected.z, 1e-8);
    }
}

// C_e = dM_e/dt: the Coriolis force of form 1 from the change of its mass matrix.
static void coriolis_force_of_form_1_is_the_rate_of_the_mass_matrix(void** state) {
    (void)state;
    uint64_t seed = 4;
    const double h = 1e-3;
    for (int theory = FB_SLIDER_FORM_1A; theory <= FB_SLIDER_FORM_1B; theory++) {
        Slide slide = random_slide(&seed, theory, true), moved = slide;
        FbSliderForces forces;
        double M[4][NN], C[NN];
        const double* at[4] = {M[0], M[1], M[2], M[3]};
        calc(&slide, true, &forces);
        for (int i = 0; i < 4; i++) {
            FbSliderForces there;
            moved.x[3 * N] = slide.x[3 * N] + DIFFERENCE_STEPS[i] * h * slide.x[3 * N + 1];
            calc(&moved, true, &there);
            memcpy(M[i], there.f_dde, sizeof M[i]);
        }
        difference(NN, at, h, C);
        for (int i = 0; i < N; i++) {
            assert_near(forces.coriolis[i], dot_n(N, C + i * N, slide.x + N), 1e-7);
        }
    }
}

static void form_1b_has_the_forces_of_form_1a(void** state) {
    (void)state;
    uint64_t seed = 8;
    Slide a = random_slide(&seed, FB_SLIDER_FORM_1A, false), b = a;
    FbSliderForces fa, fb;
    b.mass.theory = FB_SLIDER_FORM_1B;
    calc(&a, true, &fa);
    calc(&b, true, &fb);
    for (int i = 0; i < N; i++) {
        assert_near(fb.f[i], fa.f[i], 0.0);
        assert_near(fb.coriolis[i], fa.coriolis[i], 0.0);
    }
    assert_near(fb.along, fa.along, 0.0);
    for (int i = 0; i < NN; i++) {
        assert_near(fb.f_de[i], 0.0, 0.0);
        assert_near(fb.f_dde[i], fa.f_dde[i], 0.0);
    }
}

static void weight_at_rest_is_whole_in_every_theory(void** state) {
    (void)state;
    uint64_t seed = 9;
    for (int trial = 0; trial < 2 * N_THEORY; trial++) {
        Path path = random_path(&seed, trial % N_THEORY, trial >= N_THEORY);
        memset(path.c[1], 0, 3 * sizeof path.c[1]);
        Slide slide = slide_at(&path, 0.0);
        FbSliderForces forces;
        double h[4][4];
        calc(&slide, true, &forces);
        fb_field_calc_shapes(L, slide.x[3 * N] / L, h);
        const double m = path.mass.mass, g[3] = {GRAVITY.x, GRAVITY.y, GRAVITY.z};
        double along = 0.0;
        for (int i = 0; i < N; i++) {
            assert_near(forces.f[i], -m * h[0][i / 3] * g[i % 3], 1e-13);
            along -= m * h[1][i / 3] * g[i % 3] * slide.x[i];
        }
        assert_near(forces.along, along, 1e-12);
        assert_near(forces.contact.y, m * GRAVITY.y, 1e-13);
        assert_near(forces.kinetic, 0.0, 0.0);
    }
}

// A straight rigid guide that turns about its start: r = s (cos, sin); all theories are exact
// there.
// Digit for digit: a run gives the same numbers whichever way it takes.
static void quick_parts_of_form_1_are_those_of_the_whole(void** state) {
    (void)state;
    uint64_t seed = 31;
    for (int k = 0; k < 40; k++) {
        Slide slide = random_slide(&seed, k % N_THEORY, k % 2 == 0);
        slide.mass.rotary = k % 3 == 0 ? 0.0 : slide.mass.rotary;
        double *x = slide.x, f[N];
        FbSliderMotion motion = {x[3 * N], x[3 * N + 1], x[3 * N + 2]};
        FbSliderForces forces;
        bool is_1 = k % N_THEORY >= FB_SLIDER_FORM_1A;
        assert_true(fb_slider_has_quick_parts(&slide.mass) == is_1);
        if (!is_1) {
            continue;
        }
        calc(&slide, false, &forces);
        assert_true(forces.along ==
                    fb_slider_calc_along(&slide.mass, L, x, x + N, GRAVITY, &motion));
        for (int i = N; i < 3 * N; i++) {
            x[i] = 0.0;
        }
        fb_vec3_to(fb_scale(-1.0, GRAVITY), x + 2 * N);
        fb_vec3_to(fb_scale(-1.0, GRAVITY), x + 2 * N + 6);
        calc(&slide, false, &forces);
        fb_slider_calc_weight(&slide.mass, L, motion.s, GRAVITY, f);
        for (int i = 0; i < N; i++) {
            assert_true(forces.f[i] == f[i]);
        }
    }
}

static void rigid_guide_gives_the_pendulum(void** state) {
    (void)state;
    const double angle = 0.7, w = 1.9, dw = -2.3, s = 0.9, ds = 1.4, dds = -0.8, m = 1.7;
    FbVec3 t = fb_vec3(cos(angle), sin(angle), 0.0), n = fb_vec3(-sin(angle), cos(angle), 0.0);
    double e[N] = {0}, de[N] = {0}, dde[N] = {0}, by_angle[N] = {0};
    for (int k = 1; k < 4; k++) {  // p_A stays
        fb_vec3_to(fb_scale(L, t), e + 3 * k);
        fb_vec3_to(fb_scale(L, n), by_angle + 3 * k);
        fb_vec3_to(fb_scale(L * w, n), de + 3 * k);
        fb_vec3_to(fb_axpy(L * dw, n, fb_scale(-L * w * w, t)), dde + 3 * k);
    }
    for (int theory = 0; theory < N_THEORY; theory++) {
        FbSliderMass mass = {.theory = (FbSliderTheory)theory, .mass = m};
        FbSliderForces forces;
        fb_slider_calc(&mass, L, e, de, dde, fb_vec3(0, 0, 0), &(FbSliderMotion){s, ds, dds}, false,
                       &forces);
        assert_near(dot_n(N, forces.f, by_angle), m * (s * s * dw + 2.0 * s * ds * w), 1e-13);
        assert_near(forces.along, m * (dds - s * w * w), 1e-13);
        assert_near(forces.kinetic, 0.5 * m * (ds * ds + s * s * w * w), 1e-13);
    }
}

// The rotary part alone on the turning guide: J w' about the start, nothing along.
static void rotary_inertia_turns_with_a_rigid_guide(void** state) {
    (void)state;
    const double w = 1.9, dw = -2.3, J = 0.4;
    double e[N] = {0}, de[N] = {0}, dde[N] = {0};
    for (int k = 1; k < 4; k++) {
        e[3 * k] = L;
        de[3 * k + 1] = L * w;
        dde[3 * k] = -L * w * w;
        dde[3 * k + 1] = L * dw;
    }
    for (int theory = 0; theory < N_THEORY; theory++) {
        FbSliderMass mass = {.theory = (FbSliderTheory)theory, .rotary = J};
        FbSliderForces forces;
        fb_slider_calc(&mass, L, e, de, dde, GRAVITY, &(FbSliderMotion){0.4, 1.1, -0.3}, false,
                       &forces);
        assert_near(L * (forces.f[4] + forces.f[7] + forces.f[10]), J * dw, 1e-13);
        assert_near(forces.along, 0.0, 1e-13);
        assert_near(forces.kinetic, 0.5 * J * w * w, 1e-13);
    }
}

static void transverse_mass_loads_nothing_along_its_axis(void** state) {
    (void)state;
    uint64_t seed = 10;
    for (int theory = 0; theory < N_THEORY; theory++) {
        Slide slide = random_slide(&seed, theory, true);
        FbSliderForces forces;
        calc(&slide, true, &forces);
        FbVec3 t = slide.mass.axis;
        for (int j = 0; j < N; j++) {
            double x = 0.0;
            for (int i = 0; i < 3; i++) {
                x += (i == 0 ? t.x : i == 1 ? t.y : t.z) * forces.f_dde[(6 + i) * N + j];
            }
            assert_near(x, 0.0, 1e-13);
        }
    }
}

typedef struct Axial {
    double s, P;
    FbVec3 axis;
    double e[N], e0[N];
} Axial;

// f and energy
static void axial_moved(const void* self, int k, double x, double* out) {
    Axial a = *(const Axial*)self;
    a.e[k] += x;
    memset(out, 0, N * sizeof *out);
    fb_field_add_axial(L, a.s, a.P, a.axis, a.e, a.e0, out, NULL, out + N);
}

static void axial_force_has_an_energy_and_an_exact_matrix(void** state) {
    (void)state;
    uint64_t seed = 12;
    FbVec3 x = random_vec(&seed, 1.0);
    Axial a = {.s = 0.8, .P = -3.1, .axis = fb_scale(1.0 / fb_norm(x), x)};
    for (int i = 0; i < N; i++) {
        a.e[i] = random_unit(&seed);
        a.e0[i] = random_unit(&seed);
    }
    double f[N] = {0}, K[NN] = {0}, energy, d[N + 1];
    fb_field_add_axial(L, a.s, a.P, a.axis, a.e, a.e0, f, K, &energy);
    for (int k = 0; k < N; k++) {
        differentiate(axial_moved, &a, k, 1e-2, N + 1, d);
        assert_near(f[k], d[N], 1e-12);
        for (int i = 0; i < N; i++) {
            assert_near(K[i * N + k], d[i], 1e-11);
        }
    }
}

// Element along x bent to y = a x + b x^2: int_0^s (a + 2 b x)^2 dx in closed form; stretching
// along x does not count.
static void axial_energy_of_a_parabola(void** state) {
    (void)state;
    const double a = 0.3, b = -0.7, s = 0.85, P = 2.4;
    double e0[N] = {0, 0, 0, L, 0, 0, L, 0, 0, L, 0, 0}, e[N], f[N] = {0}, energy;
    memcpy(e, e0, sizeof e);
    e[4] = L * a;
    e[7] = a * L + b * L * L;
    e[10] = L * (a + 2.0 * b * L);
    e[6] += 0.1;
    fb_field_add_axial(L, s, P, fb_vec3(1, 0, 0), e, e0, f, NULL, &energy);
    double integral = a * a * s + 2.0 * a * b * s * s + 4.0 / 3.0 * b * b * s * s * s;
    assert_near(energy, 0.5 * P * integral, 1e-15);
}

static const FbVec3 AXIS = {2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0};

static void calc_shortening(const Slide* slide, FbShortening* out) {
    static const double e0[N] = {0.1, -0.2, 0.3, 1.0, 0.4, 0.5, 0.9, -0.6, 0.2, 1.1, -0.3, 0.2};
    const double* x = slide->x;
    FbSliderMotion motion = {x[3 * N], x[3 * N + 1], x[3 * N + 2]};
    fb_field_calc_shortening(L, &motion, AXIS, x, x + N, x + 2 * N, e0, out);
}

// D, D'', D_s
static void shortening_moved(const void* self, int k, double x, double* out) {
    Slide slide = *(const Slide*)self;
    FbShortening d;
    slide.x[k] += x;
    calc_shortening(&slide, &d);
    out[0] = d.value;
    out[1] = d.acceleration;
    out[2] = d.value_s;
}

static void shortening_has_exact_derivatives(void** state) {
    (void)state;
    uint64_t seed = 21;
    Slide slide = random_slide(&seed, FB_SLIDER_LINEAR_CONSISTENT, false);
    FbShortening d;
    calc_shortening(&slide, &d);
    for (int k = 0; k < 3 * N + 3; k++) {
        const int i = k % N;
        double by[3];
        differentiate(shortening_moved, &slide, k, k < 3 * N ? 1e-2 : 1e-3, 3, by);
        bool is_e = k < N, is_s = k == 3 * N;
        assert_near(by[0], is_e ? d.value_e[i] : is_s ? d.value_s : 0.0, 1e-9);
        assert_near(by[2], is_e ? d.value_se[i] : is_s ? d.value_ss : 0.0, 1e-9);
        const double expected = is_e             ? d.acceleration_e[i]
                                : k < 2 * N      ? d.acceleration_de[i]
                                : k < 3 * N      ? d.value_e[i]
                                : is_s           ? d.acceleration_s
                                : k == 3 * N + 1 ? d.acceleration_ds
                                                 : d.value_s;
        assert_near(by[1], expected, 1e-8);
    }
}

// D and D', along a path; kinetic energy -m s' D' and potential m g_t D of the linear consistent
// theory.
static void shortening_at(const void* self, int k, double t, double* out) {
    (void)k;
    const Path* path = self;
    Slide slide = slide_at(path, t);
    FbShortening d;
    calc_shortening(&slide, &d);
    out[0] = d.value;
    out[1] = d.rate;
    out[2] = path->mass.mass * (fb_dot(GRAVITY, AXIS) * d.value - slide.x[3 * N + 1] * d.rate);
}

static void shortening_and_axial_force_conserve_energy(void** state) {
    (void)state;
    uint64_t seed = 22;
    Path path = random_path(&seed, FB_SLIDER_LINEAR_CONSISTENT, false);
    Slide slide = slide_at(&path, 0.0);
    FbShortening d;
    double rate[3];
    calc_shortening(&slide, &d);
    differentiate(shortening_at, &path, 0, 3e-4, 3, rate);
    assert_near(d.rate, rate[0], 1e-9);
    assert_near(d.acceleration, rate[1], 1e-9);
    const double m = path.mass.mass, ds = slide.x[3 * N + 1], dds = slide.x[3 * N + 2];
    double P = -m * (dds - fb_dot(GRAVITY, AXIS));
    double along = P * d.value_s - m * d.acceleration;
    assert_near(P * dot_n(N, d.value_e, slide.x + N) + along * ds, rate[2], 1e-8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(power_of_the_forces_is_the_rate_of_energy),
        cmocka_unit_test(contact_force_accelerates_the_mass),
        cmocka_unit_test(coriolis_force_of_form_1_is_the_rate_of_the_mass_matrix),
        cmocka_unit_test(form_1b_has_the_forces_of_form_1a),
        cmocka_unit_test(weight_at_rest_is_whole_in_every_theory),
        cmocka_unit_test(quick_parts_of_form_1_are_those_of_the_whole),
        cmocka_unit_test(rigid_guide_gives_the_pendulum),
        cmocka_unit_test(rotary_inertia_turns_with_a_rigid_guide),
        cmocka_unit_test(transverse_mass_loads_nothing_along_its_axis),
        cmocka_unit_test(axial_force_has_an_energy_and_an_exact_matrix),
        cmocka_unit_test(axial_energy_of_a_parabola),
        cmocka_unit_test(shortening_has_exact_derivatives),
        cmocka_unit_test(shortening_and_axial_force_conserve_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
