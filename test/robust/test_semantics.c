// Models that read well but make no sense: each mistake has its message, with the names and the
// place.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "flyball/flyball.h"

typedef struct Mistake {
    const char* text;  // follows the stage; its lines count from 1
    FbStatus status;
    int line;
    const char* words[4];  // all must stand in the message
} Mistake;

// What every text follows: two arms.
#define STAGE                                                         \
    "flyball: 1\n"                                                    \
    "gravity: [0, -9.81, 0]\n"                                        \
    "bodies:\n"                                                       \
    "  A: {mass: 1, inertia: [1, 1, 1], points: {p: [1, 0, 0]}}\n"    \
    "  B: {mass: 1, inertia: [1, 1, 1]}\n"                            \
    "joints:\n"                                                       \
    "  a: {type: revolute, between: [ground, A], point: [0, 0, 0]}\n" \
    "  b: {type: revolute, between: [A, B], point: [1, 0, 0]}\n"
enum { STAGE_LINES = 8 };

// The first error on the way from the text to a simulation.
static FbStatus first_error(const char* text, FbError* out) {
    FbDiagnostics* list = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbSimulation* sim = NULL;
    FbStatus status = fb_model_def_read_text(text, strlen(text), "m.yaml", NULL, &def, list);
    if (status == FB_OK) {
        status = fb_model_create(def, &model, list);
    }
    *out = (FbError){.status = status};
    for (int i = fb_diagnostics_count(list) - 1; status < 0 && i >= 0; i--) {
        const FbDiagnostic* d = fb_diagnostics_get(list, i);
        if (d->severity == FB_SEVERE) {
            out->status = d->status;
            out->place = d->place;
            snprintf(out->text, sizeof(out->text), "%s", d->text);
        }
    }
    if (status == FB_OK) {
        FbRunOptions o = fb_run_options_default(model);
        status = fb_simulation_create(model, &o, &sim, out);
    }
    fb_simulation_destroy(sim);
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(list);
    return status;
}

static void check(const Mistake* m) {
    char text[4000];
    FbError err;
    snprintf(text, sizeof(text), "%s%s", STAGE, m->text);
    FbStatus status = first_error(text, &err);
    if (status >= 0) {
        fail_msg("accepted: %s", m->text);
    }
    for (int i = 0; i < 4 && m->words[i]; i++) {
        if (!strstr(err.text, m->words[i])) {
            fail_msg("'%s' is missing in the message \"%s\" for %s", m->words[i], err.text,
                     m->text);
        }
    }
    if (err.status != m->status || err.place.line != STAGE_LINES + m->line) {
        fail_msg("status %d, line %d (of the text: %d) instead of %d, %d: \"%s\" for %s",
                 (int)err.status, err.place.line, err.place.line - STAGE_LINES, (int)m->status,
                 m->line, err.text, m->text);
    }
}

static void check_all(const Mistake* list, size_t n) {
    for (size_t i = 0; i < n; i++) {
        check(&list[i]);
    }
}
#define CHECK_ALL(list) check_all(list, sizeof(list) / sizeof(list[0]))

