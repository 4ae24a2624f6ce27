// Reads a table of trials back: its header must be that of the study, and so must be the hash in
// each row.
#include "study/table_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/read.h"
#include "record/csv_cell.h"

typedef struct Row {
    const char** cells;  // [n_cells]
    FbPlace place;       // of the first one
} Row;

// The cells of one row, [table columns]; *is_whole: as many as there should be.
static FbStatus read_row(FbCsvReader* r, FbArena* arena, int n_cells, Row* row, bool* is_whole,
                         FbError* err) {
    int n = 0;
    do {
        FB_TRY(fb_csv_reader_cell(r, err));
        if (n == 0) {
            row->place = r->cell_place;
        }
        if (n < n_cells && !(row->cells[n] = fb_arena_text(arena, r->cell.data))) {
            return fb_fail_memory(err);
        }
        n++;
    } while (!r->is_row_end);
    *is_whole = n == n_cells;
    return FB_OK;
}

static int count_cells(const FbTrialTable* table) {
    const FbStudy* s = table->study;
    return (table->is_search ? 2 : 1) + s->n_parameters + s->n_measures + (s->objective ? 1 : 0) +
           5;
}

// "name [unit]" or "name".
static bool is_name(const char* cell, const char* name) {
    size_t n = strlen(name);
    return strncmp(cell, name, n) == 0 && (cell[n] == '\0' || cell[n] == ' ');
}

static bool is_header(const FbTrialTable* table, const Row* row) {
    const FbStudy* s = table->study;
    const char* const* c = row->cells;
    bool is_good = !table->is_search || is_name(*c++, "start");
    is_good &= is_name(*c++, "point");
    for (int i = 0; i < s->n_parameters; i++) {
        is_good &= is_name(*c++, s->parameters[i].name);
    }
    for (int i = 0; i < s->n_measures; i++) {
        is_good &= is_name(*c++, s->measures[i].name);
    }
    is_good &= !s->objective || is_name(*c++, "objective");
    static const char* const others[] = {"status", "message", "steps", "wall", "study"};
    for (int i = 0; i < 5; i++) {
        is_good &= is_name(*c++, others[i]);
    }
    return is_good;
}

static FbStatus fail_other(const FbTrialTable* table, const FbPlace* place, FbError* err) {
    return fb_fail(err, FB_ERR_MODEL, place,
                   "this table belongs to a different study, model or set of measures than %s; "
                   "remove it, or give another file with -o",
                   table->study->file);
}

static double parse(const char* cell) {
    double value;
    return fb_parse_double(cell, strlen(cell), &value) ? value : NAN;
}

static int parse_index(const char* cell) {
    double value = parse(cell);
    return value >= 1.0 && value <= 2147483647.0 ? (int)value - 1 : -1;
}

static int parse_status(const char* cell) {
    for (int i = 0; i < FB_N_TRIAL_STATUSES; i++) {
        if (strcmp(cell, fb_trial_status_names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static FbStatus add_row(FbTrialTable* table, const Row* row, bool is_retry, FbError* err) {
    const FbStudy* s = table->study;
    const char* const* c = row->cells;
    FbTrial* t = fb_trial_create(s, table->arena);
    if (!t) {
        return fb_fail_memory(err);
    }
    t->start = table->is_search ? parse_index(*c++) : 0;
    t->point = parse_index(*c++);
    bool is_good = true;
    for (int i = 0; i < s->n_parameters + s->n_measures; i++) {
        t->values[i] = parse(*c++);
        is_good &= i >= s->n_parameters || isfinite(t->values[i]);
    }
    t->objective = s->objective ? parse(*c++) : NAN;
    int status = parse_status(c[0]);
    snprintf(t->message, FB_TRIAL_MESSAGE, "%.*s", FB_TRIAL_MESSAGE - 1, c[1]);
    t->steps = (long)parse(c[2]);
    t->wall_s = parse(c[3]);
    if (strcmp(c[4], fb_table_short_hash(s).text) != 0) {
        return fail_other(table, &row->place, err);
    }
    if (status < 0 || !is_good) {
        return fb_fail(err, FB_ERR_SYNTAX, &row->place, "not a row of a result table");
    }
    t->status = (FbTrialStatus)status;
    return is_retry && status == FB_TRIAL_FAILED ? FB_OK : fb_table_keep(table, t, err);
}

static FbStatus read_rows(FbTrialTable* table, FbCsvReader* r, FbArena* arena, bool is_retry,
                          FbError* err) {
    int n = count_cells(table);
    Row row = {.cells = FB_TAKE(arena, const char*, n)};
    bool has_header = false;
    if (!row.cells) {
        return fb_fail_memory(err);
    }
    for (fb_csv_reader_skip_empty(r); *r->next != '\0'; fb_csv_reader_skip_empty(r)) {
        bool is_whole = false;
        FB_TRY(read_row(r, arena, n, &row, &is_whole, err));
        if (is_whole && is_header(table, &row)) {
            has_header = true;  // tables of parts that were joined have several
        } else if (!has_header) {
            return fail_other(table, &row.place, err);
        } else if (is_whole) {
            FB_TRY(add_row(table, &row, is_retry, err));
        } else {
            return fb_fail(err, FB_ERR_SYNTAX, &row.place,
                           "the number of cells in this row differs from the header, which has %d",
                           n);
        }
    }
    return FB_OK;
}

FbStatus fb_table_read(FbTrialTable* table, const char* path, bool is_retry, size_t* size,
                       FbError* err) {
    char* text;
    FB_TRY(fb_read_file(path, &text, size, err));
    // A row that was cut when the program was killed is computed again.
    while (*size > 0 && text[*size - 1] != '\n') {
        (*size)--;
    }
    text[*size] = '\0';
    FbArena* arena = fb_arena_create();
    FbCsvReader r;
    fb_csv_reader_init(&r, text, path);
    FbStatus status = arena ? read_rows(table, &r, arena, is_retry, err) : fb_fail_memory(err);
    fb_csv_reader_free(&r);
    fb_arena_destroy(arena);
    free(text);
    return status;
}
