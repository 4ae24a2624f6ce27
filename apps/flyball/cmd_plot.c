// `flyball plot`: curves of a run as an SVG file, or as characters in the terminal.
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "record/file.h"
#include "result_files.h"
#include "terminal.h"
#include "view/chart.h"

// In the terminal: more plots than this are a flood.
enum { MAX_TEXT_CHARTS = 8, TEXT_ROWS = 8, DEFAULT_COLUMNS = 80, LABELS = 16 };

typedef struct PlotWork {
    const Options* options;
    SavedRun run;
    int* columns;  // of the table, as they are plotted
    int n_columns;
} PlotWork;

// "tip" is tip itself, or tip.x, tip.y and tip.z.
static bool is_meant(const char* column, const char* word, size_t n) {
    return strncmp(column, word, n) == 0 && (column[n] == '\0' || column[n] == '.');
}

static int unknown_output(const PlotWork* w, const char* word, size_t n) {
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    const char* close = fb_did_you_mean(name, w->run.table.names, w->run.table.n_columns);
    return usage_error(w->options, "%s.csv has no output '%s'%s%s%s", w->run.stem, name,
                       close != NULL ? ", did you mean '" : "", close != NULL ? close : "",
                       close != NULL ? "'?" : "");
}

static int choose_columns(PlotWork* w) {
    const FbSamples* table = &w->run.table;
    // Every word of --outputs may name every column.
    size_t most = (size_t)table->n_columns + 1;
    for (const char* c = w->options->outputs; c != NULL && *c != '\0'; c++) {
        most += *c == ',' ? (size_t)table->n_columns : 0;
    }
    w->columns = FB_TAKE(w->run.arena, int, most);
    if (w->columns == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    for (int c = 0; w->options->outputs == NULL && c < table->n_columns; c++) {
        w->columns[w->n_columns++] = c;
    }
    for (const char* word = w->options->outputs; word != NULL;) {
        size_t n = strcspn(word, ",");
        int before = w->n_columns;
        for (int c = 0; n > 0 && c < table->n_columns; c++) {
            if (is_meant(table->names[c], word, n)) {
                w->columns[w->n_columns++] = c;
            }
        }
        if (w->n_columns == before) {
            return unknown_output(w, word, n);
        }
        word = word[n] == ',' ? word + n + 1 : NULL;
    }
    return EXIT_OK;
}

static FbSeries series_of(const FbSamples* table, int column) {
    int width = table->n_columns + 1;
    return (FbSeries){.name = table->names[column],
                      .times = table->cells,
                      .values = table->cells + 1 + column,
                      .time_stride = width,
                      .value_stride = width,
                      .n = table->n_rows};
}

static FbSeries series_of_reference(const FbReportReference* r) {
    return (FbSeries){.name = r->output,
                      .times = r->times,
                      .values = r->values,
                      .time_stride = 1,
                      .value_stride = 1,
                      .n = r->n};
}

// The curve of a column and those of its references; returns their number.
static int add_curves(const PlotWork* w, int column, int color, FbChartCurve* out) {
    int n = 0;
    out[n++] = (FbChartCurve){.data = series_of(&w->run.table, column), .color = color};
    for (int i = 0; i < w->run.source.n_references; i++) {
        const FbReportReference* r = &w->run.source.references[i];
        if (strcmp(r->output, w->run.table.names[column]) == 0) {
            out[n++] = (FbChartCurve){
                .data = series_of_reference(r), .is_reference = true, .color = color};
        }
    }
    return n;
}

static const char* make_label(const PlotWork* w, const char* name, const char* unit) {
    const char* label = unit[0] != '\0' ? fb_arena_format(w->run.arena, "%s [%s]", name, unit)
                                        : fb_arena_text(w->run.arena, name);
    return label != NULL ? label : "";
}

// One panel for each unit, in the order in which they come; returns their number, -1: out of
// memory.
static int make_panels(const PlotWork* w, FbChartPanel* panels, bool* is_done) {
    const FbSamples* table = &w->run.table;
    int n_panels = 0, room = 1 + w->run.source.n_references;
    for (int first = 0; first < w->n_columns; first++) {
        if (is_done[first]) {
            continue;
        }
        const char* unit = table->units[w->columns[first]];
        FbChartCurve* curves = FB_TAKE(w->run.arena, FbChartCurve, w->n_columns * room);
        int n = 0, n_outputs = 0;
        for (int i = first; curves != NULL && i < w->n_columns; i++) {
            if (!is_done[i] && strcmp(table->units[w->columns[i]], unit) == 0) {
                is_done[i] = true;
                n += add_curves(w, w->columns[i], n_outputs++, curves + n);
            }
        }
        if (curves == NULL) {
            return -1;
        }
        const char* name = n_outputs == 1 ? table->names[w->columns[first]] : "";
        const char* label = n_outputs == 1 || unit[0] == '\0'
                                ? make_label(w, name, unit)
                                : fb_arena_format(w->run.arena, "[%s]", unit);
        panels[n_panels++] =
            (FbChartPanel){.label = label != NULL ? label : "", .curves = curves, .n_curves = n};
    }
    return n_panels;
}

static int write_svg(PlotWork* w) {
    FbChartPanel* panels = FB_TAKE(w->run.arena, FbChartPanel, w->n_columns + 1);
    bool* is_done = FB_TAKE(w->run.arena, bool, w->n_columns + 1);
    int n = panels != NULL && is_done != NULL ? make_panels(w, panels, is_done) : -1;
    FbChart chart = {.title = w->options->title != NULL ? w->options->title : w->run.source.title,
                     .x_label = "t [s]",
                     .panels = panels,
                     .n_panels = n};
    FbText text;
    fb_text_init(&text);
    if (n >= 0) {
        fb_chart_add_svg(&text, &chart);
    }
    FbError err;
    FbStatus status = n < 0 || text.has_failed
                          ? fb_fail_memory(&err)
                          : fb_file_write(w->options->output, text.data, text.length, &err);
    fb_text_free(&text);
    if (status < 0) {
        print_error(&err);
    } else if (!w->options->is_quiet) {
        print_note("wrote %s", w->options->output);
    }
    return exit_code_of(status);
}

// Does the terminal know Braille? Told by the locale's name.
static bool has_unicode(void) {
    static const char* const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char* value = getenv(names[i]);
        if (value != NULL && value[0] != '\0') {
            return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL ||
                   strstr(value, "utf-8") != NULL;
        }
    }
    return false;
}

