// What is kept of a mesh for pictures and fields: points, cells, and the displacement of each point
// by the coordinates of the superelement.
#include <string.h>

#include "mesh/mesh_plan.h"

static bool find_shape(const FbElementType* type, unsigned char* out) {
    for (int i = 0; i < FB_CELL_COUNT; i++) {
        if (strcmp(fb_cell_infos[i].name, type->name) == 0) {
            *out = (unsigned char)i;
            return true;
        }
    }
    return false;
}

// The elements of the structure as cells, in arrays of the plan.
typedef struct Cells {
    int n;
    unsigned char* shapes;
    int *first, *nodes;
} Cells;

static FbStatus list_cells(const FbMeshPlan* plan, Cells* out) {
    const FbMesh* mesh = &plan->mesh;
    *out = (Cells){.shapes = FB_TAKE(plan->arena, unsigned char, mesh->n_elements + 1),
                   .first = FB_TAKE(plan->arena, int, mesh->n_elements + 1),
                   .nodes = FB_TAKE(plan->arena, int, mesh->n_nodes + 1)};
    if (fb_arena_has_failed(plan->arena)) {
        return fb_fail_memory(plan->err);
    }
    for (int i = 0; i < mesh->n_elements; i++) {
        const FbMeshElement* e = &mesh->elements[i];
        if (plan->owner[i] < 0 || !find_shape(e->type, &out->shapes[out->n])) {
            continue;
        }
        int at = out->first[out->n++];
        memcpy(out->nodes + at, mesh->nodes + e->first, sizeof(int) * (size_t)e->n_nodes);
        out->first[out->n] = at + e->n_nodes;
    }
    return FB_OK;
}

// Cells with their points renumbered, in the order of the mesh; `number` [points of the mesh].
static FbStatus keep_cells(const FbMeshPlan* plan, const Cells* cells, int* number,
                           FbKeptMesh* kept) {
    int n_nodes = cells->n > 0 ? cells->first[cells->n] : 0, n_all = plan->mesh.n_points;
    kept->n_cells = cells->n;
    kept->shapes = FB_TAKE(kept->arena, unsigned char, cells->n + 1);
    kept->first = FB_TAKE(kept->arena, int, cells->n + 1);
    kept->nodes = FB_TAKE(kept->arena, int, n_nodes + 1);
    if (fb_arena_has_failed(kept->arena)) {
        return fb_fail_memory(plan->err);
    }
    for (int i = 0; i < n_all; i++) {
        number[i] = -1;
    }
    for (int i = 0; i < n_nodes; i++) {
        number[cells->nodes[i]] = 0;
    }
    for (int i = 0; i < n_all; i++) {
        number[i] = number[i] < 0 ? -1 : kept->n_points++;
    }
    for (int i = 0; i < n_nodes; i++) {
        kept->nodes[i] = number[cells->nodes[i]];
    }
    memcpy(kept->shapes, cells->shapes, (size_t)cells->n);
    memcpy(kept->first, cells->first, sizeof(int) * (size_t)(cells->n + 1));
    return FB_OK;
}

static FbStatus keep_points(const FbMeshPlan* plan, const int* number, FbKeptMesh* kept) {
    size_t n_terms = 0, n = (size_t)kept->n_points;
    for (int i = 0; i < 6 * plan->mesh.n_points; i++) {
        n_terms += number[i / 6] >= 0 && i % 6 < 3 ? (size_t)plan->terms[i].count : 0;
    }
    kept->points = FB_TAKE(kept->arena, FbVec3, n + 1);
    kept->labels = FB_TAKE(kept->arena, int, n + 1);
    kept->term_start = FB_TAKE(kept->arena, int, 3 * n + 1);
    kept->terms = FB_TAKE(kept->arena, FbKeptTerm, n_terms + 1);
    if (fb_arena_has_failed(kept->arena)) {
        return fb_fail_memory(plan->err);
    }
    int at = 0, coordinate = 0;
    for (int i = 0; i < plan->mesh.n_points; i++) {
        if (number[i] < 0) {
            continue;
        }
        kept->points[number[i]] = plan->mesh.points[i];
        kept->labels[number[i]] = plan->mesh.labels[i];
        for (int d = 0; d < 3; d++) {
            const FbMeshTerms* t = &plan->terms[6 * i + d];
            for (int k = 0; k < t->count; k++) {
                kept->terms[at++] = (FbKeptTerm){t->items[k].row, t->items[k].factor};
            }
            kept->term_start[++coordinate] = at;
        }
    }
    kept->n_rows = kept->n = plan->n_rows;
    return FB_OK;
}