static void unknown_names(void** state) {
    (void)state;
    static const Mistake list[] = {
        {"  c: {type: revolute, between: [A, X]}\n", FB_ERR_NAME, 1, {"X"}},
        {"  c: {type: revolute, a: {body: A}, b: {body: X}}\n", FB_ERR_NAME, 1, {"X"}},
        {"  c: {type: revolute, a: A.q, b: {body: B}}\n", FB_ERR_NAME, 1, {"A", "q"}},
        {"constraints:\n  c: {type: distance, a: A.x, b: B}\n", FB_ERR_NAME, 2, {"A", "x"}},
        {"constraints:\n  c: {type: distance, a: A, b: X}\n", FB_ERR_NAME, 2, {"X"}},
        {"constraints:\n  c: {type: gear, a: a, b: x, ratio: 2}\n", FB_ERR_NAME, 2, {"x"}},
        {"constraints:\n  c: {type: motion, joint: x, value: t}\n", FB_ERR_NAME, 2, {"x"}},
        {"constraints:\n  c: {type: motion, joint: a, law: x}\n", FB_ERR_NAME, 2, {"x"}},
        {"constraints:\n  c: {type: coupling, terms: {a: 1, x: 2}}\n", FB_ERR_NAME, 2, {"x"}},
        {"forces:\n  f: {type: spring, a: A.x, b: B, stiffness: 1}\n", FB_ERR_NAME, 2, {"x"}},
        {"forces:\n  f: {type: torsion, joint: x, stiffness: 1}\n", FB_ERR_NAME, 2, {"x"}},
        {"forces:\n  f: {type: actuator, joint: a, value: x.q}\n", FB_ERR_NAME, 2, {"x.q"}},
        {"forces:\n  f: {type: actuator, joint: a, law: x}\n", FB_ERR_NAME, 2, {"x"}},
        {"forces:\n  f: {type: force, point: X, value: [0, 0, 0]}\n", FB_ERR_NAME, 2, {"X"}},
        {"outputs:\n  o: x.q\n", FB_ERR_NAME, 2, {"x.q"}},
        {"outputs:\n  o: {type: position, point: A.x}\n", FB_ERR_NAME, 2, {"x"}},
        {"outputs:\n  o: {type: position, point: A, frame: X}\n", FB_ERR_NAME, 2, {"X"}},
        {"outputs:\n  o: {type: reaction, joint: x}\n", FB_ERR_NAME, 2, {"x"}},
        {"outputs:\n  o: {type: multiplier, constraint: x}\n", FB_ERR_NAME, 2, {"x"}},
        {"outputs:\n  o: {type: applied_force, force: x}\n", FB_ERR_NAME, 2, {"x"}},
        {"outputs:\n  o: {type: applied_force, force: a}\n", FB_ERR_NAME, 2, {"no force 'a'"}},
        {"states:\n  s: {initial: 0, rate: nothing}\n", FB_ERR_NAME, 2, {"nothing"}},
        {"events:\n  e: {when: nothing - 1}\n", FB_ERR_NAME, 2, {"nothing"}},
        {"laws:\n  l: {type: expression, value: a.q}\n", FB_ERR_NAME, 2, {"a.q"}},
        {"initial:\n  i: {sensor: nothing, value: 1}\n", FB_ERR_NAME, 2, {"nothing"}},
        {"outputs:\n  o: {type: position, point: A}\n  c: 2*o\n",
         FB_ERR_NAME,
         3,
         {"unknown name 'o'", "'o' has the components o.x, o.y, o.z"}},
        {"outputs:\n  o: {type: orientation, body: A}\n  c: o.yaw\n",
         FB_ERR_NAME,
         3,
         {"unknown name 'o.yaw'", "has the components o.w, o.x, o.y, o.z"}},
        {"outputs:\n  o: {type: position, point: A, component: x}\n  c: o.w\n",
         FB_ERR_NAME,
         3,
         {"has the components o.x, o.y, o.z"}},
    };
    CHECK_ALL(list);
}

// Coordinates of one joint have units of their own.
static void units_of_coordinates(void** state) {
    (void)state;
    static const Mistake list[] = {
        {"  c: {type: planar, between: [A, B], position: [1 m, 1 m, 1 m]}\n",
         FB_ERR_UNIT,
         1,
         {"'m'", "in rad is needed"}},
        {"  c: {type: planar, between: [A, B], velocity: 5 rpm}\n",
         FB_ERR_UNIT,
         1,
         {"'rpm'", "in m/s is needed"}},
        {"  c: {type: cylindrical, between: [A, B], offset: [30 deg, 5 deg]}\n",
         FB_ERR_UNIT,
         1,
         {"'deg'", "in m is needed"}},
        {"  c: {type: pin_slot, between: [A, B], velocity: [null, 1 m/s]}\n",
         FB_ERR_UNIT,
         1,
         {"'m/s'", "in rad/s is needed"}},
        {"  c: {type: free, between: [A, B], position: [1 mm, null, 3, 1, 1, 1 km]}\n",
         FB_ERR_UNIT,
         1,
         {"'km'", "in rad is needed"}},
        {"  c: {type: node, between: [A, B], position: [1 mm, 2 mm, 3 deg]}\n",
         FB_ERR_UNIT,
         1,
         {"'deg'", "in m is needed"}},
    };
    CHECK_ALL(list);
    FbError err;
    const char* good =
        "flyball: 1\nbodies: {A: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {j: {type: free, between: [ground, A], offset: [1 mm, 2, 1 km, 1 deg, 1, 1 rev], "
        "velocity: [1 mm/s, null, 1 km/h, 1 rpm, 1 deg/s, 2]}}\n";
    assert_int_equal(first_error(good, &err), FB_OK);
}

