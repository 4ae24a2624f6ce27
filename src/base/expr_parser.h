// The reader of expressions: what its files share.
#ifndef FLYBALL_BASE_EXPR_PARSER_H
#define FLYBALL_BASE_EXPR_PARSER_H

#include "base/expr_tape.h"

enum { FB_MAX_NAME = 128, FB_PARSE_FAILED = -1 };

typedef struct FbParser {
    const char* text;
    int pos;
    int depth;
    FbResolveName resolve;
    void* self;
    const FbPlace* place;
    FbError* err;
    FbStatus status;
    FbTape tape;
} FbParser;

// The instruction of a part that was read (FB_PARSE_FAILED if it could not be) and what it is.
typedef struct FbOperand {
    int code;
    FbQuantity quantity;
    int unit_at;    // where its unit begins, if it is one value with a unit; else 0
    bool has_name;  // it does not consist of numbers only; with a unit: what that belongs to is not
} FbOperand;

static inline FbOperand fb_operand(int code, FbQuantity quantity) {
    return (FbOperand){.code = code, .quantity = quantity};
}

static inline FbOperand fb_operand_failed(int failed) {
    return (FbOperand){.code = failed};
}

static inline bool fb_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline bool fb_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool fb_is_name_char(char c) {
    return fb_is_letter(c) || fb_is_digit(c) || c == '.';
}

void fb_parser_skip_space(FbParser* p);
// Skips the symbol or word if it is at the current position.
bool fb_parser_accept(FbParser* p, const char* symbol);
bool fb_parser_accept_word(FbParser* p, const char* word);

// These fill the error and return FB_PARSE_FAILED.
int fb_parser_fail(FbParser* p, FbStatus status, int at, const char* message);
int fb_parser_fail_with(FbParser* p, FbStatus status, int at, const char* format, const char* word);
int fb_parser_fail_unexpected(FbParser* p);
// After a complete operand: the next token is neither an operator nor the expected end.
int fb_parser_fail_after_operand(FbParser* p, const char* expected);

// Each reads one construct.
int fb_parser_number(FbParser* p);
FbOperand fb_parser_name(FbParser* p);
FbOperand fb_parser_or(FbParser* p);
// The value with the unit that follows it, if one does.
FbOperand fb_parser_unit(FbParser* p, FbOperand value);

// May the value on the left be divided by or added to the one on the right? "1/2 mm" and "2 + 3 mm"
// leave open what the unit belongs to.
bool fb_parser_check_clear(FbParser* p, FbOperand left, char symbol, FbOperand right);

// Is a sum, comparison or call of these allowed? Fills the error if not; `verb` as in "cannot add
// kg (mass) and m (length)".
bool fb_parser_check_same(FbParser* p, FbQuantity a, FbQuantity b, int at, const char* verb);
bool fb_parser_check_pure(FbParser* p, FbQuantity a, int at, const char* what);
// base^exponent with their quantities.
FbOperand fb_parser_power(FbParser* p, FbOperand base, FbOperand exponent, int at);

#endif
