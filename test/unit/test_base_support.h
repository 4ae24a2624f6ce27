// What the unit tests of base and math share: cmocka, comparisons, a small random generator.
#ifndef FLYBALL_TEST_BASE_SUPPORT_H
#define FLYBALL_TEST_BASE_SUPPORT_H

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>

#define assert_near(value, expected, tolerance) \
    check_near((value), (expected), (tolerance), #value, __FILE__, __LINE__)

static inline void check_near(double value, double expected, double tolerance, const char* what,
                              const char* file, int line) {
    if (!(fabs(value - expected) <= tolerance)) {
        print_error("%s = %.17g, expected %.17g, off by %g (allowed %g)\n", what, value, expected,
                    value - expected, tolerance);
        _fail(file, line);
    }
}

// Uniform in [-1, 1).
static inline double random_unit(uint64_t* seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static inline int random_below(uint64_t* seed, int n) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((*seed >> 33) % (uint64_t)n);
}

#endif
