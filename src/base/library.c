// Loading of shared libraries at run time, by dlopen.
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

static FbStatus fail(const FbLibraryName* library, const char* cause, FbError* err) {
    return fb_fail(err, FB_ERR_UNAVAILABLE, NULL,
                   "%s is needed here and cannot be loaded (%.200s); install it (Debian: %s)",
                   library->what, cause ? cause : "not found", library->package);
}

FbStatus fb_library_load(const FbLibraryName* library, const FbLibrarySymbol* symbols, int n,
                         FbError* err) {
    void* handle = dlopen(library->soname, RTLD_LAZY | RTLD_LOCAL);
    handle = handle ? handle : dlopen(library->path, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
        return fail(library, dlerror(), err);
    }
    for (int i = 0; i < n; i++) {
        void* symbol = dlsym(handle, symbols[i].name);
        if (!symbol) {
            return fail(library, dlerror(), err);
        }
        memcpy(symbols[i].function, &symbol, sizeof symbol);  // POSIX: the same size
    }
    return FB_OK;
}
