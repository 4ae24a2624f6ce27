// Quantities: products, powers and comparisons of dimensions.
#include "base/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Powers are sums and products of small fractions; this is far above their rounding.
static const double POWER_ROUNDING = 1e-9;

FbQuantity fb_quantity_pure(void) {
    return (FbQuantity){.is_known = true};
}

static FbQuantity from_dimension(FbDimension d, bool is_written) {
    return (FbQuantity){true, is_written, {d.kg, d.m, d.s, d.rad}};
}

FbQuantity fb_quantity_written(FbDimension dimension) {
    return from_dimension(dimension, true);
}

FbQuantity fb_quantity_of_unit(const char* unit) {
    double factor;
    FbDimension dimension;
    if (!unit || !unit[0] || fb_unit_parse(unit, &factor, &dimension, NULL) < 0) {
        return (FbQuantity){0};
    }
    return from_dimension(dimension, false);
}

bool fb_quantity_fits_unit(FbQuantity q, const char* units) {
    static const char mark[] = " or ";
    for (const char* at = units; at; at = strstr(at, mark)) {
        at += at == units ? 0 : sizeof mark - 1;
        char unit[48];
        const char* end = strstr(at, mark);
        snprintf(unit, sizeof unit, "%.*s", end ? (int)(end - at) : (int)strlen(at), at);
        if (!fb_quantity_contradicts(q, fb_quantity_of_unit(unit))) {
            return true;
        }
    }
    return !units;
}

FbQuantity fb_quantity_times(FbQuantity a, FbQuantity b, double exponent) {
    if (!a.is_known || !b.is_known) {
        return (FbQuantity){0};
    }
    for (int i = 0; i < 4; i++) {
        a.power[i] += exponent * b.power[i];
    }
    a.is_written = a.is_written || b.is_written;
    return a;
}

FbQuantity fb_quantity_power(FbQuantity a, double exponent) {
    return a.is_known ? fb_quantity_times(fb_quantity_pure(), a, exponent) : a;
}

static bool is_same(FbQuantity a, FbQuantity b) {
    bool is_same = true;
    for (int i = 0; i < 3; i++) {
        is_same &= fabs(a.power[i] - b.power[i]) < POWER_ROUNDING;
    }
    return is_same;
}

bool fb_quantity_contradicts(FbQuantity a, FbQuantity b) {
    return a.is_known && b.is_known && (a.is_written || b.is_written) && !is_same(a, b);
}

FbQuantity fb_quantity_merge(FbQuantity a, FbQuantity b) {
    if (!a.is_known || !b.is_known) {
        return a.is_known ? a : b;
    }
    if (!is_same(a, b)) {
        return (FbQuantity){0};
    }
    return a.is_written ? a : b;
}

// false if a power is not whole or too large for the type.
static bool to_dimension(FbQuantity q, FbDimension* out) {
    int whole[4];
    for (int i = 0; i < 4; i++) {
        if (!(fabs(q.power[i]) < 100.0) || fabs(q.power[i] - round(q.power[i])) > POWER_ROUNDING) {
            return false;
        }
        whole[i] = (int)lround(q.power[i]);
    }
    *out = (FbDimension){(signed char)whole[0], (signed char)whole[1], (signed char)whole[2],
                         (signed char)whole[3]};
    return true;
}

void fb_quantity_format(FbQuantity q, char* out, size_t size) {
    static const char* const names[] = {"kg", "m", "s", "rad"};
    FbDimension d;
    if (!q.is_known) {
        snprintf(out, size, "a plain number");
        return;
    }
    if (to_dimension(q, &d)) {
        fb_dimension_format(d, out, size);
        return;
    }
    size_t used = 0;
    for (int i = 0; i < 4 && used < size; i++) {
        if (fabs(q.power[i]) > POWER_ROUNDING) {
            used += (size_t)snprintf(out + used, size - used, "%s%s^%g", used ? "*" : "", names[i],
                                     q.power[i]);
        }
    }
}

void fb_quantity_format_unit(FbQuantity q, char* out, size_t size) {
    FbDimension d;
    out[0] = '\0';
    if (q.is_known && to_dimension(q, &d)) {
        fb_dimension_format(d, out, size);
        char* name = strstr(out, " (");
        if (name) {
            *name = '\0';
        }
        if (strcmp(out, "1") == 0) {
            snprintf(out, size, "rad");
        }
    }
}