// Drives and friction have the units of what they act on, also by a law that is an expression.
static void units_of_drives(void** state) {
    (void)state;
    static const Mistake list[] = {
        {"constraints:\n  c: {type: motion, joint: a, value: 5 mm/s*t}\n",
         FB_ERR_UNIT,
         2,
         {"length", "rad (angle) is needed"}},
        {"  s: {type: prismatic, between: [B, A]}\nlaws:\n  l: {type: expression, value: 5 "
         "deg/s*t}\n"
         "constraints:\n  c: {type: motion, joint: s, law: l}\n",
         FB_ERR_UNIT,
         5,
         {"angle", "m (length) is needed"}},
        {"constraints:\n  c: {type: distance, a: ground, b: A.p, value: 1 rad}\n",
         FB_ERR_UNIT,
         2,
         {"angle", "m (length) is needed"}},
        {"constraints:\n  c: {type: point_motion, point: A.p, relative_to: ground, value: 1 s}\n",
         FB_ERR_UNIT,
         2,
         {"time", "m (length) is needed"}},
        {"laws:\n  l: {type: expression, value: 5 N}\n"
         "forces:\n  f: {type: actuator, joint: a, law: l}\n",
         FB_ERR_UNIT,
         4,
         {"force", "torque"}},
        {"forces:\n  f: {type: friction, joint: a, coulomb: 5 kg}\n",
         FB_ERR_UNIT,
         2,
         {"'kg'", "N or N*m is needed"}},
        {"forces:\n  f: {type: torsion, joint: a, stiffness: 5 N}\n",
         FB_ERR_UNIT,
         2,
         {"'N'", "N*m/rad or N/m is needed"}},
    };
    CHECK_ALL(list);
    FbError err;
    const char* good =
        "flyball: 1\nbodies: {A: {mass: 1, inertia: [1, 1, 1]}, B: {mass: 1}}\n"
        "joints: {h: {type: revolute, between: [ground, A]}, s: {type: prismatic, between: "
        "[ground, B]}}\n"
        "forces: {k: {type: torsion, joint: s, stiffness: 5 kN/m, damping: 3 N*s/m, rest: 2 mm}, "
        "f: {type: friction, joint: s, coulomb: 3 N, smoothing_velocity: 1 mm/s}, "
        "g: {type: friction, joint: h, coulomb: 3 N*m, smoothing_velocity: 1 rpm}}\n"
        "constraints: {m: {type: motion, joint: h, value: 3 rpm*t}}\n";
    assert_int_equal(first_error(good, &err), FB_OK);
}

// The remedy depends on what is missing.
static void floating_bodies(void** state) {
    (void)state;
    const char* const bodies[] = {"{}", "{mass: 2}", "{shapes: [{type: point, mass: 2}]}"};
    for (int i = 0; i < 3; i++) {
        char text[200];
        FbError err;
        snprintf(text, sizeof(text), "flyball: 1\nbodies:\n  other: %s\n  stone: %s\n",
                 "{mass: 1, inertia: [1, 1, 1]}", bodies[i]);
        assert_int_equal(first_error(text, &err), FB_ERR_SINGULAR);
        assert_int_equal(err.place.line, 4);
        assert_non_null(strstr(err.text, "body 'stone' floats freely"));
        assert_non_null(strstr(err.text, i == 0 ? "no mass" : "no rotational inertia"));
        assert_true((strstr(err.text, "'translation'") != NULL) == (i > 0));
    }
}

