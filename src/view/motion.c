// The motion of a run as a separate JSON file, and the check of such a file before it goes into a
// report.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "view/report.h"

static void write_motion(FbStream* s, const FbReportSource* source) {
    fb_json_begin_object(&s->json);
    fb_drawing_write(s, source);
    fb_json_end_object(&s->json);
    fb_stream_flush_all(s);
    fb_stream_raw(s, "\n", 1);
}

FbStatus fb_motion_write(const FbReportSource* source, const char* path, FbError* err) {
    FbReportSource shown = *source;
    FbStream s;
    FbArena* arena = fb_arena_create();
    FbStatus status = arena ? fb_drawing_prepare(&shown, arena, err) : fb_fail_memory(err);
    status = status == FB_OK ? fb_stream_open(&s, path, err) : status;
    if (status == FB_OK) {
        write_motion(&s, &shown);
        status = fb_stream_close(&s, FB_OK, err);
    }
    fb_arena_destroy(arena);
    return status;
}

FbStatus fb_motion_make(const FbReportSource* source, char** text, size_t* size, FbError* err) {
    FbReportSource shown = *source;
    FbStream s;
    *text = NULL;
    FbArena* arena = fb_arena_create();
    FbStatus status = arena ? fb_drawing_prepare(&shown, arena, err) : fb_fail_memory(err);
    status = status == FB_OK ? fb_stream_open_memory(&s, text, size, err) : status;
    if (status == FB_OK) {
        write_motion(&s, &shown);
        status = fb_stream_close_memory(&s, err);
    }
    if (status < 0) {
        free(*text);
        *text = NULL;
    }
    fb_arena_destroy(arena);
    return status;
}

// A reader that only checks (RFC 8259).
typedef struct Checker {
    const char *at, *end;
} Checker;

enum { MAX_DEPTH = 16 };

static void skip_blanks(Checker* c) {
    while (c->at < c->end && strchr(" \t\r\n", *c->at) != NULL && *c->at != '\0') {
        c->at++;
    }
}

static bool take(Checker* c, char wanted) {
    skip_blanks(c);
    if (c->at < c->end && *c->at == wanted) {
        c->at++;
        return true;
    }
    return false;
}

static bool take_word(Checker* c, const char* word) {
    size_t n = strlen(word);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0) {
        return false;
    }
    c->at += n;
    return true;
}

static bool take_escape(Checker* c) {
    if (c->at == c->end) {
        return false;
    }
    char letter = *c->at++;
    if (letter != 'u') {
        return letter != '\0' && strchr("\"\\/bfnrt", letter) != NULL;
    }
    for (int i = 0; i < 4; i++, c->at++) {
        if (c->at == c->end || !isxdigit((unsigned char)*c->at)) {
            return false;
        }
    }
    return true;
}

static bool take_string(Checker* c) {
    if (!take(c, '"')) {
        return false;
    }
    while (c->at < c->end && *c->at != '"') {
        if ((unsigned char)*c->at < 0x20) {
            return false;
        }
        if (*c->at++ == '\\' && !take_escape(c)) {
            return false;
        }
    }
    return take(c, '"');
}

static bool take_digits(Checker* c) {
    const char* begin = c->at;
    while (c->at < c->end && isdigit((unsigned char)*c->at)) {
        c->at++;
    }
    return c->at > begin;
}

static bool take_number(Checker* c) {
    take_word(c, "-");
    bool is_zero = c->at < c->end && *c->at == '0';
    const char* begin = c->at;
    if (!take_digits(c) || (is_zero && c->at > begin + 1)) {
        return false;
    }
    if (take_word(c, ".") && !take_digits(c)) {
        return false;
    }
    if (take_word(c, "e") || take_word(c, "E")) {
        if (!take_word(c, "+")) {
            take_word(c, "-");
        }
        return take_digits(c);
    }
    return true;
}

static bool take_value(Checker* c, int depth);

static bool take_array(Checker* c, int depth) {
    if (take(c, ']')) {
        return true;
    }
    do {
        if (!take_value(c, depth + 1)) {
            return false;
        }
    } while (take(c, ','));
    return take(c, ']');
}

static bool is_motion_key(const char* key, size_t n) {
    static const char* const keys[] = {"gravity", "length",  "frames",   "bodies",
                                       "joints",  "springs", "bushings", "rods",
                                       "members", "sliders", "meshes",   "arrows"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strlen(keys[i]) == n && memcmp(keys[i], key, n) == 0) {
            return true;
        }
    }
    return false;
}

static bool take_object(Checker* c, int depth) {
    if (take(c, '}')) {
        return true;
    }
    do {
        skip_blanks(c);
        const char* key = c->at + 1;
        if (!take_string(c) || (depth == 0 && !is_motion_key(key, (size_t)(c->at - 1 - key))) ||
            !take(c, ':') || !take_value(c, depth + 1)) {
            return false;
        }
    } while (take(c, ','));
    return take(c, '}');
}

static bool take_value(Checker* c, int depth) {
    skip_blanks(c);
    if (c->at == c->end || depth > MAX_DEPTH) {
        return false;
    }
    if (take(c, '{')) {
        return take_object(c, depth);
    }
    if (take(c, '[')) {
        return take_array(c, depth);
    }
    if (*c->at == '"') {
        return take_string(c);
    }
    return take_word(c, "true") || take_word(c, "false") || take_word(c, "null") || take_number(c);
}

FbStatus fb_motion_check(const char* text, size_t size, const char* file_name, FbError* err) {
    Checker c = {text, text + size};
    bool is_good = take(&c, '{') && take_object(&c, 0);
    skip_blanks(&c);
    if (is_good && c.at == c.end) {
        return FB_OK;
    }
    FbPlace place = {.file = file_name};
    return fb_fail(
        err, FB_ERR_SYNTAX, &place,
        "not a motion file written by 'flyball run': unexpected byte %ld; run the model again",
        (long)(c.at - text) + 1);
}
