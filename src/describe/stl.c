// STL files: triangles in memory, whether they close, and integrals by the divergence theorem.
#include "describe/stl.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "math/vec3.h"

enum { HEADER = 84, RECORD = 50 };

typedef struct Stl {
    const char* path;
    char* text;
    size_t size;
    FbVec3* p;  // [3 n] corners, m
    int n, capacity;
    double unit;
    FbError* err;
} Stl;

static FbStatus fail(const Stl* s, FbStatus status, int line, const char* text) {
    FbPlace place = {.file = s->path, .line = line};
    return fb_fail(s->err, status, &place, "%s", text);
}

// ---- Reading ----

static FbStatus read_all(Stl* s, const FbPlace* from) {
    FbStatus status = fb_input_file_read(s->path, INT32_MAX - 1, &s->text, &s->size);
    if (status == FB_ERR_MEMORY) {
        return fb_fail_memory(s->err);
    }
    return status < 0 ? fb_fail(s->err, status, from, "cannot read the STL file '%s': %s", s->path,
                                errno == EFBIG ? "it is longer than 2 GB" : strerror(errno))
                      : FB_OK;
}

static FbStatus take_triangles(Stl* s, size_t n) {
    s->p = malloc(sizeof(FbVec3) * (3 * n + 1));
    s->capacity = (int)n;
    return s->p ? FB_OK : fb_fail_memory(s->err);
}

