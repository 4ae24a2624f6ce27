// Cells of a CSV text (RFC 4180), one after the other, each with its place.
#ifndef FLYBALL_RECORD_CSV_CELL_H
#define FLYBALL_RECORD_CSV_CELL_H

#include "base/error.h"
#include "base/text.h"

// A cursor in the text; `cell` holds the cell that was read last, `cell_place` where it begins.
typedef struct FbCsvReader {
    const char* next;
    const char* line_start;
    FbPlace place;
    FbPlace cell_place;
    FbText cell;
    bool is_row_end;  // the last cell was the last one of its row
} FbCsvReader;

// The text must stay; a byte order mark is passed.
void fb_csv_reader_init(FbCsvReader* reader, const char* text, const char* file_name);
void fb_csv_reader_free(FbCsvReader* reader);

FbStatus fb_csv_reader_cell(FbCsvReader* reader, FbError* err);
// Passes empty lines; the text is at its end where *reader->next is 0.
void fb_csv_reader_skip_empty(FbCsvReader* reader);

#endif
