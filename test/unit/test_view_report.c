// Recorded poses, and reports of runs and modes as the viewer's contract wants them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "flyball/flyball.h"
#include "model_file.h"
#include "test_view_support.h"
#include "view/report.h"

// Spins with 4 rad/s about z: ten turns and a half in 16.5 s.
static const char* const spinner = "test/unit/view_report/spinner.yaml";

static FbResult* run(const FbModel* model, bool has_poses) {
    FbRunOptions options = fb_run_options_default(model);
    options.record_poses = has_poses;
    FbResult* result = NULL;
    FbError err = {0};
    assert_int_equal(fb_simulate(model, &options, &result, &err), FB_OK);
    return result;
}

static void test_poses(void** state) {
    (void)state;
    FbModel* model = test_model_from_file(spinner);
    FbResult* result = run(model, true);
    double before[4] = {1.0, 0.0, 0.0, 0.0}, p[3], e[4];
    for (int r = 0; r < fb_result_get_row_count(result); r++) {
        double t = fb_result_get_time(result, r);
        assert_true(fb_result_get_pose(result, r, 0, p, e));
        assert_float_equal(p[0], 1.0, 1e-12);
        assert_float_equal(p[2], 2.0, 1e-12);
        // The quaternion counts on through half turns instead of changing its sign.
        assert_float_equal(e[0], cos(2.0 * t), 1e-7);
        assert_float_equal(e[3], sin(2.0 * t), 1e-7);
        assert_true(before[0] * e[0] + before[3] * e[3] > 0.9);
        memcpy(before, e, sizeof e);
        assert_true(fb_result_get_pose(result, r, 1, p, e));
        assert_float_equal(p[0], 1.0 + cos(4.0 * t), 1e-7);
        assert_float_equal(p[1], sin(4.0 * t), 1e-7);
    }
    assert_false(fb_result_get_pose(result, 0, 2, p, e));
    assert_false(fb_result_get_pose(result, -1, 0, p, e));
    assert_false(fb_result_get_pose(result, fb_result_get_row_count(result), 0, p, e));
    fb_result_destroy(result);
    result = run(model, false);
    assert_false(fb_result_get_pose(result, 0, 0, p, e));
    fb_result_destroy(result);
    fb_model_destroy(model);
}

static char* read_report(const char* path) {
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char* text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
    text[size] = '\0';
    fclose(file);
    remove(path);
    return text;
}

// The data inside the script element, cut out.
static char* find_data(char* report) {
    static const char mark[] = "<script type=\"application/json\" id=\"flyball-data\">";
    char* data = strstr(report, mark);
    assert_non_null(data);
    assert_null(strstr(data + 1, mark));
    data += strlen(mark);
    char* end = strstr(data, "</script>");
    assert_non_null(end);
    assert_non_null(strstr(end, "</html>"));
    *end = '\0';
    return data;
}

static const char* make_path(void) {
    static char path[64];
    snprintf(path, sizeof path, "/tmp/flyball_report_%ld.html", (long)getpid());
    return path;
}

static void assert_has(const char* text, const char* part) {
    if (strstr(text, part) == NULL) {
        fail_msg("not in the report: %s", part);
    }
}

static void test_run_report(void** state) {
    (void)state;
    FbModel* model = test_model_from_file(spinner);
    FbResult* result = run(model, true);
    double times[] = {0.0, 1.0}, values[] = {0.0, 4.0};
    FbReportReference reference = {"angle", times, values, 2};
    FbReportMeasure measure = {"angle <&>", 1e-9, NAN, true};
    FbReportOptions options = fb_report_options_default();
    options.references = &reference;
    options.n_references = 1;
    options.measures = &measure;
    options.n_measures = 1;
    options.failure = "the spring broke";
    FbError err = {0};
    const char* path = make_path();
    assert_int_equal(fb_report_write_run(result, &options, path, &err), FB_OK);
    char* report = read_report(path);
    char* data = find_data(report);
    assert_null(strchr(data, '<'));
    assert_null(strchr(data, '&'));
    assert_has(data, "{\"format\":1,\"kind\":\"run\",\"title\":\"\\u003c/script\\u003e");
    assert_has(data, "{\"name\":\"angle \\u003c\\u0026\\u003e\",\"error\":1e-09,\"limit\":null");
    assert_has(data, "\"warnings\":[\"The run ended early: the spring broke\"]");
    assert_has(
        data, "\"references\":[{\"output\":\"angle\",\"time\":{\"f64\":\"AAAAAAAAAAAAAAAAAADwPw==");
    assert_has(data, "\"gravity\":[0,0,-9.81]");
    assert_has(
        data,
        "\"color\":\"#102030\",\"shapes\":[{\"type\":\"box\",\"size\":[1,2,3],\"at\":[0.5,0,0]");
    assert_has(data, "\"points\":[{\"name\":\"tip\",\"at\":[1,0,0]}]");
    // Joint points, then the spring's; the weight of the bob after its joint.
    assert_has(data, "\"links\":[[0,0,0],[1,0,0],[0,0,1]],\"poses\":{\"f32\":\"");
    assert_has(data, "\"links\":[[0,0,0],[0,0,-1]]");
    assert_has(data,
               "{\"name\":\"spin\",\"type\":\"revolute\",\"body_a\":-1,\"at_a\":[1,0,2],\"axis_a\":"
               "[0,0,1],"
               "\"body_b\":0,\"at_b\":[0,0,0],\"is_loop\":false}");
    assert_has(data,
               "\"springs\":[{\"name\":\"s1\",\"body_a\":-1,\"at_a\":[1,0,5],\"body_b\":0,\"at_b\":"
               "[0,0,1]}]");
    free(report);
    fb_result_destroy(result);
    fb_model_destroy(model);
}

