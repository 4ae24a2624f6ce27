// Operating points, linearizations and spectra for tests.
#include "test_linear_support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const TestLinearAsk TEST_AT_INITIAL = {.at = {.kind = FB_AT_INITIAL}};
const TestLinearAsk TEST_AT_EQUILIBRIUM = {.at = {.kind = FB_AT_EQUILIBRIUM}};

static void finish(FbDiagnostics* diagnostics, const void* made) {
    for (int i = 0; !made && i < fb_diagnostics_count(diagnostics); i++) {
        char text[1024];
        fb_diagnostic_format(fb_diagnostics_get(diagnostics, i), text, sizeof(text));
        print_message("%s\n", text);
    }
    fb_diagnostics_destroy(diagnostics);
    assert_non_null(made);
}

static void check(FbStatus status, const FbError* err) {
    if (status != FB_OK) {
        fail_msg("status %d: %s", (int)status, err->text);
    }
}

FbOperatingPoint* test_point_at(const FbModel* model, FbOperatingOptions at) {
    FbError err = {0};
    FbOperatingPoint* point = NULL;
    check(fb_operating_point_create(model, &at, &point, &err), &err);
    return point;
}

static void make_absolute(TestLinear* t, const FbModelDef* def) {
    FbError err = {0};
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    fb_model_create_absolute(def, &t->absolute, diagnostics);
    finish(diagnostics, t->absolute);
    check(fb_operating_point_create_like(t->absolute, t->point, &t->absolute_point, &err), &err);
}

TestLinear test_linear_def(FbModelDef* def, TestLinearAsk ask) {
    FbError err = {0};
    TestLinear t = {.model = test_model_from_def(def)};
    t.point = test_point_at(t.model, ask.at);
    if (ask.is_absolute) {
        make_absolute(&t, def);
    }
    fb_model_def_destroy(def);
    FbOperatingPoint* at = ask.is_absolute ? t.absolute_point : t.point;
    check(fb_linearization_create(at, &ask.how, &t.l, &err), &err);
    check(fb_linearization_run(t.l, &err), &err);
    return t;
}

TestLinear test_linear_text(const char* text, TestLinearAsk ask) {
    return test_linear_def(test_def_from_text(text), ask);
}

TestLinear test_linear_file(const char* path, TestLinearAsk ask) {
    return test_linear_def(test_def_from_file(path), ask);
}

TestLinear test_linear_with(const char* path, TestLinearAsk ask, const char* changes, ...) {
    va_list list;
    va_start(list, changes);
    FbModelDef* def = test_def_with_list(path, changes, list);
    va_end(list);
    return test_linear_def(def, ask);
}

void test_linear_free(TestLinear* t) {
    fb_linearization_destroy(t->l);
    fb_operating_point_destroy(t->absolute_point);
    fb_operating_point_destroy(t->point);
    fb_model_destroy(t->absolute);
    fb_model_destroy(t->model);
    *t = (TestLinear){0};
}

TestRest test_rest_of(FbModel* model) {
    TestRest r = {.model = model};
    FbError err = {0};
    r.point = test_point_at(r.model, fb_operating_options_default());
    assert_true(fb_model_get_output_count(r.model) <= 64);
    assert_int_equal(fb_operating_point_calc_outputs(r.point, r.outputs, &err), FB_OK);
    return r;
}

void test_rest_free(TestRest* r) {
    fb_operating_point_destroy(r->point);
    fb_model_destroy(r->model);
}

double test_rest_output(const TestRest* r, const char* name) {
    int i = fb_model_find_output(r->model, name);
    if (i < 0) {
        fail_msg("there is no output '%s'", name);
    }
    return r->outputs[i];
}

double test_coordinate(const FbOperatingPoint* point, const char* wanted) {
    const char *name, *unit;
    double value;
    for (int i = 0; fb_operating_point_get_coordinate(point, i, &name, &unit, &value); i++) {
        if (strcmp(name, wanted) == 0) {
            return value;
        }
    }
    fail_msg("there is no coordinate '%s'", wanted);
    return NAN;
}

double test_largest_residual(const TestLinear* t) {
    double largest = 0.0;
    for (int i = 0; i < fb_linearization_get_mode_count(t->l); i++) {
        const FbMode* m = fb_linearization_get_mode(t->l, i);
        if (m->class_ <= FB_MODE_RIGID_BODY) {
            largest = fmax(largest, fmax(m->residual, m->constraint_residual));
        }
    }
    return largest;
}

int test_count(const TestLinear* t, FbModeClass class_) {
    int n = 0;
    for (int i = 0; i < fb_linearization_get_mode_count(t->l); i++) {
        n += fb_linearization_get_mode(t->l, i)->class_ == class_;
    }
    return n;
}

double test_spectrum_error(const TestLinear* t, const double complex* expected, int n) {
    assert_int_equal(test_count(t, FB_MODE_PHYSICAL), n);
    bool is_taken[256] = {false};
    assert_true(n <= 256);
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        const FbMode* m = fb_linearization_get_mode(t->l, i);  // physical ones come first
        int best = -1;
        double least = INFINITY;
        for (int k = 0; k < n; k++) {
            double distance = cabs(CMPLX(m->re, m->im) - expected[k]);
            if (!is_taken[k] && distance < least) {
                least = distance;
                best = k;
            }
        }
        if (best < 0) {
            return NAN;
        }
        is_taken[best] = true;
        worst = fmax(worst, least);
    }
    return worst;
}

static void print_modes(const TestLinear* t) {
    static const char* const classes[] = {"physical", "rigid", "constraint", "artefact"};
    for (int i = 0; i < fb_linearization_get_mode_count(t->l); i++) {
        const FbMode* m = fb_linearization_get_mode(t->l, i);
        print_message("  %.15g %+.15g i  %s, residuals %.2g %.2g\n", m->re, m->im,
                      classes[m->class_], m->residual, m->constraint_residual);
    }
}

void test_spectrum(const char* what, const TestLinear* t, const double complex* expected, int n,
                   double tolerance) {
    if (test_count(t, FB_MODE_PHYSICAL) != n) {
        print_modes(t);
        fail_msg("%s: %d physical eigenvalues instead of %d", what, test_count(t, FB_MODE_PHYSICAL),
                 n);
    }
    double error = test_spectrum_error(t, expected, n);
    if (!(error <= tolerance)) {
        print_modes(t);
        for (int i = 0; i < n; i++) {
            print_message("  expected %.15g %+.15g i\n", creal(expected[i]), cimag(expected[i]));
        }
        fail_msg("%s: eigenvalues are off by %.3g, allowed %.3g", what, error, tolerance);
    }
}

void test_expect_structure_warning(FbModel* model, const char* part) {
    FbDiagnostics* list = fb_diagnostics_create();
    FbError err = {0};
    assert_int_equal(fb_model_check_structures(model, list, &err), FB_OK);
    int n = fb_diagnostics_count(list);
    if (n != (part ? 1 : 0) || (part && !strstr(fb_diagnostics_get(list, 0)->text, part))) {
        fail_msg("'%s' instead of '%s'", n > 0 ? fb_diagnostics_get(list, 0)->text : "nothing",
                 part ? part : "nothing");
    }
    fb_diagnostics_destroy(list);
    fb_model_destroy(model);
}
