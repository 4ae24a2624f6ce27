// Structures from matrices against the same structures by members: a portal frame is assembled here
// from the textbook matrices, written to files, and read as a main body from outside.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

enum { PER_MEMBER = 6, N_NODES = 3 * PER_MEMBER + 1, N = 3 * N_NODES };

static const double E = 210e9, AREA = 1.2e-3, INERTIA = 8e-7, DENSITY = 7850;

typedef struct Frame {
    double K[N * N], M[N * N];
} Frame;

// Plane frame element between nodes i and i + 1, of length L along (c, s): Euler-Bernoulli with
// consistent mass.
static void add_element(Frame* f, int node, double L, double c, double s) {
    double ea = E * AREA / L, ei = E * INERTIA / (L * L * L), m = DENSITY * AREA * L / 420.0;
    double k[6][6] = {{ea, 0, 0, -ea, 0, 0},
                      {0, 12 * ei, 6 * ei * L, 0, -12 * ei, 6 * ei * L},
                      {0, 6 * ei * L, 4 * ei * L * L, 0, -6 * ei * L, 2 * ei * L * L},
                      {-ea, 0, 0, ea, 0, 0},
                      {0, -12 * ei, -6 * ei * L, 0, 12 * ei, -6 * ei * L},
                      {0, 6 * ei * L, 2 * ei * L * L, 0, -6 * ei * L, 4 * ei * L * L}};
    double mass[6][6] = {{140, 0, 0, 70, 0, 0},
                         {0, 156, 22 * L, 0, 54, -13 * L},
                         {0, 22 * L, 4 * L * L, 0, 13 * L, -3 * L * L},
                         {70, 0, 0, 140, 0, 0},
                         {0, 54, 13 * L, 0, 156, -22 * L},
                         {0, -13 * L, -3 * L * L, 0, -22 * L, 4 * L * L}};
    double T[6][6] = {{c, s},          {-s, c},          {0, 0, 1},
                      {0, 0, 0, c, s}, {0, 0, 0, -s, c}, {0, 0, 0, 0, 0, 1}};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            for (int a = 0; a < 6; a++) {
                for (int b = 0; b < 6; b++) {
                    int at = (3 * node + i) * N + 3 * node + j;
                    f->K[at] += T[a][i] * k[a][b] * T[b][j];
                    f->M[at] += T[a][i] * m * mass[a][b] * T[b][j];
                }
            }
        }
    }
}

// Columns of 3 m, a beam of 4 m: up, across, down.
static Frame* make_frame(void) {
    Frame* f = calloc(1, sizeof *f);
    assert_non_null(f);
    for (int i = 0; i < PER_MEMBER; i++) {
        add_element(f, i, 3.0 / PER_MEMBER, 0, 1);
        add_element(f, PER_MEMBER + i, 4.0 / PER_MEMBER, 1, 0);
        add_element(f, 2 * PER_MEMBER + i, 3.0 / PER_MEMBER, 0, -1);
    }
    return f;
}

static void write_matrix(const char* path, const double* a, int skip) {
    FILE* file = fopen(path, "w");
    int count = 0;
    assert_non_null(file);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = skip; i < N - skip; i++) {
            for (int j = skip; j <= i; j++) {
                if (a[i * N + j] != 0.0 && pass == 0) {
                    count++;
                } else if (a[i * N + j] != 0.0) {
                    fprintf(file, "%d %d %.17g\n", i + 1 - skip, j + 1 - skip, a[i * N + j]);
                }
            }
        }
        if (pass == 0) {
            fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n",
                    N - 2 * skip, N - 2 * skip, count);
        }
    }
    fclose(file);
}

static const char* const FILES[] = {"tm_M.mtx", "tm_K.mtx", "tm_Mh.mtx", "tm_Kh.mtx", "tm_W.mtx"};

