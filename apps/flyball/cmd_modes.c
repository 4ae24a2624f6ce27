// `flyball modes`: natural frequencies, damping ratios, mode shapes, and frequency response; all
// modes, or the lowest ones of a large model.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/complex.h"
#include "base/error.h"
#include "folder.h"
#include "linear_report.h"
#include "lowest.h"
#include "operating.h"
#include "record/json_pair.h"
#include "response.h"
#include "run_report.h"

// A point whose motion in each mode is reported.
typedef struct ShapePoint {
    int body;
    const char* name;  // of the point, NULL: the body's origin or a point of the command line
    double at[3];
} ShapePoint;

typedef struct ModesWork {
    const Options* options;
    LoadedModel loaded;
    FbOperatingPoint* point;
    ModeList modes;
    int* shown;  // modes by frequency, one of each conjugate pair
    int n_shown;
    ShapePoint* points;
    int n_points;
    double complex* shape;  // [3 n_points]
    Response response;
} ModesWork;

static int find_body(const FbModel* model, const char* name, size_t length) {
    const char* other;
    for (int b = 0; (other = fb_model_get_body_name(model, b)) != NULL; b++) {
        if (strlen(other) == length && strncmp(other, name, length) == 0) {
            return b;
        }
    }
    return -1;
}

// "BODY:X,Y,Z"
static int add_given_point(ModesWork* w, const char* text) {
    ShapePoint* p = &w->points[w->n_points];
    const char* colon = strchr(text, ':');
    const char* at = colon != NULL ? colon + 1 : "";
    bool is_good = colon != NULL;
    for (int i = 0; i < 3 && is_good; i++) {
        size_t length = strcspn(at, ",");
        is_good = fb_parse_double(at, length, &p->at[i]) && isfinite(p->at[i]) &&
                  (at[length] == ',') == (i < 2);
        at += length + (i < 2 && is_good);
    }
    if (!is_good) {
        return usage_error(w->options, "--points is '%s'; it must be BODY:X,Y,Z in m", text);
    }
    p->body = find_body(w->loaded.model, text, (size_t)(colon - text));
    if (p->body < 0) {
        return usage_error(w->options, "--points is '%s', but there is no body '%.*s'", text,
                           (int)(colon - text), text);
    }
    w->n_points++;
    return EXIT_OK;
}

// Origins and named points of all bodies, then the points of the command line.
static int list_points(ModesWork* w) {
    const FbModelDef* def = w->loaded.def;
    int n_bodies = fb_model_def_get_body_count(def);
    int most = n_bodies + w->options->points.n + 1;
    for (int b = 0; b < n_bodies; b++) {
        most += fb_model_def_get_body(def, b)->n_points;
    }
    w->points = calloc((size_t)most, sizeof *w->points);
    w->shape = calloc((size_t)most * 3, sizeof *w->shape);
    if (w->points == NULL || w->shape == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    for (int b = 0; b < n_bodies; b++) {
        const FbBodyDef* body = fb_model_def_get_body(def, b);
        int index = b;  // a model keeps the order of its description
        w->points[w->n_points++] = (ShapePoint){.body = index};
        for (int i = 0; i < body->n_points; i++) {
            const FbNamedPoint* p = &body->points[i];
            w->points[w->n_points++] = (ShapePoint){index, p->name, {p->at[0], p->at[1], p->at[2]}};
        }
    }
    int code = EXIT_OK;
    for (int i = 0; code == EXIT_OK && i < w->options->points.n; i++) {
        code = add_given_point(w, w->options->points.items[i]);
    }
    return code;
}

static FbStatus find_modes(ModesWork* w, FbError* err) {
    if (w->options->lowest > 0) {
        return find_lowest(w->options, w->point, &w->modes.lowest, err);
    }
    FbLinearOptions options = fb_linear_options_default();
    note_size(w->options, w->point);
    FB_TRY(fb_linearization_create(w->point, &options, &w->modes.all, err));
    return w->options->is_undamped ? fb_linearization_run_undamped(w->modes.all, err)
                                   : fb_linearization_run(w->modes.all, err);
}

// Rigid-body modes first, then by frequency as they come; of a conjugate pair the one that turns
// forward.
static FbStatus choose_shown(ModesWork* w, FbError* err) {
    int n = mode_list_get_count(&w->modes);
    w->shown = calloc((size_t)n + 1, sizeof(int));
    if (w->shown == NULL) {
        return fb_fail_memory(err);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < n; k++) {
            const FbMode* mode = mode_list_get(&w->modes, k);
            if ((mode->class_ == FB_MODE_RIGID_BODY) == (pass == 0) && mode->im >= 0.0) {
                w->shown[w->n_shown++] = k;
            }
        }
    }
    return FB_OK;
}

