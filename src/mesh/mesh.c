// The mesh in memory: adding points, elements and groups.
#include "mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fem/shell.h"
#include "fem/solid.h"

void fb_mesh_destroy(FbMesh* mesh) {
    for (int i = 0; i < mesh->n_groups; i++) {
        free(mesh->groups[i].elements);
        free(mesh->groups[i].nodes);
    }
    free(mesh->points);
    free(mesh->labels);
    free(mesh->elements);
    free(mesh->nodes);
    free(mesh->groups);
}

int fb_mesh_add_point(FbMesh* mesh, FbVec3 p, int label) {
    if (!fb_grow((void**)&mesh->points, &mesh->points_capacity, mesh->n_points, sizeof p) ||
        !fb_grow((void**)&mesh->labels, &mesh->labels_capacity, mesh->n_points, sizeof label)) {
        return -1;
    }
    mesh->points[mesh->n_points] = p;
    mesh->labels[mesh->n_points] = label;
    return mesh->n_points++;
}

int fb_mesh_add_element(FbMesh* mesh, const FbElementType* type, int dimension, const int* nodes,
                        int n_nodes, int label) {
    FbMeshElement e = {type, dimension, n_nodes, mesh->n_nodes, label};
    if (!fb_grow((void**)&mesh->elements, &mesh->elements_capacity, mesh->n_elements, sizeof e)) {
        return -1;
    }
    for (int i = 0; i < n_nodes; i++) {
        if (!fb_grow((void**)&mesh->nodes, &mesh->nodes_capacity, mesh->n_nodes, sizeof *nodes)) {
            return -1;
        }
        mesh->nodes[mesh->n_nodes++] = nodes[i];
    }
    mesh->elements[mesh->n_elements] = e;
    return mesh->n_elements++;
}

int fb_mesh_find_group(const FbMesh* mesh, const char* name) {
    for (int i = 0; i < mesh->n_groups; i++) {
        if (strcmp(mesh->groups[i].name, name) == 0) {
            return i;
        }
    }
    for (int i = 0; mesh->ignores_case && i < mesh->n_groups; i++) {
        if (strcasecmp(mesh->groups[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

bool fb_mesh_has_all(const FbMesh* mesh) {
    int i = fb_mesh_find_group(mesh, "all");
    return i >= 0 && strcmp(mesh->groups[i].name, "all") == 0;
}

int fb_mesh_add_group(FbMesh* mesh, const char* name) {
    int found = fb_mesh_find_group(mesh, name);
    FbMeshGroup group = {.name = fb_arena_text(mesh->arena, name)};
    if (found >= 0) {
        return found;
    }
    if (!group.name ||
        !fb_grow((void**)&mesh->groups, &mesh->groups_capacity, mesh->n_groups, sizeof group)) {
        return -1;
    }
    mesh->groups[mesh->n_groups] = group;
    return mesh->n_groups++;
}

static bool append(int** list, int* capacity, int* count, int value) {
    if (!fb_grow((void**)list, capacity, *count, sizeof value)) {
        return false;
    }
    (*list)[(*count)++] = value;
    return true;
}

bool fb_mesh_group_add_element(FbMesh* mesh, int group, int element) {
    FbMeshGroup* g = &mesh->groups[group];
    return append(&g->elements, &g->elements_capacity, &g->n_elements, element);
}

bool fb_mesh_group_add_node(FbMesh* mesh, int group, int node) {
    FbMeshGroup* g = &mesh->groups[group];
    return append(&g->nodes, &g->nodes_capacity, &g->n_nodes, node);
}

void fb_mesh_mark_group(const FbMesh* mesh, int group, bool* is_marked) {
    const FbMeshGroup* g = &mesh->groups[group];
    for (int i = 0; i < g->n_nodes; i++) {
        is_marked[g->nodes[i]] = true;
    }
    for (int i = 0; i < g->n_elements; i++) {
        const FbMeshElement* e = &mesh->elements[g->elements[i]];
        for (int k = 0; k < e->n_nodes; k++) {
            is_marked[mesh->nodes[e->first + k]] = true;
        }
    }
}

double fb_mesh_calc_size(const FbMesh* mesh) {
    FbVec3 low = mesh->points[0], high = low;
    for (int i = 1; i < mesh->n_points; i++) {
        FbVec3 p = mesh->points[i];
        low = fb_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = fb_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    return fb_norm(fb_sub(high, low));
}

const FbElementType* fb_mesh_find_type(const char* name) {
    static const FbElementType* const types[] = {
        &fb_element_tet4,   &fb_element_tet10,   &fb_element_hex8, &fb_element_hex20,
        &fb_element_wedge6, &fb_element_wedge15, &fb_element_tri3, &fb_element_quad4,
    };
    for (size_t i = 0; name && i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i]->name, name) == 0) {
            return types[i];
        }
    }
    return NULL;
}