static void impossible_parts(void** state) {
    (void)state;
    static const Mistake list[] = {
        {"  c: {type: revolute, between: [A, A]}\n", FB_ERR_MODEL, 1, {"'A'", "itself"}},
        {"  c: {type: revolute, between: [ground, B], axis: [0, 0, 0]}\n",
         FB_ERR_RANGE,
         1,
         {"axis", "length"}},
        {"constraints:\n  c: {type: gear, a: a, b: a, ratio: 2}\n",
         FB_ERR_MODEL,
         2,
         {"gear 'c'", "'a'", "itself"}},
        {"constraints:\n  c: {type: distance, a: ground, b: A.p, length: 2, value: 2 + t}\n",
         FB_ERR_MODEL,
         2,
         {"'c'", "length", "law", "one of them"}},
        {"constraints:\n  c: {type: point_on_line, point: A, line: B, axis: [0, 0, 0]}\n",
         FB_ERR_RANGE,
         2,
         {"axis", "'c'", "must not be zero"}},
        {"constraints:\n  c: {type: distance, a: A, b: B, length: 0}\n",
         FB_ERR_RANGE,
         2,
         {"'c'", "0 m", "> 0"}},
        {"constraints:\n  c: {type: motion, joint: a}\n", FB_ERR_MODEL, 2, {"'c'", "law"}},
        {"constraints:\n  c: {type: motion, joint: a.q2, value: t}\n",
         FB_ERR_RANGE,
         2,
         {"'a'", "revolute", "1 coordinate"}},
        {"forces:\n  f: {type: force, point: {body: ground}, value: [0, 0, 1]}\n",
         FB_ERR_MODEL,
         2,
         {"'f'", "ground"}},
        {"outputs:\n  o: a.q3\n", FB_ERR_RANGE, 2, {"'a'", "1 coordinate"}},
        {"outputs:\n  o: {type: position, point: A, relative_to: B, frame: A}\n",
         FB_ERR_MODEL,
         2,
         {"relative_to", "frame: B"}},
    };
    CHECK_ALL(list);
}

static void balls_are_not_numbers(void** state) {
    (void)state;
    static const Mistake list[] = {
        {"  c: {type: spherical, between: [ground, B]}\nforces:\n  f: {type: torsion, joint: c, "
         "stiffness: 1}\n",
         FB_ERR_MODEL,
         3,
         {"'c'", "ball", "orientation"}},
        {"  c: {type: spherical, between: [ground, B]}\noutputs:\n  o: c.q2\n",
         FB_ERR_MODEL,
         3,
         {"'c'", "ball"}},
        {"  c: {type: spherical, between: [ground, B]}\nconstraints:\n  m: {type: motion, joint: "
         "c.q1, value: t}\n",
         FB_ERR_MODEL,
         3,
         {"'c'", "ball"}},
    };
    CHECK_ALL(list);
    FbError err;
    const char* part =
        "flyball: 1\nbodies: {A: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n  c: {type: spherical, "
        "between: [ground, A],\n    position: [0.1, null, null]}\n";
    assert_int_equal(first_error(part, &err), FB_ERR_MODEL);
    assert_non_null(strstr(err.text, "all three"));
    assert_int_equal(err.place.line, 5);
}

static void causes_and_circles(void** state) {
    (void)state;
    static const Mistake list[] = {
        {"forces:\n  f: {type: actuator, joint: a, value: b.a}\n",
         FB_ERR_MODEL,
         2,
         {"b.a", "accelerations"}},
        {"forces:\n  f: {type: actuator, joint: a, value: o.x}\noutputs:\n  o: {type: reaction, "
         "joint: b}\n",
         FB_ERR_MODEL,
         2,
         {"o.x", "reactions"}},
        {"forces:\n  f: {type: actuator, joint: a, value: p}\noutputs:\n  p: 2*E\n  E: {type: "
         "energy}\n",
         FB_ERR_MODEL,
         2,
         {"'p'", "energies"}},
        {"forces:\n  f: {type: actuator, joint: a, value: g.power}\n  g: {type: torsion, joint: b, "
         "damping: 1}\n",
         FB_ERR_MODEL,
         2,
         {"'g.power'", "powers"}},
        {"forces:\n  f: {type: torque, body: B, value: [1, 0, 0]}\noutputs:\n  o: f.torque\n",
         FB_ERR_MODEL,
         4,
         {"torque 'f'", "{type: applied_torque, force: f}"}},
        {"forces:\n  f: {type: torsion, joint: b, damping: 1}\noutputs:\n  o: {type: "
         "applied_torque, force: f}\n",
         FB_ERR_MODEL,
         4,
         {"torsion 'f'", "coordinate", "'f.force'"}},
        {"states:\n  s: {rate: o}\noutputs:\n  o: a.a\n", FB_ERR_MODEL, 2, {"'o'"}},
        {"events:\n  e: {when: o}\noutputs:\n  o: a.a\n", FB_ERR_MODEL, 2, {"'o'"}},
        {"outputs:\n  x: y + 1\n  y: x - 1\n", FB_ERR_MODEL, 2, {"'x'", "itself"}},
        {"outputs:\n  x: 2*x\n", FB_ERR_MODEL, 2, {"'x'", "itself"}},
        {"forces:\n  f: {type: actuator, joint: a, value: g.force}\n  g: {type: actuator, joint: "
         "b, "
         "value: f.force}\n",
         FB_ERR_MODEL,
         2,
         {"'f'", "itself"}},
        {"forces:\n  f: {type: actuator, joint: a, value: o}\noutputs:\n  o: f.force + 1\n",
         FB_ERR_MODEL,
         2,
         {"'f'", "itself"}},
    };
    CHECK_ALL(list);
}

