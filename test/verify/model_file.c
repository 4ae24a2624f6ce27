// Reads the models of tests from their files.
#include "model_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_CHANGES = 32 };

// What a test changes in a file: the pieces of `buffer`.
typedef struct Changes {
    char buffer[8000];
    FbOverride overrides[MAX_CHANGES];
    int n_overrides;
    const char *old[MAX_CHANGES], *new[MAX_CHANGES];
    int n_edits;
} Changes;

static char* trim(char* text) {
    text += strspn(text, " ");
    for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--) {
        text[n - 1] = 0;
    }
    return text;
}

static void add_change(Changes* c, char* item) {
    static const char arrow[] = " =>";
    char* at = strstr(item, arrow);
    assert_true(c->n_edits < MAX_CHANGES && c->n_overrides < MAX_CHANGES);
    if (at) {
        *at = 0;
        c->old[c->n_edits] = trim(item);
        c->new[c->n_edits++] = trim(at + sizeof arrow - 1);
        return;
    }
    at = strchr(item, '=');
    assert_non_null(at);
    *at = 0;
    c->overrides[c->n_overrides++] = (FbOverride){trim(item), trim(at + 1)};
}

static void parse(Changes* c, const char* changes, va_list list) {
    c->n_overrides = c->n_edits = 0;
    int length = vsnprintf(c->buffer, sizeof c->buffer, changes, list);
    assert_true(length >= 0 && length < (int)sizeof c->buffer);
    for (char *item = c->buffer, *next; item; item = next) {
        next = strchr(item, ';');
        if (next) {
            *next++ = 0;
        }
        if (*trim(item)) {
            add_change(c, trim(item));
        }
    }
}

char* test_text_of_file(const char* path) {
    FILE* file = fopen(path, "rb");
    if (!file) {
        fail_msg("cannot open '%s'; tests run in the source folder", path);
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    char* text = malloc((size_t)size + 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
    text[size] = 0;
    fclose(file);
    return text;
}

static int count_of(const char* text, const char* piece) {
    int n = 0;
    for (const char* at = strstr(text, piece); at; at = strstr(at + strlen(piece), piece)) {
        n++;
    }
    return n;
}

// Frees `text`.
static char* replace(char* text, const char* path, const char* old, const char* new) {
    int n = count_of(text, old);
    if (n == 0) {
        fail_msg("%s does not contain '%s', which was to become '%s'", path, old, new);
    }
    char *out = malloc(strlen(text) + (size_t)n * strlen(new) + 1), *to = out;
    assert_non_null(out);
    const char *from = text, *at;
    while ((at = strstr(from, old))) {
        memcpy(to, from, (size_t)(at - from));
        to += at - from;
        memcpy(to, new, strlen(new));
        to += strlen(new);
        from = at + strlen(old);
    }
    strcpy(to, from);
    free(text);
    return out;
}

static char* changed_text(const char* path, const Changes* c) {
    char* text = test_text_of_file(path);
    for (int i = 0; i < c->n_edits; i++) {
        text = replace(text, path, c->old[i], c->new[i]);
    }
    return text;
}

char* test_text_with(const char* path, const char* changes, ...) {
    Changes c;
    va_list list;
    va_start(list, changes);
    parse(&c, changes, list);
    va_end(list);
    assert_int_equal(c.n_overrides, 0);
    return changed_text(path, &c);
}

static void finish(FbDiagnostics* diagnostics, const void* made) {
    for (int i = 0; !made && i < fb_diagnostics_count(diagnostics); i++) {
        char text[1024];
        fb_diagnostic_format(fb_diagnostics_get(diagnostics, i), text, sizeof(text));
        print_message("%s\n", text);
    }
    fb_diagnostics_destroy(diagnostics);
    assert_non_null(made);
}

static FbModelDef* read_def(const char* text, const char* path, const FbReadOptions* options) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModelDef* def = NULL;
    fb_model_def_read_text(text, strlen(text), path, options, &def, diagnostics);
    finish(diagnostics, def);
    return def;
}

FbModelDef* test_def_from_text(const char* text) {
    return read_def(text, "test.yaml", NULL);
}

FbModelDef* test_def_with_list(const char* path, const char* changes, va_list list) {
    Changes c;
    parse(&c, changes, list);
    FbReadOptions options = {.overrides = c.overrides, .n_overrides = c.n_overrides};
    char* text = changed_text(path, &c);
    FbModelDef* def = read_def(text, path, &options);
    free(text);
    return def;
}

FbModelDef* test_def_with(const char* path, const char* changes, ...) {
    va_list list;
    va_start(list, changes);
    FbModelDef* def = test_def_with_list(path, changes, list);
    va_end(list);
    return def;
}

FbModelDef* test_def_from_file(const char* path) {
    return test_def_with(path, "%s", "");
}

FbModel* test_model_from_def(const FbModelDef* def) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModel* model = NULL;
    fb_model_create(def, &model, diagnostics);
    finish(diagnostics, model);
    return model;
}

static FbModel* compile(FbModelDef* def) {
    FbModel* model = test_model_from_def(def);
    fb_model_def_destroy(def);
    return model;
}

FbModel* test_model_from_text(const char* text) {
    return compile(test_def_from_text(text));
}

FbModel* test_model_from_file(const char* path) {
    return compile(test_def_from_file(path));
}

FbModel* test_model_with(const char* path, const char* changes, ...) {
    va_list list;
    va_start(list, changes);
    FbModelDef* def = test_def_with_list(path, changes, list);
    va_end(list);
    return compile(def);
}
