// Meshes of Abaqus and CalculiX: nodes, elements and sets, in parts and instances or without;
// everything else is skipped.
#include "mesh/mesh_inp.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

// Nodes or elements: instances could multiply them.
static FbStatus check_count(FbInp* p, int n, const char* what) {
    return n < p->f->most_items
               ? FB_OK
               : fb_mesh_file_fail(p->f, FB_ERR_RANGE,
                                   "the mesh has more than %.10g %s; at most so many are "
                                   "read",
                                   p->f->most_items, what);
}

// Is something left in this line?
static bool has_more(const FbMeshFile* f, const char* line_end) {
    const char *c = f->at, *end = line_end ? line_end : f->end;
    while (c < end && (*c == ',' || *c == ' ' || *c == '\t' || *c == '\r')) {
        c++;
    }
    return c < end;
}

static FbStatus read_node(FbInp* p) {
    FbMeshFile* f = p->f;
    long label;
    double x[3] = {0};
    char* line_end = memchr(f->at, '\n', (size_t)(f->end - f->at));
    if (!fb_mesh_file_integer(f, &label)) {
        return fb_mesh_file_fail(f, FB_ERR_SYNTAX, "a node is expected here: number, x, y, z");
    }
    // Omitted coordinates are zero.
    for (int d = 0; d < 3; d++) {
        if (has_more(f, line_end) && !fb_mesh_file_real(f, &x[d])) {
            return fb_mesh_file_fail(f, FB_ERR_SYNTAX, "node %ld: its coordinates are not numbers",
                                     label);
        }
    }
    fb_vec3_to(fb_inp_place(p, fb_vec3_from(x)), x);
    FB_TRY(check_count(p, f->mesh->n_points, "nodes"));
    FB_TRY(fb_mesh_file_add_node(f, label, x));
    if (p->group >= 0 && !fb_mesh_group_add_node(f->mesh, p->group, f->mesh->n_points - 1)) {
        return fb_fail_memory(f->err);
    }
    return FB_OK;
}

// The nodes of elements with up to eight fit into one line; longer lists go on in the next.
static FbStatus read_element_nodes(FbInp* p, long label, const char* line_end, int* nodes) {
    FbMeshFile* f = p->f;
    const char* end = line_end ? line_end : f->end;
    while (end > f->at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) {
        end--;
    }
    bool goes_on = p->kind->n_nodes > 8 || (end > f->at && end[-1] == ',');
    for (int i = 0; i < p->kind->n_nodes; i++) {
        long node;
        if ((!goes_on && !has_more(f, line_end)) || !fb_mesh_file_integer(f, &node)) {
            return fb_mesh_file_fail(f, FB_ERR_SYNTAX, "element %ld of type %s needs %d nodes",
                                     label, p->kind->prefix, p->kind->n_nodes);
        }
        nodes[i] = fb_mesh_file_find_node(f, node);
        if (nodes[i] < 0) {
            return fb_mesh_file_fail(
                f, FB_ERR_MODEL, "element %ld has node %ld, which is not in the file", label, node);
        }
    }
    line_end = memchr(f->at, '\n', (size_t)(f->end - f->at));
    // Beams may have a node that only shows a direction.
    return p->kind->dimension > 1 && has_more(f, line_end)
               ? fb_mesh_file_fail(f, FB_ERR_SYNTAX,
                                   "element %ld of type %s has more than %d nodes", label,
                                   p->kind->prefix, p->kind->n_nodes)
               : FB_OK;
}

static FbStatus read_element(FbInp* p) {
    FbMeshFile* f = p->f;
    long label;
    int nodes[20];
    const char* line_end = memchr(f->at, '\n', (size_t)(f->end - f->at));
    if (!fb_mesh_file_integer(f, &label) || label < 1 || label > INT_MAX) {
        return fb_mesh_file_fail(f, FB_ERR_SYNTAX, "an element is expected here: number, nodes");
    }
    FB_TRY(read_element_nodes(p, label, line_end, nodes));
    FB_TRY(check_count(p, f->mesh->n_elements, "elements"));
    int e = fb_mesh_add_element(f->mesh, p->kind->type, p->kind->dimension, nodes, p->kind->n_nodes,
                                (int)label);
    if (e < 0) {
        return fb_fail_memory(f->err);
    }
    FB_TRY(fb_inp_add_element(p, label, e));
    if (p->group >= 0 && !fb_mesh_group_add_element(f->mesh, p->group, e)) {
        return fb_fail_memory(f->err);
    }
    return FB_OK;
}

