// CSV tables: what is written reads back bit by bit, RFC 4180 quoting, and faults with their place.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "read/read.h"
#include "record/csv.h"
#include "record/file.h"

static const double odd_values[] = {
    0.1, 1.0 / 3.0, -DBL_MAX, DBL_MIN, 4.9406564584124654e-324, 1e22, 123456789.123456789};
enum { N_ODD = sizeof odd_values / sizeof odd_values[0] };

static void make_path(char path[64]) {
    strcpy(path, "/tmp/flyball_csv_XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
}

static void write_table(const char* path) {
    FbCsvWriter writer;
    FbError err;
    assert_int_equal(fb_csv_writer_open(&writer, path, &err), FB_OK);
    fb_csv_writer_add_name(&writer, "t", "s");
    fb_csv_writer_add_name(&writer, "plain", "m/s");
    fb_csv_writer_add_name(&writer, "odd, \"quoted\"\nname", "");
    fb_csv_writer_end_row(&writer);
    for (int i = 0; i < N_ODD; i++) {
        fb_csv_writer_add_number(&writer, i / 10.0);
        fb_csv_writer_add_number(&writer, odd_values[i]);
        fb_csv_writer_add_number(&writer, -odd_values[i]);
        fb_csv_writer_end_row(&writer);
    }
    assert_int_equal(fb_csv_writer_close(&writer, &err), FB_OK);
}

static void test_round_trip(void** state) {
    (void)state;
    char path[64];
    make_path(path);
    write_table(path);
    FbSamples table;
    FbError err;
    assert_int_equal(fb_samples_read_csv(&table, path, &err), FB_OK);
    assert_int_equal(table.n_rows, N_ODD);
    assert_int_equal(table.n_columns, 2);
    assert_string_equal(table.names[0], "plain");
    assert_string_equal(table.units[0], "m/s");
    assert_string_equal(table.names[1], "odd, \"quoted\"\nname");
    assert_string_equal(table.units[1], "");
    for (int i = 0; i < N_ODD; i++) {
        double expected[2] = {odd_values[i], -odd_values[i]};
        double read[2] = {fb_samples_get_value(&table, i, 0), fb_samples_get_value(&table, i, 1)};
        assert_memory_equal(read, expected, sizeof read);
        assert_true(fb_samples_get_time(&table, i) == i / 10.0);
    }
    fb_samples_free(&table);
    unlink(path);
}

static void test_header_as_promised(void** state) {
    (void)state;
    char path[64];
    make_path(path);
    write_table(path);
    char* text;
    size_t size;
    FbError err;
    assert_int_equal(fb_read_file(path, &text, &size, &err), FB_OK);
    const char* expected = "t [s],plain [m/s],\"odd, \"\"quoted\"\"\nname\"\n0,0.1,-0.1\n";
    assert_memory_equal(text, expected, strlen(expected));
    free(text);
    unlink(path);
}

static void test_accepts_other_writers(void** state) {
    (void)state;
    // Byte order mark, CRLF, blanks, no units, an empty line, no line end at the end.
    static const char text[] = "\xef\xbb\xbft,x [m] , y\r\n0, 1 ,2\r\n\r\n 1e-3,-3.5e+2,0";
    FbSamples table;
    FbError err;
    assert_int_equal(fb_samples_read_csv_text(&table, text, "other.csv", &err), FB_OK);
    assert_int_equal(table.n_rows, 2);
    assert_int_equal(fb_samples_find(&table, "x"), 0);
    assert_string_equal(table.units[0], "m");
    assert_true(fb_samples_get_value(&table, 1, 0) == -350.0);
    assert_true(fb_samples_get_time(&table, 1) == 1e-3);
    assert_int_equal(fb_samples_find(&table, "z"), -1);
    fb_samples_free(&table);
}

typedef struct Fault {
    const char* text;
    FbStatus status;
    int line, col;
    const char* message;
} Fault;

static const Fault faults[] = {
    {"", FB_ERR_SYNTAX, 1, 1, "must be the time"},
    {"x,y\n1,2\n", FB_ERR_SYNTAX, 1, 1, "must be the time"},
    {"t [ms],y\n1,2\n", FB_ERR_SYNTAX, 1, 1, "must be the time"},
    {"t [s],y\n", FB_ERR_SYNTAX, 0, 0, "no rows"},
    {"t,y,y\n1,2,3\n", FB_ERR_NAME, 1, 5, "occurs twice"},
    {"t,,y\n1,2,3\n", FB_ERR_NAME, 1, 3, "without a name"},
    {"t,y\n1,2\n2\n", FB_ERR_SYNTAX, 3, 1, "fewer cells"},
    {"t,y\n1,2,3\n", FB_ERR_SYNTAX, 2, 3, "more cells"},
    {"t,y\n1,2\n2,3x\n", FB_ERR_SYNTAX, 3, 3, "\"3x\" is not a number"},
    {"t,y\n1,\n", FB_ERR_SYNTAX, 2, 3, "is not a number"},
    {"t,y\n1,2\n1,3\n", FB_ERR_RANGE, 3, 1, "not later"},
    {"t,y\nnan,2\n", FB_ERR_RANGE, 2, 1, "not finite"},
    {"t,\"y\n1,2\n", FB_ERR_SYNTAX, 1, 3, "closing quote"},
    {"t,\"y\"z\n1,2\n", FB_ERR_SYNTAX, 1, 6, "after a quoted cell"},
};

static void test_faults_have_places(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        FbSamples table;
        FbError err;
        assert_int_equal(fb_samples_read_csv_text(&table, faults[i].text, "bad.csv", &err),
                         faults[i].status);
        assert_int_equal(err.place.line, faults[i].line);
        assert_int_equal(err.place.col, faults[i].col);
        if (strstr(err.text, faults[i].message) == NULL) {
            fail_msg("message \"%s\" lacks \"%s\"", err.text, faults[i].message);
        }
        assert_null(table.cells);
    }
}

static void test_file_faults(void** state) {
    (void)state;
    FbSamples table;
    FbCsvWriter writer;
    FbError err;
    assert_int_equal(fb_samples_read_csv(&table, "/nowhere/x.csv", &err), FB_ERR_IO);
    assert_string_equal(err.place.file, "/nowhere/x.csv");
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(fb_csv_writer_open(&writer, "/nowhere/x.csv", &err), FB_ERR_IO);
    assert_int_equal(fb_samples_read_csv(&table, "/", &err), FB_ERR_IO);
}

static void test_full_disk_is_told(void** state) {
    (void)state;
    FbCsvWriter writer;
    FbError err;
    if (fb_csv_writer_open(&writer, "/dev/full", &err) != FB_OK) {
        skip();
    }
    fb_csv_writer_add_name(&writer, "t", "s");
    fb_csv_writer_end_row(&writer);
    assert_int_equal(fb_csv_writer_close(&writer, &err), FB_ERR_IO);
    assert_non_null(strstr(err.text, "No space"));
    assert_int_equal(fb_file_write("/dev/full", "x", 1, &err), FB_ERR_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_header_as_promised),
        cmocka_unit_test(test_accepts_other_writers),
        cmocka_unit_test(test_faults_have_places),
        cmocka_unit_test(test_file_faults),
        cmocka_unit_test(test_full_disk_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
