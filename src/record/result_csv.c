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

FbStatus fb_result_write_csv(const FbResult* result, const char* path, FbError* err) {
    FbCsvWriter writer;
    FB_TRY(fb_csv_writer_open(&writer, path, err));
    int n_columns = fb_result_get_column_count(result);
    int n_rows = fb_result_get_row_count(result);
    fb_csv_writer_add_outputs(&writer, fb_result_get_model(result));
    fb_csv_writer_end_row(&writer);
    for (int r = 0; r < n_rows; r++) {
        fb_csv_writer_add_number(&writer, fb_result_get_time(result, r));
        for (int c = 0; c < n_columns; c++) {
            fb_csv_writer_add_number(&writer, fb_result_get_value(result, r, c));
        }
        fb_csv_writer_end_row(&writer);
    }
    return fb_csv_writer_close(&writer, err);
}

const FbResultFormat fb_format_csv = {
    .name = "csv",
    .doc = "spreadsheets, every language",
    .write = fb_result_write_csv,
};
