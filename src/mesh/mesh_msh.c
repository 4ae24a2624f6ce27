// Gmsh's files (https://gmsh.info/doc/texinfo/gmsh.html#File-formats), versions 2.2 and 4.1, text
// and binary. Physical groups become groups of the mesh.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fem/shell.h"
#include "fem/solid.h"
#include "mesh/mesh_file.h"

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

// The physical groups of the entities of a dimension (version 4).
typedef struct Entity {
    int dimension, tag;
    int first, count;  // of Msh.physicals
} Entity;

typedef struct Physical {
    int dimension, tag, group;
} Physical;

typedef struct Msh {
    FbMeshFile* f;
    bool is_binary, is_new;  // is_new: version 4.1
    Physical* names;
    int n_names, names_capacity;
    Entity* entities;
    int n_entities, entities_capacity;
    int* physicals;
    int n_physicals, physicals_capacity;
} Msh;

// ---- Numbers, in text or binary ----

static bool take_bytes(Msh* m, void* out, size_t n) {
    FbMeshFile* f = m->f;
    if ((size_t)(f->end - f->at) < n) {
        return false;
    }
    memcpy(out, f->at, n);
    f->at += n;
    return true;
}

// Counts and tags that have eight bytes in binary files of version 4, otherwise four.
static bool take_long(Msh* m, long* out) {
    if (!m->is_binary) {
        return fb_mesh_file_integer(m->f, out);
    }
    if (m->is_new) {
        int64_t value = 0;
        bool is_there = take_bytes(m, &value, sizeof value);
        *out = (long)value;
        return is_there;
    }
    int32_t value = 0;
    bool is_there = take_bytes(m, &value, sizeof value);
    *out = value;
    return is_there;
}

static bool take_int(Msh* m, long* out) {
    if (!m->is_binary) {
        return fb_mesh_file_integer(m->f, out);
    }
    int32_t value = 0;
    bool is_there = take_bytes(m, &value, sizeof value);
    *out = value;
    return is_there;
}

static bool take_reals(Msh* m, double* out, int n) {
    for (int i = 0; i < n; i++) {
        bool is_there =
            m->is_binary ? take_bytes(m, &out[i], sizeof *out) : fb_mesh_file_real(m->f, &out[i]);
        if (!is_there) {
            return false;
        }
    }
    return true;
}

static FbStatus fail_cut(Msh* m, const char* section) {
    return fb_mesh_file_fail(m->f, FB_ERR_SYNTAX,
                             "section %s ends early or has something else where a number is "
                             "expected",
                             section);
}

// ---- Groups ----

static FbStatus add_physical(Msh* m, int dimension, int tag, const char* name, int* group) {
    for (int i = 0; i < m->n_names; i++) {
        if (m->names[i].dimension == dimension && m->names[i].tag == tag) {
            *group = m->names[i].group;
            return FB_OK;
        }
    }
    char number[32];
    snprintf(number, sizeof number, "%d", tag);
    *group = fb_mesh_add_group(m->f->mesh, name ? name : number);
    if (*group < 0 ||
        !fb_grow((void**)&m->names, &m->names_capacity, m->n_names, sizeof *m->names)) {
        return fb_fail_memory(m->f->err);
    }
    m->names[m->n_names++] = (Physical){dimension, tag, *group};
    return FB_OK;
}

// Lines such as: 2 1 "top side"; they are text in binary files too.
static FbStatus read_names(Msh* m) {
    FbMeshFile* f = m->f;
    long n, dimension, tag;
    if (!fb_mesh_file_integer(f, &n)) {
        return fail_cut(m, "$PhysicalNames");
    }
    FB_TRY(fb_mesh_file_check_count(f, "physical names", (double)n, 6.0));
    for (long i = 0; i < n; i++) {
        char *start, *stop, name[256];
        int group;
        if (!fb_mesh_file_integer(f, &dimension) || !fb_mesh_file_integer(f, &tag) ||
            !fb_mesh_file_line(f, &start, &stop) || stop - start < 3 || *start != '"' ||
            stop[-1] != '"') {
            return fail_cut(m, "$PhysicalNames");
        }
        snprintf(name, sizeof name, "%.*s", (int)(stop - start - 2 < 250 ? stop - start - 2 : 250),
                 start + 1);
        FB_TRY(add_physical(m, (int)dimension, (int)tag, name, &group));
    }
    return FB_OK;
}

