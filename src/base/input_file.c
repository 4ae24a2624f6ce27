#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
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
