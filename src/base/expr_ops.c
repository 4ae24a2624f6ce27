// The elementary operations of expressions: values, first and second partial derivatives.
#include <math.h>

#include "base/expr_tape.h"

static const double LN10 = 2.302585092994045684;

static double sign_of(double x) {
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
}

static double unary_value(FbOp op, double x) {
    switch (op) {
        case FB_OP_NEGATE:
            return -x;
        case FB_OP_NOT:
            return x == 0.0;
        case FB_OP_SIN:
            return sin(x);
        case FB_OP_COS:
            return cos(x);
        case FB_OP_TAN:
            return tan(x);
        case FB_OP_ASIN:
            return asin(x);
        case FB_OP_ACOS:
            return acos(x);
        case FB_OP_ATAN:
            return atan(x);
        case FB_OP_SINH:
            return sinh(x);
        case FB_OP_COSH:
            return cosh(x);
        case FB_OP_TANH:
            return tanh(x);
        case FB_OP_EXP:
            return exp(x);
        case FB_OP_LOG:
            return log(x);
        case FB_OP_LOG10:
            return log10(x);
        case FB_OP_SQRT:
            return sqrt(x);
        case FB_OP_ABS:
            return fabs(x);
        case FB_OP_SIGN:
            return sign_of(x);
        case FB_OP_FLOOR:
            return floor(x);
        case FB_OP_CEIL:
            return ceil(x);
        case FB_OP_STEP:
            return isnan(x) ? x : x >= 0.0;
        case FB_OP_QUINTIC:
            return x * x * x * (10.0 - x * (15.0 - 6.0 * x));
        default:
            return NAN;
    }
}

double fb_op_value(FbOp op, double x, double y) {
    switch (op) {
        case FB_OP_ADD:
            return x + y;
        case FB_OP_SUBTRACT:
            return x - y;
        case FB_OP_MULTIPLY:
            return x * y;
        case FB_OP_DIVIDE:
            return x / y;
        case FB_OP_POWER:
            return pow(x, y);
        case FB_OP_ATAN2:
            return atan2(x, y);
        case FB_OP_MOD:
            return x - y * floor(x / y);
        case FB_OP_MIN:
            return y < x || isnan(y) ? y : x;
        case FB_OP_MAX:
            return y > x || isnan(y) ? y : x;
        case FB_OP_HYPOT:
            return hypot(x, y);
        case FB_OP_LESS:
            return x < y;
        case FB_OP_LESS_EQUAL:
            return x <= y;
        case FB_OP_GREATER:
            return x > y;
        case FB_OP_GREATER_EQUAL:
            return x >= y;
        case FB_OP_EQUAL:
            return x == y;
        case FB_OP_NOT_EQUAL:
            return x != y;
        case FB_OP_AND:
            return x != 0.0 && y != 0.0;
        case FB_OP_OR:
            return x != 0.0 || y != 0.0;
        default:
            return unary_value(op, x);
    }
}

// f = value of op at x; writes f' and f''.
static void unary_partials(FbOp op, double x, double f, double* first, double* second) {
    double d1 = 0.0, d2 = 0.0;
    switch (op) {
        case FB_OP_NEGATE:
            d1 = -1.0;
            break;
        case FB_OP_SIN:
            d1 = cos(x);
            d2 = -f;
            break;
        case FB_OP_COS:
            d1 = -sin(x);
            d2 = -f;
            break;
        case FB_OP_TAN:
            d1 = 1.0 + f * f;
            d2 = 2.0 * f * d1;
            break;
        case FB_OP_ASIN:
            d1 = 1.0 / sqrt((1.0 - x) * (1.0 + x));
            d2 = x * d1 * d1 * d1;
            break;
        case FB_OP_ACOS:
            d1 = -1.0 / sqrt((1.0 - x) * (1.0 + x));
            d2 = x * d1 * d1 * d1;
            break;
        case FB_OP_ATAN:
            d1 = 1.0 / (1.0 + x * x);
            d2 = -2.0 * x * d1 * d1;
            break;
        case FB_OP_SINH:
            d1 = cosh(x);
            d2 = f;
            break;
        case FB_OP_COSH:
            d1 = sinh(x);
            d2 = f;
            break;
        case FB_OP_TANH:
            d1 = (1.0 - f) * (1.0 + f);
            d2 = -2.0 * f * d1;
            break;
        case FB_OP_EXP:
            d1 = d2 = f;
            break;
        case FB_OP_LOG:
            d1 = 1.0 / x;
            d2 = -d1 * d1;
            break;
        case FB_OP_LOG10:
            d1 = 1.0 / (LN10 * x);
            d2 = -d1 / x;
            break;
        case FB_OP_SQRT:
            d1 = 0.5 / f;
            d2 = -0.5 * d1 / x;
            break;
        case FB_OP_ABS:
            d1 = x >= 0.0 ? 1.0 : -1.0;
            break;
        case FB_OP_QUINTIC:
            d1 = 30.0 * x * x * (1.0 - x) * (1.0 - x);
            d2 = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x);
            break;
        default:  // not, sign, floor, ceil, step: constant between their jumps
            break;
    }
    *first = d1;
    *second = d2;
}

