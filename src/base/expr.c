// Evaluating compiled expressions: values, gradients by reverse accumulation, second-order jets.
#include "base/expr.h"

#include <string.h>

#include "base/expr_tape.h"

int fb_expr_input_count(const FbExpr* expr) {
    return expr->n_inputs;
}

const int* fb_expr_inputs(const FbExpr* expr) {
    return expr->inputs;
}

FbQuantity fb_expr_quantity(const FbExpr* expr) {
    return expr->quantity;
}

int fb_expr_unit_offset(const FbExpr* expr) {
    return expr->unit_at;
}

// A jet keeps three numbers for each instruction.
int fb_expr_length(const FbExpr* expr) {
    return expr->n_code;
}

size_t fb_expr_scratch(const FbExpr* expr) {
    return 3 * (size_t)expr->n_code;
}

static inline double evaluate(const FbInstruction* s, const double* inputs, const double* v) {
    switch (s->op) {
        case FB_OP_CONSTANT:
            return s->constant;
        case FB_OP_INPUT:
            return inputs[s->a];
        case FB_OP_IF:
            return v[s->a] != 0.0 ? v[s->b] : v[s->c];
        case FB_OP_ADD:
            return v[s->a] + v[s->b];
        case FB_OP_SUBTRACT:
            return v[s->a] - v[s->b];
        case FB_OP_MULTIPLY:
            return v[s->a] * v[s->b];
        case FB_OP_DIVIDE:
            return v[s->a] / v[s->b];
        default:
            return fb_op_value(s->op, v[s->a], v[s->op < FB_OP_ADD ? s->a : s->b]);
    }
}

double fb_expr_value(const FbExpr* expr, const double* values, double* scratch) {
    for (int i = 0; i < expr->n_code; i++) {
        scratch[i] = evaluate(&expr->code[i], values, scratch);
    }
    return scratch[expr->n_code - 1];
}

// Passes the adjoint of instruction i on to its arguments.
static void pull_back(const FbInstruction* s, int i, const double* v, double* adjoint) {
    double bar = adjoint[i];
    if (s->op == FB_OP_IF) {
        adjoint[v[s->a] != 0.0 ? s->b : s->c] += bar;
        return;
    }
    bool has_two = s->op >= FB_OP_ADD;
    FbPartials p = fb_op_partials(s->op, v[s->a], v[has_two ? s->b : s->a], v[i], false);
    adjoint[s->a] += bar * p.x;
    if (has_two) {
        adjoint[s->b] += bar * p.y;
    }
}

double fb_expr_gradient(const FbExpr* expr, const double* values, double* scratch,
                        double* gradient) {
    double value = fb_expr_value(expr, values, scratch);
    double* adjoint = scratch + expr->n_code;
    memset(adjoint, 0, sizeof *adjoint * (size_t)expr->n_code);
    memset(gradient, 0, sizeof *gradient * (size_t)expr->n_inputs);
    adjoint[expr->n_code - 1] = 1.0;
    for (int i = expr->n_code - 1; i >= 0; i--) {
        const FbInstruction* s = &expr->code[i];
        // Inactive branches are not differentiated: they may have no finite derivative.
        if (adjoint[i] == 0.0 || s->op == FB_OP_CONSTANT) {
            continue;
        }
        if (s->op == FB_OP_INPUT) {
            gradient[s->a] = adjoint[i];
        } else {
            pull_back(s, i, scratch, adjoint);
        }
    }
    return value;
}

// f'' = f_x x'' + f_y y'' + f_xx x'^2 + 2 f_xy x' y' + f_yy y'^2; terms whose factor is zero are
// left out, because the other factor may be NaN (the exponent's derivative of a negative base).
static double product(double partial, double rate) {
    return rate == 0.0 ? 0.0 : partial * rate;
}

static void jet_of(const FbInstruction* s, int i, const double* v, double* d1, double* d2) {
    if (s->op == FB_OP_IF) {
        int taken = v[s->a] != 0.0 ? s->b : s->c;
        d1[i] = d1[taken];
        d2[i] = d2[taken];
        return;
    }
    bool has_two = s->op >= FB_OP_ADD;
    FbPartials p = fb_op_partials(s->op, v[s->a], v[has_two ? s->b : s->a], v[i], true);
    double x1 = d1[s->a], x2 = d2[s->a];
    d1[i] = product(p.x, x1);
    d2[i] = product(p.x, x2) + product(p.xx, x1 * x1);
    if (has_two) {
        double y1 = d1[s->b], y2 = d2[s->b];
        d1[i] += product(p.y, y1);
        d2[i] += product(p.y, y2) + product(p.yy, y1 * y1) + 2.0 * product(p.xy, x1 * y1);
    }
}

void fb_expr_jet(const FbExpr* expr, const double* values, const double* d1, const double* d2,
                 double* scratch, double out[3]) {
    int n = expr->n_code;
    double *v = scratch, *first = scratch + n, *second = scratch + 2 * n;
    for (int i = 0; i < n; i++) {
        const FbInstruction* s = &expr->code[i];
        v[i] = evaluate(s, values, v);
        if (s->op == FB_OP_CONSTANT) {
            first[i] = second[i] = 0.0;
        } else if (s->op == FB_OP_INPUT) {
            first[i] = d1[s->a];
            second[i] = d2[s->a];
        } else {
            jet_of(s, i, v, first, second);
        }
    }
    out[0] = v[n - 1];
    out[1] = first[n - 1];
    out[2] = second[n - 1];
}
