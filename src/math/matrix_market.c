// Reads matrices from Matrix Market files: https://math.nist.gov/MatrixMarket/formats.html.
#include "math/matrix_market.h"
#include "base/input_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 1024 };
// Limits of a structure; more is a mistake or an attack on memory.
enum { FEW_ROWS = 100000, MAX_EMPTY = 1000 };

typedef struct File {
    FILE* in;
    const char* path;
    int line;
    char text[MAX_LINE + 2];
    bool is_array, is_symmetric;
    int n_row, n_col;
    long n_entry;  // that follow
    FbTriplet* entries;
    size_t n, capacity;
    FbError* err;
    double most_rows;
} File;

#define FAIL(f, status, ...) \
    fb_fail((f)->err, status, &(FbPlace){(f)->path, (f)->line, 0}, __VA_ARGS__)

// The next line that is neither empty nor a comment; false at the end.
static bool next_line(File* f) {
    while (fgets(f->text, sizeof f->text, f->in)) {
        f->line++;
        const char* c = f->text;
        while (isspace((unsigned char)*c)) {
            c++;
        }
        if (*c && *c != '%') {
            return true;
        }
    }
    return false;
}

static void make_lower(char* text) {
    for (; *text; text++) {
        *text = (char)tolower((unsigned char)*text);
    }
}

static FbStatus read_banner(File* f) {
    char words[5][32] = {{0}};
    bool is_there = fgets(f->text, sizeof f->text, f->in) != NULL;
    f->line = 1;
    if (is_there) {
        make_lower(f->text);
    }
    if (!is_there ||
        sscanf(f->text, "%31s %31s %31s %31s %31s", words[0], words[1], words[2], words[3],
               words[4]) != 5 ||
        strcmp(words[0], "%%matrixmarket") != 0 || strcmp(words[1], "matrix") != 0) {
        return FAIL(f, FB_ERR_SYNTAX,
                    "not a Matrix Market file: its first line must be like "
                    "'%%%%MatrixMarket matrix coordinate real symmetric'");
    }
    f->is_array = strcmp(words[2], "array") == 0;
    f->is_symmetric = strcmp(words[4], "symmetric") == 0;
    if (!f->is_array && strcmp(words[2], "coordinate") != 0) {
        return FAIL(f, FB_ERR_SYNTAX, "the format is '%s'; it must be coordinate or array",
                    words[2]);
    }
    if (strcmp(words[3], "real") != 0 && strcmp(words[3], "integer") != 0) {
        return FAIL(f, FB_ERR_SYNTAX, "the numbers are '%s'; they must be real or integer",
                    words[3]);
    }
    if (!f->is_symmetric && strcmp(words[4], "general") != 0) {
        return FAIL(f, FB_ERR_SYNTAX, "the matrix is '%s'; it must be general or symmetric",
                    words[4]);
    }
    return FB_OK;
}

// Reads n integers of a line and nothing else.
static bool read_counts(const char* text, int n, long* out) {
    for (int i = 0; i < n; i++) {
        char* end;
        errno = 0;
        out[i] = strtol(text, &end, 10);
        if (end == text || errno != 0) {
            return false;
        }
        text = end;
    }
    while (isspace((unsigned char)*text)) {
        text++;
    }
    return !*text;
}

static FbStatus read_sizes(File* f) {
    long n[3] = {0};
    int wanted = f->is_array ? 2 : 3;
    if (!next_line(f) || !read_counts(f->text, wanted, n) || n[0] < 1 || n[1] < 1 || n[2] < 0 ||
        n[0] > 0x7ffffff || n[1] > 0x7ffffff) {
        return FAIL(f, FB_ERR_SYNTAX,
                    f->is_array ? "the sizes 'rows columns' are expected here"
                                : "the sizes 'rows columns entries' are expected here");
    }
    // Each row takes memory whether it has entries or not.
    bool is_hollow = !f->is_array && n[0] > FEW_ROWS && n[0] > MAX_EMPTY * (n[2] + 1);
    if ((double)n[0] > f->most_rows || (double)n[1] > f->most_rows || is_hollow) {
        return FAIL(f, FB_ERR_RANGE,
                    "the matrix has %ld rows, %ld columns and %ld entries; at most %.10g rows are "
                    "allowed, and above %d rows at most %d per entry",
                    n[0], n[1], f->is_array ? n[0] * n[1] : n[2], f->most_rows, FEW_ROWS,
                    MAX_EMPTY);
    }
    f->n_row = (int)n[0];
    f->n_col = (int)n[1];
    f->n_entry = n[2];
    if (f->is_symmetric && n[0] != n[1]) {
        return FAIL(f, FB_ERR_RANGE,
                    "a symmetric matrix of %ld rows and %ld columns; it must be square", n[0],
                    n[1]);
    }
    if (f->is_array) {
        f->n_entry = f->is_symmetric ? n[0] * (n[0] + 1) / 2 : n[0] * n[1];
    }
    return FB_OK;
}

