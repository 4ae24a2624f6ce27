// Meshes of Abaqus and CalculiX: *NODE, *ELEMENT, *NSET and *ELSET; everything else is skipped.
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "fem/shell.h"
#include "fem/solid.h"
#include "mesh/mesh_file.h"

typedef struct Kind {
    const char* prefix;  // the longest one that fits decides: C3D10M is a C3D10
    int dimension, n_nodes;
    const FbElementType* type;
} Kind;

static const Kind kinds[] = {
    {"C3D4", 3, 4, &fb_element_tet4},
    {"C3D10", 3, 10, &fb_element_tet10},
    {"C3D8", 3, 8, &fb_element_hex8},
    {"C3D20", 3, 20, &fb_element_hex20},
    {"C3D6", 3, 6, &fb_element_wedge6},
    {"C3D15", 3, 15, &fb_element_wedge15},
    {"S3", 2, 3, &fb_element_tri3},
    {"STRI3", 2, 3, &fb_element_tri3},
    {"S4", 2, 4, &fb_element_quad4},
    {"S6", 2, 6, NULL},
    {"STRI65", 2, 6, NULL},
    {"S8", 2, 8, NULL},
    {"CPS3", 2, 3, NULL},
    {"CPS4", 2, 4, NULL},
    {"CPS6", 2, 6, NULL},
    {"CPS8", 2, 8, NULL},
    {"M3D3", 2, 3, NULL},
    {"M3D4", 2, 4, NULL},
    {"T3D2", 1, 2, NULL},
    {"B31", 1, 2, NULL},
    {"B32", 1, 3, NULL},
    {"T3D3", 1, 3, NULL},
};

typedef enum Section { OTHER, NODES, ELEMENTS, NODE_SET, ELEMENT_SET } Section;

typedef struct Inp {
    FbMeshFile* f;
    FbMeshLabel* elements;  // by their numbers, in the order of the file
    int n_elements, elements_capacity;
    bool is_sorted;
    // The keyword of the lines that follow
    Section section;
    const Kind* kind;
    int group;  // -1: none
    bool is_generated;
} Inp;

// ---- Keywords ----

// The value of a parameter of a keyword line, "" for one without a value; false: not there.
static bool find_parameter(const char* start, const char* stop, const char* name, char* out,
                           size_t size) {
    size_t n = strlen(name);
    for (const char* c = start; c < stop; c++) {
        if (*c != ',') {
            continue;
        }
        const char* p = c + 1;
        while (p < stop && isspace((unsigned char)*p)) {
            p++;
        }
        if ((size_t)(stop - p) < n || strncasecmp(p, name, n) != 0) {
            continue;
        }
        const char* q = p + n;
        while (q < stop && isspace((unsigned char)*q)) {
            q++;
        }
        if (q < stop && *q != '=' && *q != ',') {
            continue;
        }
        q += q < stop && *q == '=';
        while (q < stop && isspace((unsigned char)*q)) {
            q++;
        }
        const char* end = memchr(q, ',', (size_t)(stop - q));
        end = end ? end : stop;
        while (end > q && isspace((unsigned char)end[-1])) {
            end--;
        }
        snprintf(out, size, "%.*s", (int)((size_t)(end - q) < size ? (size_t)(end - q) : size - 1),
                 q);
        return true;
    }
    return false;
}

static bool is_keyword(const char* start, const char* stop, const char* name) {
    size_t n = strlen(name);
    const char* end = memchr(start, ',', (size_t)(stop - start));
    end = end ? end : stop;
    while (end > start && isspace((unsigned char)end[-1])) {
        end--;
    }
    return (size_t)(end - start) == n && strncasecmp(start, name, n) == 0;
}

static FbStatus find_kind(Inp* p, const char* name) {
    size_t longest = 0;
    p->kind = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t n = strlen(kinds[i].prefix);
        // A digit after the prefix makes it another type: C3D20 is no C3D2.
        if (strncasecmp(name, kinds[i].prefix, n) == 0 && !isdigit((unsigned char)name[n]) &&
            n > longest) {
            p->kind = &kinds[i];
            longest = n;
        }
    }
    return p->kind ? FB_OK
                   : fb_mesh_file_fail(p->f, FB_ERR_MODEL,
                                       "elements of type '%s' are not supported (solids may be "
                                       "C3D4, C3D10, C3D8, C3D20, C3D6, C3D15; shells S3 and S4)",
                                       name);
}

