// Loads of meshes whose values follow sensors: every Jacobian block against finite differences, of
// the whole mesh and of the reduced one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run_support.h"

static void blocks(void** state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        test_check_blocks(
            test_model_with("test/verify/mesh_loads/plate.yaml",
                            "    loads: => %s    loads:", i ? "    reduce: {modes: 3}\n" : ""),
            i ? "reduced" : "whole", 0.2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
