// Tapes that models share: a set belongs to all who use it, and a store finds those that were
// written from the same numbers.
#ifndef FLYBALL_MATH_TAPE_STORE_H
#define FLYBALL_MATH_TAPE_STORE_H

#include "base/bytes.h"
#include "math/tape.h"

enum { FB_TAPE_SET = 3 };  // tapes

// Immutable once it is complete.
typedef struct FbTapeSet {
    FbArena* arena;       // of the tapes
    _Atomic int n_users;  // changed by retain and release alone
    FbBytes key;          // of all that the tapes were written from
    const FbFormulaTape* tapes[FB_TAPE_SET];
} FbTapeSet;

FbTapeSet* fb_tape_set_create(void);       // with one user; NULL: out of memory
void fb_tape_set_release(FbTapeSet* set);  // NULL is allowed

typedef struct FbTapeStore FbTapeStore;

FbTapeStore* fb_tape_store_create(void);  // with one user; NULL: out of memory
FbTapeStore* fb_tape_store_retain(FbTapeStore* store);
void fb_tape_store_release(FbTapeStore* store);  // NULL is allowed

// The set with this key, for one more user; NULL: there is none.
FbTapeSet* fb_tape_store_find(FbTapeStore* store, const FbBytes* key);
void fb_tape_store_add(FbTapeStore* store, FbTapeSet* set);
// How many sets were added, and how many were found.
void fb_tape_store_get_counts(FbTapeStore* store, int* made, int* taken);

#endif
