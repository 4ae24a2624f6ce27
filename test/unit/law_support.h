// What the tests of laws share: building a law, comparing, refusals, and an arena for each group.
#ifndef FLYBALL_TEST_UNIT_LAW_SUPPORT_H
#define FLYBALL_TEST_UNIT_LAW_SUPPORT_H

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <string.h>

#include "law/law.h"

static inline void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g differs from %.17g by %g", value, expected, value - expected);
    }
}

// Names of the tests' expressions: t is input 0, w a constant.
static inline int resolve(void* self, const char* name, FbNumber* found) {
    (void)self;
    if (strcmp(name, "t") == 0) {
        return 0;
    }
    found->value = 3.0;
    return strcmp(name, "w") == 0 ? FB_NAME_CONSTANT : FB_NAME_UNKNOWN;
}

static inline FbLaw build(const FbLawDef* def, FbArena* arena) {
    FbLaw law;
    FbError err;
    if (fb_law_build(def, resolve, NULL, arena, &law, &err) != FB_OK) {
        fail_msg("%s", err.text);
    }
    return law;
}

static inline void assert_refused(const FbLawDef* def, FbArena* arena, const char* part) {
    FbLaw law;
    FbError err;
    assert_true(fb_law_build(def, resolve, NULL, arena, &law, &err) < 0);
    if (strstr(err.text, part) == NULL) {
        fail_msg("'%s' does not contain '%s'", err.text, part);
    }
}

static inline int setup(void** state) {
    *state = fb_arena_create();
    return *state == NULL;
}

static inline int teardown(void** state) {
    fb_arena_destroy(*state);
    return 0;
}

#endif
