// Structures from matrices: what they become, and everything that can be wrong with them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
// cmocka needs the headers above.
#include <cmocka.h>

#include "describe/def.h"
#include "model_types.h"
#include "read/read.h"

static void write_file(const char* path, const char* text) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

#define HEAD "%%MatrixMarket matrix coordinate real symmetric\n"

// A chain of four masses and springs, free at both ends.
static const char MASS[] = HEAD "4 4 4\n1 1 1\n2 2 2\n3 3 3\n4 4 4\n";
static const char SPRINGS[] =
    HEAD "4 4 7\n1 1 10\n2 1 -10\n2 2 30\n3 2 -20\n3 3 50\n4 3 -30\n4 4 30\n";

static FbModelDef* read_model(const char* text, FbDiagnostics* list) {
    FbTypeSet types = test_types();
    FbModelDef* def = NULL;
    fb_read_model(text, strlen(text), "m.yaml", NULL, &types, &def, list);
    return def;
}

static FbModelDef* read_good(const char* structure) {
    char text[2000];
    FbDiagnostics* list = fb_diagnostics_create();
    snprintf(text, sizeof text, "flyball: 1\nstructures:\n  s: %s\n", structure);
    write_file("tmm_m.mtx", MASS);
    write_file("tmm_k.mtx", SPRINGS);
    FbModelDef* def = read_model(text, list);
    for (int i = 0; i < fb_diagnostics_count(list); i++) {
        print_error("%s\n", fb_diagnostics_get(list, i)->text);
    }
    assert_non_null(def);
    fb_diagnostics_destroy(list);
    remove("tmm_m.mtx");
    remove("tmm_k.mtx");
    return def;
}

static double entry(const FbSuperelementDef* e, const double* values, int row, int col) {
    double sum = 0.0;
    for (int i = 0; i < e->n_entries; i++) {
        sum += e->rows[i] == row && e->cols[i] == col ? values[i] : 0.0;
    }
    return sum;
}

static void rows_become_joints(void** state) {
    (void)state;
    FbModelDef* def = read_good(
        "{matrices: {mass: tmm_m.mtx, stiffness: tmm_k.mtx}, damping: {alpha: 0.5, beta: 0.1}, "
        "nodes: {A: {at: [1, 2, 3], dofs: {y: 3}}}}");
    assert_int_equal(def->n_superelements, 1);
    const FbSuperelementDef* e = &def->superelements[0];
    assert_int_equal(e->n, 4);
    const char* const names[] = {"s.A", "s.d1", "s.d2", "s.d4"};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(e->coordinates[i].joint, names[i]);
        assert_true(fb_def_find_body(def, NULL, names[i]) >= 0);
    }
    int j = fb_def_find_joint(def, NULL, "s.A");
    assert_string_equal(def->joints[j].type, "prismatic");
    assert_true(def->joints[j].axis[1] == 1.0 && def->joints[j].point[2] == 3.0);
    assert_true(entry(e, e->mass, 0, 0) == 3.0 && entry(e, e->mass, 3, 3) == 4.0);
    assert_true(entry(e, e->stiffness, 2, 0) == -20.0 && entry(e, e->stiffness, 3, 0) == -30.0);
    assert_true(fabs(entry(e, e->damping, 0, 0) - (0.5 * 3.0 + 0.1 * 50.0)) < 1e-15);
    // All rows follow the node along y.
    for (int i = 0; i < 4; i++) {
        const double m[] = {3, 1, 2, 4};
        assert_true(fabs(e->weight[4 + i] - m[i]) < 1e-14 && e->weight[i] == 0.0);
    }
    fb_model_def_destroy(def);
}

static void reduced_rows_become_modes(void** state) {
    (void)state;
    FbModelDef* def = read_good(
        "{matrices: {mass: tmm_m.mtx, stiffness: tmm_k.mtx}, reduce: {modes: 2}, "
        "nodes: {A: {at: [1, 2, 3], dofs: {x: 1}}}}");
    const FbSuperelementDef* e = &def->superelements[0];
    assert_int_equal(e->n, 3);
    assert_string_equal(e->coordinates[2].joint, "s.mode2");
    // The whole mass hangs on the one node, which nothing holds.
    assert_true(fabs(entry(e, e->mass, 0, 0) - 10.0) < 1e-13);
    assert_true(fabs(entry(e, e->stiffness, 0, 0)) < 1e-13);
    assert_true(fabs(e->weight[0] - 10.0) < 1e-13);
    fb_model_def_destroy(def);
}