static uint32_t get_number(const char* at) {
    const unsigned char* b = (const unsigned char*)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double get_float(const char* at) {
    uint32_t bits = get_number(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static FbStatus read_binary(Stl* s) {
    size_t n = get_number(s->text + HEADER - 4);
    FB_TRY(take_triangles(s, n));
    for (size_t i = 0; i < n; i++) {
        const char* record = s->text + HEADER + RECORD * i + 12;  // after the normal
        for (size_t k = 0; k < 3; k++) {
            double x[3];
            for (size_t d = 0; d < 3; d++) {
                x[d] = get_float(record + 12 * k + 4 * d);
            }
            s->p[3 * i + k] = fb_scale(s->unit, fb_vec3_from(x));
        }
    }
    s->n = (int)n;
    return FB_OK;
}

typedef struct Words {
    char* at;
    int line;
} Words;

// The next word of the text, not terminated; its length, 0 at the end.
static size_t next_word(Words* w, char** word) {
    for (; isspace((unsigned char)*w->at); w->at++) {
        w->line += *w->at == '\n';
    }
    *word = w->at;
    while (*w->at != '\0' && !isspace((unsigned char)*w->at)) {
        w->at++;
    }
    return (size_t)(w->at - *word);
}

static bool is_word(const char* word, size_t length, const char* expected) {
    return strlen(expected) == length && strncmp(word, expected, length) == 0;
}

static bool read_vector(Words* w, double unit, FbVec3* out) {
    double x[3];
    for (int d = 0; d < 3; d++) {
        char *word, *end;
        size_t length = next_word(w, &word);
        x[d] = strtod(word, &end);
        if (length == 0 || end != word + length) {
            return false;
        }
    }
    *out = fb_scale(unit, fb_vec3_from(x));
    return true;
}

static void skip_line(Words* w) {
    while (*w->at != '\0' && *w->at != '\n') {
        w->at++;
    }
}

// solid NAME, { facet normal N outer loop vertex P vertex P vertex P endloop endfacet }, endsolid
static FbStatus read_text(Stl* s) {
    static const char* const plain[] = {"outer", "loop", "endfacet"};
    Words w = {s->text, 1};
    char* word;
    size_t length;
    int corner = 0;
    bool is_open = false;
    FbVec3 normal;
    FB_TRY(take_triangles(s, s->size / 40 + 1));  // a facet takes more letters than that
    while ((length = next_word(&w, &word)) > 0) {
        bool is_good = true;
        if (is_word(word, length, "solid") || is_word(word, length, "endsolid")) {
            is_open = word[0] == 's';
            skip_line(&w);
        } else if (is_word(word, length, "normal")) {
            is_good = read_vector(&w, 1.0, &normal);
        } else if (is_word(word, length, "vertex")) {
            is_good = corner < 3 && s->n < s->capacity &&
                      read_vector(&w, s->unit, &s->p[3 * s->n + corner++]);
        } else if (is_word(word, length, "endloop")) {
            is_good = corner == 3;
            s->n += is_good;
        } else if (is_word(word, length, "facet")) {
            corner = 0;
        } else {
            is_good = false;
            for (int i = 0; i < 3; i++) {
                is_good |= is_word(word, length, plain[i]);
            }
        }
        if (!is_good) {
            return fail(
                s, FB_ERR_SYNTAX, w.line,
                "not the text of an STL file; expected: 'facet normal x y z', 'outer loop', "
                "three times 'vertex x y z', 'endloop', 'endfacet'");
        }
    }
    return is_open
               ? fail(s, FB_ERR_SYNTAX, w.line, "the STL file ends early: 'endsolid' is missing")
               : FB_OK;
}

// Binary files say how many triangles they have; some begin with "solid" all the same.
static FbStatus read_triangles(Stl* s) {
    bool has_header = s->size >= HEADER;
    size_t n = has_header ? get_number(s->text + HEADER - 4) : 0;
    if (has_header && s->size == HEADER + RECORD * n) {
        return read_binary(s);
    }
    if (s->size >= 5 && strncmp(s->text, "solid", 5) == 0) {
        return read_text(s);
    }
    return fb_fail(s->err, FB_ERR_SYNTAX, &(FbPlace){.file = s->path},
                   "not an STL file, or an incomplete one: it has %zu bytes, but "
                   "announces %zu triangles, which take %zu",
                   s->size, n, (size_t)HEADER + RECORD * n);
}

// ---- Extent ----

static FbStatus measure_extent(const Stl* s, FbStl* out) {
    out->n_triangles = s->n;
    for (int d = 0; d < 3; d++) {
        out->low[d] = INFINITY;
        out->high[d] = -INFINITY;
    }
    for (int i = 0; i < 3 * s->n; i++) {
        double x[3];
        fb_vec3_to(s->p[i], x);
        for (int d = 0; d < 3; d++) {
            if (!isfinite(x[d])) {
                return fail(s, FB_ERR_RANGE, 0, "a coordinate of the STL file is not finite");
            }
            out->low[d] = fmin(out->low[d], x[d]);
            out->high[d] = fmax(out->high[d], x[d]);
        }
    }
    return s->n > 0 ? FB_OK : fail(s, FB_ERR_MODEL, 0, "the STL file has no triangles");
}

// ---- Closed? ----

typedef struct Corner {
    FbVec3 p;
    int index;  // in Stl.p
} Corner;

static int compare_corners(const void* a, const void* b) {
    const FbVec3 *p = &((const Corner*)a)->p, *q = &((const Corner*)b)->p;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    if (p->y != q->y) {
        return p->y < q->y ? -1 : 1;
    }
    return (p->z > q->z) - (p->z < q->z);
}

// Equal points get the same number.
static bool number_corners(const Stl* s, int* id) {
    size_t n = 3 * (size_t)s->n;
    Corner* corners = malloc(sizeof(Corner) * (n + 1));
    int next = -1;
    for (size_t i = 0; corners && i < n; i++) {
        corners[i] = (Corner){s->p[i], (int)i};
    }
    if (corners) {
        qsort(corners, n, sizeof *corners, compare_corners);
    }
    for (size_t i = 0; corners && i < n; i++) {
        next += i == 0 || compare_corners(&corners[i], &corners[i - 1]) != 0;
        id[corners[i].index] = next;
    }
    free(corners);
    return corners != NULL;
}

typedef struct Edge {
    int low, high, way;  // way: +1 from low to high
    int corner;          // where it starts
} Edge;

static int compare_edges(const void* a, const void* b) {
    const Edge *x = a, *y = b;
    return x->low != y->low ? (x->low < y->low ? -1 : 1)
                            : (x->high > y->high) - (x->high < y->high);
}

// Each edge of a closed surface is passed as often in one sense as in the other. How many are not,
// and where the first is.
static int count_open(const Stl* s, const int* id, Edge* edges, FbVec3* where) {
    size_t n = 0;
    int n_open = 0;
    for (int i = 0; i < 3 * s->n; i++) {
        int a = id[i], b = id[i - i % 3 + (i + 1) % 3];
        if (a != b) {
            edges[n++] = (Edge){a < b ? a : b, a < b ? b : a, a < b ? 1 : -1, i};
        }
    }
    qsort(edges, n, sizeof *edges, compare_edges);
    for (size_t i = 0; i < n;) {
        size_t first = i;
        int sum = 0;
        for (; i < n && compare_edges(&edges[i], &edges[first]) == 0; i++) {
            sum += edges[i].way;
        }
        if (sum != 0 && n_open++ == 0) {
            *where = s->p[edges[first].corner];
        }
    }
    return n_open;
}

static FbStatus check_closed(const Stl* s) {
    size_t n = 3 * (size_t)s->n;
    int* id = malloc(sizeof(int) * (n + 1));
    Edge* edges = malloc(sizeof(Edge) * (n + 1));
    FbVec3 where = {0};
    bool has_memory = id && edges && number_corners(s, id);
    int n_open = has_memory ? count_open(s, id, edges, &where) : 0;
    free(id);
    free(edges);
    if (!has_memory) {
        return fb_fail_memory(s->err);
    }
    return n_open == 0
               ? FB_OK
               : fb_fail(s->err, FB_ERR_MODEL, &(FbPlace){.file = s->path},
                         "the surface is not closed: %d edges have no neighbour, or one that is "
                         "turned over, the first at (%.6g, %.6g, %.6g) m; repair it, or use it as "
                         "'visual: true' and give the mass properties of the body",
                         n_open, where.x, where.y, where.z);
}

// ---- Integrals ----

// Tetrahedra between each triangle and one point near by: their volumes have signs.
static void integrate(const Stl* s, double* volume, double first[3], double second[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < s->n; i++) {
        double x[4][3];
        FbVec3 a = fb_sub(s->p[3 * i], s->p[0]), b = fb_sub(s->p[3 * i + 1], s->p[0]);
        FbVec3 c = fb_sub(s->p[3 * i + 2], s->p[0]), sum = fb_add(a, fb_add(b, c));
        double det = fb_dot(a, fb_cross(b, c));
        fb_vec3_to(a, x[0]);
        fb_vec3_to(b, x[1]);
        fb_vec3_to(c, x[2]);
        fb_vec3_to(sum, x[3]);
        *volume += det / 6.0;
        for (int d = 0; d < 3; d++) {
            first[d] += det / 24.0 * x[3][d];
        }
        for (int k = 0; k < 6; k++) {
            for (int v = 0; v < 4; v++) {
                second[k] += det / 120.0 * x[v][row[k]] * x[v][col[k]];
            }
        }
    }
}

static FbStatus measure_mass(const Stl* s, FbStl* out) {
    double volume = 0.0, first[3] = {0}, second[6] = {0}, p[3], size = 1.0;
    FB_TRY(check_closed(s));
    integrate(s, &volume, first, second);
    for (int d = 0; d < 3; d++) {
        size *= out->high[d] - out->low[d];
    }
    if (!(fabs(volume) > 1e-9 * size)) {
        return fail(s, FB_ERR_MODEL, 0, "the surface encloses no volume");
    }
    fb_vec3_to(s->p[0], p);
    out->volume = fabs(volume);  // a surface that is inside out encloses the same
    for (int d = 0; d < 3; d++) {
        first[d] /= volume;
        out->center[d] = p[d] + first[d];
    }
    double xx = second[0] / volume - first[0] * first[0];
    double yy = second[1] / volume - first[1] * first[1];
    double zz = second[2] / volume - first[2] * first[2];
    out->inertia[0] = yy + zz;
    out->inertia[1] = zz + xx;
    out->inertia[2] = xx + yy;
    out->inertia[3] = first[0] * first[1] - second[3] / volume;
    out->inertia[4] = first[0] * first[2] - second[4] / volume;
    out->inertia[5] = first[1] * first[2] - second[5] / volume;
    return FB_OK;
}

FbStatus fb_stl_measure(const char* path, double unit, bool has_mass, const FbPlace* place,
                        FbStl* out, FbError* err) {
    Stl s = {.path = path, .unit = unit, .err = err};
    *out = (FbStl){0};
    FbStatus status = read_all(&s, place);
    status = status == FB_OK ? read_triangles(&s) : status;
    status = status == FB_OK ? measure_extent(&s, out) : status;
    if (status == FB_OK && has_mass) {
        status = measure_mass(&s, out);
    }
    free(s.text);
    free(s.p);
    return status;
}
