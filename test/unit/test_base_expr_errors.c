// What expressions refuse: status, exact column and text.
#include <stdlib.h>
#include <string.h>

#include "base/expr.h"
#include "test_base_expr_support.h"
#include "unit_list.h"

static int resolve(void* self, const char* name, FbNumber* found) {
    (void)self;
    found->value = strcmp(name, "zero") == 0 ? 0.0 : INFINITY;
    if (strcmp(name, "zero") == 0 || strcmp(name, "huge") == 0) {
        return FB_NAME_CONSTANT;
    }
    return strcmp(name, "x") == 0 ? 4 : strcmp(name, "arm.q") == 0 ? 5 : FB_NAME_UNKNOWN;
}

typedef struct Case {
    const char* text;
    FbStatus status;
    int offset;  // characters before the place that is named
    const char* message;
} Case;

#define UNCLEAR                                                                             \
    "it is unclear what this unit applies to; write parentheses, (1/2) mm or 1/(2 mm), or " \
    "give each number a unit"

static const Case cases[] = {
    {"", FB_ERR_SYNTAX, 0, "the expression is empty"},
    {"   ", FB_ERR_SYNTAX, 0, "the expression is empty"},
    {"x +", FB_ERR_SYNTAX, 3, "the expression ends where a value is expected"},
    {"2*", FB_ERR_SYNTAX, 2, "the expression ends where a value is expected"},
    {"-", FB_ERR_SYNTAX, 1, "the expression ends where a value is expected"},
    {"(x", FB_ERR_SYNTAX, 2, "missing ')' at the end"},
    {"sin(x", FB_ERR_SYNTAX, 5, "missing ')' at the end"},
    {"x)", FB_ERR_SYNTAX, 1, "unexpected ')'"},
    {"()", FB_ERR_SYNTAX, 1, "unexpected ')'"},
    {"1, 2", FB_ERR_SYNTAX, 1, "unexpected ','"},
    {"x*/2", FB_ERR_SYNTAX, 2, "unexpected '/'"},
    {"x and and x", FB_ERR_SYNTAX, 6, "unexpected 'and'"},
    {"2 x", FB_ERR_UNIT, 2,
     "unknown unit 'x'; write an operator before it if it is a name" UNIT_LIST},
    {"2x", FB_ERR_UNIT, 1,
     "unknown unit 'x'; write an operator before it if it is a name" UNIT_LIST},
    {"2 sin(x)", FB_ERR_SYNTAX, 2, "expected an operator before 'sin'"},
    {"2(x)", FB_ERR_SYNTAX, 1, "expected an operator before '('"},
    {"30 degg", FB_ERR_UNIT, 3, "unknown unit 'degg'; did you mean 'deg'?" UNIT_LIST},
    {"30 \xc2\xb0", FB_ERR_UNIT, 3, "unknown unit '\xc2\xb0'; did you mean 'deg'?" UNIT_LIST},
    {"1.5.2", FB_ERR_SYNTAX, 3, "expected an operator before '.2'"},
    {"2e", FB_ERR_UNIT, 1,
     "unknown unit 'e'; write an operator before it if it is a name" UNIT_LIST},
    {"5 mm kg", FB_ERR_SYNTAX, 5,
     "units are multiplied by '*', without spaces, mm*kg; if 'kg' is a name, write an operator "
     "before it"},
    {"3 kg m^2/s", FB_ERR_SYNTAX, 5,
     "units are multiplied by '*', without spaces, kg*m^2/s; if 'm^2/s' is a name, write an "
     "operator before it"},
    {"5 N\xc2\xb7m", FB_ERR_SYNTAX, 4,
     "units are multiplied by '*', without spaces, N*m; if 'm' is a name, write an operator before "
     "it"},
    {"5 N x", FB_ERR_SYNTAX, 4, "expected an operator before 'x'"},
    {"5 N * m", FB_ERR_UNIT, 2,
     "is 'N * m' a unit? Write it without spaces, or put parentheses around the number and its "
     "unit: (5 N)"},
    {"5 kg /s", FB_ERR_UNIT, 2,
     "is 'kg /s' a unit? Write it without spaces, or put parentheses around the number and its "
     "unit: (5 kg)"},
    {"5 m^x", FB_ERR_UNIT, 2,
     "the power of a unit must be an integer, such as m^2; for a power of the value write "
     "parentheses: (5 m)^x"},
    {"(2 m) kg", FB_ERR_UNIT, 6, "the value before the unit 'kg' is already m (length)"},
    {"2 kg + 3 m", FB_ERR_UNIT, 5, "cannot add kg (mass) and m (length)"},
    {"3 s - (2 m + x)", FB_ERR_UNIT, 4, "cannot take the difference of s (time) and m (length)"},
    {"1/2 mm", FB_ERR_UNIT, 4, UNCLEAR},
    {"zero/2 mm", FB_ERR_UNIT, 7, UNCLEAR},
    {"100 + 2 mm", FB_ERR_UNIT, 8,
     "'mm' applies only to the value before it, and the value it is added to has no unit; give "
     "each a unit, as in 2 mm + 3 mm, or write parentheses, (2 + 3) mm"},
    {"100 mm + 2", FB_ERR_UNIT, 9,
     "this number has no unit, but the value it is added to is m (length); give it a unit too, as "
     "in 2 mm "
     "+ 3 mm"},
    {"3 kg - 2*3", FB_ERR_UNIT, 8,
     "this number has no unit, but the value it is taken from is kg (mass); give it a unit too, as "
     "in 2 mm "
     "- 3 mm"},
    {"1 + x mm", FB_ERR_UNIT, 6,
     "'mm' applies only to the value before it, and the value it is added to has no unit; give "
     "each a unit, as in 2 mm + 3 mm, or write parentheses, (2 + 3) mm"},
    {"x - x N/mm", FB_ERR_UNIT, 6,
     "'N/mm' applies only to the value before it, and the value it is taken from has no unit; give "
     "each a unit, as in 2 N/mm - 3 N/mm, or write parentheses, (2 - 3) N/mm"},
    {"2 m < 3 s", FB_ERR_UNIT, 4, "cannot compare m (length) and s (time)"},
    {"1 + max(x, 2 m, 3 kg)", FB_ERR_UNIT, 4, "cannot take max() of m (length) and kg (mass)"},
    {"clamp(x, 2 m, 3 kg)", FB_ERR_UNIT, 0, "cannot take clamp() of m (length) and kg (mass)"},
    {"hypot(2 m, 3 kg)", FB_ERR_UNIT, 0, "cannot take hypot() of m (length) and kg (mass)"},
    {"if(x, 2 m, 3 kg)", FB_ERR_UNIT, 0, "cannot take if() of m (length) and kg (mass)"},
    {"smooth_step(x, 1 s, 0, 2 m, 1)", FB_ERR_UNIT, 0,
     "cannot take smooth_step() of s (time) and m (length)"},
    {"smooth_step(x, 1, 2 kg, 2, 1 m)", FB_ERR_UNIT, 0,
     "cannot take smooth_step() of kg (mass) and m (length)"},
    {"sin(2 m)", FB_ERR_UNIT, 0,
     "the argument of sin() must be a pure number or an angle; this is m (length)"},
    {"exp(2 m/3 s)", FB_ERR_UNIT, 0,
     "the argument of exp() must be a pure number or an angle; this is m/s (velocity)"},
    {"2^3 mm", FB_ERR_UNIT, 1, "an exponent must be a pure number or an angle; this is m (length)"},
    {"sqrt(2 m) + 3 m", FB_ERR_UNIT, 10, "cannot add m^0.5 and m (length)"},
    {"sqrt(4 m^2) + 3 s", FB_ERR_UNIT, 12, "cannot add m (length) and s (time)"},
    {"x = 1", FB_ERR_SYNTAX, 2, "write == to compare, not ="},
    {"x ** 2", FB_ERR_SYNTAX, 2, "write ^ for a power, not **"},
    {"x && x", FB_ERR_SYNTAX, 2, "write 'and', not &&"},
    {"x || x", FB_ERR_SYNTAX, 2, "write 'or', not ||"},
    {"!x", FB_ERR_SYNTAX, 0, "write 'not', not !"},
    {"x % 2", FB_ERR_SYNTAX, 2, "write mod(a, b), not %"},
    {"x ? 1 : 2", FB_ERR_SYNTAX, 2, "write if(condition, a, b), not ?"},
    {"x <> 2", FB_ERR_SYNTAX, 2, "write !=, not <>"},
    {"x[1]", FB_ERR_SYNTAX, 1, "write ( ), not [ ]"},
    {"0 < x < 1", FB_ERR_SYNTAX, 6, "comparisons cannot be chained; write 'a < b and b < c'"},
    {"1 + \xc3\xa9", FB_ERR_SYNTAX, 4, "unexpected '\xc3\xa9'"},
    {"sin x", FB_ERR_SYNTAX, 0, "function 'sin' needs its arguments in parentheses"},
    {"1 + sin(x, 2)", FB_ERR_SYNTAX, 4, "sin takes 1 argument, not 2"},
    {"sin()", FB_ERR_SYNTAX, 0, "sin takes 1 argument, not 0"},
    {"atan2(x)", FB_ERR_SYNTAX, 0, "atan2 takes 2 arguments, not 1"},
    {"max(x)", FB_ERR_SYNTAX, 0, "max takes 2 or more arguments, not 1"},
    {"if(x, 1)", FB_ERR_SYNTAX, 0, "if takes 3 arguments, not 2"},
    {"foo + 1", FB_ERR_NAME, 0, "unknown name 'foo'"},
    {"x + arm.qq", FB_ERR_NAME, 4, "unknown name 'arm.qq'"},
    {"2*sni(x)", FB_ERR_NAME, 2, "unknown function 'sni'; did you mean 'sin'?"},
    {"quux(x)", FB_ERR_NAME, 0, "unknown function 'quux'"},
    {"1e999", FB_ERR_RANGE, 0, "this number is too large"},
    {"huge", FB_ERR_RANGE, 0, "'huge' is not a finite number"},
    {"1 + 2/zero", FB_ERR_RANGE, 5, "division by zero"},
    {"x/(1 - 1)", FB_ERR_RANGE, 1, "division by zero"},
    {"x*sqrt(-1)", FB_ERR_RANGE, 2, "this has no finite value"},
    {"log(0)", FB_ERR_RANGE, 0, "this has no finite value"},
    {"smooth_step(x, 1, 0, 1, 1)", FB_ERR_RANGE, 0,
     "smooth_step(x, x0, y0, x1, y1) needs x0 and x1 to differ"},
};