static FbStatus open_group(Inp* p, const char* start, const char* stop, const char* key) {
    char name[200];
    p->group = -1;
    if (!find_parameter(start, stop, key, name, sizeof name) || !name[0]) {
        return FB_OK;
    }
    p->group = fb_mesh_add_group(p->f->mesh, name);
    return p->group >= 0 ? FB_OK : fb_fail_memory(p->f->err);
}

static FbStatus read_keyword(Inp* p, const char* start, const char* stop) {
    char text[200];
    p->section = OTHER;
    if (is_keyword(start, stop, "*INCLUDE") || is_keyword(start, stop, "*INSTANCE")) {
        return fb_mesh_file_fail(p->f, FB_ERR_MODEL,
                                 "%.*s is not supported; write the whole mesh into one file "
                                 "without parts and instances",
                                 (int)(stop - start < 60 ? stop - start : 60), start);
    }
    if (is_keyword(start, stop, "*NODE")) {
        p->section = NODES;
        return open_group(p, start, stop, "NSET");
    }
    if (is_keyword(start, stop, "*ELEMENT")) {
        p->section = ELEMENTS;
        FB_TRY(open_group(p, start, stop, "ELSET"));
        if (!find_parameter(start, stop, "TYPE", text, sizeof text)) {
            return fb_mesh_file_fail(p->f, FB_ERR_SYNTAX, "*ELEMENT needs TYPE=...");
        }
        return find_kind(p, text);
    }
    bool is_nodes = is_keyword(start, stop, "*NSET"), is_set = is_keyword(start, stop, "*ELSET");
    if (is_nodes || is_set) {
        p->section = is_nodes ? NODE_SET : ELEMENT_SET;
        p->is_generated = find_parameter(start, stop, "GENERATE", text, sizeof text);
        FB_TRY(open_group(p, start, stop, is_nodes ? "NSET" : "ELSET"));
        if (p->group < 0) {
            return fb_mesh_file_fail(p->f, FB_ERR_SYNTAX, "%s needs a name",
                                     is_nodes ? "*NSET" : "*ELSET");
        }
    }
    return FB_OK;
}

// ---- Data lines ----

static FbStatus read_node(Inp* p) {
    FbMeshFile* f = p->f;
    long label;
    double x[3] = {0};
    char* line_end = memchr(f->at, '\n', (size_t)(f->end - f->at));
    if (!fb_mesh_file_integer(f, &label)) {
        return fb_mesh_file_fail(f, FB_ERR_SYNTAX, "a node is expected here: number, x, y, z");
    }
    // Omitted coordinates are zero.
    for (int d = 0; d < 3; d++) {
        char* c = f->at;
        while (c < f->end && (*c == ',' || *c == ' ' || *c == '\t' || *c == '\r')) {
            c++;
        }
        bool has_more = c < f->end && *c != '\n' && (!line_end || c < line_end);
        if (has_more && !fb_mesh_file_real(f, &x[d])) {
            return fb_mesh_file_fail(f, FB_ERR_SYNTAX, "node %ld: its coordinates are not numbers",
                                     label);
        }
    }
    FB_TRY(fb_mesh_file_add_node(f, label, x));
    if (p->group >= 0 && !fb_mesh_group_add_node(f->mesh, p->group, f->mesh->n_points - 1)) {
        return fb_fail_memory(f->err);
    }
    return FB_OK;
}

