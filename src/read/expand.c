// Repeats, templates and instances: the same sections read again, with other local names, in
// another scope, at another pose.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "read/field.h"

// Far beyond any real model; keeps a slip such as `to: 1e9` from filling the memory.
enum { MAX_ITERATIONS = 100000, MAX_DEPTH = 16 };

bool fb_check_parameter_name(FbReader* r, const char* name, int line, int col) {
    if (!fb_name_is_valid(name) || strchr(name, '.')) {
        fb_report(r, FB_ERR_NAME, line, col,
                  "'%s' is not a valid name; use letters, digits and '_', starting with a letter",
                  name);
        return false;
    }
    if (strcmp(name, "t") == 0 || strcmp(name, "pi") == 0 || strcmp(name, "e") == 0) {
        fb_report(r, FB_ERR_NAME, line, col,
                  "'%s' has a fixed meaning in expressions; give the parameter another name", name);
        return false;
    }
    return true;
}

static bool push_local(FbReader* r, const char* name, FbNumber number, const FbLocal** locals) {
    FbLocal* local = FB_TAKE(r->arena, FbLocal, 1);
    if (!local) {
        return false;
    }
    *local = (FbLocal){name, number, *locals};
    *locals = local;
    return true;
}

static bool check_is_map(FbReader* r, const FbNode* node, const char* what) {
    if (node->kind == FB_NODE_MAP) {
        return true;
    }
    fb_report(r, FB_ERR_SYNTAX, node->line, node->col,
              "'%s' must be a map {key: value, ...}, but this is %s", what, fb_node_describe(node));
    return false;
}

// Reads `parameters: {name: value}` in front of `*locals` (values may use the earlier ones).
static bool read_locals(FbReader* r, const FbNode* map, const FbLocal** locals) {
    if (!map) {
        return true;
    }
    bool is_good = check_is_map(r, map, "parameters");
    for (int i = 0; is_good && i < map->count; i++) {
        const FbEntry* e = &map->entries[i];
        FbNumber number;
        is_good = fb_check_parameter_name(r, e->key, e->line, e->col) &&
                  fb_read_quantity(r, e->value, e->key, NULL, &number) &&
                  push_local(r, e->key, number, locals);
        r->env.locals = *locals;
    }
    return is_good;
}

static bool read_bound(FbReader* r, const FbNode* map, const char* key, int* out) {
    const FbNode* node = fb_node_get(map, key);
    double value;
    if (!node) {
        fb_report(r, FB_ERR_MODEL, map->line, map->col, "this repeat needs '%s'", key);
        return false;
    }
    if (!fb_read_number(r, node, key, "1", &value)) {
        return false;
    }
    if (value != floor(value) || fabs(value) > 1e9) {
        fb_report(r, FB_ERR_RANGE, node->line, node->col, "%s is %g; it must be an integer", key,
                  value);
        return false;
    }
    *out = (int)value;
    return true;
}

static const char* read_loop_name(FbReader* r, const FbNode* map) {
    const FbNode* node = fb_node_get(map, "for");
    const char* name;
    if (!node) {
        fb_report(
            r, FB_ERR_MODEL, map->line, map->col,
            "this repeat needs 'for', the name of the counter, such as {for: i, from: 1, to: 4}");
        return NULL;
    }
    return fb_read_text(r, node, "for", &name) &&
                   fb_check_parameter_name(r, name, node->line, node->col)
               ? name
               : NULL;
}

// What is read once for each value of a counter.
typedef struct Contents {
    FbReadContents read;
    void* context;
} Contents;

const char* const fb_repeat_keys[] = {"for", "from", "to", "parameters", NULL};

static void read_iteration(FbReader* r, const FbNode* map, const Contents* contents,
                           const char* name, int value) {
    FbEnv outer = r->env;
    if (push_local(r, name, (FbNumber){.value = value}, &r->env.locals)) {
        const FbLocal* locals = r->env.locals;
        if (read_locals(r, fb_node_get(map, "parameters"), &locals)) {
            contents->read(r, map, contents->context);
        }
    }
    r->env = outer;
}

