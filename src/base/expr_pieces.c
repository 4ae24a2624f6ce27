// Pieces of expressions that can be held: each switching operation (abs, min, step, <, floor, ...)
// continues as the linear function of its current piece, even a little beyond the border. An angle
// (atan2) continues beyond its cut.
//
//   f = by_x x + by_y y + constant on each piece; a depth >= 0 inside it, < 0 beyond its border.
#include <math.h>
#include <string.h>

#include "base/expr_tape.h"

static const double PI = 3.14159265358979323846;

typedef struct Linear {
    double by_x, by_y, constant;
} Linear;

bool fb_op_has_pieces(FbOp op) {
    switch (op) {
        case FB_OP_ABS:
        case FB_OP_SIGN:
        case FB_OP_FLOOR:
        case FB_OP_CEIL:
        case FB_OP_STEP:
        case FB_OP_MOD:
        case FB_OP_MIN:
        case FB_OP_MAX:
        case FB_OP_ATAN2:
        case FB_OP_LESS:
        case FB_OP_LESS_EQUAL:
        case FB_OP_GREATER:
        case FB_OP_GREATER_EQUAL:
            return true;
        default:
            return false;  // equality holds at single points; logic follows its arguments
    }
}

static bool is_counted(FbOp op) {
    return op == FB_OP_FLOOR || op == FB_OP_CEIL || op == FB_OP_MOD;
}

// The operation on a piece: the sign of its argument, or the number of a step.
static Linear linear_of(FbOp op, double piece) {
    bool is_above = piece > 0.0;
    switch (op) {
        case FB_OP_ABS:
            return (Linear){.by_x = piece};
        case FB_OP_MOD:
            return (Linear){.by_x = 1.0, .by_y = -piece};
        case FB_OP_MIN:
            return is_above ? (Linear){.by_y = 1.0} : (Linear){.by_x = 1.0};
        case FB_OP_MAX:
            return is_above ? (Linear){.by_x = 1.0} : (Linear){.by_y = 1.0};
        case FB_OP_STEP:
        case FB_OP_GREATER:
        case FB_OP_GREATER_EQUAL:
            return (Linear){.constant = is_above};
        case FB_OP_LESS:
        case FB_OP_LESS_EQUAL:
            return (Linear){.constant = !is_above};
        default:  // sign, floor, ceil
            return (Linear){.constant = piece};
    }
}

// What a piece that slides along its border takes is a mean of both sides.
static Linear held_linear(FbOp op, const FbPiece* p) {
    Linear f = linear_of(op, p->piece);
    if (p->share != 0.0) {
        Linear g = linear_of(op, p->other);
        f.by_x += p->share * (g.by_x - f.by_x);
        f.by_y += p->share * (g.by_y - f.by_y);
        f.constant += p->share * (g.constant - f.constant);
    }
    return f;
}

// The angle of (y, x) within half a turn of `near`.
static double angle_near(double near, double y, double x) {
    return near + remainder(atan2(y, x) - near, 2.0 * PI);
}

static double held_angle(const FbPiece* p, double y, double x) {
    double f = angle_near(p->piece, y, x);
    return p->share == 0.0 ? f : f + p->share * (angle_near(p->other, y, x) - f);
}

static double term(double factor, double x) {
    return factor == 0.0 ? 0.0 : factor * x;
}

// A condition between 0 and 1, where what it compares slides.
static double share_of(const FbInstruction* code, int a, double value) {
    FbOp op = code[a].op;
    bool is_truth = op == FB_OP_NOT || op == FB_OP_STEP || op >= FB_OP_LESS;
    return is_truth && value > 0.0 && value < 1.0 ? value : value != 0.0;
}