static void assemblies(void** state) {
    (void)state;
    static const Mistake list[] = {
        // 2 m of arms, but the pin is 5 m away; the loop is closed at b, the farthest from the
        // ground.
        {"  c: {type: revolute, a: {body: B, at: [3, 0, 0]}, b: {body: ground, at: [5, 0, 0]}}\n",
         FB_ERR_ASSEMBLY,
         0,
         {"joint 'b'", "translation along", "is violated by 2 (m"}},
        {"constraints:\n  c: {type: distance, a: {body: B, at: [1, 0, 0]}, b: ground, length: 9}\n",
         FB_ERR_ASSEMBLY,
         2,
         {"constraint 'c'", "distance"}},
        {"constraints:\n  c: {type: gear, a: a, b: b, ratio: 2}\ninitial:\n  i: {sensor: qa, "
         "value: "
         "0.1}\n  j: {sensor: qb, value: 0.3}\noutputs: {qa: a.q, qb: b.q}\n",
         FB_ERR_ASSEMBLY,
         2,
         {"constraint 'c'", "ratio", "set fewer"}},
        {"constraints:\n  c: {type: gear, a: a, b: b, ratio: 2}\ninitial:\n  i: {sensor: va, "
         "value: "
         "1}\n  j: {sensor: vb, value: 1}\noutputs: {va: a.v, vb: b.v}\n",
         FB_ERR_ASSEMBLY,
         2,
         {"the set velocities", "constraint 'c'", "ratio"}},
        {"initial:\n  i: {sensor: E, value: 1}\noutputs: {E: {type: energy}}\n",
         FB_ERR_MODEL,
         2,
         {"E"}},
    };
    CHECK_ALL(list);
}

static void contradictory_values(void** state) {
    (void)state;
    FbError err;
    const char* twice =
        "flyball: 1\nbodies:\n  A: {mass: 1, inertia: [1, 1, 1]}\njoints:\n"
        "  a: {type: revolute, between: [ground, A], position: 0.3}\n"
        "  b: {type: revolute, between: [ground, A], position: 0.5}\n";
    assert_int_equal(first_error(twice, &err), FB_ERR_ASSEMBLY);
    assert_true(strstr(err.text, "joint 'a'") || strstr(err.text, "joint 'b'"));
    assert_true(err.place.line == 5 || err.place.line == 6);
    const char* speeds =
        "flyball: 1\nbodies:\n  A: {mass: 1, inertia: [1, 1, 1]}\njoints:\n"
        "  a: {type: revolute, between: [ground, A], velocity: 1}\n"
        "constraints:\n  m: {type: motion, joint: a, value: 3*t}\n";
    assert_int_equal(first_error(speeds, &err), FB_ERR_ASSEMBLY);
    assert_true(strstr(err.text, "'a'") || strstr(err.text, "'m'"));
    const char* driven =
        "flyball: 1\nbodies:\n  A: {mass: 1, inertia: [1, 1, 1]}\njoints:\n"
        "  a: {type: revolute, between: [ground, A], position: 1}\n"
        "constraints:\n  m: {type: motion, joint: a, value: 3*t}\n";
    assert_int_equal(first_error(driven, &err), FB_ERR_ASSEMBLY);
    assert_true(strstr(err.text, "'a'") || strstr(err.text, "'m'"));
    assert_true(err.place.line == 5 || err.place.line == 7);
}

