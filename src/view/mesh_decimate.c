// The points and triangles that are drawn of the surface of a mesh. Of a large one, points in one
// cell of a grid become one: the one at a corner or an edge where there is such a point.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "view/mesh_picture.h"

// Lines along the borders of more elements would hide their colours.
enum { MOST_EDGES = 30000 };

typedef struct Decimator {
    FbMeshPicture* picture;
    const FbKeptMesh* mesh;
    FbArena* arena;
    FbError* err;
    FbMeshSurface surface;
    int* merged;  // [n_points of the mesh] the point that stands for it; -1: not on the surface
    int (*triangles)[3];
    int n_triangles;
    int (*edges)[2];
    int n_edges;
    double* weight;  // [n_points] how much a point is a corner or an edge
} Decimator;

static int count_corners(int shape) {
    return shape == FB_CELL_TRI3 || shape == FB_CELL_TRI6 ? 3 : 4;
}

// ---- Triangles and edges of all faces ----

static void add_triangle(Decimator* d, int a, int b, int c) {
    d->triangles[d->n_triangles][0] = a;
    d->triangles[d->n_triangles][1] = b;
    d->triangles[d->n_triangles++][2] = c;
}

static void add_edge(Decimator* d, int a, int b) {
    d->edges[d->n_edges][0] = a < b ? a : b;
    d->edges[d->n_edges++][1] = a < b ? b : a;
}

// A face with the middles of its edges becomes one triangle at each corner and what is left.
static void split_face(Decimator* d, int f, bool has_middles) {
    int shape = d->surface.shapes[f], n = count_corners(shape);
    const int* v = d->surface.nodes + d->surface.first[f];
    bool is_quadratic = has_middles && (shape == FB_CELL_TRI6 || shape == FB_CELL_QUAD8);
    const int* inner = is_quadratic ? v + n : v;
    for (int i = 0; is_quadratic && i < n; i++) {
        add_triangle(d, v[i], v[n + i], v[n + (i + n - 1) % n]);
        add_edge(d, v[i], v[n + i]);
        add_edge(d, v[n + i], v[(i + 1) % n]);
    }
    add_triangle(d, inner[0], inner[1], inner[2]);
    if (n == 4) {
        add_triangle(d, inner[0], inner[2], inner[3]);
    }
    for (int i = 0; !is_quadratic && i < n; i++) {
        add_edge(d, v[i], v[(i + 1) % n]);
    }
}

static int compare_pairs(const void* a, const void* b) {
    return memcmp(a, b, sizeof(int[2]));
}

static int compare_triples(const void* a, const void* b) {
    return memcmp(a, b, sizeof(int[3]));
}

// Each edge once; those of one face alone mark their ends: the rim of a shell.
static void unite_edges(Decimator* d) {
    qsort(d->edges, (size_t)d->n_edges, sizeof *d->edges, compare_pairs);
    int n = 0;
    for (int i = 0, end; i < d->n_edges; i = end) {
        for (end = i + 1; end < d->n_edges && !compare_pairs(d->edges[i], d->edges[end]); end++) {
        }
        if (end == i + 1) {
            d->weight[d->edges[i][0]] = d->weight[d->edges[i][1]] = 1.0;
        }
        memmove(d->edges[n++], d->edges[i], sizeof *d->edges);
    }
    d->n_edges = n;
}

static FbStatus split_faces(Decimator* d, bool has_middles) {
    size_t n = (size_t)d->surface.n_faces;
    d->n_triangles = d->n_edges = 0;
    memset(d->weight, 0, sizeof(double) * (size_t)d->mesh->n_points);
    for (int f = 0; f < (int)n; f++) {
        split_face(d, f, has_middles);
    }
    unite_edges(d);
    return FB_OK;
}

// ---- How much a point is at an edge: 1 - |sum of normals| / sum of their lengths ----

