#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE* fb_input_file_open(const char* path) {
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        return NULL;
    }
    // Reading may wait, as for the writer of a shell's <(command).
    int flags = fcntl(file, F_GETFL);
    FILE* in =
        flags >= 0 && fcntl(file, F_SETFL, flags & ~O_NONBLOCK) == 0 ? fdopen(file, "rb") : NULL;
    if (!in) {
        int code = errno;
        close(file);
        errno = code;
    }
    return in;
}

// Devices that never end would fill the memory; what is empty, typed or a pipe is read as it comes.
static size_t most_bytes(FILE* in, size_t most) {
    static const size_t MOST_OF_DEVICE = 1 << 20;
    struct stat info;
    bool is_device = fstat(fileno(in), &info) == 0 && S_ISCHR(info.st_mode);
    return is_device && most > MOST_OF_DEVICE ? MOST_OF_DEVICE : most;
}

// What a regular file says it holds, and one byte more to see its end; others grow.
static size_t first_capacity(FILE* in, size_t most) {
    static const size_t UNKNOWN = 1 << 16;
    struct stat info;
    bool is_known = fstat(fileno(in), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
    return is_known ? (size_t)info.st_size + 1 : UNKNOWN <= most ? UNKNOWN : most + 1;
}

static FbStatus fail_length(void) {
    errno = EFBIG;
    return FB_ERR_IO;
}

static FbStatus read_stream(FILE* in, size_t most, char** text, size_t* size) {
    size_t capacity = first_capacity(in, most);
    if (capacity > most + 1) {
        return fail_length();
    }
    for (;; capacity = 2 * capacity <= most ? 2 * capacity : most + 1) {
        char* more = realloc(*text, capacity + 1);
        if (!more) {
            return FB_ERR_MEMORY;
        }
        *text = more;
        *size += fread(*text + *size, 1, capacity - *size, in);
        if (*size > most) {
            return fail_length();
        }
        if (*size < capacity) {
            (*text)[*size] = '\0';
            return ferror(in) ? FB_ERR_IO : FB_OK;
        }
    }
}

FbStatus fb_input_file_read(const char* path, size_t most, char** text, size_t* size) {
    *text = NULL;
    *size = 0;
    FILE* in = fb_input_file_open(path);
    if (!in) {
        return FB_ERR_IO;
    }
    FbStatus status = read_stream(in, most_bytes(in, most), text, size);
    int code = errno;
    fclose(in);
    if (status < 0) {
        free(*text);
        *text = NULL;
        *size = 0;
        errno = code;
    }
    return status;
}

// Does the part of n characters lead to a folder that ".." leaves again?
static bool is_folder(const char* part, size_t n) {
    return n > 0 && !(n == 2 && part[0] == '.' && part[1] == '.');
}

void fb_path_simplify(char* path) {
    size_t start = path[0] == '/' ? 1 : 0, out = start;
    for (size_t in = start, n; path[in] != '\0'; in += n + (path[in + n] == '/')) {
        const char* part = path + in;
        n = strcspn(part, "/");
        size_t last = out;  // where the part before this one begins
        while (last > start && path[last - 1] != '/') {
            last--;
        }
        bool is_up = n == 2 && part[0] == '.' && part[1] == '.';
        if (n == 0 || (n == 1 && part[0] == '.')) {
            continue;
        }
        if (is_up && is_folder(path + last, out - last)) {
            out = last > start ? last - 1 : start;
            continue;
        }
        if (out > start) {
            path[out++] = '/';
        }
        memmove(path + out, part, n);
        out += n;
    }
    path[out] = '\0';
}
