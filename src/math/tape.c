// From formulas to a tape: which operations are needed, which can be joined, in which order.
#include "math/tape.h"

#include <stdlib.h>
#include <string.h>

// Places of constants that every tape has.
enum { KEPT, FLIPPED, ZERO, ONE, MINUS_ONE, N_OWN };

// What becomes of a node: a step with operands, which are nodes or, negative, -1 - a constant that
// every tape has.
typedef struct Plan {
    int uses;  // by nodes that are needed, and by outputs
    bool is_needed;
    bool is_joined;  // part of another step
    bool is_flipped;
    unsigned char op;  // FbTapeOp
    int a, b, c;       // SINCOS: b is the other one of the pair, if somebody needs it, or own()
    int slot;
    int missing;      // operands that are not in memory yet
    int first_user;   // of the steps that wait for it, -1: none
    int next;         // step of its kind that is ready, -1: none
    int first_angle;  // 1 + the first sine or cosine of it, 0: none
} Plan;

typedef struct User {
    int node, next;
} User;

typedef struct Writer {
    const FbFormulas* f;
    Plan* plan;  // [n]
    User* users;
    int n_users;
    int first[FB_N_TAPE_OPS], last[FB_N_TAPE_OPS];  // queues of steps that are ready
    FbTapeStep* steps;
    FbTapeRun* runs;
    int n_steps, n_runs, n_slots;
} Writer;

static int own(int constant) {
    return -1 - constant;
}
static bool is_binary(FbFormulaOp op) {
    return op >= FB_FORMULA_ADD && op <= FB_FORMULA_DIV;
}
static bool is_leaf(FbFormulaOp op) {
    return op == FB_FORMULA_CONSTANT || op == FB_FORMULA_INPUT;
}

static void find_needed(Writer* w, const int* outputs, int n_outputs) {
    for (int i = 0; i < n_outputs; i++) {
        w->plan[outputs[i]].is_needed = true;
        w->plan[outputs[i]].uses += 2;  // never joined
    }
    for (int i = w->f->n - 1; i >= 0; i--) {
        const FbFormulaNode* n = &w->f->nodes[i];
        if (!w->plan[i].is_needed || is_leaf(n->op)) {
            continue;
        }
        w->plan[n->a].is_needed = true;
        w->plan[n->a].uses++;
        if (is_binary(n->op)) {
            w->plan[n->b].is_needed = true;
            w->plan[n->b].uses++;
        }
    }
}

static void set_linear(Plan* p, int a, int b, int c, bool is_flipped) {
    p->op = FB_TAPE_LINEAR;
    p->a = a;
    p->b = b;
    p->c = c;
    p->is_flipped = is_flipped;
}

// c + x or c - x: a product x that nothing else uses is taken in.
static void set_sum(Writer* w, Plan* p, int c, int x, bool is_flipped) {
    const FbFormulaNode* n = &w->f->nodes[x];
    if (n->op == FB_FORMULA_MUL && w->plan[x].uses == 1) {
        w->plan[x].is_joined = true;
        set_linear(p, n->a, n->b, c, is_flipped);
    } else {
        set_linear(p, x, own(is_flipped ? MINUS_ONE : ONE), c, false);
    }
}

static void choose_op(Writer* w, int i) {
    const FbFormulaNode* n = &w->f->nodes[i];
    Plan* p = &w->plan[i];
    bool takes_a = n->op == FB_FORMULA_ADD && w->f->nodes[n->a].op == FB_FORMULA_MUL &&
                   w->plan[n->a].uses == 1;
    p->a = n->a;
    p->b = p->c = own(ZERO);
    switch (n->op) {
        case FB_FORMULA_ADD:
            set_sum(w, p, takes_a ? n->b : n->a, takes_a ? n->a : n->b, false);
            return;
        case FB_FORMULA_SUB:
            set_sum(w, p, n->a, n->b, true);
            return;
        case FB_FORMULA_MUL:
            set_linear(p, n->a, n->b, own(ZERO), false);
            return;
        case FB_FORMULA_NEG:
            set_linear(p, n->a, own(MINUS_ONE), own(ZERO), false);
            return;
        case FB_FORMULA_DIV:
            p->op = FB_TAPE_DIV;
            p->b = n->b;
            return;
        case FB_FORMULA_SQRT:
            p->op = FB_TAPE_SQRT;
            return;
        case FB_FORMULA_SIN:
        case FB_FORMULA_COS:
            p->op = FB_TAPE_SINCOS;
            return;
        case FB_FORMULA_CONSTANT:
        case FB_FORMULA_INPUT:
            return;
    }
}