static void test_without_poses(void** state) {
    (void)state;
    FbModel* model = test_model_from_file(spinner);
    FbResult* result = run(model, false);
    FbReportOptions options = fb_report_options_default();
    options.title = "mine";
    FbError err = {0};
    assert_int_equal(fb_report_write_run(result, &options, "/nowhere/x.html", &err), FB_ERR_IO);
    assert_int_equal(fb_report_write_run(result, &options, make_path(), &err), FB_OK);
    char* report = read_report(make_path());
    char* data = find_data(report);
    assert_has(data, "\"title\":\"mine\"");
    assert_has(data, "\"frames\":[],\"bodies\":[]");
    free(report);
    fb_result_destroy(result);
    fb_model_destroy(model);
}

// Long runs: frames are thinned, values are not; many values become single precision.
static double count_up(const void* self, int row) {
    (void)self;
    return row;
}

static double count_value(const void* self, int row, int output) {
    (void)self;
    return row + output;
}

static void stand_still(const void* self, int row, int body, double pose[7]) {
    (void)self;
    (void)body;
    memset(pose, 0, 7 * sizeof(double));
    pose[0] = row;
    pose[3] = 1.0;
}

static size_t array_length(const char* data, const char* start) {
    const char* at = strstr(data, start);
    assert_non_null(at);
    return strcspn(at + strlen(start), "\"");
}

static void test_long_run(void** state) {
    (void)state;
    FbModel* model = test_model_from_file(spinner);
    FbArena* arena = fb_arena_create();
    const char* names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
    const char* units[] = {"m", "", "", "", "", "", "", "", "", "", ""};
    FbReportSource source = fb_report_source("run");
    fb_report_add_model(&source, arena, model);
    source.n_rows = 60000;
    source.n_outputs = 11;
    source.output_names = names;
    source.output_units = units;
    source.get_time = count_up;
    source.get_value = count_value;
    source.get_pose = stand_still;
    FbError err = {0};
    assert_int_equal(fb_report_write(&source, make_path(), &err), FB_OK);
    char* report = read_report(make_path());
    char* data = find_data(report);
    assert_int_equal(array_length(data, "\"time\":{\"f64\":\""), 60000 * 8 / 3 * 4);
    assert_int_equal(array_length(data, "\"values\":{\"f32\":\""), 60000 * 4 / 3 * 4);
    assert_int_equal(array_length(data, "\"frames\":{\"f64\":\""), (5000 * 8 + 2) / 3 * 4);
    assert_int_equal(array_length(data, "\"poses\":{\"f32\":\""), (5000 * 28 + 2) / 3 * 4);
    free(report);
    // Longer still: values that rise have their extremes at both ends of each of 33 333 parts.
    source.n_rows = 900000;
    source.n_outputs = 2;
    assert_int_equal(fb_report_write(&source, make_path(), &err), FB_OK);
    report = read_report(make_path());
    data = find_data(report);
    assert_int_equal(array_length(data, "\"time\":{\"f64\":\""), 66666 * 8 / 3 * 4);
    assert_int_equal(array_length(data, "\"values\":{\"f64\":\""), 66666 * 8 / 3 * 4);
    assert_int_equal(array_length(data, "\"frames\":{\"f64\":\""), (5000 * 8 + 2) / 3 * 4);
    assert_non_null(strstr(data, "66666 of 900000"));
    free(report);
    fb_arena_destroy(arena);
    fb_model_destroy(model);
}

