// Bad input: every file of bad_models/ must give exactly the messages that its "# expect:" lines
// list, and no text may crash the reader.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the headers above.
#include <cmocka.h>

#include "../unit/model_types.h"
#include "../unit/unit_list.h"
#include "read/read.h"

static const char folder[] = "test/robust/bad_models";

static const char* word_of(const FbDiagnostic* d) {
    if (d->severity == FB_WARNING) {
        return "warning";
    }
    switch (d->status) {
        case FB_ERR_SYNTAX:
            return "syntax";
        case FB_ERR_NAME:
            return "name";
        case FB_ERR_UNIT:
            return "unit";
        case FB_ERR_RANGE:
            return "range";
        case FB_ERR_MODEL:
            return "model";
        default:
            return "other";
    }
}

static FbStatus read_text(const char* text, size_t size, const FbReadOptions* options,
                          FbDiagnostics* list) {
    FbTypeSet types = test_types();
    FbModelDef* def = NULL;
    FbStatus status = fb_read_model(text, size, "m.yaml", options, &types, &def, list);
    // A model comes out if and only if there was no error.
    assert_int_equal(def != NULL, status == FB_OK);
    assert_int_equal(fb_diagnostics_error_count(list) == 0, status == FB_OK);
    fb_model_def_destroy(def);
    return status;
}

// Compares the messages, in the order of the file, with the expectations; returns the number of
// differences.
static int compare(const char* name, const char* text, const FbDiagnostics* list) {
    int n_wrong = 0, index = 0;
    const char mark[] = "# expect: ";
    for (const char* at = strstr(text, mark); at; at = strstr(at, mark), index++) {
        at += sizeof mark - 1;
        size_t n = strcspn(at, "\n");
        char found[700] = "(nothing)";
        const FbDiagnostic* d = fb_diagnostics_get(list, index);
        if (d) {
            assert_string_equal(d->place.file, "m.yaml");
            snprintf(found, sizeof found, "%d:%d %s: %s", d->place.line, d->place.col, word_of(d),
                     d->text);
        }
        if (strlen(found) != n || strncmp(found, at, n) != 0) {
            print_error("%s: expected %.*s\n%s: found    %s\n", name, (int)n, at, name, found);
            n_wrong++;
        }
    }
    for (; index < fb_diagnostics_count(list); index++, n_wrong++) {
        const FbDiagnostic* d = fb_diagnostics_get(list, index);
        print_error("%s: not expected %d:%d %s: %s\n", name, d->place.line, d->place.col,
                    word_of(d), d->text);
    }
    return n_wrong;
}

static int check_file(const char* name) {
    char path[512];
    char* text;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(fb_read_file(path, &text, &size, NULL), FB_OK);
    FbDiagnostics* list = fb_diagnostics_create();
    FbStatus status = read_text(text, size, NULL, list);
    int n_wrong = compare(name, text, list) + (status == FB_OK);
    n_wrong += status != fb_diagnostics_get(list, 0)->status &&
               fb_diagnostics_get(list, 0)->severity == FB_SEVERE;
    fb_diagnostics_destroy(list);
    free(text);
    return n_wrong;
}

static void test_files(void** state) {
    (void)state;
    int n_files = 0, n_wrong = 0;
    DIR* dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent* entry; (entry = readdir(dir)) != NULL;) {
        size_t n = strlen(entry->d_name);
        if (n > 5 && strcmp(entry->d_name + n - 5, ".yaml") == 0) {
            n_wrong += check_file(entry->d_name);
            n_files++;
        }
    }
    closedir(dir);
    assert_int_equal(n_wrong, 0);
    assert_true(n_files >= 30);
}

// One error, by its place and a part of its message.
static void expect_one(const char* text, size_t size, FbStatus status, int line, int col,
                       const char* message) {
    FbDiagnostics* list = fb_diagnostics_create();
    assert_int_equal(read_text(text, size, NULL, list), status);
    const FbDiagnostic* d = fb_diagnostics_get(list, 0);
    if (!strstr(d->text, message)) {
        fail_msg("'%s' does not contain '%s'", d->text, message);
    }
    assert_int_equal(d->place.line, line);
    assert_int_equal(d->place.col, col);
    fb_diagnostics_destroy(list);
}

