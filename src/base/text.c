// A growable text buffer, and numbers to and from text independently of the locale.
#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fb_text_init(FbText* text) {
    *text = (FbText){0};
}

void fb_text_free(FbText* text) {
    free(text->data);
    fb_text_init(text);
}

// Makes room for n more characters and the terminator.
static bool reserve(FbText* text, size_t n) {
    if (text->has_failed || n > SIZE_MAX / 4 - text->length) {
        text->has_failed = true;
        return false;
    }
    size_t wanted = text->length + n + 1;
    if (wanted <= text->capacity) {
        return true;
    }
    size_t capacity = wanted < 64 ? 64 : 2 * wanted;
    char* data = realloc(text->data, capacity);
    if (!data) {
        text->has_failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void fb_text_add_n(FbText* text, const char* s, size_t n) {
    if (reserve(text, n)) {
        if (n > 0) {
            memcpy(text->data + text->length, s, n);
        }
        text->length += n;
        text->data[text->length] = '\0';
    }
}

void fb_text_add(FbText* text, const char* s) {
    fb_text_add_n(text, s, strlen(s));
}

void fb_text_addf(FbText* text, const char* format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) {
        text->has_failed = true;
    } else if (reserve(text, (size_t)n)) {
        vsnprintf(text->data + text->length, (size_t)n + 1, format, again);
        text->length += (size_t)n;
    }
    va_end(again);
}

char* fb_text_steal(FbText* text) {
    fb_text_add_n(text, "", 0);
    char* data = text->data;
    if (text->has_failed) {
        free(data);
        data = NULL;
    }
    fb_text_init(text);
    return data;
}

bool fb_parse_double(const char* s, size_t n, double* out) {
    char copy[512];
    if (n == 0 || n >= sizeof copy) {
        return false;
    }
    memcpy(copy, s, n);
    copy[n] = '\0';
    char* end;
    *out = strtod(copy, &end);
    if (*end == '.') {
        *end = ',';
        *out = strtod(copy, &end);
    }
    return end == copy + n;
}

void fb_text_add_word(FbText* out, const char* word) {
    static const char harmless[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./=:,";
    fb_text_add(out, " ");
    if (word[0] && strspn(word, harmless) == strlen(word)) {
        fb_text_add(out, word);
        return;
    }
    fb_text_add(out, "'");
    for (const char* c = word; *c; c++) {
        if (*c == '\'') {
            fb_text_add(out, "'\\''");
        } else {
            fb_text_add_n(out, c, 1);
        }
    }
    fb_text_add(out, "'");
}
