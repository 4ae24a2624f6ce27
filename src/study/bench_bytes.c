// A run of a benchmark case as bytes.
#include "study/bench_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "study/bench_run.h"

typedef struct Packed {
    FbBenchOutcome outcome;  // its texts follow
    int n_measures, n_messages;
} Packed;

typedef struct PackedMeasure {
    double error;
    int is_within;
} PackedMeasure;

typedef struct PackedMessage {
    int severity, status, line, col;
} PackedMessage;

// NULL and "" are one: no text of a run differs in it but failed_model, which is never "".
static void add_text(FbText* out, const char* text) {
    size_t n = text ? strlen(text) : 0;
    fb_text_add_n(out, (const char*)&n, sizeof n);
    fb_text_add_n(out, text ? text : "", n);
}

static void add_messages(const FbDiagnostics* list, FbText* out) {
    for (int i = 0; i < fb_diagnostics_count(list); i++) {
        const FbDiagnostic* d = fb_diagnostics_get(list, i);
        PackedMessage m = {(int)d->severity, (int)d->status, d->place.line, d->place.col};
        fb_text_add_n(out, (const char*)&m, sizeof m);
        add_text(out, d->place.file);
        add_text(out, d->text);
    }
}

void fb_bench_run_pack(const FbBenchRun* run, const FbDiagnostics* diagnostics, FbText* out) {
    Packed p = {.outcome = run->outcome,
                .n_measures = run->bench_case->n_measures,
                .n_messages = fb_diagnostics_count(diagnostics)};
    p.outcome.worst_name = p.outcome.failure = p.outcome.failed_model = NULL;
    p.outcome.stats.integrator = p.outcome.stats.integrator_reason = NULL;
    fb_text_add_n(out, (const char*)&p, sizeof p);
    for (int k = 0; k < p.n_measures; k++) {
        PackedMeasure m = {run->measures[k].error, run->measures[k].is_within};
        fb_text_add_n(out, (const char*)&m, sizeof m);
    }
    add_text(out, run->integrator);
    add_text(out, run->failure);
    add_text(out, run->outcome.failed_model);
    add_messages(diagnostics, out);
}

typedef struct Bytes {
    const char* at;
    size_t left;
    bool is_good;  // all that was taken was there
} Bytes;

static void take(Bytes* b, void* out, size_t size) {
    b->is_good = b->is_good && size <= b->left;
    if (b->is_good) {
        memcpy(out, b->at, size);
        b->at += size;
        b->left -= size;
    }
}

// To be freed; NULL where it is empty, or not there.
static char* take_text(Bytes* b) {
    size_t n = 0;
    take(b, &n, sizeof n);
    b->is_good = b->is_good && n <= b->left;
    char* text = b->is_good && n > 0 ? malloc(n + 1) : NULL;
    b->is_good = b->is_good && (n == 0 || text);
    if (text) {
        take(b, text, n);
        text[n] = '\0';
    }
    return text;
}

static void take_message(Bytes* b, FbDiagnostics* list) {
    PackedMessage m = {0};
    take(b, &m, sizeof m);
    char *file = take_text(b), *text = take_text(b);
    if (b->is_good) {
        FbPlace place = {file, m.line, m.col};
        fb_diagnose(list, (FbSeverity)m.severity, (FbStatus)m.status, file ? &place : NULL, "%s",
                    text ? text : "");
    }
    free(file);
    free(text);
}

static void copy_and_free(char* text, char* out, size_t size) {
    snprintf(out, size, "%s", text ? text : "");
    free(text);
}

static void take_texts(Bytes* b, FbBenchRun* run) {
    FbBenchOutcome* o = &run->outcome;
    copy_and_free(take_text(b), run->integrator, sizeof run->integrator);
    copy_and_free(take_text(b), run->failure, sizeof run->failure);
    run->failed_path = take_text(b);
    o->failed_model = run->failed_path;
    o->failure = run->failure;
    o->stats.integrator = run->integrator;
    o->stats.integrator_reason = "";
}

static void take_run(Bytes* b, FbBenchRun* run, FbDiagnostics* diagnostics) {
    int n = run->bench_case->n_measures;
    Packed p;
    take(b, &p, sizeof p);
    b->is_good = b->is_good && p.n_measures == n && p.outcome.worst >= 0 && p.outcome.worst < n;
    if (!b->is_good) {
        return;
    }
    run->outcome = p.outcome;
    run->outcome.worst_name = run->measures[p.outcome.worst].name;
    for (int k = 0; k < n; k++) {
        PackedMeasure m = {0};
        take(b, &m, sizeof m);
        run->measures[k].error = m.error;
        run->measures[k].is_within = m.is_within;
    }
    take_texts(b, run);
    for (int i = 0; i < p.n_messages && b->is_good; i++) {
        take_message(b, diagnostics);
    }
    b->is_good = b->is_good && b->left == 0;
}

FbStatus fb_bench_run_unpack(const FbBenchCase* c, const FbBenchOptions* options, const char* data,
                             size_t size, FbBenchRun** out, FbDiagnostics* diagnostics,
                             FbError* err) {
    Bytes b = {data, size, true};
    *out = fb_bench_run_create(c, options);
    if (!*out) {
        return fb_fail_memory(err);
    }
    take_run(&b, *out, diagnostics);
    if (!b.is_good) {
        fb_bench_run_destroy(*out);
        *out = NULL;
        return fb_fail(err, FB_ERR_IO, NULL, "these bytes are not a run of case %s", c->name);
    }
    return FB_OK;
}