static void test_garbage(void** state) {
    (void)state;
    static const char elf[] =
        "\x7f"
        "ELF\x02\x01\x01\0\0\0";
    static const char latin1[] = "flyball: 1\ntitle: K\xf6rper\n";
    static const char nul[] = "flyball: 1\nti\0tle: x\n";
    static const char surrogate[] = "a: \xed\xa0\x80";
    static const char cut[] = "title: \xe2\x82";
    expect_one("", 0, FB_ERR_SYNTAX, 1, 1, "the file is empty");
    expect_one("\n\n", 2, FB_ERR_SYNTAX, 1, 1, "the file is empty");
    expect_one(elf, sizeof elf, FB_ERR_SYNTAX, 1, 1, "byte 0x7f is not UTF-8 text");
    expect_one(latin1, sizeof latin1 - 1, FB_ERR_SYNTAX, 2, 9, "byte 0xf6 is not UTF-8 text");
    expect_one(nul, sizeof nul - 1, FB_ERR_SYNTAX, 2, 3, "byte 0x00");
    expect_one(surrogate, sizeof surrogate - 1, FB_ERR_SYNTAX, 1, 4, "byte 0xed");
    expect_one(cut, sizeof cut - 1, FB_ERR_SYNTAX, 1, 8, "byte 0xe2");
}

static void test_deep_nesting(void** state) {
    (void)state;
    enum { DEEP = 200000 };
    char* text = malloc(DEEP + 1);
    assert_non_null(text);
    memset(text, '[', DEEP);
    expect_one(text, DEEP, FB_ERR_SYNTAX, 1, 65, "nested more than 64 deep");
    for (int i = 0; i < DEEP; i++) {
        text[i] = "{a: "[i % 4];
    }
    expect_one(text, DEEP, FB_ERR_SYNTAX, 1, 4 * 64 + 1, "nested more than 64 deep");
    memset(text, '(', DEEP);
    memcpy(text, "flyball: ", 9);
    FbDiagnostics* list = fb_diagnostics_create();
    assert_int_equal(read_text(text, DEEP, NULL, list), FB_ERR_SYNTAX);
    fb_diagnostics_destroy(list);
    free(text);
}

