// Which constraint rows are independent: Gaussian elimination over the rows in file order, so that
// later ones are the redundant ones.
//
// Velocities are scaled by the square root of their inertia, so that metres and radians compare; a
// row is redundant if elimination by the earlier ones leaves less than a small part of it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/elimination.h"
#include "system/work.h"

// Of a row's length: below it, the row says nothing new. Large enough for rounding in long chains,
// small enough that positions near a singular one keep their rank.
static const double INDEPENDENT = 1e-9;

// 1/sqrt of the diagonal of M, 1 where there is no inertia.
static void calc_scale(FbSystem* s, const double* q, double* scale) {
    memset(s->blocks.M, 0, sizeof(double) * (size_t)fb_pattern_count(&s->m->vv));
    fb_tree_add_mass_matrix(&s->m->tree, &s->k, &s->m->vv, s->blocks.M);
    fb_structures_add_mass(s, q, s->blocks.M);
    for (int j = 0; j < s->m->tree.n_v; j++) {
        double m = s->blocks.M[fb_at(&s->m->vv, j, j)];
        scale[j] = m > 0.0 ? 1.0 / sqrt(m) : 1.0;
    }
}

// One row's gradient, scaled, as entries (a column may come twice).
static int gather_row(const FbSystem* s, int r, const double* scale, int* columns, double* values) {
    const FbModel* m = s->m;
    int n = 0;
    for (int t = m->rows[r].term; t < m->rows[r].term + m->rows[r].n_terms; t++) {
        const FbTerm* term = &m->terms[t];
        if (term->kind == FB_TERM_COORDINATE) {
            columns[n] = term->coordinate_v;
            values[n++] = term->factor * scale[term->coordinate_v];
        }
        for (int k = term->path; k < term->path + term->n_path; k++) {
            int v = m->paths.v[k];
            columns[n] = v;
            values[n++] =
                term->factor * m->paths.sign[k] * fb_dot6(s->k.S[v], s->term[t].w) * scale[v];
        }
    }
    return n;
}

static int longest_row(const FbModel* m) {
    int longest = 1;
    for (int r = 0; r < m->n_rows; r++) {
        int n = 0;
        for (int t = m->rows[r].term; t < m->rows[r].term + m->rows[r].n_terms; t++) {
            n += m->terms[t].n_path + 1;
        }
        longest = n > longest ? n : longest;
    }
    return longest;
}

// Marks the rows that follow from earlier ones; -1: out of memory.
static int find_dependent(FbSystem* s, const double* scale, bool* is_dropped) {
    const FbModel* m = s->m;
    size_t longest = (size_t)longest_row(m);
    FbElimination* e = fb_elimination_create(m->tree.n_v, INDEPENDENT);
    int* columns = malloc(sizeof(int) * longest);
    double* values = malloc(sizeof(double) * longest);
    int kept = e && columns && values ? 0 : -1;
    for (int r = 0; kept >= 0 && r < m->n_rows; r++) {
        int n = gather_row(s, r, scale, columns, values);
        kept = fb_elimination_add(e, n, columns, values);
        is_dropped[r] = kept == 0;
    }
    free(columns);
    free(values);
    fb_elimination_destroy(e);
    return kept;
}

FbStatus fb_rows_choose(FbSystem* s, const double* q, FbError* err) {
    const FbModel* m = s->m;
    double* scale = malloc(sizeof(double) * ((size_t)m->tree.n_v + 1));
    bool* is_dropped = calloc((size_t)m->n_rows + 1, sizeof(bool));
    FbStatus status = scale && is_dropped ? FB_OK : fb_fail_memory(err);
    if (status == FB_OK) {
        fb_system_realize(s, q, s->zero_v, NULL);
        fb_rows_realize(s, q, s->zero_v, false);
        calc_scale(s, q, scale);
        status = find_dependent(s, scale, is_dropped) >= 0 ? fb_rows_use(s, is_dropped, err)
                                                           : fb_fail_memory(err);
    }
    free(scale);
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
