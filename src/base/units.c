// Units: a table of names with SI factors, products, quotients and powers of them.
#include "base/units.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define PI 3.14159265358979323846

typedef struct Unit {
    const char* name;
    double factor;
    FbDimension dimension;  // kg, m, s, rad
} Unit;

// Inch, foot, pound and pound-force by their international definitions. A hertz is a cycle, that is
// a turn, per second.
static const Unit units[] = {
    {"m", 1.0, {0, 1, 0, 0}},
    {"mm", 1e-3, {0, 1, 0, 0}},
    {"cm", 1e-2, {0, 1, 0, 0}},
    {"km", 1e3, {0, 1, 0, 0}},
    {"um", 1e-6, {0, 1, 0, 0}},
    {"in", 0.0254, {0, 1, 0, 0}},
    {"ft", 0.3048, {0, 1, 0, 0}},
    {"kg", 1.0, {1, 0, 0, 0}},
    {"g", 1e-3, {1, 0, 0, 0}},
    {"mg", 1e-6, {1, 0, 0, 0}},
    {"ug", 1e-9, {1, 0, 0, 0}},
    {"t", 1e3, {1, 0, 0, 0}},
    {"lb", 0.45359237, {1, 0, 0, 0}},
    {"s", 1.0, {0, 0, 1, 0}},
    {"ms", 1e-3, {0, 0, 1, 0}},
    {"us", 1e-6, {0, 0, 1, 0}},
    {"min", 60.0, {0, 0, 1, 0}},
    {"h", 3600.0, {0, 0, 1, 0}},
    {"rad", 1.0, {0, 0, 0, 1}},
    {"deg", PI / 180.0, {0, 0, 0, 1}},
    {"rev", 2.0 * PI, {0, 0, 0, 1}},
    {"Hz", 2.0 * PI, {0, 0, -1, 1}},
    {"kHz", 2000.0 * PI, {0, 0, -1, 1}},
    {"rpm", PI / 30.0, {0, 0, -1, 1}},
    {"N", 1.0, {1, 1, -2, 0}},
    {"mN", 1e-3, {1, 1, -2, 0}},
    {"kN", 1e3, {1, 1, -2, 0}},
    {"MN", 1e6, {1, 1, -2, 0}},
    {"lbf", 4.4482216152605, {1, 1, -2, 0}},
    {"Nm", 1.0, {1, 2, -2, 0}},
    {"Nmm", 1e-3, {1, 2, -2, 0}},
    {"kNm", 1e3, {1, 2, -2, 0}},
    {"J", 1.0, {1, 2, -2, 0}},
    {"kJ", 1e3, {1, 2, -2, 0}},
    {"MJ", 1e6, {1, 2, -2, 0}},
    {"W", 1.0, {1, 2, -3, 0}},
    {"kW", 1e3, {1, 2, -3, 0}},
    {"MW", 1e6, {1, 2, -3, 0}},
    {"Pa", 1.0, {1, -1, -2, 0}},
    {"kPa", 1e3, {1, -1, -2, 0}},
    {"MPa", 1e6, {1, -1, -2, 0}},
    {"GPa", 1e9, {1, -1, -2, 0}},
};
enum { N_UNITS = sizeof units / sizeof *units, MAX_EXPONENT = 9, MAX_TOTAL = 100 };

const char* fb_unit_name(int index) {
    return index >= 0 && index < N_UNITS ? units[index].name : NULL;
}

void fb_unit_list(char out[FB_UNIT_LIST]) {
    size_t n = 0;
    for (int i = 0; i < N_UNITS; i++) {
        n += (size_t)snprintf(out + n, FB_UNIT_LIST - n, "%s%s", i > 0 ? ", " : "", units[i].name);
        assert(n < FB_UNIT_LIST);
    }
}

typedef struct Reader {
    const char* text;
    const char* at;
    int depth;
    FbError* err;
} Reader;

typedef struct Measure {
    double factor;
    int exponent[4];  // kg, m, s, rad
} Measure;

static void skip_space(Reader* r) {
    while (*r->at == ' ' || *r->at == '\t') {
        r->at++;
    }
}

