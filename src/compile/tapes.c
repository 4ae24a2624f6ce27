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

// The numbers of a force: constant in a model, but inputs of the tapes, so that models that differ
// in them alone share their tapes. Those that are zero are folded.
enum { FORCE, BY_VALUE, BY_RATE, REST, DISSIPATED, N_NUMBERS };

static void find_numbers(const FbForce* e, double* numbers) {
    FbScalarForce law = {0, 0, 0};
    e->type->scalar(e->def, e->rest, e->rest, 0.0, &law);
    numbers[FORCE] = law.q;
    numbers[BY_VALUE] = law.dq_dvalue;
    numbers[BY_RATE] = law.dq_drate;
    numbers[REST] = e->rest;
    numbers[DISSIPATED] =
        e->type->dissipation ? e->type->dissipation(e->def, e->rest, e->rest, 1.0) : 0.0;
}

static int number(FbTreeTrace* t, const FbModel* m, int force, int which) {
    int i = N_NUMBERS * force + which;
    return m->tapes.numbers[i] == 0.0 ? fb_formula_constant(t->f, 0.0)
                                      : fb_formula_input(t->f, 3 * m->tree.n_v + i);
}

// Q and D of a linear law: Q = Q0 + Q_x (x - rest) + Q_x' x',  D = D1 x'^2.
static void trace_force(FbTreeTrace* t, const FbModel* m, int force, int* r, int* dissipated) {
    FbFormulas* f = t->f;
    int n_v = m->tree.n_v, slope[MOST_V];
    int value = fb_tree_trace_term(t, &m->terms[m->forces[force].term]);
    int rate = fb_formula_constant(f, 0.0);
    fb_formula_gradient(f, value, n_v, slope);
    for (int j = 0; j < n_v; j++) {
        rate = fb_formula_add(f, rate, fb_formula_mul(f, slope[j], fb_trace_v(t, j)));
    }
    int stretch = fb_formula_sub(f, value, number(t, m, force, REST));
    int by_value = fb_formula_mul(f, number(t, m, force, BY_VALUE), stretch);
    int by_rate = fb_formula_mul(f, number(t, m, force, BY_RATE), rate);
    int Q = fb_formula_add(f, fb_formula_add(f, number(t, m, force, FORCE), by_value), by_rate);
    for (int j = 0; j < n_v; j++) {
        r[j] = fb_formula_sub(f, r[j], fb_formula_mul(f, Q, slope[j]));
    }
    int power = fb_formula_mul(f, number(t, m, force, DISSIPATED), fb_formula_mul(f, rate, rate));
    *dissipated = fb_formula_add(f, *dissipated, power);
}

// The blocks in the order of the pattern, by the gradient of each r.
static const FbFormulaTape* trace_blocks(FbFormulas* f, const FbModel* m, const int* r,
                                         FbArena* arena) {
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
    return fb_tape_create(f, 3 * n_v + m->tapes.n_numbers, outputs, 3 * count, arena);
}

enum { RESIDUAL, POWERS, BLOCKS };

static void trace(FbFormulas* f, FbTreeTrace* t, const FbModel* m, FbTapeSet* set) {
    int n_v = m->tree.n_v, n_inputs = 3 * n_v + m->tapes.n_numbers, r[MOST_V], powers[2];
    fb_tree_trace_residual(t, r);
    powers[0] = powers[1] = fb_formula_constant(f, 0.0);
    for (int i = 0; i < m->n_forces; i++) {
        trace_force(t, m, i, r, &powers[1]);
    }
    set->tapes[RESIDUAL] = fb_tape_create(f, n_inputs, r, n_v, set->arena);
    set->tapes[POWERS] = fb_tape_create(f, n_inputs, powers, 2, set->arena);
    if (n_v <= MOST_BLOCK_V) {
        set->tapes[BLOCKS] = trace_blocks(f, m, r, set->arena);
    }
}

// Fields in a row, without the bytes between them, which are not defined.
static void add_fields(FbBytes* b, const void* first, const void* end) {
    fb_bytes_add(b, first, (size_t)((const char*)end - (const char*)first));
}