static void read_one_repeat(FbReader* r, const FbNode* map, const Contents* contents) {
    int from, to;
    const char* name = read_loop_name(r, map);
    bool is_good = read_bound(r, map, "from", &from);
    if (!read_bound(r, map, "to", &to) || !is_good || !name) {
        return;
    }
    long n = to >= from ? (long)to - from + 1 : 0;
    double most = fb_def_limit(r->def, MAX_ITERATIONS);
    if ((double)(n + r->n_expanded) > most) {
        fb_report(r, FB_ERR_RANGE, map->line, map->col,
                  "the repeats of this file run more than %.10g times; check 'from' and 'to'",
                  most);
        return;
    }
    if (!fb_check_room(r, (double)n, map, map->line, map->col)) {
        return;
    }
    r->n_expanded += n;
    for (long i = from; i <= to && !fb_arena_has_failed(r->arena) && !r->has_run_away; i++) {
        read_iteration(r, map, contents, name, (int)i);
    }
}

void fb_read_repeat(FbReader* r, const FbNode* list, FbReadContents read, void* context) {
    Contents contents = {read, context};
    if (list->kind == FB_NODE_MAP) {
        read_one_repeat(r, list, &contents);
        return;
    }
    if (list->kind != FB_NODE_LIST) {
        fb_report(r, FB_ERR_SYNTAX, list->line, list->col,
                  "'repeat' must be a list of maps {for: i, from: .., to: .., ...}, but this is %s",
                  fb_node_describe(list));
        return;
    }
    for (int i = 0; i < list->count; i++) {
        if (check_is_map(r, list->items[i], "repeat")) {
            read_one_repeat(r, list->items[i], &contents);
        }
    }
}

static int find_template(FbReader* r, const FbNode* node) {
    const char* name;
    if (!fb_read_text(r, node, "template", &name)) {
        return -1;
    }
    const char* names[128];
    int n = 0;
    for (int i = 0; r->templates && i < r->templates->count; i++) {
        if (strcmp(r->templates->entries[i].key, name) == 0) {
            return i;
        }
        if (n < 128) {
            names[n++] = r->templates->entries[i].key;
        }
    }
    char hint[128];
    fb_suggest(name, names, n, hint);
    fb_report(r, FB_ERR_NAME, node->line, node->col, "there is no template '%s'%s", name, hint);
    return -1;
}

// The pose given in the instance, on top of the pose of the instance around it.
static void read_pose(FbReader* r, const FbNode* map, FbEnv* inner) {
    double position[3] = {0, 0, 0}, rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const FbNode *p = fb_node_get(map, "position"), *o = fb_node_get(map, "orientation");
    if (p) {
        fb_read_numbers(r, p, "position", "m", 3, position);
    }
    if (o) {
        fb_read_rotation(r, o, rotation);
    }
    fb_move_point(r, position);
    fb_move_rotation(r, rotation);
    inner->p = fb_vec3_from(position);
    inner->R = fb_mat3_from(rotation);
}

static bool check_given_parameters(FbReader* r, const FbNode* given, const FbNode* declared) {
    if (!given) {
        return true;
    }
    const char* names[129] = {NULL};
    for (int i = 0; declared && declared->kind == FB_NODE_MAP && i < declared->count && i < 128;
         i++) {
        names[i] = declared->entries[i].key;
    }
    return fb_check_keys(r, given, "parameters", names);
}