static void feedback(void** state) {
    (void)state;
#define MOVES "laws:\n  m: {type: moves, inner: 0, outer: 1, duration: 0.1, "
    static const Mistake list[] = {
        {MOVES "outward: x.q, inward: a.v}\n", FB_ERR_NAME, 2, {"x.q"}},
        {MOVES "outward: a.q, inward: a.a}\n", FB_ERR_MODEL, 2, {"'a.a'", "accelerations"}},
        {MOVES "outward: a.q}\n", FB_ERR_MODEL, 2, {"'inward'"}},
        {MOVES "outward: a.q, inward: a.v, lead: 0.05}\n", FB_ERR_RANGE, 2, {"'m'", "frequency"}},
        {MOVES "outward: a.q, inward: a.v, max_rate: 0}\n", FB_ERR_RANGE, 2, {"max_rate", "> 0"}},
        {MOVES "outward: a.q, inward: a.v, outward_direction: up}\n",
         FB_ERR_NAME,
         2,
         {"outward_direction", "rising"}},
        {"laws:\n  m: {type: jerk, from: 0, to: 1, max_rate: 1, max_acceleration: 1, max_jerk: "
         "0}\n",
         FB_ERR_RANGE,
         2,
         {"max_jerk", "> 0"}},
        {"sensors:\n  h: {type: hold, of: b.q, period: 0}\n", FB_ERR_RANGE, 2, {"period", "> 0"}},
        {"sensors:\n  h: {type: hold, of: b.q, period: 1, delay: -1}\n",
         FB_ERR_RANGE,
         2,
         {"delay", ">= 0"}},
        {"sensors:\n  h: {type: hold, of: b.q, period: 1e-6, delay: 10}\n",
         FB_ERR_RANGE,
         2,
         {"delay of 'h'", "periods"}},
        {"laws:\n  l: {type: table, times: [0, 1, 2, 3], values: [0, 0, 1, 1], interpolation: "
         "linear}\nsliders:\n  s: {body: A, points: [[0, 0, 0], [1, 0, 0]], mass: 1, law: l}\n",
         FB_ERR_MODEL,
         4,
         {"'s'", "'l'", "the speed jumps at t = 1 s"}},
        {"sliders:\n  s: {body: A, points: [[0, 0, 0], [1, 0, 0]], mass: 1, value: "
         "\"if(t < 0.7, 0.1, 0.5)\"}\n",
         FB_ERR_MODEL,
         2,
         {"'s'", "the position jumps at t = 0.7 s"}},
        {"sensors:\n  h: {type: hold, of: x, period: 1}\n", FB_ERR_NAME, 2, {"'x'"}},
    };
#undef MOVES
    CHECK_ALL(list);
}

// What is known of the model and of the parameters must agree in expressions of the motion too.
static void quantities_of_the_motion(void** state) {
    (void)state;
#define PARAMETERS "parameters: {k: 10 N/m, L: 1 m, T: 2 s, n: 3}\n"
    static const Mistake list[] = {
        {PARAMETERS "forces:\n  f: {type: force, point: A, value: [0, k*L, L]}\n",
         FB_ERR_UNIT,
         3,
         {"m (length)", "kg*m/s^2 (force)"}},
        {PARAMETERS "forces:\n  f: {type: torque, body: A, value: [0, 0, k*L]}\n",
         FB_ERR_UNIT,
         3,
         {"(force)", "(torque or energy)"}},
        {PARAMETERS "forces:\n  f: {type: spring, a: A, b: ground, force: -k*rate}\n",
         FB_ERR_UNIT,
         3,
         {"kg*m/s^3", "(force)"}},
        {PARAMETERS "forces:\n  f: {type: actuator, joint: a, value: -k*angle}\n",
         FB_ERR_UNIT,
         3,
         {"rad", "(torque or energy)"}},
        {PARAMETERS "outputs:\n  o: a.q + L\n", FB_ERR_UNIT, 3, {"cannot add", "rad", "m (l"}},
        {PARAMETERS "outputs:\n  o: \"if(t > L, 1, 2)\"\n",
         FB_ERR_UNIT,
         3,
         {"compare", "s (time)"}},
        {PARAMETERS "outputs:\n  p: {type: position, point: B}\n  o: \"p.x + 5 kg\"\n",
         FB_ERR_UNIT,
         4,
         {"cannot add", "m (length)", "kg (mass)"}},
        {PARAMETERS "outputs:\n  o: {type: expression, value: k*L, unit: W}\n",
         FB_ERR_UNIT,
         3,
         {"(force)", "(power)"}},
        {PARAMETERS "states:\n  s: {initial: 0, rate: L, unit: m}\n",
         FB_ERR_UNIT,
         3,
         {"m (length)", "m/s (velocity)"}},
        {PARAMETERS "laws:\n  l: {type: expression, value: sin(k*t)}\n",
         FB_ERR_UNIT,
         3,
         {"sin()", "pure number"}},
    };
    CHECK_ALL(list);
    // Plain numbers, and factors of one that were left out, contradict nothing.
    static const char fine[] = STAGE PARAMETERS
        "forces:\n"
        "  f: {type: force, point: A, value: [sin(t), -a.v - a.q, k*(L - 5 mm)]}\n"
        "  g: {type: spring, a: A.p, b: {body: ground, at: [3, 0, 0]}, force: 2*length - k*L}\n"
        "  h: {type: actuator, joint: a, value: \"-0.1*a.v + k*L*(L + 2 mm)*sin(2 rad/s*t)\"}\n"
        "states:\n  s: {initial: 0, rate: n*L + s, unit: kg}\n"
        "outputs:\n  o: a.q + b.v*t\n  p: {type: expression, value: k*L*a.v, unit: N/s}\n"
        "  r: {type: expression, value: a.q*180/pi, unit: deg}\n"
        "laws:\n  l: {type: expression, value: 5 m/s*t + L}\n";
#undef PARAMETERS
    FbError err;
    if (first_error(fine, &err) != FB_OK) {
        fail_msg("%d:%d: %s", err.place.line, err.place.col, err.text);
    }
}

