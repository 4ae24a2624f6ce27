// The list of the kinds of part, and each stage of compilation over all of them.
#include "compile/part_build.h"

// A kind may use those before it in the same stage. Functions and rows are numbered, and errors
// reported, in this order.
static const FbPartBuild* const list[] = {
    &fb_build_forces,      &fb_build_states,        &fb_build_beams,
    &fb_build_structures,  &fb_build_superelements, &fb_build_mesh_loads,
    &fb_build_mesh_places, &fb_build_linear_turns,  &fb_build_sliders,
    &fb_build_loops,       &fb_build_carriages,     &fb_build_constraints,
    &fb_build_sensors,     &fb_build_events,        &fb_build_callbacks,
    &fb_build_samplers,    &fb_build_movers,        NULL,
};

static FbStatus run(FbBuilder* b, FbStatus (*stage)(FbBuilder* b)) {
    if (stage) {
        FB_TRY(stage(b));
    }
    bool has_failed = b->is_out_of_memory || fb_arena_has_failed(b->m->arena);
    return has_failed ? FB_ERR_MEMORY : FB_OK;
}

FbStatus fb_builds_extend(FbBuilder* b) {
    for (int i = 0; list[i]; i++) {
        FB_TRY(run(b, list[i]->extend));
    }
    return FB_OK;
}

FbStatus fb_builds_build(FbBuilder* b) {
    for (int i = 0; list[i]; i++) {
        FB_TRY(run(b, list[i]->build));
    }
    return FB_OK;
}

FbStatus fb_builds_connect(FbBuilder* b) {
    for (int i = 0; list[i]; i++) {
        FB_TRY(run(b, list[i]->connect));
    }
    return FB_OK;
}

void fb_builds_draw(FbBuilder* b) {
    for (int i = 0; list[i]; i++) {
        if (list[i]->draw) {
            list[i]->draw(b);
        }
    }
}

void fb_builds_add_pattern(const FbBuilder* b, FbPatternBuilder* p) {
    for (int i = 0; list[i]; i++) {
        if (list[i]->add_pattern) {
            list[i]->add_pattern(b, p);
        }
    }
}

void fb_builds_add_users(const FbModel* m, FbUsers* u) {
    for (int i = 0; list[i]; i++) {
        if (list[i]->add_users) {
            list[i]->add_users(m, u);
        }
    }
}