static FbStatus read_element(Inp* p) {
    FbMeshFile* f = p->f;
    long label, node;
    int nodes[20];
    if (!fb_mesh_file_integer(f, &label) || label < 1 || label > INT_MAX) {
        return fb_mesh_file_fail(f, FB_ERR_SYNTAX, "an element is expected here: number, nodes");
    }
    for (int i = 0; i < p->kind->n_nodes; i++) {
        if (!fb_mesh_file_integer(f, &node)) {
            return fb_mesh_file_fail(f, FB_ERR_SYNTAX, "element %ld of type %s needs %d nodes",
                                     label, p->kind->prefix, p->kind->n_nodes);
        }
        nodes[i] = fb_mesh_file_find_node(f, node);
        if (nodes[i] < 0) {
            return fb_mesh_file_fail(
                f, FB_ERR_MODEL, "element %ld has node %ld, which is not in the file", label, node);
        }
    }
    int e = fb_mesh_add_element(f->mesh, p->kind->type, p->kind->dimension, nodes, p->kind->n_nodes,
                                (int)label);
    if (e < 0 ||
        !fb_grow((void**)&p->elements, &p->elements_capacity, p->n_elements, sizeof *p->elements)) {
        return fb_fail_memory(f->err);
    }
    p->elements[p->n_elements++] = (FbMeshLabel){label, e};
    p->is_sorted = false;
    if (p->group >= 0 && !fb_mesh_group_add_element(f->mesh, p->group, e)) {
        return fb_fail_memory(f->err);
    }
    return FB_OK;
}

static int compare(const void* a, const void* b) {
    long x = ((const FbMeshLabel*)a)->label, y = ((const FbMeshLabel*)b)->label;
    return (x > y) - (x < y);
}

static int find_element(Inp* p, long label) {
    FbMeshLabel key = {label, 0};
    if (p->n_elements == 0) {
        return -1;
    }
    if (!p->is_sorted) {
        qsort(p->elements, (size_t)p->n_elements, sizeof *p->elements, compare);
        p->is_sorted = true;
    }
    const FbMeshLabel* found =
        bsearch(&key, p->elements, (size_t)p->n_elements, sizeof *p->elements, compare);
    return found ? found->index : -1;
}

static FbStatus add_to_set(Inp* p, long label, bool is_needed) {
    FbMeshFile* f = p->f;
    bool is_node = p->section == NODE_SET;
    int index = is_node ? fb_mesh_file_find_node(f, label) : find_element(p, label);
    if (index < 0 && is_needed) {
        return fb_mesh_file_fail(f, FB_ERR_MODEL, "set '%s' has %s %ld, which is not in the file",
                                 f->mesh->groups[p->group].name, is_node ? "node" : "element",
                                 label);
    }
    bool is_kept = index < 0 || (is_node ? fb_mesh_group_add_node(f->mesh, p->group, index)
                                         : fb_mesh_group_add_element(f->mesh, p->group, index));
    return is_kept ? FB_OK : fb_fail_memory(f->err);
}

static const long MOST_MEMBERS = 10000000;  // of a set

static FbStatus copy_set(Inp* p, const char* start, const char* stop) {
    char name[200];
    FbMesh* mesh = p->f->mesh;
    snprintf(name, sizeof name, "%.*s", (int)(stop - start < 199 ? stop - start : 199), start);
    int from = fb_mesh_find_group(mesh, name);
    if (from < 0) {
        return fb_mesh_file_fail(p->f, FB_ERR_NAME, "there is no set '%s' before this line", name);
    }
    if (from == p->group) {
        return fb_mesh_file_fail(p->f, FB_ERR_MODEL, "set '%s' cannot contain itself", name);
    }
    // Sets of sets, each named many times, grow without any bound.
    const FbMeshGroup *old = &mesh->groups[from], *set = &mesh->groups[p->group];
    if ((long)old->n_nodes + set->n_nodes > MOST_MEMBERS ||
        (long)old->n_elements + set->n_elements > MOST_MEMBERS) {
        return fb_mesh_file_fail(p->f, FB_ERR_RANGE, "set '%s' has more than %ld members",
                                 set->name, MOST_MEMBERS);
    }
    for (int i = 0; p->section == NODE_SET && i < mesh->groups[from].n_nodes; i++) {
        if (!fb_mesh_group_add_node(mesh, p->group, mesh->groups[from].nodes[i])) {
            return fb_fail_memory(p->f->err);
        }
    }
    for (int i = 0; p->section == ELEMENT_SET && i < mesh->groups[from].n_elements; i++) {
        if (!fb_mesh_group_add_element(mesh, p->group, mesh->groups[from].elements[i])) {
            return fb_fail_memory(p->f->err);
        }
    }
    return FB_OK;
}

