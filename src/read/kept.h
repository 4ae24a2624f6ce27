// What a source keeps from one description to the next: structures of meshes and matrices, whose
// making (files, elements, reduction) takes longer than all the rest.
//
// A kept structure is found by a key of all that its making depends on: the map in the file, the
// instance, the local names, the values of the parameters that were read for it, for materials and
// for sections, and the state of its files on the disk. Equal keys are equal bytes, so a
// structure that is reused is the one that would be made.
#ifndef FLYBALL_READ_KEPT_H
#define FLYBALL_READ_KEPT_H

#include "math/tape_store.h"
#include "read/reader.h"

typedef struct FbKept FbKept;

FbKept* fb_kept_create(void);        // NULL: out of memory
void fb_kept_destroy(FbKept* kept);  // NULL is allowed

// Tapes of the models that are made from the descriptions.
FbTapeStore* fb_kept_get_tapes(const FbKept* kept);

// How many structures were made, and how many were there already.
void fb_kept_get_counts(FbKept* kept, int* made, int* taken);

// A structure to be added to r->def. `files` [n_files] are the paths that it is read from (NULL:
// none), `reads_all`: its making may look at any parameter.
typedef struct FbMaking {
    const FbEntry* entry;
    const char* name;
    const char* const* files;
    int n_files;
    bool reads_all;
    FbStatus (*make)(FbModelDef* def, const void* self, FbError* err);
    const void* self;
} FbMaking;

// Adds the kept structure, or makes it and keeps it.
FbStatus fb_kept_make(FbReader* r, const FbMaking* making, FbError* err);

#endif
