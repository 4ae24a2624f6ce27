// Writes whole files, with errors that name the file and the reason.
#include "record/file.h"

#include <errno.h>

#include "base/new_file.h"

FbStatus fb_file_write(const char* path, const char* text, size_t size, FbError* err) {
    FbNewFile f;
    FB_TRY(fb_new_file_open(&f, path, err));
    bool is_written = fwrite(text, 1, size, f.file) == size;
    return fb_new_file_close(&f, FB_OK, is_written ? 0 : errno, err);
}