static bool is_angle(const Writer* w, int i) {
    FbFormulaOp op = w->f->nodes[i].op;
    return w->plan[i].is_needed && (op == FB_FORMULA_SIN || op == FB_FORMULA_COS);
}

// Sine and cosine of one angle are one step, that of whichever comes first.
static void pair_angles(Writer* w) {
    for (int i = 0; i < w->f->n; i++) {
        if (!is_angle(w, i)) {
            continue;
        }
        int* first = &w->plan[w->f->nodes[i].a].first_angle;  // 1 + its number
        if (*first) {
            w->plan[*first - 1].b = i;
            w->plan[i].is_joined = true;
        } else {
            *first = i + 1;
        }
    }
}

static uint32_t offset_of(int slot) {
    return (uint32_t)(slot * FB_TAPE_LANES * (int)sizeof(double));
}

static uint32_t operand_offset(const Writer* w, int node) {
    return offset_of(node < 0 ? -1 - node : w->plan[node].slot);
}

static void write_step(Writer* w, int i) {
    Plan* p = &w->plan[i];
    FbTapeStep* s = &w->steps[w->n_steps++];
    p->slot = w->n_slots++;
    *s = (FbTapeStep){.to = offset_of(p->slot),
                      .a = operand_offset(w, p->a),
                      .c = operand_offset(w, p->c),
                      .flip = offset_of(p->is_flipped ? FLIPPED : KEPT)};
    if (p->op != FB_TAPE_SINCOS) {
        s->b = operand_offset(w, p->b);
        return;
    }
    int other = w->n_slots++;
    if (p->b >= 0) {
        w->plan[p->b].slot = other;
    }
    bool is_sine = w->f->nodes[i].op == FB_FORMULA_SIN;
    s->to = offset_of(is_sine ? p->slot : other);
    s->b = offset_of(is_sine ? other : p->slot);
}

static void make_ready(Writer* w, int i) {
    int op = w->plan[i].op;
    w->plan[i].next = -1;
    if (w->first[op] < 0) {
        w->first[op] = i;
    } else {
        w->plan[w->last[op]].next = i;
    }
    w->last[op] = i;
}

// The value of a node is there: steps that have waited for it alone are ready.
static void finish(Writer* w, int i) {
    for (int e = w->plan[i].first_user; e >= 0; e = w->users[e].next) {
        int user = w->users[e].node;
        if (--w->plan[user].missing == 0) {
            make_ready(w, user);
        }
    }
}

// All steps of one kind that are ready, and those of the same kind that they make ready.
static void write_run(Writer* w, FbTapeOp op) {
    int begin = w->n_steps;
    while (w->first[op] >= 0) {
        int i = w->first[op], other = w->plan[i].b;
        w->first[op] = w->plan[i].next;
        write_step(w, i);
        finish(w, i);
        if (op == FB_TAPE_SINCOS && other >= 0) {
            finish(w, other);
        }
    }
    w->runs[w->n_runs++] = (FbTapeRun){op, w->n_steps - begin};
}

// What takes long comes as soon as nothing else is ready, so that as much as possible is done at
// once.
static void write_all(Writer* w) {
    bool is_done = false;
    while (!is_done) {
        is_done = true;
        for (int op = 0; op < FB_N_TAPE_OPS && is_done; op++) {
            if (w->first[op] >= 0) {
                write_run(w, (FbTapeOp)op);
                is_done = false;
            }
        }
    }
}

// Each step waits for its operands that are steps as well.
static void find_users(Writer* w) {
    for (int op = 0; op < FB_N_TAPE_OPS; op++) {
        w->first[op] = w->last[op] = -1;
    }
    for (int i = 0; i < w->f->n; i++) {
        Plan* p = &w->plan[i];
        if (!p->is_needed || p->is_joined || is_leaf(w->f->nodes[i].op)) {
            continue;
        }
        int from[3] = {p->a, p->op == FB_TAPE_SINCOS ? -1 : p->b, p->c};
        for (int k = 0; k < 3; k++) {
            if (from[k] >= 0 && !is_leaf(w->f->nodes[from[k]].op)) {
                w->users[w->n_users] = (User){i, w->plan[from[k]].first_user};
                w->plan[from[k]].first_user = w->n_users++;
                p->missing++;
            }
        }
        if (p->missing == 0) {
            make_ready(w, i);
        }
    }
}

