// Generated meshes: blocks, plates and cylinders by divisions. Points lie on a grid of half
// elements, so that the middles of all edges are grid points too.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mesh/mesh.h"

static const double MOST_ELEMENTS = 1e6;
static const double PI = 3.14159265358979324;

typedef enum Shape { BLOCK, PLATE, CYLINDER } Shape;

typedef struct Grid {
    const FbMeshStructureDef* s;
    FbMesh* mesh;
    Shape shape;
    const FbElementType* type;
    int n[3];         // elements along the three directions
    int size[3];      // points along them
    bool is_closed;   // the first direction comes back to its start
    bool is_surface;  // two directions only
    int* point;       // [size] of the mesh, from 1; 0: not used
    double most_elements;
} Grid;

static FbPlace place_of(const FbMeshStructureDef* s, const char* key) {
    return fb_origin_place(&s->origin, key);
}

// ---- Where a grid point is ----

static FbVec3 calc_position(const Grid* g, const int at[3]) {
    const FbMeshStructureDef* s = g->s;
    double f[3];
    for (int d = 0; d < 3; d++) {
        f[d] = g->n[d] > 0 ? 0.5 * at[d] / g->n[d] : 0.0;
    }
    if (g->shape != CYLINDER) {
        return fb_vec3(f[0] * s->size[0], f[1] * s->size[1], g->is_surface ? 0 : f[2] * s->size[2]);
    }
    double r = g->is_surface ? s->radius : s->inner_radius + f[2] * (s->radius - s->inner_radius);
    double angle = f[0] * s->angle;
    return fb_vec3(r * cos(angle), r * sin(angle), f[1] * s->length);
}

static int* slot_of(const Grid* g, const int at[3]) {
    int i = g->is_closed ? at[0] % g->size[0] : at[0];
    size_t row = (size_t)at[2] * (size_t)g->size[1] + (size_t)at[1];
    return &g->point[row * (size_t)g->size[0] + (size_t)i];
}

// The point of the mesh at a grid point; -1: out of memory.
static int take_point(Grid* g, const int at[3]) {
    int* slot = slot_of(g, at);
    if (*slot == 0) {
        *slot = 1 + fb_mesh_add_point(g->mesh, calc_position(g, at), g->mesh->n_points + 1);
    }
    return *slot - 1;
}

// ---- Elements ----