static int find_width(void) {
    struct winsize size;
    bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    int columns = is_known ? size.ws_col : DEFAULT_COLUMNS;
    return columns < 40 ? 40 : columns > 140 ? 140 : columns;
}

static int print_text(PlotWork* w) {
    FbChartCurve* curves = FB_TAKE(w->run.arena, FbChartCurve, 1 + w->run.source.n_references);
    FbText text;
    fb_text_init(&text);
    int shown = w->n_columns < MAX_TEXT_CHARTS ? w->n_columns : MAX_TEXT_CHARTS;
    for (int i = 0; curves != NULL && i < shown; i++) {
        int column = w->columns[i];
        FbTextChart chart = {
            .label = make_label(w, w->run.table.names[column], w->run.table.units[column]),
            .curves = curves,
            .n_curves = add_curves(w, column, 0, curves),
            .columns = find_width() - LABELS,
            .rows = TEXT_ROWS,
            .is_unicode = has_unicode()};
        fb_text_add(&text, i > 0 ? "\n" : "");
        fb_chart_add_text(&text, &chart);
    }
    bool is_good = curves != NULL && !text.has_failed;
    if (is_good && text.length > 0) {
        fputs(text.data, stdout);
    } else if (!is_good) {
        print_note("out of memory");
    }
    if (shown < w->n_columns && !w->options->is_quiet) {
        print_note("%d more outputs; choose with --outputs, or plot all with -o FILE.svg",
                   w->n_columns - shown);
    }
    fb_text_free(&text);
    return is_good ? EXIT_OK : EXIT_COMPUTATION;
}

int cmd_plot(const Options* options) {
    PlotWork w = {.options = options};
    int code = read_saved_run(options, options->operands[0], &w.run);
    code = code == EXIT_OK ? read_references(options, &w.run) : code;
    code = code == EXIT_OK ? choose_columns(&w) : code;
    if (code == EXIT_OK && w.n_columns == 0) {
        print_note("%s.csv has no outputs to plot", w.run.stem);
        code = EXIT_USAGE;
    }
    if (code == EXIT_OK) {
        code = options->output != NULL ? write_svg(&w) : print_text(&w);
    }
    free_saved_run(&w.run);
    return code;
}
