// Which charts a study's report has, from the number of its parameters and the kinds of its
// measures.
#include "study_charts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/page.h"
#include "view/plane.h"

// Sizes in px; charts beyond this many are left out, and the page says so.
enum {
    WIDE = 620,
    TALL = 380,
    SMALL_WIDTH = 310,
    SMALL_HEIGHT = 240,
    FEW_CHARTS = 6,
    MOST_CHARTS = 80
};

typedef struct Charts {
    FbText* text;
    const FbStudy* s;
    FbArena* arena;
    const FbTrial** rows;  // [n] that were measured
    int n;
    int n_drawn, n_left;
} Charts;

void label_column(const FbStudy* s, int column, char* out, size_t size) {
    const FbStudyMeasure* m =
        column < s->n_parameters ? NULL : &s->measures[column - s->n_parameters];
    const char* name = m ? m->name : s->parameters[column].name;
    if (m && m->unit[0] != '\0') {
        snprintf(out, size, "%s [%s]", name, m->unit);
    } else {
        snprintf(out, size, "%s", name);
    }
}

static const char* label(Charts* c, int column) {
    char text[256];
    label_column(c->s, column, text, sizeof text);
    const char* kept = fb_arena_text(c->arena, text);
    return kept ? kept : "";
}

static bool may_draw(Charts* c) {
    bool may = c->n_drawn < MOST_CHARTS;
    c->n_drawn += may;
    c->n_left += !may;
    return may;
}

// A column of the measured rows, as one axis of a curve.
static const double* column_of(Charts* c, int column) {
    double* values = FB_TAKE(c->arena, double, c->n + 1);
    for (int i = 0; values && i < c->n; i++) {
        values[i] = c->rows[i]->values[column];
    }
    return values;
}

static FbSeries series(const char* name, const double* x, const double* y, int n) {
    return (FbSeries){
        .name = name, .times = x, .values = y, .time_stride = 1, .value_stride = 1, .n = n};
}

static bool is_log(const FbStudy* s, int parameter) {
    return s->parameters[parameter].is_log;
}

// The end of the measures that line i of the file has become.
static int end_of_group(const FbStudy* s, int i) {
    const char* group = s->measures[i].group;
    int end = i + 1;
    while (group && end < s->n_measures && s->measures[end].group &&
           strcmp(s->measures[end].group, group) == 0) {
        end++;
    }
    return end;
}

static bool is_locus(const FbStudyMeasure* m) {
    return m->group && m->counts_all;
}

// Root locus: pairs of real and imaginary parts, i <= k < end.
static void add_locus(Charts* c, int i, int end) {
    const FbStudy* s = c->s;
    int n = (end - i) / 2;
    FbChartCurve* curves = FB_TAKE(c->arena, FbChartCurve, n + 1);
    for (int k = 0; curves && k < n; k++) {
        const double* x = column_of(c, s->n_parameters + i + 2 * k);
        const double* y = column_of(c, s->n_parameters + i + 2 * k + 1);
        const char* name = fb_arena_format(c->arena, "%d", k + 1);
        if (!x || !y || !name) {
            return;
        }
        curves[k] = (FbChartCurve){.data = series(name, x, y, c->n),
                                   .color = k,
                                   .is_reference = s->n_parameters > 1 || s->samples.n > 0};
    }
    FbPlaneChart chart = {.title = s->measures[i].group,
                          .x_label = "real part [1/s]",
                          .y_label = "imaginary part [rad/s]",
                          .curves = curves,
                          .n_curves = n,
                          .has_marks = true,
                          .has_zeros = true,
                          .width = WIDE,
                          .height = WIDE - 100};
    if (curves && may_draw(c)) {
        fb_plane_add_svg(c->text, &chart);
    }
}

static void add_loci(Charts* c) {
    bool has_begun = false;
    for (int i = 0; i < c->s->n_measures; i = end_of_group(c->s, i)) {
        if (!is_locus(&c->s->measures[i])) {
            continue;
        }
        if (!has_begun) {
            fb_page_heading(c->text, "Root locus");
            fb_page_charts_begin(c->text);
            has_begun = true;
        }
        add_locus(c, i, end_of_group(c->s, i));
    }
    if (has_begun) {
        fb_page_charts_end(c->text);
    }
}

