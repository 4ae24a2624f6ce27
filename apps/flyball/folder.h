// Folders: created with all that are above them, and scratch folders that are removed again.
#ifndef FLYBALL_APP_FOLDER_H
#define FLYBALL_APP_FOLDER_H

#include "base/error.h"

FbStatus make_folder(const char* path, FbError* err);

// A new, empty folder in $TMPDIR or /tmp.
enum { SCRATCH_ROOM = 512 };
FbStatus make_scratch(char out[SCRATCH_ROOM], FbError* err);
// Removes a folder with all that is in it, as far as that is possible; links are not followed.
void remove_folder(const char* path);

#endif
