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

static void run_all(const char* path, FbStatus expected) {
    char* model = NULL;
    size_t size = 0;
    assert_int_equal(fb_read_file(path, &model, &size, NULL), FB_OK);
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
    free(model);
}

static void test_good_model(void** state) {
    (void)state;
    run_all("test/robust/model_memory/good.yaml", FB_OK);
}

static void test_structure(void** state) {
    (void)state;
    run_all("test/robust/model_memory/frame.yaml", FB_OK);
}

static void test_bad_structure(void** state) {
    (void)state;
    run_all("test/robust/model_memory/bad_structure.yaml", FB_ERR_MODEL);
}

static void test_bad_model(void** state) {
    (void)state;
    run_all("test/robust/model_memory/bad_model.yaml", FB_ERR_NAME);
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
