// The shortest decimal that reads back as the same double: R. Giulietti, "The Schubfach way to
// render doubles" (2020).
//
// The doubles next to v = c 2^q leave an interval around v, in which every decimal reads back as v.
// With 10^k the largest power of ten that is not wider than the interval, the interval holds one or
// more multiples of 10^k, and at most one multiple of 10^(k+1). The shortest decimal is the latter
// if there is one, otherwise the multiple of 10^k that is nearest to v. All of it is decided in
// integers, on 4 v / 10^k and 4 times the bounds, cut off to a whole number whose last bit
// remembers whether something was cut off.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/powers_of_ten.h"
#include "base/text.h"

__extension__ typedef unsigned __int128 Wide;

enum {
    FRACTION_BITS = DBL_MANT_DIG - 1,
    EXPONENT_BIAS = 1075,  // v = c 2^(biased exponent - 1075) with a whole c
    MOST_DIGITS = 17,
    // %g with 15 digits is what any decimal of 15 digits survives with. Numbers below 1e15 and
    // above 1e-5 are written without an exponent.
    FIXED_DIGITS = 15,
    LEAST_FIXED = -4,
};

typedef struct Decimal {
    uint64_t digits;
    int exponent;  // value = digits 10^exponent
} Decimal;

// floor(e log10(2)), floor(log10(3/4 2^e)) and floor(e log2(10)), exact for all e that occur here.
static int floor_log10_pow2(int e) {
    return (e * 1262611) >> 22;
}

static int floor_log10_three_quarters_pow2(int e) {
    return (e * 1262611 - 524031) >> 22;
}

static int floor_log2_pow10(int e) {
    return (e * 1741647) >> 19;
}

// floor(x g / 2^128), its last bit set if the product was cut off. g is rounded up in its last bit,
// so a remainder of 1 (in 2^-64) is none.
static uint64_t multiply_to_odd(const uint64_t g[2], uint64_t x) {
    Wide low = (Wide)g[1] * x;
    Wide high = (Wide)g[0] * x + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

static Decimal find_shortest(uint64_t c, int q, bool is_power_of_two) {
    // The gap below a power of two is half as wide as that above it.
    int k = is_power_of_two ? floor_log10_three_quarters_pow2(q) : floor_log10_pow2(q);
    int h = q + floor_log2_pow10(-k) + 1;
    const uint64_t* g = fb_powers_of_ten[-k - FB_FIRST_POWER_OF_TEN];
    uint64_t low = multiply_to_odd(g, (4 * c - (is_power_of_two ? 1 : 2)) << h);
    uint64_t v = multiply_to_odd(g, (4 * c) << h);
    uint64_t high = multiply_to_odd(g, (4 * c + 2) << h);
    // A bound itself is read back as the neighbour with the even significand.
    low += c & 1;
    high -= c & 1;
    uint64_t s = v / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool is_down_inside = low <= 40 * tens, is_up_inside = 40 * tens + 40 <= high;
        if (is_down_inside != is_up_inside) {
            return (Decimal){tens + is_up_inside, k + 1};
        }
    }
    bool is_down_inside = low <= 4 * s, is_up_inside = 4 * s + 4 <= high;
    if (is_down_inside != is_up_inside) {
        return (Decimal){s + is_up_inside, k};
    }
    uint64_t middle = 4 * s + 2;
    bool is_up = v > middle || (v == middle && (s & 1) != 0);
    return (Decimal){s + is_up, k};
}

// Removes zeros at the end: eight at once first, for round numbers have many.
static Decimal strip_zeros(Decimal d) {
    if (d.digits % 10 != 0) {
        return d;
    }
    if (d.digits % 100000000 == 0) {
        d.digits /= 100000000;
        d.exponent += 8;
    }
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

static const char pairs[] =
    "000102030405060708091011121314151617181920212223242526272829303132333435363738394041424344"
    "4546474849"
    "505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394"
    "9596979899";

// Eight digits in front of `end`. Four pairs that do not wait for each other's quotients.
static char* write_eight(uint32_t x, char* end) {
    uint32_t high = x / 10000, low = x % 10000;
    memcpy(end - 8, pairs + 2 * (high / 100), 2);
    memcpy(end - 6, pairs + 2 * (high % 100), 2);
    memcpy(end - 4, pairs + 2 * (low / 100), 2);
    memcpy(end - 2, pairs + 2 * (low % 100), 2);
    return end - 8;
}

// Writes the digits of x in front of `end`, two at a time, and returns where they begin.
static char* write_backwards(uint64_t all, char* end) {
    for (; all >= 100000000; all /= 100000000) {
        end = write_eight((uint32_t)(all % 100000000), end);
    }
    uint32_t x = (uint32_t)all;
    for (; x >= 10; x /= 100) {
        end -= 2;
        memcpy(end, pairs + 2 * (x % 100), 2);
    }
    if (x > 0) {
        *--end = (char)('0' + x);
    }
    return end;
}

static char* write_exponent(int exponent, char* out) {
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    if (size >= 100) {
        *out++ = (char)('0' + size / 100);
    }
    *out++ = (char)('0' + size / 10 % 10);
    *out++ = (char)('0' + size % 10);
    return out;
}

static char* write_fixed(const char* digits, int n, int exponent, char* out) {
    if (exponent < 0) {
        *out++ = '0';
        *out++ = '.';
        memset(out, '0', (size_t)(-exponent - 1));
        out += -exponent - 1;
        memcpy(out, digits, (size_t)n);
        return out + n;
    }
    int whole = exponent + 1;
    if (n <= whole) {
        memcpy(out, digits, (size_t)n);
        memset(out + n, '0', (size_t)(whole - n));
        return out + whole;
    }
    memcpy(out, digits, (size_t)whole);
    out[whole] = '.';
    memcpy(out + whole + 1, digits + whole, (size_t)(n - whole));
    return out + n + 1;
}

// As printf's %g writes the same digits.
static char* write_decimal(Decimal d, char* out) {
    char buffer[MOST_DIGITS + 3];
    char* end = buffer + sizeof buffer;
    char* digits = write_backwards(d.digits, end);
    int n = (int)(end - digits);
    int exponent = d.exponent + n - 1;  // of the first digit
    if (exponent >= LEAST_FIXED && exponent < (n > FIXED_DIGITS ? n : FIXED_DIGITS)) {
        return write_fixed(digits, n, exponent, out);
    }
    *out++ = digits[0];
    if (n > 1) {
        *out++ = '.';
        memcpy(out, digits + 1, (size_t)(n - 1));
        out += n - 1;
    }
    return write_exponent(exponent, out);
}

size_t fb_format_double(double value, char out[32]) {
    char* begin = out;
    if (!isfinite(value)) {
        strcpy(out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return strlen(out);
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
    int biased = (int)(bits >> FRACTION_BITS & 0x7ff);
    if (bits >> 63) {
        *out++ = '-';
    }
    if (biased == 0 && fraction == 0) {
        strcpy(out, "0");
        return strlen(begin);
    }
    uint64_t c = biased > 0 ? fraction | UINT64_C(1) << FRACTION_BITS : fraction;
    int q = (biased > 0 ? biased : 1) - EXPONENT_BIAS;
    Decimal d = find_shortest(c, q, fraction == 0 && biased > 1);
    char* end = write_decimal(strip_zeros(d), out);
    *end = '\0';
    return (size_t)(end - begin);
}
