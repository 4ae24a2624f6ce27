// Rows that leave memory during a run, and states from which it is resumed.
//
// A state of a run is a header, what was counted and recorded besides rows (events, lengths of
// steps), and the state of the simulation (state.c), which has a checksum of its own.
#include "solve/stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/sha256.h"
#include "base/text.h"
#include "model/model.h"
#include "solve/simulation.h"

enum { BLOCK = 256, KEPT_NUMBERS = 1 << 20, KEY = 64, NAME = 120 };
static const double FLUSH_S = 1.0;     // wall time after which rows are written in any case
static const double COST_PART = 0.05;  // of the time, at most, goes into saving states
static const char MAGIC[8] = {'F', 'L', 'Y', 'B', 'R', 'U', 'N', '1'};

typedef struct Head {
    char magic[8];
    char key[KEY];
    double next_sample;
    double wall_s, cpu_s;
    int n_row, n_event;
} Head;

void fb_run_key(const FbModel* model, const FbRunOptions* options, char out[65]) {
    const FbSettings* s = &options->settings;
    FbText text;
    fb_text_init(&text);
    fb_text_addf(&text, "%s %s %s", fb_version(), fb_model_get_hash(model),
                 s->integrator ? s->integrator : "auto");
    const double numbers[] = {
        s->start, s->duration,        s->sample,           s->rtol, s->atol, s->max_step,
        s->step,  s->spectral_radius, (double)s->max_steps};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        fb_text_addf(&text, " %.17g", numbers[i]);
    }
    for (int i = 0; options->inputs && i < model->n_inputs; i++) {
        fb_text_addf(&text, " %.17g", options->inputs[i]);
    }
    fb_sha256_hex(text.data ? text.data : "", text.has_failed ? 0 : text.length, out);
    fb_text_free(&text);
}

// ---- Rows ----

static FbStatus write_rows(FbSimulation* sim, FbError* err) {
    FbResult* r = sim->result;
    const FbRowSink* sink = sim->sink;
    if (!sink || r->n_sent == r->n_row) {
        return FB_OK;
    }
    int n = r->n_row - r->n_sent, first = r->n_sent;
    r->n_sent = r->n_row;
    return sink->write(sink->self, fb_result_row(r, first), n, err);
}

FbStatus fb_simulation_make_room(FbSimulation* sim, FbError* err) {
    FbResult* r = sim->result;
    if (r->most_rows == 0 || r->n_row - r->first_row < r->most_rows) {
        return FB_OK;
    }
    FB_TRY(write_rows(sim, err));
    fb_result_forget_rows(r);
    return FB_OK;
}

// ---- States ----

static void remember_events(FbSimulation* sim, int n_event, FbMemory* m) {
    FbResult* r = sim->result;
    for (int i = 0; i < n_event && !m->has_failed; i++) {
        char name[NAME] = "";
        FbEventRecord e = {0};
        if (!m->is_loading) {
            e = r->events[i];
            snprintf(name, sizeof name, "%s", e.name);
        }
        FB_REMEMBER(m, name);
        FB_REMEMBER(m, e.t);
        FB_REMEMBER(m, e.direction);
        double* values = m->is_loading ? NULL : (double*)e.outputs;
        if (m->is_loading) {
            const char* known = NULL;
            int n_root = fb_system_get_max_sizes(sim->system).n_root;
            for (int root = 0; root < n_root && !known; root++) {
                const char* own = fb_system_get_event_name(sim->system, root);
                known = own && strncmp(own, name, NAME - 1) == 0 ? own : NULL;
            }
            values =
                known && !m->has_failed ? fb_result_add_event(r, known, e.t, e.direction) : NULL;
            m->has_failed = m->has_failed || !values;
        }
        if (values) {
            fb_memory_doubles(m, values, r->n_column);
        }
    }
}

static void remember_limits(FbSimulation* sim, FbMemory* m) {
    FbResult* r = sim->result;
    fb_memory_bytes(m, r->limits, sizeof *r->limits * (size_t)r->n_column * FB_RESULT_LIMITS);
}

