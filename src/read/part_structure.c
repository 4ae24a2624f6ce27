// Reads materials, sections and structures; structures are meshed once everything has been read.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "describe/cross_section.h"
#include "describe/structure_table.h"
#include "mesh/structure.h"
#include "read/field.h"

static void report_error(FbReader* r, const FbError* err) {
    fb_report(r, err->status, err->place.line, err->place.col, "%s", err->text);
}

static int count_errors(const FbReader* r) {
    return fb_diagnostics_error_count(r->diagnostics);
}

void fb_read_material(FbReader* r, const FbEntry* entry, const char* name) {
    FbTable table = {"a material", fb_material_table.fields, fb_material_table.n_fields, NULL};
    FbMaterialDef material = fb_material_def_default();
    FbMaterialProperties properties;
    FbError err;
    fb_error_clear(&err);
    material.name = name;
    fb_fill_origin(r, entry->value, entry->line, entry->col, &material.origin);
    bool is_good = fb_read_table(r, entry->value, &table, &material, &material.origin);
    if (entry->value->kind == FB_NODE_MAP && !fb_node_get(entry->value, "E") &&
        !fb_node_get(entry->value, "E1")) {
        fb_report(r, FB_ERR_MODEL, entry->line, entry->col,
                  "a material needs 'E': Young's modulus (an orthotropic one 'E1', 'E2', ...)");
    } else if (is_good && fb_material_calc(&material, &properties, &err) < 0) {
        report_error(r, &err);
    }
    // With errors it is added too, so that what names it is not reported as well.
    if (fb_model_def_add_material(r->def, &material, &err) < 0) {
        report_error(r, &err);
    }
}

static bool read_section_fields(FbReader* r, const FbEntry* entry, FbSectionDef* section) {
    static const char* const others[] = {"type", NULL};
    const FbTypeInfo* type = fb_read_type(r, entry->value, fb_section_types, "section");
    if (!type) {
        return false;
    }
    section->type = type->name;
    const char* what = fb_arena_format(r->arena, "a section of type %s", type->name);
    FbTable table = {what ? what : "a section", type->fields, type->n_fields, others};
    return fb_read_table(r, entry->value, &table, section, &section->origin);
}

void fb_read_section(FbReader* r, const FbEntry* entry, const char* name) {
    FbSectionDef section = fb_section_def_default();
    FbSectionProperties properties;
    FbError err;
    fb_error_clear(&err);
    section.name = name;
    fb_fill_origin(r, entry->value, entry->line, entry->col, &section.origin);
    if (read_section_fields(r, entry, &section) &&
        fb_section_calc(&section, &properties, &err) < 0) {
        report_error(r, &err);
    }
    if (fb_model_def_add_section(r->def, &section, &err) < 0) {
        report_error(r, &err);
    }
}

// A structure while its nodes and members are collected.
typedef struct Frame {
    FbStructureDef* s;
    FbNodeDef* nodes;
    int n_nodes, nodes_capacity;
    FbMemberDef* members;
    int n_members, members_capacity;
} Frame;

// [x, y, z], or in a plane structure the two coordinates of the plane.
static bool read_place(FbReader* r, const FbNode* node, const FbStructureDef* s, double at[3]) {
    int n = s->plane_normal;
    if (n < 0 || node->kind != FB_NODE_LIST || node->count != 2) {
        return fb_read_numbers(r, node, "at", "m", 3, at);
    }
    double in_plane[2];
    if (!fb_read_numbers(r, node, "at", "m", 2, in_plane)) {
        return false;
    }
    at[n] = 0.0;
    at[n == 0 ? 1 : 0] = in_plane[0];
    at[n == 2 ? 1 : 2] = in_plane[1];
    return true;
}

// The fields of a node or station; `at` is read by the caller.
static void read_node_fields(FbReader* r, const FbNode* map, const char* what, FbNodeDef* node) {
    static const char* const others[] = {"at", NULL};
    FbTable table = {what, fb_node_table.fields, fb_node_table.n_fields, others};
    fb_read_table(r, map, &table, node, &node->origin);
    node->has_displacement = fb_node_get(map, "displacement") != NULL;
    node->has_velocity = fb_node_get(map, "velocity") != NULL;
}

static void read_node(FbReader* r, const FbEntry* entry, Frame* frame) {
    FbNodeDef node = fb_node_def_default();
    const FbNode* value = entry->value;
    node.name = fb_read_key(r, entry);
    fb_fill_origin(r, value, entry->line, entry->col, &node.origin);
    if (value->kind == FB_NODE_LIST) {
        read_place(r, value, frame->s, node.at);
    } else {
        const FbNode* at = fb_node_get(value, "at");
        read_node_fields(r, value, "a node", &node);
        if (at) {
            read_place(r, at, frame->s, node.at);
        } else if (value->kind == FB_NODE_MAP) {
            fb_report(r, FB_ERR_MODEL, entry->line, entry->col, "a node needs 'at': its position");
        }
    }
    if (!node.name) {
        return;
    }
    if (!fb_grow((void**)&frame->nodes, &frame->nodes_capacity, frame->n_nodes, sizeof node)) {
        r->is_out_of_memory = true;
        return;
    }
    frame->nodes[frame->n_nodes++] = node;
}

