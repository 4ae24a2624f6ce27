// A law by an expression of t, differentiated exactly.
#include <math.h>
#include <stddef.h>

#include "law/law.h"

// Doubles of scratch on the stack of an evaluation; an expression of some hundred operations fits.
enum { MAX_SCRATCH = 2048 };

static FbStatus build(const FbLawDef* head, FbResolveName resolve, void* self, FbArena* arena,
                      FbLaw* law, FbError* err) {
    const FbExpressionLawDef* def = (const FbExpressionLawDef*)head;
    FbExpr* expr = NULL;
    FB_TRY(fb_expr_compile(def->value, resolve, self, &def->head.origin.place, arena, &expr, err));
    if (fb_expr_scratch(expr) > MAX_SCRATCH) {
        return fb_fail(err, FB_ERR_RANGE, &def->head.origin.place,
                       "the expression of law '%s' is too long to evaluate; split it into several "
                       "laws or use a table",
                       def->head.name);
    }
    law->data = expr;
    return FB_OK;
}

static void calc(const FbLaw* law, double t, double out[3]) {
    const FbExpr* expr = law->data;
    double scratch[MAX_SCRATCH];
    const double d1 = 1.0, d2 = 0.0;
    fb_expr_jet(expr, &t, &d1, &d2, scratch, out);
}

const FbExpr* fb_law_get_expression(const FbLaw* law) {
    return law->type == &fb_law_expression ? law->data : NULL;
}

void fb_law_calc_held(const FbLaw* law, double t, const FbPiece* pieces, double out[3]) {
    double scratch[MAX_SCRATCH];
    fb_expr_held_jet(law->data, t, pieces, scratch, out);
    if (!isfinite(out[0])) {
        calc(law, t, out);
    }
}

// Pieces that are shorter than the part of the interval between two looks may be missed.
enum { LOOKS = 4096 };

static double next_piece(const FbLaw* law, double t0, double t1, double* before) {
    const FbExpr* expr = law->data;
    double scratch[MAX_SCRATCH], a = t0;
    if (!fb_expr_is_piecewise(expr)) {
        return INFINITY;
    }
    uint64_t piece = fb_expr_branches(expr, &t0, scratch);
    for (int i = 1; i <= LOOKS; i++) {
        double b = t0 + (t1 - t0) * i / LOOKS;
        if (fb_expr_branches(expr, &b, scratch) == piece) {
            a = b;
            continue;
        }
        for (double c = 0.5 * (a + b); c > a && c < b; c = 0.5 * (a + b)) {
            bool is_left = fb_expr_branches(expr, &c, scratch) == piece;
            *(is_left ? &a : &b) = c;
        }
        *before = a;
        return b;
    }
    return INFINITY;
}

static const FbField fields[] = {
    {.key = "value",
     .kind = FB_FIELD_EXPRESSION,
     .offset = offsetof(FbExpressionLawDef, value),
     .unit = "",
     .doc = "The value as an expression of t and parameters, such as 0.1*sin(2*pi*t)."},
};

FbExpressionLawDef fb_expression_law_def_default(void) {
    FbExpressionLawDef def;
    fb_type_fill(&fb_law_expression.info, &def);
    return def;
}

const FbLawType fb_law_expression = {
    .info = {.name = "expression",
             .doc = "A value given by an expression of the time t; its derivatives are exact.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbExpressionLawDef)},
    .build = build,
    .calc = calc,
    .next_piece = next_piece,
};
