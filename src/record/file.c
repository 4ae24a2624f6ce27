// Whole files in and out, with errors that name the file and the reason.
#include "record/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FbStatus fail_file(const char* path, const char* what, int reason, FbError* err) {
    FbPlace place = {.file = path};
    return fb_fail(err, FB_ERR_IO, &place, "cannot %s the file: %s", what, strerror(reason));
}

// Reads to the end in growing pieces: works for pipes too, whose size nobody knows.
static FbStatus read_stream(FILE* file, const char* path, char** text, size_t* size, FbError* err) {
    size_t capacity = 1 << 16;
    size_t length = 0;
    char* data = malloc(capacity);
    while (data != NULL) {
        length += fread(data + length, 1, capacity - length - 1, file);
        if (length + 1 < capacity) {
            break;
        }
        char* grown = realloc(data, capacity * 2);
        if (grown == NULL) {
            free(data);
        }
        data = grown;
        capacity *= 2;
    }
    if (data == NULL) {
        return fb_fail_memory(err);
    }
    if (ferror(file)) {
        int reason = errno;
        free(data);
        return fail_file(path, "read", reason, err);
    }
    data[length] = '\0';
    *text = data;
    *size = length;
    return FB_OK;
}

FbStatus fb_file_read(const char* path, char** text, size_t* size, FbError* err) {
    *text = NULL;
    *size = 0;
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return fail_file(path, "open", errno, err);
    }
    FbStatus status = read_stream(file, path, text, size, err);
    fclose(file);
    return status;
}

FbStatus fb_file_write(const char* path, const char* text, size_t size, FbError* err) {
    FILE* file = fopen(path, "wb");
    if (file == NULL) {
        return fail_file(path, "create", errno, err);
    }
    bool is_written = fwrite(text, 1, size, file) == size;
    int reason = errno;
    if (fclose(file) != 0 && is_written) {
        is_written = false;
        reason = errno;
    }
    return is_written ? FB_OK : fail_file(path, "write", reason, err);
}
