// Formulas of scalars as a graph of operations: constants are folded, equal parts are kept once,
// and derivatives are formulas again. A tape (tape.h) evaluates them.
//
// A formula is the number of its node. Operands come before what uses them. Folding changes no
// value of finite numbers: 0 x = 0, 1 x = x, x + 0 = x; sums and products commute exactly.
#ifndef FLYBALL_MATH_FORMULA_H
#define FLYBALL_MATH_FORMULA_H

#include <stdbool.h>

#include "math/vec3.h"

typedef enum FbFormulaOp {
    FB_FORMULA_CONSTANT,
    FB_FORMULA_INPUT,
    FB_FORMULA_ADD,
    FB_FORMULA_SUB,
    FB_FORMULA_MUL,
    FB_FORMULA_DIV,
    FB_FORMULA_NEG,
    FB_FORMULA_SQRT,
    FB_FORMULA_SIN,
    FB_FORMULA_COS,
} FbFormulaOp;

typedef struct FbFormulaNode {
    FbFormulaOp op;
    int a, b;      // operands; an input's number is a
    double value;  // of a constant
} FbFormulaNode;

typedef struct FbFormulas {
    FbFormulaNode* nodes;
    int n, capacity;
    int* table;  // open hash of the nodes, -1: free
    int n_table;
    int most;         // nodes
    bool has_failed;  // out of memory, or more than `most` nodes: nothing in here is of use
} FbFormulas;

void fb_formulas_init(FbFormulas* f, int most);
void fb_formulas_free(FbFormulas* f);

int fb_formula_constant(FbFormulas* f, double x);
int fb_formula_input(FbFormulas* f, int i);
int fb_formula_add(FbFormulas* f, int a, int b);
int fb_formula_sub(FbFormulas* f, int a, int b);
int fb_formula_mul(FbFormulas* f, int a, int b);
int fb_formula_div(FbFormulas* f, int a, int b);
int fb_formula_neg(FbFormulas* f, int a);
int fb_formula_sqrt(FbFormulas* f, int a);
int fb_formula_sin(FbFormulas* f, int a);
int fb_formula_cos(FbFormulas* f, int a);

// Adds the derivatives of y by inputs 0 ... n - 1, as formulas: by reverse accumulation.
void fb_formula_gradient(FbFormulas* f, int y, int n, int* gradient);

// Vectors of formulas.
typedef struct FbFormula3 {
    int x, y, z;
} FbFormula3;

static inline FbFormula3 fb_formula3(FbFormulas* f, FbVec3 v) {
    return (FbFormula3){fb_formula_constant(f, v.x), fb_formula_constant(f, v.y),
                        fb_formula_constant(f, v.z)};
}
static inline FbFormula3 fb_formula3_add(FbFormulas* f, FbFormula3 a, FbFormula3 b) {
    return (FbFormula3){fb_formula_add(f, a.x, b.x), fb_formula_add(f, a.y, b.y),
                        fb_formula_add(f, a.z, b.z)};
}
static inline FbFormula3 fb_formula3_sub(FbFormulas* f, FbFormula3 a, FbFormula3 b) {
    return (FbFormula3){fb_formula_sub(f, a.x, b.x), fb_formula_sub(f, a.y, b.y),
                        fb_formula_sub(f, a.z, b.z)};
}
static inline FbFormula3 fb_formula3_scale(FbFormulas* f, int s, FbFormula3 a) {
    return (FbFormula3){fb_formula_mul(f, s, a.x), fb_formula_mul(f, s, a.y),
                        fb_formula_mul(f, s, a.z)};
}
static inline int fb_formula3_dot(FbFormulas* f, FbFormula3 a, FbFormula3 b) {
    return fb_formula_add(
        f, fb_formula_add(f, fb_formula_mul(f, a.x, b.x), fb_formula_mul(f, a.y, b.y)),
        fb_formula_mul(f, a.z, b.z));
}
FbFormula3 fb_formula3_cross(FbFormulas* f, FbFormula3 a, FbFormula3 b);
// A constant matrix times a vector, and its transpose.
FbFormula3 fb_formula3_mul(FbFormulas* f, const FbMat3* m, FbFormula3 x);
FbFormula3 fb_formula3_mul_transposed(FbFormulas* f, const FbMat3* m, FbFormula3 x);

#endif