static const int HEX_EDGES[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                     {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
static const int WEDGE_EDGES[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                      {5, 3}, {0, 3}, {1, 4}, {2, 5}};
static const int TET_EDGES[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const int WHOLE[1][8] = {{0, 1, 2, 3, 4, 5, 6, 7}};
static const int TWO_WEDGES[2][8] = {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}};
static const int TWO_TRIANGLES[2][8] = {{0, 1, 2}, {0, 2, 3}};
// All six contain the diagonal from corner 0 to corner 6, so that neighbours match.
static const int SIX_TETS[6][8] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                   {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};

// How a cell becomes elements: corners of the cell for each of them, and the edges whose middles
// are nodes too.
typedef struct Cut {
    const char* name;
    int n_elements, n_corners, n_edges;
    const int (*corners)[8];
    const int (*edges)[2];
} Cut;

static const Cut cuts[] = {
    {"hex8", 1, 8, 0, WHOLE, NULL},        {"hex20", 1, 8, 12, WHOLE, HEX_EDGES},
    {"wedge6", 2, 6, 0, TWO_WEDGES, NULL}, {"wedge15", 2, 6, 9, TWO_WEDGES, WEDGE_EDGES},
    {"tet4", 6, 4, 0, SIX_TETS, NULL},     {"tet10", 6, 4, 6, SIX_TETS, TET_EDGES},
    {"quad4", 1, 4, 0, WHOLE, NULL},       {"tri3", 2, 3, 0, TWO_TRIANGLES, NULL},
};

static const Cut* find_cut(const char* name) {
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        if (strcmp(cuts[i].name, name) == 0) {
            return &cuts[i];
        }
    }
    return NULL;
}

static bool add_element(Grid* g, const Cut* cut, const int cell[3], const int* corners) {
    static const int offset[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    int at[20][3], nodes[20], n = cut->n_corners + cut->n_edges;
    for (int i = 0; i < n; i++) {
        for (int d = 0; d < 3; d++) {
            if (i < cut->n_corners) {
                at[i][d] = 2 * (cell[d] + offset[corners[i]][d]);
            } else {
                const int* edge = cut->edges[i - cut->n_corners];
                at[i][d] = (at[edge[0]][d] + at[edge[1]][d]) / 2;
            }
        }
        nodes[i] = take_point(g, at[i]);
        if (nodes[i] < 0) {
            return false;
        }
    }
    return fb_mesh_add_element(g->mesh, g->type, g->is_surface ? 2 : 3, nodes, n,
                               g->mesh->n_elements + 1) >= 0;
}

static bool add_elements(Grid* g) {
    const Cut* cut = find_cut(g->type->name);
    int cell[3];
    for (cell[2] = 0; cell[2] < (g->is_surface ? 1 : g->n[2]); cell[2]++) {
        for (cell[1] = 0; cell[1] < g->n[1]; cell[1]++) {
            for (cell[0] = 0; cell[0] < g->n[0]; cell[0]++) {
                for (int e = 0; e < cut->n_elements; e++) {
                    if (!add_element(g, cut, cell, cut->corners[e])) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

// ---- Groups: the nodes of each side ----

static bool add_side(Grid* g, const char* name, int direction, int value) {
    int group = fb_mesh_add_group(g->mesh, name), at[3];
    if (group < 0) {
        return false;
    }
    for (at[2] = 0; at[2] < g->size[2]; at[2]++) {
        for (at[1] = 0; at[1] < g->size[1]; at[1]++) {
            for (at[0] = 0; at[0] < g->size[0]; at[0]++) {
                int node = *slot_of(g, at) - 1;
                if (at[direction] == value && node >= 0 &&
                    !fb_mesh_group_add_node(g->mesh, group, node)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool add_sides(Grid* g) {
    static const char* const names[2][3][2] = {
        {{"x0", "x1"}, {"y0", "y1"}, {"z0", "z1"}},
        {{"start", "end"}, {"z0", "z1"}, {"inside", "outside"}},
    };
    for (int d = g->is_closed ? 1 : 0; d < (g->is_surface ? 2 : 3); d++) {
        for (int end = 0; end < 2; end++) {
            if (!add_side(g, names[g->shape == CYLINDER][d][end], d, end * 2 * g->n[d])) {
                return false;
            }
        }
    }
    return true;
}

// ---- What was requested ----

static FbStatus check_positive(const FbMeshStructureDef* s, const char* key, double value,
                               FbError* err) {
    if (value > 0.0 && isfinite(value)) {
        return FB_OK;
    }
    FbPlace place = place_of(s, key);
    if (isnan(value)) {
        return fb_fail(err, FB_ERR_MODEL, &place, "the %s of structure '%s' needs '%s'", s->type,
                       s->name, key);
    }
    return fb_fail(err, FB_ERR_RANGE, &place,
                   "'%s' of the %s of structure '%s' is %g m; it must be > 0", key, s->type,
                   s->name, value);
}

static FbStatus check_shape(const Grid* g, FbError* err) {
    const FbMeshStructureDef* s = g->s;
    for (int d = 0; g->shape != CYLINDER && d < (g->is_surface ? 2 : 3); d++) {
        FB_TRY(check_positive(s, "size", s->size[d], err));
    }
    if (g->shape != CYLINDER) {
        return FB_OK;
    }
    FB_TRY(check_positive(s, "radius", s->radius, err));
    FB_TRY(check_positive(s, "length", s->length, err));
    if (!(s->angle > 0.0 && s->angle <= 2.0 * PI * (1.0 + 1e-12))) {
        FbPlace place = place_of(s, "angle");
        return fb_fail(err, FB_ERR_RANGE, &place,
                       "the angle of structure '%s' is %g rad; it must be > 0 and at most 2 pi",
                       s->name, s->angle);
    }
    if (!g->is_surface && !(s->inner_radius > 0.0 && s->inner_radius < s->radius)) {
        FbPlace place = place_of(s, "inner_radius");
        return fb_fail(err, FB_ERR_RANGE, &place,
                       "a solid cylinder is meshed as a tube: give structure '%s' an "
                       "'inner_radius' between 0 and its radius of %g m",
                       s->name, s->radius);
    }
    return FB_OK;
}

static FbStatus check_divisions(const Grid* g, FbError* err) {
    const FbMeshStructureDef* s = g->s;
    FbPlace place = place_of(s, "divisions");
    double product = find_cut(g->type->name)->n_elements;
    for (int d = 0; d < (g->is_surface ? 2 : 3); d++) {
        if (g->n[d] < 1) {
            return fb_fail(err, FB_ERR_RANGE, &place,
                           "the mesh of structure '%s' needs %d 'divisions', each at least 1",
                           s->name, g->is_surface ? 2 : 3);
        }
        product *= g->n[d];
    }
    if (product > g->most_elements) {
        return fb_fail(err, FB_ERR_RANGE, &place,
                       "the mesh of structure '%s' would have %.3g elements; at most %.0f are "
                       "made here",
                       s->name, product, g->most_elements);
    }
    if (g->is_closed && g->n[0] < 3) {
        return fb_fail(err, FB_ERR_RANGE, &place,
                       "a whole turn of structure '%s' needs at least 3 divisions around", s->name);
    }
    return FB_OK;
}

static FbStatus find_shape(const FbMeshStructureDef* s, Shape* out, FbError* err) {
    static const char* const names[] = {"block", "plate", "cylinder"};
    for (int i = 0; s->type && i < 3; i++) {
        if (strcmp(s->type, names[i]) == 0) {
            *out = (Shape)i;
            return FB_OK;
        }
    }
    FbPlace place = place_of(s, "type");
    return fb_fail(err, FB_ERR_NAME, &place,
                   "the mesh of structure '%s' is neither a file nor of type block, plate or "
                   "cylinder",
                   s->name);
}

static FbStatus init_grid(Grid* g, FbError* err) {
    const FbMeshStructureDef* s = g->s;
    FB_TRY(find_shape(s, &g->shape, err));
    const char* usual = g->shape == BLOCK ? "hex20" : "quad4";
    g->type = fb_mesh_find_type(s->element ? s->element : usual);
    g->is_surface = g->type && g->type->n_coordinates == 6;
    bool fits = g->type && (g->shape == CYLINDER || g->is_surface == (g->shape == PLATE));
    if (!fits) {
        FbPlace place = place_of(s, "element");
        return fb_fail(err, FB_ERR_NAME, &place, "a %s cannot be meshed by '%s'; use %s", s->type,
                       s->element,
                       g->shape == BLOCK   ? "hex8, hex20, wedge6, wedge15, tet4 or tet10"
                       : g->shape == PLATE ? "quad4 or tri3"
                                           : "quad4, tri3, hex8, hex20, wedge6, wedge15, tet4 or "
                                             "tet10");
    }
    for (int d = 0; d < 3; d++) {
        g->n[d] = g->is_surface && d == 2 ? 0 : s->divisions[d];
    }
    g->is_closed = g->shape == CYLINDER && s->angle >= 2.0 * PI * (1.0 - 1e-12);
    FB_TRY(check_shape(g, err));
    FB_TRY(check_divisions(g, err));
    for (int d = 0; d < 3; d++) {
        g->size[d] = 2 * g->n[d] + (d == 0 && g->is_closed ? 0 : 1);
    }
    return FB_OK;
}

FbStatus fb_mesh_make(const FbModelDef* def, const FbMeshStructureDef* s, FbMesh* out,
                      FbError* err) {
    Grid g = {.s = s, .mesh = out, .most_elements = fb_def_limit(def, MOST_ELEMENTS)};
    FB_TRY(init_grid(&g, err));
    size_t count = (size_t)g.size[0] * (size_t)g.size[1] * (size_t)g.size[2];
    g.point = calloc(count + 1, sizeof *g.point);
    if (!g.point) {
        return fb_fail_memory(err);
    }
    bool is_good = add_elements(&g) && add_sides(&g);
    free(g.point);
    return is_good ? FB_OK : fb_fail_memory(err);
}
