// Reads fields by their tables: each kind of field from its node into its place in a def struct.
#include "read/field.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MAX_KEYS = 96 };

static int count_names(const char* const* names) {
    int n = 0;
    while (names && names[n]) {
        n++;
    }
    return n;
}

static bool is_listed(const char* word, const char* const* names) {
    for (int i = 0; names && names[i]; i++) {
        if (strcmp(names[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_map(FbReader* r, const FbNode* node, const char* what) {
    if (node->kind == FB_NODE_MAP) {
        return true;
    }
    fb_report(r, FB_ERR_SYNTAX, node->line, node->col,
              "'%s' must be a map {key: value, ...}, but this is %s", what, fb_node_describe(node));
    return false;
}

bool fb_check_keys(FbReader* r, const FbNode* node, const char* what, const char* const* keys) {
    if (!check_map(r, node, what)) {
        return false;
    }
    bool is_good = true;
    for (int i = 0; i < node->count; i++) {
        const FbEntry* e = &node->entries[i];
        if (!is_listed(e->key, keys)) {
            char hint[FB_KEY_HINT];
            fb_report(r, FB_ERR_NAME, e->line, e->col, "unknown key '%s' in '%s'%s", e->key, what,
                      fb_suggest_key(node, e->key, keys, count_names(keys), hint));
            is_good = false;
        }
    }
    return is_good;
}

static bool has_range(const FbField* f) {
    return !(f->min == 0.0 && f->max == 0.0);
}

static bool check_range(FbReader* r, const FbField* f, double value, const FbNode* node) {
    bool is_above = f->has_open_min ? value > f->min : value >= f->min;
    if (!has_range(f) || (is_above && value <= f->max)) {
        return true;
    }
    bool is_one =
        fb_unit_is_fixed(f->unit) && strcmp(f->unit, "1") != 0 && !strstr(f->unit, " or ");
    const char* unit = is_one ? f->unit : "";
    const char* space = unit[0] ? " " : "";
    if (!is_above) {
        fb_report(r, FB_ERR_RANGE, node->line, node->col, "%s is %g%s%s; it must be %s %g", f->key,
                  value, space, unit, f->has_open_min ? ">" : ">=", f->min);
    } else {
        fb_report(r, FB_ERR_RANGE, node->line, node->col, "%s is %g%s%s; it must be <= %g", f->key,
                  value, space, unit, f->max);
    }
    return false;
}

// Values whose unit depends on their use; what they were written as is checked there.
static void note_quantity(FbReader* r, const FbField* f, const FbNode* node, FbQuantity q) {
    bool is_open = !fb_unit_is_fixed(f->unit) || strstr(f->unit, " or ");
    r->is_out_of_memory |=
        is_open && !fb_def_note_quantity(r->def, r->env.scope, node->line, node->col, q);
}

static bool read_quantity(FbReader* r, const FbField* f, const FbNode* node, FbNumber* out) {
    if (!fb_read_quantity(r, node, f->key, f->unit, out) || !check_range(r, f, out->value, node)) {
        return false;
    }
    note_quantity(r, f, node, out->quantity);
    return true;
}

static bool read_real(FbReader* r, const FbField* f, const FbNode* node, double* out) {
    FbNumber number;
    if (!read_quantity(r, f, node, &number)) {
        return false;
    }
    *out = number.value;
    return true;
}

static bool read_int(FbReader* r, const FbField* f, const FbNode* node, int* out) {
    double value;
    if (!read_real(r, f, node, &value)) {
        return false;
    }
    if (value != floor(value) || fabs(value) > 2147483647.0) {
        fb_report(r, FB_ERR_RANGE, node->line, node->col, "%s is %g; it must be an integer", f->key,
                  value);
        return false;
    }
    *out = (int)value;
    return true;
}

static bool read_bool(FbReader* r, const FbField* f, const FbNode* node, bool* out) {
    static const char* const words[] = {"false", "False", "FALSE", "true", "True", "TRUE"};
    for (int i = 0; node->kind == FB_NODE_SCALAR && i < 6; i++) {
        if (strcmp(node->text, words[i]) == 0) {
            *out = i >= 3;
            return true;
        }
    }
    fb_report(r, FB_ERR_SYNTAX, node->line, node->col, "'%s' must be true or false, but this is %s",
              f->key, node->kind == FB_NODE_SCALAR ? node->text : fb_node_describe(node));
    return false;
}

static bool read_vec3(FbReader* r, const FbField* f, const FbNode* node, double out[3]) {
    double value[3];
    if (!fb_read_numbers(r, node, f->key, f->unit, 3, value)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        if (!check_range(r, f, value[i], node->items[i])) {
            return false;
        }
    }
    memcpy(out, value, sizeof value);
    return true;
}

// The values of one list are of one kind.
static bool merge_quantity(FbReader* r, const FbField* f, const FbNode* item, FbQuantity next,
                           FbQuantity* all) {
    if (fb_quantity_contradicts(*all, next)) {
        char found[96], wanted[96];
        fb_quantity_format(next, found, sizeof found);
        fb_quantity_format(*all, wanted, sizeof wanted);
        fb_report(r, FB_ERR_UNIT, item->line, item->col,
                  "this is %s, but the values of '%s' before it are %s", found, f->key, wanted);
        return false;
    }
    *all = fb_quantity_merge(*all, next);
    return true;
}

static bool read_items(FbReader* r, const FbField* f, const FbNode* list, double* values) {
    bool is_good = true;
    FbQuantity all = {0};
    for (int i = 0; i < list->count; i++) {
        FbNumber number = {0};
        is_good &= read_quantity(r, f, list->items[i], &number) &&
                   merge_quantity(r, f, list->items[i], number.quantity, &all);
        values[i] = number.value;
    }
    note_quantity(r, f, list, all);
    return is_good;
}

static bool read_reals(FbReader* r, const FbField* f, const FbNode* node, const double** out,
                       int* count) {
    if (node->kind != FB_NODE_LIST || node->count == 0) {
        fb_report(r, FB_ERR_SYNTAX, node->line, node->col,
                  "'%s' must be a list of numbers, but this is %s", f->key,
                  node->kind == FB_NODE_LIST ? "an empty list" : fb_node_describe(node));
        return false;
    }
    double* values = FB_TAKE(r->arena, double, node->count);
    bool is_good = values && read_items(r, f, node, values);
    // Lists that share a count (times and values) must have the same length.
    if (*count > 0 && *count != node->count) {
        fb_report(r, FB_ERR_RANGE, node->line, node->col,
                  "'%s' has %d values, but the matching list has %d", f->key, node->count, *count);
        return false;
    }
    *out = values;
    *count = node->count;
    return is_good;
}

// One text counts as a list of one.
static bool read_texts(FbReader* r, const FbField* f, const FbNode* node, const char*** out,
                       int* count) {
    bool is_list = node->kind == FB_NODE_LIST;
    int n = is_list ? node->count : 1;
    const char** texts = FB_TAKE(r->arena, const char*, n + 1);
    bool is_good = texts != NULL;
    for (int i = 0; texts && i < n; i++) {
        const FbNode* item = is_list ? node->items[i] : node;
        is_good &= f->kind == FB_FIELD_EXPRESSIONS
                       ? fb_read_expression(r, item, f->key, f->unit, &texts[i])
                       : fb_read_text(r, item, f->key, &texts[i]);
    }
    if (is_good) {
        *out = texts;
        *count = n;
    }
    return is_good;
}

// A number, null (not set), or a list of up to six of them.
// The field with the unit of its value i, where it has one for each.
static FbField field_of_value(const FbField* f, int i, char unit[32]) {
    FbField one = *f;
    const char* at = f->unit ? f->unit : "";
    for (const char* next; i > 0 && (next = strchr(at, ',')) != NULL; i--) {
        at = next + 1 + strspn(next + 1, " ");
    }
    snprintf(unit, 32, "%.*s", (int)strcspn(at, ","), at);
    one.unit = unit;
    return one;
}

static bool read_reals6(FbReader* r, const FbField* f, const FbNode* node, double out[6],
                        bool* flags) {
    bool is_list = node->kind == FB_NODE_LIST;
    int n = is_list ? node->count : 1;
    if (f->is_list && (!is_list || n > 6)) {
        fb_report(r, FB_ERR_SYNTAX, node->line, node->col,
                  "'%s' must be a list of up to 6 numbers: along x, y, z, about x, y, z", f->key);
        return false;
    }
    if (n > 6) {
        fb_report(r, FB_ERR_SYNTAX, node->line, node->col,
                  "'%s' has %d values; no joint has more than 6 coordinates", f->key, n);
        return false;
    }
    bool is_good = true;
    for (int i = 0; i < n; i++) {
        const FbNode* item = is_list ? node->items[i] : node;
        bool is_unset = item->kind == FB_NODE_SCALAR && item->is_null && flags;
        if (is_unset) {
            continue;
        }
        char unit[32];
        FbField one = field_of_value(f, i, unit);
        bool is_read = read_real(r, &one, item, &out[i]);
        if (flags) {
            flags[i] = is_read;
        }
        is_good &= is_read;
    }
    return is_good;
}

// Splits "a|b|c" into names (arena); returns their count.
static int split_choices(FbReader* r, const char* choices, const char* names[16]) {
    int n = 0;
    char* text = fb_arena_text(r->arena, choices);
    for (char* part = text; part && n < 16;) {
        char* bar = strchr(part, '|');
        names[n++] = part;
        part = bar ? bar + 1 : NULL;
        if (bar) {
            *bar = '\0';
        }
    }
    return n;
}

static int read_choice_of(FbReader* r, const char* key, const char* choices, const FbNode* node) {
    const char* names[16];
    const char* text;
    int n = split_choices(r, choices, names);
    if (!fb_read_text(r, node, key, &text)) {
        return -1;
    }
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], text) == 0) {
            return i;
        }
    }
    char hint[128];
    fb_suggest(text, names, n, hint);
    fb_report(r, FB_ERR_NAME, node->line, node->col, "%s is '%s'; it must be one of %s%s", key,
              text, choices, hint);
    return -1;
}

static bool read_choice(FbReader* r, const FbField* f, const FbNode* node, void* out) {
    int index = read_choice_of(r, f->key, f->choices, node);
    if (index < 0) {
        return false;
    }
    if (f->is_text_choice) {
        return fb_read_text(r, node, f->key, (const char**)out);
    }
    if (f->is_int_choice) {
        *(int*)out = index;
    } else {
        *(bool*)out = index == 1;
    }
    return true;
}

// "joint", "joint.q" or "joint.q2".
static bool split_coordinate(FbReader* r, const char* text, FbCoordinateDef* out) {
    const char* dot = strrchr(text, '.');
    out->joint = text;
    out->index = 0;
    if (!dot || dot[1] != 'q') {
        return true;
    }
    char* end;
    long index = dot[2] ? strtol(dot + 2, &end, 10) : 1;
    if (dot[2] && (*end || !isdigit((unsigned char)dot[2]))) {
        return true;  // a joint whose own name begins with q
    }
    out->joint = fb_arena_text_n(r->arena, text, (size_t)(dot - text));
    out->index = index >= 1 && index <= FB_MAX_JOINT_V ? (int)index - 1 : -1;
    return out->joint != NULL;
}

static bool read_coordinate_text(FbReader* r, const char* text, int line, int col,
                                 FbCoordinateDef* out) {
    if (!text || !split_coordinate(r, text, out)) {
        return false;
    }
    if (out->index < 0) {
        fb_report(r, FB_ERR_RANGE, line, col, "'%s': coordinates are called q1 to q%d", text,
                  FB_MAX_JOINT_V);
        return false;
    }
    return true;
}

static bool read_terms(FbReader* r, const FbField* f, const FbNode* node,
                       const FbCouplingTerm** out, int* count) {
    if (!check_map(r, node, f->key)) {
        return false;
    }
    FbCouplingTerm* terms = FB_TAKE(r->arena, FbCouplingTerm, node->count + 1);
    bool is_good = terms != NULL;
    for (int i = 0; terms && i < node->count; i++) {
        const FbEntry* e = &node->entries[i];
        const char* name = fb_expand_text(r, e->key, e->line, e->col);
        is_good &= read_coordinate_text(r, name, e->line, e->col, &terms[i].coordinate);
        is_good &= read_real(r, f, e->value, &terms[i].factor);
    }
    *out = terms;
    *count = node->count;
    return is_good;
}

static bool read_expr3(FbReader* r, const FbField* f, const FbNode* node, const char* out[3]) {
    if (node->kind != FB_NODE_LIST || node->count != 3) {
        fb_report(r, FB_ERR_SYNTAX, node->line, node->col,
                  "'%s' must be a list of 3 numbers or expressions, but this is %s%s", f->key,
                  fb_node_describe(node), node->kind == FB_NODE_LIST ? " of another length" : "");
        return false;
    }
    bool is_good = true;
    for (int i = 0; i < 3; i++) {
        is_good &= fb_read_expression(r, node->items[i], f->key, f->unit, &out[i]);
    }
    return is_good;
}

// One name, or a list of them.
static bool read_members(FbReader* r, const FbField* f, const FbNode* node, const char* const** out,
                         int* count) {
    bool is_list = node->kind == FB_NODE_LIST;
    int n = is_list ? node->count : 1;
    if (n == 0) {
        fb_report(r, FB_ERR_SYNTAX, node->line, node->col,
                  "'%s' is an empty list; name at least one part", f->key);
        return false;
    }
    const char** names = FB_TAKE(r->arena, const char*, n);
    bool is_good = names != NULL;
    for (int i = 0; names && i < n; i++) {
        is_good &= fb_read_text(r, is_list ? node->items[i] : node, f->key, &names[i]);
    }
    *out = names;
    *count = is_good ? n : 0;
    return is_good;
}

static bool read_point_list(FbReader* r, const FbField* f, const FbNode* node, const double** out,
                            int* count) {
    if (node->kind != FB_NODE_LIST || node->count == 0) {
        fb_report(r, FB_ERR_SYNTAX, node->line, node->col,
                  "'%s' must be a list of points [[x, y, z], ...], but this is %s", f->key,
                  node->kind == FB_NODE_LIST ? "an empty list" : fb_node_describe(node));
        return false;
    }
    double* points = FB_TAKE(r->arena, double, 3 * (size_t)node->count);
    bool is_good = points != NULL;
    for (int i = 0; points && i < node->count; i++) {
        is_good &= fb_read_numbers(r, node->items[i], f->key, f->unit, 3, points + 3 * i);
    }
    *out = points;
    *count = node->count;
    return is_good;
}

bool fb_read_field(FbReader* r, const FbField* f, const FbNode* node, void* base) {
    char* at = (char*)base + f->offset;
    char* second = (char*)base + f->offset2;
    const char* text;
    switch (f->kind) {
        case FB_FIELD_REAL:
            return read_real(r, f, node, (double*)at);
        case FB_FIELD_INT:
            return read_int(r, f, node, (int*)at);
        case FB_FIELD_BOOL:
            return read_bool(r, f, node, (bool*)at);
        case FB_FIELD_VEC3:
            return read_vec3(r, f, node, (double*)at);
        case FB_FIELD_ROTATION:
            return fb_read_rotation(r, node, (double*)at);
        case FB_FIELD_REALS:
            return read_reals(r, f, node, (const double**)at, (int*)second);
        case FB_FIELD_TEXTS:
        case FB_FIELD_EXPRESSIONS:
            return read_texts(r, f, node, (const char***)at, (int*)second);
        case FB_FIELD_REALS6:
            return read_reals6(r, f, node, (double*)at, f->offset2 ? (bool*)second : NULL);
        case FB_FIELD_EXPRESSION:
            return fb_read_expression(r, node, f->key, f->unit, (const char**)at);
        case FB_FIELD_EXPR3:
            return read_expr3(r, f, node, (const char**)at);
        case FB_FIELD_TEXT:
        case FB_FIELD_BODY:
        case FB_FIELD_JOINT:
        case FB_FIELD_PART:
        case FB_FIELD_LAW:
        case FB_FIELD_MATERIAL:
            return fb_read_text(r, node, f->key, (const char**)at);
        case FB_FIELD_POINT:
            return fb_read_point(r, f, node, (FbPointDef*)at);
        case FB_FIELD_FRAME:
            return fb_read_frame(r, f, node, (FbFrameDef*)at);
        case FB_FIELD_COORDINATE:
            return fb_read_text(r, node, f->key, &text) &&
                   read_coordinate_text(r, text, node->line, node->col, (FbCoordinateDef*)at);
        case FB_FIELD_TERMS:
            return read_terms(r, f, node, (const FbCouplingTerm**)at, (int*)second);
        case FB_FIELD_MEMBERS:
            return read_members(r, f, node, (const char* const**)at, (int*)second);
        case FB_FIELD_POINTS:
            return read_point_list(r, f, node, (const double**)at, (int*)second);
        case FB_FIELD_CHOICE:
            return read_choice(r, f, node, at);
        case FB_FIELD_COMPONENT:
            *(int*)at = read_choice_of(r, f->key, "x|y|z", node);
            return *(int*)at >= 0;
    }
    return false;
}
