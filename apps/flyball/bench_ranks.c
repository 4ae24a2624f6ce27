// The cases of `flyball bench`, shared among ranks.
#include "bench_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sha256.h"
#include "bench_run.h"
#include "load.h"
#include "study/bench_bytes.h"
#include "study/share.h"
#include "terminal.h"

typedef struct Sharer {
    const RankedCases* r;
    int* todo;  // [n_todo] cases
    int n_todo;
} Sharer;

static bool is_stop_wanted(void* self) {
    (void)self;
    return is_interrupted();
}

static void add_text(FbSha256* hash, const char* text) {
    fb_sha256_add(hash, text, strlen(text) + 1);
}

// A file that cannot be read counts as empty: the case says so when it is run.
static void add_file(FbSha256* hash, const char* path) {
    char bytes[4096];
    FILE* file = fopen(path, "rb");
    for (size_t n = 1; file != NULL && n > 0;) {
        n = fread(bytes, 1, sizeof bytes, file);
        fb_sha256_add(hash, bytes, n);
    }
    if (file != NULL) {
        fclose(file);
    }
}

void hash_cases(const Options* options, const BenchCases* cases, char out[65]) {
    FbSha256 hash;
    char numbers[128];
    fb_sha256_init(&hash);
    add_text(&hash, fb_version());
    add_text(&hash, options->integrator != NULL ? options->integrator : "");
    snprintf(numbers, sizeof numbers, "%d %.17g %.17g", options->is_tight, options->rtol,
             options->atol);
    add_text(&hash, numbers);
    for (int i = 0; i < cases->n_cases; i++) {
        FbBenchInfo info;
        fb_bench_case_get_info(cases->cases[i], &info);
        const char* file =
            fb_arena_format(cases->arena, "%s/%s/case.yaml", cases->folder, info.name);
        add_text(&hash, info.name);
        add_file(&hash, file != NULL ? file : "");
        add_file(&hash, info.model_path);
    }
    fb_sha256_end(&hash, out);
}

// A job is the number of a case.
static FbStatus run_job(void* self, const char* job, const FbStop* stop, FbText* result,
                        FbError* err) {
    const RankedCases* r = self;
    FbBenchOptions bench = make_bench_options(r->options);
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbBenchRun* run = NULL;
    int k;
    memcpy(&k, job, sizeof k);
    bench.stop = *stop;
    if (diagnostics != NULL) {
        fb_bench_case_run(r->cases->cases[k], &bench, &run, diagnostics);
    }
    FbStatus status = run != NULL ? FB_OK : fb_fail_memory(err);
    if (run != NULL) {
        FbBenchOutcome outcome;
        fb_bench_run_get_outcome(run, &outcome);
        status = outcome.status == FB_STOPPED ? FB_STOPPED : FB_OK;
        fb_bench_run_pack(run, diagnostics, result);
    }
    fb_bench_run_destroy(run);
    fb_diagnostics_destroy(diagnostics);
    return status;
}

// One at a time in each process: their times are measured.
static FbWork make_work(const RankedCases* r, const char* sha256) {
    return (FbWork){.file = r->cases->folder,
                    .sha256 = sha256,
                    .job_size = sizeof(int),
                    .n_threads = 1,
                    .stop = {is_stop_wanted, NULL},
                    .run = run_job,
                    .self = (void*)r};
}

static int count(void* self, bool* is_all) {
    *is_all = true;
    return ((Sharer*)self)->n_todo;
}

static bool describe(void* self, int job, char* out) {
    memcpy(out, &((Sharer*)self)->todo[job], sizeof(int));
    return true;
}

static FbStatus add(void* self, int job, const char* result, size_t size, FbError* err) {
    Sharer* s = self;
    const RankedCases* r = s->r;
    CaseOutcome* c = &r->outcomes[s->todo[job]];
    FbBenchOptions bench = make_bench_options(r->options);
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbStatus status = diagnostics != NULL ? fb_bench_run_unpack(c->bench_case, &bench, result, size,
                                                                &c->run, diagnostics, err)
                                          : fb_fail_memory(err);
    if (status == FB_OK && r->take(r->self, c, diagnostics) == EXIT_FILE) {
        status = fb_fail(err, FB_ERR_IO, NULL, "the table cannot be written");
    }
    fb_diagnostics_destroy(diagnostics);
    return status;
}

FbStatus share_cases(const RankedCases* r, FbError* err) {
    char sha256[65];
    Sharer s = {.r = r, .todo = calloc((size_t)r->cases->n_cases + 1, sizeof(int))};
    for (int i = 0; s.todo != NULL && i < r->cases->n_cases; i++) {
        if (r->outcomes[i].run == NULL) {
            s.todo[s.n_todo++] = i;
        }
    }
    hash_cases(r->options, r->cases, sha256);
    FbShare share = {.work = make_work(r, sha256),
                     .ranks = r->ranks,
                     .count = count,
                     .describe = describe,
                     .add = add,
                     .self = &s};
    FbStatus status = s.todo != NULL ? fb_share(&share, err) : fb_fail_memory(err);
    fb_share_end(r->ranks);
    free(s.todo);
    return status;
}

int work_on_cases(const Options* options, const BenchCases* cases, FbRanks* ranks) {
    char sha256[65];
    RankedCases r = {.options = options, .cases = cases, .ranks = ranks};
    hash_cases(options, cases, sha256);
    FbWork work = make_work(&r, sha256);
    FbError err;
    FbStatus status = fb_share_work(&work, ranks, &err);
    if (status != FB_ERR_IO) {
        return EXIT_OK;  // rank 0 has learned of it
    }
    print_error(&err);
    return exit_code_of(status);
}
