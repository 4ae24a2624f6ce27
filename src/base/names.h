// A hash table from names to indices, so that models with thousands of parts are read in linear
// time.
#ifndef FLYBALL_BASE_NAMES_H
#define FLYBALL_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct FbNames {
    struct FbNameSlot* slots;  // capacity is a power of two; NULL while empty
    size_t capacity, count;
} FbNames;

void fb_names_free(FbNames* names);

// Remembers `name` (which must stay valid) for `index`; a name is added once. false: out of memory.
bool fb_names_add(FbNames* names, const char* name, int index);

// The index of the name made of the first `prefix_length` characters of `prefix` and of `name`; -1:
// none.
int fb_names_find(const FbNames* names, const char* prefix, size_t prefix_length, const char* name);

#endif
