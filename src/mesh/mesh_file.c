// Mesh files: the file in memory, its numbers, labels of nodes, and which reader it is for.
#include "mesh/mesh_file.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input_file.h"

static const size_t MOST_BYTES = (size_t)4000000000;
static const double MOST_ITEMS = 1e7;

FbStatus fb_mesh_file_fail(FbMeshFile* f, FbStatus status, const char* format, ...) {
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return fb_fail(f->err, status, &(FbPlace){f->path, f->line, 0}, "%s", text);
}

static void skip(FbMeshFile* f) {
    while (f->at < f->end && (isspace((unsigned char)*f->at) || *f->at == ',')) {
        f->line += *f->at == '\n';
        f->at++;
    }
}

// What follows a number, unless it is none: 1.0O, 12a.
static bool is_end(const FbMeshFile* f, const char* at) {
    return at >= f->end || isspace((unsigned char)*at) || *at == ',';
}

bool fb_mesh_file_integer(FbMeshFile* f, long* out) {
    char* stop;
    skip(f);
    errno = 0;
    *out = strtol(f->at, &stop, 10);
    if (stop == f->at || errno != 0 || !is_end(f, stop)) {
        return false;
    }
    f->at = stop;
    return true;
}

// Fortran programs write 1.5D+01.
static double read_fortran(FbMeshFile* f, char** stop) {
    char text[64];
    size_t n = 0;
    while (n + 1 < sizeof text && !is_end(f, f->at + n)) {
        char c = f->at[n];
        text[n++] = c == 'd' || c == 'D' ? 'e' : c;
    }
    text[n] = '\0';
    char* end;
    double x = strtod(text, &end);
    *stop = f->at + (end - text);
    return x;
}

bool fb_mesh_file_real(FbMeshFile* f, double* out) {
    char* stop;
    skip(f);
    *out = strtod(f->at, &stop);
    if (stop > f->at && (*stop == 'd' || *stop == 'D')) {
        *out = read_fortran(f, &stop);
    }
    if (stop == f->at || !isfinite(*out) || !is_end(f, stop)) {
        return false;
    }
    f->at = stop;
    return true;
}

bool fb_mesh_file_line(FbMeshFile* f, char** start, char** stop) {
    if (f->at >= f->end) {
        return false;
    }
    char* newline = memchr(f->at, '\n', (size_t)(f->end - f->at));
    *start = f->at;
    *stop = newline ? newline : f->end;
    f->at = newline ? newline + 1 : f->end;
    f->line++;
    while (*start < *stop && isspace((unsigned char)**start)) {
        ++*start;
    }
    while (*stop > *start && isspace((unsigned char)(*stop)[-1])) {
        --*stop;
    }
    return true;
}

FbStatus fb_mesh_file_check_count(FbMeshFile* f, const char* what, double n, double bytes) {
    double rest = (double)(f->end - f->at);
    if (!(n >= 0.0)) {
        return fb_mesh_file_fail(f, FB_ERR_SYNTAX,
                                 "the file announces %.0f %s, which is impossible; it is damaged",
                                 n, what);
    }
    if (!(n * bytes <= rest)) {
        return fb_mesh_file_fail(f, FB_ERR_SYNTAX,
                                 "the file announces %.0f %s, but only %.0f "
                                 "bytes follow; it is damaged or truncated",
                                 n, what, rest);
    }
    if (n > f->most_items) {
        return fb_mesh_file_fail(f, FB_ERR_RANGE, "the mesh has %.0f %s; at most %.0f are read", n,
                                 what, f->most_items);
    }
    return FB_OK;
}

FbStatus fb_mesh_file_add_node(FbMeshFile* f, long label, const double x[3]) {
    FbVec3 p = fb_scale(f->unit, fb_vec3_from(x));
    if (label < 1 || label > INT_MAX) {
        return fb_mesh_file_fail(f, FB_ERR_RANGE, "node %ld: numbers of nodes must be from 1 to %d",
                                 label, INT_MAX);
    }
    int index = fb_mesh_add_point(f->mesh, p, (int)label);
    if (index < 0 ||
        !fb_grow((void**)&f->labels, &f->labels_capacity, f->n_labels, sizeof *f->labels)) {
        return fb_fail_memory(f->err);
    }
    f->labels[f->n_labels++] = fb_mesh_label(f->space, label, index);
    return FB_OK;
}

