// Reads a model file: version, parameters and overrides, sections in file order, then the
// references between them.
#include "read/read.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "base/text.h"
#include "describe/def_copy.h"
#include "describe/untyped_tables.h"
#include "read/field.h"
#include "read/kept.h"

enum { FORMAT_VERSION = 1 };

typedef struct Section {
    const char* key;
    FbReadPart read;
} Section;

static const Section sections[] = {
    {"bodies", fb_read_body},
    {"joints", fb_read_joint},
    {"constraints", fb_read_constraint},
    {"forces", fb_read_force},
    {"laws", fb_read_law},
    {"materials", fb_read_material},
    {"sections", fb_read_section},
    {"structures", fb_read_structure},
    {"sliders", fb_read_slider},
    {"states", fb_read_state},
    {"inputs", fb_read_input},
    {"outputs", fb_read_output},
    {"sensors", fb_read_sensor},
    {"events", fb_read_event},
    {"initial", fb_read_initial},
    {"instances", fb_read_instance},
};
enum { N_SECTIONS = sizeof sections / sizeof *sections };

static const char* const top_keys[] = {"flyball",    "name",    "title",
                                       "parameters", "gravity", "templates",
                                       "simulation", "damping", NULL};

const char* fb_read_key(FbReader* r, const FbEntry* entry) {
    const char* name = fb_expand_text(r, entry->key, entry->line, entry->col);
    if (name && (!fb_name_is_valid(name) || strchr(name, '.'))) {
        fb_report(r, FB_ERR_NAME, entry->line, entry->col,
                  "'%s' is not a valid name; use letters, digits and '_', starting with a letter",
                  name);
        return NULL;
    }
    return name;
}

// Where it is noted which parameters a part of the section reads: those of materials, sections of
// members and instances matter to structures.
static bool* find_reads(const FbReader* r, const Section* section) {
    bool is_shared = section->read == fb_read_material || section->read == fb_read_section ||
                     section->read == fb_read_instance;
    return section->read == fb_read_structure ? r->own_reads : is_shared ? r->shared_reads : NULL;
}

static void read_part(FbReader* r, const Section* section, const FbEntry* entry) {
    if (r->has_run_away) {
        return;
    }
    r->n_parts++;
    const char* name = fb_read_key(r, entry);
    const char* scope = r->env.scope ? r->env.scope : "";
    const char* full = name ? fb_arena_join(r->arena, scope, name) : NULL;
    if (!full) {
        return;
    }
    bool* reads = r->reads;
    r->reads = find_reads(r, section);
    section->read(r, entry, full);
    r->reads = reads;
}

static void read_section(FbReader* r, const Section* section, const FbNode* map) {
    if (map->kind != FB_NODE_MAP) {
        fb_report(r, FB_ERR_SYNTAX, map->line, map->col,
                  "'%s' must be a map {name: ..., ...}, but this is %s", section->key,
                  fb_node_describe(map));
        return;
    }
    for (int i = 0; i < map->count; i++) {
        if (!map->entries[i].is_repeated) {
            read_part(r, section, &map->entries[i]);
        }
    }
}

static const Section* find_section(const char* key) {
    for (int i = 0; i < N_SECTIONS; i++) {
        if (strcmp(sections[i].key, key) == 0) {
            return &sections[i];
        }
    }
    return NULL;
}

static void report_unknown_section(FbReader* r, const FbEntry* e, const char* what,
                                   const char* const* others) {
    const char* names[N_SECTIONS + 17] = {"repeat"};
    int n = 1;
    for (int i = 0; i < N_SECTIONS; i++) {
        names[n++] = sections[i].key;
    }
    for (int i = 0; i < 16 && others[i]; i++) {
        names[n++] = others[i];
    }
    char hint[128];
    fb_suggest(e->key, names, n, hint);
    bool is_top = false;
    for (int i = 0; top_keys[i]; i++) {
        is_top |= strcmp(top_keys[i], e->key) == 0;
    }
    fb_report(r, FB_ERR_NAME, e->line, e->col,
              is_top ? "'%s' is not allowed in a %s%s" : "unknown key '%s' in the %s%s", e->key,
              what, is_top ? "; move it to the top of the file" : hint);
}

static void read_repeated_sections(FbReader* r, const FbNode* map, void* context) {
    (void)context;
    fb_read_sections(r, map, "repeat", fb_repeat_keys);
}

