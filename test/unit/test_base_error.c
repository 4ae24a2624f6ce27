// Errors and diagnostics: texts, places, aliasing, counts and the status of a list.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "test_base_support.h"

static void fail_fills_all_parts(void** state) {
    (void)state;
    FbError err;
    FbPlace place = {"model.yaml", 12, 5};
    assert_int_equal(fb_fail(&err, FB_ERR_RANGE, &place, "mass is %g kg", -2.0), FB_ERR_RANGE);
    assert_int_equal(err.status, FB_ERR_RANGE);
    assert_string_equal(err.text, "mass is -2 kg");
    assert_string_equal(err.place.file, "model.yaml");
    assert_ptr_equal(err.place.file, err.file);
    assert_int_equal(err.place.line, 12);
    assert_int_equal(fb_fail(NULL, FB_ERR_IO, NULL, "nobody listens"), FB_ERR_IO);
}

static void fail_may_quote_its_own_error(void** state) {
    (void)state;
    FbError err;
    FbPlace place = {"a.yaml", 1, 2};
    fb_fail(&err, FB_ERR_NAME, &place, "unknown name 'x'");
    fb_fail(&err, err.status, &err.place, "in 'f': %s", err.text);
    assert_string_equal(err.text, "in 'f': unknown name 'x'");
    assert_string_equal(err.file, "a.yaml");
    assert_int_equal(err.place.col, 2);
}

static void long_messages_are_cut(void** state) {
    (void)state;
    char name[2000];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    FbError err;
    FbPlace place = {name, 1, 1};
    fb_fail(&err, FB_ERR_NAME, &place, "unknown %s", name);
    assert_int_equal(strlen(err.text), FB_ERROR_TEXT - 1);
    assert_int_equal(strlen(err.file), sizeof err.file - 1);
}

static void assert_format(const FbPlace* place, const char* expected) {
    FbError err;
    char out[100];
    fb_fail(&err, FB_ERR_MODEL, place, "no");
    int n = fb_error_format(&err, out, sizeof out);
    assert_string_equal(out, expected);
    assert_int_equal(n, strlen(expected));
    assert_int_equal(fb_error_format(&err, out, 4), strlen(expected));
}

static void format_leaves_out_what_is_unknown(void** state) {
    (void)state;
    assert_format(&(FbPlace){"f.yaml", 3, 4}, "f.yaml:3:4: error: no");
    assert_format(&(FbPlace){"f.yaml", 3, 0}, "f.yaml:3: error: no");
    assert_format(&(FbPlace){"f.yaml", 0, 0}, "f.yaml: error: no");
    assert_format(&(FbPlace){NULL, 3, 4}, "line 3:4: error: no");
    assert_format(NULL, "error: no");
}

static void format_of_a_copied_error_does_not_look_into_the_original(void** state) {
    (void)state;
    FbError original, copy;
    fb_fail(&original, FB_ERR_MODEL, &(FbPlace){"f.yaml", 3, 4}, "no");
    copy = original;
    memset(&original, 'x', sizeof original);
    char out[100];
    fb_error_format(&copy, out, sizeof out);
    assert_string_equal(out, "f.yaml:3:4: error: no");
    FbDiagnostics* list = fb_diagnostics_create();
    fb_diagnose_error(list, &copy);
    assert_string_equal(fb_diagnostics_get(list, 0)->place.file, "f.yaml");
    fb_diagnostics_destroy(list);
}

static void every_status_has_its_own_text(void** state) {
    (void)state;
    for (int a = FB_ERR_ACCURACY; a <= FB_STOPPED; a++) {
        assert_string_not_equal(fb_status_text((FbStatus)a), "unknown status");
        for (int b = FB_ERR_ACCURACY; b < a; b++) {
            assert_string_not_equal(fb_status_text((FbStatus)a), fb_status_text((FbStatus)b));
        }
    }
    assert_string_equal(fb_status_text((FbStatus)-99), "unknown status");
}

static void diagnostics_keep_order_and_counts(void** state) {
    (void)state;
    FbDiagnostics* list = fb_diagnostics_create();
    char file[] = "m.yaml";
    FbPlace place = {file, 7, 1};
    assert_int_equal(fb_diagnostics_status(list), FB_OK);
    fb_diagnose(list, FB_WARNING, FB_OK, &place, "rod has %d points", 0);
    assert_int_equal(fb_diagnostics_status(list), FB_OK);
    fb_diagnose(list, FB_SEVERE, FB_ERR_NAME, &place, "first");
    fb_diagnose(list, FB_SEVERE, FB_ERR_UNIT, NULL, "second");
    strcpy(file, "xxxxx");
    assert_int_equal(fb_diagnostics_count(list), 3);
    assert_int_equal(fb_diagnostics_error_count(list), 2);
    assert_int_equal(fb_diagnostics_status(list), FB_ERR_NAME);
    char out[100];
    fb_diagnostic_format(fb_diagnostics_get(list, 0), out, sizeof out);
    assert_string_equal(out, "m.yaml:7:1: warning: rod has 0 points");
    fb_diagnostic_format(fb_diagnostics_get(list, 2), out, sizeof out);
    assert_string_equal(out, "error: second");
    assert_null(fb_diagnostics_get(list, 3));
    assert_null(fb_diagnostics_get(list, -1));
    fb_diagnostics_destroy(list);
    fb_diagnostics_destroy(NULL);
}

static void version_has_three_numbers(void** state) {
    (void)state;
    int a, b, c;
    char rest;
    assert_int_equal(sscanf(fb_version(), "%d.%d.%d%c", &a, &b, &c, &rest), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_fills_all_parts),
        cmocka_unit_test(fail_may_quote_its_own_error),
        cmocka_unit_test(long_messages_are_cut),
        cmocka_unit_test(format_leaves_out_what_is_unknown),
        cmocka_unit_test(format_of_a_copied_error_does_not_look_into_the_original),
        cmocka_unit_test(every_status_has_its_own_text),
        cmocka_unit_test(diagnostics_keep_order_and_counts),
        cmocka_unit_test(version_has_three_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
