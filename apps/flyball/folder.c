// Folders: created with all that are above them, and scratch folders that are removed again.
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

FbStatus make_scratch(char out[SCRATCH_ROOM], FbError* err) {
    const char* base = getenv("TMPDIR");
    int n = snprintf(out, SCRATCH_ROOM, "%s/flyball-XXXXXX", base && base[0] ? base : "/tmp");
    if (n >= SCRATCH_ROOM) {
        return fb_fail(err, FB_ERR_IO, NULL, "the path in $TMPDIR is too long");
    }
    return mkdtemp(out) ? FB_OK : fail_folder(out, err);
}

void remove_folder(const char* path) {
    DIR* folder = opendir(path);
    struct dirent* entry;
    while (folder && (entry = readdir(folder))) {
        char inner[4096];
        struct stat info;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >= (int)sizeof inner) {
            continue;
        }
        if (lstat(inner, &info) == 0 && S_ISDIR(info.st_mode)) {
            remove_folder(inner);
        } else {
            unlink(inner);
        }
    }
    if (folder) {
        closedir(folder);
    }
    rmdir(path);
}
