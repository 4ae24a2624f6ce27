// Curves over a common abscissa as a stand-alone SVG picture: panels one above the other.
#include "record/plot.h"

#include <math.h>
#include <stdio.h>

// Sizes in px.
enum { WIDTH = 760, PANEL = 220, LEFT = 84, RIGHT = 20, TOP = 40, GAP = 18, BOTTOM = 52 };
enum { MAX_TICKS = 7 };

// From values to places on the picture.
typedef struct Axis {
    double low, high;  // of the values, or of their decimal logarithms
    bool is_log;
    double from, to;  // px
} Axis;

static double value_of(const Axis* a, double x) {
    return a->is_log ? (x > 0.0 ? log10(x) : NAN) : x;
}

static double place(const Axis* a, double x) {
    return a->from + (value_of(a, x) - a->low) / (a->high - a->low) * (a->to - a->from);
}

// The range of the finite values; never empty.
static void fit(Axis* a, const double* values, int n) {
    a->low = INFINITY;
    a->high = -INFINITY;
    for (int i = 0; i < n; i++) {
        double v = value_of(a, values[i]);
        if (isfinite(v)) {
            a->low = fmin(a->low, v);
            a->high = fmax(a->high, v);
        }
    }
    if (!(a->low <= a->high)) {
        a->low = 0.0;
        a->high = 1.0;
    }
    double least = fmax(1e-9, 1e-9 * fmax(fabs(a->low), fabs(a->high)));
    if (a->high - a->low < least) {
        double middle = 0.5 * (a->low + a->high), half = fmax(0.5 * fabs(middle), 0.5);
        a->low = middle - half;
        a->high = middle + half;
    }
}

// A y range that ends at ticks.
static void widen(Axis* a, double step) {
    a->low = step * floor(a->low / step + 1e-9);
    a->high = step * ceil(a->high / step - 1e-9);
}

// 1, 2 or 5 times a power of ten, or `unit` times 1, 2, 3, 4, 6, 8, ...; whole decades on a
// logarithmic axis.
static double choose_step(const Axis* a, double unit) {
    double span = a->high - a->low, least = span / MAX_TICKS;
    if (a->is_log) {
        return fmax(1.0, ceil(least));
    }
    if (unit > 0.0) {
        return unit * fmax(1.0, ceil(least / unit));
    }
    double power = pow(10.0, floor(log10(least)));
    double factor = least / power;
    return power * (factor <= 1.0 ? 1.0 : factor <= 2.0 ? 2.0 : factor <= 5.0 ? 5.0 : 10.0);
}

static void add_escaped(FbText* text, const char* s) {
    for (; *s != '\0'; s++) {
        switch (*s) {
            case '&':
                fb_text_add(text, "&amp;");
                break;
            case '<':
                fb_text_add(text, "&lt;");
                break;
            case '>':
                fb_text_add(text, "&gt;");
                break;
            default:
                fb_text_add_n(text, s, 1);
        }
    }
}

static void add_label(FbText* text, double x, double y, const char* attributes, const char* s) {
    fb_text_addf(text, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes);
    add_escaped(text, s);
    fb_text_add(text, "</text>\n");
}

static void add_line(FbText* text, const char* class_, double x1, double y1, double x2, double y2) {
    fb_text_addf(text, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                 class_, x1, y1, x2, y2);
}

static void format_tick(const Axis* a, double v, char out[32]) {
    double value = a->is_log ? pow(10.0, v) : fabs(v) < 1e-12 * (a->high - a->low) ? 0.0 : v;
    snprintf(out, 32, "%.6g", value);
}

// Lines between the decades of a logarithmic axis.
static void add_minor_lines(FbText* text, const Axis* x, const Axis* y) {
    for (double decade = floor(x->low); x->is_log && decade < x->high; decade += 1.0) {
        for (int k = 2; k < 10; k++) {
            double v = decade + log10(k);
            if (v > x->low && v < x->high) {
                double at = place(x, pow(10.0, v));
                add_line(text, "minor", at, y->from, at, y->to);
            }
        }
    }
}

