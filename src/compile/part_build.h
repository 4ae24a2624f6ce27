// What compilation does for the kinds of part, without knowing which there are.
//
// Each kind is a file that ends in one const table; part_builds.c lists the tables. A function that
// a kind does not need is NULL. What `system` does with the same kind is in its FbPartKind.
#ifndef FLYBALL_COMPILE_PART_BUILD_H
#define FLYBALL_COMPILE_PART_BUILD_H

#include "compile/compile.h"
#include "system/part.h"

typedef struct FbUsers FbUsers;

typedef struct FbPartBuild {
    const FbPartKind* kind;  // its equations; NULL: it becomes bodies, rows or signals alone
    // The stages, in this order. Each reports all errors to the diagnostics and returns
    // FB_ERR_MEMORY or FB_OK.
    FbStatus (*extend)(FbBuilder* b);   // adds bodies to the description
    FbStatus (*build)(FbBuilder* b);    // tree and frames are known, expressions are not
    FbStatus (*connect)(FbBuilder* b);  // laws, expressions and what they refer to
    // Of a model without errors: what the viewer shows, in b->m->drawing.
    void (*draw)(FbBuilder* b);
    // Of the finished model: which velocities it couples, and which of them and which functions act
    // on the motion.
    void (*add_pattern)(const FbBuilder* b, FbPatternBuilder* p);
    void (*add_users)(const FbModel* m, FbUsers* u);
} FbPartBuild;

extern const FbPartBuild fb_build_forces, fb_build_states, fb_build_beams, fb_build_structures,
    fb_build_superelements, fb_build_mesh_loads, fb_build_mesh_places, fb_build_linear_turns,
    fb_build_sliders, fb_build_loops, fb_build_carriages, fb_build_constraints, fb_build_sensors,
    fb_build_events, fb_build_callbacks, fb_build_samplers, fb_build_movers;

// part_builds.c: each stage over all kinds.
FbStatus fb_builds_extend(FbBuilder* b);
FbStatus fb_builds_build(FbBuilder* b);
FbStatus fb_builds_connect(FbBuilder* b);
void fb_builds_draw(FbBuilder* b);
void fb_builds_add_pattern(const FbBuilder* b, FbPatternBuilder* p);
void fb_builds_add_users(const FbModel* m, FbUsers* u);

// pattern.c: what the entries of a kind are made of. All pairs of a path; the rows of a path with
// everything that the expression of a function (-1: none) measures.
void fb_pattern_add_path(const FbModel* m, FbPatternBuilder* p, int path, int n_path);
void fb_pattern_add_ports(FbPatternBuilder* p, const FbPortPath* path);
void fb_pattern_add_function(const FbModel* m, FbPatternBuilder* p, const int* v, int n,
                             int function);

// charts.c: who acts on the motion. Negative numbers: none.
void fb_users_add_terms(FbUsers* u, int first, int n);
void fb_users_add_function(FbUsers* u, int function);
void fb_users_add_velocities(FbUsers* u, const int* v, int n);

// drawing.c: a pair of points of two bodies; false if one of them does not exist.
bool fb_draw_pair(FbBuilder* b, const FbPointDef* a, const FbPointDef* c, const FbOrigin* origin,
                  FbDrawnPair* out);
// Has this body neither shapes nor points, so that it is only part of something else?
bool fb_draw_is_bare(const FbBodyDef* def);

#endif
