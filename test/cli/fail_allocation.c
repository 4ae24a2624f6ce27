// Loaded before the program (LD_PRELOAD): one of its allocations fails. FLYBALL_FAIL_AT is its
// number, from 1; FLYBALL_FAIL_YAML=1 counts those of libfyaml and of the C library alone,
// otherwise these are left out.
// Without a number all are counted, and the count is written to the file FLYBALL_FAIL_COUNT.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t n, size_t size);
extern void* __libc_realloc(void* memory, size_t size);

static long fail_at;
static bool is_yaml_meant, is_counting;
static atomic_long count;

__attribute__((constructor)) static void begin(void) {
    const char* at = getenv("FLYBALL_FAIL_AT");
    fail_at = at ? atol(at) : 0;
    is_yaml_meant = getenv("FLYBALL_FAIL_YAML") != NULL;
    is_counting = true;
}

__attribute__((destructor)) static void end(void) {
    const char* path = getenv("FLYBALL_FAIL_COUNT");
    is_counting = false;
    FILE* out = path ? fopen(path, "w") : NULL;
    if (out) {
        fprintf(out, "%ld\n", atomic_load(&count));
        fclose(out);
    }
}

static bool has_failed(const void* caller) {
    Dl_info info;
    if (!is_counting || !dladdr(caller, &info) || !info.dli_fname) {
        return false;
    }
    // The runtime of Fortran (LAPACK) leaves the process by itself if it cannot start.
    if (strstr(info.dli_fname, "libgfortran")) {
        return false;
    }
    // What the C library allocates is for others, among them libfyaml.
    bool is_yaml = strstr(info.dli_fname, "libfyaml") || strstr(info.dli_fname, "libc.so");
    if (is_yaml != is_yaml_meant) {
        return false;
    }
    if (atomic_fetch_add(&count, 1) + 1 != fail_at) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

void* malloc(size_t size) {
    return has_failed(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void* calloc(size_t n, size_t size) {
    return has_failed(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void* realloc(void* memory, size_t size) {
    return has_failed(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}
