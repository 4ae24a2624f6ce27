// Creates a folder with all that are above it.
#include "folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static FbStatus fail_folder(const char* path, FbError* err) {
    FbPlace place = {.file = path};
    return fb_fail(err, FB_ERR_IO, &place, "cannot create the folder: %s", strerror(errno));
}

FbStatus make_folder(const char* path, FbError* err) {
    char* partial = strdup(path);
    if (partial == NULL) {
        return fb_fail_memory(err);
    }
    FbStatus status = FB_OK;
    for (char* c = partial + 1; status == FB_OK; c++) {
        if (*c == '/' || *c == '\0') {
            char kept = *c;
            *c = '\0';
            struct stat info;
            if (mkdir(partial, 0777) != 0 && errno != EEXIST) {
                status = fail_folder(partial, err);
            } else if (stat(partial, &info) == 0 && !S_ISDIR(info.st_mode)) {
                errno = ENOTDIR;
                status = fail_folder(partial, err);
            }
            *c = kept;
            if (kept == '\0') {
                break;
            }
        }
    }
    free(partial);
    return status;
}
