// Expressions: values against C, gradients and jets of every function against differences of high
// order.
#include "base/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_base_expr_support.h"

// Inputs x, y, z; constants k = 3 and zero = 0.
static int resolve(void* self, const char* name, FbNumber* found) {
    (void)self;
    static const char* const inputs[] = {"x", "y", "arm.q1"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, inputs[i]) == 0) {
            return 10 * i;
        }
    }
    static const struct {
        const char* name;
        double value;
    } constants[] = {{"k", 3.0}, {"zero", 0.0}, {"m_", 7.0}, {"t", 11.0}};
    for (int i = 0; i < 4; i++) {
        if (strcmp(name, constants[i].name) == 0) {
            found->value = constants[i].value;
            return FB_NAME_CONSTANT;
        }
    }
    return FB_NAME_UNKNOWN;
}

typedef struct Compiled {
    FbArena* arena;
    FbExpr* expr;
    double* scratch;
} Compiled;

static Compiled compile(const char* text) {
    Compiled c = {.arena = fb_arena_create()};
    FbError err = {0};
    if (fb_expr_compile(text, resolve, NULL, NULL, c.arena, &c.expr, &err) != FB_OK) {
        fail_msg("%s: %s", text, err.text);
    }
    // Exactly as much as was asked for, so that a sanitizer sees any use beyond it.
    c.scratch = malloc(sizeof(double) * fb_expr_scratch(c.expr));
    return c;
}

static void release(Compiled* c) {
    free(c->scratch);
    fb_arena_destroy(c->arena);
}

// The values of the inputs that the expression uses, of the point (x, y, arm.q1).
static void gather(const Compiled* c, const double point[3], double values[3]) {
    for (int k = 0; k < fb_expr_input_count(c->expr); k++) {
        values[k] = point[fb_expr_inputs(c->expr)[k] / 10];
    }
}

static double value_at(const Compiled* c, const double point[3]) {
    double values[3];
    gather(c, point, values);
    return fb_expr_value(c->expr, values, c->scratch);
}

// The smooth cases; each is tried at points with 0.2 < x < 0.6, 1.2 < y < 1.8, -0.5 < arm.q1 < 0.5.
static const char* const smooth[] = {"x",
                                     "x + y",
                                     "x - y",
                                     "x*y",
                                     "x/y",
                                     "-x",
                                     "+x",
                                     "x^y",
                                     "x^3",
                                     "x^-2",
                                     "(-x)^3",
                                     "x^2",
                                     "2^x",
                                     "pow(x, y)",
                                     "sin(x)",
                                     "cos(x)",
                                     "tan(x)",
                                     "asin(x)",
                                     "acos(x)",
                                     "atan(x)",
                                     "atan2(x, y)",
                                     "atan2(-y, -x)",
                                     "sinh(x)",
                                     "cosh(x)",
                                     "tanh(x)",
                                     "exp(x)",
                                     "log(x)",
                                     "log10(x)",
                                     "sqrt(x)",
                                     "abs(x)",
                                     "abs(-x)*y",
                                     "sign(x)*x*y",
                                     "floor(y)*x",
                                     "ceil(y)*x",
                                     "mod(y, 0.9)*x",
                                     "mod(y + 6.2, y - x + 2)",
                                     "mod(-y, 4)",
                                     "min(x, y)",
                                     "max(x, y)",
                                     "min(y, x, 3)",
                                     "max(x, 2, y)^2",
                                     "hypot(x, y)",
                                     "hypot(x, -y)",
                                     "step(x)*y*x",
                                     "step(-x)*y + x",
                                     "smooth_step(x, 0, 1, 1, 3)",
                                     "smooth_step(x, 1, y, -0.5, x*y)",
                                     "smooth_step(y, 0, 1, x, 3)",
                                     "smooth_step(x, y, 2*x, y + 3, 4)",
                                     "clamp(x, 0, 1)*y",
                                     "clamp(x, y, 3)",
                                     "clamp(3*y, x, y)",
                                     "if(x < y, x*y, 1/0.5)",
                                     "if(x > y, x*y, sin(x))",
                                     "if(x >= 0 and y <= 1, x, y^2)",
                                     "if(x != 0 or y == 1, x^2, y)",
                                     "if(not x, y, x^2)",
                                     "(x < y)*x + (x <= y) + (x == y) + y",
                                     "x*x*x + y*y*x + exp(x*y)",
                                     "sin(x)^2 + cos(x)^2",
                                     "sqrt(x^2 + y^2 + arm.q1^2)",
                                     "x*sin(arm.q1*y)/(1 + y^2)",
                                     "exp(-x^2)*cos(k*arm.q1 + y)",
                                     "tanh(100*(x - 0.4)/100)*atan2(y, x)^2",
                                     "k*x",
                                     "zero*y + x",
                                     "1/(1 + exp(-arm.q1))"};
