// Reads the text of an expression by recursive descent, one function per level of precedence.
//
//   or     = and { "or" and }            sum   = term { ("+" | "-") term }
//   and    = not { "and" not }           term  = unary { ("*" | "/") unary }
//   not    = "not" not | compare         unary = ("-" | "+") unary | power
//   compare= sum [ relation sum ]        power = primary [ "^" unary ]
//   primary= number | name | name "(" or { "," or } ")" | "(" or ")"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expr_tape.h"
#include "base/text.h"

enum { MAX_NAME = 128, MAX_DEPTH = 200, MAX_ARGUMENTS = 32, FAILED = -1 };

typedef struct Parser {
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
} Parser;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_char(char c) {
    return is_letter(c) || is_digit(c) || c == '.';
}

static void skip_space(Parser* p) {
    while (p->text[p->pos] && strchr(" \t\r\n", p->text[p->pos])) {
        p->pos++;
    }
}

// Where the character at `offset` stands; columns count characters, not bytes of UTF-8.
static FbPlace place_at(const Parser* p, int offset) {
    FbPlace place = p->place ? *p->place : (FbPlace){NULL, 1, 1};
    for (int i = 0; i < offset; i++) {
        place.col += ((unsigned char)p->text[i] & 0xc0) != 0x80;
    }
    return place;
}

static int fail(Parser* p, FbStatus status, int at, const char* message) {
    FbPlace place = place_at(p, at);
    p->status = fb_fail(p->err, status, &place, "%s", message);
    return FAILED;
}

static int fail_with(Parser* p, FbStatus status, int at, const char* format, const char* word) {
    char message[FB_ERROR_TEXT];
    // The formats are ours and hold one %s.
    const char* slot = strstr(format, "%s");
    snprintf(message, sizeof message, "%.*s%s%s", (int)(slot - format), format, word, slot + 2);
    return fail(p, status, at, message);
}