void fb_read_sections(FbReader* r, const FbNode* map, const char* what, const char* const* others) {
    for (int i = 0; i < map->count; i++) {
        const FbEntry* e = &map->entries[i];
        const Section* section = find_section(e->key);
        bool is_other = false;
        for (int k = 0; others[k]; k++) {
            is_other |= strcmp(others[k], e->key) == 0;
        }
        if (fb_node_get(map, e->key) != e->value || is_other) {
            continue;
        }
        if (section) {
            read_section(r, section, e->value);
        } else if (strcmp(e->key, "repeat") == 0) {
            fb_read_repeat(r, e->value, read_repeated_sections, NULL);
        } else {
            report_unknown_section(r, e, what, others);
        }
    }
}

static void read_version(FbReader* r, const FbNode* root) {
    const FbNode* node = fb_node_get(root, "flyball");
    double version;
    if (!node) {
        fb_report(r, FB_ERR_MODEL, root->line, root->col,
                  "the format version is missing; begin the file with 'flyball: %d'",
                  FORMAT_VERSION);
    } else if (fb_read_number(r, node, "flyball", "1", &version) && version != FORMAT_VERSION) {
        fb_report(r, FB_ERR_MODEL, node->line, node->col,
                  "the file has format version %g, but this program reads version %d", version,
                  FORMAT_VERSION);
    }
}

// Results are written to files of this name.
static void check_model_name(FbReader* r, const FbNode* node, const char* name) {
    bool is_good = name[0] && name[0] != '.';
    for (const char* c = name; *c; c++) {
        is_good &= isalnum((unsigned char)*c) || strchr("_-.", *c);
    }
    if (!is_good) {
        fb_report(r, FB_ERR_NAME, node->line, node->col,
                  "the name '%s' must consist of letters, digits, '_', '-' and '.'; use 'title' "
                  "for anything else",
                  name);
    }
}

static void read_header(FbReader* r, const FbNode* root) {
    const FbNode *name = fb_node_get(root, "name"), *title = fb_node_get(root, "title");
    const FbNode* gravity = fb_node_get(root, "gravity");
    const char* text;
    read_version(r, root);
    if (name && fb_read_text(r, name, "name", &text)) {
        check_model_name(r, name, text);
        r->def->name = fb_arena_text(r->def->arena, text);
    }
    bool is_title = title && title->kind == FB_NODE_SCALAR && !title->is_null;
    if (is_title) {
        r->def->title = fb_arena_text(r->def->arena, title->text);
    } else if (title) {
        fb_report(r, FB_ERR_SYNTAX, title->line, title->col,
                  "'title' must be a string, but this is %s", fb_node_describe(title));
    }
    if (gravity) {
        fb_read_numbers(r, gravity, "gravity", "m/s^2", 3, r->def->gravity);
    }
}

static void check_release(FbReader* r, const FbSettings* settings) {
    if (settings->n_release > 0 && !settings->starts_at_equilibrium) {
        FbPlace place = fb_origin_place(&r->def->simulation, "release");
        fb_report(r, FB_ERR_MODEL, place.line, place.col,
                  "'release' lists forces that act only in the equilibrium from which the run "
                  "starts; add 'start_at: equilibrium'");
    }
}

static void read_simulation(FbReader* r, const FbNode* map) {
    FbTable table = {"'simulation'", fb_settings_table.fields, fb_settings_table.n_fields, NULL};
    FbSettings settings = fb_settings_default();
    if (map) {
        fb_fill_origin(r, map, map->line, map->col, &r->def->simulation);
        fb_read_table(r, map, &table, &settings, &r->def->simulation);
        check_release(r, &settings);
    }
    fb_model_def_set_settings(r->def, &settings);
    fb_copy_origin(r->def->arena, r->def->file, &r->def->simulation);
}

static void read_damping(FbReader* r, const FbNode* map) {
    FbTable table = {"'damping'", fb_damping_table.fields, fb_damping_table.n_fields, NULL};
    FbDampingDef damping = fb_damping_def_default();
    FbError err;
    if (!map) {
        return;
    }
    fb_fill_origin(r, map, map->line, map->col, &damping.origin);
    if (fb_read_table(r, map, &table, &damping, &damping.origin) &&
        fb_model_def_set_damping(r->def, &damping, &err) < 0) {
        fb_report(r, err.status, err.place.line, err.place.col, "%s", err.text);
    }
}

