// Finds the folder of the benchmark cases and the cases in it.
#include "bench_cases.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "load.h"
#include "terminal.h"

enum { MAX_CASES = 256 };

// Where the cases lie as seen from the program: the same in the build tree and in an installed
// copy.
static const char* find_shipped_folder(FbArena* arena) {
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) {
        return NULL;
    }
    program[length] = '\0';
    char* slash = strrchr(program, '/');
    if (slash == NULL) {
        return NULL;
    }
    *slash = '\0';
    return fb_arena_format(arena, "%s/%s", program, FLYBALL_CASES_FROM_BIN);
}

static const char* find_folder(const Options* options, FbArena* arena) {
    if (options->cases != NULL) {
        return options->cases;
    }
    const char* wanted = getenv("FLYBALL_CASES");
    return wanted != NULL && wanted[0] != '\0' ? wanted : find_shipped_folder(arena);
}

static int compare_names(const void* a, const void* b) {
    return strcmp(*(const char* const*)a, *(const char* const*)b);
}

static bool has_case_file(const char* folder, const char* name) {
    char path[8192];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s/case.yaml", folder, name);
    return name[0] != '.' && stat(path, &info) == 0;
}

// Names of the sub-folders with a case.yaml, sorted; -1 if the folder cannot be read.
static int list_names(const BenchCases* cases, const char* names[MAX_CASES]) {
    DIR* folder = opendir(cases->folder);
    if (folder == NULL) {
        return -1;
    }
    int n = 0;
    for (struct dirent* entry = readdir(folder); entry != NULL && n < MAX_CASES;
         entry = readdir(folder)) {
        if (has_case_file(cases->folder, entry->d_name)) {
            names[n] = fb_arena_text(cases->arena, entry->d_name);
            n += names[n] != NULL;
        }
    }
    closedir(folder);
    qsort(names, (size_t)n, sizeof names[0], compare_names);
    return n;
}

static int read_case(BenchCases* cases, const char* name) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    const char* folder = fb_arena_format(cases->arena, "%s/%s", cases->folder, name);
    if (diagnostics == NULL || folder == NULL) {
        fb_diagnostics_destroy(diagnostics);
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    FbStatus status = read_bench_case(folder, &cases->cases[cases->n_cases++], diagnostics);
    for (int i = 0; i < fb_diagnostics_count(diagnostics); i++) {
        print_diagnostic(fb_diagnostics_get(diagnostics, i));
    }
    fb_diagnostics_destroy(diagnostics);
    return exit_code_of(status);
}

static int unknown_case(const Options* options, const char* word, const char** names, int n_names) {
    const char* close = fb_did_you_mean(word, names, n_names);
    return usage_error(options, "there is no case '%s'%s%s%s; 'flyball bench --list' lists them",
                       word, close != NULL ? ", did you mean '" : "", close != NULL ? close : "",
                       close != NULL ? "'?" : "");
}

static int read_cases(const Options* options, BenchCases* cases, const char** names, int n_names) {
    int n_wanted = options->n_operands > 0 ? options->n_operands : n_names;
    const char* const* wanted = options->n_operands > 0 ? options->operands : names;
    cases->cases = FB_TAKE(cases->arena, BenchCase, n_wanted);
    if (cases->cases == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    int code = EXIT_OK;
    for (int i = 0; code == EXIT_OK && i < n_wanted; i++) {
        bool is_known = false;
        for (int k = 0; k < n_names; k++) {
            is_known = is_known || strcmp(names[k], wanted[i]) == 0;
        }
        code = is_known ? read_case(cases, wanted[i])
                        : unknown_case(options, wanted[i], names, n_names);
    }
    return code;
}

int find_bench_cases(const Options* options, BenchCases* out) {
    *out = (BenchCases){.arena = fb_arena_create()};
    if (out->arena == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    out->folder = find_folder(options, out->arena);
    const char* names[MAX_CASES];
    int n = out->folder != NULL ? list_names(out, names) : -1;
    if (n <= 0) {
        print_note("no benchmark cases %s%s; name their folder with --cases DIR or FLYBALL_CASES",
                   out->folder != NULL ? "in " : "were found",
                   out->folder != NULL ? out->folder : "");
        return EXIT_FILE;
    }
    return read_cases(options, out, names, n);
}

void free_bench_cases(BenchCases* cases) {
    for (int i = 0; i < cases->n_cases; i++) {
        free_bench_case(&cases->cases[i]);
    }
    fb_arena_destroy(cases->arena);
    *cases = (BenchCases){0};
}
