// The sparsity pattern of the velocities, and the lengths and offsets that the drawing gives.
#include <float.h>
#include <math.h>

#include "compile/part_build.h"

// A distance between points that coincide in the drawing, but for rounding, has no direction and
// would hold nothing.
static FbStatus check_distance(FbBuilder* b, const FbRow* row, const FbKinematics* k,
                               const FbTermState* s) {
    const FbModel* m = b->m;
    static const double ROUNDING = 64.0 * DBL_EPSILON;
    const FbTerm* term = &m->terms[row->term];
    if (term->kind != FB_TERM_DISTANCE || s->value > ROUNDING * fb_term_calc_distance(term, k, s)) {
        return FB_OK;
    }
    const FbConstraint* c = &m->constraints[row->owner];
    fb_diagnose(b->diagnostics, FB_SEVERE, FB_ERR_RANGE, &c->place,
                "the points of '%s' coincide in the drawing, and it has no length; give it one, "
                "> 0, or use a spherical joint to keep them together",
                c->name);
    return FB_ERR_RANGE;
}

// Lengths that were not given are those of the drawing.
static FbStatus fill_drawn_values(FbBuilder* b, FbError* err) {
    FbModel* m = b->m;
    FbArena* scratch = fb_arena_create();
    FbKinematics k;
    if (!scratch || fb_kinematics_init_position(&m->tree, scratch, &k, err) < 0) {
        fb_arena_destroy(scratch);
        return fb_fail_memory(err);
    }
    fb_tree_realize_position(&m->tree, m->q_drawn, &k);
    FbTermState s;
    FbStatus status = FB_OK;
    for (int i = 0; i < m->n_rows && status == FB_OK; i++) {
        if (isnan(m->rows[i].offset)) {
            fb_term_calc_position(&m->terms[m->rows[i].term], &k, m->q_drawn, NULL, &s);
            m->rows[i].offset = s.value;
            status = check_distance(b, &m->rows[i], &k, &s);
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
    return status;
}

void fb_pattern_add_path(const FbModel* m, FbPatternBuilder* p, int path, int n_path) {
    for (int i = path; i < path + n_path; i++) {
        for (int j = path; j < path + n_path; j++) {
            fb_pattern_builder_add(p, m->paths.v[i], m->paths.v[j]);
        }
    }
}

void fb_pattern_add_ports(FbPatternBuilder* p, const FbPortPath* path) {
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
    if (is_sample) {
        fb_pattern_add_function(m, p, v, n, m->samplers[s->index].function);
        return;
    }
    const int* functions;
    int n_functions = fb_signal_functions(m, s, &functions);
    for (int f = 0; f < n_functions; f++) {
        fb_pattern_add_function(m, p, v, n, functions[f]);
    }
    if (n_functions > 0) {
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
            fb_pattern_add_function(m, p, v, n, m->forces[s->index].function[f]);
        }
    }
}

void fb_pattern_add_function(const FbModel* m, FbPatternBuilder* p, const int* v, int n,
                             int function) {
    const FbExpr* expr = function >= 0 ? m->functions[function].expr : NULL;
    for (int i = 0; expr && i < fb_expr_input_count(expr); i++) {
        if (fb_expr_inputs(expr)[i] < FB_INPUT_VALUE) {
            add_signal_columns(m, p, v, n, fb_expr_inputs(expr)[i]);
        }
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
            fb_pattern_add_path(m, p, m->terms[t].path, m->terms[t].n_path);
        }
    }
    fb_builds_add_pattern(b, p);
    FbStatus status = fb_pattern_builder_finish(p, m->arena, &m->vv, err);
    fb_pattern_builder_destroy(p);
    return status;
}
