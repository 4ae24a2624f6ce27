// Kinds of part: what a system does with forces, structures, sliders, events, ... without knowing
// which it has.
//
// Each kind is one file (or a few) that ends in one const table; part.c lists the tables. A
// function that a kind does not need is NULL. A kind of which the model has none is never called,
// so that a rigid mechanism pays nothing for structures. Sums are formed in the order of the list.
#ifndef FLYBALL_SYSTEM_PART_H
#define FLYBALL_SYSTEM_PART_H

#include "system/work.h"

struct FbPartKind {
    const char* name;
    int (*count)(const FbModel* m);  // 0: the model has none
    // Does it have inertia of its own, which M a of the tree does not contain? Then accelerations
    // come from the factored mass matrix, and apply() needs them.
    bool has_inertia;

    // Memory, when a system is created; then the state at the drawn position, which is realized.
    void (*take)(FbSystem* s);
    void (*draw)(FbSystem* s);
    // An assembly begins: what an earlier run left is cleared. A run begins at p.
    void (*reset)(FbSystem* s);
    void (*begin)(FbSystem* s, const FbPoint* p);

    // All of the following need position and velocity realized; apply, move_to_links, add_blocks
    // and add_powers the accelerations too where has_inertia.
    void (*realize)(FbSystem* s, const FbPoint* p);
    // Forces on links and along coordinates; `a` are the accelerations.
    void (*apply)(FbSystem* s, const FbPoint* p, const double* a);
    // After apply: what it put along coordinates acts on the links instead (reactions of joints).
    void (*move_to_links)(FbSystem* s, const FbPoint* p, const double* a);
    void (*add_blocks)(FbSystem* s, const FbPoint* p, FbBlocks* b);  // dr/da, dr/dv, dr/dq, dr/dx
    void (*add_mass)(FbSystem* s, const double* q, double* M);       // dr/da alone
    // A kind that travels along others, so that its blocks change during a step where nothing else
    // does: the velocities that it touches at present, [n_v]. NULL: it does not.
    void (*mark_touched)(FbSystem* s, bool* touched);
    // Is all that it does linear in the motion: constant shares of the blocks, and loads and
    // travelling shares that depend on time alone? FB_ERR_MODEL: it is not. NULL: it is.
    FbStatus (*check_linear)(FbSystem* s, FbError* err);
    // Then: its share of the residual at p, the drawing at rest, as far as it depends on time (a
    // constant more or less does not matter); travelling kinds apart.
    void (*add_load)(FbSystem* s, const FbPoint* p, double* r);
    void (*add_energies)(FbSystem* s, const FbPoint* p, double* kinetic, double* potential);
    void (*add_momenta)(FbSystem* s, const FbPoint* p, FbMomenta* sums);
    void (*add_powers)(FbSystem* s, const FbPoint* p, double* supplied, double* dissipated);
    // Of a linear system: do powers depend on the motion where nothing travels? NULL: they do.
    bool (*has_far_powers)(const FbSystem* s);
    // The value of a signal of kind FB_SIGNAL_PART.
    double (*calc_signal)(FbSystem* s, const FbPoint* p, const FbSignal* signal);
    // The functions that such a signal evaluates, -1 each: none.
    void (*find_functions)(const FbModel* m, const FbSignal* signal, int functions[3]);

    // Where it is not smooth. Roots: functions of the point whose sign changes are events; the name
    // is NULL where they are not recorded. cross: root happens at p; has_changed and stop as in the
    // contract.
    int (*count_roots)(const FbModel* m);
    void (*calc_roots)(FbSystem* s, const FbPoint* p, double* values);
    bool (*is_armed)(const FbSystem* s, int root, double t);  // NULL: always
    const char* (*name_of_root)(const FbModel* m, int root);  // NULL: none has a name
    int (*direction_of_root)(const FbModel* m, int root);     // NULL: both count
    FbStatus (*cross)(FbSystem* s, FbPoint* p, int root, bool* has_changed, bool* stop,
                      FbError* err);
    // The first time after t at which it is not smooth, and what it does there.
    double (*next_break)(const FbSystem* s, double t);
    void (*at_break)(FbSystem* s, const FbPoint* p);

    // What it remembers from one step to the next, of which the point says nothing. Either this, or
    // it has no memory.
    void (*remember)(FbSystem* s, FbMemory* m);
    bool has_no_memory;

