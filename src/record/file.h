// Writes whole files, with errors that name the file and the reason (read/read.h reads them).
#ifndef FLYBALL_RECORD_FILE_H
#define FLYBALL_RECORD_FILE_H

#include "base/error.h"

// Replaces the file; an old one stays as it is until the new one is complete.
FbStatus fb_file_write(const char* path, const char* text, size_t size, FbError* err);

#endif
