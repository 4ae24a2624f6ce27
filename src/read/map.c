// Reads whole maps by their tables: unknown and missing keys, defaults, types, and the places of
// all fields.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "read/field.h"

enum { MAX_NAMES = 128 };

// Short lists and maps have a place for each item too: "between[1]".
enum { MAX_ITEMS = 6, MAX_ENTRIES = 64 };

static int count_items(const FbNode* value) {
    bool is_list = value->kind == FB_NODE_LIST && value->count <= MAX_ITEMS;
    bool is_map = value->kind == FB_NODE_MAP && value->count <= MAX_ENTRIES;
    return is_list || is_map ? value->count : 0;
}

static int add_places(FbReader* r, const FbEntry* e, FbFieldPlace* out) {
    int n = 0;
    out[n++] = (FbFieldPlace){e->key, e->value->line, e->value->col};
    for (int i = 0; i < count_items(e->value); i++) {
        const char* key = fb_arena_item(r->arena, e->key, i);
        bool is_list = e->value->kind == FB_NODE_LIST;
        const FbNode* item = is_list ? e->value->items[i] : e->value->entries[i].value;
        out[n++] = (FbFieldPlace){key ? key : e->key, item->line, item->col};
    }
    return n;
}

bool fb_fill_origin(FbReader* r, const FbNode* map, int line, int col, FbOrigin* origin) {
    *origin = (FbOrigin){.place = {r->file, line, col}, .scope = r->env.scope};
    if (map->kind != FB_NODE_MAP || map->count == 0) {
        return true;
    }
    int n = map->count;
    for (int i = 0; i < map->count; i++) {
        n += count_items(map->entries[i].value);
    }
    FbFieldPlace* fields = FB_TAKE(r->arena, FbFieldPlace, n);
    origin->fields = fields;
    for (int i = 0; fields && i < map->count; i++) {
        origin->n_fields += add_places(r, &map->entries[i], fields + origin->n_fields);
    }
    return fields != NULL;
}

static int collect_keys(const FbTable* table, const char* names[MAX_NAMES]) {
    int n = 0;
    for (int i = 0; i < table->n_fields && n < MAX_NAMES; i++) {
        names[n++] = table->fields[i].key;
    }
    for (int i = 0; table->others && table->others[i] && n < MAX_NAMES; i++) {
        names[n++] = table->others[i];
    }
    return n;
}

static void report_unknown_key(FbReader* r, const FbNode* map, const FbEntry* e,
                               const FbTable* table) {
    const char* names[MAX_NAMES];
    int n = collect_keys(table, names);
    char hint[FB_KEY_HINT];
    fb_report(r, FB_ERR_NAME, e->line, e->col, "unknown key '%s' in %s%s", e->key, table->what,
              fb_suggest_key(map, e->key, names, n, hint));
}

static bool is_other(const FbTable* table, const char* key) {
    for (int i = 0; table->others && table->others[i]; i++) {
        if (strcmp(table->others[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_entries(FbReader* r, const FbNode* map, const FbTable* table, void* base) {
    bool is_good = true;
    for (int i = 0; i < map->count; i++) {
        const FbEntry* e = &map->entries[i];
        const FbField* field = fb_field_find(table->fields, table->n_fields, e->key);
        bool is_first = fb_node_get(map, e->key) == e->value;
        if (field && is_first) {
            is_good &= fb_read_field(r, field, e->value, base);
        } else if (!field && !is_other(table, e->key)) {
            report_unknown_key(r, map, e, table);
            is_good = false;
        }
    }
    return is_good;
}

// A default is written in the table as it would be in a file: a scalar, or a list of scalars.
static const FbNode* parse_default(FbReader* r, const char* text) {
    FbNode* node = FB_TAKE(r->arena, FbNode, 1);
    if (!node) {
        return NULL;
    }
    if (text[0] != '[') {
        *node = (FbNode){.kind = FB_NODE_SCALAR, .text = text, .is_quoted = true};
        return node;
    }
    *node = (FbNode){.kind = FB_NODE_LIST, .items = FB_TAKE(r->arena, const FbNode*, 8)};
    const char* part = text + 1;
    while (node->items && node->count < 8 && *part && *part != ']') {
        size_t n = strcspn(part, ",]");
        FbNode* item = FB_TAKE(r->arena, FbNode, 1);
        const char* copy = fb_arena_text_n(r->arena, part, n);
        if (!item || !copy) {
            return NULL;
        }
        *item = (FbNode){.kind = FB_NODE_SCALAR, .text = copy};
        node->items[node->count++] = item;
        part += n + (part[n] == ',');
    }
    return node->items ? node : NULL;
}

static bool fill_missing(FbReader* r, const FbNode* map, const FbTable* table, void* base,
                         const FbPlace* place) {
    bool is_good = true;
    for (int i = 0; i < table->n_fields; i++) {
        const FbField* f = &table->fields[i];
        if (fb_node_get(map, f->key)) {
            continue;
        }
        if (f->default_text) {
            const FbNode* node = parse_default(r, f->default_text);
            is_good &= node && fb_read_field(r, f, node, base);
        } else if (!f->is_optional) {
            fb_report(r, FB_ERR_MODEL, place->line, place->col, "%s needs '%s': %s", table->what,
                      f->key, f->doc ? f->doc : "");
            is_good = false;
        }
    }
    return is_good;
}

bool fb_read_table(FbReader* r, const FbNode* map, const FbTable* table, void* base,
                   FbOrigin* origin) {
    if (map->kind != FB_NODE_MAP) {
        fb_report(r, FB_ERR_SYNTAX, map->line, map->col,
                  "%s is described by a map {key: value, ...}, but this is %s", table->what,
                  fb_node_describe(map));
        return false;
    }
    bool is_good = read_entries(r, map, table, base);
    return fill_missing(r, map, table, base, &origin->place) && is_good;
}

static void report_unknown_type(FbReader* r, const FbNode* node, const char* name,
                                const FbTypeInfo* const* types, const char* kind) {
    const char* names[MAX_NAMES];
    int n = 0;
    char hint[128], known[384] = "";
    size_t length = 0;
    for (; types && types[n] && n < MAX_NAMES; n++) {
        names[n] = types[n]->name;
        if (length < sizeof known - 48) {
            length += (size_t)snprintf(known + length, sizeof known - length, "%s%.40s",
                                       n ? ", " : "", names[n]);
        }
    }
    fb_suggest(name, names, n, hint);
    fb_report(r, FB_ERR_NAME, node->line, node->col, "unknown %s type '%s'; known types are %s%s",
              kind, name, known, hint);
}

const FbTypeInfo* fb_read_type(FbReader* r, const FbNode* map, const FbTypeInfo* const* types,
                               const char* kind) {
    if (map->kind != FB_NODE_MAP) {
        fb_report(r, FB_ERR_SYNTAX, map->line, map->col,
                  "a %s is described by a map {type: ..., ...}, but this is %s", kind,
                  fb_node_describe(map));
        return NULL;
    }
    const FbNode* node = fb_node_get(map, "type");
    const char* name;
    if (!node) {
        fb_report(r, FB_ERR_MODEL, map->line, map->col, "this %s needs a 'type'", kind);
        return NULL;
    }
    if (!fb_read_text(r, node, "type", &name)) {
        return NULL;
    }
    const FbTypeInfo* type = fb_type_find(types, name);
    if (!type) {
        report_unknown_type(r, node, name, types, kind);
    }
    return type;
}
