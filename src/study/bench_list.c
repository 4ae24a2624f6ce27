// The benchmark cases of a folder: its sub-folders with a case.yaml.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/error.h"
#include "flyball/bench.h"

struct FbBenchList {
    FbArena* arena;      // owns the names
    const char** names;  // [n], sorted
    int n, capacity;
};

static int compare_names(const void* a, const void* b) {
    return strcmp(*(const char* const*)a, *(const char* const*)b);
}

static bool has_case_file(const char* folder, const char* name, FbArena* arena) {
    const char* path =
        name[0] != '.' ? fb_arena_format(arena, "%s/%s/case.yaml", folder, name) : NULL;
    struct stat info;
    return path != NULL && stat(path, &info) == 0;
}

static bool add_name(FbBenchList* list, const char* name) {
    if (list->n == list->capacity) {
        int capacity = 2 * list->capacity + 32;
        const char** names = realloc(list->names, sizeof *names * (size_t)capacity);
        if (names == NULL) {
            return false;
        }
        list->names = names;
        list->capacity = capacity;
    }
    list->names[list->n] = fb_arena_text(list->arena, name);
    return list->names[list->n++] != NULL;
}

static FbStatus list_names(const char* folder, FbBenchList* list, FbError* err) {
    DIR* stream = opendir(folder);
    if (stream == NULL) {
        FbPlace place = {.file = folder};
        return fb_fail(err, FB_ERR_IO, &place, "cannot read the folder: %s", strerror(errno));
    }
    bool is_good = true;
    for (struct dirent* entry = readdir(stream); is_good && entry != NULL;
         entry = readdir(stream)) {
        is_good =
            !has_case_file(folder, entry->d_name, list->arena) || add_name(list, entry->d_name);
    }
    closedir(stream);
    if (!is_good || fb_arena_has_failed(list->arena)) {
        return fb_fail_memory(err);
    }
    if (list->n > 0) {
        qsort(list->names, (size_t)list->n, sizeof list->names[0], compare_names);
    }
    return FB_OK;
}

FbStatus fb_bench_list_read(const char* folder, FbBenchList** out, FbError* err) {
    *out = NULL;
    FbBenchList* list = calloc(1, sizeof *list);
    if (list == NULL || (list->arena = fb_arena_create()) == NULL) {
        free(list);
        return fb_fail_memory(err);
    }
    FbStatus status = list_names(folder, list, err);
    if (status < 0) {
        fb_bench_list_destroy(list);
        return status;
    }
    *out = list;
    return FB_OK;
}

void fb_bench_list_destroy(FbBenchList* list) {
    if (list == NULL) {
        return;
    }
    fb_arena_destroy(list->arena);
    free(list->names);
    free(list);
}

int fb_bench_list_get_count(const FbBenchList* list) {
    return list->n;
}

const char* fb_bench_list_get_name(const FbBenchList* list, int index) {
    return index >= 0 && index < list->n ? list->names[index] : NULL;
}
