// An allocator that counts, and fails when asked. The linker sends the library's allocations here
// (--wrap=malloc and so on); include it in one source of a test.
#ifndef FLYBALL_TEST_ROBUST_COUNTING_H
#define FLYBALL_TEST_ROBUST_COUNTING_H

#include <stdbool.h>
#include <stddef.h>

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* block, size_t size);
void __real_free(void* block);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* block, size_t size);
void __wrap_free(void* block);

// Blocks alive; calls so far; the call that fails (0: none), with all after it if is_lasting.
typedef struct Counting {
    long n_live, n_calls, fail_at;
    bool is_lasting;
} Counting;

static Counting counting;

static bool fails_now(void) {
    counting.n_calls++;
    return counting.fail_at > 0 && (counting.is_lasting ? counting.n_calls >= counting.fail_at
                                                        : counting.n_calls == counting.fail_at);
}

static void* counted(void* block) {
    counting.n_live += block != NULL;
    return block;
}

void* __wrap_malloc(size_t size) {
    return fails_now() ? NULL : counted(__real_malloc(size));
}

void* __wrap_calloc(size_t count, size_t size) {
    return fails_now() ? NULL : counted(__real_calloc(count, size));
}

void* __wrap_realloc(void* block, size_t size) {
    if (fails_now()) {
        return NULL;
    }
    void* grown = __real_realloc(block, size);
    counting.n_live += grown && !block;
    return grown;
}

void __wrap_free(void* block) {
    counting.n_live -= block != NULL;
    __real_free(block);
}

#endif
