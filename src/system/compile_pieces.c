// Which expressions act on the motion: directly, or through sensors and forces that others measure.
#include "system/compile.h"

static void mark(FbModel* m, int function);

static void mark_signal(FbModel* m, int signal) {
    const FbSignal* s = &m->signals[signal];
    if (s->kind == FB_SIGNAL_FUNCTION) {
        mark(m, s->index);
    } else if (s->kind == FB_SIGNAL_ELEMENT_FORCE) {
        mark(m, m->elements[s->index].function[0]);
    }
}

static void mark(FbModel* m, int function) {
    if (function < 0 || m->functions[function].acts) {
        return;
    }
    m->functions[function].acts = true;
    const FbExpr* expr = m->functions[function].expr;
    for (int i = 0; i < fb_expr_input_count(expr); i++) {
        int input = fb_expr_inputs(expr)[i];
        if (input < FB_INPUT_VALUE) {
            mark_signal(m, input);
        }
    }
}

void fb_compile_mark_acting(FbModel* m) {
    for (int i = 0; i < m->n_elements; i++) {
        for (int f = 0; f < 3; f++) {
            mark(m, m->elements[i].function[f]);
        }
    }
    for (int i = 0; i < m->n_states; i++) {
        mark(m, m->states[i].function);
    }
    for (int i = 0; i < m->n_beams; i++) {
        for (int c = 0; c < 3; c++) {
            mark(m, m->beams[i].load[c]);
        }
    }
}
