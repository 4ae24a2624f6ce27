// The JSON Schema (2020-12) of model files, written from the type tables.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "describe/cross_section.h"
#include "describe/feedback_table.h"
#include "describe/matrices_table.h"
#include "describe/mesh_table.h"
#include "describe/structure_table.h"
#include "describe/untyped_tables.h"
#include "schema/schema.h"
#include "schema/schema_field.h"
#include "schema/schema_fixed.h"

// A kind of part: its section of the file and its types.
typedef struct Kind {
    const char* name;
    const FbTypeInfo* const* types;
} Kind;

static bool is_required(const FbField* f) {
    return !f->default_text && !f->is_optional;
}

static void write_required(FbJson* j, const FbTypeInfo* type, bool has_type) {
    fb_json_key(j, "required");
    fb_json_begin_array(j);
    if (has_type) {
        fb_json_string(j, "type");
    }
    for (int i = 0; i < type->n_fields; i++) {
        if (is_required(&type->fields[i])) {
            fb_json_string(j, type->fields[i].key);
        }
    }
    fb_json_end_array(j);
}

static void write_field_list(FbJson* j, const FbTypeInfo* type) {
    for (int i = 0; i < type->n_fields; i++) {
        fb_schema_write_field(j, &type->fields[i]);
    }
}

static void forbid_others(FbJson* j) {
    fb_json_key(j, "additionalProperties");
    fb_json_bool(j, false);
}

// These keys must be there, and none of those.
static void write_way(FbJson* j, const char* needed, const char* const* forbidden) {
    fb_json_begin_object(j);
    fb_schema_write_names(j, "required", needed);
    fb_json_key(j, "not");
    fb_json_begin_object(j);
    fb_json_key(j, "anyOf");
    fb_json_begin_array(j);
    for (int i = 0; forbidden[i]; i++) {
        fb_json_begin_object(j);
        fb_schema_write_names(j, "required", forbidden[i]);
        fb_json_end_object(j);
    }
    fb_json_end_array(j);
    fb_json_end_object(j);
    fb_json_end_object(j);
}

static void write_joint_placement(FbJson* j) {
    static const char* const frames[] = {"a", "b", NULL};
    static const char* const drawn[] = {"between", "point", "axis", "x_axis", "offset", NULL};
    fb_json_key(j, "oneOf");
    fb_json_begin_array(j);
    write_way(j, "between", frames);
    write_way(j, "a|b", drawn);
    fb_json_end_array(j);
}

// One type of one kind: joint_revolute.
static void write_type(FbJson* j, const Kind* kind, const FbTypeInfo* type) {
    char name[96];
    bool is_joint = strcmp(kind->name, "joint") == 0;
    snprintf(name, sizeof name, "%s_%s", kind->name, type->name);
    fb_json_key(j, name);
    fb_json_begin_object(j);
    fb_schema_key_string(j, "type", "object");
    fb_schema_key_string(j, "description", type->doc);
    fb_json_key(j, "properties");
    fb_json_begin_object(j);
    fb_json_key(j, "type");
    fb_json_begin_object(j);
    fb_schema_key_string(j, "const", type->name);
    fb_json_end_object(j);
    if (is_joint) {
        fb_schema_key_ref(j, "between", "two_bodies");
        fb_schema_key_ref(j, "a", "frame");
        fb_schema_key_ref(j, "b", "frame");
    }
    write_field_list(j, type);
    fb_json_end_object(j);
    write_required(j, type, true);
    if (is_joint) {
        write_joint_placement(j);
    }
    forbid_others(j);
    fb_json_end_object(j);
}

static void write_choice_of_type(FbJson* j, const Kind* kind, const FbTypeInfo* type) {
    char name[96];
    snprintf(name, sizeof name, "%s_%s", kind->name, type->name);
    fb_json_begin_object(j);
    fb_json_key(j, "if");
    fb_json_begin_object(j);
    fb_json_key(j, "properties");
    fb_json_begin_object(j);
    fb_json_key(j, "type");
    fb_json_begin_object(j);
    fb_schema_key_string(j, "const", type->name);
    fb_json_end_object(j);
    fb_json_end_object(j);
    fb_json_end_object(j);
    fb_schema_key_ref(j, "then", name);
    fb_json_end_object(j);
}

// A kind of part: its `type` selects the other keys.
static void write_typed_kind(FbJson* j, const Kind* kind) {
    for (int i = 0; kind->types && kind->types[i]; i++) {
        write_type(j, kind, kind->types[i]);
    }
    fb_json_key(j, kind->name);
    fb_json_begin_object(j);
    fb_schema_key_string(j, "type", "object");
    fb_json_key(j, "required");
    fb_json_begin_array(j);
    fb_json_string(j, "type");
    fb_json_end_array(j);
    fb_json_key(j, "properties");
    fb_json_begin_object(j);
    fb_json_key(j, "type");
    fb_json_begin_object(j);
    fb_json_key(j, "enum");
    fb_json_begin_array(j);
    for (int i = 0; kind->types && kind->types[i]; i++) {
        fb_json_string(j, kind->types[i]->name);
    }
    fb_json_end_array(j);
    fb_json_end_object(j);
    fb_json_end_object(j);
    fb_json_key(j, "allOf");
    fb_json_begin_array(j);
    for (int i = 0; kind->types && kind->types[i]; i++) {
        write_choice_of_type(j, kind, kind->types[i]);
    }
    fb_json_end_array(j);
    fb_json_end_object(j);
}

