// Output about linearizations: a readable table, JSON, and the benchmark's solution file.
#include "linear_report.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "operating.h"
#include "record/file.h"
#include "record/json_pair.h"

enum { SHOWN_BODIES = 3 };

FbReportMethod report_method(const MethodRun* run) {
    return (FbReportMethod){.method = fb_method_names[run->method],
                            .coordinates = run->coordinates,
                            .l = run->linearization,
                            .failure = run->failure,
                            .error = run->error,
                            .time_s = run->time_s,
                            .repeat = run->repeat};
}

// Fractions by body; NULL without memory or for a mode that does not move bodies.
static double* calc_fractions(const ModeList* list, const FbModel* model, int k, int* n) {
    FbModelInfo info;
    fb_model_get_info(model, &info);
    *n = info.n_bodies;
    double* fractions = calloc((size_t)info.n_bodies + 1, sizeof(double));
    if (fractions != NULL && mode_list_calc_participation(list, k, fractions) < 0) {
        free(fractions);
        return NULL;
    }
    return fractions;
}

static void write_participation(FbJson* json, const ModeList* list, const FbModel* model, int k) {
    int n = 0;
    double* fractions =
        fb_mode_is_true(mode_list_get(list, k)) ? calc_fractions(list, model, k, &n) : NULL;
    fb_json_key(json, "participation");
    fb_json_begin_object(json);
    for (int b = 0; fractions != NULL && b < n; b++) {
        fb_json_pair_number(json, fb_model_get_body_name(model, b), fractions[b]);
    }
    fb_json_end_object(json);
    free(fractions);
}

// Adding zero makes a positive zero of a negative one.
void write_mode_pairs(FbJson* json, const ModeList* list, const FbModel* model, int k) {
    const FbMode* mode = mode_list_get(list, k);
    bool is_infinite = mode->is_infinite;
    fb_json_pair_number(json, "re", is_infinite ? NAN : mode->re);
    fb_json_pair_number(json, "im", is_infinite ? NAN : mode->im);
    fb_json_pair_bool(json, "infinite", is_infinite);
    fb_json_pair_text(json, "class", fb_class_names[mode->class_]);
    fb_json_pair_number(json, "residual", mode->residual);
    fb_json_pair_number(json, "constraint_residual", mode->constraint_residual);
    fb_json_pair_number(json, "condition", mode->condition > 0.0 ? mode->condition : NAN);
    fb_json_pair_number(json, "frequency_hz", mode->frequency_hz);
    fb_json_pair_number(json, "damping_ratio", is_infinite ? NAN : mode->damping_ratio + 0.0);
    write_participation(json, list, model, k);
}

