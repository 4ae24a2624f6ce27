// Memory: an arena that owns many small blocks and frees them together, and growable arrays.
#ifndef FLYBALL_BASE_ARENA_H
#define FLYBALL_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct FbArena FbArena;

FbArena* fb_arena_create(void);         // NULL: out of memory
FbArena* fb_arena_create_small(void);   // for a few hundred bytes: less to clear
void fb_arena_destroy(FbArena* arena);  // NULL is allowed

// Zeroed memory, aligned for any type; NULL when out of memory (then fb_arena_has_failed() stays
// true, so that a builder may check once at its end).
void* fb_arena_take(FbArena* arena, size_t size);
char* fb_arena_text(FbArena* arena, const char* text);                   // copy; NULL for NULL
char* fb_arena_text_n(FbArena* arena, const char* text, size_t length);  // copy, terminated
char* fb_arena_join(FbArena* arena, const char* a, const char* b);       // both, terminated
char* fb_arena_item(FbArena* arena, const char* key, int i);             // "key[i]"
char* fb_arena_format(FbArena* arena, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
bool fb_arena_has_failed(const FbArena* arena);

#define FB_TAKE(arena, type, count) ((type*)fb_arena_take((arena), sizeof(type) * (size_t)(count)))

// Growable array of any element: grows `*items` (heap, owner frees with free()) so that index
// `count` exists. Returns false when out of memory.
bool fb_grow(void** items, int* capacity, int count, size_t item_size);

#endif
