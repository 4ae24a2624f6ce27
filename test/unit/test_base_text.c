// Text buffers, numbers as text, JSON (read back by an independent parser) and "did you mean".
#include <float.h>
#include <libfyaml.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "test_base_support.h"

static void text_grows_and_is_handed_over(void** state) {
    (void)state;
    FbText text;
    fb_text_init(&text);
    for (int i = 0; i < 1000; i++) {
        fb_text_addf(&text, "%d,", i % 10);
    }
    fb_text_add_n(&text, "endless", 3);
    assert_int_equal(text.length, 2003);
    char* data = fb_text_steal(&text);
    assert_memory_equal(data, "0,1,2,3,4,5,6,7,8,9,0,", 22);
    assert_string_equal(data + 2000, "end");
    free(data);
    assert_null(text.data);
    char* empty = fb_text_steal(&text);
    assert_string_equal(empty, "");
    free(empty);
    fb_text_free(&text);
}

static void assert_formats(double value, const char* expected) {
    char out[32];
    fb_format_double(value, out);
    assert_string_equal(out, expected);
}

static void numbers_are_written_short(void** state) {
    (void)state;
    assert_formats(0.1, "0.1");
    assert_formats(0.1 + 0.2, "0.30000000000000004");
    assert_formats(1.0 / 3.0, "0.3333333333333333");
    assert_formats(1e300, "1e+300");
    assert_formats(-12.0, "-12");
    assert_formats(5e-324, "5e-324");
    assert_formats(DBL_MAX, "1.7976931348623157e+308");
    assert_formats(NAN, "nan");
    assert_formats(-INFINITY, "-inf");
}

static void every_number_reads_back_exactly(void** state) {
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 200000; i++) {
        random_unit(&seed);
        uint64_t bits = seed ^ (seed << 29);
        double value, again;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char out[32];
        fb_format_double(value, out);
        assert_true(fb_parse_double(out, strlen(out), &again));
        assert_memory_equal(&value, &again, sizeof value);
    }
}

// The same number by printf: with 15 digits if they read back, otherwise with 16 or 17.
static void print_shortest(double value, char out[32]) {
    int digits = value != 0.0 && fabs(value) < DBL_MIN ? 1 : 15;
    for (; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, value);
        if (strtod(out, NULL) == value) {
            return;
        }
    }
}

