// A guide that is welded to nodes of a structure that move across it but do not rotate with it:
// its slope would be held there.
#include <math.h>
#include <string.h>

#include "compile/part_build.h"

// What a node can do, in directions: unit vectors that its displacements and turns span.
typedef struct Freedom {
    FbVec3 moves[3], turns[3];
    int n_moves, n_turns;
    int link;  // of the superelement; -1: none moves it
} Freedom;

// What is left of a direction (of length 1) outside a span counts as none below this.
static const double PART = 1e-6;

static FbVec3 outside(const FbVec3* basis, int n, FbVec3 x) {
    for (int i = 0; i < n; i++) {
        x = fb_axpy(-fb_dot(basis[i], x), basis[i], x);
    }
    return x;
}

static void add_direction(FbVec3* basis, int* n, FbVec3 x) {
    double size = fb_norm(x);
    FbVec3 rest = size > 0.0 ? outside(basis, *n, fb_scale(1.0 / size, x)) : x;
    double left = fb_norm(rest);
    if (*n < 3 && left > PART) {
        basis[(*n)++] = fb_scale(1.0 / left, rest);
    }
}

// Columns of the node's own point: a turn about it does not move it.
static Freedom find_freedom(const FbModel* m, const FbKinematics* k, const FbLinkFrame* end,
                            const bool* is_of_matrices) {
    Freedom f = {.link = -1};
    FbVec3 at = fb_link_point(k, end->link, end->p);
    for (int l = end->link; l >= 0; l = m->tree.links[l].parent) {
        const FbLink* own = &m->tree.links[l];
        for (int v = own->v0; v < own->v0 + own->n_v; v++) {
            FbVec6 column = fb_column_at(k, v, at);
            f.link = f.link < 0 && is_of_matrices[v] ? l : f.link;
            add_direction(f.turns, &f.n_turns, column.ang);
            if (fb_norm(column.ang) == 0.0) {
                add_direction(f.moves, &f.n_moves, column.lin);
            }
        }
    }
    return f;
}

static bool spans(const FbVec3* basis, int n, FbVec3 x) {
    return fb_norm(outside(basis, n, x)) < PART;
}

// Moves along y across the guide bend it about z, and the other way round.
static bool holds_slope(const Freedom* f, const FbMat3* R) {
    for (int i = 1; f->link >= 0 && i < 3; i++) {
        FbVec3 across = fb_mat3_col(R, i), about = fb_mat3_col(R, 3 - i);
        bool can_move = fb_norm(fb_sub(across, outside(f->moves, f->n_moves, across))) > PART;
        if (can_move && !spans(f->turns, f->n_turns, about)) {
            return true;
        }
    }
    return false;
}

static void mark_matrices(const FbModel* m, bool* is_of_matrices) {
    for (int i = 0; i < m->n_superelements; i++) {
        for (int k = 0; k < m->superelements[i].n; k++) {
            if (m->superelements[i].v[k] >= 0) {
                is_of_matrices[m->superelements[i].v[k]] = true;
            }
        }
    }
}

static const char* name_of_link(const FbBuilder* b, int link) {
    int joint = b->m->tree.links[link].joint;
    return joint >= 0 ? b->m->joints[joint].name : "";
}

static void report(FbBuilder* b, const FbSliderDef* def, const Freedom* f) {
    const char* name = name_of_link(b, f->link);
    fb_compile_error(b, FB_ERR_MODEL, &def->origin, "guide",
                     "the guide of slider '%s' is welded to '%s', which has displacements "
                     "but %s, so the slope of the guide would be held there; "
                     "let it run through the nodes of the structure itself, without a beam: "
                     "`guide: {through: [%s, ...]}`",
                     def->name, name,
                     f->n_turns > 0 ? "lacks a rotation that goes with them" : "no rotations",
                     name);
}

static void check_ends(FbBuilder* b, const FbSliderDef* def, const FbSlider* slider,
                       const FbKinematics* k, const bool* is_of_matrices) {
    for (int i = 0; i < 2 * slider->n_pieces; i++) {
        const FbBeamElement* e = slider->pieces[i / 2].element;
        Freedom f = find_freedom(b->m, k, &e->base.end[i % 2], is_of_matrices);
        if (holds_slope(&f, &e->base.R_drawn)) {
            report(b, def, &f);
            return;
        }
    }
}

FbStatus fb_compile_check_guide_turns(FbBuilder* b, const FbSliderDef* def,
                                      const FbSlider* slider) {
    const FbModel* m = b->m;
    if (m->n_superelements == 0) {
        return FB_OK;
    }
    FbError err;
    FbKinematics k;
    fb_error_clear(&err);
    FbArena* scratch = fb_arena_create();
    bool* is_of_matrices = scratch ? FB_TAKE(scratch, bool, m->tree.n_v + 1) : NULL;
    FbStatus status =
        is_of_matrices ? fb_kinematics_init_position(&m->tree, scratch, &k, &err) : FB_ERR_MEMORY;
    if (status == FB_OK) {
        mark_matrices(m, is_of_matrices);
        fb_tree_realize_position(&m->tree, m->q_drawn, &k);
        check_ends(b, def, slider, &k, is_of_matrices);
    }
    fb_arena_destroy(scratch);
    return status;
}