// The frequency of the rotation itself, where one joint turns steadily.
static bool add_rotation(Charts* c, const double* x, FbChartCurve* out) {
    const FbStudyModes* modes = &c->s->modes;
    double* y = FB_TAKE(c->arena, double, c->n + 1);
    double* work = FB_TAKE(c->arena, double, c->s->work_size + 1);
    if (modes->n_steady != 1 || !y || !work) {
        return false;
    }
    for (int i = 0; i < c->n; i++) {
        double rate = fb_study_eval(modes->steady[0].expr, c->rows[i]->values, work);
        y[i] = fabs(rate) / (2.0 * acos(-1.0));
    }
    *out = (FbChartCurve){.data = series("rotation", x, y, c->n), .color = 7};
    return true;
}

// Measures i <= k < end over the only parameter.
static void add_curves(Charts* c, int i, int end) {
    const FbStudy* s = c->s;
    const double* x = column_of(c, 0);
    FbChartCurve* curves = FB_TAKE(c->arena, FbChartCurve, end - i + 2);
    int n = 0;
    for (int k = i; curves && x && k < end; k++) {
        const double* y = column_of(c, s->n_parameters + k);
        if (!y) {
            return;
        }
        curves[n] = (FbChartCurve){.data = series(s->measures[k].name, x, y, c->n), .color = n};
        n++;
    }
    if (!curves || !x || !may_draw(c)) {
        return;
    }
    bool is_frequency = s->measures[i].kind == FB_STUDY_FREQUENCY;
    if (is_frequency && end - i > 1 && add_rotation(c, x, &curves[n])) {
        n++;
    }
    bool has_group = end - i > 1;
    FbPlaneChart chart = {.title = has_group ? s->measures[i].group : s->measures[i].name,
                          .x_label = label(c, 0),
                          .y_label = is_frequency && has_group ? "frequency [Hz]"
                                     : has_group               ? s->measures[i].unit
                                                               : label(c, s->n_parameters + i),
                          .is_x_log = is_log(s, 0),
                          .curves = curves,
                          .n_curves = n,
                          .has_marks = c->n <= 60,
                          .width = WIDE,
                          .height = TALL};
    fb_plane_add_svg(c->text, &chart);
}

static void add_lines(Charts* c) {
    fb_page_heading(c->text, c->s->modes.n_steady > 0 ? "Campbell diagram and other measures"
                                                      : "Measures over the parameter");
    fb_page_charts_begin(c->text);
    for (int i = 0; i < c->s->n_measures; i = end_of_group(c->s, i)) {
        if (!is_locus(&c->s->measures[i])) {
            add_curves(c, i, end_of_group(c->s, i));
        }
    }
    fb_page_charts_end(c->text);
}

typedef struct Value {
    double value;
    int index;
} Value;

static int compare_values(const void* a, const void* b) {
    double x = ((const Value*)a)->value, y = ((const Value*)b)->value;
    return (x > y) - (x < y);
}

// The values of a parameter in ascending order, and the place of each.
static bool sort_values(Charts* c, int parameter, double** sorted, int** place) {
    const FbStudyParameter* p = &c->s->parameters[parameter];
    Value* values = FB_TAKE(c->arena, Value, p->n + 1);
    *sorted = FB_TAKE(c->arena, double, p->n + 1);
    *place = FB_TAKE(c->arena, int, p->n + 1);
    if (!values || !*sorted || !*place) {
        return false;
    }
    for (int i = 0; i < p->n; i++) {
        values[i] = (Value){p->values[i], i};
    }
    qsort(values, (size_t)p->n, sizeof *values, compare_values);
    for (int i = 0; i < p->n; i++) {
        (*sorted)[i] = values[i].value;
        (*place)[values[i].index] = i;
    }
    return true;
}

