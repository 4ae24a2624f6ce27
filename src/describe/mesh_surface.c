// The surface of a mesh: faces of solids that no second solid shares, and shells.
#include <stdlib.h>
#include <string.h>

#include "describe/kept_mesh.h"

const FbCellInfo fb_cell_infos[FB_CELL_COUNT] = {
    [FB_CELL_LINE] = {"line", 2, 0, {FB_CELL_LINE}, {{0}}},
    [FB_CELL_TRI3] = {"tri3", 3, 1, {FB_CELL_TRI3}, {{0, 1, 2}}},
    [FB_CELL_TRI6] = {"tri6", 6, 1, {FB_CELL_TRI6}, {{0, 1, 2, 3, 4, 5}}},
    [FB_CELL_QUAD4] = {"quad4", 4, 1, {FB_CELL_QUAD4}, {{0, 1, 2, 3}}},
    [FB_CELL_QUAD8] = {"quad8", 8, 1, {FB_CELL_QUAD8}, {{0, 1, 2, 3, 4, 5, 6, 7}}},
    [FB_CELL_TET4] = {"tet4",
                      4,
                      4,
                      {FB_CELL_TRI3, FB_CELL_TRI3, FB_CELL_TRI3, FB_CELL_TRI3},
                      {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}},
    [FB_CELL_TET10] =
        {"tet10",
         10,
         4,
         {FB_CELL_TRI6, FB_CELL_TRI6, FB_CELL_TRI6, FB_CELL_TRI6},
         {{0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {0, 3, 2, 7, 9, 6}}},
    [FB_CELL_HEX8] =
        {"hex8",
         8,
         6,
         {FB_CELL_QUAD4, FB_CELL_QUAD4, FB_CELL_QUAD4, FB_CELL_QUAD4, FB_CELL_QUAD4, FB_CELL_QUAD4},
         {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
    [FB_CELL_HEX20] = {"hex20",
                       20,
                       6,
                       {FB_CELL_QUAD8, FB_CELL_QUAD8, FB_CELL_QUAD8, FB_CELL_QUAD8, FB_CELL_QUAD8,
                        FB_CELL_QUAD8},
                       {{0, 3, 2, 1, 11, 10, 9, 8},
                        {4, 5, 6, 7, 12, 13, 14, 15},
                        {0, 1, 5, 4, 8, 17, 12, 16},
                        {1, 2, 6, 5, 9, 18, 13, 17},
                        {2, 3, 7, 6, 10, 19, 14, 18},
                        {3, 0, 4, 7, 11, 16, 15, 19}}},
    [FB_CELL_WEDGE6] =
        {"wedge6",
         6,
         5,
         {FB_CELL_TRI3, FB_CELL_TRI3, FB_CELL_QUAD4, FB_CELL_QUAD4, FB_CELL_QUAD4},
         {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
    [FB_CELL_WEDGE15] = {"wedge15",
                         15,
                         5,
                         {FB_CELL_TRI6, FB_CELL_TRI6, FB_CELL_QUAD8, FB_CELL_QUAD8, FB_CELL_QUAD8},
                         {{0, 2, 1, 8, 7, 6},
                          {3, 4, 5, 9, 10, 11},
                          {0, 1, 4, 3, 6, 13, 9, 12},
                          {1, 2, 5, 4, 7, 14, 10, 13},
                          {2, 0, 3, 5, 8, 12, 11, 14}}},
};

static int count_corners(FbCellShape face) {
    return face == FB_CELL_TRI3 || face == FB_CELL_TRI6 ? 3 : 4;
}

// A face by its corners in ascending order (-1 in front of three), and where it comes from.
typedef struct Face {
    int key[4];
    int cell, side;
} Face;

static int compare(const void* a, const void* b) {
    const Face *x = a, *y = b;
    for (int i = 0; i < 4; i++) {
        if (x->key[i] != y->key[i]) {
            return x->key[i] < y->key[i] ? -1 : 1;
        }
    }
    return x->cell != y->cell ? (x->cell < y->cell ? -1 : 1) : x->side - y->side;
}

static bool is_same(const Face* a, const Face* b) {
    return memcmp(a->key, b->key, sizeof a->key) == 0;
}

static void set_key(const FbCellInfo* info, const int* nodes, int side, Face* out) {
    int n = count_corners(info->face_shape[side]);
    out->key[0] = -1;
    for (int i = 0; i < n; i++) {
        int node = nodes[info->face[side][i]], at = 4 - n + i;
        while (at > 4 - n && out->key[at - 1] > node) {
            out->key[at] = out->key[at - 1];
            at--;
        }
        out->key[at] = node;
    }
}

static int list_faces(int n_cells, const unsigned char* shapes, const int* first, const int* nodes,
                      Face* out) {
    int n = 0;
    for (int c = 0; c < n_cells; c++) {
        const FbCellInfo* info = &fb_cell_infos[shapes[c]];
        for (int side = 0; side < info->n_faces; side++) {
            out[n].cell = c;
            out[n].side = side;
            set_key(info, nodes + first[c], side, &out[n++]);
        }
    }
    return n;
}

static bool is_shell(unsigned char shape) {
    return fb_cell_infos[shape].n_faces == 1;
}

static void add_face(const Face* face, const unsigned char* shapes, const int* first,
                     const int* nodes, FbMeshSurface* out) {
    const FbCellInfo* info = &fb_cell_infos[shapes[face->cell]];
    FbCellShape shape = info->face_shape[face->side];
    int at = out->first[out->n_faces], n = fb_cell_infos[shape].n_nodes;
    for (int i = 0; i < n; i++) {
        out->nodes[at + i] = nodes[first[face->cell] + info->face[face->side][i]];
    }
    out->shapes[out->n_faces++] = (unsigned char)shape;
    out->first[out->n_faces] = at + n;
}

bool fb_mesh_surface_find(int n_cells, const unsigned char* shapes, const int* first,
                          const int* nodes, FbMeshSurface* out) {
    size_t most = 0;
    *out = (FbMeshSurface){0};
    for (int c = 0; c < n_cells; c++) {
        most += (size_t)fb_cell_infos[shapes[c]].n_faces;
    }
    Face* faces = malloc((most + 1) * sizeof *faces);
    out->shapes = malloc(most + 1);
    out->first = malloc((most + 1) * sizeof(int));
    out->nodes = malloc((8 * most + 1) * sizeof(int));
    if (!faces || !out->shapes || !out->first || !out->nodes) {
        free(faces);
        fb_mesh_surface_free(out);
        return false;
    }
    int n = list_faces(n_cells, shapes, first, nodes, faces);
    qsort(faces, (size_t)n, sizeof *faces, compare);
    out->first[0] = 0;
    for (int i = 0, end; i < n; i = end) {
        int n_solids = 0;
        for (end = i; end < n && is_same(&faces[i], &faces[end]); end++) {
            n_solids += !is_shell(shapes[faces[end].cell]);
        }
        for (int k = i; k < end; k++) {
            if (is_shell(shapes[faces[k].cell]) || n_solids == 1) {
                add_face(&faces[k], shapes, first, nodes, out);
            }
        }
    }
    free(faces);
    return true;
}

void fb_mesh_surface_free(FbMeshSurface* surface) {
    free(surface->shapes);
    free(surface->first);
    free(surface->nodes);
    *surface = (FbMeshSurface){0};
}
