// The same mechanism turned, moved and scaled: degrees of freedom, redundant rows by name and
// accelerations stay what they are.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

// Where a mechanism is put, how large it is, what it weighs.
typedef struct Pose {
    double angles[3];  // zyx, rad
    double position[3];
    double length, mass;
    double heavy;  // mass of the coupler, relative to the others
} Pose;

static const Pose PLAIN = {.length = 1.0, .mass = 1.0, .heavy = 1.0};

// Gravity turns along and grows with the length, so that all angles have the same motion.
static const char* const FOUR_BAR = "test/verify/poses/four_bar.yaml";

static const char* const DOOR = "test/verify/poses/door.yaml";

// All axes meet in one point: three redundant translations.
static const char* const SPHERICAL = "test/verify/poses/spherical.yaml";

// Spatial, with slides, spheres and a rod: nothing redundant.
static const char* const SLIDER = "test/verify/poses/slider.yaml";

static TestSystem put(const char* mechanism, Pose p) {
    TestSystem t;
    test_system_init(
        &t,
        test_model_with(
            mechanism,
            "L=%.17g; m=%.17g; heavy=%.17g; a=%.17g; b=%.17g; c=%.17g; x=%.17g; y=%.17g; z=%.17g",
            p.length, p.mass, p.heavy, p.angles[0], p.angles[1], p.angles[2], p.position[0],
            p.position[1], p.position[2]));
    return t;
}

static void write_redundancies(const TestSystem* t, char* text, size_t size) {
    int n = snprintf(text, size, "%d of freedom; ", t->assembly.degrees_of_freedom);
    for (int i = 0; i < t->assembly.n_redundancies; i++) {
        FbRedundancy r;
        fb_system_get_redundancy(t->system, i, &r);
        n += snprintf(text + n, size - (size_t)n, "%s: %s; ", r.part, r.rows);
    }
}

// Same freedoms, names and angular accelerations (slides: in lengths) as the plain one.
static void compare(const char* what, const char* mechanism, Pose pose, double tolerance) {
    TestSystem plain = put(mechanism, PLAIN), t = put(mechanism, pose);
    char expected[1000], text[1000];
    write_redundancies(&plain, expected, sizeof(expected));
    write_redundancies(&t, text, sizeof(text));
    assert_string_equal(text, expected);
    double size = 0.0;
    for (int j = 0; j < t.d->size.n_v; j++) {
        size = fmax(size, fabs(plain.p.a[j]));
    }
    for (int j = 0; j < t.d->size.n_v; j++) {
        double unit = mechanism == SLIDER && j == 2 ? pose.length : 1.0;
        test_close(what, t.p.a[j] / unit, plain.p.a[j], tolerance * size);
    }
    test_system_free(&plain);
    test_system_free(&t);
}

static const char* const MECHANISMS[] = {FOUR_BAR, DOOR, SPHERICAL, SLIDER};
enum { N_MECHANISMS = sizeof(MECHANISMS) / sizeof(MECHANISMS[0]) };

static void known_numbers(void** state) {
    (void)state;
    static const struct {
        const char *mechanism, *text;
    } known[] = {
        {FOUR_BAR,
         "1 of freedom; one.C: translation along z, rotation about x, rotation about y; "},
        {DOOR,
         "1 of freedom; one.B: translation along x, translation along y, translation along z, "
         "rotation about x, rotation about y; one.C: translation along x, translation along y, "
         "translation along z, rotation about x, rotation about y; "},
        {SPHERICAL,
         "1 of freedom; one.C: translation along x, translation along y, translation along z; "},
        {SLIDER, "1 of freedom; "},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        TestSystem t = put(known[i].mechanism, PLAIN);
        char text[1000];
        write_redundancies(&t, text, sizeof(text));
        assert_string_equal(text, known[i].text);
        test_system_free(&t);
    }
}

static void turned(void** state) {
    (void)state;
    unsigned seed = 7;
    for (int i = 0; i < N_MECHANISMS; i++) {
        for (int deg = 0; deg <= 90; deg++) {
            Pose p = PLAIN;
            p.angles[2] = deg * acos(-1.0) / 180.0;
            compare("tilted about x", MECHANISMS[i], p, 1e-12);
        }
        for (int k = 0; k < 100; k++) {
            Pose p = PLAIN;
            for (int c = 0; c < 3; c++) {
                p.angles[c] = 3.0 * test_random(&seed);
                p.position[c] = 3.0 * test_random(&seed);
            }
            compare("turned", MECHANISMS[i], p, 1e-12);
        }
    }
}

static void scaled(void** state) {
    (void)state;
    unsigned seed = 11;
    for (int i = 0; i < N_MECHANISMS; i++) {
        for (int e = -6; e <= 7; e++) {
            Pose p = PLAIN;
            p.length = pow(10.0, e);
            p.mass = pow(10.0, -15.0 + 27.0 * (e + 6) / 13.0);
            for (int c = 0; c < 3; c++) {
                p.angles[c] = 3.0 * test_random(&seed);
            }
            compare("scaled", MECHANISMS[i], p, 1e-12);
        }
    }
}

// Digits are lost with the distance from the origin, decisions are not.
static void far_away(void** state) {
    (void)state;
    unsigned seed = 13;
    for (int i = 0; i < N_MECHANISMS; i++) {
        for (int e = 1; e <= 7; e++) {
            Pose p = PLAIN;
            for (int c = 0; c < 3; c++) {
                p.angles[c] = 3.0 * test_random(&seed);
                p.position[c] = test_random(&seed) * pow(10.0, e);
            }
            compare("far away", MECHANISMS[i], p, 1e-14 * pow(100.0, e) + 1e-12);
        }
    }
}

// A coupler of 1e-9 or 1e9 of the mass of its neighbours: the same freedoms and rows, and the
// accelerations of d'Alembert's principle with the velocities' null vector.
static void mass_ratios(void** state) {
    (void)state;
    for (int i = 0; i < N_MECHANISMS; i++) {
        for (int e = -9; e <= 9; e += 3) {
            Pose p = PLAIN, turned = PLAIN;
            p.heavy = turned.heavy = pow(10.0, e);
            turned.angles[0] = 0.3;
            turned.angles[1] = 0.4;
            turned.angles[2] = 0.5;
            TestSystem a = put(MECHANISMS[i], p), b = put(MECHANISMS[i], turned);
            char expected[1000], text[1000];
            write_redundancies(&a, expected, sizeof(expected));
            write_redundancies(&b, text, sizeof(text));
            assert_string_equal(text, expected);
            double size = 0.0;
            for (int j = 0; j < a.d->size.n_v; j++) {
                size = fmax(size, fabs(a.p.a[j]));
            }
            for (int j = 0; j < a.d->size.n_v; j++) {
                test_close("acceleration", b.p.a[j], a.p.a[j], 1e-9 * size);
            }
            test_system_free(&a);
            test_system_free(&b);
        }
    }
}

// A small loop keeps its rank next to a huge one.
static void sizes_side_by_side(void** state) {
    (void)state;
    TestSystem t;
    test_system_init(&t, test_model_from_file("test/verify/poses/small_beside_huge.yaml"));
    assert_int_equal(t.assembly.degrees_of_freedom, 2);
    assert_int_equal(t.assembly.n_redundant_rows, 3 + 5);
    test_system_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers), cmocka_unit_test(turned),
        cmocka_unit_test(scaled),        cmocka_unit_test(far_away),
        cmocka_unit_test(mass_ratios),   cmocka_unit_test(sizes_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
