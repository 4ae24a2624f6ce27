// Arena memory, growable arrays, clocks and SHA-256.
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/sha256.h"
#include "test_base_support.h"

static void blocks_are_zeroed_aligned_and_apart(void** state) {
    (void)state;
    FbArena* arena = fb_arena_create();
    uint64_t seed = 1;
    unsigned char* blocks[500];
    size_t sizes[500];
    for (int i = 0; i < 500; i++) {
        sizes[i] = (size_t)random_below(&seed, i % 50 == 0 ? 200000 : 100);
        blocks[i] = fb_arena_take(arena, sizes[i]);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % alignof(max_align_t), 0);
        for (size_t k = 0; k < sizes[i]; k++) {
            assert_int_equal(blocks[i][k], 0);
        }
        memset(blocks[i], i % 255 + 1, sizes[i]);
    }
    for (int i = 0; i < 500; i++) {
        for (size_t k = 0; k < sizes[i]; k++) {
            assert_int_equal(blocks[i][k], i % 255 + 1);
        }
    }
    assert_false(fb_arena_has_failed(arena));
    fb_arena_destroy(arena);
    fb_arena_destroy(NULL);
}

static void texts_are_copied(void** state) {
    (void)state;
    FbArena* arena = fb_arena_create();
    char word[] = "governor";
    char* copy = fb_arena_text(arena, word);
    char* part = fb_arena_text_n(arena, word, 3);
    word[0] = 'X';
    assert_string_equal(copy, "governor");
    assert_string_equal(part, "gov");
    assert_null(fb_arena_text(arena, NULL));
    assert_string_equal(fb_arena_format(arena, "V%d.%s", 12, "tip"), "V12.tip");
    assert_string_equal(fb_arena_format(arena, "%0500d", 7) + 498, "07");
    fb_arena_destroy(arena);
}

static void impossible_sizes_fail_and_stay_failed(void** state) {
    (void)state;
    FbArena* arena = fb_arena_create();
    int count = -1;
    assert_null(FB_TAKE(arena, double, count));
    assert_true(fb_arena_has_failed(arena));
    assert_null(fb_arena_take(arena, 8));
    fb_arena_destroy(arena);
}

static void grow_keeps_what_is_there(void** state) {
    (void)state;
    int* items = NULL;
    int capacity = 0;
    for (int i = 0; i < 5000; i++) {
        assert_true(fb_grow((void**)&items, &capacity, i, sizeof *items));
        assert_true(capacity > i);
        items[i] = i * i;
    }
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(items[i], i * i);
    }
    assert_false(fb_grow((void**)&items, &capacity, 2000000000, sizeof *items));
    assert_int_equal(items[4999], 4999 * 4999);
    free(items);
}

static void sha256_gives_the_published_digests(void** state) {
    (void)state;
    char out[65];
    fb_sha256_hex("", 0, out);
    assert_string_equal(out, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    fb_sha256_hex(NULL, 0, out);
    assert_string_equal(out, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    fb_sha256_hex("abc", 3, out);
    assert_string_equal(out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const char* two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    fb_sha256_hex(two, strlen(two), out);
    assert_string_equal(out, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char* million = malloc(1000000);
    memset(million, 'a', 1000000);
    fb_sha256_hex(million, 1000000, out);
    assert_string_equal(out, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void clocks_go_forward(void** state) {
    (void)state;
    double wall = fb_clock_wall_s(), cpu = fb_clock_cpu_s();
    volatile double sum = 0.0;
    for (int i = 0; i < 2000000; i++) {
        sum += 1.0 / (i + 1.0);
    }
    assert_true(sum > 15.0 && sum < 15.2);  // ln 2e6 + 0.5772
    assert_true(fb_clock_wall_s() > wall);
    double used = fb_clock_cpu_s() - cpu;
    assert_true(used > 0.0 && used < 60.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zeroed_aligned_and_apart),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(impossible_sizes_fail_and_stay_failed),
        cmocka_unit_test(grow_keeps_what_is_there),
        cmocka_unit_test(sha256_gives_the_published_digests),
        cmocka_unit_test(clocks_go_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
