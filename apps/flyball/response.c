// Frequency response from a named input to a named output: values, CSV, JSON and Bode plot.
#include "response.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "flyball/chart.h"
#include "load.h"
#include "record/csv.h"
#include "record/file.h"
#include "record/json_pair.h"

static const double PI = 3.14159265358979323846;
enum { MAX_POINTS = 1000000, SUGGESTED = 64 };

typedef const char* (*GetName)(const FbLinearization*, int);

// The index of a name, or -1 after a message that lists what there is.
static int find_name(const Options* options, const FbLinearization* l, GetName get,
                     const char* what, const char* name) {
    const char* names[SUGGESTED];
    int n = 0;
    FbText list;
    fb_text_init(&list);
    for (int i = 0; get(l, i) != NULL; i++) {
        if (strcmp(get(l, i), name) == 0) {
            fb_text_free(&list);
            return i;
        }
        if (n < SUGGESTED) {
            fb_text_addf(&list, "%s%s", n > 0 ? ", " : "", get(l, i));
            names[n++] = get(l, i);
        }
    }
    const char* close = fb_did_you_mean(name, names, n);
    bool is_input = strcmp(what, "input") == 0;
    char hint[HINT_ROOM];
    usage_error(options, "--frf: there is no %s '%s'%s There are: %s%s", what, name,
                hint_of(close, ".", hint), n > 0 && !list.has_failed ? list.data : "none",
                is_input ? " (forces in joints or between two points; for a force at a point use "
                           "an actuator there)"
                         : "");
    fb_text_free(&list);
    return -1;
}

// From a tenth of the lowest to ten times the highest frequency of the modes, unless given.
static int choose_range(const Options* options, const FbLinearization* l, double* from,
                        double* to) {
    double low = INFINITY, high = 0.0;
    for (int k = 0; k < fb_linearization_get_mode_count(l); k++) {
        const FbMode* mode = fb_linearization_get_mode(l, k);
        if (mode->class_ == FB_MODE_PHYSICAL && mode->frequency_hz > 0.0) {
            low = fmin(low, mode->frequency_hz);
            high = fmax(high, mode->frequency_hz);
        }
    }
    *from = !isnan(options->from_hz) ? options->from_hz : high > 0.0 ? 0.1 * low : 0.1;
    *to = !isnan(options->to_hz) ? options->to_hz : high > 0.0 ? 10.0 * high : 10.0;
    if (!(*from < *to)) {
        return usage_error(options, "the frequency range of the response, %g Hz to %g Hz, is empty",
                           *from, *to);
    }
    return EXIT_OK;
}

