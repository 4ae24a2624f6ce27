// Writes whole files, with errors that name the file and the reason.
#include "record/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static FbStatus fail_file(const char* path, const char* what, int reason, FbError* err) {
    FbPlace place = {.file = path};
    return fb_fail(err, FB_ERR_IO, &place, "cannot %s the file: %s", what, strerror(reason));
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
