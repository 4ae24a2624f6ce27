// CSV tables (RFC 4180) of samples: header "t [s],name [unit],...", then one row per time.
#ifndef FLYBALL_RECORD_CSV_H
#define FLYBALL_RECORD_CSV_H

#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

// Writes row by row; failures are remembered and told by close. Numbers read back as exactly the
// same doubles.
typedef struct FbCsvWriter {
    FILE* file;
    const char* path;
    FbText line;
    int write_error;  // errno of the first failed write, 0: none
} FbCsvWriter;

FbStatus fb_csv_writer_open(FbCsvWriter* writer, const char* path, FbError* err);
// Goes on after what the file holds; creates it where it is not there.
FbStatus fb_csv_writer_append(FbCsvWriter* writer, const char* path, FbError* err);
// One cell of the header; call once per column, the first one is the time. `unit` may be NULL or
// "".
void fb_csv_writer_add_name(FbCsvWriter* writer, const char* name, const char* unit);
void fb_csv_writer_add_number(FbCsvWriter* writer, double value);
// A cell of text, quoted where it must be.
void fb_csv_writer_add_text(FbCsvWriter* writer, const char* text);
void fb_csv_writer_end_row(FbCsvWriter* writer);
// Hands the rows so far to the system, so that they are there if the program is killed.
void fb_csv_writer_flush(FbCsvWriter* writer);
FbStatus fb_csv_writer_close(FbCsvWriter* writer, FbError* err);

// A table in memory: strictly increasing times and named columns.
typedef struct FbSamples {
    FbArena* arena;  // owns names and units
    int n_rows;
    int n_columns;       // without time
    const char** names;  // [n_columns]
    const char** units;  // [n_columns], "" where the header has none
    double* cells;       // [n_rows x (1 + n_columns)], time first
    int cells_capacity;
} FbSamples;

// Reads a table whose first column is the time. Errors carry line and column. On failure the table
// is empty.
FbStatus fb_samples_read_csv(FbSamples* table, const char* path, FbError* err);
FbStatus fb_samples_read_csv_text(FbSamples* table, const char* text, const char* file_name,
                                  FbError* err);
void fb_samples_free(FbSamples* table);

int fb_samples_find(const FbSamples* table, const char* name);  // column, -1: none
double fb_samples_get_time(const FbSamples* table, int row);
double fb_samples_get_value(const FbSamples* table, int row, int column);

#endif
