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
    bool has_only_constants;  // an input is an error
    const FbPlace* place;
    FbError* err;
    FbStatus status;
    FbTape tape;
} FbParser;

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
// Skips the symbol or word if it stands at the present position.
bool fb_parser_accept(FbParser* p, const char* symbol);
bool fb_parser_accept_word(FbParser* p, const char* word);

// These fill the error and return FB_PARSE_FAILED.
int fb_parser_fail(FbParser* p, FbStatus status, int at, const char* message);
int fb_parser_fail_with(FbParser* p, FbStatus status, int at, const char* format, const char* word);
int fb_parser_fail_unexpected(FbParser* p);
// After a complete operand: what stands there is neither an operator nor the expected end.
int fb_parser_fail_after_operand(FbParser* p, const char* expected);

// Each reads one construct and returns its instruction.
int fb_parser_number(FbParser* p);
int fb_parser_name(FbParser* p);
int fb_parser_or(FbParser* p);

#endif
