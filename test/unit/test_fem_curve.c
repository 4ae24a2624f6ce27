// Guides in rigid bodies: arc length, smoothness, bad curves; the mass on them: exact derivatives,
// energy, closed forms.
#include "fem/curve.h"
#include "test_fem_support.h"

static const double POINTS[] = {0,   0,    0,   0.4, 0.5, 0.1, 1.0, 0.3, -0.2,
                                1.7, -0.4, 0.3, 2.0, 0.6, 0.8, 1.2, 1.4, 0.5};
enum { N_POINTS = 6 };
static const double PI = 3.14159265358979323846;

static int setup(void** state) {
    *state = fb_arena_create();
    return *state == NULL;
}

static int teardown(void** state) {
    fb_arena_destroy(*state);
    return 0;
}

static FbCurve* create(FbArena* arena, const double* points, int n) {
    FbCurve* curve = NULL;
    FbError err = {0};
    assert_int_equal(fb_curve_create(points, n, arena, &curve, &err), FB_OK);
    return curve;
}

static void straight_line_is_exact(void** state) {
    const double points[] = {1, 2, 3, 1, 5, 7};  // 5 m
    FbCurve* curve = create(*state, points, 2);
    assert_near(fb_curve_length(curve), 5.0, 1e-15);
    for (double s = -1.0; s < 7.0; s += 0.7) {
        FbVec3 c[4];
        fb_curve_calc(curve, s, c);
        assert_near(c[0].x, 1.0, 1e-15);
        assert_near(c[0].y, 2.0 + 0.6 * s, 2e-15);
        assert_near(c[0].z, 3.0 + 0.8 * s, 4e-15);
        assert_near(c[1].y, 0.6, 2e-16);
        assert_near(c[1].z, 0.8, 2e-16);
        assert_near(fb_norm(c[2]) + fb_norm(c[3]), 0.0, 0.0);
    }
}

static void spline_passes_its_points_in_order(void** state) {
    FbCurve* curve = create(*state, POINTS, N_POINTS);
    double length = fb_curve_length(curve), at = 0.0;
    for (int i = 0; i < N_POINTS; i++) {
        FbVec3 point = fb_vec3_from(POINTS + 3 * i), c[4];
        for (int k = 0; k < 60; k++) {  // the nearest s from the last point on
            fb_curve_calc(curve, at, c);
            at -= fb_dot(fb_sub(c[0], point), c[1]);
        }
        fb_curve_calc(curve, at, c);
        assert_near(fb_norm(fb_sub(c[0], point)), 0.0, 1e-14);
        at += i < N_POINTS - 1 ? 0.3 : 0.0;
    }
    assert_near(at, length, 1e-13);
}

typedef struct OnCurve {
    const FbCurve* curve;
    double s;
} OnCurve;

static void curve_moved(const void* self, int k, double x, double* out) {
    (void)k;
    const OnCurve* on = self;
    FbVec3 c[5];
    fb_curve_calc_all(on->curve, on->s + x, c);
    for (int i = 0; i < 4; i++) {
        fb_vec3_to(c[i], out + 3 * i);
    }
}

// |c_s| = 1 only if the derivative of the place is the tangent: the parameter is the arc length.
static void parameter_is_the_arc_length(void** state) {
    FbCurve* curve = create(*state, POINTS, N_POINTS);
    const double length = fb_curve_length(curve);
    for (int i = 1; i < 60; i++) {
        double s = length * i / 60.0, d[12], x[3];
        FbVec3 c[5];
        fb_curve_calc_all(curve, s, c);
        assert_near(fb_norm(c[1]), 1.0, 4e-16);
        assert_near(fb_dot(c[1], c[2]), 0.0, 1e-13);
        differentiate(curve_moved, &(OnCurve){curve, s}, 0, 1e-4, 12, d);
        for (int k = 0; k < 12; k++) {
            fb_vec3_to(c[k / 3 + 1], x);
            assert_near(x[k % 3], d[k], 1e-7 * (1.0 + fb_norm(c[k / 3 + 1])));
        }
    }
}

// The length against a sum of 2^20 chords, whose error falls with the square of their length:
// extrapolated.
static double chord_sum(const FbCurve* curve, int n) {
    FbVec3 c[4], last;
    double sum = 0.0;
    fb_curve_calc(curve, 0.0, c);
    for (int i = 1; i <= n; i++) {
        last = c[0];
        fb_curve_calc(curve, fb_curve_length(curve) * i / n, c);
        sum += fb_norm(fb_sub(c[0], last));
    }
    return sum;
}

static void length_is_that_of_many_chords(void** state) {
    FbCurve* curve = create(*state, POINTS, N_POINTS);
    double coarse = chord_sum(curve, 4096), fine = chord_sum(curve, 8192);
    assert_near(fine + (fine - coarse) / 3.0, fb_curve_length(curve), 2e-12);
}

