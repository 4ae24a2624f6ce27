// Binary tables of results.
//
//   file   = "FBRESULT" version width size crc names block...
//   names  = width times name 0 unit 0, the first one the time
//   block  = "BLCK" rows crc(payload) crc(the 12 bytes before) payload
//   payload = width columns of `rows` doubles
// Integers have four bytes; all numbers are little-endian. `size` is that of the names, crc theirs.
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/crc32.h"
#include "base/error.h"
#include "record/bytes.h"
#include "record/fbr.h"
#include "record/file.h"
#include "record/format.h"

enum { VERSION = 1, HEADER = 24, BLOCK_HEADER = 16, MOST_ROWS = 1 << 16, MOST_COLUMNS = 1 << 24 };
static const char MAGIC[8] = {'F', 'B', 'R', 'E', 'S', 'U', 'L', 'T'};
static const char BLOCK[4] = {'B', 'L', 'C', 'K'};

static void add_name(FbText* out, const char* name, const char* unit) {
    fb_text_add_n(out, name, strlen(name) + 1);
    fb_text_add_n(out, unit, strlen(unit) + 1);
}

void fb_fbr_add_header(FbText* out, const FbSamples* table) {
    FbText names;
    fb_text_init(&names);
    add_name(&names, "t", "s");
    for (int c = 0; c < table->n_columns; c++) {
        add_name(&names, table->names[c], table->units[c]);
    }
    if (names.has_failed) {
        out->has_failed = true;
    } else {
        fb_text_add_n(out, MAGIC, sizeof MAGIC);
        fb_bytes_add_integer(out, VERSION, 4);
        fb_bytes_add_integer(out, (uint64_t)table->n_columns + 1, 4);
        fb_bytes_add_integer(out, names.length, 4);
        fb_bytes_add_integer(out, fb_crc32(0, names.data, names.length), 4);
        fb_text_add_n(out, names.data, names.length);
    }
    fb_text_free(&names);
}

void fb_fbr_add_block(FbText* out, const double* rows, int n, int n_columns) {
    FbText payload;
    size_t width = (size_t)n_columns + 1, start = out->length;
    fb_text_init(&payload);
    for (size_t c = 0; c < width; c++) {
        for (int r = 0; r < n; r++) {
            fb_bytes_add_double(&payload, rows[(size_t)r * width + c]);
        }
    }
    if (payload.has_failed) {
        out->has_failed = true;
    } else {
        fb_text_add_n(out, BLOCK, sizeof BLOCK);
        fb_bytes_add_integer(out, (uint64_t)n, 4);
        fb_bytes_add_integer(out, fb_crc32(0, payload.data, payload.length), 4);
        uint32_t crc = out->has_failed ? 0 : fb_crc32(0, out->data + start, BLOCK_HEADER - 4);
        fb_bytes_add_integer(out, crc, 4);
        fb_text_add_n(out, payload.data, payload.length);
    }
    fb_text_free(&payload);
}

static FbStatus write(const FbSamples* table, const char* path, FbError* err) {
    FbText out;
    fb_text_init(&out);
    fb_fbr_add_header(&out, table);
    size_t width = (size_t)table->n_columns + 1;
    for (int r = 0; r < table->n_rows; r += MOST_ROWS) {
        int n = table->n_rows - r < MOST_ROWS ? table->n_rows - r : MOST_ROWS;
        fb_fbr_add_block(&out, table->cells + (size_t)r * width, n, table->n_columns);
    }
    FbStatus status =
        out.has_failed ? fb_fail_memory(err) : fb_file_write(path, out.data, out.length, err);
    fb_text_free(&out);
    return status;
}

bool fb_fbr_is(const char* data, size_t size) {
    return size >= sizeof MAGIC && memcmp(data, MAGIC, sizeof MAGIC) == 0;
}

typedef struct Reader {
    FbSamples* table;
    const char *data, *path;
    size_t size, at;
    FbError* err;
} Reader;

static FbStatus fail(const Reader* r, const char* what) {
    FbPlace place = {.file = r->path};
    return fb_fail(r->err, FB_ERR_SYNTAX, &place, "%s (at byte %zu of %zu)", what, r->at, r->size);
}

// Texts end inside the names: the last byte is a zero.
static FbStatus read_names(Reader* r, const char* at, const char* end) {
    FbSamples* t = r->table;
    t->names = FB_TAKE(t->arena, const char*, t->n_columns + 1);
    t->units = FB_TAKE(t->arena, const char*, t->n_columns + 1);
    if (!t->names || !t->units) {
        return fb_fail_memory(r->err);
    }
    for (int c = -1; c < t->n_columns; c++) {
        const char* name = at;
        const char* unit = name < end ? name + strlen(name) + 1 : end;
        if (unit >= end) {
            return fail(r, "the names of the table are incomplete");
        }
        at = unit + strlen(unit) + 1;
        if (c >= 0) {
            t->names[c] = fb_arena_text(t->arena, name);
            t->units[c] = fb_arena_text(t->arena, unit);
            if (!t->names[c] || !t->units[c]) {
                return fb_fail_memory(r->err);
            }
        }
    }
    return FB_OK;
}

