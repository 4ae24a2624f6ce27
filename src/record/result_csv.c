// A result as a CSV file: the header names outputs and units, then one row per sample.
#include "flyball/simulate.h"
#include "record/csv.h"
#include "record/format.h"

void fb_csv_writer_add_outputs(FbCsvWriter* writer, const FbModel* model) {
    int n = fb_model_get_output_count(model);
    fb_csv_writer_add_name(writer, "t", "s");
    for (int c = 0; c < n; c++) {
        fb_csv_writer_add_name(writer, fb_model_get_output_name(model, c),
                               fb_model_get_output_unit(model, c));
    }
}

static FbStatus write(const FbSamples* table, const char* path, FbError* err) {
    FbCsvWriter writer;
    FB_TRY(fb_csv_writer_open(&writer, path, err));
    fb_csv_writer_add_name(&writer, "t", "s");
    for (int c = 0; c < table->n_columns; c++) {
        fb_csv_writer_add_name(&writer, table->names[c], table->units[c]);
    }
    fb_csv_writer_end_row(&writer);
    for (int r = 0; r < table->n_rows; r++) {
        fb_csv_writer_add_number(&writer, fb_samples_get_time(table, r));
        for (int c = 0; c < table->n_columns; c++) {
            fb_csv_writer_add_number(&writer, fb_samples_get_value(table, r, c));
        }
        fb_csv_writer_end_row(&writer);
    }
    return fb_csv_writer_close(&writer, err);
}

FbStatus fb_result_write_csv(const FbResult* result, const char* path, FbError* err) {
    return fb_result_write(result, "csv", path, err);
}

const FbResultFormat fb_format_csv = {
    .name = "csv",
    .doc = "spreadsheets, every language",
    .write = write,
};
