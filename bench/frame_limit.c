// Shift-invert Lanczos about zero as it stands in the manuals: CHOLMOD factors K once (simplicial
// or supernodal, as it thinks best), ARPACK iterates.
#include "frame_limit.h"

#include <arpack.h>
#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct Limit {
    const FbPattern* pattern;
    const double* M;
    cholmod_common common;
    cholmod_factor* factor;
    cholmod_dense *b, *x, *y, *e;
    int n_solves;
    double bytes;  // of ARPACK
} Limit;

static cholmod_sparse* copy_upper(Limit* l, const double* values) {
    const FbPattern* p = l->pattern;
    size_t n = (size_t)p->n_col;
    cholmod_sparse* a = cholmod_allocate_sparse(n, n, (size_t)fb_pattern_count(p), 1, 1, 1,
                                                CHOLMOD_REAL, &l->common);
    int *start = a->p, *row = a->i, count = 0;
    double* to = a->x;
    for (int col = 0; col < p->n_col; col++) {
        start[col] = count;
        for (int i = p->start[col]; i < p->start[col + 1]; i++) {
            if (p->row[i] <= col) {
                row[count] = p->row[i];
                to[count++] = values[i];
            }
        }
    }
    start[n] = count;
    return a;
}

// y = K^-1 b
static void solve(Limit* l, const double* b, double* y) {
    size_t size = sizeof(double) * (size_t)l->pattern->n_col;
    l->n_solves++;
    memcpy(l->b->x, b, size);
    cholmod_solve2(CHOLMOD_A, l->factor, l->b, NULL, &l->x, NULL, &l->y, &l->e, &l->common);
    memcpy(y, l->x->x, size);
}

static void multiply(const Limit* l, const double* x, double* y) {
    memset(y, 0, sizeof(double) * (size_t)l->pattern->n_col);
    fb_pattern_multiply(l->pattern, l->M, 1.0, x, y);
}

// Lanczos with 2 count + 1 vectors; squares are what ARPACK calls eigenvalues in mode 3.
static bool iterate(Limit* l, int count, double* squares) {
    int n = l->pattern->n_col, ncv = 2 * count + 1, l_work = ncv * (ncv + 8);
    a_int ido = 0, info = 0, iparam[11] = {1, 0, 300, 1, 0, 0, 3}, ipntr[14];
    double* resid = malloc(sizeof(double) * (size_t)n);
    double* v = malloc(sizeof(double) * (size_t)n * (size_t)ncv);
    double* work = malloc(sizeof(double) * 3 * (size_t)n);
    double* small = malloc(sizeof(double) * (size_t)l_work);
    double* z = malloc(sizeof(double) * (size_t)n * (size_t)count);
    a_int* select = malloc(sizeof(a_int) * (size_t)ncv);
    l->bytes = sizeof(double) * (double)n * (ncv + count + 4);
    do {
        dsaupd_c(&ido, "G", n, "LM", count, 1e-12, resid, ncv, v, n, iparam, ipntr, work, small,
                 l_work, &info);
        double *x = work + ipntr[0] - 1, *y = work + ipntr[1] - 1;
        if (ido == 2) {
            multiply(l, x, y);
        } else if (ido == -1) {
            multiply(l, x, y);
            solve(l, y, y);
        } else if (ido == 1) {
            solve(l, work + ipntr[2] - 1, y);
        }
    } while (ido != 99);
    bool is_done = info == 0;
    if (is_done) {
        dseupd_c(1, "A", select, squares, z, n, 0.0, "G", n, "LM", count, 1e-12, resid, ncv, v, n,
                 iparam, ipntr, work, small, l_work, &info);
        is_done = info == 0;
    }
    free(resid), free(v), free(work), free(small), free(z), free(select);
    return is_done;
}

bool frame_limit_calc(const FbPattern* pattern, const double* K, const double* M, int count,
                      int n_shapes, double* shapes, double* squares, FrameLimit* out) {
    Limit l = {.pattern = pattern, .M = M};
    double start = bench_cpu_time();
    cholmod_start(&l.common);
    cholmod_sparse* a = copy_upper(&l, K);
    l.factor = cholmod_analyze(a, &l.common);  // AMD, and METIS where AMD does badly
    cholmod_factorize(a, l.factor, &l.common);
    l.b = cholmod_zeros((size_t)pattern->n_col, 1, CHOLMOD_REAL, &l.common);
    for (int k = 0; l.common.status == CHOLMOD_OK && k < n_shapes; k++) {
        solve(&l, shapes + (size_t)k * (size_t)pattern->n_col,
              shapes + (size_t)k * (size_t)pattern->n_col);
    }
    l.n_solves = 0;
    bool is_done = l.common.status == CHOLMOD_OK && iterate(&l, count, squares);
    cholmod_dense** all[] = {&l.b, &l.x, &l.y, &l.e};
    for (int i = 0; i < 4; i++) {
        cholmod_free_dense(all[i], &l.common);
    }
    cholmod_free_factor(&l.factor, &l.common);
    cholmod_free_sparse(&a, &l.common);
    cholmod_finish(&l.common);
    *out =
        (FrameLimit){bench_cpu_time() - start, l.n_solves, (double)l.common.memory_usage + l.bytes};
    return is_done;
}

bool frame_limit_is_built(void) {
    return true;
}
