// Values of a model file: numbers with units, expressions of parameters, {expr} in texts, local
// names in expressions.
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/expr.h"
#include "base/text.h"
#include "base/units.h"
#include "model/reader.h"

// Are the texts equal but for numbers ("V1" and "V2" in a repeat)?
static bool is_same_message(const char* a, const char* b) {
    while (*a || *b) {
        while (isdigit((unsigned char)*a)) {
            a++;
        }
        while (isdigit((unsigned char)*b)) {
            b++;
        }
        if (*a != *b) {
            return false;
        }
        if (*a) {
            a++;
            b++;
        }
    }
    return true;
}

static bool is_reported(const FbReader* r, int line, int col, const char* text) {
    for (int i = fb_diagnostics_count(r->diagnostics) - 1; i >= 0; i--) {
        const FbDiagnostic* d = fb_diagnostics_get(r->diagnostics, i);
        if (d->place.line == line && d->place.col == col && is_same_message(d->text, text)) {
            return true;
        }
    }
    return false;
}

void fb_report(FbReader* r, FbStatus status, int line, int col, const char* format, ...) {
    char text[FB_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!is_reported(r, line, col, text)) {
        FbPlace place = {r->file, line, col};
        fb_diagnose(r->diagnostics, FB_SEVERE, status, &place, "%s", text);
    }
}

const char* fb_suggest(const char* word, const char* const* names, int n_names, char out[128]) {
    const char* close = fb_did_you_mean(word, names, n_names);
    snprintf(out, 128, close ? "; did you mean '%.100s'?" : "", close);
    return out;
}

const char* fb_node_describe(const FbNode* node) {
    if (node->kind == FB_NODE_LIST) {
        return "a list";
    }
    if (node->kind == FB_NODE_MAP) {
        return "a map";
    }
    return node->is_null ? "nothing (null)" : "a value";
}

// Locals first, then the parameters of the file.
static int resolve_parameter(void* self, const char* name, double* constant) {
    FbReader* r = self;
    for (const FbLocal* l = r->env.locals; l; l = l->next) {
        if (strcmp(l->name, name) == 0) {
            *constant = l->value;
            return FB_NAME_CONSTANT;
        }
    }
    int i = fb_def_find_parameter(r->def, NULL, name);
    if (i >= 0) {
        *constant = r->def->parameters[i].value;
        return FB_NAME_CONSTANT;
    }
    r->unknown = fb_arena_text(r->arena, name);
    return FB_NAME_UNKNOWN;
}

// Any name will do: only the syntax is checked.
static int resolve_anything(void* self, const char* name, double* constant) {
    (void)self;
    (void)name;
    (void)constant;
    return 0;
}

static void report_unknown(FbReader* r, const FbError* err) {
    const char* names[256];
    int n = 0;
    for (const FbLocal* l = r->env.locals; l && n < 256; l = l->next) {
        names[n++] = l->name;
    }
    for (int i = 0; i < r->def->n_parameters && n < 256; i++) {
        names[n++] = r->def->parameters[i].name;
    }
    if (fb_node_get(r->parameters, r->unknown)) {
        fb_report(r, FB_ERR_NAME, err->place.line, err->place.col,
                  "the parameter '%s' is defined further down; move it up", r->unknown);
        return;
    }
    char hint[128];
    fb_suggest(r->unknown, names, n, hint);
    fb_report(r, FB_ERR_NAME, err->place.line, err->place.col,
              "unknown name '%s'; only numbers and parameters can stand here%s", r->unknown, hint);
}

static bool calc_constant(FbReader* r, const char* text, int line, int col, double* out) {
    FbPlace place = {r->file, line, col};
    FbError err;
    fb_error_clear(&err);
    r->unknown = NULL;
    FbStatus status = fb_expr_constant(text, resolve_parameter, r, &place, out, &err);
    if (status >= 0 && isfinite(*out)) {
        return true;
    }
    if (status >= 0) {
        fb_report(r, FB_ERR_RANGE, line, col, "'%s' is %g; a finite number is needed", text, *out);
    } else if (r->unknown) {
        report_unknown(r, &err);
    } else {
        fb_report(r, err.status, err.place.line, err.place.col, "%s", err.text);
    }
    return false;
}

static bool is_word(const char* s, size_t n, const char* word) {
    return n == strlen(word) && strncmp(s, word, n) == 0;
}

static bool is_operator_word(const char* s, size_t n) {
    return is_word(s, n, "and") || is_word(s, n, "or") || is_word(s, n, "not");
}

static bool is_letter(char c) {
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80 || c == '%';
}