// Each parameter of the template: the instance's value (of the names around the instance) or the
// default (of those before it).
static bool read_template_parameters(FbReader* r, const FbNode* declared, const FbNode* given,
                                     FbEnv* inner) {
    FbEnv outer = r->env;
    bool is_good = !declared || check_is_map(r, declared, "parameters");
    inner->locals = NULL;
    for (int i = 0; is_good && declared && i < declared->count; i++) {
        const FbEntry* e = &declared->entries[i];
        const FbNode* node = fb_node_get(given, e->key);
        FbNumber number;
        is_good = fb_check_parameter_name(r, e->key, e->line, e->col);
        r->env = node ? outer : *inner;
        is_good = is_good && fb_read_quantity(r, node ? node : e->value, e->key, NULL, &number) &&
                  push_local(r, e->key, number, &inner->locals);
        r->env = outer;
    }
    return is_good;
}

static void read_template(FbReader* r, const FbEntry* template, const FbNode* given, FbEnv* inner) {
    static const char* const others[] = {"parameters", NULL};
    if (!check_is_map(r, template->value, template->key)) {
        return;
    }
    FbEnv outer = r->env;
    if (read_template_parameters(r, fb_node_get(template->value, "parameters"), given, inner)) {
        r->env = *inner;
        fb_read_sections(r, template->value, "template", others);
    }
    r->env = outer;
}

void fb_read_instance(FbReader* r, const FbEntry* entry, const char* name) {
    static const char* const keys[] = {"template", "parameters", "position", "orientation", NULL};
    const FbNode* map = entry->value;
    if (!fb_check_keys(r, map, "instance", keys)) {
        return;
    }
    const FbNode* node = fb_node_get(map, "template");
    if (!node) {
        fb_report(r, FB_ERR_MODEL, entry->line, entry->col, "an instance needs 'template'");
        return;
    }
    int index = find_template(r, node);
    FbEnv inner = r->env;
    inner.scope = fb_arena_format(r->arena, "%s.", name);
    inner.depth++;
    read_pose(r, map, &inner);
    if (index < 0 || !inner.scope || r->is_template_endless[index]) {
        return;
    }
    const FbEntry* template = &r->templates->entries[index];
    r->is_template_used[index] = true;
    if (inner.depth > MAX_DEPTH) {
        fb_report(r, FB_ERR_MODEL, entry->line, entry->col,
                  "templates are nested more than %d deep; does '%s' contain itself?", MAX_DEPTH,
                  template->key);
        r->is_template_endless[index] = true;
        return;
    }
    if (!fb_check_room(r, 1.0, template->value, entry->line, entry->col)) {
        return;
    }
    const FbNode* given = fb_node_get(map, "parameters");
    if (check_given_parameters(r, given, fb_node_get(template->value, "parameters"))) {
        read_template(r, template, given, &inner);
    }
}

static void try_template(FbReader* r, const FbEntry* template) {
    FbModelDef *model = r->def, *scratch;
    if (fb_def_create("scratch", r->types, &scratch, NULL) < 0) {
        r->is_out_of_memory = true;
        return;
    }
    for (int i = 0; i < model->n_parameters; i++) {
        const FbParameter* p = &model->parameters[i];
        r->is_out_of_memory |= fb_model_def_set_parameter(scratch, p->name, p->value, NULL) < 0;
        if (scratch->n_parameters > 0) {
            scratch->parameters[scratch->n_parameters - 1].quantity = p->quantity;
        }
    }
    FbEnv inner = r->env;
    inner.scope = fb_arena_format(r->arena, "%s.", template->key);
    r->def = scratch;
    int n_structures = r->n_structures;
    if (inner.scope) {
        read_template(r, template, NULL, &inner);
    }
    r->n_structures = n_structures;  // no instance will use them
    r->def = model;
    fb_model_def_destroy(scratch);
}

void fb_check_unused_templates(FbReader* r) {
    for (int i = 0; r->templates && i < r->templates->count; i++) {
        const FbEntry* e = &r->templates->entries[i];
        if (r->is_template_used[i]) {
            continue;
        }
        FbPlace place = {r->file, e->line, e->col};
        try_template(r, e);
        fb_diagnose(r->diagnostics, FB_WARNING, FB_OK, &place,
                    "the template '%s' is not used by any instance", e->key);
    }
}