static FbStatus weigh_points(Decimator* d) {
    size_t n = (size_t)d->mesh->n_points;
    double* sums = calloc(4 * n + 1, sizeof(double));
    if (!sums) {
        return fb_fail_memory(d->err);
    }
    for (int t = 0; t < d->n_triangles; t++) {
        FbVec3 p[3];
        for (int i = 0; i < 3; i++) {
            p[i] = d->mesh->points[d->triangles[t][i]];
        }
        FbVec3 normal = fb_cross(fb_sub(p[1], p[0]), fb_sub(p[2], p[0]));
        double x[4] = {normal.x, normal.y, normal.z, fb_norm(normal)};
        for (int i = 0; i < 12; i++) {
            sums[4 * (size_t)d->triangles[t][i / 4] + (size_t)(i % 4)] += x[i % 4];
        }
    }
    for (size_t i = 0; i < n; i++) {
        const double* x = sums + 4 * i;
        d->weight[i] += x[3] > 0.0 ? 1.0 - fb_norm(fb_vec3_from(x)) / x[3] : 0.0;
    }
    free(sums);
    return FB_OK;
}

// ---- Merging ----

typedef struct Keyed {
    uint64_t cell;
    double score;
    int point;
} Keyed;

static int compare_keyed(const void* a, const void* b) {
    const Keyed *x = a, *y = b;
    if (x->cell != y->cell) {
        return x->cell < y->cell ? -1 : 1;
    }
    return x->score != y->score ? (x->score > y->score ? -1 : 1) : x->point - y->point;
}

// Which cell of a grid of width h a point is in; a corner counts more than the middle of the cell.
static Keyed key_of(const Decimator* d, int point, FbVec3 low, double h) {
    FbVec3 p = fb_scale(1.0 / h, fb_sub(d->mesh->points[point], low));
    double x[3] = {p.x, p.y, p.z}, away = 0.0;
    Keyed out = {.point = point};
    for (int i = 0; i < 3; i++) {
        double whole = floor(x[i]);
        out.cell = out.cell << 21 | (uint64_t)whole;
        away += (x[i] - whole - 0.5) * (x[i] - whole - 0.5);
    }
    out.score = d->weight[point] - 0.1 * sqrt(away);
    return out;
}

static int sort_into_cells(const Decimator* d, FbVec3 low, double h, Keyed* keys, int* n_keys) {
    int n = 0, n_cells = 0;
    for (int i = 0; i < d->mesh->n_points; i++) {
        if (d->merged[i] >= 0) {
            keys[n++] = key_of(d, i, low, h);
        }
    }
    qsort(keys, (size_t)n, sizeof *keys, compare_keyed);
    for (int i = 0; i < n; i++) {
        n_cells += i == 0 || keys[i].cell != keys[i - 1].cell;
    }
    *n_keys = n;
    return n_cells;
}

static FbStatus merge_points(Decimator* d, int most) {
    FbVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    double area = 0.0;
    Keyed* keys = malloc(((size_t)d->mesh->n_points + 1) * sizeof *keys);
    if (!keys) {
        return fb_fail_memory(d->err);
    }
    for (int t = 0; t < d->n_triangles; t++) {
        FbVec3 p[3];
        for (int i = 0; i < 3; i++) {
            p[i] = d->mesh->points[d->triangles[t][i]];
            low = fb_vec3(fmin(low.x, p[i].x), fmin(low.y, p[i].y), fmin(low.z, p[i].z));
            high = fb_vec3(fmax(high.x, p[i].x), fmax(high.y, p[i].y), fmax(high.z, p[i].z));
        }
        area += 0.5 * fb_norm(fb_cross(fb_sub(p[1], p[0]), fb_sub(p[2], p[0])));
    }
    double size = fb_norm(fb_sub(high, low)), h = sqrt(area / most);
    int n_keys = 0, n_cells = 0;
    h = fmax(h, 1e-6 * size);  // the number of cells along a side fits its bits
    for (int i = 0; i < 30; i++) {
        n_cells = sort_into_cells(d, low, h, keys, &n_keys);
        if (n_cells <= most) {
            break;
        }
        h *= fmax(1.03, sqrt((double)n_cells / most));
    }
    for (int i = 0, first = 0; i < n_keys; i++) {
        first = keys[i].cell == keys[first].cell ? first : i;
        d->merged[keys[i].point] = keys[first].point;
    }
    free(keys);
    return n_cells <= most
               ? FB_OK
               : fb_fail(d->err, FB_ERR_CONVERGENCE, NULL, "the surface cannot be decimated");
}

static void swap_if(int* a, int* b) {
    if (*a > *b) {
        int other = *a;
        *a = *b;
        *b = other;
    }
}

