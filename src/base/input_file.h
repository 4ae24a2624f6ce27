// Opening files that other programs made.
#ifndef FLYBALL_BASE_INPUT_FILE_H
#define FLYBALL_BASE_INPUT_FILE_H

#include <stdio.h>

#include "flyball/status.h"

// Opens a file for reading; NULL: errno says why. A pipe without a writer is empty: waiting for one
// could take forever.
FILE* fb_input_file_open(const char* path);

// The whole file with a '\0' after its end; the caller frees *text. FB_ERR_MEMORY, or FB_ERR_IO:
// errno says why, EFBIG: it is longer than `most`, or a device such as /dev/zero with more than 1
// MB.
FbStatus fb_input_file_read(const char* path, size_t most, char** text, size_t* size);

// Takes "." and "folder/.." out of a path that is shown to people. Only for the eye: behind a
// symbolic link, ".." may lead elsewhere.
void fb_path_simplify(char* path);

#endif