// What is in no table: key and definition.
static void write_keys_by_hand(FbJson* j, const FbTypeInfo* type) {
    static const struct {
        const FbTypeInfo* type;
        const char *key, *def;
    } keys[] = {
        {&fb_body_table, "inertia", "inertia"},
        {&fb_body_table, "shapes", "shapes"},
        {&fb_body_table, "points", "points"},
        {&fb_structure_table, "damping", "frame_damping"},
        {&fb_structure_table, "nodes", "nodes"},
        {&fb_structure_table, "members", "members"},
        {&fb_structure_table, "repeat", "structure_repeats"},
        {&fb_matrix_node_table, "dofs", "dofs"},
        {&fb_mesh_structure_table, "mesh", "mesh"},
        {&fb_mesh_structure_table, "groups", "mesh_groups"},
        {&fb_mesh_structure_table, "supports", "mesh_supports"},
        {&fb_mesh_structure_table, "nodes", "mesh_nodes"},
        {&fb_mesh_structure_table, "loads", "mesh_loads"},
        {&fb_mesh_structure_table, "stresses", "mesh_places"},
        {&fb_mesh_structure_table, "prestress", "mesh_prestress"},
        {&fb_mesh_structure_table, "buckling", "mesh_buckling"},
        {&fb_mesh_structure_table, "reduce", "reduce"},
        {&fb_mesh_structure_table, "damping", "frame_damping"},
        {&fb_node_table, "at", "place"},
        {&fb_station_table, "at", "number"},
        {&fb_member_table, "hinge", "hinge"},
        {&fb_member_table, "stations", "stations"},
        {&fb_frame_damping_table, "between", "frequencies"},
        {&fb_slider_table, "feedback", "feedback"},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i].type == type) {
            fb_schema_key_ref(j, keys[i].key, keys[i].def);
        }
    }
}

// A part without types: a state, an event, ...
static void write_plain_kind(FbJson* j, const char* name, const FbTypeInfo* type) {
    fb_json_key(j, name);
    fb_json_begin_object(j);
    fb_schema_key_string(j, "type", "object");
    fb_schema_key_string(j, "description", type->doc);
    fb_json_key(j, "properties");
    fb_json_begin_object(j);
    write_field_list(j, type);
    write_keys_by_hand(j, type);
    fb_json_end_object(j);
    write_required(j, type, false);
    forbid_others(j);
    fb_json_end_object(j);
}

static void write_section(FbJson* j, const char* key, const char* def) {
    fb_json_key(j, key);
    fb_json_begin_object(j);
    fb_schema_key_string(j, "type", "object");
    fb_schema_key_ref(j, "additionalProperties", def);
    // Letters, digits and '_', or {expression} in repeats.
    fb_json_key(j, "propertyNames");
    fb_json_begin_object(j);
    fb_schema_key_string(j, "pattern", "^([A-Za-z_]|\\{[^{}]*\\})([A-Za-z0-9_]|\\{[^{}]*\\})*$");
    fb_json_end_object(j);
    fb_json_end_object(j);
}

static void write_sections(FbJson* j) {
    static const char* const sections[][2] = {
        {"bodies", "body"},
        {"joints", "joint"},
        {"constraints", "constraint"},
        {"forces", "force"},
        {"laws", "law"},
        {"states", "state"},
        {"inputs", "input"},
        {"materials", "any_material"},
        {"sections", "section"},
        {"structures", "any_structure"},
        {"sliders", "slider"},
        {"outputs", "value"},
        {"sensors", "value"},
        {"events", "event"},
        {"initial", "initial"},
        {"instances", "instance"},
    };
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        write_section(j, sections[i][0], sections[i][1]);
    }
    fb_schema_key_ref(j, "repeat", "repeats");
    fb_schema_key_ref(j, "parameters", "parameters");
}

static void write_repeat(FbJson* j) {
    fb_json_key(j, "repeat");
    fb_json_begin_object(j);
    fb_schema_key_string(j, "type", "object");
    fb_schema_key_string(j, "description",
                         "The sections it contains, read once for each value of the counter.");
    fb_json_key(j, "properties");
    fb_json_begin_object(j);
    fb_json_key(j, "for");
    fb_json_begin_object(j);
    fb_schema_key_string(j, "type", "string");
    fb_json_end_object(j);
    fb_schema_key_ref(j, "from", "number");
    fb_schema_key_ref(j, "to", "number");
    write_sections(j);
    fb_json_end_object(j);
    fb_schema_write_names(j, "required", "for|from|to");
    forbid_others(j);
    fb_json_end_object(j);
}