static FbStatus fail_unknown(Reader* r, const char* name) {
    const char* names[N_UNITS];
    for (int i = 0; i < N_UNITS; i++) {
        names[i] = units[i].name;
    }
    const char* near = fb_did_you_mean(name, names, N_UNITS);
    char list[FB_UNIT_LIST];
    fb_unit_list(list);
    return fb_fail(r->err, FB_ERR_UNIT, NULL, "unknown unit '%s'%s%s%s (units: %s)", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", list);
}

static FbStatus fail_at(Reader* r) {
    if (!*r->at) {
        return fb_fail(r->err, FB_ERR_UNIT, NULL, "the unit '%s' is incomplete", r->text);
    }
    if ((unsigned char)*r->at >= 0x80) {  // a sign of print, such as that of degrees
        return fail_unknown(r, r->at);
    }
    return fb_fail(r->err, FB_ERR_UNIT, NULL, "unexpected '%c' in the unit '%s'", *r->at, r->text);
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static FbStatus read_name(Reader* r, Measure* out) {
    char name[32];
    size_t n = 0;
    while (is_letter(r->at[n])) {
        n++;
    }
    if (n == 0) {
        return fail_at(r);
    }
    snprintf(name, sizeof name, "%.*s", (int)(n < 31 ? n : 31), r->at);
    for (int i = 0; i < N_UNITS; i++) {
        if (strlen(units[i].name) == n && strcmp(units[i].name, name) == 0) {
            FbDimension d = units[i].dimension;
            *out = (Measure){units[i].factor, {d.kg, d.m, d.s, d.rad}};
            r->at += n;
            return FB_OK;
        }
    }
    return fail_unknown(r, name);
}

static FbStatus read_product(Reader* r, Measure* out);

static FbStatus read_base(Reader* r, Measure* out) {
    skip_space(r);
    bool is_one = r->at[0] == '1' && !(r->at[1] >= '0' && r->at[1] <= '9') && r->at[1] != '.';
    if (is_one) {
        r->at++;
        *out = (Measure){.factor = 1.0};
        return FB_OK;
    }
    if (*r->at != '(') {
        return read_name(r, out);
    }
    r->at++;
    if (++r->depth > 10) {
        return fail_at(r);
    }
    FB_TRY(read_product(r, out));
    skip_space(r);
    if (*r->at != ')') {
        return fail_at(r);
    }
    r->at++;
    r->depth--;
    return FB_OK;
}

// The whole number after '^', also negative, also in parentheses: m^2, s^-1, s^(-1).
static FbStatus read_exponent(Reader* r, int* out) {
    skip_space(r);
    bool is_wrapped = *r->at == '(';
    r->at += is_wrapped;
    bool is_negative = *r->at == '-';
    r->at += is_negative || *r->at == '+';
    char* end;
    long value = *r->at >= '0' && *r->at <= '9' ? strtol(r->at, &end, 10) : MAX_EXPONENT + 1;
    if (value > MAX_EXPONENT) {
        return fb_fail(r->err, FB_ERR_UNIT, NULL,
                       "the unit '%s' needs an integer up to %d after '^'", r->text, MAX_EXPONENT);
    }
    r->at = end;
    if (is_wrapped && *r->at != ')') {
        return fail_at(r);
    }
    r->at += is_wrapped;
    *out = (int)(is_negative ? -value : value);
    return FB_OK;
}

static void multiply(Measure* a, const Measure* b, int exponent) {
    for (int i = 0; i < abs(exponent); i++) {
        a->factor = exponent > 0 ? a->factor * b->factor : a->factor / b->factor;
    }
    for (int i = 0; i < 4; i++) {
        a->exponent[i] += exponent * b->exponent[i];
    }
}

static FbStatus read_power(Reader* r, Measure* out) {
    Measure base;
    FB_TRY(read_base(r, &base));
    skip_space(r);
    int exponent = 1;
    if (*r->at == '^') {
        r->at++;
        FB_TRY(read_exponent(r, &exponent));
    }
    *out = (Measure){.factor = 1.0};
    multiply(out, &base, exponent);
    return FB_OK;
}

static bool is_in_range(const Measure* m) {
    for (int i = 0; i < 4; i++) {
        if (abs(m->exponent[i]) > MAX_TOTAL) {
            return false;
        }
    }
    return m->factor > 0.0 && m->factor < 1e300;
}

static FbStatus read_product(Reader* r, Measure* out) {
    FB_TRY(read_power(r, out));
    for (;;) {
        skip_space(r);
        char c = *r->at;
        if (c != '*' && c != '/') {
            return FB_OK;
        }
        r->at++;
        Measure next;
        FB_TRY(read_power(r, &next));
        multiply(out, &next, c == '*' ? 1 : -1);
        if (!is_in_range(out)) {
            return fb_fail(r->err, FB_ERR_UNIT, NULL, "the powers in the unit '%s' are too large",
                           r->text);
        }
    }
}

FbStatus fb_unit_parse(const char* text, double* factor, FbDimension* dimension, FbError* err) {
    Reader r = {.text = text, .at = text, .err = err};
    skip_space(&r);
    if (!*r.at) {
        return fb_fail(err, FB_ERR_UNIT, NULL, "the unit is empty");
    }
    Measure m;
    FB_TRY(read_product(&r, &m));
    if (*r.at) {
        return fail_at(&r);
    }
    if (!is_in_range(&m)) {
        return fb_fail(err, FB_ERR_UNIT, NULL, "the powers in the unit '%s' are too large", text);
    }
    *factor = m.factor;
    *dimension = (FbDimension){(signed char)m.exponent[0], (signed char)m.exponent[1],
                               (signed char)m.exponent[2], (signed char)m.exponent[3]};
    return FB_OK;
}

static size_t space_span(const char* s, bool has_spaces) {
    return has_spaces ? strspn(s, " \t") : 0;
}

// A known unit and its power; the word must end there.
static size_t power_span(const char* s, bool is_first, bool has_spaces) {
    size_t n = 0;
    bool is_known = false;
    while (is_letter(s[n])) {
        n++;
    }
    for (int i = 0; i < N_UNITS; i++) {
        is_known |= strlen(units[i].name) == n && strncmp(units[i].name, s, n) == 0;
    }
    bool is_time = n == 1 && s[0] == 't' && !is_first;
    if (!is_known || is_time || (s[n] && strchr("(._0123456789", s[n]))) {
        return 0;
    }
    size_t at = n + space_span(s + n, has_spaces);
    if (s[at] != '^') {
        return n;
    }
    at += 1 + space_span(s + at + 1, has_spaces);
    bool is_wrapped = s[at] == '(';
    at += is_wrapped;
    at += s[at] == '-' || s[at] == '+';
    size_t digits = strspn(s + at, "0123456789");
    at += digits;
    bool is_whole = digits > 0 && s[at] != '.' && (!is_wrapped || s[at] == ')');
    return is_whole ? at + is_wrapped : n;
}

// {operator power}
static size_t tail_span(const char* s, char operator, bool has_spaces) {
    for (size_t n = 0;;) {
        size_t at = n + space_span(s + n, has_spaces);
        if (s[at] != operator) {
            return n;
        }
        at += 1 + space_span(s + at + 1, has_spaces);
        size_t next = power_span(s + at, false, has_spaces);
        if (next == 0) {
            return n;
        }
        n = at + next;
    }
}

// "/(m*s)"; 0 if that is not a unit.
static size_t bracket_span(const char* s, bool has_spaces) {
    size_t at = space_span(s, has_spaces);
    if (s[at] != '/') {
        return 0;
    }
    at += 1 + space_span(s + at + 1, has_spaces);
    if (s[at] != '(') {
        return 0;
    }
    at++;
    at += space_span(s + at, true);
    size_t first = power_span(s + at, false, true);
    at += first;
    at += first ? tail_span(s + at, '*', true) : 0;
    at += first ? tail_span(s + at, '/', true) : 0;
    at += space_span(s + at, true);
    return first && s[at] == ')' ? at + 1 : 0;
}

size_t fb_unit_span(const char* text, bool has_spaces) {
    bool is_one = text[0] == '1' && text[1 + strspn(text + 1, " \t")] == '/';
    size_t n = is_one ? 1 : power_span(text, true, has_spaces);
    if (n == 0) {
        return 0;
    }
    n += is_one ? 0 : tail_span(text + n, '*', has_spaces);
    n += tail_span(text + n, '/', has_spaces);
    n += bracket_span(text + n, has_spaces);
    return is_one && n == 1 ? 0 : n;
}
