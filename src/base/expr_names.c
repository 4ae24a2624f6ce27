// Names and function calls in expressions.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/expr_parser.h"
#include "base/text.h"

enum { MAX_ARGUMENTS = 32 };

// What the arguments must be, and what the result is then.
typedef enum Rule {
    RULE_PURE,    // pure numbers or angles; so is the result
    RULE_SAME,    // all of the same kind; so is the result
    RULE_RATIO,   // all of the same kind; the result is a pure number
    RULE_ROOT,    // anything; the result is its root
    RULE_POWER,   // the second is a pure number
    RULE_CHOICE,  // the second and third are of the same kind
    RULE_STEP,    // smooth_step(x, x0, y0, x1, y1): those of x and those of y
} Rule;

typedef struct Function {
    const char* name;
    FbOp op;
    int n_min, n_max;
    Rule rule;
    const char *form, *doc;  // for the reference
} Function;

// clamp and smooth_step are composed of simpler operations and have no op code.
static const Function functions[] = {
    {"sin", FB_OP_SIN, 1, 1, RULE_PURE, "sin(x)", "Sine of an angle."},
    {"cos", FB_OP_COS, 1, 1, RULE_PURE, "cos(x)", "Cosine of an angle."},
    {"tan", FB_OP_TAN, 1, 1, RULE_PURE, "tan(x)", "Tangent of an angle."},
    {"asin", FB_OP_ASIN, 1, 1, RULE_PURE, "asin(x)",
     "The angle from -pi/2 to pi/2 with the sine x."},
    {"acos", FB_OP_ACOS, 1, 1, RULE_PURE, "acos(x)", "The angle from 0 to pi with the cosine x."},
    {"atan", FB_OP_ATAN, 1, 1, RULE_PURE, "atan(x)",
     "The angle from -pi/2 to pi/2 with the tangent x."},
    {"atan2", FB_OP_ATAN2, 2, 2, RULE_RATIO, "atan2(y, x)",
     "The angle of the point (x, y), from -pi to pi."},
    {"sinh", FB_OP_SINH, 1, 1, RULE_PURE, "sinh(x)", "Hyperbolic sine."},
    {"cosh", FB_OP_COSH, 1, 1, RULE_PURE, "cosh(x)", "Hyperbolic cosine."},
    {"tanh", FB_OP_TANH, 1, 1, RULE_PURE, "tanh(x)", "Hyperbolic tangent."},
    {"exp", FB_OP_EXP, 1, 1, RULE_PURE, "exp(x)", "e raised to the power x."},
    {"log", FB_OP_LOG, 1, 1, RULE_PURE, "log(x)", "Natural logarithm."},
    {"log10", FB_OP_LOG10, 1, 1, RULE_PURE, "log10(x)", "Logarithm to the base 10."},
    {"sqrt", FB_OP_SQRT, 1, 1, RULE_ROOT, "sqrt(x)", "Square root."},
    {"abs", FB_OP_ABS, 1, 1, RULE_SAME, "abs(x)", "Absolute value."},
    {"sign", FB_OP_SIGN, 1, 1, RULE_RATIO, "sign(x)", "-1, 0 or 1."},
    {"floor", FB_OP_FLOOR, 1, 1, RULE_SAME, "floor(x)", "The largest integer <= x."},
    {"ceil", FB_OP_CEIL, 1, 1, RULE_SAME, "ceil(x)", "The smallest integer >= x."},
    {"mod", FB_OP_MOD, 2, 2, RULE_SAME, "mod(a, b)", "a - b*floor(a/b); it has the sign of b."},
    {"min", FB_OP_MIN, 2, MAX_ARGUMENTS, RULE_SAME, "min(a, b, ...)",
     "The smallest of two or more."},
    {"max", FB_OP_MAX, 2, MAX_ARGUMENTS, RULE_SAME, "max(a, b, ...)",
     "The largest of two or more."},
    {"pow", FB_OP_POWER, 2, 2, RULE_POWER, "pow(a, b)", "a^b."},
    {"hypot", FB_OP_HYPOT, 2, 2, RULE_SAME, "hypot(a, b)", "sqrt(a^2 + b^2), without overflow."},
    {"step", FB_OP_STEP, 1, 1, RULE_RATIO, "step(x)", "0 for x < 0, otherwise 1."},
    {"if", FB_OP_IF, 3, 3, RULE_CHOICE, "if(condition, a, b)",
     "a if the condition holds (is not 0), otherwise b."},
    {"clamp", FB_OP_CONSTANT, 3, 3, RULE_SAME, "clamp(x, low, high)",
     "x limited to the range from low to high."},
    {"smooth_step", FB_OP_QUINTIC, 5, 5, RULE_STEP, "smooth_step(x, x0, y0, x1, y1)",
     "y0 up to x0, y1 beyond x1, and y0 + (y1 - y0)*(10*u^3 - 15*u^4 + 6*u^5) with u = (x - "
     "x0)/(x1 - x0) in between; the first two derivatives are continuous."}};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

