// Every entry of every type table: documented, with units and ranges, and alive in a model that
// compiles and runs. A new type without a model here fails.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../every.h"
#include "compile/type_set.h"
#include "force/force.h"
#include "run_support.h"
#include "solve/integrator.h"

typedef struct Example {
    const char* type;
    const char* text;  // the part, as it is written in the file; NULL ends a list
} Example;

// Each example runs in this model: two arms, a wheel that moves freely, a law.
#define BODY "{mass: 1.3, center: [0.2, -0.1, 0.15], inertia: [0.31, 0.42, 0.53]}"
#define STAGE                                                                                    \
    "flyball: 1\ngravity: [0, 0, -9.81]\n"                                                       \
    "bodies:\n  A: " BODY "\n  B: " BODY                                                         \
    "\n  C: {position: [0, 0, 2], mass: 1, inertia: [1, 1, 1]}\n"                                \
    "joints:\n  j0: {type: revolute, between: [ground, A], point: [0, 0, 0], axis: [0, 1, 0]}\n" \
    "  j1: {type: cylindrical, between: [A, B], point: [1, 0, 0], axis: [1, 0, 0]}\n"            \
    "  j2: {type: free, between: [ground, C], point: [0, 0, 2]}\n"

static const Example CONSTRAINTS[] = {
    {"distance", "{type: distance, a: B, b: C}"},
    {"point_on_line", "{type: point_on_line, point: C, line: {body: ground, at: [0, 0, 0]}}"},
    {"point_on_plane", "{type: point_on_plane, point: C, plane: {body: ground, at: [0, 0, 2]}}"},
    {"coupling", "{type: coupling, terms: {j0: 1, j1.q1: 2}}"},
    {"gear", "{type: gear, a: j0, b: j1, ratio: 2}"},
    {"rack", "{type: rack, pinion: j0, rack: j1.q2, radius: 0.1}"},
    {"motion", "{type: motion, joint: j0, value: sin(t)}"},
    {"point_motion", "{type: point_motion, point: C, relative_to: ground, value: 0.1*t}"},
    {"rolling", "{type: rolling, center: C, axis: [0, 1, 0], radius: 2, plane: ground}"},
    {NULL, NULL},
};

static const Example FORCES[] = {
    {"spring", "{type: spring, a: B, b: C, stiffness: 10}"},
    {"torsion", "{type: torsion, joint: j0, stiffness: 10}"},
    {"bushing",
     "{type: bushing, a: {body: ground}, b: {body: C}, translation_stiffness: [1, 1, 1]}"},
    {"friction", "{type: friction, joint: j0, coulomb: 1}"},
    {"force", "{type: force, point: C, value: [1, 0, t]}"},
    {"torque", "{type: torque, body: C, value: [1, 0, t]}"},
    {"actuator", "{type: actuator, joint: j0, value: 2}"},
    {NULL, NULL},
};

static const Example LAWS[] = {
    {"constant", "{type: constant, value: 0.5}"},
    {"expression", "{type: expression, value: sin(t)}"},
    {"table", "{type: table, times: [0, 0.05, 0.1, 0.2], values: [0, 0.1, 0.3, 0.2]}"},
    {"harmonic", "{type: harmonic, amplitude: 1, frequency: 2}"},
    {"ramp", "{type: ramp, from: 0, to: 1, duration: 0.1}"},
    {"trapezoid", "{type: trapezoid, from: 0, to: 1, max_rate: 3, max_acceleration: 100}"},
    {"jerk", "{type: jerk, from: 0, to: 1, max_rate: 3, max_acceleration: 100, max_jerk: 1000}"},
    {"moves", "{type: moves, inner: 0, outer: 1, outward: t - 0.1, inward: t - 9, duration: 0.1}"},
    {NULL, NULL},
};