static double evaluate(const FbExpr* e, const FbInstruction* s, const double* inputs,
                       const FbPiece* pieces, const double* v) {
    switch (s->op) {
        case FB_OP_CONSTANT:
            return s->constant;
        case FB_OP_INPUT:
            return inputs[s->a];
        case FB_OP_IF: {
            double c = share_of(e->code, s->a, v[s->a]);
            return c == 0.0 ? v[s->c] : c == 1.0 ? v[s->b] : v[s->c] + c * (v[s->b] - v[s->c]);
        }
        case FB_OP_NOT:
            return 1.0 - share_of(e->code, s->a, v[s->a]);
        case FB_OP_AND:
            return share_of(e->code, s->a, v[s->a]) * share_of(e->code, s->b, v[s->b]);
        case FB_OP_OR: {
            double a = share_of(e->code, s->a, v[s->a]), b = share_of(e->code, s->b, v[s->b]);
            return a + b - a * b;
        }
        default:
            break;
    }
    double x = v[s->a], y = s->op < FB_OP_ADD ? 0.0 : v[s->b];
    if (s->slot >= 0 && !pieces[s->slot].is_free) {
        if (s->op == FB_OP_ATAN2) {
            return held_angle(&pieces[s->slot], x, y);
        }
        Linear f = held_linear(s->op, &pieces[s->slot]);
        return term(f.by_x, x) + term(f.by_y, y) + f.constant;
    }
    return fb_op_value(s->op, x, y);
}

static void evaluate_all(const FbExpr* e, const double* values, const FbPiece* pieces, double* v) {
    for (int i = 0; i < e->n_code; i++) {
        v[i] = evaluate(e, &e->code[i], values, pieces, v);
    }
}

double fb_expr_held_value(const FbExpr* expr, const double* values, const FbPiece* pieces,
                          double* scratch) {
    evaluate_all(expr, values, pieces, scratch);
    return scratch[expr->n_code - 1];
}

static FbPartials held_partials(const FbInstruction* s, const FbPiece* pieces, const double* v,
                                double f, bool has_second) {
    if (s->slot >= 0 && s->op != FB_OP_ATAN2 && !pieces[s->slot].is_free) {
        Linear l = held_linear(s->op, &pieces[s->slot]);
        return (FbPartials){.x = l.by_x, .y = l.by_y};
    }
    return fb_op_partials(s->op, v[s->a], v[s->op >= FB_OP_ADD ? s->b : s->a], f, has_second);
}

// Adjoints of all instructions from those that are set; gradient [n_inputs].
static void pull_all_back(const FbExpr* e, const FbPiece* pieces, const double* v, double* adjoint,
                          double* gradient) {
    memset(gradient, 0, sizeof *gradient * (size_t)e->n_inputs);
    for (int i = e->n_code - 1; i >= 0; i--) {
        const FbInstruction* s = &e->code[i];
        double bar = adjoint[i];
        if (bar == 0.0 || s->op == FB_OP_CONSTANT) {
            continue;
        }
        if (s->op == FB_OP_INPUT) {
            gradient[s->a] = bar;
        } else if (s->op == FB_OP_IF) {
            double c = share_of(e->code, s->a, v[s->a]);
            adjoint[s->b] += bar * c;
            adjoint[s->c] += bar * (1.0 - c);
        } else {
            FbPartials p = held_partials(s, pieces, v, v[i], false);
            adjoint[s->a] += bar * p.x;
            if (s->op >= FB_OP_ADD) {
                adjoint[s->b] += bar * p.y;
            }
        }
    }
}

double fb_expr_held_gradient(const FbExpr* expr, const double* values, const FbPiece* pieces,
                             double* scratch, double* gradient) {
    double* adjoint = scratch + expr->n_code;
    evaluate_all(expr, values, pieces, scratch);
    memset(adjoint, 0, sizeof *adjoint * (size_t)expr->n_code);
    adjoint[expr->n_code - 1] = 1.0;
    pull_all_back(expr, pieces, scratch, adjoint, gradient);
    return scratch[expr->n_code - 1];
}

static double product(double partial, double rate) {
    return rate == 0.0 ? 0.0 : partial * rate;
}

