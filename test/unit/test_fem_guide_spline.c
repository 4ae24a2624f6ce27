// Smooth guides through points: which curves they represent exactly, smoothness at the points,
// order of the error, tangents against differences, and the same line far away, in other units, and
// with uneven distances of its points.
#include "fem/guide_spline.h"
#include "test_fem_support.h"

enum { MOST = 65 };

typedef struct Line {
    int n;
    FbVec3 p[MOST];
    double knots[MOST], T[MOST * MOST];
} Line;

static int setup(void** state) {
    *state = fb_arena_create();
    return *state == NULL;
}

static int teardown(void** state) {
    fb_arena_destroy(*state);
    return 0;
}

static Line draw(FbArena* arena, int n, const FbVec3* p) {
    Line line = {.n = n};
    memcpy(line.p, p, sizeof(FbVec3) * (size_t)n);
    assert_true(fb_guide_spline_calc(n, line.p, arena, line.knots, line.T));
    return line;
}

static FbVec3 place(const Line* line, double s, FbVec3* tangent) {
    return fb_guide_spline_calc_place(line->n, line->p, line->knots, line->T, s, tangent);
}

// sum_j T_ij y_j: the slope at knot i of the spline through values y.
static double slope(const Line* line, int i, const double* y) {
    double sum = 0.0;
    for (int j = 0; j < line->n; j++) {
        sum += line->T[i * line->n + j] * y[j];
    }
    return sum;
}

// Places along x that are unevenly spaced by up to 1 : 4.
static int uneven(int n, FbVec3* p) {
    double x = 0.0;
    for (int i = 0; i < n; i++) {
        p[i] = fb_vec3(x, 0, 0);
        x += (double[]){0.1, 0.25, 0.4, 0.15}[i % 4];
    }
    return n;
}

// Values of a polynomial of degree n - 1, at most 3, are represented exactly: by two points a line,
// by three a parabola, by more a cubic, whatever their distances.
static void cubics_are_exact(void** state) {
    for (int n = 2; n <= 9; n++) {
        FbVec3 p[MOST];
        double y[MOST];
        Line line = draw(*state, uneven(n, p), p);
        for (int degree = 0; degree < n && degree <= 3; degree++) {
            for (int i = 0; i < n; i++) {
                y[i] = pow(p[i].x - 0.3, degree);
            }
            for (int i = 0; i < n; i++) {
                double exact = degree ? degree * pow(p[i].x - 0.3, degree - 1) : 0.0;
                assert_near(line.knots[i], p[i].x, 1e-14);
                assert_near(slope(&line, i, y), exact, 1e-12);
            }
        }
    }
}

// A quartic is not: the test above would not pass with any spline.
static void quartics_are_not(void** state) {
    FbVec3 p[MOST];
    double y[MOST], error = 0.0;
    Line line = draw(*state, uneven(9, p), p);
    for (int i = 0; i < 9; i++) {
        y[i] = pow(p[i].x, 4);
    }
    for (int i = 0; i < 9; i++) {
        error = fmax(error, fabs(slope(&line, i, y) - 4.0 * pow(p[i].x, 3)));
    }
    assert_true(error > 1e-4);
}

// The second and third derivative of segment k of the spline through values, at its fraction u.
static void bend(const Line* line, int k, double u, const double* y, double out[2]) {
    double h = line->knots[k + 1] - line->knots[k], shapes[4][4];
    const double e[4] = {y[k], h * slope(line, k, y), y[k + 1], h * slope(line, k + 1, y)};
    fb_field_calc_shapes(h, u, shapes);
    for (int d = 0; d < 2; d++) {
        out[d] = 0.0;
        for (int i = 0; i < 4; i++) {
            out[d] += shapes[2 + d][i] * e[i];
        }
    }
}

// Curvature is continuous at every inner point; the third derivative at the second and at the last
// but one, and at no other.
static void curvature_is_continuous(void** state) {
    enum { N = 8 };
    FbVec3 p[MOST];
    double y[N];
    uint64_t seed = 5;
    Line line = draw(*state, uneven(N, p), p);
    for (int i = 0; i < N; i++) {
        y[i] = random_unit(&seed);
    }
    for (int i = 1; i + 1 < N; i++) {
        double before[2], after[2];
        bend(&line, i - 1, 1.0, y, before);
        bend(&line, i, 0.0, y, after);
        assert_near(after[0], before[0], 1e-11 * (1.0 + fabs(before[0])));
        bool is_knot = i > 1 && i + 2 < N;
        double jump = fabs(after[1] - before[1]);
        assert_true(is_knot ? jump > 1.0 : jump < 1e-9 * (1.0 + fabs(before[1])));
    }
}

// Constants have no slope, so that a translation, however far, does not turn the line.
static void rows_add_up_to_zero(void** state) {
    FbVec3 p[MOST];
    uint64_t seed = 3;
    for (int i = 0; i < 20; i++) {
        p[i] = fb_add(fb_vec3(0.3 * i, 0, 0), random_vec(&seed, 0.05));
    }
    Line line = draw(*state, 20, p);
    for (int i = 0; i < 20; i++) {
        double sum = 0.0;
        for (int j = 0; j < 20; j++) {
            sum += line.T[i * 20 + j];
        }
        assert_near(sum, 0.0, 2e-14);
    }
}

