// Characters, words, numbers and messages of the reader of expressions.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/expr_parser.h"
#include "base/text.h"

void fb_parser_skip_space(FbParser* p) {
    while (p->text[p->pos] && strchr(" \t\r\n", p->text[p->pos])) {
        p->pos++;
    }
}

// The place of the character at `offset`; columns count characters, not bytes of UTF-8.
static FbPlace place_at(const FbParser* p, int offset) {
    FbPlace place = p->place ? *p->place : (FbPlace){NULL, 1, 1};
    for (int i = 0; i < offset; i++) {
        place.col += ((unsigned char)p->text[i] & 0xc0) != 0x80;
    }
    return place;
}

int fb_parser_fail(FbParser* p, FbStatus status, int at, const char* message) {
    FbPlace place = place_at(p, at);
    p->status = fb_fail(p->err, status, &place, "%s", message);
    return FB_PARSE_FAILED;
}

int fb_parser_fail_with(FbParser* p, FbStatus status, int at, const char* format,
                        const char* word) {
    char message[FB_ERROR_TEXT];
    // The formats are ours and hold one %s.
    const char* slot = strstr(format, "%s");
    snprintf(message, sizeof message, "%.*s%s%s", (int)(slot - format), format, word, slot + 2);
    return fb_parser_fail(p, status, at, message);
}

// The word or character at the current position, for messages.
static void present_word(const FbParser* p, char out[FB_MAX_NAME]) {
    const char* s = p->text + p->pos;
    int n = 0;
    while (n < FB_MAX_NAME - 1 && fb_is_name_char(s[n])) {
        n++;
    }
    if (n == 0 && s[0]) {
        n = 1;
        while (n < 4 && ((unsigned char)s[n] & 0xc0) == 0x80) {
            n++;
        }
    }
    snprintf(out, FB_MAX_NAME, "%.*s", n, s);
}

// Habits from other languages, with what to write here.
static const char* find_habit(const char* s) {
    static const char* const habits[][2] = {
        {"**", "write ^ for a power, not **"}, {"&&", "write 'and', not &&"},
        {"||", "write 'or', not ||"},          {"<>", "write !=, not <>"},
        {"%", "write mod(a, b), not %"},       {"?", "write if(condition, a, b), not ?"},
        {"[", "write ( ), not [ ]"},           {"{", "write ( ), not { }"}};
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
        if (strncmp(s, habits[i][0], strlen(habits[i][0])) == 0) {
            return habits[i][1];
        }
    }
    if (s[0] == '=' && s[1] != '=') {
        return "write == to compare, not =";
    }
    return s[0] == '!' && s[1] != '=' ? "write 'not', not !" : NULL;
}

int fb_parser_fail_unexpected(FbParser* p) {
    const char* s = p->text + p->pos;
    char word[FB_MAX_NAME];
    present_word(p, word);
    const char* habit = find_habit(s);
    if (habit) {
        return fb_parser_fail(p, FB_ERR_SYNTAX, p->pos, habit);
    }
    return fb_parser_fail_with(p, FB_ERR_SYNTAX, p->pos, "unexpected '%s'", word);
}

// After a complete operand: the next token is neither an operator nor the expected end.
int fb_parser_fail_after_operand(FbParser* p, const char* expected) {
    char c = p->text[p->pos];
    char word[FB_MAX_NAME];
    present_word(p, word);
    if (!c) {
        return fb_parser_fail_with(p, FB_ERR_SYNTAX, p->pos, "missing %s at the end", expected);
    }
    if (fb_is_name_char(c) || c == '(') {
        return fb_parser_fail_with(p, FB_ERR_SYNTAX, p->pos, "expected an operator before '%s'",
                                   word);
    }
    return fb_parser_fail_unexpected(p);
}

bool fb_parser_accept(FbParser* p, const char* symbol) {
    fb_parser_skip_space(p);
    size_t n = strlen(symbol);
    if (strncmp(p->text + p->pos, symbol, n) != 0) {
        return false;
    }
    p->pos += (int)n;
    return true;
}

bool fb_parser_accept_word(FbParser* p, const char* word) {
    fb_parser_skip_space(p);
    size_t n = strlen(word);
    if (strncmp(p->text + p->pos, word, n) != 0 || fb_is_name_char(p->text[p->pos + (int)n])) {
        return false;
    }
    p->pos += (int)n;
    return true;
}

// The end of the number that starts at s: digits [. digits] [e [sign] digits].
static const char* end_of_number(const char* s) {
    while (fb_is_digit(*s)) {
        s++;
    }
    if (*s == '.') {
        s++;
        while (fb_is_digit(*s)) {
            s++;
        }
    }
    if (*s == 'e' || *s == 'E') {
        const char* t = s + 1 + (s[1] == '+' || s[1] == '-');
        while (fb_is_digit(*t)) {
            s = ++t;
        }
    }
    return s;
}

bool fb_expr_is_number(const char* text, double* value) {
    const char* s = text + (text[0] == '-');
    const char* end = end_of_number(s);
    if (!fb_is_digit(s[0]) || *end || !fb_parse_double(s, (size_t)(end - s), value)) {
        return false;
    }
    *value = s > text ? -*value : *value;
    return isfinite(*value);
}

int fb_parser_number(FbParser* p) {
    const char* s = p->text + p->pos;
    const char* end = end_of_number(s);
    double value;
    if (!fb_parse_double(s, (size_t)(end - s), &value)) {
        return fb_parser_fail_unexpected(p);
    }
    if (!isfinite(value)) {
        return fb_parser_fail(p, FB_ERR_RANGE, p->pos, "this number is too large");
    }
    int at = p->pos;
    p->pos += (int)(end - s);
    return fb_tape_constant(&p->tape, value, at);
}

static bool is_operator_word(const char* s, size_t n) {
    return (n == 3 && (strncmp(s, "and", n) == 0 || strncmp(s, "not", n) == 0)) ||
           (n == 2 && strncmp(s, "or", n) == 0);
}

size_t fb_expr_piece(const char* text, bool* is_after_value, bool* is_name) {
    size_t n = strspn(text, " \t\r\n");
    *is_name = false;
    if (n > 0) {
        return n;
    }
    n = *is_after_value ? fb_unit_span(text, false) : 0;
    if (n > 0) {
        return n;
    }
    if (fb_is_digit(text[0]) || (text[0] == '.' && fb_is_digit(text[1]))) {
        *is_after_value = true;
        return (size_t)(end_of_number(text) - text);
    }
    while (fb_is_letter(text[0]) && fb_is_name_char(text[n])) {
        n++;
    }
    if (n == 0) {
        *is_after_value = text[0] == ')';
        return 1;
    }
    *is_after_value = !is_operator_word(text, n);
    *is_name = *is_after_value && text[n + strspn(text + n, " \t\r\n")] != '(';
    return n;
}
