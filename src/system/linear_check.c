// Whether the equations of a model are linear in its motion, with loads and travelling masses that
// depend on time alone (theory manual, section 5.17), and if not, which part is the reason.
#include "system/part.h"

static bool is_function_of_time(const FbModel* m, int function);

static bool is_signal_of_time(const FbModel* m, int signal) {
    const FbSignal* x = &m->signals[signal];
    switch (x->kind) {
        case FB_SIGNAL_TIME:
        case FB_SIGNAL_INPUT:
        case FB_SIGNAL_LAW:
            return true;
        case FB_SIGNAL_FUNCTION:
            return is_function_of_time(m, x->index);
        case FB_SIGNAL_SLIDER:
            return m->sliders[x->index].law >= 0;
        default:
            return false;
    }
}

static bool is_function_of_time(const FbModel* m, int function) {
    const FbExpr* expr = m->functions[function].expr;
    for (int i = 0; i < fb_expr_input_count(expr); i++) {
        int input = fb_expr_inputs(expr)[i];
        if (input >= FB_INPUT_VALUE || !is_signal_of_time(m, input)) {
            return false;
        }
    }
    return true;
}

bool fb_function_is_constant(const FbModel* m, int function) {
    return fb_expr_input_count(m->functions[function].expr) == 0;
}

static FbStatus fail(FbError* err, const FbPlace* place, const char* part, const char* name,
                     const char* why) {
    return fb_fail(err, FB_ERR_MODEL, place, "%s '%s' %s", part, name, why);
}

static FbStatus check_force(const FbSystem* s, const FbForce* e, FbError* err) {
    const FbModel* m = s->m;
    bool is_load = e->measure == FB_MEASURE_POINT_FORCE || e->measure == FB_MEASURE_POINT_TORQUE;
    if (is_load && !e->linear_rows) {
        return fail(err, &e->place, "force", e->name,
                    "does not act on a node of a linear structure");
    }
    if (!is_load && (e->measure == FB_MEASURE_FRAMES || e->term < 0 ||
                     m->terms[e->term].kind != FB_TERM_COORDINATE)) {
        return fail(err, &e->place, "force", e->name,
                    "follows directions that turn with the motion");
    }
    if (!is_load && e->type->scalar && !e->type->is_linear) {
        return fail(err, &e->place, "force", e->name, "is not linear in what it measures");
    }
    for (int c = 0; c < 3; c++) {
        if (e->function[c] >= 0 && !is_function_of_time(m, e->function[c])) {
            return fail(err, &e->place, "force", e->name,
                        "has an expression that depends on more than time");
        }
    }
    return FB_OK;
}

FbStatus fb_forces_check_linear(FbSystem* s, FbError* err) {
    for (int i = 0; i < s->m->n_forces; i++) {
        const FbForce* e = &s->m->forces[i];
        if (!fb_force_is_off(s, e)) {
            FB_TRY(check_force(s, e, err));
        }
    }
    return FB_OK;
}

FbStatus fb_beams_check_linear(FbSystem* s, FbError* err) {
    for (int i = 0; i < s->m->n_beams; i++) {
        const FbBeamElement* e = &s->m->beams[i];
        if (!e->is_linear) {
            return fail(err, &e->place, "member", e->name, "has large rotations");
        }
        for (int c = 0; c < 3; c++) {
            if (e->load[c] >= 0 && !is_function_of_time(s->m, e->load[c])) {
                return fail(err, &e->place, "member", e->name,
                            "has a load that depends on more than time");
            }
        }
    }
    return FB_OK;
}

FbStatus fb_mesh_loads_check_linear(FbSystem* s, FbError* err) {
    for (int i = 0; i < s->m->n_mesh_loads; i++) {
        const FbMeshLoad* load = &s->m->mesh_loads[i];
        if (!is_function_of_time(s->m, load->function)) {
            return fail(err, &load->place, "load", load->name, "depends on more than time");
        }
    }
    return FB_OK;
}

FbStatus fb_sliders_check_linear(FbSystem* s, FbError* err) {
    for (int i = 0; i < s->m->n_sliders; i++) {
        const FbSlider* x = &s->m->sliders[i];
        if (x->law < 0) {
            return fail(err, &x->place, "slider", x->name,
                        x->command >= 0 ? "follows states" : "is free to slide");
        }
        if (x->n_pieces == 0) {
            return fail(err, &x->place, "slider", x->name, "is on a guide in a rigid body");
        }
        if (x->carriage >= 0) {
            return fail(err, &x->place, "slider", x->name, "carries other parts");
        }
    }
    return FB_OK;
}

// Links that nothing up to the ground turns, and how many turn a link.
static int count_turns(const FbTree* tree, int link) {
    int n = 0;
    for (; link >= 0; link = tree->links[link].parent) {
        FbLinkKind kind = tree->links[link].kind;
        n += kind == FB_LINK_TURN || kind == FB_LINK_SCREW || kind == FB_LINK_BALL;
    }
    return n;
}

// A mass at a node that turns has to be in its centre; its rotary inertia must not depend on how it
// has turned.
static bool is_mass_linear(const FbLink* link, int turns) {
    FbVec3 c = link->center;
    bool is_centred = c.x == 0.0 && c.y == 0.0 && c.z == 0.0, has_inertia = false;
    for (int i = 0; i < 9; i++) {
        has_inertia |= link->inertia.m[i / 3][i % 3] != 0.0;
    }
    return turns == 0 || (is_centred && (turns == 1 || !has_inertia));
}

static FbStatus check_tree(const FbModel* m, FbError* err) {
    for (int l = 0; l < m->tree.n_link; l++) {
        const FbLink* link = &m->tree.links[l];
        int turns = count_turns(&m->tree, l);
        const char* joint = link->joint >= 0 ? m->joints[link->joint].name : "a free body";
        const FbPlace* place = link->joint >= 0 ? &m->joints[link->joint].place : NULL;
        if (turns > 0 && !m->is_linear_link[l]) {
            return fail(err, place, "joint", joint, "turns and is not part of a linear structure");
        }
        if (link->has_mass && !is_mass_linear(link, turns)) {
            return fail(err, place, "node", joint,
                        "has an offset centre of mass, or rotary inertia in space");
        }
    }
    return FB_OK;
}

static FbStatus check_row(const FbModel* m, const FbRow* row, FbError* err) {
    const char* name = row->carriage   ? m->sliders[row->owner].name
                       : row->is_joint ? m->joints[row->owner].name
                                       : m->constraints[row->owner].name;
    bool is_linear = row->is_holonomic && row->carriage == 0;
    for (int i = row->term; i < row->term + row->n_terms; i++) {
        is_linear &= m->terms[i].kind == FB_TERM_COORDINATE;
    }
    return is_linear ? FB_OK
                     : fail(err, NULL, row->is_joint ? "joint" : "constraint", name,
                            "is not a linear relation of coordinates");
}

FbStatus fb_linear_check(FbSystem* s, FbError* err) {
    const FbModel* m = s->m;
    if (m->n_states > 0) {
        return fail(err, NULL, "state", m->states[0].name, "is integrated with the motion");
    }
    for (int i = 0; i < s->n_kinds; i++) {
        if (s->kinds[i]->check_linear) {
            FB_TRY(s->kinds[i]->check_linear(s, err));
        }
    }
    FB_TRY(check_tree(m, err));
    for (int r = 0; r < m->n_rows; r++) {
        FB_TRY(check_row(m, &m->rows[r], err));
    }
    return m->linear_M ? FB_OK : fb_fail(err, FB_ERR_MODEL, NULL, "it has no linear structure");
}