static double make_number(uint64_t bits, int kind) {
    double value;
    switch (kind) {
        case 0:  // any bits
            break;
        case 1:  // numbers of a measurement
            return (double)(int64_t)(bits % 2000001) / (double[]){1.0, 1e1, 1e3, 1e7}[bits >> 62];
        case 2:  // subnormal ones of any length
            bits &= ((UINT64_C(1) << 52) - 1) >> (bits >> 58) % 52;
            break;
        default:  // the last number below a power of two, whose gaps differ
            bits = ((bits & 0x7ff) << 52) - 1;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void numbers_are_written_as_printf_does(void** state) {
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 200000; i++) {
        random_unit(&seed);
        double value = make_number(seed ^ (seed << 29), i % 4);
        if (isfinite(value)) {
            char expected[32];
            print_shortest(value, expected);
            assert_formats(value, expected);
        }
    }
}

// The interval around a power of two is not symmetric: its shortest decimal need not be the nearest
// one of its length, which is all that printf offers.
static void powers_of_two_take_no_more_digits_than_printf(void** state) {
    (void)state;
    for (int e = -1074; e < 1024; e++) {
        char expected[32], out[32];
        print_shortest(ldexp(1.0, e), expected);
        fb_format_double(ldexp(1.0, e), out);
        assert_true(strtod(out, NULL) == ldexp(1.0, e));
        assert_true(strlen(out) <= strlen(expected));
    }
    assert_formats(0x1p-296, "7.854549544476363e-90");  // 7.8545495444763625e-90 by printf
}

static void parse_takes_the_whole_text_or_nothing(void** state) {
    (void)state;
    double x;
    assert_true(fb_parse_double("2.5e3 m", 5, &x));
    assert_near(x, 2500.0, 0.0);
    assert_false(fb_parse_double("2.5 m", 5, &x));
    assert_false(fb_parse_double("", 0, &x));
    assert_false(fb_parse_double("1.2.3", 5, &x));
}

static void write_sample(FbJson* json) {
    fb_json_begin_object(json);
    fb_json_key(json, "name");
    fb_json_string(json, "a \"quoted\"\\ \n\t\x01 name, \xc3\xa9");
    fb_json_key(json, "values");
    fb_json_begin_array(json);
    fb_json_number(json, 0.1);
    fb_json_number(json, NAN);
    fb_json_integer(json, -9007199254740993);
    fb_json_bool(json, true);
    fb_json_null(json);
    fb_json_end_array(json);
    fb_json_key(json, "parts");
    fb_json_begin_array(json);
    fb_json_begin_object(json);
    fb_json_end_object(json);
    fb_json_begin_object(json);
    fb_json_key(json, "no");
    fb_json_string(json, NULL);
    fb_json_end_object(json);
    fb_json_end_array(json);
    fb_json_key(json, "none");
    fb_json_begin_array(json);
    fb_json_end_array(json);
    fb_json_end_object(json);
}

static void json_is_written_exactly(void** state) {
    (void)state;
    FbText text;
    FbJson json;
    fb_text_init(&text);
    fb_json_init(&json, &text, false);
    write_sample(&json);
    assert_string_equal(text.data,
                        "{\"name\":\"a \\\"quoted\\\"\\\\ \\n\\t\\u0001 name, \xc3\xa9\","
                        "\"values\":[0.1,null,-9007199254740993,true,null],"
                        "\"parts\":[{},{\"no\":null}],\"none\":[]}");
    fb_text_free(&text);
    fb_json_init(&json, &text, true);
    write_sample(&json);
    assert_string_equal(text.data,
                        "{\n  \"name\": \"a \\\"quoted\\\"\\\\ \\n\\t\\u0001 name, \xc3\xa9\",\n"
                        "  \"values\": [0.1, null, -9007199254740993, true, null],\n"
                        "  \"parts\": [\n    {},\n    {\n      \"no\": null\n    }\n  ],\n"
                        "  \"none\": []\n}");
    fb_text_free(&text);
}

static void assert_reads(struct fy_document* doc, const char* path, const char* expected) {
    struct fy_node* node = fy_node_by_path(fy_document_root(doc), path, FY_NT, FYNWF_DONT_FOLLOW);
    assert_non_null(node);
    assert_string_equal(fy_node_get_scalar0(node), expected);
}

static void json_reads_back(void** state) {
    (void)state;
    for (int is_pretty = 0; is_pretty < 2; is_pretty++) {
        FbText text;
        FbJson json;
        fb_text_init(&text);
        fb_json_init(&json, &text, is_pretty);
        write_sample(&json);
        struct fy_parse_cfg cfg = {.flags = FYPCF_JSON_FORCE | FYPCF_QUIET};
        struct fy_document* doc = fy_document_build_from_string(&cfg, text.data, text.length);
        assert_non_null(doc);
        assert_reads(doc, "/name", "a \"quoted\"\\ \n\t\x01 name, \xc3\xa9");
        assert_reads(doc, "/values/0", "0.1");
        assert_reads(doc, "/values/2", "-9007199254740993");
        assert_reads(doc, "/parts/1/no", "null");
        fy_document_destroy(doc);
        fb_text_free(&text);
    }
}

static void json_replaces_bytes_that_are_not_utf8(void** state) {
    (void)state;
    FbText text;
    FbJson json;
    fb_text_init(&text);
    fb_json_init(&json, &text, false);
    // A lone continuation byte, an overlong slash, a surrogate, a sequence cut short; then a valid
    // 4-byte character.
    fb_json_string(&json, "\x80|\xc0\xaf|\xed\xa0\x80|\xe2\x82|\xf0\x9f\x98\x80");
#define R "\xef\xbf\xbd"
    assert_string_equal(text.data, "\"" R "|" R R "|" R R R "|" R R "|\xf0\x9f\x98\x80\"");
    fb_text_free(&text);
}

static void assert_escapes(const char* text, const char* expected) {
    char out[64];
    fb_escape(text, out, sizeof out);
    assert_string_equal(out, expected);
}

static void what_a_terminal_obeys_is_escaped(void** state) {
    (void)state;
    assert_escapes("f\u00fcr \u4e2d \U0001f600 \u200d", "f\u00fcr \u4e2d \U0001f600 \u200d");
    assert_escapes("a\033[2Jb\n\x7f", "a\\x1b[2Jb\\x0a\\x7f");
    assert_escapes("\xc2\x9b", "\\xc2\\x9b");                              // C1: as ESC [
    assert_escapes("a\u202eb\u2066", "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6");  // direction
    assert_escapes("\u061c\u200e", "\\xd8\\x9c\\xe2\\x80\\x8e");
    assert_escapes("\u2028", "\\xe2\\x80\\xa8");                       // a line
    assert_escapes("\u200b\ufeff", "\\xe2\\x80\\x8b\\xef\\xbb\\xbf");  // nothing to see
    assert_escapes("\U000e0041", "\\xf3\\xa0\\x81\\x81");
    // Not UTF-8: alone, overlong, a surrogate, too large, cut short.
    assert_escapes("\x80|\xc0\xaf|\xed\xa0\x80", "\\x80|\\xc0\\xaf|\\xed\\xa0\\x80");
    assert_escapes("\xf4\x90\x80\x80|\xe2\x82", "\\xf4\\x90\\x80\\x80|\\xe2\\x82");
    char cut[8];
    fb_escape("abc\u202ed", cut, sizeof cut);
    assert_string_equal(cut, "abc\\xe2");
}

static void json_deeper_than_its_stack_fails(void** state) {
    (void)state;
    FbText text;
    FbJson json;
    fb_text_init(&text);
    fb_json_init(&json, &text, true);
    for (int i = 0; i < 100; i++) {
        fb_json_begin_array(&json);
    }
    assert_true(text.has_failed);
    assert_null(fb_text_steal(&text));
}

static void suggestions_are_close_names_only(void** state) {
    (void)state;
    const char* names[] = {"revolute", "prismatic", "stiffness", "damping", "mass", "rod"};
    assert_string_equal(fb_did_you_mean("revolut", names, 6), "revolute");
    assert_string_equal(fb_did_you_mean("Revloute", names, 6), "revolute");
    assert_string_equal(fb_did_you_mean("stifness", names, 6), "stiffness");
    assert_string_equal(fb_did_you_mean("stiff", names, 6), "stiffness");
    assert_string_equal(fb_did_you_mean("rodd", names, 6), "rod");
    assert_string_equal(fb_did_you_mean("Hinge", names, 6), "revolute");
    assert_string_equal(fb_did_you_mean("k", names, 6), "stiffness");
    assert_null(fb_did_you_mean("hinges_and_more", names, 6));
    assert_null(fb_did_you_mean("k", names, 2));
    assert_null(fb_did_you_mean("spring", names, 6));
    assert_null(fb_did_you_mean("x", names, 6));
    assert_null(fb_did_you_mean("", names, 6));
    assert_null(fb_did_you_mean("mass", names, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows_and_is_handed_over),
        cmocka_unit_test(numbers_are_written_short),
        cmocka_unit_test(every_number_reads_back_exactly),
        cmocka_unit_test(numbers_are_written_as_printf_does),
        cmocka_unit_test(powers_of_two_take_no_more_digits_than_printf),
        cmocka_unit_test(parse_takes_the_whole_text_or_nothing),
        cmocka_unit_test(json_is_written_exactly),
        cmocka_unit_test(json_reads_back),
        cmocka_unit_test(json_replaces_bytes_that_are_not_utf8),
        cmocka_unit_test(what_a_terminal_obeys_is_escaped),
        cmocka_unit_test(json_deeper_than_its_stack_fails),
        cmocka_unit_test(suggestions_are_close_names_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
