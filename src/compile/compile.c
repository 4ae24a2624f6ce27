// fb_model_create: runs the steps of compilation and owns the compiled model.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/part_build.h"
#include "describe/def_copy.h"
#include "flyball/linear.h"

void fb_compile_error(FbBuilder* b, FbStatus status, const FbOrigin* origin, const char* key,
                      const char* format, ...) {
    char text[FB_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    FbPlace place = fb_origin_place(origin, key);
    fb_diagnose(b->diagnostics, FB_SEVERE, status, &place, "%s", text);
}

static int no_memory(FbBuilder* b) {
    b->is_out_of_memory = true;
    return -1;
}

int fb_compile_term(FbBuilder* b, const FbTerm* term) {
    FbModel* m = b->m;
    if (!fb_grow((void**)&m->terms, &m->terms_capacity, m->n_terms, sizeof(FbTerm))) {
        return no_memory(b);
    }
    FbTerm* copy = &m->terms[m->n_terms];
    *copy = *term;
    if (copy->kind == FB_TERM_TURN_A || copy->kind == FB_TERM_TURN_B ||
        copy->kind == FB_TERM_CARDAN) {
        copy->turn = m->n_turns++;
    }
    return fb_term_find_path(&m->tree, &m->paths, copy) ? m->n_terms++ : no_memory(b);
}

int fb_compile_signal(FbBuilder* b, const FbSignal* signal) {
    FbModel* m = b->m;
    if (!fb_grow((void**)&m->signals, &m->signals_capacity, m->n_signals, sizeof(FbSignal))) {
        return no_memory(b);
    }
    m->signals[m->n_signals] = *signal;
    return m->n_signals++;
}

int fb_compile_row(FbBuilder* b, const FbRow* row) {
    FbModel* m = b->m;
    if (!fb_grow((void**)&m->rows, &m->rows_capacity, m->n_rows, sizeof(FbRow))) {
        return no_memory(b);
    }
    m->rows[m->n_rows] = *row;
    return m->n_rows++;
}

FbTerm fb_term_between(FbTermKind kind, const FbLinkFrame* a, const FbLinkFrame* b) {
    FbTerm term = {.kind = kind,
                   .factor = 1.0,
                   .link_a = a->link,
                   .link_b = b->link,
                   .p_a = a->p,
                   .p_b = b->p,
                   .turn = -1};
    return term;
}

// Holonomic rows first, so that the contract's position equations are the first n_g.
static FbStatus order_rows(FbBuilder* b) {
    FbModel* m = b->m;
    FbRow* sorted = malloc(sizeof(FbRow) * (size_t)(m->n_rows + 1));
    int* place = malloc(sizeof(int) * (size_t)(m->n_rows + 1));
    if (!sorted || !place) {
        free(sorted);
        free(place);
        return FB_ERR_MEMORY;
    }
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < m->n_rows; i++) {
            if (m->rows[i].is_holonomic == (pass == 0)) {
                place[i] = n;
                sorted[n++] = m->rows[i];
            }
        }
        if (pass == 0) {
            m->n_holonomic = n;
        }
    }
    if (m->n_rows > 0) {
        memcpy(m->rows, sorted, sizeof(FbRow) * (size_t)m->n_rows);
    }
    for (int i = 0; i < m->n_signals; i++) {
        if (m->signals[i].kind == FB_SIGNAL_MULTIPLIER) {
            m->signals[i].index = place[m->signals[i].index];
        }
    }
    free(sorted);
    free(place);
    return FB_OK;
}

static void calc_expression_sizes(FbModel* m) {
    for (int i = 0; i < m->n_functions; i++) {
        size_t scratch = fb_expr_scratch(m->functions[i].expr);
        size_t inputs = (size_t)fb_expr_input_count(m->functions[i].expr);
        m->max_scratch = scratch > m->max_scratch ? scratch : m->max_scratch;
        m->max_inputs = inputs > m->max_inputs ? inputs : m->max_inputs;
    }
    for (int i = 0; i < m->n_laws; i++) {
        const FbExpr* expr = m->laws[i].type ? fb_law_get_expression(&m->laws[i]) : NULL;
        size_t scratch = expr ? fb_expr_scratch(expr) : 0;
        size_t inputs = expr ? (size_t)fb_expr_input_count(expr) : 0;
        m->max_scratch = scratch > m->max_scratch ? scratch : m->max_scratch;
        m->max_inputs = inputs > m->max_inputs ? inputs : m->max_inputs;
    }
}

typedef FbStatus (*Step)(FbBuilder* b);

