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
#include "read/reader.h"

// Are the texts equal except for numbers ("V1" and "V2" in a repeat)?
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
    if (close) {
        snprintf(out, 128, "; did you mean '%.100s'?", close);
    } else {
        out[0] = '\0';
    }
    return out;
}

const char* fb_suggest_key(const FbNode* map, const char* key, const char* const* names,
                           int n_names, char out[FB_KEY_HINT]) {
    enum { NAME_ROOM = 48 };
    const char* close = fb_did_you_mean(key, names, n_names);
    if (close && !fb_node_get(map, close)) {
        return fb_suggest(key, names, n_names, out);
    }
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < n_names && used < FB_KEY_HINT - NAME_ROOM; i++) {
        used += (size_t)snprintf(out + used, FB_KEY_HINT - used, "%s%.40s",
                                 i > 0 ? ", " : "; it can have: ", names[i]);
    }
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
static int resolve_parameter(void* self, const char* name, FbNumber* found) {
    FbReader* r = self;
    for (const FbLocal* l = r->env.locals; l; l = l->next) {
        if (strcmp(l->name, name) == 0) {
            *found = l->number;
            return FB_NAME_CONSTANT;
        }
    }
    int i = fb_def_find_parameter(r->def, NULL, name);
    if (i >= 0) {
        if (r->reads) {
            r->reads[i] = true;
        }
        *found = (FbNumber){r->def->parameters[i].value, r->def->parameters[i].quantity};
        return FB_NAME_CONSTANT;
    }
    r->unknown = fb_arena_text(r->arena, name);
    return FB_NAME_UNKNOWN;
}

// Any name will do: only the syntax is checked.
static int resolve_anything(void* self, const char* name, FbNumber* found) {
    (void)self;
    (void)name;
    (void)found;
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
                  "the parameter '%s' is defined later in the file; move it up", r->unknown);
        return;
    }
    char hint[128];
    fb_suggest(r->unknown, names, n, hint);
    fb_report(r, FB_ERR_NAME, err->place.line, err->place.col,
              "unknown name '%s'; only numbers and parameters are allowed here%s", r->unknown,
              hint);
}

// A value as an expression in its own memory, which the caller destroys.
typedef struct Compiled {
    FbArena* arena;
    FbExpr* expr;  // NULL (reported) if it failed
} Compiled;

static FbExpr* compile_in(FbReader* r, const char* text, int line, int col, FbResolveName resolve,
                          FbArena* arena) {
    FbPlace place = {r->file, line, col};
    FbError err;
    FbExpr* expr;
    fb_error_clear(&err);
    r->unknown = NULL;
    if (!text[strspn(text, " \t\r\n")]) {
        fb_report(r, FB_ERR_SYNTAX, line, col, "a number is missing here");
        return NULL;
    }
    if (fb_expr_compile(text, resolve, r, &place, arena, &expr, &err) >= 0) {
        return expr;
    }
    if (err.status == FB_ERR_MEMORY) {
        r->is_out_of_memory = true;
    } else if (r->unknown && err.status == FB_ERR_NAME) {  // pi and e are no parameters, but known
        report_unknown(r, &err);
    } else {
        fb_report(r, err.status, err.place.line, err.place.col, "%s", err.text);
    }
    return NULL;
}

static Compiled compile(FbReader* r, const char* text, int line, int col, FbResolveName resolve) {
    Compiled c = {.arena = fb_arena_create_small()};
    r->is_out_of_memory |= !c.arena;
    c.expr = c.arena ? compile_in(r, text, line, col, resolve, c.arena) : NULL;
    return c;
}

bool fb_unit_is_fixed(const char* unit) {
    return unit && unit[0] && unit[0] != '/';
}

// Does the value fit the field's unit?
static bool check_unit(FbReader* r, const FbExpr* expr, const char* text, int line, int col,
                       const char* unit) {
    FbQuantity given = fb_expr_quantity(expr);
    if (!fb_unit_is_fixed(unit) || fb_quantity_fits_unit(given, unit)) {
        return true;
    }
    char found[96];
    const char* wanted = strcmp(unit, "1") == 0 ? "pure numbers" : unit;
    int offset = fb_expr_unit_offset(expr);
    fb_quantity_format(given, found, sizeof found);
    if (offset > 0) {
        fb_report(r, FB_ERR_UNIT, line, col + offset,
                  "the unit '%s' is %s, but a value in %s is needed here", text + offset, found,
                  wanted);
    } else {
        fb_report(r, FB_ERR_UNIT, line, col, "this is %s, but a value in %s is needed here", found,
                  wanted);
    }
    return false;
}

static bool calc_constant(FbReader* r, const char* text, int line, int col, const char* unit,
                          FbNumber* out) {
    double plain;
    if (fb_expr_is_number(text, &plain)) {
        *out = (FbNumber){.value = plain};  // fits every unit
        return true;
    }
    Compiled c = compile(r, text, line, col, resolve_parameter);
    bool is_good = c.expr && check_unit(r, c.expr, text, line, col, unit);
    if (is_good) {
        double folded;  // a constant is one instruction
        *out = (FbNumber){fb_expr_value(c.expr, NULL, &folded), fb_expr_quantity(c.expr)};
    }
    if (is_good && !isfinite(out->value)) {
        fb_report(r, FB_ERR_RANGE, line, col, "'%s' is %g; a finite number is needed", text,
                  out->value);
        is_good = false;
    }
    fb_arena_destroy(c.arena);
    return is_good;
}