enum { N_SMOOTH = sizeof smooth / sizeof *smooth };

// First and second derivative at t = 0 from nine values at -4h ... 4h (order 8).
static void differences(const double f[9], double h, double* first, double* second) {
    static const double a[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    static const double b[] = {8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
    *first = 0.0;
    *second = -205.0 / 72.0 * f[4];
    for (int i = 1; i <= 4; i++) {
        *first += a[i - 1] * (f[4 + i] - f[4 - i]);
        *second += b[i - 1] * (f[4 + i] + f[4 - i]);
    }
    *first /= h;
    *second /= h * h;
}

// A curve through (x, y, q): p + d1 t + d2 t^2/2.
static void sample(const Compiled* c, const double p[3], const double d1[3], const double d2[3],
                   double h, double f[9]) {
    for (int i = -4; i <= 4; i++) {
        double t = i * h, point[3];
        for (int k = 0; k < 3; k++) {
            point[k] = p[k] + t * d1[k] + 0.5 * t * t * d2[k];
        }
        f[i + 4] = value_at(c, point);
    }
}

// Step and allowed error: truncation (h^8 f^(9)) and rounding (eps/h, eps/h^2) are both below, for
// derivatives of order nine up to 1e9 times the value, which log and x^-2 have at x = 0.2.
static const double STEP = 2e-3, FIRST_ERROR = 5e-12, SECOND_ERROR = 5e-9;

static double scale_of(double derivative) {
    return 1.0 + fabs(derivative);
}

static void random_point(uint64_t* seed, double p[3]) {
    p[0] = 0.4 + 0.17 * random_unit(seed);
    p[1] = 1.5 + 0.25 * random_unit(seed);
    p[2] = 0.45 * random_unit(seed);
}

static void check_gradient(const char* text, const Compiled* c, const double p[3]) {
    double values[3], gradient[3] = {NAN, NAN, NAN}, f[9], first, second;
    gather(c, p, values);
    double value = fb_expr_gradient(c->expr, values, c->scratch, gradient);
    assert_near(value, value_at(c, p), 0.0);
    for (int k = 0; k < fb_expr_input_count(c->expr); k++) {
        double d1[3] = {0}, d2[3] = {0};
        d1[fb_expr_inputs(c->expr)[k] / 10] = 1.0;
        sample(c, p, d1, d2, STEP, f);
        differences(f, STEP, &first, &second);
        if (!(fabs(gradient[k] - first) <= FIRST_ERROR * scale_of(first))) {
            fail_msg("%s: gradient %d is %.15g, differences give %.15g", text, k, gradient[k],
                     first);
        }
    }
}

static void gradients_match_differences(void** state) {
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < N_SMOOTH; i++) {
        Compiled c = compile(smooth[i]);
        for (int repeat = 0; repeat < 20; repeat++) {
            double p[3];
            random_point(&seed, p);
            check_gradient(smooth[i], &c, p);
        }
        release(&c);
    }
}

static void check_jet(const char* text, const Compiled* c, const double p[3], uint64_t* seed) {
    double d1[3], d2[3], values[3], rates[3], accelerations[3], f[9], first, second, jet[3];
    for (int k = 0; k < 3; k++) {
        d1[k] = random_unit(seed);
        d2[k] = random_unit(seed);
    }
    gather(c, p, values);
    gather(c, d1, rates);
    gather(c, d2, accelerations);
    fb_expr_jet(c->expr, values, rates, accelerations, c->scratch, jet);
    assert_near(jet[0], value_at(c, p), 0.0);
    sample(c, p, d1, d2, STEP, f);
    differences(f, STEP, &first, &second);
    if (!(fabs(jet[1] - first) <= FIRST_ERROR * scale_of(first)) ||
        !(fabs(jet[2] - second) <= SECOND_ERROR * scale_of(second))) {
        fail_msg("%s: jet is %.15g %.15g, differences give %.15g %.15g", text, jet[1], jet[2],
                 first, second);
    }
}

static void jets_match_differences(void** state) {
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < N_SMOOTH; i++) {
        Compiled c = compile(smooth[i]);
        for (int repeat = 0; repeat < 20; repeat++) {
            double p[3];
            random_point(&seed, p);
            check_jet(smooth[i], &c, p, &seed);
        }
        release(&c);
    }
}

