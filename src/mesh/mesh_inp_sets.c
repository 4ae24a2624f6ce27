// Sets of nodes and elements in Abaqus's files.
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mesh/mesh_inp.h"

static int compare(const void* a, const void* b) {
    int64_t x = ((const FbMeshLabel*)a)->label, y = ((const FbMeshLabel*)b)->label;
    return (x > y) - (x < y);
}

FbStatus fb_inp_add_element(FbInp* p, long label, int element) {
    if (!fb_grow((void**)&p->elements, &p->elements_capacity, p->n_elements, sizeof *p->elements)) {
        return fb_fail_memory(p->f->err);
    }
    p->elements[p->n_elements++] = fb_mesh_label(p->f->space, label, element);
    p->is_sorted = false;
    return FB_OK;
}

static void sort_elements(FbInp* p) {
    if (!p->is_sorted && p->n_elements > 0) {
        qsort(p->elements, (size_t)p->n_elements, sizeof *p->elements, compare);
        p->is_sorted = true;
    }
}

FbStatus fb_inp_check_elements(FbInp* p) {
    sort_elements(p);
    for (int i = 1; i < p->n_elements; i++) {
        if (p->elements[i].label == p->elements[i - 1].label) {
            return fb_mesh_file_fail(p->f, FB_ERR_MODEL,
                                     "the mesh has two elements with the number %ld",
                                     fb_mesh_label_number(&p->elements[i]));
        }
    }
    return FB_OK;
}

static int find_element(FbInp* p, long label) {
    FbMeshLabel key = fb_mesh_label(p->space, label, 0);
    if (p->n_elements == 0 || label < 1 || label > INT_MAX) {
        return -1;
    }
    sort_elements(p);
    const FbMeshLabel* found =
        bsearch(&key, p->elements, (size_t)p->n_elements, sizeof *p->elements, compare);
    return found ? found->index : -1;
}

static int find_node(FbInp* p, long label) {
    int space = p->f->space;
    p->f->space = p->space;
    int found = fb_mesh_file_find_node(p->f, label);
    p->f->space = space;
    return found;
}

static FbStatus add_to_set(FbInp* p, long label, bool is_needed) {
    FbMeshFile* f = p->f;
    bool is_node = p->section == FB_INP_NODE_SET;
    int index = is_node ? find_node(p, label) : find_element(p, label);
    if (index < 0 && is_needed) {
        return fb_mesh_file_fail(f, FB_ERR_MODEL, "set '%s' has %s %ld, which is not in the file",
                                 f->mesh->groups[p->group].name, is_node ? "node" : "element",
                                 label);
    }
    bool is_kept = index < 0 || (is_node ? fb_mesh_group_add_node(f->mesh, p->group, index)
                                         : fb_mesh_group_add_element(f->mesh, p->group, index));
    return is_kept ? FB_OK : fb_fail_memory(f->err);
}

// A set of the instance whose members are read, or one of the whole file; -1: none.
static int find_set(const FbInp* p, const char* name) {
    char full[2 * FB_INP_NAME];
    int found = -1;
    if (p->space > 0) {
        snprintf(full, sizeof full, "%s.%s", p->instances[p->space - 1].name, name);
        found = fb_mesh_find_group(p->f->mesh, full);
    }
    return found >= 0 ? found : fb_mesh_find_group(p->f->mesh, name);
}

static FbStatus need_set(FbInp* p, const char* name, int* out) {
    *out = find_set(p, name);
    return *out >= 0 ? FB_OK
                     : fb_mesh_file_fail(p->f, FB_ERR_NAME, "there is no set '%s' before this line",
                                         name);
}

static FbStatus check_members(FbInp* p, double more) {
    const FbMeshGroup* set = &p->f->mesh->groups[p->group];
    if (set->n_nodes + more > p->f->most_items || set->n_elements + more > p->f->most_items) {
        return fb_mesh_file_fail(p->f, FB_ERR_RANGE, "set '%s' has more than %.10g members",
                                 set->name, p->f->most_items);
    }
    return FB_OK;
}

static FbStatus copy_set(FbInp* p, const char* name) {
    FbMesh* mesh = p->f->mesh;
    int from;
    FB_TRY(need_set(p, name, &from));
    if (from == p->group) {
        return fb_mesh_file_fail(p->f, FB_ERR_MODEL, "set '%s' cannot contain itself", name);
    }
    // Sets of sets, each named many times, grow without any bound.
    FB_TRY(check_members(p, fmax(mesh->groups[from].n_nodes, mesh->groups[from].n_elements)));
    for (int i = 0; p->section == FB_INP_NODE_SET && i < mesh->groups[from].n_nodes; i++) {
        if (!fb_mesh_group_add_node(mesh, p->group, mesh->groups[from].nodes[i])) {
            return fb_fail_memory(p->f->err);
        }
    }
    for (int i = 0; p->section == FB_INP_ELEMENT_SET && i < mesh->groups[from].n_elements; i++) {
        if (!fb_mesh_group_add_element(mesh, p->group, mesh->groups[from].elements[i])) {
            return fb_fail_memory(p->f->err);
        }
    }
    return FB_OK;
}

FbStatus fb_inp_add_nodes_of(FbInp* p, const char* set) {
    FbMesh* mesh = p->f->mesh;
    int from;
    FB_TRY(need_set(p, set, &from));
    for (int i = 0; i < mesh->groups[from].n_elements; i++) {
        const FbMeshElement* e = &mesh->elements[mesh->groups[from].elements[i]];
        FB_TRY(check_members(p, e->n_nodes));
        for (int k = 0; k < e->n_nodes; k++) {
            if (!fb_mesh_group_add_node(mesh, p->group, mesh->nodes[e->first + k])) {
                return fb_fail_memory(p->f->err);
            }
        }
    }
    return FB_OK;
}

FbStatus fb_inp_read_generated(FbInp* p) {
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

// A number, "instance.number", or the name of a set that came before.
static FbStatus read_member(FbInp* p, const char* text) {
    char instance[FB_INP_NAME], *end;
    long label = strtol(text, &end, 10);
    if (*end == '\0') {
        return add_to_set(p, label, true);
    }
    const char* dot = strrchr(text, '.');
    int space = -1;
    if (dot && isdigit((unsigned char)dot[1])) {
        snprintf(instance, sizeof instance, "%.*s", (int)(dot - text), text);
        space = fb_inp_find_space(p, instance);
        label = strtol(dot + 1, &end, 10);
    }
    if (space < 0 || *end != '\0') {
        return copy_set(p, text);
    }
    int own = p->space;
    p->space = space;
    FbStatus status = add_to_set(p, label, true);
    p->space = own;
    return status;
}

FbStatus fb_inp_read_members(FbInp* p, char* start, char* stop) {
    for (char* c = start; c < stop;) {
        char* comma = memchr(c, ',', (size_t)(stop - c));
        char *end = comma ? comma : stop, *next = comma ? comma + 1 : stop;
        char text[FB_INP_NAME];
        while (c < end && (isspace((unsigned char)*c) || *c == '"')) {
            c++;
        }
        while (end > c && (isspace((unsigned char)end[-1]) || end[-1] == '"')) {
            end--;
        }
        int n = (int)(end - c < FB_INP_NAME - 1 ? end - c : FB_INP_NAME - 1);
        snprintf(text, sizeof text, "%.*s", n, c);
        if (n > 0) {
            FB_TRY(read_member(p, text));
        }
        c = next;
    }
    return FB_OK;
}