static void remember_run(FbSimulation* sim, Head* head, FbMemory* m) {
    FB_REMEMBER(m, *head);
    FB_REMEMBER(m, *sim->result->log);
    fb_memory_doubles(m, (double*)fb_result_row(sim->result, head->n_row - 1),
                      1 + sim->result->n_column);
    remember_limits(sim, m);
    remember_events(sim, head->n_event, m);
}

static Head make_head(const FbSimulation* sim, double wall_s, double cpu_s) {
    Head head = {.next_sample = sim->next_sample,
                 .wall_s = wall_s,
                 .cpu_s = cpu_s,
                 .n_row = sim->result->n_row,
                 .n_event = sim->result->n_event};
    char key[KEY + 1];
    memcpy(head.magic, MAGIC, sizeof head.magic);
    fb_run_key(sim->model, &sim->options, key);
    memcpy(head.key, key, KEY);
    return head;
}

static FbStatus save_state(FbSimulation* sim, double wall_s, double cpu_s, FbError* err) {
    void* inner;
    size_t inner_size;
    FB_TRY(fb_simulation_save(sim, &inner, &inner_size, err));
    Head head = make_head(sim, wall_s, cpu_s);
    FbMemory m = {0};
    remember_run(sim, &head, &m);
    size_t size = m.used + inner_size;
    unsigned char* bytes = calloc(1, size + 1);
    FbStatus status = bytes ? FB_OK : fb_fail_memory(err);
    if (bytes) {
        m = (FbMemory){.data = bytes, .size = m.used};
        remember_run(sim, &head, &m);
        memcpy(bytes + m.used, inner, inner_size);
        status = sim->sink->save(sim->sink->self, bytes, size, err);
    }
    free(bytes);
    free(inner);
    return status;
}

// Methods without a memory start again at a state: their runs cannot be continued exactly.
static bool can_save(const FbSimulation* sim) {
    return sim->sink && sim->sink->save && sim->run.integrator->type->remember;
}

FbStatus fb_simulation_stream(FbSimulation* sim, FbStreamMoment when, double wall_start,
                              double cpu_start, FbError* err) {
    if (!sim->sink || !sim->result) {
        return FB_OK;
    }
    double now = fb_clock_wall_s();
    int n = sim->result->n_row - sim->result->n_sent;
    bool is_end = when != FB_STREAM_STEP;
    bool is_due =
        can_save(sim) && (when == FB_STREAM_STOPPED || (!is_end && now >= sim->next_save));
    if (n >= BLOCK || (n > 0 && now >= sim->next_write) || is_end || is_due) {
        FB_TRY(write_rows(sim, err));
        sim->next_write = now + FLUSH_S;
    }
    if (is_due) {
        FB_TRY(save_state(sim, sim->wall_before + now - wall_start,
                          sim->stats.cpu_s + fb_clock_cpu_s() - cpu_start, err));
        double after = fb_clock_wall_s();
        double interval = sim->sink->save_interval;
        sim->next_save = interval > 0.0 ? after + fmax(interval, (after - now) / COST_PART) : 0.0;
    }
    return FB_OK;
}

// ---- Whole runs ----

static FbStatus fail_state(FbError* err) {
    return fb_fail(err, FB_ERR_SYNTAX, NULL,
                   "this is not the state of a run, or it was saved by another version");
}

// The digests of the file protect against accidents, these against numbers that nothing wrote.
static bool is_possible(const Head* h) {
    static const double MOST = 2e8;  // samples
    bool is_over = isinf(h->next_sample) && h->next_sample > 0.0;
    bool is_sample =
        h->next_sample >= 1.0 && h->next_sample <= MOST && h->next_sample == floor(h->next_sample);
    return h->n_event >= 0 && h->n_row >= 1 && h->n_row <= MOST && (is_over || is_sample);
}