    // Is it still valid at p, the end of an accepted step?
    FbStatus (*check)(FbSystem* s, const FbPoint* p, FbError* err);
    // What the user should know after a run; an empty text says nothing.
    int (*count_notes)(const FbModel* m);
    void (*write_note)(const FbSystem* s, int index, char* text, size_t size);
};

extern const FbPartKind fb_part_events, fb_part_moves, fb_part_callbacks, fb_part_samplers,
    fb_part_forces, fb_part_linear, fb_part_beams, fb_part_mesh_loads, fb_part_mesh_places,
    fb_part_sliders;

// part.c: the kinds of a model, and each operation over all of them.
void fb_parts_find(FbSystem* s);
void fb_parts_take(FbSystem* s);
void fb_parts_draw(FbSystem* s);
void fb_parts_reset(FbSystem* s);
void fb_parts_begin(FbSystem* s, const FbPoint* p);
void fb_parts_realize(FbSystem* s, const FbPoint* p);
void fb_parts_apply(FbSystem* s, const FbPoint* p, const double* a);
void fb_parts_apply_loads(FbSystem* s, const FbPoint* p);  // those without inertia
void fb_parts_move_to_links(FbSystem* s, const FbPoint* p, const double* a);
void fb_parts_add_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b);
void fb_parts_add_mass(FbSystem* s, const double* q, double* M);
void fb_parts_add_energies(FbSystem* s, const FbPoint* p, double* kinetic, double* potential);
void fb_parts_add_momenta(FbSystem* s, const FbPoint* p, FbMomenta* sums);
void fb_parts_add_powers(FbSystem* s, const FbPoint* p, double* supplied, double* dissipated);
int fb_parts_count_roots(const FbModel* m);
void fb_parts_calc_roots(FbSystem* s, const FbPoint* p, double* values);
double fb_parts_next_break(const FbSystem* s, double t);
void fb_parts_at_break(FbSystem* s, const FbPoint* p);
void fb_parts_remember(FbSystem* s, FbMemory* m);
FbStatus fb_parts_check(FbSystem* s, const FbPoint* p, FbError* err);
// The kind that a root belongs to; *own: its number there.
const FbPartKind* fb_parts_find_root(const FbSystem* s, int root, int* own);
// travelling.c: for the contract.
void fb_travelling_take(FbSystem* s);
int fb_system_find_travelling(FbDynamics* d, const int** v);
void fb_system_calc_travelling(FbDynamics* d, const FbPoint* p, double* M, double* C, double* K);

// node_turns.c: for the contract.
void fb_node_turns_take(FbSystem* s);
void fb_system_turn_nodes(const FbDynamics* d, const double* q0, const double* q, double* x);

// linear_form.c: for the contract.
FbStatus fb_system_find_linear(FbDynamics* d, double t, FbLinearForm* out, FbError* err);
int fb_system_find_moving(FbDynamics* d, const FbMovingGroup** groups);
void fb_system_calc_linear(FbDynamics* d, double t, double* load, FbMovingShare* shares);
void fb_system_add_reaction(FbDynamics* d, double t, const double* displacement, double* r);
void fb_system_calc_offsets(FbDynamics* d, double t, double* offset, double* rate, double* second);
// linear_check.c: FB_ERR_MODEL where a part is not linear in the motion.
FbStatus fb_linear_check(FbSystem* s, FbError* err);
FbStatus fb_forces_check_linear(FbSystem* s, FbError* err);
FbStatus fb_beams_check_linear(FbSystem* s, FbError* err);
FbStatus fb_mesh_loads_check_linear(FbSystem* s, FbError* err);
FbStatus fb_sliders_check_linear(FbSystem* s, FbError* err);
bool fb_function_is_constant(const FbModel* m, int function);
// linear_sliders.c: what sliders touch now, and their loads and shares.
int fb_sliders_count_groups(const FbModel* m);
int fb_sliders_find_groups(FbSystem* s, FbMovingGroup* groups, double* room);
void fb_sliders_add_linear(FbSystem* s, const FbPoint* p, double* load, FbMovingShare* shares);
bool fb_sliders_have_reaction(const FbModel* m);
void fb_sliders_add_reaction(FbSystem* s, const FbPoint* p, double* r);

// system_create.c: how deep expressions of sensors nest, for the scratch stack.
int fb_function_depth(const FbModel* m, int function);

bool fb_parts_write_note(const FbSystem* s, int index, char* text, size_t size);

#endif
