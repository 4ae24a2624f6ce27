// `flyball report`: HTML reports from the files of runs.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "folder.h"
#include "machine.h"
#include "result_files.h"
#include "still.h"
#include "terminal.h"

static bool is_folder(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// Several results go into a folder; one goes where -o says, or next to its files.
static const char* find_output(const Options* options, const SavedFiles* files) {
    if (options->output == NULL) {
        return fb_arena_format(files->arena, "%s.html", files->stem);
    }
    if (options->n_operands > 1 || is_folder(options->output)) {
        return fb_arena_format(files->arena, "%s/%s.html", options->output, base_name(files->stem));
    }
    return options->output;
}

static int write_report(const Options* options, SavedFiles* files) {
    char created[32];
    describe_now(created, sizeof created);
    FbReportOptions how = fb_report_options_default();
    how.title = options->title;
    how.created = created;
    how.command = get_command_line();
    how.beside = files->beside;
    how.references = files->references;
    how.n_references = files->n_references;
    FbError err;
    const char* path = find_output(options, files);
    FbStatus status =
        path == NULL ? fb_fail_memory(&err) : fb_report_write_saved(files->run, &how, path, &err);
    if (status < 0) {
        print_error(&err);
    } else if (!options->is_quiet) {
        print_note("wrote %s", path);
    }
    return exit_code_of(status);
}

static int write_gltf(const Options* options, const SavedFiles* files) {
    FbError err;
    FbStatus status = fb_saved_run_write_gltf(files->run, options->title, options->gltf, &err);
    if (status < 0) {
        print_error(&err);
    } else if (!options->is_quiet) {
        print_note("wrote %s", options->gltf);
    }
    return exit_code_of(status);
}

// A picture of a report that is kept with -o, and made for the picture alone otherwise.
static int write_png(const Options* options, const Still* still, SavedFiles* files) {
    char folder[SCRATCH_ROOM], html[SCRATCH_ROOM + 16];
    FbError err;
    if (options->output != NULL) {
        const char* path = find_output(options, files);
        int code = write_report(options, files);
        return code == EXIT_OK ? take_still(options, still, path, options->png) : code;
    }
    if (make_scratch(folder, &err) < 0) {
        print_error(&err);
        return exit_code_of(err.status);
    }
    snprintf(html, sizeof html, "%s/report.html", folder);
    Options quiet = *options;
    quiet.output = html;
    quiet.is_quiet = true;
    int code = write_report(&quiet, files);
    code = code == EXIT_OK ? take_still(options, still, html, options->png) : code;
    remove_folder(folder);
    return code;
}

static int report_one(const Options* options, const Still* still, const char* path) {
    SavedFiles files = {0}, other = {0};
    int code = read_saved_run(options, path, &files);
    code = code == EXIT_OK ? read_references(options, &files) : code;
    if (code == EXIT_OK && options->with != NULL) {
        code = read_saved_run(options, options->with, &other);
        code = code == EXIT_OK ? compare_with(&other, &files) : code;
    }
    if (code == EXIT_OK && options->gltf != NULL) {
        code = write_gltf(options, &files);
    }
    if (code == EXIT_OK && options->png != NULL) {
        code = write_png(options, still, &files);
    } else if (code == EXIT_OK && (options->gltf == NULL || options->output != NULL)) {
        code = write_report(options, &files);
    }
    free_saved_files(&other);
    free_saved_files(&files);
    return code;
}

static bool is_named(const char* path, const char* extension) {
    size_t n = strlen(path), tail = strlen(extension);
    return n > tail && strcmp(path + n - tail, extension) == 0;
}

int cmd_report(const Options* options) {
    FbError err;
    Still still;
    int usage = read_still(options, &still);
    if (usage != EXIT_OK) {
        return usage;
    }
    if ((options->gltf != NULL || options->png != NULL) && options->n_operands > 1) {
        return usage_error(options, "%s writes one file; give one result",
                           options->gltf != NULL ? "--gltf" : "--png");
    }
    if (options->with != NULL && options->reference != NULL) {
        return usage_error(options, "--with and --reference both fill the plots; give one of them");
    }
    if (is_named(options->operands[0], ".html")) {
        return options->png != NULL && options->gltf == NULL
                   ? take_still(options, &still, options->operands[0], options->png)
                   : usage_error(options, "'%s' is a report already; --png takes a picture of it",
                                 options->operands[0]);
    }
    if (is_named(options->operands[0], ".yaml")) {
        return usage_error(options,
                           "'%s' is not a result; 'flyball run %s --report FILE.html' computes a "
                           "model and writes its report",
                           options->operands[0], options->operands[0]);
    }
    if (options->n_operands > 1 && options->output != NULL &&
        make_folder(options->output, &err) < 0) {
        print_error(&err);
        return exit_code_of(err.status);
    }
    int code = EXIT_OK;
    for (int i = 0; i < options->n_operands && !is_interrupted(); i++) {
        int one = report_one(options, &still, options->operands[i]);
        code = code == EXIT_OK ? one : code;
    }
    return is_interrupted() ? EXIT_INTERRUPTED : code;
}
