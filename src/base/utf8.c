// UTF-8: which bytes are a character, and which characters may be shown as they are.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

size_t fb_utf8_length(const char* text, size_t n) {
    const unsigned char* s = (const unsigned char*)text;
    if (n == 0 || s[0] < 0x80) {
        return n > 0;
    }
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || length > n) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool is_overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool is_no_character = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);
    return is_overlong || is_no_character ? 0 : length;
}

static uint32_t code_point(const char* s, size_t length) {
    uint32_t code = (unsigned char)s[0] & (length == 1 ? 0x7fU : 0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        code = code << 6 | ((unsigned char)s[i] & 0x3fU);
    }
    return code;
}

// What a terminal obeys, and what changes the order of the characters around it, breaks the line
// or cannot be seen, so that a text reads as something else.
static bool is_hidden(uint32_t code) {
    static const uint32_t ranges[][2] = {{0x00, 0x1f},     {0x7f, 0x9f},      {0xad, 0xad},
                                         {0x61c, 0x61c},   {0x200b, 0x200b},  {0x200e, 0x200f},
                                         {0x2028, 0x202e}, {0x2060, 0x206f},  {0xfeff, 0xfeff},
                                         {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (code >= ranges[i][0] && code <= ranges[i][1]) {
            return true;
        }
    }
    return false;
}

size_t fb_shown_length(const char* text) {
    size_t n = fb_utf8_length(text, strnlen(text, 4));
    return n > 0 && !is_hidden(code_point(text, n)) ? n : 0;
}

void fb_escape(const char* text, char* out, size_t size) {
    size_t used = 0;
    while (size > 0 && *text) {
        size_t shown = fb_shown_length(text), needed = shown > 0 ? shown : 4;
        if (used + needed >= size) {
            break;
        }
        if (shown > 0) {
            memcpy(out + used, text, shown);
        } else {
            snprintf(out + used, size - used, "\\x%02x", (unsigned)(unsigned char)*text);
        }
        used += needed;
        text += shown > 0 ? shown : 1;
    }
    if (size > 0) {
        out[used] = '\0';
    }
}
