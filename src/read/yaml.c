// The YAML reader: turns libfyaml's events into a tree of our own. The only file that knows
// libfyaml.
#include "read/yaml.h"

#include <ctype.h>
#include <errno.h>
#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/expr.h"
#include "base/text.h"

typedef struct Anchor {
    const char* name;
    const FbNode* node;
    struct Anchor* next;
} Anchor;

typedef struct Parser {
    struct fy_parser* fyp;
    struct fy_event* event;  // the next one; NULL at the end or after an error
    const char* file;
    FbArena* arena;
    FbDiagnostics* diagnostics;
    Anchor* anchors;
    int key_line, key_col;  // of the last key: the place of a value that is missing
    int depth;
    int open_line[FB_NODE_MAX_DEPTH + 2];  // where the lists and maps around us begin
    bool has_failed;                       // an error was reported that ends the reading
    bool is_out_of_memory;                 // for a number
} Parser;

#define COMPLAIN(p, status, line_, col_, ...)                                     \
    do {                                                                          \
        FbPlace place_ = {(p)->file, (line_), (col_)};                            \
        fb_diagnose((p)->diagnostics, FB_SEVERE, (status), &place_, __VA_ARGS__); \
    } while (0)

static const FbNode* parse_node(Parser* p);

static void next_event(Parser* p) {
    if (p->event) {
        fy_parser_event_free(p->fyp, p->event);
    }
    p->event = p->has_failed ? NULL : fy_parser_parse(p->fyp);
}

static bool is_next(const Parser* p, enum fy_event_type type) {
    return p->event && p->event->type == type;
}

static void event_place(Parser* p, int* line, int* col) {
    const struct fy_mark* mark = fy_event_start_mark(p->event);
    *line = mark ? mark->line + 1 : p->key_line;
    *col = mark ? mark->column + 1 : p->key_col;
}

// Escapes such as "\e" and "\0" can write characters into a text that a file itself cannot hold.
static void check_characters(Parser* p, const char* text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        bool is_white = c == '\t' || c == '\n' || c == '\r';
        bool is_c1 = c == 0xc2 && i + 1 < length && (unsigned char)text[i + 1] < 0xa0;
        if ((c < 0x20 && !is_white) || c == 0x7f || is_c1) {
            int line, col;
            event_place(p, &line, &col);
            COMPLAIN(p, FB_ERR_SYNTAX, line, col,
                     "this text contains the control character \\x%02x, which no name, unit or "
                     "title can have; remove it",
                     is_c1 ? (unsigned)(unsigned char)text[i + 1] : c);
            return;
        }
    }
}

static char* token_text(Parser* p, struct fy_token* token) {
    size_t length = 0;
    const char* text = token ? fy_token_get_text(token, &length) : NULL;
    check_characters(p, text, length);
    return fb_arena_text_n(p->arena, text ? text : "", text ? length : 0);
}

static FbNode* new_node(Parser* p, FbNodeKind kind) {
    FbNode* node = FB_TAKE(p->arena, FbNode, 1);
    if (!node) {
        p->has_failed = true;
        return NULL;
    }
    node->kind = kind;
    node->weight = 1;
    event_place(p, &node->line, &node->col);
    if (fy_event_get_tag_token(p->event)) {
        COMPLAIN(p, FB_ERR_SYNTAX, node->line, node->col,
                 "YAML tags ('!...') have no meaning in a model file; remove it");
    }
    return node;
}

