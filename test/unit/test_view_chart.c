// Charts: ticks at round numbers, SVG of bounded size with escaped names, characters for the
// terminal.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/chart_axis.h"

static FbChartCurve make_curve(const char* name, const double* xy, int n) {
    return (FbChartCurve){.data = {.name = name,
                                   .times = xy,
                                   .values = xy + 1,
                                   .time_stride = 2,
                                   .value_stride = 2,
                                   .n = n}};
}

static void check_ticks(double low, double high, double step, const char* first) {
    double xy[] = {0.0, low, 1.0, high};
    FbChartCurve curve = make_curve("x", xy, 2);
    FbAxis a = {.from = 0.0, .to = 100.0};
    char label[32];
    fb_axis_fit(&a, &curve, 1, false);
    fb_axis_choose_ticks(&a, 0.0, 6);
    fb_axis_widen(&a);
    assert_float_equal(a.step / step, 1.0, 1e-12);
    assert_true(a.low <= low && a.high >= high);
    // The range ends at ticks.
    int n = fb_axis_tick_count(&a);
    assert_int_equal(n, 1 + lround((a.high - a.low) / a.step));
    assert_float_equal(fb_axis_tick(&a, 0), a.low, 1e-9 * step);
    assert_float_equal(fb_axis_tick(&a, n - 1), a.high, 1e-9 * step);
    fb_axis_format(&a, fb_axis_tick(&a, 0), label);
    assert_string_equal(label, first);
}

static void test_ticks(void** state) {
    (void)state;
    check_ticks(0.0, 1.0, 0.2, "0.0");
    check_ticks(-0.93, 0.87, 0.5, "-1.0");
    check_ticks(0.0, 35.0, 10.0, "0");
    check_ticks(-3e-7, 4e-7, 2e-7, "-400");  // labelled in units of 1e-9
    check_ticks(2e6, 3e6, 2e5, "2.0");
    check_ticks(1.0, 1.0 + 4e-7, 1e-7, "1.0000000");
}

static void test_flat_and_missing(void** state) {
    (void)state;
    double flat[] = {0.0, 3.0, 1.0, 3.0}, none[] = {0.0, NAN, 1.0, INFINITY};
    FbAxis a = {.to = 1.0};
    FbChartCurve curve = make_curve("x", flat, 2);
    fb_axis_fit(&a, &curve, 1, false);
    assert_true(a.low < 3.0 && a.high > 3.0);
    curve = make_curve("x", none, 2);
    fb_axis_fit(&a, &curve, 1, false);
    assert_true(a.low < a.high);
}

static int count(const char* text, const char* word) {
    int n = 0;
    for (const char* at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        n++;
    }
    return n;
}

static void test_svg(void** state) {
    (void)state;
    double xy[] = {0.0, 0.0, 1.0, 1.0, 2.0, NAN, 3.0, 0.5, 4.0, 0.0};
    FbChartCurve curves[2] = {make_curve("a<b>&\"c\"", xy, 5), make_curve("a<b>&\"c\"", xy, 5)};
    curves[1].is_reference = true;
    FbChartPanel panel = {.label = "x [m]", .curves = curves, .n_curves = 2};
    FbLineChart chart = {
        .title = "</svg><script>", .x_label = "t [s]", .panels = &panel, .n_panels = 1};
    FbText text;
    fb_text_init(&text);
    fb_chart_add_svg(&text, &chart);
    assert_false(text.has_failed);
    assert_null(strstr(text.data, "<script"));
    assert_null(strstr(text.data, "<b>"));
    assert_int_equal(count(text.data, "a&lt;b&gt;&amp;&quot;c&quot;"), 2);
    assert_int_equal(count(text.data, "<circle"), 4 + 1);  // points of the reference, legend
    const char* path = strstr(text.data, "<path class=\"curve\"");
    assert_non_null(path);
    assert_int_equal(count(strstr(path, " d=\"") + 4, "M"), 2 + 1);  // the gap, and the legend
    fb_text_free(&text);
}

// A million points become what the pixels can show, and no peak is lost.
static void test_thinning(void** state) {
    (void)state;
    enum { N = 1000000 };
    double* xy = malloc(sizeof(double) * 2 * N);
    assert_non_null(xy);
    for (int i = 0; i < N; i++) {
        xy[2 * i] = i;
        xy[2 * i + 1] = i == 123456 ? 1000.0 : sin(i * 0.7);
    }
    FbChartCurve curve = make_curve("x", xy, N);
    FbChartPanel panel = {.label = "x", .curves = &curve, .n_curves = 1};
    FbLineChart chart = {.title = "", .x_label = "t", .panels = &panel, .n_panels = 1};
    FbText text;
    fb_text_init(&text);
    fb_chart_add_svg(&text, &chart);
    assert_false(text.has_failed);
    assert_true(text.length < 100000);
    assert_non_null(strstr(text.data, " 46.0L"));  // the peak stands at the top of the panel
    fb_text_free(&text);
    free(xy);
}