// Each line doubles the one before: 2^40 values if written out.
static void test_alias_bomb(void** state) {
    (void)state;
    char text[4096];
    int n = sprintf(text, "flyball: 1\na0: &a0 [1, 1]\n");
    for (int i = 1; i < 40; i++) {
        n += sprintf(text + n, "a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1, i - 1);
    }
    FbDiagnostics* list = fb_diagnostics_create();
    assert_int_equal(read_text(text, (size_t)n, NULL, list), FB_ERR_SYNTAX);
    assert_non_null(strstr(fb_diagnostics_get(list, 0)->text, "with all aliases expanded"));
    fb_diagnostics_destroy(list);
}

// Templates of eight instances each, ten levels deep, and one that holds itself eight times: what
// they would become is counted, not made.
static void test_template_bombs(void** state) {
    (void)state;
    char text[8192];
    int n = sprintf(text, "flyball: 1\ntemplates:\n  a0: {bodies: {b: {mass: 1}}}\n");
    for (int i = 1; i < 10; i++) {
        n += sprintf(text + n, "  a%d: {instances: {", i);
        for (int k = 0; k < 8; k++) {
            n += sprintf(text + n, "%sx%d: {template: a%d}", k ? ", " : "", k, i - 1);
        }
        n += sprintf(text + n, "}}\n");
    }
    n += sprintf(text + n, "instances: {z: {template: a9}}\n");
    expect_one(text, (size_t)n, FB_ERR_RANGE, 13, 13, "at most 1000000 are allowed");
    n = sprintf(text, "flyball: 1\ntemplates:\n  a: {instances: {");
    for (int k = 0; k < 8; k++) {
        n += sprintf(text + n, "%sx%d: {template: a}", k ? ", " : "", k);
    }
    n += sprintf(text + n, "}}\ninstances: {z: {template: a}}\n");
    expect_one(text, (size_t)n, FB_ERR_MODEL, 3, 19, "does 'a' contain itself?");
    n = sprintf(text,
                "flyball: 1\ntemplates:\n  a: {repeat: {for: i, from: 1, to: 1000, bodies: {"
                "\"b{i}\": {mass: 1}, \"c{i}\": {mass: 1}}}}\n"
                "repeat: {for: k, from: 1, to: 90000, instances: {\"x{k}\": {template: a}, "
                "\"y{k}\": {template: a}, \"u{k}\": {template: a}, \"v{k}\": {template: a}, "
                "\"w{k}\": {template: a}, \"z{k}\": {template: a}, \"q{k}\": {template: a}, "
                "\"p{k}\": {template: a}, \"o{k}\": {template: a}, \"n{k}\": {template: a}, "
                "\"m{k}\": {template: a}, \"l{k}\": {template: a}}}\n");
    expect_one(text, (size_t)n, FB_ERR_RANGE, 4, 9, "at most 1000000 are allowed");
}

// Characters that a terminal would obey are refused in the file and shown as text in messages.
static void test_control_characters(void** state) {
    (void)state;
    static const struct {
        const char *text, *message;
        int line, col;
    } cases[] = {
        {"flyball: 1\ntitle: \"a\\e[31m\"\n", "control character \\x1b", 2, 9},
        {"flyball: 1\ntitle: \"a\\0b\"\n", "control character \\x00", 2, 9},
        {"flyball: 1\ntitle: \"a\\x9bb\"\n", "control character \\x9b", 2, 9},
        {"flyball: 1\noutputs: {o: {type: expression, value: t, unit: \"m\\a\"}}\n",
         "control character \\x07", 2, 50},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_one(cases[i].text, strlen(cases[i].text), FB_ERR_SYNTAX, cases[i].line, cases[i].col,
                   cases[i].message);
    }
    static const char key[] = "flyball: 1\n\"a\\e[31mRED\\e]0;pwn\\a\": 1\n";
    FbDiagnostics* list = fb_diagnostics_create();
    assert_int_equal(read_text(key, sizeof key - 1, NULL, list), FB_ERR_SYNTAX);
    for (int i = 0; i < fb_diagnostics_count(list); i++) {
        char line[600];
        fb_diagnostic_format(fb_diagnostics_get(list, i), line, sizeof line);
        for (const char* c = line; *c; c++) {
            assert_true((unsigned char)*c >= 0x20);
        }
    }
    fb_diagnostics_destroy(list);
}

static void expect_override(const char* name, const char* value, FbStatus status,
                            const char* message) {
    static const char text[] = "flyball: 1\nparameters: {length: 1, k: 2, L: 1 m}\n";
    FbOverride override = {name, value};
    FbReadOptions options = {.overrides = &override, .n_overrides = 1};
    FbDiagnostics* list = fb_diagnostics_create();
    assert_int_equal(read_text(text, sizeof text - 1, &options, list), status);
    char line[600];
    fb_diagnostic_format(fb_diagnostics_get(list, 0), line, sizeof line);
    assert_string_equal(line, message);
    fb_diagnostics_destroy(list);
}

static void test_overrides(void** state) {
    (void)state;
    expect_override(
        "lenght", "3", FB_ERR_NAME,
        "error: --set lenght=3: the model has no parameter 'lenght'; did you mean 'length'?");
    expect_override("k", "2*", FB_ERR_SYNTAX,
                    "--set k=2*: error: the expression ends where a value is expected");
    expect_override(
        "k", "3 lightyears", FB_ERR_UNIT,
        "--set k=3 lightyears: error: unknown unit 'lightyears'; write an operator before "
        "it if it is a name" UNIT_LIST);
    expect_override("k", "lengt", FB_ERR_NAME,
                    "--set k=lengt: error: unknown name 'lengt'; only numbers and parameters are "
                    "allowed here; did you mean "
                    "'length'?");
    expect_override("L", "2kg", FB_ERR_UNIT,
                    "--set L=2kg: error: this is kg (mass), but the parameter 'L' is m (length) in "
                    "the file");
    expect_override("k", "", FB_ERR_SYNTAX, "--set k=: error: a number is missing here");
}

static const char seed_text[] =
    "flyball: 1\nname: x\nparameters: {N: 2, k: 3 mm}\ngravity: [0, 0, -9.81]\n"
    "bodies: {rod: &r {mass: 1, shapes: [{type: box, size: [1, 2, 3], density: k}], points: {p: "
    "[0, 0, 1]}}, bar: *r}\n"
    "joints: {j: {type: revolute, between: [ground, rod], position: [30 deg, null]}, h: {type: "
    "revolute, a: rod.p, b: bar}}\n"
    "forces: {s: {type: spring, a: rod.p, b: {body: bar, at: [0, 0, 0]}, force: \"k*length + "
    "j.q\"}}\n"
    "outputs: {o: j.q, q: {type: position, point: rod.p}}\n"
    "repeat: [{for: i, from: 1, to: N, bodies: {\"b{i}\": {mass: i}}}]\n"
    "templates: {t1: {parameters: {L: 1}, bodies: {c: {mass: L}}}}\ninstances: {w: {template: t1, "
    "position: [1, 0, 0]}}\n"
    "materials: {m: {E: 2, density: 1}}\nsections: {s: {type: tube, material: m, radius: 2, "
    "inner_radius: 1}}\n"
    "structures: {f: {plane: xy, damping: {ratio: 0.1, between: [1, 2]}, nodes: {A: {at: [0, 0], "
    "support: roller}, B: {at: [1, 0], body: rod}},\n"
    "  members: {a: {from: A, to: B, section: s, elements: 2, hinge: both, load: [1, t, 0], "
    "stations: {c: 0.5, d: {at: 0.2, mass: 1}}}},\n"
    "  repeat: {for: i, from: 1, to: 2, nodes: {\"N{i}\": [i, 1]}, members: {\"b{i}\": {from: A, "
    "to: "
    "\"N{i}\", section: s}}}}}\n"
    "sliders: {x: {guide: [f.a, f.b1], mass: 1, value: t}, y: {body: rod, points: [[0, 0, 0], [1, "
    "0, "
    "0]], mass: 1, free: true}}\n";

static void read_anything(const char* text, size_t size) {
    FbDiagnostics* list = fb_diagnostics_create();
    read_text(text, size, NULL, list);
    fb_diagnostics_destroy(list);
}

static void test_every_prefix(void** state) {
    (void)state;
    for (size_t n = 0; n < sizeof seed_text - 1; n++) {
        // In memory of just that size, so that a sanitizer sees a read beyond the end.
        char* text = malloc(n + 1);
        assert_non_null(text);
        memcpy(text, seed_text, n);
        read_anything(text, n);
        free(text);
    }
}

// Characters that mean something are exchanged, dropped and doubled at random (the same on every
// run).
static void test_mutations(void** state) {
    (void)state;
    static const char alphabet[] = "{}[],:&*#?|>-'\"%@! \n0a.+(";
    uint32_t seed = 12345;
    char text[sizeof seed_text];
    for (int run = 0; run < 3000; run++) {
        memcpy(text, seed_text, sizeof text);
        for (int k = 0; k < 1 + run % 4; k++) {
            seed = seed * 1664525u + 1013904223u;
            text[(seed >> 8) % (sizeof text - 1)] = alphabet[(seed >> 3) % (sizeof alphabet - 1)];
        }
        read_anything(text, sizeof text - 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),          cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_deep_nesting),   cmocka_unit_test(test_alias_bomb),
        cmocka_unit_test(test_template_bombs), cmocka_unit_test(test_control_characters),
        cmocka_unit_test(test_overrides),      cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