// Two masses on springs along x, and a wheel that swings by itself.
static const char* const masses = "test/unit/view_report/masses.yaml";

static void test_modes_report(void** state) {
    (void)state;
    FbModel* model = test_model_from_file(masses);
    FbOperatingOptions at = fb_operating_options_default();
    FbLinearOptions linear = fb_linear_options_default();
    FbOperatingPoint* point = NULL;
    FbLinearization* l = NULL;
    FbError err = {0};
    assert_int_equal(fb_operating_point_create(model, &at, &point, &err), FB_OK);
    assert_int_equal(fb_linearization_create(point, &linear, &l, &err), FB_OK);
    assert_int_equal(fb_linearization_run(l, &err), FB_OK);
    FbReportOptions options = fb_report_options_default();
    assert_int_equal(fb_report_write_modes(l, &options, make_path(), &err), FB_OK);
    char* report = read_report(make_path());
    char* data = find_data(report);
    assert_has(data, "\"kind\":\"modes\"");
    assert_has(data, "\"class\":\"physical\"");
    // The wheel turns about a point 1 m away from its origin: the origin moves along x, as far as
    // it turns.
    const char* wheel = strstr(data, "[\"wheel\",1]");
    assert_non_null(wheel);
    float shape[36];
    assert_int_equal(read_array(wheel, "\"shape\":{\"f32\":\"", shape, sizeof shape), sizeof shape);
    const float *u = shape + 24, *w = shape + 27;
    assert_true(fabsf(w[2]) > 0.1f);
    assert_float_equal(u[0], w[2], 1e-6 * fabsf(w[2]));
    assert_float_equal(u[1], 0.0, 1e-9);
    assert_float_equal(w[0], 0.0, 1e-9);
    free(report);
    fb_linearization_destroy(l);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
}

// Two outputs over many rows: waves, each with a peak that one row alone has.
enum { HIGH_ROW = 700001, LOW_ROW = 123457 };

static double time_at(const void* self, int row) {
    (void)self;
    return 1e-3 * row;
}

static double wave_at(const void* self, int row, int output) {
    (void)self;
    double peak = output == 0 && row == HIGH_ROW ? 5.0 : output == 1 && row == LOW_ROW ? -7.0 : 0.0;
    return row % 1000 == 999 ? NAN : sin(1e-3 * row + output) + peak;
}

static void test_shown_rows(void** state) {
    (void)state;
    static const int counts[] = {200000, 200001, 1000000};
    for (int k = 0; k < 3; k++) {
        FbArena* arena = fb_arena_create();
        FbReportSource r = fb_report_source("run");
        r.n_rows = counts[k];
        r.n_outputs = 2;
        r.get_time = time_at;
        r.get_value = wave_at;
        assert_int_equal(fb_report_choose_rows(&r, arena, NULL), FB_OK);
        assert_true(r.n_shown <= 200000 && r.n_shown > 60000);
        bool has_high = false, has_low = false;
        for (int i = 0; r.shown_rows && i < r.n_shown; i++) {
            assert_true(i == 0 || r.shown_rows[i] > r.shown_rows[i - 1]);
            has_high |= r.shown_rows[i] == HIGH_ROW;
            has_low |= r.shown_rows[i] == LOW_ROW;
        }
        if (k == 0) {
            assert_null(r.shown_rows);
            assert_int_equal(r.n_shown, counts[k]);
        } else {
            assert_int_equal(r.shown_rows[0], 0);
            assert_int_equal(r.shown_rows[r.n_shown - 1], counts[k] - 1);
            assert_true(has_low && has_high == (counts[k] > HIGH_ROW));
        }
        fb_arena_destroy(arena);
    }
}

// With many outputs there are fewer rows, so that the file stays small.
static void test_shown_rows_of_many_outputs(void** state) {
    (void)state;
    FbArena* arena = fb_arena_create();
    FbReportSource r = fb_report_source("run");
    r.n_rows = 100000;
    r.n_outputs = 40;
    r.get_time = time_at;
    r.get_value = wave_at;
    assert_int_equal(fb_report_choose_rows(&r, arena, NULL), FB_OK);
    assert_non_null(r.shown_rows);
    assert_true(41.0 * r.n_shown <= 800000.0 && r.n_shown > 300);
    fb_arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shown_rows_of_many_outputs),
        cmocka_unit_test(test_poses),
        cmocka_unit_test(test_run_report),
        cmocka_unit_test(test_without_poses),
        cmocka_unit_test(test_long_run),
        cmocka_unit_test(test_modes_report),
        cmocka_unit_test(test_shown_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