static const Example SENSORS[] = {
    {"position", "{type: position, point: B}"},
    {"velocity", "{type: velocity, point: B}"},
    {"acceleration", "{type: acceleration, point: B}"},
    {"orientation", "{type: orientation, body: B}"},
    {"angles", "{type: angles, body: B}"},
    {"angular_velocity", "{type: angular_velocity, body: B}"},
    {"angular_acceleration", "{type: angular_acceleration, body: B}"},
    {"distance", "{type: distance, a: B, b: C}"},
    {"reaction", "{type: reaction, joint: j0}"},
    {"reaction_torque", "{type: reaction_torque, joint: j0}"},
    {"multiplier", "{type: multiplier, constraint: c}"},
    {"kinetic_energy", "{type: kinetic_energy}"},
    {"potential_energy", "{type: potential_energy}"},
    {"energy", "{type: energy}"},
    {"supplied_work", "{type: supplied_work}"},
    {"dissipated_work", "{type: dissipated_work}"},
    {"momentum", "{type: momentum}"},
    {"angular_momentum", "{type: angular_momentum}"},
    {"center_of_mass", "{type: center_of_mass}"},
    {"expression", "{type: expression, value: j0.q + j1.v2}"},
    {"applied_force", "{type: applied_force, force: g}"},
    {"applied_torque", "{type: applied_torque, force: g, frame: B}"},
    {"gyro", "{type: gyro, body: B}"},
    {"accelerometer", "{type: accelerometer, point: B, gravity: false}"},
    {"hold", "{type: hold, of: j0.q, period: 0.01}"},
    {"callback", "{type: callback, arguments: [j0.q, 2*j0.v], period: 0.01, default: 0.5}"},
    {"modal_amplitude", "{type: modal_amplitude, structure: f, mode: 2}"},
    {"section_forces", "{type: section_forces, member: f.m, at: 0.4}"},
    {"stress", "{type: stress, member: f.m, at: 1}"},
    {"mesh_stress", "{type: mesh_stress, place: plate.root}"},
    {"slider_position", "{type: slider_position, slider: s1}"},
    {"slider_velocity", "{type: slider_velocity, slider: s1}"},
    {"slider_contact", "{type: slider_contact, slider: s1}"},
    {"slider_coriolis", "{type: slider_coriolis, slider: s1}"},
    {"composite_mass", "{type: composite_mass, slider: s1, row: by, column: bmz}"},
    {"composite_coriolis", "{type: composite_coriolis, slider: s1, row: by, column: by}"},
    {NULL, NULL},
};

static const Example JOINTS[] = {
    {"fixed", "{type: fixed, between: [B, D]}"},
    {"revolute", "{type: revolute, between: [B, D]}"},
    {"prismatic", "{type: prismatic, between: [B, D]}"},
    {"cylindrical", "{type: cylindrical, between: [B, D]}"},
    {"universal", "{type: universal, between: [B, D]}"},
    {"spherical", "{type: spherical, between: [B, D]}"},
    {"planar", "{type: planar, between: [B, D]}"},
    {"screw", "{type: screw, between: [B, D], pitch: 0.1}"},
    {"free", "{type: free, between: [B, D]}"},
    {"pin_slot", "{type: pin_slot, between: [B, D]}"},
    {"translation", "{type: translation, between: [B, D]}"},
    {"gimbal", "{type: gimbal, between: [B, D]}"},
    {"node", "{type: node, between: [B, D]}"},
    {NULL, NULL},
};

static const Example SHAPES[] = {
    {"box", "{type: box, size: [1, 2, 3], density: 10}"},
    {"cylinder", "{type: cylinder, radius: 1, length: 2, density: 10}"},
    {"tube", "{type: tube, radius: 1, inner_radius: 0.5, length: 2, density: 10}"},
    {"sphere", "{type: sphere, radius: 1, mass: 10}"},
    {"rod", "{type: rod, from: [0, 0, 0], to: [1, 0, 0], mass: 2}"},
    {"point", "{type: point, at: [1, 0, 0], mass: 2}"},
    {"mesh", "{type: mesh, file: conform_tetrahedron.stl, density: 10}"},
    {NULL, NULL},
};

static bool has_number(FbFieldKind kind) {
    return kind == FB_FIELD_REAL || kind == FB_FIELD_VEC3 || kind == FB_FIELD_REALS6;
}

static void check_field(const FbTypeInfo* info, const FbField* f) {
    if (!f->key || !f->key[0] || !f->doc || strlen(f->doc) < 5) {
        fail_msg("field '%s' of %s is not documented", f->key ? f->key : "", info->name);
    }
    if (has_number(f->kind) && !f->unit) {
        fail_msg("field '%s' of %s has no unit", f->key, info->name);
    }
    // An inverted or empty range would refuse everything.
    if (has_number(f->kind) && !(f->min < f->max)) {
        fail_msg("field '%s' of %s has the range %g ... %g", f->key, info->name, f->min, f->max);
    }
    if (f->kind == FB_FIELD_CHOICE && (!f->choices || !strchr(f->choices, '|'))) {
        fail_msg("field '%s' of %s has no choices", f->key, info->name);
    }
}

