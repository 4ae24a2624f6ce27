// Reads structures of solid and shell elements: mesh, groups, supports, named nodes, reduction.
#include <math.h>
#include <string.h>

#include "describe/matrices_table.h"
#include "describe/mesh_table.h"
#include "math/vec3.h"
#include "read/field.h"
#include "read/kept.h"

static void set_lists(FbReader* r, const FbNode* map, const FbMeshSource* source,
                      FbMeshStructureDef* s) {
    const FbNode* divisions = fb_node_get(map, "divisions");
    const FbNode* size = fb_node_get(map, "size");
    if (source->n_size > 3) {
        fb_report(r, FB_ERR_RANGE, size->line, size->col, "'size' has at most three numbers");
        return;
    }
    for (int i = 0; i < source->n_size; i++) {
        s->size[i] = source->size[i];
    }
    for (int i = 0; i < source->n_divisions; i++) {
        double value = source->divisions[i];
        if (i >= 3 || !(value >= 1.0 && value <= 1e7 && value == floor(value))) {
            fb_report(r, FB_ERR_RANGE, divisions->line, divisions->col,
                      "'divisions' are two or three whole numbers from 1 to 10000000");
            return;
        }
        s->divisions[i] = (int)value;
    }
}

// The mesh lies in the axes of the template's instance, moved and turned by its own.
static void set_axes(const FbReader* r, const FbMeshSource* source, FbMeshStructureDef* s) {
    FbMat3 own = fb_mat3_from(source->rotation), R = fb_mat3_mul(&r->env.R, &own);
    FbVec3 p = fb_add(r->env.p, fb_mul3(&r->env.R, fb_vec3_from(source->position)));
    fb_vec3_to(p, s->position);
    memcpy(s->rotation, R.m, sizeof R.m);
}

