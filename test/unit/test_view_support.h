// Reading back what reports hold.
#ifndef TEST_VIEW_SUPPORT_H
#define TEST_VIEW_SUPPORT_H

#include <string.h>

// The bytes of the first array after `start`; how many there are.
static inline size_t read_array(const char* data, const char* start, void* out, size_t room) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char* at = strstr(data, start);
    assert_non_null(at);
    unsigned char* bytes = out;
    size_t n = 0;
    unsigned bits = 0, count = 0;
    for (at += strlen(start); *at != '"' && *at != '='; at++) {
        bits = bits << 6 | (unsigned)(strchr(digits, *at) - digits);
        count += 6;
        if (count >= 8 && n < room) {
            count -= 8;
            bytes[n++] = (unsigned char)(bits >> count);
        }
    }
    return n;
}

#endif
