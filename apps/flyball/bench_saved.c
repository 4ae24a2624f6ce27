// Finished cases of an interrupted `flyball bench`: a line with a hash of the cases and options,
// then for each a record {case, size, CRC-32 of the bytes, bytes}. A record that a killed program
// left incomplete ends the file.
#include "bench_saved.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32.h"
#include "base/error.h"
#include "base/text.h"
#include "bench_ranks.h"
#include "bench_run.h"
#include "study/bench_bytes.h"
#include "terminal.h"

enum { MOST_BYTES = 1 << 24 };

typedef struct Record {
    int32_t index, size;
    uint32_t crc;
} Record;

static char* make_path(const Options* options) {
    FbText path;
    fb_text_init(&path);
    fb_text_addf(&path, "%s.part.runs", options->output);
    return fb_text_steal(&path);
}

static void make_line(const Options* options, const BenchCases* cases, char line[66]) {
    hash_cases(options, cases, line);
    line[64] = '\n';
    line[65] = '\0';
}

// False: the end, or what cannot be read.
static bool read_record(FILE* file, Record* record, char** bytes) {
    *bytes = NULL;
    if (fread(record, sizeof *record, 1, file) != 1 || record->size < 0 ||
        record->size > MOST_BYTES) {
        return false;
    }
    *bytes = malloc((size_t)record->size + 1);
    return *bytes != NULL && fread(*bytes, 1, (size_t)record->size, file) == (size_t)record->size &&
           fb_crc32(0, *bytes, (size_t)record->size) == record->crc;
}

typedef struct Reader {
    const Options* options;
    const BenchCases* cases;
    CaseOutcome* outcomes;
    void (*take)(const Options*, CaseOutcome*, FbDiagnostics*);
} Reader;

static FbStatus take_record(const Reader* r, const Record* record, const char* bytes,
                            FbError* err) {
    if (record->index < 0 || record->index >= r->cases->n_cases ||
        r->outcomes[record->index].run != NULL) {
        return FB_OK;
    }
    CaseOutcome* c = &r->outcomes[record->index];
    FbBenchOptions bench = make_bench_options(r->options);
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbStatus status = diagnostics != NULL
                          ? fb_bench_run_unpack(c->bench_case, &bench, bytes, (size_t)record->size,
                                                &c->run, diagnostics, err)
                          : fb_fail_memory(err);
    if (status == FB_OK) {
        r->take(r->options, c, diagnostics);
    }
    fb_diagnostics_destroy(diagnostics);
    return status;
}

static FbStatus read_file(const Reader* r, const char* path, FbError* err) {
    char line[66], found[66] = "", *bytes;
    Record record;
    FILE* file = fopen(path, "rb");
    FbStatus status = FB_OK;
    if (file == NULL) {
        return errno == ENOENT ? FB_OK
                               : fb_fail(err, FB_ERR_IO, NULL, "%s: %s", path, strerror(errno));
    }
    make_line(r->options, r->cases, line);
    size_t n = fread(found, 1, 65, file);
    if (n == 65 && strcmp(found, line) != 0) {
        status = fb_fail(err, FB_ERR_ARGUMENT, NULL,
                         "%s is of other cases, models, options or another version; run without "
                         "--resume to begin anew",
                         path);
    }
    long end = 0;
    for (bool is_read = n == 65; is_read && status == FB_OK;) {
        end = ftell(file);
        is_read = read_record(file, &record, &bytes);
        status = is_read ? take_record(r, &record, bytes, err) : FB_OK;
        free(bytes);
    }
    fclose(file);
    // What is appended to a record that is not whole would never be read.
    return status == FB_OK && truncate(path, end) != 0
               ? fb_fail(err, FB_ERR_IO, NULL, "%s: %s", path, strerror(errno))
               : status;
}

FbStatus read_saved_cases(const Options* options, const BenchCases* cases, CaseOutcome* outcomes,
                          void (*take)(const Options*, CaseOutcome*, FbDiagnostics*),
                          FbError* err) {
    Reader r = {options, cases, outcomes, take};
    if (options->output == NULL) {
        return FB_OK;
    }
    if (!options->is_resume) {
        forget_saved_cases(options);
        return FB_OK;
    }
    char* path = make_path(options);
    FbStatus status = path != NULL ? read_file(&r, path, err) : fb_fail_memory(err);
    free(path);
    return status;
}

FbStatus save_case(const Options* options, const BenchCases* cases, int index,
                   const FbBenchRun* run, const FbDiagnostics* diagnostics, FbError* err) {
    if (options->output == NULL) {
        return FB_OK;
    }
    FbText bytes;
    fb_text_init(&bytes);
    fb_bench_run_pack(run, diagnostics, &bytes);
    char line[66], *path = make_path(options);
    FILE* file = path != NULL && !bytes.has_failed ? fopen(path, "ab") : NULL;
    bool is_good = file != NULL;
    if (file != NULL) {
        Record record = {index, (int32_t)bytes.length, fb_crc32(0, bytes.data, bytes.length)};
        make_line(options, cases, line);
        is_good = (ftell(file) > 0 || fwrite(line, 1, 65, file) == 65) &&
                  fwrite(&record, sizeof record, 1, file) == 1 &&
                  fwrite(bytes.data, 1, bytes.length, file) == bytes.length;
        is_good = fclose(file) == 0 && is_good;
    }
    FbStatus status = is_good ? FB_OK
                              : fb_fail(err, FB_ERR_IO, NULL, "%s.part.runs: %s", options->output,
                                        strerror(errno));
    fb_text_free(&bytes);
    free(path);
    return status;
}

void forget_saved_cases(const Options* options) {
    char* path = options->output != NULL ? make_path(options) : NULL;
    if (path != NULL) {
        unlink(path);
    }
    free(path);
}
