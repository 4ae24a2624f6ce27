// Open addressing with linear probing over FNV-1a hashes.
#include "base/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct FbNameSlot {
    const char* name;  // NULL: free
    int index;
} FbNameSlot;

void fb_names_free(FbNames* names) {
    free(names->slots);
    *names = (FbNames){0};
}

static uint64_t hash_more(uint64_t hash, const char* text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static size_t hash_of(const char* prefix, size_t prefix_length, const char* name) {
    uint64_t hash = hash_more(UINT64_C(14695981039346656037), prefix, prefix_length);
    return (size_t)hash_more(hash, name, strlen(name));
}

static void put(FbNameSlot* slots, size_t capacity, const char* name, int index) {
    size_t at = hash_of("", 0, name) & (capacity - 1);
    while (slots[at].name) {
        at = (at + 1) & (capacity - 1);
    }
    slots[at] = (FbNameSlot){name, index};
}

static bool grow(FbNames* names) {
    size_t capacity = names->capacity ? 2 * names->capacity : 32;
    FbNameSlot* slots = calloc(capacity, sizeof *slots);
    if (!slots) {
        return false;
    }
    for (size_t i = 0; i < names->capacity; i++) {
        if (names->slots[i].name) {
            put(slots, capacity, names->slots[i].name, names->slots[i].index);
        }
    }
    free(names->slots);
    names->slots = slots;
    names->capacity = capacity;
    return true;
}

bool fb_names_add(FbNames* names, const char* name, int index) {
    if (2 * (names->count + 1) > names->capacity && !grow(names)) {
        return false;
    }
    put(names->slots, names->capacity, name, index);
    names->count++;
    return true;
}

int fb_names_find(const FbNames* names, const char* prefix, size_t prefix_length,
                  const char* name) {
    if (names->count == 0) {
        return -1;
    }
    prefix = prefix ? prefix : "";
    size_t at = hash_of(prefix, prefix_length, name) & (names->capacity - 1);
    for (; names->slots[at].name; at = (at + 1) & (names->capacity - 1)) {
        const char* full = names->slots[at].name;
        if ((prefix_length == 0 || strncmp(full, prefix, prefix_length) == 0) &&
            strcmp(full + prefix_length, name) == 0) {
            return names->slots[at].index;
        }
    }
    return -1;
}
