// A file that takes its name when it is complete: until then an old file of that name stays
// unchanged, however the program ends.
#ifndef FLYBALL_BASE_NEW_FILE_H
#define FLYBALL_BASE_NEW_FILE_H

#include <stdio.h>

#include "base/error.h"

typedef struct FbNewFile {
    FILE* file;        // to write to
    const char* path;  // as given, for messages
    char* target;      // what is replaced: the path, or what it links to
    char* part_path;   // the temporary name; NULL: written in place (a device, a pipe)
} FbNewFile;

// Creates the file under a temporary name in the same folder.
FbStatus fb_new_file_open(FbNewFile* f, const char* path, FbError* err);

// The same under a given temporary name, where only one program writes: one that was left by a
// killed program is overwritten.
FbStatus fb_new_file_open_as(FbNewFile* f, const char* path, const char* part_path, FbError* err);

// Closes it. With a good status and no write error (an errno, 0: none) the content is put on the
// disk and the file gets its name; otherwise it is removed. Returns the first failure.
FbStatus fb_new_file_close(FbNewFile* f, FbStatus status, int write_error, FbError* err);

// Whether a file of this name could be created now; an old one stays as it is.
FbStatus fb_new_file_check(const char* path, FbError* err);

// Gives a complete file another name, in place of an old one.
FbStatus fb_new_file_rename(const char* from, const char* path, FbError* err);

#endif
