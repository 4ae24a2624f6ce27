// Creates a folder with all that are above it.
#ifndef FLYBALL_APP_FOLDER_H
#define FLYBALL_APP_FOLDER_H

#include "base/error.h"

FbStatus make_folder(const char* path, FbError* err);

#endif
