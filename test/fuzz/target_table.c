// Binary tables: checksums are corrected first, because they would stop nearly all changes.
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "fuzz.h"
#include "record/bytes.h"
#include "record/fbr.h"

enum { HEADER = 24, BLOCK = 16 };

static void put(char* at, uint32_t x) {
    for (int i = 0; i < 4; i++) {
        at[i] = (char)(x >> (8 * i) & 0xffU);
    }
}

// As in src/record/result_fbr.c.
static void correct(char* d, size_t size) {
    size_t names = (size_t)fb_bytes_get_integer(d + 16, 4);
    size_t width = (size_t)fb_bytes_get_integer(d + 12, 4);
    if (names > size - HEADER) {
        return;
    }
    put(d + 20, fb_crc32(0, d + HEADER, names));
    for (size_t at = HEADER + names; size - at >= BLOCK;) {
        size_t n = (size_t)fb_bytes_get_integer(d + at + 4, 4), rest = size - at - BLOCK;
        if (width == 0 || n > rest / 8 / width) {
            return;
        }
        put(d + at + 8, fb_crc32(0, d + at + BLOCK, 8 * n * width));
        put(d + at + 12, fb_crc32(0, d + at, BLOCK - 4));
        at += BLOCK + 8 * n * width;
    }
}

void fuzz_fbr(const uint8_t* data, size_t size) {
    char* copy = malloc(size + 1);
    FbSamples table;
    FbError err;
    memcpy(copy, data, size);
    copy[size] = '\0';
    if (size >= HEADER) {
        correct(copy, size);
    }
    if (fb_fbr_is(copy, size)) {
        for (int is_part = 0; is_part < 2; is_part++) {
            if (fb_fbr_read(&table, copy, size, "fuzz.fbr", is_part != 0, &err) == FB_OK) {
                fb_samples_free(&table);
            }
        }
    }
    free(copy);
}
