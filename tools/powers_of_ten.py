#!/usr/bin/env python3
"""Writes src/base/powers_of_ten.c, the table behind the shortest text of a number: tools/powers_of_ten.py [FILE]

Each entry is 10^k scaled by a power of two to 128 bits and rounded up. Without FILE it goes to standard output.
"""
import sys

FIRST, LAST = -292, 324
HEADER = """\
// 10^k from k = {first} to {last}: the upper and the lower half of ceil(10^k 2^(127 - e)), e the whole
// part of log2 10^k. Written by tools/powers_of_ten.py; a test compares the two.
#include "base/powers_of_ten.h"

// clang-format off
const uint64_t fb_powers_of_ten[{count}][2] = {{
"""


def scaled_power(k):
    """ceil(10^k 2^(127 - floor(log2 10^k))) in exact integers."""
    numerator, denominator = (10**k, 1) if k >= 0 else (1, 10**-k)
    shift = 127 - (numerator.bit_length() - denominator.bit_length())
    if shift >= 0:
        numerator <<= shift
    else:
        denominator <<= -shift
    if numerator < denominator << 127:  # the difference of the bit lengths is floor(log2) or one more
        numerator <<= 1
    return -(-numerator // denominator)


def text():
    powers = [scaled_power(k) for k in range(FIRST, LAST + 1)]
    assert all(2**127 <= p < 2**128 for p in powers)
    cells = ["{0x%016x, 0x%016x}" % (p >> 64, p & (2**64 - 1)) for p in powers]
    rows = ["    " + ", ".join(cells[i:i + 2]) + ",\n" for i in range(0, len(cells), 2)]
    return HEADER.format(first=FIRST, last=LAST, count=len(cells)) + "".join(rows) + "};\n// clang-format on\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            file.write(text())
    else:
        sys.stdout.write(text())
