// Arithmetic expressions of named inputs: compiled once, evaluated with exact first derivatives or
// as time jets.
//
// Grammar: + - * / ^ (right-associative, binds tighter than unary minus), comparisons (< <= > >= ==
// !=), and or not, if(cond, a, b), parentheses, numbers, names (letters, digits, '_', '.'),
// functions: sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 sqrt abs sign floor ceil
// mod min max pow hypot step(x) (0 below 0, 1 from 0 on), smooth_step(x, x0, y0, x1, y1) (C2
// quintic between the two values), clamp(x, lo, hi); constants pi, e (a name of the caller's goes
// first). mod(a, b) has the sign of b; min and max take two or more. A constant part without a
// finite value (1/0) is an error unless an `if` with a constant condition drops it.
//
// A unit (base/units.h) applies to the number, name or parenthesis before it: L + 5 mm, 10 N/m*x.
// Values that are added, compared or passed to a function are checked where their quantities are
// known.
#ifndef FLYBALL_BASE_EXPR_H
#define FLYBALL_BASE_EXPR_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/quantity.h"

typedef struct FbExpr FbExpr;

// The meaning of a name: FB_NAME_UNKNOWN, FB_NAME_CONSTANT (its value written to *found), or an
// input index >= 0. The quantity of either may be written too; it is not known at the call.
enum { FB_NAME_UNKNOWN = -1, FB_NAME_CONSTANT = -2 };
typedef int (*FbResolveName)(void* self, const char* name, FbNumber* found);

// Compiles `text`. Errors carry the column inside the text: place (of the text's first character;
// may be NULL) shifted by the offset of the offending character, and for unknown names the name.
// Memory is taken from `arena`.
FbStatus fb_expr_compile(const char* text, FbResolveName resolve, void* self, const FbPlace* place,
                         FbArena* arena, FbExpr** out, FbError* err);

// What the value is, as far as it follows from the units.
FbQuantity fb_expr_quantity(const FbExpr* expr);

// Is the text one plain number, without spaces? A value that fits any unit.
bool fb_expr_is_number(const char* text, double* value);
// Where the unit starts in a text that is one number, name or parenthesis with a unit; 0 in others.
int fb_expr_unit_offset(const FbExpr* expr);

// The length of the next piece of an expression's text: spaces, a number, a unit, a name, a
// function, a symbol. `*is_after_value` is kept from piece to piece, false at first (a word after a
// value is its unit); *is_name says whether the piece is a name that would be passed to a resolver.
size_t fb_expr_piece(const char* text, bool* is_after_value, bool* is_name);

// How a function is written, "atan2(y, x)", and what it is; false when there are no more.
bool fb_expr_function(int index, const char** form, const char** doc);

// The distinct inputs used: indices as the resolver gave them, in increasing order.
int fb_expr_input_count(const FbExpr* expr);
const int* fb_expr_inputs(const FbExpr* expr);

// How many operations its value takes, inputs and constants among them.
int fb_expr_length(const FbExpr* expr);

// Doubles of scratch that an evaluation needs (no allocation happens in any evaluation).
size_t fb_expr_scratch(const FbExpr* expr);

// values[k] is the value of input fb_expr_inputs()[k].
double fb_expr_value(const FbExpr* expr, const double* values, double* scratch);

// The value, and gradient[k] = d value / d input k. Where a function has a kink, a one-sided
// derivative; where its slope is infinite (sqrt at 0), 0, so that a Jacobian stays finite.
double fb_expr_gradient(const FbExpr* expr, const double* values, double* scratch,
                        double* gradient);

// Second-order jet along a curve: values, first and second derivatives of the inputs with respect
// to one parameter give those of the expression: out[0] value, out[1] d/dt, out[2] d2/dt2.
void fb_expr_jet(const FbExpr* expr, const double* values, const double* d1, const double* d2,
                 double* scratch, double out[3]);

// Has it pieces (abs, sign, min, max, if, comparisons, ...) at whose borders it need not be smooth?
bool fb_expr_is_piecewise(const FbExpr* expr);

// A number that identifies the piece the inputs are on: it changes when a border is crossed.
uint64_t fb_expr_branches(const FbExpr* expr, const double* values, double* scratch);

// Holding pieces. An expression has a number of switches, operations that are linear on each of
// several pieces; a step of an integrator holds all of them on the pieces where it began.
typedef struct FbPiece {
    double piece;  // side (+1 or -1) of what is compared, number of a step of floor, ceil, mod, or
                   // an angle of the last point
    double other;  // beyond a border along which the motion slides,
    double share;  // ... and its part in the mean of both; 0: does not slide
    double reach;  // where it slides: how far the other piece moves the border in a step
    bool is_free;  // not held: takes the piece that the inputs are on
} FbPiece;

int fb_expr_switch_count(const FbExpr* expr);
// Operations with a singular point that an argument may touch: sqrt(x^2), hypot(x, y),
// asin(sin(x)). These are not held; they follow the switches in the list of depths.
int fb_expr_touch_count(const FbExpr* expr);
// The pieces [n switches] that the inputs are on.
void fb_expr_set_pieces(const FbExpr* expr, const double* values, double* scratch, FbPiece* pieces);
double fb_expr_held_value(const FbExpr* expr, const double* values, const FbPiece* pieces,
                          double* scratch);
double fb_expr_held_gradient(const FbExpr* expr, const double* values, const FbPiece* pieces,
                             double* scratch, double* gradient);
// The jet with respect to input 0 as the resolver numbered it (the time, of laws).
void fb_expr_held_jet(const FbExpr* expr, const double* values, const FbPiece* pieces,
                      double* scratch, double out[3]);
// How far inside its piece each switch is (< 0: beyond the border), and the size of the numbers
// that this is a difference of; behind them how far each singular point is (>= 0). NaN: inactive
// now, in an arm of `if` that is not taken.
void fb_expr_depths(const FbExpr* expr, const double* values, const FbPiece* pieces,
                    double* scratch, double* depth, double* scale);
// The piece beyond the border that the inputs are nearest to.
double fb_expr_next_piece(const FbExpr* expr, const double* values, const FbPiece* pieces, int slot,
                          double* scratch);
bool fb_expr_has_angles(const FbExpr* expr);
// Angles (atan2) are held within half a turn of where they were last: that is here now.
void fb_expr_follow_pieces(const FbExpr* expr, const double* values, double* scratch,
                           FbPiece* pieces);
// What a switch compares with zero, or counts (floor, ceil, mod).
double fb_expr_border(const FbExpr* expr, const double* values, const FbPiece* pieces, int slot,
                      double* scratch);

// Where a value that is not finite comes from: the offset in the text of the first operation
// without a finite value although its arguments have one, described in `what` ("sqrt of -0.5"); -1:
// the value is finite, or an input is not.
int fb_expr_find_trouble(const FbExpr* expr, const double* values, double* scratch, char* what,
                         size_t size);

#endif
