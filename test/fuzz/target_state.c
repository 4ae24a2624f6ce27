// Saved states of simulations and of runs. A checksum stops nearly all altered bytes: an input is a
// state, or, where it begins with "CHANGES:", a list of changes to a good one whose checksum is
// then corrected, as a program with another layout might have written it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "flyball/flyball.h"
#include "fuzz.h"
#include "solve/stream.h"

// Of the header in src/solve/state.c: magic, version, machine, size, model, checksum.
enum { HEADER = 8 + 4 + 4 + 8 + 64 + 64, CHECKSUM = HEADER - 64, CHANGE = 5, MARK = 8 };

typedef struct Good {
    FbModel* model;
    unsigned char *state, *run;
    size_t state_size, run_size;
} Good;

static FbStatus ignore_rows(void* self, const double* rows, int n, FbError* err) {
    (void)self;
    (void)rows;
    (void)n;
    (void)err;
    return FB_OK;
}

static FbStatus keep(void* self, const void* data, size_t size, FbError* err) {
    Good* g = self;
    (void)err;
    free(g->run);
    g->run = malloc(size);
    g->run_size = size;
    memcpy(g->run, data, size);
    return FB_OK;
}

// Once: a model, a state of its simulation, and one of its run.
static const Good* good(void) {
    static Good g;
    if (g.model) {
        return &g;
    }
    FbDiagnostics* d = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbError err;
    FbResult* result = NULL;
    FbSimulation* sim = NULL;
    void* data;
    if (fb_model_def_read_file(FUZZ_FOLDER "/state.yaml", NULL, &def, d) != FB_OK ||
        fb_model_create(def, &g.model, d) != FB_OK) {
        for (int i = 0; i < fb_diagnostics_count(d); i++) {
            fprintf(stderr, "%s\n", fb_diagnostics_get(d, i)->text);
        }
        abort();
    }
    FbRunOptions options = fb_run_options_default(g.model);
    FbRowSink sink = {.self = &g, .write = ignore_rows, .save = keep};
    FbStreaming how = {.sink = &sink};
    if (fb_simulate_streaming(g.model, &options, &how, &result, &err) < 0 || !g.run ||
        fb_simulation_create(g.model, &options, &sim, &err) < 0 ||
        fb_simulation_advance(sim, 0.1, &err) < 0 ||
        fb_simulation_save(sim, &data, &g.state_size, &err) < 0) {
        abort();
    }
    g.state = data;
    fb_simulation_destroy(sim);
    fb_result_destroy(result);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(d);
    return &g;
}

// The changes: four bytes of a place and one that is put there.
static unsigned char* changed(const unsigned char* from, size_t n, const uint8_t* data,
                              size_t size) {
    unsigned char* copy = malloc(n);
    memcpy(copy, from, n);
    for (size_t i = 0; i + CHANGE <= size; i += CHANGE) {
        uint32_t at;
        memcpy(&at, data + i, sizeof at);
        copy[at % n] = data[i + 4];
    }
    return copy;
}

static bool has_changes(const uint8_t* data, size_t size) {
    return size >= MARK && memcmp(data, "CHANGES:", MARK) == 0;
}

static void correct(unsigned char* state, size_t size) {
    char digits[65];
    fb_sha256_hex(state + HEADER, size - HEADER, digits);
    memcpy(state + CHECKSUM, digits, 64);
}

static void restore(const void* data, size_t size) {
    FbRunOptions options = fb_run_options_default(good()->model);
    FbSimulation* sim = NULL;
    FbError err;
    if (fb_simulation_create(good()->model, &options, &sim, &err) == FB_OK) {
        if (fb_simulation_restore(sim, data, size, &err) == FB_OK) {
            double values[8];
            fb_simulation_calc_outputs(sim, values, &err);
        }
    }
    fb_simulation_destroy(sim);
}

void fuzz_state(const uint8_t* data, size_t size) {
    const Good* g = good();
    if (!has_changes(data, size)) {
        restore(data, size);
        return;
    }
    unsigned char* copy = changed(g->state, g->state_size, data + MARK, size - MARK);
    correct(copy, g->state_size);
    restore(copy, g->state_size);
    free(copy);
}

static bool stop_at_once(void* self, const FbProgress* progress) {
    (void)self;
    (void)progress;
    return false;
}

static void continue_run(const void* data, size_t size) {
    FbRunOptions options = fb_run_options_default(good()->model);
    FbRowSink sink = {.write = ignore_rows};
    FbStreaming how = {.sink = &sink, .state = data, .state_size = size};
    FbResult* result = NULL;
    FbError err;
    options.progress = stop_at_once;
    options.settings.max_steps = 0;
    fb_simulate_streaming(good()->model, &options, &how, &result, &err);
    fb_result_destroy(result);
}

void fuzz_run_state(const uint8_t* data, size_t size) {
    const Good* g = good();
    if (!has_changes(data, size)) {
        continue_run(data, size);
        return;
    }
    unsigned char* copy = changed(g->run, g->run_size, data + MARK, size - MARK);
    continue_run(copy, g->run_size);
    free(copy);
}
