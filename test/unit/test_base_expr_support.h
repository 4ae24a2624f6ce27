// The value of an expression without inputs, for the tests of expressions.
#ifndef FLYBALL_TEST_BASE_EXPR_SUPPORT_H
#define FLYBALL_TEST_BASE_EXPR_SUPPORT_H

#include <stdlib.h>

#include "base/expr.h"
#include "test_base_support.h"

static inline FbStatus calc_constant(const char* text, FbResolveName resolve, FbNumber* out,
                                     FbError* err) {
    FbArena* arena = fb_arena_create();
    *out = (FbNumber){0};
    FbExpr* expr;
    FbStatus status = fb_expr_compile(text, resolve, NULL, NULL, arena, &expr, err);
    if (status == FB_OK) {
        assert_int_equal(fb_expr_input_count(expr), 0);
        double* scratch = malloc(sizeof *scratch * fb_expr_scratch(expr));
        *out = (FbNumber){fb_expr_value(expr, NULL, scratch), fb_expr_quantity(expr)};
        free(scratch);
    }
    fb_arena_destroy(arena);
    return status;
}

#endif
