// What `flyball check` says about inputs and callbacks.
#include "check_driven.h"

#include <math.h>
#include <stdio.h>

#include "record/json_pair.h"

static void print_inputs(const FbModel* model) {
    FbInputInfo x;
    for (int i = 0; fb_model_get_input(model, i, &x); i++) {
        printf("input               %s: %.6g%s%s", x.name, x.value, x.unit[0] ? " " : "", x.unit);
        if (isfinite(x.min) || isfinite(x.max)) {
            printf(", from %.6g to %.6g", x.min, x.max);
        }
        printf("\n");
    }
}

static void print_callbacks(const FbModel* model) {
    FbCallbackInfo x;
    for (int i = 0; fb_model_get_callback(model, i, &x); i++) {
        printf("callback            %s: arguments %d, results %d", x.name, x.n_arguments,
               x.n_results);
        if (x.period > 0.0) {
            printf(", every %.6g s", x.period);
        }
        printf("\n");
    }
}

void print_driven(const FbModel* model) {
    print_inputs(model);
    print_callbacks(model);
}

static void write_limit(FbJson* json, const char* key, double limit) {
    if (isfinite(limit)) {
        fb_json_pair_number(json, key, limit);
    }
}

void write_driven(FbJson* json, const FbModel* model) {
    FbInputInfo x;
    FbCallbackInfo c;
    fb_json_key(json, "inputs");
    fb_json_begin_array(json);
    for (int i = 0; fb_model_get_input(model, i, &x); i++) {
        fb_json_begin_object(json);
        fb_json_pair_text(json, "name", x.name);
        fb_json_pair_text(json, "unit", x.unit);
        fb_json_pair_number(json, "default", x.value);
        write_limit(json, "min", x.min);
        write_limit(json, "max", x.max);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
    fb_json_key(json, "callbacks");
    fb_json_begin_array(json);
    for (int i = 0; fb_model_get_callback(model, i, &c); i++) {
        fb_json_begin_object(json);
        fb_json_pair_text(json, "name", c.name);
        fb_json_pair_integer(json, "arguments", c.n_arguments);
        fb_json_pair_integer(json, "results", c.n_results);
        if (c.period > 0.0) {
            fb_json_pair_number(json, "period", c.period);
        }
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}
