// Writes CSV (RFC 4180): a cell is quoted where it holds a comma, a quote or a line break.
#include <errno.h>
#include <string.h>

#include "record/csv.h"

FbStatus fb_csv_writer_open(FbCsvWriter* writer, const char* path, FbError* err) {
    *writer = (FbCsvWriter){.path = path};
    fb_text_init(&writer->line);
    FB_TRY(fb_new_file_open(&writer->whole, path, err));
    writer->file = writer->whole.file;
    return FB_OK;
}

FbStatus fb_csv_writer_append(FbCsvWriter* writer, const char* path, FbError* err) {
    *writer = (FbCsvWriter){.path = path};
    fb_text_init(&writer->line);
    writer->file = fopen(path, "ab");
    if (writer->file == NULL) {
        FbPlace place = {.file = path};
        return fb_fail(err, FB_ERR_IO, &place, "cannot create the file: %s", strerror(errno));
    }
    return FB_OK;
}

static void begin_cell(FbCsvWriter* writer) {
    if (writer->line.length > 0) {
        fb_text_add(&writer->line, ",");
    }
}

static void add_quoted(FbText* line, const char* text) {
    fb_text_add(line, "\"");
    for (const char* c = text; *c != '\0'; c++) {
        fb_text_add_n(line, c, 1);
        if (*c == '"') {
            fb_text_add(line, "\"");
        }
    }
    fb_text_add(line, "\"");
}

void fb_csv_writer_add_text(FbCsvWriter* writer, const char* text) {
    begin_cell(writer);
    // An empty first cell is quoted, so that the line is not empty when the second one comes.
    if (text[0] == '\0' || strpbrk(text, ",\"\r\n") != NULL) {
        add_quoted(&writer->line, text);
    } else {
        fb_text_add(&writer->line, text);
    }
}

void fb_csv_writer_add_name(FbCsvWriter* writer, const char* name, const char* unit) {
    FbText cell;
    fb_text_init(&cell);
    fb_text_add(&cell, name);
    if (unit != NULL && unit[0] != '\0') {
        fb_text_addf(&cell, " [%s]", unit);
    }
    if (cell.has_failed) {
        writer->line.has_failed = true;
    } else {
        fb_csv_writer_add_text(writer, cell.data);
    }
    fb_text_free(&cell);
}

void fb_csv_writer_add_number(FbCsvWriter* writer, double value) {
    char cell[33];
    size_t length = fb_format_double(value, cell + 1);
    bool is_first = writer->line.length == 0;
    cell[0] = ',';
    fb_text_add_n(&writer->line, is_first ? cell + 1 : cell, is_first ? length : length + 1);
}

void fb_csv_writer_end_row(FbCsvWriter* writer) {
    fb_text_add(&writer->line, "\n");
    if (writer->line.has_failed || writer->write_error != 0) {
        return;
    }
    if (fwrite(writer->line.data, 1, writer->line.length, writer->file) != writer->line.length) {
        writer->write_error = errno != 0 ? errno : EIO;
    }
    writer->line.length = 0;
}

void fb_csv_writer_flush(FbCsvWriter* writer) {
    if (fflush(writer->file) != 0 && writer->write_error == 0) {
        writer->write_error = errno != 0 ? errno : EIO;
    }
}

static FbStatus close_appended(FbCsvWriter* writer, FbStatus status, FbError* err) {
    if (fclose(writer->file) != 0 && writer->write_error == 0) {
        writer->write_error = errno;
    }
    if (status < 0 || writer->write_error == 0) {
        return status;
    }
    FbPlace place = {.file = writer->path};
    return fb_fail(err, FB_ERR_IO, &place, "cannot write the file: %s",
                   strerror(writer->write_error));
}

FbStatus fb_csv_writer_close(FbCsvWriter* writer, FbError* err) {
    FbStatus status = writer->line.has_failed ? fb_fail_memory(err) : FB_OK;
    fb_text_free(&writer->line);
    status = writer->whole.file != NULL
                 ? fb_new_file_close(&writer->whole, status, writer->write_error, err)
                 : close_appended(writer, status, err);
    writer->file = NULL;
    return status;
}
