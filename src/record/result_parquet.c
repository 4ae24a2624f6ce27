// A table as an Apache Parquet file: required columns of doubles, plain and uncompressed, in row
// groups of one page for each column, with the page's CRC-32. The units are in the key-value
// metadata, as "unit:NAME".
//
//   file = "PAR1" (page header, page)... metadata, its length, "PAR1"
//
// Headers and metadata are structs of parquet.thrift (Apache parquet-format 2.9) in Thrift's
// compact protocol: a field is a byte with the step to its number and its type; integers are zigzag
// varints; a struct ends with a zero byte.
#include <errno.h>
#include <stdlib.h>

#include "base/crc32.h"
#include "base/error.h"
#include "base/new_file.h"
#include "flyball/flyball.h"
#include "record/bytes.h"
#include "record/format.h"

// Rows of a group: a column of it has half a megabyte.
enum { GROUP_ROWS = 1 << 16, MOST_METADATA = 1 << 30 };

// Of the compact protocol.
enum { I32 = 5, I64 = 6, BINARY = 8, LIST = 9, STRUCT = 12 };

// Of parquet.thrift.
enum { TYPE_DOUBLE = 5, REQUIRED = 0, PLAIN = 0, RLE = 3, UNCOMPRESSED = 0, DATA_PAGE = 0 };

static const char magic[4] = {'P', 'A', 'R', '1'};

// A struct that is being written: its last field.
typedef struct Fields {
    FbText* out;
    int last;
} Fields;

static void add_byte(FbText* out, unsigned x) {
    fb_bytes_add_integer(out, x, 1);
}

static void add_varint(FbText* out, uint64_t x) {
    for (; x >= 0x80U; x >>= 7) {
        add_byte(out, (unsigned)(x & 0x7fU) | 0x80U);
    }
    add_byte(out, (unsigned)x);
}

static void add_integer(FbText* out, int64_t x) {
    add_varint(out, x < 0 ? ~((uint64_t)x << 1) : (uint64_t)x << 1);
}

static void add_text(FbText* out, const char* text) {
    add_varint(out, strlen(text));
    fb_text_add(out, text);
}

static void add_list(FbText* out, int type, size_t n) {
    if (n < 15) {
        add_byte(out, (unsigned)n << 4 | (unsigned)type);
    } else {
        add_byte(out, 0xf0U | (unsigned)type);
        add_varint(out, n);
    }
}

static void begin_field(Fields* f, int number, int type) {
    add_byte(f->out, (unsigned)(number - f->last) << 4 | (unsigned)type);
    f->last = number;
}

static void add_integer_field(Fields* f, int number, int type, int64_t x) {
    begin_field(f, number, type);
    add_integer(f->out, x);
}

static void add_text_field(Fields* f, int number, const char* text) {
    begin_field(f, number, BINARY);
    add_text(f->out, text);
}

static void end_struct(Fields* f) {
    add_byte(f->out, 0);
}

// Column 0 is the time.
static const char* name_of(const FbSamples* t, int column) {
    return column == 0 ? "t" : t->names[column - 1];
}

static const char* unit_of(const FbSamples* t, int column) {
    return column == 0 ? "s" : t->units[column - 1];
}

// Where a column of a row group lies.
typedef struct Chunk {
    int64_t offset, size;
} Chunk;

typedef struct Writer {
    const FbSamples* table;
    int n_columns, n_groups;
    Chunk* chunks;  // [n_groups x n_columns]
    FILE* file;
    int64_t at;
    FbText header, page;
} Writer;

static int rows_of(const Writer* w, int group) {
    int left = w->table->n_rows - group * GROUP_ROWS;
    return left < GROUP_ROWS ? left : GROUP_ROWS;
}

static void add_page_header(FbText* out, const FbText* page, int n_rows) {
    Fields f = {out, 0};
    uint32_t crc = fb_crc32(0, page->data, page->length);
    add_integer_field(&f, 1, I32, DATA_PAGE);
    add_integer_field(&f, 2, I32, (int64_t)page->length);
    add_integer_field(&f, 3, I32, (int64_t)page->length);
    add_integer_field(&f, 4, I32, (int32_t)crc);
    begin_field(&f, 5, STRUCT);
    Fields data = {out, 0};
    add_integer_field(&data, 1, I32, n_rows);
    add_integer_field(&data, 2, I32, PLAIN);
    add_integer_field(&data, 3, I32, RLE);  // levels, of which required columns have none
    add_integer_field(&data, 4, I32, RLE);
    end_struct(&data);
    end_struct(&f);
}

static bool put(Writer* w, const FbText* text) {
    w->at += (int64_t)text->length;
    return fwrite(text->data, 1, text->length, w->file) == text->length;
}

// Memory: one page. False: a write error.
static bool write_chunk(Writer* w, int group, int column) {
    const FbSamples* t = w->table;
    int first = group * GROUP_ROWS, n = rows_of(w, group);
    w->page.length = w->header.length = 0;
    for (int r = first; r < first + n; r++) {
        fb_bytes_add_double(&w->page, column == 0 ? fb_samples_get_time(t, r)
                                                  : fb_samples_get_value(t, r, column - 1));
    }
    if (w->page.has_failed) {
        return true;  // reported at the end
    }
    add_page_header(&w->header, &w->page, n);
    Chunk* chunk = &w->chunks[(size_t)group * (size_t)w->n_columns + (size_t)column];
    *chunk = (Chunk){w->at, (int64_t)(w->header.length + w->page.length)};
    return !w->header.has_failed && put(w, &w->header) && put(w, &w->page);
}

