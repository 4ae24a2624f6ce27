// A file that takes its name when it is complete (temporary name, fsync, rename).
#define _XOPEN_SOURCE 700  // NOLINT(bugprone-reserved-identifier): how POSIX offers realpath
#include "base/new_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static FbStatus fail_file(const char* path, const char* what, int reason, FbError* err) {
    FbPlace place = {.file = path};
    return fb_fail(err, FB_ERR_IO, &place, "cannot %s the file: %s", what,
                   strerror(reason != 0 ? reason : EIO));
}

static char* name_part(const char* target) {
    FbText name;
    fb_text_init(&name);
    fb_text_addf(&name, "%s.%ld.part", target, (long)getpid());
    return fb_text_steal(&name);
}

static char* copy_path(const char* path) {
    FbText name;
    fb_text_init(&name);
    fb_text_add(&name, path);
    return fb_text_steal(&name);
}

// A link keeps pointing to the file, which is replaced where it is.
static char* find_target(const char* path) {
    struct stat info;
    bool is_link = lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && stat(path, &info) == 0;
    char* resolved = is_link ? realpath(path, NULL) : NULL;
    return resolved != NULL ? resolved : copy_path(path);
}

static void forget(FbNewFile* f) {
    free(f->target);
    free(f->part_path);
    *f = (FbNewFile){0};
}

FbStatus fb_new_file_open(FbNewFile* f, const char* path, FbError* err) {
    return fb_new_file_open_as(f, path, NULL, err);
}

FbStatus fb_new_file_open_as(FbNewFile* f, const char* path, const char* part_path, FbError* err) {
    *f = (FbNewFile){.path = path, .target = find_target(path)};
    struct stat info;
    bool is_old = stat(path, &info) == 0;
    // Renaming onto a device or a pipe would replace it.
    bool is_replaceable = !is_old || S_ISREG(info.st_mode);
    if (is_replaceable && f->target != NULL) {
        f->part_path = part_path != NULL ? copy_path(part_path) : name_part(f->target);
    }
    if (f->target == NULL || (is_replaceable && f->part_path == NULL)) {
        forget(f);
        return fb_fail_memory(err);
    }
    // What must not be written to is not replaced either.
    bool may_write = !is_old || access(path, W_OK) == 0;
    f->file = may_write ? fopen(is_replaceable ? f->part_path : path, "wb") : NULL;
    if (f->file == NULL) {
        FbStatus status = fail_file(path, "create", errno, err);
        forget(f);
        return status;
    }
    if (is_old && is_replaceable) {
        (void)fchmod(fileno(f->file), info.st_mode & 07777U);
    }
    return FB_OK;
}

// Onto the disk before the new name: after a power failure there is the old file or the whole new
// one. Devices and some file systems know no fsync.
static int flush_to_disk(FILE* file) {
    if (fflush(file) != 0) {
        return errno;
    }
    return fsync(fileno(file)) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP
               ? 0
               : errno;
}

FbStatus fb_new_file_close(FbNewFile* f, FbStatus status, int write_error, FbError* err) {
    if (f->file == NULL) {
        return status;
    }
    if (status >= 0 && write_error == 0) {
        write_error = flush_to_disk(f->file);
    }
    if (fclose(f->file) != 0 && write_error == 0) {
        write_error = errno;
    }
    if (status >= 0 && write_error != 0) {
        status = fail_file(f->path, "write", write_error, err);
    }
    if (status >= 0 && f->part_path != NULL && rename(f->part_path, f->target) != 0) {
        status = fail_file(f->path, "create", errno, err);
    }
    if (status < 0 && f->part_path != NULL) {
        remove(f->part_path);
    }
    forget(f);
    return status;
}

FbStatus fb_new_file_check(const char* path, FbError* err) {
    FbNewFile f;
    FB_TRY(fb_new_file_open(&f, path, err));
    fclose(f.file);
    if (f.part_path != NULL) {
        remove(f.part_path);
    }
    forget(&f);
    return FB_OK;
}

FbStatus fb_new_file_rename(const char* from, const char* path, FbError* err) {
    char* target = find_target(path);
    if (target == NULL) {
        return fb_fail_memory(err);
    }
    struct stat info;
    // Renaming onto a device or a pipe would replace it.
    bool is_file = stat(target, &info) != 0 || S_ISREG(info.st_mode);
    errno = EEXIST;
    FbStatus status =
        is_file && rename(from, target) == 0 ? FB_OK : fail_file(path, "create", errno, err);
    free(target);
    return status;
}
