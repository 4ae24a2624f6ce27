// Streamed JSON: escapes, base64, temporary names, failures; the check of motion files.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "view/report.h"
#include "view/stream.h"

static char folder[] = "/tmp/flyball_view_XXXXXX";

static int make_folder(void** state) {
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void** state) {
    (void)state;
    return rmdir(folder);  // fails where a test left a file
}

static const char* in_folder(const char* name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static char* read_back(const char* path) {
    static char text[1 << 20];
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    fclose(file);
    return text;
}

static void test_escapes(void** state) {
    (void)state;
    const char* path = in_folder("a.json");
    FbStream s;
    FbError err;
    assert_int_equal(fb_stream_open(&s, path, &err), FB_OK);
    fb_json_begin_array(&s.json);
    fb_json_string(&s.json, "</script><img src=x onerror=alert(1)> a & b \"q\"");
    fb_json_string(&s.json, "line\xe2\x80\xa8para\xe2\x80\xa9 \xe2\x82\xac");
    fb_json_end_array(&s.json);
    assert_int_equal(fb_stream_close(&s, FB_OK, &err), FB_OK);
    assert_string_equal(
        read_back(path),
        "[\"\\u003c/script\\u003e\\u003cimg src=x onerror=alert(1)\\u003e a \\u0026 b \\\"q\\\"\","
        "\"line\\u2028para\\u2029 \xe2\x82\xac\"]");
    assert_int_equal(remove(path), 0);
}

static double get(const void* self, int i) {
    return ((const double*)self)[i];
}

static void test_base64(void** state) {
    (void)state;
    const char* path = in_folder("b.json");
    const double x[] = {1.0, -2.5, 0.1}, whole[] = {2.4, -2.6, 1e9, -1e9};
    FbStream s;
    FbError err;
    assert_int_equal(fb_stream_open(&s, path, &err), FB_OK);
    fb_json_begin_object(&s.json);
    fb_stream_array(&s, "none", 0, get, x, FB_NUMBER_F64);
    fb_stream_array(&s, "one", 1, get, x, FB_NUMBER_F64);
    fb_stream_array(&s, "wide", 3, get, x, FB_NUMBER_F64);
    fb_stream_array(&s, "narrow", 2, get, x, FB_NUMBER_F32);
    fb_stream_array(&s, "whole", 4, get, whole, FB_NUMBER_I16);
    fb_json_end_object(&s.json);
    assert_int_equal(fb_stream_close(&s, FB_OK, &err), FB_OK);
    assert_string_equal(read_back(path),
                        "{\"none\":{\"f64\":\"\"},\"one\":{\"f64\":\"AAAAAAAA8D8=\"},"
                        "\"wide\":{\"f64\":\"AAAAAAAA8D8AAAAAAAAEwJqZmZmZmbk/\"},"
                        "\"narrow\":{\"f32\":\"AACAPwAAIMA=\"},"
                        "\"whole\":{\"i16\":\"AgD9//9/AYA=\"}}");
    assert_int_equal(remove(path), 0);
}

static double index_of(const void* self, int i) {
    (void)self;
    return i;
}

// Chunks join without padding inside: 8 bytes a number, 4 digits for 3 bytes.
static void test_long_array(void** state) {
    (void)state;
    enum { N = 30000 };
    const char* path = in_folder("c.json");
    FbStream s;
    FbError err;
    assert_int_equal(fb_stream_open(&s, path, &err), FB_OK);
    fb_json_begin_object(&s.json);
    fb_stream_array(&s, "x", N, index_of, NULL, FB_NUMBER_F64);
    assert_true(s.text.capacity < 1 << 18);  // memory does not grow with the array
    fb_json_end_object(&s.json);
    assert_int_equal(fb_stream_close(&s, FB_OK, &err), FB_OK);
    const char* text = read_back(path);
    const char* digits = strstr(text, "\"f64\":\"") + 7;
    assert_int_equal(strcspn(digits, "\""), N * 8 / 3 * 4);
    assert_null(strchr(digits, '='));
    assert_int_equal(remove(path), 0);
}

static void test_failures(void** state) {
    (void)state;
    FbStream s;
    FbError err = {0};
    assert_int_equal(fb_stream_open(&s, "/nowhere/at/all.html", &err), FB_ERR_IO);
    assert_non_null(strstr(err.text, "No such file"));
    // A document that failed leaves neither file; one that was there stays.
    const char* path = in_folder("d.json");
    FILE* file = fopen(path, "wb");
    fputs("before", file);
    fclose(file);
    assert_int_equal(fb_stream_open(&s, path, &err), FB_OK);
    fb_stream_raw(&s, "half", 4);
    assert_int_equal(fb_stream_close(&s, FB_ERR_ARGUMENT, &err), FB_ERR_ARGUMENT);
    assert_string_equal(read_back(path), "before");
    assert_int_equal(remove(path), 0);
    // The folder itself is no file to replace.
    assert_int_equal(fb_stream_open(&s, folder, &err), FB_ERR_IO);
}

static void test_full_device(void** state) {
    (void)state;
    struct stat info;
    FbStream s;
    FbError err = {0};
    if (stat("/dev/full", &info) != 0 || !S_ISCHR(info.st_mode)) {
        skip();
    }
    assert_int_equal(fb_stream_open(&s, "/dev/full", &err), FB_OK);
    fb_stream_raw(&s, "x", 1);
    assert_int_equal(fb_stream_close(&s, FB_OK, &err), FB_ERR_IO);
    // Devices are written, never replaced.
    assert_int_equal(stat("/dev/full", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

static void test_motion_check(void** state) {
    (void)state;
    static const char* const good[] = {
        "{}", " {\"length\": 1.5e-3, \"gravity\":[0,-9.81,0],\"bodies\":[]}\n",
        "{\"bodies\":[{\"name\":\"a\\u0041\\n\",\"color\":null,\"is\":true}]}"};
    static const char* const bad[] = {"",
                                      "[]",
                                      "{\"length\":01}",
                                      "{\"length\":1,}",
                                      "{\"length\":1}x",
                                      "{\"title\":\"mine\"}",
                                      "{\"bodies\":[1 2]}",
                                      "{\"bodies\":\"\\x\"}",
                                      "{\"bodies\":\"a\nb\"}",
                                      "{\"length\":NaN}",
                                      "{\"bodies\":[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]}",
                                      "{\"length\":1",
                                      "{\"length\":\"",
                                      "{\"length\":-}",
                                      "{\"length\":1.}",
                                      "{\"length\":1e}"};
    FbError err;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(fb_motion_check(good[i], strlen(good[i]), "m", &err), FB_OK);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(fb_motion_check(bad[i], strlen(bad[i]), "m", &err), FB_ERR_SYNTAX);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escapes),     cmocka_unit_test(test_base64),
        cmocka_unit_test(test_long_array),  cmocka_unit_test(test_failures),
        cmocka_unit_test(test_full_device), cmocka_unit_test(test_motion_check),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