// The joint fits the directions that a node has; clamped nodes leave the equations.
static void nodes_get_the_joint_that_fits(void** state) {
    (void)state;
    static const struct {
        const char* dofs;
        const char* type;
        int indices[4];
    } cases[] = {
        {"{x: 1, y: 2, z: 3}", "translation", {0, 1, 2, 0}},
        {"{x: 1, y: 2, rz: 3}", "planar", {0, 1, 2, 0}},
        {"{x: 1, z: 2, ry: 3}", "planar", {1, 0, 2, 0}},
        {"{y: 1, z: 2, rx: 3}", "planar", {0, 1, 2, 0}},
        {"{x: 1, y: 2}", "prismatic", {0, 0, 0, 0}},
        {"{x: 1, ry: 2, rz: 3}", "revolute", {0, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{matrices: {mass: tmm_m.mtx, stiffness: tmm_k.mtx}, nodes: {A: {at: [0, 0, 0], "
                 "dofs: %s}, B: {at: [1, 0, 0], dofs: {x: 4}, support: clamped}}}",
                 cases[i].dofs);
        FbModelDef* def = read_good(text);
        const FbSuperelementDef* e = &def->superelements[0];
        assert_int_equal(e->n, 3);
        int j = fb_def_find_joint(def, NULL, "s.A");
        assert_string_equal(def->joints[j].type, cases[i].type);
        assert_string_equal(def->joints[fb_def_find_joint(def, NULL, "s.B")].type, "fixed");
        for (int k = 0; k < 3; k++) {
            assert_int_equal(e->coordinates[k].index, cases[i].indices[k]);
        }
        assert_true(entry(e, e->stiffness, 2, 2) == 50.0);
        fb_model_def_destroy(def);
    }
}

// Supports that are built into the stiffness hide how the other rows translate.
static void weight_is_known_where_it_can_be(void** state) {
    (void)state;
    write_file("tmm_held.mtx", HEAD
               "4 4 7\n1 1 10\n2 1 -10\n2 2 30\n3 2 -20\n3 3 50\n4 3 -30\n"
               "4 4 90\n");
    FbModelDef* def = read_good(
        "{matrices: {mass: tmm_m.mtx, stiffness: tmm_held.mtx}, "
        "nodes: {A: {at: [0, 0, 0], dofs: {z: 1}}}}");
    assert_null(def->superelements[0].weight);
    fb_model_def_destroy(def);
    write_file("tmm_t.mtx",
               "%%MatrixMarket matrix array real general\n4 3\n0\n0\n0\n0\n0\n0\n0\n0\n"
               "1\n2\n3\n4\n");
    def = read_good(
        "{matrices: {mass: tmm_m.mtx, stiffness: tmm_held.mtx, weight: tmm_t.mtx}, "
        "nodes: {A: {at: [0, 0, 0], dofs: {z: 1}}}}");
    const double* w = def->superelements[0].weight;
    assert_non_null(w);
    assert_true(w[8] == 1.0 && w[9] == 2.0 && w[10] == 3.0 && w[11] == 4.0 && w[0] == 0.0);
    fb_model_def_destroy(def);
    remove("tmm_held.mtx");
    remove("tmm_t.mtx");
}

typedef struct Bad {
    const char *mass, *stiffness;  // NULL: those of the chain; "": no file
    const char* rest;              // after the matrices
    const char* message;
    const char* file;  // where the error is
    int line;
} Bad;

#define NODE "nodes: {A: {at: [0, 0, 0], dofs: {x: 1}}}"

static void everything_wrong_is_told(void** state) {
    (void)state;
    static const Bad cases[] = {
        {"", NULL, NODE, "cannot read the file", "tmm_m.mtx", 0},
        {NULL, "hello\n", NODE, "not a Matrix Market file", "tmm_k.mtx", 1},
        {NULL, HEAD "4 4 2\n1 1 5\n5 5 1\n", NODE, "(5, 5) is outside", "tmm_k.mtx", 4},
        {"%%MatrixMarket matrix coordinate real general\n4 3 1\n1 1 1\n", NULL, NODE,
         "is 4 x 3; it must be square", "m.yaml", 3},
        {NULL, HEAD "3 3 1\n1 1 1\n", NODE, "has 3 rows, but the mass matrix has 4", "m.yaml", 3},
        {NULL,
         "%%MatrixMarket matrix coordinate real general\n4 4 6\n1 1 1\n2 2 4\n3 3 1\n4 4 1\n1 2 "
         "-.5\n2 1 -.7\n",
         NODE, "is not symmetric: entry (2, 1) is -0.7, but (1, 2) is -0.5, 0.1 of", "m.yaml", 3},
        {HEAD "4 4 4\n1 1 1\n2 2 -2\n3 3 3\n4 4 4\n", NULL, NODE,
         "mass matrix 'tmm_m.mtx' is not positive semi-definite: entry (2, 2)", "m.yaml", 3},
        {NULL, HEAD "4 4 5\n1 1 1\n2 2 1\n3 3 1\n4 4 1\n2 1 3\n", NODE,
         "stiffness matrix 'tmm_k.mtx' is not positive semi-definite: eliminating", "m.yaml", 3},
        {NULL, NULL, "nodes: {A: {at: [0, 0, 0], dofs: {x: 5}}}", "x is row 5, but the matrices",
         "m.yaml", 3},
        {NULL, NULL, "nodes: {A: {at: [0, 0, 0], dofs: {x: 0}}}", "x is 0; it must be >= 1",
         "m.yaml", 3},
        {NULL, NULL, "nodes: {A: {at: [0, 0, 0], dofs: {x: 1}}, B: {at: [0, 0, 0], dofs: {y: 1}}}",
         "node 'B': y is row 1, which is already x of node 'A'", "m.yaml", 3},
        {NULL, NULL, "nodes: {A: {at: [0, 0, 0]}}", "a node needs 'dofs'", "m.yaml", 3},
        {NULL, NULL, "nodes: {A: {at: [0, 0, 0], dofs: {}}}", "has no rows in the matrices",
         "m.yaml", 3},
        {NULL, NULL, "nodes: {}", "no named nodes", "m.yaml", 3},
        {NULL, NULL, "node: {}", "unknown key 'node'", "m.yaml", 3},
        {NULL, NULL, NODE ", reduce: {modes: -1}", "modes is -1; it must be >= 0", "m.yaml", 3},
        {NULL, HEAD "4 4 5\n1 1 10\n2 1 -10\n2 2 10\n3 3 1\n4 4 0\n", NODE ", reduce: {modes: 1}",
         "row 4 can move without stiffness", "m.yaml", 3},
        {HEAD "4 4 3\n1 1 1\n2 2 1\n3 3 1\n", NULL, NODE, "row 4 of structure 's' has no mass",
         "m.yaml", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Bad* c = &cases[i];
        char text[1000];
        snprintf(
            text, sizeof text,
            "flyball: 1\nstructures:\n  s: {matrices: {mass: tmm_m.mtx, stiffness: tmm_k.mtx}, "
            "%s}\noutputs: {x: s.A.q}\n",
            c->rest);
        remove("tmm_m.mtx");
        if (!c->mass || c->mass[0]) {
            write_file("tmm_m.mtx", c->mass ? c->mass : MASS);
        }
        write_file("tmm_k.mtx", c->stiffness ? c->stiffness : SPRINGS);
        FbDiagnostics* list = fb_diagnostics_create();
        FbModelDef* def = read_model(text, list);
        const FbDiagnostic* d = fb_diagnostics_get(list, 0);
        if (def || !d || !strstr(d->text, c->message) || strcmp(d->place.file, c->file) != 0 ||
            d->place.line != c->line) {
            fail_msg("case %zu (%s): %s:%d: %s", i, c->message, d ? d->place.file : "",
                     d ? d->place.line : 0, d ? d->text : "no error");
        }
        // Names of its parts are not reported as well.
        assert_int_equal(fb_diagnostics_error_count(list), 1);
        fb_diagnostics_destroy(list);
    }
    remove("tmm_m.mtx");
    remove("tmm_k.mtx");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_become_joints),
        cmocka_unit_test(reduced_rows_become_modes),
        cmocka_unit_test(nodes_get_the_joint_that_fits),
        cmocka_unit_test(weight_is_known_where_it_can_be),
        cmocka_unit_test(everything_wrong_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
