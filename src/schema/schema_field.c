// What JSON Schema says of one field: its type, range, default and description.
#include "schema/schema_field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fb_schema_key_string(FbJson* j, const char* key, const char* value) {
    fb_json_key(j, key);
    fb_json_string(j, value);
}

void fb_schema_key_ref(FbJson* j, const char* key, const char* name) {
    char ref[128];
    snprintf(ref, sizeof ref, "#/$defs/%s", name);
    fb_json_key(j, key);
    fb_json_begin_object(j);
    fb_schema_key_string(j, "$ref", ref);
    fb_json_end_object(j);
}

void fb_schema_write_types(FbJson* j, const char* first, const char* second) {
    fb_json_key(j, "type");
    fb_json_begin_array(j);
    fb_json_string(j, first);
    fb_json_string(j, second);
    fb_json_end_array(j);
}

// "a|b|c" as a list of texts.
void fb_schema_write_names(FbJson* j, const char* key, const char* names) {
    fb_json_key(j, key);
    fb_json_begin_array(j);
    for (const char* at = names; at && *at;) {
        char word[64];
        size_t n = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        fb_json_string(j, word);
        at += n + (at[n] == '|');
    }
    fb_json_end_array(j);
}

// A bound holds for numbers; a text is an expression that only the reader can check.
static void write_range(FbJson* j, const FbField* f) {
    if (f->min == 0.0 && f->max == 0.0) {
        return;
    }
    if (isfinite(f->min)) {
        fb_json_key(j, f->has_open_min ? "exclusiveMinimum" : "minimum");
        fb_json_number(j, f->min);
    }
    if (isfinite(f->max)) {
        fb_json_key(j, "maximum");
        fb_json_number(j, f->max);
    }
}

static void write_number(FbJson* j, const FbField* f, const char* type) {
    fb_schema_write_types(j, type, "string");
    write_range(j, f);
}

static void write_array(FbJson* j, const FbField* f, int min, int max) {
    fb_schema_key_string(j, "type", "array");
    fb_json_key(j, "items");
    fb_json_begin_object(j);
    if (f->kind == FB_FIELD_EXPR3) {
        fb_schema_write_types(j, "number", "string");
    } else {
        write_number(j, f, "number");
    }
    fb_json_end_object(j);
    fb_json_key(j, "minItems");
    fb_json_integer(j, min);
    if (max > 0) {
        fb_json_key(j, "maxItems");
        fb_json_integer(j, max);
    }
}

// A number, null for "not set", or a list of these.
static void write_reals6(FbJson* j, const FbField* f) {
    fb_schema_key_string(j, "$ref",
                         f->is_list   ? "#/$defs/six_values"
                         : f->offset2 ? "#/$defs/coordinate_values"
                                      : "#/$defs/offsets");
}

// A list of names, or one name.
static void write_texts(FbJson* j) {
    fb_schema_write_types(j, "array", "string");
    fb_json_key(j, "items");
    fb_json_begin_object(j);
    fb_schema_key_string(j, "type", "string");
    fb_json_end_object(j);
}

// A list of expressions, or one expression.
static void write_expressions(FbJson* j) {
    fb_json_key(j, "type");
    fb_json_begin_array(j);
    fb_json_string(j, "array");
    fb_json_string(j, "number");
    fb_json_string(j, "string");
    fb_json_end_array(j);
    fb_json_key(j, "items");
    fb_json_begin_object(j);
    fb_schema_write_types(j, "number", "string");
    fb_json_end_object(j);
}

static void write_kind(FbJson* j, const FbField* f) {
    switch (f->kind) {
        case FB_FIELD_REAL:
            write_number(j, f, "number");
            break;
        case FB_FIELD_INT:
            write_number(j, f, "integer");
            break;
        case FB_FIELD_BOOL:
            fb_schema_key_string(j, "type", "boolean");
            break;
        case FB_FIELD_VEC3:
        case FB_FIELD_EXPR3:
            write_array(j, f, 3, 3);
            break;
        case FB_FIELD_REALS:
            write_array(j, f, 1, 0);
            break;
        case FB_FIELD_TEXTS:
            write_texts(j);
            break;
        case FB_FIELD_EXPRESSIONS:
            write_expressions(j);
            break;
        case FB_FIELD_REALS6:
            write_reals6(j, f);
            break;
        case FB_FIELD_ROTATION:
            fb_schema_key_string(j, "$ref", "#/$defs/orientation");
            break;
        case FB_FIELD_TEXT:
        case FB_FIELD_EXPRESSION:
            fb_schema_write_types(j, "number", "string");
            break;
        case FB_FIELD_BODY:
        case FB_FIELD_JOINT:
        case FB_FIELD_PART:
        case FB_FIELD_LAW:
        case FB_FIELD_COORDINATE:
        case FB_FIELD_MATERIAL:
            fb_schema_key_string(j, "type", "string");
            break;
        case FB_FIELD_MEMBERS:
            fb_schema_key_string(j, "$ref", "#/$defs/guide");
            break;
        case FB_FIELD_POINTS:
            fb_schema_key_string(j, "$ref", "#/$defs/point_list");
            break;
        case FB_FIELD_POINT:
            fb_schema_key_string(j, "$ref", "#/$defs/point");
            break;
        case FB_FIELD_FRAME:
            fb_schema_key_string(j, "$ref", "#/$defs/frame");
            break;
        case FB_FIELD_TERMS:
            fb_schema_key_string(j, "type", "object");
            fb_schema_key_ref(j, "additionalProperties", "number");
            break;
        case FB_FIELD_CHOICE:
            fb_schema_write_names(j, "enum", f->choices);
            break;
        case FB_FIELD_COMPONENT:
            fb_schema_write_names(j, "enum", "x|y|z");
            break;
    }
}

// The default as JSON: a number, a list of numbers, a truth value or a text.
static void write_default(FbJson* j, const FbField* f) {
    char* end;
    const char* text = f->default_text;
    double value = strtod(text, &end);
    fb_json_key(j, "default");
    if (text[0] == '[') {
        fb_json_begin_array(j);
        for (const char* at = text + 1; value = strtod(at, &end), end != at;
             at = end + (*end == ',')) {
            fb_json_number(j, value);
        }
        fb_json_end_array(j);
    } else if (end != text && !*end) {
        fb_json_number(j, value);
    } else if (f->kind == FB_FIELD_BOOL) {
        fb_json_bool(j, text[0] == 't');
    } else {
        fb_json_string(j, text);
    }
}

static void write_description(FbJson* j, const FbField* f) {
    char text[512];
    bool has_unit = f->unit && f->unit[0] && f->unit[0] != '/' && strcmp(f->unit, "1") != 0;
    snprintf(text, sizeof text, has_unit ? "%s Unit: %s." : "%s%s", f->doc ? f->doc : "",
             has_unit ? f->unit : "");
    fb_schema_key_string(j, "description", text);
    if (f->default_text) {
        write_default(j, f);
    }
}

void fb_schema_write_field(FbJson* j, const FbField* f) {
    fb_json_key(j, f->key);
    fb_json_begin_object(j);
    write_kind(j, f);
    write_description(j, f);
    fb_json_end_object(j);
}
