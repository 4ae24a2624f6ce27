// `flyball plot`: curves of a run as an SVG file, or as characters in the terminal.
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "flyball/chart.h"
#include "record/file.h"
#include "result_files.h"
#include "terminal.h"

// In the terminal: no more plots than this.
enum { MAX_TEXT_CHARTS = 8, TEXT_ROWS = 8, DEFAULT_COLUMNS = 80, LABELS = 16 };

typedef struct PlotWork {
    const Options* options;
    SavedFiles run;
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
    const char* close = fb_did_you_mean(name, w->run.table->names, w->run.table->n_columns);
    char hint[HINT_ROOM];
    return usage_error(w->options, "%s.csv has no output '%s'%s", w->run.stem, name,
                       hint_of(close, "", hint));
}

static int choose_columns(PlotWork* w) {
    const FbSamples* table = w->run.table;
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

static FbSeries series_of_reference(const FbReportReference* r) {
    return (FbSeries){.name = r->output,
                      .times = r->times,
                      .values = r->values,
                      .time_stride = 1,
                      .value_stride = 1,
                      .n = r->n};
}

// A column and its references; returns their number.
static int add_outputs(const PlotWork* w, int column, FbChartOutput* out) {
    const FbSamples* table = w->run.table;
    int n = 0;
    out[n++] =
        (FbChartOutput){.data = fb_samples_get_series(table, column), .unit = table->units[column]};
    for (int i = 0; i < w->run.n_references; i++) {
        const FbReportReference* r = &w->run.references[i];
        if (strcmp(r->output, table->names[column]) == 0) {
            out[n++] = (FbChartOutput){
                .data = series_of_reference(r), .unit = table->units[column], .is_reference = true};
        }
    }
    return n;
}

static int add_curves(const PlotWork* w, int column, FbChartOutput* outputs, FbChartCurve* out) {
    int n = add_outputs(w, column, outputs);
    for (int i = 0; i < n; i++) {
        out[i] = (FbChartCurve){.data = outputs[i].data, .is_reference = outputs[i].is_reference};
    }
    return n;
}

static const char* make_label(const PlotWork* w, const char* name, const char* unit) {
    const char* label = unit[0] != '\0' ? fb_arena_format(w->run.arena, "%s [%s]", name, unit)
                                        : fb_arena_text(w->run.arena, name);
    return label != NULL ? label : "";
}

static FbStatus make_svg(PlotWork* w, char** out, FbError* err) {
    int room = 1 + w->run.n_references, n = 0;
    FbChartOutput* outputs = FB_TAKE(w->run.arena, FbChartOutput, w->n_columns * room + 1);
    if (outputs == NULL) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < w->n_columns; i++) {
        n += add_outputs(w, w->columns[i], outputs + n);
    }
    const char* title = w->options->title != NULL ? w->options->title : base_name(w->run.stem);
    return fb_chart_outputs_svg(title, outputs, n, out, err);
}

static int write_svg(PlotWork* w) {
    char* svg = NULL;
    FbError err;
    FbStatus status = make_svg(w, &svg, &err);
    if (status >= 0 && svg != NULL) {
        status = fb_file_write(w->options->output, svg, strlen(svg), &err);
    }
    fb_free(svg);
    if (status < 0) {
        print_error(&err);
    } else if (!w->options->is_quiet) {
        print_note("wrote %s", w->options->output);
    }
    return exit_code_of(status);
}

// Does the terminal support Braille? Judged by the name of the locale.
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

static FbStatus print_chart(PlotWork* w, int column, FbError* err) {
    int room = 1 + w->run.n_references;
    FbChartOutput* outputs = FB_TAKE(w->run.arena, FbChartOutput, room);
    FbChartCurve* curves = FB_TAKE(w->run.arena, FbChartCurve, room);
    if (outputs == NULL || curves == NULL) {
        return fb_fail_memory(err);
    }
    FbTextChart chart = {
        .label = make_label(w, w->run.table->names[column], w->run.table->units[column]),
        .curves = curves,
        .n_curves = add_curves(w, column, outputs, curves),
        .columns = find_width() - LABELS,
        .rows = TEXT_ROWS,
        .is_unicode = has_unicode()};
    char* text = NULL;
    FbStatus status = fb_chart_text(&chart, &text, err);
    fputs(text != NULL ? text : "", stdout);
    fb_free(text);
    return status;
}

static int print_text(PlotWork* w) {
    int shown = w->n_columns < MAX_TEXT_CHARTS ? w->n_columns : MAX_TEXT_CHARTS;
    FbStatus status = FB_OK;
    FbError err;
    for (int i = 0; status == FB_OK && i < shown; i++) {
        fputs(i > 0 ? "\n" : "", stdout);
        status = print_chart(w, w->columns[i], &err);
    }
    if (status < 0) {
        print_error(&err);
        return exit_code_of(status);
    }
    if (shown < w->n_columns && !w->options->is_quiet) {
        print_note("%d more outputs; choose with --outputs, or plot all with -o FILE.svg",
                   w->n_columns - shown);
    }
    return EXIT_OK;
}

int cmd_plot(const Options* options) {
    PlotWork w = {.options = options};
    int code = read_saved_table(options->operands[0], &w.run);
    code = code == EXIT_OK ? read_references(options, &w.run) : code;
    code = code == EXIT_OK ? choose_columns(&w) : code;
    if (code == EXIT_OK && w.n_columns == 0) {
        print_note("%s.csv has no outputs to plot", w.run.stem);
        code = EXIT_USAGE;
    }
    if (code == EXIT_OK) {
        code = options->output != NULL ? write_svg(&w) : print_text(&w);
    }
    free_saved_files(&w.run);
    return code;
}