// ---- Entities of version 4 ----

static FbStatus read_entity(Msh* m, int dimension) {
    long tag, n, skipped;
    double box[6];
    if (!take_int(m, &tag) || !take_reals(m, box, dimension == 0 ? 3 : 6) || !take_long(m, &n)) {
        return fail_cut(m, "$Entities");
    }
    FB_TRY(fb_mesh_file_check_count(m->f, "physical groups", (double)n, 1.0));
    Entity e = {dimension, (int)tag, m->n_physicals, (int)n};
    for (long i = 0; i < n; i++) {
        long physical;
        if (!take_int(m, &physical)) {
            return fail_cut(m, "$Entities");
        }
        if (!fb_grow((void**)&m->physicals, &m->physicals_capacity, m->n_physicals,
                     sizeof *m->physicals)) {
            return fb_fail_memory(m->f->err);
        }
        m->physicals[m->n_physicals++] = (int)labs(physical);
    }
    if (dimension > 0) {
        if (!take_long(m, &n)) {
            return fail_cut(m, "$Entities");
        }
        for (long i = 0; i < n; i++) {
            if (!take_int(m, &skipped)) {
                return fail_cut(m, "$Entities");
            }
        }
    }
    if (!fb_grow((void**)&m->entities, &m->entities_capacity, m->n_entities, sizeof e)) {
        return fb_fail_memory(m->f->err);
    }
    m->entities[m->n_entities++] = e;
    return FB_OK;
}

static FbStatus read_entities(Msh* m) {
    long n[4];
    for (int d = 0; d < 4; d++) {
        if (!take_long(m, &n[d])) {
            return fail_cut(m, "$Entities");
        }
        FB_TRY(fb_mesh_file_check_count(m->f, "entities", (double)n[d], 4.0));
    }
    for (int d = 0; d < 4; d++) {
        for (long i = 0; i < n[d]; i++) {
            FB_TRY(read_entity(m, d));
        }
    }
    return FB_OK;
}

// ---- Nodes ----

static FbStatus read_nodes_2(Msh* m) {
    long n, label;
    double x[3];
    if (!fb_mesh_file_integer(m->f, &n)) {
        return fail_cut(m, "$Nodes");
    }
    m->f->at += m->is_binary && m->f->at < m->f->end;  // the end of the line
    FB_TRY(fb_mesh_file_check_count(m->f, "nodes", (double)n, m->is_binary ? 28.0 : 7.0));
    for (long i = 0; i < n; i++) {
        if (!take_int(m, &label) || !take_reals(m, x, 3)) {
            return fail_cut(m, "$Nodes");
        }
        FB_TRY(fb_mesh_file_add_node(m->f, label, x));
    }
    return FB_OK;
}

static FbStatus read_node_block(Msh* m) {
    long head[3], n;
    double x[6];
    if (!take_int(m, &head[0]) || !take_int(m, &head[1]) || !take_int(m, &head[2]) ||
        !take_long(m, &n)) {
        return fail_cut(m, "$Nodes");
    }
    FB_TRY(fb_mesh_file_check_count(m->f, "nodes", (double)n, m->is_binary ? 32.0 : 7.0));
    int n_parameters = head[2] != 0 && head[0] > 0 && head[0] <= 3 ? (int)head[0] : 0;
    long* labels = malloc(((size_t)n + 1) * sizeof *labels);
    FbStatus status = labels ? FB_OK : fb_fail_memory(m->f->err);
    for (long i = 0; status == FB_OK && i < n; i++) {
        status = take_long(m, &labels[i]) ? FB_OK : fail_cut(m, "$Nodes");
    }
    for (long i = 0; status == FB_OK && i < n; i++) {
        status = take_reals(m, x, 3 + n_parameters) ? fb_mesh_file_add_node(m->f, labels[i], x)
                                                    : fail_cut(m, "$Nodes");
    }
    free(labels);
    return status;
}