static void write_template(FbJson* j) {
    fb_json_key(j, "template");
    fb_json_begin_object(j);
    fb_schema_key_string(j, "type", "object");
    fb_schema_key_string(j, "description", "A mechanism that instances copy.");
    fb_json_key(j, "properties");
    fb_json_begin_object(j);
    write_sections(j);
    fb_json_end_object(j);
    forbid_others(j);
    fb_json_end_object(j);
}

static void write_top(FbJson* j) {
    fb_json_key(j, "properties");
    fb_json_begin_object(j);
    fb_json_key(j, "flyball");
    fb_json_begin_object(j);
    fb_json_key(j, "const");
    fb_json_integer(j, 1);
    fb_schema_key_string(j, "description", "Version of the format.");
    fb_json_end_object(j);
    static const char* const texts[] = {"name", "title"};
    for (int i = 0; i < 2; i++) {
        fb_json_key(j, texts[i]);
        fb_json_begin_object(j);
        fb_schema_write_types(j, "string", "number");
        fb_json_end_object(j);
    }
    fb_schema_key_ref(j, "gravity", "vector");
    fb_schema_key_ref(j, "simulation", "simulation");
    fb_schema_key_ref(j, "damping", "damping");
    write_section(j, "templates", "template");
    write_sections(j);
    fb_json_end_object(j);
}

static void write_defs(FbJson* j, const FbTypeSet* types) {
    Kind kinds[] = {{"joint", types->joints},      {"constraint", types->constraints},
                    {"force", types->forces},      {"law", types->laws},
                    {"sensor", types->sensors},    {"shape", types->shapes},
                    {"section", fb_section_types}, {"feedback", fb_feedback_types}};
    fb_json_key(j, "$defs");
    fb_json_begin_object(j);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        write_typed_kind(j, &kinds[i]);
    }
    write_plain_kind(j, "body", &fb_body_table);
    write_plain_kind(j, "state", &fb_state_table);
    write_plain_kind(j, "input", &fb_input_table);
    write_plain_kind(j, "event", &fb_event_table);
    write_plain_kind(j, "initial", &fb_initial_table);
    write_plain_kind(j, "material", &fb_material_table);
    write_plain_kind(j, "structure", &fb_structure_table);
    write_plain_kind(j, "frame_damping", &fb_frame_damping_table);
    write_plain_kind(j, "node", &fb_node_table);
    write_plain_kind(j, "station", &fb_station_table);
    write_plain_kind(j, "member", &fb_member_table);
    write_plain_kind(j, "mesh_structure", &fb_mesh_structure_table);
    write_plain_kind(j, "mesh", &fb_mesh_table);
    write_plain_kind(j, "mesh_group", &fb_mesh_group_table);
    write_plain_kind(j, "mesh_node", &fb_mesh_node_table);
    write_plain_kind(j, "mesh_load", &fb_mesh_load_table);
    write_plain_kind(j, "mesh_place", &fb_mesh_place_table);
    write_plain_kind(j, "mesh_prestress", &fb_mesh_prestress_table);
    write_plain_kind(j, "mesh_buckling", &fb_mesh_buckling_table);
    write_plain_kind(j, "matrices", &fb_matrices_table);
    write_plain_kind(j, "matrix_node", &fb_matrix_node_table);
    write_plain_kind(j, "dofs", &fb_dofs_table);
    write_plain_kind(j, "reduce", &fb_reduce_table);
    write_plain_kind(j, "slider", &fb_slider_table);
    write_plain_kind(j, "simulation", &fb_settings_table);
    write_plain_kind(j, "damping", &fb_damping_table);
    write_repeat(j);
    write_template(j);
    fb_text_add(j->text, ",\n");
    fb_text_add(j->text, fb_schema_fixed_defs);
    fb_text_add(j->text, ",\n");
    fb_text_add(j->text, fb_schema_fixed_structures);
    fb_json_end_object(j);
}

FbStatus fb_schema_json_for(const FbTypeSet* types, char** out, FbError* err) {
    FbText text;
    FbJson json;
    fb_text_init(&text);
    fb_json_init(&json, &text, true);
    fb_json_begin_object(&json);
    fb_schema_key_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    fb_schema_key_string(&json, "title", "Flyball model file");
    fb_schema_key_string(&json, "type", "object");
    write_top(&json);
    fb_json_key(&json, "required");
    fb_json_begin_array(&json);
    fb_json_string(&json, "flyball");
    fb_json_end_array(&json);
    forbid_others(&json);
    write_defs(&json, types);
    fb_json_end_object(&json);
    *out = fb_text_steal(&text);
    if (*out) {
        return FB_OK;
    }
    return fb_fail_memory(err);
}
