// Equilibria, modes and their classes do not depend on the units: lengths from 1e-6 to 1e7 m,
// masses from 1e-15 to 1e12 kg, times from 1e-6 to 1e7 s, and ten million lengths away from the
// origin.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "test_linear_support.h"

typedef struct Scale {
    double L, M, T, X;
} Scale;

static const Scale SCALES[] = {{1, 1, 1, 0},
                               {1e-6, 1, 1, 0},
                               {1e7, 1, 1, 0},
                               {1, 1e-15, 1, 0},
                               {1, 1e12, 1, 0},
                               {1, 1, 1e-6, 0},
                               {1, 1, 1e7, 0},
                               {1, 1, 1, 1e7},
                               {3e-6, 2e-15, 1e-6, 0},
                               {1e7, 1e12, 1e7, 0},
                               {1e-6, 1e12, 1e7, 0},
                               {1e7, 1e-15, 1e-6, 0},
                               {296, 1.97e6, 1.66e-5, 0}};
enum { N_SCALES = sizeof(SCALES) / sizeof(SCALES[0]), MOST = 300 };

typedef struct Spectrum {
    int n;
    double complex w[MOST];  // times T
    FbModeClass class_[MOST];
} Spectrum;

static TestLinear linearize(const char* path, Scale s, FbLinearOptions how) {
    TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
    ask.how = how;
    return test_linear_with(path, ask, "L=%.17g; M=%.17g; T=%.17g; X=%.17g", s.L, s.M, s.T, s.X);
}

static void read_spectrum(const TestLinear* t, double T, Spectrum* out) {
    out->n = fb_linearization_get_mode_count(t->l);
    assert_true(out->n <= MOST);
    for (int k = 0; k < out->n; k++) {
        const FbMode* mode = fb_linearization_get_mode(t->l, k);
        out->w[k] = CMPLX(mode->re * T, mode->im * T);
        out->class_[k] = mode->is_infinite ? FB_MODE_CONSTRAINT : mode->class_;
    }
}

static int count(const Spectrum* s, FbModeClass class_) {
    int n = 0;
    for (int k = 0; k < s->n; k++) {
        n += s->class_[k] == class_;
    }
    return n;
}

static void compare(const Spectrum* base, const Spectrum* s, double tolerance, const char* what) {
    assert_int_equal(s->n, base->n);
    for (int class_ = FB_MODE_PHYSICAL; class_ <= FB_MODE_ARTEFACT; class_++) {
        if (count(s, class_) != count(base, class_)) {
            fail_msg("%s: %d modes of class %d instead of %d", what, count(s, class_), class_,
                     count(base, class_));
        }
    }
    for (int k = 0; k < s->n; k++) {
        double nearest = INFINITY;
        for (int j = 0; j < base->n && s->class_[k] == FB_MODE_PHYSICAL; j++) {
            bool is_same = base->class_[j] == FB_MODE_PHYSICAL;
            nearest = is_same ? fmin(nearest, cabs(base->w[j] - s->w[k])) : nearest;
        }
        if (s->class_[k] == FB_MODE_PHYSICAL && !(nearest <= tolerance * cabs(s->w[k]))) {
            fail_msg("%s: %.12g%+.12gi is off by %.2g", what, creal(s->w[k]), cimag(s->w[k]),
                     nearest);
        }
    }
}

static void check_all(const char* path, FbLinearMethod method, bool is_undamped) {
    Spectrum base = {0};
    for (int i = 0; i < N_SCALES; i++) {
        char what[200];
        Spectrum s;
        TestLinear t = linearize(path, SCALES[i], (FbLinearOptions){.method = method});
        FbError err;
        if (is_undamped) {
            assert_int_equal(fb_linearization_run_undamped(t.l, &err), FB_OK);
        }
        read_spectrum(&t, SCALES[i].T, i == 0 ? &base : &s);
        snprintf(what, sizeof(what), "%s by method %d at L %g, M %g, T %g, X %g", path, (int)method,
                 SCALES[i].L, SCALES[i].M, SCALES[i].T, SCALES[i].X);
        if (i > 0) {  // a drawing far away rounds by 1e-9 of its lengths
            compare(&base, &s, SCALES[i].X > 0.0 ? 1e-6 : 1e-8, what);
        }
        test_linear_free(&t);
    }
    assert_true(count(&base, FB_MODE_PHYSICAL) > 0);
}

static void linkage(void** state) {
    (void)state;
    check_all("test/verify/scales/linkage.yaml", FB_METHOD_INDEPENDENT, false);
    check_all("test/verify/scales/linkage.yaml", FB_METHOD_DESCRIPTOR, false);
    check_all("test/verify/scales/linkage.yaml", FB_METHOD_ODE, false);
}

static void frame(void** state) {
    (void)state;
    check_all("test/verify/scales/frame.yaml", FB_METHOD_INDEPENDENT, false);
    check_all("test/verify/scales/frame.yaml", FB_METHOD_INDEPENDENT, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(linkage), cmocka_unit_test(frame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