static void add_schema(const Writer* w, FbText* out) {
    Fields root = {out, 0};
    add_list(out, STRUCT, (size_t)w->n_columns + 1);
    add_text_field(&root, 4, "schema");
    add_integer_field(&root, 5, I32, w->n_columns);
    end_struct(&root);
    for (int c = 0; c < w->n_columns; c++) {
        Fields f = {out, 0};
        add_integer_field(&f, 1, I32, TYPE_DOUBLE);
        add_integer_field(&f, 3, I32, REQUIRED);
        add_text_field(&f, 4, name_of(w->table, c));
        end_struct(&f);
    }
}

static void add_chunk(const Writer* w, int group, int column, FbText* out) {
    const Chunk* chunk = &w->chunks[(size_t)group * (size_t)w->n_columns + (size_t)column];
    Fields f = {out, 0}, data = {out, 0};
    add_integer_field(&f, 2, I64, chunk->offset);
    begin_field(&f, 3, STRUCT);
    add_integer_field(&data, 1, I32, TYPE_DOUBLE);
    begin_field(&data, 2, LIST);
    add_list(out, I32, 2);
    add_integer(out, PLAIN);
    add_integer(out, RLE);
    begin_field(&data, 3, LIST);
    add_list(out, BINARY, 1);
    add_text(out, name_of(w->table, column));
    add_integer_field(&data, 4, I32, UNCOMPRESSED);
    add_integer_field(&data, 5, I64, rows_of(w, group));
    add_integer_field(&data, 6, I64, chunk->size);
    add_integer_field(&data, 7, I64, chunk->size);
    add_integer_field(&data, 9, I64, chunk->offset);
    end_struct(&data);
    end_struct(&f);
}

static void add_groups(const Writer* w, FbText* out) {
    add_list(out, STRUCT, (size_t)w->n_groups);
    for (int g = 0; g < w->n_groups; g++) {
        Fields f = {out, 0};
        int64_t size = 0;
        begin_field(&f, 1, LIST);
        add_list(out, STRUCT, (size_t)w->n_columns);
        for (int c = 0; c < w->n_columns; c++) {
            add_chunk(w, g, c, out);
            size += w->chunks[(size_t)g * (size_t)w->n_columns + (size_t)c].size;
        }
        add_integer_field(&f, 2, I64, size);
        add_integer_field(&f, 3, I64, rows_of(w, g));
        end_struct(&f);
    }
}

static void add_units(const Writer* w, FbText* out) {
    add_list(out, STRUCT, (size_t)w->n_columns);
    for (int c = 0; c < w->n_columns; c++) {
        Fields f = {out, 0};
        const char* name = name_of(w->table, c);
        begin_field(&f, 1, BINARY);
        add_varint(out, strlen("unit:") + strlen(name));
        fb_text_add(out, "unit:");
        fb_text_add(out, name);
        add_text_field(&f, 2, unit_of(w->table, c));
        end_struct(&f);
    }
}

static void add_metadata(const Writer* w, FbText* out) {
    Fields f = {out, 0};
    add_integer_field(&f, 1, I32, 1);  // version
    begin_field(&f, 2, LIST);
    add_schema(w, out);
    add_integer_field(&f, 3, I64, w->table->n_rows);
    begin_field(&f, 4, LIST);
    add_groups(w, out);
    begin_field(&f, 5, LIST);
    add_units(w, out);
    begin_field(&f, 6, BINARY);
    add_varint(out, strlen("Flyball ") + strlen(fb_version()));
    fb_text_addf(out, "Flyball %s", fb_version());
    end_struct(&f);
}

static FbStatus write_all(Writer* w, int* write_error, FbError* err) {
    bool is_good = fwrite(magic, 1, sizeof magic, w->file) == sizeof magic;
    w->at = sizeof magic;
    for (int g = 0; g < w->n_groups; g++) {
        for (int c = 0; is_good && c < w->n_columns; c++) {
            is_good = write_chunk(w, g, c);
        }
    }
    *write_error = is_good ? 0 : errno;
    w->header.length = 0;
    add_metadata(w, &w->header);
    size_t size = w->header.length;
    fb_bytes_add_integer(&w->header, size, 4);
    fb_text_add_n(&w->header, magic, sizeof magic);
    if (w->page.has_failed || w->header.has_failed) {
        return fb_fail_memory(err);
    }
    if (size > MOST_METADATA) {
        return fb_fail(err, FB_ERR_RANGE, NULL,
                       "%d outputs and %d rows are too many for one Parquet file",
                       w->table->n_columns, w->table->n_rows);
    }
    if (is_good && !put(w, &w->header)) {
        *write_error = errno;
    }
    return FB_OK;
}

static FbStatus write(const FbSamples* table, const char* path, FbError* err) {
    FbNewFile f;
    Writer w = {.table = table,
                .n_columns = table->n_columns + 1,
                .n_groups = table->n_rows / GROUP_ROWS + (table->n_rows % GROUP_ROWS > 0)};
    w.chunks = calloc((size_t)w.n_groups * (size_t)w.n_columns + 1, sizeof *w.chunks);
    if (!w.chunks) {
        return fb_fail_memory(err);
    }
    fb_text_init(&w.header);
    fb_text_init(&w.page);
    FbStatus status = fb_new_file_open(&f, path, err);
    if (status == FB_OK) {
        int write_error = 0;
        w.file = f.file;
        status = write_all(&w, &write_error, err);
        status = fb_new_file_close(&f, status, write_error, err);
    }
    fb_text_free(&w.header);
    fb_text_free(&w.page);
    free(w.chunks);
    return status;
}

const FbResultFormat fb_format_parquet = {
    .name = "parquet",
    .doc = "pandas, Polars, DuckDB, Arrow",
    .write = write,
};
