// Which constraint rows are independent: Gaussian elimination over the rows in file order, so that
// later ones are the redundant ones.
//
// Velocities are scaled by the square root of their inertia, so that metres and radians compare; a
// row is redundant if elimination by the earlier ones leaves less than a small part of it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/work.h"

// Of a row's length: below it, the row says nothing new. Large enough for rounding in long chains,
// small enough that positions near a singular one keep their rank.
static const double INDEPENDENT = 1e-9;

typedef struct SparseRow {
    int* col;
    double* value;
    int n, pivot;
} SparseRow;

typedef struct Elimination {
    SparseRow* rows;
    int n_rows;
    double* dense;  // [n_v]
    double* scale;  // [n_v]
} Elimination;

static void elimination_free(Elimination* e) {
    for (int i = 0; e->rows && i < e->n_rows; i++) {
        free(e->rows[i].col);
        free(e->rows[i].value);
    }
    free(e->rows);
    free(e->dense);
    free(e->scale);
}

// Eliminates `dense` by the rows kept so far; keeps it if something is left. Returns 1 kept, 0
// redundant, -1 out of memory.
static int eliminate(Elimination* e, int n_v) {
    double norm = 0.0;
    for (int j = 0; j < n_v; j++) {
        norm += e->dense[j] * e->dense[j];
    }
    norm = sqrt(norm);
    for (int i = 0; i < e->n_rows; i++) {
        const SparseRow* row = &e->rows[i];
        double f = e->dense[row->pivot];
        for (int j = 0; f != 0.0 && j < row->n; j++) {
            e->dense[row->col[j]] -= f * row->value[j];
        }
    }
    int pivot = 0, count = 0;
    for (int j = 0; j < n_v; j++) {
        count += e->dense[j] != 0.0;
        pivot = fabs(e->dense[j]) > fabs(e->dense[pivot]) ? j : pivot;
    }
    if (!(norm > 0.0) || !(fabs(e->dense[pivot]) > INDEPENDENT * norm)) {
        return 0;
    }
    SparseRow* row = &e->rows[e->n_rows];
    row->col = malloc(sizeof(int) * (size_t)count);
    row->value = malloc(sizeof(double) * (size_t)count);
    row->pivot = pivot;
    e->n_rows++;
    if (!row->col || !row->value) {
        return -1;
    }
    for (int j = 0; j < n_v; j++) {
        if (e->dense[j] != 0.0) {
            row->col[row->n] = j;
            row->value[row->n++] = e->dense[j] / e->dense[pivot];
        }
    }
    return 1;
}

// 1/sqrt of the diagonal of M, 1 where there is no inertia.
static void calc_scale(FbSystem* s, double* scale) {
    memset(s->blocks.M, 0, sizeof(double) * (size_t)fb_pattern_count(&s->m->vv));
    fb_tree_add_mass_matrix(&s->m->tree, &s->k, &s->m->vv, s->blocks.M);
    for (int j = 0; j < s->m->tree.n_v; j++) {
        double m = s->blocks.M[fb_at(&s->m->vv, j, j)];
        scale[j] = m > 0.0 ? 1.0 / sqrt(m) : 1.0;
    }
}

FbStatus fb_rows_choose(FbSystem* s, const double* q, FbError* err) {
    const FbModel* m = s->m;
    int n_v = m->tree.n_v;
    Elimination e = {.rows = calloc((size_t)m->n_rows + 1, sizeof(SparseRow)),
                     .dense = malloc(sizeof(double) * ((size_t)n_v + 1)),
                     .scale = malloc(sizeof(double) * ((size_t)n_v + 1))};
    bool* is_dropped = calloc((size_t)m->n_rows + 1, sizeof(bool));
    FbStatus status = e.rows && e.dense && e.scale && is_dropped ? FB_OK : fb_fail_memory(err);
    if (status == FB_OK) {
        fb_system_realize(s, q, s->zero_v, NULL);
        fb_rows_realize(s, q, s->zero_v, false);
        calc_scale(s, e.scale);
    }
    for (int r = 0; status == FB_OK && r < m->n_rows; r++) {
        memset(e.dense, 0, sizeof(double) * (size_t)n_v);
        fb_row_add_gradient(s, r, e.dense);
        for (int j = 0; j < n_v; j++) {
            e.dense[j] *= e.scale[j];
        }
        int kept = eliminate(&e, n_v);
        is_dropped[r] = kept == 0;
        status = kept < 0 ? fb_fail_memory(err) : FB_OK;
    }
    if (status == FB_OK) {
        status = fb_rows_use(s, is_dropped, err);
    }
    elimination_free(&e);
    free(is_dropped);
    return status;
}

FbStatus fb_system_choose_rows(FbSystem* s, const double* q, FbError* err) {
    return fb_rows_choose(s, q, err);
}

static FbStatus build_cv_pattern(FbSystem* s, FbError* err) {
    const FbModel* m = s->m;
    int n_c = s->dynamics.size.n_c, n_v = m->tree.n_v;
    if (n_v + n_c <= 40) {
        return fb_pattern_full(n_c, n_v, s->row_arena, &s->cv, err);
    }
    FbPatternBuilder* b = fb_pattern_builder_create(n_c, n_v);
    if (!b) {
        return fb_fail_memory(err);
    }
    for (int c = 0; c < n_c; c++) {
        const FbRow* row = &m->rows[s->active[c]];
        for (int t = row->term; t < row->term + row->n_terms; t++) {
            if (m->terms[t].kind == FB_TERM_COORDINATE) {
                fb_pattern_builder_add(b, c, m->terms[t].coordinate_v);
            }
            for (int j = m->terms[t].path; j < m->terms[t].path + m->terms[t].n_path; j++) {
                fb_pattern_builder_add(b, c, m->paths.v[j]);
            }
        }
    }
    FbStatus status = fb_pattern_builder_finish(b, s->row_arena, &s->cv, err);
    fb_pattern_builder_destroy(b);
    return status;
}

FbStatus fb_rows_use(FbSystem* s, const bool* is_dropped, FbError* err) {
    const FbModel* m = s->m;
    fb_kkt_destroy(s);
    fb_arena_destroy(s->row_arena);
    s->row_arena = fb_arena_create();
    if (!s->row_arena) {
        return fb_fail_memory(err);
    }
    FbSizes* size = &s->dynamics.size;
    s->active = FB_TAKE(s->row_arena, int, m->n_rows + 1);
    if (!s->active) {
        return fb_fail_memory(err);
    }
    size->n_c = size->n_g = 0;
    for (int r = 0; r < m->n_rows; r++) {
        s->slot_of_row[r] = is_dropped[r] ? -1 : size->n_c;
        if (!is_dropped[r]) {
            s->active[size->n_c++] = r;
            size->n_g += m->rows[r].is_holonomic;
        }
    }
    FB_TRY(build_cv_pattern(s, err));
    size_t n = (size_t)fb_pattern_count(&s->cv) + 1;
    s->blocks.cv = &s->cv;
    s->blocks.G = FB_TAKE(s->row_arena, double, n);
    s->blocks.Gq = FB_TAKE(s->row_arena, double, n);
    if (fb_arena_has_failed(s->row_arena)) {
        return fb_fail_memory(err);
    }
    FB_TRY(fb_multipliers_create(s, err));
    return fb_kkt_create(s, err);
}
