// The elements of Gmsh's files, and which of their nodes are ours.
#include <limits.h>
#include <stdlib.h>

#include "base/error.h"
#include "fem/shell.h"
#include "fem/solid.h"
#include "mesh/mesh_msh.h"

// A type of element: its number in the file, and where our nodes are among the file's.
typedef struct Kind {
    int number;
    const char* name;
    int dimension, n_nodes;
    const FbElementType* type;  // NULL: only its nodes are used
    int order[20];              // all 0: the same
} Kind;

static const Kind kinds[] = {
    {15, "point", 0, 1, NULL, {0}},
    {1, "line2", 1, 2, NULL, {0}},
    {8, "line3", 1, 3, NULL, {0}},
    {2, "tri3", 2, 3, &fb_element_tri3, {0}},
    {3, "quad4", 2, 4, &fb_element_quad4, {0}},
    {9, "tri6", 2, 6, NULL, {0}},
    {16, "quad8", 2, 8, NULL, {0}},
    {10, "quad9", 2, 9, NULL, {0}},
    {4, "tet4", 3, 4, &fb_element_tet4, {0}},
    {11, "tet10", 3, 10, &fb_element_tet10, {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}},
    {5, "hex8", 3, 8, &fb_element_hex8, {0}},
    {17, "hex20", 3, 20, &fb_element_hex20, {0,  1, 2,  3,  4,  5,  6,  7,  8,  11,
                                             13, 9, 16, 18, 19, 17, 10, 12, 14, 15}},
    {6, "wedge6", 3, 6, &fb_element_wedge6, {0}},
    {18, "wedge15", 3, 15, &fb_element_wedge15, {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11}},
};

static FbStatus find_kind(FbMsh* m, long number, const Kind** out) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].number == number) {
            *out = &kinds[i];
            return FB_OK;
        }
    }
    return fb_mesh_file_fail(m->f, FB_ERR_MODEL,
                             "elements of Gmsh's type %ld are not supported (solids may be tet4, "
                             "tet10, hex8, hex20, wedge6, wedge15; use "
                             "Mesh.SecondOrderIncomplete = 1 for hex20 and wedge15)",
                             number);
}

static FbStatus take_element_nodes(FbMsh* m, const Kind* kind, long label, int* nodes) {
    int first[20] = {0};
    for (int i = 0; i < kind->n_nodes; i++) {
        long node;
        if (!fb_msh_take_long(m, &node)) {
            return fb_msh_fail_cut(m, "$Elements");
        }
        first[i] = fb_mesh_file_find_node(m->f, node);
        if (first[i] < 0) {
            return fb_mesh_file_fail(m->f, FB_ERR_MODEL,
                                     "element %ld has node %ld, which is not in the file", label,
                                     node);
        }
    }
    bool is_same = kind->order[1] == 0;
    for (int i = 0; i < kind->n_nodes; i++) {
        nodes[i] = first[is_same ? i : kind->order[i]];
    }
    return FB_OK;
}

static FbStatus add_element(FbMsh* m, const Kind* kind, long label, const int* nodes,
                            int* element) {
    *element = fb_mesh_add_element(m->f->mesh, kind->type, kind->dimension, nodes, kind->n_nodes,
                                   label > 0 && label <= INT_MAX ? (int)label : 0);
    return *element >= 0 ? FB_OK : fb_fail_memory(m->f->err);
}

static FbStatus read_element(FbMsh* m, const Kind* kind, long label, int* element) {
    int nodes[20] = {0};
    FB_TRY(take_element_nodes(m, kind, label, nodes));
    return add_element(m, kind, label, nodes, element);
}

static FbStatus add_to_group(FbMsh* m, int dimension, int physical, int element) {
    int group;
    FB_TRY(fb_msh_add_physical(m, dimension, physical, NULL, &group));
    return fb_mesh_group_add_element(m->f->mesh, group, element) ? FB_OK
                                                                 : fb_fail_memory(m->f->err);
}

