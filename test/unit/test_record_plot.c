// SVG pictures: labels, ticks, curves inside of their frames, gaps, and ranges without extent.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "record/plot.h"

static int count(const char* text, const char* word) {
    int n = 0;
    for (const char* at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        n++;
    }
    return n;
}

static void draw(FbText* text, const double* x, const double* y, int n, bool is_log) {
    FbPlotPanel panels[] = {{.label = "size <m & N>", .y = y, .is_log = is_log},
                            {.label = "phase", .y = y, .tick_step = 45.0}};
    FbPlot plot = {.title = "push to x",
                   .x_label = "f [Hz]",
                   .is_x_log = is_log,
                   .x = x,
                   .n = n,
                   .panels = panels,
                   .n_panels = 2};
    fb_text_init(text);
    fb_plot_add_svg(text, &plot);
    assert_false(text->has_failed);
}

static void test_labels_and_ticks(void** state) {
    (void)state;
    const double x[] = {0.1, 1.0, 10.0, 100.0}, y[] = {1.0, 50.0, 90.0, 180.0};
    FbText text;
    draw(&text, x, y, 4, true);
    assert_memory_equal(text.data, "<svg xmlns=", 11);
    assert_int_equal(count(text.data, "push to x"), 1);
    assert_int_equal(count(text.data, "size &lt;m &amp; N&gt;"), 1);
    assert_int_equal(count(text.data, "<path class=\"curve\""), 2);
    // Decades below the lower panel, 1 ... 1000 beside the upper and multiples of 45 beside the
    // lower.
    const char* const ticks[] = {">0.1<", ">10<", ">1000<", ">45<", ">90<", ">135<", ">180<"};
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++) {
        assert_true(count(text.data, ticks[i]) >= 1);
    }
    assert_int_equal(count(text.data, "class=\"minor\""), 2 * 3 * 8);
    fb_text_free(&text);
}

// All points of the first curve, which must lie in the frame; returns their number.
static int check_points(const char* svg) {
    const char* at = strstr(svg, " d=\"") + 4;
    int n = 0;
    while (*at == 'M' || *at == 'L') {
        double px, py;
        int length;
        assert_int_equal(sscanf(at + 1, "%lf %lf%n", &px, &py, &length), 2);
        assert_true(px >= 84.0 - 0.01 && px <= 740.0 + 0.01);
        assert_true(py >= 40.0 - 0.01 && py <= 260.0 + 0.01);
        at += 1 + length;
        n++;
    }
    return n;
}

static void test_gaps(void** state) {
    (void)state;
    const double x[] = {1.0, 2.0, 3.0, 4.0, 5.0}, y[] = {1.0, NAN, 3.0, INFINITY, 2.0};
    FbText text;
    draw(&text, x, y, 5, false);
    assert_int_equal(check_points(text.data), 3);
    const char* curve = strstr(text.data, " d=\"");
    assert_int_equal(curve[4], 'M');
    assert_null(memchr(curve, 'L', strcspn(curve + 4, "\"")));  // three separate points
    fb_text_free(&text);
    const double positive[] = {1.0, 0.0, -3.0, 1e5, 1e-5};
    draw(&text, x, positive, 5, true);
    assert_int_equal(check_points(text.data), 3);
    fb_text_free(&text);
}

static void test_no_extent(void** state) {
    (void)state;
    const double x[] = {1.0, 2.0}, same[] = {7.0, 7.0}, none[] = {NAN, NAN};
    FbText text;
    draw(&text, x, same, 2, false);
    assert_int_equal(check_points(text.data), 2);
    assert_null(strstr(text.data, "nan"));
    fb_text_free(&text);
    draw(&text, x, none, 2, false);
    assert_int_equal(check_points(text.data), 0);
    assert_null(strstr(text.data, "nan"));
    fb_text_free(&text);
    draw(&text, x, same, 0, true);
    assert_null(strstr(text.data, "nan"));
    fb_text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_labels_and_ticks),
                                       cmocka_unit_test(test_gaps),
                                       cmocka_unit_test(test_no_extent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
