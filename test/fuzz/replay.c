// Runs a target on files and on random changes of them, without libFuzzer: replay --target=NAME
// FOLDER...
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { LONGEST = 1 << 16, CHANGED = 60, EDITS = 6 };

static unsigned draw(uint64_t* seed, unsigned n) {
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return n > 0 ? (unsigned)(*seed >> 33) % n : 0;
}

// A byte that is replaced or turned, or a piece that is dropped or moved.
static size_t edit(uint8_t* data, size_t size, uint64_t* seed) {
    size_t at = draw(seed, (unsigned)size), n = 1 + draw(seed, 8);
    n = n < size - at ? n : size - at;
    switch (draw(seed, 4)) {
        case 0:
            data[at] = (uint8_t)draw(seed, 256);
            return size;
        case 1:
            data[at] ^= (uint8_t)(1U << draw(seed, 8));
            return size;
        case 2:
            memmove(data + at, data + at + n, size - at - n);
            return size - n;
        default:
            memmove(data + draw(seed, (unsigned)(size - n + 1)), data + at, n);
            return size;
    }
}

// Exactly as many bytes, so that one too far is noticed.
static void run_bytes(const uint8_t* data, size_t size) {
    uint8_t* exact = malloc(size + (size == 0));
    if (!exact) {
        exit(1);
    }
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static void run_file(const char* path) {
    static uint8_t data[LONGEST], changed[LONGEST];
    FILE* file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t size = fread(data, 1, sizeof data, file);
    uint64_t seed = size;
    fclose(file);
    run_bytes(data, size);
    run_bytes(data, size / 2);
    for (int i = 0; i < CHANGED; i++) {
        size_t n = size;
        memcpy(changed, data, size);
        for (unsigned k = 1 + draw(&seed, EDITS); k > 0 && n > 1; k--) {
            n = edit(changed, n, &seed);
        }
        run_bytes(changed, n);
    }
}

int main(int argc, char** argv) {
    int n = 0;
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        DIR* dir = argv[i][0] == '-' ? NULL : opendir(argv[i]);
        for (struct dirent* e; dir && (e = readdir(dir)) != NULL;) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name);
            if (e->d_name[0] != '.') {
                run_file(path);
                n++;
            }
        }
        if (dir) {
            closedir(dir);
        }
    }
    printf("%d inputs\n", n);
    return n > 0 ? 0 : 1;
}