// A number, or a map with `at` and what a node may have.
static bool read_station(FbReader* r, const FbEntry* entry, FbStationDef* out) {
    const FbNode *value = entry->value, *at = value;
    out->name = fb_read_key(r, entry);
    if (value->kind == FB_NODE_MAP) {
        FbNodeDef* node = FB_TAKE(r->arena, FbNodeDef, 1);
        at = fb_node_get(value, "at");
        if (!node) {
            return false;
        }
        *node = fb_node_def_default();
        node->name = out->name;
        fb_fill_origin(r, value, entry->line, entry->col, &node->origin);
        read_node_fields(r, value, "a station", node);
        out->node = node;
    }
    if (!at) {
        fb_report(r, FB_ERR_MODEL, entry->line, entry->col,
                  "a station needs 'at': a fraction of the member's length");
        return false;
    }
    return fb_read_number(r, at, "at", "1", &out->at) && out->name;
}

static void read_stations(FbReader* r, const FbNode* map, FbMemberDef* member) {
    if (!map) {
        return;
    }
    if (map->kind != FB_NODE_MAP) {
        fb_report(r, FB_ERR_SYNTAX, map->line, map->col,
                  "'stations' must be a map {name: fraction, ...}, but this is %s",
                  fb_node_describe(map));
        return;
    }
    FbStationDef* stations = FB_TAKE(r->arena, FbStationDef, map->count + 1);
    member->stations = stations;
    for (int i = 0; stations && i < map->count; i++) {
        bool is_good = !map->entries[i].is_repeated &&
                       read_station(r, &map->entries[i], &stations[member->n_stations]);
        member->n_stations += is_good;
    }
}

static void read_hinge(FbReader* r, const FbNode* node, FbMemberDef* member) {
    static const char* const names[] = {"from", "to", "both"};
    const char* text;
    if (!node || !fb_read_text(r, node, "hinge", &text)) {
        return;
    }
    bool is_both = strcmp(text, "both") == 0;
    member->has_hinge_from = is_both || strcmp(text, "from") == 0;
    member->has_hinge_to = is_both || strcmp(text, "to") == 0;
    if (!member->has_hinge_from && !member->has_hinge_to) {
        char hint[128];
        fb_suggest(text, names, 3, hint);
        fb_report(r, FB_ERR_NAME, node->line, node->col,
                  "hinge is '%s'; it must be one of from, to, both%s", text, hint);
    }
}

static void read_member(FbReader* r, const FbEntry* entry, Frame* frame) {
    static const char* const others[] = {"hinge", "stations", NULL};
    FbTable table = {"a member", fb_member_table.fields, fb_member_table.n_fields, others};
    FbMemberDef member = fb_member_def_default();
    member.name = fb_read_key(r, entry);
    fb_fill_origin(r, entry->value, entry->line, entry->col, &member.origin);
    fb_read_table(r, entry->value, &table, &member, &member.origin);
    read_hinge(r, fb_node_get(entry->value, "hinge"), &member);
    read_stations(r, fb_node_get(entry->value, "stations"), &member);
    if (!member.name) {
        return;
    }
    if (!fb_grow((void**)&frame->members, &frame->members_capacity, frame->n_members,
                 sizeof member)) {
        r->is_out_of_memory = true;
        return;
    }
    frame->members[frame->n_members++] = member;
}

static void read_map(FbReader* r, const FbNode* map, const char* key, Frame* frame,
                     void (*read)(FbReader*, const FbEntry*, Frame*)) {
    if (map && map->kind != FB_NODE_MAP) {
        fb_report(r, FB_ERR_SYNTAX, map->line, map->col,
                  "'%s' must be a map {name: ..., ...}, but this is %s", key,
                  fb_node_describe(map));
        return;
    }
    for (int i = 0; map && i < map->count; i++) {
        if (!map->entries[i].is_repeated) {
            read(r, &map->entries[i], frame);
        }
    }
}

static void read_contents(FbReader* r, const FbNode* map, void* frame);

static void read_repeated_contents(FbReader* r, const FbNode* map, void* frame) {
    static const char* const keys[] = {"for",   "from",    "to",     "parameters",
                                       "nodes", "members", "repeat", NULL};
    if (fb_check_keys(r, map, "repeat", keys)) {
        read_contents(r, map, frame);
    }
}

// The nodes and members of a structure or of a repeat in it.
static void read_contents(FbReader* r, const FbNode* map, void* frame) {
    const FbNode* repeat = fb_node_get(map, "repeat");
    read_map(r, fb_node_get(map, "nodes"), "nodes", frame, read_node);
    read_map(r, fb_node_get(map, "members"), "members", frame, read_member);
    if (repeat) {
        fb_read_repeat(r, repeat, read_repeated_contents, frame);
    }
}

