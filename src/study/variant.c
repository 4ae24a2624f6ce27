// The model of a study at other values of its parameters: overrides, reading, compiling.
#include "study/variant.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "compile/type_set.h"

// The first error of the reader or compiler.
static void write_diagnosis(const FbDiagnostics* diagnostics, char* message, size_t size) {
    snprintf(message, size, "out of memory");
    for (int i = 0; i < fb_diagnostics_count(diagnostics); i++) {
        const FbDiagnostic* d = fb_diagnostics_get(diagnostics, i);
        if (d->severity == FB_SEVERE) {
            fb_diagnostic_format(d, message, size);
            return;
        }
    }
}

// The study's fixed overrides, then the parameters.
static FbOverride* make_overrides(const FbStudy* s, const double* parameters, char (*numbers)[32]) {
    FbOverride* all = calloc((size_t)s->n_overrides + (size_t)s->n_parameters + 1, sizeof *all);
    for (int i = 0; all && i < s->n_overrides; i++) {
        all[i] = s->overrides[i];
    }
    for (int i = 0; all && i < s->n_parameters; i++) {
        fb_format_double(parameters[i], numbers[i]);
        all[s->n_overrides + i] = (FbOverride){s->parameters[i].name, numbers[i]};
    }
    return all;
}

static FbStatus read_with(const FbStudy* s, const FbOverride* overrides, FbModel** model,
                          char* message, size_t size) {
    FbReadOptions options = {.overrides = overrides,
                             .n_overrides = s->n_overrides + s->n_parameters};
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModelDef* def = NULL;
    if (!diagnostics) {
        return FB_ERR_MEMORY;
    }
    FbStatus status = fb_read_parsed(&s->parsed, &options, fb_types(), &def, diagnostics);
    if (status == FB_OK) {
        status = fb_model_create(def, model, diagnostics);
    }
    if (status < 0) {
        write_diagnosis(diagnostics, message, size);
    }
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(diagnostics);
    return status;
}

FbStatus fb_variant_create(const FbStudy* s, const double* parameters, FbModel** out, char* message,
                           size_t size) {
    *out = NULL;
    snprintf(message, size, "out of memory");
    char(*numbers)[32] = calloc((size_t)s->n_parameters + 1, sizeof *numbers);
    FbOverride* overrides = numbers ? make_overrides(s, parameters, numbers) : NULL;
    FbStatus status = overrides ? read_with(s, overrides, out, message, size) : FB_ERR_MEMORY;
    free(overrides);
    free(numbers);
    return status;
}
