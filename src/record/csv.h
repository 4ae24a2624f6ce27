// CSV tables (RFC 4180) of samples: header "t [s],name [unit],...", then one row per time.
#ifndef FLYBALL_RECORD_CSV_H
#define FLYBALL_RECORD_CSV_H

#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/new_file.h"
#include "base/text.h"
#include "flyball/compare.h"
#include "flyball/simulate.h"

// Writes row by row; failures are remembered and reported by close. Numbers read back as exactly
// the same doubles.
typedef struct FbCsvWriter {
    FILE* file;
    const char* path;
    FbNewFile whole;  // the file until it is complete; not used where rows are appended
    FbText line;
    int write_error;  // errno of the first failed write, 0: none
} FbCsvWriter;

// The file takes its name when it is closed; until then an old one stays as it is.
FbStatus fb_csv_writer_open(FbCsvWriter* writer, const char* path, FbError* err);
// Appends to the file; creates it if it does not exist.
FbStatus fb_csv_writer_append(FbCsvWriter* writer, const char* path, FbError* err);
// One cell of the header; call once per column, the first one is the time. `unit` may be NULL or
// "".
void fb_csv_writer_add_name(FbCsvWriter* writer, const char* name, const char* unit);
// The header of a result: time and all outputs.
void fb_csv_writer_add_outputs(FbCsvWriter* writer, const FbModel* model);
void fb_csv_writer_add_number(FbCsvWriter* writer, double value);
// A cell of text, quoted where it must be.
void fb_csv_writer_add_text(FbCsvWriter* writer, const char* text);
void fb_csv_writer_end_row(FbCsvWriter* writer);
// Flushes the rows so far to the system, so that they survive if the program is killed.
void fb_csv_writer_flush(FbCsvWriter* writer);
FbStatus fb_csv_writer_close(FbCsvWriter* writer, FbError* err);

// Whether this is the table of a run that was not finished, NAME.csv.part.
bool fb_samples_is_part(const char* path);

// Tables are public (flyball/compare.h); this reads one from memory.
FbStatus fb_samples_read_csv_text(FbSamples* table, const char* text, const char* file_name,
                                  FbError* err);

#endif
