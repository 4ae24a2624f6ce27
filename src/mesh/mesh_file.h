// What the readers of mesh files share: the file in memory, numbers, labels of nodes.
#ifndef FLYBALL_MESH_MESH_FILE_H
#define FLYBALL_MESH_MESH_FILE_H

#include <stdint.h>

#include "mesh/mesh.h"

// A number of the file, and where it is in the mesh. Each instance of a part numbers its nodes and
// elements in a space of its own; 0 is that of the file.
typedef struct FbMeshLabel {
    int64_t label;  // the space, then the number in the lower half
    int index;
} FbMeshLabel;

static inline FbMeshLabel fb_mesh_label(int space, long number, int index) {
    return (FbMeshLabel){(int64_t)space << 32 | (int64_t)number, index};
}

static inline int fb_mesh_label_space(const FbMeshLabel* l) {
    return (int)(l->label >> 32);
}

static inline long fb_mesh_label_number(const FbMeshLabel* l) {
    return (long)(l->label & UINT32_MAX);
}

typedef struct FbMeshFile {
    const char* path;
    char *text, *end;  // the whole file, terminated
    char* at;
    int line;
    double unit;        // m
    double most_items;  // nodes or elements
    FbMesh* mesh;
    FbMeshLabel* labels;  // of nodes, sorted once all are there
    int n_labels, labels_capacity;
    int space;  // of the numbers that are read now
    FbError* err;
} FbMeshFile;

FbStatus fb_mesh_file_fail(FbMeshFile* f, FbStatus status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// Text: numbers are separated by spaces, commas and ends of lines.
bool fb_mesh_file_integer(FbMeshFile* f, long* out);
bool fb_mesh_file_real(FbMeshFile* f, double* out);
// The rest of the line, without spaces at its ends; false at the end of the file.
bool fb_mesh_file_line(FbMeshFile* f, char** start, char** stop);

// Can the rest of the file hold n items of at least `bytes` each? Else the count is a lie.
FbStatus fb_mesh_file_check_count(FbMeshFile* f, const char* what, double n, double bytes);

// Adds a node in the file's units.
FbStatus fb_mesh_file_add_node(FbMeshFile* f, long label, const double x[3]);
FbStatus fb_mesh_file_sort_nodes(FbMeshFile* f);              // fails where a label is there twice
int fb_mesh_file_find_node(const FbMeshFile* f, long label);  // -1: none

FbStatus fb_mesh_read_msh(FbMeshFile* f);
FbStatus fb_mesh_read_inp(FbMeshFile* f);

#endif