// The forces of unit gravity on the frame without its feet.
static void write_weight(const Frame* f) {
    FILE* file = fopen("tm_W.mtx", "w");
    assert_non_null(file);
    fprintf(file, "%%%%MatrixMarket matrix array real general\n%d 3\n", N - 6);
    for (int d = 0; d < 3; d++) {
        for (int i = 3; i < N - 3; i++) {
            double sum = 0.0;
            for (int j = d; j < N && d < 2; j += 3) {
                sum += f->M[i * N + j];
            }
            fprintf(file, "%.17g\n", sum);
        }
    }
    fclose(file);
}

static int set_up(void** state) {
    (void)state;
    Frame* f = make_frame();
    write_matrix("tm_M.mtx", f->M, 0);
    write_matrix("tm_K.mtx", f->K, 0);
    write_matrix("tm_Mh.mtx", f->M, 3);  // the feet are clamped by leaving their rows out
    write_matrix("tm_Kh.mtx", f->K, 3);
    write_weight(f);
    free(f);
    return 0;
}

static int tear_down(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        remove(FILES[i]);
    }
    return 0;
}

#define MEMBERS                                                                                \
    "materials: {steel: {E: 210e9, nu: 0.3, density: 7850}}\n"                                 \
    "sections: {bar: {type: general, material: steel, A: 1.2e-3, Iz: 8e-7}}\n"                 \
    "structures:\n"                                                                            \
    "  frame:\n"                                                                               \
    "    plane: xy\n"                                                                          \
    "    nodes: {A: {at: [0, 0], support: clamped}, B: [0, 3], C: [4, 3], D: {at: [4, 0], "    \
    "support: clamped}}\n"                                                                     \
    "    members: {left: {from: A, to: B, section: bar, elements: 6}, beam: {from: B, to: C, " \
    "section: bar, elements: 6}, right: {from: C, to: D, section: bar, elements: 6}}\n"

#define MATRICES(extra)                                                       \
    "structures:\n"                                                           \
    "  frame:\n"                                                              \
    "    matrices: {mass: tm_M.mtx, stiffness: tm_K.mtx}\n"                   \
    "    nodes:\n"                                                            \
    "      A: {at: [0, 0, 0], dofs: {x: 1, y: 2, rz: 3}, support: clamped}\n" \
    "      B: {at: [0, 3, 0], dofs: {x: 19, y: 20, rz: 21}}\n"                \
    "      C: {at: [4, 3, 0], dofs: {x: 37, y: 38, rz: 39}}\n"                \
    "      D: {at: [4, 0, 0], dofs: {x: 55, y: 56, rz: 57}, support: clamped}\n" extra

static const char HELD_MATRICES[] =
    "structures:\n"
    "  frame:\n"
    "    matrices: {mass: tm_Mh.mtx, stiffness: tm_Kh.mtx, weight: tm_W.mtx}\n"
    "    nodes:\n"
    "      B: {at: [0, 3, 0], dofs: {x: 16, y: 17, rz: 18}}\n"
    "      C: {at: [4, 3, 0], dofs: {x: 34, y: 35, rz: 36}}\n";

// A pull on the corner that is let go.
#define PULL(outputs)                                                                          \
    "gravity: [0, 0, 0]\n"                                                                     \
    "forces: {pull: {type: force, point: frame.B, value: [1000, -300, 0]}}\n"                  \
    "outputs: {corner: {type: position, point: frame.B}, other: {type: position, point: "      \
    "frame.C}" outputs                                                                         \
    "}\n"                                                                                      \
    "simulation: {duration: 0.1, sample: 0.005, rtol: 1e-10, atol: 1e-13, integrator: radau, " \
    "start_at: equilibrium, release: [pull]}\n"
#define PULLED PULL("")
#define ENERGY PULL(", energy: {type: energy}")

