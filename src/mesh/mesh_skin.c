// The surfaces and edges that loads act on: faces of solids that face outwards, shells, and their
// edges.
#include "mesh/mesh_skin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- All faces, sorted by their corners ----

static int compare_keys(const int* a, const int* b, int n) {
    for (int i = 0; i < n; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_faces(const void* a, const void* b) {
    const FbMeshFace *x = a, *y = b;
    int order = compare_keys(x->key, y->key, 4);
    return order != 0 ? order : (x->solid < y->solid) - (x->solid > y->solid);
}

static void set_key(const int* corners, int n, int key[4]) {
    for (int i = 0; i < 4; i++) {
        int value = i < n ? corners[i] : -1, k = i;
        for (; k > 0 && key[k - 1] > value; k--) {
            key[k] = key[k - 1];
        }
        key[k] = value;
    }
}

static FbVec3 calc_middle(const FbMesh* mesh, const FbMeshElement* e) {
    FbVec3 origin = mesh->points[mesh->nodes[e->first]], sum = {0};
    for (int i = 1; i < e->n_nodes; i++) {
        sum = fb_add(sum, fb_sub(mesh->points[mesh->nodes[e->first + i]], origin));
    }
    return fb_axpy(1.0 / e->n_nodes, sum, origin);
}

static void add_faces(const FbMesh* mesh, int element, FbMeshSkin* skin) {
    const FbMeshElement* e = &mesh->elements[element];
    const int* nodes = mesh->nodes + e->first;
    bool is_solid = e->dimension == 3;
    int n = is_solid ? fb_solid_count_faces(e->type) : 1;
    for (int f = 0; f < n; f++) {
        FbMeshFace* face = &skin->faces[skin->n_faces++];
        *face = (FbMeshFace){.n_nodes = e->n_nodes, .n_corners = e->n_nodes, .solid = -1};
        if (is_solid) {
            int local[FB_FACE_MAX_NODES];
            face->n_nodes = fb_solid_get_face(e->type, f, local, &face->n_corners);
            face->solid = element;
            for (int i = 0; i < face->n_nodes; i++) {
                face->nodes[i] = nodes[local[i]];
            }
        } else {
            memcpy(face->nodes, nodes, sizeof(int) * (size_t)e->n_nodes);
        }
        set_key(face->nodes, face->n_corners, face->key);
    }
}

FbStatus fb_mesh_skin_create(const FbMesh* mesh, const int* owner, FbArena* arena, FbMeshSkin* out,
                             FbError* err) {
    size_t most = 0;
    for (int i = 0; i < mesh->n_elements; i++) {
        const FbMeshElement* e = &mesh->elements[i];
        most += owner[i] < 0 ? 0 : e->dimension == 3 ? (size_t)fb_solid_count_faces(e->type) : 1;
    }
    *out = (FbMeshSkin){.mesh = mesh, .faces = FB_TAKE(arena, FbMeshFace, most + 1)};
    if (!out->faces) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < mesh->n_elements; i++) {
        if (owner[i] >= 0) {
            add_faces(mesh, i, out);
        }
    }
    qsort(out->faces, (size_t)out->n_faces, sizeof *out->faces, compare_faces);
    return FB_OK;
}

// The first face with these corners, and how many there are of solids and in all.
static const FbMeshFace* find_face(const FbMeshSkin* skin, const int key[4], int* n_solid, int* n) {
    int low = 0, high = skin->n_faces;
    *n = *n_solid = 0;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (compare_keys(skin->faces[middle].key, key, 4) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (int i = low; i < skin->n_faces && compare_keys(skin->faces[i].key, key, 4) == 0; i++) {
        ++*n;
        *n_solid += skin->faces[i].solid >= 0;
    }
    return *n > 0 ? &skin->faces[low] : NULL;
}

// ---- Patches ----

static bool add_patch(FbMeshPatches* out, const FbMeshPatch* patch) {
    if (!fb_grow((void**)&out->items, &out->capacity, out->count, sizeof *patch)) {
        return false;
    }
    out->items[out->count++] = *patch;
    return true;
}

// +1 where the normal of the face points out of its solid.
static double calc_side(const FbMesh* mesh, const FbMeshFace* face) {
    FbVec3 p[3], middle = calc_middle(mesh, &mesh->elements[face->solid]);
    for (int i = 0; i < 3; i++) {
        p[i] = mesh->points[face->nodes[i]];
    }
    FbVec3 normal = fb_cross(fb_sub(p[1], p[0]), fb_sub(p[2], p[0]));
    return fb_dot(normal, fb_sub(p[0], middle)) > 0.0 ? 1.0 : -1.0;
}

// Pressure acts into a solid, and along the normal of a shell as it is drawn.
static bool add_face(const FbMeshSkin* skin, const FbMeshFace* face, FbMeshPatches* out) {
    FbMeshPatch patch = {.n_nodes = face->n_nodes, .pressure = 1.0};
    memcpy(patch.nodes, face->nodes, sizeof patch.nodes);
    if (face->solid >= 0) {
        patch.pressure = -calc_side(skin->mesh, face);
    }
    return add_patch(out, &patch);
}

static bool has_all(const bool* is_marked, const int* nodes, int n) {
    for (int i = 0; i < n; i++) {
        if (!is_marked[nodes[i]]) {
            return false;
        }
    }
    return true;
}

bool fb_mesh_skin_mark_faces(const FbMeshSkin* skin, const bool* is_marked, FbMeshPatches* out) {
    for (int i = 0; i < skin->n_faces;) {
        const FbMeshFace* face = &skin->faces[i];
        int n_solid, n;
        find_face(skin, face->key, &n_solid, &n);
        i += n;
        if (n_solid <= 1 && has_all(is_marked, face->nodes, face->n_nodes) &&
            !add_face(skin, face, out)) {
            return false;
        }
    }
    return true;
}

FbMeshFound fb_mesh_skin_add_surface(const FbMeshSkin* skin, const FbMeshElement* e,
                                     FbMeshPatches* out) {
    int key[4] = {0}, n_solid, n, corners = e->n_nodes % 3 == 0 && e->n_nodes < 9 ? 3 : 4;
    const int* nodes = skin->mesh->nodes + e->first;
    set_key(nodes, corners, key);
    const FbMeshFace* face = find_face(skin, key, &n_solid, &n);
    if (!face || n_solid > 1) {
        return face ? FB_MESH_INSIDE : FB_MESH_LOOSE;
    }
    FbMeshFace own = *face;
    if (face->solid < 0) {  // as this surface is drawn
        memcpy(own.nodes, nodes, sizeof(int) * (size_t)corners);
    }
    return add_face(skin, &own, out) ? FB_MESH_FOUND : FB_MESH_NO_MEMORY;
}

// The middle of three nodes last: the nearest to the others.
static void order_edge(const FbMesh* mesh, FbMeshPatch* edge) {
    double least = INFINITY;
    int last = 2;
    for (int i = 0; i < 3; i++) {
        FbVec3 p = mesh->points[edge->nodes[i]];
        double sum = fb_norm(fb_sub(p, mesh->points[edge->nodes[(i + 1) % 3]])) +
                     fb_norm(fb_sub(p, mesh->points[edge->nodes[(i + 2) % 3]]));
        if (sum < least) {
            least = sum;
            last = i;
        }
    }
    int middle = edge->nodes[last];
    edge->nodes[last] = edge->nodes[2];
    edge->nodes[2] = middle;
}

bool fb_mesh_skin_add_edge(const FbMeshSkin* skin, const FbMeshElement* e, FbMeshPatches* out) {
    FbMeshPatch patch = {.n_nodes = e->n_nodes, .is_edge = true};
    memcpy(patch.nodes, skin->mesh->nodes + e->first, sizeof(int) * (size_t)e->n_nodes);
    if (e->n_nodes == 3) {
        order_edge(skin->mesh, &patch);
    }
    return add_patch(out, &patch);
}

static int compare_edges(const void* a, const void* b) {
    return compare_keys(((const FbMeshPatch*)a)->nodes, ((const FbMeshPatch*)b)->nodes, 2);
}

// Neighbours have an edge in common; it is kept once.
static void drop_repeated(FbMeshPatches* p, int first) {
    int kept = first;
    if (p->count == first) {
        return;
    }
    qsort(p->items + first, (size_t)(p->count - first), sizeof *p->items, compare_edges);
    for (int i = first; i < p->count; i++) {
        if (i == first || compare_edges(&p->items[i], &p->items[kept - 1]) != 0) {
            p->items[kept++] = p->items[i];
        }
    }
    p->count = kept;
}

bool fb_mesh_skin_mark_edges(const FbMeshSkin* skin, const bool* is_marked, FbMeshPatches* out) {
    int first = out->count;
    for (int i = 0; i < skin->n_faces; i++) {
        const FbMeshFace* face = &skin->faces[i];
        bool is_curved = face->n_nodes > face->n_corners;
        for (int k = 0; k < face->n_corners; k++) {
            int a = face->nodes[k], b = face->nodes[(k + 1) % face->n_corners];
            FbMeshPatch edge = {.n_nodes = is_curved ? 3 : 2, .is_edge = true};
            edge.nodes[0] = a < b ? a : b;
            edge.nodes[1] = a < b ? b : a;
            edge.nodes[2] = is_curved ? face->nodes[face->n_corners + k] : 0;
            if (has_all(is_marked, edge.nodes, edge.n_nodes) && !add_patch(out, &edge)) {
                return false;
            }
        }
    }
    drop_repeated(out, first);
    return true;
}