// Grows as entries come, so that a wrong count in the file takes no memory.
static FbStatus add(File* f, int row, int col, double value) {
    if (f->n + 2 > f->capacity) {
        size_t capacity = 2 * f->capacity + 1024;
        FbTriplet* more = realloc(f->entries, capacity * sizeof *more);
        if (!more) {
            return fb_fail_memory(f->err);
        }
        f->entries = more;
        f->capacity = capacity;
    }
    f->entries[f->n++] = (FbTriplet){row, col, value};
    if (f->is_symmetric && row != col) {
        f->entries[f->n++] = (FbTriplet){col, row, value};
    }
    return FB_OK;
}

static bool read_value(const char* text, double* value) {
    char* end;
    *value = strtod(text, &end);
    bool is_number = end != text;
    while (isspace((unsigned char)*end)) {
        end++;
    }
    return is_number && !*end && isfinite(*value);
}

static FbStatus read_coordinate(File* f) {
    char* at = f->text;
    long index[2];
    double value;
    for (int i = 0; i < 2; i++) {
        char* end;
        index[i] = strtol(at, &end, 10);
        if (end == at) {
            return FAIL(f, FB_ERR_SYNTAX, "an entry 'row column value' is expected here");
        }
        at = end;
    }
    if (!read_value(at, &value)) {
        return FAIL(f, FB_ERR_SYNTAX,
                    "an entry 'row column value' with a finite value is expected here");
    }
    if (index[0] < 1 || index[0] > f->n_row || index[1] < 1 || index[1] > f->n_col) {
        return FAIL(f, FB_ERR_RANGE, "the entry (%ld, %ld) is outside the %d x %d matrix", index[0],
                    index[1], f->n_row, f->n_col);
    }
    if (f->is_symmetric && index[0] < index[1]) {
        return FAIL(f, FB_ERR_RANGE,
                    "the entry (%ld, %ld) is above the diagonal; a symmetric file holds only the "
                    "lower triangle (write 'general' in the first line if it holds both)",
                    index[0], index[1]);
    }
    return add(f, (int)index[0] - 1, (int)index[1] - 1, value);
}

static FbStatus read_entries(File* f) {
    int row = 0, col = 0;
    for (long i = 0; i < f->n_entry; i++) {
        double value;
        if (!next_line(f)) {
            return FAIL(f, FB_ERR_SYNTAX, "the file ends after %ld of %ld entries", i, f->n_entry);
        }
        if (!f->is_array) {
            FB_TRY(read_coordinate(f));
            continue;
        }
        if (!read_value(f->text, &value)) {
            return FAIL(f, FB_ERR_SYNTAX, "one finite number is expected here");
        }
        if (value != 0.0) {
            FB_TRY(add(f, row, col, value));
        }
        if (++row == f->n_row) {
            col++;
            row = f->is_symmetric ? col : 0;
        }
    }
    return next_line(f)
               ? FAIL(f, FB_ERR_SYNTAX, "the file continues after its %ld entries", f->n_entry)
               : FB_OK;
}

FbStatus fb_matrix_market_read(const char* path, double most_rows, FbArena* arena, FbSparse* out,
                               FbError* err) {
    File f = {.in = fb_input_file_open(path), .path = path, .most_rows = most_rows, .err = err};
    if (!f.in) {
        return fb_fail(err, FB_ERR_IO, &(FbPlace){path, 0, 0}, "cannot read the file: %s",
                       strerror(errno));
    }
    FbStatus status = read_banner(&f);
    if (status == FB_OK) {
        status = read_sizes(&f);
    }
    if (status == FB_OK) {
        status = read_entries(&f);
    }
    fclose(f.in);
    if (status == FB_OK) {
        status = fb_sparse_from_triplets(f.n_row, f.n_col, f.entries, f.n, arena, out, err);
    }
    free(f.entries);
    return status;
}
