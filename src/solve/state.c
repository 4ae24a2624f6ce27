// The state of a simulation as bytes, in memory and in files.
//
// A state is a header (what it is, of which model, a checksum) and a body: what the system, the run
// and the method remember, each by one list that counts, saves and loads (base/memory.h).
#include "flyball/simulate.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/new_file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "model/model.h"
#include "solve/simulation.h"

enum { VERSION = 4, DIGITS = 64, NAME = 16 };
static const char MAGIC[8] = {'F', 'L', 'Y', 'B', 'S', 'T', 'A', 'T'};
// As another machine would read it: bytes in another order, or other sizes.
static const size_t MOST_BYTES = (size_t)16 << 30;  // larger than any state
static const uint32_t MACHINE = 0x01020300u + 8 * sizeof(long);

typedef struct Header {
    char magic[8];
    uint32_t version, machine;
    uint64_t size;          // of the body
    char model[DIGITS];     // hash
    char checksum[DIGITS];  // of the body
} Header;

// What the method remembers, if it is the same with the same steps.
typedef struct Method {
    char name[NAME];
    double step;    // fixed length, 0: controlled
    double wanted;  // next
    bool has_memory;
} Method;

static Method describe_method(const FbIntegrator* s) {
    Method x = {.step = s->options.fixed_step, .wanted = s->type->wanted_step(s)};
    snprintf(x.name, sizeof x.name, "%s", s->type->name);
    x.has_memory = s->type->remember != NULL;
    return x;
}

static void remember_counts(FbSimulation* sim, FbMemory* m) {
    int n_root = sim->run.dynamics->size.n_root;
    fb_memory_bytes(m, sim->event_counts, sizeof *sim->event_counts * (size_t)n_root);
    FB_REMEMBER(m, sim->stats.max_constraint_error);
    FB_REMEMBER(m, sim->stats.max_velocity_error);
    FB_REMEMBER(m, sim->stats.energy_start);
    FB_REMEMBER(m, sim->violated);
    if (m->is_loading && (sim->violated.row < -1 || sim->violated.row > sim->model->n_rows)) {
        sim->violated.row = -1;
        m->has_failed = true;
    }
    FB_REMEMBER(m, sim->violated_time);
    FB_REMEMBER(m, sim->has_new_inputs);
    FB_REMEMBER(m, sim->has_failed);
}

static FbStatus save_body(FbSimulation* sim, FbMemory* m, FbError* err) {
    FbIntegrator* s = sim->run.integrator;
    Method method = describe_method(s);
    FB_TRY(fb_system_remember(sim->system, m, err));
    fb_run_remember(&sim->run, m);
    remember_counts(sim, m);
    FB_REMEMBER(m, method);
    if (method.has_memory) {
        s->type->remember(s, m);
    }
    return FB_OK;
}

// The method at the loaded point: with its memory, or restarted with the step length that it had.
static FbStatus load_method(FbSimulation* sim, FbMemory* m, FbError* err) {
    FbIntegrator* s = sim->run.integrator;
    Method saved = {{0}, 0.0, 0.0, false}, own = describe_method(s);
    FB_REMEMBER(m, saved);
    fb_memory_check_flag(m, &saved.has_memory);
    saved.name[NAME - 1] = '\0';
    double initial = s->options.initial_step;
    bool has_steps = !(s->options.fixed_step > 0.0) && !(saved.step > 0.0) && saved.wanted > 0.0;
    s->options.initial_step = has_steps ? saved.wanted : initial;
    sim->run.dynamics->keeps_motion = false;
    FbStatus status = s->type->restart(s, &sim->run.at, err);
    s->options.initial_step = initial;
    FB_TRY(status);
    bool is_same = strcmp(saved.name, own.name) == 0 && saved.step == own.step;
    if (is_same && saved.has_memory && own.has_memory) {
        FbMemory before = *m;
        s->type->remember(s, m);
        // A method that cannot use it (unknowns of another kind) starts again.
        if (m->has_failed) {
            *m = before;
            FB_TRY(s->type->restart(s, &sim->run.at, err));
        }
    }
    return FB_OK;
}

static FbStatus fail_content(FbError* err) {
    return fb_fail(err, FB_ERR_SYNTAX, NULL,
                   "the state does not fit this model, although its checksum is right; it was "
                   "saved by another version of the library");
}

// What the method's restart does to the system is undone by loading that once more.
static FbStatus load_body(FbSimulation* sim, const unsigned char* body, size_t size, FbError* err) {
    FbMemory m = {.is_loading = true, .data = (unsigned char*)body, .size = size};
    FB_TRY(fb_system_remember(sim->system, &m, err));
    if (m.has_failed) {
        return fail_content(err);
    }
    fb_run_remember(&sim->run, &m);
    remember_counts(sim, &m);
    if (m.has_failed) {
        return fail_content(err);
    }
    FB_TRY(load_method(sim, &m, err));
    m = (FbMemory){.is_loading = true, .data = (unsigned char*)body, .size = size};
    return fb_system_remember(sim->system, &m, err);
}

