// The unit table, products, quotients and powers, dimensions and what is refused.
#include <string.h>

#include "base/units.h"
#include "test_base_support.h"
#include "unit_list.h"

static void assert_unit(const char* text, double factor, int kg, int m, int s, int rad) {
    double found = 0.0;
    FbDimension d = {99, 99, 99, 99};
    FbError err = {0};
    if (fb_unit_parse(text, &found, &d, &err) != FB_OK) {
        fail_msg("%s: %s", text, err.text);
    }
    if (d.kg != kg || d.m != m || d.s != s || d.rad != rad) {
        fail_msg("%s has dimension %d %d %d %d", text, d.kg, d.m, d.s, d.rad);
    }
    assert_near(found, factor, 4e-16 * factor);
}

static void the_table_has_the_right_factors(void** state) {
    (void)state;
    const double pi = acos(-1.0);
    const struct {
        const char* name;
        double factor;
        int kg, m, s, rad;
    } table[] = {
        {"m", 1, 0, 1, 0, 0},
        {"mm", 1e-3, 0, 1, 0, 0},
        {"cm", 1e-2, 0, 1, 0, 0},
        {"km", 1e3, 0, 1, 0, 0},
        {"um", 1e-6, 0, 1, 0, 0},
        {"in", 25.4e-3, 0, 1, 0, 0},
        {"ft", 12 * 25.4e-3, 0, 1, 0, 0},
        {"kg", 1, 1, 0, 0, 0},
        {"g", 1e-3, 1, 0, 0, 0},
        {"mg", 1e-6, 1, 0, 0, 0},
        {"ug", 1e-9, 1, 0, 0, 0},
        {"t", 1e3, 1, 0, 0, 0},
        {"lb", 0.45359237, 1, 0, 0, 0},
        {"s", 1, 0, 0, 1, 0},
        {"ms", 1e-3, 0, 0, 1, 0},
        {"us", 1e-6, 0, 0, 1, 0},
        {"min", 60, 0, 0, 1, 0},
        {"h", 3600, 0, 0, 1, 0},
        {"rad", 1, 0, 0, 0, 1},
        {"deg", pi / 180, 0, 0, 0, 1},
        {"rev", 2 * pi, 0, 0, 0, 1},
        {"Hz", 2 * pi, 0, 0, -1, 1},
        {"rpm", 2 * pi / 60, 0, 0, -1, 1},
        {"N", 1, 1, 1, -2, 0},
        {"kN", 1e3, 1, 1, -2, 0},
        {"MN", 1e6, 1, 1, -2, 0},
        {"lbf", 0.45359237 * 9.80665, 1, 1, -2, 0},
        {"Nm", 1, 1, 2, -2, 0},
        {"J", 1, 1, 2, -2, 0},
        {"kJ", 1e3, 1, 2, -2, 0},
        {"W", 1, 1, 2, -3, 0},
        {"kW", 1e3, 1, 2, -3, 0},
        {"Pa", 1, 1, -1, -2, 0},
        {"kPa", 1e3, 1, -1, -2, 0},
        {"MPa", 1e6, 1, -1, -2, 0},
        {"GPa", 1e9, 1, -1, -2, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_unit(table[i].name, table[i].factor, table[i].kg, table[i].m, table[i].s,
                    table[i].rad);
    }
}

static void products_quotients_and_powers(void** state) {
    (void)state;
    assert_unit("N*s/m", 1, 1, 0, -1, 0);
    assert_unit("kg*m^2/s", 1, 1, 2, -1, 0);
    assert_unit("N/mm", 1e3, 1, 0, -2, 0);
    assert_unit("g/cm^3", 1e3, 1, -3, 0, 0);
    assert_unit("kN/mm^2", 1e9, 1, -1, -2, 0);
    assert_unit("km/h", 1000.0 / 3600.0, 0, 1, -1, 0);
    assert_unit("1/s", 1, 0, 0, -1, 0);
    assert_unit("1", 1, 0, 0, 0, 0);
    assert_unit("s^-1", 1, 0, 0, -1, 0);
    assert_unit("s^(-2)", 1, 0, 0, -2, 0);
    assert_unit("Nm/(rad*s)", 1, 1, 2, -3, -1);
    assert_unit("m/s/s", 1, 0, 1, -2, 0);
    assert_unit(" mm * mm ", 1e-6, 0, 2, 0, 0);
    assert_unit("(mm/ms)^2", 1, 0, 2, -2, 0);
    assert_unit("m^0", 1, 0, 0, 0, 0);
}

static void assert_refused(const char* text, const char* expected) {
    double factor = -1.0;
    FbDimension d;
    FbError err = {0};
    assert_int_equal(fb_unit_parse(text, &factor, &d, &err), FB_ERR_UNIT);
    assert_string_equal(err.text, expected);
    assert_near(factor, -1.0, 0.0);
}

static void malformed_units_are_refused(void** state) {
    (void)state;
    assert_refused("", "the unit is empty");
    assert_refused("  ", "the unit is empty");
    assert_refused("degg", "unknown unit 'degg'; did you mean 'deg'?" UNIT_LIST);
    assert_refused("RPM", "unknown unit 'RPM'; did you mean 'rpm'?" UNIT_LIST);
    assert_refused("furlong", "unknown unit 'furlong'" UNIT_LIST);
    assert_refused("K", "unknown unit 'K'" UNIT_LIST);
    assert_refused("N/", "the unit 'N/' is incomplete");
    assert_refused("N//m", "unexpected '/' in the unit 'N//m'");
    assert_refused("N/m)", "unexpected ')' in the unit 'N/m)'");
    assert_refused("(N/m", "the unit '(N/m' is incomplete");
    assert_refused("10 m", "unexpected '1' in the unit '10 m'");
    assert_refused("m^x", "the unit 'm^x' needs an integer up to 9 after '^'");
    assert_refused("m^99999999999999999999",
                   "the unit 'm^99999999999999999999' needs an integer up to 9 after '^'");
    assert_refused("((m^9)^9)^9", "the powers in the unit '((m^9)^9)^9' are too large");
    assert_refused("((((((((((((m))))))))))))",
                   "unexpected '(' in the unit '((((((((((((m))))))))))))'");
}

static void assert_dimension(const char* unit, const char* expected) {
    double factor;
    FbDimension d;
    char out[80];
    assert_int_equal(fb_unit_parse(unit, &factor, &d, NULL), FB_OK);
    fb_dimension_format(d, out, sizeof out);
    assert_string_equal(out, expected);
}

static void dimensions_are_readable(void** state) {
    (void)state;
    assert_dimension("kN", "kg*m/s^2 (force)");
    assert_dimension("mm", "m (length)");
    assert_dimension("deg", "rad (angle)");
    assert_dimension("1", "1 (a pure number)");
    assert_dimension("Nm/rad", "kg*m^2/s^2/rad (torsional stiffness)");
    assert_dimension("1/m^5", "1/m^5");
    char small[6];
    fb_dimension_format((FbDimension){1, 1, -2, 0}, small, sizeof small);
    assert_string_equal(small, "kg*m/");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_the_right_factors),
        cmocka_unit_test(products_quotients_and_powers),
        cmocka_unit_test(malformed_units_are_refused),
        cmocka_unit_test(dimensions_are_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