// A circle through 64 points: the spline's length comes near 2 pi r.
static void circle_has_its_circumference(void** state) {
    double points[3 * 65];
    for (int i = 0; i < 65; i++) {
        double a = 2.0 * PI * i / 64.0;
        points[3 * i] = 2.0 * cos(a);
        points[3 * i + 1] = 2.0 * sin(a);
        points[3 * i + 2] = 1.0;
    }
    FbCurve* curve = create(*state, points, 65);
    FbVec3 c[4];
    assert_near(fb_curve_length(curve), 4.0 * PI, 1e-3);  // the natural ends are straight
    fb_curve_calc(curve, 0.5 * fb_curve_length(curve), c);
    assert_near(fb_norm(c[2]), 0.5, 1e-3);
    assert_near(c[0].x, -2.0, 1e-6);
}

static void goes_on_straight_and_smooth(void** state) {
    FbCurve* curve = create(*state, POINTS, N_POINTS);
    const double length = fb_curve_length(curve), ends[2] = {0.0, length};
    for (int k = 0; k < 2; k++) {
        FbVec3 a[4], b[4];
        fb_curve_calc(curve, ends[k] - 1e-9, a);
        fb_curve_calc(curve, ends[k] + 1e-9, b);
        for (int i = 0; i < 3; i++) {
            assert_near(fb_norm(fb_sub(a[i], b[i])), 0.0, 1e-7);
        }
        fb_curve_calc(curve, k == 0 ? -2.0 : length + 2.0, a);
        assert_near(fb_norm(fb_sub(a[0], fb_vec3_from(POINTS + 15 * k))), 2.0, 1e-14);
    }
}

static void assert_refused(FbArena* arena, const double* points, int n, const char* words) {
    FbCurve* curve = NULL;
    FbError err = {0};
    assert_true(fb_curve_create(points, n, arena, &curve, &err) < 0);
    assert_null(curve);
    assert_non_null(strstr(err.text, words));
}

static void bad_curves_are_refused(void** state) {
    const double same[] = {0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 0, 0};
    const double back[] = {0, 0, 0, 1, 1, 1, 0, 0, 0};
    const double wild[] = {0, 0, 0, 1, (double)NAN, 1};
    const double uneven[] = {0, 0, 0, 1, 0, 0, 0.3, 0, 0, 2, 0, 0};
    assert_refused(*state, same, 1, "two points");
    assert_refused(*state, same, 4, "points 2 and 3");
    assert_refused(*state, back, 3, "turns back");
    assert_refused(*state, uneven, 4, "turns back");
    assert_refused(*state, wild, 2, "point 2");
}

// ---- the mass on the curve ----

typedef struct Slide {
    const FbCurve* curve;
    FbSliderMass mass;
    FbPort port;
    FbSliderMotion at;
} Slide;

static Slide random_slide(uint64_t* seed, const FbCurve* curve) {
    Slide slide = {.curve = curve, .mass = {.mass = 1.7, .rotary = 0.3}};
    slide.port = random_port(seed, fb_vec3(0.5, 1.0, -1.0));
    slide.at.s = fb_curve_length(curve) * (0.5 + 0.45 * random_unit(seed));
    slide.at.ds = 2.0 * random_unit(seed);
    slide.at.dds = 2.0 * random_unit(seed);
    return slide;
}

// Directions: 0-5 pose, 6-11 velocity, 12-17 acceleration, 18 s, 19 ds, 20 dds; f and along.
static void slide_moved(const void* self, int k, double x, double* out) {
    Slide slide = *(const Slide*)self;
    FbCurveForces forces;
    if (k < 18) {
        FbPort port[2] = {slide.port, slide.port}, moved[2];
        move_ports(port, (Level)(k / 6), k % 6, x, moved);
        slide.port = moved[0];
    } else {
        double* target = k == 18 ? &slide.at.s : k == 19 ? &slide.at.ds : &slide.at.dds;
        *target += x;
    }
    fb_curve_slider_calc(&slide.mass, slide.curve, &slide.port, &slide.at, false, &forces);
    memcpy(out, forces.port.f, 6 * sizeof *out);
    out[6] = forces.along;
}

static void assert_derivatives(const Slide* slide) {
    FbCurveForces x;
    double d[7];
    fb_curve_slider_calc(&slide->mass, slide->curve, &slide->port, &slide->at, true, &x);
    const double* blocks[3] = {x.port.K, x.port.C, x.port.M};
    const double* rows[3] = {x.along_pose, x.along_velocity, x.along_acceleration};
    const double* columns[3] = {x.f_s, x.f_ds, x.f_dds};
    const double along[3] = {x.along_s, x.along_ds, x.along_dds};
    for (int k = 0; k < 21; k++) {
        differentiate(slide_moved, slide, k, k == 18 ? 1e-4 : 1e-3, 7, d);
        double scale = k == 18 ? 1e-6 : 1e-8;
        for (int i = 0; i < 6; i++) {
            double value = k < 18 ? blocks[k / 6][i * FB_BEAM_DOF + k % 6] : columns[k - 18][i];
            assert_near(value, d[i], scale * (1.0 + fabs(value)));
        }
        double value = k < 18 ? rows[k / 6][k % 6] : along[k - 18];
        assert_near(value, d[6], scale * (1.0 + fabs(value)));
    }
}