static void add_x_ticks(FbText* text, const Axis* x, const Axis* y, bool has_labels) {
    double step = choose_step(x, 0.0);
    char label[32];
    add_minor_lines(text, x, y);
    for (double v = step * ceil(x->low / step - 1e-9); v <= x->high + 1e-9 * step; v += step) {
        double at = x->from + (v - x->low) / (x->high - x->low) * (x->to - x->from);
        add_line(text, "grid", at, y->from, at, y->to);
        if (has_labels) {
            format_tick(x, v, label);
            add_label(text, at, y->from + 16.0, " text-anchor=\"middle\"", label);
        }
    }
}

static void add_y_ticks(FbText* text, const Axis* x, const Axis* y, double step) {
    char label[32];
    int n = (int)((y->high - y->low) / step + 0.5);
    for (int i = 0; i <= n; i++) {
        double v = y->low + i * step;
        double at = y->from + (v - y->low) / (y->high - y->low) * (y->to - y->from);
        add_line(text, "grid", x->from, at, x->to, at);
        format_tick(y, v, label);
        add_label(text, x->from - 8.0, at + 4.0, " text-anchor=\"end\"", label);
    }
}

static void add_curve(FbText* text, const FbPlot* plot, const double* values, const Axis* x,
                      const Axis* y) {
    bool is_down = false;
    fb_text_add(text, "<path class=\"curve\" d=\"");
    for (int i = 0; i < plot->n; i++) {
        double px = place(x, plot->x[i]), py = place(y, values[i]);
        bool is_there = isfinite(px) && isfinite(py);
        if (is_there) {
            fb_text_addf(text, "%s%.2f %.2f", is_down ? "L" : "M", px, py);
        }
        is_down = is_there;
    }
    fb_text_add(text, "\"/>\n");
}

static void add_panel(FbText* text, const FbPlot* plot, int k, const Axis* x) {
    const FbPlotPanel* panel = &plot->panels[k];
    double top = TOP + k * (PANEL + GAP);
    Axis y = {.is_log = panel->is_log, .from = top + PANEL, .to = top};
    fit(&y, panel->y, plot->n);
    double step = choose_step(&y, panel->tick_step);
    widen(&y, step);
    add_x_ticks(text, x, &y, k == plot->n_panels - 1);
    add_y_ticks(text, x, &y, step);
    fb_text_addf(text, "<rect class=\"frame\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n",
                 LEFT, top, WIDTH - LEFT - RIGHT, PANEL);
    add_curve(text, plot, panel->y, x, &y);
    double middle = top + 0.5 * PANEL;
    char turn[80];
    snprintf(turn, sizeof turn, " text-anchor=\"middle\" transform=\"rotate(-90 18 %.1f)\"",
             middle);
    add_label(text, 18.0, middle, turn, panel->label);
}

void fb_plot_add_svg(FbText* text, const FbPlot* plot) {
    int height = TOP + plot->n_panels * PANEL + (plot->n_panels - 1) * GAP + BOTTOM;
    fb_text_addf(text,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                 "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n",
                 WIDTH, height, WIDTH, height);
    fb_text_add(text,
                "<style>.grid{stroke:#bbb}.minor{stroke:#e8e8e8}.frame{fill:none;stroke:#333}"
                ".curve{fill:none;stroke:#06c;stroke-width:1.6}text{fill:#222}</style>\n"
                "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    add_label(text, WIDTH / 2.0, 24.0, " text-anchor=\"middle\" font-size=\"15\"", plot->title);
    Axis x = {.is_log = plot->is_x_log, .from = LEFT, .to = WIDTH - RIGHT};
    fit(&x, plot->x, plot->n);
    for (int k = 0; k < plot->n_panels; k++) {
        add_panel(text, plot, k, &x);
    }
    add_label(text, 0.5 * (LEFT + WIDTH - RIGHT), height - 12.0, " text-anchor=\"middle\"",
              plot->x_label);
    fb_text_add(text, "</svg>\n");
}
