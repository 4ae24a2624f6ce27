// `flyball convert`: the table of a run in another format, which the ending of the new file names.
#include <string.h>

#include "record/format.h"
#include "result_files.h"
#include "terminal.h"

static const char* ending_of(const char* path) {
    const char* name = base_name(path);
    const char* dot = strrchr(name, '.');
    return dot != NULL ? dot + 1 : "";
}

static bool is_format(const char* name, char* list, size_t size) {
    const char* format;
    bool is_known = false;
    list[0] = '\0';
    for (int i = 0; (format = fb_result_get_format(i, NULL)) != NULL; i++) {
        size_t used = strlen(list);
        is_known = is_known || strcmp(format, name) == 0;
        snprintf(list + used, size - used, "%s.%s", i > 0 ? ", " : "", format);
    }
    return is_known;
}

int cmd_convert(const Options* options) {
    char formats[128];
    if (options->output == NULL) {
        return usage_error(options, "give the new file with -o");
    }
    if (!is_format(ending_of(options->output), formats, sizeof formats)) {
        return usage_error(options, "'%s' has none of the endings %s", options->output, formats);
    }
    SavedFiles files = {0};
    int code = read_saved_table(options->operands[0], &files);
    if (code == EXIT_OK) {
        FbError err;
        FbStatus status =
            fb_samples_write(files.table, ending_of(options->output), options->output, &err);
        code = exit_code_of(status);
        if (status < 0) {
            print_error(&err);
        } else if (!options->is_quiet) {
            print_note("wrote %s: %d rows of %d outputs", options->output, files.table->n_rows,
                       files.table->n_columns);
        }
    }
    free_saved_files(&files);
    return code;
}
