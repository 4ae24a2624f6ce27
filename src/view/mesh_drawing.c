// What the viewer draws of meshes: points, triangles, shapes, and how much of each shape there is
// in every frame.
#include <math.h>

#include "model/model.h"
#include "record/json_pair.h"
#include "view/drawing.h"
#include "view/mesh_picture.h"

// Points of all meshes together; their numbers fit 16 bits. Points times shapes times three are 16
// bit numbers, and twice as many those of stresses: a picture of 8.4 MB in the file at most.
enum { MOST_POINTS = 15000, FEWEST_POINTS = 4000, MOST_SHAPE_VALUES = 1050000, STEPS = 32767 };

static int count_meshes(const FbModel* m, double* n_points) {
    int n = 0;
    *n_points = 0.0;
    for (int i = 0; i < m->n_superelements; i++) {
        if (m->superelements[i].mesh) {
            *n_points += m->superelements[i].mesh->n_surface;
            n++;
        }
    }
    return n;
}

// With many modes fewer points, so that there is room for the shape of each.
static int choose_most_points(const FbReportSource* r) {
    const FbMeshColumns* columns = &r->mesh_columns;
    double by_columns =
        columns->is_continuous ? MOST_POINTS : MOST_SHAPE_VALUES / (3.0 * columns->n);
    return (int)fmax(FEWEST_POINTS, fmin(MOST_POINTS, by_columns));
}

static FbStatus make_picture(const FbReportSource* r, int most_points, double n_points,
                             FbMeshPicture* p, FbArena* arena, FbError* err) {
    double share = p->mesh->n_surface / n_points;
    int most = (int)fmax(8.0, most_points * share);
    FB_TRY(fb_mesh_picture_choose_points(p, most, arena, err));
    double shapes = MOST_SHAPE_VALUES * share / (3.0 * fmax(1.0, p->n_points));
    return fb_mesh_picture_find_shapes(p, &r->mesh_columns, (int)fmin(shapes, 1000.0), arena, err);
}

FbStatus fb_drawing_make_meshes(FbReportSource* r, FbArena* arena, FbError* err) {
    double n_points;
    int n = r->model && r->mesh_columns.get ? count_meshes(r->model, &n_points) : 0;
    if (n == 0 || r->mesh_columns.n == 0) {
        return FB_OK;
    }
    int most_points = choose_most_points(r);
    r->meshes = FB_TAKE(arena, FbMeshPicture, n);
    if (!r->meshes) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < r->model->n_superelements; i++) {
        const FbSuperelement* e = &r->model->superelements[i];
        if (e->mesh) {
            FbMeshPicture* p = &r->meshes[r->n_meshes++];
            *p = (FbMeshPicture){.name = e->name, .mesh = e->mesh, .superelement = i};
            FB_TRY(make_picture(r, most_points, n_points, p, arena, err));
        }
    }
    return FB_OK;
}

// ---- Writing ----

// Relative to the first point, so that single precision suffices far from the origin.
static double get_place(const void* self, int i) {
    const FbMeshPicture* p = self;
    double x[3];
    FbVec3 first = fb_kept_mesh_place(p->mesh, p->points[0]);
    fb_vec3_to(fb_sub(fb_kept_mesh_place(p->mesh, p->points[i / 3]), first), x);
    return x[i % 3];
}

static double get_corner(const void* self, int i) {
    return ((const int*)self)[i];
}

static double get_shape(const void* self, int i) {
    return STEPS * ((const double*)self)[i];
}

// The amplitudes of the shapes in the columns, one column after the other.
typedef struct Amplitudes {
    const FbReportSource* source;
    const FbMeshPicture* picture;
    int first, column;  // that `values` holds, -1: none
    double *c, *values;
} Amplitudes;