static void bodies_without_mass(void** state) {
    (void)state;
    FbError err;
    const char* alone =
        "flyball: 1\nbodies: {A: {}}\njoints: {j: {type: revolute, between: [ground, A]}}\n";
    assert_int_equal(first_error(alone, &err), FB_ERR_SINGULAR);
    assert_non_null(strstr(err.text, "j"));
    assert_non_null(strstr(err.text, "inertia"));
    const char* in_a_loop =
        "flyball: 1\nbodies: {A: {}, B: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
        "  j: {type: revolute, between: [ground, A]}\n"
        "  k: {type: revolute, between: [ground, B], point: [1, 0, 0]}\n"
        "constraints: {c: {type: distance, a: B, b: {body: ground, at: [0, 3, 0]}}}\n";
    assert_int_equal(first_error(in_a_loop, &err), FB_ERR_SINGULAR);
    assert_non_null(strstr(err.text, "inertia"));
    // A massless body between others is fine as long as something with mass moves with it.
    const char* fine =
        "flyball: 1\nbodies: {A: {}, B: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
        "  j: {type: revolute, between: [ground, A]}\n"
        "  k: {type: prismatic, between: [A, B], axis: [1, 0, 0]}\n";
    assert_int_equal(first_error(fine, &err), FB_OK);
}

// The true cause is named, not just any lack of mass.
static void motions_without_rates(void** state) {
    (void)state;
    FbError err;
    const char* lock =
        "flyball: 1\nbodies: {A: {mass: 1, inertia: [1, 2, 2.5]}}\n"
        "joints: {j: {type: gimbal, a: ground, b: A, position: [0.3, 90 deg, 0.2]}}\n"
        "forces: {f: {type: torsion, joint: j.q1, stiffness: 1}}\n";
    assert_int_equal(first_error(lock, &err), FB_ERR_SINGULAR);
    assert_non_null(strstr(err.text, "'j' is in gimbal lock"));
    const char* point =
        "flyball: 1\nbodies: {A: {position: [0.4, 0.3, -1], shapes: [{type: point, mass: 2}]}}\n"
        "joints: {j: {type: spherical, between: [ground, A], point: [0, 0, 0]}}\n";
    assert_int_equal(first_error(point, &err), FB_ERR_SINGULAR);
    assert_non_null(strstr(err.text, "joint 'j' allows a spin"));
    assert_non_null(strstr(err.text, "write a small `sphere` instead of a `point`"));
    const char* sphere =
        "flyball: 1\nbodies: {A: {position: [0.4, 0.3, -1], shapes: [{type: sphere, mass: 2, "
        "radius: 0.01}]}}\n"
        "joints: {j: {type: spherical, between: [ground, A], point: [0, 0, 0]}}\n";
    assert_int_equal(first_error(sphere, &err), FB_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(impossible_parts),
        cmocka_unit_test(units_of_coordinates),
        cmocka_unit_test(units_of_drives),
        cmocka_unit_test(floating_bodies),
        cmocka_unit_test(balls_are_not_numbers),
        cmocka_unit_test(causes_and_circles),
        cmocka_unit_test(assemblies),
        cmocka_unit_test(contradictory_values),
        cmocka_unit_test(feedback),
        cmocka_unit_test(quantities_of_the_motion),
        cmocka_unit_test(bodies_without_mass),
        cmocka_unit_test(motions_without_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