FbStatus fb_simulation_save(FbSimulation* sim, void** data, size_t* size, FbError* err) {
    FbMemory m = {0};
    *data = NULL;
    *size = 0;
    FB_TRY(save_body(sim, &m, err));
    const char* hash = fb_model_get_hash(sim->model);
    if (!hash[0]) {
        return fb_fail_memory(err);
    }
    unsigned char* bytes = calloc(1, sizeof(Header) + m.used + 1);
    if (!bytes) {
        return fb_fail_memory(err);
    }
    FbMemory body = {.data = bytes + sizeof(Header), .size = m.used};
    FbStatus status = save_body(sim, &body, err);
    if (status != FB_OK) {
        free(bytes);
        return status;
    }
    Header h = {.version = VERSION, .machine = MACHINE, .size = m.used};
    char checksum[DIGITS + 1];
    memcpy(h.magic, MAGIC, sizeof h.magic);
    memcpy(h.model, hash, DIGITS);
    fb_sha256_hex(body.data, body.size, checksum);
    memcpy(h.checksum, checksum, DIGITS);
    memcpy(bytes, &h, sizeof h);
    *data = bytes;
    *size = sizeof h + m.used;
    return FB_OK;
}

static FbStatus check(const FbSimulation* sim, const unsigned char* data, size_t size,
                      FbError* err) {
    Header h;
    char checksum[DIGITS + 1];
    if (!data || size < sizeof h || memcmp(data, MAGIC, sizeof MAGIC) != 0) {
        return fb_fail(err, FB_ERR_SYNTAX, NULL, "this is not a saved state of a simulation");
    }
    memcpy(&h, data, sizeof h);
    if (h.machine != MACHINE || h.version != VERSION) {
        return fb_fail(err, FB_ERR_SYNTAX, NULL,
                       "the state has version %lu%s; this library reads version %d",
                       (unsigned long)h.version,
                       h.machine != MACHINE ? " and is of another kind of machine" : "", VERSION);
    }
    if (h.size != size - sizeof h) {
        return fb_fail(err, FB_ERR_SYNTAX, NULL,
                       "the state is incomplete: it has %zu bytes instead of %zu", size,
                       sizeof h + (size_t)h.size);
    }
    fb_sha256_hex(data + sizeof h, (size_t)h.size, checksum);
    if (memcmp(checksum, h.checksum, DIGITS) != 0) {
        return fb_fail(err, FB_ERR_SYNTAX, NULL,
                       "the state was altered: its checksum is %.8s... instead of %.8s...",
                       checksum, h.checksum);
    }
    if (strncmp(h.model, fb_model_get_hash(sim->model), DIGITS) != 0) {
        return fb_fail(err, FB_ERR_MODEL, NULL,
                       "the state belongs to another model (%.8s...) than this one (%.8s...); "
                       "the file, a parameter or a part is different",
                       h.model, fb_model_get_hash(sim->model));
    }
    return FB_OK;
}

static FbStatus restore(FbSimulation* sim, const void* data, size_t size, FbError* err) {
    void* old = NULL;
    size_t old_size = 0;
    FbError ignored;
    FB_TRY(check(sim, data, size, err));
    FB_TRY(fb_simulation_save(sim, &old, &old_size, err));
    FbStatus status =
        load_body(sim, (const unsigned char*)data + sizeof(Header), size - sizeof(Header), err);
    if (status != FB_OK) {
        load_body(sim, (unsigned char*)old + sizeof(Header), old_size - sizeof(Header), &ignored);
    }
    free(old);
    return status;
}

FbStatus fb_simulation_restore(FbSimulation* sim, const void* data, size_t size, FbError* err) {
    FB_TRY(fb_simulation_enter(sim, err));
    FbStatus status = restore(sim, data, size, err);
    fb_simulation_leave(sim);
    return status;
}

FbStatus fb_simulation_write_state(FbSimulation* sim, const char* path, FbError* err) {
    void* data;
    size_t size;
    FbNewFile file;
    FB_TRY(fb_simulation_save(sim, &data, &size, err));
    FbStatus status = fb_new_file_open(&file, path, err);
    if (status == FB_OK) {
        errno = 0;
        bool is_written = fwrite(data, 1, size, file.file) == size && fflush(file.file) == 0;
        int error = is_written ? 0 : errno ? errno : EIO;
        status = fb_new_file_close(&file, FB_OK, error, err);
    }
    free(data);
    return status;
}

static FbStatus read_all(const char* path, char** data, size_t* size, FbError* err) {
    FbStatus status = fb_input_file_read(path, MOST_BYTES, data, size);
    if (status == FB_ERR_MEMORY) {
        return fb_fail_memory(err);
    }
    return status < 0 ? fb_fail(err, status, NULL, "cannot read %s: %s", path, strerror(errno))
                      : FB_OK;
}

FbStatus fb_simulation_read_state(FbSimulation* sim, const char* path, FbError* err) {
    char* data = NULL;
    size_t size = 0;
    FbError found = {.status = FB_OK};
    FB_TRY(read_all(path, &data, &size, err));
    FbStatus status = fb_simulation_restore(sim, data, size, &found);
    free(data);
    return status < 0 ? fb_fail(err, status, NULL, "%s: %s", path, found.text) : status;
}