static void each_error_has_its_place_and_text(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FbArena* arena = fb_arena_create();
        FbExpr* expr = (FbExpr*)arena;
        FbError err = {0};
        FbPlace place = {"m.yaml", 3, 20};
        FbStatus status = fb_expr_compile(cases[i].text, resolve, NULL, &place, arena, &expr, &err);
        if (status != cases[i].status || err.place.line != 3 ||
            err.place.col != 20 + cases[i].offset || strcmp(err.text, cases[i].message) != 0) {
            fail_msg("'%s': status %d, column +%d, \"%s\"", cases[i].text, status,
                     err.place.col - 20, err.text);
        }
        assert_null(expr);
        assert_string_equal(err.file, "m.yaml");
        fb_arena_destroy(arena);
    }
}

static void a_branch_that_a_constant_drops_may_have_no_value(void** state) {
    (void)state;
    FbNumber value;
    assert_int_equal(calc_constant("if(zero > 0, 1/zero, 5)", resolve, &value, NULL), FB_OK);
    assert_near(value.value, 5.0, 0.0);
}

static void deep_nesting_is_refused_not_overflowed(void** state) {
    (void)state;
    enum { DEPTH = 100000 };
    static const char openers[] = "(-";
    char* text = malloc(DEPTH + 1);
    for (int kind = 0; kind < 2; kind++) {
        memset(text, openers[kind], DEPTH);
        text[DEPTH] = '\0';
        FbNumber value;
        FbError err = {0};
        assert_int_equal(calc_constant(text, NULL, &value, &err), FB_ERR_SYNTAX);
        assert_non_null(strstr(err.text, "the expression is nested more than 200 deep"));
    }
    free(text);
}

