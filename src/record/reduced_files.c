// Writes a reduced structure as matrices with named nodes, for other models and other programs.
#include "record/reduced_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "flyball/linear.h"
#include "record/file.h"

// Entries of nearly the size of the largest: the first of them decides, so that rounding does not.
static const double NEARLY = 0.999;

typedef struct Writer {
    const char* folder;
    char name[256];
    const FbReducedStructure* from;
    double* sign;  // [n] of each coordinate; 1 for those of nodes
    double* room;  // [n x n], n >= 3
    FbError* err;
} Writer;

// A mode moves nodes or weight in the positive sense where it does so most.
static double choose_sign(const FbReducedStructure* s, int mode) {
    const FbReduced* r = s->r;
    size_t n = (size_t)r->n, row = (size_t)r->n_boundary + (size_t)mode;
    int count = r->n_boundary + (s->has_weight ? 3 : 0);
    for (int pass = 0; pass < 2; pass++) {
        double largest = 0.0;
        for (int i = 0; i < count; i++) {
            bool is_node = i < r->n_boundary;
            // Masses and weights are not of one size: weights decide where no node is moved.
            double x = is_node ? r->mass[(size_t)i * n + row]
                               : r->loads[(size_t)(i - r->n_boundary) * n + row];
            if (is_node == (pass == 0) && fabs(x) > 0.0 && fabs(x) * NEARLY > fabs(largest)) {
                largest = x;
            }
        }
        if (largest != 0.0) {
            return largest > 0.0 ? 1.0 : -1.0;
        }
    }
    return 1.0;
}

static FbStatus write_matrix(const Writer* w, const char* letter, const char* meaning, int n_col,
                             const double* values) {
    FbText path;
    fb_text_init(&path);
    fb_text_addf(&path, "%s/%s_%s.mtx", w->folder, w->name, letter);
    FbStatus status = path.has_failed ? fb_fail_memory(w->err)
                                      : fb_matrix_market_write(path.data, meaning, w->from->r->n,
                                                               n_col, values, w->err);
    fb_text_free(&path);
    return status;
}

// Rows and, of square matrices, columns with the signs of their modes.
static FbStatus write_signed(const Writer* w, const char* letter, const char* meaning, int n_col,
                             const double* values) {
    size_t n = (size_t)w->from->r->n;
    bool is_square = n_col == w->from->r->n;
    for (size_t c = 0; c < (size_t)n_col; c++) {
        for (size_t i = 0; i < n; i++) {
            double sign = w->sign[i] * (is_square ? w->sign[c] : 1.0);
            w->room[c * n + i] = values[c * n + i] * sign + 0.0;  // no -0
        }
    }
    return write_matrix(w, letter, meaning, n_col, w->room);
}

static FbStatus write_matrices(const Writer* w) {
    const FbReduced* r = w->from->r;
    FB_TRY(write_signed(w, "M", "mass, kg for displacements", r->n, r->mass));
    FB_TRY(write_signed(w, "K", "stiffness, N/m for displacements", r->n, r->stiffness));
    if (r->damping) {
        FB_TRY(write_signed(w, "C", "damping, N s/m for displacements", r->n, r->damping));
    }
    return w->from->has_weight
               ? write_signed(w, "weight", "forces by 1 m/s2 along x, y, z", 3, r->loads)
               : FB_OK;
}

static void add_numbers(FbText* text, const double* x, int n) {
    for (int i = 0; i < n; i++) {
        char number[32];
        fb_format_double(x[i], number);
        fb_text_addf(text, "%s%s", i > 0 ? ", " : "", number);
    }
}