void fb_expr_held_jet(const FbExpr* expr, const double* values, const FbPiece* pieces,
                      double* scratch, double out[3]) {
    int n = expr->n_code;
    double *v = scratch, *d1 = scratch + n, *d2 = scratch + 2 * n;
    for (int i = 0; i < n; i++) {
        const FbInstruction* s = &expr->code[i];
        v[i] = evaluate(expr, s, values, pieces, v);
        d1[i] = s->op == FB_OP_INPUT && expr->inputs[s->a] == 0;
        d2[i] = 0.0;
        if (s->op == FB_OP_IF) {
            int taken = v[s->a] != 0.0 ? s->b : s->c;
            d1[i] = d1[taken];
            d2[i] = d2[taken];
        } else if (s->op != FB_OP_CONSTANT && s->op != FB_OP_INPUT) {
            FbPartials p = held_partials(s, pieces, v, v[i], true);
            double x1 = d1[s->a], x2 = d2[s->a];
            d1[i] = product(p.x, x1);
            d2[i] = product(p.x, x2) + product(p.xx, x1 * x1);
            if (s->op >= FB_OP_ADD) {
                double y1 = d1[s->b], y2 = d2[s->b];
                d1[i] += product(p.y, y1);
                d2[i] += product(p.y, y2) + product(p.yy, y1 * y1) + 2.0 * product(p.xy, x1 * y1);
            }
        }
    }
    out[0] = v[n - 1];
    out[1] = d1[n - 1];
    out[2] = d2[n - 1];
}

int fb_expr_switch_count(const FbExpr* expr) {
    return expr->n_switches;
}

int fb_expr_touch_count(const FbExpr* expr) {
    return expr->n_touches;
}

static double piece_at(const FbInstruction* s, double x, double y) {
    switch (s->op) {
        case FB_OP_FLOOR:
            return floor(x);
        case FB_OP_CEIL:
            return ceil(x);
        case FB_OP_MOD:
            return floor(x / y);
        case FB_OP_ATAN2:
            return atan2(x, y);
        case FB_OP_LESS_EQUAL:
        case FB_OP_GREATER:
            return x > y ? 1.0 : -1.0;
        default:
            return x >= y ? 1.0 : -1.0;
    }
}

void fb_expr_set_pieces(const FbExpr* expr, const double* values, double* scratch,
                        FbPiece* pieces) {
    fb_expr_value(expr, values, scratch);
    for (int i = 0; i < expr->n_code; i++) {
        const FbInstruction* s = &expr->code[i];
        if (s->slot >= 0) {
            double y = s->op < FB_OP_ADD ? 0.0 : scratch[s->b];
            pieces[s->slot] = (FbPiece){.piece = piece_at(s, scratch[s->a], y)};
        }
    }
}

// How far inside its piece the operation is, and the size of the numbers it is computed from.
static double depth_of(const FbInstruction* s, double piece, double x, double y, double* scale) {
    *scale = fabs(x) + fabs(y);
    if (s->op == FB_OP_ATAN2) {
        *scale = PI;
        return PI - fabs(angle_near(piece, x, y));
    }
    if (!is_counted(s->op)) {
        return piece * (x - y);
    }
    double u = s->op == FB_OP_MOD ? x / y : x, low = s->op == FB_OP_CEIL ? piece - 1.0 : piece;
    *scale = fabs(u) + 1.0;
    return fmin(u - low, low + 1.0 - u);
}

// Which instructions the value depends on, the arms of `if` that are not taken left out.
static void mark_needed(const FbExpr* e, const double* v, double* is_needed) {
    memset(is_needed, 0, sizeof *is_needed * (size_t)e->n_code);
    is_needed[e->n_code - 1] = 1.0;
    for (int i = e->n_code - 1; i >= 0; i--) {
        const FbInstruction* s = &e->code[i];
        if (is_needed[i] == 0.0 || s->op == FB_OP_CONSTANT || s->op == FB_OP_INPUT) {
            continue;
        }
        is_needed[s->a] = 1.0;
        if (s->op == FB_OP_IF) {
            double c = share_of(e->code, s->a, v[s->a]);
            is_needed[s->b] += c != 0.0;
            is_needed[s->c] += c != 1.0;
        } else if (s->op >= FB_OP_ADD) {
            is_needed[s->b] = 1.0;
        }
    }
}

