// The JSON Schema (2020-12) of study files and their reference manual, from the tables that read
// them.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "describe/untyped_tables.h"
#include "schema/schema_field.h"
#include "study/distribution.h"
#include "study/study_tables.h"

static void write_required(FbJson* j, const FbTypeInfo* type, const char* more) {
    fb_json_key(j, "required");
    fb_json_begin_array(j);
    if (more) {
        fb_json_string(j, more);
    }
    for (int i = 0; i < type->n_fields; i++) {
        if (!type->fields[i].default_text && !type->fields[i].is_optional) {
            fb_json_string(j, type->fields[i].key);
        }
    }
    fb_json_end_array(j);
}

static void forbid_others(FbJson* j) {
    fb_json_key(j, "additionalProperties");
    fb_json_bool(j, false);
}

// {"type": ["number", "string"]}
static void write_number(FbJson* j) {
    fb_json_begin_object(j);
    fb_schema_write_types(j, "number", "string");
    fb_json_end_object(j);
}

// The members of a map with the fields of a table. `constant`: the key and value that chooses it,
// or NULL; `numbers`: a key whose value is a map of numbers, or NULL.
static void write_map(FbJson* j, const FbTypeInfo* type, const char* const constant[2],
                      const char* numbers) {
    fb_schema_key_string(j, "type", "object");
    fb_schema_key_string(j, "description", type->doc);
    fb_json_key(j, "properties");
    fb_json_begin_object(j);
    if (constant) {
        fb_json_key(j, constant[0]);
        fb_json_begin_object(j);
        fb_schema_key_string(j, "const", constant[1]);
        fb_json_end_object(j);
    }
    for (int i = 0; i < type->n_fields; i++) {
        fb_schema_write_field(j, &type->fields[i]);
    }
    if (numbers) {
        fb_json_key(j, numbers);
        fb_json_begin_object(j);
        fb_schema_key_string(j, "type", "object");
        fb_json_key(j, "additionalProperties");
        write_number(j);
        fb_json_end_object(j);
    }
    fb_json_end_object(j);
    write_required(j, type, constant ? constant[0] : NULL);
    forbid_others(j);
}

static void write_numbers(FbJson* j) {
    fb_schema_key_string(j, "type", "object");
    fb_json_key(j, "additionalProperties");
    write_number(j);
}

static void write_text(FbJson* j) {
    fb_schema_key_string(j, "type", "string");
}

static void write_version(FbJson* j) {
    fb_json_key(j, "const");
    fb_json_integer(j, FB_STUDY_FORMAT);
}

static void write_settings(FbJson* j) {
    fb_schema_key_string(j, "type", "object");
    fb_json_key(j, "properties");
    fb_json_begin_object(j);
    for (int i = 0; i < FB_STUDY_N_SETTINGS; i++) {
        fb_schema_write_field(j, fb_field_find(fb_settings_table.fields, fb_settings_table.n_fields,
                                               fb_study_setting_names[i]));
    }
    fb_json_end_object(j);
    forbid_others(j);
}

// A list, a range, or one of the distributions.
static void write_parameter(FbJson* j) {
    fb_json_key(j, "anyOf");
    fb_json_begin_array(j);
    fb_json_begin_object(j);
    fb_schema_key_string(j, "type", "array");
    fb_json_key(j, "items");
    write_number(j);
    fb_json_key(j, "minItems");
    fb_json_integer(j, 1);
    fb_json_end_object(j);
    fb_json_begin_object(j);
    write_map(j, &fb_study_range_table, NULL, NULL);
    fb_json_end_object(j);
    for (int i = 0; fb_study_distribution_tables[i]; i++) {
        const char* const constant[2] = {"distribution", fb_study_distribution_tables[i]->name};
        fb_json_begin_object(j);
        write_map(j, fb_study_distribution_tables[i], constant, NULL);
        fb_json_end_object(j);
    }
    fb_json_end_array(j);
}

static void write_parameters(FbJson* j) {
    fb_schema_key_string(j, "type", "object");
    fb_json_key(j, "minProperties");
    fb_json_integer(j, 1);
    fb_json_key(j, "additionalProperties");
    fb_json_begin_object(j);
    write_parameter(j);
    fb_json_end_object(j);
}

// Maps, or expressions.
static void write_measures(FbJson* j) {
    fb_schema_key_string(j, "type", "object");
    fb_json_key(j, "minProperties");
    fb_json_integer(j, 1);
    fb_json_key(j, "additionalProperties");
    fb_json_begin_object(j);
    fb_json_key(j, "anyOf");
    fb_json_begin_array(j);
    write_number(j);
    fb_json_begin_object(j);
    write_map(j, &fb_study_measure_table, NULL, NULL);
    fb_json_end_object(j);
    fb_json_end_array(j);
    fb_json_end_object(j);
}

static void write_samples(FbJson* j) {
    write_map(j, &fb_study_samples_table, NULL, NULL);
}

static void write_modes(FbJson* j) {
    write_map(j, &fb_study_modes_table, NULL, "steady");
}

static void write_search(FbJson* j) {
    write_map(j, &fb_study_search_table, NULL, NULL);
}

static void write_slurm(FbJson* j) {
    write_map(j, &fb_study_slurm_table, NULL, NULL);
}

