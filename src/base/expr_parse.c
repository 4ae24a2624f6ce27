// Reads the text of an expression by recursive descent, one function per level of precedence.
//
//   or     = and { "or" and }            sum   = term { ("+" | "-") term }
//   and    = not { "and" not }           term  = unary { ("*" | "/") unary }
//   not    = "not" not | compare         unary = ("-" | "+") unary | power
//   compare= sum [ relation sum ]        power = primary [ "^" unary ]
//   primary= number | name | name "(" or { "," or } ")" | "(" or ")"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/expr_parser.h"

enum { MAX_DEPTH = 200 };

static int parse_unary(FbParser* p);

static int parse_primary(FbParser* p) {
    fb_parser_skip_space(p);
    char c = p->text[p->pos];
    if (!c) {
        return fb_parser_fail(p, FB_ERR_SYNTAX, p->pos,
                              "the expression ends where a value is expected");
    }
    if (fb_is_digit(c) || (c == '.' && fb_is_digit(p->text[p->pos + 1]))) {
        return fb_parser_number(p);
    }
    if (fb_is_letter(c)) {
        return fb_parser_name(p);
    }
    if (c != '(') {
        return fb_parser_fail_unexpected(p);
    }
    p->pos++;
    int value = fb_parser_or(p);
    if (value != FB_PARSE_FAILED && !fb_parser_accept(p, ")")) {
        return fb_parser_fail_after_operand(p, "')'");
    }
    return value;
}

static int parse_power(FbParser* p) {
    int base = parse_primary(p);
    if (base == FB_PARSE_FAILED) {
        return FB_PARSE_FAILED;
    }
    fb_parser_skip_space(p);
    int at = p->pos;
    if (!fb_parser_accept(p, "^")) {
        return base;
    }
    int exponent = parse_unary(p);
    return exponent == FB_PARSE_FAILED ? FB_PARSE_FAILED
                                       : fb_tape_binary(&p->tape, FB_OP_POWER, base, exponent, at);
}

static int parse_unary(FbParser* p) {
    if (++p->depth > MAX_DEPTH) {
        return fb_parser_fail(p, FB_ERR_SYNTAX, p->pos, "the expression is nested too deeply");
    }
    fb_parser_skip_space(p);
    int at = p->pos;
    int value;
    if (fb_parser_accept(p, "-")) {
        value = parse_unary(p);
        value = value == FB_PARSE_FAILED ? FB_PARSE_FAILED
                                         : fb_tape_unary(&p->tape, FB_OP_NEGATE, value, at);
    } else if (fb_parser_accept(p, "+")) {
        value = parse_unary(p);
    } else {
        value = parse_power(p);
    }
    p->depth--;
    return value;
}

static int parse_term(FbParser* p) {
    int value = parse_unary(p);
    while (value != FB_PARSE_FAILED) {
        fb_parser_skip_space(p);
        int at = p->pos;
        char c = p->text[at];
        if ((c != '*' && c != '/') || p->text[at + 1] == '*') {
            break;
        }
        p->pos++;
        int right = parse_unary(p);
        FbOp op = c == '*' ? FB_OP_MULTIPLY : FB_OP_DIVIDE;
        value = right == FB_PARSE_FAILED ? FB_PARSE_FAILED
                                         : fb_tape_binary(&p->tape, op, value, right, at);
    }
    return value;
}

static int parse_sum(FbParser* p) {
    int value = parse_term(p);
    while (value != FB_PARSE_FAILED) {
        fb_parser_skip_space(p);
        int at = p->pos;
        char c = p->text[at];
        if (c != '+' && c != '-') {
            break;
        }
        p->pos++;
        int right = parse_term(p);
        FbOp op = c == '+' ? FB_OP_ADD : FB_OP_SUBTRACT;
        value = right == FB_PARSE_FAILED ? FB_PARSE_FAILED
                                         : fb_tape_binary(&p->tape, op, value, right, at);
    }
    return value;
}

// false if no relation follows.
static bool accept_relation(FbParser* p, FbOp* op) {
    static const struct {
        const char* symbol;
        FbOp op;
    } relations[] = {{"<=", FB_OP_LESS_EQUAL}, {">=", FB_OP_GREATER_EQUAL}, {"==", FB_OP_EQUAL},
                     {"!=", FB_OP_NOT_EQUAL},  {"<", FB_OP_LESS},           {">", FB_OP_GREATER}};
    fb_parser_skip_space(p);
    if (strncmp(p->text + p->pos, "<>", 2) == 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        if (fb_parser_accept(p, relations[i].symbol)) {
            *op = relations[i].op;
            return true;
        }
    }
    return false;
}

