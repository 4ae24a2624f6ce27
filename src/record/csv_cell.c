// Cells of a CSV text (RFC 4180), one after the other, each with its place.
#include "record/csv_cell.h"

#include <string.h>

void fb_csv_reader_init(FbCsvReader* r, const char* text, const char* file_name) {
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    bool has_mark = strncmp(text, byte_order_mark, 3) == 0;
    *r = (FbCsvReader){.next = text + (has_mark ? 3 : 0), .place = {.file = file_name, .line = 1}};
    r->line_start = r->next;
    fb_text_init(&r->cell);
}

void fb_csv_reader_free(FbCsvReader* r) {
    fb_text_free(&r->cell);
}

static FbPlace here(const FbCsvReader* r) {
    FbPlace place = r->place;
    place.col = (int)(r->next - r->line_start) + 1;
    return place;
}

static void next_line(FbCsvReader* r) {
    r->next++;
    r->line_start = r->next;
    r->place.line++;
}

// What follows a cell: a comma, the end of the line, or the end of the text.
static FbStatus end_cell(FbCsvReader* r, FbError* err) {
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

static FbStatus read_quoted(FbCsvReader* r, FbError* err) {
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

FbStatus fb_csv_reader_cell(FbCsvReader* r, FbError* err) {
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

static bool is_at_empty_line(const FbCsvReader* r) {
    const char* c = r->next + strspn(r->next, " \t\r");
    return *c == '\n';
}

void fb_csv_reader_skip_empty(FbCsvReader* r) {
    while (is_at_empty_line(r)) {
        r->next += strcspn(r->next, "\n");
        next_line(r);
    }
}
