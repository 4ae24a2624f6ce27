// Powers of ten with 128 significant bits, for numbers that become text.
#ifndef FLYBALL_BASE_POWERS_OF_TEN_H
#define FLYBALL_BASE_POWERS_OF_TEN_H

#include <stdint.h>

enum { FB_FIRST_POWER_OF_TEN = -292, FB_LAST_POWER_OF_TEN = 324 };

// Entry k - FB_FIRST_POWER_OF_TEN: 10^k as {upper, lower} half of a number between 2^127 and 2^128,
// rounded up.
extern const uint64_t fb_powers_of_ten[FB_LAST_POWER_OF_TEN - FB_FIRST_POWER_OF_TEN + 1][2];

#endif
