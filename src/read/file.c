// Reads a whole file into memory.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input_file.h"
#include "base/text.h"
#include "read/read.h"

// No model is that long; a device or a wrong file is noticed before it fills the memory.
static const size_t MAX_SIZE = (size_t)256 << 20;
// Tables and states of runs.
static const size_t MAX_RESULT = (size_t)16 << 30;

static FbStatus fail_io(FbError* err, const char* path, int code) {
    FbPlace place = {path, 0, 0};
    return fb_fail(err, FB_ERR_IO, &place, "cannot read the file: %s", strerror(code));
}

static FbStatus read_stream(FILE* in, const char* path, size_t most, FbText* out, FbError* err) {
    char block[1 << 14];
    size_t n;
    while ((n = fread(block, 1, sizeof block, in)) > 0) {
        fb_text_add_n(out, block, n);
        if (out->has_failed) {
            return fb_fail_memory(err);
        }
        if (out->length > most) {
            FbPlace place = {path, 0, 0};
            return fb_fail(err, FB_ERR_IO, &place, "the file is longer than %zu MB; %s",
                           most >> 20U, most == MAX_SIZE ? "it is not a model file" : "use a part");
        }
    }
    return ferror(in) ? fail_io(err, path, errno) : FB_OK;
}

static FbStatus read_file(const char* path, size_t most, char** text, size_t* size, FbError* err) {
    *text = NULL;
    *size = 0;
    FILE* in = fb_input_file_open(path);
    if (!in) {
        return fail_io(err, path, errno);
    }
    FbText out;
    fb_text_init(&out);
    FbStatus status = read_stream(in, path, most, &out, err);
    fclose(in);
    if (status < 0) {
        fb_text_free(&out);
        return status;
    }
    *size = out.length;
    *text = fb_text_steal(&out);
    return *text ? FB_OK : fb_fail_memory(err);
}

FbStatus fb_read_file(const char* path, char** text, size_t* size, FbError* err) {
    return read_file(path, MAX_SIZE, text, size, err);
}

FbStatus fb_read_result_file(const char* path, char** text, size_t* size, FbError* err) {
    return read_file(path, MAX_RESULT, text, size, err);
}
