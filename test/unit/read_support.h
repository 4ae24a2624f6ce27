// Reads a model file with the few types of model_types.h; include it after cmocka's header.
#ifndef FLYBALL_TEST_READ_SUPPORT_H
#define FLYBALL_TEST_READ_SUPPORT_H

#include <stdlib.h>

#include "base/error.h"
#include "describe/def.h"
#include "model_types.h"
#include "read/read.h"

// Fails the test unless the file is read with that many warnings. `options` may be NULL.
static inline FbModelDef* test_read_with(const char* path, const FbReadOptions* options,
                                         int n_warnings) {
    FbTypeSet types = test_types();
    FbDiagnostics* list = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbError err;
    char* text = NULL;
    size_t size = 0;
    assert_int_equal(fb_read_file(path, &text, &size, &err), FB_OK);
    FbStatus status = fb_read_model(text, size, path, options, &types, &def, list);
    for (int i = 0; i < fb_diagnostics_count(list); i++) {
        char line[512];
        fb_diagnostic_format(fb_diagnostics_get(list, i), line, sizeof line);
        print_message("%s\n", line);
    }
    assert_int_equal(status, FB_OK);
    assert_int_equal(fb_diagnostics_count(list), n_warnings);
    fb_diagnostics_destroy(list);
    free(text);
    return def;
}

static inline FbModelDef* test_read_file(const char* path) {
    return test_read_with(path, NULL, 0);
}

#endif
