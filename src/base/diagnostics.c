// A list of messages in the order they were found; it owns their texts and file names.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

struct FbDiagnostics {
    FbArena* arena;
    FbDiagnostic* items;
    int count, capacity;
    int n_errors;
    FbStatus first_error;
    const char* last_file;  // most messages are about one file: its name is stored once
    bool has_lost;          // a message could not be stored
};

FbDiagnostics* fb_diagnostics_create(void) {
    FbDiagnostics* list = calloc(1, sizeof *list);
    if (!list) {
        return NULL;
    }
    list->arena = fb_arena_create();
    if (!list->arena) {
        free(list);
        return NULL;
    }
    return list;
}

void fb_diagnostics_destroy(FbDiagnostics* list) {
    if (list) {
        fb_arena_destroy(list->arena);
        free(list->items);
        free(list);
    }
}

int fb_diagnostics_count(const FbDiagnostics* list) {
    return list->count;
}

int fb_diagnostics_error_count(const FbDiagnostics* list) {
    return list->n_errors;
}

const FbDiagnostic* fb_diagnostics_get(const FbDiagnostics* list, int index) {
    return index >= 0 && index < list->count ? &list->items[index] : NULL;
}

static const char* own_file(FbDiagnostics* list, const char* file) {
    if (!file || !file[0]) {
        return NULL;
    }
    if (!list->last_file || strcmp(list->last_file, file) != 0) {
        list->last_file = fb_arena_text(list->arena, file);
    }
    return list->last_file;
}

static void append(FbDiagnostics* list, FbSeverity severity, FbStatus status, const FbPlace* place,
                   const char* text) {
    if (severity == FB_SEVERE) {
        if (list->n_errors == 0) {
            list->first_error = status < 0 ? status : FB_ERR_MODEL;
        }
        list->n_errors++;
    }
    const char* copy = fb_arena_text(list->arena, text);
    if (!copy ||
        !fb_grow((void**)&list->items, &list->capacity, list->count, sizeof *list->items)) {
        list->has_lost = true;
        return;
    }
    FbDiagnostic* d = &list->items[list->count++];
    *d = (FbDiagnostic){.severity = severity, .status = status, .text = copy};
    if (place) {
        d->place = *place;
        d->place.file = own_file(list, place->file);
    }
}

void fb_diagnose(FbDiagnostics* list, FbSeverity severity, FbStatus status, const FbPlace* place,
                 const char* format, ...) {
    if (!list) {
        return;
    }
    char text[2 * FB_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char shown[sizeof text];
    fb_escape(text, shown, sizeof shown);
    append(list, severity, status, place, shown);
}

void fb_diagnose_error(FbDiagnostics* list, const FbError* err) {
    if (!list) {
        return;
    }
    // A copied FbError may hold a place.file that points into its original; `file` is always its
    // own.
    FbPlace place = err->place;
    place.file = err->file;
    append(list, FB_SEVERE, err->status, &place,
           err->text[0] ? err->text : fb_status_text(err->status));
}

FbStatus fb_diagnostics_status(const FbDiagnostics* list) {
    if (list->has_lost || fb_arena_has_failed(list->arena)) {
        return FB_ERR_MEMORY;
    }
    return list->first_error;
}