static void values_match_c(void** state) {
    (void)state;
    const double x = 0.37, y = 1.6, q = -0.8;
    const struct {
        const char* text;
        double value;
    } cases[] = {
        {"2 + 3*4 - 6/4", 12.5},
        {"-2^2", -4},
        {"2^3^2", 512},
        {"2^-1", 0.5},
        {"(2 - 3)*-4", 4},
        {"8/4/2", 1},
        {"1 - 2 - 3", -4},
        {"--x", x},
        {".5e1 + 2.", 7},
        {"1e-3", 1e-3},
        {"pi", acos(-1.0)},
        {"e", exp(1.0)},
        {"x < y", 1},
        {"x > y", 0},
        {"x <= x", 1},
        {"x >= y", 0},
        {"x == x", 1},
        {"x != x", 0},
        {"not x < y", 0},
        {"x < y and y < x or 1", 1},
        {"1 or 0 and 0", 1},
        {"not 0 and 0", 0},
        {"not not 5", 1},
        {"3 and 2", 1},
        {"1 + 2 < 4 - 0.5", 1},
        {"sin(x)", sin(x)},
        {"cos(x)", cos(x)},
        {"tan(x)", tan(x)},
        {"asin(x)", asin(x)},
        {"acos(x)", acos(x)},
        {"atan(x)", atan(x)},
        {"atan2(arm.q1, x)", atan2(q, x)},
        {"sinh(x)", sinh(x)},
        {"cosh(x)", cosh(x)},
        {"tanh(x)", tanh(x)},
        {"exp(x)", exp(x)},
        {"log(x)", log(x)},
        {"log10(x)", log10(x)},
        {"sqrt(x)", sqrt(x)},
        {"abs(arm.q1)", -q},
        {"sign(arm.q1)", -1},
        {"sign(zero)", 0},
        {"floor(arm.q1)", -1},
        {"ceil(arm.q1)", 0},
        {"mod(arm.q1, 0.5)", 0.2},
        {"mod(7, -4)", -1},
        {"min(x, y, arm.q1)", q},
        {"max(x, y, arm.q1)", y},
        {"pow(y, x)", pow(y, x)},
        {"hypot(x, y)", hypot(x, y)},
        {"step(x)", 1},
        {"step(-x)", 0},
        {"step(zero)", 1},
        {"smooth_step(x, 1, 5, 2, 7)", 5},
        {"smooth_step(x, -2, 5, 0, 7)", 7},
        {"smooth_step(1.5, 1, 5, 2, 7)", 6},
        {"smooth_step(1.25, 1, 0, 2, 1)", 0.103515625},
        {"clamp(y, 0, 1)", 1},
        {"clamp(arm.q1, 0, 1)", 0},
        {"if(x, 4, 5)", 4},
        {"if(zero, 4, 5)", 5},
    };
    const double point[3] = {x, y, q};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Compiled c = compile(cases[i].text);
        double value = value_at(&c, point);
        if (!(fabs(value - cases[i].value) <= 1e-15 * (1.0 + fabs(value)))) {
            fail_msg("%s is %.17g instead of %.17g", cases[i].text, value, cases[i].value);
        }
        release(&c);
    }
}

static void inputs_are_listed_once_in_order(void** state) {
    (void)state;
    Compiled c = compile("arm.q1*x + sin(x) + arm.q1 + if(zero > 1, y, 2)");
    assert_int_equal(fb_expr_input_count(c.expr), 2);
    assert_int_equal(fb_expr_inputs(c.expr)[0], 0);
    assert_int_equal(fb_expr_inputs(c.expr)[1], 20);
    release(&c);
    c = compile("k*sin(2) + zero*x");
    assert_int_equal(fb_expr_input_count(c.expr), 0);
    assert_int_equal(fb_expr_scratch(c.expr), 3);
    assert_near(fb_expr_value(c.expr, NULL, c.scratch), 3.0 * sin(2.0), 1e-15);
    release(&c);
}