static void run_stage(const char* type, const char* text) {
    static int turn = 0;  // where tables are thinned, other integrators for the next type
    int n = 0;
    while (fb_integrator_types[n]) {
        n++;
    }
    for (int i = turn++ % TEST_EVERY(4); i < n; i += TEST_EVERY(4)) {
        if (fb_integrator_types[i]->needs_linear) {  // test_linear_steps
            continue;
        }
        TestRun run =
            test_run_text(text, (TestMethod){fb_integrator_types[i]->name, 0.1, 0.05, 1e-6, 1e-8});
        for (int row = 0; row < run.n_rows; row++) {
            for (int c = 0; c < fb_result_get_column_count(run.result); c++) {
                if (!isfinite(fb_result_get_value(run.result, row, c))) {
                    fail_msg("%s: output %s is not finite", type,
                             fb_model_get_output_name(run.model, c));
                }
            }
        }
        test_run_free(&run);
    }
}

// Each example stands between `prefix` and `suffix`.
static void check_table(const FbTypeInfo* const* types, const Example* examples, const char* prefix,
                        const char* suffix) {
    int n_examples = 0;
    while (examples[n_examples].type) {
        n_examples++;
    }
    for (int i = 0; types[i]; i++) {
        const FbTypeInfo* info = types[i];
        if (!info->doc || strlen(info->doc) < 10) {
            fail_msg("type %s is not documented", info->name);
        }
        for (int f = 0; f < info->n_fields; f++) {
            check_field(info, &info->fields[f]);
        }
        const Example* e = examples;
        while (e->type && strcmp(e->type, info->name) != 0) {
            e++;
        }
        if (!e->type) {
            fail_msg("type %s has no example in this test", info->name);
        }
        char text[5000];
        snprintf(text, sizeof(text), "%s%s%s", prefix, e->text, suffix);
        run_stage(info->name, text);
        n_examples--;
    }
    assert_int_equal(n_examples, 0);
}

static void joints(void** state) {
    (void)state;
    check_table(fb_types()->joints, JOINTS,
                "flyball: 1\nbodies: {B: " BODY ", D: " BODY
                "}\njoints:\n  j0: {type: spherical, between: [ground, B]}\n  T: ",
                "\noutputs: {p: {type: position, point: D}, F: {type: reaction, joint: T}}\n");
}

static void constraints(void** state) {
    (void)state;
    check_table(fb_types()->constraints, CONSTRAINTS, STAGE "constraints:\n  c: ",
                "\noutputs: {q: j0.q, m: {type: multiplier, constraint: c}}\n");
}

static void forces(void** state) {
    (void)state;
    check_table(fb_types()->forces, FORCES, STAGE "forces:\n  f: ", "\noutputs: {q: j0.q}\n");
}

// Without gravity the only force that does work is f. Forces with vectors act on C at its origin.
#define MOVING                                                                                  \
    "flyball: 1\nbodies:\n  A: " BODY "\n  B: " BODY                                            \
    "\n  C: {position: [0.3, -0.2, 2], orientation: {zyx: [0.4, -0.3, 0.6]}, mass: 1, "         \
    "inertia: [0.7, 1, 1.2]}\n"                                                                 \
    "joints:\n  j0: {type: revolute, between: [ground, A], point: [0, 0, 0], axis: [0, 1, 0], " \
    "velocity: 1.5}\n"                                                                          \
    "  j1: {type: cylindrical, between: [A, B], point: [1, 0, 0], axis: [1, 0, 0]}\n"           \
    "  j2: {type: free, between: [ground, C], point: [0.3, -0.2, 2], "                          \
    "velocity: [0.5, -0.4, 0.3, 0.9, 1.1, -0.7]}\n"

static const char* outputs_of(FbForceMeasure measure) {
    bool has_vector = measure == FB_MEASURE_FRAMES || measure == FB_MEASURE_POINT_FORCE ||
                      measure == FB_MEASURE_POINT_TORQUE;
    return has_vector ? "  F: {type: applied_force, force: f}\n"
                        "  M: {type: applied_torque, force: f}\n"
                        "  v: {type: velocity, point: C}\n"
                        "  w: {type: angular_velocity, body: C}\n"
                        "  by_force: F.x*v.x + F.y*v.y + F.z*v.z + M.x*w.x + M.y*w.y + M.z*w.z\n"
                      : "  F: f.force\n  rate: f.rate\n  by_force: F*rate\n";
}

