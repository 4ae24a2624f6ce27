// Reads structures that are given by matrices: files, named nodes, reduction.
#include <math.h>
#include <string.h>

#include "describe/matrices_table.h"
#include "mesh/matrices.h"
#include "read/field.h"
#include "read/kept.h"

bool fb_read_check_is_map(FbReader* r, const FbNode* node, const char* key, const char* example) {
    if (node && node->kind == FB_NODE_MAP) {
        return true;
    }
    if (node) {
        fb_report(r, FB_ERR_SYNTAX, node->line, node->col, "'%s' must be a map %s, but this is %s",
                  key, example, fb_node_describe(node));
    }
    return false;
}

// The description lists each file once.
static void keep_path(FbReader* r, const char* path) {
    FbModelDef* def = r->def;
    if (fb_names_find(&def->files_names, "", 0, path) >= 0) {
        return;
    }
    const char* kept = fb_arena_text(def->arena, path);
    if (!kept ||
        !fb_grow((void**)&def->files, &def->files_capacity, def->n_files, sizeof *def->files) ||
        !fb_names_add(&def->files_names, kept, def->n_files)) {
        r->is_out_of_memory = true;
        return;
    }
    def->files[def->n_files++] = kept;
}

const char* fb_read_beside_model(FbReader* r, const char* path) {
    const char* slash = r->file ? strrchr(r->file, '/') : NULL;
    const char* whole =
        !path || path[0] == '/' || !slash
            ? path
            : fb_arena_format(r->arena, "%.*s/%s", (int)(slash - r->file), r->file, path);
    if (whole) {
        keep_path(r, whole);
    }
    return whole;
}

static void read_files(FbReader* r, const FbNode* map, FbMatrixStructureDef* s, FbOrigin* origin) {
    FbTable table = {"'matrices'", fb_matrices_table.fields, fb_matrices_table.n_fields, NULL};
    fb_fill_origin(r, map, map->line, map->col, origin);
    fb_read_table(r, map, &table, s, origin);
    s->mass = fb_read_beside_model(r, s->mass);
    s->stiffness = fb_read_beside_model(r, s->stiffness);
    s->damping = fb_read_beside_model(r, s->damping);
    s->weight = fb_read_beside_model(r, s->weight);
}

static void read_dofs(FbReader* r, const FbNode* map, FbMatrixNodeDef* node) {
    FbTable table = {"'dofs'", fb_dofs_table.fields, fb_dofs_table.n_fields, NULL};
    FbOrigin origin;
    if (fb_read_check_is_map(r, map, "dofs", "{x: 1, y: 2, ...}")) {
        fb_fill_origin(r, map, map->line, map->col, &origin);
        fb_read_table(r, map, &table, node, &origin);
    }
}

static void read_node(FbReader* r, const FbEntry* entry, FbMatrixNodeDef* node) {
    static const char* const others[] = {"dofs", NULL};
    FbTable table = {"a node", fb_matrix_node_table.fields, fb_matrix_node_table.n_fields, others};
    node->name = fb_read_key(r, entry);
    fb_fill_origin(r, entry->value, entry->line, entry->col, &node->origin);
    fb_read_table(r, entry->value, &table, node, &node->origin);
    if (entry->value->kind == FB_NODE_MAP && !fb_node_get(entry->value, "dofs") &&
        !node->is_clamped) {
        fb_report(r, FB_ERR_MODEL, entry->line, entry->col,
                  "a node needs 'dofs': which rows of the matrices are its displacements, such as "
                  "{x: 1, y: 2, z: 3}; only a clamped node may have none");
    }
    read_dofs(r, fb_node_get(entry->value, "dofs"), node);
}

static void read_nodes(FbReader* r, const FbNode* map, FbMatrixStructureDef* s) {
    if (!fb_read_check_is_map(r, map, "nodes", "{name: {at: [x, y, z], dofs: {...}}, ...}")) {
        return;
    }
    FbMatrixNodeDef* nodes = FB_TAKE(r->arena, FbMatrixNodeDef, map->count + 1);
    s->nodes = nodes;
    for (int i = 0; nodes && i < map->count; i++) {
        if (!map->entries[i].is_repeated) {
            read_node(r, &map->entries[i], &nodes[s->n_nodes++]);
        }
    }
}

