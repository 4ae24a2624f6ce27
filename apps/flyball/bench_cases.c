// Finds the folder of the benchmark cases and the cases in it.
#include "bench_cases.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "load.h"
#include "terminal.h"

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

static int read_case(BenchCases* cases, const char* name) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    const char* folder = fb_arena_format(cases->arena, "%s/%s", cases->folder, name);
    if (diagnostics == NULL || folder == NULL) {
        fb_diagnostics_destroy(diagnostics);
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    FbStatus status = fb_bench_case_read(folder, &cases->cases[cases->n_cases], diagnostics);
    cases->n_cases += status == FB_OK;
    for (int i = 0; i < fb_diagnostics_count(diagnostics); i++) {
        print_diagnostic(fb_diagnostics_get(diagnostics, i));
    }
    fb_diagnostics_destroy(diagnostics);
    return exit_code_of(status);
}

static int unknown_case(const Options* options, const char* word, const char** names, int n_names) {
    const char* close = fb_did_you_mean(word, names, n_names);
    char hint[HINT_ROOM];
    return usage_error(options, "there is no case '%s'%s", word,
                       hint_of(close, "; 'flyball bench --list' lists them", hint));
}

static int read_cases(const Options* options, BenchCases* cases, const FbBenchList* list) {
    int n_names = fb_bench_list_get_count(list);
    int n_wanted = options->n_operands > 0 ? options->n_operands : n_names;
    const char** names = FB_TAKE(cases->arena, const char*, n_names);
    cases->cases = FB_TAKE(cases->arena, FbBenchCase*, n_wanted);
    if (names == NULL || cases->cases == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    for (int k = 0; k < n_names; k++) {
        names[k] = fb_bench_list_get_name(list, k);
    }
    const char* const* wanted = options->n_operands > 0 ? options->operands : names;
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
    FbBenchList* list = NULL;
    FbError err;
    bool is_read = out->folder != NULL && fb_bench_list_read(out->folder, &list, &err) == FB_OK;
    int code = EXIT_FILE;
    if (is_read && fb_bench_list_get_count(list) > 0) {
        code = read_cases(options, out, list);
    } else {
        print_note("no benchmark cases %s%s; name their folder with --cases DIR or FLYBALL_CASES",
                   out->folder != NULL ? "in " : "were found",
                   out->folder != NULL ? out->folder : "");
    }
    fb_bench_list_destroy(list);
    return code;
}

void free_bench_cases(BenchCases* cases) {
    for (int i = 0; i < cases->n_cases; i++) {
        fb_bench_case_destroy(cases->cases[i]);
    }
    fb_arena_destroy(cases->arena);
    *cases = (BenchCases){0};
}
