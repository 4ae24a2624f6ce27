// Reads CSV tables of samples: "name [unit]" headers, quoted cells, strictly increasing times;
// every fault has its place.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/read.h"
#include "record/csv.h"

// A cursor in the text; `cell` holds the cell that was read last, `cell_place` where it begins.
typedef struct Reader {
    const char* next;
    const char* line_start;
    FbPlace place;
    FbPlace cell_place;
    FbText cell;
    bool is_row_end;  // the last cell was the last one of its row
} Reader;

static FbPlace here(const Reader* r) {
    FbPlace place = r->place;
    place.col = (int)(r->next - r->line_start) + 1;
    return place;
}

static void next_line(Reader* r) {
    r->next++;
    r->line_start = r->next;
    r->place.line++;
}

// What follows a cell: a comma, the end of the line, or the end of the text.
static FbStatus end_cell(Reader* r, FbError* err) {
    r->is_row_end = *r->next != ',';
    if (*r->next == ',') {
        r->next++;
        return FB_OK;
    }
    if (*r->next == '\r' && r->next[1] == '\n') {
        r->next++;
    }
    if (*r->next == '\n') {
        next_line(r);
    } else if (*r->next != '\0') {
        FbPlace place = here(r);
        return fb_fail(err, FB_ERR_SYNTAX, &place,
                       "text after a quoted cell; a comma or a line end must follow it");
    }
    return FB_OK;
}

static FbStatus read_quoted(Reader* r, FbError* err) {
    r->next++;
    for (;;) {
        if (*r->next == '\0') {
            return fb_fail(err, FB_ERR_SYNTAX, &r->cell_place,
                           "a quoted cell without its closing quote");
        }
        if (*r->next == '"' && r->next[1] != '"') {
            r->next++;
            return end_cell(r, err);
        }
        r->next += *r->next == '"';
        fb_text_add_n(&r->cell, r->next, 1);
        if (*r->next == '\n') {
            next_line(r);
        } else {
            r->next++;
        }
    }
}

static FbStatus read_cell(Reader* r, FbError* err) {
    r->cell.length = 0;
    fb_text_add(&r->cell, "");  // an empty cell is an empty text, not the cell before
    r->cell_place = here(r);
    if (*r->next == '"') {
        FB_TRY(read_quoted(r, err));
    } else {
        const char* start = r->next;
        r->next += strcspn(start, ",\r\n");
        while (*r->next == '\r' && r->next[1] != '\n') {
            r->next += 1 + strcspn(r->next + 1, ",\r\n");
        }
        fb_text_add_n(&r->cell, start, (size_t)(r->next - start));
        FB_TRY(end_cell(r, err));
    }
    if (r->cell.has_failed) {
        return fb_fail_memory(err);
    }
    r->cell.data[r->cell.length] = '\0';
    return FB_OK;
}

static bool is_at_empty_line(const Reader* r) {
    const char* c = r->next + strspn(r->next, " \t\r");
    return *c == '\n';
}

static void skip_empty_lines(Reader* r) {
    while (is_at_empty_line(r)) {
        r->next += strcspn(r->next, "\n");
        next_line(r);
    }
}

// Blanks around a cell do not count.
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

static FbStatus add_column(FbSamples* table, const Reader* r, FbError* err) {
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

static FbStatus read_header(FbSamples* table, Reader* r, FbError* err) {
    skip_empty_lines(r);
    FB_TRY(read_cell(r, err));
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
        FB_TRY(read_cell(r, err));
        FB_TRY(add_column(table, r, err));
    }
    return FB_OK;
}

static FbStatus parse_number(const Reader* r, double* value, FbError* err) {
    size_t length;
    const char* text = trim(r->cell.data, &length);
    if (!fb_parse_double(text, length, value)) {
        return fb_fail(err, FB_ERR_SYNTAX, &r->cell_place, "\"%.60s\" is not a number",
                       r->cell.data);
    }
    return FB_OK;
}

static FbStatus check_time(const FbSamples* table, const Reader* r, double t, FbError* err) {
    if (!isfinite(t)) {
        return fb_fail(err, FB_ERR_RANGE, &r->cell_place, "the time is not finite");
    }
    if (table->n_rows > 0 && !(t > fb_samples_get_time(table, table->n_rows - 1))) {
        return fb_fail(err, FB_ERR_RANGE, &r->cell_place,
                       "time %.17g s is not after that of the row before, %.17g s", t,
                       fb_samples_get_time(table, table->n_rows - 1));
    }
    return FB_OK;
}

static FbStatus read_row(FbSamples* table, Reader* r, FbError* err) {
    int width = table->n_columns + 1;
    int first = table->n_rows * width;
    if (!fb_grow((void**)&table->cells, &table->cells_capacity, first + width - 1,
                 sizeof(double))) {
        return fb_fail_memory(err);
    }
    for (int c = 0; c < width; c++) {
        FB_TRY(read_cell(r, err));
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

static FbStatus read_table(FbSamples* table, Reader* r, FbError* err) {
    FB_TRY(read_header(table, r, err));
    for (skip_empty_lines(r); *r->next != '\0'; skip_empty_lines(r)) {
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
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    bool has_mark = strncmp(text, byte_order_mark, 3) == 0;
    Reader r = {.next = text + (has_mark ? 3 : 0), .place = {.file = file_name, .line = 1}};
    r.line_start = r.next;
    fb_text_init(&r.cell);
    FbStatus status = read_table(table, &r, err);
    fb_text_free(&r.cell);
    if (status < 0) {
        fb_samples_free(table);
    }
    return status;
}

FbStatus fb_samples_read_csv(FbSamples* table, const char* path, FbError* err) {
    *table = (FbSamples){0};
    char* text;
    size_t size;
    FB_TRY(fb_read_file(path, &text, &size, err));
    FbStatus status;
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

double fb_samples_get_value(const FbSamples* table, int row, int column) {
    return table->cells[row * (table->n_columns + 1) + 1 + column];
}