static FbStatus read_nodes_4(Msh* m) {
    long head[4];
    for (int i = 0; i < 4; i++) {
        if (!take_long(m, &head[i])) {
            return fail_cut(m, "$Nodes");
        }
    }
    FB_TRY(fb_mesh_file_check_count(m->f, "blocks of nodes", (double)head[0], 7.0));
    FB_TRY(fb_mesh_file_check_count(m->f, "nodes", (double)head[1], 7.0));
    for (long i = 0; i < head[0]; i++) {
        FB_TRY(read_node_block(m));
    }
    return FB_OK;
}

// ---- Elements ----

static FbStatus find_kind(Msh* m, long number, const Kind** out) {
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

static FbStatus read_element(Msh* m, const Kind* kind, long label, int* element) {
    int nodes[20], first[20] = {0};
    for (int i = 0; i < kind->n_nodes; i++) {
        long node;
        if (!take_long(m, &node)) {
            return fail_cut(m, "$Elements");
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
    *element = fb_mesh_add_element(m->f->mesh, kind->type, kind->dimension, nodes, kind->n_nodes,
                                   label > 0 && label <= INT_MAX ? (int)label : 0);
    return *element >= 0 ? FB_OK : fb_fail_memory(m->f->err);
}

static FbStatus add_to_group(Msh* m, int dimension, int physical, int element) {
    int group;
    FB_TRY(add_physical(m, dimension, physical, NULL, &group));
    return fb_mesh_group_add_element(m->f->mesh, group, element) ? FB_OK
                                                                 : fb_fail_memory(m->f->err);
}

static FbStatus read_tagged_element(Msh* m, const Kind* kind, long label, long n_tags) {
    long physical = 0, tag;
    int element = -1;
    for (long i = 0; i < n_tags; i++) {
        if (!take_int(m, &tag)) {
            return fail_cut(m, "$Elements");
        }
        physical = i == 0 ? tag : physical;
    }
    FB_TRY(read_element(m, kind, label, &element));
    return physical != 0 ? add_to_group(m, kind->dimension, (int)physical, element) : FB_OK;
}

static FbStatus read_elements_2(Msh* m) {
    long n, label = 0, number = 0, n_tags = 0, count = 1;
    const Kind* kind = NULL;
    if (!fb_mesh_file_integer(m->f, &n)) {
        return fail_cut(m, "$Elements");
    }
    m->f->at += m->is_binary && m->f->at < m->f->end;
    FB_TRY(fb_mesh_file_check_count(m->f, "elements", (double)n, m->is_binary ? 8.0 : 6.0));
    for (long i = 0; i < n; i += count) {
        if (m->is_binary) {
            if (!take_int(m, &number) || !take_int(m, &count) || !take_int(m, &n_tags) ||
                count < 1) {
                return fail_cut(m, "$Elements");
            }
        } else if (!take_int(m, &label) || !take_int(m, &number) || !take_int(m, &n_tags)) {
            return fail_cut(m, "$Elements");
        }
        FB_TRY(find_kind(m, number, &kind));
        for (long k = 0; k < count; k++) {
            if (m->is_binary && !take_int(m, &label)) {
                return fail_cut(m, "$Elements");
            }
            FB_TRY(read_tagged_element(m, kind, label, n_tags));
        }
    }
    return FB_OK;
}

static FbStatus read_element_block(Msh* m) {
    long dimension, tag, number, n;
    const Kind* kind = NULL;
    if (!take_int(m, &dimension) || !take_int(m, &tag) || !take_int(m, &number) ||
        !take_long(m, &n)) {
        return fail_cut(m, "$Elements");
    }
    FB_TRY(fb_mesh_file_check_count(m->f, "elements", (double)n, m->is_binary ? 16.0 : 4.0));
    FB_TRY(find_kind(m, number, &kind));
    const Entity* entity = NULL;
    for (int i = 0; i < m->n_entities; i++) {
        bool is_this = m->entities[i].dimension == dimension && m->entities[i].tag == tag;
        entity = is_this ? &m->entities[i] : entity;
    }
    for (long i = 0; i < n; i++) {
        long label;
        int element = -1;
        if (!take_long(m, &label)) {
            return fail_cut(m, "$Elements");
        }
        FB_TRY(read_element(m, kind, label, &element));
        for (int k = 0; entity && k < entity->count; k++) {
            FB_TRY(add_to_group(m, kind->dimension, m->physicals[entity->first + k], element));
        }
    }
    return FB_OK;
}

static FbStatus read_elements_4(Msh* m) {
    long head[4];
    for (int i = 0; i < 4; i++) {
        if (!take_long(m, &head[i])) {
            return fail_cut(m, "$Elements");
        }
    }
    FB_TRY(fb_mesh_file_check_count(m->f, "blocks of elements", (double)head[0], 7.0));
    for (long i = 0; i < head[0]; i++) {
        FB_TRY(read_element_block(m));
    }
    return FB_OK;
}

// ---- Sections ----

static FbStatus read_format(Msh* m) {
    double version;
    long is_binary, size;
    FbMeshFile* f = m->f;
    if (!fb_mesh_file_real(f, &version) || !fb_mesh_file_integer(f, &is_binary) ||
        !fb_mesh_file_integer(f, &size)) {
        return fail_cut(m, "$MeshFormat");
    }
    m->is_new = version == 4.1;
    m->is_binary = is_binary == 1;
    if (!m->is_new && !(version >= 2.0 && version < 3.0)) {
        return fb_mesh_file_fail(f, FB_ERR_MODEL,
                                 "this is version %g of Gmsh's format; versions 2.2 "
                                 "and 4.1 are supported (Mesh.MshFileVersion = 4.1)",
                                 version);
    }
    if (m->is_binary) {
        char* newline = memchr(f->at, '\n', (size_t)(f->end - f->at));
        int32_t one = 0;
        f->at = newline ? newline + 1 : f->end;
        if (size != 8 || !take_bytes(m, &one, sizeof one) || one != 1) {
            return fb_mesh_file_fail(
                f, FB_ERR_MODEL,
                "the numbers of this binary file have another "
                "size or byte order than expected (8 bytes, little-endian); save it as text");
        }
    }
    return FB_OK;
}

static bool is_section(const char* start, const char* stop, const char* name) {
    size_t n = strlen(name);
    return (size_t)(stop - start) == n && memcmp(start, name, n) == 0;
}

static FbStatus read_section(Msh* m, const char* start, const char* stop) {
    if (is_section(start, stop, "$MeshFormat")) {
        return read_format(m);
    }
    if (is_section(start, stop, "$PhysicalNames")) {
        return read_names(m);
    }
    if (is_section(start, stop, "$Entities")) {
        return read_entities(m);
    }
    if (is_section(start, stop, "$Nodes")) {
        FB_TRY(m->is_new ? read_nodes_4(m) : read_nodes_2(m));
        return fb_mesh_file_sort_nodes(m->f);
    }
    if (is_section(start, stop, "$Elements")) {
        return m->is_new ? read_elements_4(m) : read_elements_2(m);
    }
    return FB_OK;  // others, and ends
}

static FbStatus read_sections(Msh* m) {
    char *start, *stop;
    FbMeshFile* f = m->f;
    if (!fb_mesh_file_line(f, &start, &stop) || !is_section(start, stop, "$MeshFormat")) {
        return fb_mesh_file_fail(f, FB_ERR_SYNTAX,
                                 "not a mesh of Gmsh: its first line must be '$MeshFormat'");
    }
    FB_TRY(read_format(m));
    while (fb_mesh_file_line(f, &start, &stop)) {
        FB_TRY(read_section(m, start, stop));
    }
    return FB_OK;
}

FbStatus fb_mesh_read_msh(FbMeshFile* f) {
    Msh m = {.f = f};
    FbStatus status = read_sections(&m);
    free(m.names);
    free(m.entities);
    free(m.physicals);
    return status;
}
