// A table as a MATLAB level 4 file: vectors t and one for each output, and text matrices with
// their names and units. MATLAB, Octave and scipy.io.loadmat read it.
//
// Each matrix is a header of five integers (type, rows, columns, is complex, length of the name),
// the name with its end, and the numbers as doubles by columns; type 0 is little-endian numbers,
// type 1 little-endian text.
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/bytes.h"
#include "record/file.h"
#include "record/format.h"

enum { NUMBERS = 0, TEXT = 1, LONGEST_NAME = 63, MOST_ROWS = 100000000 };

static void add_header(FbText* out, int type, int rows, int columns, const char* name) {
    size_t n = strlen(name) + 1;
    fb_bytes_add_integer(out, (uint64_t)type, 4);
    fb_bytes_add_integer(out, (uint64_t)rows, 4);
    fb_bytes_add_integer(out, (uint64_t)columns, 4);
    fb_bytes_add_integer(out, 0, 4);
    fb_bytes_add_integer(out, n, 4);
    fb_text_add_n(out, name, n);
}

// A name that MATLAB takes: letters, digits and _, at most 63, and not yet in use.
static void make_name(const char* output, int column, char (*names)[LONGEST_NAME + 1]) {
    char* name = names[column];
    size_t n = 0;
    if (!isalpha((unsigned char)output[0])) {
        name[n++] = 'y';
    }
    for (const char* c = output; *c && n < LONGEST_NAME - 8; c++) {
        name[n++] = (char)(isalnum((unsigned char)*c) ? *c : '_');
    }
    name[n] = '\0';
    for (int i = 0; i < column; i++) {
        if (strcmp(names[i], name) == 0) {
            snprintf(name + n, LONGEST_NAME + 1 - n, "_%d", column);
            break;
        }
    }
}

// One text a row, filled with blanks.
static void add_texts(FbText* out, const char* name, const char* const* texts, int n) {
    size_t longest = 1;
    for (int i = 0; i < n; i++) {
        size_t length = strlen(texts[i]);
        longest = length > longest ? length : longest;
    }
    add_header(out, TEXT, n, (int)longest, name);
    for (size_t c = 0; c < longest; c++) {
        for (int i = 0; i < n; i++) {
            const char* text = texts[i];
            fb_bytes_add_double(out, c < strlen(text) ? (unsigned char)text[c] : ' ');
        }
    }
}

static FbStatus write(const FbSamples* table, const char* path, FbError* err) {
    int rows = table->n_rows, n = table->n_columns;
    if (rows > MOST_ROWS) {
        return fb_fail(err, FB_ERR_RANGE, NULL,
                       "the table has %d rows; files of MATLAB's level 4 hold at most %d; write "
                       "parquet or npz instead",
                       rows, MOST_ROWS);
    }
    char(*names)[LONGEST_NAME + 1] = malloc(sizeof(*names) * (size_t)(n + 1));
    if (!names) {
        return fb_fail_memory(err);
    }
    FbText out;
    fb_text_init(&out);
    add_header(&out, NUMBERS, rows, 1, "t");
    for (int r = 0; r < rows; r++) {
        fb_bytes_add_double(&out, fb_samples_get_time(table, r));
    }
    strcpy(names[0], "t");
    for (int c = 0; c < n; c++) {
        make_name(table->names[c], c + 1, names);
        add_header(&out, NUMBERS, rows, 1, names[c + 1]);
        for (int r = 0; r < rows; r++) {
            fb_bytes_add_double(&out, fb_samples_get_value(table, r, c));
        }
    }
    add_texts(&out, "names", table->names, n);
    add_texts(&out, "units", table->units, n);
    FbStatus status =
        out.has_failed ? fb_fail_memory(err) : fb_file_write(path, out.data, out.length, err);
    fb_text_free(&out);
    free(names);
    return status;
}

const FbResultFormat fb_format_mat = {
    .name = "mat",
    .doc = "MATLAB, Octave, scipy.io.loadmat",
    .write = write,
};
