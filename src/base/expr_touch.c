// Singular points of operations: corners and poles that an argument may touch without leaving a
// piece that could be held, as in sqrt(x^2), hypot(x, y), asin(sin(x)), atan(1/x).
#include <math.h>

#include "base/expr_tape.h"

bool fb_op_has_singular_point(FbOp op) {
    switch (op) {
        case FB_OP_TAN:
        case FB_OP_ASIN:
        case FB_OP_ACOS:
        case FB_OP_LOG:
        case FB_OP_LOG10:
        case FB_OP_SQRT:
        case FB_OP_DIVIDE:
        case FB_OP_POWER:
        case FB_OP_ATAN2:
        case FB_OP_HYPOT:
            return true;
        default:
            return false;
    }
}

// Measures that have a corner where a smooth argument touches the singular point: the root of what
// is quadratic there. A quotient is singular only where its numerator stays (not sin(x)/x).
double fb_op_clearance(FbOp op, double x, double y) {
    switch (op) {
        case FB_OP_TAN:
            return fabs(cos(x));
        case FB_OP_ASIN:
        case FB_OP_ACOS:
            return sqrt(fabs((1.0 - x) * (1.0 + x)));
        case FB_OP_DIVIDE:
            return x == 0.0 ? 1.0 : fabs(y) / (fabs(x) + fabs(y));
        case FB_OP_ATAN2:
        case FB_OP_HYPOT:
            return hypot(x, y);
        case FB_OP_POWER:
            return y < 0.0 && y == floor(y) ? fabs(x) : sqrt(fabs(x));
        case FB_OP_SQRT:
            return sqrt(fabs(x));
        default:
            return fabs(x);
    }
}
