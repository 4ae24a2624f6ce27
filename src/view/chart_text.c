// A chart in characters, for a quick look in the terminal: Braille dots, or stars where there is no
// Unicode.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/chart_axis.h"

// Dots of a picture; a character shows 2 x 4 of them in Braille, one otherwise.
typedef struct Dots {
    unsigned short* cells;  // [rows x columns] bits of Braille, or MARK
    int columns, rows;
    int per_column, per_row;
} Dots;

enum { LABEL_WIDTH = 12, MOST_LABEL = 512, MARK = 0x100 /* a point of a reference */ };

static void set_dot(Dots* d, int x, int y) {
    static const unsigned char bits[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (x < 0 || y < 0 || x >= d->columns * d->per_column || y >= d->rows * d->per_row) {
        return;
    }
    int cell = y / d->per_row * d->columns + x / d->per_column;
    d->cells[cell] = (unsigned short)(d->cells[cell] | (d->per_row == 4 ? bits[y % 4][x % 2] : 1));
}

static void draw_line(Dots* d, double x0, double y0, double x1, double y1) {
    int n = (int)ceil(fmax(fabs(x1 - x0), fabs(y1 - y0)));
    for (int k = 0; k <= n; k++) {
        double s = n > 0 ? (double)k / n : 0.0;
        set_dot(d, (int)lround(x0 + s * (x1 - x0)), (int)lround(y0 + s * (y1 - y0)));
    }
}

static void draw_curve(Dots* d, const FbSeries* s, const FbAxis* x, const FbAxis* y) {
    double px = NAN, py = NAN;
    for (int i = 0; i < s->n; i++) {
        double nx = fb_axis_place(x, fb_series_x(s, i)), ny = fb_axis_place(y, fb_series_y(s, i));
        if (isfinite(nx) && isfinite(ny)) {
            bool is_joined = isfinite(px) && isfinite(py);
            draw_line(d, is_joined ? px : nx, is_joined ? py : ny, nx, ny);
        }
        px = nx;
        py = ny;
    }
}

static void draw_marks(Dots* d, const FbSeries* s, const FbAxis* x, const FbAxis* y) {
    for (int i = 0; i < s->n; i++) {
        double px = fb_axis_place(x, fb_series_x(s, i)), py = fb_axis_place(y, fb_series_y(s, i));
        if (isfinite(px) && isfinite(py)) {
            int column = (int)lround(px) / d->per_column, row = (int)lround(py) / d->per_row;
            if (column >= 0 && column < d->columns && row >= 0 && row < d->rows) {
                d->cells[row * d->columns + column] = MARK;
            }
        }
    }
}

static void add_cell(FbText* text, unsigned bits, bool is_unicode) {
    if (bits == MARK) {
        fb_text_add(text, "o");
    } else if (!is_unicode) {
        fb_text_add(text, bits ? "*" : " ");
    } else {
        // U+2800 + bits as UTF-8
        char utf8[3] = {'\xe2', (char)(0xa0 | bits >> 6), (char)(0x80 | (bits & 0x3f))};
        fb_text_add_n(text, bits ? utf8 : " ", bits ? 3 : 1);
    }
}

static void add_rows(FbText* text, const FbTextChart* chart, const Dots* d, const FbAxis* y) {
    for (int row = 0; row < d->rows; row++) {
        bool is_end = row == 0 || row == d->rows - 1;
        char label[32] = "";
        if (is_end) {
            snprintf(label, sizeof label, "%.5g", row == 0 ? y->high : y->low);
        }
        fb_text_addf(text, "%*s %s", LABEL_WIDTH, label, chart->is_unicode ? "\xe2\x94\x82" : "|");
        int last = d->columns;
        while (last > 0 && d->cells[row * d->columns + last - 1] == 0) {
            last--;  // no blanks at the ends of lines
        }
        for (int c = 0; c < last; c++) {
            add_cell(text, d->cells[row * d->columns + c], chart->is_unicode);
        }
        fb_text_add(text, "\n");
    }
}

static void add_x_axis(FbText* text, const FbTextChart* chart, const FbAxis* x) {
    fb_text_addf(text, "%*s %s", LABEL_WIDTH, "", chart->is_unicode ? "\xe2\x94\x94" : "+");
    for (int c = 0; c < chart->columns; c++) {
        fb_text_add(text, chart->is_unicode ? "\xe2\x94\x80" : "-");
    }
    char low[32], high[48];
    snprintf(low, sizeof low, "%.5g", x->low);
    snprintf(high, sizeof high, "%.5g s", x->high);
    fb_text_addf(text, "\n%*s  %s%*s\n", LABEL_WIDTH, "", low, chart->columns - (int)strlen(low),
                 high);
}

// Names and units come from files: what could steer a terminal is not shown.
static void add_label(FbText* text, const char* label) {
    char shown[MOST_LABEL];
    fb_escape(label, shown, sizeof shown);
    fb_text_addf(text, "%*s  %s\n", LABEL_WIDTH, "", shown);
}

void fb_chart_add_text(FbText* text, const FbTextChart* chart) {
    Dots d = {.columns = chart->columns,
              .rows = chart->rows,
              .per_column = chart->is_unicode ? 2 : 1,
              .per_row = chart->is_unicode ? 4 : 1};
    d.cells = calloc((size_t)d.columns * (size_t)d.rows, sizeof d.cells[0]);
    if (d.cells == NULL) {
        text->has_failed = true;
        return;
    }
    FbAxis x = {.to = d.columns * d.per_column - 1.0}, y = {.from = d.rows * d.per_row - 1.0};
    fb_axis_fit(&x, chart->curves, chart->n_curves, true);
    fb_axis_fit(&y, chart->curves, chart->n_curves, false);
    for (int c = 0; c < chart->n_curves; c++) {
        const FbChartCurve* curve = &chart->curves[c];
        (curve->is_reference ? draw_marks : draw_curve)(&d, &curve->data, &x, &y);
    }
    add_label(text, chart->label);
    add_rows(text, chart, &d, &y);
    add_x_axis(text, chart, &x);
    free(d.cells);
}
