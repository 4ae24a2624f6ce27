// Structures and sliders in reports: nodes by small numbers, members, sliders; the lowest modes.
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

// A frame of two members, a mass on a bushing, a driven and a free slider, and one on a curve.
static const char* const frame = "test/unit/view_structures/frame.yaml";

static const char* make_path(void) {
    static char path[64];
    snprintf(path, sizeof path, "/tmp/flyball_frame_%ld.html", (long)getpid());
    return path;
}

// The data of the report, to be freed.
static char* read_data(void) {
    static const char mark[] = "id=\"flyball-data\">";
    FILE* file = fopen(make_path(), "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char* text = calloc(size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, file), size);
    fclose(file);
    remove(make_path());
    char* data = strstr(text, mark);
    assert_non_null(data);
    memmove(text, data, strlen(data) + 1);
    return text;
}

static const char* find(const char* text, const char* part) {
    const char* at = strstr(text, part);
    if (at == NULL) {
        fail_msg("not in the report: %s", part);
    }
    return at;
}

static FbResult* run(const FbModel* model) {
    FbRunOptions options = fb_run_options_default(model);
    options.record_poses = true;
    FbResult* result = NULL;
    FbError err = {0};
    FbStatus status = fb_simulate(model, &options, &result, &err);
    if (status != FB_OK) {
        print_message("%s\n", err.text);
    }
    assert_int_equal(status, FB_OK);
    return result;
}

static int find_body(const FbModel* model, const char* name) {
    FbModelInfo info;
    fb_model_get_info(model, &info);
    for (int b = 0; b < info.n_bodies; b++) {
        if (strcmp(fb_model_get_body_name(model, b), name) == 0) {
            return b;
        }
    }
    fail_msg("there is no body %s", name);
    return -1;
}

static void test_slides(void** state) {
    (void)state;
    FbModel* model = test_model_from_file(frame);
    FbModelInfo info;
    fb_model_get_info(model, &info);
    assert_int_equal(info.n_beams, 3);
    assert_int_equal(info.n_members, 2);
    assert_int_equal(info.n_sliders, 3);
    FbResult* result = run(model);
    for (int r = 0; r < fb_result_get_row_count(result); r++) {
        double t = fb_result_get_time(result, r), s = NAN, position[3], quaternion[4];
        assert_true(fb_result_get_slide(result, r, 0, &s));
        assert_float_equal(s, 0.5 + 2.0 * t, 1e-12);
        assert_true(fb_result_get_slide(result, r, 2, &s));
        assert_float_equal(s, 0.1 + t, 1e-12);
        assert_true(fb_result_get_slide(result, r, 1, &s));
        int carriage = find_body(model, "loose.rail");
        assert_true(fb_result_get_pose(result, r, carriage, position, quaternion));
        // The rail counts along an axis of its own as far as the slider along its guide.
        double gone =
            sqrt(position[0] * position[0] + position[1] * position[1] + position[2] * position[2]);
        assert_float_equal(s, gone, 1e-12);
        assert_true(r == 0 || s > 0.75);
    }
    double s;
    assert_false(fb_result_get_slide(result, 0, 3, &s));
    assert_false(fb_result_get_slide(result, -1, 0, &s));
    fb_result_destroy(result);
    fb_model_destroy(model);
}

// A node's frames are steps of a given size from its position in the drawing.
static void check_node(const char* data, const FbModel* model, const FbResult* result) {
    const char* node = find(data, "\"name\":\"f.B\",\"role\":\"node\",\"mass\":3,");
    node = find(node, "\"drawn\":[0,2,0,1,0,0,0],\"scale\":[");
    double scale[2];
    assert_int_equal(
        sscanf(strstr(node, "\"scale\":["), "\"scale\":[%lf,%lf]", &scale[0], &scale[1]), 2);
    assert_true(scale[0] > 0.02 / 40000 && scale[0] < 0.1 / 30000);
    int16_t steps[36];
    assert_int_equal(read_array(node, "\"moves\":{\"i16\":\"", steps, sizeof steps), sizeof steps);
    int body = find_body(model, "f.B");
    for (int r = 0; r < 6; r++) {
        double p[3], e[4];
        assert_true(fb_result_get_pose(result, r, body, p, e));
        assert_float_equal(scale[0] * steps[6 * r], p[0], 0.51 * scale[0]);
        assert_float_equal(scale[0] * steps[6 * r + 1], p[1] - 2.0, 0.51 * scale[0]);
        assert_float_equal(scale[1] * steps[6 * r + 5], 2.0 * asin(e[3]), 0.51 * scale[1]);
        assert_int_equal(steps[6 * r + 2], 0);
        assert_int_equal(steps[6 * r + 3], 0);
    }
}

static void test_run_report(void** state) {
    (void)state;
    FbModel* model = test_model_from_file(frame);
    FbResult* result = run(model);
    FbReportOptions options = fb_report_options_default();
    FbError err = {0};
    assert_int_equal(fb_report_write_run(result, &options, make_path(), &err), FB_OK);
    char* data = read_data();
    check_node(data, model, result);
    find(data,
         "[\"bodies\",\"1\"],[\"nodes of structures\",\"4\"],[\"members\",\"2 with 3 elements\"],["
         "\"sliders\",\"3\"]");
    int a = find_body(model, "f.A"), b = find_body(model, "f.B"), c = find_body(model, "f.C");
    int inner = find_body(model, "f.left.n1"), hub = find_body(model, "hub");
    char text[256];
    snprintf(text, sizeof text,
             "\"members\":[{\"name\":\"f.left\",\"radius\":0.02,\"nodes\":[%d,%d,%d,%d],"
             "\"stress_step\":",
             a, inner, inner, b);
    find(data, text);
    snprintf(text, sizeof text,
             "{\"name\":\"f.top\",\"radius\":0.02,\"nodes\":[%d,%d],\"stress_step\":", b, c);
    find(data, text);
    // The top from its end to its start, then down the column.
    find(data,
         "{\"name\":\"down\",\"mass\":1,\"length\":3,\"carriage\":-1,\"pieces\":[-3,-2,-1],\"s\":");
    snprintf(text, sizeof text,
             "{\"name\":\"loose\",\"mass\":1,\"length\":2,\"carriage\":%d,\"pieces\":[0,1],",
             find_body(model, "loose.rail"));
    find(data, text);
    snprintf(text, sizeof text, "\"carriage\":-1,\"body\":%d,\"curve\":[[0,0,0],[0,0.012", hub);
    float s[6];
    assert_int_equal(read_array(find(data, text), "\"s\":{\"f32\":\"", s, sizeof s), sizeof s);
    assert_float_equal(s[5], 0.35, 1e-6);
    find(data, "\"name\":\"loose.rail\",\"role\":\"carriage\"");
    snprintf(text, sizeof text,
             "\"bushings\":[{\"name\":\"f.C.spring\",\"body_a\":-1,\"at_a\":[0,3,0],\"body_b\":%d,"
             "\"at_b\":[0,0,0]}]",
             c);
    find(data, text);
    // Bodies that are no nodes keep their poses; displacements of what they carry count from there.
    find(find(data, "\"name\":\"hub\",\"color\":null"), "\"drawn\":[0,-1,0,1,0,0,0],\"poses\":");
    free(data);
    fb_result_destroy(result);
    fb_model_destroy(model);
}

// What a motion file holds is a motion, and goes into a report again.
static void test_motion_file(void** state) {
    (void)state;
    FbModel* model = test_model_from_file(frame);
    FbResult* result = run(model);
    FbArena* arena = fb_arena_create();
    FbReportOptions options = fb_report_options_default();
    FbReportSource source;
    FbError err = {0};
    assert_int_equal(fb_report_of_result(result, &options, arena, &source, &err), FB_OK);
    assert_int_equal(fb_motion_write(&source, make_path(), &err), FB_OK);
    FILE* file = fopen(make_path(), "rb");
    char* text = calloc(1 << 20, 1);
    size_t size = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    remove(make_path());
    assert_int_equal(fb_motion_check(text, size, "frame.motion.json", &err), FB_OK);
    find(text, "\"sliders\":[{\"name\":\"down\"");
    free(text);
    fb_arena_destroy(arena);
    fb_result_destroy(result);
    fb_model_destroy(model);
}

// A cantilever whose closed form tells how far its tip turns: 1.3765 w/L in the first mode.
static const char* const cantilever = "test/unit/view_structures/cantilever.yaml";

static void check_modes(const FbModel* model) {
    char* data = read_data();
    find(data, "\"kind\":\"modes\"");
    const char* first = find(data, "\"participation\":[[\"f.arm\",");
    float shape[12 * 7];
    assert_int_equal(read_array(first, "\"shape\":{\"f32\":\"", shape, sizeof shape), sizeof shape);
    const float* tip = shape + 12 * find_body(model, "f.B");
    const float* root = shape + 12 * find_body(model, "f.A");
    assert_true(fabsf(tip[1]) > 0.1f);
    assert_float_equal(tip[5] / tip[1], 1.3765 / 2.0, 1e-3);
    for (int i = 0; i < 12; i++) {
        assert_float_equal(root[i], 0.0, 0.0);
    }
    free(data);
}

static void test_modes_reports(void** state) {
    (void)state;
    FbModel* model = test_model_from_file(cantilever);
    FbOperatingOptions at = fb_operating_options_default();
    FbOperatingPoint* point = NULL;
    FbReportOptions options = fb_report_options_default();
    FbError err = {0};
    assert_int_equal(fb_operating_point_create(model, &at, &point, &err), FB_OK);
    FbLowestOptions few = fb_lowest_options_default();
    few.count = 3;
    FbLowest* lowest = NULL;
    assert_int_equal(fb_modes_lowest(point, &few, &lowest, &err), FB_OK);
    assert_int_equal(fb_report_write_lowest(lowest, &options, make_path(), &err), FB_OK);
    check_modes(model);
    FbLinearOptions linear = fb_linear_options_default();
    FbLinearization* all = NULL;
    assert_int_equal(fb_linearization_create(point, &linear, &all, &err), FB_OK);
    assert_int_equal(fb_linearization_run(all, &err), FB_OK);
    assert_int_equal(fb_report_write_modes(all, &options, make_path(), &err), FB_OK);
    check_modes(model);
    fb_linearization_destroy(all);
    fb_lowest_destroy(lowest);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slides),
        cmocka_unit_test(test_run_report),
        cmocka_unit_test(test_motion_file),
        cmocka_unit_test(test_modes_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
