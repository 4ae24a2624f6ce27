// Parts of Abaqus's files, and their instances: the lines of a part, read again at each place.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "mesh/mesh_inp.h"

static const int MOST_INSTANCES = 1000;

bool fb_inp_find_instances(FbMeshFile* f) {
    char *start, *stop, *at = f->at;
    int line = f->line;
    bool is_there = false;
    while (!is_there && fb_mesh_file_line(f, &start, &stop)) {
        is_there = start < stop && *start == '*' && fb_inp_is_keyword(start, stop, "*INSTANCE");
    }
    f->at = at;
    f->line = line;
    return is_there;
}

FbVec3 fb_inp_place(const FbInp* p, FbVec3 x) {
    if (p->f->space == 0) {
        return x;
    }
    const FbInpInstance* i = &p->instances[p->f->space - 1];
    return fb_add(i->a, fb_mul3(&i->R, fb_sub(fb_add(x, i->move), i->a)));
}

int fb_inp_find_space(const FbInp* p, const char* instance) {
    for (int i = 0; i < p->n_opened; i++) {
        if (strcasecmp(p->instances[i].name, instance) == 0) {
            return i + 1;
        }
    }
    return -1;
}

static const FbInpPart* find_part(const FbInp* p, const char* name) {
    for (int i = 0; i < p->n_parts; i++) {
        if (strcasecmp(p->parts[i].name, name) == 0) {
            return &p->parts[i];
        }
    }
    return NULL;
}

// Its lines are read where it is placed.
FbStatus fb_inp_read_part(FbInp* p, const char* start, const char* stop) {
    FbMeshFile* f = p->f;
    FbInpPart part = {.start = f->at, .stop = f->at, .line = f->line};
    fb_inp_find_parameter(start, stop, "NAME", part.name, sizeof part.name);
    char *a, *b;
    bool is_closed = false;
    while (!is_closed && fb_mesh_file_line(f, &a, &b)) {
        is_closed = a < b && *a == '*' && fb_inp_is_keyword(a, b, "*END PART");
        part.stop = is_closed ? a : f->at;
    }
    if (!is_closed) {
        return fb_mesh_file_fail(f, FB_ERR_SYNTAX, "part '%s' has no end (*END PART)", part.name);
    }
    if (!p->is_first) {
        return FB_OK;
    }
    if (find_part(p, part.name)) {
        return fb_mesh_file_fail(f, FB_ERR_NAME, "there are two parts '%s'", part.name);
    }
    if (!fb_grow((void**)&p->parts, &p->parts_capacity, p->n_parts, sizeof part)) {
        return fb_fail_memory(f->err);
    }
    p->parts[p->n_parts++] = part;
    return FB_OK;
}

// Up to n numbers in the line at the cursor, unless a keyword is there; how many.
static int read_numbers(FbMeshFile* f, double* out, int n) {
    char *start, *stop, *at = f->at;
    int count = 0, line = f->line;
    if (!fb_mesh_file_line(f, &start, &stop) || start == stop || *start == '*') {
        f->at = at;
        f->line = line;
        return 0;
    }
    char* next = f->at;
    f->at = start;
    while (count < n && f->at < stop && fb_mesh_file_real(f, &out[count])) {
        count++;
    }
    count = f->at < stop ? -1 : count;
    f->at = next;
    f->line = line + 1;
    return count;
}

// A translation, then a rotation by an angle in degrees about the line from a to b.
static FbStatus read_place(FbInp* p, FbInpInstance* out) {
    double move[3] = {0}, turn[7] = {0};
    int n_move = read_numbers(p->f, move, 3), n_turn = n_move > 0 ? read_numbers(p->f, turn, 7) : 0;
    FbVec3 a = fb_vec3_from(turn), axis = fb_sub(fb_vec3_from(turn + 3), a);
    double length = fb_norm(axis), angle = turn[6] * (acos(-1.0) / 180.0);
    bool is_turned = n_turn == 7 && angle != 0.0;
    if (n_move < 0 || (n_turn != 0 && n_turn != 7) || (is_turned && !(length > 0.0))) {
        return fb_mesh_file_fail(p->f, FB_ERR_SYNTAX,
                                 "instance '%s': its place is a line with a translation (x, y, z), "
                                 "then one with two points of an axis and an angle in degrees",
                                 out->name);
    }
    FbVec3 u = is_turned ? fb_scale(1.0 / length, axis) : fb_vec3(0.0, 0.0, 0.0);
    double n[3], R[9], c = is_turned ? cos(angle) : 1.0, s = is_turned ? sin(angle) : 0.0;
    fb_vec3_to(u, n);
    double cross[9] = {0.0, -n[2], n[1], n[2], 0.0, -n[0], -n[1], n[0], 0.0};
    for (int i = 0; i < 9; i++) {
        R[i] = (i % 4 == 0 ? c : 0.0) + (1.0 - c) * n[i / 3] * n[i % 3] + s * cross[i];
    }
    out->R = fb_mat3_from(R);
    out->move = fb_vec3_from(move);
    out->a = a;
    return FB_OK;
}

