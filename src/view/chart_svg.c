// Line charts as SVG: panels with axes, grid, legend and curves that are thinned to what the
// picture can show.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/chart_axis.h"

// Sizes in px.
enum {
    WIDTH = 900,
    PANEL = 230,
    LEFT = 86,
    RIGHT = 168,
    TOP = 46,
    GAP = 26,
    BOTTOM = 54,
    LINE = 18
};
enum { MAX_X_TICKS = 9, MAX_Y_TICKS = 6, MAX_MARKS = 250, MAX_NAME = 20 };

static const char* const colors[] = {"#0067b8", "#d1490f", "#1c8a3c", "#8a3ca8",
                                     "#b88600", "#00898f", "#c2185b", "#5a5f66"};
enum { N_COLORS = sizeof colors / sizeof colors[0] };

void fb_text_add_markup(FbText* text, const char* s) {
    static const char* const entities[][2] = {
        {"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}};
    for (; *s != '\0'; s++) {
        const char* entity = NULL;
        for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++) {
            entity = *s == entities[i][0][0] ? entities[i][1] : entity;
        }
        // XML 1.0 has no control characters except these three.
        bool is_allowed = (unsigned char)*s >= 0x20 || *s == '\t' || *s == '\n' || *s == '\r';
        if (entity != NULL) {
            fb_text_add(text, entity);
        } else if (is_allowed) {
            fb_text_add_n(text, s, 1);
        }
    }
}

static void add_label(FbText* text, double x, double y, const char* attributes, const char* s) {
    fb_text_addf(text, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes);
    fb_text_add_markup(text, s);
    fb_text_add(text, "</text>\n");
}

static void add_line(FbText* text, const char* class_, double x1, double y1, double x2, double y2) {
    fb_text_addf(text, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                 class_, x1, y1, x2, y2);
}

// Lines between the decades of a logarithmic axis.
static void add_minor_lines(FbText* text, const FbAxis* x, const FbAxis* y) {
    for (double decade = floor(x->low); x->is_log && decade < x->high; decade += 1.0) {
        for (int k = 2; k < 10; k++) {
            double tick = decade + log10(k);
            if (tick > x->low && tick < x->high) {
                double at = fb_axis_place_tick(x, tick);
                add_line(text, "minor", at, y->from, at, y->to);
            }
        }
    }
}

static void add_x_axis(FbText* text, const FbAxis* x, const FbAxis* y, bool has_labels) {
    char label[32];
    add_minor_lines(text, x, y);
    for (int i = 0; i < fb_axis_tick_count(x); i++) {
        double tick = fb_axis_tick(x, i), at = fb_axis_place_tick(x, tick);
        add_line(text, "grid", at, y->from, at, y->to);
        if (has_labels) {
            fb_axis_format(x, tick, label);
            add_label(text, at, y->from + 18.0, " class=\"tick\" text-anchor=\"middle\"", label);
        }
    }
}

static void add_y_axis(FbText* text, const FbAxis* x, const FbAxis* y) {
    char label[32];
    for (int i = 0; i < fb_axis_tick_count(y); i++) {
        double tick = fb_axis_tick(y, i), at = fb_axis_place_tick(y, tick);
        add_line(text, "grid", x->from, at, x->to, at);
        fb_axis_format(y, tick, label);
        add_label(text, x->from - 8.0, at + 4.0, " class=\"tick\" text-anchor=\"end\"", label);
    }
    if (y->exponent != 0) {
        snprintf(label, sizeof label, "\xc3\x97 1e%d", y->exponent);
        add_label(text, x->from, y->to - 6.0, " class=\"tick\" text-anchor=\"end\"", label);
    }
}

// A path that collects the points of one pixel column and keeps its first, lowest, highest and
// last.
typedef struct Pen {
    FbText* text;
    bool is_down;
    bool has_column;
    long column;
    double x[4], y[4];  // first, lowest, highest, last
} Pen;

static void put(Pen* pen, double x, double y) {
    fb_text_addf(pen->text, "%s%.1f %.1f", pen->is_down ? "L" : "M", x, y);
    pen->is_down = true;
}

static void end_column(Pen* pen) {
    if (!pen->has_column) {
        return;
    }
    pen->has_column = false;
    put(pen, pen->x[0], pen->y[0]);
    if (pen->y[1] == pen->y[2] && pen->x[3] == pen->x[0]) {
        return;
    }
    int a = pen->x[1] <= pen->x[2] ? 1 : 2;
    put(pen, pen->x[a], pen->y[a]);
    put(pen, pen->x[3 - a], pen->y[3 - a]);
    put(pen, pen->x[3], pen->y[3]);
}

static void move_pen(Pen* pen, double x, double y, bool is_thinned) {
    if (!isfinite(x) || !isfinite(y)) {
        end_column(pen);
        pen->is_down = false;
        return;
    }
    if (!is_thinned) {
        put(pen, x, y);
        return;
    }
    long column = (long)floor(x);
    if (pen->has_column && column == pen->column) {
        int k = y < pen->y[1] ? 1 : y > pen->y[2] ? 2 : 3;
        pen->x[k] = x;
        pen->y[k] = y;
        pen->x[3] = x;
        pen->y[3] = y;
        return;
    }
    end_column(pen);
    pen->has_column = true;
    pen->column = column;
    for (int k = 0; k < 4; k++) {
        pen->x[k] = x;
        pen->y[k] = y;
    }
}

static void add_path(FbText* text, const FbSeries* s, const FbAxis* x, const FbAxis* y,
                     const char* attributes) {
    bool is_thinned = s->n > 4 * fabs(x->to - x->from);
    Pen pen = {.text = text};
    fb_text_addf(text, "<path %s d=\"", attributes);
    for (int i = 0; i < s->n; i++) {
        move_pen(&pen, fb_axis_place(x, fb_series_x(s, i)), fb_axis_place(y, fb_series_y(s, i)),
                 is_thinned);
    }
    end_column(&pen);
    fb_text_add(text, "\"/>\n");
}

static void add_marks(FbText* text, const FbSeries* s, const FbAxis* x, const FbAxis* y,
                      const char* color) {
    fb_text_addf(text, "<g class=\"mark\" stroke=\"%s\">\n", color);
    for (int i = 0; i < s->n; i++) {
        double px = fb_axis_place(x, fb_series_x(s, i)), py = fb_axis_place(y, fb_series_y(s, i));
        if (isfinite(px) && isfinite(py)) {
            fb_text_addf(text, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"/>\n", px, py);
        }
    }
    fb_text_add(text, "</g>\n");
}

static const char* color_of(const FbChartCurve* curve) {
    return colors[(unsigned)curve->color % N_COLORS];
}

static bool has_marks(const FbChartCurve* curve) {
    return curve->is_reference && curve->data.n <= MAX_MARKS;
}

static void add_curve(FbText* text, const FbChartCurve* curve, const FbAxis* x, const FbAxis* y) {
    if (has_marks(curve)) {
        add_marks(text, &curve->data, x, y, color_of(curve));
        return;
    }
    char attributes[64];
    snprintf(attributes, sizeof attributes, "class=\"%s\" stroke=\"%s\"",
             curve->is_reference ? "dashed" : "curve", color_of(curve));
    add_path(text, &curve->data, x, y, attributes);
}

// The name, shortened to whole characters of UTF-8 where it is long.
static void add_name(FbText* text, double x, double y, const char* name, bool is_reference) {
    char shown[4 * MAX_NAME + 32];
    size_t n = 0;
    int n_chars = 0;
    while (name[n] != '\0' && n_chars < MAX_NAME && n < 4 * MAX_NAME) {
        n++;
        n_chars += (name[n] & 0xc0) != 0x80;
    }
    bool is_cut = name[n] != '\0';
    snprintf(shown, sizeof shown, "%.*s%s%s", (int)n, name, is_cut ? "\xe2\x80\xa6" : "",
             is_reference ? " (ref.)" : "");
    add_label(text, x, y, "", shown);
}

static void add_legend(FbText* text, const FbChartPanel* panel, double top) {
    double x = WIDTH - RIGHT + 14.0;
    int room = PANEL / LINE;
    for (int c = 0; c < panel->n_curves; c++) {
        const FbChartCurve* curve = &panel->curves[c];
        double y = top + 10.0 + LINE * c;
        if (c == room - 1 && panel->n_curves > room) {
            char more[32];
            snprintf(more, sizeof more, "and %d more", panel->n_curves - c);
            add_label(text, x, y + 4.0, "", more);
            return;
        }
        if (has_marks(curve)) {
            fb_text_addf(text,
                         "<g class=\"mark\" stroke=\"%s\"><circle cx=\"%.1f\" cy=\"%.1f\" "
                         "r=\"2.6\"/></g>\n",
                         color_of(curve), x + 9.0, y);
        } else {
            fb_text_addf(text, "<path class=\"%s\" stroke=\"%s\" d=\"M%.1f %.1fh18\"/>\n",
                         curve->is_reference ? "dashed" : "curve", color_of(curve), x, y);
        }
        add_name(text, x + 24.0, y + 4.0, curve->data.name, curve->is_reference);
    }
}

static void add_panel(FbText* text, const FbLineChart* chart, int k, const FbAxis* x) {
    const FbChartPanel* panel = &chart->panels[k];
    double top = TOP + k * (PANEL + GAP), middle = top + 0.5 * PANEL;
    FbAxis y = {.is_log = panel->is_log, .from = top + PANEL, .to = top};
    fb_axis_fit(&y, panel->curves, panel->n_curves, false);
    fb_axis_choose_ticks(&y, panel->tick_step, MAX_Y_TICKS);
    fb_axis_widen(&y);
    add_x_axis(text, x, &y, k == chart->n_panels - 1);
    add_y_axis(text, x, &y);
    fb_text_addf(text, "<rect class=\"frame\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n",
                 LEFT, top, WIDTH - LEFT - RIGHT, PANEL);
    for (int c = 0; c < panel->n_curves; c++) {
        add_curve(text, &panel->curves[c], x, &y);
    }
    add_legend(text, panel, top);
    char turn[96];
    snprintf(turn, sizeof turn, " text-anchor=\"middle\" transform=\"rotate(-90 18 %.1f)\"",
             middle);
    add_label(text, 18.0, middle, turn, panel->label);
}

static void add_x_label(FbText* text, const FbLineChart* chart, const FbAxis* x, int height) {
    add_label(text, 0.5 * (x->from + x->to), height - 12.0, " text-anchor=\"middle\"",
              chart->x_label);
    if (x->exponent != 0) {
        char label[32];
        snprintf(label, sizeof label, "\xc3\x97 1e%d", x->exponent);
        add_label(text, x->to, height - 12.0, " class=\"tick\" text-anchor=\"end\"", label);
    }
}

void fb_chart_add_svg(FbText* text, const FbLineChart* chart) {
    int height = TOP + chart->n_panels * PANEL + (chart->n_panels - 1) * GAP + BOTTOM;
    fb_text_addf(text,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 "
                 "0 %d %d\" font-family=\"sans-serif\" font-size=\"13\" role=\"img\">\n<title>",
                 WIDTH, height, WIDTH, height);
    fb_text_add_markup(text, chart->title);
    fb_text_add(text,
                "</title>\n<style>.grid{stroke:#dcdfe3}.minor{stroke:#eef0f2}"
                ".frame{fill:none;stroke:#7a8087}.curve{fill:none;stroke-width:1.7;"
                "stroke-linejoin:round}.dashed{fill:none;stroke-width:1.2;stroke-dasharray:5 3}"
                ".mark{fill:#fff;stroke-width:1.2}text{fill:#24292f}.tick{font-size:12px;"
                "fill:#57606a}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    add_label(text, LEFT, 26.0, " font-size=\"16\" font-weight=\"600\"", chart->title);
    FbAxis x = {.is_log = chart->is_x_log};
    for (int k = 0; k < chart->n_panels; k++) {
        FbAxis own = {.is_log = chart->is_x_log};
        fb_axis_fit(&own, chart->panels[k].curves, chart->panels[k].n_curves, true);
        if (k == 0) {
            x = own;
        }
        fb_axis_join(&x, &own);
    }
    x.from = LEFT;
    x.to = WIDTH - RIGHT;
    fb_axis_choose_ticks(&x, 0.0, MAX_X_TICKS);
    for (int k = 0; k < chart->n_panels; k++) {
        add_panel(text, chart, k, &x);
    }
    add_x_label(text, chart, &x, height);
    fb_text_add(text, "</svg>\n");
}

void fb_chart_add_sparkline(FbText* text, const FbSeries* series, int width, int height) {
    FbChartCurve curve = {.data = *series};
    FbAxis x = {.from = 2.0, .to = width - 2.0}, y = {.from = height - 3.0, .to = 3.0};
    fb_axis_fit(&x, &curve, 1, true);
    fb_axis_fit(&y, &curve, 1, false);
    fb_text_addf(text,
                 "<svg class=\"spark\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                 "role=\"img\" aria-label=\"",
                 width, height, width, height);
    fb_text_add_markup(text, series->name);
    fb_text_add(text, " over time\">");
    add_path(text, series, &x, &y, "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"");
    fb_text_add(text, "</svg>");
}
