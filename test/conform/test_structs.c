// The structs of types against their tables: every member is a field, fields do not overlap, the
// public default functions say what the tables say, and copies own what they point to.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compile/type_set.h"
#include "describe/def_copy.h"

enum { MAX_SIZE = 1024, RESERVED = 4 * sizeof(uint64_t) };

typedef struct Kind {
    const char* name;
    const FbTypeInfo* const* types;
    size_t head_size;
} Kind;

static int kinds(Kind out[4]) {
    const FbTypeSet* t = fb_types();
    out[0] = (Kind){"constraint", t->constraints, sizeof(FbConstraintDef)};
    out[1] = (Kind){"force", t->forces, sizeof(FbForceDef)};
    out[2] = (Kind){"law", t->laws, sizeof(FbLawDef)};
    out[3] = (Kind){"sensor", t->sensors, sizeof(FbSensorDef)};
    return 4;
}

static size_t size_of(const FbField* f) {
    switch (f->kind) {
        case FB_FIELD_REAL:
            return sizeof(double);
        case FB_FIELD_INT:
        case FB_FIELD_COMPONENT:
            return sizeof(int);
        case FB_FIELD_BOOL:
            return sizeof(bool);
        case FB_FIELD_VEC3:
            return 3 * sizeof(double);
        case FB_FIELD_ROTATION:
            return 9 * sizeof(double);
        case FB_FIELD_REALS6:
            return 6 * sizeof(double);
        case FB_FIELD_EXPR3:
            return 3 * sizeof(const char*);
        case FB_FIELD_POINT:
            return sizeof(FbPointDef);
        case FB_FIELD_FRAME:
            return sizeof(FbFrameDef);
        case FB_FIELD_COORDINATE:
            return sizeof(FbCoordinateDef);
        case FB_FIELD_CHOICE:
            return f->is_text_choice  ? sizeof(const char*)
                   : f->is_int_choice ? sizeof(int)
                                      : sizeof(bool);
        default:
            return sizeof(void*);  // names and lists
    }
}

static bool has_count(FbFieldKind kind) {
    return kind == FB_FIELD_REALS || kind == FB_FIELD_TERMS || kind == FB_FIELD_TEXTS ||
           kind == FB_FIELD_MEMBERS || kind == FB_FIELD_POINTS || kind == FB_FIELD_EXPRESSIONS;
}

// Bytes that are followed by one with a larger alignment.
static bool is_padding(const char* covered, size_t from, size_t to) {
    return to - from < sizeof(double) && to % sizeof(int) == 0 &&
           (to % sizeof(double) == 0 || to - from < sizeof(int)) && from > 0 && covered[from - 1];
}

static void check_layout(const Kind* kind, const FbTypeInfo* type) {
    char covered[MAX_SIZE] = {0};
    assert_in_range(type->size, kind->head_size + RESERVED, MAX_SIZE);
    size_t end = type->size - RESERVED;
    memset(covered, 1, kind->head_size);
    for (int i = 0; i < type->n_fields; i++) {
        const FbField* f = &type->fields[i];
        size_t size = size_of(f);
        bool is_in_head = f->offset + size <= kind->head_size;
        for (size_t b = f->offset; !is_in_head && b < f->offset + size; b++) {
            if (b >= end || covered[b]) {
                fail_msg("'%s' of %s %s overlaps something", f->key, kind->name, type->name);
            }
            covered[b] = 1;
        }
        if (has_count(f->kind)) {
            memset(covered + f->offset2, 1, sizeof(int));
        }
    }
    for (size_t b = kind->head_size, to; b < end; b = to + 1) {
        for (to = b; to < end && !covered[to]; to++) {
        }
        if (to > b && !is_padding(covered, b, to)) {
            fail_msg("%s %s has a member at %zu that is not in its table", kind->name, type->name,
                     b);
        }
    }
}

static void layouts(void** state) {
    (void)state;
    Kind list[4];
    for (int k = 0, n = kinds(list); k < n; k++) {
        for (int i = 0; list[k].types[i]; i++) {
            check_layout(&list[k], list[k].types[i]);
        }
    }
}