static void read_mesh(FbReader* r, const FbNode* map, FbMeshStructureDef* s) {
    FbTable table = {"'mesh'", fb_mesh_table.fields, fb_mesh_table.n_fields, NULL};
    FbMeshSource source = {.unit = 1.0,
                           .radius = NAN,
                           .inner_radius = NAN,
                           .length = NAN,
                           .angle = s->angle,
                           .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    FbOrigin origin;
    fb_fill_origin(r, map, map->line, map->col, &origin);
    if (!fb_read_table(r, map, &table, &source, &origin)) {
        return;
    }
    if ((source.file != NULL) == (source.type != NULL)) {
        fb_report(r, FB_ERR_MODEL, map->line, map->col,
                  "a mesh is written {file: plate.msh} or {type: block, plate or cylinder, ...}");
        return;
    }
    s->file = fb_read_beside_model(r, source.file);
    s->unit = source.unit;
    s->type = source.type;
    s->element = source.element;
    s->radius = source.radius;
    s->inner_radius = source.inner_radius;
    s->length = source.length;
    s->angle = source.angle;
    set_lists(r, map, &source, s);
    set_axes(r, &source, s);
    s->origin = origin;
}

// Groups have the names that the mesher gave them: "top side", or the number of one without a name.
static const char* read_group_name(FbReader* r, const FbEntry* entry) {
    return fb_expand_text(r, entry->key, entry->line, entry->col);
}

static void read_groups(FbReader* r, const FbNode* map, FbMeshStructureDef* s) {
    FbTable table = {"a group", fb_mesh_group_table.fields, fb_mesh_group_table.n_fields, NULL};
    if (!fb_read_check_is_map(r, map, "groups", "{all: {material: steel}}")) {
        return;
    }
    FbMeshGroupDef* groups = FB_TAKE(r->arena, FbMeshGroupDef, map->count + 1);
    s->groups = groups;
    for (int i = 0; groups && i < map->count; i++) {
        const FbEntry* entry = &map->entries[i];
        if (!entry->is_repeated) {
            FbMeshGroupDef* g = &groups[s->n_groups++];
            *g = fb_mesh_group_def_default();
            g->name = read_group_name(r, entry);
            fb_fill_origin(r, entry->value, entry->line, entry->col, &g->origin);
            fb_read_table(r, entry->value, &table, g, &g->origin);
        }
    }
}

static bool fix_direction(const char* name, bool* is_fixed) {
    static const char* const names[6] = {"x", "y", "z", "rx", "ry", "rz"};
    for (int d = 0; d < 6; d++) {
        if (strcmp(name, names[d]) == 0) {
            return is_fixed[d] = true;
        }
    }
    return false;
}

static bool read_directions(const FbNode* value, FbMeshSupportDef* out) {
    if (value->kind == FB_NODE_SCALAR) {
        bool is_clamped = strcmp(value->text, "clamped") == 0;
        for (int d = 0; d < (is_clamped ? 6 : 3); d++) {
            out->is_fixed[d] = true;
        }
        return is_clamped || strcmp(value->text, "pinned") == 0;
    }
    bool is_good = value->kind == FB_NODE_LIST && value->count > 0;
    for (int i = 0; is_good && i < value->count; i++) {
        const FbNode* item = value->items[i];
        is_good = item->kind == FB_NODE_SCALAR && fix_direction(item->text, out->is_fixed);
    }
    return is_good;
}

static void read_supports(FbReader* r, const FbNode* map, FbMeshStructureDef* s) {
    if (!fb_read_check_is_map(r, map, "supports", "{group: clamped, other: [x, y]}")) {
        return;
    }
    FbMeshSupportDef* supports = FB_TAKE(r->arena, FbMeshSupportDef, map->count + 1);
    s->supports = supports;
    for (int i = 0; supports && i < map->count; i++) {
        const FbEntry* entry = &map->entries[i];
        if (entry->is_repeated) {
            continue;
        }
        FbMeshSupportDef* support = &supports[s->n_supports++];
        support->group = read_group_name(r, entry);
        fb_fill_origin(r, entry->value, entry->line, entry->col, &support->origin);
        if (!read_directions(entry->value, support)) {
            fb_report(r, FB_ERR_SYNTAX, entry->value->line, entry->value->col,
                      "a support is 'clamped', 'pinned' or a list of x, y, z, rx, ry, rz");
        }
    }
}

static void read_nodes(FbReader* r, const FbNode* map, FbMeshStructureDef* s) {
    FbTable table = {"a node", fb_mesh_node_table.fields, fb_mesh_node_table.n_fields, NULL};
    if (!fb_read_check_is_map(r, map, "nodes", "{name: {at: [x, y, z]}, ...}")) {
        return;
    }
    FbMeshNodeDef* nodes = FB_TAKE(r->arena, FbMeshNodeDef, map->count + 1);
    s->nodes = nodes;
    for (int i = 0; nodes && i < map->count; i++) {
        const FbEntry* entry = &map->entries[i];
        if (!entry->is_repeated) {
            FbMeshNodeDef* node = &nodes[s->n_nodes++];
            *node = fb_mesh_node_def_default();
            node->name = fb_read_key(r, entry);
            fb_fill_origin(r, entry->value, entry->line, entry->col, &node->origin);
            fb_read_table(r, entry->value, &table, node, &node->origin);
        }
    }
}

static void read_loads(FbReader* r, const FbNode* map, FbMeshStructureDef* s) {
    FbTable table = {"a load", fb_mesh_load_table.fields, fb_mesh_load_table.n_fields, NULL};
    if (!fb_read_check_is_map(r, map, "loads", "{wind: {group: front, pressure: 500 Pa}, ...}")) {
        return;
    }
    FbMeshLoadDef* loads = FB_TAKE(r->arena, FbMeshLoadDef, map->count + 1);
    s->loads = loads;
    for (int i = 0; loads && i < map->count; i++) {
        const FbEntry* entry = &map->entries[i];
        if (!entry->is_repeated) {
            FbMeshLoadDef* load = &loads[s->n_loads++];
            load->name = fb_read_key(r, entry);
            fb_fill_origin(r, entry->value, entry->line, entry->col, &load->origin);
            fb_read_table(r, entry->value, &table, load, &load->origin);
        }
    }
}

static void read_stresses(FbReader* r, const FbNode* map, FbMeshStructureDef* s) {
    FbTable table = {"a place of stresses", fb_mesh_place_table.fields,
                     fb_mesh_place_table.n_fields, NULL};
    if (!fb_read_check_is_map(r, map, "stresses", "{root: {at: [x, y, z]}, ...}")) {
        return;
    }
    FbMeshPlaceDef* places = FB_TAKE(r->arena, FbMeshPlaceDef, map->count + 1);
    s->places = places;
    for (int i = 0; places && i < map->count; i++) {
        const FbEntry* entry = &map->entries[i];
        FbMeshPlaceSource source = {.at = {NAN, NAN, NAN}};
        if (entry->is_repeated) {
            continue;
        }
        FbMeshPlaceDef* place = &places[s->n_places++];
        *place = fb_mesh_place_def_default();
        place->name = fb_read_key(r, entry);
        fb_fill_origin(r, entry->value, entry->line, entry->col, &place->origin);
        fb_read_table(r, entry->value, &table, &source, &place->origin);
        memcpy(place->at, source.at, sizeof place->at);
        place->element = source.element;
        place->group = source.group;
        place->side = 1 - source.side;
    }
}

// Loads under which the structure rests; NULL: not requested.
static const FbMeshStateDef* read_state(FbReader* r, const FbNode* map, const char* key,
                                        const FbTypeInfo* type) {
    FbTable table = {key, type->fields, type->n_fields, NULL};
    if (!fb_read_check_is_map(r, map, key, "{loads: [name, ...]}")) {
        return NULL;
    }
    FbMeshStateDef* state = FB_TAKE(r->arena, FbMeshStateDef, 1);
    if (state) {
        fb_fill_origin(r, map, map->line, map->col, &state->origin);
        fb_read_table(r, map, &table, state, &state->origin);
    }
    return state;
}

// As of structures given by matrices.
static void read_reduction(FbReader* r, const FbNode* map, FbMeshStructureDef* s) {
    FbTable table = {"'reduce'", fb_reduce_table.fields, fb_reduce_table.n_fields, NULL};
    FbMatrixStructureDef m = fb_matrix_structure_def_default();
    FbOrigin origin;
    if (fb_read_check_is_map(r, map, "reduce", "{modes: 10}")) {
        fb_fill_origin(r, map, map->line, map->col, &origin);
        s->is_reduced = fb_read_table(r, map, &table, &m, &origin);
        s->n_modes = m.n_modes;
    }
}

static void read_contents(FbReader* r, const FbEntry* entry, FbMeshStructureDef* s) {
    static const char* const others[] = {"mesh",   "groups",   "supports",  "nodes",
                                         "loads",  "stresses", "prestress", "buckling",
                                         "reduce", "damping",  NULL};
    const FbNode *map = entry->value, *mesh = fb_node_get(map, "mesh");
    FbTable table = {"a structure", fb_mesh_structure_table.fields,
                     fb_mesh_structure_table.n_fields, others};
    FbOrigin own;
    fb_fill_origin(r, map, entry->line, entry->col, &own);
    fb_read_table(r, map, &table, s, &own);
    if (fb_read_check_is_map(r, mesh, "mesh", "{file: plate.msh} or {type: plate, ...}")) {
        read_mesh(r, mesh, s);
    }
    read_groups(r, fb_node_get(map, "groups"), s);
    read_supports(r, fb_node_get(map, "supports"), s);
    read_nodes(r, fb_node_get(map, "nodes"), s);
    read_loads(r, fb_node_get(map, "loads"), s);
    read_stresses(r, fb_node_get(map, "stresses"), s);
    s->prestress =
        read_state(r, fb_node_get(map, "prestress"), "prestress", &fb_mesh_prestress_table);
    s->buckling = read_state(r, fb_node_get(map, "buckling"), "buckling", &fb_mesh_buckling_table);
    read_reduction(r, fb_node_get(map, "reduce"), s);
    fb_read_damping(r, fb_node_get(map, "damping"),
                    (FbRatios){&s->alpha, &s->beta, &s->damping_ratio});
}

static FbStatus make(FbModelDef* def, const void* self, FbError* err) {
    return fb_model_def_add_mesh_structure(def, self, err);
}

void fb_read_mesh_structure(FbReader* r, const FbEntry* entry, const char* name) {
    FbMeshStructureDef s = fb_mesh_structure_def_default();
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
    // Loads of a prestressed state are expressions that are evaluated now.
    FbMaking making = {.entry = entry,
                       .name = name,
                       .files = &s.file,
                       .n_files = 1,
                       .reads_all = s.prestress || s.buckling,
                       .make = make,
                       .self = &s};
    FbStatus status = fb_kept_make(r, &making, &err);
    if (status < 0) {
        fb_read_reject_structure(r, name, &err);
    }
}
