// A JSON document that is written to a file piece by piece: escapes for HTML, base64.
#include "view/stream.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH_ABOVE = 1 << 16 };  // bytes

FbStatus fb_stream_open(FbStream* s, const char* path, FbError* err) {
    *s = (FbStream){0};
    fb_text_init(&s->text);
    fb_json_init(&s->json, &s->text, false);
    return fb_new_file_open(&s->out, path, err);
}

FbStatus fb_stream_open_memory(FbStream* s, char** text, size_t* size, FbError* err) {
    *s = (FbStream){0};
    fb_text_init(&s->text);
    fb_json_init(&s->json, &s->text, false);
    s->out.file = open_memstream(text, size);
    return s->out.file ? FB_OK : fb_fail_memory(err);
}

FbStatus fb_stream_close_memory(FbStream* s, FbError* err) {
    fb_stream_flush_all(s);
    bool has_failed = s->text.has_failed || s->write_error != 0;
    has_failed = fclose(s->out.file) != 0 || has_failed;
    fb_text_free(&s->text);
    *s = (FbStream){0};
    return has_failed ? fb_fail_memory(err) : FB_OK;
}

void fb_stream_raw(FbStream* s, const char* bytes, size_t size) {
    if (s->write_error == 0 && fwrite(bytes, 1, size, s->out.file) != size) {
        s->write_error = errno != 0 ? errno : EIO;
    }
}

// Length of the character at p if it is not allowed in a script element; 0: allowed.
static size_t find_escape(const char* p, size_t left, const char** escape) {
    switch (*p) {
        case '<':
            *escape = "\\u003c";
            return 1;
        case '>':
            *escape = "\\u003e";
            return 1;
        case '&':
            *escape = "\\u0026";
            return 1;
        case '\xe2':
            if (left >= 3 && p[1] == '\x80' && (p[2] == '\xa8' || p[2] == '\xa9')) {
                *escape = p[2] == '\xa8' ? "\\u2028" : "\\u2029";
                return 3;
            }
    }
    return 0;
}

void fb_stream_json_text(FbStream* s, const char* text, size_t size) {
    size_t done = 0;
    for (size_t i = 0; i < size;) {
        const char* escape;
        size_t length = find_escape(text + i, size - i, &escape);
        if (length == 0) {
            i++;
            continue;
        }
        fb_stream_raw(s, text + done, i - done);
        fb_stream_raw(s, escape, 6);
        i += length;
        done = i;
    }
    fb_stream_raw(s, text + done, size - done);
}

void fb_stream_flush_all(FbStream* s) {
    if (!s->text.has_failed && s->text.length > 0) {
        fb_stream_json_text(s, s->text.data, s->text.length);
        s->text.length = 0;
    }
}

void fb_stream_flush(FbStream* s) {
    if (s->text.length > FLUSH_ABOVE) {
        fb_stream_flush_all(s);
    }
}

FbStatus fb_stream_close(FbStream* s, FbStatus status, FbError* err) {
    if (s->out.file == NULL) {
        return status;
    }
    fb_stream_flush_all(s);
    if (status >= 0 && s->text.has_failed) {
        status = fb_fail_memory(err);
    }
    fb_text_free(&s->text);
    status = fb_new_file_close(&s->out, status, s->write_error, err);
    *s = (FbStream){0};
    return status;
}

// The bytes of the numbers from `first` on, at most `room` of them.
static size_t encode(FbGetNumber get, const void* self, int first, int count, FbNumberKind kind,
                     unsigned char* out) {
    static const size_t widths[] = {8, 4, 2};
    size_t width = widths[kind];
    for (int i = 0; i < count; i++) {
        double value = get(self, first + i);
        uint64_t bits = 0;
        if (kind == FB_NUMBER_I16) {
            bits = (uint64_t)(int64_t)lround(fmax(-INT16_MAX, fmin(INT16_MAX, value)));
        } else if (kind == FB_NUMBER_F32) {
            float narrow = (float)value;
            uint32_t narrow_bits;
            memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
            bits = narrow_bits;
        } else {
            memcpy(&bits, &value, sizeof bits);
        }
        for (size_t b = 0; b < width; b++) {
            *out++ = (unsigned char)(bits >> (8 * b));
        }
    }
    return width * (size_t)count;
}

static void add_base64(FbText* text, const unsigned char* bytes, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= i + 2 < n ? (uint32_t)bytes[i + 2] : 0;
        char out[4] = {digits[group >> 18], digits[group >> 12 & 63],
                       i + 1 < n ? digits[group >> 6 & 63] : '=',
                       i + 2 < n ? digits[group & 63] : '='};
        fb_text_add_n(text, out, 4);
    }
}

void fb_stream_array(FbStream* s, const char* key, int n, FbGetNumber get, const void* self,
                     FbNumberKind kind) {
    static const char* const names[] = {"f64", "f32", "i16"};
    enum { CHUNK = 3 * 256 };  // numbers; whole groups of three bytes need no padding inside
    unsigned char bytes[8 * CHUNK];
    if (key != NULL) {
        fb_json_key(&s->json, key);
    }
    fb_json_begin_object(&s->json);
    fb_json_key(&s->json, names[kind]);
    fb_json_string(&s->json, "");
    if (!s->text.has_failed) {
        s->text.length--;  // the quote comes after the digits
    }
    for (int first = 0; first < n; first += CHUNK) {
        int count = n - first < CHUNK ? n - first : CHUNK;
        add_base64(&s->text, bytes, encode(get, self, first, count, kind, bytes));
        fb_stream_flush(s);
    }
    fb_text_add(&s->text, "\"");
    fb_json_end_object(&s->json);
    fb_stream_flush(s);
}

void fb_stream_vector(FbStream* s, const char* key, const double* v, int n) {
    if (key != NULL) {
        fb_json_key(&s->json, key);
    }
    fb_json_begin_array(&s->json);
    for (int i = 0; i < n; i++) {
        fb_json_number(&s->json, v[i]);
    }
    fb_json_end_array(&s->json);
}
