// Curves in a plane and scatter plots as svg elements.
#include <math.h>
#include <stdio.h>

#include "view/chart_axis.h"
#include "view/plane.h"
#include "view/plane_frame.h"

// Marks beyond this many are thinned: a cloud looks the same.
enum { MOST_MARKS = 4000, LEGEND_LINE = 17 };

static const char* const colors[] = {"#0067b8", "#d1490f", "#1c8a3c", "#8a3ca8",
                                     "#b88600", "#00898f", "#c2185b", "#5a5f66"};

static const char* color_of(const FbChartCurve* curve) {
    return colors[(unsigned)curve->color % (sizeof colors / sizeof colors[0])];
}

static void add_curve(FbText* text, const FbChartCurve* curve, const FbAxis* x, const FbAxis* y) {
    bool is_down = false;
    fb_text_addf(text, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" d=\"",
                 color_of(curve));
    for (int i = 0; i < curve->data.n; i++) {
        double px = fb_axis_place(x, fb_series_x(&curve->data, i));
        double py = fb_axis_place(y, fb_series_y(&curve->data, i));
        bool is_good = isfinite(px) && isfinite(py);
        if (is_good) {
            fb_text_addf(text, "%s%.1f %.1f", is_down ? "L" : "M", px, py);
        }
        is_down = is_good;
    }
    fb_text_add(text, "\"/>\n");
}

static void add_marks(FbText* text, const FbChartCurve* curve, const FbAxis* x, const FbAxis* y) {
    int step = 1 + curve->data.n / MOST_MARKS;
    fb_text_addf(text, "<g fill=\"%s\" fill-opacity=\"0.65\">\n", color_of(curve));
    for (int i = 0; i < curve->data.n; i += step) {
        double px = fb_axis_place(x, fb_series_x(&curve->data, i));
        double py = fb_axis_place(y, fb_series_y(&curve->data, i));
        if (isfinite(px) && isfinite(py)) {
            fb_text_addf(text, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\"/>\n", px, py);
        }
    }
    fb_text_add(text, "</g>\n");
}

static void add_zeros(FbText* text, const FbAxis* x, const FbAxis* y) {
    double px = fb_axis_place(x, 0.0), py = fb_axis_place(y, 0.0);
    static const char line[] =
        "<line stroke=\"#24292f\" stroke-width=\"0.8\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
        "y2=\"%.1f\"/>\n";
    if (px > fmin(x->from, x->to) && px < fmax(x->from, x->to)) {
        fb_text_addf(text, line, px, y->from, px, y->to);
    }
    if (py > fmin(y->from, y->to) && py < fmax(y->from, y->to)) {
        fb_text_addf(text, line, x->from, py, x->to, py);
    }
}

static void add_legend(FbText* text, const FbPlaneChart* c, double left, double top, double room) {
    int most = (int)(room / LEGEND_LINE);
    for (int i = 0; i < c->n_curves && c->n_curves > 1; i++) {
        double y = top + 8.0 + LEGEND_LINE * i;
        char more[32];
        if (i == most - 1 && c->n_curves > most) {
            snprintf(more, sizeof more, "and %d more", c->n_curves - i);
            fb_plane_add_label(text, left, y + 4.0, "", more);
            return;
        }
        fb_text_addf(text,
                     "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"M%.1f %.1fh14\"/>\n",
                     color_of(&c->curves[i]), left, y);
        fb_plane_add_label(text, left + 19.0, y + 4.0, "", c->curves[i].data.name);
    }
}

// Keeps curves off the frame.
static void add_margin(FbAxis* a) {
    double margin = 0.03 * (a->high - a->low);
    a->low -= margin;
    a->high += margin;
}

void fb_plane_add_svg(FbText* text, const FbPlaneChart* c) {
    FbPlaneFrame frame = {.title = c->title,
                          .x_label = c->x_label,
                          .y_label = c->y_label,
                          .width = c->width,
                          .height = c->height,
                          .right = c->n_curves > 1 ? 96 : 14,
                          .x = {.is_log = c->is_x_log},
                          .y = {.is_log = c->is_y_log}};
    fb_axis_fit(&frame.x, c->curves, c->n_curves, true);
    fb_axis_fit(&frame.y, c->curves, c->n_curves, false);
    add_margin(&frame.x);
    add_margin(&frame.y);
    fb_plane_begin(text, &frame);
    if (c->has_zeros) {
        add_zeros(text, &frame.x, &frame.y);
    }
    for (int i = 0; i < c->n_curves; i++) {
        if (!c->curves[i].is_reference) {
            add_curve(text, &c->curves[i], &frame.x, &frame.y);
        }
        if (c->has_marks || c->curves[i].is_reference) {
            add_marks(text, &c->curves[i], &frame.x, &frame.y);
        }
    }
    add_legend(text, c, frame.x.to + 10.0, frame.y.to, frame.y.from - frame.y.to);
    fb_text_add(text, "</svg>\n");
}
