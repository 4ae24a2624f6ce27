// Formulas and tapes: folding, derivatives against differences, lanes against single points.
#include "math/tape.h"

#include <stdlib.h>
#include <string.h>

#include "test_base_support.h"

enum { INPUTS = 4, NODES = 60, SHOWN = 5 };

// A random formula over the inputs, all of whose operations are smooth at the points used.
static int random_formula(FbFormulas* f, uint64_t* seed, int* pool, int n) {
    int a = pool[random_below(seed, n)], b = pool[random_below(seed, n)];
    int one = fb_formula_constant(f, 1.0);
    int positive = fb_formula_add(f, one, fb_formula_mul(f, b, b));
    switch (random_below(seed, 9)) {
        case 0:
            return fb_formula_add(f, a, b);
        case 1:
            return fb_formula_sub(f, a, b);
        case 2:
            return fb_formula_mul(f, fb_formula_sin(f, a), b);
        case 3:
            return fb_formula_div(f, a, positive);
        case 4:
            return fb_formula_neg(f, a);
        case 5:
            return fb_formula_sqrt(f, positive);
        case 6:
            return fb_formula_sin(f, a);
        case 7:
            return fb_formula_cos(f, a);
        default:
            return fb_formula_mul(f, fb_formula_constant(f, random_unit(seed)), a);
    }
}

// The value of a node by the graph itself.
static double value_of(const FbFormulas* f, int i, const double* x) {
    const FbFormulaNode* n = &f->nodes[i];
    double a = n->op > FB_FORMULA_INPUT ? value_of(f, n->a, x) : 0.0;
    switch (n->op) {
        case FB_FORMULA_CONSTANT:
            return n->value;
        case FB_FORMULA_INPUT:
            return x[n->a];
        case FB_FORMULA_ADD:
            return a + value_of(f, n->b, x);
        case FB_FORMULA_SUB:
            return a - value_of(f, n->b, x);
        case FB_FORMULA_MUL:
            return a * value_of(f, n->b, x);
        case FB_FORMULA_DIV:
            return a / value_of(f, n->b, x);
        case FB_FORMULA_NEG:
            return -a;
        case FB_FORMULA_SQRT:
            return sqrt(a);
        case FB_FORMULA_SIN:
            return sin(a);
        case FB_FORMULA_COS:
            return cos(a);
    }
    return NAN;
}

// The last formulas of a random pool.
static void random_formulas(FbFormulas* f, uint64_t* seed, int shown[SHOWN]) {
    int pool[INPUTS + NODES];
    fb_formulas_init(f, 10000);
    for (int i = 0; i < INPUTS; i++) {
        pool[i] = fb_formula_input(f, i);
    }
    for (int i = INPUTS; i < INPUTS + 12; i++) {
        pool[i] = random_formula(f, seed, pool, i);
    }
    for (int i = 0; i < SHOWN; i++) {
        shown[i] = pool[INPUTS + 12 - SHOWN + i];
    }
}

static void tapes_compute_their_formulas(void** state) {
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < 100; round++) {
        FbFormulas f;
        int shown[SHOWN];
        random_formulas(&f, &seed, shown);
        FbArena* arena = fb_arena_create();
        const FbFormulaTape* tape = fb_tape_create(&f, INPUTS, shown, SHOWN, arena);
        FbFormulaTape narrow = *tape;
        narrow.kernel = &fb_tape_lanes;
        double *work = malloc(sizeof(double) * (size_t)tape->n_work),
               *other = malloc(sizeof(double) * (size_t)tape->n_work);
        double x[FB_TAPE_LANES][INPUTS];
        const double* const in[FB_TAPE_LANES] = {x[0], x[1], x[2], x[3]};
        for (int k = 0; k < FB_TAPE_LANES * INPUTS; k++) {
            x[k / INPUTS][k % INPUTS] = random_unit(&seed);
        }
        int n = 1 + round % FB_TAPE_LANES;
        fb_tape_start(tape, work);
        fb_tape_start(tape, other);
        fb_tape_set(tape, work, 0, INPUTS, in);
        fb_tape_set(&narrow, other, 0, INPUTS, in);
        fb_tape_run(tape, work, n);
        fb_tape_run(&narrow, other, n);
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < SHOWN; i++) {
                double value = value_of(&f, shown[i], x[k]);
                assert_true(fb_tape_output(tape, work, i)[k] == value);
                assert_true(fb_tape_output(tape, other, i)[k] == value);
            }
        }
        free(work);
        free(other);
        fb_arena_destroy(arena);
        fb_formulas_free(&f);
    }
}

