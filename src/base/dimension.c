// Dimensions as readable text.
#include <stdio.h>
#include <string.h>

#include "base/units.h"

// What a dimension is usually called.
static const char* quantity(FbDimension d) {
    static const struct {
        FbDimension dimension;
        const char* name;
    } quantities[] = {{{0, 0, 0, 0}, "a pure number"},
                      {{0, 0, 0, 1}, "angle"},
                      {{1, 0, 0, 0}, "mass"},
                      {{0, 1, 0, 0}, "length"},
                      {{0, 0, 1, 0}, "time"},
                      {{0, 2, 0, 0}, "area"},
                      {{0, 3, 0, 0}, "volume"},
                      {{0, 4, 0, 0}, "second moment of area"},
                      {{0, 1, -1, 0}, "velocity"},
                      {{0, 1, -2, 0}, "acceleration"},
                      {{0, 0, -1, 0}, "rate"},
                      {{0, 0, -1, 1}, "angular velocity"},
                      {{0, 0, -2, 1}, "angular acceleration"},
                      {{1, 1, -2, 0}, "force"},
                      {{1, 2, -2, 0}, "torque or energy"},
                      {{1, 2, -2, -1}, "torsional stiffness"},
                      {{1, 2, -1, -1}, "torsional damping"},
                      {{1, 2, -3, 0}, "power"},
                      {{1, 0, -2, 0}, "stiffness"},
                      {{1, 0, -1, 0}, "damping"},
                      {{1, -1, -2, 0}, "pressure"},
                      {{1, -3, 0, 0}, "density"},
                      {{1, -1, 0, 0}, "mass per length"},
                      {{1, 2, 0, 0}, "moment of inertia"},
                      {{1, 1, -1, 0}, "momentum"},
                      {{1, 2, -1, 0}, "angular momentum"}};
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        if (memcmp(&quantities[i].dimension, &d, sizeof d) == 0) {
            return quantities[i].name;
        }
    }
    return NULL;
}

// Appends "name^power" for the exponents of one sign, separated by `separator`; returns how many
// there are.
static int add_powers(FbDimension d, int sign, char separator, char* out, size_t size) {
    static const char* const names[] = {"kg", "m", "s", "rad"};
    const int exponents[] = {d.kg, d.m, d.s, d.rad};
    int count = 0;
    for (int i = 0; i < 4; i++) {
        int power = sign * exponents[i];
        if (power <= 0) {
            continue;
        }
        size_t used = strlen(out);
        if (count > 0 || separator == '/') {
            snprintf(out + used, size - used, "%c", separator);
            used = strlen(out);
        }
        snprintf(out + used, size - used, power > 1 ? "%s^%d" : "%s", names[i], power);
        count++;
    }
    return count;
}

void fb_dimension_format(FbDimension d, char* out, size_t size) {
    if (size == 0) {
        return;
    }
    out[0] = '\0';
    if (add_powers(d, 1, '*', out, size) == 0) {
        snprintf(out, size, "1");
    }
    add_powers(d, -1, '/', out, size);
    const char* name = quantity(d);
    size_t used = strlen(out);
    if (name) {
        snprintf(out + used, size - used, " (%s)", name);
    }
}
