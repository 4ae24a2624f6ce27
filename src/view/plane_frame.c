// Axes, grid and labels of charts in a plane.
#include "view/plane_frame.h"

#include <stdio.h>

// Sizes in px.
enum { LEFT = 66, TOP = 30, BOTTOM = 44, TICK_WIDTH = 70, TICK_HEIGHT = 38 };

void fb_plane_add_label(FbText* text, double x, double y, const char* attributes, const char* s) {
    fb_text_addf(text, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes);
    fb_text_add_markup(text, s);
    fb_text_add(text, "</text>\n");
}

static void add_line(FbText* text, double x1, double y1, double x2, double y2) {
    fb_text_addf(text,
                 "<line stroke=\"#dcdfe3\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x1,
                 y1, x2, y2);
}

// "x 1e6" at the end of the axis.
static void add_exponent(FbText* text, const FbAxis* a, double x, double y) {
    if (a->exponent != 0) {
        char label[32];
        snprintf(label, sizeof label, "\xc3\x97 1e%d", a->exponent);
        fb_plane_add_label(text, x, y, " fill=\"#57606a\" text-anchor=\"end\"", label);
    }
}

static void add_ticks(FbText* text, const FbPlaneFrame* f) {
    char label[32];
    for (int i = 0; i < fb_axis_tick_count(&f->x); i++) {
        double tick = fb_axis_tick(&f->x, i), at = fb_axis_place_tick(&f->x, tick);
        add_line(text, at, f->y.from, at, f->y.to);
        fb_axis_format(&f->x, tick, label);
        fb_plane_add_label(text, at, f->y.from + 16.0, " fill=\"#57606a\" text-anchor=\"middle\"",
                           label);
    }
    for (int i = 0; i < fb_axis_tick_count(&f->y); i++) {
        double tick = fb_axis_tick(&f->y, i), at = fb_axis_place_tick(&f->y, tick);
        add_line(text, f->x.from, at, f->x.to, at);
        fb_axis_format(&f->y, tick, label);
        fb_plane_add_label(text, f->x.from - 6.0, at + 4.0, " fill=\"#57606a\" text-anchor=\"end\"",
                           label);
    }
    add_exponent(text, &f->x, f->x.to, f->y.from + 34.0);
    add_exponent(text, &f->y, f->x.from - 6.0, f->y.to - 8.0);
}

void fb_plane_begin(FbText* text, FbPlaneFrame* f) {
    f->x.from = LEFT;
    f->x.to = f->width - f->right;
    f->y.from = f->height - BOTTOM;
    f->y.to = TOP;
    fb_axis_choose_ticks(&f->x, 0.0, (f->width - LEFT - f->right) / TICK_WIDTH + 1);
    fb_axis_choose_ticks(&f->y, 0.0, (f->height - TOP - BOTTOM) / TICK_HEIGHT + 1);
    fb_text_addf(text,
                 "<svg class=\"chart%s\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                 "font-family=\"sans-serif\" font-size=\"11.5\" role=\"img\">\n<title>",
                 f->is_map ? " map" : "", f->width, f->height, f->width, f->height);
    fb_text_add_markup(text, f->title);
    fb_text_add(text, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    add_ticks(text, f);
    fb_text_addf(text,
                 "<rect fill=\"none\" stroke=\"#7a8087\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                 "height=\"%.1f\"/>\n",
                 f->x.from, f->y.to, f->x.to - f->x.from, f->y.from - f->y.to);
    char turn[96];
    double middle = 0.5 * (f->y.from + f->y.to);
    snprintf(turn, sizeof turn, " text-anchor=\"middle\" transform=\"rotate(-90 13 %.1f)\"",
             middle);
    fb_plane_add_label(text, 13.0, middle, turn, f->y_label);
    fb_plane_add_label(text, 0.5 * (f->x.from + f->x.to), f->height - 8.0,
                       " text-anchor=\"middle\"", f->x_label);
    fb_plane_add_label(text, f->x.from, 18.0, " font-size=\"13\" font-weight=\"600\"", f->title);
}