static void read_reduction(FbReader* r, const FbNode* map, FbMatrixStructureDef* s) {
    FbTable table = {"'reduce'", fb_reduce_table.fields, fb_reduce_table.n_fields, NULL};
    FbOrigin origin;
    if (fb_read_check_is_map(r, map, "reduce", "{modes: 10}")) {
        fb_fill_origin(r, map, map->line, map->col, &origin);
        s->is_reduced = fb_read_table(r, map, &table, s, &origin);
    }
}

// Places of the files come first: `damping` is also a key of the structure itself.
static void join_origins(FbReader* r, const FbOrigin* files, FbOrigin* whole) {
    int n = files->n_fields + whole->n_fields;
    FbFieldPlace* fields = FB_TAKE(r->arena, FbFieldPlace, n + 1);
    if (!fields) {
        return;
    }
    for (int i = 0; i < n; i++) {
        fields[i] = i < files->n_fields ? files->fields[i] : whole->fields[i - files->n_fields];
    }
    whole->fields = fields;
    whole->n_fields = n;
}

// The structure lies in the axes of the template's instance, moved and turned by its own.
static void set_axes(const FbReader* r, FbMatrixStructureDef* s) {
    FbMat3 own = fb_mat3_from(s->rotation), R = fb_mat3_mul(&r->env.R, &own);
    FbVec3 p = fb_add(r->env.p, fb_mul3(&r->env.R, fb_vec3_from(s->position)));
    fb_vec3_to(p, s->position);
    memcpy(s->rotation, R.m, sizeof R.m);
}

static void read_contents(FbReader* r, const FbEntry* entry, FbMatrixStructureDef* s) {
    static const char* const keys[] = {"matrices", "nodes", "reduce", "damping", NULL};
    const FbNode *map = entry->value, *matrices = fb_node_get(map, "matrices");
    FbOrigin files = {0};
    fb_fill_origin(r, map, entry->line, entry->col, &s->origin);
    fb_check_keys(r, map, "structure", keys);
    if (fb_read_check_is_map(r, matrices, "matrices", "{mass: FILE, stiffness: FILE}")) {
        read_files(r, matrices, s, &files);
    }
    set_axes(r, s);
    read_nodes(r, fb_node_get(map, "nodes"), s);
    read_reduction(r, fb_node_get(map, "reduce"), s);
    fb_read_damping(r, fb_node_get(map, "damping"),
                    (FbRatios){&s->alpha, &s->beta, &s->damping_ratio});
    join_origins(r, &files, &s->origin);
}

void fb_read_keep_name(FbReader* r, const char* name) {
    if (!fb_grow((void**)&r->structures, &r->structures_capacity, r->n_structures,
                 sizeof *r->structures)) {
        r->is_out_of_memory = true;
        return;
    }
    FbStructureDef* s = &r->structures[r->n_structures++];
    *s = fb_structure_def_default();
    s->name = name;
    s->n_nodes = s->n_members = -1;
}

void fb_read_reject_structure(FbReader* r, const char* name, const FbError* err) {
    fb_diagnose(r->diagnostics, FB_SEVERE, err->status, &err->place, "%s", err->text);
    r->is_out_of_memory |= err->status == FB_ERR_MEMORY;
    fb_read_keep_name(r, name);
}

void fb_read_begin_structure(FbReader* r) {
    for (int i = 0; r->own_reads && i < r->def->n_parameters; i++) {
        r->own_reads[i] = false;
    }
}

static FbStatus make(FbModelDef* def, const void* self, FbError* err) {
    return fb_model_def_add_matrix_structure(def, self, err);
}

void fb_read_matrix_structure(FbReader* r, const FbEntry* entry, const char* name) {
    FbMatrixStructureDef s = fb_matrix_structure_def_default();
    int errors = fb_diagnostics_error_count(r->diagnostics);
    FbError err;
    fb_error_clear(&err);
    s.name = name;
    fb_read_begin_structure(r);
    read_contents(r, entry, &s);
    if (fb_diagnostics_error_count(r->diagnostics) != errors) {
        fb_read_keep_name(r, name);
        return;
    }
    const char* files[] = {s.mass, s.stiffness, s.damping, s.weight};
    FbMaking making = {.entry = entry,
                       .name = name,
                       .files = files,
                       .n_files = sizeof files / sizeof *files,
                       .make = make,
                       .self = &s};
    FbStatus status = fb_kept_make(r, &making, &err);
    if (status < 0) {
        fb_read_reject_structure(r, name, &err);
    }
}
