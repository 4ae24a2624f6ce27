// Laws: a value as a function of time, with its first two time derivatives and the times where
// these jump.
#ifndef FLYBALL_LAW_LAW_H
#define FLYBALL_LAW_LAW_H

#include "base/expr.h"
#include "describe/types.h"

typedef struct FbLaw FbLaw;

typedef struct FbLawType {
    FbTypeInfo info;  // fields point into the struct of the type, which begins with FbLawDef
    // Checks the def and fills law->data (arena memory). `resolve` gives parameters (constants),
    // "t" (input 0) and inputs of the model (from 1 on).
    FbStatus (*build)(const FbLawDef* head, FbResolveName resolve, void* self, FbArena* arena,
                      FbLaw* law, FbError* err);
    // out: value, d/dt, d2/dt2; at a break those of the piece that begins there. Uses only law and
    // t (small fixed scratch on the stack): thread-safe.
    void (*calc)(const FbLaw* law, double t, double out[3]);
    // The first time > t where a step should end: the value or one of its first three derivatives
    // jumps. Times within rounding of t count as t. INFINITY if none. NULL: smooth.
    double (*next_break)(const FbLaw* law, double t);
    // The lowest derivative that jumps at some time: 0 the value, 1 its rate, 2 its acceleration, 3
    // smoother. NULL: 3.
    int (*roughness)(const FbLaw* law);
    // The first time in (t0, t1) where the formula changes, which next_break does not report; its
    // left side goes to *before. INFINITY if none was found. NULL: next_break reports all of them.
    double (*next_piece)(const FbLaw* law, double t0, double t1, double* before);
} FbLawType;

struct FbLaw {
    const FbLawType* type;
    const char* name;
    FbQuantity quantity;  // of its value, as far as units were written
    void* data;
    int first_switch, n_switches;  // of an expression with pieces, among those of a model
    bool has_inputs;               // an expression uses inputs of the model ...
    const double* inputs;          // ... whose values are these unless others are given
};

// The list of all types, in the order of the manual: fb_law_constant, ...
#define FB_LAW_TYPES(X) \
    X(constant)         \
    X(expression)       \
    X(table)            \
    X(harmonic)         \
    X(ramp)             \
    X(trapezoid)        \
    X(jerk)             \
    X(moves)
#define FB_DECLARE_LAW(name) extern const FbLawType fb_law_##name;
FB_LAW_TYPES(FB_DECLARE_LAW)
extern const FbLawType* const fb_law_types[];  // ended by NULL

FbStatus fb_law_build(const FbLawDef* def, FbResolveName resolve, void* self, FbArena* arena,
                      FbLaw* out, FbError* err);
static inline void fb_law_calc(const FbLaw* law, double t, double out[3]) {
    law->type->calc(law, t, out);
}
// The expression of a law that is one, else NULL.
const FbExpr* fb_law_get_expression(const FbLaw* law);
// Of a law that is an expression, with these values of the model's inputs: the values of the inputs
// of the expression; value and derivatives, on pieces that are held (NULL: none are); and the
// derivatives with respect to an input of the model of its value (component 0) or rate (1).
void fb_law_gather(const FbLaw* law, double t, const double* inputs, double* values);
void fb_law_calc_with(const FbLaw* law, double t, const double* inputs, const FbPiece* pieces,
                      double out[3]);
double fb_law_calc_slope(const FbLaw* law, double t, const double* inputs, int component,
                         int input);
double fb_law_next_break(const FbLaw* law, double t);
int fb_law_roughness(const FbLaw* law);

// Does the value (0), rate (1) or acceleration (2) jump between t0 and t1, up to this `order`? The
// first time goes to *t, which of them jumps there to *derivative. Pieces of expressions are
// searched for on a fine grid.
bool fb_law_first_jump(const FbLaw* law, int order, double t0, double t1, double* t,
                       int* derivative);

// The first of the increasing times that lies after t by more than rounding; INFINITY if none.
double fb_law_first_after(const double* times, int n_times, double t);

#endif
