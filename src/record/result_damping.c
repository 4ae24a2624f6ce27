// The effective damping of an output of a result: finds the columns and passes them on as arrays.
#include <math.h>
#include <stdlib.h>

#include "record/damping.h"

// The public object with its memory.
typedef struct Owned {
    FbDamping damping;
    FbArena* arena;
} Owned;

static FbStatus find_column(const FbModel* model, const char* key, const char* name, int* out,
                            FbError* err) {
    int n = fb_model_get_output_count(model);
    *out = fb_model_find_output(model, name);
    if (*out >= 0) {
        return FB_OK;
    }
    const char** names = malloc(sizeof(char*) * (size_t)(n + 1));
    if (!names) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < n; i++) {
        names[i] = fb_model_get_output_name(model, i);
    }
    const char* close = fb_did_you_mean(name, names, n);
    FbStatus status =
        fb_fail(err, FB_ERR_NAME, NULL,
                "damping: %s is '%s', but no output is recorded under this name%s%s%s", key, name,
                close ? "; did you mean '" : "", close ? close : "", close ? "'?" : "");
    free(names);
    return status;
}

static FbStatus copy_column(const FbResult* result, const char* key, const char* name,
                            FbArena* arena, const double** out, FbError* err) {
    int column;
    if (!name) {
        return FB_OK;
    }
    FB_TRY(find_column(fb_result_get_model(result), key, name, &column, err));
    int n = fb_result_get_row_count(result);
    double* values = FB_TAKE(arena, double, n + 1);
    for (int i = 0; values && i < n; i++) {
        values[i] = fb_result_get_value(result, i, column);
    }
    *out = values;
    return values ? FB_OK : fb_fail_memory(err);
}

static FbStatus copy_times(const FbResult* result, FbArena* arena, FbDampingInput* in,
                           FbError* err) {
    in->n = fb_result_get_row_count(result);
    double* t = FB_TAKE(arena, double, in->n + 1);
    for (int i = 0; t && i < in->n; i++) {
        t[i] = fb_result_get_time(result, i);
    }
    in->t = t;
    return t ? FB_OK : fb_fail_memory(err);
}

static FbStatus calc(const FbResult* result, const FbDampingDef* def, Owned* owned, FbError* err) {
    bool has_masses = def->n_masses == 2;
    FbDampingInput in = {
        .cycles = def->cycles,
        .about = def->about,
        .points = def->points,
        .bound = has_masses ? fb_damping_bound(def->masses[0], def->masses[1]) : def->bound};
    FB_TRY(copy_times(result, owned->arena, &in, err));
    FB_TRY(copy_column(result, "output", def->output, owned->arena, &in.y, err));
    FB_TRY(copy_column(result, "energy", def->energy, owned->arena, &in.energy, err));
    FB_TRY(copy_column(result, "power", def->power, owned->arena, &in.power, err));
    FB_TRY(fb_damping_calc(&in, owned->arena, &owned->damping, err));
    const FbModel* model = fb_result_get_model(result);
    int column = fb_model_find_output(model, def->output);
    owned->damping.output = fb_model_get_output_name(model, column);
    owned->damping.unit = fb_model_get_output_unit(model, column);
    return FB_OK;
}

FbStatus fb_damping_create(const FbResult* result, const FbDampingDef* def, FbDamping** out,
                           FbError* err) {
    *out = NULL;
    def = def ? def : fb_model_get_damping(fb_result_get_model(result));
    if (!def || !def->output) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL,
                       "the model has no 'damping' and none is requested");
    }
    Owned* owned = calloc(1, sizeof *owned);
    if (!owned || !(owned->arena = fb_arena_create())) {
        free(owned);
        return fb_fail_memory(err);
    }
    FbStatus status = calc(result, def, owned, err);
    if (status < 0) {
        fb_damping_destroy(&owned->damping);
        return status;
    }
    *out = &owned->damping;
    return FB_OK;
}

void fb_damping_destroy(FbDamping* damping) {
    if (damping) {
        Owned* owned = (Owned*)damping;  // its first member
        fb_arena_destroy(owned->arena);
        free(owned);
    }
}
