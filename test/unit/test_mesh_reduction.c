// Reductions that processes share: each assembles its own rows, which together are the whole
// matrices to the last bit; a process that fails is noticed by all.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "flyball/flyball.h"
#include "mesh/reduction.h"

static const char* const PARTS = "test/unit/mesh_reduction/parts.yaml";
enum { STRUCTURES = 2 };

// The matrices of a structure as its ranks have given them.
typedef struct Whole {
    int n, n_loads, n_rows;  // n_rows: given so far
    double *mass, *stiffness, *loads;
} Whole;

typedef struct Collector {
    Whole wholes[STRUCTURES];
    int n_structures;  // reduced by the present rank
    FbStatus failure;  // of another rank
} Collector;

static FbStatus agree(void* self, FbStatus own, int* count, FbError* err) {
    const Collector* c = self;
    *count += 100000;  // rows with mass of the other ranks
    return own == FB_OK && c->failure < 0 ? fb_fail(err, c->failure, NULL, "another process failed")
                                          : own;
}

static void copy_columns(const FbOwnRows* own, const FbSparse* from, double* to) {
    const FbPattern* p = &from->pattern;
    assert_int_equal(p->n_col, own->count);
    for (int j = 0; j < own->count; j++) {
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            size_t at = (size_t)(own->first + j) * (size_t)own->n + (size_t)p->row[e];
            assert_true(to[at] == 0.0);  // each entry comes from one rank
            to[at] = from->values[e];
        }
    }
}

static FbStatus collect(void* self, const FbOwnRows* own, const int* boundary, FbReduced* out,
                        FbError* err) {
    Collector* c = self;
    Whole* w = &c->wholes[c->n_structures++];
    size_t n = (size_t)own->n;
    (void)boundary;
    (void)err;
    assert_int_equal(out->n, out->n_boundary + 3);
    if (!w->mass) {
        w->n = own->n;
        w->n_loads = own->n_loads;
        w->mass = calloc(n * n, sizeof(double));
        w->stiffness = calloc(n * n, sizeof(double));
        w->loads = calloc(n * (size_t)own->n_loads, sizeof(double));
    }
    assert_int_equal(own->first, w->n_rows);
    w->n_rows += own->count;
    copy_columns(own, &own->mass, w->mass);
    copy_columns(own, &own->stiffness, w->stiffness);
    for (size_t l = 0; l < (size_t)own->n_loads; l++) {
        memcpy(w->loads + l * n + own->first, own->loads + l * n + own->first,
               sizeof(double) * (size_t)own->count);
    }
    for (int i = 0; i < out->n; i++) {  // something that can be a structure
        out->mass[(size_t)i * (size_t)(out->n + 1)] = 1.0;
        out->stiffness[(size_t)i * (size_t)(out->n + 1)] = 1.0;
    }
    return FB_OK;
}

static FbStatus take(void* self, const FbReducedStructure* structure, FbError* err) {
    const Collector* c = self;
    (void)err;
    assert_int_equal(structure->n_whole, c->wholes[c->n_structures - 1].n);
    return FB_OK;
}

static FbStatus read_as(Collector* c, int rank, int n_ranks) {
    FbReducer reducer = {
        .self = c, .rank = rank, .n_ranks = n_ranks, .agree = agree, .reduce = collect};
    FbReduction reduction = {.reducer = &reducer, .self = c, .take = take};
    FbReadOptions options = {.reduction = &reduction};
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModelDef* def = NULL;
    c->n_structures = 0;
    FbStatus status = fb_model_def_read_file(PARTS, &options, &def, diagnostics);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(diagnostics);
    return status;
}

static void collect_all(Collector* c, int n_ranks) {
    for (int rank = 0; rank < n_ranks; rank++) {
        assert_int_equal(read_as(c, rank, n_ranks), FB_OK);
        assert_int_equal(c->n_structures, STRUCTURES);
    }
}

static void free_collector(Collector* c) {
    for (int i = 0; i < STRUCTURES; i++) {
        free(c->wholes[i].mass);
        free(c->wholes[i].stiffness);
        free(c->wholes[i].loads);
    }
}

static void assert_same(const double* a, const double* b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        assert_true(a[i] == b[i]);
    }
}

static void test_rows_of_ranks_are_the_whole(void** state) {
    Collector one = {0};
    (void)state;
    collect_all(&one, 1);
    for (int n_ranks = 2; n_ranks <= 7; n_ranks += 5) {
        Collector many = {0};
        collect_all(&many, n_ranks);
        for (int i = 0; i < STRUCTURES; i++) {
            const Whole *a = &one.wholes[i], *b = &many.wholes[i];
            size_t n = (size_t)a->n;
            assert_int_equal(b->n, a->n);
            assert_int_equal(b->n_rows, a->n);
            assert_int_equal(b->n_loads, a->n_loads);
            assert_same(a->mass, b->mass, n * n);
            assert_same(a->stiffness, b->stiffness, n * n);
            assert_same(a->loads, b->loads, n * (size_t)a->n_loads);
        }
        free_collector(&many);
    }
    assert_int_equal(one.wholes[0].n_loads, 4);  // gravity and the pressure
    free_collector(&one);
}

static void test_a_rank_that_failed_ends_all(void** state) {
    Collector c = {.failure = FB_ERR_MEMORY};
    (void)state;
    assert_int_equal(read_as(&c, 0, 2), FB_ERR_MEMORY);
    assert_int_equal(c.n_structures, 0);
    free_collector(&c);
}

static void test_rows_are_divided_evenly(void** state) {
    (void)state;
    for (int n = 0; n < 20; n++) {
        int next = 0;
        for (int rank = 0; rank < 6; rank++) {
            FbReducer reducer = {.rank = rank, .n_ranks = 6};
            int first, count;
            fb_reducer_divide(&reducer, n, &first, &count);
            assert_int_equal(first, next);
            assert_in_range(count, n / 6, n / 6 + 1);
            next += count;
        }
        assert_int_equal(next, n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_ranks_are_the_whole),
        cmocka_unit_test(test_a_rank_that_failed_ends_all),
        cmocka_unit_test(test_rows_are_divided_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
