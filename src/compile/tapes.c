// Small models of links and linear springs as tapes: the residual, the powers and the Jacobian
// blocks with all that is constant folded (theory manual, section 2.9).
#include <stdlib.h>

#include "compile/compile.h"
#include "tree/trace.h"

// Beyond this many velocities memory and the time to write the tapes grow faster than the gain;
// blocks have the square of them.
enum { MOST_V = 16, MOST_BLOCK_V = 8, MOST_NODES = 20000 };

static bool has_function(const FbForce* e) {
    return e->function[0] >= 0 || e->function[1] >= 0 || e->function[2] >= 0 || e->law >= 0;
}

static bool can_trace_force(const FbModel* m, const FbForce* e) {
    return e->type->is_linear && !has_function(e) && e->term >= 0 && !e->linear_rows &&
           fb_tree_can_trace_term(&m->terms[e->term]);
}

// Joints with three turns are watched for gimbal lock, which needs their axes.
static bool has_three_turns(const FbModel* m) {
    for (int j = 0; j < m->n_joints; j++) {
        for (int i = 0; i < m->joints[j].type->n_v; i++) {
            if (m->joints[j].type->coordinates[i].kind == FB_COORD_CARDAN) {
                return true;
            }
        }
    }
    return false;
}

static bool can_trace(const FbModel* m) {
    bool is_plain = m->n_rows == 0 && m->n_states == 0 && m->n_turns == 0 && !m->has_structures &&
                    m->n_superelements == 0 && m->n_elements == 0 && m->n_sliders == 0 &&
                    m->n_switches == 0 && !m->is_deep && m->tree.n_v <= MOST_V;
    if (!is_plain || !fb_tree_can_trace(&m->tree) || has_three_turns(m)) {
        return false;
    }
    for (int i = 0; i < m->n_forces; i++) {
        if (!can_trace_force(m, &m->forces[i])) {
            return false;
        }
    }
    return true;
}

// Q and D of a linear law: Q = Q0 + Q_x (x - rest) + Q_x' x',  D = D1 x'^2.
static void trace_force(FbTreeTrace* t, const FbModel* m, const FbForce* e, int* r,
                        int* dissipated) {
    FbFormulas* f = t->f;
    FbScalarForce law = {0, 0, 0};
    int n_v = m->tree.n_v, slope[MOST_V];
    e->type->scalar(e->def, e->rest, e->rest, 0.0, &law);
    int value = fb_tree_trace_term(t, &m->terms[e->term]), rate = fb_formula_constant(f, 0.0);
    fb_formula_gradient(f, value, n_v, slope);
    for (int j = 0; j < n_v; j++) {
        rate = fb_formula_add(f, rate, fb_formula_mul(f, slope[j], fb_trace_v(t, j)));
    }
    int stretch = fb_formula_sub(f, value, fb_formula_constant(f, e->rest));
    int by_value = fb_formula_mul(f, fb_formula_constant(f, law.dq_dvalue), stretch);
    int by_rate = fb_formula_mul(f, fb_formula_constant(f, law.dq_drate), rate);
    int Q = fb_formula_add(f, fb_formula_add(f, fb_formula_constant(f, law.q), by_value), by_rate);
    for (int j = 0; j < n_v; j++) {
        r[j] = fb_formula_sub(f, r[j], fb_formula_mul(f, Q, slope[j]));
    }
    if (e->type->dissipation) {
        int one = fb_formula_constant(f, e->type->dissipation(e->def, e->rest, e->rest, 1.0));
        int power = fb_formula_mul(f, one, fb_formula_mul(f, rate, rate));
        *dissipated = fb_formula_add(f, *dissipated, power);
    }
}

// The blocks in the order of the pattern, by the gradient of each r.
static const FbFormulaTape* trace_blocks(FbFormulas* f, FbModel* m, const int* r) {
    int n_v = m->tree.n_v, count = fb_pattern_count(&m->vv);
    int gradient[3 * MOST_BLOCK_V], outputs[3 * MOST_BLOCK_V * MOST_BLOCK_V];
    for (int i = 0; i < n_v && !f->has_failed; i++) {
        fb_formula_gradient(f, r[i], 3 * n_v, gradient);
        for (int j = 0; j < n_v; j++) {
            int k = fb_pattern_index(&m->vv, i, j);
            if (k >= 0) {
                outputs[k] = gradient[2 * n_v + j];
                outputs[count + k] = gradient[n_v + j];
                outputs[2 * count + k] = gradient[j];
            }
        }
    }
    return fb_tape_create(f, 3 * n_v, outputs, 3 * count, m->arena);
}

static void trace(FbFormulas* f, FbTreeTrace* t, FbModel* m) {
    int n_v = m->tree.n_v, r[MOST_V], powers[2];
    fb_tree_trace_residual(t, r);
    powers[0] = powers[1] = fb_formula_constant(f, 0.0);
    for (int i = 0; i < m->n_forces; i++) {
        trace_force(t, m, &m->forces[i], r, &powers[1]);
    }
    m->tapes.residual = fb_tape_create(f, 3 * n_v, r, n_v, m->arena);
    m->tapes.powers = fb_tape_create(f, 3 * n_v, powers, 2, m->arena);
    if (n_v <= MOST_BLOCK_V) {
        m->tapes.blocks = trace_blocks(f, m, r);
    }
}

FbStatus fb_compile_tapes(FbBuilder* b) {
    FbModel* m = b->m;
    if (!can_trace(m)) {
        return FB_OK;
    }
    FbFormulas f;
    FbTreeTrace t;
    fb_formulas_init(&f, MOST_NODES);
    if (fb_tree_trace_init(&t, &f, &m->tree)) {
        trace(&f, &t, m);
    }
    // A model that is too large for tapes does without them; one that is not ran out of memory.
    bool has_all =
        m->tapes.residual && m->tapes.powers && (m->tapes.blocks || m->tree.n_v > MOST_BLOCK_V);
    bool is_too_large = f.n >= MOST_NODES;
    fb_tree_trace_free(&t);
    fb_formulas_free(&f);
    return has_all || is_too_large ? FB_OK : FB_ERR_MEMORY;
}
