// Gmsh's files (https://gmsh.info/doc/texinfo/gmsh.html#File-formats), versions 2.2 and 4.1, text
// and binary. FbMshPhysical groups become groups of the mesh.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mesh/mesh_msh.h"

// ---- Numbers, in text or binary ----

static bool take_bytes(FbMsh* m, void* out, size_t n) {
    FbMeshFile* f = m->f;
    if ((size_t)(f->end - f->at) < n) {
        return false;
    }
    memcpy(out, f->at, n);
    f->at += n;
    return true;
}

bool fb_msh_take_long(FbMsh* m, long* out) {
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

bool fb_msh_take_int(FbMsh* m, long* out) {
    if (!m->is_binary) {
        return fb_mesh_file_integer(m->f, out);
    }
    int32_t value = 0;
    bool is_there = take_bytes(m, &value, sizeof value);
    *out = value;
    return is_there;
}

static bool take_reals(FbMsh* m, double* out, int n) {
    for (int i = 0; i < n; i++) {
        bool is_there =
            m->is_binary ? take_bytes(m, &out[i], sizeof *out) : fb_mesh_file_real(m->f, &out[i]);
        if (!is_there) {
            return false;
        }
    }
    return true;
}

FbStatus fb_msh_fail_cut(FbMsh* m, const char* section) {
    return fb_mesh_file_fail(m->f, FB_ERR_SYNTAX,
                             "section %s ends early or has something else where a number is "
                             "expected",
                             section);
}

// ---- Groups ----

FbStatus fb_msh_add_physical(FbMsh* m, int dimension, int tag, const char* name, int* group) {
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
    m->names[m->n_names++] = (FbMshPhysical){dimension, tag, *group};
    return FB_OK;
}

// Lines such as: 2 1 "top side"; they are text in binary files too.
static FbStatus read_names(FbMsh* m) {
    FbMeshFile* f = m->f;
    long n, dimension, tag;
    if (!fb_mesh_file_integer(f, &n)) {
        return fb_msh_fail_cut(m, "$PhysicalNames");
    }
    FB_TRY(fb_mesh_file_check_count(f, "physical names", (double)n, 6.0));
    for (long i = 0; i < n; i++) {
        char *start, *stop, name[256];
        int group;
        if (!fb_mesh_file_integer(f, &dimension) || !fb_mesh_file_integer(f, &tag) ||
            !fb_mesh_file_line(f, &start, &stop) || stop - start < 3 || *start != '"' ||
            stop[-1] != '"') {
            return fb_msh_fail_cut(m, "$PhysicalNames");
        }
        snprintf(name, sizeof name, "%.*s", (int)(stop - start - 2 < 250 ? stop - start - 2 : 250),
                 start + 1);
        FB_TRY(fb_msh_add_physical(m, (int)dimension, (int)tag, name, &group));
    }
    return FB_OK;
}

// ---- Entities of version 4 ----

static FbStatus read_entity(FbMsh* m, int dimension) {
    long tag, n, skipped;
    double box[6];
    if (!fb_msh_take_int(m, &tag) || !take_reals(m, box, dimension == 0 ? 3 : 6) ||
        !fb_msh_take_long(m, &n)) {
        return fb_msh_fail_cut(m, "$Entities");
    }
    FB_TRY(fb_mesh_file_check_count(m->f, "physical groups", (double)n, 1.0));
    FbMshEntity e = {dimension, (int)tag, m->n_physicals, (int)n};
    for (long i = 0; i < n; i++) {
        long physical;
        if (!fb_msh_take_int(m, &physical)) {
            return fb_msh_fail_cut(m, "$Entities");
        }
        if (!fb_grow((void**)&m->physicals, &m->physicals_capacity, m->n_physicals,
                     sizeof *m->physicals)) {
            return fb_fail_memory(m->f->err);
        }
        m->physicals[m->n_physicals++] = (int)labs(physical);
    }
    if (dimension > 0) {
        if (!fb_msh_take_long(m, &n)) {
            return fb_msh_fail_cut(m, "$Entities");
        }
        for (long i = 0; i < n; i++) {
            if (!fb_msh_take_int(m, &skipped)) {
                return fb_msh_fail_cut(m, "$Entities");
            }
        }
    }
    if (!fb_grow((void**)&m->entities, &m->entities_capacity, m->n_entities, sizeof e)) {
        return fb_fail_memory(m->f->err);
    }
    m->entities[m->n_entities++] = e;
    return FB_OK;
}

static FbStatus read_entities(FbMsh* m) {
    long n[4];
    for (int d = 0; d < 4; d++) {
        if (!fb_msh_take_long(m, &n[d])) {
            return fb_msh_fail_cut(m, "$Entities");
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

static FbStatus read_nodes_2(FbMsh* m) {
    long n, label;
    double x[3];
    if (!fb_mesh_file_integer(m->f, &n)) {
        return fb_msh_fail_cut(m, "$Nodes");
    }
    m->f->at += m->is_binary && m->f->at < m->f->end;  // the end of the line
    FB_TRY(fb_mesh_file_check_count(m->f, "nodes", (double)n, m->is_binary ? 28.0 : 7.0));
    for (long i = 0; i < n; i++) {
        if (!fb_msh_take_int(m, &label) || !take_reals(m, x, 3)) {
            return fb_msh_fail_cut(m, "$Nodes");
        }
        FB_TRY(fb_mesh_file_add_node(m->f, label, x));
    }
    return FB_OK;
}

static FbStatus read_node_block(FbMsh* m) {
    long head[3], n;
    double x[6];
    if (!fb_msh_take_int(m, &head[0]) || !fb_msh_take_int(m, &head[1]) ||
        !fb_msh_take_int(m, &head[2]) || !fb_msh_take_long(m, &n)) {
        return fb_msh_fail_cut(m, "$Nodes");
    }
    FB_TRY(fb_mesh_file_check_count(m->f, "nodes", (double)n, m->is_binary ? 32.0 : 7.0));
    int n_parameters = head[2] != 0 && head[0] > 0 && head[0] <= 3 ? (int)head[0] : 0;
    long* labels = malloc(((size_t)n + 1) * sizeof *labels);
    FbStatus status = labels ? FB_OK : fb_fail_memory(m->f->err);
    for (long i = 0; status == FB_OK && i < n; i++) {
        status = fb_msh_take_long(m, &labels[i]) ? FB_OK : fb_msh_fail_cut(m, "$Nodes");
    }
    for (long i = 0; status == FB_OK && i < n; i++) {
        status = take_reals(m, x, 3 + n_parameters) ? fb_mesh_file_add_node(m->f, labels[i], x)
                                                    : fb_msh_fail_cut(m, "$Nodes");
    }
    free(labels);
    return status;
}

static FbStatus read_nodes_4(FbMsh* m) {
    long head[4];
    for (int i = 0; i < 4; i++) {
        if (!fb_msh_take_long(m, &head[i])) {
            return fb_msh_fail_cut(m, "$Nodes");
        }
    }
    FB_TRY(fb_mesh_file_check_count(m->f, "blocks of nodes", (double)head[0], 7.0));
    FB_TRY(fb_mesh_file_check_count(m->f, "nodes", (double)head[1], 7.0));
    for (long i = 0; i < head[0]; i++) {
        FB_TRY(read_node_block(m));
    }
    return FB_OK;
}

// ---- Sections ----

static FbStatus read_format(FbMsh* m) {
    double version;
    long is_binary, size;
    FbMeshFile* f = m->f;
    if (!fb_mesh_file_real(f, &version) || !fb_mesh_file_integer(f, &is_binary) ||
        !fb_mesh_file_integer(f, &size)) {
        return fb_msh_fail_cut(m, "$MeshFormat");
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

static FbStatus read_section(FbMsh* m, const char* start, const char* stop) {
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
        return m->is_new ? fb_msh_read_elements_4(m) : fb_msh_read_elements_2(m);
    }
    return FB_OK;  // others, and ends
}

static FbStatus read_sections(FbMsh* m) {
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
    FbMsh m = {.f = f};
    FbStatus status = read_sections(&m);
    free(m.names);
    free(m.entities);
    free(m.physicals);
    free(m.twins.slots);
    return status;
}