static void gradients_are_those_of_differences(void** state) {
    (void)state;
    uint64_t seed = 8;
    const double h = 1e-3;
    for (int round = 0; round < 100; round++) {
        FbFormulas f;
        int shown[SHOWN], gradient[INPUTS];
        random_formulas(&f, &seed, shown);
        double x[INPUTS];
        for (int i = 0; i < INPUTS; i++) {
            x[i] = random_unit(&seed);
        }
        int y = shown[SHOWN - 1];
        fb_formula_gradient(&f, y, INPUTS, gradient);
        assert_false(f.has_failed);
        for (int i = 0; i < INPUTS; i++) {
            double at[4], x0 = x[i], steps[4] = {-2 * h, -h, h, 2 * h};
            for (int k = 0; k < 4; k++) {
                x[i] = x0 + steps[k];
                at[k] = value_of(&f, y, x);
            }
            x[i] = x0;
            double difference = (at[0] - 8.0 * at[1] + 8.0 * at[2] - at[3]) / (12.0 * h);
            double value = value_of(&f, gradient[i], x);
            assert_near(value, difference, 1e-6 * (1.0 + fabs(value)));
        }
        fb_formulas_free(&f);
    }
}

static void constants_fold_and_equal_parts_are_one(void** state) {
    (void)state;
    FbFormulas f;
    fb_formulas_init(&f, 100);
    int x = fb_formula_input(&f, 0), y = fb_formula_input(&f, 1);
    int zero = fb_formula_constant(&f, 0.0), one = fb_formula_constant(&f, 1.0);
    assert_int_equal(fb_formula_mul(&f, zero, x), zero);
    assert_int_equal(fb_formula_mul(&f, x, one), x);
    assert_int_equal(fb_formula_add(&f, x, zero), x);
    assert_int_equal(fb_formula_sub(&f, x, zero), x);
    assert_int_equal(fb_formula_neg(&f, fb_formula_neg(&f, x)), x);
    assert_int_equal(fb_formula_sub(&f, zero, x), fb_formula_neg(&f, x));
    assert_int_equal(fb_formula_add(&f, x, y), fb_formula_add(&f, y, x));
    assert_int_equal(fb_formula_mul(&f, x, y), fb_formula_mul(&f, y, x));
    assert_int_equal(fb_formula_add(&f, x, fb_formula_neg(&f, y)), fb_formula_sub(&f, x, y));
    assert_true(fb_formula_constant(&f, -0.0) == zero);
    fb_formulas_free(&f);
}

static void too_many_nodes_fail(void** state) {
    (void)state;
    FbFormulas f;
    fb_formulas_init(&f, 20);
    int x = fb_formula_input(&f, 0), gradient[1];
    for (int i = 0; i < 100; i++) {
        x = fb_formula_sin(&f, fb_formula_add(&f, x, fb_formula_constant(&f, i)));
    }
    assert_true(f.has_failed);
    fb_formula_gradient(&f, x, 1, gradient);
    FbArena* arena = fb_arena_create();
    assert_null(fb_tape_create(&f, 1, &x, 1, arena));
    fb_arena_destroy(arena);
    fb_formulas_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tapes_compute_their_formulas),
        cmocka_unit_test(gradients_are_those_of_differences),
        cmocka_unit_test(constants_fold_and_equal_parts_are_one),
        cmocka_unit_test(too_many_nodes_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
