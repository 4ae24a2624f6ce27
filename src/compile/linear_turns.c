// Nodes of linear structures: which links are such nodes, and their rotations as signals (eq. 8.80;
// see system/linear_turn.c).
#include "compile/part_build.h"

static FbStatus build(FbBuilder* b) {
    FbModel* m = b->m;
    const FbTree* tree = &m->tree;
    FbArena* scratch = fb_arena_create();
    FbKinematics k;
    m->drawn_turn = FB_TAKE(m->arena, FbVec3, tree->n_v + 1);
    m->drawn_axes = FB_TAKE(m->arena, FbMat3, tree->n_link + 1);
    m->is_linear_link = FB_TAKE(m->arena, bool, tree->n_link + 1);
    if (!scratch || fb_arena_has_failed(m->arena) ||
        fb_kinematics_init_position(tree, scratch, &k, &b->err) < 0) {
        fb_arena_destroy(scratch);
        return FB_ERR_MEMORY;
    }
    fb_tree_realize_position(tree, m->q_drawn, &k);
    for (int l = 0; l < tree->n_link; l++) {
        int parent = tree->links[l].parent, joint = tree->links[l].joint;
        bool is_own = joint >= 0 && m->is_linear_node[joint];
        m->is_linear_link[l] = is_own && (parent < 0 || m->is_linear_link[parent]);
        m->drawn_axes[l] = k.R[l];
    }
    for (int j = 0; j < tree->n_v; j++) {
        m->drawn_turn[j] = k.S[j].ang;
    }
    fb_arena_destroy(scratch);
    return FB_OK;
}

// Adds the turns on the way from the ground to a link along an axis; *n counts the terms.
static bool add_terms(FbBuilder* b, int link, double sign, FbVec3 axis, int* n) {
    const FbTree* tree = &b->m->tree;
    for (int l = link; l >= 0; l = tree->links[l].parent) {
        const FbLink* own = &tree->links[l];
        for (int j = 0; j < own->n_v; j++) {
            FbTerm term = {.kind = FB_TERM_COORDINATE,
                           .factor = sign * fb_dot(axis, b->m->drawn_turn[own->v0 + j]),
                           .link_a = -1,
                           .link_b = -1,
                           .turn = -1,
                           .coordinate_v = own->v0 + j,
                           .coordinate_q = own->q0 + j};
            bool is_only = *n == 0 && l == link && j == own->n_v - 1;
            if (term.factor == 0.0 && !is_only) {
                continue;
            }
            if (fb_compile_term(b, &term) < 0) {
                return false;
            }
            ++*n;
        }
    }
    return true;
}

bool fb_compile_is_linear_turn(const FbModel* m, int link, int frame_link) {
    return link >= 0 && m->is_linear_link[link] &&
           (frame_link < 0 || m->is_linear_link[frame_link]);
}

bool fb_compile_linear_turn(FbBuilder* b, const FbLinkFrame* body, const FbLinkFrame* frame, int i,
                            FbSignal* signal) {
    const FbModel* m = b->m;
    FbMat3 axes = frame->link >= 0 ? fb_mat3_mul(&m->drawn_axes[frame->link], &frame->R) : frame->R;
    FbVec3 axis = fb_mat3_col(&axes, i);
    signal->term = m->n_terms;
    signal->n_terms = 0;
    return add_terms(b, body->link, 1.0, axis, &signal->n_terms) &&
           (frame->link < 0 || frame->link == body->link ||
            add_terms(b, frame->link, -1.0, axis, &signal->n_terms));
}

const FbPartBuild fb_build_linear_turns = {
    .kind = &fb_part_linear,
    .build = build,
};
