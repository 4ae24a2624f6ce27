// Initial conditions, drawn lengths and the sparsity pattern: what needs the whole model.
#include <math.h>
#include <string.h>

#include "compile/compile.h"
#include "math/rotation.h"

static FbStatus add_condition(FbBuilder* b, int signal, double value, const char* text,
                              const FbOrigin* origin) {
    FbModel* m = b->m;
    if (signal < 0 || !fb_grow((void**)&m->conditions, &m->conditions_capacity, m->n_conditions,
                               sizeof(FbCondition))) {
        return FB_ERR_MEMORY;
    }
    FbPlace place = origin->place;
    place.file = fb_arena_text(m->arena, place.file);
    m->conditions[m->n_conditions++] =
        (FbCondition){.signal = signal, .value = value, .text = text, .place = place};
    return FB_OK;
}

// The orientation of a ball is set directly: in the drawing, and as directions that the assembly
// holds.
static FbStatus set_ball(FbBuilder* b, int j, int first) {
    FbModel* m = b->m;
    const FbJointDef* def = &b->def->joints[j];
    const FbJoint* joint = &m->joints[j];
    const bool* is_set = def->has_position + first;
    if (!is_set[0] && !is_set[1] && !is_set[2]) {
        return FB_OK;
    }
    if (!(is_set[0] && is_set[1] && is_set[2])) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "position",
                         "the rotation of joint '%s' is one rotation vector: set all three of its "
                         "components or none",
                         def->name);
        return FB_OK;
    }
    if (joint->is_loop) {
        fb_compile_error(
            b, FB_ERR_MODEL, &def->origin, "position",
            "joint '%s' closes a loop; set the initial values of its neighbours instead",
            def->name);
        return FB_OK;
    }
    const FbLink* ball = &m->tree.links[m->tree.link_of_v[joint->velocity[first]]];
    FbVec3 phi = fb_vec3_from(def->position + first);
    FbMat3 R = fb_rotation_from_vector(joint->is_reversed ? fb_scale(-1.0, phi) : phi);
    fb_quaternion_from_rotation(&R, m->q_drawn + ball->q0);
    const char* text = fb_arena_format(m->arena, "orientation of joint '%s'", def->name);
    for (int i = 0; i < 3; i++) {
        FbSignal hold = {.kind = FB_SIGNAL_VALUE, .n_terms = 0, .index = ball->v0 + i};
        FB_TRY(add_condition(b, fb_compile_signal(b, &hold), 0.0, text, &def->origin));
    }
    return FB_OK;
}

static FbStatus set_joint(FbBuilder* b, int j) {
    const FbJointDef* def = &b->def->joints[j];
    const FbJoint* joint = &b->m->joints[j];
    for (int i = 0; i < joint->type->n_v; i++) {
        FbCoordinateDef c = {def->name, i};
        FbOrigin unscoped = def->origin;
        unscoped.scope = NULL;
        bool is_ball = joint->type->coordinates[i].kind == FB_COORD_NONE;
        if (is_ball && joint->type->coordinates[i].axis == 0) {
            FB_TRY(set_ball(b, j, i));
        }
        if (def->has_position[i] && !is_ball) {
            FB_TRY(add_condition(
                b, fb_compile_coordinate(b, &c, &unscoped, "position", false), def->position[i],
                fb_arena_format(b->m->arena, "position of joint '%s'", def->name), &def->origin));
        }
        if (def->has_velocity[i]) {
            FB_TRY(add_condition(
                b, fb_compile_coordinate(b, &c, &unscoped, "velocity", true), def->velocity[i],
                fb_arena_format(b->m->arena, "velocity of joint '%s'", def->name), &def->origin));
        }
    }
    return FB_OK;
}

// initial: {sensor: name.x, value: 1}: the sensor must be a plain position or velocity.
static FbStatus set_sensor(FbBuilder* b, int i) {
    const FbInitialDef* def = &b->def->initials[i];
    const char* sensor = def->sensor ? def->sensor : "";
    int function =
        fb_compile_function(b, sensor, &def->origin, "sensor", (FbUse){.is_for_dynamics = true});
    if (function < 0) {
        return FB_OK;
    }
    const FbExpr* expr = b->m->functions[function].expr;
    int signal = fb_expr_input_count(expr) == 1 ? fb_expr_inputs(expr)[0] : -1;
    bool is_plain = signal >= 0 && (b->m->signals[signal].kind == FB_SIGNAL_VALUE ||
                                    b->m->signals[signal].kind == FB_SIGNAL_RATE);
    if (!is_plain || strpbrk(sensor, "+-*/^( ")) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "sensor",
                         "'%s' cannot be prescribed at the start; name a position, velocity, "
                         "distance or coordinate",
                         sensor);
        return FB_OK;
    }
    FbQuantity wanted = fb_quantity_of_unit(b->m->signals[signal].unit);
    if (!fb_compile_check_written(b, wanted, &def->origin, "value")) {
        return FB_OK;
    }
    return add_condition(b, signal, def->value,
                         fb_arena_format(b->m->arena, "initial '%s'", sensor), &def->origin);
}

