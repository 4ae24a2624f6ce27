// A growable text buffer, a JSON writer on top of it, and "did you mean".
#ifndef FLYBALL_BASE_TEXT_H
#define FLYBALL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct FbText {
    char* data;  // always terminated once something was added; NULL while empty
    size_t length, capacity;
    bool has_failed;  // out of memory: later additions are ignored
} FbText;

void fb_text_init(FbText* text);
void fb_text_free(FbText* text);
void fb_text_add(FbText* text, const char* s);
void fb_text_add_n(FbText* text, const char* s, size_t n);
void fb_text_addf(FbText* text, const char* format, ...) __attribute__((format(printf, 2, 3)));
// A blank and a word of a shell command: quoted unless it consists of harmless characters.
void fb_text_add_word(FbText* text, const char* word);
// Takes over the buffer ("" if empty); the caller frees it; NULL if memory ran out.
char* fb_text_steal(FbText* text);

// JSON: commas and indentation are kept by the writer; numbers with 17 significant digits; NaN and
// infinity become null.
typedef struct FbJson {
    FbText* text;
    int depth;
    bool is_first[32];
    bool is_after_key;
    bool is_pretty;
} FbJson;

void fb_json_init(FbJson* json, FbText* text, bool is_pretty);
void fb_json_begin_object(FbJson* json);
void fb_json_end_object(FbJson* json);
void fb_json_begin_array(FbJson* json);
void fb_json_end_array(FbJson* json);
void fb_json_key(FbJson* json, const char* key);
void fb_json_string(FbJson* json, const char* value);  // NULL writes null
void fb_json_number(FbJson* json, double value);
void fb_json_integer(FbJson* json, long long value);
void fb_json_bool(FbJson* json, bool value);
void fb_json_null(FbJson* json);

// The shortest text of 17 significant digits or fewer that reads back as exactly `value`; its
// length.
size_t fb_format_double(double value, char out[32]);

// Reads the n characters at s, all of them, as a number with a decimal point, whatever the locale.
bool fb_parse_double(const char* s, size_t n, double* out);

// The length of the UTF-8 character at `text`, which has n bytes; 0 if there is none: overlong, a
// surrogate, cut short.
size_t fb_utf8_length(const char* text, size_t n);

// The length of the character at `text` if it may be shown as it is; 0 for control characters,
// which a terminal would obey, characters that are invisible or change the direction of writing,
// and bytes that are not UTF-8.
size_t fb_shown_length(const char* text);

// Copies `text` in printable form: the bytes of characters that may not be shown become \xNN. Cut
// off where it does not fit. `out` must not overlap `text`.
void fb_escape(const char* text, char* out, size_t size);

// Is `name` that of a part of `whole`: "whole.something"?
static inline bool fb_is_part_of(const char* name, const char* whole) {
    size_t n = strlen(whole);
    return strncmp(name, whole, n) == 0 && name[n] == '.';
}

// The closest of `names` to `word` by edit distance, or NULL where none is close enough to suggest.
const char* fb_did_you_mean(const char* word, const char* const* names, int n_names);

#endif
