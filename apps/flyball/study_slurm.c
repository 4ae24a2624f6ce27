// Writes a sweep as jobs of Slurm, and submits them.
#include "study_slurm.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/new_file.h"
#include "load.h"
#include "record/json_pair.h"
#include "study/slurm.h"
#include "submit.h"
#include "terminal.h"

typedef struct Scripts {
    char program[PATH_MAX], folder[PATH_MAX];
    char *table, *array_path, *join_path;
    const char** arguments;
    char** words;  // NAME=VALUE of --set
    int n_arguments, n_words;
    char array_job[JOB_ROOM], join_job[JOB_ROOM];  // "": not submitted
} Scripts;

static void free_scripts(Scripts* s) {
    for (int i = 0; i < s->n_words; i++) {
        free(s->words[i]);
    }
    free(s->words);
    free(s->arguments);
    free(s->table);
    free(s->array_path);
    free(s->join_path);
}

// Options that every task has to know.
static bool collect_arguments(const Options* options, Scripts* s) {
    s->words = calloc((size_t)options->n_overrides + 1, sizeof *s->words);
    s->arguments = calloc(2 * (size_t)options->n_overrides + 3, sizeof *s->arguments);
    if (s->words == NULL || s->arguments == NULL) {
        return false;
    }
    for (int i = 0; i < options->n_overrides; i++) {
        FbText word;
        fb_text_init(&word);
        fb_text_addf(&word, "%s=%s", options->overrides[i].name, options->overrides[i].value);
        s->words[s->n_words] = fb_text_steal(&word);
        if (s->words[s->n_words] == NULL) {
            return false;
        }
        s->arguments[s->n_arguments++] = "--set";
        s->arguments[s->n_arguments++] = s->words[s->n_words++];
    }
    if (options->is_untimed) {
        s->arguments[s->n_arguments++] = "--untimed";
    }
    return true;
}

static char* make_path(const char* table, const char* ending) {
    FbText path;
    fb_text_init(&path);
    fb_slurm_write_path(table, ending, &path);
    return fb_text_steal(&path);
}

static FbStatus find_places(const Options* options, const FbStudy* study, Scripts* s,
                            FbError* err) {
    FbStudyInfo info;
    fb_study_get_info(study, &info);
    ssize_t length = readlink("/proc/self/exe", s->program, sizeof s->program - 1);
    if (length <= 0) {
        strcpy(s->program, "flyball");
    }
    if (getcwd(s->folder, sizeof s->folder) == NULL) {
        return fb_fail(err, FB_ERR_IO, NULL, "the current folder: %s", strerror(errno));
    }
    s->table = options->output != NULL ? strdup(options->output) : make_path(info.name, ".csv");
    s->array_path = s->table != NULL ? make_path(s->table, ".slurm-array.sh") : NULL;
    s->join_path = s->table != NULL ? make_path(s->table, ".slurm-join.sh") : NULL;
    bool is_good = s->array_path != NULL && s->join_path != NULL && collect_arguments(options, s);
    return is_good ? FB_OK : fb_fail_memory(err);
}

typedef void (*Writer)(const FbStudy*, const FbSlurmJob*, FbText*);

static FbStatus write_script(const FbStudy* study, const FbSlurmJob* job, Writer writer,
                             const char* path, FbError* err) {
    FbNewFile file;
    FbText text;
    fb_text_init(&text);
    writer(study, job, &text);
    FbStatus status = text.has_failed ? fb_fail_memory(err) : fb_new_file_open(&file, path, err);
    if (status == FB_OK) {
        errno = 0;
        bool is_written = fputs(text.data, file.file) >= 0;
        status = fb_new_file_close(&file, FB_OK, is_written ? 0 : errno, err);
    }
    fb_text_free(&text);
    return status;
}

static FbStatus write_both(const Options* options, const FbStudy* study, Scripts* s, FbError* err) {
    FB_TRY(find_places(options, study, s, err));
    FbSlurmJob job = {.program = s->program,
                      .folder = s->folder,
                      .study = options->operands[0],
                      .table = s->table,
                      .arguments = s->arguments,
                      .n_arguments = s->n_arguments,
                      .is_retry = options->is_retry};
    FB_TRY(write_script(study, &job, fb_slurm_write_array, s->array_path, err));
    FB_TRY(write_script(study, &job, fb_slurm_write_join, s->join_path, err));
    if (options->is_submit) {
        FB_TRY(submit_job(s->array_path, NULL, s->array_job, err));
        FB_TRY(submit_job(s->join_path, s->array_job, s->join_job, err));
    }
    return FB_OK;
}

static void print_json(const FbStudy* study, const Scripts* s, const FbStudyInfo* info) {
    Document document;
    begin_document(&document);
    FbJson* json = &document.json;
    fb_json_begin_object(json);
    fb_json_pair_text(json, "study", info->file);
    fb_json_pair_integer(json, "points", info->n_points);
    fb_json_pair_integer(json, "tasks", fb_slurm_count_tasks(study));
    fb_json_pair_text(json, "csv", s->table);
    fb_json_pair_text(json, "array_script", s->array_path);
    fb_json_pair_text(json, "join_script", s->join_path);
    fb_json_pair_text(json, "array_job", s->array_job[0] ? s->array_job : NULL);
    fb_json_pair_text(json, "join_job", s->join_job[0] ? s->join_job : NULL);
    fb_json_end_object(json);
    print_document(&document);
}

// What submits the scripts by hand, for a shell.
static void print_command(const Scripts* s) {
    FbText text;
    fb_text_init(&text);
    fb_text_add(&text, "job=$(sbatch --parsable");
    fb_text_add_word(&text, s->array_path);
    fb_text_add(&text, ") && sbatch --dependency=afterany:${job%%;*}");
    fb_text_add_word(&text, s->join_path);
    printf("\n%s\n", text.has_failed ? "" : text.data);
    fb_text_free(&text);
}

static void print_text(const Options* options, const FbStudy* study, const Scripts* s,
                       const FbStudyInfo* info) {
    char array[1024], join[1024], table[1024];
    fb_escape(s->array_path, array, sizeof array);
    fb_escape(s->join_path, join, sizeof join);
    fb_escape(s->table, table, sizeof table);
    printf("points       %ld in %d tasks\n", info->n_points, fb_slurm_count_tasks(study));
    printf("array        %s%s%s\n", array, s->array_job[0] ? ", job " : "", s->array_job);
    printf("join         %s%s%s\n", join, s->join_job[0] ? ", job " : "", s->join_job);
    printf("table        %s\n", table);
    if (!options->is_submit) {
        print_command(s);
    }
}

int write_slurm(const Options* options, const FbStudy* study) {
    Scripts s = {.n_words = 0};
    FbStudyInfo info;
    FbError err;
    fb_study_get_info(study, &info);
    FbStatus status = write_both(options, study, &s, &err);
    if (status == FB_OK && options->is_json) {
        print_json(study, &s, &info);
    } else if (status == FB_OK) {
        print_text(options, study, &s, &info);
    } else {
        print_error(&err);
        if (s.array_job[0]) {
            print_note("job %s, the array, is submitted; join its tables with --join %d",
                       s.array_job, fb_slurm_count_tasks(study));
        }
    }
    free_scripts(&s);
    return exit_code_of(status);
}