// ---- The file, once for the nodes and once for all else ----

static FbStatus read_data(FbInp* p, char* start, char* stop) {
    FbMeshFile* f = p->f;
    bool is_wanted = p->is_first == (p->section == FB_INP_NODES);
    if (p->section == FB_INP_SYSTEM) {
        return fb_mesh_file_fail(f, FB_ERR_MODEL,
                                 "*SYSTEM with axes is not supported; write nodes in the axes of "
                                 "the mesh");
    }
    if (!is_wanted || p->section == FB_INP_OTHER) {
        return FB_OK;
    }
    bool is_set = p->section == FB_INP_NODE_SET || p->section == FB_INP_ELEMENT_SET;
    if (is_set && !p->is_generated) {
        return fb_inp_read_members(p, start, stop);
    }
    f->at = start;  // numbers may continue in the next line
    FB_TRY(p->section == FB_INP_NODES      ? read_node(p)
           : p->section == FB_INP_ELEMENTS ? read_element(p)
                                           : fb_inp_read_generated(p));
    char *rest, *rest_stop;
    f->line -= fb_mesh_file_line(f, &rest, &rest_stop);
    return FB_OK;
}

// A keyword that ends with a comma goes on in the next line, if that has parameters.
static void extend_keyword(FbMeshFile* f, char** stop) {
    char *a, *b;
    while ((*stop)[-1] == ',') {
        char* at = f->at;
        int line = f->line;
        bool is_more =
            fb_mesh_file_line(f, &a, &b) && a < b && *a != '*' &&
            (memchr(a, '=', (size_t)(b - a)) || (b - a == 8 && strncasecmp(a, "GENERATE", 8) == 0));
        if (!is_more) {
            f->at = at;
            f->line = line;
            return;
        }
        *stop = b;
    }
}

static FbStatus read_keyword(FbInp* p, char* start, char* stop) {
    extend_keyword(p->f, &stop);
    if (p->has_instances) {
        p->section = FB_INP_OTHER;
        if (fb_inp_is_keyword(start, stop, "*PART")) {
            return fb_inp_read_part(p, start, stop);
        }
        if (fb_inp_is_keyword(start, stop, "*INSTANCE")) {
            return fb_inp_read_instance(p, start, stop);
        }
        if (fb_inp_is_keyword(start, stop, "*END INSTANCE")) {
            p->f->space = 0;
            return FB_OK;
        }
    }
    return fb_inp_read_keyword(p, start, stop);
}

FbStatus fb_inp_read_lines(FbInp* p, char* stop_at) {
    FbMeshFile* f = p->f;
    char *start, *stop;
    p->section = FB_INP_OTHER;
    while (f->at < stop_at && fb_mesh_file_line(f, &start, &stop)) {
        if (start == stop || (stop - start >= 2 && start[0] == '*' && start[1] == '*')) {
            continue;
        }
        if (*start == '*') {
            FB_TRY(read_keyword(p, start, stop));
        } else {
            FB_TRY(read_data(p, start, stop));
        }
    }
    return FB_OK;
}

static FbStatus read_pass(FbInp* p, bool is_first) {
    FbMeshFile* f = p->f;
    f->at = f->text;
    f->line = 0;
    f->space = 0;
    p->is_first = is_first;
    p->n_opened = 0;
    return fb_inp_read_lines(p, f->end);
}

static FbStatus read_all(FbInp* p) {
    FbMeshFile* f = p->f;
    f->mesh->ignores_case = true;
    p->has_instances = fb_inp_find_instances(f);
    FB_TRY(read_pass(p, true));
    FB_TRY(fb_mesh_file_sort_nodes(f));
    FB_TRY(read_pass(p, false));
    FB_TRY(fb_inp_check_elements(p));
    return fb_inp_renumber(p);
}

FbStatus fb_mesh_read_inp(FbMeshFile* f) {
    FbInp p = {.f = f, .group = -1};
    FbStatus status = read_all(&p);
    free(p.elements);
    free(p.parts);
    free(p.instances);
    return status;
}