static FbStatus read_header(Reader* r) {
    if (r->size < HEADER) {
        return fail(r, "the table is truncated in its header");
    }
    const char* d = r->data + sizeof MAGIC;
    uint64_t version = fb_bytes_get_integer(d, 4), width = fb_bytes_get_integer(d + 4, 4);
    uint64_t n = fb_bytes_get_integer(d + 8, 4), crc = fb_bytes_get_integer(d + 12, 4);
    if (version != VERSION) {
        return fail(r, "the table has a version that this program does not know");
    }
    // Each name takes two bytes at least.
    if (n > r->size - HEADER || width < 1 || width > MOST_COLUMNS || 2 * width > n) {
        return fail(r, "the table is truncated in its names");
    }
    const char* names = r->data + HEADER;
    if (fb_crc32(0, names, (size_t)n) != crc || names[n - 1] != '\0') {
        return fail(r, "the names of the table were altered");
    }
    r->table->n_columns = (int)width - 1;
    r->at = HEADER + (size_t)n;
    return read_names(r, names, names + n);
}

static FbStatus add_rows(Reader* r, const char* payload, int n) {
    FbSamples* t = r->table;
    size_t width = (size_t)t->n_columns + 1, first = (size_t)t->n_rows * width;
    if (first + (size_t)n * width > INT32_MAX / 2 ||
        !fb_grow((void**)&t->cells, &t->cells_capacity, (int)(first + (size_t)n * width),
                 sizeof(double))) {
        return fb_fail_memory(r->err);
    }
    for (size_t c = 0; c < width; c++) {
        for (size_t i = 0; i < (size_t)n; i++) {
            t->cells[first + i * width + c] =
                fb_bytes_get_double(payload + 8 * (c * (size_t)n + i));
        }
    }
    for (int i = 0; i < n; i++) {
        int row = t->n_rows++;
        double time = fb_samples_get_time(t, row);
        if (!isfinite(time) || (row > 0 && !(time > fb_samples_get_time(t, row - 1)))) {
            return fail(r, "times of the table do not increase");
        }
    }
    return FB_OK;
}

// *is_whole: there was a block, with a right checksum.
static FbStatus read_block(Reader* r, bool* is_whole) {
    size_t rest = r->size - r->at, width = (size_t)r->table->n_columns + 1;
    const char* d = r->data + r->at;
    *is_whole = rest >= BLOCK_HEADER && memcmp(d, BLOCK, sizeof BLOCK) == 0 &&
                fb_crc32(0, d, BLOCK_HEADER - 4) == fb_bytes_get_integer(d + 12, 4);
    size_t n = *is_whole ? (size_t)fb_bytes_get_integer(d + 4, 4) : 0;
    if (!*is_whole || n < 1 || n > MOST_ROWS || n > (rest - BLOCK_HEADER) / (8 * width)) {
        *is_whole = false;
        return FB_OK;
    }
    const char* payload = d + BLOCK_HEADER;
    *is_whole = fb_crc32(0, payload, 8 * width * n) == fb_bytes_get_integer(d + 8, 4);
    if (!*is_whole) {
        return FB_OK;
    }
    r->at += BLOCK_HEADER + 8 * width * n;
    return add_rows(r, payload, (int)n);
}

static FbStatus read_all(Reader* r, bool is_part) {
    FB_TRY(read_header(r));
    bool is_whole = true;
    while (is_whole && r->at < r->size) {
        FB_TRY(read_block(r, &is_whole));
    }
    if (!is_whole && !is_part) {
        return fail(r, "a block of the table is incomplete or was altered");
    }
    return r->table->n_rows > 0 ? FB_OK : fail(r, "the table has no rows");
}

FbStatus fb_fbr_read(FbSamples* table, const char* data, size_t size, const char* path,
                     bool is_part, FbError* err) {
    *table = (FbSamples){.arena = fb_arena_create()};
    Reader r = {.table = table, .data = data, .path = path, .size = size, .err = err};
    FbStatus status = table->arena ? read_all(&r, is_part) : fb_fail_memory(err);
    if (status < 0) {
        fb_samples_free(table);
    }
    return status;
}

const FbResultFormat fb_format_fbr = {
    .name = "fbr",
    .doc = "flyball's own, binary with checksums, for long runs",
    .write = write,
};