static FbVec3 on_circle(double angle) {
    return fb_vec3(2.0 * cos(angle), 2.0 * sin(angle), 0);
}

// On an arc of 120 degrees: the knots are lengths along the curve, places and lengths have errors
// of fourth order (two consecutive halvings).
static void circles_converge(void** state) {
    double error[3], length[3];
    for (int k = 0; k < 3; k++) {
        int n = (8 << k) + 1;
        FbVec3 p[MOST];
        const double whole = 2.0943951023931953;
        for (int i = 0; i < n; i++) {
            p[i] = on_circle(whole * i / (n - 1));
        }
        Line line = draw(*state, n, p);
        length[k] = fabs(line.knots[n - 1] - 2.0 * whole);
        error[k] = 0.0;
        for (int i = 0; i <= 200; i++) {
            FbVec3 r = place(&line, line.knots[n - 1] * i / 200.0, NULL);
            error[k] = fmax(error[k], fabs(fb_norm(r) - 2.0));
        }
    }
    print_message("circle: radius off by %.2g, %.2g, %.2g; length by %.2g, %.2g, %.2g\n", error[0],
                  error[1], error[2], length[0], length[1], length[2]);
    for (int k = 0; k < 2; k++) {
        assert_true(error[k + 1] < error[k] / 12.0);
        assert_true(length[k + 1] < length[k] / 12.0);
    }
}

static Line draw_wave(FbArena* arena, FbVec3 away, double size) {
    enum { N = 11 };
    FbVec3 p[N];
    for (int i = 0; i < N; i++) {
        double x = 0.1 * i + 0.03 * sin(9.0 * i);
        p[i] = fb_axpy(size, fb_vec3(x, 0.2 * sin(4.0 * x), 0.1 * cos(3.0 * x)), away);
    }
    return draw(arena, N, p);
}

// dr/ds is the derivative of the place, inside segments and across their ends, and near 1.
static void tangents_are_derivatives(void** state) {
    Line line = draw_wave(*state, fb_vec3(0, 0, 0), 1.0);
    double end = line.knots[line.n - 1], d = 1e-4;
    for (int i = 1; i < 40; i++) {
        double s = end * i / 40.0;
        FbVec3 t, x[4];
        place(&line, s, &t);
        for (int k = 0; k < 4; k++) {
            x[k] = place(&line, s + d * (double[]){-2, -1, 1, 2}[k], NULL);
        }
        FbVec3 near = fb_scale(8.0, fb_sub(x[2], x[1]));
        FbVec3 slope = fb_scale(1.0 / (12.0 * d), fb_sub(near, fb_sub(x[3], x[0])));
        assert_near(fb_norm(fb_sub(slope, t)), 0.0, 1e-7);
        assert_near(fb_norm(t), 1.0, 0.01);
    }
}

// Knots are the lengths of the spline itself, here by many chords.
static void knots_are_lengths(void** state) {
    enum { CHORDS = 4000 };
    Line line = draw_wave(*state, fb_vec3(0, 0, 0), 1.0);
    for (int k = 0; k + 1 < line.n; k++) {
        double h = line.knots[k + 1] - line.knots[k], sum = 0.0;
        FbVec3 last = place(&line, line.knots[k], NULL);
        for (int i = 1; i <= CHORDS; i++) {
            FbVec3 next = place(&line, line.knots[k] + h * (1.0 - 1e-15) * i / CHORDS, NULL);
            sum += fb_norm(fb_sub(next, last));
            last = next;
        }
        assert_near(sum, h, 1e-7 * h);
    }
}

// The same line ten thousand lengths away, and in other units.
static void far_and_scaled(void** state) {
    Line here = draw_wave(*state, fb_vec3(0, 0, 0), 1.0);
    FbVec3 away = fb_vec3(1e4, -3e4, 2e4);
    Line there = draw_wave(*state, away, 1.0);
    for (int k = 0; k < 3; k++) {
        double size = (double[]){1.0, 1e-6, 1e7}[k], rounding = k == 0 ? 1e-10 : 1e-13;
        Line other = k == 0 ? there : draw_wave(*state, fb_vec3(0, 0, 0), size);
        FbVec3 origin = k == 0 ? away : fb_vec3(0, 0, 0);
        for (int i = 0; i <= 50; i++) {
            double s = here.knots[here.n - 1] * i / 50.0;
            FbVec3 t, u, r = place(&here, s, &t);
            FbVec3 x = fb_sub(place(&other, size * s, &u), origin);
            assert_near(fb_norm(fb_sub(fb_scale(1.0 / size, x), r)), 0.0, rounding);
            assert_near(fb_norm(fb_sub(u, t)), 0.0, 100.0 * rounding);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cubics_are_exact, setup, teardown),
        cmocka_unit_test_setup_teardown(quartics_are_not, setup, teardown),
        cmocka_unit_test_setup_teardown(curvature_is_continuous, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_add_up_to_zero, setup, teardown),
        cmocka_unit_test_setup_teardown(circles_converge, setup, teardown),
        cmocka_unit_test_setup_teardown(tangents_are_derivatives, setup, teardown),
        cmocka_unit_test_setup_teardown(knots_are_lengths, setup, teardown),
        cmocka_unit_test_setup_teardown(far_and_scaled, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
