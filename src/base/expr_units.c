// Units and dimensions in expressions: the unit after a value, and which quantities may be
// combined.
#include <stdio.h>
#include <string.h>

#include "base/expr_parser.h"

bool fb_parser_check_same(FbParser* p, FbQuantity a, FbQuantity b, int at, const char* verb) {
    if (!fb_quantity_contradicts(a, b)) {
        return true;
    }
    char first[96], second[96], message[FB_ERROR_TEXT];
    fb_quantity_format(a, first, sizeof first);
    fb_quantity_format(b, second, sizeof second);
    snprintf(message, sizeof message, "cannot %s %s and %s", verb, first, second);
    fb_parser_fail(p, FB_ERR_UNIT, at, message);
    return false;
}

bool fb_parser_check_pure(FbParser* p, FbQuantity a, int at, const char* what) {
    if (!fb_quantity_contradicts(a, fb_quantity_pure())) {
        return true;
    }
    char found[96], message[FB_ERROR_TEXT];
    fb_quantity_format(a, found, sizeof found);
    snprintf(message, sizeof message, "%s must be a pure number or an angle; this is %s", what,
             found);
    fb_parser_fail(p, FB_ERR_UNIT, at, message);
    return false;
}

static bool is_zero(const FbParser* p, FbOperand a) {
    const FbTape* t = &p->tape;
    return !t->has_failed && t->code[a.code].op == FB_OP_CONSTANT &&
           t->code[a.code].constant == 0.0;
}

// 2 + 3 mm: in a sum each value has its own unit.
static bool fail_unclear_sum(FbParser* p, char symbol, int unit_at) {
    char message[FB_ERROR_TEXT];
    const char* unit = p->text + unit_at;
    int n = (int)fb_unit_span(unit, false);
    n = n < 40 ? n : 40;
    snprintf(message, sizeof message,
             "'%.*s' applies only to the value before it, and the value it is %s has no unit; give "
             "each a unit, as in 2 %.*s %c 3 %.*s, or write parentheses, (2 %c 3) %.*s",
             n, unit, symbol == '+' ? "added to" : "taken from", n, unit, symbol, n, unit, symbol,
             n, unit);
    fb_parser_fail(p, FB_ERR_UNIT, unit_at, message);
    return false;
}

// 100 mm + 2: likewise, conversely. A name may represent any quantity in SI units, and
// angles are numbers.
static bool is_bare_number(const FbParser* p, FbOperand a) {
    return !a.quantity.is_known && !a.has_name && !is_zero(p, a);
}

static bool fail_bare_number(FbParser* p, FbOperand left, char symbol, FbOperand right) {
    char unit[96], message[FB_ERROR_TEXT];
    fb_quantity_format(left.quantity, unit, sizeof unit);
    snprintf(message, sizeof message,
             "this number has no unit, but the value it is %s is %s; give it a unit too, as in 2 "
             "mm %c 3 mm",
             symbol == '+' ? "added to" : "taken from", unit, symbol);
    fb_parser_fail(p, FB_ERR_UNIT, p->tape.has_failed ? 0 : p->tape.code[right.code].at, message);
    return false;
}

bool fb_parser_check_clear(FbParser* p, FbOperand left, char symbol, FbOperand right) {
    bool is_measured = left.quantity.is_written && !left.has_name &&
                       fb_quantity_contradicts(left.quantity, fb_quantity_pure());
    if ((symbol == '+' || symbol == '-') && is_measured && is_bare_number(p, right)) {
        return fail_bare_number(p, left, symbol, right);
    }
    if (right.unit_at == 0 || left.quantity.is_known || symbol == '*') {
        return true;
    }
    // L + 5 mm is clear, a plain L is in metres; 2 + 3 mm and L + a mm are not.
    bool is_sum = symbol != '/';
    if (is_sum && ((left.has_name && !right.has_name) || is_zero(p, left))) {
        return true;
    }
    if (is_sum) {
        return fail_unclear_sum(p, symbol, right.unit_at);
    }
    fb_parser_fail(p, FB_ERR_UNIT, right.unit_at,
                   "it is unclear what this unit applies to; write parentheses, (1/2) mm or 1/(2 "
                   "mm), or give each number a unit");
    return false;
}

// A power that is not constant gives no known quantity, except that of a pure number.
FbOperand fb_parser_power(FbParser* p, FbOperand base, FbOperand exponent, int at) {
    if (!fb_parser_check_pure(p, exponent.quantity, at, "an exponent")) {
        return fb_operand_failed(FB_PARSE_FAILED);
    }
    const FbTape* t = &p->tape;
    FbQuantity quantity = {0};
    if (!t->has_failed && t->code[exponent.code].op == FB_OP_CONSTANT) {
        quantity = fb_quantity_power(base.quantity, t->code[exponent.code].constant);
    }
    FbOperand result =
        fb_operand(fb_tape_binary(&p->tape, FB_OP_POWER, base.code, exponent.code, at), quantity);
    result.has_name = base.has_name || exponent.has_name;
    return result;
}

static bool is_word(const char* s, const char* word) {
    size_t n = strlen(word);
    return strncmp(s, word, n) == 0 && !fb_is_name_char(s[n]);
}

// Two values side by side: the second one can only be a unit.
static bool is_at_unit(const FbParser* p) {
    const char* s = p->text + p->pos;
    bool is_operator = is_word(s, "and") || is_word(s, "or") || is_word(s, "not");
    return (fb_is_letter(*s) && !is_operator) || (unsigned char)*s >= 0x80 ||
           fb_unit_span(s, false) > 0;
}