// The length of the number, name or single character at s.
static size_t token_length(const char* s) {
    size_t n = 0;
    if (isdigit((unsigned char)s[0]) || (s[0] == '.' && isdigit((unsigned char)s[1]))) {
        while (isdigit((unsigned char)s[n]) || s[n] == '.') {
            n++;
        }
        size_t e = n + 1;
        if ((s[n] == 'e' || s[n] == 'E')) {
            e += s[e] == '+' || s[e] == '-';
            if (isdigit((unsigned char)s[e])) {
                for (n = e; isdigit((unsigned char)s[n]); n++) {
                }
            }
        }
        return n;
    }
    while (is_letter(s[n]) || (n > 0 && (isdigit((unsigned char)s[n]) || s[n] == '.'))) {
        n++;
    }
    return n > 0 ? n : 1;
}

// Where the unit begins: two operands side by side, as in "2*L mm", "30 deg", "5mm", "3 1/s"; the
// end of the text if nowhere.
static size_t find_unit(const char* text) {
    bool is_after_operand = false;
    for (size_t i = 0; text[i];) {
        if (isspace((unsigned char)text[i])) {
            i++;
            continue;
        }
        size_t n = token_length(text + i);
        bool is_name = is_letter(text[i]);
        bool is_operator = is_name && is_operator_word(text + i, n);
        bool is_operand = !is_operator &&
                          (is_name || isalnum((unsigned char)text[i]) || (text[i] == '.' && n > 1));
        if (is_after_operand && is_operand) {
            return i;
        }
        is_after_operand = is_operand || text[i] == ')';
        i += n;
    }
    return strlen(text);
}

static bool is_checked(const char* unit) {
    return unit && unit[0] && unit[0] != '/';
}

// The factor of a unit suffix, after checking that it fits the field's.
static bool calc_factor(FbReader* r, const char* suffix, int line, int col, const char* unit,
                        double* factor) {
    FbError err;
    FbDimension given, wanted;
    fb_error_clear(&err);
    if (fb_unit_parse(suffix, factor, &given, &err) < 0) {
        fb_report(r, FB_ERR_UNIT, line, col, "%s", err.text);
        return false;
    }
    double ignored;
    if (is_checked(unit) && fb_unit_parse(unit, &ignored, &wanted, NULL) >= 0 &&
        !fb_dimension_fits(given, wanted)) {
        char text[96];
        fb_dimension_format(given, text, sizeof text);
        fb_report(r, FB_ERR_UNIT, line, col,
                  "the unit '%s' is %s, but a value in %s is needed here", suffix, text,
                  strcmp(unit, "1") == 0 ? "pure numbers" : unit);
        return false;
    }
    return true;
}

// Splits "expression unit" into *expression (arena) and *factor (1 without a unit).
static bool split_unit(FbReader* r, const char* text, int line, int col, const char* unit,
                       const char** expression, double* factor) {
    size_t split = find_unit(text), end = split;
    *factor = 1.0;
    while (end > 0 && isspace((unsigned char)text[end - 1])) {
        end--;
    }
    *expression = fb_arena_text_n(r->arena, text, end);
    if (!*expression) {
        return false;
    }
    if (end == 0) {
        fb_report(r, FB_ERR_SYNTAX, line, col, "a number is needed here, and there is none");
        return false;
    }
    return !text[split] || calc_factor(r, text + split, line, col + (int)split, unit, factor);
}

bool fb_read_number_text(FbReader* r, const char* text, int line, int col, const char* unit,
                         double* out) {
    const char* expanded = fb_expand_text(r, text, line, col);
    const char* expression;
    double factor, value;
    if (!expanded || !split_unit(r, expanded, line, col, unit, &expression, &factor) ||
        !calc_constant(r, expression, line, col, &value)) {
        return false;
    }
    *out = factor == 1.0 ? value : value * factor;
    return true;
}

// Reports and returns NULL unless the node is a scalar with some text.
static const char* scalar_text(FbReader* r, const FbNode* node, const char* what,
                               const char* wanted) {
    if (node->kind == FB_NODE_SCALAR && !node->is_null) {
        return node->text;
    }
    fb_report(r, FB_ERR_SYNTAX, node->line, node->col, "'%s' must be %s, but this is %s", what,
              wanted, fb_node_describe(node));
    return NULL;
}

bool fb_read_number(FbReader* r, const FbNode* node, const char* what, const char* unit,
                    double* out) {
    const char* text = scalar_text(r, node, what, "a number");
    return text && fb_read_number_text(r, text, node->line, node->col, unit, out);
}

bool fb_read_text(FbReader* r, const FbNode* node, const char* what, const char** out) {
    const char* text = scalar_text(r, node, what, "a text");
    *out = text ? fb_expand_text(r, text, node->line, node->col) : NULL;
    return *out != NULL;
}