void fb_expr_depths(const FbExpr* expr, const double* values, const FbPiece* pieces,
                    double* scratch, double* depth, double* scale) {
    double *v = scratch, *is_needed = scratch + expr->n_code;
    evaluate_all(expr, values, pieces, v);
    mark_needed(expr, v, is_needed);
    for (int i = 0; i < expr->n_code; i++) {
        const FbInstruction* s = &expr->code[i];
        if (s->slot >= 0) {
            double y = s->op < FB_OP_ADD ? 0.0 : v[s->b];
            double d = depth_of(s, pieces[s->slot].piece, v[s->a], y, &scale[s->slot]);
            depth[s->slot] = is_needed[i] != 0.0 ? d : NAN;
        }
        if (s->touch >= 0) {
            double y = s->op < FB_OP_ADD ? 0.0 : v[s->b];
            int k = expr->n_switches + s->touch;
            scale[k] = 0.0;
            depth[k] = is_needed[i] != 0.0 ? fb_op_clearance(s->op, v[s->a], y) : NAN;
        }
    }
}

static const FbInstruction* find_switch(const FbExpr* expr, int slot) {
    const FbInstruction* s = expr->code;
    while (s->slot != slot) {
        s++;
    }
    return s;
}

double fb_expr_next_piece(const FbExpr* expr, const double* values, const FbPiece* pieces, int slot,
                          double* scratch) {
    const FbInstruction* s = find_switch(expr, slot);
    double piece = pieces[slot].piece;
    evaluate_all(expr, values, pieces, scratch);
    if (s->op == FB_OP_ATAN2) {
        double angle = angle_near(piece, scratch[s->a], scratch[s->b]);
        return angle - copysign(2.0 * PI, angle);
    }
    if (!is_counted(s->op)) {
        return -piece;
    }
    double x = scratch[s->a], u = s->op == FB_OP_MOD ? x / scratch[s->b] : x;
    double middle = s->op == FB_OP_CEIL ? piece - 0.5 : piece + 0.5;
    return u < middle ? piece - 1.0 : piece + 1.0;
}

double fb_expr_border(const FbExpr* expr, const double* values, const FbPiece* pieces, int slot,
                      double* scratch) {
    const FbInstruction* s = find_switch(expr, slot);
    evaluate_all(expr, values, pieces, scratch);
    double x = scratch[s->a], y = s->op < FB_OP_ADD ? 0.0 : scratch[s->b];
    if (s->op == FB_OP_ATAN2) {
        double near = pieces[slot].piece;
        return angle_near(near, x, y) - copysign(PI, near);
    }
    return s->op == FB_OP_MOD ? x / y : x - y;
}

bool fb_expr_has_angles(const FbExpr* expr) {
    for (int i = 0; i < expr->n_code; i++) {
        if (expr->code[i].op == FB_OP_ATAN2) {
            return true;
        }
    }
    return false;
}

void fb_expr_follow_pieces(const FbExpr* expr, const double* values, double* scratch,
                           FbPiece* pieces) {
    evaluate_all(expr, values, pieces, scratch);
    for (int i = 0; i < expr->n_code; i++) {
        const FbInstruction* s = &expr->code[i];
        FbPiece* p = s->slot >= 0 ? &pieces[s->slot] : NULL;
        if (s->op == FB_OP_ATAN2 && p && p->share == 0.0) {
            p->piece = angle_near(p->piece, scratch[s->a], scratch[s->b]);
        }
    }
}