static bool is_log(const FbStepLog* log) {
    return log->n >= 1 && log->n < FB_STEP_LOG_NODES && log->stride >= 1 &&
           log->stride <= 1 << 30 && log->waiting >= 0 && log->waiting <= log->stride;
}

static bool are_limits(const FbResult* r, int n_row) {
    for (int i = 0; i < r->n_column * FB_RESULT_LIMITS; i++) {
        if (r->limits[i] < 0 || r->limits[i] > n_row) {
            return false;
        }
    }
    return true;
}

static FbStatus load_rows(FbSimulation* sim, const FbStreaming* how, int n_row, FbError* err) {
    FbResult* r = sim->result;
    if (how->keeps_rows && how->n_rows != n_row) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "the state has %d rows before it, not %d", n_row,
                       how->n_rows);
    }
    // The last one is in memory, at the start of the table.
    r->n_row = 1;
    for (int i = 1; how->keeps_rows && i < n_row; i++) {
        if (!fb_result_add_row(r, 0.0)) {
            return fb_fail_memory(err);
        }
    }
    if (how->keeps_rows) {
        memcpy(r->rows, how->rows, sizeof(double) * (size_t)n_row * (size_t)(1 + r->n_column));
    }
    r->n_row = r->n_sent = n_row;
    r->first_row = how->keeps_rows ? 0 : n_row - 1;
    return FB_OK;
}

static FbStatus load_state(FbSimulation* sim, const FbStreaming* how, FbError* err) {
    FbMemory m = {.is_loading = true, .data = (unsigned char*)how->state, .size = how->state_size};
    Head head = {{0}, {0}, 0.0, 0.0, 0.0, 0, 0};
    char key[KEY + 1];
    FB_REMEMBER(&m, head);
    if (m.has_failed || memcmp(head.magic, MAGIC, sizeof MAGIC) != 0 || !is_possible(&head)) {
        return fail_state(err);
    }
    fb_run_key(sim->model, &sim->options, key);
    if (memcmp(head.key, key, KEY) != 0) {
        return fb_fail(err, FB_ERR_MODEL, NULL,
                       "the saved state belongs to a run of another model or with other settings; "
                       "give the same ones, or begin anew without --resume");
    }
    FB_REMEMBER(&m, *sim->result->log);
    fb_memory_doubles(&m, sim->result->rows, 1 + sim->result->n_column);
    remember_limits(sim, &m);
    remember_events(sim, head.n_event, &m);
    if (m.has_failed || !is_log(sim->result->log) || !are_limits(sim->result, head.n_row)) {
        return fail_state(err);
    }
    FB_TRY(load_rows(sim, how, head.n_row, err));
    FB_TRY(fb_simulation_restore(sim, (const unsigned char*)how->state + m.used,
                                 how->state_size - m.used, err));
    sim->next_sample = head.next_sample;
    sim->wall_before = head.wall_s;
    sim->stats.cpu_s = head.cpu_s;
    return FB_OK;
}

FbStatus fb_simulate_streaming(const FbModel* model, const FbRunOptions* options,
                               const FbStreaming* how, FbResult** out, FbError* err) {
    FbSimulation* sim = NULL;
    *out = NULL;
    FB_TRY(fb_simulation_create(model, options, &sim, err));
    sim->sink = how->sink;
    sim->next_save = fb_clock_wall_s() + (how->sink ? how->sink->save_interval : 0.0);
    int width = fb_model_get_output_count(model) + 1;
    int most = how->keeps_rows || options->record_poses ? 0 : KEPT_NUMBERS / width + 2 * BLOCK;
    FbStatus status = fb_simulation_start_result(sim, most, err);
    if (status == FB_OK && how->state) {
        status = load_state(sim, how, err);
    }
    if (status == FB_OK) {
        status = fb_simulation_record_run(sim, how->state != NULL, out, err);
    } else {
        fb_result_destroy(sim->result);
    }
    fb_simulation_destroy(sim);
    return status;
}
