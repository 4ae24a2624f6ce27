// Models that are made again from one source with other parameters: what did not change is kept,
// and the model has the same bits as one that is read and compiled from scratch.
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../every.h"
#include "base/text.h"
#include "model/model.h"
#include "model_file.h"

enum { MOST_OUTPUTS = 2048, MOST_PARAMETERS = 32, LARGE = 60 };

static FbSource* read_source(const char* path) {
    FbDiagnostics* messages = fb_diagnostics_create();
    FbSource* source;
    if (fb_source_read_file(path, &source, messages) != FB_OK) {
        fail_msg("%s", fb_diagnostics_get(messages, 0)->text);
    }
    fb_diagnostics_destroy(messages);
    return source;
}

// `source` NULL: from the file. *text is the first error.
static FbModel* make(const FbSource* source, const char* path, const FbOverride* set, int n,
                     char text[FB_ERROR_TEXT]) {
    FbDiagnostics* messages = fb_diagnostics_create();
    FbReadOptions options = {.overrides = set, .n_overrides = n};
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbStatus status = source ? fb_source_create_def(source, &options, &def, messages)
                             : fb_model_def_read_file(path, &options, &def, messages);
    if (status == FB_OK) {
        fb_model_create(def, &model, messages);
    }
    text[0] = '\0';
    for (int i = 0; !model && !text[0] && i < fb_diagnostics_count(messages); i++) {
        const FbDiagnostic* d = fb_diagnostics_get(messages, i);
        if (d->severity == FB_SEVERE) {
            snprintf(text, FB_ERROR_TEXT, "%d:%d: %s", d->place.line, d->place.col, d->text);
        }
    }
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(messages);
    return model;
}

// Outputs after some steps; the number of those, or minus the status.
static int run(const FbModel* model, double* y) {
    FbRunOptions options = fb_run_options_default(model);
    FbSimulation* sim = NULL;
    FbError err = {0};
    double h = fb_model_get_settings(model)->duration / 500.0;
    FbStatus status = fb_simulation_create(model, &options, &sim, &err);
    for (int k = 0; status == FB_OK && k < 3; k++) {
        status = fb_simulation_step(sim, h, &err);
    }
    if (status >= 0) {
        status = fb_simulation_calc_outputs(sim, y, &err);
    }
    fb_simulation_destroy(sim);
    return status < 0 ? (int)status : fb_model_get_output_count(model);
}

static void compare_runs(const char* what, const FbModel* a, const FbModel* b) {
    static double x[MOST_OUTPUTS], y[MOST_OUTPUTS];
    assert_true(fb_model_get_output_count(a) <= MOST_OUTPUTS);
    if (a->tree.n_v > LARGE) {
        return;
    }
    int n = run(a, x);
    assert_int_equal(n, run(b, y));
    for (int i = 0; i < n; i++) {
        if (memcmp(&x[i], &y[i], sizeof *x) != 0) {
            fail_msg("%s: %s is %.17g, from scratch %.17g", what, fb_model_get_output_name(a, i),
                     x[i], y[i]);
        }
    }
}

// The model of the source and that of the file, with the same overrides; false: both are refused,
// with the same words.
static bool compare(const FbSource* source, const char* path, const FbOverride* set, int n) {
    char text[FB_ERROR_TEXT], other[FB_ERROR_TEXT], what[400];
    FbModel* kept = make(source, path, set, n, text);
    FbModel* fresh = make(NULL, path, set, n, other);
    snprintf(what, sizeof what, "%s with %s = %s", path, n > 0 ? set[n - 1].name : "-",
             n > 0 ? set[n - 1].value : "-");
    assert_string_equal(text, other);
    if (!kept || !fresh) {
        assert_true(!kept && !fresh);
        return false;
    }
    if (strcmp(fb_model_get_hash(kept), fb_model_get_hash(fresh)) != 0) {
        fail_msg("%s: the models differ", what);
    }
    compare_runs(what, kept, fresh);
    fb_model_destroy(kept);
    fb_model_destroy(fresh);
    return true;
}

// Another value: one more of whole numbers, a little more of others.
static double change(double x) {
    bool is_count = x >= 0.0 && x < 100.0 && x == floor(x);
    return is_count ? x + 1.0 : 1.03 * x;
}

// Each parameter alone, then one after the other together, then all as they were; the number of
// models that could be made.
static int compare_all(const char* path, int every) {
    static char values[MOST_PARAMETERS][32];
    FbOverride set[MOST_PARAMETERS];
    char text[FB_ERROR_TEXT];
    FbSource* source = read_source(path);
    FbModel* model = make(source, path, NULL, 0, text);
    assert_non_null(model);
    int n = model->n_parameters, n_good = 0;
    assert_true(n <= MOST_PARAMETERS);
    for (int i = 0; i < n; i++) {
        fb_format_double(change(model->parameters[i].value), values[i]);
        set[i] = (FbOverride){model->parameters[i].name, values[i]};
    }
    for (int i = 0; i < n; i += every) {
        n_good += compare(source, path, &set[i], 1);
    }
    for (int i = 1; i <= n; i += every) {
        n_good += compare(source, path, set, i);
    }
    assert_true(compare(source, path, NULL, 0));
    fb_model_destroy(model);
    fb_source_destroy(source);
    return n_good;
}