static void add_link(FbBytes* b, const FbLink* link) {
    unsigned char flags[] = {link->has_mass, link->carries_mass, link->is_base_moving,
                             link->has_arm};
    add_fields(b, &link->kind, &link->axis + 1);
    add_fields(b, &link->sign, &link->inertia + 1);
    add_fields(b, &link->joint, &link->base + 1);
    fb_bytes_add(b, &link->chart, sizeof link->chart);
    fb_bytes_add(b, flags, sizeof flags);
}

static void add_term(FbBytes* b, const FbTerm* term) {
    fb_bytes_add(b, &term->kind, sizeof term->kind);
    fb_bytes_add(b, &term->factor, sizeof term->factor);
    add_fields(b, &term->coordinate_q, &term->link_b + 1);
    add_fields(b, &term->p_a, &term->d + 1);
    fb_bytes_add(b, &term->chart, sizeof term->chart);
}

// All that trace() looks at.
static FbBytes make_key(const FbModel* m) {
    FbBytes b = {0};
    const FbTree* tree = &m->tree;
    int sizes[] = {tree->n_link, tree->n_v, m->n_forces, fb_pattern_count(&m->vv)};
    fb_bytes_add(&b, sizes, sizeof sizes);
    fb_bytes_add(&b, &tree->gravity, sizeof tree->gravity);
    for (int i = 0; i < tree->n_link; i++) {
        add_link(&b, &tree->links[i]);
    }
    for (int i = 0; i < m->n_forces; i++) {
        add_term(&b, &m->terms[m->forces[i].term]);
    }
    for (int i = 0; i < m->tapes.n_numbers; i++) {
        unsigned char is_zero = m->tapes.numbers[i] == 0.0;
        fb_bytes_add(&b, &is_zero, 1);
    }
    fb_bytes_add(&b, m->vv.start, sizeof(int) * (size_t)(m->vv.n_col + 1));
    fb_bytes_add(&b, m->vv.row, sizeof(int) * (size_t)fb_pattern_count(&m->vv));
    return b;
}

// Takes the key over. NULL: out of memory. Without tapes where the model is too large for them.
static FbTapeSet* write_tapes(const FbModel* m, FbBytes key) {
    FbTapeSet* set = fb_tape_set_create();
    FbFormulas f;
    FbTreeTrace t;
    if (!set) {
        free(key.data);
        return NULL;
    }
    set->key = key;
    fb_formulas_init(&f, MOST_NODES);
    if (fb_tree_trace_init(&t, &f, &m->tree)) {
        trace(&f, &t, m, set);
    }
    // A model that is too large for tapes does without them; one that is not ran out of memory.
    bool has_all = set->tapes[RESIDUAL] && set->tapes[POWERS] &&
                   (set->tapes[BLOCKS] || m->tree.n_v > MOST_BLOCK_V);
    bool is_too_large = f.n >= MOST_NODES;
    fb_tree_trace_free(&t);
    fb_formulas_free(&f);
    if (!has_all && !is_too_large) {
        fb_tape_set_release(set);
        return NULL;
    }
    return set;
}

FbStatus fb_compile_tapes(FbBuilder* b) {
    FbModel* m = b->m;
    if (!can_trace(m)) {
        return FB_OK;
    }
    double* numbers = FB_TAKE(m->arena, double, N_NUMBERS * m->n_forces + 1);
    if (!numbers) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_forces; i++) {
        find_numbers(&m->forces[i], numbers + N_NUMBERS * i);
    }
    m->tapes.numbers = numbers;
    m->tapes.n_numbers = N_NUMBERS * m->n_forces;
    FbTapeStore* store = b->def->tapes;
    FbBytes key = store ? make_key(m) : (FbBytes){0};
    FbTapeSet* set = store && !key.has_failed ? fb_tape_store_find(store, &key) : NULL;
    if (set) {
        free(key.data);
    } else if (!(set = write_tapes(m, key))) {
        return FB_ERR_MEMORY;
    } else if (store && !set->key.has_failed) {
        fb_tape_store_add(store, set);
    }
    m->tapes.set = set;
    m->tapes.residual = set->tapes[RESIDUAL];
    m->tapes.powers = set->tapes[POWERS];
    m->tapes.blocks = set->tapes[BLOCKS];
    return FB_OK;
}
