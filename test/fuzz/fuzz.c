// The table of targets, and the one that `--target=NAME` chooses.
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const FuzzTarget fuzz_targets[] = {
    {"model", fuzz_model},
    {"expression", fuzz_expression},
    {"csv", fuzz_csv},
    {"fbr", fuzz_fbr},
    {"study", fuzz_study},
    {"case", fuzz_case},
    {"matrix_market", fuzz_matrix_market},
    {"saved", fuzz_saved},
    {"msh", fuzz_msh},
    {"inp", fuzz_inp},
    {"stl", fuzz_stl},
    {"state", fuzz_state},
    {"run_state", fuzz_run_state},
    {NULL, NULL},
};

static const FuzzTarget* target;
// In memory where there is such a place: files of a disk would be most of the work.
static char folder[] = "/dev/shm/flyball_fuzz_XXXXXX";
static char path[sizeof folder + 64];

static void remove_folder(void) {
    static const char* const names[] = {"x.yaml",     "case.yaml",    "x.mtx", "x.csv",
                                        "x.json",     "x.msh",        "x.inp", "x.stl",
                                        "model.yaml", "x.motion.json"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    rmdir(folder);
}

const char* fuzz_folder(void) {
    static int is_there;
    if (!is_there && !mkdtemp(folder)) {
        strcpy(folder, "/tmp/flyball_fuzz_XXXXXX");
        if (!mkdtemp(folder)) {
            perror("fuzz: cannot create a folder");
            exit(1);
        }
    }
    if (!is_there) {
        is_there = 1;
        atexit(remove_folder);
    }
    return folder;
}

const char* fuzz_write_file(const char* name, const uint8_t* data, size_t size) {
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    FILE* file = fopen(path, "wb");
    if (!file || (size > 0 && fwrite(data, 1, size, file) != size) || fclose(file) != 0) {
        perror("fuzz: cannot write a file");
        exit(1);
    }
    return path;
}

// libfyaml 0.7.12 leaks the text of some quoted scalars of two lines with doubled quotes, whoever
// asks for it.
const char* __lsan_default_suppressions(void);  // NOLINT(bugprone-reserved-identifier): LSan's name
const char* __lsan_default_suppressions(void) {
    return "leak:libfyaml";
}

int LLVMFuzzerInitialize(int* argc, char*** argv) {
    static const char option[] = "--target=";
    for (int i = 1; i < *argc; i++) {
        const char* word = (*argv)[i];
        for (const FuzzTarget* t = fuzz_targets; t->name && strncmp(word, option, 9) == 0; t++) {
            target = strcmp(word + 9, t->name) == 0 ? t : target;
        }
    }
    if (!target) {
        fprintf(stderr, "fuzz: choose a reader with --target=NAME:");
        for (const FuzzTarget* t = fuzz_targets; t->name; t++) {
            fprintf(stderr, " %s", t->name);
        }
        fprintf(stderr, "\n");
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    target->run(data, size);
    return 0;
}
