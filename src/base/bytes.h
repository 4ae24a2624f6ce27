// Sequences of bytes, for keys that are compared as a whole.
#ifndef FLYBALL_BASE_BYTES_H
#define FLYBALL_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct FbBytes {
    unsigned char* data;  // heap, of the owner: free()
    size_t n, capacity;
    bool has_failed;  // out of memory: it is not complete
} FbBytes;

void fb_bytes_add(FbBytes* b, const void* data, size_t n);
// With its end, so that what follows begins at a place of its own; NULL is "".
void fb_bytes_add_text(FbBytes* b, const char* text);
bool fb_bytes_are_equal(const FbBytes* a, const FbBytes* b);

#endif
