// The rules of certificates, one by one: each table below fails when its rule is taken away.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solve/certify.h"

typedef struct Case {
    FbEvidence e;
    FbCertificateStatus status;
} Case;

static void check(const Case* cases, int n) {
    for (int i = 0; i < n; i++) {
        double bound;
        FbCertificateStatus status = fb_certify(&cases[i].e, &bound);
        if (status != cases[i].status) {
            fail_msg("case %d: status %d (%s) instead of %d", i, status,
                     fb_certificate_text(status), cases[i].status);
        }
        if (status == FB_CERTIFIED) {
            assert_true(bound <= cases[i].e.target);
            assert_true(bound >= cases[i].e.cross);
        }
    }
}
#define CHECK(cases) check(cases, (int)(sizeof(cases) / sizeof(cases)[0]))

static void one_difference_certifies_nothing(void** state) {
    (void)state;
    const Case cases[] = {
        {{1e-6, NAN, NAN, false, NAN}, FB_NOT_FALLING},
        {{1e-6, NAN, 1e-12, false, NAN}, FB_NOT_FALLING},
        {{1e-6, NAN, 1e-12, true, 1e-12}, FB_NOT_FALLING},
        {{1e-6, INFINITY, 1e-12, true, 1e-12}, FB_NOT_FALLING},
        {{1e-6, 1e-5, INFINITY, true, 1e-12}, FB_NOT_FALLING},
    };
    CHECK(cases);
}

// The differences must fall by a third at least, wherever they are not far below the target.
static void contraction_is_demanded(void** state) {
    (void)state;
    const Case cases[] = {
        {{1e-6, 1e-7, 1e-7, true, 1e-8}, FB_NOT_FALLING},
        {{1e-6, 1e-7, 0.5e-7, true, 1e-8}, FB_NOT_FALLING},
        {{1e-6, 1e-7, 2e-7, true, 1e-8}, FB_NOT_FALLING},
        {{1e-6, 2e-9, 1.9e-9, true, 1e-9}, FB_NOT_FALLING},
        {{1e-6, 1e-7, 0.3e-7, true, 1e-8}, FB_CERTIFIED},
        {{1e-6, 3e-7, 1e-8, true, 1e-9}, FB_CERTIFIED},
    };
    CHECK(cases);
}

// Rounding errors do not fall; they may certify what is a thousand times larger.
static void rounding_need_not_fall(void** state) {
    (void)state;
    const Case cases[] = {
        {{1e-6, 1e-14, 3e-14, true, 1e-13}, FB_CERTIFIED},
        {{1e-6, 1e-14, 3e-14, true, 1e-6}, FB_CROSS_DIFFERS},
        {{1e-6, 0.0, 0.0, true, 0.0}, FB_CERTIFIED},
        {{1e-12, 1e-14, 3e-14, true, 1e-14}, FB_NOT_FALLING},
    };
    CHECK(cases);
}

static void the_target_is_kept(void** state) {
    (void)state;
    const Case cases[] = {
        {{1e-6, 1e-3, 3e-5, false, NAN}, FB_ABOVE_TARGET},
        {{1e-6, 1e-3, 3e-5, true, 1e-9}, FB_ABOVE_TARGET},
        {{1e-6, 3e-4, 9e-6, false, NAN}, FB_UNCONFIRMED},
    };
    CHECK(cases);
}

static void cross_checks_are_demanded(void** state) {
    (void)state;
    const Case cases[] = {
        {{1e-6, 3e-6, 1e-7, false, NAN}, FB_UNCONFIRMED},
        {{1e-6, 3e-6, 1e-7, true, NAN}, FB_CROSS_FAILED},
        {{1e-6, 3e-6, 1e-7, true, INFINITY}, FB_CROSS_FAILED},
        {{1e-6, 3e-6, 1e-7, true, 2e-6}, FB_CROSS_DIFFERS},
        {{1e-6, 3e-6, 1e-7, true, 0.5e-6}, FB_CROSS_DIFFERS},
        {{1e-6, 3e-6, 1e-7, true, 3e-8}, FB_CERTIFIED},
    };
    CHECK(cases);
}

// Whatever certifies: the bound is at least the difference to the cross-check, and at least what
// the runs themselves say.
static void bounds_hold_both_differences(void** state) {
    (void)state;
    double bound;
    for (double cross = 1e-12; cross < 1e-3; cross *= 3.0) {
        for (double now = 1e-12; now < 1e-3; now *= 3.0) {
            FbEvidence e = {1e-3, 30.0 * now, now, true, cross};
            fb_certify(&e, &bound);
            assert_true(bound >= cross || fb_certify(&e, &bound) == FB_ABOVE_TARGET);
            assert_true(bound >= now / 30.0);
        }
    }
    // A fall faster than the tolerance's is not trusted.
    FbEvidence lucky = {1e-3, 1.0, 1e-6, true, 0.0};
    assert_int_equal(fb_certify(&lucky, &bound), FB_CERTIFIED);
    assert_true(bound >= 1e-6 / 30.0);
    // A slow fall is counted to its end: 1/3 + 1/9 + ... of the last difference is still to come.
    FbEvidence slow = {1e-3, 3e-6, 1e-6, true, 0.0};
    assert_int_equal(fb_certify(&slow, &bound), FB_CERTIFIED);
    assert_true(bound >= 0.5e-6);
}

static void texts_say_why(void** state) {
    (void)state;
    for (int s = FB_CERTIFIED; s <= FB_RUN_FAILED; s++) {
        assert_true(fb_certificate_text((FbCertificateStatus)s)[0] != '\0');
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_difference_certifies_nothing),
        cmocka_unit_test(contraction_is_demanded),
        cmocka_unit_test(rounding_need_not_fall),
        cmocka_unit_test(the_target_is_kept),
        cmocka_unit_test(cross_checks_are_demanded),
        cmocka_unit_test(bounds_hold_both_differences),
        cmocka_unit_test(texts_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