// Triangles between three different points, each once: opposite sides of a wall may have met.
static void unite_triangles(Decimator* d) {
    int n = 0;
    for (int t = 0; t < d->n_triangles; t++) {
        int v[3];
        for (int i = 0; i < 3; i++) {
            v[i] = d->merged[d->triangles[t][i]];
        }
        swap_if(&v[0], &v[1]);
        swap_if(&v[1], &v[2]);
        swap_if(&v[0], &v[1]);
        if (v[0] != v[1] && v[1] != v[2]) {
            memcpy(d->triangles[n++], v, sizeof v);
        }
    }
    qsort(d->triangles, (size_t)n, sizeof *d->triangles, compare_triples);
    d->n_triangles = 0;
    for (int t = 0; t < n; t++) {
        if (t == 0 || compare_triples(d->triangles[t], d->triangles[t - 1]) != 0) {
            memmove(d->triangles[d->n_triangles++], d->triangles[t], sizeof *d->triangles);
        }
    }
}

// ---- All together ----

static int mark_points(Decimator* d) {
    int n = 0;
    for (int i = 0; i < d->mesh->n_points; i++) {
        d->merged[i] = -1;
    }
    for (int t = 0; t < 3 * d->n_triangles; t++) {
        int point = d->triangles[t / 3][t % 3];
        n += d->merged[point] < 0;
        d->merged[point] = point;
    }
    return n;
}

static FbStatus keep(Decimator* d) {
    FbMeshPicture* out = d->picture;
    int* number = d->merged;  // from here on
    int n = mark_points(d);
    d->n_edges = d->n_edges > MOST_EDGES ? 0 : d->n_edges;
    out->points = FB_TAKE(d->arena, int, n + 1);
    out->triangles = FB_TAKE(d->arena, int, 3 * (size_t)d->n_triangles + 1);
    out->edges = FB_TAKE(d->arena, int, 2 * (size_t)d->n_edges + 1);
    if (fb_arena_has_failed(d->arena)) {
        return fb_fail_memory(d->err);
    }
    for (int i = 0; i < d->mesh->n_points; i++) {
        if (number[i] >= 0) {
            out->points[out->n_points] = i;
            number[i] = out->n_points++;
        }
    }
    for (int i = 0; i < 3 * d->n_triangles; i++) {
        out->triangles[i] = number[d->triangles[i / 3][i % 3]];
    }
    for (int i = 0; i < 2 * d->n_edges; i++) {
        out->edges[i] = number[d->edges[i / 2][i % 2]];
    }
    out->n_triangles = d->n_triangles;
    out->n_edges = d->n_edges;
    return FB_OK;
}

static FbStatus choose(Decimator* d, int most) {
    size_t n_faces = (size_t)d->surface.n_faces, n = (size_t)d->mesh->n_points;
    d->triangles = malloc((6 * n_faces + 1) * sizeof *d->triangles);
    d->edges = malloc((8 * n_faces + 1) * sizeof *d->edges);
    d->weight = malloc((n + 1) * sizeof(double));
    d->merged = malloc((n + 1) * sizeof(int));
    if (!d->triangles || !d->edges || !d->weight || !d->merged) {
        return fb_fail_memory(d->err);
    }
    FB_TRY(split_faces(d, true));
    if (mark_points(d) > most) {
        FB_TRY(split_faces(d, false));
    }
    if (mark_points(d) > most) {
        FB_TRY(weigh_points(d));
        FB_TRY(merge_points(d, most));
        unite_triangles(d);
        d->n_edges = 0;
    }
    return keep(d);
}

FbStatus fb_mesh_picture_choose_points(FbMeshPicture* picture, int most, FbArena* arena,
                                       FbError* err) {
    const FbKeptMesh* m = picture->mesh;
    Decimator d = {.picture = picture, .mesh = m, .arena = arena, .err = err};
    bool is_found = fb_mesh_surface_find(m->n_cells, m->shapes, m->first, m->nodes, &d.surface);
    FbStatus status = is_found ? choose(&d, most) : fb_fail_memory(err);
    free(d.triangles);
    free(d.edges);
    free(d.weight);
    free(d.merged);
    fb_mesh_surface_free(&d.surface);
    return status;
}