FbStatus fb_compile_conditions(FbBuilder* b) {
    if (b->is_absolute) {
        return FB_OK;  // its states come from an operating point
    }
    for (int j = 0; j < b->m->n_joints; j++) {
        int first = b->m->n_conditions;
        FB_TRY(set_joint(b, j));
        for (int i = first; i < b->m->n_conditions; i++) {
            b->m->conditions[i].is_of_node = b->m->is_node[j];
        }
    }
    for (int i = 0; i < b->def->n_initials; i++) {
        FB_TRY(set_sensor(b, i));
    }
    return FB_OK;
}

// Lengths that were not given are those of the drawing.
static FbStatus fill_drawn_values(FbBuilder* b, FbError* err) {
    FbModel* m = b->m;
    FbArena* scratch = fb_arena_create();
    FbKinematics k;
    if (!scratch || fb_kinematics_init(&m->tree, scratch, &k, err) < 0) {
        fb_arena_destroy(scratch);
        return fb_fail_memory(err);
    }
    fb_tree_realize_position(&m->tree, m->q_drawn, &k);
    FbTermState s;
    for (int i = 0; i < m->n_rows; i++) {
        if (isnan(m->rows[i].offset)) {
            fb_term_calc_position(&m->terms[m->rows[i].term], &k, m->q_drawn, NULL, &s);
            m->rows[i].offset = s.value;
        }
    }
    for (int i = 0; i < m->n_forces; i++) {
        FbForce* e = &m->forces[i];
        if (isnan(e->rest)) {
            e->rest = 0.0;
            if (e->term >= 0) {
                fb_term_calc_position(&m->terms[e->term], &k, m->q_drawn, NULL, &s);
                e->rest = s.value;
            }
        }
    }
    fb_arena_destroy(scratch);
    return FB_OK;
}

static void add_path_block(const FbModel* m, FbPatternBuilder* p, int path, int n_path) {
    for (int i = path; i < path + n_path; i++) {
        for (int j = path; j < path + n_path; j++) {
            fb_pattern_builder_add(p, m->paths.v[i], m->paths.v[j]);
        }
    }
}

static void add_ports(FbPatternBuilder* p, const FbPortPath* path) {
    for (int i = 0; i < path->n; i++) {
        for (int j = 0; j < path->n; j++) {
            fb_pattern_builder_add(p, path->v[i], path->v[j]);
        }
    }
}

// Couples the rows in `v` with every velocity that a signal depends on.
static void add_signal_columns(const FbModel* m, FbPatternBuilder* p, const int* v, int n,
                               int signal) {
    const FbSignal* s = &m->signals[signal];
    bool is_sample = s->kind == FB_SIGNAL_SAMPLE && !m->samplers[s->index].is_always_held;
    if (s->kind == FB_SIGNAL_FUNCTION || is_sample) {
        int function = is_sample ? m->samplers[s->index].function : s->index;
        const FbExpr* expr = m->functions[function].expr;
        for (int i = 0; i < fb_expr_input_count(expr); i++) {
            add_signal_columns(m, p, v, n, fb_expr_inputs(expr)[i]);
        }
        return;
    }
    int free = s->kind == FB_SIGNAL_SLIDER ? m->sliders[s->index].coordinate_v : -1;
    for (int i = 0; free >= 0 && i < n; i++) {
        fb_pattern_builder_add(p, v[i], free);
    }
    int n_terms = s->kind == FB_SIGNAL_SCALAR_FORCE ? 1 : s->n_terms;
    for (int t = s->term; t < s->term + n_terms; t++) {
        const FbTerm* term = &m->terms[t];
        for (int i = 0; i < n; i++) {
            if (term->kind == FB_TERM_COORDINATE) {
                fb_pattern_builder_add(p, v[i], term->coordinate_v);
            }
            for (int j = term->path; j < term->path + term->n_path; j++) {
                fb_pattern_builder_add(p, v[i], m->paths.v[j]);
            }
        }
    }
    if (s->kind == FB_SIGNAL_SCALAR_FORCE) {
        for (int f = 0; f < 3; f++) {
            int function = m->forces[s->index].function[f];
            for (int i = 0; function >= 0 && i < fb_expr_input_count(m->functions[function].expr);
                 i++) {
                int input = fb_expr_inputs(m->functions[function].expr)[i];
                if (input < FB_INPUT_VALUE) {
                    add_signal_columns(m, p, v, n, input);
                }
            }
        }
    }
}

