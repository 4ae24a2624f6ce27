// The equations of a tree as formulas (math/formula.h): what the passes over the links compute,
// with all that is constant in one model folded.
//
// Inputs: q, v and a of all velocities, one after the other. Vectors are in the axes of each link,
// where offsets, centres and inertias are constants, most of them zero (theory manual,
// section 2.9).
#ifndef FLYBALL_TREE_TRACE_H
#define FLYBALL_TREE_TRACE_H

#include "math/formula.h"
#include "tree/term.h"

typedef struct FbTreeTrace {
    FbFormulas* f;
    const FbTree* tree;
    struct FbLinkTrace* links;  // [n_link]
} FbTreeTrace;

// Trees that can be written so: all but those with ball joints and charts, which change.
bool fb_tree_can_trace(const FbTree* tree);

static inline int fb_trace_q(const FbTreeTrace* t, int j) {
    return fb_formula_input(t->f, j);
}
static inline int fb_trace_v(const FbTreeTrace* t, int j) {
    return fb_formula_input(t->f, t->tree->n_v + j);
}
static inline int fb_trace_a(const FbTreeTrace* t, int j) {
    return fb_formula_input(t->f, 2 * t->tree->n_v + j);
}

// Allocates; false: out of memory.
bool fb_tree_trace_init(FbTreeTrace* t, FbFormulas* f, const FbTree* tree);
void fb_tree_trace_free(FbTreeTrace* t);
// r of inertia and gravity, eq. (2.6) to (2.8).
void fb_tree_trace_residual(FbTreeTrace* t, int* r);
// The value of a term between points (DISTANCE) or of a coordinate.
bool fb_tree_can_trace_term(const FbTerm* term);
int fb_tree_trace_term(FbTreeTrace* t, const FbTerm* term);

#endif