// Slots of constants and inputs; what the others become.
static void place_leaves(Writer* w, FbFormulaTape* t, double* constants) {
    static const double common[N_OWN] = {0.0, -0.0, 0.0, 1.0, -1.0};
    memcpy(constants, common, sizeof common);
    t->n_constants = N_OWN;
    for (int i = 0; i < w->f->n; i++) {
        w->plan[i].first_user = -1;
        if (w->plan[i].is_needed && w->f->nodes[i].op == FB_FORMULA_CONSTANT) {
            constants[t->n_constants] = w->f->nodes[i].value;
            w->plan[i].slot = t->n_constants++;
        }
    }
    for (int i = 0; i < w->f->n; i++) {
        const FbFormulaNode* n = &w->f->nodes[i];
        if (w->plan[i].is_needed && n->op == FB_FORMULA_INPUT) {
            w->plan[i].slot = t->n_constants + n->a;
        } else if (w->plan[i].is_needed) {
            choose_op(w, i);
        }
    }
    pair_angles(w);
    w->n_slots = t->n_constants + t->n_inputs;
}

static const FbFormulaTape* copy_out(const Writer* w, FbFormulaTape t, const double* constants,
                                     const int* outputs, FbArena* arena) {
    FbFormulaTape* copy = FB_TAKE(arena, FbFormulaTape, 1);
    double* values = FB_TAKE(arena, double, t.n_constants);
    FbTapeStep* steps = FB_TAKE(arena, FbTapeStep, w->n_steps + 1);
    FbTapeRun* runs = FB_TAKE(arena, FbTapeRun, w->n_runs + 1);
    uint32_t* places = FB_TAKE(arena, uint32_t, t.n_outputs + 1);
    if (fb_arena_has_failed(arena)) {
        return NULL;
    }
    memcpy(values, constants, sizeof(double) * (size_t)t.n_constants);
    memcpy(steps, w->steps, sizeof(FbTapeStep) * (size_t)w->n_steps);
    memcpy(runs, w->runs, sizeof(FbTapeRun) * (size_t)w->n_runs);
    for (int i = 0; i < t.n_outputs; i++) {
        places[i] = operand_offset(w, outputs[i]);
    }
    const FbTapeKernel* wide = fb_tape_find_wide();
    *copy = t;
    copy->constants = values;
    copy->steps = steps;
    copy->runs = runs;
    copy->outputs = places;
    copy->n_steps = w->n_steps;
    copy->n_runs = w->n_runs;
    copy->n_work = w->n_slots * FB_TAPE_LANES;
    copy->kernel = wide ? wide : &fb_tape_lanes;
    return copy;
}

const FbFormulaTape* fb_tape_create(const FbFormulas* f, int n_inputs, const int* outputs,
                                    int n_outputs, FbArena* arena) {
    if (f->has_failed) {
        return NULL;
    }
    size_t n = (size_t)f->n + 1;
    FbFormulaTape t = {.n_inputs = n_inputs, .n_outputs = n_outputs};
    Writer w = {.f = f};
    w.plan = calloc(n, sizeof *w.plan);
    w.users = malloc(3 * n * sizeof *w.users);
    w.steps = malloc(n * sizeof *w.steps);
    w.runs = malloc(n * sizeof *w.runs);
    double* constants = malloc((n + N_OWN) * sizeof *constants);
    const FbFormulaTape* tape = NULL;
    if (w.plan && w.users && w.steps && w.runs && constants) {
        find_needed(&w, outputs, n_outputs);
        place_leaves(&w, &t, constants);
        find_users(&w);
        write_all(&w);
        tape = copy_out(&w, t, constants, outputs, arena);
    }
    free(w.plan);
    free(w.users);
    free(w.steps);
    free(w.runs);
    free(constants);
    return tape;
}

void fb_tape_start(const FbFormulaTape* t, double* work) {
    for (int i = 0; i < t->n_work; i++) {
        work[i] = i < t->n_constants * FB_TAPE_LANES ? t->constants[i / FB_TAPE_LANES] : 0.0;
    }
}