static void test_text(void** state) {
    (void)state;
    double xy[] = {0.0, 0.0, 10.0, 9.0};
    FbChartCurve curve = make_curve("x", xy, 2);
    FbTextChart chart = {.label = "x\033[31m [\xc2\x9b|\u202e]",
                         .curves = &curve,
                         .n_curves = 1,
                         .columns = 10,
                         .rows = 10};
    FbText text;
    fb_text_init(&text);
    fb_chart_add_text(&text, &chart);
    assert_false(text.has_failed);
    assert_non_null(strstr(text.data, "x\\x1b[31m [\\xc2\\x9b|\\xe2\\x80\\xae]\n"));
    assert_int_equal(count(text.data, "*"), 10);
    assert_non_null(strstr(text.data, "           9 |         *\n"));
    assert_non_null(strstr(text.data, "           0 |*\n"));
    fb_text_free(&text);
    chart.is_unicode = true;
    fb_chart_add_text(&text, &chart);
    assert_null(strchr(text.data, '*'));
    assert_non_null(strstr(text.data, "\xe2\xa1"));  // Braille
    fb_text_free(&text);
}

// Two panels over one abscissa, the first logarithmic if asked for.
static char* draw(const double* x, const double* y, int n, bool is_log) {
    FbChartCurve curve = {
        .data = {
            .name = "h", .times = x, .values = y, .time_stride = 1, .value_stride = 1, .n = n}};
    FbChartPanel panels[] = {
        {.label = "size <m & N>", .curves = &curve, .n_curves = 1, .is_log = is_log},
        {.label = "phase", .curves = &curve, .n_curves = 1, .tick_step = 45.0}};
    FbLineChart chart = {.title = "push to x",
                         .x_label = "f [Hz]",
                         .is_x_log = is_log,
                         .panels = panels,
                         .n_panels = 2};
    char* svg = NULL;
    assert_int_equal(fb_chart_svg(&chart, &svg, NULL), FB_OK);
    assert_null(strstr(svg, "nan"));
    return svg;
}

static void test_logarithmic(void** state) {
    (void)state;
    const double x[] = {0.1, 1.0, 10.0, 100.0}, y[] = {1.0, 50.0, 90.0, 180.0};
    char* svg = draw(x, y, 4, true);
    assert_int_equal(count(svg, "size &lt;m &amp; N&gt;"), 1);
    // Decades below the lower panel, 1 ... 1000 beside the upper and multiples of 45 beside the
    // lower.
    const char* const ticks[] = {">0.1<", ">10<", ">1000<", ">45<", ">90<", ">135<", ">180<"};
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++) {
        assert_true(count(svg, ticks[i]) >= 1);
    }
    fb_free(svg);
}

// The points of the first curve, and how many of them begin a piece.
static int count_points(const char* svg, int* n_pieces) {
    const char* at = strstr(svg, "<path class=\"curve\"");
    int n = 0;
    *n_pieces = 0;
    at = at != NULL ? strstr(at, " d=\"") : NULL;
    for (at = at != NULL ? at + 4 : ""; *at == 'M' || *at == 'L'; n++) {
        double px, py;
        int length;
        assert_int_equal(sscanf(at + 1, "%lf %lf%n", &px, &py, &length), 2);
        *n_pieces += *at == 'M';
        at += 1 + length;
    }
    return n;
}

static void test_gaps(void** state) {
    (void)state;
    const double x[] = {1.0, 2.0, 3.0, 4.0, 5.0}, y[] = {1.0, NAN, 3.0, INFINITY, 2.0};
    int n_pieces;
    char* svg = draw(x, y, 5, false);
    assert_int_equal(count_points(svg, &n_pieces), 3);
    assert_int_equal(n_pieces, 3);
    fb_free(svg);
    const double positive[] = {1.0, 0.0, -3.0, 1e5, 1e-5};
    svg = draw(x, positive, 5, true);
    assert_int_equal(count_points(svg, &n_pieces), 3);
    assert_int_equal(n_pieces, 2);
    fb_free(svg);
    const double same[] = {7.0, 7.0}, none[] = {NAN, NAN};
    fb_free(draw(x, same, 2, false));
    fb_free(draw(x, none, 2, false));
    fb_free(draw(x, same, 0, true));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks), cmocka_unit_test(test_flat_and_missing),
        cmocka_unit_test(test_svg),   cmocka_unit_test(test_thinning),
        cmocka_unit_test(test_text),  cmocka_unit_test(test_logarithmic),
        cmocka_unit_test(test_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