// Version 2 writes an element once for each of its physical groups: it is still one element.
static FbStatus read_tagged_element(FbMsh* m, const Kind* kind, long label, long n_tags) {
    long tags[2] = {0}, tag;  // the physical group and the entity
    int element, nodes[20] = {0};
    FbMesh* mesh = m->f->mesh;
    for (long i = 0; i < n_tags; i++) {
        if (!fb_msh_take_int(m, &tag)) {
            return fb_msh_fail_cut(m, "$Elements");
        }
        if (i < 2) {
            tags[i] = tag;
        }
    }
    FB_TRY(take_element_nodes(m, kind, label, nodes));
    element = fb_mesh_twins_find(&m->twins, mesh, (int)tags[1], nodes, kind->n_nodes);
    if (element < 0) {
        FB_TRY(add_element(m, kind, label, nodes, &element));
        if (!fb_mesh_twins_add(&m->twins, mesh, (int)tags[1], element)) {
            return fb_fail_memory(m->f->err);
        }
    }
    return tags[0] != 0 ? add_to_group(m, kind->dimension, (int)labs(tags[0]), element) : FB_OK;
}

FbStatus fb_msh_read_elements_2(FbMsh* m) {
    long n, label = 0, number = 0, n_tags = 0, count = 1;
    const Kind* kind = NULL;
    if (!fb_mesh_file_integer(m->f, &n)) {
        return fb_msh_fail_cut(m, "$Elements");
    }
    m->f->at += m->is_binary && m->f->at < m->f->end;
    FB_TRY(fb_mesh_file_check_count(m->f, "elements", (double)n, m->is_binary ? 8.0 : 6.0));
    for (long i = 0; i < n; i += count) {
        if (m->is_binary) {
            if (!fb_msh_take_int(m, &number) || !fb_msh_take_int(m, &count) ||
                !fb_msh_take_int(m, &n_tags) || count < 1) {
                return fb_msh_fail_cut(m, "$Elements");
            }
        } else if (!fb_msh_take_int(m, &label) || !fb_msh_take_int(m, &number) ||
                   !fb_msh_take_int(m, &n_tags)) {
            return fb_msh_fail_cut(m, "$Elements");
        }
        FB_TRY(find_kind(m, number, &kind));
        for (long k = 0; k < count; k++) {
            if (m->is_binary && !fb_msh_take_int(m, &label)) {
                return fb_msh_fail_cut(m, "$Elements");
            }
            FB_TRY(read_tagged_element(m, kind, label, n_tags));
        }
    }
    return FB_OK;
}

static FbStatus read_element_block(FbMsh* m) {
    long dimension, tag, number, n;
    const Kind* kind = NULL;
    if (!fb_msh_take_int(m, &dimension) || !fb_msh_take_int(m, &tag) ||
        !fb_msh_take_int(m, &number) || !fb_msh_take_long(m, &n)) {
        return fb_msh_fail_cut(m, "$Elements");
    }
    FB_TRY(fb_mesh_file_check_count(m->f, "elements", (double)n, m->is_binary ? 16.0 : 4.0));
    FB_TRY(find_kind(m, number, &kind));
    const FbMshEntity* entity = NULL;
    for (int i = 0; i < m->n_entities; i++) {
        bool is_this = m->entities[i].dimension == dimension && m->entities[i].tag == tag;
        entity = is_this ? &m->entities[i] : entity;
    }
    for (long i = 0; i < n; i++) {
        long label;
        int element = -1;
        if (!fb_msh_take_long(m, &label)) {
            return fb_msh_fail_cut(m, "$Elements");
        }
        FB_TRY(read_element(m, kind, label, &element));
        for (int k = 0; entity && k < entity->count; k++) {
            FB_TRY(add_to_group(m, kind->dimension, m->physicals[entity->first + k], element));
        }
    }
    return FB_OK;
}

FbStatus fb_msh_read_elements_4(FbMsh* m) {
    long head[4];
    for (int i = 0; i < 4; i++) {
        if (!fb_msh_take_long(m, &head[i])) {
            return fb_msh_fail_cut(m, "$Elements");
        }
    }
    FB_TRY(fb_mesh_file_check_count(m->f, "blocks of elements", (double)head[0], 7.0));
    for (long i = 0; i < head[0]; i++) {
        FB_TRY(read_element_block(m));
    }
    return FB_OK;
}