static void write_constraints(FbJson* j) {
    fb_schema_key_string(j, "type", "array");
    fb_json_key(j, "items");
    fb_json_begin_object(j);
    fb_schema_key_string(j, "type", "string");
    fb_schema_key_string(j, "pattern", "[<>]=");
    fb_json_end_object(j);
}

static void write_objective(FbJson* j) {
    static const char* const keys[] = {"maximize", "minimize"};
    fb_schema_key_string(j, "type", "object");
    fb_json_key(j, "properties");
    fb_json_begin_object(j);
    for (int i = 0; i < 2; i++) {
        fb_json_key(j, keys[i]);
        write_number(j);
    }
    fb_json_end_object(j);
    forbid_others(j);
    fb_json_key(j, "minProperties");
    fb_json_integer(j, 1);
    fb_json_key(j, "maxProperties");
    fb_json_integer(j, 1);
}

// What the value of each section is; the keys are those of fb_study_sections.
static const struct {
    const char* key;
    void (*write)(FbJson* j);
} values[] = {{"flyball_study", write_version},
              {"name", write_text},
              {"title", write_text},
              {"model", write_text},
              {"set", write_numbers},
              {"simulation", write_settings},
              {"parameters", write_parameters},
              {"samples", write_samples},
              {"modes", write_modes},
              {"measures", write_measures},
              {"constraints", write_constraints},
              {"objective", write_objective},
              {"optimize", write_search},
              {"slurm", write_slurm}};

static void write_section(FbJson* j, const FbStudySection* section) {
    fb_json_key(j, section->key);
    fb_json_begin_object(j);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(values[i].key, section->key) == 0) {
            values[i].write(j);
        }
    }
    fb_schema_key_string(j, "title", section->doc);
    fb_json_end_object(j);
}

FbStatus fb_study_schema_json(char** out, FbError* err) {
    FbText text;
    FbJson json;
    fb_text_init(&text);
    fb_json_init(&json, &text, true);
    fb_json_begin_object(&json);
    fb_schema_key_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    fb_schema_key_string(&json, "title", "Flyball study file");
    fb_schema_key_string(&json, "type", "object");
    fb_json_key(&json, "properties");
    fb_json_begin_object(&json);
    for (int i = 0; fb_study_sections[i].key; i++) {
        write_section(&json, &fb_study_sections[i]);
    }
    fb_json_end_object(&json);
    fb_json_key(&json, "required");
    fb_json_begin_array(&json);
    for (int i = 0; fb_study_sections[i].key; i++) {
        if (fb_study_sections[i].is_required) {
            fb_json_string(&json, fb_study_sections[i].key);
        }
    }
    fb_json_end_array(&json);
    forbid_others(&json);
    fb_json_end_object(&json);
    *out = fb_text_steal(&text);
    return *out ? FB_OK : fb_fail_memory(err);
}

static void add_table(FbText* out, const char* heading, const FbTypeInfo* type) {
    fb_text_addf(out, "## %s\n\n%s\n\n", heading, type->doc);
    fb_schema_write_table(out, type);
    fb_text_add(out, "\n");
}

static void add_distributions(FbText* out) {
    fb_text_add(out,
                "## Distributions\n\nInstead of a range, where the study has `samples`: a map with "
                "`distribution` and the keys of that distribution.\n\n");
    for (int i = 0; fb_study_distribution_tables[i]; i++) {
        const FbTypeInfo* type = fb_study_distribution_tables[i];
        fb_text_addf(out, "### %s\n\n%s\n\n", type->name, type->doc);
        fb_schema_write_table(out, type);
        fb_text_add(out, "\n");
    }
}

FbStatus fb_study_schema_markdown(char** out, FbError* err) {
    FbText text;
    fb_text_init(&text);
    fb_text_add(&text,
                "# Reference of the study file\n\n"
                "Written by `flyball schema --study --markdown` from the same tables that read the "
                "files. [The guide](../guide/studies.md) has examples.\n\n"
                "Numbers are those of [model files](model-file.md#numbers-units-and-expressions), "
                "and may use the parameters of the model.\n\n"
                "| key | | meaning |\n|---|---|---|\n");
    for (int i = 0; fb_study_sections[i].key; i++) {
        const FbStudySection* s = &fb_study_sections[i];
        fb_text_addf(&text, "| `%s` | %s | %s |\n", s->key, s->is_required ? "required" : "",
                     s->doc);
    }
    fb_text_add(&text, "\n");
    add_table(&text, "Ranges of parameters", &fb_study_range_table);
    add_distributions(&text);
    add_table(&text, "Samples", &fb_study_samples_table);
    add_table(&text, "Measures", &fb_study_measure_table);
    add_table(&text, "Modes", &fb_study_modes_table);
    fb_text_add(&text,
                "`steady`, a map of joints to expressions of the parameters, are the rates (rad/s "
                "or m/s) of joints that keep moving at the equilibrium.\n\n");
    add_table(&text, "Optimization", &fb_study_search_table);
    add_table(&text, "Slurm", &fb_study_slurm_table);
    if (text.length > 1 && !text.has_failed && text.data[text.length - 2] == '\n') {
        text.data[--text.length] = '\0';
    }
    *out = fb_text_steal(&text);
    return *out ? FB_OK : fb_fail_memory(err);
}
