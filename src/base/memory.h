// What something remembers, as bytes: one function lists it, and counts, saves or loads it.
//
// The list is written once for all three, so that what is saved is what is loaded. Numbers are as
// in memory; the file that holds them says of which kind of machine they are.
#ifndef FLYBALL_BASE_MEMORY_H
#define FLYBALL_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct FbMemory {
    bool is_loading;      // from data; else into it
    unsigned char* data;  // NULL: only counted
    size_t size;          // of data
    size_t used;
    bool has_failed;  // data are too short, or a number cannot be
} FbMemory;

void fb_memory_bytes(FbMemory* m, void* at, size_t size);
// An integer that must be from low to high.
void fb_memory_index(FbMemory* m, int* at, int low, int high);
static inline void fb_memory_doubles(FbMemory* m, double* at, int n) {
    fb_memory_bytes(m, at, sizeof *at * (size_t)n);
}
// A flag, which must be 0 or 1.
void fb_memory_flag(FbMemory* m, bool* at, size_t size);
static inline void fb_memory_flags(FbMemory* m, bool* at, int n) {
    for (int i = 0; i < n; i++) {
        fb_memory_flag(m, &at[i], sizeof *at);
    }
}
// Integers that must be from low to high.
static inline void fb_memory_indices(FbMemory* m, int* at, int n, int low, int high) {
    for (int i = 0; i < n; i++) {
        fb_memory_index(m, &at[i], low, high);
    }
}
// A text with its end, in an array of this size.
void fb_memory_text(FbMemory* m, char* at, size_t size);
// A flag of a struct that was loaded as a whole: it must be 0 or 1, and becomes false where it is
// not.
void fb_memory_check_flag(FbMemory* m, bool* at);
// A variable without pointers, flags (but one that is a flag itself), texts and indices.
#define FB_REMEMBER(m, variable) \
    _Generic(&(variable), bool*: fb_memory_flag, default: fb_memory_bytes)(m, (void*)&(variable), \
                                                                          sizeof(variable))

#endif