// A rigid body on a corner, a spring with a damper at the other, under gravity.
#define LOADED                                                                                 \
    "gravity: [0, -9.81, 0]\n"                                                                 \
    "bodies: {tank: {position: [0, 3, 0], mass: 40, center: [-0.2, 0.5, 0], inertia: [2, 2, "  \
    "3]}}\n"                                                                                   \
    "joints: {weld: {type: fixed, between: [frame.B, tank], point: [0, 3, 0]}}\n"              \
    "forces:\n"                                                                                \
    "  stay: {type: spring, a: {body: ground, at: [7, 0, 0]}, b: frame.C, stiffness: 30000, "  \
    "damping: 200, rest: 4.1}\n"                                                               \
    "  pull: {type: force, point: frame.B, value: [1000, 0, 0]}\n"                             \
    "outputs: {corner: {type: position, point: frame.B}, other: {type: position, point: "      \
    "frame.C}, angle: frame.B.q3}\n"                                                           \
    "simulation: {duration: 0.1, sample: 0.005, rtol: 1e-10, atol: 1e-13, integrator: radau, " \
    "start_at: equilibrium, release: [pull]}\n"

// The lowest undamped frequencies, rad/s.
static void calc_frequencies(const char* text, int n, double* omega) {
    FbModel* model = test_model_from_text(text);
    FbOperatingOptions o = {.kind = FB_AT_EQUILIBRIUM};
    FbOperatingPoint* point = NULL;
    FbLinearOptions options = fb_linear_options_default();
    FbLinearization* l = NULL;
    FbError err;
    FbStatus status = fb_operating_point_create(model, &o, &point, &err);
    if (status == FB_OK) {
        status = fb_linearization_create(point, &options, &l, &err);
    }
    if (status == FB_OK) {
        status = fb_linearization_run_undamped(l, &err);
    }
    if (status != FB_OK) {
        fail_msg("%s", err.text);
    }
    FbModelInfo info;
    fb_model_get_info(model, &info);
    double* share = calloc((size_t)info.n_bodies + 1, sizeof *share);
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        omega[i] = fb_linearization_get_mode(l, i)->im;
        assert_int_equal(fb_linearization_calc_participation(l, i, share), FB_OK);
        for (int b = 0; b < info.n_bodies; b++) {
            sum += share[b];
        }
        test_close("shares of the bodies", sum, 1.0, 1e-12);
    }
    free(share);
    fb_linearization_destroy(l);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
}

// The largest difference of two runs in any output.
static double compare(const char* a_text, const char* b_text) {
    TestRun a = test_run_text(a_text, (TestMethod){0}), b = test_run_text(b_text, (TestMethod){0});
    double largest = 0.0;
    assert_int_equal(a.n_rows, b.n_rows);
    for (int i = 0; i < a.n_rows; i++) {
        for (int c = 0; c < fb_result_get_column_count(a.result); c++) {
            largest = fmax(largest, fabs(fb_result_get_value(a.result, i, c) -
                                         fb_result_get_value(b.result, i, c)));
        }
    }
    test_run_free(&a);
    test_run_free(&b);
    return largest;
}

#define HEADER "flyball: 1\n"

static void frequencies_are_those_of_the_members(void** state) {
    (void)state;
    enum { MODES = 20 };
    double members[MODES], matrices[MODES], held[MODES];
    calc_frequencies(HEADER MEMBERS PULLED, MODES, members);
    calc_frequencies(HEADER MATRICES("") PULLED, MODES, matrices);
    calc_frequencies(
        "flyball: 1\ngravity: [0, -9.81, 0]\n"
        "structures: {frame: {matrices: {mass: "
        "tm_Mh.mtx, stiffness: tm_Kh.mtx, weight: tm_W.mtx}, nodes: {B: {at: [0, 3, 0], "
        "dofs: {x: 16, y: 17, rz: 18}}}}}\noutputs: {x: frame.B.q}\n",
        MODES, held);
    test_close("sway", matrices[0], 41.85761855305, 1e-9 * 41.86);  // benchmark S3, bare frame
    for (int i = 0; i < MODES; i++) {
        test_close("frequency", matrices[i], members[i], 1e-10 * members[i]);
        test_close("held frequency", held[i], members[i], 1e-10 * members[i]);
    }
}

