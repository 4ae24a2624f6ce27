// Fills and formats single errors.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

// Copies as much of `text` as fits; source and target may overlap.
static void copy_text(char* out, size_t size, const char* text) {
    size_t n = strlen(text);
    if (n >= size) {
        n = size - 1;
    }
    memmove(out, text, n);
    out[n] = '\0';
}

static void set_place(FbError* err, const FbPlace* place) {
    FbPlace known = place ? *place : (FbPlace){0};
    copy_text(err->file, sizeof err->file, known.file ? known.file : "");
    err->place = known;
    err->place.file = err->file[0] ? err->file : NULL;
}

FbStatus fb_fail(FbError* err, FbStatus status, const FbPlace* place, const char* format, ...) {
    if (!err) {
        return status;
    }
    // The arguments may point into *err (a message that quotes an earlier one), so format beside it
    // first.
    char text[FB_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    set_place(err, place);
    fb_escape(text, err->text, sizeof err->text);
    err->status = status;
    return status;
}

void fb_error_clear(FbError* err) {
    if (err) {
        memset(err, 0, sizeof *err);
    }
}

const char* fb_status_text(FbStatus status) {
    switch (status) {
        case FB_OK:
            return "ok";
        case FB_RETRY:
            return "retry with a smaller step";
        case FB_STOPPED:
            return "stopped";
        case FB_ERR_MEMORY:
            return "out of memory";
        case FB_ERR_IO:
            return "file error";
        case FB_ERR_SYNTAX:
            return "syntax error";
        case FB_ERR_NAME:
            return "unknown or duplicate name";
        case FB_ERR_UNIT:
            return "wrong unit";
        case FB_ERR_RANGE:
            return "out of range";
        case FB_ERR_MODEL:
            return "invalid model";
        case FB_ERR_ASSEMBLY:
            return "loops cannot be closed";
        case FB_ERR_SINGULAR:
            return "singular matrix";
        case FB_ERR_CONVERGENCE:
            return "no convergence";
        case FB_ERR_ARGUMENT:
            return "wrong argument";
        case FB_ERR_UNAVAILABLE:
            return "not available in this build";
        case FB_ERR_ACCURACY:
            return "accuracy limit exceeded";
    }
    return "unknown status";
}

// "FILE:LINE:COL: " without the parts that are unknown.
static void format_place(const char* path, int line, int col, char* out, size_t size) {
    char file[4096];
    fb_escape(path ? path : "", file, sizeof file);
    char position[32] = "";
    if (line > 0 && col > 0) {
        snprintf(position, sizeof position, "%d:%d:", line, col);
    } else if (line > 0) {
        snprintf(position, sizeof position, "%d:", line);
    }
    bool has_file = file[0] != '\0';
    bool has_position = position[0] != '\0';
    snprintf(out, size, "%s%s%s%s%s", has_file ? file : "", has_file ? ":" : "",
             has_position && !has_file ? "line " : "", position,
             has_file || has_position ? " " : "");
}

int fb_error_format(const FbError* err, char* out, size_t size) {
    char place[sizeof err->file + 48];
    format_place(err->file, err->place.line, err->place.col, place, sizeof place);
    const char* text = err->text[0] ? err->text : fb_status_text(err->status);
    return snprintf(out, size, "%serror: %s", place, text);
}

int fb_diagnostic_format(const FbDiagnostic* d, char* out, size_t size) {
    static const char* const severities[] = {"note", "warning", "error"};
    char place[4096 + 48];
    format_place(d->place.file, d->place.line, d->place.col, place, sizeof place);
    return snprintf(out, size, "%s%s: %s", place, severities[d->severity], d->text);
}