static int take_points(const Options* options, const FbLinearization* l, Response* r) {
    double from, to;
    int code = choose_range(options, l, &from, &to);
    if (code != EXIT_OK) {
        return code;
    }
    int per_decade = options->points_per_decade > 0 ? options->points_per_decade : 100;
    double count = ceil(per_decade * log10(to / from)) + 1.0;
    if (count > MAX_POINTS) {
        return usage_error(options, "the response would have %.0f points; at most %d are allowed",
                           count, MAX_POINTS);
    }
    r->n = count < 2.0 ? 2 : (int)count;
    double* all = malloc(sizeof(double) * 5 * (size_t)r->n);
    if (all == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    double** const arrays[] = {&r->f_hz, &r->re, &r->im, &r->magnitude, &r->phase_deg};
    for (int i = 0; i < 5; i++) {
        *arrays[i] = all + (size_t)i * (size_t)r->n;
    }
    for (int i = 0; i < r->n; i++) {
        r->f_hz[i] = from * pow(to / from, (double)i / (r->n - 1));
    }
    r->f_hz[r->n - 1] = to;
    return EXIT_OK;
}

// Phase of point i, without jumps of more than half a turn.
static double calc_phase(const Response* r, int i) {
    double phase = atan2(r->im[i], r->re[i]) * 180.0 / PI;
    double before = i > 0 ? r->phase_deg[i - 1] : 0.0;
    return i > 0 && isfinite(before) ? phase - 360.0 * round((phase - before) / 360.0) : phase;
}

static int split_names(const Options* options, Response* r) {
    const char* colon = strchr(options->frf, ':');
    if (colon == NULL || colon == options->frf || colon[1] == '\0') {
        return usage_error(options,
                           "--frf is '%s'; it must be INPUT:OUTPUT, a force and a recorded output",
                           options->frf);
    }
    r->input = strndup(options->frf, (size_t)(colon - options->frf));
    r->output = strdup(colon + 1);
    if (r->input == NULL || r->output == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    return EXIT_OK;
}

static int fill(const Options* options, FbLinearization* l, int input, int output, Response* r) {
    for (int i = 0; i < r->n; i++) {
        FbError err;
        if (fb_linearization_calc_response(l, input, output, 2.0 * PI * r->f_hz[i], &r->re[i],
                                           &r->im[i], &err) < 0) {
            return report_failure(options, NULL, &err);
        }
        r->magnitude[i] = hypot(r->re[i], r->im[i]);
        r->phase_deg[i] = calc_phase(r, i);
        if (is_interrupted()) {
            print_note("interrupted");
            return EXIT_INTERRUPTED;
        }
    }
    return EXIT_OK;
}

int calc_response(const Options* options, FbLinearization* l, Response* r) {
    *r = (Response){0};
    int code = split_names(options, r);
    FbError err;
    if (code == EXIT_OK && fb_linearization_calc_input_output(l, &err) < 0) {
        code = report_failure(options, NULL, &err);
    }
    int input = -1, output = -1;
    if (code == EXIT_OK) {
        input = find_name(options, l, fb_linearization_get_input_name, "input", r->input);
        output = input < 0
                     ? -1
                     : find_name(options, l, fb_linearization_get_output_name, "output", r->output);
        code = output < 0 ? EXIT_USAGE : EXIT_OK;
    }
    code = code == EXIT_OK ? take_points(options, l, r) : code;
    return code == EXIT_OK ? fill(options, l, input, output, r) : code;
}

void free_response(Response* r) {
    free(r->input);
    free(r->output);
    free(r->f_hz);
    *r = (Response){0};
}

FbStatus write_response_csv(const char* path, const Response* r, FbError* err) {
    static const char* const header[][2] = {
        {"f", "Hz"}, {"magnitude", ""}, {"phase", "deg"}, {"re", ""}, {"im", ""}};
    FbCsvWriter writer;
    FB_TRY(fb_csv_writer_open(&writer, path, err));
    for (int i = 0; i < 5; i++) {
        fb_csv_writer_add_name(&writer, header[i][0], header[i][1]);
    }
    fb_csv_writer_end_row(&writer);
    for (int i = 0; i < r->n; i++) {
        const double row[] = {r->f_hz[i], r->magnitude[i], r->phase_deg[i], r->re[i], r->im[i]};
        for (int k = 0; k < 5; k++) {
            fb_csv_writer_add_number(&writer, row[k]);
        }
        fb_csv_writer_end_row(&writer);
    }
    return fb_csv_writer_close(&writer, err);
}

static FbChartCurve curve_of(const Response* r, const double* values) {
    return (FbChartCurve){.data = {.name = r->output,
                                   .times = r->f_hz,
                                   .values = values,
                                   .time_stride = 1,
                                   .value_stride = 1,
                                   .n = r->n}};
}

FbStatus write_response_svg(const char* path, const Response* r, FbError* err) {
    FbChartCurve magnitude = curve_of(r, r->magnitude), phase = curve_of(r, r->phase_deg);
    FbChartPanel panels[] = {
        {.label = "magnitude", .curves = &magnitude, .n_curves = 1, .is_log = true},
        {.label = "phase [deg]", .curves = &phase, .n_curves = 1, .tick_step = 45.0},
    };
    FbText title;
    fb_text_init(&title);
    fb_text_addf(&title, "%s to %s", r->input, r->output);
    FbLineChart chart = {.title = title.data,
                         .x_label = "frequency [Hz]",
                         .is_x_log = true,
                         .panels = panels,
                         .n_panels = 2};
    char* svg = NULL;
    FbStatus status = title.has_failed ? fb_fail_memory(err) : fb_chart_svg(&chart, &svg, err);
    if (status >= 0 && svg != NULL) {
        status = fb_file_write(path, svg, strlen(svg), err);
    }
    fb_text_free(&title);
    fb_free(svg);
    return status;
}

static void write_array(FbJson* json, const char* key, const double* values, int n) {
    fb_json_key(json, key);
    fb_json_begin_array(json);
    for (int i = 0; i < n; i++) {
        fb_json_number(json, values[i]);
    }
    fb_json_end_array(json);
}

void write_response(FbJson* json, const Response* r) {
    fb_json_key(json, "response");
    fb_json_begin_object(json);
    fb_json_pair_text(json, "input", r->input);
    fb_json_pair_text(json, "output", r->output);
    write_array(json, "frequency_hz", r->f_hz, r->n);
    write_array(json, "magnitude", r->magnitude, r->n);
    write_array(json, "phase_deg", r->phase_deg, r->n);
    fb_json_end_object(json);
}