static void motion_is_that_of_the_members(void** state) {
    (void)state;
    assert_true(compare(HEADER MEMBERS PULLED, HEADER MATRICES("") PULLED) < 1e-9);
    // 1000 N move the corner by millimetres, so that the above says something.
    TestRun run = test_run_text(HEADER MATRICES("") ENERGY, (TestMethod){0});
    assert_true(test_run_value(&run, 0, "corner.x") > 5e-3);
    assert_true(test_run_drift(&run, "energy") < 1e-8 * test_run_value(&run, 0, "energy"));
    test_run_free(&run);
}

static void bodies_springs_and_gravity_attach(void** state) {
    (void)state;
    char held[3000];
    snprintf(held, sizeof held, "flyball: 1\n%s%s", HELD_MATRICES, LOADED);
    assert_true(compare(HEADER MEMBERS LOADED, HEADER MATRICES("") LOADED) < 1e-9);
    assert_true(compare(HEADER MEMBERS LOADED, held) < 1e-9);
}

// With few modes the low frequencies are close and from above; statics is exact.
static void reduced_frames_converge(void** state) {
    (void)state;
    enum { MODES = 6 };
    double whole[MODES], reduced[MODES], before = INFINITY;
    calc_frequencies(HEADER MATRICES("") PULLED, MODES, whole);
    static const char* const reductions[] = {"    reduce: {modes: 3}\n", "    reduce: {modes: 8}\n",
                                             "    reduce: {modes: 20}\n"};
    for (int k = 0; k < 3; k++) {
        char text[3000];
        snprintf(text, sizeof text, "flyball: 1\n%s%s%s", MATRICES(""), reductions[k], PULLED);
        calc_frequencies(text, MODES, reduced);
        double worst = 0.0;
        for (int i = 0; i < (k == 0 ? 3 : MODES); i++) {
            assert_true(reduced[i] > whole[i] * (1.0 - 1e-10));
            worst = fmax(worst, reduced[i] / whole[i] - 1.0);
        }
        // 3 modes: 2.3e-2 (of three frequencies); 8: 2.6e-3; 20: 1.3e-5 (of six).
        assert_true(worst < (k == 2 ? 1e-2 : 1.0) * before);
        before = worst;
        TestRun a = test_run_text(HEADER MATRICES("") PULLED, (TestMethod){0});
        TestRun b = test_run_text(text, (TestMethod){0});
        test_close("static", test_run_value(&b, 0, "corner.x"), test_run_value(&a, 0, "corner.x"),
                   1e-14);
        test_run_free(&a);
        test_run_free(&b);
    }
}

// Turned as an instance of a template, with gravity turned along: nothing changes.
static void instances_are_turned(void** state) {
    (void)state;
    static const char turned[] =
        "flyball: 1\n"
        "gravity: [9.81, 0, 0]\n"  // -y of the template
        "templates:\n"
        "  portal:\n"
        "    structures:\n"
        "      frame:\n"
        "        matrices: {mass: tm_M.mtx, stiffness: tm_K.mtx}\n"
        "        nodes:\n"
        "          A: {at: [0, 0, 0], dofs: {x: 1, y: 2, rz: 3}, support: clamped}\n"
        "          B: {at: [0, 3, 0], dofs: {x: 19, y: 20, rz: 21}}\n"
        "          D: {at: [4, 0, 0], dofs: {x: 55, y: 56, rz: 57}, support: clamped}\n"
        "instances: {p: {template: portal, position: [1, 2, 3], orientation: {axis: [0, 0, 1], "
        "angle: 90 deg}}}\n"
        "outputs: {sag: p.frame.B.q2}\n"
        "simulation: {duration: 0, start_at: equilibrium}\n";
    static const char straight[] =
        "flyball: 1\n"
        "gravity: [0, -9.81, 0]\n" MEMBERS
        "outputs: {sag: frame.B.q2}\n"
        "simulation: {duration: 0, start_at: equilibrium}\n";
    TestRun a = test_run_text(turned, (TestMethod){0}),
            b = test_run_text(straight, (TestMethod){0});
    double sag = test_run_value(&b, 0, "sag");
    assert_true(sag < -1e-6);
    test_close("sag", test_run_value(&a, 0, "sag"), sag, 1e-9 * fabs(sag));
    test_run_free(&a);
    test_run_free(&b);
}