static FbStatus run_steps(FbBuilder* b) {
    static const Step steps[] = {fb_compile_inputs,     fb_compile_laws,         fb_builds_extend,
                                 fb_compile_bodies,     fb_compile_joint_frames, fb_compile_tree,
                                 fb_builds_build,       fb_compile_names,        fb_builds_connect,
                                 fb_compile_conditions, fb_compile_damping,      fb_compile_drawing,
                                 fb_compile_turning};
    enum { LAWS = 1, NAMED = 5 };  // the step that knows all names and frames
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        FB_TRY(steps[i](b));
        if (b->is_out_of_memory || fb_arena_has_failed(b->m->arena)) {
            return FB_ERR_MEMORY;
        }
        // Later steps build on names and frames.
        if (i > LAWS && i <= NAMED && fb_diagnostics_error_count(b->diagnostics) > 0) {
            return fb_diagnostics_status(b->diagnostics);
        }
    }
    if (fb_diagnostics_error_count(b->diagnostics) > 0) {
        return fb_diagnostics_status(b->diagnostics);
    }
    FB_TRY(fb_compile_check_circles(b));
    FB_TRY(order_rows(b));
    calc_expression_sizes(b->m);
    FB_TRY(fb_compile_switches(b));
    FB_TRY(fb_compile_charts(b));
    FB_TRY(fb_compile_pattern(b, &b->err));
    FB_TRY(fb_compile_deep(b, &b->err));
    FB_TRY(fb_compile_tapes(b));
    FB_TRY(fb_compile_units(b, &b->err));
    FB_TRY(fb_compile_linear_matrices(b, &b->err));
    return fb_compile_modal_damping(b, &b->err);
}

static void copy_settings(const FbModelDef* def, FbModel* m) {
    m->name = fb_arena_text(m->arena, def->name);
    m->title = fb_arena_text(m->arena, def->title);
    m->file = fb_arena_text(m->arena, def->file);
    memcpy(m->sha256, def->sha256, sizeof(m->sha256));
    m->settings = def->settings;
    m->settings.integrator =
        fb_arena_text(m->arena, def->settings.integrator ? def->settings.integrator : "auto");
    m->settings.start_output = fb_arena_text(m->arena, def->settings.start_output);
    fb_copy_texts(m->arena, def->settings.release, def->settings.n_release, &m->settings.release);
    m->simulation = def->simulation;
    fb_copy_origin(m->arena, m->file, &m->simulation);
    m->tree.gravity = fb_vec3_from(def->gravity);
    FbValue* values = FB_TAKE(m->arena, FbValue, def->n_parameters + 1);
    for (int i = 0; values && i < def->n_parameters; i++) {
        const FbParameter* p = &def->parameters[i];
        values[i] = (FbValue){fb_arena_text(m->arena, p->name), p->value};
    }
    m->parameters = values;
    m->n_parameters = values ? def->n_parameters : 0;
}

static FbStatus create(const FbModelDef* def, bool is_absolute, FbModel** out,
                       FbDiagnostics* diagnostics) {
    *out = NULL;
    FbModel* m = calloc(1, sizeof(FbModel));
    if (!m || !(m->arena = fb_arena_create())) {
        free(m);
        fb_diagnose(diagnostics, FB_SEVERE, FB_ERR_MEMORY, NULL, "out of memory");
        return FB_ERR_MEMORY;
    }
    copy_settings(def, m);
    FbBuilder b = {.def = def, .m = m, .diagnostics = diagnostics, .is_absolute = is_absolute};
    FbStatus status = run_steps(&b);
    free(b.frame_a);
    free(b.frame_b);
    if (b.def == &b.extended) {
        fb_names_free(&b.extended.bodies_names);
    }
    if (status == FB_OK && fb_arena_has_failed(m->arena)) {
        status = FB_ERR_MEMORY;
    }
    if (status < 0) {
        if (fb_diagnostics_error_count(diagnostics) == 0) {
            fb_diagnose(diagnostics, FB_SEVERE, status, NULL, "%s",
                        status == FB_ERR_MEMORY ? "out of memory" : b.err.text);
        }
        fb_model_destroy(m);
        return status;
    }
    *out = m;
    return FB_OK;
}

FbStatus fb_model_create(const FbModelDef* def, FbModel** out, FbDiagnostics* diagnostics) {
    return create(def, false, out, diagnostics);
}

FbStatus fb_model_create_absolute(const FbModelDef* def, FbModel** out,
                                  FbDiagnostics* diagnostics) {
    return create(def, true, out, diagnostics);
}