// Power by the recorded force (springs: by their pull), and the kinetic energy grows by it.
static void check_power(const FbForceType* type, const TestRun* run, double h) {
    double largest = 0.0, sign = type->expression_sign < 0.0 ? -1.0 : 1.0;
    for (int i = 2; i + 2 < run->n_rows; i++) {
        double T[5];
        for (int k = 0; k < 5; k++) {
            T[k] = test_run_value(run, i + k - 2, "T");
        }
        double P = test_run_value(run, i, "P");
        test_close(type->info.name, P, sign * test_run_value(run, i, "by_force"), 1e-12);
        test_close(type->info.name, P, (8.0 * (T[3] - T[1]) - (T[4] - T[0])) / (12.0 * h), 1e-6);
        largest = fmax(largest, fabs(P));
    }
    if (!(largest > 0.1)) {
        fail_msg("%s: no power", type->info.name);
    }
}

// What each force type exerts can be recorded, and its power.
static void force_outputs(void** state) {
    (void)state;
    const double h = 0.002;
    for (int i = 0; fb_force_types[i]; i++) {
        const FbForceType* type = fb_force_types[i];
        const Example* e = FORCES;
        while (e->type && strcmp(e->type, type->info.name) != 0) {
            e++;
        }
        assert_non_null(e->type);
        char text[5000];
        snprintf(text, sizeof(text),
                 MOVING "forces:\n  f: %s\noutputs:\n  T: {type: kinetic_energy}\n  P: f.power\n%s",
                 e->text, outputs_of(type->measure));
        TestRun run = test_run_text(text, (TestMethod){"dop853", 0.1, h, 1e-12, 1e-13});
        check_power(type, &run, h);
        test_run_free(&run);
    }
}

static void laws(void** state) {
    (void)state;
    check_table(
        fb_types()->laws, LAWS, STAGE "laws:\n  law: ",
        "\nforces: {f: {type: actuator, joint: j0, law: law}}\noutputs: {q: j0.q, l: law}\n");
}

static void sensors(void** state) {
    (void)state;
    check_table(fb_types()->sensors, SENSORS,
                STAGE
                "constraints: {c: {type: distance, a: B, b: C}}\n"
                "materials: {soft: {E: 1e5, nu: 0.3, density: 100}}\n"
                "sections: {bar: {type: rectangle, material: soft, width: 0.1, height: 0.1}}\n"
                "structures:\n  f:\n    nodes: {M: {at: [0, 0, 0], support: clamped}, N: [1, 0, "
                "0]}\n    members: {m: {from: M, to: N, section: bar, elements: 2}}\n"
                "  plate:\n    mesh: {type: plate, size: [1, 0.2], divisions: [2, 1]}\n"
                "    groups: {all: {material: soft, thickness: 0.1}}\n"
                "    supports: {x0: clamped}\n    nodes: {tip: {at: [1, 0, 0]}}\n"
                "    stresses: {root: {at: [0, 0, 0]}}\n    reduce: {modes: 2}\n"
                "sliders: {s1: {guide: f.m, mass: 0.1, value: 0.3 + t}}\n"
                "forces:\n  f: {type: torsion, joint: j0, damping: 1}\n"
                "  g: {type: force, point: C, value: [1, 0, 0]}\noutputs:\n  s: ",
                "\n");
}

static void write_tetrahedron(const char* path) {
    static const char* const faces[4] = {"0 0 0|0 1 0|1 0 0", "0 0 0|1 0 0|0 0 1",
                                         "1 0 0|0 1 0|0 0 1", "0 1 0|0 0 0|0 0 1"};
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "solid t\n");
    for (int i = 0; i < 4; i++) {
        fprintf(f, "facet normal 0 0 0\nouter loop\nvertex %.5s\nvertex %.5s\nvertex %.5s\n",
                faces[i], faces[i] + 6, faces[i] + 12);
        fprintf(f, "endloop\nendfacet\n");
    }
    fprintf(f, "endsolid t\n");
    fclose(f);
}

static void shapes(void** state) {
    (void)state;
    write_tetrahedron("conform_tetrahedron.stl");
    check_table(fb_types()->shapes, SHAPES,
                "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n  D:\n    shapes:\n"
                "      - {type: box, size: [0.1, 0.1, 0.1], mass: 1}\n      - ",
                "\njoints: {j: {type: spherical, between: [ground, D], point: [0, 1, 0]}}\n"
                "outputs: {E: {type: energy}}\n");
    remove("conform_tetrahedron.stl");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints),        cmocka_unit_test(constraints), cmocka_unit_test(forces),
        cmocka_unit_test(force_outputs), cmocka_unit_test(laws),        cmocka_unit_test(sensors),
        cmocka_unit_test(shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
