// A value over two axes as an svg element: coloured cells about the points of the grid, contour
// lines between them, and a scale.
#include <math.h>
#include <stdio.h>

#include "view/plane.h"
#include "view/plane_frame.h"

enum { RIGHT = 96, BAR = 14, N_BAR = 48, MOST_LEVELS = 8, MOST_CELLS = 100 };

// A scale from dark to light, which also prints in grey: after the colour map viridis.
static void write_color(double part, char out[8]) {
    static const double stops[5][3] = {
        {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    double at = 4.0 * fmin(fmax(part, 0.0), 1.0);
    int i = at < 3.0 ? (int)at : 3, rgb[3];
    for (int k = 0; k < 3; k++) {
        rgb[k] = (int)lround(stops[i][k] + (at - i) * (stops[i + 1][k] - stops[i][k]));
    }
    snprintf(out, 8, "#%02x%02x%02x", (unsigned)rgb[0] & 255U, (unsigned)rgb[1] & 255U,
             (unsigned)rgb[2] & 255U);
}

static void fit(FbAxis* a, const double* values, int n) {
    FbChartCurve curve = {.data = {.n = n,
                                   .name = "",
                                   .times = values,
                                   .values = values,
                                   .time_stride = 1,
                                   .value_stride = 1}};
    fb_axis_fit(a, &curve, 1, false);
}

// The border between places i - 1 and i of a row of places; at its ends the place itself.
static double border(const FbAxis* a, const double* values, int n, int i) {
    double here = fb_axis_place(a, values[i < n ? i : n - 1]);
    double before = fb_axis_place(a, values[i > 0 ? i - 1 : 0]);
    return 0.5 * (here + before);
}

static void add_cells(FbText* text, const FbMapChart* c, const FbPlaneFrame* f, const FbAxis* z) {
    int dx = 1 + (c->nx - 1) / MOST_CELLS, dy = 1 + (c->ny - 1) / MOST_CELLS;
    for (int i = 0; i < c->nx; i += dx) {
        for (int j = 0; j < c->ny; j += dy) {
            double value = c->z[(size_t)i * (size_t)c->ny + (size_t)j];
            int i2 = i + dx < c->nx ? i + dx : c->nx, j2 = j + dy < c->ny ? j + dy : c->ny;
            double x1 = border(&f->x, c->x, c->nx, i), x2 = border(&f->x, c->x, c->nx, i2);
            double y1 = border(&f->y, c->y, c->ny, j2), y2 = border(&f->y, c->y, c->ny, j);
            char color[8] = "#fff";
            if (!isfinite(value)) {
                continue;
            }
            write_color((value - z->low) / (z->high - z->low), color);
            fb_text_addf(text,
                         "<rect fill=\"%s\" stroke=\"%s\" stroke-width=\"0.4\" x=\"%.1f\" "
                         "y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                         color, color, x1, y1, x2 - x1, y2 - y1);
        }
    }
}

// Where the level is met on the side from corner a to the next one.
static bool cut(const double z[4], int a, double level, double* at) {
    double p = z[a] - level, q = z[(a + 1) % 4] - level;
    if ((p >= 0.0) == (q >= 0.0)) {
        return false;
    }
    *at = p / (p - q);
    return true;
}

int fb_contour_cell(const double z[4], double level, double segments[2][4]) {
    static const double corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    double points[4][2], at;
    int n = 0;
    for (int a = 0; a < 4; a++) {
        if (!isfinite(z[a])) {
            return 0;
        }
    }
    for (int a = 0; a < 4; a++) {
        if (cut(z, a, level, &at)) {
            for (int k = 0; k < 2; k++) {
                points[n][k] = corner[a][k] + at * (corner[(a + 1) % 4][k] - corner[a][k]);
            }
            n++;
        }
    }
    // Four cuts are a saddle: the value in the middle says which corners hang together.
    bool is_turned = n == 4 && (0.25 * (z[0] + z[1] + z[2] + z[3]) >= level) == (z[0] >= level);
    for (int s = 0; s < n / 2; s++) {
        int a = is_turned ? 2 * s + 0 : (2 * s + 3) % 4, b = is_turned ? 2 * s + 1 : 2 * s;
        if (n == 2) {
            a = 0;
            b = 1;
        }
        segments[s][0] = points[a][0];
        segments[s][1] = points[a][1];
        segments[s][2] = points[b][0];
        segments[s][3] = points[b][1];
    }
    return n / 2;
}

static void add_contour(FbText* text, const FbMapChart* c, const FbPlaneFrame* f, double level) {
    fb_text_add(text, "<path fill=\"none\" stroke=\"#fff\" stroke-width=\"1.1\" d=\"");
    for (int i = 0; i + 1 < c->nx; i++) {
        for (int j = 0; j + 1 < c->ny; j++) {
            const double* z = c->z + (size_t)i * (size_t)c->ny + (size_t)j;
            double corners[4] = {z[0], z[c->ny], z[c->ny + 1], z[1]}, segments[2][4];
            double x1 = fb_axis_place(&f->x, c->x[i]), x2 = fb_axis_place(&f->x, c->x[i + 1]);
            double y1 = fb_axis_place(&f->y, c->y[j]), y2 = fb_axis_place(&f->y, c->y[j + 1]);
            int n = fb_contour_cell(corners, level, segments);
            for (int s = 0; s < n; s++) {
                fb_text_addf(text, "M%.1f %.1fL%.1f %.1f", x1 + segments[s][0] * (x2 - x1),
                             y1 + segments[s][1] * (y2 - y1), x1 + segments[s][2] * (x2 - x1),
                             y1 + segments[s][3] * (y2 - y1));
            }
        }
    }
    fb_text_add(text, "\"/>\n");
}

static void add_scale(FbText* text, const FbPlaneFrame* f, FbAxis* z) {
    double left = f->x.to + 12.0, part = (f->y.from - f->y.to) / N_BAR;
    char color[8], label[32];
    for (int i = 0; i < N_BAR; i++) {
        write_color((i + 0.5) / N_BAR, color);
        fb_text_addf(text,
                     "<rect fill=\"%s\" x=\"%.1f\" y=\"%.2f\" width=\"%d\" height=\"%.2f\"/>\n",
                     color, left, f->y.from - (i + 1) * part, BAR, part + 0.3);
    }
    for (int i = 0; i < fb_axis_tick_count(z); i++) {
        double tick = fb_axis_tick(z, i), at = fb_axis_place_tick(z, tick);
        fb_axis_format(z, tick, label);
        fb_text_addf(text, "<path stroke=\"#fff\" d=\"M%.1f %.1fh%d\"/>\n", left, at, BAR);
        fb_plane_add_label(text, left + BAR + 5.0, at + 4.0, " fill=\"#57606a\"", label);
    }
    if (z->exponent != 0) {
        snprintf(label, sizeof label, "\xc3\x97 1e%d", z->exponent);
        fb_plane_add_label(text, left, f->y.to - 8.0, " fill=\"#57606a\"", label);
    }
}

void fb_map_add_svg(FbText* text, const FbMapChart* c) {
    FbPlaneFrame frame = {.title = c->title,
                          .x_label = c->x_label,
                          .y_label = c->y_label,
                          .width = c->width,
                          .height = c->height,
                          .right = RIGHT,
                          .is_map = true,
                          .x = {.is_log = c->is_x_log},
                          .y = {.is_log = c->is_y_log}};
    FbAxis z = {0};
    fit(&frame.x, c->x, c->nx);
    fit(&frame.y, c->y, c->ny);
    fit(&z, c->z, c->nx * c->ny);
    fb_plane_begin(text, &frame);
    z.from = frame.y.from;
    z.to = frame.y.to;
    fb_axis_choose_ticks(&z, 0.0, MOST_LEVELS);
    add_cells(text, c, &frame, &z);
    for (int i = 0; i < fb_axis_tick_count(&z); i++) {
        add_contour(text, c, &frame, fb_axis_tick(&z, i));
    }
    add_scale(text, &frame, &z);
    fb_text_add(text, "</svg>\n");
}
