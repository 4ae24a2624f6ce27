// Which pieces of a piecewise expression hold at a point: the branches of abs, min, if, ... there.
#include "base/expr_tape.h"

#include <math.h>
#include <string.h>

static bool has_branches(FbOp op) {
    return fb_op_has_pieces(op) || op == FB_OP_IF || op == FB_OP_NOT || op >= FB_OP_LESS;
}

bool fb_expr_is_piecewise(const FbExpr* expr) {
    for (int i = 0; i < expr->n_code; i++) {
        if (has_branches(expr->code[i].op)) {
            return true;
        }
    }
    return false;
}

// A number that differs from piece to piece; v holds the values of all instructions.
static double branch_of(const FbInstruction* s, int i, const double* v) {
    switch (s->op) {
        case FB_OP_IF:
            return v[s->a] != 0.0;
        case FB_OP_ABS:
            return v[s->a] >= 0.0;
        case FB_OP_MOD:
            return floor(v[s->a] / v[s->b]);
        case FB_OP_ATAN2:  // its cut
            return v[s->b] >= 0.0 ? 0.0 : v[s->a] >= 0.0 ? 1.0 : -1.0;
        case FB_OP_MIN:
            return v[s->a] <= v[s->b];
        case FB_OP_MAX:
            return v[s->a] >= v[s->b];
        default:
            return v[i];  // itself constant on each piece
    }
}

uint64_t fb_expr_branches(const FbExpr* expr, const double* values, double* scratch) {
    static const uint64_t START = 14695981039346656037u, FACTOR = 1099511628211u;  // FNV-1a
    uint64_t hash = START, bits;
    fb_expr_value(expr, values, scratch);
    for (int i = 0; i < expr->n_code; i++) {
        if (has_branches(expr->code[i].op)) {
            double branch = branch_of(&expr->code[i], i, scratch);
            memcpy(&bits, &branch, sizeof bits);
            hash = (hash ^ bits) * FACTOR;
        }
    }
    return hash;
}
