// Nodes of formulas: folding, common parts, derivatives.
#include "math/formula.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void fb_formulas_init(FbFormulas* f, int most) {
    memset(f, 0, sizeof *f);
    f->most = most;
    f->n_table = 1024;
    f->table = malloc(sizeof(int) * (size_t)f->n_table);
    if (!f->table) {
        f->has_failed = true;
        f->n_table = 0;
        return;
    }
    memset(f->table, -1, sizeof(int) * (size_t)f->n_table);
}

void fb_formulas_free(FbFormulas* f) {
    free(f->nodes);
    free(f->table);
    memset(f, 0, sizeof *f);
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static size_t hash_of(const FbFormulaNode* n) {
    uint64_t h = bits_of(n->value) + 0x9e3779b97f4a7c15u * (uint64_t)(n->op + 1);
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u + (uint64_t)(unsigned)n->a;
    h = (h ^ (h >> 31)) * 0x94d049bb133111ebu + (uint64_t)(unsigned)n->b;
    h = (h ^ (h >> 30)) * 0x9e3779b97f4a7c15u;
    return (size_t)(h ^ (h >> 32));
}

static bool is_equal(const FbFormulaNode* x, const FbFormulaNode* y) {
    return x->op == y->op && x->a == y->a && x->b == y->b && bits_of(x->value) == bits_of(y->value);
}

// Where the node is in the table, or where it may go.
static size_t find_slot(const FbFormulas* f, const FbFormulaNode* n) {
    size_t mask = (size_t)f->n_table - 1, i = hash_of(n) & mask;
    while (f->table[i] >= 0 && !is_equal(&f->nodes[f->table[i]], n)) {
        i = (i + 1) & mask;
    }
    return i;
}

static bool grow_table(FbFormulas* f) {
    int* table = malloc(sizeof(int) * 2 * (size_t)f->n_table);
    if (!table) {
        return false;
    }
    free(f->table);
    f->table = table;
    f->n_table *= 2;
    memset(f->table, -1, sizeof(int) * (size_t)f->n_table);
    for (int i = 0; i < f->n; i++) {
        f->table[find_slot(f, &f->nodes[i])] = i;
    }
    return true;
}

// The node, an equal one where there is one. 0 where nothing is of use any more.
static int add_node(FbFormulas* f, FbFormulaNode node) {
    if (f->has_failed) {
        return 0;
    }
    size_t slot = find_slot(f, &node);
    if (f->table[slot] >= 0) {
        return f->table[slot];
    }
    bool is_full = 2 * f->n >= f->n_table;
    if (f->n >= f->most || !fb_grow((void**)&f->nodes, &f->capacity, f->n, sizeof node) ||
        (is_full && !grow_table(f))) {
        f->has_failed = true;
        return 0;
    }
    f->nodes[f->n] = node;
    f->table[is_full ? find_slot(f, &node) : slot] = f->n;
    return f->n++;
}

static bool is_constant(const FbFormulas* f, int a, double* value) {
    if (f->has_failed || f->nodes[a].op != FB_FORMULA_CONSTANT) {
        return false;
    }
    *value = f->nodes[a].value;
    return true;
}

static bool is_negative(const FbFormulas* f, int a) {
    return !f->has_failed && f->nodes[a].op == FB_FORMULA_NEG;
}

// Without its sign.
static int inner(const FbFormulas* f, int a) {
    return f->nodes[a].a;
}

int fb_formula_constant(FbFormulas* f, double x) {
    return add_node(f, (FbFormulaNode){.op = FB_FORMULA_CONSTANT, .value = x == 0.0 ? 0.0 : x});
}

int fb_formula_input(FbFormulas* f, int i) {
    return add_node(f, (FbFormulaNode){.op = FB_FORMULA_INPUT, .a = i});
}

int fb_formula_neg(FbFormulas* f, int a) {
    double x;
    if (is_constant(f, a, &x)) {
        return fb_formula_constant(f, -x);
    }
    return is_negative(f, a) ? inner(f, a)
                             : add_node(f, (FbFormulaNode){.op = FB_FORMULA_NEG, .a = a});
}

int fb_formula_add(FbFormulas* f, int a, int b) {
    double x = 1.0, y = 1.0;
    bool has_x = is_constant(f, a, &x), has_y = is_constant(f, b, &y);
    if (has_x && has_y) {
        return fb_formula_constant(f, x + y);
    }
    if (x == 0.0 && has_x) {
        return b;
    }
    if (y == 0.0 && has_y) {
        return a;
    }
    if (is_negative(f, b)) {
        return fb_formula_sub(f, a, inner(f, b));
    }
    if (is_negative(f, a)) {
        return fb_formula_sub(f, b, inner(f, a));
    }
    return add_node(f,
                    (FbFormulaNode){.op = FB_FORMULA_ADD, .a = a < b ? a : b, .b = a < b ? b : a});
}

int fb_formula_sub(FbFormulas* f, int a, int b) {
    double x = 1.0, y = 1.0;
    bool has_x = is_constant(f, a, &x), has_y = is_constant(f, b, &y);
    if (has_x && has_y) {
        return fb_formula_constant(f, x - y);
    }
    if (has_x && x == 0.0) {
        return fb_formula_neg(f, b);
    }
    if (has_y && y == 0.0) {
        return a;
    }
    if (is_negative(f, b)) {
        return fb_formula_add(f, a, inner(f, b));
    }
    return add_node(f, (FbFormulaNode){.op = FB_FORMULA_SUB, .a = a, .b = b});
}

// A product by 0, 1 or -1; -1: it is none of these.
static int fold_product(FbFormulas* f, double x, int b) {
    if (x == 0.0) {
        return fb_formula_constant(f, 0.0);
    }
    return x == 1.0 ? b : x == -1.0 ? fb_formula_neg(f, b) : -1;
}

int fb_formula_mul(FbFormulas* f, int a, int b) {
    double x, y;
    bool has_x = is_constant(f, a, &x), has_y = is_constant(f, b, &y);
    if (has_x && has_y) {
        return fb_formula_constant(f, x * y);
    }
    int folded = has_x ? fold_product(f, x, b) : has_y ? fold_product(f, y, a) : -1;
    if (folded >= 0) {
        return folded;
    }
    if (is_negative(f, a)) {
        return fb_formula_neg(f, fb_formula_mul(f, inner(f, a), b));
    }
    if (is_negative(f, b)) {
        return fb_formula_neg(f, fb_formula_mul(f, a, inner(f, b)));
    }
    return add_node(f,
                    (FbFormulaNode){.op = FB_FORMULA_MUL, .a = a < b ? a : b, .b = a < b ? b : a});
}

int fb_formula_div(FbFormulas* f, int a, int b) {
    double x, y;
    bool has_x = is_constant(f, a, &x), has_y = is_constant(f, b, &y);
    if (has_x && has_y) {
        return fb_formula_constant(f, x / y);
    }
    if (has_x && x == 0.0) {
        return a;
    }
    if (is_negative(f, a)) {
        return fb_formula_neg(f, fb_formula_div(f, inner(f, a), b));
    }
    return has_y && y == 1.0 ? a : add_node(f, (FbFormulaNode){FB_FORMULA_DIV, a, b, 0.0});
}

int fb_formula_sqrt(FbFormulas* f, int a) {
    double x;
    return is_constant(f, a, &x) ? fb_formula_constant(f, sqrt(x))
                                 : add_node(f, (FbFormulaNode){.op = FB_FORMULA_SQRT, .a = a});
}

int fb_formula_sin(FbFormulas* f, int a) {
    double x;
    return is_constant(f, a, &x) ? fb_formula_constant(f, sin(x))
                                 : add_node(f, (FbFormulaNode){.op = FB_FORMULA_SIN, .a = a});
}

int fb_formula_cos(FbFormulas* f, int a) {
    double x;
    return is_constant(f, a, &x) ? fb_formula_constant(f, cos(x))
                                 : add_node(f, (FbFormulaNode){.op = FB_FORMULA_COS, .a = a});
}

// Adds y to the derivative by node i, which is y where there was none.
static void increase(FbFormulas* f, int* by, int i, int y) {
    by[i] = by[i] < 0 ? y : fb_formula_add(f, by[i], y);
}

// From the derivative by a node to those by its operands.
static void pass_on(FbFormulas* f, int i, int* by) {
    FbFormulaNode n = f->nodes[i];
    int d = by[i];
    switch (n.op) {
        case FB_FORMULA_CONSTANT:
        case FB_FORMULA_INPUT:
            return;
        case FB_FORMULA_ADD:
            increase(f, by, n.a, d);
            increase(f, by, n.b, d);
            return;
        case FB_FORMULA_SUB:
            increase(f, by, n.a, d);
            increase(f, by, n.b, fb_formula_neg(f, d));
            return;
        case FB_FORMULA_MUL:
            increase(f, by, n.a, fb_formula_mul(f, d, n.b));
            increase(f, by, n.b, fb_formula_mul(f, d, n.a));
            return;
        case FB_FORMULA_DIV: {  // y = a/b: 1/b and -y/b
            int part = fb_formula_div(f, d, n.b);
            increase(f, by, n.a, part);
            increase(f, by, n.b, fb_formula_neg(f, fb_formula_mul(f, part, i)));
            return;
        }
        case FB_FORMULA_NEG:
            increase(f, by, n.a, fb_formula_neg(f, d));
            return;
        case FB_FORMULA_SQRT:  // 1/(2 y)
            increase(f, by, n.a,
                     fb_formula_div(f, fb_formula_mul(f, fb_formula_constant(f, 0.5), d), i));
            return;
        case FB_FORMULA_SIN:
            increase(f, by, n.a, fb_formula_mul(f, d, fb_formula_cos(f, n.a)));
            return;
        case FB_FORMULA_COS:
            increase(f, by, n.a, fb_formula_neg(f, fb_formula_mul(f, d, fb_formula_sin(f, n.a))));
            return;
    }
}

// Which nodes up to y depend on inputs by which derivatives are taken: only these pass on.
static void find_active(const FbFormulas* f, int y, int n, bool* is_active) {
    for (int i = 0; i <= y; i++) {
        const FbFormulaNode* node = &f->nodes[i];
        bool is_leaf = node->op == FB_FORMULA_CONSTANT || node->op == FB_FORMULA_INPUT;
        bool is_binary = node->op >= FB_FORMULA_ADD && node->op <= FB_FORMULA_DIV;
        is_active[i] = is_leaf ? node->op == FB_FORMULA_INPUT && node->a < n
                               : is_active[node->a] || (is_binary && is_active[node->b]);
    }
}

void fb_formula_gradient(FbFormulas* f, int y, int n, int* gradient) {
    size_t count = (size_t)y + 1;
    int* by = f->has_failed ? NULL : malloc(sizeof(int) * count);
    bool* is_active = malloc(count);
    int zero = fb_formula_constant(f, 0.0);
    for (int k = 0; k < n; k++) {
        gradient[k] = zero;
    }
    if (!by || !is_active) {
        f->has_failed = true;
        free(by);
        free(is_active);
        return;
    }
    find_active(f, y, n, is_active);
    memset(by, -1, sizeof(int) * count);
    by[y] = fb_formula_constant(f, 1.0);
    for (int i = y; i >= 0 && !f->has_failed; i--) {
        if (by[i] < 0 || !is_active[i]) {
            continue;
        }
        if (f->nodes[i].op == FB_FORMULA_INPUT) {
            gradient[f->nodes[i].a] = by[i];
        } else {
            pass_on(f, i, by);
        }
    }
    free(by);
    free(is_active);
}

FbFormula3 fb_formula3_cross(FbFormulas* f, FbFormula3 a, FbFormula3 b) {
    return (FbFormula3){
        fb_formula_sub(f, fb_formula_mul(f, a.y, b.z), fb_formula_mul(f, a.z, b.y)),
        fb_formula_sub(f, fb_formula_mul(f, a.z, b.x), fb_formula_mul(f, a.x, b.z)),
        fb_formula_sub(f, fb_formula_mul(f, a.x, b.y), fb_formula_mul(f, a.y, b.x))};
}

FbFormula3 fb_formula3_mul(FbFormulas* f, const FbMat3* m, FbFormula3 x) {
    FbFormula3 row[3];
    for (int r = 0; r < 3; r++) {
        row[r] = fb_formula3(f, fb_vec3(m->m[r][0], m->m[r][1], m->m[r][2]));
    }
    return (FbFormula3){fb_formula3_dot(f, row[0], x), fb_formula3_dot(f, row[1], x),
                        fb_formula3_dot(f, row[2], x)};
}

FbFormula3 fb_formula3_mul_transposed(FbFormulas* f, const FbMat3* m, FbFormula3 x) {
    FbFormula3 column[3];
    for (int c = 0; c < 3; c++) {
        column[c] = fb_formula3(f, fb_mat3_col(m, c));
    }
    return (FbFormula3){fb_formula3_dot(f, column[0], x), fb_formula3_dot(f, column[1], x),
                        fb_formula3_dot(f, column[2], x)};
}