static void calc_amplitudes(Amplitudes* a, int column) {
    const FbMeshPicture* p = a->picture;
    const FbMeshColumns* columns = &a->source->mesh_columns;
    columns->get(columns->self, p->superelement, column, a->c);
    for (int k = 0; k < p->n_shapes; k++) {
        a->values[k] = 0.0;
    }
    for (int j = 0; j < p->mesh->n; j++) {
        const double* x = p->amplitudes + (size_t)j * (size_t)p->n_shapes;
        for (int k = 0; a->c[j] != 0.0 && k < p->n_shapes; k++) {
            a->values[k] += x[k] * a->c[j];
        }
    }
    a->column = column;
}

static double get_amplitude(const void* self, int i) {
    Amplitudes* a = (Amplitudes*)self;  // a cache of the last column, which all shapes ask for
    int column = a->first + i / a->picture->n_shapes;
    if (a->column != column) {
        calc_amplitudes(a, column);
    }
    return a->values[i % a->picture->n_shapes];
}

void fb_drawing_write_amplitudes(FbStream* s, const FbReportSource* r, int mesh, int first,
                                 int count, const char* key) {
    const FbMeshPicture* p = &r->meshes[mesh];
    FbArena* arena = fb_arena_create();
    Amplitudes a = {.source = r, .picture = p, .first = first, .column = -1};
    if (arena) {
        a.c = FB_TAKE(arena, double, p->mesh->n + 1);
        a.values = FB_TAKE(arena, double, p->n_shapes + 1);
    }
    bool has_room = a.c && a.values;
    s->text.has_failed = s->text.has_failed || !has_room;
    fb_stream_array(s, key, has_room ? count * p->n_shapes : 0, get_amplitude, &a, FB_NUMBER_F32);
    fb_arena_destroy(arena);
}

static double get_scale(const void* self, int i) {
    return ((const double*)self)[i];
}

static void write_stress(FbStream* s, const FbMeshPicture* p) {
    fb_json_key(&s->json, "fields");
    fb_json_begin_array(&s->json);
    if (p->stress) {
        fb_json_begin_object(&s->json);
        fb_json_pair_text(&s->json, "name", "von Mises stress");
        fb_json_pair_text(&s->json, "unit", "Pa");
        fb_json_pair_integer(&s->json, "components", 6);
        fb_stream_array(s, "scales", p->n_shapes, get_scale, p->scales, FB_NUMBER_F32);
        fb_stream_array(s, "shapes", 6 * p->n_points * p->n_shapes, get_shape, p->stress,
                        FB_NUMBER_I16);
        fb_json_end_object(&s->json);
    }
    fb_json_end_array(&s->json);
}

static void write_mesh(FbStream* s, const FbReportSource* r, int i) {
    const FbMeshPicture* p = &r->meshes[i];
    double origin[3] = {0};
    if (p->n_points > 0) {
        fb_vec3_to(fb_kept_mesh_place(p->mesh, p->points[0]), origin);
    }
    fb_json_begin_object(&s->json);
    fb_json_pair_text(&s->json, "name", p->name);
    fb_json_pair_integer(&s->json, "surface_points", p->mesh->n_surface);
    fb_json_pair_number(&s->json, "largest", p->largest);
    fb_json_pair_number(&s->json, "error", p->error);
    fb_stream_vector(s, "origin", origin, 3);
    fb_stream_array(s, "points", 3 * p->n_points, get_place, p, FB_NUMBER_F32);
    fb_stream_array(s, "triangles", 3 * p->n_triangles, get_corner, p->triangles, FB_NUMBER_I16);
    fb_stream_array(s, "edges", 2 * p->n_edges, get_corner, p->edges, FB_NUMBER_I16);
    fb_json_pair_integer(&s->json, "n_shapes", p->n_shapes);
    fb_stream_array(s, "shapes", 3 * p->n_points * p->n_shapes, get_shape, p->shapes,
                    FB_NUMBER_I16);
    write_stress(s, p);
    if (r->mesh_columns.is_continuous) {
        fb_drawing_write_amplitudes(s, r, i, 0, r->n_frames, "amplitudes");
    }
    fb_json_end_object(&s->json);
    fb_stream_flush(s);
}

void fb_drawing_write_meshes(FbStream* s, const FbReportSource* r) {
    for (int i = 0; i < r->n_meshes; i++) {
        write_mesh(s, r, i);
    }
}