// Puts `text` where the field has a name, an expression or a list.
static void fill_field(const FbField* f, char* part, const char** text, FbCouplingTerm* terms,
                       double* numbers) {
    char* at = part + f->offset;
    switch (f->kind) {
        case FB_FIELD_POINT:
            ((FbPointDef*)(void*)at)->body = ((FbPointDef*)(void*)at)->point = *text;
            break;
        case FB_FIELD_FRAME:
            ((FbFrameDef*)(void*)at)->origin.body = *text;
            break;
        case FB_FIELD_COORDINATE:
            ((FbCoordinateDef*)(void*)at)->joint = *text;
            break;
        case FB_FIELD_EXPR3:
            for (int i = 0; i < 3; i++) {
                ((const char**)(void*)at)[i] = *text;
            }
            break;
        case FB_FIELD_TERMS:
            terms->coordinate.joint = *text;
            *(FbCouplingTerm**)(void*)at = terms;
            *(int*)(void*)(part + f->offset2) = 1;
            break;
        case FB_FIELD_REALS:
            *(double**)(void*)at = numbers;
            *(int*)(void*)(part + f->offset2) = 2;
            break;
        case FB_FIELD_TEXT:
        case FB_FIELD_EXPRESSION:
        case FB_FIELD_BODY:
        case FB_FIELD_JOINT:
        case FB_FIELD_PART:
        case FB_FIELD_LAW:
            *(const char**)(void*)at = *text;
            break;
        default:
            break;
    }
}

// No word of the copy points to the caller's memory.
static void check_copy(const Kind* kind, const FbTypeInfo* type, FbArena* arena) {
    char name[] = "part", *part = calloc(1, type->size);
    const char* text = name;
    FbCouplingTerm terms[1] = {{.factor = 2.0}};
    double numbers[2] = {1.0, 2.0};
    assert_non_null(part);
    fb_type_fill(type, part);
    *(const char**)(void*)part = name;
    for (int i = 0; i < type->n_fields; i++) {
        fill_field(&type->fields[i], part, &text, terms, numbers);
    }
    const void* own[] = {name, terms, numbers};
    char* copy = fb_copy_part(arena, NULL, type, kind->head_size, part);
    assert_non_null(copy);
    for (size_t b = 0; b + sizeof(void*) <= type->size; b += sizeof(void*)) {
        const void *before, *after;
        memcpy(&before, part + b, sizeof before);
        memcpy(&after, copy + b, sizeof after);
        for (int i = 0; i < 3; i++) {
            if (after == own[i]) {
                fail_msg("a copy of %s %s points to the caller's memory at %zu", kind->name,
                         type->name, b);
            }
        }
        if (before == name) {
            assert_string_equal(after, "part");
        }
    }
    free(part);
}

static void copies(void** state) {
    (void)state;
    Kind list[4];
    FbArena* arena = fb_arena_create();
    assert_non_null(arena);
    for (int k = 0, n = kinds(list); k < n; k++) {
        for (int i = 0; list[k].types[i]; i++) {
            check_copy(&list[k], list[k].types[i], arena);
        }
    }
    fb_arena_destroy(arena);
}

// A public default is the table's, and ready to be added.
static int n_checked;

static void check_default(const FbTypeInfo* const* types, const void* def, size_t size) {
    FbHead head;
    char expected[MAX_SIZE];
    memcpy(&head, def, sizeof head);
    const FbTypeInfo* type = fb_type_find(types, head.type);
    assert_non_null(type);
    assert_int_equal(head.size, size);
    assert_int_equal(type->size, size);
    assert_null(head.name);
    fb_type_fill(type, expected);
    for (int i = 0; i < type->n_fields; i++) {
        const FbField* f = &type->fields[i];
        assert_memory_equal((const char*)def + f->offset, expected + f->offset, size_of(f));
    }
    n_checked++;
}

#define CHECK(types, call)                            \
    do {                                              \
        __typeof__(call) fb_def = call;               \
        check_default(types, &fb_def, sizeof fb_def); \
    } while (0)

static int count(const FbTypeInfo* const* types) {
    int n = 0;
    while (types[n]) {
        n++;
    }
    return n;
}

static void constraint_defaults(void** state) {
    (void)state;
    const FbTypeInfo* const* c = fb_types()->constraints;
    n_checked = 0;
    CHECK(c, fb_distance_def_default());
    CHECK(c, fb_point_on_line_def_default());
    CHECK(c, fb_point_on_plane_def_default());
    CHECK(c, fb_coupling_def_default());
    CHECK(c, fb_gear_def_default());
    CHECK(c, fb_rack_def_default());
    CHECK(c, fb_motion_def_default());
    CHECK(c, fb_point_motion_def_default());
    CHECK(c, fb_rolling_def_default());
    assert_int_equal(n_checked, count(c));
}