// Displacements of all points in a mode, divided by the largest component, so that it is 1.
static FbStatus calc_shape(ModesWork* w, int k) {
    double complex largest = 0.0;
    for (int p = 0; p < w->n_points; p++) {
        double re[3], im[3];
        FB_TRY(mode_list_calc_shape(&w->modes, k, w->points[p].body, w->points[p].at, re, im));
        for (int i = 0; i < 3; i++) {
            double complex x = CMPLX(re[i], im[i]);
            w->shape[3 * p + i] = x;
            largest = cabs(x) > cabs(largest) ? x : largest;
        }
    }
    for (int i = 0; largest != 0.0 && i < 3 * w->n_points; i++) {
        w->shape[i] /= largest;
    }
    return FB_OK;
}

static void write_three(FbJson* json, const char* key, const double v[3]) {
    fb_json_key(json, key);
    fb_json_begin_array(json);
    for (int i = 0; i < 3; i++) {
        fb_json_number(json, v[i]);
    }
    fb_json_end_array(json);
}

static void write_shape(FbJson* json, ModesWork* w, int k) {
    fb_json_key(json, "shape");
    fb_json_begin_array(json);
    int n = calc_shape(w, k) >= 0 ? w->n_points : 0;
    for (int p = 0; p < n; p++) {
        const ShapePoint* point = &w->points[p];
        const double complex* x = w->shape + 3 * p;
        double re[3] = {creal(x[0]), creal(x[1]), creal(x[2])};
        double im[3] = {cimag(x[0]), cimag(x[1]), cimag(x[2])};
        fb_json_begin_object(json);
        fb_json_pair_text(json, "body", fb_model_get_body_name(w->loaded.model, point->body));
        fb_json_pair_text(json, "point", point->name);
        write_three(json, "at", point->at);
        write_three(json, "re", re);
        write_three(json, "im", im);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

static int print_modes_document(ModesWork* w) {
    Document document;
    begin_document(&document);
    FbJson* json = &document.json;
    fb_json_begin_object(json);
    fb_json_pair_text(json, "model", w->loaded.path);
    fb_json_pair_text(json, "model_sha256", w->loaded.sha256);
    fb_json_pair_text(json, "version", fb_version());
    write_point(json, w->options, w->point);
    fb_json_pair_bool(json, "undamped", w->options->is_undamped);
    if (w->modes.lowest != NULL) {
        write_lowest_info(json, w->options, w->modes.lowest);
    }
    fb_json_key(json, "modes");
    fb_json_begin_array(json);
    for (int i = 0; i < w->n_shown; i++) {
        fb_json_begin_object(json);
        fb_json_pair_integer(json, "number", i + 1);
        write_mode_pairs(json, &w->modes, w->loaded.model, w->shown[i]);
        write_shape(json, w, w->shown[i]);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
    if (w->options->frf != NULL) {
        write_response(json, &w->response);
    }
    fb_json_end_object(json);
    return print_document(&document);
}

static void print_mode(ModesWork* w, int i) {
    int k = w->shown[i];
    const FbMode* mode = mode_list_get(&w->modes, k);
    bool is_overdamped = mode->im == 0.0;
    printf("%4d %16.10g %12.8f  %14.8g %14.8g  %-10s ", i + 1, mode->frequency_hz,
           mode->damping_ratio + 0.0, mode->re, mode->im,
           mode->class_ == FB_MODE_RIGID_BODY ? "rigid-body"
           : mode->re > 0.0 && is_overdamped  ? "diverges"
           : is_overdamped                    ? "decays"
                                              : "oscillates");
    print_participation(&w->modes, w->loaded.model, k);
    printf("\n");
}

// What six decimals cannot show is printed as a zero without a sign.
static double round_off(double x) {
    return fabs(x) < 5e-7 ? 0.0 : x;
}

static void print_given_shapes(ModesWork* w, int i) {
    if (w->options->points.n == 0 || calc_shape(w, w->shown[i]) < 0) {
        return;
    }
    for (int p = w->n_points - w->options->points.n; p < w->n_points; p++) {
        const ShapePoint* point = &w->points[p];
        printf("     %s (%g, %g, %g):", fb_model_get_body_name(w->loaded.model, point->body),
               point->at[0], point->at[1], point->at[2]);
        for (int c = 0; c < 3; c++) {
            double complex x = w->shape[3 * p + c];
            printf("  %.6f%+.6fi", round_off(creal(x)), round_off(cimag(x)));
        }
        printf("\n");
    }
}

static void print_table(ModesWork* w) {
    FbModelInfo info;
    fb_model_get_info(w->loaded.model, &info);
    printf("model        %s\n", info.name);
    print_point(w->options, w->point, FEW_COORDINATES);
    printf("\n%4s %16s %12s  %14s %14s  %-10s %s\n", "mode", "f [Hz]", "damping", "re [1/s]",
           "im [1/s]", "kind", "moves");
    for (int i = 0; i < w->n_shown; i++) {
        print_mode(w, i);
        print_given_shapes(w, i);
    }
    if (w->modes.lowest != NULL) {
        print_lowest_info(w->options, w->modes.lowest);
    }
}

static FbStatus save_response(const ModesWork* w, FbError* err) {
    const Options* o = w->options;
    if (o->output != NULL) {
        FB_TRY(write_response_csv(o->output, &w->response, err));
    }
    if (o->svg != NULL) {
        FB_TRY(write_response_svg(o->svg, &w->response, err));
    }
    if (!o->is_quiet) {
        bool has_both = o->output != NULL && o->svg != NULL;
        print_note("wrote %s%s%s", o->output != NULL ? o->output : "", has_both ? " and " : "",
                   o->svg != NULL ? o->svg : "");
    }
    return FB_OK;
}

static int check_options(const Options* o) {
    if (o->frf != NULL && o->lowest > 0) {
        return usage_error(o, "--frf uses all modes; remove --lowest");
    }
    if (!isnan(o->shift_hz) && o->lowest == 0) {
        return usage_error(o, "--shift requires --lowest");
    }
    if (o->frf != NULL && o->is_undamped) {
        return usage_error(o, "--frf includes damping; remove --undamped");
    }
    if (o->mode > 0 && o->gltf == NULL) {
        return usage_error(o, "--mode requires --gltf");
    }
    bool has_more = o->output != NULL || o->svg != NULL || !isnan(o->from_hz) || !isnan(o->to_hz) ||
                    o->points_per_decade > 0;
    if (o->frf == NULL && has_more) {
        return usage_error(o, "-o, --svg, --from, --to and --points-per-decade require --frf");
    }
    if (o->frf != NULL && o->output == NULL && o->svg == NULL && !o->is_json) {
        return usage_error(o, "--frf needs -o FILE.csv, --svg FILE.svg or --json");
    }
    return EXIT_OK;
}

static int compute(ModesWork* w) {
    FbError err;
    FbStatus status = find_modes(w, &err);
    if (status >= 0) {
        status = choose_shown(w, &err);
    }
    if (status < 0) {
        return report_failure(w->options, w->loaded.path, &err);
    }
    int code =
        w->options->frf != NULL ? calc_response(w->options, w->modes.all, &w->response) : EXIT_OK;
    bool has_files = w->options->output != NULL || w->options->svg != NULL;
    if (code == EXIT_OK && has_files && save_response(w, &err) < 0) {
        code = report_failure(w->options, w->loaded.path, &err);
    }
    return code;
}

// The HTML file of --report.
static int write_report(ModesWork* w) {
    ReportContext context;
    FbReportOptions options;
    FbError err;
    FbStatus status = init_report(&context, &w->loaded, &options, &err);
    if (status >= 0) {
        status = w->modes.lowest != NULL
                     ? fb_report_write_lowest(w->modes.lowest, &options, w->options->report, &err)
                     : fb_report_write_modes(w->modes.all, &options, w->options->report, &err);
    }
    free_report(&context);
    if (status < 0) {
        print_error(&err);
        return exit_code_of(status);
    }
    if (!w->options->is_quiet) {
        print_note("wrote %s", w->options->report);
    }
    return EXIT_OK;
}

// The file of --gltf.
static int write_gltf(ModesWork* w) {
    const Options* o = w->options;
    int number = o->mode > 0 ? o->mode : 1;
    if (number > w->n_shown) {
        return usage_error(o, "--mode is %d; there are %d modes", number, w->n_shown);
    }
    ReportContext context;
    FbReportOptions options;
    FbError err;
    int mode = w->shown[number - 1];
    FbStatus status = init_report(&context, &w->loaded, &options, &err);
    if (status >= 0) {
        status = w->modes.lowest != NULL
                     ? fb_lowest_write_gltf(w->modes.lowest, mode, &options, o->gltf, &err)
                     : fb_linearization_write_gltf(w->modes.all, mode, &options, o->gltf, &err);
    }
    free_report(&context);
    if (status < 0) {
        print_error(&err);
        return exit_code_of(status);
    }
    if (!o->is_quiet) {
        print_note("wrote %s", o->gltf);
    }
    return EXIT_OK;
}

// The files of --vtu.
static int write_fields(ModesWork* w) {
    FbError err;
    int n_modes = 0;
    FbStatus status = make_folder(w->options->vtu, &err);
    if (status >= 0) {
        status = w->modes.lowest != NULL
                     ? fb_lowest_write_fields(w->modes.lowest, w->options->vtu, &n_modes, &err)
                     : fb_linearization_write_fields(w->modes.all, w->options->vtu, &n_modes, &err);
    }
    if (status < 0) {
        print_error(&err);
        return exit_code_of(status);
    }
    if (!w->options->is_quiet) {
        print_note("wrote %d modes as VTU files into %s", n_modes, w->options->vtu);
    }
    return EXIT_OK;
}

static int print_answer(ModesWork* w) {
    note_drift(w->options, w->point);
    if (w->options->is_json) {
        return print_modes_document(w);
    }
    print_table(w);
    return EXIT_OK;
}

int cmd_modes(const Options* options) {
    ModesWork w = {.options = options};
    int code = check_options(options);
    code = code == EXIT_OK ? load_model(options, options->operands[0], &w.loaded) : code;
    code = code == EXIT_OK ? list_points(&w) : code;
    code = code == EXIT_OK ? find_operating_point(options, &w.loaded, &w.point) : code;
    code = code == EXIT_OK ? compute(&w) : code;
    code = code == EXIT_OK ? print_answer(&w) : code;
    code = code == EXIT_OK && options->report != NULL ? write_report(&w) : code;
    code = code == EXIT_OK && options->vtu != NULL ? write_fields(&w) : code;
    code = code == EXIT_OK && options->gltf != NULL ? write_gltf(&w) : code;
    free_response(&w.response);
    mode_list_free(&w.modes);
    fb_operating_point_destroy(w.point);
    free(w.shown);
    free(w.points);
    free(w.shape);
    free_model(&w.loaded);
    return code;
}