bool fb_read_quantity_text(FbReader* r, const char* text, int line, int col, const char* unit,
                           FbNumber* out) {
    const char* expanded = fb_expand_text(r, text, line, col);
    return expanded && calc_constant(r, expanded, line, col, unit, out);
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

static bool is_plain_name(const char* text) {
    const char* s = text;
    while (isalnum((unsigned char)*s) || *s == '_') {
        s++;
    }
    return s > text && !*s && !isdigit((unsigned char)text[0]);
}

// Most values are numbers with units, whose value the tree knows, or names of parameters. False:
// something else, or something to be reported.
static bool get_known(FbReader* r, const FbNode* node, const char* unit, FbNumber* out) {
    if (node->kind != FB_NODE_SCALAR || node->is_null) {
        return false;
    }
    if (node->number) {
        *out = *node->number;
    } else if (!is_plain_name(node->text) ||
               resolve_parameter(r, node->text, out) != FB_NAME_CONSTANT) {
        return false;
    }
    return isfinite(out->value) &&
           (!fb_unit_is_fixed(unit) || fb_quantity_fits_unit(out->quantity, unit));
}

bool fb_read_quantity(FbReader* r, const FbNode* node, const char* what, const char* unit,
                      FbNumber* out) {
    FbNumber known;
    if (get_known(r, node, unit, &known)) {
        *out = known;
        return true;
    }
    const char* text = scalar_text(r, node, what, "a number");
    return text && fb_read_quantity_text(r, text, node->line, node->col, unit, out);
}

bool fb_read_number(FbReader* r, const FbNode* node, const char* what, const char* unit,
                    double* out) {
    FbNumber number;
    if (!fb_read_quantity(r, node, what, unit, &number)) {
        return false;
    }
    *out = number.value;
    return true;
}

bool fb_read_text(FbReader* r, const FbNode* node, const char* what, const char** out) {
    const char* text = scalar_text(r, node, what, "a string");
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

// A local that the text names, as in {i}; false: none that is a plain number.
static bool get_local(const FbReader* r, const char* text, FbNumber* number) {
    for (const FbLocal* l = r->env.locals; l; l = l->next) {
        if (strcmp(l->name, text) == 0) {
            *number = l->number;
            return !number->quantity.is_written;
        }
    }
    return false;
}

static bool add_integer(FbReader* r, FbText* out, const char* expression, size_t length, int line,
                        int col) {
    FbNumber number;
    const char* text = fb_arena_text_n(r->arena, expression, length);
    bool is_known = text && get_local(r, text, &number);
    if (!text || (!is_known && !calc_constant(r, text, line, col, "1", &number))) {
        return false;
    }
    double value = number.value;
    if (value != floor(value) || fabs(value) > 1e9) {
        fb_report(r, FB_ERR_RANGE, line, col, "{%s} is %g; inside { } an integer is required", text,
                  value);
        return false;
    }
    fb_text_addf(out, "%d", (int)value);
    return true;
}

// The parts of `text` outside { } are copied, those inside evaluated; false (reported) if that
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
        if (strlen(l->name) == length && strncmp(name, l->name, length) == 0) {
            return l;
        }
    }
    return NULL;
}

static void add_local(FbText* out, const FbNumber* number) {
    char unit[96];
    fb_quantity_format_unit(number->quantity, unit, sizeof unit);
    fb_text_addf(out, unit[0] ? "(%.17g %s)" : "(%.17g%s)", number->value, unit);
}

// Local names become numbers, because they mean nothing outside this repeat or instance.
static const char* replace_locals(FbReader* r, const char* text) {
    if (!r->env.locals) {
        return text;
    }
    FbText out;
    fb_text_init(&out);
    bool is_after_value = false, is_name;
    for (size_t i = 0, n; text[i]; i += n) {
        n = fb_expr_piece(text + i, &is_after_value, &is_name);
        const FbLocal* local = is_name ? find_local(r, text + i, n) : NULL;
        if (local) {
            add_local(&out, &local->number);
        } else {
            fb_text_add_n(&out, text + i, n);
        }
    }
    return keep_text(r, &out);
}

bool fb_read_expression(FbReader* r, const FbNode* node, const char* what, const char* unit,
                        const char** out) {
    const char* text = scalar_text(r, node, what, "a number or an expression");
    *out = NULL;
    text = text ? fb_expand_text(r, text, node->line, node->col) : NULL;
    if (!text) {
        return false;
    }
    Compiled c = compile(r, text, node->line, node->col, resolve_anything);
    if (c.expr && check_unit(r, c.expr, text, node->line, node->col, unit)) {
        *out = replace_locals(r, text);
    }
    fb_arena_destroy(c.arena);
    return *out != NULL;
}