static bool are_equal(const double* a, const double* b, int n) {
    for (int i = 0; i < n; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

static void add_axes(FbText* text, const FbMatrixStructureDef* s) {
    static const double zero[3], unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (!are_equal(s->position, zero, 3)) {
        fb_text_add(text, ",\n      position: [");
        add_numbers(text, s->position, 3);
        fb_text_add(text, "]");
    }
    if (!are_equal(s->rotation, unit, 9)) {
        double x[3] = {s->rotation[0], s->rotation[3], s->rotation[6]};
        double z[3] = {s->rotation[2], s->rotation[5], s->rotation[8]};
        fb_text_add(text, ",\n      orientation: {z: [");
        add_numbers(text, z, 3);
        fb_text_add(text, "], x: [");
        add_numbers(text, x, 3);
        fb_text_add(text, "]}");
    }
}

static void add_files(FbText* text, const Writer* w) {
    fb_text_addf(text, "    matrices: {mass: %s_M.mtx, stiffness: %s_K.mtx", w->name, w->name);
    if (w->from->r->damping) {
        fb_text_addf(text, ", damping: %s_C.mtx", w->name);
    }
    if (w->from->has_weight) {
        fb_text_addf(text, ", weight: %s_weight.mtx", w->name);
    }
    add_axes(text, w->from->s);
    fb_text_add(text, "}\n");
    if (w->from->s->damping_ratio > 0.0) {
        fb_text_add(text, "    damping: {ratio: ");
        add_numbers(text, &w->from->s->damping_ratio, 1);
        fb_text_add(text, "}\n");
    }
}

// Rows count up in the order of nodes and directions, as the reduction has them.
static void add_nodes(FbText* text, const FbMatrixStructureDef* s) {
    static const char* const directions[6] = {"x", "y", "z", "rx", "ry", "rz"};
    int row = 0;
    fb_text_add(text, "    nodes:\n");
    for (int i = 0; i < s->n_nodes; i++) {
        const FbMatrixNodeDef* node = &s->nodes[i];
        const char* separator = "";
        fb_text_addf(text, "      %s: {at: [", node->name);
        add_numbers(text, node->at, 3);
        fb_text_add(text, node->is_clamped ? "], support: clamped}\n" : "], dofs: {");
        for (int d = 0; d < 6 && !node->is_clamped; d++) {
            if (node->dofs[d] > 0) {
                fb_text_addf(text, "%s%s: %d", separator, directions[d], ++row);
                separator = ", ";
            }
        }
        fb_text_add(text, node->is_clamped ? "" : "}}\n");
    }
}

static FbStatus write_model(const Writer* w) {
    const FbReducedStructure* from = w->from;
    FbText text, path;
    fb_text_init(&text);
    fb_text_init(&path);
    fb_text_addf(&text,
                 "# %d coordinates reduced to %d of named nodes and %d modes (rows %d to %d).\n"
                 "flyball: 1\ntitle: Structure %s, reduced\n\nstructures:\n  %s:\n",
                 from->n_whole, from->r->n_boundary, from->r->n_modes, from->r->n_boundary + 1,
                 from->r->n, from->s->name, w->name);
    add_files(&text, w);
    add_nodes(&text, from->s);
    fb_text_addf(&path, "%s/%s.yaml", w->folder, w->name);
    FbStatus status = text.has_failed || path.has_failed
                          ? fb_fail_memory(w->err)
                          : fb_file_write(path.data, text.data, text.length, w->err);
    fb_text_free(&text);
    fb_text_free(&path);
    return status;
}

static FbStatus write_files(Writer* w) {
    const FbReduced* r = w->from->r;
    for (int i = 0; i < r->n; i++) {
        w->sign[i] = i < r->n_boundary ? 1.0 : choose_sign(w->from, i - r->n_boundary);
    }
    snprintf(w->name, sizeof w->name, "%s", w->from->s->name);
    for (char* dot = w->name; (dot = strchr(dot, '.')) != NULL;) {
        *dot = '_';
    }
    FB_TRY(write_matrices(w));
    return write_model(w);
}

FbStatus fb_reduced_write(const char* folder, const FbReducedStructure* structure, FbError* err) {
    size_t n = (size_t)structure->r->n;
    Writer w = {.folder = folder, .from = structure, .err = err};
    w.sign = malloc(sizeof(double) * (n + 1));
    w.room = malloc(sizeof(double) * n * (n > 3 ? n : 3) + 8);
    FbStatus status = w.sign && w.room ? write_files(&w) : fb_fail_memory(err);
    free(w.sign);
    free(w.room);
    return status;
}