static FbStatus open_instance(FbInp* p, const char* start, const char* stop) {
    FbInpInstance instance = {.name = ""};
    fb_inp_find_parameter(start, stop, "NAME", instance.name, sizeof instance.name);
    if (p->f->space > 0 || p->n_opened >= MOST_INSTANCES) {
        return fb_mesh_file_fail(p->f, FB_ERR_MODEL,
                                 p->f->space > 0 ? "instance '%s' is within another one"
                                                 : "instance '%s' is one too many; at most 1000 "
                                                   "are read",
                                 instance.name);
    }
    if (fb_inp_find_space(p, instance.name) >= 0) {
        return fb_mesh_file_fail(p->f, FB_ERR_NAME, "there are two instances '%s'", instance.name);
    }
    FB_TRY(read_place(p, &instance));
    p->f->space = ++p->n_opened;
    if (!p->is_first) {
        return FB_OK;
    }
    if (!fb_grow((void**)&p->instances, &p->instances_capacity, p->n_instances, sizeof instance)) {
        return fb_fail_memory(p->f->err);
    }
    p->instances[p->n_instances++] = instance;
    return FB_OK;
}

// The lines of its part; nodes and elements of its own may follow, up to *END INSTANCE.
FbStatus fb_inp_read_instance(FbInp* p, const char* start, const char* stop) {
    FbMeshFile* f = p->f;
    char name[FB_INP_NAME] = "";
    fb_inp_find_parameter(start, stop, "PART", name, sizeof name);
    const FbInpPart* part = find_part(p, name);
    if (!part) {
        return fb_mesh_file_fail(f, FB_ERR_NAME, "there is no part '%s' before this line", name);
    }
    FB_TRY(open_instance(p, start, stop));
    char *at = f->at, *end = part->stop;
    int line = f->line;
    f->at = part->start;
    f->line = part->line;
    FB_TRY(fb_inp_read_lines(p, end));
    f->at = at;
    f->line = line;
    p->section = FB_INP_OTHER;
    return FB_OK;
}

// The first number of each space, less one: the instances in their order, then the rest.
static void find_starts(const FbInp* p, const FbMeshLabel* labels, int n, int64_t* starts) {
    for (int i = 0; i < n; i++) {
        int space = fb_mesh_label_space(&labels[i]);
        int64_t number = fb_mesh_label_number(&labels[i]);
        starts[space] = number > starts[space] ? number : starts[space];
    }
    int64_t sum = 0;
    for (int k = 1; k <= p->n_instances + 1; k++) {
        int64_t* start = &starts[k <= p->n_instances ? k : 0];
        int64_t own = *start;
        *start = sum;
        sum += own;
    }
}

FbStatus fb_inp_renumber(FbInp* p) {
    FbMesh* mesh = p->f->mesh;
    int64_t* starts = calloc(2 * ((size_t)p->n_instances + 1), sizeof *starts);
    if (!starts) {
        return fb_fail_memory(p->f->err);
    }
    int64_t* of_elements = starts + p->n_instances + 1;
    find_starts(p, p->f->labels, p->f->n_labels, starts);
    find_starts(p, p->elements, p->n_elements, of_elements);
    bool fits = true;
    for (int i = 0; i < p->f->n_labels; i++) {
        int64_t start = starts[fb_mesh_label_space(&p->f->labels[i])];
        int* label = &mesh->labels[p->f->labels[i].index];
        fits &= *label + start <= INT_MAX;
        *label += fits ? (int)start : 0;
    }
    for (int i = 0; i < p->n_elements; i++) {
        int64_t start = of_elements[fb_mesh_label_space(&p->elements[i])];
        int* label = &mesh->elements[p->elements[i].index].label;
        fits &= *label + start <= INT_MAX;
        *label += fits ? (int)start : 0;
    }
    free(starts);
    return fits ? FB_OK
                : fb_mesh_file_fail(p->f, FB_ERR_RANGE,
                                    "the instances have numbers of nodes or elements that add up "
                                    "to more than %d; number them from 1",
                                    INT_MAX);
}