static FbStatus read_generated(Inp* p) {
    long from, to, by = 1;
    FbMeshFile* f = p->f;
    char* line_end = memchr(f->at, '\n', (size_t)(f->end - f->at));
    if (!fb_mesh_file_integer(f, &from) || !fb_mesh_file_integer(f, &to)) {
        return fb_mesh_file_fail(f, FB_ERR_SYNTAX, "GENERATE needs: first, last, step");
    }
    char* c = f->at;
    while (c < f->end && (*c == ',' || *c == ' ' || *c == '\t')) {
        c++;
    }
    bool has_step = c < f->end && *c != '\r' && *c != '\n' && (!line_end || c < line_end);
    if (has_step && !fb_mesh_file_integer(f, &by)) {
        return fb_mesh_file_fail(f, FB_ERR_SYNTAX, "GENERATE needs: first, last, step");
    }
    if (from < 1 || to < from || to > INT_MAX || by < 1 || by > INT_MAX) {  // no sum overflows
        return fb_mesh_file_fail(f, FB_ERR_SYNTAX,
                                 "GENERATE from %ld to %ld by %ld: numbers must be from "
                                 "1 to %d, the last not below the first, and the step at least 1",
                                 from, to, by, INT_MAX);
    }
    FB_TRY(fb_mesh_file_check_count(f, "members of a set", (double)(to - from) / (double)by, 0.0));
    for (long label = from; label <= to; label += by) {
        FB_TRY(add_to_set(p, label, false));
    }
    return FB_OK;
}

// Numbers, and names of sets that came before.
static FbStatus read_members(Inp* p, char* start, char* stop) {
    for (char* c = start; c < stop;) {
        char* comma = memchr(c, ',', (size_t)(stop - c));
        char *end = comma ? comma : stop, *next = comma ? comma + 1 : stop, *number_end;
        while (c < end && isspace((unsigned char)*c)) {
            c++;
        }
        while (end > c && isspace((unsigned char)end[-1])) {
            end--;
        }
        long label = strtol(c, &number_end, 10);
        if (number_end == end && end > c) {
            FB_TRY(add_to_set(p, label, true));
        } else if (end > c) {
            FB_TRY(copy_set(p, c, end));
        }
        c = next;
    }
    return FB_OK;
}

// ---- The file, once for the nodes and once for all else ----

static FbStatus read_data(Inp* p, char* start, char* stop, bool is_first) {
    FbMeshFile* f = p->f;
    bool is_wanted = is_first == (p->section == NODES);
    if (!is_wanted || p->section == OTHER) {
        return FB_OK;
    }
    if (p->section == NODE_SET || p->section == ELEMENT_SET) {
        if (!p->is_generated) {
            return read_members(p, start, stop);
        }
    }
    f->at = start;  // numbers may continue in the next line
    FB_TRY(p->section == NODES      ? read_node(p)
           : p->section == ELEMENTS ? read_element(p)
                                    : read_generated(p));
    char *rest, *rest_stop;
    f->line -= fb_mesh_file_line(f, &rest, &rest_stop);
    return FB_OK;
}

static FbStatus read_pass(Inp* p, bool is_first) {
    FbMeshFile* f = p->f;
    char *start, *stop;
    f->at = f->text;
    f->line = 0;
    p->section = OTHER;
    while (fb_mesh_file_line(f, &start, &stop)) {
        if (start == stop || (stop - start >= 2 && start[0] == '*' && start[1] == '*')) {
            continue;
        }
        if (*start == '*') {
            FB_TRY(read_keyword(p, start, stop));
        } else {
            FB_TRY(read_data(p, start, stop, is_first));
        }
    }
    return FB_OK;
}

FbStatus fb_mesh_read_inp(FbMeshFile* f) {
    Inp p = {.f = f, .group = -1};
    FbStatus status = read_pass(&p, true);
    if (status == FB_OK) {
        status = fb_mesh_file_sort_nodes(f);
    }
    if (status == FB_OK) {
        status = read_pass(&p, false);
    }
    free(p.elements);
    return status;
}
