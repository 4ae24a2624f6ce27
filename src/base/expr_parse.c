// Reads the text of an expression by recursive descent, one function per level of precedence.
//
//   or     = and { "or" and }            sum   = term { ("+" | "-") term }
//   and    = not { "and" not }           term  = unary { ("*" | "/") unary }
//   not    = "not" not | compare         unary = ("-" | "+") unary | power
//   compare= sum [ relation sum ]        power = primary [ unit ] [ "^" unary ]
//   primary= number | name | name "(" or { "," or } ")" | "(" or ")"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/expr_parser.h"

// Each level takes some of the stack, each character some memory and time of compilation.
enum { MAX_DEPTH = 200, MAX_LENGTH = 10000000 };

static FbOperand parse_unary(FbParser* p);

static bool has_failed(FbOperand operand) {
    return operand.code == FB_PARSE_FAILED;
}

static FbOperand too_deep(FbParser* p) {
    return fb_operand_failed(fb_parser_fail(p, FB_ERR_SYNTAX, p->pos,
                                            "the expression is nested more than 200 deep; give its "
                                            "parts names in 'parameters' or 'sensors'"));
}

static FbOperand parse_primary(FbParser* p) {
    fb_parser_skip_space(p);
    char c = p->text[p->pos];
    if (!c) {
        return fb_operand_failed(fb_parser_fail(p, FB_ERR_SYNTAX, p->pos,
                                                "the expression ends where a value is expected"));
    }
    if (fb_is_digit(c) || (c == '.' && fb_is_digit(p->text[p->pos + 1]))) {
        return fb_operand(fb_parser_number(p), (FbQuantity){0});
    }
    if (fb_is_letter(c)) {
        FbOperand name = fb_parser_name(p);
        name.has_name = true;
        return name;
    }
    if (c != '(') {
        return fb_operand_failed(fb_parser_fail_unexpected(p));
    }
    p->pos++;
    FbOperand value = fb_parser_or(p);
    if (!has_failed(value) && !fb_parser_accept(p, ")")) {
        return fb_operand_failed(fb_parser_fail_after_operand(p, "')'"));
    }
    value.unit_at = 0;
    value.has_name = true;  // parentheses make clear what a unit after them applies to
    return value;
}

static FbOperand parse_power(FbParser* p) {
    FbOperand base = fb_parser_unit(p, parse_primary(p));
    if (has_failed(base)) {
        return base;
    }
    fb_parser_skip_space(p);
    int at = p->pos;
    if (!fb_parser_accept(p, "^")) {
        return base;
    }
    FbOperand exponent = parse_unary(p);
    return has_failed(exponent) ? exponent : fb_parser_power(p, base, exponent, at);
}

static FbOperand parse_unary(FbParser* p) {
    if (++p->depth > MAX_DEPTH) {
        return too_deep(p);
    }
    fb_parser_skip_space(p);
    int at = p->pos;
    FbOperand value;
    if (fb_parser_accept(p, "-")) {
        value = parse_unary(p);
        if (!has_failed(value)) {
            value.code = fb_tape_unary(&p->tape, FB_OP_NEGATE, value.code, at);
        }
    } else if (fb_parser_accept(p, "+")) {
        value = parse_unary(p);
    } else {
        value = parse_power(p);
    }
    p->depth--;
    return value;
}

static FbOperand parse_term(FbParser* p) {
    FbOperand value = parse_unary(p);
    while (!has_failed(value)) {
        fb_parser_skip_space(p);
        int at = p->pos;
        char c = p->text[at];
        if ((c != '*' && c != '/') || p->text[at + 1] == '*') {
            break;
        }
        p->pos++;
        FbOperand right = parse_unary(p);
        if (has_failed(right) || !fb_parser_check_clear(p, value, c, right)) {
            return fb_operand_failed(FB_PARSE_FAILED);
        }
        FbOp op = c == '*' ? FB_OP_MULTIPLY : FB_OP_DIVIDE;
        bool has_name = value.has_name || right.has_name;
        value =
            fb_operand(fb_tape_binary(&p->tape, op, value.code, right.code, at),
                       fb_quantity_times(value.quantity, right.quantity, c == '*' ? 1.0 : -1.0));
        value.has_name = has_name;
    }
    return value;
}

