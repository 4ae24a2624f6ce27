// What a compiled model tells of its structures and sliders.
#include "system/model.h"

bool fb_model_get_structure(const FbModel* m, int index, FbStructureInfo* info) {
    if (index < 0 || index >= m->n_structures) {
        return false;
    }
    const FbStructure* s = &m->structures[index];
    *info = (FbStructureInfo){.name = s->name,
                              .n_members = s->n_members,
                              .n_elements = s->n,
                              .n_nodes = s->n_nodes,
                              .mass = s->mass,
                              .is_nonlinear = s->is_nonlinear};
    return true;
}

bool fb_model_get_slider(const FbModel* m, int index, FbSliderInfo* info) {
    static const char* const theories[] = {"consistent", "linear_consistent", "convective",
                                           "form_1a", "form_1b"};
    if (index < 0 || index >= m->n_sliders) {
        return false;
    }
    const FbSlider* s = &m->sliders[index];
    *info = (FbSliderInfo){.name = s->name,
                           .guide = s->guide,
                           .n_pieces = s->n_pieces,
                           .length = s->length,
                           .mass = s->mass.mass,
                           .theory = theories[s->mass.theory],
                           .drive = s->coordinate_v >= 0 ? "free"
                                    : s->state_s >= 0    ? "feedback"
                                                         : "law"};
    return true;
}
