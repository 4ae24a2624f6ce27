// Libraries that are loaded when first needed: found ones work, missing ones say what to install.
#include "base/library.h"

#include <math.h>
#include <string.h>

#include "test_base_support.h"

typedef void (*Function)(void);

static void functions_are_found(void** state) {
    (void)state;
    double (*cosine)(double) = NULL;
    FbLibraryName name = {"the C library's mathematics", "libm.so.6", "libm.so.6", "libc6"};
    FbLibrarySymbol symbol = {"cos", (Function*)&cosine};
    FbError err;
    assert_int_equal(fb_library_load(&name, &symbol, 1, &err), FB_OK);
    assert_near(cosine(0.5), cos(0.5), 1e-15);
}

// The file is tried where the name is not known to the system.
static void the_path_is_the_second_choice(void** state) {
    (void)state;
    double (*sine)(double) = NULL;
    FbLibraryName name = {"mathematics", "libflyball_nowhere.so.9", "libm.so.6", "libc6"};
    FbLibrarySymbol symbol = {"sin", (Function*)&sine};
    assert_int_equal(fb_library_load(&name, &symbol, 1, NULL), FB_OK);
    assert_true(sine != NULL);
}

static void missing_ones_are_named(void** state) {
    (void)state;
    FbLibraryName name = {"NOPACK", "libnopack.so.3", "/nowhere/libnopack.so", "libnopack3"};
    FbLibraryName known = {"MATH", "libm.so.6", "libm.so.6", "libmath6"};
    Function found = NULL;
    FbLibrarySymbol symbol = {"there_is_no_such_function", &found};
    FbError err;
    assert_int_equal(fb_library_load(&name, &symbol, 1, &err), FB_ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "NOPACK"));
    assert_non_null(strstr(err.text, "libnopack3"));
    assert_int_equal(fb_library_load(&known, &symbol, 1, &err), FB_ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "libmath6"));
    assert_null(found);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions_are_found),
                                       cmocka_unit_test(the_path_is_the_second_choice),
                                       cmocka_unit_test(missing_ones_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