// At kinks and infinite slopes derivatives stay finite; a branch that is not taken has no
// influence.
static void derivatives_at_kinks_are_finite(void** state) {
    (void)state;
    const struct {
        const char* text;
        double x, slope;
    } cases[] = {{"abs(x)", 0, 1},
                 {"sqrt(x)", 0, 0},
                 {"sqrt(x^2)", 0, 0},
                 {"hypot(x, 0)", 0, 0},
                 {"x^0.5", 0, 0},
                 {"asin(x)", 1, 0},
                 {"acos(x)", -1, 0},
                 {"atan2(x, x)", 0, 0},
                 {"if(x > 0, sqrt(x), 2*x)", 0, 2},
                 {"if(x > 0, 3*x, log(-x))", 1, 3},
                 {"if(x > 0, 1/x, 7*x)", 0, 7},
                 {"min(x, 0)", 0, 1},
                 {"max(x, 0)", 0, 1},
                 {"clamp(x, 0, 1)", 2, 0},
                 {"x*(x > 0)", 2, 1},
                 {"step(x)", 0, 0},
                 {"floor(x)", 1, 0},
                 {"x^3", 0, 0},
                 {"x^1", 0, 1},
                 {"(x - 3)^3", 1, 12},
                 {"x^0", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Compiled c = compile(cases[i].text);
        double gradient[3] = {0}, jet[3], one = 1.0, none = 0.0;
        fb_expr_gradient(c.expr, &cases[i].x, c.scratch, gradient);
        fb_expr_jet(c.expr, &cases[i].x, &one, &none, c.scratch, jet);
        if (gradient[0] != cases[i].slope || jet[1] != cases[i].slope || !isfinite(jet[2])) {
            fail_msg("%s at %g: gradient %g, jet %g %g", cases[i].text, cases[i].x, gradient[0],
                     jet[1], jet[2]);
        }
        release(&c);
    }
}

static void constants_of_constants(void** state) {
    (void)state;
    FbNumber value;
    FbError err = {0};
    assert_int_equal(calc_constant("2*k + pi", resolve, &value, &err), FB_OK);
    assert_near(value.value, 6.0 + acos(-1.0), 1e-15);
    assert_int_equal(calc_constant("1.5", NULL, &value, &err), FB_OK);
    assert_near(value.value, 1.5, 0.0);
}

// A unit belongs to the value before it, in any place.
static void units_belong_to_the_value_before_them(void** state) {
    (void)state;
    const double pi = acos(-1.0);
    static const struct {
        const char* text;
        double value;
    } cases[] = {
        {"k + 5 mm", 3.005},
        {"2*(k + 5 mm)", 6.01},
        {"5 mm + k", 3.005},
        {"-5 mm", -5e-3},
        {"5mm", 5e-3},
        {"3 kg*2", 6},
        {"3 kg*k", 9},
        {"2*k mm", 6e-3},
        {"(k + 1) mm", 4e-3},
        {"sqrt(4) cm", 0.02},
        {"10 kN/m*k", 3e4},
        {"10 N/mm*2 mm", 20},
        {"6 N/m*m_", 42},
        {"3 1/s", 3},
        {"3 1/ms + 1 1/s", 3001},
        {"4 kg/(m*s)", 4},
        {"4 kg/(k + 1)", 1},
        {"1 mm^2", 1e-6},
        {"1 mm^-2*2 mm^2", 2},
        {"(2 mm)^2", 4e-6},
        {"2 m/s*t", 2 * 11},
        {"2 m / k", 2.0 / 3},
        {"6 t", 6000},
        {"max(2 m, 300 cm, 1)", 3},
        {"if(2 m > 150 cm, 1 km, k)", 1000},
        {"if(k > 1 and 2 m > 1, 1, 0)", 1},
        {"1 h + 1 min", 3660},
        {"min(2 min, 1 h)", 120},
        {"1 in", 0.0254},
        {"max(0, 0 - 3 m)", 0},
        {"(1/2) mm", 5e-4},
        {"1/(2 mm)", 500},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FbNumber found = {0};
        FbError err = {0};
        if (calc_constant(cases[i].text, resolve, &found, &err) != FB_OK) {
            fail_msg("%s: %s", cases[i].text, err.text);
        }
        if (!(fabs(found.value - cases[i].value) <= 1e-15 * fabs(cases[i].value))) {
            fail_msg("%s is %.17g", cases[i].text, found.value);
        }
    }
    FbNumber angle;
    assert_int_equal(calc_constant("sin(30 deg)", resolve, &angle, NULL), FB_OK);
    assert_near(angle.value, 0.5, 1e-15);
    assert_int_equal(calc_constant("90 deg + 1 rad + 2", NULL, &angle, NULL), FB_OK);
    assert_near(angle.value, pi / 2 + 3, 1e-15);
}

// What a value is follows from its parts; a plain number may be anything.
static void quantities_follow_from_their_parts(void** state) {
    (void)state;
    static const struct {
        const char *text, *quantity;
    } cases[] = {
        {"2 m", "m (length)"},
        {"2 m*3 kg/4 s^2", "kg*m/s^2 (force)"},
        {"sqrt(16 m^2/4 s^2)", "m/s (velocity)"},
        {"(2 m)^3", "m^3 (volume)"},
        {"pow(2 m, 2)", "m^2 (area)"},
        {"pi*(2 m)^2", "m^2 (area)"},
        {"sin(1 rad)*2 m", "m (length)"},
        {"k + 3 m", "m (length)"},
        {"abs(-2 kg)", "kg (mass)"},
        {"2 m > 1", "1 (a pure number)"},
        {"2*3 m", "a plain number"},
        {"k*3 m", "a plain number"},
        {"2", "a plain number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FbNumber found;
        char text[96];
        assert_int_equal(calc_constant(cases[i].text, resolve, &found, NULL), FB_OK);
        fb_quantity_format(found.quantity, text, sizeof text);
        if (strcmp(text, cases[i].quantity) != 0) {
            fail_msg("%s is %s", cases[i].text, text);
        }
    }
}

// The reference lists what the reader knows: each form calls a function of that name with as many
// arguments as it shows.
static void every_function_is_described_as_it_is_called(void** state) {
    (void)state;
    const char *form, *doc;
    int n = 0;
    for (; fb_expr_function(n, &form, &doc); n++) {
        char call[128];
        size_t used = strcspn(form, "(");
        snprintf(call, sizeof call, "%.*s(0.5", (int)used, form);
        for (const char* c = form; (c = strchr(c, ',')) != NULL; c++) {
            if (strcmp(c, ", ...)") != 0) {
                snprintf(call + strlen(call), sizeof call - strlen(call), ", %d", (int)(c - form));
            }
        }
        snprintf(call + strlen(call), sizeof call - strlen(call), ")");
        FbNumber value;
        FbError err = {0};
        if (calc_constant(call, resolve, &value, &err) != FB_OK) {
            fail_msg("%s: %s", call, err.text);
        }
        assert_true(strlen(doc) > 3);
    }
    assert_int_equal(n, 27);
}

// Terms are found by their content, not by search: as many as these would take minutes. Equal ones
// are calculated once.
static void long_sums(void** state) {
    (void)state;
    enum { TERMS = 200000, WIDTH = 24 };
    char* text = malloc((size_t)TERMS * WIDTH);
    size_t scratch[2];
    assert_non_null(text);
    for (int is_same = 0; is_same < 2; is_same++) {
        size_t length = 0;
        double point[3] = {0.5, 0.0, 0.0}, sum = 0.0, values[3];
        for (int i = 1; i <= TERMS; i++) {
            length += (size_t)snprintf(text + length, WIDTH, "%ssin(x/%d)", i > 1 ? "+" : "",
                                       is_same ? 7 : i);
            sum += sin(0.5 / (is_same ? 7 : i));
        }
        Compiled c = compile(text);
        gather(&c, point, values);
        assert_true(fabs(fb_expr_value(c.expr, values, c.scratch) - sum) < 1e-9 * sum);
        scratch[is_same] = fb_expr_scratch(c.expr);
        release(&c);
    }
    free(text);
    assert_true(3 * scratch[1] < scratch[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_match_c),
        cmocka_unit_test(gradients_match_differences),
        cmocka_unit_test(jets_match_differences),
        cmocka_unit_test(inputs_are_listed_once_in_order),
        cmocka_unit_test(derivatives_at_kinks_are_finite),
        cmocka_unit_test(constants_of_constants),
        cmocka_unit_test(units_belong_to_the_value_before_them),
        cmocka_unit_test(quantities_follow_from_their_parts),
        cmocka_unit_test(every_function_is_described_as_it_is_called),
        cmocka_unit_test(long_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