// d/dx x^y = y x^(y-1), d/dy x^y = ln(x) x^y; the exponent's derivative exists for x >= 0 only.
static void power_partials(double x, double y, double f, FbPartials* p) {
    p->x = y == 0.0 ? 0.0 : y * pow(x, y - 1.0);
    p->xx = y == 0.0 || y == 1.0 ? 0.0 : y * (y - 1.0) * pow(x, y - 2.0);
    if (x > 0.0) {
        double ln = log(x);
        p->y = ln * f;
        p->yy = ln * ln * f;
        p->xy = pow(x, y - 1.0) * (1.0 + y * ln);
    }
}

static void atan2_partials(double x, double y, FbPartials* p) {
    double r2 = x * x + y * y;
    if (r2 > 0.0) {
        p->x = y / r2;
        p->y = -x / r2;
        p->xx = -2.0 * p->x * x / r2;
        p->yy = -p->xx;
        p->xy = (x - y) * (x + y) / r2 / r2;
    }
}

static void hypot_partials(double x, double y, double f, FbPartials* p) {
    if (f > 0.0) {
        p->x = x / f;
        p->y = y / f;
        p->xx = p->y * p->y / f;
        p->yy = p->x * p->x / f;
        p->xy = -p->x * p->y / f;
    }
}

static FbPartials binary_partials(FbOp op, double x, double y, double f) {
    switch (op) {
        case FB_OP_ADD:
            return (FbPartials){.x = 1.0, .y = 1.0};
        case FB_OP_SUBTRACT:
            return (FbPartials){.x = 1.0, .y = -1.0};
        case FB_OP_MULTIPLY:
            return (FbPartials){.x = y, .y = x, .xy = 1.0};
        case FB_OP_DIVIDE:
            return (FbPartials){
                .x = 1.0 / y, .y = -f / y, .xy = -1.0 / (y * y), .yy = 2.0 * f / (y * y)};
        case FB_OP_MOD:
            return (FbPartials){.x = 1.0, .y = -floor(x / y)};
        case FB_OP_MIN:
            return y < x ? (FbPartials){.y = 1.0} : (FbPartials){.x = 1.0};
        case FB_OP_MAX:
            return y > x ? (FbPartials){.y = 1.0} : (FbPartials){.x = 1.0};
        default:  // comparisons and logic jump only
            return (FbPartials){0};
    }
}

// sqrt at 0, asin at 1 and the like: an infinite slope would turn into NaN further on, and a
// Jacobian needs a number.
static double without_infinity(double slope) {
    return isinf(slope) ? 0.0 : slope;
}

FbPartials fb_op_partials(FbOp op, double x, double y, double f, bool has_second) {
    FbPartials p = {0};
    if (op < FB_OP_ADD) {
        unary_partials(op, x, f, &p.x, &p.xx);
    } else if (op == FB_OP_POWER) {
        power_partials(x, y, f, &p);
    } else if (op == FB_OP_ATAN2) {
        atan2_partials(x, y, &p);
    } else if (op == FB_OP_HYPOT) {
        hypot_partials(x, y, f, &p);
    } else {
        p = binary_partials(op, x, y, f);
    }
    p.x = without_infinity(p.x);
    p.y = without_infinity(p.y);
    if (has_second) {
        p.xx = without_infinity(p.xx);
        p.xy = without_infinity(p.xy);
        p.yy = without_infinity(p.yy);
    }
    return p;
}