static bool looks_null(const char* text) {
    static const char* const words[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

// Digits, and a unit after a space?
static bool looks_measured(const char* text) {
    const char* s = text + (text[0] == '-');
    const char* unit = s + strspn(s, "0123456789.eE+-");
    return s[0] >= '0' && s[0] <= '9' && unit[0] == ' ' && isalpha((unsigned char)unit[1]) &&
           !strchr(s, '{');
}

// Numbers with units are the same in every reading of the tree; plain numbers are read as quickly
// as they are looked up.
static const FbNumber* find_number(Parser* p, const char* text) {
    if (!looks_measured(text)) {
        return NULL;
    }
    FbArena* arena = fb_arena_create_small();
    FbNumber* number = NULL;
    FbExpr* expr;
    FbError err;
    double folded;  // a constant is one instruction
    fb_error_clear(&err);
    FbStatus status =
        arena ? fb_expr_compile(text, NULL, NULL, NULL, arena, &expr, &err) : FB_ERR_MEMORY;
    if (status >= 0) {
        FbNumber found = {fb_expr_value(expr, NULL, &folded), fb_expr_quantity(expr)};
        number = FB_TAKE(p->arena, FbNumber, 1);
        if (number) {
            *number = found;
        }
    }
    p->is_out_of_memory |= status == FB_ERR_MEMORY;
    fb_arena_destroy(arena);
    return number;
}

static const FbNode* parse_scalar(Parser* p) {
    FbNode* node = new_node(p, FB_NODE_SCALAR);
    if (!node) {
        return NULL;
    }
    struct fy_token* token = fy_event_get_token(p->event);
    node->text = token_text(p, token);
    node->is_quoted = token && fy_scalar_token_get_style(token) != FYSS_PLAIN;
    node->is_null = node->text && !node->is_quoted && looks_null(node->text);
    node->number = node->text ? find_number(p, node->text) : NULL;
    p->has_failed |= !node->text;
    return node;
}

static const FbNode* parse_alias(Parser* p) {
    int line, col;
    event_place(p, &line, &col);
    const char* name = token_text(p, fy_event_get_token(p->event));
    for (Anchor* a = p->anchors; name && a; a = a->next) {
        if (strcmp(a->name, name) == 0) {
            return a->node;
        }
    }
    COMPLAIN(p, FB_ERR_NAME, line, col,
             "there is no anchor '&%s' before this alias '*%s' (an anchor cannot contain itself)",
             name ? name : "", name ? name : "");
    p->has_failed = true;
    return NULL;
}

// Appends to a list that doubles inside the arena; the old blocks are freed with it.
static void* grow(Parser* p, void* items, int count, size_t size) {
    bool is_full = (count & (count - 1)) == 0;  // 0, 1, 2, 4, 8, ...
    if (!is_full) {
        return items;
    }
    void* more = fb_arena_take(p->arena, size * (size_t)(count == 0 ? 1 : 2 * count));
    if (!more) {
        p->has_failed = true;
    } else if (count > 0) {
        memcpy(more, items, size * (size_t)count);
    }
    return more;
}

static const FbNode* parse_list(Parser* p) {
    FbNode* node = new_node(p, FB_NODE_LIST);
    next_event(p);
    while (node && !p->has_failed && p->event && !is_next(p, FYET_SEQUENCE_END)) {
        const FbNode* item = parse_node(p);
        node->items = item ? grow(p, node->items, node->count, sizeof *node->items) : NULL;
        if (!node->items) {
            return NULL;
        }
        node->items[node->count++] = item;
        node->weight += item->weight;
    }
    return node;
}

// The key as text; false (reported) if it is a list or a map.
static bool parse_key(Parser* p, FbEntry* entry) {
    event_place(p, &entry->line, &entry->col);
    if (!is_next(p, FYET_SCALAR)) {
        COMPLAIN(p, FB_ERR_SYNTAX, entry->line, entry->col,
                 "a key must be a plain word or string, not a list, map or alias");
        p->has_failed = true;
        return false;
    }
    entry->key = token_text(p, fy_event_get_token(p->event));
    p->key_line = entry->line;
    p->key_col = entry->col;
    next_event(p);
    return entry->key != NULL;
}

static const FbNode* parse_map(Parser* p) {
    FbNode* node = new_node(p, FB_NODE_MAP);
    next_event(p);
    while (node && !p->has_failed && p->event && !is_next(p, FYET_MAPPING_END)) {
        FbEntry entry = {0};
        entry.value = parse_key(p, &entry) && p->event ? parse_node(p) : NULL;
        node->entries = entry.value ? grow(p, node->entries, node->count, sizeof entry) : NULL;
        if (!node->entries) {
            return NULL;
        }
        node->entries[node->count++] = entry;
        node->weight += entry.value->weight;
    }
    return node;
}

static int compare_entries(const void* a, const void* b) {
    const FbEntry* x = *(const FbEntry* const*)a;
    const FbEntry* y = *(const FbEntry* const*)b;
    int order = strcmp(x->key, y->key);
    return order ? order : (x > y) - (x < y);
}

// Reports duplicate keys; both stay in the tree, fb_node_get() finds the first.
static void check_duplicates(Parser* p, const FbNode* map) {
    FbEntry** sorted = FB_TAKE(p->arena, FbEntry*, map->count + 1);
    if (!sorted) {
        p->has_failed = true;
        return;
    }
    for (int i = 0; i < map->count; i++) {
        sorted[i] = &map->entries[i];
    }
    qsort(sorted, (size_t)map->count, sizeof *sorted, compare_entries);
    for (int i = 1; i < map->count; i++) {
        if (strcmp(sorted[i]->key, sorted[i - 1]->key) == 0) {
            sorted[i]->is_repeated = true;
            COMPLAIN(p, FB_ERR_NAME, sorted[i]->line, sorted[i]->col,
                     "'%s' is repeated (first in line %d); rename or remove one of them",
                     sorted[i]->key, sorted[i - 1]->line);
        }
    }
}

static const FbNode* parse_container(Parser* p) {
    int line, col;
    event_place(p, &line, &col);
    if (p->depth >= FB_NODE_MAX_DEPTH) {
        COMPLAIN(p, FB_ERR_SYNTAX, line, col,
                 "lists and maps are nested more than %d deep; no model needs that",
                 FB_NODE_MAX_DEPTH);
        p->has_failed = true;
        return NULL;
    }
    p->open_line[++p->depth] = line;
    const FbNode* node = is_next(p, FYET_SEQUENCE_START) ? parse_list(p) : parse_map(p);
    if (node && node->kind == FB_NODE_MAP && p->event) {
        check_duplicates(p, node);
    }
    // After a parse error the depth stays, so that the message can say what is open.
    if (!p->event) {
        return NULL;
    }
    p->depth--;
    return node;
}

static void add_anchor(Parser* p, const char* name, const FbNode* node) {
    Anchor* anchor = FB_TAKE(p->arena, Anchor, 1);
    if (!anchor || !name) {
        p->has_failed = true;
        return;
    }
    *anchor = (Anchor){name, node, p->anchors};
    p->anchors = anchor;
}

// The node that starts at the current event; afterwards the event after it is the current one.
// NULL: failed.
static const FbNode* parse_node(Parser* p) {
    struct fy_token* anchor = fy_event_get_anchor_token(p->event);
    const char* name = anchor && !is_next(p, FYET_ALIAS) ? token_text(p, anchor) : NULL;
    const FbNode* node = is_next(p, FYET_SCALAR)  ? parse_scalar(p)
                         : is_next(p, FYET_ALIAS) ? parse_alias(p)
                                                  : parse_container(p);
    if (node && node->weight > FB_NODE_MAX_WEIGHT) {
        COMPLAIN(p, FB_ERR_SYNTAX, node->line, node->col,
                 "with all aliases expanded this has more than %d values; no model needs that",
                 FB_NODE_MAX_WEIGHT);
        p->has_failed = true;
    }
    if (node && name) {
        add_anchor(p, name, node);
    }
    if (p->event) {
        next_event(p);
    }
    return p->has_failed ? NULL : node;
}

// Advice for the most frequent messages of libfyaml.
static void add_hint(const Parser* p, const char* message, char* out, size_t size) {
    out[0] = '\0';
    if (strstr(message, "without a closing") && p->depth > 0) {
        snprintf(out, size, " (opened in line %d)", p->open_line[p->depth]);
    } else if (strstr(message, "missing comma")) {
        snprintf(out, size, "; a name with { } in it must be quoted, as in \"V{i}\"");
    }
}

static void report_syntax(Parser* p, struct fy_diag* diag) {
    void* iterator = NULL;
    struct fy_diag_error* e;
    bool is_any = false;
    while ((e = fy_diag_errors_iterate(diag, &iterator)) != NULL) {
        char hint[96];
        const char* message = e->msg ? e->msg : "syntax error";
        add_hint(p, message, hint, sizeof hint);
        COMPLAIN(p, FB_ERR_SYNTAX, e->line, e->column, "not valid YAML: %s%s", message, hint);
        is_any = true;
    }
    if (!is_any && !p->has_failed) {
        COMPLAIN(p, FB_ERR_SYNTAX, 1, 1, "not valid YAML");
    }
}

static const FbNode* parse_document(Parser* p) {
    next_event(p);
    while (is_next(p, FYET_STREAM_START) || is_next(p, FYET_DOCUMENT_START)) {
        next_event(p);
    }
    if (!p->event || is_next(p, FYET_STREAM_END)) {
        return NULL;
    }
    const FbNode* root = parse_node(p);
    while (is_next(p, FYET_DOCUMENT_END)) {
        next_event(p);
    }
    if (root && is_next(p, FYET_DOCUMENT_START)) {
        next_event(p);
        int line = 1, col = 1;
        if (p->event) {
            event_place(p, &line, &col);
        }
        COMPLAIN(p, FB_ERR_SYNTAX, line, col,
                 "a second document ('---') starts here; a model file holds only one");
    }
    return root;
}

static void be_quiet(struct fy_diag* diag, void* user, const char* text, size_t length) {
    (void)diag;
    (void)user;
    (void)text;
    (void)length;
}

static struct fy_diag* create_diag(void) {
    struct fy_diag_cfg config;
    fy_diag_cfg_default(&config);
    config.fp = NULL;
    config.output_fn = be_quiet;
    config.colorize = false;
    struct fy_diag* diag = fy_diag_create(&config);
    if (diag) {
        fy_diag_set_collect_errors(diag, true);
    }
    return diag;
}

static const FbNode* parse_with(Parser* p, const char* text, size_t size, struct fy_diag* diag) {
    struct fy_parse_cfg config = {
        .flags = FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE | FYPCF_DISABLE_DEPTH_LIMIT,
        .diag = diag,
    };
    p->fyp = fy_parser_create(&config);
    if (!p->fyp || fy_parser_set_string(p->fyp, text, size) != 0) {
        fy_parser_destroy(p->fyp);
        fb_diagnose(p->diagnostics, FB_SEVERE, FB_ERR_MEMORY, NULL, "out of memory");
        return NULL;
    }
    errno = 0;
    const FbNode* root = parse_document(p);
    bool is_broken = fy_parser_get_stream_error(p->fyp);
    // libfyaml calls a failed allocation an error of the stream, or returns an empty text.
    bool is_out_of_memory = errno == ENOMEM;
    if (is_out_of_memory) {
        fb_diagnose(p->diagnostics, FB_SEVERE, FB_ERR_MEMORY, NULL, "out of memory");
    } else if (is_broken) {
        report_syntax(p, diag);
    }
    if (p->event) {
        fy_parser_event_free(p->fyp, p->event);
    }
    fy_parser_destroy(p->fyp);
    return is_broken || is_out_of_memory || p->has_failed ? NULL : root;
}

// As fb_utf8_length(); 0 also for a character that no text file contains.
static size_t character_length(const char* s, size_t n) {
    bool is_control = (unsigned char)s[0] < 0x20 && s[0] != '\t' && s[0] != '\n' && s[0] != '\r';
    return is_control || s[0] == 0x7f ? 0 : fb_utf8_length(s, n);
}

static bool check_text(Parser* p, const char* text, size_t size) {
    int line = 1, col = 1;
    for (size_t i = 0; i < size;) {
        size_t length = character_length(text + i, size - i);
        if (length == 0) {
            COMPLAIN(p, FB_ERR_SYNTAX, line, col,
                     "byte 0x%02x is not UTF-8 text; is this a model file?",
                     (unsigned)(unsigned char)text[i]);
            return false;
        }
        bool is_newline = text[i] == '\n';
        line += is_newline;
        col = is_newline ? 1 : col + 1;
        i += length;
    }
    return true;
}

const FbNode* fb_yaml_parse(const char* text, size_t size, const char* file, FbArena* arena,
                            FbDiagnostics* diagnostics) {
    Parser parser = {.file = file, .arena = arena, .diagnostics = diagnostics};
    parser.key_line = parser.key_col = 1;
    if (!check_text(&parser, text, size)) {
        return NULL;
    }
    int errors_before = fb_diagnostics_error_count(diagnostics);
    struct fy_diag* diag = create_diag();
    const FbNode* root = diag ? parse_with(&parser, text, size, diag) : NULL;
    if (diag) {
        fy_diag_destroy(diag);
    }
    bool is_silent = !root && fb_diagnostics_error_count(diagnostics) == errors_before;
    if (!diag || parser.is_out_of_memory || fb_arena_has_failed(arena)) {
        fb_diagnose(diagnostics, FB_SEVERE, FB_ERR_MEMORY, NULL, "out of memory");
        return NULL;
    }
    if (is_silent) {
        COMPLAIN(&parser, FB_ERR_SYNTAX, 1, 1,
                 "the file is empty; a model begins with 'flyball: 1'");
    }
    return root;
}
