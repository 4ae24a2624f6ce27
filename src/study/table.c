// The table of trials in memory and its way to the file.
#include "study/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "study/table_read.h"

// FNV-1a over the bytes of the parameters.
static size_t hash_of(const double* parameters, int n) {
    size_t hash = 1469598103934665603u;
    for (int i = 0; i < n; i++) {
        double value = parameters[i] + 0.0;  // -0 and 0 are one
        unsigned char bytes[sizeof value];
        memcpy(bytes, &value, sizeof value);
        for (size_t b = 0; b < sizeof value; b++) {
            hash = (hash ^ bytes[b]) * 1099511628211u;
        }
    }
    return hash;
}

static bool has_parameters(const FbTrial* t, const double* parameters, int n) {
    for (int i = 0; i < n; i++) {
        if (t->values[i] != parameters[i]) {
            return false;
        }
    }
    return true;
}

// The slot of these parameters, or the empty one where they belong.
static int find_slot(const FbTrialTable* table, const double* parameters) {
    int n = table->study->n_parameters;
    size_t mask = (size_t)table->n_slots - 1;
    for (size_t i = hash_of(parameters, n) & mask;; i = (i + 1) & mask) {
        int index = table->slots[i];
        if (index < 0 || has_parameters(table->trials[index], parameters, n)) {
            return (int)i;
        }
    }
}

static void fill_slots(FbTrialTable* table) {
    for (int i = 0; i < table->n_slots; i++) {
        table->slots[i] = -1;
    }
    for (int i = 0; i < table->n; i++) {
        table->slots[find_slot(table, table->trials[i]->values)] = i;
    }
}

static bool grow_slots(FbTrialTable* table) {
    if (table->n_slots > 2 * table->n + 2) {
        return true;
    }
    int n = table->n_slots > 0 ? 4 * table->n_slots : 64;
    int* slots = malloc(sizeof(int) * (size_t)n);
    if (!slots) {
        return false;
    }
    free(table->slots);
    table->slots = slots;
    table->n_slots = n;
    fill_slots(table);
    return true;
}

FbTrial* fb_table_find(const FbTrialTable* table, const double* parameters) {
    if (table->n_slots == 0) {
        return NULL;
    }
    int index = table->slots[find_slot(table, parameters)];
    return index >= 0 ? table->trials[index] : NULL;
}

FbTrial* fb_table_create_trial(FbTrialTable* table, const double* parameters) {
    FbTrial* t = fb_trial_create(table->study, table->arena);
    if (t) {
        memcpy(t->values, parameters, sizeof(double) * (size_t)table->study->n_parameters);
    }
    return t;
}

FbStatus fb_table_keep(FbTrialTable* table, FbTrial* trial, FbError* err) {
    if (!fb_grow((void**)&table->trials, &table->capacity, table->n, sizeof(FbTrial*)) ||
        !grow_slots(table)) {
        return fb_fail_memory(err);
    }
    int* index = &table->slots[find_slot(table, trial->values)];
    if (*index < 0) {
        *index = table->n++;
    } else if (trial->point > table->trials[*index]->point && table->trials[*index]->point >= 0) {
        trial->point = table->trials[*index]->point;  // of equal samples the first
    }
    table->trials[*index] = trial;
    return FB_OK;
}

static void write_header(FbCsvWriter* w, const FbTrialTable* table) {
    const FbStudy* s = table->study;
    if (table->is_search) {
        fb_csv_writer_add_text(w, "start");
    }
    fb_csv_writer_add_text(w, "point");
    for (int i = 0; i < s->n_parameters; i++) {
        fb_csv_writer_add_text(w, s->parameters[i].name);
    }
    for (int i = 0; i < s->n_measures; i++) {
        fb_csv_writer_add_name(w, s->measures[i].name, s->measures[i].unit);
    }
    if (s->objective) {
        fb_csv_writer_add_text(w, "objective");
    }
    static const char* const others[] = {"status", "message", "steps"};
    for (int i = 0; i < 3; i++) {
        fb_csv_writer_add_text(w, others[i]);
    }
    fb_csv_writer_add_name(w, "wall", "s");
    fb_csv_writer_add_text(w, "study");
    fb_csv_writer_end_row(w);
}