static void force_and_law_defaults(void** state) {
    (void)state;
    const FbTypeInfo *const *f = fb_types()->forces, *const *l = fb_types()->laws;
    n_checked = 0;
    CHECK(f, fb_spring_def_default());
    CHECK(f, fb_torsion_def_default());
    CHECK(f, fb_bushing_def_default());
    CHECK(f, fb_friction_def_default());
    CHECK(f, fb_point_force_def_default());
    CHECK(f, fb_point_torque_def_default());
    CHECK(f, fb_actuator_def_default());
    CHECK(l, fb_constant_law_def_default());
    CHECK(l, fb_expression_law_def_default());
    CHECK(l, fb_table_law_def_default());
    CHECK(l, fb_harmonic_law_def_default());
    CHECK(l, fb_ramp_law_def_default());
    CHECK(l, fb_trapezoid_law_def_default());
    CHECK(l, fb_jerk_law_def_default());
    CHECK(l, fb_moves_law_def_default());
    assert_int_equal(n_checked, count(f) + count(l));
}

static void sensor_defaults(void** state) {
    (void)state;
    const FbTypeInfo* const* s = fb_types()->sensors;
    static const char* const points[] = {"position", "velocity", "acceleration"};
    static const char* const bodies[] = {"orientation", "angles", "angular_velocity",
                                         "angular_acceleration"};
    static const char* const sums[] = {"kinetic_energy",   "potential_energy", "energy",
                                       "supplied_work",    "dissipated_work",  "momentum",
                                       "angular_momentum", "center_of_mass"};
    static const char* const sliders[] = {"slider_position", "slider_velocity", "slider_contact",
                                          "slider_coriolis"};
    n_checked = 0;
    for (int i = 0; i < 3; i++) {
        CHECK(s, fb_point_sensor_def_default(points[i]));
    }
    for (int i = 0; i < 4; i++) {
        CHECK(s, fb_body_sensor_def_default(bodies[i]));
        CHECK(s, fb_slider_sensor_def_default(sliders[i]));
    }
    for (int i = 0; i < 8; i++) {
        CHECK(s, fb_system_sensor_def_default(sums[i]));
    }
    CHECK(s, fb_gyro_def_default());
    CHECK(s, fb_accelerometer_def_default());
    CHECK(s, fb_distance_sensor_def_default());
    CHECK(s, fb_reaction_sensor_def_default("reaction"));
    CHECK(s, fb_reaction_sensor_def_default("reaction_torque"));
    CHECK(s, fb_applied_sensor_def_default("applied_force"));
    CHECK(s, fb_applied_sensor_def_default("applied_torque"));
    CHECK(s, fb_multiplier_sensor_def_default());
    CHECK(s, fb_expression_sensor_def_default());
    CHECK(s, fb_hold_sensor_def_default());
    CHECK(s, fb_callback_sensor_def_default());
    CHECK(s, fb_modal_sensor_def_default());
    CHECK(s, fb_member_sensor_def_default("section_forces"));
    CHECK(s, fb_member_sensor_def_default("stress"));
    CHECK(s, fb_mesh_sensor_def_default());
    CHECK(s, fb_composite_sensor_def_default("composite_mass"));
    CHECK(s, fb_composite_sensor_def_default("composite_coriolis"));
    assert_int_equal(n_checked, count(s));
    assert_int_equal(fb_point_sensor_def_default("position").head.component, -1);
    assert_true(fb_system_sensor_def_default("energy").head.is_recorded);
}

// The type of another struct, or none: nothing is written beyond the struct, and adding fails.
static void wrong_types(void** state) {
    (void)state;
    FbModelDef* def = NULL;
    FbError err;
    assert_int_equal(fb_model_def_create("m", &def, &err), FB_OK);
    FbSystemSensorDef sum = fb_system_sensor_def_default("position");
    sum.head.name = "s";
    assert_int_equal(fb_model_def_add_sensor(def, &sum.head, &err), FB_ERR_MODEL);
    FbGearDef gear = fb_gear_def_default();
    gear.head.name = "g";
    gear.head.type = "rolling";
    assert_int_equal(fb_model_def_add_constraint(def, &gear.head, &err), FB_ERR_MODEL);
    FbLawDef law = {.name = "l", .type = "ramp"};
    assert_int_equal(fb_model_def_add_law(def, &law, &err), FB_ERR_MODEL);
    assert_non_null(strstr(err.text, "start from the default function of its type"));
    fb_model_def_destroy(def);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts),
        cmocka_unit_test(copies),
        cmocka_unit_test(constraint_defaults),
        cmocka_unit_test(force_and_law_defaults),
        cmocka_unit_test(sensor_defaults),
        cmocka_unit_test(wrong_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
