// Reads CSV tables of samples: "name [unit]" headers, quoted cells, strictly increasing times;
// every fault has its place.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/read.h"
#include "record/csv.h"
#include "record/csv_cell.h"
#include "record/fbr.h"

// Blanks around a cell are ignored.
static const char* trim(const char* text, size_t* length) {
    const char* start = text + strspn(text, " \t");
    *length = strlen(start);
    while (*length > 0 && (start[*length - 1] == ' ' || start[*length - 1] == '\t')) {
        (*length)--;
    }
    return start;
}

// Splits "name [unit]" into its parts.
static bool split_header_cell(FbSamples* table, const char* text, const char** name,
                              const char** unit) {
    size_t length;
    const char* cell = trim(text, &length);
    size_t name_length = length;
    if (length > 0 && cell[length - 1] == ']') {
        while (name_length > 0 && cell[name_length - 1] != '[') {
            name_length--;
        }
    }
    bool has_unit = name_length > 0 && name_length < length;
    *unit = has_unit ? fb_arena_text_n(table->arena, cell + name_length, length - name_length - 1)
                     : fb_arena_text(table->arena, "");
    name_length = has_unit ? name_length - 1 : length;
    while (name_length > 0 && cell[name_length - 1] == ' ') {
        name_length--;
    }
    *name = fb_arena_text_n(table->arena, cell, name_length);
    return *name != NULL && *unit != NULL;
}

static FbStatus add_column(FbSamples* table, const FbCsvReader* r, FbError* err) {
    const char* name;
    const char* unit;
    if (!split_header_cell(table, r->cell.data, &name, &unit)) {
        return fb_fail_memory(err);
    }
    if (name[0] == '\0') {
        return fb_fail(err, FB_ERR_NAME, &r->cell_place, "a column without a name");
    }
    if (fb_samples_find(table, name) >= 0) {
        return fb_fail(err, FB_ERR_NAME, &r->cell_place, "the column \"%s\" occurs twice", name);
    }
    const char** names = FB_TAKE(table->arena, const char*, table->n_columns + 1);
    const char** units = FB_TAKE(table->arena, const char*, table->n_columns + 1);
    if (names == NULL || units == NULL) {
        return fb_fail_memory(err);
    }
    for (int c = 0; c < table->n_columns; c++) {
        names[c] = table->names[c];
        units[c] = table->units[c];
    }
    names[table->n_columns] = name;
    units[table->n_columns] = unit;
    table->names = names;
    table->units = units;
    table->n_columns++;
    return FB_OK;
}

static FbStatus read_header(FbSamples* table, FbCsvReader* r, FbError* err) {
    fb_csv_reader_skip_empty(r);
    FB_TRY(fb_csv_reader_cell(r, err));
    const char* name;
    const char* unit;
    if (!split_header_cell(table, r->cell.data, &name, &unit)) {
        return fb_fail_memory(err);
    }
    if (strcmp(name, "t") != 0 || (unit[0] != '\0' && strcmp(unit, "s") != 0)) {
        return fb_fail(err, FB_ERR_SYNTAX, &r->cell_place,
                       "the first column is \"%s\"; it must be the time, \"t [s]\"", r->cell.data);
    }
    while (!r->is_row_end) {
        FB_TRY(fb_csv_reader_cell(r, err));
        FB_TRY(add_column(table, r, err));
    }
    return FB_OK;
}

static FbStatus parse_number(const FbCsvReader* r, double* value, FbError* err) {
    size_t length;
    const char* text = trim(r->cell.data, &length);
    if (!fb_parse_double(text, length, value)) {
        return fb_fail(err, FB_ERR_SYNTAX, &r->cell_place, "\"%.60s\" is not a number",
                       r->cell.data);
    }
    return FB_OK;
}

static FbStatus check_time(const FbSamples* table, const FbCsvReader* r, double t, FbError* err) {
    if (!isfinite(t)) {
        return fb_fail(err, FB_ERR_RANGE, &r->cell_place, "the time is not finite");
    }
    if (table->n_rows > 0 && !(t > fb_samples_get_time(table, table->n_rows - 1))) {
        return fb_fail(err, FB_ERR_RANGE, &r->cell_place,
                       "time %.17g s is not later than that of the previous row, %.17g s", t,
                       fb_samples_get_time(table, table->n_rows - 1));
    }
    return FB_OK;
}