static FbStatus fill(FbMeshPlan* plan, const Cells* cells, FbKeptMesh* kept) {
    int* number = FB_TAKE(plan->arena, int, plan->mesh.n_points + 1);
    if (!number) {
        return fb_fail_memory(plan->err);
    }
    FB_TRY(keep_cells(plan, cells, number, kept));
    FB_TRY(keep_points(plan, number, kept));
    return fb_mesh_keep_stress(plan, number, kept);
}

static int count_points(const FbMeshPlan* plan, const FbMeshSurface* surface, bool* is_marked) {
    int count = 0;
    for (int i = 0; i < surface->first[surface->n_faces]; i++) {
        count += !is_marked[surface->nodes[i]];
        is_marked[surface->nodes[i]] = true;
    }
    (void)plan;
    return count;
}

static FbStatus keep(FbMeshPlan* plan, FbKeptMesh* kept) {
    Cells cells;
    FbMeshSurface surface;
    bool* is_marked = FB_TAKE(plan->arena, bool, plan->mesh.n_points + 1);
    FB_TRY(list_cells(plan, &cells));
    if (!is_marked ||
        !fb_mesh_surface_find(cells.n, cells.shapes, cells.first, cells.nodes, &surface)) {
        return fb_fail_memory(plan->err);
    }
    kept->position = fb_vec3_from(plan->s->position);
    kept->R = fb_mat3_from(plan->s->rotation);
    kept->n_surface = count_points(plan, &surface, is_marked);
    kept->is_surface_only = plan->def->keeps == FB_MESH_SURFACE;
    Cells faces = {surface.n_faces, surface.shapes, surface.first, surface.nodes};
    FbStatus status = fill(plan, kept->is_surface_only ? &faces : &cells, kept);
    fb_mesh_surface_free(&surface);
    return status;
}

FbStatus fb_mesh_plan_keep(FbMeshPlan* plan, FbKeptMesh** out) {
    *out = NULL;
    if (plan->def->keeps == FB_MESH_DROPPED) {
        return FB_OK;
    }
    FbKeptMesh* kept = fb_kept_mesh_create();
    if (!kept) {
        return fb_fail_memory(plan->err);
    }
    FbStatus status = keep(plan, kept);
    if (status < 0) {
        fb_kept_mesh_release(kept);
        return status;
    }
    *out = kept;
    return FB_OK;
}

// ---- From rows to coordinates ----

static void renumber(FbKeptMesh* kept, const int* of) {
    for (int t = 0; t < kept->term_start[3 * kept->n_points]; t++) {
        kept->terms[t].row = of[kept->terms[t].row];
    }
    for (int t = 0; t < kept->n_stress_terms; t++) {
        kept->stress_terms[t].row = of[kept->stress_terms[t].row];
    }
}

void fb_mesh_keep_whole(FbKeptMesh* kept, const int* of, int n) {
    renumber(kept, of);
    kept->n_rows = kept->n = n;
}

// Rows that move kept points or the elements around them, renumbered.
static int number_rows(FbKeptMesh* kept, int* number) {
    int n_terms = kept->term_start[3 * kept->n_points], n = 0;
    for (int i = 0; i < kept->n_rows; i++) {
        number[i] = -1;
    }
    for (int t = 0; t < n_terms; t++) {
        number[kept->terms[t].row] = 0;
    }
    for (int t = 0; t < kept->n_stress_terms; t++) {
        number[kept->stress_terms[t].row] = 0;
    }
    for (int i = 0; i < kept->n_rows; i++) {
        number[i] = number[i] < 0 ? -1 : n++;
    }
    renumber(kept, number);
    return n;
}

FbStatus fb_mesh_keep_reduced(FbKeptMesh* kept, const FbReduced* reduced, FbError* err) {
    int n_all = kept->n_rows;
    int* number = FB_TAKE(kept->arena, int, n_all + 1);
    if (!number) {
        return fb_fail_memory(err);
    }
    kept->n_rows = number_rows(kept, number);
    kept->n = reduced->n;
    size_t n = (size_t)kept->n_rows;
    kept->T = FB_TAKE(kept->arena, double, n*(size_t)kept->n + 1);
    if (!kept->T) {
        return fb_fail_memory(err);
    }
    for (int c = 0; c < kept->n; c++) {
        for (int i = 0; i < n_all; i++) {
            if (number[i] >= 0) {
                kept->T[(size_t)c * n + (size_t)number[i]] = fb_reduced_get(reduced, i, c);
            }
        }
    }
    return FB_OK;
}
