// Running out of memory in the reader: whichever allocation fails, the reader says so, frees
// everything and does not crash.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the headers above.
#include <cmocka.h>

#include "../unit/model_types.h"
#include "read/read.h"
#include "schema/schema.h"

// The linker sends the library's allocations here (--wrap).
void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* block, size_t size);
void __real_free(void* block);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* block, size_t size);
void __wrap_free(void* block);

static long n_live, n_calls, fail_at;

static bool fails_now(void) {
    return ++n_calls == fail_at;
}

static void* count(void* block) {
    n_live += block != NULL;
    return block;
}

void* __wrap_malloc(size_t size) {
    return fails_now() ? NULL : count(__real_malloc(size));
}

void* __wrap_calloc(size_t n, size_t size) {
    return fails_now() ? NULL : count(__real_calloc(n, size));
}

void* __wrap_realloc(void* block, size_t size) {
    if (fails_now()) {
        return NULL;
    }
    void* grown = __real_realloc(block, size);
    n_live += grown && !block;
    return grown;
}

void __wrap_free(void* block) {
    n_live -= block != NULL;
    __real_free(block);
}

static const char text[] =
    "flyball: 1\nname: x\nparameters: {N: 2, k: 3 kg/m^3}\ngravity: [0, 0, -9.81]\n"
    "bodies: {rod: &r {mass: 1, shapes: [{type: box, size: [1, 2, 3], density: k}], points: {p: "
    "[0, 0, 1]}}, bar: *r}\n"
    "joints: {j: {type: revolute, between: [ground, rod], position: [30 deg]}, h: {type: revolute, "
    "a: rod.p, b: bar}}\n"
    "constraints: {c: {type: coupling, terms: {j: 1, h: -1}, law: l}}\n"
    "laws: {l: {type: table, times: [0, 1, 2], values: [0, 1, 0]}}\n"
    "forces: {s: {type: spring, a: rod.p, b: {body: bar, at: [0, 0, 0]}, force: 3 N/mm*length}}\n"
    "outputs: {o: j.q, q: {type: position, point: rod.p}}\nstates: {x: {rate: o}}\nevents: {up: "
    "{when: o - 1}}\n"
    "repeat: [{for: i, from: 1, to: N, bodies: {\"b{i}\": {mass: i}}, outputs: {\"o{i}\": "
    "j.q*i}}]\n"
    "templates: {t1: {parameters: {L: 1}, bodies: {c: {mass: L}}, joints: {d: {type: revolute, "
    "between: [ground, c]}},\n"
    "  outputs: {y: d.q*L}}}\ninstances: {w: {template: t1, position: [1, 0, 0]}}\n"
    "simulation: {duration: 3}\n";

static const char frame[] =
    "flyball: 1\nmaterials: {m: {E: 1, density: 1}}\n"
    "sections: {s: {type: circle, material: m, radius: 1}}\n"
    "structures: {f: {plane: xy, nodes: {A: {at: [0, 0], support: pinned}, B: {at: [1, 0], force: "
    "[t, 0, 0], stiffness: [1, 2], displacement: [1]}},\n"
    "  members: {m: {from: A, to: B, section: s, elements: 2, load: [1, 0, 0], stations: {c: {at: "
    "0.4, mass: 1}}},\n    h: {from: A, to: B, section: s, hinge: both}},\n"
    "  repeat: {for: i, from: 1, to: 2, nodes: {\"N{i}\": [i, 1]}, members: {\"m{i}\": {from: A, "
    "to: \"N{i}\", section: s}}}}}\n"
    "sliders: {x: {guide: [f.m, f.h], mass: 1, value: t*f.B.q1}}\n";

static FbStatus read_once(const char* model, size_t size) {
    FbTypeSet types = test_types();
    FbDiagnostics* list = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbStatus status = FB_ERR_MEMORY;
    if (list) {
        status = fb_read_model(model, size, "m.yaml", NULL, &types, &def, list);
        assert_int_equal(def != NULL, status == FB_OK);
        fb_diagnostics_destroy(list);
    }
    fb_model_def_destroy(def);
    return status;
}

static void run_all(const char* model, size_t size, FbStatus expected) {
    fail_at = 0;
    n_calls = 0;
    assert_int_equal(read_once(model, size), expected);
    long n = n_calls;
    assert_true(n > 10);
    long live_before = n_live;
    for (long i = 1; i <= n; i++) {
        n_calls = 0;
        fail_at = i;
        FbStatus status = read_once(model, size);
        fail_at = 0;
        assert_int_equal(n_live, live_before);
        if (status != FB_ERR_MEMORY && status != expected) {
            fail_msg("allocation %ld of %ld failed and the status is %d", i, n, status);
        }
        // A model that came out without error in spite of it would be incomplete.
        assert_true(expected != FB_OK || status == FB_ERR_MEMORY);
    }
}

static void test_good_model(void** state) {
    (void)state;
    run_all(text, sizeof text - 1, FB_OK);
}

static void test_structure(void** state) {
    (void)state;
    run_all(frame, sizeof frame - 1, FB_OK);
}

static void test_bad_structure(void** state) {
    (void)state;
    static const char bad[] =
        "flyball: 1\nmaterials: {m: {E: 1, density: 1}}\n"
        "sections: {s: {type: circle, material: m, radius: 1}}\n"
        "structures: {f: {nodes: {A: {at: [0, 0, 0], support: roller}, B: [1, 0, 0]}, members: {m: "
        "{from: A, to: b, section: s}}}}\n";
    run_all(bad, sizeof bad - 1, FB_ERR_MODEL);
}

static void test_bad_model(void** state) {
    (void)state;
    static const char bad[] =
        "flyball: 1\nbodies: {a: {mas: 1}, b: {mass: -1}}\njoints: {j: {type: revolut}}\n"
        "outputs: {o: nothing.q}\n";
    run_all(bad, sizeof bad - 1, FB_ERR_NAME);
}

static void test_schema(void** state) {
    (void)state;
    FbTypeSet types = test_types();
    char* out = NULL;
    long live_before = n_live;
    for (long i = 1; i < 100; i++) {
        n_calls = 0;
        fail_at = i;
        FbStatus status = i % 2 ? fb_schema_json_for(&types, &out, NULL)
                                : fb_schema_markdown_for(&types, &out, NULL);
        bool has_failed = n_calls >= i;
        fail_at = 0;
        assert_int_equal(status, has_failed ? FB_ERR_MEMORY : FB_OK);
        free(out);
        assert_int_equal(n_live, live_before);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_model),    cmocka_unit_test(test_structure),
        cmocka_unit_test(test_bad_structure), cmocka_unit_test(test_bad_model),
        cmocka_unit_test(test_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