// A mass driven along a massless guide whose nodes are welded to those of the main body, once by
// members, once by matrices.
static void a_slider_runs_on_a_massless_guide(void** state) {
    (void)state;
    static const char guide[] =
        "materials: {steel: {E: 210e9, nu: 0.3, density: 7850}, ghost: {E: 1e9, nu: 0.3, density: "
        "0}}\n"
        "sections: {bar: {type: general, material: steel, A: 1.2e-3, Iz: 8e-7}, rail: {type: "
        "general, "
        "material: ghost, A: 1e-5, Iz: 1e-9}}\n";
    static const char rail[] =
        "  rail:\n"
        "    plane: xy\n"
        "    nodes: {P: {at: [0, 3], body: frame.B}, Q: {at: [2, 3], body: frame.%s}, R: {at: [4, "
        "3], body: "
        "frame.C}}\n"
        "    members: {a: {from: P, to: Q, section: rail}, b: {from: Q, to: R, section: rail}}\n"
        "sliders: {m: {guide: [rail.a, rail.b], mass: 7.5, value: '2 + 1.5*sin(20*t)'}}\n";
    static const char frame[] =
        "structures:\n"
        "  frame:\n"
        "    plane: xy\n"
        "    nodes: {A: {at: [0, 0], support: clamped}, B: [0, 3], C: [4, 3], D: {at: [4, 0], "
        "support: "
        "clamped}}\n"
        "    members: {left: {from: A, to: B, section: bar, elements: 6}, beam: {from: B, to: C, "
        "section: bar, "
        "elements: 6}, right: {from: C, to: D, section: bar, elements: 6}}\n";
    char a[5000], b[5000], part[1000];
    snprintf(part, sizeof part, rail, "beam.n3");
    snprintf(a, sizeof a, "flyball: 1\n%s%s%s%s", guide, frame, part, PULLED);
    snprintf(part, sizeof part, rail, "E");
    snprintf(b, sizeof b, "flyball: 1\n%s%s%s%s", guide,
             MATRICES("      E: {at: [2, 3, 0], dofs: {x: 28, y: 29, rz: 30}}\n"), part, PULLED);
    assert_true(compare(a, b) < 1e-9);
}

static void unknown_weight_is_an_error(void** state) {
    (void)state;
    FbDiagnostics* list = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    static const char text[] =
        "flyball: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "structures: {frame: {matrices: {mass: tm_Mh.mtx, stiffness: tm_Kh.mtx}, nodes: {B: {at: "
        "[0, "
        "3, 0], dofs: {x: 16, y: 17, rz: 18}}}}}\n";
    assert_int_equal(fb_model_def_read_text(text, strlen(text), "m.yaml", NULL, &def, list), FB_OK);
    assert_true(fb_model_create(def, &model, list) < 0);
    assert_int_equal(fb_diagnostics_error_count(list), 1);
    assert_non_null(strstr(fb_diagnostics_get(list, 0)->text, "give the file 'weight'"));
    assert_int_equal(fb_diagnostics_get(list, 0)->place.line, 3);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies_are_those_of_the_members),
        cmocka_unit_test(motion_is_that_of_the_members),
        cmocka_unit_test(bodies_springs_and_gravity_attach),
        cmocka_unit_test(reduced_frames_converge),
        cmocka_unit_test(instances_are_turned),
        cmocka_unit_test(a_slider_runs_on_a_massless_guide),
        cmocka_unit_test(unknown_weight_is_an_error),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
