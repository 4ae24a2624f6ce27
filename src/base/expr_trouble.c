// Finds the operation of an expression that makes its value infinite or NaN.
#include <math.h>
#include <stdio.h>

#include "base/expr_tape.h"

// The argument that passes its trouble on to instruction i; -1: it begins here.
static int culprit(const FbInstruction* s, const double* v) {
    if (s->op == FB_OP_CONSTANT || s->op == FB_OP_INPUT) {
        return -1;
    }
    if (s->op == FB_OP_IF) {
        return !isfinite(v[s->a]) ? s->a : v[s->a] != 0.0 ? s->b : s->c;
    }
    if (!isfinite(v[s->a])) {
        return s->a;
    }
    return s->op >= FB_OP_ADD && !isfinite(v[s->b]) ? s->b : -1;
}

static const char* name_of(FbOp op) {
    switch (op) {
        case FB_OP_SQRT:
            return "sqrt";
        case FB_OP_LOG:
            return "log";
        case FB_OP_LOG10:
            return "log10";
        case FB_OP_ASIN:
            return "asin";
        case FB_OP_ACOS:
            return "acos";
        case FB_OP_EXP:
            return "exp";
        case FB_OP_SINH:
            return "sinh";
        case FB_OP_COSH:
            return "cosh";
        case FB_OP_TAN:
            return "tan";
        default:
            return "this";
    }
}

static void describe(const FbInstruction* s, const double* v, char* what, size_t size) {
    double x = v[s->a], y = s->op >= FB_OP_ADD ? v[s->b] : 0.0;
    switch (s->op) {
        case FB_OP_DIVIDE:
            snprintf(what, size, "%s (%g / %g)", y == 0.0 ? "division by zero" : "overflow", x, y);
            return;
        case FB_OP_MOD:
            snprintf(what, size, "mod(%g, %g)", x, y);
            return;
        case FB_OP_POWER:
            snprintf(what, size, "(%g)^%g", x, y);
            return;
        case FB_OP_ADD:
        case FB_OP_SUBTRACT:
        case FB_OP_MULTIPLY:
            snprintf(what, size, "overflow (%g %c %g)", x,
                     s->op == FB_OP_ADD        ? '+'
                     : s->op == FB_OP_SUBTRACT ? '-'
                                               : '*',
                     y);
            return;
        default:
            snprintf(what, size, "%s of %g", name_of(s->op), x);
    }
}

int fb_expr_find_trouble(const FbExpr* expr, const double* values, double* scratch, char* what,
                         size_t size) {
    if (isfinite(fb_expr_value(expr, values, scratch))) {
        return -1;
    }
    int i = expr->n_code - 1;
    for (int next = culprit(&expr->code[i], scratch); next >= 0;
         next = culprit(&expr->code[i], scratch)) {
        i = next;
    }
    const FbInstruction* s = &expr->code[i];
    if (s->op == FB_OP_INPUT) {
        return -1;
    }
    describe(s, scratch, what, size);
    return s->at;
}
