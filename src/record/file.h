// Whole files in and out, with errors that name the file and the reason.
#ifndef FLYBALL_RECORD_FILE_H
#define FLYBALL_RECORD_FILE_H

#include "base/error.h"

// Reads a file; *text is terminated by a 0 that *size does not count; the caller frees it.
FbStatus fb_file_read(const char* path, char** text, size_t* size, FbError* err);

// Replaces the file's content.
FbStatus fb_file_write(const char* path, const char* text, size_t size, FbError* err);

#endif