// The word or character at the present position, for messages.
static void present_word(const Parser* p, char out[MAX_NAME]) {
    const char* s = p->text + p->pos;
    int n = 0;
    while (n < MAX_NAME - 1 && is_name_char(s[n])) {
        n++;
    }
    if (n == 0 && s[0]) {
        n = 1;
        while (((unsigned char)s[n] & 0xc0) == 0x80 && n < 4) {
            n++;
        }
    }
    snprintf(out, MAX_NAME, "%.*s", n, s);
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

static int fail_unexpected(Parser* p) {
    const char* s = p->text + p->pos;
    char word[MAX_NAME];
    present_word(p, word);
    const char* habit = find_habit(s);
    if (habit) {
        return fail(p, FB_ERR_SYNTAX, p->pos, habit);
    }
    return fail_with(p, FB_ERR_SYNTAX, p->pos, "unexpected '%s'", word);
}

// After a complete operand: what stands there is neither an operator nor the expected end.
static int fail_after_operand(Parser* p, const char* expected) {
    char c = p->text[p->pos];
    char word[MAX_NAME];
    present_word(p, word);
    if (!c) {
        return fail_with(p, FB_ERR_SYNTAX, p->pos, "missing %s at the end", expected);
    }
    if (is_name_char(c) || c == '(') {
        return fail_with(p, FB_ERR_SYNTAX, p->pos, "expected an operator before '%s'", word);
    }
    return fail_unexpected(p);
}

static bool accept(Parser* p, const char* symbol) {
    skip_space(p);
    size_t n = strlen(symbol);
    if (strncmp(p->text + p->pos, symbol, n) != 0) {
        return false;
    }
    p->pos += (int)n;
    return true;
}

static bool accept_word(Parser* p, const char* word) {
    skip_space(p);
    size_t n = strlen(word);
    if (strncmp(p->text + p->pos, word, n) != 0 || is_name_char(p->text[p->pos + (int)n])) {
        return false;
    }
    p->pos += (int)n;
    return true;
}

static int parse_or(Parser* p);
static int parse_unary(Parser* p);

// The end of the number that starts at s: digits [. digits] [e [sign] digits].
static const char* end_of_number(const char* s) {
    while (is_digit(*s)) {
        s++;
    }
    if (*s == '.') {
        s++;
        while (is_digit(*s)) {
            s++;
        }
    }
    if (*s == 'e' || *s == 'E') {
        const char* t = s + 1 + (s[1] == '+' || s[1] == '-');
        while (is_digit(*t)) {
            s = ++t;
        }
    }
    return s;
}

static int parse_number(Parser* p) {
    const char* s = p->text + p->pos;
    const char* end = end_of_number(s);
    double value;
    if (!fb_parse_double(s, (size_t)(end - s), &value)) {
        return fail_unexpected(p);
    }
    if (!isfinite(value)) {
        return fail(p, FB_ERR_RANGE, p->pos, "this number is too large");
    }
    int at = p->pos;
    p->pos += (int)(end - s);
    return fb_tape_constant(&p->tape, value, at);
}

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

static int fail_unknown_function(Parser* p, const char* name, int at) {
    const char* names[N_FUNCTIONS];
    for (int i = 0; i < N_FUNCTIONS; i++) {
        names[i] = functions[i].name;
    }
    const char* near = fb_did_you_mean(name, names, N_FUNCTIONS);
    char message[FB_ERROR_TEXT];
    snprintf(message, sizeof message, "unknown function '%s'%s%s%s", name,
             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return fail(p, FB_ERR_NAME, at, message);
}

static int emit_clamp(FbTape* t, int x, int low, int high, int at) {
    return fb_tape_binary(t, FB_OP_MIN, fb_tape_binary(t, FB_OP_MAX, x, low, at), high, at);
}

// y0 + (y1 - y0) s(u), u = (x - x0) / (x1 - x0) kept inside [0, 1]
static int emit_smooth_step(Parser* p, const int a[5], int at) {
    FbTape* t = &p->tape;
    int width = fb_tape_binary(t, FB_OP_SUBTRACT, a[3], a[1], at);
    if (!t->has_failed && t->code[width].op == FB_OP_CONSTANT && t->code[width].constant == 0.0) {
        return fail(p, FB_ERR_RANGE, at,
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

static int emit_call(Parser* p, const Function* f, const int* a, int n, int at) {
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

static int fail_argument_count(Parser* p, const Function* f, int n, int at) {
    char message[FB_ERROR_TEXT];
    snprintf(message, sizeof message, "%s takes %d%s argument%s, not %d", f->name, f->n_min,
             f->n_max > f->n_min ? " or more" : "", f->n_max == 1 ? "" : "s", n);
    return fail(p, FB_ERR_SYNTAX, at, message);
}

// After the opening parenthesis.
static int parse_call(Parser* p, const char* name, int at) {
    const Function* f = find_function(name);
    if (!f) {
        return fail_unknown_function(p, name, at);
    }
    int arguments[MAX_ARGUMENTS];
    int n = 0;
    if (!accept(p, ")")) {
        do {
            int a = parse_or(p);
            if (a == FAILED) {
                return FAILED;
            }
            if (n < MAX_ARGUMENTS) {
                arguments[n] = a;
            }
            n++;
        } while (accept(p, ","));
        if (!accept(p, ")")) {
            return fail_after_operand(p, "')'");
        }
    }
    if (n < f->n_min || n > f->n_max) {
        return fail_argument_count(p, f, n, at);
    }
    return emit_call(p, f, arguments, n, at);
}

static int parse_constant_name(Parser* p, const char* name, double constant, int at) {
    if (!isfinite(constant)) {
        return fail_with(p, FB_ERR_RANGE, at, "'%s' is not a finite number", name);
    }
    return fb_tape_constant(&p->tape, constant, at);
}

static int parse_plain_name(Parser* p, const char* name, int at) {
    double constant = 0.0;
    int input = p->resolve ? p->resolve(p->self, name, &constant) : FB_NAME_UNKNOWN;
    if (input == FB_NAME_CONSTANT) {
        return parse_constant_name(p, name, constant, at);
    }
    if (input >= 0 && p->has_only_constants) {
        return fail_with(p, FB_ERR_NAME, at,
                         "'%s' is not known before the simulation; only constants may stand here",
                         name);
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
        return fail_with(p, FB_ERR_SYNTAX, at, "function '%s' needs its arguments in parentheses",
                         name);
    }
    return fail_with(p, FB_ERR_NAME, at, "unknown name '%s'", name);
}

static int parse_name(Parser* p) {
    int at = p->pos, n = 0;
    while (is_name_char(p->text[at + n])) {
        n++;
    }
    char name[MAX_NAME];
    if (n >= MAX_NAME) {
        return fail(p, FB_ERR_SYNTAX, at, "this name is too long");
    }
    snprintf(name, sizeof name, "%.*s", n, p->text + at);
    if (strcmp(name, "and") == 0 || strcmp(name, "or") == 0 || strcmp(name, "not") == 0) {
        return fail_unexpected(p);
    }
    p->pos += n;
    return accept(p, "(") ? parse_call(p, name, at) : parse_plain_name(p, name, at);
}

static int parse_primary(Parser* p) {
    skip_space(p);
    char c = p->text[p->pos];
    if (!c) {
        return fail(p, FB_ERR_SYNTAX, p->pos, "the expression ends where a value is expected");
    }
    if (is_digit(c) || (c == '.' && is_digit(p->text[p->pos + 1]))) {
        return parse_number(p);
    }
    if (is_letter(c)) {
        return parse_name(p);
    }
    if (c != '(') {
        return fail_unexpected(p);
    }
    p->pos++;
    int value = parse_or(p);
    if (value != FAILED && !accept(p, ")")) {
        return fail_after_operand(p, "')'");
    }
    return value;
}

static int parse_power(Parser* p) {
    int base = parse_primary(p);
    if (base == FAILED) {
        return FAILED;
    }
    skip_space(p);
    int at = p->pos;
    if (!accept(p, "^")) {
        return base;
    }
    int exponent = parse_unary(p);
    return exponent == FAILED ? FAILED : fb_tape_binary(&p->tape, FB_OP_POWER, base, exponent, at);
}

static int parse_unary(Parser* p) {
    if (++p->depth > MAX_DEPTH) {
        return fail(p, FB_ERR_SYNTAX, p->pos, "the expression is nested too deeply");
    }
    skip_space(p);
    int at = p->pos;
    int value;
    if (accept(p, "-")) {
        value = parse_unary(p);
        value = value == FAILED ? FAILED : fb_tape_unary(&p->tape, FB_OP_NEGATE, value, at);
    } else if (accept(p, "+")) {
        value = parse_unary(p);
    } else {
        value = parse_power(p);
    }
    p->depth--;
    return value;
}

static int parse_term(Parser* p) {
    int value = parse_unary(p);
    while (value != FAILED) {
        skip_space(p);
        int at = p->pos;
        char c = p->text[at];
        if ((c != '*' && c != '/') || p->text[at + 1] == '*') {
            break;
        }
        p->pos++;
        int right = parse_unary(p);
        FbOp op = c == '*' ? FB_OP_MULTIPLY : FB_OP_DIVIDE;
        value = right == FAILED ? FAILED : fb_tape_binary(&p->tape, op, value, right, at);
    }
    return value;
}

static int parse_sum(Parser* p) {
    int value = parse_term(p);
    while (value != FAILED) {
        skip_space(p);
        int at = p->pos;
        char c = p->text[at];
        if (c != '+' && c != '-') {
            break;
        }
        p->pos++;
        int right = parse_term(p);
        FbOp op = c == '+' ? FB_OP_ADD : FB_OP_SUBTRACT;
        value = right == FAILED ? FAILED : fb_tape_binary(&p->tape, op, value, right, at);
    }
    return value;
}

// false if no relation follows.
static bool accept_relation(Parser* p, FbOp* op) {
    static const struct {
        const char* symbol;
        FbOp op;
    } relations[] = {{"<=", FB_OP_LESS_EQUAL}, {">=", FB_OP_GREATER_EQUAL}, {"==", FB_OP_EQUAL},
                     {"!=", FB_OP_NOT_EQUAL},  {"<", FB_OP_LESS},           {">", FB_OP_GREATER}};
    skip_space(p);
    if (strncmp(p->text + p->pos, "<>", 2) == 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        if (accept(p, relations[i].symbol)) {
            *op = relations[i].op;
            return true;
        }
    }
    return false;
}

static int parse_compare(Parser* p) {
    int left = parse_sum(p);
    if (left == FAILED) {
        return FAILED;
    }
    skip_space(p);
    int at = p->pos;
    FbOp op;
    if (!accept_relation(p, &op)) {
        return left;
    }
    int right = parse_sum(p);
    if (right == FAILED) {
        return FAILED;
    }
    skip_space(p);
    int second = p->pos;
    FbOp unused;
    if (accept_relation(p, &unused)) {
        return fail(p, FB_ERR_SYNTAX, second,
                    "comparisons cannot be chained; write 'a < b and b < c'");
    }
    return fb_tape_binary(&p->tape, op, left, right, at);
}

static int parse_not(Parser* p) {
    skip_space(p);
    int at = p->pos;
    if (!accept_word(p, "not")) {
        return parse_compare(p);
    }
    if (++p->depth > MAX_DEPTH) {
        return fail(p, FB_ERR_SYNTAX, p->pos, "the expression is nested too deeply");
    }
    int value = parse_not(p);
    p->depth--;
    return value == FAILED ? FAILED : fb_tape_unary(&p->tape, FB_OP_NOT, value, at);
}

static int parse_and(Parser* p) {
    int value = parse_not(p);
    while (value != FAILED && accept_word(p, "and")) {
        int at = p->pos - 3;
        int right = parse_not(p);
        value = right == FAILED ? FAILED : fb_tape_binary(&p->tape, FB_OP_AND, value, right, at);
    }
    return value;
}

static int parse_or(Parser* p) {
    int value = parse_and(p);
    while (value != FAILED && accept_word(p, "or")) {
        int at = p->pos - 2;
        int right = parse_and(p);
        value = right == FAILED ? FAILED : fb_tape_binary(&p->tape, FB_OP_OR, value, right, at);
    }
    return value;
}

static int parse_all(Parser* p) {
    skip_space(p);
    if (!p->text[p->pos]) {
        return fail(p, FB_ERR_SYNTAX, 0, "the expression is empty");
    }
    int root = parse_or(p);
    skip_space(p);
    return root != FAILED && p->text[p->pos] ? fail_after_operand(p, "") : root;
}

// A constant part without a value, such as 1/0 or sqrt(-1), that the result depends on.
static FbStatus check_constants(Parser* p, const FbExpr* expr) {
    for (int i = 0; i < expr->n_code; i++) {
        const FbInstruction* s = &expr->code[i];
        if (s->op == FB_OP_CONSTANT && !isfinite(s->constant)) {
            bool is_division = p->text[s->at] == '/';
            fail(p, FB_ERR_RANGE, s->at,
                 is_division ? "division by zero" : "this has no finite value");
            return p->status;
        }
    }
    return FB_OK;
}

static FbStatus compile(Parser* p, FbArena* arena, FbExpr** out) {
    *out = NULL;
    int root = parse_all(p);
    FbStatus status = p->status;
    if (root != FAILED) {
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
    Parser p = {.text = text, .resolve = resolve, .self = self, .place = place, .err = err};
    return compile(&p, arena, out);
}

FbStatus fb_expr_constant(const char* text, FbResolveName resolve, void* self, const FbPlace* place,
                          double* out, FbError* err) {
    Parser p = {.text = text,
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
