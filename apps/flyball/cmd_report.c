// `flyball report`: HTML reports from the files of runs.
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "folder.h"
#include "machine.h"
#include "result_files.h"
#include "terminal.h"

static bool is_folder(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// Several results go into a folder; one goes where -o says, or next to its files.
static const char* find_output(const Options* options, const SavedRun* run) {
    if (options->output == NULL) {
        return fb_arena_format(run->arena, "%s.html", run->stem);
    }
    if (options->n_operands > 1 || is_folder(options->output)) {
        return fb_arena_format(run->arena, "%s/%s.html", options->output, base_name(run->stem));
    }
    return options->output;
}

static int write_report(const Options* options, SavedRun* run) {
    char machine[512], created[32];
    describe_machine(machine, sizeof machine);
    describe_now(created, sizeof created);
    run->source.title = options->title != NULL ? options->title : run->source.title;
    run->source.created = created;
    FbError err;
    const char* path = find_output(options, run);
    FbStatus status = path == NULL || fb_arena_has_failed(run->arena)
                          ? fb_fail_memory(&err)
                          : fb_report_write(&run->source, path, &err);
    if (status < 0) {
        print_error(&err);
    } else if (!options->is_quiet) {
        print_note("wrote %s", path);
    }
    return exit_code_of(status);
}

static int report_one(const Options* options, const char* path) {
    SavedRun run;
    int code = read_saved_run(options, path, &run);
    code = code == EXIT_OK ? read_references(options, &run) : code;
    code = code == EXIT_OK ? write_report(options, &run) : code;
    free_saved_run(&run);
    return code;
}

int cmd_report(const Options* options) {
    FbError err;
    if (options->n_operands > 1 && options->output != NULL &&
        make_folder(options->output, &err) < 0) {
        print_error(&err);
        return exit_code_of(err.status);
    }
    int code = EXIT_OK;
    for (int i = 0; i < options->n_operands && !is_interrupted(); i++) {
        int one = report_one(options, options->operands[i]);
        code = code == EXIT_OK ? one : code;
    }
    return is_interrupted() ? EXIT_INTERRUPTED : code;
}
