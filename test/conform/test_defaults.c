// A definition that a C program starts from says what a file says that leaves the field out, or
// asks for it (NaN, NULL).
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compile/type_set.h"
#include "describe/cross_section.h"
#include "describe/structure_table.h"
#include "describe/untyped_tables.h"

static int n_compared;

static bool is_number(double value, double wanted) {
    return isnan(value) || value == wanted;
}

static bool is_vector(const double* v, const char* text) {
    double w[3];
    int n = sscanf(text, "[%lf , %lf , %lf]", &w[0], &w[1], &w[2]);
    return n == 3 && is_number(v[0], w[0]) && is_number(v[1], w[1]) && is_number(v[2], w[2]);
}

// Which of "a|b|c" it is.
static int find_choice(const char* choices, const char* text) {
    int index = 0;
    for (const char* at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL, index++) {
        size_t n = strcspn(at, "|");
        if (n == strlen(text) && strncmp(at, text, n) == 0) {
            return index;
        }
    }
    return -1;
}

static bool is_choice(const FbField* f, const void* at) {
    int index = find_choice(f->choices, f->default_text);
    if (f->is_text_choice) {
        const char* value = *(const char* const*)at;
        return !value || strcmp(value, f->default_text) == 0;
    }
    return f->is_int_choice ? *(const int*)at == index : *(const bool*)at == (index == 1);
}

static bool is_same(const FbField* f, const void* at) {
    const char* text;
    switch (f->kind) {
        case FB_FIELD_REAL:
            return is_number(*(const double*)at, strtod(f->default_text, NULL));
        case FB_FIELD_INT:
            return *(const int*)at == atoi(f->default_text);
        case FB_FIELD_BOOL:
            return *(const bool*)at == (strcmp(f->default_text, "true") == 0);
        case FB_FIELD_VEC3:
            return is_vector(at, f->default_text);
        case FB_FIELD_TEXT:
            text = *(const char* const*)at;
            return !text || strcmp(text, f->default_text) == 0;
        case FB_FIELD_CHOICE:
            return is_choice(f, at);
        default:
            n_compared--;
            return true;
    }
}

static void check_type(const FbTypeInfo* info, const void* def) {
    for (int i = 0; i < info->n_fields; i++) {
        const FbField* f = &info->fields[i];
        n_compared += f->default_text != NULL;
        if (f->default_text && !is_same(f, (const char*)def + f->offset)) {
            fail_msg("'%s' of %s is %s in a file that leaves it out, and something else in C",
                     f->key, info->name, f->default_text);
        }
    }
}

static void check_types(const FbTypeInfo* const* types, const void* def) {
    for (int i = 0; types[i]; i++) {
        check_type(types[i], def);
    }
}

// Types with structs of their own.
static void check_own_types(const FbTypeInfo* const* types) {
    for (int i = 0; types[i]; i++) {
        void* def = malloc(types[i]->size);
        assert_non_null(def);
        fb_type_fill(types[i], def);
        check_type(types[i], def);
        free(def);
    }
}

static void by_type(void** state) {
    (void)state;
    const FbTypeSet* types = fb_types();
    FbShapeDef shape = fb_shape_def_default();
    FbJointDef joint = fb_joint_def_default();
    n_compared = 0;
    check_types(types->shapes, &shape);
    check_types(types->joints, &joint);
    check_own_types(types->constraints);
    check_own_types(types->forces);
    check_own_types(types->laws);
    check_own_types(types->sensors);
    assert_true(n_compared > 40);
}

static void one_type(void** state) {
    (void)state;
    FbBodyDef body = fb_body_def_default();
    FbStateDef state_def = fb_state_def_default();
    FbInputDef input = fb_input_def_default();
    FbEventDef event = fb_event_def_default();
    FbSettings settings = fb_settings_default();
    FbDampingDef damping = fb_damping_def_default();
    FbMaterialDef material = fb_material_def_default();
    FbStructureDef structure = fb_structure_def_default();
    FbNodeDef node = fb_node_def_default();
    FbMemberDef member = fb_member_def_default();
    FbSliderDef slider = fb_slider_def_default();
    n_compared = 0;
    check_type(&fb_body_table, &body);
    check_type(&fb_state_table, &state_def);
    check_type(&fb_input_table, &input);
    check_type(&fb_event_table, &event);
    check_type(&fb_settings_table, &settings);
    check_type(&fb_damping_table, &damping);
    check_type(&fb_material_table, &material);
    check_type(&fb_structure_table, &structure);
    check_type(&fb_node_table, &node);
    check_type(&fb_member_table, &member);
    check_type(&fb_slider_table, &slider);
    assert_true(n_compared > 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_type), cmocka_unit_test(one_type)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