bool fb_expr_function(int index, const char** form, const char** doc) {
    if (index < 0 || index >= N_FUNCTIONS) {
        return false;
    }
    *form = functions[index].form;
    *doc = functions[index].doc;
    return true;
}

static const Function* find_function(const char* name) {
    for (int i = 0; i < N_FUNCTIONS; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return &functions[i];
        }
    }
    return NULL;
}

static int fail_unknown_function(FbParser* p, const char* name, int at) {
    const char* names[N_FUNCTIONS];
    for (int i = 0; i < N_FUNCTIONS; i++) {
        names[i] = functions[i].name;
    }
    const char* near = fb_did_you_mean(name, names, N_FUNCTIONS);
    char message[FB_ERROR_TEXT];
    snprintf(message, sizeof message, "unknown function '%s'%s%s%s", name,
             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return fb_parser_fail(p, FB_ERR_NAME, at, message);
}

static int emit_clamp(FbTape* t, int x, int low, int high, int at) {
    return fb_tape_binary(t, FB_OP_MIN, fb_tape_binary(t, FB_OP_MAX, x, low, at), high, at);
}

// y0 + (y1 - y0) s(u), u = (x - x0) / (x1 - x0) kept inside [0, 1]
static int emit_smooth_step(FbParser* p, const int a[5], int at) {
    FbTape* t = &p->tape;
    int width = fb_tape_binary(t, FB_OP_SUBTRACT, a[3], a[1], at);
    if (!t->has_failed && t->code[width].op == FB_OP_CONSTANT && t->code[width].constant == 0.0) {
        return fb_parser_fail(p, FB_ERR_RANGE, at,
                              "smooth_step(x, x0, y0, x1, y1) needs x0 and x1 to differ");
    }
    int u = fb_tape_binary(t, FB_OP_DIVIDE, fb_tape_binary(t, FB_OP_SUBTRACT, a[0], a[1], at),
                           width, at);
    u = emit_clamp(t, u, fb_tape_constant(t, 0.0, at), fb_tape_constant(t, 1.0, at), at);
    int height = fb_tape_binary(t, FB_OP_SUBTRACT, a[4], a[2], at);
    int rise =
        fb_tape_binary(t, FB_OP_MULTIPLY, height, fb_tape_unary(t, FB_OP_QUINTIC, u, at), at);
    return fb_tape_binary(t, FB_OP_ADD, a[2], rise, at);
}

static int emit_call(FbParser* p, const Function* f, const int* a, int n, int at) {
    FbTape* t = &p->tape;
    if (f->op == FB_OP_IF) {
        return fb_tape_if(t, a[0], a[1], a[2], at);
    }
    if (f->op == FB_OP_CONSTANT) {
        return emit_clamp(t, a[0], a[1], a[2], at);
    }
    if (f->op == FB_OP_QUINTIC) {
        return emit_smooth_step(p, a, at);
    }
    if (n == 1) {
        return fb_tape_unary(t, f->op, a[0], at);
    }
    int result = a[0];
    for (int i = 1; i < n; i++) {
        result = fb_tape_binary(t, f->op, result, a[i], at);
    }
    return result;
}

// The quantity that the arguments in `list` (ended by -1) have in common.
static bool merge_arguments(FbParser* p, const Function* f, const FbOperand* a, const int* list,
                            int at, FbQuantity* out) {
    char verb[64];
    snprintf(verb, sizeof verb, "take %s() of", f->name);
    *out = a[list[0]].quantity;
    for (int i = 1; list[i] >= 0; i++) {
        FbQuantity next = a[list[i]].quantity;
        if (!fb_parser_check_same(p, *out, next, at, verb)) {
            return false;
        }
        *out = fb_quantity_merge(*out, next);
    }
    return true;
}

static bool check_pure_argument(FbParser* p, const Function* f, FbQuantity a, int at) {
    char what[64];
    snprintf(what, sizeof what, "the argument of %s()", f->name);
    return fb_parser_check_pure(p, a, at, what);
}

// Checks the arguments by the function's rule; *out is the result's quantity.
static bool apply_rule(FbParser* p, const Function* f, const FbOperand* a, int n, int at,
                       FbQuantity* out) {
    static const int choice[] = {1, 2, -1}, x[] = {0, 1, 3, -1}, y[] = {2, 4, -1};
    int all[MAX_ARGUMENTS + 1] = {-1};
    for (int i = 0; i <= n; i++) {
        all[i] = i < n ? i : -1;
    }
    bool is_good = true;
    switch (f->rule) {
        case RULE_PURE:
            *out = fb_quantity_pure();
            return check_pure_argument(p, f, a[0].quantity, at);
        case RULE_RATIO:
            is_good = merge_arguments(p, f, a, all, at, out);
            *out = fb_quantity_pure();
            return is_good;
        case RULE_ROOT:
            *out = fb_quantity_power(a[0].quantity, 0.5);
            return true;
        case RULE_CHOICE:
            return merge_arguments(p, f, a, choice, at, out);
        case RULE_STEP:
            return merge_arguments(p, f, a, x, at, out) && merge_arguments(p, f, a, y, at, out);
        default:
            return merge_arguments(p, f, a, all, at, out);
    }
}

static FbOperand make_call(FbParser* p, const Function* f, const FbOperand* a, int n, int at) {
    int codes[MAX_ARGUMENTS] = {0};
    FbQuantity quantity;
    if (f->rule == RULE_POWER) {
        return fb_parser_power(p, a[0], a[1], at);
    }
    if (!apply_rule(p, f, a, n, at, &quantity)) {
        return fb_operand_failed(FB_PARSE_FAILED);
    }
    for (int i = 0; i < n; i++) {
        codes[i] = a[i].code;
    }
    return fb_operand(emit_call(p, f, codes, n, at), quantity);
}

static int fail_argument_count(FbParser* p, const Function* f, int n, int at) {
    char message[FB_ERROR_TEXT];
    snprintf(message, sizeof message, "%s takes %d%s argument%s, not %d", f->name, f->n_min,
             f->n_max > f->n_min ? " or more" : "", f->n_max == 1 ? "" : "s", n);
    return fb_parser_fail(p, FB_ERR_SYNTAX, at, message);
}

// After the opening parenthesis.
static FbOperand parse_call(FbParser* p, const char* name, int at) {
    const Function* f = find_function(name);
    if (!f) {
        return fb_operand_failed(fail_unknown_function(p, name, at));
    }
    FbOperand arguments[MAX_ARGUMENTS] = {0};
    int n = 0;
    if (!fb_parser_accept(p, ")")) {
        do {
            FbOperand a = fb_parser_or(p);
            if (a.code == FB_PARSE_FAILED) {
                return a;
            }
            if (n < MAX_ARGUMENTS) {
                arguments[n] = a;
            }
            n++;
        } while (fb_parser_accept(p, ","));
        if (!fb_parser_accept(p, ")")) {
            return fb_operand_failed(fb_parser_fail_after_operand(p, "')'"));
        }
    }
    if (n < f->n_min || n > f->n_max) {
        return fb_operand_failed(fail_argument_count(p, f, n, at));
    }
    return make_call(p, f, arguments, n, at);
}

static int parse_constant_name(FbParser* p, const char* name, double constant, int at) {
    if (!isfinite(constant)) {
        return fb_parser_fail_with(p, FB_ERR_RANGE, at, "'%s' is not a finite number", name);
    }
    return fb_tape_constant(&p->tape, constant, at);
}

static FbOperand parse_plain_name(FbParser* p, const char* name, int at) {
    FbNumber found = {0};
    int input = p->resolve ? p->resolve(p->self, name, &found) : FB_NAME_UNKNOWN;
    if (input == FB_NAME_CONSTANT) {
        return fb_operand(parse_constant_name(p, name, found.value, at), found.quantity);
    }
    if (input >= 0) {
        return fb_operand(fb_tape_input(&p->tape, input, at), found.quantity);
    }
    bool is_pi = strcmp(name, "pi") == 0;
    if (is_pi || strcmp(name, "e") == 0) {
        double value = is_pi ? 3.14159265358979323846 : 2.71828182845904523536;
        return fb_operand(fb_tape_constant(&p->tape, value, at), fb_quantity_pure());
    }
    return fb_operand_failed(
        fb_parser_fail_with(p, find_function(name) ? FB_ERR_SYNTAX : FB_ERR_NAME, at,
                            find_function(name) ? "function '%s' needs its arguments in parentheses"
                                                : "unknown name '%s'",
                            name));
}

FbOperand fb_parser_name(FbParser* p) {
    int at = p->pos, n = 0;
    while (fb_is_name_char(p->text[at + n])) {
        n++;
    }
    char name[FB_MAX_NAME];
    if (n >= FB_MAX_NAME) {
        return fb_operand_failed(fb_parser_fail(p, FB_ERR_SYNTAX, at, "this name is too long"));
    }
    memcpy(name, p->text + at, (size_t)n);
    name[n] = '\0';
    if (strcmp(name, "and") == 0 || strcmp(name, "or") == 0 || strcmp(name, "not") == 0) {
        return fb_operand_failed(fb_parser_fail_unexpected(p));
    }
    p->pos += n;
    return fb_parser_accept(p, "(") ? parse_call(p, name, at) : parse_plain_name(p, name, at);
}