static int compare(const void* a, const void* b) {
    int64_t x = ((const FbMeshLabel*)a)->label, y = ((const FbMeshLabel*)b)->label;
    return (x > y) - (x < y);
}

FbStatus fb_mesh_file_sort_nodes(FbMeshFile* f) {
    if (f->n_labels > 0) {
        qsort(f->labels, (size_t)f->n_labels, sizeof *f->labels, compare);
    }
    for (int i = 1; i < f->n_labels; i++) {
        if (f->labels[i].label == f->labels[i - 1].label) {
            return fb_mesh_file_fail(f, FB_ERR_MODEL, "the mesh has two nodes with the number %ld",
                                     fb_mesh_label_number(&f->labels[i]));
        }
    }
    return FB_OK;
}

int fb_mesh_file_find_node(const FbMeshFile* f, long label) {
    FbMeshLabel key = fb_mesh_label(f->space, label, 0);
    if (label < 1 || label > INT_MAX) {
        return -1;
    }
    const FbMeshLabel* found =
        f->n_labels > 0 ? bsearch(&key, f->labels, (size_t)f->n_labels, sizeof *f->labels, compare)
                        : NULL;
    return found ? found->index : -1;
}

static FbStatus load(FbMeshFile* f) {
    size_t size;
    FbStatus status = fb_input_file_read(f->path, MOST_BYTES, &f->text, &size);
    if (status == FB_ERR_MEMORY || (status < 0 && errno == EFBIG)) {
        return fb_mesh_file_fail(
            f, FB_ERR_MEMORY, "the mesh '%s' does not fit into memory, or has more than %zu bytes",
            f->path, MOST_BYTES);
    }
    if (status < 0) {
        return fb_mesh_file_fail(f, status, "cannot read the mesh '%s': %s", f->path,
                                 strerror(errno));
    }
    f->at = f->text;
    f->end = f->text + size;
    return FB_OK;
}

static bool ends_with(const char* text, const char* ending) {
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}

// Some editors put a mark of three bytes in front of UTF-8 text.
static void skip_mark(FbMeshFile* f) {
    if (f->end - f->at >= 3 && memcmp(f->at, "\xef\xbb\xbf", 3) == 0) {
        memcpy(f->at, "   ", 3);
    }
}

static FbStatus read_any(FbMeshFile* f, const FbMeshStructureDef* s) {
    if (!(s->unit > 0.0 && isfinite(s->unit))) {
        FbPlace place = fb_origin_place(&s->origin, "unit");
        return fb_fail(f->err, FB_ERR_RANGE, &place,
                       "the unit of the mesh of structure '%s' is %g m; it must be > 0", s->name,
                       s->unit);
    }
    bool is_inp = ends_with(s->file, ".inp");
    if (!is_inp && !ends_with(s->file, ".msh")) {
        FbPlace place = fb_origin_place(&s->origin, "file");
        return fb_fail(f->err, FB_ERR_NAME, &place,
                       "'%s' is neither a mesh of Gmsh (.msh) nor of Abaqus or CalculiX (.inp)",
                       s->file);
    }
    FB_TRY(load(f));
    skip_mark(f);
    f->line = 1;
    // CalculiX's cgx writes its meshes into files .msh, which start with a keyword or a comment.
    is_inp |= f->at < f->end && *f->at == '*';
    FB_TRY(is_inp ? fb_mesh_read_inp(f) : fb_mesh_read_msh(f));
    if (f->mesh->n_points == 0 || f->mesh->n_elements == 0) {
        return fb_mesh_file_fail(
            f, FB_ERR_MODEL,
            "the mesh has %d nodes and %d elements; a mesh needs both, is this the right "
            "file?",
            f->mesh->n_points, f->mesh->n_elements);
    }
    return FB_OK;
}

FbStatus fb_mesh_read(const FbModelDef* def, const FbMeshStructureDef* s, FbMesh* out,
                      FbError* err) {
    FbMeshFile f = {.path = s->file,
                    .unit = s->unit,
                    .most_items = fb_def_limit(def, MOST_ITEMS),
                    .mesh = out,
                    .err = err};
    FbStatus status = read_any(&f, s);
    free(f.text);
    free(f.labels);
    return status;
}
