// The operating point requested on the command line, and the information printed about it.
#include "operating.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/json_pair.h"
#include "terminal.h"

typedef struct Wish {
    FbOperatingOptions options;
    FbSteadyRate rates[MAX_LIST];
    char* names[MAX_LIST];
} Wish;

static void free_wish(Wish* wish) {
    for (int i = 0; i < wish->options.n_steady; i++) {
        free(wish->names[i]);
    }
}

static int add_steady(const Options* options, const char* text, Wish* wish) {
    const char* equals = strchr(text, '=');
    double rate = NAN;
    if (equals == NULL || equals == text ||
        !fb_parse_double(equals + 1, strlen(equals + 1), &rate) || !isfinite(rate)) {
        return usage_error(options,
                           "--steady is '%s'; it must be JOINT=RATE with the rate in rad/s or m/s, "
                           "as in --steady shaft=6.28",
                           text);
    }
    char* name = strndup(text, (size_t)(equals - text));
    if (name == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    int i = wish->options.n_steady++;
    wish->names[i] = name;
    wish->rates[i] = (FbSteadyRate){name, rate};
    return EXIT_OK;  // NOLINT(clang-analyzer-unix.Malloc): wish->names owns it
}

static int set_place(const Options* options, Wish* wish) {
    FbOperatingOptions* o = &wish->options;
    const char* at = options->at != NULL ? options->at : "equilibrium";
    if (strcmp(at, "equilibrium") == 0) {
        o->kind = FB_AT_EQUILIBRIUM;
    } else if (strcmp(at, "initial") == 0) {
        o->kind = FB_AT_INITIAL;
    } else if (fb_parse_double(at, strlen(at), &o->time) && isfinite(o->time)) {
        o->kind = FB_AT_TIME;
    } else {
        return usage_error(options, "--at is '%s'; it must be equilibrium, initial or a time in s",
                           at);
    }
    if (options->steady.n > 0 && o->kind != FB_AT_EQUILIBRIUM) {
        return usage_error(options, "--steady requires --at equilibrium, not --at %s", at);
    }
    return EXIT_OK;
}

static int read_wish(const Options* options, Wish* wish) {
    *wish = (Wish){.options = fb_operating_options_default()};
    int code = set_place(options, wish);
    for (int i = 0; code == EXIT_OK && i < options->steady.n; i++) {
        code = add_steady(options, options->steady.items[i], wish);
    }
    wish->options.steady = wish->rates;
    return code;
}

// The coefficients of the linearization follow a moving mass; the result is valid for one position.
static void warn_of_moving_sliders(const Options* options, const LoadedModel* loaded,
                                   const FbOperatingPoint* point, bool is_equilibrium) {
    FbSliderInfo slider;
    double s[3];
    for (int i = 0; !options->is_quiet && fb_model_get_slider(loaded->model, i, &slider); i++) {
        if (!fb_operating_point_get_slider_law(point, i, s) || (s[1] == 0.0 && s[2] == 0.0)) {
            continue;
        }
        if (is_equilibrium) {
            print_warning("slider '%s' moves by its law; it is parked here at s = %.6g m",
                          slider.name, s[0]);
        } else {
            print_warning(
                "slider '%s' moves by its law; the linearization holds for this moment, with "
                "s = %.6g m, a speed of %.6g m/s and an acceleration of %.6g m/s^2",
                slider.name, s[0], s[1], s[2]);
        }
    }
}

static void warn_of_point(const Options* options, const FbOperatingPoint* point) {
    FbOperatingInfo info;
    fb_operating_point_get_info(point, &info);
    if (info.warning && !options->is_quiet) {
        print_warning("%s", info.warning);
    }
}

int find_operating_point(const Options* options, LoadedModel* loaded, FbOperatingPoint** out) {
    Wish wish;
    *out = NULL;
    int code = read_wish(options, &wish);
    FbError err;
    warn_of_mechanisms(options, loaded);
    if (code == EXIT_OK && fb_operating_point_create(loaded->model, &wish.options, out, &err) < 0) {
        code = report_failure(options, loaded->path, &err);
        // A name that the model does not have can only come from the command line.
        code = err.status == FB_ERR_NAME && options->steady.n > 0 ? EXIT_USAGE : code;
    }
    if (code == EXIT_OK) {
        warn_of_moving_sliders(options, loaded, *out, wish.options.kind == FB_AT_EQUILIBRIUM);
        warn_of_point(options, *out);
    }
    free_wish(&wish);
    return code;
}

static const char PARKED[] =
    "there is no equilibrium with active drives and controllers, so they are parked: laws and "
    "sliders are frozen at the start time, and states keep their initial values";

void describe_point(const Options* options, const FbOperatingInfo* info, char* out, size_t size) {
    const char* at = options->at != NULL ? options->at : "equilibrium";
    bool is_time = strcmp(at, "equilibrium") != 0 && strcmp(at, "initial") != 0;
    bool is_steady = options->steady.n > 0 || info->is_steady;
    snprintf(out, size, "%s%s%s",
             is_time     ? "t = "
             : is_steady ? "steady motion"
                         : "",
             is_steady ? "" : at, is_time ? " s" : "");
}

void print_point(const Options* options, const FbOperatingPoint* point, int most) {
    FbOperatingInfo info;
    fb_operating_point_get_info(point, &info);
    char where[64];
    describe_point(options, &info, where, sizeof where);
    printf("point        %s; residual %.2g of the acting forces; %d degree%s of freedom\n", where,
           info.residual, info.degrees_of_freedom, info.degrees_of_freedom == 1 ? "" : "s");
    if (info.is_parked) {
        printf("drives       %s\n", PARKED);
    }
    if (!info.is_equilibrium) {
        printf("drift        no equilibrium: the largest acceleration is %.6g m/s2 or rad/s2\n",
               info.largest_acceleration);
    }
    const char *name, *unit;
    double value;
    int n = info.n_coordinates < most ? info.n_coordinates : most;
    for (int i = 0; i < n; i++) {
        fb_operating_point_get_coordinate(point, i, &name, &unit, &value);
        printf("  %-24s %22.15g %s\n", name, value, unit);
    }
    if (n < info.n_coordinates) {
        printf("  and %d more: see --json or 'flyball equilibrium'\n", info.n_coordinates - n);
    }
}

void note_drift(const Options* options, const FbOperatingPoint* point) {
    FbOperatingInfo info;
    fb_operating_point_get_info(point, &info);
    if (!info.is_equilibrium && !options->is_quiet) {
        print_warning(
            "this is not an equilibrium: the largest acceleration is %.4g m/s2 or rad/s2, and the "
            "linear model is valid only until the mechanism has moved away from this point",
            info.largest_acceleration);
    }
}

static void write_coordinates(FbJson* json, const FbOperatingPoint* point) {
    const char *name, *unit;
    double value;
    fb_json_key(json, "coordinates");
    fb_json_begin_object(json);
    for (int i = 0; fb_operating_point_get_coordinate(point, i, &name, &unit, &value); i++) {
        fb_json_pair_number(json, name, value);
    }
    fb_json_end_object(json);
    fb_json_key(json, "units");
    fb_json_begin_object(json);
    for (int i = 0; fb_operating_point_get_coordinate(point, i, &name, &unit, &value); i++) {
        fb_json_pair_text(json, name, unit);
    }
    fb_json_end_object(json);
}

void write_point_pairs(FbJson* json, const Options* options, const FbOperatingPoint* point) {
    FbOperatingInfo info;
    fb_operating_point_get_info(point, &info);
    char where[64];
    describe_point(options, &info, where, sizeof where);
    fb_json_pair_text(json, "at", where);
    fb_json_pair_bool(json, "is_equilibrium", info.is_equilibrium);
    fb_json_pair_number(json, "residual", info.residual);
    fb_json_pair_number(json, "force_scale", info.force_scale);
    fb_json_pair_number(json, "largest_acceleration", info.largest_acceleration);
    fb_json_pair_integer(json, "iterations", info.iterations);
    fb_json_pair_integer(json, "relaxations", info.relaxations);
    fb_json_pair_integer(json, "degrees_of_freedom", info.degrees_of_freedom);
    fb_json_pair_bool(json, "is_parked", info.is_parked);
    fb_json_key(json, "warnings");
    fb_json_begin_array(json);
    if (info.is_parked) {
        fb_json_string(json, PARKED);
    }
    if (info.warning) {
        fb_json_string(json, info.warning);
    }
    fb_json_end_array(json);
    write_coordinates(json, point);
}

void write_point(FbJson* json, const Options* options, const FbOperatingPoint* point) {
    fb_json_key(json, "equilibrium");
    fb_json_begin_object(json);
    write_point_pairs(json, options, point);
    fb_json_end_object(json);
}
