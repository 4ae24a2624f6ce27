// The files of `flyball run -o`: which there are, and the order in which they replace old ones.
#include "run_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/new_file.h"
#include "flyball/report.h"
#include "folder.h"
#include "record/run_document.h"
#include "terminal.h"

static const double usual_interval_s = 5.0;  // between saved states

FbStatus prepare_files(const Options* options, const FbModel* model, bool has_poses,
                       RunFiles* files, FbError* err) {
    *files = (RunFiles){.report = options->report, .has_motion = has_poses};
    fb_text_init(&files->csv);
    fb_text_init(&files->json);
    fb_text_init(&files->motion);
    fb_text_init(&files->other);
    if (files->report != NULL) {
        FB_TRY(fb_report_check_path(files->report, err));
    }
    if (options->gltf != NULL) {
        FB_TRY(fb_report_check_path(options->gltf, err));
    }
    if (options->vtu != NULL) {
        FB_TRY(make_folder(options->vtu, err));
    }
    if (options->output == NULL) {
        return FB_OK;
    }
    FB_TRY(make_folder(options->output, err));
    FbModelInfo info;
    fb_model_get_info(model, &info);
    char name[128];
    snprintf(name, sizeof name, "%s", info.name);
    for (char* c = name; *c != '\0'; c++) {
        *c = *c == '/' ? '_' : *c;
    }
    bool is_binary = options->format != NULL && strcmp(options->format, "fbr") == 0;
    fb_text_addf(&files->csv, "%s/%s.%s", options->output, name, is_binary ? "fbr" : "csv");
    fb_text_addf(&files->json, "%s/%s.json", options->output, name);
    fb_text_addf(&files->motion, "%s/%s.motion.json", options->output, name);
    if (options->format != NULL && !is_binary) {
        fb_text_addf(&files->other, "%s/%s.%s", options->output, name, options->format);
    }
    if (files->csv.has_failed || files->json.has_failed || files->motion.has_failed ||
        files->other.has_failed) {
        return fb_fail_memory(err);
    }
    return FB_OK;
}

void free_files(RunFiles* files) {
    fb_run_file_close(&files->table);
    fb_text_free(&files->csv);
    fb_text_free(&files->json);
    fb_text_free(&files->motion);
    fb_text_free(&files->other);
}

static void tell_beginning(const Options* options, const RunFiles* files, bool was_unfinished) {
    if (options->is_quiet) {
        return;
    }
    if (options->is_resume) {
        print_note(files->table.state != NULL ? "continuing the run in %s"
                                              : "%s has no saved state; the run begins anew",
                   files->csv.data);
    } else if (was_unfinished) {
        print_note(
            "%s.part, of a run that was not finished, will be replaced; --resume would "
            "continue it",
            files->csv.data);
    }
}

FbStatus open_table(const Options* options, const FbModel* model, bool keeps_rows, RunFiles* files,
                    FbError* err) {
    if (files->csv.length == 0) {
        return FB_OK;
    }
    bool was_unfinished = fb_run_file_is_unfinished(files->csv.data);
    FB_TRY(fb_run_file_open(&files->table, model, files->csv.data, options->is_resume, keeps_rows,
                            err));
    files->table.sink.save_interval =
        options->checkpoint > 0.0 ? options->checkpoint : usual_interval_s;
    tell_beginning(options, files, was_unfinished);
    return FB_OK;
}

bool is_complete(const RunFiles* files, const char* key) {
    FbRunDocument document;
    fb_run_document_read(&document, files->json.data);
    return document.is_there && !document.has_failure && strcmp(document.run_sha256, key) == 0 &&
           access(files->csv.data, F_OK) == 0;
}

bool must_stay_part(const RunFiles* files, bool is_stopped) {
    FbRunDocument document;
    if (!is_stopped || files->csv.length == 0 || access(files->csv.data, F_OK) != 0) {
        return false;
    }
    fb_run_document_read(&document, files->json.data);
    return !document.has_failure;
}

// The new document is written before the old one is removed; it takes its name last.
FbStatus replace_results(RunFiles* files, const char* document, bool is_stopped, FbError* err) {
    FbText part;
    FbNewFile json;
    fb_text_init(&part);
    fb_text_addf(&part, "%s.part", files->json.data);
    FbStatus status = part.has_failed
                          ? fb_fail_memory(err)
                          : fb_new_file_open_as(&json, files->json.data, part.data, err);
    if (status >= 0) {
        errno = 0;
        size_t size = strlen(document);
        bool is_good = fwrite(document, 1, size, json.file) == size && fflush(json.file) == 0;
        int write_error = is_good ? 0 : errno != 0 ? errno : EIO;
        if (is_good) {
            remove(files->json.data);
            remove(files->motion.data);
            status = fb_run_file_take_name(&files->table, is_stopped, err);
        }
        status = fb_new_file_close(&json, status, write_error, err);
    }
    fb_text_free(&part);
    return status;
}
