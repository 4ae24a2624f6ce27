// Opening files that somebody else has made.
#ifndef FLYBALL_BASE_INPUT_FILE_H
#define FLYBALL_BASE_INPUT_FILE_H

#include <stdio.h>

// Opens a file for reading; NULL: errno says why. A pipe without a writer is empty: waiting for one
// could take for ever.
FILE* fb_input_file_open(const char* path);

#endif