static void write_row(FbCsvWriter* w, const FbTrialTable* table, const FbTrial* t) {
    const FbStudy* s = table->study;
    if (table->is_search) {
        fb_csv_writer_add_number(w, t->start + 1);
    }
    if (t->point < 0) {
        fb_csv_writer_add_text(w, "");
    } else {
        fb_csv_writer_add_number(w, t->point + 1);
    }
    for (int i = 0; i < s->n_parameters + s->n_measures; i++) {
        fb_csv_writer_add_number(w, t->values[i]);
    }
    if (s->objective) {
        fb_csv_writer_add_number(w, t->objective);
    }
    fb_csv_writer_add_text(w, fb_trial_status_names[t->status]);
    fb_csv_writer_add_text(w, t->message);
    fb_csv_writer_add_number(w, (double)t->steps);
    fb_csv_writer_add_number(w, t->wall_s);
    fb_csv_writer_add_text(w, fb_table_short_hash(s).text);
    fb_csv_writer_end_row(w);
}

FbTableHash fb_table_short_hash(const FbStudy* s) {
    FbTableHash hash;
    memcpy(hash.text, s->sha256, sizeof hash.text - 1);
    hash.text[sizeof hash.text - 1] = '\0';
    return hash;
}

// Two programs that write one table would spoil it.
static FbStatus lock_file(FbTrialTable* table, FbError* err) {
    if (flock(fileno(table->writer.file), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        FbPlace place = {.file = table->path};
        return fb_fail(err, FB_ERR_IO, &place,
                       "another program is writing this table; give another file with -o");
    }
    return FB_OK;
}

FbStatus fb_table_open(FbTrialTable* table, const FbStudy* study, const char* path, bool is_search,
                       bool is_retry, FbError* err) {
    *table = (FbTrialTable){
        .study = study, .path = path, .is_search = is_search, .arena = fb_arena_create()};
    if (!table->arena) {
        return fb_fail_memory(err);
    }
    FB_TRY(fb_csv_writer_append(&table->writer, path, err));
    table->is_open = true;
    FB_TRY(lock_file(table, err));
    size_t size = 0;
    FB_TRY(fb_table_read(table, path, is_retry, &size, err));
    table->n_read = table->n;
    if (ftruncate(fileno(table->writer.file), (off_t)size) != 0) {
        FbPlace place = {.file = path};
        return fb_fail(err, FB_ERR_IO, &place, "cannot write the file: %s", strerror(errno));
    }
    if (size == 0) {
        write_header(&table->writer, table);
        fb_csv_writer_flush(&table->writer);
    }
    return FB_OK;
}

FbStatus fb_table_add(FbTrialTable* table, FbTrial* trial, FbError* err) {
    FB_TRY(fb_table_keep(table, trial, err));
    write_row(&table->writer, table, trial);
    fb_csv_writer_flush(&table->writer);
    if (table->writer.write_error != 0 || table->writer.line.has_failed) {
        FbPlace place = {.file = table->path};
        return fb_fail(err, FB_ERR_IO, &place, "cannot write the file: %s",
                       strerror(table->writer.write_error));
    }
    return FB_OK;
}

// Rows of no point of this study come last.
static int compare_trials(const void* a, const void* b) {
    const FbTrial *x = *(FbTrial*const*)a, *y = *(FbTrial*const*)b;
    if ((x->point < 0) != (y->point < 0)) {
        return x->point < 0 ? 1 : -1;
    }
    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    return (x->point > y->point) - (x->point < y->point);
}

FbStatus fb_table_finish(FbTrialTable* table, FbError* err) {
    if (table->n > 0) {
        qsort(table->trials, (size_t)table->n, sizeof *table->trials, compare_trials);
        fill_slots(table);
    }
    FbCsvWriter w;
    FB_TRY(fb_csv_writer_open(&w, table->path, err));
    write_header(&w, table);
    for (int i = 0; i < table->n; i++) {
        write_row(&w, table, table->trials[i]);
    }
    return fb_csv_writer_close(&w, err);
}

void fb_table_close(FbTrialTable* table) {
    if (table->is_open) {
        fb_csv_writer_close(&table->writer, NULL);
    }
    free(table->trials);
    free(table->slots);
    fb_arena_destroy(table->arena);
    *table = (FbTrialTable){0};
}
