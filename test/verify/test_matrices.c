// Structures from matrices against the same structures by members: a portal frame is assembled here
// from the textbook matrices, which files beside this one hold, and read as a main body from
// outside.
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

#define MODELS "test/verify/matrices/"

// The entries of a Matrix Market file [n x n_columns], dense.
static double* read_matrix(const char* path, int n, int n_columns) {
    FILE* file = fopen(path, "r");
    char line[100];
    int n_rows, columns, count = n * n_columns;
    double* a = calloc((size_t)n * (size_t)n_columns, sizeof *a);
    assert_non_null(file);
    assert_non_null(a);
    assert_non_null(fgets(line, sizeof line, file));
    bool is_array = strstr(line, "array") != NULL;
    assert_non_null(fgets(line, sizeof line, file));
    assert_true(sscanf(line, "%d %d %d", &n_rows, &columns, &count) == (is_array ? 2 : 3));
    assert_int_equal(n_rows, n);
    for (int k = 0; k < count; k++) {
        int i = k % n + 1, j = k / n + 1;
        double x;
        assert_non_null(fgets(line, sizeof line, file));
        assert_true(is_array ? sscanf(line, "%lf", &x) == 1
                             : sscanf(line, "%d %d %lf", &i, &j, &x) == 3);
        a[(i - 1) * n_columns + j - 1] = x;
        if (!is_array) {
            a[(j - 1) * n_columns + i - 1] = x;
        }
    }
    fclose(file);
    return a;
}

static void compare_matrix(const char* path, const double* a, int skip) {
    int n = N - 2 * skip;
    double* b = read_matrix(path, n, n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double exact = a[(i + skip) * N + j + skip];
            assert_true(fabs(b[i * n + j] - exact) <= 1e-12 * fabs(exact));
        }
    }
    free(b);
}

// The forces of unit gravity on the frame without its feet.
static void compare_weight(const Frame* f) {
    double* w = read_matrix(MODELS "W_held.mtx", N - 6, 3);
    for (int d = 0; d < 3; d++) {
        for (int i = 3; i < N - 3; i++) {
            double sum = 0.0;
            for (int j = d; j < N && d < 2; j += 3) {
                sum += f->M[i * N + j];
            }
            assert_true(fabs(w[(i - 3) * 3 + d] - sum) <= 1e-12);
        }
    }
    free(w);
}

static void files_are_the_matrices_of_the_textbook(void** state) {
    (void)state;
    Frame* f = make_frame();
    compare_matrix(MODELS "M.mtx", f->M, 0);
    compare_matrix(MODELS "K.mtx", f->K, 0);
    compare_matrix(MODELS "M_held.mtx", f->M, 3);  // the feet are clamped by leaving them out
    compare_matrix(MODELS "K_held.mtx", f->K, 3);
    compare_weight(f);
    free(f);
}

