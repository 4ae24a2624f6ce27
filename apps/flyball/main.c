// flyball: the command-line program. Finds the command, runs it, and reports a full disk at the
// end.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "math/blas.h"
#include "options.h"
#include "terminal.h"

// Where the command line has a mistake, --json may be behind it.
static bool wants_document(int argc, char** argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            return true;
        }
    }
    return false;
}

static int run_command(int argc, char** argv) {
    Options options;
    int code = parse_options(argc, argv, &options);
    if (code == EXIT_OK && options.is_help) {
        print_command_help(options.command, stdout);
    } else if (code == EXIT_OK) {
        code = options.command->run(&options);
    }
    free_options(&options);
    if (code != EXIT_OK && wants_document(argc, argv)) {
        print_failure_document();
    }
    return code;
}

static int run_program(int argc, char** argv) {
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("flyball %s\n", fb_version());
        return EXIT_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return EXIT_OK;
    }
    return run_command(argc - 1, argv + 1);
}

int main(int argc, char** argv) {
    // Our matrices are small: a BLAS with a thread pool would only waste a second processor while
    // it waits for work.
    fb_blas_set_threads(1);
    setenv("OPENBLAS_NUM_THREADS", "1", 0);  // so that loading it starts none either
    catch_interrupts();
    keep_command_line(argc, argv);
    int code = run_program(argc, argv);
    print_explain_hint();
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("flyball: cannot write to stdout");
        return code == EXIT_OK ? EXIT_FILE : code;
    }
    return code;
}
