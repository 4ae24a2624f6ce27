// The table of a run while it is being written, and what is needed to continue it.
#include "record/run_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/new_file.h"
#include "read/read.h"
#include "record/csv.h"
#include "record/fbr.h"
#include "record/format.h"
#include "solve/result.h"

enum { DIGITS = 64, CHUNK = 1 << 16 };
static const char MAGIC[8] = {'F', 'L', 'Y', 'B', 'R', 'E', 'S', '1'};

// Before the state of the run in the state file.
typedef struct Head {
    char magic[8];
    uint64_t state_size;
    char state[DIGITS];  // its digest
    FbSha256 table;      // up to the state: size and digest
} Head;

static FbStatus fail_file(const char* path, const char* what, int reason, FbError* err) {
    FbPlace place = {.file = path};
    return fb_fail(err, FB_ERR_IO, &place, "cannot %s the file: %s", what,
                   strerror(reason != 0 ? reason : EIO));
}

static char* join(const char* path, const char* ending) {
    FbText text;
    fb_text_init(&text);
    fb_text_add(&text, path);
    fb_text_add(&text, ending);
    return fb_text_steal(&text);
}

// ---- Writing ----

// Locks a file that is open, as long as it is. File systems without locks have none.
static bool lock(int number) {
    return flock(number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

static FbStatus fail_locked(const char* path, FbError* err) {
    FbPlace place = {.file = path};
    return fb_fail(err, FB_ERR_IO, &place,
                   "another run is writing this file; wait for it, or give another folder with -o");
}

static FbStatus check_part(const FbRunFile* f, FbError* err) {
    int number = open(f->part_path, O_WRONLY | O_CLOEXEC);
    bool is_free = number < 0 || lock(number);
    if (number >= 0) {
        close(number);
    }
    return is_free ? FB_OK : fail_locked(f->path, err);
}

// What cannot be replaced at the end is reported at the beginning.
static FbStatus check_old(const char* path, FbError* err) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return FB_OK;
    }
    if (!S_ISREG(info.st_mode)) {
        return fail_file(path, "replace", S_ISDIR(info.st_mode) ? EISDIR : EINVAL, err);
    }
    return access(path, W_OK) == 0 ? FB_OK : fail_file(path, "create", errno, err);
}

static FbStatus create(FbRunFile* f, FbError* err) {
    int number = open(f->new_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (number < 0) {
        return fail_file(f->path, "create", errno, err);
    }
    if (!lock(number)) {
        close(number);
        return fail_locked(f->path, err);
    }
    f->file = ftruncate(number, 0) == 0 ? fdopen(number, "wb") : NULL;
    if (!f->file) {
        int reason = errno;
        close(number);
        return fail_file(f->path, "create", reason, err);
    }
    return check_part(f, err);
}

// What could not be written whole is taken back.
static FbStatus fail_write(FbRunFile* f, int reason, FbError* err) {
    FbStatus status = fail_file(f->part_path, "write", reason, err);
    (void)!ftruncate(fileno(f->file), (off_t)f->size);
    f->has_failed = true;
    return status;
}

static FbStatus write_bytes(FbRunFile* f, const char* bytes, size_t n, FbError* err) {
    errno = 0;
    if (fwrite(bytes, 1, n, f->file) != n || fflush(f->file) != 0) {
        return fail_write(f, errno, err);
    }
    f->size += n;
    fb_sha256_add(&f->digest, bytes, n);
    return FB_OK;
}

// The file becomes the part when it has a row. A state of an earlier part goes before.
static FbStatus take_part_name(FbRunFile* f, FbError* err) {
    if (f->has_part_name) {
        return FB_OK;
    }
    if (!f->state) {
        remove(f->state_path);
    }
    if (rename(f->new_path, f->part_path) != 0) {
        return fail_file(f->part_path, "create", errno, err);
    }
    f->has_part_name = true;
    return FB_OK;
}

// The cells of a line go to the text.
static void end_line(FbRunFile* f, FbCsvWriter* cells) {
    fb_text_add(&cells->line, "\n");
    if (cells->line.has_failed) {
        f->text.has_failed = true;
        return;
    }
    fb_text_add_n(&f->text, cells->line.data, cells->line.length);
    cells->line.length = 0;
}

// A block of its own, so that what was written can be read.
static FbStatus write_block(FbRunFile* f, const double* rows, int n, FbError* err) {
    enum { MOST_ROWS = 1 << 12 };
    FbSamples names;
    int n_columns = fb_model_get_output_count(f->model);
    f->text.length = 0;
    if (f->size == 0) {
        FB_TRY(fb_samples_of_model(&names, f->model, err));
        fb_fbr_add_header(&f->text, &names);
        fb_samples_free(&names);
    }
    for (int i = 0; i < n; i += MOST_ROWS) {
        int count = n - i < MOST_ROWS ? n - i : MOST_ROWS;
        fb_fbr_add_block(&f->text, rows + (size_t)i * (size_t)(n_columns + 1), count, n_columns);
        if (f->text.has_failed) {
            return fb_fail_memory(err);
        }
        FB_TRY(write_bytes(f, f->text.data, f->text.length, err));
        f->text.length = 0;
    }
    return FB_OK;
}

static FbStatus write_lines(FbRunFile* f, const double* rows, int n, FbCsvWriter* cells,
                            FbError* err) {
    int width = fb_model_get_output_count(f->model) + 1;
    f->text.length = 0;
    if (f->size == 0) {
        fb_csv_writer_add_outputs(cells, f->model);
        end_line(f, cells);
    }
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < width; c++) {
            fb_csv_writer_add_number(cells, rows[(size_t)i * (size_t)width + (size_t)c]);
        }
        end_line(f, cells);
        if (f->text.has_failed) {
            return fb_fail_memory(err);
        }
        if (f->text.length >= CHUNK || i == n - 1) {
            FB_TRY(write_bytes(f, f->text.data, f->text.length, err));
            f->text.length = 0;
        }
    }
    return FB_OK;
}

