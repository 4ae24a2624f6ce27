// Checks of the structures of a model: those that can move without strain (unsupported ones and
// mechanisms), and those that buckle.
#include <string.h>

#include "base/text.h"
#include "compile/strainless.h"
#include "system/buckling.h"

static FbStatus search(FbMechanism* s, const FbBlocks* b, FbDiagnostics* diagnostics,
                       FbError* err) {
    bool is_all;
    FB_TRY(fb_mechanism_list_own(s, err));
    if (s->n == 0 || s->n > FB_MOST_EXAMINED) {
        return FB_OK;
    }
    FB_TRY(fb_mechanism_find(s, b, &is_all, err));
    return s->n_x > 0 ? fb_mechanism_report(s, is_all, diagnostics, err) : FB_OK;
}

// The drawing at rest, when the run starts.
static FbPoint draw_point(FbSystem* s) {
    FbPoint p = {.t = s->m->settings.start,
                 .q = s->m->q_drawn,
                 .v = s->zero_v,
                 .a = s->zero_v,
                 .x = s->ahead.x,
                 .lambda = s->ahead.lambda};
    memset(p.lambda, 0, sizeof(double) * (size_t)s->m->n_rows);
    for (int i = 0; i < s->m->n_states; i++) {
        p.x[i] = s->m->states[i].initial;
    }
    return p;
}

static FbStatus calc_blocks(FbSystem* s, FbBlocks* b, FbError* err) {
    FbPoint p = draw_point(s);
    FB_TRY(fb_system_choose_rows(s, p.q, err));
    FbVec6 ground = s->k.A_ground;
    s->k.A_ground = fb_zero6();  // weight is not strain
    s->has_no_sliders = true;    // their loads hold nothing
    FbStatus status = s->dynamics.ops->jacobian(&s->dynamics, &p, b, err);
    s->has_no_sliders = false;
    s->k.A_ground = ground;
    return status > 0 ? FB_ERR_CONVERGENCE : status;
}

// A guide that cannot carry its slider, or a structure that cannot carry its loads.
static FbStatus warn_of_buckling(FbSystem* s, FbDiagnostics* diagnostics, FbError* err) {
    FbPoint p = draw_point(s);
    char text[200];
    fb_system_begin(s, &p);
    FbStatus status = fb_system_check_buckling(s, &p, err);
    fb_system_write_note(s, s->m->n_movers, text, sizeof(text));
    if (status == FB_ERR_MODEL || text[0]) {
        fb_diagnose(diagnostics, FB_WARNING, FB_ERR_MODEL, text[0] ? NULL : &err->place, "%s",
                    text[0] ? text : err->text);
        return FB_OK;
    }
    return status;
}

// Has every structure more coordinates of its own than are examined?
static bool are_all_too_large(const FbModel* m) {
    bool are_large = true;
    for (int i = 0; are_large && i < m->n_structures; i++) {
        int n = 0;
        for (int l = 0; l < m->tree.n_link && n <= FB_MOST_EXAMINED; l++) {
            int joint = m->tree.links[l].joint;
            bool is_own = joint >= 0 && fb_is_part_of(m->joints[joint].name, m->structures[i].name);
            n += is_own ? m->tree.links[l].n_v : 0;
        }
        are_large = n > FB_MOST_EXAMINED;
    }
    return are_large;
}

FbStatus fb_model_check_structures(const FbModel* model, FbDiagnostics* diagnostics, FbError* err) {
    FbSystem* system = NULL;
    FbBlocks b;
    if (are_all_too_large(model)) {  // or there is none
        return FB_OK;
    }
    FB_TRY(fb_system_create(model, &system, err));
    FbStatus status = calc_blocks(system, &b, err);
    for (int i = 0; status == FB_OK && i < model->n_structures; i++) {
        FbMechanism s = {.system = system,
                         .m = model,
                         .structure = &model->structures[i],
                         .n_c = system->dynamics.size.n_c,
                         .arena = fb_arena_create()};
        status = s.arena ? search(&s, &b, diagnostics, err) : fb_fail_memory(err);
        fb_linear_destroy(s.solver);
        fb_arena_destroy(s.arena);
    }
    status = status == FB_OK ? warn_of_buckling(system, diagnostics, err) : status;
    fb_system_destroy(system);
    return status;
}
