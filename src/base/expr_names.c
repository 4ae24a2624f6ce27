// Names and function calls in expressions.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/expr_parser.h"
#include "base/text.h"

enum { MAX_ARGUMENTS = 32 };

typedef struct Function {
    const char* name;
    FbOp op;
    int n_min, n_max;
} Function;

// clamp and smooth_step are made of simpler operations and have no op of their own.
static const Function functions[] = {{"sin", FB_OP_SIN, 1, 1},
                                     {"cos", FB_OP_COS, 1, 1},
                                     {"tan", FB_OP_TAN, 1, 1},
                                     {"asin", FB_OP_ASIN, 1, 1},
                                     {"acos", FB_OP_ACOS, 1, 1},
                                     {"atan", FB_OP_ATAN, 1, 1},
                                     {"atan2", FB_OP_ATAN2, 2, 2},
                                     {"sinh", FB_OP_SINH, 1, 1},
                                     {"cosh", FB_OP_COSH, 1, 1},
                                     {"tanh", FB_OP_TANH, 1, 1},
                                     {"exp", FB_OP_EXP, 1, 1},
                                     {"log", FB_OP_LOG, 1, 1},
                                     {"log10", FB_OP_LOG10, 1, 1},
                                     {"sqrt", FB_OP_SQRT, 1, 1},
                                     {"abs", FB_OP_ABS, 1, 1},
                                     {"sign", FB_OP_SIGN, 1, 1},
                                     {"floor", FB_OP_FLOOR, 1, 1},
                                     {"ceil", FB_OP_CEIL, 1, 1},
                                     {"mod", FB_OP_MOD, 2, 2},
                                     {"min", FB_OP_MIN, 2, MAX_ARGUMENTS},
                                     {"max", FB_OP_MAX, 2, MAX_ARGUMENTS},
                                     {"pow", FB_OP_POWER, 2, 2},
                                     {"hypot", FB_OP_HYPOT, 2, 2},
                                     {"step", FB_OP_STEP, 1, 1},
                                     {"if", FB_OP_IF, 3, 3},
                                     {"clamp", FB_OP_CONSTANT, 3, 3},
                                     {"smooth_step", FB_OP_QUINTIC, 5, 5}};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

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

static int fail_argument_count(FbParser* p, const Function* f, int n, int at) {
    char message[FB_ERROR_TEXT];
    snprintf(message, sizeof message, "%s takes %d%s argument%s, not %d", f->name, f->n_min,
             f->n_max > f->n_min ? " or more" : "", f->n_max == 1 ? "" : "s", n);
    return fb_parser_fail(p, FB_ERR_SYNTAX, at, message);
}

// After the opening parenthesis.
static int parse_call(FbParser* p, const char* name, int at) {
    const Function* f = find_function(name);
    if (!f) {
        return fail_unknown_function(p, name, at);
    }
    int arguments[MAX_ARGUMENTS];
    int n = 0;
    if (!fb_parser_accept(p, ")")) {
        do {
            int a = fb_parser_or(p);
            if (a == FB_PARSE_FAILED) {
                return FB_PARSE_FAILED;
            }
            if (n < MAX_ARGUMENTS) {
                arguments[n] = a;
            }
            n++;
        } while (fb_parser_accept(p, ","));
        if (!fb_parser_accept(p, ")")) {
            return fb_parser_fail_after_operand(p, "')'");
        }
    }
    if (n < f->n_min || n > f->n_max) {
        return fail_argument_count(p, f, n, at);
    }
    return emit_call(p, f, arguments, n, at);
}

static int parse_constant_name(FbParser* p, const char* name, double constant, int at) {
    if (!isfinite(constant)) {
        return fb_parser_fail_with(p, FB_ERR_RANGE, at, "'%s' is not a finite number", name);
    }
    return fb_tape_constant(&p->tape, constant, at);
}

static int parse_plain_name(FbParser* p, const char* name, int at) {
    double constant = 0.0;
    int input = p->resolve ? p->resolve(p->self, name, &constant) : FB_NAME_UNKNOWN;
    if (input == FB_NAME_CONSTANT) {
        return parse_constant_name(p, name, constant, at);
    }
    if (input >= 0 && p->has_only_constants) {
        return fb_parser_fail_with(
            p, FB_ERR_NAME, at,
            "'%s' is not known before the simulation; only constants may stand here", name);
    }
    if (input >= 0) {
        return fb_tape_input(&p->tape, input, at);
    }
    if (strcmp(name, "pi") == 0) {
        return fb_tape_constant(&p->tape, 3.14159265358979323846, at);
    }
    if (strcmp(name, "e") == 0) {
        return fb_tape_constant(&p->tape, 2.71828182845904523536, at);
    }
    if (find_function(name)) {
        return fb_parser_fail_with(p, FB_ERR_SYNTAX, at,
                                   "function '%s' needs its arguments in parentheses", name);
    }
    return fb_parser_fail_with(p, FB_ERR_NAME, at, "unknown name '%s'", name);
}

int fb_parser_name(FbParser* p) {
    int at = p->pos, n = 0;
    while (fb_is_name_char(p->text[at + n])) {
        n++;
    }
    char name[FB_MAX_NAME];
    if (n >= FB_MAX_NAME) {
        return fb_parser_fail(p, FB_ERR_SYNTAX, at, "this name is too long");
    }
    snprintf(name, sizeof name, "%.*s", n, p->text + at);
    if (strcmp(name, "and") == 0 || strcmp(name, "or") == 0 || strcmp(name, "not") == 0) {
        return fb_parser_fail_unexpected(p);
    }
    p->pos += n;
    return fb_parser_accept(p, "(") ? parse_call(p, name, at) : parse_plain_name(p, name, at);
}