// The word found where a unit is expected.
static int fail_unknown(FbParser* p) {
    const char* s = p->text + p->pos;
    char word[FB_MAX_NAME], message[FB_ERROR_TEXT];
    size_t n = 0;
    while (n < sizeof word - 1 && (fb_is_name_char(s[n]) || (unsigned char)s[n] >= 0x80)) {
        n++;
    }
    if (s[n] == '(') {
        return fb_parser_fail_after_operand(p, "");
    }
    snprintf(word, sizeof word, "%.*s", (int)n, s);
    FbError err = {0};
    double factor;
    FbDimension dimension;
    fb_unit_parse(word, &factor, &dimension, &err);
    bool has_hint = strstr(err.text, "unknown unit") && strstr(err.text, "did you mean");
    if (has_hint) {
        return fb_parser_fail(p, FB_ERR_UNIT, p->pos, err.text);
    }
    char list[FB_UNIT_LIST];
    fb_unit_list(list);
    snprintf(message, sizeof message,
             "unknown unit '%s'; write an operator before it if it is a name (units: %s)", word,
             list);
    return fb_parser_fail(p, FB_ERR_UNIT, p->pos, message);
}

// "5 N m" and "5 N·m", as units are written in print: the product that was probably meant.
static bool check_no_second_unit(FbParser* p, size_t n) {
    static const char dot[] = "\xc2\xb7";
    const char* s = p->text + p->pos;
    size_t next = n + strspn(s + n, " \t");
    if (strncmp(s + next, dot, strlen(dot)) == 0) {
        next += strlen(dot);
        next += strspn(s + next, " \t");
    }
    size_t second = fb_is_letter(s[next]) ? fb_unit_span(s + next, false) : 0;
    if (next == n || second == 0 || is_word(s + next, "or") || is_word(s + next, "and")) {
        return true;
    }
    char message[FB_ERROR_TEXT];
    snprintf(
        message, sizeof message,
        "units are multiplied by '*', without spaces, %.*s*%.*s; if '%.*s' is a name, write an "
        "operator before it",
        (int)(n < 60 ? n : 60), s, (int)(second < 60 ? second : 60), s + next,
        (int)(second < 60 ? second : 60), s + next);
    fb_parser_fail(p, FB_ERR_SYNTAX, p->pos + (int)next, message);
    return false;
}

// "5 N * m" may be a product of 5 N with m or the unit N*m, "5 m^x" a power of 5 m or a slip.
static bool check_end(FbParser* p, size_t n) {
    const char* s = p->text + p->pos;
    size_t next = n + strspn(s + n, " \t");
    char message[FB_ERROR_TEXT];
    size_t all = fb_unit_span(s, true);
    if (all > n) {
        snprintf(message, sizeof message,
                 "is '%.*s' a unit? Write it without spaces, or put parentheses around the number "
                 "and its unit: (5 %.*s)",
                 (int)(all < 60 ? all : 60), s, (int)(n < 60 ? n : 60), s);
        fb_parser_fail(p, FB_ERR_UNIT, p->pos, message);
        return false;
    }
    if (s[next] == '^') {
        snprintf(message, sizeof message,
                 "the power of a unit must be an integer, such as m^2; for a power of the value "
                 "write parentheses: (5 %.*s)^x",
                 (int)(n < 60 ? n : 60), s);
        fb_parser_fail(p, FB_ERR_UNIT, p->pos, message);
        return false;
    }
    return true;
}

static FbOperand times_unit(FbParser* p, FbOperand value, const char* unit) {
    double factor;
    FbDimension dimension;
    FbError err = {0};
    int at = p->pos;
    if (fb_unit_parse(unit, &factor, &dimension, &err) < 0) {
        return fb_operand_failed(fb_parser_fail(p, FB_ERR_UNIT, at, err.text));
    }
    if (value.quantity.is_written) {
        char found[96], message[FB_ERROR_TEXT];
        fb_quantity_format(value.quantity, found, sizeof found);
        snprintf(message, sizeof message, "the value before the unit '%s' is already %s", unit,
                 found);
        return fb_operand_failed(fb_parser_fail(p, FB_ERR_UNIT, at, message));
    }
    FbTape* t = &p->tape;
    int code = fb_tape_binary(t, FB_OP_MULTIPLY, value.code, fb_tape_constant(t, factor, at), at);
    FbOperand result = fb_operand(code, fb_quantity_written(dimension));
    result.unit_at = at;
    result.has_name = value.has_name;
    return result;
}

FbOperand fb_parser_unit(FbParser* p, FbOperand value) {
    enum { MAX_UNIT = 128 };
    if (value.code == FB_PARSE_FAILED) {
        return value;
    }
    int end = p->pos;
    fb_parser_skip_space(p);
    if (!is_at_unit(p)) {
        p->pos = end;
        return value;
    }
    size_t n = fb_unit_span(p->text + p->pos, false);
    if (n == 0 || n >= MAX_UNIT) {
        return fb_operand_failed(fail_unknown(p));
    }
    if (!check_end(p, n) || !check_no_second_unit(p, n)) {
        return fb_operand_failed(FB_PARSE_FAILED);
    }
    char unit[MAX_UNIT];
    memcpy(unit, p->text + p->pos, n);
    unit[n] = '\0';
    FbOperand result = times_unit(p, value, unit);
    p->pos += (int)n;
    return result;
}