static bool prepare_templates(FbReader* r, const FbNode* map) {
    if (!map) {
        return true;
    }
    if (map->kind != FB_NODE_MAP) {
        fb_report(r, FB_ERR_SYNTAX, map->line, map->col,
                  "'templates' must be a map {name: {...}, ...}, but this is %s",
                  fb_node_describe(map));
        return true;
    }
    r->templates = map;
    r->is_template_used = FB_TAKE(r->arena, bool, map->count + 1);
    r->is_template_endless = FB_TAKE(r->arena, bool, map->count + 1);
    r->template_size = FB_TAKE(r->arena, double, map->count + 1);
    for (int i = 0; r->template_size && i < map->count; i++) {
        r->template_size[i] = -1.0;
    }
    return r->is_template_used && r->is_template_endless && r->template_size;
}

static void read_root(FbReader* r, const FbNode* root, const FbReadOptions* options) {
    if (root->kind != FB_NODE_MAP) {
        fb_report(r, FB_ERR_SYNTAX, root->line, root->col,
                  "a model file is a map that begins with 'flyball: %d', but this is %s",
                  FORMAT_VERSION, fb_node_describe(root));
        return;
    }
    if (fb_node_get(root, "flyball_study") && !fb_node_get(root, "flyball")) {
        fb_report(r, FB_ERR_MODEL, root->line, root->col,
                  "this is a study file, not a model; use 'flyball sweep' or 'flyball optimize'");
        return;
    }
    r->parameters = fb_node_get(root, "parameters");
    r->options = options;
    fb_read_parameters(r, r->parameters, options);
    r->own_reads = FB_TAKE(r->arena, bool, r->def->n_parameters + 1);
    r->shared_reads = FB_TAKE(r->arena, bool, r->def->n_parameters + 1);
    read_header(r, root);
    read_simulation(r, fb_node_get(root, "simulation"));
    read_damping(r, fb_node_get(root, "damping"));
    if (!prepare_templates(r, fb_node_get(root, "templates"))) {
        return;
    }
    r->reads = r->shared_reads;  // bounds of repeats, arguments of instances
    fb_read_sections(r, root, "model", top_keys);
    r->reads = NULL;
    if (r->has_run_away) {
        return;
    }
    fb_check_overrides(r, options);
    fb_check_unused_templates(r);
    fb_mesh_structures(r);
    fb_check_references(r);
}

// "models/a05.yaml" -> "a05"
static const char* stem_of(FbArena* arena, const char* file) {
    const char* slash = file ? strrchr(file, '/') : NULL;
    const char* base = slash ? slash + 1 : file ? file : "model";
    const char* dot = strrchr(base, '.');
    size_t n = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    char* stem = fb_arena_text_n(arena, n ? base : "model", n ? n : 5);
    for (char* c = stem; c && *c;) {
        size_t shown = fb_shown_length(c);
        *c = shown == 0 ? '_' : *c;
        c += shown > 0 ? shown : 1;
    }
    return stem;
}

bool fb_parse_model(const char* text, size_t size, const char* file, FbArena* arena,
                    FbParsedModel* out, FbDiagnostics* diagnostics) {
    *out = (FbParsedModel){.file = file ? file : "model"};
    out->root = fb_yaml_parse(text, size, out->file, arena, diagnostics);
    fb_sha256_hex(text, size, out->sha256);
    return out->root != NULL;
}

// Numbers of items, times those of their nodes, must fit into integers.
static void take_size_limit(FbReader* r, double factor) {
    static const double MOST = 10.0;
    if (!(factor >= 0.0 && factor <= MOST)) {
        fb_report(r, FB_ERR_ARGUMENT, 0, 0,
                  "the limits of size cannot be %g times the usual ones; give up to %g", factor,
                  MOST);
        return;
    }
    r->def->size_limit = factor;
}

static void read_into(FbReader* r, const FbParsedModel* parsed, const FbReadOptions* options) {
    const char* name = stem_of(r->arena, r->file);
    if (!parsed->root || !name || fb_def_create(name, r->types, &r->def, NULL) < 0) {
        return;
    }
    r->def->file = fb_arena_text(r->def->arena, r->file);
    memcpy(r->def->sha256, parsed->sha256, sizeof parsed->sha256);
    r->def->tapes = r->kept ? fb_tape_store_retain(fb_kept_get_tapes(r->kept)) : NULL;
    fb_model_def_keep_meshes(r->def, options ? options->meshes : FB_MESH_DROPPED);
    r->def->reduction = options ? options->reduction : NULL;
    take_size_limit(r, options ? options->size_limit : 0.0);
    read_root(r, parsed->root, options);
}