static FbStatus write_rows(FbRunFile* f, const double* rows, int n, FbError* err) {
    FbCsvWriter cells = {.path = f->part_path};
    fb_text_init(&cells.line);
    FbStatus status =
        f->is_binary ? write_block(f, rows, n, err) : write_lines(f, rows, n, &cells, err);
    fb_text_free(&cells.line);
    return status == FB_OK ? take_part_name(f, err) : status;
}

FbStatus fb_run_file_write_result(FbRunFile* f, const FbResult* result, FbError* err) {
    return write_rows(f, result->rows, result->n_row, err);
}

static FbStatus sync_rows(FbRunFile* f, FbError* err) {
    bool is_good = fflush(f->file) == 0 && (fsync(fileno(f->file)) == 0 || errno == EINVAL ||
                                            errno == EROFS || errno == ENOTSUP);
    return is_good ? FB_OK : fail_write(f, errno, err);
}

static FbStatus on_rows(void* self, const double* rows, int n, FbError* err) {
    return write_rows(self, rows, n, err);
}

// The rows are on the disk before the state that counts on them.
static FbStatus on_state(void* self, const void* data, size_t size, FbError* err) {
    FbRunFile* f = self;
    FB_TRY(sync_rows(f, err));
    Head head = {.state_size = size, .table = f->digest};
    char digest[DIGITS + 1];
    memcpy(head.magic, MAGIC, sizeof head.magic);
    fb_sha256_hex(data, size, digest);
    memcpy(head.state, digest, DIGITS);
    FbNewFile out;
    FB_TRY(fb_new_file_open_as(&out, f->state_path, f->new_state_path, err));
    errno = 0;
    bool is_written = fwrite(&head, 1, sizeof head, out.file) == sizeof head &&
                      fwrite(data, 1, size, out.file) == size;
    return fb_new_file_close(&out, FB_OK, is_written ? 0 : errno, err);
}

// ---- Continuing ----

// The state file; *data is NULL where there is none that can be used.
static FbStatus read_state(const FbRunFile* f, Head* head, char** data, FbError* err) {
    size_t size;
    *data = NULL;
    if (access(f->state_path, F_OK) != 0) {
        return FB_OK;
    }
    FB_TRY(fb_read_result_file(f->state_path, data, &size, err));
    char digest[DIGITS + 1] = "";
    bool is_good = size >= sizeof *head;
    if (is_good) {
        memcpy(head, *data, sizeof *head);
        is_good = memcmp(head->magic, MAGIC, sizeof MAGIC) == 0 &&
                  head->state_size == size - sizeof *head;
    }
    if (is_good) {
        fb_sha256_hex(*data + sizeof *head, size - sizeof *head, digest);
        is_good = memcmp(digest, head->state, DIGITS) == 0;
    }
    if (!is_good) {
        free(*data);
        *data = NULL;
        FbPlace place = {.file = f->state_path};
        return fb_fail(err, FB_ERR_SYNTAX, &place,
                       "not the state of a run, or it was altered; remove it to begin anew");
    }
    return FB_OK;
}

