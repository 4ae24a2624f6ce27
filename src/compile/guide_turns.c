// A guide that is welded to points of a structure without turns: its slope would be held there.
#include "compile/part_build.h"

// The link that a superelement moves, where nothing between it and the ground turns; -1: none.
static int find_point(const FbModel* m, int link, const bool* is_of_matrices) {
    int moved = -1;
    for (int l = link; l >= 0; l = m->tree.links[l].parent) {
        const FbLink* own = &m->tree.links[l];
        if (own->kind != FB_LINK_FIXED && own->kind != FB_LINK_SLIDE &&
            own->kind != FB_LINK_TRANSLATE3) {
            return -1;
        }
        for (int j = 0; j < own->n_v; j++) {
            moved = moved < 0 && is_of_matrices[own->v0 + j] ? l : moved;
        }
    }
    return moved;
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

FbStatus fb_compile_check_guide_turns(FbBuilder* b, const FbSliderDef* def,
                                      const FbSlider* slider) {
    const FbModel* m = b->m;
    if (m->n_superelements == 0) {
        return FB_OK;
    }
    FbArena* scratch = fb_arena_create();
    bool* is_of_matrices = scratch ? FB_TAKE(scratch, bool, m->tree.n_v + 1) : NULL;
    if (!is_of_matrices) {
        fb_arena_destroy(scratch);
        return FB_ERR_MEMORY;
    }
    mark_matrices(m, is_of_matrices);
    for (int k = 0; k < 2 * slider->n_pieces; k++) {
        int link = slider->pieces[k / 2].element->base.end[k % 2].link;
        int point = find_point(m, link, is_of_matrices);
        if (point >= 0) {
            fb_compile_error(
                b, FB_ERR_MODEL, &def->origin, "guide",
                "the guide of slider '%s' is welded to '%s', which has displacements "
                "but no turns, so that the slope of the guide would be held there; "
                "let it run through the nodes of the structure itself, without a beam: "
                "`guide: {through: [%s, ...]}`",
                def->name, name_of_link(b, point), name_of_link(b, point));
            break;
        }
    }
    fb_arena_destroy(scratch);
    return FB_OK;
}
