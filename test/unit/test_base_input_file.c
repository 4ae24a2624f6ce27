// Whole files: limits on both sides of a length, empty ones, pipes, folders.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/input_file.h"

static const char PATH[] = "test_base_input_file.tmp";

static void write_letters(const char* path, size_t n) {
    remove(path);  // what a test that failed has left may be a pipe
    FILE* out = fopen(path, "wb");
    assert_non_null(out);
    for (size_t i = 0; i < n; i++) {
        fputc('a' + (int)(i % 26), out);
    }
    assert_int_equal(fclose(out), 0);
}

static void assert_letters(const char* text, size_t size, size_t n) {
    assert_int_equal(size, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(text[i], 'a' + (int)(i % 26));
    }
    assert_int_equal(text[n], '\0');
}

static void files_of_every_length_up_to_the_limit_are_read(void** state) {
    (void)state;
    static const size_t LENGTH[] = {0, 1, 65535, 65536, 65537, 200000};
    for (size_t i = 0; i < sizeof LENGTH / sizeof *LENGTH; i++) {
        char* text;
        size_t size;
        write_letters(PATH, LENGTH[i]);
        assert_int_equal(fb_input_file_read(PATH, 200000, &text, &size), FB_OK);
        assert_letters(text, size, LENGTH[i]);
        free(text);
    }
    remove(PATH);
}

static void longer_files_are_refused(void** state) {
    (void)state;
    char* text;
    size_t size;
    write_letters(PATH, 1001);
    assert_int_equal(fb_input_file_read(PATH, 1000, &text, &size), FB_ERR_IO);
    assert_int_equal(errno, EFBIG);
    assert_null(text);
    assert_int_equal(fb_input_file_read(PATH, 1001, &text, &size), FB_OK);
    assert_int_equal(size, 1001);
    free(text);
    remove(PATH);
}

// A pipe does not say how long it is: the buffer grows, and the limit holds.
static void pipes_are_read_to_their_end(void** state) {
    (void)state;
    static const size_t N = 300000;
    for (int too_long = 0; too_long < 2; too_long++) {
        char path[64], command[128], *text;
        size_t size;
        write_letters(PATH, N);
        snprintf(command, sizeof command, "cat %s", PATH);
        FILE* pipe = popen(command, "r");
        assert_non_null(pipe);
        snprintf(path, sizeof path, "/dev/fd/%d", fileno(pipe));
        FbStatus status = fb_input_file_read(path, too_long ? N - 1 : N, &text, &size);
        assert_int_equal(status, too_long ? FB_ERR_IO : FB_OK);
        if (too_long) {
            assert_int_equal(errno, EFBIG);
            assert_null(text);
        } else {
            assert_letters(text, size, N);
        }
        free(text);
        pclose(pipe);
    }
    remove(PATH);
}

static void what_is_no_file_says_why(void** state) {
    (void)state;
    char* text;
    size_t size;
    assert_int_equal(fb_input_file_read("/", 1000, &text, &size), FB_ERR_IO);
    assert_int_equal(errno, EISDIR);
    assert_null(text);
    assert_int_equal(fb_input_file_read("no/such/file", 1000, &text, &size), FB_ERR_IO);
    assert_int_equal(errno, ENOENT);
    assert_null(text);
}

static void a_pipe_without_a_writer_is_empty(void** state) {
    (void)state;
    char* text;
    size_t size;
    remove(PATH);
    assert_int_equal(mkfifo(PATH, 0600), 0);
    assert_int_equal(fb_input_file_read(PATH, 1000, &text, &size), FB_OK);
    assert_int_equal(size, 0);
    free(text);
    remove(PATH);
}

static void shown_paths_are_simple(void** state) {
    (void)state;
    static const char* const PAIRS[][2] = {{"a/b/../c.yaml", "a/c.yaml"},
                                           {"/x/bin/../share/./m", "/x/share/m"},
                                           {"a/b/../../../c", "../c"},
                                           {"../../c", "../../c"},
                                           {"a//b/", "a/b"},
                                           {"/../a", "/../a"},
                                           {"./a.yaml", "a.yaml"},
                                           {"plain", "plain"},
                                           {"/a/b/c/../../../d/e", "/d/e"},
                                           {"..a/../b..", "b.."}};
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        char path[64];
        strcpy(path, PAIRS[i][0]);
        fb_path_simplify(path);
        assert_string_equal(path, PAIRS[i][1]);
    }
}

static void a_device_without_end_is_left_early(void** state) {
    (void)state;
    struct stat info;
    if (stat("/dev/zero", &info) != 0 || !S_ISCHR(info.st_mode)) {
        skip();
    }
    char* text;
    size_t size;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    assert_int_equal(fb_input_file_read("/dev/zero", (size_t)256 << 20U, &text, &size), FB_ERR_IO);
    assert_int_equal(errno, EFBIG);
    assert_null(text);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 64 << 10U);  // kB
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_every_length_up_to_the_limit_are_read),
        cmocka_unit_test(longer_files_are_refused),
        cmocka_unit_test(pipes_are_read_to_their_end),
        cmocka_unit_test(what_is_no_file_says_why),
        cmocka_unit_test(a_pipe_without_a_writer_is_empty),
        cmocka_unit_test(shown_paths_are_simple),
        cmocka_unit_test(a_device_without_end_is_left_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
