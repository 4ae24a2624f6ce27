// A table as a NumPy archive: a zip file without compression (PKWARE's APPNOTE, sections 4.3.7,
// 4.3.12, 4.3.16) of one .npy array (NEP 1, format 1.0) for the times and each output, and two of
// their names and units.
#include <stdio.h>

#include "base/crc32.h"
#include "base/error.h"
#include "record/bytes.h"
#include "record/file.h"
#include "record/format.h"

// 1980-01-01: the same table is the same file.
enum { DOS_DATE = 33, LOCAL = 0x04034b50, CENTRAL = 0x02014b50, END = 0x06054b50 };

typedef struct Zip {
    FbText out, central;
    int n;
} Zip;

// What both records of a file have in common.
static void add_entry(FbText* out, const char* name, const FbText* data) {
    fb_bytes_add_integer(out, 20, 2);  // version needed
    fb_bytes_add_integer(out, 0, 2);   // flags
    fb_bytes_add_integer(out, 0, 2);   // stored
    fb_bytes_add_integer(out, 0, 2);   // time
    fb_bytes_add_integer(out, DOS_DATE, 2);
    fb_bytes_add_integer(out, fb_crc32(0, data->data, data->length), 4);
    fb_bytes_add_integer(out, data->length, 4);
    fb_bytes_add_integer(out, data->length, 4);
    fb_bytes_add_integer(out, strlen(name), 2);
    fb_bytes_add_integer(out, 0, 2);  // extra
}

static void add_file(Zip* zip, const char* name, const FbText* data) {
    size_t offset = zip->out.length;
    if (data->has_failed) {
        zip->out.has_failed = true;
        return;
    }
    fb_bytes_add_integer(&zip->out, LOCAL, 4);
    add_entry(&zip->out, name, data);
    fb_text_add(&zip->out, name);
    fb_text_add_n(&zip->out, data->data, data->length);
    fb_bytes_add_integer(&zip->central, CENTRAL, 4);
    fb_bytes_add_integer(&zip->central, 20, 2);  // version made by
    add_entry(&zip->central, name, data);
    fb_bytes_add_integer(&zip->central, 0, 2);  // comment
    fb_bytes_add_integer(&zip->central, 0, 2);  // disk
    fb_bytes_add_integer(&zip->central, 0, 2);  // attributes
    fb_bytes_add_integer(&zip->central, 0, 4);
    fb_bytes_add_integer(&zip->central, offset, 4);
    fb_text_add(&zip->central, name);
    zip->n++;
}

static void end_zip(Zip* zip) {
    size_t offset = zip->out.length;
    if (zip->central.has_failed) {
        zip->out.has_failed = true;
        return;
    }
    fb_text_add_n(&zip->out, zip->central.data, zip->central.length);
    fb_bytes_add_integer(&zip->out, END, 4);
    fb_bytes_add_integer(&zip->out, 0, 4);  // disks
    fb_bytes_add_integer(&zip->out, (uint64_t)zip->n, 2);
    fb_bytes_add_integer(&zip->out, (uint64_t)zip->n, 2);
    fb_bytes_add_integer(&zip->out, zip->central.length, 4);
    fb_bytes_add_integer(&zip->out, offset, 4);
    fb_bytes_add_integer(&zip->out, 0, 2);  // comment
}

// Magic, version, and a dictionary that is filled with blanks to a multiple of 64 bytes.
static void begin_array(FbText* out, const char* type, int n) {
    enum { BEFORE = 10, ALIGNED = 64 };
    char text[160];
    int length = snprintf(text, sizeof text,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", type, n);
    int total = (BEFORE + length + 1 + ALIGNED - 1) / ALIGNED * ALIGNED;
    fb_text_add_n(out, "\x93NUMPY\x01\x00", 8);
    fb_bytes_add_integer(out, (uint64_t)(total - BEFORE), 2);
    fb_text_add_n(out, text, (size_t)length);
    for (int i = BEFORE + length; i < total - 1; i++) {
        fb_text_add(out, " ");
    }
    fb_text_add(out, "\n");
}

static void add_column(Zip* zip, const FbSamples* t, int column, const char* name) {
    FbText array, file;
    fb_text_init(&array);
    fb_text_init(&file);
    begin_array(&array, "<f8", t->n_rows);
    for (int r = 0; r < t->n_rows; r++) {
        fb_bytes_add_double(
            &array, column < 0 ? fb_samples_get_time(t, r) : fb_samples_get_value(t, r, column));
    }
    // A slash would be a folder of the archive.
    fb_text_addf(&file, "%s.npy", name);
    for (size_t i = 0; !file.has_failed && i < file.length; i++) {
        file.data[i] = file.data[i] == '/' ? '_' : file.data[i];
    }
    if (file.has_failed) {
        zip->out.has_failed = true;
    } else {
        add_file(zip, file.data, &array);
    }
    fb_text_free(&array);
    fb_text_free(&file);
}

// Texts of bytes, all as long as the longest.
static void add_texts(Zip* zip, const char* file, const char* const* texts, int n) {
    size_t longest = 1;
    char type[24];
    FbText array;
    for (int i = 0; i < n; i++) {
        longest = strlen(texts[i]) > longest ? strlen(texts[i]) : longest;
    }
    snprintf(type, sizeof type, "|S%zu", longest);
    fb_text_init(&array);
    begin_array(&array, type, n);
    for (int i = 0; i < n; i++) {
        size_t length = strlen(texts[i]);
        fb_text_add_n(&array, texts[i], length);
        for (; length < longest; length++) {
            fb_text_add_n(&array, "", 1);
        }
    }
    add_file(zip, file, &array);
    fb_text_free(&array);
}

static FbStatus write(const FbSamples* table, const char* path, FbError* err) {
    enum { MOST_FILES = 65000 };
    if (8.0 * (table->n_columns + 1.0) * (table->n_rows + 64.0) > 4e9 ||
        table->n_columns > MOST_FILES) {
        return fb_fail(err, FB_ERR_RANGE, NULL,
                       "the table has %d outputs and %d rows; archives of NumPy are written up to "
                       "4 GB and %d outputs",
                       table->n_columns, table->n_rows, MOST_FILES);
    }
    Zip zip = {.n = 0};
    fb_text_init(&zip.out);
    fb_text_init(&zip.central);
    add_column(&zip, table, -1, "t");
    for (int c = 0; c < table->n_columns; c++) {
        add_column(&zip, table, c, table->names[c]);
    }
    add_texts(&zip, "_names.npy", table->names, table->n_columns);
    add_texts(&zip, "_units.npy", table->units, table->n_columns);
    end_zip(&zip);
    FbStatus status = zip.out.has_failed ? fb_fail_memory(err)
                                         : fb_file_write(path, zip.out.data, zip.out.length, err);
    fb_text_free(&zip.out);
    fb_text_free(&zip.central);
    return status;
}

const FbResultFormat fb_format_npz = {
    .name = "npz",
    .doc = "numpy.load",
    .write = write,
};