// The lowest undamped frequencies, rad/s.
static void calc_frequencies(FbModel* model, int n, double* omega) {
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

// The largest difference of two runs in any output that both have.
static double compare(const char* a_path, const char* b_path) {
    TestRun a = test_run_file(a_path, (TestMethod){0}), b = test_run_file(b_path, (TestMethod){0});
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

static void frequencies_are_those_of_the_members(void** state) {
    (void)state;
    enum { MODES = 20 };
    double members[MODES], matrices[MODES], held[MODES];
    calc_frequencies(test_model_from_file(MODELS "members_pulled.yaml"), MODES, members);
    calc_frequencies(test_model_from_file(MODELS "matrices_pulled.yaml"), MODES, matrices);
    calc_frequencies(test_model_from_file(MODELS "held.yaml"), MODES, held);
    test_close("sway", matrices[0], 41.85761855305, 1e-9 * 41.86);  // benchmark S3, bare frame
    for (int i = 0; i < MODES; i++) {
        test_close("frequency", matrices[i], members[i], 1e-10 * members[i]);
        test_close("held frequency", held[i], members[i], 1e-10 * members[i]);
    }
}

static void motion_is_that_of_the_members(void** state) {
    (void)state;
    assert_true(compare(MODELS "members_pulled.yaml", MODELS "matrices_pulled.yaml") < 1e-9);
    // 1000 N move the corner by millimetres, so that the above says something.
    TestRun run = test_run_file(MODELS "matrices_pulled.yaml", (TestMethod){0});
    assert_true(test_run_value(&run, 0, "corner.x") > 5e-3);
    assert_true(test_run_drift(&run, "energy") < 1e-8 * test_run_value(&run, 0, "energy"));
    test_run_free(&run);
}

static void bodies_springs_and_gravity_attach(void** state) {
    (void)state;
    assert_true(compare(MODELS "members_loaded.yaml", MODELS "matrices_loaded.yaml") < 1e-9);
    assert_true(compare(MODELS "members_loaded.yaml", MODELS "held_loaded.yaml") < 1e-9);
}

// With few modes the low frequencies are close and from above; statics is exact.
static void reduced_frames_converge(void** state) {
    (void)state;
    enum { MODES = 6 };
    static const int KEPT[] = {3, 8, 20};
    double whole[MODES], reduced[MODES], before = INFINITY;
    calc_frequencies(test_model_from_file(MODELS "matrices_pulled.yaml"), MODES, whole);
    TestRun a = test_run_file(MODELS "matrices_pulled.yaml", (TestMethod){0});
    for (int k = 0; k < 3; k++) {
        calc_frequencies(test_model_with(MODELS "matrices_reduced.yaml", "modes=%d", KEPT[k]),
                         MODES, reduced);
        double worst = 0.0;
        for (int i = 0; i < (k == 0 ? 3 : MODES); i++) {
            assert_true(reduced[i] > whole[i] * (1.0 - 1e-10));
            worst = fmax(worst, reduced[i] / whole[i] - 1.0);
        }
        // 3 modes: 2.3e-2 (of three frequencies); 8: 2.6e-3; 20: 1.3e-5 (of six).
        assert_true(worst < (k == 2 ? 1e-2 : 1.0) * before);
        before = worst;
        TestRun b =
            test_run_with(MODELS "matrices_reduced.yaml", (TestMethod){0}, "modes=%d", KEPT[k]);
        test_close("static", test_run_value(&b, 0, "corner.x"), test_run_value(&a, 0, "corner.x"),
                   1e-14);
        test_run_free(&b);
    }
    test_run_free(&a);
}

// Turned as an instance of a template, with gravity turned along: nothing changes.
static void instances_are_turned(void** state) {
    (void)state;
    TestRun a = test_run_file(MODELS "turned.yaml", (TestMethod){0});
    TestRun b = test_run_file(MODELS "straight.yaml", (TestMethod){0});
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
    assert_true(compare(MODELS "members_guide.yaml", MODELS "matrices_guide.yaml") < 1e-9);
}

static void unknown_weight_is_an_error(void** state) {
    (void)state;
    FbDiagnostics* list = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    assert_int_equal(fb_model_def_read_file(MODELS "weight_missing.yaml", NULL, &def, list), FB_OK);
    assert_true(fb_model_create(def, &model, list) < 0);
    assert_int_equal(fb_diagnostics_error_count(list), 1);
    assert_non_null(strstr(fb_diagnostics_get(list, 0)->text, "give the file 'weight'"));
    assert_int_equal(fb_diagnostics_get(list, 0)->place.line, 4);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_the_matrices_of_the_textbook),
        cmocka_unit_test(frequencies_are_those_of_the_members),
        cmocka_unit_test(motion_is_that_of_the_members),
        cmocka_unit_test(bodies_springs_and_gravity_attach),
        cmocka_unit_test(reduced_frames_converge),
        cmocka_unit_test(instances_are_turned),
        cmocka_unit_test(a_slider_runs_on_a_massless_guide),
        cmocka_unit_test(unknown_weight_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