// Copies the rows before the state from `path`; *is_there: these are they.
static FbStatus copy_rows(FbRunFile* f, const char* path, const Head* head, bool* is_there,
                          FbError* err) {
    char* buffer = malloc(CHUNK);
    FILE* in = buffer ? fopen(path, "rb") : NULL;
    FbStatus status = buffer ? FB_OK : fb_fail_memory(err);
    f->size = 0;
    fb_sha256_init(&f->digest);
    rewind(f->file);
    bool has_room = ftruncate(fileno(f->file), 0) == 0;
    while (in && has_room && status == FB_OK && f->size < head->table.size) {
        uint64_t rest = head->table.size - f->size;
        size_t n = fread(buffer, 1, rest < CHUNK ? (size_t)rest : CHUNK, in);
        if (n == 0) {
            break;
        }
        status = write_bytes(f, buffer, n, err);
    }
    if (in) {
        fclose(in);
    }
    free(buffer);
    char own[DIGITS + 1], wanted[DIGITS + 1];
    fb_sha256_end(&f->digest, own);
    fb_sha256_end(&head->table, wanted);
    *is_there = status == FB_OK && strcmp(own, wanted) == 0;
    return status;
}

static FbStatus read_before(FbRunFile* f, FbError* err) {
    FB_TRY(fb_samples_read_csv(&f->before, f->part_path, err));
    bool fits = f->before.n_columns == fb_model_get_output_count(f->model);
    return fits ? FB_OK : fb_fail(err, FB_ERR_MODEL, NULL, "the table has other columns");
}

static FbStatus resume(FbRunFile* f, bool keeps_rows, FbError* err) {
    Head head;
    char* data;
    bool is_there = false;
    FB_TRY(read_state(f, &head, &data, err));
    if (!data) {
        return FB_OK;
    }
    // The part, or, where the run was ended in order, the table that it has become.
    FbStatus status = copy_rows(f, f->part_path, &head, &is_there, err);
    if (status == FB_OK && !is_there) {
        status = copy_rows(f, f->path, &head, &is_there, err);
    }
    if (status == FB_OK && !is_there) {
        FbPlace place = {.file = f->state_path};
        status = fb_fail(err, FB_ERR_SYNTAX, &place,
                         "the rows before this state are missing; remove it to begin "
                         "anew");
    }
    if (status == FB_OK) {
        memmove(data, data + sizeof head, (size_t)head.state_size);
        f->state = data;
        f->state_size = (size_t)head.state_size;
        status = sync_rows(f, err);
    } else {
        free(data);
    }
    if (status == FB_OK) {
        status = take_part_name(f, err);
    }
    return status == FB_OK && keeps_rows ? read_before(f, err) : status;
}

FbStatus fb_run_file_open(FbRunFile* f, const FbModel* model, const char* path, bool is_resumed,
                          bool keeps_rows, FbError* err) {
    size_t length = strlen(path);
    *f = (FbRunFile){.model = model,
                     .is_binary = length > 4 && strcmp(path + length - 4, ".fbr") == 0,
                     .path = join(path, ""),
                     .part_path = join(path, ".part"),
                     .new_path = join(path, ".part.new"),
                     .state_path = join(path, ".state"),
                     .new_state_path = join(path, ".state.new")};
    f->sink = (FbRowSink){.self = f, .write = on_rows, .save = on_state};
    fb_text_init(&f->text);
    fb_sha256_init(&f->digest);
    if (!f->path || !f->part_path || !f->new_path || !f->state_path || !f->new_state_path) {
        return fb_fail_memory(err);
    }
    FB_TRY(check_old(path, err));
    FB_TRY(create(f, err));
    return is_resumed ? resume(f, keeps_rows, err) : FB_OK;
}

bool fb_run_file_is_unfinished(const char* path) {
    char* part = join(path, ".part");
    bool is_there = part && access(part, F_OK) == 0;
    free(part);
    return is_there;
}

// ---- The end ----

FbStatus fb_run_file_finish(FbRunFile* f, char sha256[65], FbError* err) {
    fb_sha256_end(&f->digest, sha256);
    return sync_rows(f, err);
}

FbStatus fb_run_file_take_name(FbRunFile* f, bool is_unfinished, FbError* err) {
    FB_TRY(fb_new_file_rename(f->has_part_name ? f->part_path : f->new_path, f->path, err));
    f->has_part_name = true;
    if (!is_unfinished) {
        remove(f->state_path);
        remove(f->new_state_path);
    }
    return FB_OK;
}

void fb_run_file_close(FbRunFile* f) {
    if (f->file) {
        fclose(f->file);
        if (!f->has_part_name) {
            remove(f->new_path);
        }
    }
    fb_samples_free(&f->before);
    fb_text_free(&f->text);
    free(f->state);
    free(f->path);
    free(f->part_path);
    free(f->new_path);
    free(f->state_path);
    free(f->new_state_path);
    *f = (FbRunFile){0};
}