bool fb_read_numbers(FbReader* r, const FbNode* node, const char* what, const char* unit, int n,
                     double* out) {
    if (node->kind != FB_NODE_LIST || node->count != n) {
        bool is_list = node->kind == FB_NODE_LIST;
        char found[48];
        snprintf(found, sizeof found, "a list of %d", node->count);
        fb_report(r, FB_ERR_SYNTAX, node->line, node->col,
                  "'%s' must be a list of %d numbers, but this is %s", what, n,
                  is_list ? found : fb_node_describe(node));
        return false;
    }
    bool is_good = true;
    for (int i = 0; i < n; i++) {
        is_good &= fb_read_number(r, node->items[i], what, unit, &out[i]);
    }
    return is_good;
}

// Takes the text over into the arena; NULL if memory ran out.
static const char* keep_text(FbReader* r, FbText* text) {
    const char* result =
        text->has_failed ? NULL : fb_arena_text(r->arena, text->data ? text->data : "");
    r->is_out_of_memory |= !result;
    fb_text_free(text);
    return result;
}

static bool add_integer(FbReader* r, FbText* out, const char* expression, size_t length, int line,
                        int col) {
    double value = 0.0;
    const char* text = fb_arena_text_n(r->arena, expression, length);
    if (!text || !calc_constant(r, text, line, col, &value)) {
        return false;
    }
    if (value != floor(value) || fabs(value) > 1e9) {
        fb_report(r, FB_ERR_RANGE, line, col, "{%s} is %g; inside { } an integer is needed", text,
                  value);
        return false;
    }
    fb_text_addf(out, "%d", (int)value);
    return true;
}

// The parts of `text` outside of { } are copied, those inside evaluated; false (reported) if that
// fails.
static bool expand_into(FbReader* r, const char* text, int line, int col, FbText* out) {
    const char* rest = text;
    for (const char* open = strchr(text, '{'); open; open = strchr(rest, '{')) {
        const char* close = strchr(open, '}');
        int open_col = col + (int)(open - text);
        if (!close) {
            fb_report(r, FB_ERR_SYNTAX, line, open_col, "'{' is not closed by a '}'");
            return false;
        }
        fb_text_add_n(out, rest, (size_t)(open - rest));
        if (!add_integer(r, out, open + 1, (size_t)(close - open - 1), line, open_col + 1)) {
            return false;
        }
        rest = close + 1;
    }
    fb_text_add(out, rest);
    return true;
}

const char* fb_expand_text(FbReader* r, const char* text, int line, int col) {
    if (!strchr(text, '{')) {
        return text;
    }
    FbText out;
    fb_text_init(&out);
    if (!expand_into(r, text, line, col, &out)) {
        fb_text_free(&out);
        return NULL;
    }
    return keep_text(r, &out);
}

static const FbLocal* find_local(const FbReader* r, const char* name, size_t length) {
    for (const FbLocal* l = r->env.locals; l; l = l->next) {
        if (is_word(name, length, l->name)) {
            return l;
        }
    }
    return NULL;
}

// Local names become numbers, because they mean nothing outside of this repeat or instance.
static const char* replace_locals(FbReader* r, const char* text) {
    if (!r->env.locals) {
        return text;
    }
    FbText out;
    fb_text_init(&out);
    for (size_t i = 0; text[i];) {
        size_t n = token_length(text + i);
        const FbLocal* local = is_letter(text[i]) ? find_local(r, text + i, n) : NULL;
        if (local) {
            fb_text_addf(&out, "(%.17g)", local->value);
        } else {
            fb_text_add_n(&out, text + i, n);
        }
        i += n;
    }
    return keep_text(r, &out);
}

static bool check_syntax(FbReader* r, const char* text, int line, int col) {
    FbPlace place = {r->file, line, col};
    FbError err;
    FbExpr* ignored;
    fb_error_clear(&err);
    if (fb_expr_compile(text, resolve_anything, r, &place, r->arena, &ignored, &err) >= 0) {
        return true;
    }
    fb_report(r, err.status, err.place.line, err.place.col, "%s", err.text);
    return false;
}

bool fb_read_expression(FbReader* r, const FbNode* node, const char* what, const char* unit,
                        const char** out) {
    const char* text = scalar_text(r, node, what, "a number or an expression");
    const char* expression;
    double factor;
    *out = NULL;
    text = text ? fb_expand_text(r, text, node->line, node->col) : NULL;
    if (!text || !split_unit(r, text, node->line, node->col, unit, &expression, &factor) ||
        !check_syntax(r, expression, node->line, node->col)) {
        return false;
    }
    *out = replace_locals(r, expression);
    if (*out && factor != 1.0) {
        *out = fb_arena_format(r->arena, "(%s)*%.17g", *out, factor);
    }
    return *out != NULL;
}