static void write_method(FbJson* json, const MethodRun* run) {
    FbLinearization* l = run->linearization;
    fb_json_begin_object(json);
    fb_json_pair_text(json, "method", fb_method_names[run->method]);
    fb_json_pair_text(json, "coordinates", run->coordinates);
    fb_json_key(json, "eigenvalues");
    fb_json_begin_array(json);
    for (int k = 0; l != NULL && k < fb_linearization_get_mode_count(l); k++) {
        fb_json_begin_object(json);
        write_mode_pairs(json, &(ModeList){.all = l}, run->model, k);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
    fb_json_pair_integer(json, "repeat", run->repeat);
    fb_json_pair_number(json, "time_s", run->time_s);
    fb_json_pair_number(json, "error", run->error);
    fb_json_pair_text(json, "failure", run->failure[0] != '\0' ? run->failure : NULL);
    fb_json_end_object(json);
}

void write_methods(FbJson* json, const MethodRun* runs, int n) {
    fb_json_key(json, "methods");
    fb_json_begin_array(json);
    for (int i = 0; i < n; i++) {
        write_method(json, &runs[i]);
    }
    fb_json_end_array(json);
}

void print_participation(const ModeList* list, const FbModel* model, int k) {
    int n;
    double* fractions = calc_fractions(list, model, k, &n);
    for (int shown = 0; fractions != NULL && shown < SHOWN_BODIES; shown++) {
        int most = 0;
        for (int b = 1; b < n; b++) {
            most = fractions[b] > fractions[most] ? b : most;
        }
        if (n == 0 || !(fractions[most] >= 0.005)) {
            break;
        }
        printf("%s%s %.0f %%", shown > 0 ? ", " : "", fb_model_get_body_name(model, most),
               100.0 * fractions[most]);
        fractions[most] = 0.0;
    }
    free(fractions);
}

// Infinite eigenvalues are only counted: nothing distinguishes them.
static void print_modes(const MethodRun* run) {
    FbLinearization* l = run->linearization;
    int n_infinite = 0;
    printf("  %22s %22s %12s %10s  %-10s %9s  %s\n", "re [1/s]", "im [1/s]", "f [Hz]", "damping",
           "class", "residual", "moves");
    for (int k = 0; k < fb_linearization_get_mode_count(l); k++) {
        const FbMode* mode = fb_linearization_get_mode(l, k);
        if (mode->is_infinite) {
            n_infinite++;
            continue;
        }
        printf("  %22.15g %22.15g %12.6g %10.5f  %-10s %9.1e  ", mode->re, mode->im,
               mode->frequency_hz, mode->damping_ratio + 0.0, fb_class_names[mode->class_],
               mode->residual);
        if (fb_mode_is_true(mode)) {
            print_participation(&(ModeList){.all = l}, run->model, k);
        }
        printf("\n");
    }
    if (n_infinite > 0) {
        printf("  and %d infinite (constraint)\n", n_infinite);
    }
}

static int count_true(const FbLinearization* l) {
    int n = 0;
    for (int k = 0; k < fb_linearization_get_mode_count(l); k++) {
        n += fb_mode_is_true(fb_linearization_get_mode(l, k));
    }
    return n;
}

void print_methods(const MethodRun* runs, int n) {
    for (int i = 0; i < n; i++) {
        const MethodRun* run = &runs[i];
        printf("\n%s, %s coordinates: ", fb_method_names[run->method], run->coordinates);
        if (run->linearization == NULL) {
            printf("%s\n", run->failure);
            continue;
        }
        printf("%d eigenvalues, %d true; %d execution%s in %.4g s",
               fb_linearization_get_mode_count(run->linearization), count_true(run->linearization),
               run->repeat, run->repeat == 1 ? "" : "s", run->time_s);
        if (!isnan(run->error)) {
            printf("; error %.2g", run->error);
        }
        printf("\n");
        print_modes(run);
    }
}

static void add_number(FbText* text, double value) {
    char number[32];
    fb_format_double(value, number);
    fb_text_addf(text, " %s", number);
}

static void add_solution_header(FbText* text, const Options* options, const LoadedModel* loaded,
                                const FbOperatingPoint* point) {
    char where[64];
    FbOperatingInfo info;
    fb_operating_point_get_info(point, &info);
    describe_point(options, &info, where, sizeof where);
    fb_text_addf(text, "# Eigenvalues of a linearized model, by flyball %s\n", fb_version());
    fb_text_addf(text, "# model %s, SHA-256 %s\n", loaded->path, loaded->sha256);
    fb_text_addf(text, "# point: %s, residual %.3g of the acting forces\n", where, info.residual);
    const char *name, *unit;
    double value;
    for (int i = 0; fb_operating_point_get_coordinate(point, i, &name, &unit, &value); i++) {
        fb_text_addf(text, "#   %s =", name);
        add_number(text, value);
        fb_text_addf(text, " %s\n", unit);
    }
    fb_text_add(text,
                "# Columns: method, coordinates, number, true (of the mechanism) or spurious (of "
                "the formulation), class,\n"
                "#   real part [1/s], imaginary part [1/s] (inf 0: infinite), residual of the "
                "equations of motion, residual of the constraints\n");
}

static void add_solution_run(FbText* text, const MethodRun* run) {
    const FbLinearization* l = run->linearization;
    fb_text_addf(text, "# %s, %s coordinates: ", fb_method_names[run->method], run->coordinates);
    if (l == NULL) {
        fb_text_addf(text, "%s\n", run->failure);
        return;
    }
    fb_text_addf(text, "%d executions in", run->repeat);
    add_number(text, run->time_s);
    fb_text_add(text, " s");
    if (!isnan(run->error)) {
        fb_text_add(text, ", error");
        add_number(text, run->error);
    }
    fb_text_add(text, "\n");
    for (int k = 0; k < fb_linearization_get_mode_count(l); k++) {
        const FbMode* mode = fb_linearization_get_mode(l, k);
        fb_text_addf(text, "%s %s %d %s %s", fb_method_names[run->method], run->coordinates, k + 1,
                     fb_mode_is_true(mode) ? "true" : "spurious", fb_class_names[mode->class_]);
        if (mode->is_infinite) {
            fb_text_add(text, " inf 0");
        } else {
            add_number(text, mode->re);
            add_number(text, mode->im);
        }
        fb_text_addf(text, " %.3e %.3e\n", mode->residual, mode->constraint_residual);
    }
}

FbStatus write_solution(const char* path, const Options* options, const LoadedModel* loaded,
                        const FbOperatingPoint* point, const MethodRun* runs, int n, FbError* err) {
    FbText text;
    fb_text_init(&text);
    add_solution_header(&text, options, loaded, point);
    for (int i = 0; i < n; i++) {
        add_solution_run(&text, &runs[i]);
    }
    FbStatus status =
        text.has_failed ? fb_fail_memory(err) : fb_file_write(path, text.data, text.length, err);
    fb_text_free(&text);
    return status;
}