static void test_shipped_models(void** state) {
    (void)state;
    int n = 0;
    DIR* dir = opendir("models");
    assert_non_null(dir);
    for (struct dirent* e; (e = readdir(dir)) != NULL;) {
        size_t length = strlen(e->d_name);
        if (length > 5 && strcmp(e->d_name + length - 5, ".yaml") == 0) {
            char path[300];
            snprintf(path, sizeof path, "models/%s", e->d_name);
            n += compare_all(path, TEST_EVERY(3));
        }
    }
    closedir(dir);
    print_message("%d models with other parameters\n", n);
    assert_true(n > 100 / TEST_EVERY(4));
}

#define PARTS "test/verify/recompile/parts.yaml"

// Also where a parameter decides on what there is.
static void test_all_kinds_of_parameters(void** state) {
    (void)state;
    static const char* const paths[] = {PARTS, "test/verify/recompile/prestressed.yaml",
                                        "test/verify/matrices/matrices_reduced.yaml",
                                        "test/verify/derivatives_inputs/loop.yaml"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_true(compare_all(paths[i], 1) > 0);
    }
}

static FbSourceCounts counts_of(const FbSource* source) {
    FbSourceCounts c;
    fb_source_get_counts(source, &c);
    return c;
}

// What a model with these parameters costs more than the last one.
static FbSourceCounts cost(const FbSource* source, const char* name, const char* value) {
    char text[FB_ERROR_TEXT];
    FbOverride set = {name, value};
    FbSourceCounts before = counts_of(source);
    FbModel* model = make(source, NULL, &set, name ? 1 : 0, text);
    if (!model) {
        fail_msg("%s", text);
    }
    fb_model_destroy(model);
    FbSourceCounts after = counts_of(source);
    after.structures_made -= before.structures_made;
    after.structures_taken -= before.structures_taken;
    after.formulas_made -= before.formulas_made;
    after.formulas_taken -= before.formulas_taken;
    return after;
}

static void expect_structures(const FbSource* source, const char* name, const char* value, int made,
                              int taken) {
    FbSourceCounts c = cost(source, name, value);
    if (c.structures_made != made || c.structures_taken != taken) {
        fail_msg("%s = %s: %d made, %d taken instead of %d, %d", name ? name : "-", value,
                 c.structures_made, c.structures_taken, made, taken);
    }
}

static void test_structures_are_kept(void** state) {
    (void)state;
    FbSource* source = read_source(PARTS);
    expect_structures(source, NULL, "", 2, 0);
    expect_structures(source, "k", "500", 0, 2);
    expect_structures(source, "push", "5", 0, 2);
    expect_structures(source, "unused", "7", 0, 2);
    expect_structures(source, "n", "4", 0, 2);  // it is read behind the structures
    expect_structures(source, "thickness", "8e-3", 2, 0);
    expect_structures(source, "E", "60e9", 2, 0);
    expect_structures(source, "side", "0.5", 2, 0);
    expect_structures(source, "cells", "3", 2, 0);
    expect_structures(source, "held", "1", 2, 0);
    expect_structures(source, "held", "1", 0, 2);
    expect_structures(source, NULL, "", 0, 2);
    fb_source_destroy(source);
    source = read_source("models/bracket.yaml");
    expect_structures(source, NULL, "", 1, 0);
    expect_structures(source, "w", "100", 0, 1);
    fb_source_destroy(source);
    // Its loads are evaluated by the statics of the mesh.
    source = read_source("test/verify/recompile/prestressed.yaml");
    expect_structures(source, NULL, "", 1, 0);
    expect_structures(source, "pull", "900", 1, 0);
    expect_structures(source, "pull", "900", 0, 1);
    fb_source_destroy(source);
}

static void test_tapes_are_kept(void** state) {
    (void)state;
    FbSource* source = read_source("models/governor.yaml");
    static const struct {
        const char *name, *value;
        int written, shared;
    } cases[] = {{NULL, "", 1, 0},    {"k", "7e5", 0, 1},   {"c", "3e4", 0, 1},
                 {"c", "0", 1, 0},    {"c", "0", 0, 1},     {"rho", "2000", 1, 0},
                 {"w", "0.02", 1, 0}, {"beta", "0.5", 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FbSourceCounts c = cost(source, cases[i].name, cases[i].value);
        if (c.formulas_made != cases[i].written || c.formulas_taken != cases[i].shared) {
            fail_msg("%s = %s: %d written, %d shared", cases[i].name ? cases[i].name : "-",
                     cases[i].value, c.formulas_made, c.formulas_taken);
        }
    }
    fb_source_destroy(source);
}

static void copy_file(const char* from, const char* folder, const char* name) {
    char path[300];
    char* text = test_text_of_file(from);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    free(text);
}

// A matrix that was written anew is read anew.
static void test_changed_files(void** state) {
    (void)state;
    char folder[] = "recompile_XXXXXX", path[300];
    static const char* const names[] = {"model.yaml", "M.mtx", "K.mtx"};
    static const char* const from[] = {"test/verify/recompile/matrices.yaml",
                                       "test/verify/recompile/M.mtx",
                                       "test/verify/recompile/K.mtx"};
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 3; i++) {
        copy_file(from[i], folder, names[i]);
    }
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    FbSource* source = read_source(path);
    expect_structures(source, NULL, "", 1, 0);
    expect_structures(source, "push", "3", 0, 1);
    copy_file("test/verify/recompile/K_stiffer.mtx", folder, "K.mtx");
    assert_true(compare(source, path, NULL, 0));
    assert_int_equal(counts_of(source).structures_made, 2);
    fb_source_destroy(source);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_models),      cmocka_unit_test(test_all_kinds_of_parameters),
        cmocka_unit_test(test_structures_are_kept), cmocka_unit_test(test_tapes_are_kept),
        cmocka_unit_test(test_changed_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
