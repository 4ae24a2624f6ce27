// Writes JSON: keeps commas, indentation and escapes; what it writes is always well-formed UTF-8.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

enum { MAX_DEPTH = sizeof(((FbJson*)0)->is_first) / sizeof(bool) };

void fb_json_init(FbJson* json, FbText* text, bool is_pretty) {
    *json = (FbJson){.text = text, .is_pretty = is_pretty};
    json->is_first[0] = true;
}

static void new_line(FbJson* json) {
    fb_text_add(json->text, "\n");
    for (int i = 0; i < json->depth; i++) {
        fb_text_add(json->text, "  ");
    }
}

// Lists of plain values stay on one line; keys and nested containers start a new one.
static void separate(FbJson* json, bool starts_line) {
    if (json->is_after_key) {
        json->is_after_key = false;
        return;
    }
    bool is_first = json->is_first[json->depth];
    json->is_first[json->depth] = false;
    if (json->depth == 0) {
        return;
    }
    if (!is_first) {
        fb_text_add(json->text, ",");
    }
    if (json->is_pretty && starts_line) {
        new_line(json);
    } else if (json->is_pretty && !is_first) {
        fb_text_add(json->text, " ");
    }
}

static void open(FbJson* json, const char* bracket) {
    separate(json, true);
    fb_text_add(json->text, bracket);
    if (json->depth + 1 >= MAX_DEPTH) {
        json->text->has_failed = true;
        return;
    }
    json->is_first[++json->depth] = true;
}

static char last_char(const FbText* text) {
    return text->length > 0 ? text->data[text->length - 1] : '\0';
}

static void close(FbJson* json, const char* bracket, bool is_object) {
    bool is_empty = json->is_first[json->depth];
    if (json->depth > 0) {
        json->depth--;
    }
    char last = last_char(json->text);
    bool ends_line = is_object || last == '}' || last == ']';
    if (json->is_pretty && !is_empty && ends_line) {
        new_line(json);
    }
    fb_text_add(json->text, bracket);
}

void fb_json_begin_object(FbJson* json) {
    open(json, "{");
}

void fb_json_end_object(FbJson* json) {
    close(json, "}", true);
}

void fb_json_begin_array(FbJson* json) {
    open(json, "[");
}

void fb_json_end_array(FbJson* json) {
    close(json, "]", false);
}

static size_t add_escaped(FbText* text, const char* s) {
    static const char special[] = "\"\\\n\r\t\b\f";
    static const char letters[] = "\"\\nrtbf";
    const char* found = strchr(special, *s);
    size_t n = fb_utf8_length(s, strnlen(s, 4));
    if (found) {
        fb_text_addf(text, "\\%c", letters[found - special]);
    } else if ((unsigned char)*s < 0x20) {
        fb_text_addf(text, "\\u%04x", (unsigned)(unsigned char)*s);
    } else if (n == 0) {
        fb_text_add(text, "\xef\xbf\xbd");  // the replacement character
    } else {
        fb_text_add_n(text, s, n);
    }
    return n ? n : 1;
}

static void add_string(FbText* text, const char* s) {
    fb_text_add(text, "\"");
    while (*s) {
        s += add_escaped(text, s);
    }
    fb_text_add(text, "\"");
}

void fb_json_key(FbJson* json, const char* key) {
    separate(json, true);
    add_string(json->text, key);
    fb_text_add(json->text, json->is_pretty ? ": " : ":");
    json->is_after_key = true;
}

void fb_json_string(FbJson* json, const char* value) {
    if (!value) {
        fb_json_null(json);
        return;
    }
    separate(json, false);
    add_string(json->text, value);
}

void fb_json_number(FbJson* json, double value) {
    if (!isfinite(value)) {
        fb_json_null(json);
        return;
    }
    char number[32];
    fb_format_double(value, number);
    separate(json, false);
    fb_text_add(json->text, number);
}

void fb_json_integer(FbJson* json, long long value) {
    separate(json, false);
    fb_text_addf(json->text, "%lld", value);
}

void fb_json_bool(FbJson* json, bool value) {
    separate(json, false);
    fb_text_add(json->text, value ? "true" : "false");
}

void fb_json_null(FbJson* json) {
    separate(json, false);
    fb_text_add(json->text, "null");
}
