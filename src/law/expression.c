// A law by an expression of t and of inputs of the model, differentiated exactly.
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
    if (fb_expr_scratch(expr) + 3 * (size_t)fb_expr_input_count(expr) > MAX_SCRATCH) {
        return fb_fail(err, FB_ERR_RANGE, &def->head.origin.place,
                       "the expression of law '%s' is too long to evaluate; split it into several "
                       "laws or use a table",
                       def->head.name);
    }
    law->data = expr;
    for (int k = 0; k < fb_expr_input_count(expr); k++) {
        law->has_inputs |= fb_expr_inputs(expr)[k] > 0;
    }
    return FB_OK;
}

const FbExpr* fb_law_get_expression(const FbLaw* law) {
    return law->type == &fb_law_expression ? law->data : NULL;
}

void fb_law_gather(const FbLaw* law, double t, const double* inputs, double* values) {
    const FbExpr* expr = law->data;
    const int* index = fb_expr_inputs(expr);
    for (int k = 0; k < fb_expr_input_count(expr); k++) {
        values[k] = index[k] == 0 ? t : inputs[index[k] - 1];
    }
}

// Value and derivatives along (t, input) with the rates (dt, du); input 0 is none.
static void calc_along(const FbLaw* law, double t, const double* inputs, double dt, int input,
                       double out[3]) {
    const FbExpr* expr = law->data;
    double room[MAX_SCRATCH];
    int n = fb_expr_input_count(expr);
    double *values = room, *d1 = room + n, *d2 = room + 2 * n;
    fb_law_gather(law, t, inputs, values);
    for (int k = 0; k < n; k++) {
        int index = fb_expr_inputs(expr)[k];
        d1[k] = index == 0 ? dt : index == input;
        d2[k] = 0.0;
    }
    fb_expr_jet(expr, values, d1, d2, room + 3 * n, out);
}

void fb_law_calc_with(const FbLaw* law, double t, const double* inputs, const FbPiece* pieces,
                      double out[3]) {
    if (!pieces) {
        calc_along(law, t, inputs, 1.0, 0, out);
        return;
    }
    double room[MAX_SCRATCH];
    int n = fb_expr_input_count(law->data);
    fb_law_gather(law, t, inputs, room);
    fb_expr_held_jet(law->data, room, pieces, room + n, out);
    if (!isfinite(out[0])) {
        calc_along(law, t, inputs, 1.0, 0, out);
    }
}

// The rate is mixed: f_tu = (f'' along (1, 1) - f'' along (1, 0) - f'' along (0, 1)) / 2
// (eq. 7.29).
double fb_law_calc_slope(const FbLaw* law, double t, const double* inputs, int component,
                         int input) {
    double both[3], time[3], own[3];
    calc_along(law, t, inputs, 0.0, input + 1, own);
    if (component == 0) {
        return own[1];
    }
    calc_along(law, t, inputs, 1.0, input + 1, both);
    calc_along(law, t, inputs, 1.0, 0, time);
    return 0.5 * (both[2] - time[2] - own[2]);
}

static void calc(const FbLaw* law, double t, double out[3]) {
    calc_along(law, t, law->inputs, 1.0, 0, out);
}

// Pieces that are shorter than the part of the interval between two looks may be missed.
enum { LOOKS = 4096 };

static uint64_t branches_at(const FbLaw* law, double t) {
    double room[MAX_SCRATCH];
    fb_law_gather(law, t, law->inputs, room);
    return fb_expr_branches(law->data, room, room + fb_expr_input_count(law->data));
}

static double next_piece(const FbLaw* law, double t0, double t1, double* before) {
    const FbExpr* expr = law->data;
    double a = t0;
    if (!fb_expr_is_piecewise(expr)) {
        return INFINITY;
    }
    uint64_t piece = branches_at(law, t0);
    for (int i = 1; i <= LOOKS; i++) {
        double b = t0 + (t1 - t0) * i / LOOKS;
        if (branches_at(law, b) == piece) {
            a = b;
            continue;
        }
        for (double c = 0.5 * (a + b); c > a && c < b; c = 0.5 * (a + b)) {
            bool is_left = branches_at(law, c) == piece;
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
     .doc = "The value as an expression of t, parameters and inputs, such as 0.1*sin(2*pi*t)."},
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
