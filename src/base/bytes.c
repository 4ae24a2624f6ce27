// Sequences of bytes.
#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

void fb_bytes_add(FbBytes* b, const void* data, size_t n) {
    if (b->n + n > b->capacity) {
        size_t capacity = 2 * (b->n + n) + 256;
        unsigned char* larger = realloc(b->data, capacity);
        if (!larger) {
            b->has_failed = true;
            return;
        }
        b->data = larger;
        b->capacity = capacity;
    }
    if (n > 0) {
        memcpy(b->data + b->n, data, n);
        b->n += n;
    }
}

void fb_bytes_add_text(FbBytes* b, const char* text) {
    fb_bytes_add(b, text ? text : "", (text ? strlen(text) : 0) + 1);
}

bool fb_bytes_are_equal(const FbBytes* a, const FbBytes* b) {
    return a->n == b->n && (a->n == 0 || memcmp(a->data, b->data, a->n) == 0);
}
