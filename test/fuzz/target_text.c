// Readers of texts in memory.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/expr.h"
#include "flyball/flyball.h"
#include "fuzz.h"
#include "record/csv.h"

void fuzz_model(const uint8_t* data, size_t size) {
    FbDiagnostics* d = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    if (fb_model_def_read_text((const char*)data, size, "fuzz.yaml", NULL, &def, d) == FB_OK) {
        fb_model_create(def, &model, d);
    }
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(d);
}

static char* as_text(const uint8_t* data, size_t size) {
    char* text = malloc(size + 1);
    if (text) {
        memcpy(text, data, size);
        text[size] = '\0';
    }
    return text;
}

// Four inputs; every other name is unknown.
static int resolve(void* self, const char* name, FbNumber* found) {
    (void)self;
    (void)found;
    return name[0] >= 'a' && name[0] <= 'd' && name[1] == '\0' ? name[0] - 'a' : FB_NAME_UNKNOWN;
}

void fuzz_expression(const uint8_t* data, size_t size) {
    char* text = as_text(data, size);
    FbArena* arena = fb_arena_create();
    FbExpr* expr = NULL;
    FbError err;
    double values[4] = {0.5, -1.5, 2.0, 1e3}, gradient[4];
    if (fb_expr_compile(text, resolve, NULL, NULL, arena, &expr, &err) == FB_OK) {
        double* scratch = calloc((size_t)fb_expr_scratch(expr) + 1, sizeof(double));
        fb_expr_gradient(expr, values, scratch, gradient);
        free(scratch);
    }
    fb_arena_destroy(arena);
    free(text);
}

void fuzz_csv(const uint8_t* data, size_t size) {
    char* text = as_text(data, size);
    FbSamples table;
    FbError err;
    if (fb_samples_read_csv_text(&table, text, "fuzz.csv", &err) == FB_OK) {
        fb_samples_free(&table);
    }
    free(text);
}