static FbOperand parse_sum(FbParser* p) {
    FbOperand value = parse_term(p);
    while (!has_failed(value)) {
        fb_parser_skip_space(p);
        int at = p->pos;
        char c = p->text[at];
        if (c != '+' && c != '-') {
            break;
        }
        p->pos++;
        FbOperand right = parse_term(p);
        if (has_failed(right) || !fb_parser_check_clear(p, value, c, right) ||
            !fb_parser_check_same(p, value.quantity, right.quantity, at,
                                  c == '+' ? "add" : "take the difference of")) {
            return fb_operand_failed(FB_PARSE_FAILED);
        }
        FbOp op = c == '+' ? FB_OP_ADD : FB_OP_SUBTRACT;
        bool has_name = value.has_name || right.has_name;
        value = fb_operand(fb_tape_binary(&p->tape, op, value.code, right.code, at),
                           fb_quantity_merge(value.quantity, right.quantity));
        value.has_name = has_name;
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

static FbOperand parse_compare(FbParser* p) {
    FbOperand left = parse_sum(p);
    if (has_failed(left)) {
        return left;
    }
    fb_parser_skip_space(p);
    int at = p->pos;
    FbOp op;
    if (!accept_relation(p, &op)) {
        return left;
    }
    FbOperand right = parse_sum(p);
    if (has_failed(right) ||
        !fb_parser_check_same(p, left.quantity, right.quantity, at, "compare")) {
        return fb_operand_failed(FB_PARSE_FAILED);
    }
    fb_parser_skip_space(p);
    int second = p->pos;
    FbOp unused;
    if (accept_relation(p, &unused)) {
        return fb_operand_failed(fb_parser_fail(
            p, FB_ERR_SYNTAX, second, "comparisons cannot be chained; write 'a < b and b < c'"));
    }
    return fb_operand(fb_tape_binary(&p->tape, op, left.code, right.code, at), fb_quantity_pure());
}

static FbOperand parse_not(FbParser* p) {
    fb_parser_skip_space(p);
    int at = p->pos;
    if (!fb_parser_accept_word(p, "not")) {
        return parse_compare(p);
    }
    if (++p->depth > MAX_DEPTH) {
        return too_deep(p);
    }
    FbOperand value = parse_not(p);
    p->depth--;
    return has_failed(value)
               ? value
               : fb_operand(fb_tape_unary(&p->tape, FB_OP_NOT, value.code, at), fb_quantity_pure());
}

static FbOperand parse_and(FbParser* p) {
    FbOperand value = parse_not(p);
    while (!has_failed(value) && fb_parser_accept_word(p, "and")) {
        int at = p->pos - 3;
        FbOperand right = parse_not(p);
        value = has_failed(right)
                    ? right
                    : fb_operand(fb_tape_binary(&p->tape, FB_OP_AND, value.code, right.code, at),
                                 fb_quantity_pure());
    }
    return value;
}

FbOperand fb_parser_or(FbParser* p) {
    FbOperand value = parse_and(p);
    while (!has_failed(value) && fb_parser_accept_word(p, "or")) {
        int at = p->pos - 2;
        FbOperand right = parse_and(p);
        value = has_failed(right)
                    ? right
                    : fb_operand(fb_tape_binary(&p->tape, FB_OP_OR, value.code, right.code, at),
                                 fb_quantity_pure());
    }
    return value;
}

static FbOperand parse_all(FbParser* p) {
    fb_parser_skip_space(p);
    if (!p->text[p->pos]) {
        return fb_operand_failed(fb_parser_fail(p, FB_ERR_SYNTAX, 0, "the expression is empty"));
    }
    if (strnlen(p->text, MAX_LENGTH + 1) > MAX_LENGTH) {
        return fb_operand_failed(fb_parser_fail(p, FB_ERR_SYNTAX, 0,
                                                "the expression has more than 10000000 characters; "
                                                "give its parts names, or use a table"));
    }
    FbOperand root = fb_parser_or(p);
    fb_parser_skip_space(p);
    if (!has_failed(root) && p->text[p->pos]) {
        return fb_operand_failed(fb_parser_fail_after_operand(p, ""));
    }
    return root;
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
    FbOperand root = parse_all(p);
    FbStatus status = p->tape.has_failed ? fb_fail_memory(p->err) : p->status;
    if (!has_failed(root) && status == FB_OK) {
        status = fb_tape_finish(&p->tape, root.code, arena, out, p->err);
    }
    if (status == FB_OK) {
        assert(*out);  // what failed has a status
        (*out)->quantity = root.quantity;
        (*out)->unit_at = root.unit_at;
        status = check_constants(p, *out);
    }
    if (status != FB_OK) {
        *out = NULL;
    }
    fb_tape_free(&p->tape);
    return status;
}

FbStatus fb_expr_compile(const char* text, FbResolveName resolve, void* self, const FbPlace* place,
                         FbArena* arena, FbExpr** out, FbError* err) {
    FbParser p = {.text = text, .resolve = resolve, .self = self, .place = place, .err = err};
    return compile(&p, arena, out);
}
