// The part of a sweep: from the command line, or from the environment of a Slurm array task.
#include "study_part.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static int read_option(const Options* options, StudyPart* out) {
    int part, n;
    char rest;
    if (sscanf(options->part, "%d/%d%c", &part, &n, &rest) != 2 || part < 1 || n < 1 || part > n) {
        return usage_error(options, "--part is '%s'; it must be I/N with 1 <= I <= N, as in 3/16",
                           options->part);
    }
    *out = (StudyPart){.part = part - 1, .n_parts = n};
    return EXIT_OK;
}

// An integer variable of the scheduler. `otherwise`: its value where it is not set; -1: it must be.
static int read_variable(const Options* options, const char* name, int otherwise, int* out) {
    const char* text = getenv(name);
    double value = otherwise;
    if (text == NULL && otherwise < 0) {
        return usage_error(options, "SLURM_ARRAY_TASK_ID is set, but %s is not; give --part I/N",
                           name);
    }
    if (text != NULL && (!fb_parse_double(text, strlen(text), &value) || !(value >= 0.0) ||
                         value > 1e9 || value != (double)(int)value)) {
        return usage_error(options,
                           "the environment has %s='%s'; it must be an integer >= 0; correct or "
                           "unset SLURM_ARRAY_TASK_ID, or give --part I/N",
                           name, text);
    }
    *out = (int)value;
    return EXIT_OK;
}

// --array=MIN-MAX:STEP: the tasks are counted from MIN. A list such as --array=1,5,6 does not say
// which of its tasks this one is.
static int read_array(const Options* options, StudyPart* out) {
    int id, n, first, last, step, code;
    if ((code = read_variable(options, "SLURM_ARRAY_TASK_ID", -1, &id)) != EXIT_OK ||
        (code = read_variable(options, "SLURM_ARRAY_TASK_COUNT", -1, &n)) != EXIT_OK ||
        (code = read_variable(options, "SLURM_ARRAY_TASK_MIN", -1, &first)) != EXIT_OK ||
        (code = read_variable(options, "SLURM_ARRAY_TASK_MAX", -1, &last)) != EXIT_OK ||
        (code = read_variable(options, "SLURM_ARRAY_TASK_STEP", 1, &step)) != EXIT_OK) {
        return code;
    }
    if (n < 1 || step < 1 || (last - first) / step + 1 != n || id < first || id > last ||
        (id - first) % step != 0) {
        return usage_error(options,
                           "task %d of the Slurm array %d-%d:%d with %d tasks has no place in a "
                           "range; use --array=1-N, or give --part I/N",
                           id, first, last, step, n);
    }
    *out = (StudyPart){.part = (id - first) / step, .n_parts = n, .is_of_array = true};
    return EXIT_OK;
}

int read_part(const Options* options, StudyPart* out) {
    *out = (StudyPart){.n_parts = 1};
    if (options->part != NULL) {
        return read_option(options, out);
    }
    const char* id = getenv("SLURM_ARRAY_TASK_ID");
    return id != NULL ? read_array(options, out) : EXIT_OK;
}

char* make_part_path(const char* table, int part, int n_parts) {
    const char* slash = strrchr(table, '/');
    const char* dot = strrchr(slash != NULL ? slash : table, '.');
    size_t stem = dot != NULL && dot > table ? (size_t)(dot - table) : strlen(table);
    FbText path;
    fb_text_init(&path);
    fb_text_add_n(&path, table, stem);
    fb_text_addf(&path, ".part-%d-of-%d%s", part + 1, n_parts, table + stem);
    return fb_text_steal(&path);
}