static int parse_compare(FbParser* p) {
    int left = parse_sum(p);
    if (left == FB_PARSE_FAILED) {
        return FB_PARSE_FAILED;
    }
    fb_parser_skip_space(p);
    int at = p->pos;
    FbOp op;
    if (!accept_relation(p, &op)) {
        return left;
    }
    int right = parse_sum(p);
    if (right == FB_PARSE_FAILED) {
        return FB_PARSE_FAILED;
    }
    fb_parser_skip_space(p);
    int second = p->pos;
    FbOp unused;
    if (accept_relation(p, &unused)) {
        return fb_parser_fail(p, FB_ERR_SYNTAX, second,
                              "comparisons cannot be chained; write 'a < b and b < c'");
    }
    return fb_tape_binary(&p->tape, op, left, right, at);
}

static int parse_not(FbParser* p) {
    fb_parser_skip_space(p);
    int at = p->pos;
    if (!fb_parser_accept_word(p, "not")) {
        return parse_compare(p);
    }
    if (++p->depth > MAX_DEPTH) {
        return fb_parser_fail(p, FB_ERR_SYNTAX, p->pos, "the expression is nested too deeply");
    }
    int value = parse_not(p);
    p->depth--;
    return value == FB_PARSE_FAILED ? FB_PARSE_FAILED
                                    : fb_tape_unary(&p->tape, FB_OP_NOT, value, at);
}

static int parse_and(FbParser* p) {
    int value = parse_not(p);
    while (value != FB_PARSE_FAILED && fb_parser_accept_word(p, "and")) {
        int at = p->pos - 3;
        int right = parse_not(p);
        value = right == FB_PARSE_FAILED ? FB_PARSE_FAILED
                                         : fb_tape_binary(&p->tape, FB_OP_AND, value, right, at);
    }
    return value;
}

int fb_parser_or(FbParser* p) {
    int value = parse_and(p);
    while (value != FB_PARSE_FAILED && fb_parser_accept_word(p, "or")) {
        int at = p->pos - 2;
        int right = parse_and(p);
        value = right == FB_PARSE_FAILED ? FB_PARSE_FAILED
                                         : fb_tape_binary(&p->tape, FB_OP_OR, value, right, at);
    }
    return value;
}

static int parse_all(FbParser* p) {
    fb_parser_skip_space(p);
    if (!p->text[p->pos]) {
        return fb_parser_fail(p, FB_ERR_SYNTAX, 0, "the expression is empty");
    }
    int root = fb_parser_or(p);
    fb_parser_skip_space(p);
    return root != FB_PARSE_FAILED && p->text[p->pos] ? fb_parser_fail_after_operand(p, "") : root;
}

static bool is_zero(const FbInstruction* s) {
    return s->op == FB_OP_CONSTANT && s->constant == 0.0;
}

// A constant part without a value, such as 1/0 or sqrt(-1), that the result depends on.
static FbStatus check_constants(FbParser* p, const FbExpr* expr) {
    for (int i = 0; i < expr->n_code; i++) {
        const FbInstruction* s = &expr->code[i];
        if (s->op == FB_OP_DIVIDE && is_zero(&expr->code[s->b])) {
            fb_parser_fail(p, FB_ERR_RANGE, s->at, "division by zero");
            return p->status;
        }
        if (s->op == FB_OP_CONSTANT && !isfinite(s->constant)) {
            bool is_division = p->text[s->at] == '/';
            fb_parser_fail(p, FB_ERR_RANGE, s->at,
                           is_division ? "division by zero" : "this has no finite value");
            return p->status;
        }
    }
    return FB_OK;
}

static FbStatus compile(FbParser* p, FbArena* arena, FbExpr** out) {
    *out = NULL;
    int root = parse_all(p);
    FbStatus status = p->status;
    if (root != FB_PARSE_FAILED) {
        status = fb_tape_finish(&p->tape, root, arena, out, p->err);
    }
    if (status == FB_OK) {
        status = check_constants(p, *out);
    }
    if (status != FB_OK) {
        *out = NULL;
    }
    free(p->tape.code);
    return status;
}

FbStatus fb_expr_compile(const char* text, FbResolveName resolve, void* self, const FbPlace* place,
                         FbArena* arena, FbExpr** out, FbError* err) {
    FbParser p = {.text = text, .resolve = resolve, .self = self, .place = place, .err = err};
    return compile(&p, arena, out);
}

FbStatus fb_expr_constant(const char* text, FbResolveName resolve, void* self, const FbPlace* place,
                          double* out, FbError* err) {
    FbParser p = {.text = text,
                  .resolve = resolve,
                  .self = self,
                  .place = place,
                  .err = err,
                  .has_only_constants = true};
    FbArena* arena = fb_arena_create();
    if (!arena) {
        return fb_fail_memory(err);
    }
    FbExpr* expr;
    FbStatus status = compile(&p, arena, &expr);
    if (status == FB_OK) {
        *out = expr->code[expr->n_code - 1].constant;
    }
    fb_arena_destroy(arena);
    return status;
}
