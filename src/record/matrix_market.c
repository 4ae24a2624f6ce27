// Dense matrices as Matrix Market files.
#include "flyball/linear.h"

#include "base/text.h"
#include "record/file.h"

FbStatus fb_matrix_market_write(const char* path, const char* comment, int n_row, int n_col,
                                const double* values, FbError* err) {
    FbText text;
    fb_text_init(&text);
    fb_text_add(&text, "%%MatrixMarket matrix array real general\n");
    if (comment != NULL) {
        fb_text_addf(&text, "%% %s\n", comment);
    }
    fb_text_addf(&text, "%d %d\n", n_row, n_col);
    for (size_t i = 0; i < (size_t)n_row * (size_t)n_col; i++) {
        char number[32];
        fb_format_double(values[i], number);
        fb_text_addf(&text, "%s\n", number);
    }
    FbStatus status =
        text.has_failed ? fb_fail_memory(err) : fb_file_write(path, text.data, text.length, err);
    fb_text_free(&text);
    return status;
}