static void derivatives_are_exact(void** state) {
    FbCurve* curve = create(*state, POINTS, N_POINTS);
    uint64_t seed = 3;
    for (int trial = 0; trial < 6; trial++) {
        Slide slide = random_slide(&seed, curve);
        assert_derivatives(&slide);
    }
}

// The body on a smooth path with the motion of `port` at t = 0, the mass on the curve as well.
static void energy_at(const void* self, int k, double t, double* out) {
    (void)k;
    Slide s = *(const Slide*)self;
    FbPort* p = &s.port;
    FbVec3 x = fb_axpy(t, p->w, fb_scale(0.5 * t * t, p->dw)), dx = fb_axpy(t, p->dw, p->w);
    FbMat3 turn = fb_rotation_from_vector(x);
    FbVec3 y = fb_cross(x, dx);
    double a2 = fb_dot(x, x);
    p->R = fb_mat3_mul(&turn, &p->R);
    p->w =
        fb_add(dx, fb_axpy(0.5 - a2 / 24.0, y, fb_scale(1.0 / 6.0 - a2 / 120.0, fb_cross(x, y))));
    p->p = fb_add(p->p, fb_axpy(t, p->v, fb_scale(0.5 * t * t, p->a)));
    p->v = fb_axpy(t, p->a, p->v);
    s.at.s += t * (s.at.ds + 0.5 * t * s.at.dds);
    s.at.ds += t * s.at.dds;
    FbCurveForces forces;
    fb_curve_slider_calc(&s.mass, s.curve, p, &s.at, false, &forces);
    out[0] = forces.kinetic;
    fb_vec3_to(forces.position, out + 1);
    fb_vec3_to(forces.velocity, out + 4);
}

static void power_is_the_rate_of_energy(void** state) {
    FbCurve* curve = create(*state, POINTS, N_POINTS);
    uint64_t seed = 5;
    for (int trial = 0; trial < 6; trial++) {
        Slide slide = random_slide(&seed, curve);
        const FbPort* p = &slide.port;
        FbCurveForces x;
        double rate[7];
        fb_curve_slider_calc(&slide.mass, curve, p, &slide.at, false, &x);
        differentiate(energy_at, &slide, 0, 1e-4, 7, rate);
        double power = fb_dot(fb_vec3_from(x.port.f), p->v) +
                       fb_dot(fb_vec3_from(x.port.f + 3), p->w) + x.along * slide.at.ds;
        assert_near(power, rate[0], 1e-7 * (1.0 + fabs(power)));
        assert_near(x.velocity.x, rate[1], 1e-8);
        assert_near(x.velocity.y, rate[2], 1e-8);
        assert_near(x.velocity.z, rate[3], 1e-8);
        assert_near(x.contact.x, -slide.mass.mass * rate[4], 1e-6);
        assert_near(x.contact.y, -slide.mass.mass * rate[5], 1e-6);
        assert_near(x.contact.z, -slide.mass.mass * rate[6], 1e-6);
    }
}

// Straight guide in a body that turns about z: the pendulum of variable length, with its weight.
static void straight_guide_gives_the_pendulum(void** state) {
    const double points[] = {0, 0, 0, 2, 0, 0};
    const double angle = 0.7, w = 1.9, dw = -2.3, s = 0.9, ds = 1.4, dds = -0.8, m = 1.7, g = 9.81;
    FbCurve* curve = create(*state, points, 2);
    FbSliderMass mass = {.mass = m};
    FbPort port = {.R = fb_rotation_from_vector(fb_vec3(0, 0, angle)),
                   .w = {0, 0, w},
                   .a = {0, g, 0},
                   .dw = {0, 0, dw}};
    FbCurveForces x;
    fb_curve_slider_calc(&mass, curve, &port, &(FbSliderMotion){s, ds, dds}, false, &x);
    assert_near(x.port.f[5], m * (s * s * dw + 2.0 * s * ds * w + g * s * cos(angle)), 1e-13);
    assert_near(x.along, m * (dds - s * w * w + g * sin(angle)), 1e-13);
    assert_near(x.kinetic, 0.5 * m * (ds * ds + s * s * w * w), 1e-13);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(straight_line_is_exact, setup, teardown),
        cmocka_unit_test_setup_teardown(spline_passes_its_points_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(parameter_is_the_arc_length, setup, teardown),
        cmocka_unit_test_setup_teardown(length_is_that_of_many_chords, setup, teardown),
        cmocka_unit_test_setup_teardown(circle_has_its_circumference, setup, teardown),
        cmocka_unit_test_setup_teardown(goes_on_straight_and_smooth, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_curves_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(derivatives_are_exact, setup, teardown),
        cmocka_unit_test_setup_teardown(power_is_the_rate_of_energy, setup, teardown),
        cmocka_unit_test_setup_teardown(straight_guide_gives_the_pendulum, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