static void add_maps(Charts* c) {
    const FbStudy* s = c->s;
    int nx = s->parameters[0].n, ny = s->parameters[1].n, *px, *py;
    double *x, *y;
    if (!sort_values(c, 0, &x, &px) || !sort_values(c, 1, &y, &py)) {
        return;
    }
    fb_page_heading(c->text, "Maps over the two parameters");
    fb_page_charts_begin(c->text);
    for (int m = 0; m < s->n_measures && may_draw(c); m++) {
        double* z = FB_TAKE(c->arena, double, (size_t)nx*(size_t)ny + 1);
        for (int i = 0; z && i < nx * ny; i++) {
            z[i] = NAN;
        }
        for (int i = 0; z && i < c->n; i++) {
            int point = c->rows[i]->point;
            z[px[point / ny] * ny + py[point % ny]] = c->rows[i]->values[s->n_parameters + m];
        }
        FbMapChart chart = {.title = label(c, s->n_parameters + m),
                            .x_label = label(c, 0),
                            .y_label = label(c, 1),
                            .is_x_log = is_log(s, 0),
                            .is_y_log = is_log(s, 1),
                            .x = x,
                            .y = y,
                            .nx = nx,
                            .ny = ny,
                            .z = z,
                            .width = WIDE,
                            .height = TALL};
        if (z) {
            fb_map_add_svg(c->text, &chart);
        }
    }
    fb_page_charts_end(c->text);
}

static void add_scatter(Charts* c) {
    const FbStudy* s = c->s;
    bool are_few = s->n_measures * s->n_parameters <= FEW_CHARTS;
    int width = are_few ? 4 * SMALL_WIDTH / 3 : SMALL_WIDTH;
    int height = are_few ? 4 * SMALL_HEIGHT / 3 : SMALL_HEIGHT;
    fb_page_heading(c->text, "Measures against parameters");
    fb_page_charts_begin(c->text);
    for (int m = 0; m < s->n_measures; m++) {
        const double* y = column_of(c, s->n_parameters + m);
        for (int p = 0; y && p < s->n_parameters; p++) {
            const double* x = column_of(c, p);
            FbChartCurve curve = {.data = series("", x, y, c->n), .is_reference = true};
            FbPlaneChart chart = {.title = "",
                                  .x_label = label(c, p),
                                  .y_label = label(c, s->n_parameters + m),
                                  .is_x_log = is_log(s, p),
                                  .curves = &curve,
                                  .n_curves = 1,
                                  .width = width,
                                  .height = height};
            if (x && may_draw(c)) {
                fb_plane_add_svg(c->text, &chart);
            }
        }
    }
    fb_page_charts_end(c->text);
}

static int compare_rows(const void* a, const void* b) {
    double x = (*(const FbTrial*const*)a)->values[0], y = (*(const FbTrial*const*)b)->values[0];
    return (x > y) - (x < y);
}

static bool is_grid(const FbStudy* s) {
    bool is = s->samples.n == 0;
    for (int i = 0; i < s->n_parameters; i++) {
        is = is && s->parameters[i].n > 0;
    }
    return is;
}

FbStatus add_study_charts(FbText* text, bool is_sweep, const FbStudy* s, const FbStudyRun* run,
                          FbArena* arena, FbError* err) {
    int n = fb_study_run_get_trial_count(run);
    Charts c = {
        .text = text, .s = s, .arena = arena, .rows = FB_TAKE(arena, const FbTrial*, n + 1)};
    bool has_grid = is_sweep && is_grid(s);
    for (int i = 0; c.rows && i < n; i++) {
        const FbTrial* t = fb_study_run_get_trial(run, i);
        if (t->status != FB_TRIAL_FAILED && t->point >= 0) {
            c.rows[c.n++] = t;
        }
    }
    if (c.n > 0) {
        if (s->n_parameters == 1) {
            qsort((void*)c.rows, (size_t)c.n, sizeof *c.rows, compare_rows);
        }
        add_loci(&c);
        if (has_grid && s->n_parameters == 1) {
            add_lines(&c);
        } else if (has_grid && s->n_parameters == 2 && s->parameters[0].n > 1 &&
                   s->parameters[1].n > 1) {
            add_maps(&c);
        } else {
            add_scatter(&c);
        }
    }
    if (c.n_left > 0) {
        char note[64];
        snprintf(note, sizeof note, "%d more charts are left out.", c.n_left);
        fb_page_note(text, note);
    }
    return fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
}
