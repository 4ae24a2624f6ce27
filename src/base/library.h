// Shared libraries that are loaded when they are first needed, so that programs that do not need
// them start without them.
#ifndef FLYBALL_BASE_LIBRARY_H
#define FLYBALL_BASE_LIBRARY_H

#include "base/error.h"

// Where a library is: the name under which the system knows it, and a file where it was when
// Flyball was built. what: its name for people; package: what to install.
typedef struct FbLibraryName {
    const char *what, *soname, *path, *package;
} FbLibraryName;

// One function: its name, and the pointer that receives it.
typedef struct FbLibrarySymbol {
    const char* name;
    void (**function)(void);
} FbLibrarySymbol;

// Loads a library, which stays until the process ends, and finds n functions in it.
// FB_ERR_UNAVAILABLE: it, or one of them, is not available.
FbStatus fb_library_load(const FbLibraryName* library, const FbLibrarySymbol* symbols, int n,
                         FbError* err);

#endif
