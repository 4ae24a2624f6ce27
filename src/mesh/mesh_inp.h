// What the readers of Abaqus's files share: keywords, sets, parts and their instances.
#ifndef FLYBALL_MESH_MESH_INP_H
#define FLYBALL_MESH_MESH_INP_H

#include "mesh/mesh_file.h"

enum { FB_INP_NAME = 200 };  // longest name, with its end

typedef struct FbInpKind {
    const char* prefix;  // the longest one that fits decides: C3D10M is a C3D10
    int dimension, n_nodes;
    const FbElementType* type;
} FbInpKind;

typedef enum FbInpSection {
    FB_INP_OTHER,
    FB_INP_NODES,
    FB_INP_ELEMENTS,
    FB_INP_NODE_SET,
    FB_INP_ELEMENT_SET,
    FB_INP_SYSTEM
} FbInpSection;

typedef struct FbInpPart {
    char name[FB_INP_NAME];
    char *start, *stop;  // its lines
    int line;
} FbInpPart;

// A part at its place: x' = a + R (x + move - a).
typedef struct FbInpInstance {
    char name[FB_INP_NAME];
    FbVec3 move, a;
    FbMat3 R;
} FbInpInstance;

typedef struct FbInp {
    FbMeshFile* f;
    FbMeshLabel* elements;  // by their numbers
    int n_elements, elements_capacity;
    bool is_sorted, is_first;  // is_first: this pass reads the nodes, the second all else
    bool has_instances;        // otherwise parts are read where they are
    FbInpPart* parts;
    int n_parts, parts_capacity;
    FbInpInstance* instances;  // that of space k > 0 is number k - 1
    int n_instances, instances_capacity;
    int n_opened;  // instances, in this pass
    // The keyword of the lines that follow
    FbInpSection section;
    const FbInpKind* kind;
    int group;  // -1: none
    int space;  // whose nodes or elements a set has
    bool is_generated;
} FbInp;

// ---- mesh_inp_keyword.c ----
// The value of a parameter of a keyword line, without quotes, "" for one without a value; false:
// not there.
bool fb_inp_find_parameter(const char* start, const char* stop, const char* name, char* out,
                           size_t size);
bool fb_inp_is_keyword(const char* start, const char* stop, const char* name);
FbStatus fb_inp_read_keyword(FbInp* p, const char* start, const char* stop);

// ---- mesh_inp_sets.c ----
FbStatus fb_inp_add_element(FbInp* p, long label, int element);
FbStatus fb_inp_check_elements(FbInp* p);  // fails where a number is there twice
FbStatus fb_inp_read_members(FbInp* p, char* start, char* stop);
FbStatus fb_inp_read_generated(FbInp* p);
FbStatus fb_inp_add_nodes_of(FbInp* p, const char* set);  // of its elements

// ---- mesh_inp_parts.c ----
bool fb_inp_find_instances(FbMeshFile* f);  // are there any?
FbStatus fb_inp_read_part(FbInp* p, const char* start, const char* stop);
FbStatus fb_inp_read_instance(FbInp* p, const char* start, const char* stop);
FbVec3 fb_inp_place(const FbInp* p, FbVec3 x);
int fb_inp_find_space(const FbInp* p, const char* instance);  // -1: there is none of this name
// Numbers of nodes and elements that no two instances have in common.
FbStatus fb_inp_renumber(FbInp* p);

// ---- mesh_inp.c ----
FbStatus fb_inp_read_lines(FbInp* p, char* stop);

#endif
