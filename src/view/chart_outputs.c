// Charts as texts for the caller, and outputs of a run as a chart: one panel for each unit.
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "solve/result.h"
#include "view/chart.h"

static FbStatus hand_over(FbText* text, char** out, FbError* err) {
    *out = fb_text_steal(text);
    return *out != NULL ? FB_OK : fb_fail_memory(err);
}

FbStatus fb_chart_svg(const FbLineChart* chart, char** out, FbError* err) {
    FbText text;
    fb_text_init(&text);
    fb_chart_add_svg(&text, chart);
    return hand_over(&text, out, err);
}

FbStatus fb_chart_text(const FbTextChart* chart, char** out, FbError* err) {
    FbText text;
    *out = NULL;
    if (chart->columns < 1 || chart->rows < 1) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "a chart of %d x %d characters is empty",
                       chart->columns, chart->rows);
    }
    fb_text_init(&text);
    fb_chart_add_text(&text, chart);
    return hand_over(&text, out, err);
}

// A reference has the colour of the curve with its name, other curves have their own.
static int color_of(const FbChartOutput* output, const FbChartCurve* curves, int n, int n_colors) {
    for (int i = 0; output->is_reference && i < n; i++) {
        if (!curves[i].is_reference && strcmp(curves[i].data.name, output->data.name) == 0) {
            return curves[i].color;
        }
    }
    return n_colors;
}

// "name [unit]" of a single output, else "[unit]".
static const char* make_label(FbArena* arena, const char* name, const char* unit) {
    const char* space = name[0] != '\0' && unit[0] != '\0' ? " " : "";
    const char* label = unit[0] != '\0' ? fb_arena_format(arena, "%s%s[%s]", name, space, unit)
                                        : fb_arena_text(arena, name);
    return label != NULL ? label : "";
}

// All outputs that have the unit of the first one.
static FbChartPanel make_panel(FbArena* arena, const FbChartOutput* outputs, int n, bool* is_done) {
    FbChartCurve* curves = FB_TAKE(arena, FbChartCurve, n);
    const char* unit = outputs[0].unit;
    int n_curves = 0, n_colors = 0;
    for (int i = 0; curves != NULL && i < n; i++) {
        if (is_done[i] || strcmp(outputs[i].unit, unit) != 0) {
            continue;
        }
        int color = color_of(&outputs[i], curves, n_curves, n_colors);
        curves[n_curves++] = (FbChartCurve){
            .data = outputs[i].data, .is_reference = outputs[i].is_reference, .color = color};
        n_colors += color == n_colors;
        is_done[i] = true;
    }
    const char* name = n_colors == 1 ? outputs[0].data.name : "";
    return (FbChartPanel){
        .label = make_label(arena, name, unit), .curves = curves, .n_curves = n_curves};
}

static FbStatus write_outputs(FbArena* arena, const char* title, const FbChartOutput* outputs,
                              int n, char** out, FbError* err) {
    FbChartPanel* panels = FB_TAKE(arena, FbChartPanel, n + 1);
    bool* is_done = FB_TAKE(arena, bool, n + 1);
    FbLineChart chart = {.title = title, .x_label = "t [s]", .panels = panels};
    for (int i = 0; panels != NULL && is_done != NULL && i < n; i++) {
        if (!is_done[i]) {
            panels[chart.n_panels++] = make_panel(arena, outputs + i, n - i, is_done + i);
        }
    }
    return fb_arena_has_failed(arena) ? fb_fail_memory(err) : fb_chart_svg(&chart, out, err);
}

FbStatus fb_chart_outputs_svg(const char* title, const FbChartOutput* outputs, int n, char** out,
                              FbError* err) {
    *out = NULL;
    FbArena* arena = fb_arena_create();
    FbStatus status =
        arena != NULL ? write_outputs(arena, title, outputs, n, out, err) : fb_fail_memory(err);
    fb_arena_destroy(arena);
    return status;
}

static FbChartOutput output_of(const FbResult* result, int column) {
    int width = 1 + result->n_column;
    return (FbChartOutput){.data = {.name = fb_model_get_output_name(result->model, column),
                                    .times = result->rows,
                                    .values = result->rows + 1 + column,
                                    .time_stride = width,
                                    .value_stride = width,
                                    .n = result->n_row},
                           .unit = fb_model_get_output_unit(result->model, column)};
}

FbStatus fb_result_svg(const FbResult* result, const char* title, const int* columns, int n,
                       char** out, FbError* err) {
    *out = NULL;
    n = columns != NULL ? n : result->n_column;
    for (int i = 0; columns != NULL && i < n; i++) {
        if (columns[i] < 0 || columns[i] >= result->n_column) {
            return fb_fail(err, FB_ERR_ARGUMENT, NULL, "the result has no output %d", columns[i]);
        }
    }
    FbChartOutput* outputs = calloc((size_t)n + 1, sizeof *outputs);
    if (outputs == NULL) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < n; i++) {
        outputs[i] = output_of(result, columns != NULL ? columns[i] : i);
    }
    FbModelInfo info;
    fb_model_get_info(result->model, &info);
    const char* own = info.title != NULL ? info.title : info.name;
    FbStatus status = fb_chart_outputs_svg(title != NULL ? title : own, outputs, n, out, err);
    free(outputs);
    return status;
}
