// The internals of a compiled expression: a list of operations, each on the results of earlier
// ones.
#ifndef FLYBALL_BASE_EXPR_TAPE_H
#define FLYBALL_BASE_EXPR_TAPE_H

#include "base/expr.h"

// The order gives the number of arguments: none, three, one (from FB_OP_NEGATE), two (from
// FB_OP_ADD).
typedef enum FbOp {
    FB_OP_CONSTANT,
    FB_OP_INPUT,
    FB_OP_IF,
    FB_OP_NEGATE,
    FB_OP_NOT,
    FB_OP_SIN,
    FB_OP_COS,
    FB_OP_TAN,
    FB_OP_ASIN,
    FB_OP_ACOS,
    FB_OP_ATAN,
    FB_OP_SINH,
    FB_OP_COSH,
    FB_OP_TANH,
    FB_OP_EXP,
    FB_OP_LOG,
    FB_OP_LOG10,
    FB_OP_SQRT,
    FB_OP_ABS,
    FB_OP_SIGN,
    FB_OP_FLOOR,
    FB_OP_CEIL,
    FB_OP_STEP,
    FB_OP_QUINTIC,  // 10 x^3 - 15 x^4 + 6 x^5: smooth_step on 0 <= x <= 1
    FB_OP_ADD,
    FB_OP_SUBTRACT,
    FB_OP_MULTIPLY,
    FB_OP_DIVIDE,
    FB_OP_POWER,
    FB_OP_ATAN2,
    FB_OP_MOD,
    FB_OP_MIN,
    FB_OP_MAX,
    FB_OP_HYPOT,
    FB_OP_LESS,
    FB_OP_LESS_EQUAL,
    FB_OP_GREATER,
    FB_OP_GREATER_EQUAL,
    FB_OP_EQUAL,
    FB_OP_NOT_EQUAL,
    FB_OP_AND,
    FB_OP_OR,
} FbOp;

typedef struct FbInstruction {
    FbOp op;
    int a, b, c;      // earlier instructions; a is the input for FB_OP_INPUT
    int at;           // offset in the text, for messages
    int slot;         // number of the switch, -1: none (set when the list is finished)
    int touch;        // number among those with a singular point, -1: none (likewise)
    double constant;  // FB_OP_CONSTANT
} FbInstruction;

struct FbExpr {
    FbInstruction* code;  // the last one gives the value
    int n_code;
    int* inputs;
    int n_inputs;
    FbQuantity quantity;
    int unit_at;  // see fb_expr_unit_offset()
    int n_switches, n_touches;
};

// Has it several pieces, one of which can be held: linear ones, or the turns of an angle?
bool fb_op_has_pieces(FbOp op);

// Has it a point without a derivative, or a pole, where pieces meet that cannot be held?
bool fb_op_has_singular_point(FbOp op);
// How far it is from there, >= 0.
double fb_op_clearance(FbOp op, double x, double y);

// f(x, y) of an operation with one or two arguments (y is ignored for one).
double fb_op_value(FbOp op, double x, double y);

typedef struct FbPartials {
    double x, y;        // first
    double xx, xy, yy;  // second
} FbPartials;

// Partial derivatives, f being the value. One-sided at kinks; 0 where they would be infinite. The
// second ones only on request.
FbPartials fb_op_partials(FbOp op, double x, double y, double f, bool has_second);

// Collects instructions; constants are folded and repetitions shared as they come.
typedef struct FbTape {
    FbInstruction* code;
    int count, capacity;
    // Equal instructions are found by a hash of their content: the last one of each bucket, -1:
    // none, and the one before it.
    int* last;  // [n_buckets], a power of two
    int* before;
    int n_buckets, before_capacity;
    bool has_failed;  // out of memory
} FbTape;

void fb_tape_free(FbTape* tape);

// Each returns the index of the instruction that holds the result, 0 when out of memory.
int fb_tape_constant(FbTape* tape, double value, int at);
int fb_tape_input(FbTape* tape, int input, int at);
int fb_tape_if(FbTape* tape, int condition, int yes, int no, int at);
int fb_tape_unary(FbTape* tape, FbOp op, int a, int at);
int fb_tape_binary(FbTape* tape, FbOp op, int a, int b, int at);

// Keeps what `root` needs. The caller frees the tape in any case. Constants that are not finite
// are left for the caller to report.
FbStatus fb_tape_finish(const FbTape* tape, int root, FbArena* arena, FbExpr** out, FbError* err);

#endif
