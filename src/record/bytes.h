// Numbers as bytes of files: little-endian, whatever the machine.
#ifndef FLYBALL_RECORD_BYTES_H
#define FLYBALL_RECORD_BYTES_H

#include <stdint.h>
#include <string.h>

#include "base/text.h"

static inline void fb_bytes_add_integer(FbText* out, uint64_t x, int n_bytes) {
    char bytes[8];
    for (int i = 0; i < n_bytes; i++) {
        bytes[i] = (char)(x >> (8 * i) & 0xffU);
    }
    fb_text_add_n(out, bytes, (size_t)n_bytes);
}

static inline void fb_bytes_add_double(FbText* out, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    fb_bytes_add_integer(out, bits, 8);
}

static inline uint64_t fb_bytes_get_integer(const char* from, int n_bytes) {
    uint64_t x = 0;
    for (int i = 0; i < n_bytes; i++) {
        x |= (uint64_t)(unsigned char)from[i] << (8 * i);
    }
    return x;
}

static inline double fb_bytes_get_double(const char* from) {
    uint64_t bits = fb_bytes_get_integer(from, 8);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
