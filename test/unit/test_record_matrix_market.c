// Matrix Market files: header, order of the entries, numbers that read back exactly, errors.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "flyball/linear.h"

static void read_back(const char* path, char* text, size_t size) {
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    size_t n = fread(text, 1, size - 1, file);
    text[n] = '\0';
    fclose(file);
}

static void test_file(void** state) {
    (void)state;
    char path[] = "/tmp/flyball_matrix_XXXXXX";
    close(mkstemp(path));
    const double a[] = {1.0,    -2.0,      0.1,
                        1e-300, 1.0 / 3.0, 6.0};  // columns (1, -2), (0.1, ...), ...
    char text[512];
    FbError err;
    assert_int_equal(fb_matrix_market_write(path, "stiffness", 2, 3, a, &err), FB_OK);
    read_back(path, text, sizeof text);
    const char head[] = "%%MatrixMarket matrix array real general\n% stiffness\n2 3\n";
    assert_memory_equal(text, head, strlen(head));
    char* at = text + strlen(head);
    for (int i = 0; i < 6; i++) {
        assert_true(strtod(at, &at) == a[i]);
    }
    assert_string_equal(at, "\n");
    assert_int_equal(fb_matrix_market_write(path, NULL, 0, 3, a, &err), FB_OK);
    read_back(path, text, sizeof text);
    assert_string_equal(text, "%%MatrixMarket matrix array real general\n0 3\n");
    remove(path);
}

static void test_unwritable(void** state) {
    (void)state;
    FbError err;
    double a = 1.0;
    assert_int_equal(fb_matrix_market_write("/nowhere/a.mtx", NULL, 1, 1, &a, &err), FB_ERR_IO);
    assert_non_null(strstr(err.place.file, "/nowhere/a.mtx"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_file),
                                       cmocka_unit_test(test_unwritable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
