// Memory that is taken in many small pieces and freed at once: a list of chunks, filled from the
// front, zeroed.
#include "base/arena.h"

#include <limits.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Large chunks come from the system as zeros; of small ones only what is taken is cleared.
enum { SMALL_CHUNK = 256, FIRST_CHUNK = 4096, LARGE_CHUNK = 1 << 17, LARGEST_CHUNK = 1 << 20 };

typedef struct Chunk {
    struct Chunk* next;
    size_t used, size;
    bool is_zeroed;
    alignas(max_align_t) unsigned char data[];
} Chunk;

struct FbArena {
    Chunk* chunks;  // the newest first
    size_t next_size;
    bool has_failed;
};

static FbArena* create(size_t first) {
    FbArena* arena = calloc(1, sizeof *arena);
    if (arena) {
        arena->next_size = first;
    }
    return arena;
}

FbArena* fb_arena_create(void) {
    return create(FIRST_CHUNK);
}

FbArena* fb_arena_create_small(void) {
    return create(SMALL_CHUNK);
}

void fb_arena_destroy(FbArena* arena) {
    if (!arena) {
        return;
    }
    for (Chunk* c = arena->chunks; c;) {
        Chunk* next = c->next;
        free(c);
        c = next;
    }
    free(arena);
}

static Chunk* add_chunk(FbArena* arena, size_t size) {
    size_t room = size > arena->next_size ? size : arena->next_size;
    bool is_large = room >= LARGE_CHUNK;
    Chunk* c = is_large ? calloc(1, sizeof *c + room) : malloc(sizeof *c + room);
    if (!c) {
        return NULL;
    }
    c->is_zeroed = is_large;
    c->used = 0;
    c->size = room;
    c->next = arena->chunks;
    arena->chunks = c;
    if (arena->next_size < LARGEST_CHUNK) {
        arena->next_size *= 2;
    }
    return c;
}

void* fb_arena_take(FbArena* arena, size_t size) {
    const size_t unit = alignof(max_align_t);
    // A negative count in FB_TAKE arrives here as a huge size.
    if (arena->has_failed || size > SIZE_MAX / 4) {
        arena->has_failed = true;
        return NULL;
    }
    size_t padded = (size + unit - 1) / unit * unit;
    if (padded == 0) {
        padded = unit;
    }
    Chunk* c = arena->chunks;
    if (!c || c->size - c->used < padded) {
        c = add_chunk(arena, padded);
    }
    if (!c) {
        arena->has_failed = true;
        return NULL;
    }
    void* memory = c->data + c->used;
    c->used += padded;
    if (!c->is_zeroed) {
        memset(memory, 0, padded);
    }
    return memory;
}

char* fb_arena_text(FbArena* arena, const char* text) {
    return text ? fb_arena_text_n(arena, text, strlen(text)) : NULL;
}

char* fb_arena_text_n(FbArena* arena, const char* text, size_t length) {
    char* copy = fb_arena_take(arena, length + 1);
    if (copy && length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

char* fb_arena_join(FbArena* arena, const char* a, const char* b) {
    size_t n = strlen(a), m = strlen(b);
    char* text = fb_arena_take(arena, n + m + 1);
    if (text) {
        memcpy(text, a, n);          // NOLINT(bugprone-not-null-terminated-result): continued
        memcpy(text + n, b, m + 1);  // with its end
    }
    return text;
}

char* fb_arena_item(FbArena* arena, const char* key, int i) {
    if (i < 0 || i > 9) {
        return fb_arena_format(arena, "%s[%d]", key, i);
    }
    char index[] = {'[', (char)('0' + i), ']', '\0'};
    return fb_arena_join(arena, key, index);
}

char* fb_arena_format(FbArena* arena, const char* format, ...) {
    char first[256];  // formatted once where it fits
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(first, sizeof first, format, args);
    va_end(args);
    char* text = length >= 0 ? fb_arena_take(arena, (size_t)length + 1) : NULL;
    if (!text) {
        arena->has_failed = true;
    } else if ((size_t)length < sizeof first) {
        memcpy(text, first, (size_t)length);
    } else {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    return text;
}

bool fb_arena_has_failed(const FbArena* arena) {
    return arena->has_failed;
}

bool fb_grow(void** items, int* capacity, int count, size_t item_size) {
    if (count < *capacity) {
        return true;
    }
    if (count > INT_MAX / 2 - 8) {
        return false;
    }
    int wanted = 2 * count + 8;
    if ((size_t)wanted > SIZE_MAX / 2 / item_size) {
        return false;
    }
    void* larger = realloc(*items, (size_t)wanted * item_size);
    if (!larger) {
        return false;
    }
    *items = larger;
    *capacity = wanted;
    return true;
}
