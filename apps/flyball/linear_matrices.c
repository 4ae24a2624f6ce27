// The matrices of a linearization as Matrix Market files, with the names of their rows and columns.
#include "base/error.h"
#include "folder.h"
#include "linear_report.h"
#include "record/file.h"
#include "record/json_pair.h"

static FbStatus write_matrix(const char* folder, const char* name, const char* meaning, int n_row,
                             int n_col, const double* values, FbError* err) {
    FbText path;
    fb_text_init(&path);
    fb_text_addf(&path, "%s/%s.mtx", folder, name);
    FbStatus status = path.has_failed
                          ? fb_fail_memory(err)
                          : fb_matrix_market_write(path.data, meaning, n_row, n_col, values, err);
    fb_text_free(&path);
    return status;
}

static void write_states(FbJson* json, const FbLinearization* l, const FbReducedMatrices* m) {
    fb_json_key(json, "states");
    fb_json_begin_array(json);
    for (int i = 0; i < m->n; i++) {
        fb_json_begin_object(json);
        fb_json_pair_text(json, "name", fb_linearization_get_state_name(l, i));
        fb_json_pair_text(json, "kind",
                          i < m->f          ? "coordinate"
                          : i < m->f + m->p ? "velocity"
                                            : "state");
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

static void write_names(FbJson* json, const char* key, const FbLinearization* l, int n,
                        const char* (*get)(const FbLinearization*, int)) {
    fb_json_key(json, key);
    fb_json_begin_array(json);
    for (int i = 0; i < n; i++) {
        fb_json_string(json, get(l, i));
    }
    fb_json_end_array(json);
}

static FbStatus write_names_file(const char* folder, const FbLinearization* l,
                                 const FbReducedMatrices* m, FbError* err) {
    FbText text, path;
    FbJson json;
    fb_text_init(&text);
    fb_text_init(&path);
    fb_json_init(&json, &text, true);
    fb_json_begin_object(&json);
    write_states(&json, l, m);
    write_names(&json, "inputs", l, m->n_u, fb_linearization_get_input_name);
    write_names(&json, "outputs", l, m->n_y, fb_linearization_get_output_name);
    fb_json_end_object(&json);
    fb_text_add(&text, "\n");
    fb_text_addf(&path, "%s/names.json", folder);
    FbStatus status = text.has_failed || path.has_failed
                          ? fb_fail_memory(err)
                          : fb_file_write(path.data, text.data, text.length, err);
    fb_text_free(&text);
    fb_text_free(&path);
    return status;
}

FbStatus write_matrices(const char* folder, FbLinearization* l, FbError* err) {
    FB_TRY(make_folder(folder, err));
    FB_TRY(fb_linearization_calc_input_output(l, err));
    FbReducedMatrices m;
    fb_linearization_get_matrices(l, &m);
    FB_TRY(write_matrix(folder, "M", "mass", m.p, m.p, m.M, err));
    FB_TRY(write_matrix(folder, "C", "damping and gyroscopic terms", m.p, m.p, m.C, err));
    FB_TRY(write_matrix(folder, "K", "stiffness", m.p, m.f, m.K, err));
    FB_TRY(write_matrix(folder, "A", "x' = A x + B u", m.n, m.n, m.A, err));
    FB_TRY(write_matrix(folder, "B", "x' = A x + B u", m.n, m.n_u, m.B, err));
    FB_TRY(write_matrix(folder, "Cy", "y = Cy x + D u", m.n_y, m.n, m.Cy, err));
    FB_TRY(write_matrix(folder, "D", "y = Cy x + D u", m.n_y, m.n_u, m.D, err));
    return write_names_file(folder, l, &m, err);
}