static void read_structure_fields(FbReader* r, const FbEntry* entry, FbStructureDef* s) {
    static const char* const others[] = {"damping", "nodes", "members", "repeat", NULL};
    FbTable table = {"a structure", fb_structure_table.fields, fb_structure_table.n_fields, others};
    fb_fill_origin(r, entry->value, entry->line, entry->col, &s->origin);
    fb_read_table(r, entry->value, &table, s, &s->origin);
    s->is_theory_open = fb_node_get(entry->value, "theory") == NULL;
    // A plane that is misspelt is one all the same: its nodes have two coordinates.
    bool is_plane = fb_node_get(entry->value, "plane") != NULL;
    s->plane_normal = !is_plane ? -1 : s->plane_normal < 0 ? 2 : 2 - s->plane_normal;
    fb_vec3_to(r->env.p, s->position);
    memcpy(s->rotation, r->env.R.m, sizeof r->env.R.m);
    fb_read_damping(r, fb_node_get(entry->value, "damping"),
                    (FbRatios){&s->alpha, &s->beta, &s->damping_ratio});
}

// Takes a growing list over into the reader's memory.
static const void* keep_list(FbReader* r, void* items, int count, size_t size) {
    void* copy = fb_arena_take(r->arena, (size_t)(count + 1) * size);
    if (copy && count > 0) {
        memcpy(copy, items, (size_t)count * size);
    }
    free(items);
    return copy;
}

// With errors only its name is kept.
void fb_read_structure(FbReader* r, const FbEntry* entry, const char* name) {
    FbStructureDef s = fb_structure_def_default();
    Frame frame = {.s = &s};
    int errors = count_errors(r);
    if (fb_node_get(entry->value, "matrices")) {
        fb_read_matrix_structure(r, entry, name);
        return;
    }
    if (fb_node_get(entry->value, "mesh")) {
        fb_read_mesh_structure(r, entry, name);
        return;
    }
    s.name = name;
    read_structure_fields(r, entry, &s);
    read_contents(r, entry->value, &frame);
    s.nodes = keep_list(r, frame.nodes, frame.n_nodes, sizeof(FbNodeDef));
    s.members = keep_list(r, frame.members, frame.n_members, sizeof(FbMemberDef));
    bool is_good = s.nodes && s.members && count_errors(r) == errors;
    s.n_nodes = is_good ? frame.n_nodes : -1;
    s.n_members = is_good ? frame.n_members : -1;
    if (!fb_grow((void**)&r->structures, &r->structures_capacity, r->n_structures, sizeof s)) {
        r->is_out_of_memory = true;
        return;
    }
    r->structures[r->n_structures++] = s;
}

// Whether one of the first n messages is an error at this place.
static bool has_error_at(const FbReader* r, int n, const FbPlace* place) {
    for (int i = 0; i < n; i++) {
        const FbDiagnostic* d = fb_diagnostics_get(r->diagnostics, i);
        if (d->severity == FB_SEVERE && d->place.line == place->line &&
            d->place.col == place->col) {
            return true;
        }
    }
    return false;
}

// A material or section with reported errors (n_before messages) is not reported as out of range as
// well.
static bool mesh(FbReader* r, const FbStructureDef* s, int n_before) {
    FbDiagnostics* found = fb_diagnostics_create();
    FbStructurePlan plan;
    FbError err;
    fb_error_clear(&err);
    if (!found) {
        r->is_out_of_memory = true;
        return false;
    }
    FbStatus status = fb_structure_plan(r->def, s, found, &plan);
    for (int i = 0; i < fb_diagnostics_count(found); i++) {
        const FbDiagnostic* d = fb_diagnostics_get(found, i);
        if (!has_error_at(r, n_before, &d->place)) {
            fb_report(r, d->status, d->place.line, d->place.col, "%s", d->text);
        }
    }
    if (status >= 0) {
        status = fb_structure_expand(&plan, &err);
        if (status < 0 && status != FB_ERR_MEMORY) {
            report_error(r, &err);
        }
    }
    bool has_lost = fb_diagnostics_count(found) < fb_diagnostics_error_count(found);
    r->is_out_of_memory |= status == FB_ERR_MEMORY || has_lost;
    fb_structure_plan_free(&plan);
    fb_diagnostics_destroy(found);
    return status >= 0;
}

void fb_mesh_structures(FbReader* r) {
    int n_before = fb_diagnostics_count(r->diagnostics);
    if (fb_structures_choose_theory(r->def, r->structures, r->n_structures) < 0) {
        r->is_out_of_memory = true;
    }
    for (int i = 0; i < r->n_structures; i++) {
        FbStructureDef* s = &r->structures[i];
        if (s->n_nodes >= 0 && !mesh(r, s, n_before)) {
            s->n_nodes = -1;
        }
    }
}

bool fb_is_excused(const FbReader* r, const char* scope, const char* name) {
    size_t outer = scope ? strlen(scope) : 0;
    for (int i = 0; i < r->n_structures; i++) {
        const FbStructureDef* s = &r->structures[i];
        bool is_inside = outer && strncmp(s->name, scope, outer) == 0;
        const char* local = is_inside ? s->name + outer : s->name;
        if (s->n_nodes < 0 && fb_is_part_of(name, local)) {
            return true;
        }
    }
    return false;
}