static void add_element(const FbModel* m, FbPatternBuilder* p, const FbForce* e) {
    int path = e->path, n_path = e->n_path;
    const int* rows = m->paths.v + path;
    if (e->term >= 0) {
        const FbTerm* term = &m->terms[e->term];
        path = term->path;
        n_path = term->n_path;
        rows = m->paths.v + path;
        if (term->kind == FB_TERM_COORDINATE) {
            fb_pattern_builder_add(p, term->coordinate_v, term->coordinate_v);
            rows = &term->coordinate_v;
            path = n_path = 0;
        }
    }
    add_path_block(m, p, path, n_path);
    int n_rows =
        n_path > 0 ? n_path : (e->term >= 0 && m->terms[e->term].kind == FB_TERM_COORDINATE);
    for (int f = 0; f < 3; f++) {
        const FbExpr* expr = e->function[f] >= 0 ? m->functions[e->function[f]].expr : NULL;
        for (int i = 0; expr && i < fb_expr_input_count(expr); i++) {
            if (fb_expr_inputs(expr)[i] < FB_INPUT_VALUE) {
                add_signal_columns(m, p, rows, n_rows, fb_expr_inputs(expr)[i]);
            }
        }
    }
}

// What the expression of a function measures, in the rows of a path.
static void add_function_columns(const FbModel* m, FbPatternBuilder* p, const FbPortPath* path,
                                 int function) {
    const FbExpr* expr = function >= 0 ? m->functions[function].expr : NULL;
    for (int i = 0; expr && i < fb_expr_input_count(expr); i++) {
        if (fb_expr_inputs(expr)[i] < FB_INPUT_VALUE) {
            add_signal_columns(m, p, path->v, path->n, fb_expr_inputs(expr)[i]);
        }
    }
}

static void add_slider(const FbModel* m, FbPatternBuilder* p, const FbSlider* slider) {
    int own = slider->coordinate_v, n = slider->n_pieces > 0 ? slider->n_pieces : 1;
    for (int k = 0; k < n; k++) {
        const FbPortPath* path =
            slider->n_pieces > 0 ? &m->beams[slider->pieces[k].beam].base.path : &slider->path;
        add_ports(p, path);
        add_function_columns(m, p, path, slider->command);
        for (int i = 0; own >= 0 && i < path->n; i++) {
            fb_pattern_builder_add(p, own, path->v[i]);
            fb_pattern_builder_add(p, path->v[i], own);
        }
    }
    if (own >= 0) {
        fb_pattern_builder_add(p, own, own);
    }
}

static void add_structures(const FbModel* m, FbPatternBuilder* p) {
    for (int i = 0; i < m->n_beams; i++) {
        add_ports(p, &m->beams[i].base.path);
        for (int c = 0; c < 3; c++) {
            add_function_columns(m, p, &m->beams[i].base.path, m->beams[i].load[c]);
        }
    }
    for (int i = 0; i < m->n_sliders; i++) {
        add_slider(m, p, &m->sliders[i]);
    }
}

void fb_forces_add_pattern(const FbModel* m, FbPatternBuilder* p) {
    for (int i = 0; i < m->n_forces; i++) {
        add_element(m, p, &m->forces[i]);
    }
}

// Up to this many velocities every entry is kept: dense code is then faster than searching.
enum { FULL_BELOW = 32 };

FbStatus fb_compile_pattern(FbBuilder* b, FbError* err) {
    FbModel* m = b->m;
    int n = m->tree.n_v;
    FB_TRY(fill_drawn_values(b, err));
    if (n <= FULL_BELOW) {
        return fb_pattern_full(n, n, m->arena, &m->vv, err);
    }
    FbPatternBuilder* p = fb_pattern_builder_create(n, n);
    if (!p) {
        return fb_fail_memory(err);
    }
    fb_tree_add_pattern(&m->tree, p);
    for (int i = 0; i < m->n_rows; i++) {
        for (int t = m->rows[i].term; t < m->rows[i].term + m->rows[i].n_terms; t++) {
            add_path_block(m, p, m->terms[t].path, m->terms[t].n_path);
        }
    }
    fb_forces_add_pattern(m, p);
    add_structures(m, p);
    fb_carriages_add_pattern(m, p);
    fb_superelements_add_pattern(b, p);
    fb_modal_damping_add_pattern(m, p);
    FbStatus status = fb_pattern_builder_finish(p, m->arena, &m->vv, err);
    fb_pattern_builder_destroy(p);
    return status;
}