static FbStatus read_row(FbSamples* table, FbCsvReader* r, FbError* err) {
    int width = table->n_columns + 1;
    if (table->n_rows > INT_MAX / 2 / width - 2) {
        return fb_fail(err, FB_ERR_RANGE, &r->cell_place,
                       "the table has more than %d rows; use a part of it", table->n_rows);
    }
    int first = table->n_rows * width;
    if (!fb_grow((void**)&table->cells, &table->cells_capacity, first + width - 1,
                 sizeof(double))) {
        return fb_fail_memory(err);
    }
    for (int c = 0; c < width; c++) {
        FB_TRY(fb_csv_reader_cell(r, err));
        FB_TRY(parse_number(r, &table->cells[first + c], err));
        if (c == 0) {
            FB_TRY(check_time(table, r, table->cells[first], err));
        }
        if (r->is_row_end != (c == width - 1)) {
            return fb_fail(err, FB_ERR_SYNTAX, &r->cell_place,
                           "a row with %s cells than the header, which has %d",
                           r->is_row_end ? "fewer" : "more", width);
        }
    }
    table->n_rows++;
    return FB_OK;
}

static FbStatus read_table(FbSamples* table, FbCsvReader* r, FbError* err) {
    FB_TRY(read_header(table, r, err));
    for (fb_csv_reader_skip_empty(r); *r->next != '\0'; fb_csv_reader_skip_empty(r)) {
        FB_TRY(read_row(table, r, err));
    }
    if (table->n_rows == 0) {
        FbPlace place = {.file = r->place.file};
        return fb_fail(err, FB_ERR_SYNTAX, &place, "the table has no rows");
    }
    return FB_OK;
}

FbStatus fb_samples_read_csv_text(FbSamples* table, const char* text, const char* file_name,
                                  FbError* err) {
    *table = (FbSamples){.arena = fb_arena_create()};
    if (table->arena == NULL) {
        return fb_fail_memory(err);
    }
    FbCsvReader r;
    fb_csv_reader_init(&r, text, file_name);
    FbStatus status = read_table(table, &r, err);
    fb_csv_reader_free(&r);
    if (status < 0) {
        fb_samples_free(table);
    }
    return status;
}

bool fb_samples_is_part(const char* path) {
    static const char ending[] = ".part";
    size_t n = strlen(path), m = sizeof ending - 1;
    return n > m && strcmp(path + n - m, ending) == 0;
}

FbStatus fb_samples_read_csv(FbSamples* table, const char* path, FbError* err) {
    *table = (FbSamples){0};
    char* text;
    size_t size;
    FB_TRY(fb_read_result_file(path, &text, &size, err));
    FbStatus status;
    if (fb_fbr_is(text, size)) {
        status = fb_fbr_read(table, text, size, path, fb_samples_is_part(path), err);
        free(text);
        return status;
    }
    if (fb_samples_is_part(path)) {
        // Its last row may be cut, as a killed program leaves it.
        while (size > 0 && text[size - 1] != '\n') {
            text[--size] = '\0';
        }
    }
    if (strlen(text) != size) {
        FbPlace place = {.file = path};
        status = fb_fail(err, FB_ERR_SYNTAX, &place, "not a text file: it holds a zero byte");
    } else {
        status = fb_samples_read_csv_text(table, text, path, err);
    }
    free(text);
    return status;
}

void fb_samples_free(FbSamples* table) {
    fb_arena_destroy(table->arena);
    free(table->cells);
    *table = (FbSamples){0};
}

int fb_samples_find(const FbSamples* table, const char* name) {
    for (int c = 0; c < table->n_columns; c++) {
        if (strcmp(table->names[c], name) == 0) {
            return c;
        }
    }
    return -1;
}

double fb_samples_get_time(const FbSamples* table, int row) {
    return table->cells[row * (table->n_columns + 1)];
}

FbSeries fb_samples_get_series(const FbSamples* table, int column) {
    int width = table->n_columns + 1;
    if (column < 0 || column >= table->n_columns) {
        return (FbSeries){.time_stride = 1, .value_stride = 1};
    }
    return (FbSeries){.name = table->names[column],
                      .times = table->cells,
                      .values = table->cells + 1 + column,
                      .time_stride = width,
                      .value_stride = width,
                      .n = table->n_rows};
}

double fb_samples_get_value(const FbSamples* table, int row, int column) {
    return table->cells[row * (table->n_columns + 1) + 1 + column];
}