// x + x + ... of n characters.
static FbStatus calc_sum(size_t n, FbNumber* value, FbError* err) {
    char* text = malloc(n + 1);
    for (size_t i = 0; i < n; i++) {
        text[i] = i % 2 == 0 ? '1' : '+';
    }
    text[n] = '\0';
    FbStatus status = calc_constant(text, NULL, value, err);
    free(text);
    return status;
}

// As long and as deep as the manual says.
static void limits_are_those_that_are_stated(void** state) {
    (void)state;
    enum { DEPTH = 199 };
    FbNumber value;
    FbError err = {0};
    assert_int_equal(calc_sum(999999, &value, &err), FB_OK);
    assert_near(value.value, 500000.0, 0.0);
    assert_int_equal(calc_sum(10000001, &value, &err), FB_ERR_SYNTAX);
    assert_non_null(strstr(err.text, "more than 10000000 characters"));
    char text[2 * DEPTH + 2] = {0};
    memset(text, '(', DEPTH);
    text[DEPTH] = '7';
    memset(text + DEPTH + 1, ')', DEPTH);
    assert_int_equal(calc_constant(text, NULL, &value, &err), FB_OK);
    assert_near(value.value, 7.0, 0.0);
}

static void long_names_are_refused(void** state) {
    (void)state;
    char text[400];
    memset(text, 'n', sizeof text);
    text[sizeof text - 1] = '\0';
    FbNumber value;
    FbError err = {0};
    assert_int_equal(calc_constant(text, resolve, &value, &err), FB_ERR_SYNTAX);
    assert_string_equal(err.text, "this name is too long");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_error_has_its_place_and_text),
        cmocka_unit_test(a_branch_that_a_constant_drops_may_have_no_value),
        cmocka_unit_test(deep_nesting_is_refused_not_overflowed),
        cmocka_unit_test(limits_are_those_that_are_stated),
        cmocka_unit_test(long_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
