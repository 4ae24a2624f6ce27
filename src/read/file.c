// Reads a whole file into memory.
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/input_file.h"
#include "read/read.h"

// No model is that long; a device or a wrong file is noticed before it fills the memory.
static const size_t MAX_SIZE = (size_t)256 << 20;
// Tables and states of runs.
static const size_t MAX_RESULT = (size_t)16 << 30;

static FbStatus read_file(const char* path, size_t most, char** text, size_t* size, FbError* err) {
    FbPlace place = {path, 0, 0};
    FbStatus status = fb_input_file_read(path, most, text, size);
    if (status == FB_ERR_MEMORY) {
        return fb_fail_memory(err);
    }
    if (status < 0 && errno == EFBIG) {
        return fb_fail(err, FB_ERR_IO, &place, "the file is longer than %zu MB; %s", most >> 20U,
                       most == MAX_SIZE ? "it is not a model file" : "use a part");
    }
    return status < 0 ? fb_fail(err, status, &place, "cannot read the file: %s", strerror(errno))
                      : FB_OK;
}

FbStatus fb_read_file(const char* path, char** text, size_t* size, FbError* err) {
    return read_file(path, MAX_SIZE, text, size, err);
}

FbStatus fb_read_result_file(const char* path, char** text, size_t* size, FbError* err) {
    return read_file(path, MAX_RESULT, text, size, err);
}

FbStatus fb_read_file_or_diagnose(const char* path, char** text, size_t* size,
                                  FbDiagnostics* diagnostics) {
    FbError err;
    FbStatus status = fb_read_file(path, text, size, &err);
    if (status < 0) {
        fb_diagnose_error(diagnostics, &err);
    }
    return status;
}