static int compare_places(const void* a, const void* b) {
    const FbDiagnostic* x = *(const FbDiagnostic* const*)a;
    const FbDiagnostic* y = *(const FbDiagnostic* const*)b;
    if (x->place.line != y->place.line) {
        return x->place.line < y->place.line ? -1 : 1;
    }
    if (x->place.col != y->place.col) {
        return x->place.col < y->place.col ? -1 : 1;
    }
    return (x > y) - (x < y);
}

// Passes the messages on in the order of the file.
static FbStatus deliver(FbDiagnostics* found, FbDiagnostics* out) {
    int n = fb_diagnostics_count(found);
    const FbDiagnostic** sorted = malloc((size_t)(n + 1) * sizeof *sorted);
    if (!sorted) {
        return FB_ERR_MEMORY;
    }
    FbStatus status = fb_diagnostics_status(found);
    for (int i = 0; i < n; i++) {
        sorted[i] = fb_diagnostics_get(found, i);
    }
    qsort(sorted, (size_t)n, sizeof *sorted, compare_places);
    for (int i = 0; i < n; i++) {
        const FbDiagnostic* d = sorted[i];
        fb_diagnose(out, d->severity, d->status, &d->place, "%s", d->text);
    }
    for (int i = n - 1; i >= 0 && status != FB_ERR_MEMORY; i--) {
        status = sorted[i]->severity == FB_SEVERE ? sorted[i]->status : status;
    }
    free(sorted);
    return status;
}

// What the reader found, if anything: without messages and with all of its memory.
static FbStatus conclude(FbReader* r, FbDiagnostics* diagnostics) {
    FbStatus status = deliver(r->diagnostics, diagnostics);
    bool is_short_of_memory = r->is_out_of_memory || fb_arena_has_failed(r->arena) ||
                              (r->def && fb_arena_has_failed(r->def->arena)) ||
                              (!r->def && status == FB_OK);
    // Further messages may then not be the fault of the file.
    return is_short_of_memory ? FB_ERR_MEMORY : status;
}

static bool begin(FbReader* r, const char* file, const FbTypeSet* types) {
    *r = (FbReader){.file = file ? file : "model", .types = types};
    r->env.R = fb_mat3_identity();
    r->arena = fb_arena_create();
    r->diagnostics = fb_diagnostics_create();
    return r->arena && r->diagnostics;
}

static FbStatus finish(FbReader* r, FbStatus status, FbModelDef** out, FbDiagnostics* diagnostics) {
    if (status == FB_OK) {
        *out = r->def;
    } else {
        fb_model_def_destroy(r->def);
    }
    if (status == FB_ERR_MEMORY) {
        fb_diagnose(diagnostics, FB_SEVERE, FB_ERR_MEMORY, NULL, "out of memory");
    }
    free(r->structures);
    fb_arena_destroy(r->arena);
    fb_diagnostics_destroy(r->diagnostics);
    return status;
}

FbStatus fb_read_parsed(const FbParsedModel* parsed, const FbReadOptions* options,
                        const FbTypeSet* types, FbModelDef** out, FbDiagnostics* diagnostics) {
    FbReader r;
    FbStatus status = FB_ERR_MEMORY;
    *out = NULL;
    if (begin(&r, parsed->file, types)) {
        r.kept = parsed->kept;
        read_into(&r, parsed, options);
        status = conclude(&r, diagnostics);
    }
    return finish(&r, status, out, diagnostics);
}

FbStatus fb_read_yaml(const char* text, size_t size, const char* file, const FbReadOptions* options,
                      const FbTypeSet* types, FbModelDef** out, FbDiagnostics* diagnostics) {
    FbReader r;
    FbParsedModel parsed;
    FbStatus status = FB_ERR_MEMORY;
    *out = NULL;
    if (begin(&r, file, types)) {
        fb_parse_model(text, size, r.file, r.arena, &parsed, r.diagnostics);
        read_into(&r, &parsed, options);
        status = conclude(&r, diagnostics);
    }
    return finish(&r, status, out, diagnostics);
}
