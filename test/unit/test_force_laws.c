// Scalar force laws: derivatives against finite differences, power balance, limits, and what their
// checks refuse.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "force/force.h"

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g differs from %.17g by %g", value, expected, value - expected);
    }
}

static double pseudo_random(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return 2.0 * (*seed >> 8) / 16777216.0 - 1.0;
}

// One of each scalar type.
typedef struct Examples {
    FbSpringDef spring;
    FbTorsionDef torsion;
    FbFrictionDef friction;
} Examples;

static Examples examples(void) {
    Examples e = {fb_spring_def_default(), fb_torsion_def_default(), fb_friction_def_default()};
    e.spring.stiffness = e.torsion.stiffness = 300.0;
    e.spring.damping = e.torsion.damping = 7.0;
    e.spring.preload = e.torsion.preload = -11.0;
    e.friction.coulomb = 3.0;
    e.friction.viscous = 0.4;
    e.friction.stribeck = 1.5;
    e.friction.stribeck_velocity = 0.2;
    e.friction.smoothing_velocity = 0.05;
    return e;
}

static const FbForceType* const scalar_types[] = {&fb_force_spring, &fb_force_torsion,
                                                  &fb_force_friction};

static const FbForceDef* example(const Examples* e, int i) {
    const FbForceDef* const heads[] = {&e->spring.head, &e->torsion.head, &e->friction.head};
    return heads[i];
}

static double force_at(const FbForceType* type, const FbForceDef* def, double x, double v) {
    FbScalarForce f;
    type->scalar(def, 0.3, x, v, &f);
    return f.q;
}

// Central difference of fourth order of Q along (dx, dv).
static double slope_of_force(const FbForceType* type, const FbForceDef* def, double x, double v,
                             double dx, double dv) {
    double near = force_at(type, def, x + dx, v + dv) - force_at(type, def, x - dx, v - dv);
    double far =
        force_at(type, def, x + 2 * dx, v + 2 * dv) - force_at(type, def, x - 2 * dx, v - 2 * dv);
    return (8.0 * near - far) / (12.0 * (dx + dv));
}

static void test_derivatives_match_differences(void** state) {
    (void)state;
    Examples e = examples();
    unsigned seed = 1;
    for (int k = 0; k < 300; k++) {
        const FbForceType* type = scalar_types[k % 3];
        const FbForceDef* def = example(&e, k % 3);
        double x = pseudo_random(&seed), v = 0.3 * pseudo_random(&seed);
        FbScalarForce f;
        type->scalar(def, 0.3, x, v, &f);
        assert_near(f.dq_dvalue, slope_of_force(type, def, x, v, 1e-4, 0.0), 1e-7);
        assert_near(f.dq_drate, slope_of_force(type, def, x, v, 0.0, 1e-4), 1e-7);
    }
}

// dE/dt + dissipation = -Q x'
static void test_power_balances(void** state) {
    (void)state;
    Examples e = examples();
    unsigned seed = 2;
    for (int k = 0; k < 300; k++) {
        const FbForceType* type = scalar_types[k % 3];
        const FbForceDef* def = example(&e, k % 3);
        double x = pseudo_random(&seed), v = pseudo_random(&seed), h = 1e-4;
        double energy_rate = 0.0;
        if (type->energy != NULL) {
            energy_rate =
                v * (type->energy(def, 0.3, x + h) - type->energy(def, 0.3, x - h)) / (2.0 * h);
        }
        double dissipation = type->dissipation(def, 0.3, x, v);
        assert_true(dissipation >= 0.0);
        assert_near(energy_rate + dissipation, -force_at(type, def, x, v) * v, 1e-8);
    }
}

static void test_spring_pulls_beyond_rest(void** state) {
    (void)state;
    FbSpringDef def = fb_spring_def_default();
    def.stiffness = 100.0;
    assert_near(force_at(&fb_force_spring, &def.head, 0.5, 0.0), -20.0, 1e-12);
    assert_near(fb_force_spring.energy(&def.head, 0.3, 0.5), 2.0, 1e-12);
    assert_true(fb_force_spring.expression_sign == -1.0);
    assert_true(fb_force_actuator.expression_sign == 1.0);
}

static void test_friction_saturates_and_peaks(void** state) {
    (void)state;
    FbFrictionDef def = examples().friction;
    def.viscous = 0.0;
    assert_near(force_at(&fb_force_friction, &def.head, 0, 0), 0.0, 0.0);
    assert_near(force_at(&fb_force_friction, &def.head, 0, 5.0), -3.0, 1e-12);
    assert_near(force_at(&fb_force_friction, &def.head, 0, -5.0), 3.0, 1e-12);
    assert_true(force_at(&fb_force_friction, &def.head, 0, 0.1) < -3.5);
}

static void assert_refused(const FbForceType* type, const FbForceDef* def, const char* part) {
    FbError err;
    assert_true(type->check(def, &err) == FB_ERR_MODEL);
    assert_non_null(strstr(err.text, part));
}

static void test_checks_name_the_remedy(void** state) {
    (void)state;
    FbSpringDef spring = fb_spring_def_default();
    FbTorsionDef torsion = fb_torsion_def_default();
    FbBushingDef bushing = fb_bushing_def_default();
    FbFrictionDef friction = fb_friction_def_default();
    FbActuatorDef motor = fb_actuator_def_default();
    assert_refused(&fb_force_spring, &spring.head, "give it stiffness");
    assert_refused(&fb_force_torsion, &torsion.head, "give it stiffness");
    assert_refused(&fb_force_bushing, &bushing.head, "give it a stiffness");
    assert_refused(&fb_force_friction, &friction.head, "give it coulomb");
    assert_refused(&fb_force_actuator, &motor.head, "has no place to act");
    motor.joint.joint = "j";
    assert_refused(&fb_force_actuator, &motor.head, "no law and no value");
    motor.law = "l";
    assert_true(fb_force_actuator.check(&motor.head, NULL) == FB_OK);
    motor.value = "1";
    assert_refused(&fb_force_actuator, &motor.head, "both a law and a value");
    motor.a.body = "ground";
    assert_refused(&fb_force_actuator, &motor.head, "both a joint and points");
}

static void test_types_are_found_by_name(void** state) {
    (void)state;
    for (int i = 0; fb_force_types[i] != NULL; i++) {
        assert_ptr_equal(fb_force_type_find(fb_force_types[i]->info.name), fb_force_types[i]);
    }
    assert_null(fb_force_type_find("sprong"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives_match_differences),
        cmocka_unit_test(test_power_balances),
        cmocka_unit_test(test_spring_pulls_beyond_rest),
        cmocka_unit_test(test_friction_saturates_and_peaks),
        cmocka_unit_test(test_checks_name_the_remedy),
        cmocka_unit_test(test_types_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
