// Which constraint rows are independent: Gaussian elimination over the rows in file order, so that
// later ones are the redundant ones.
//
// Rows and velocities are scaled by the units of the model, so that the natural size of an entry is
// 1 whatever the pose, the size and the place of the mechanism: a row is redundant if elimination
// by the earlier ones leaves a small part of that, and never judged by its own length, which may be
// rounding alone (theory manual, eqs. 4.13, 4.15).
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/elimination.h"
#include "system/work.h"

// Of the natural size: below it, a row says nothing new. Large enough for rounding in long chains,
// small enough that positions near a singular one keep their rank.
static const double INDEPENDENT = 1e-9;
// Errors of a position, in units in its last place.
static const double ROUNDING = 256.0 * DBL_EPSILON;

// How far the points of a term are from what their coordinates are counted from, or were drawn.
static double calc_distance(const FbSystem* s, const FbTerm* term, const FbTermState* state) {
    double distance = fmax(fb_term_calc_distance(term, &s->k, state), s->m->drawn_distance);
    for (int k = term->path; k < term->path + term->n_path; k++) {
        FbVec3 p = s->k.p[s->m->tree.link_of_v[s->m->paths.v[k]]];
        distance = fmax(distance, fb_norm(p));
    }
    return distance;
}

// One row's gradient, scaled, as entries (a column may come twice), and their uncertainty.
static int gather_row(const FbSystem* s, int r, int* columns, double* values, double* rounding) {
    const FbModel* m = s->m;
    const double* unit = m->unit_v;
    int n = 0;
    *rounding = ROUNDING;
    if (m->rows[r].carriage) {
        const FbCarriage* carriage = &m->carriages[m->rows[r].carriage - 1];
        const double* G = s->carriages[m->rows[r].carriage - 1].G +
                          (size_t)m->rows[r].component * (size_t)m->tree.n_v;
        for (; n < carriage->n; n++) {
            columns[n] = carriage->v[n];
            values[n] = G[carriage->v[n]] * unit[carriage->v[n]] / m->rows[r].unit;
        }
        *rounding = ROUNDING * fmax(1.0, fb_row_calc_size(s, r, true) / m->rows[r].unit);
    }
    for (int t = m->rows[r].term; t < m->rows[r].term + m->rows[r].n_terms; t++) {
        const FbTerm* term = &m->terms[t];
        double factor = term->factor / m->rows[r].unit;
        if (term->kind == FB_TERM_COORDINATE) {
            columns[n] = term->coordinate_v;
            values[n++] = factor * unit[term->coordinate_v];
            continue;
        }
        for (int k = term->path; k < term->path + term->n_path; k++) {
            int v = m->paths.v[k];
            columns[n] = v;
            double slope = fb_term_slope(&s->k, &s->term[t], v, m->paths.sign[k]);
            values[n++] = factor * m->paths.sign[k] * slope * unit[v];
        }
        double size = fb_term_is_position(term->kind) ? calc_distance(s, term, &s->term[t])
                                                      : fb_norm(s->term[t].w.ang);
        *rounding = fmax(*rounding, ROUNDING * fabs(factor) * size);
    }
    return n;
}

static int longest_row(const FbModel* m) {
    int longest = 1;
    for (int r = 0; r < m->n_rows; r++) {
        int n = m->rows[r].carriage ? m->carriages[m->rows[r].carriage - 1].n : 0;
        for (int t = m->rows[r].term; t < m->rows[r].term + m->rows[r].n_terms; t++) {
            n += m->terms[t].n_path + 1;
        }
        longest = n > longest ? n : longest;
    }
    assert(longest >= 1);
    return longest;
}

// Marks the rows that follow from earlier ones; -1: out of memory.
static int find_dependent(FbSystem* s, bool* is_dropped) {
    const FbModel* m = s->m;
    size_t longest = (size_t)longest_row(m);
    FbElimination* e = fb_elimination_create(m->tree.n_v, INDEPENDENT);
    int* columns = malloc(sizeof(int) * longest);
    double* values = malloc(sizeof(double) * longest);
    int kept = e && columns && values ? 0 : -1;
    for (int r = 0; kept >= 0 && r < m->n_rows; r++) {
        double rounding;
        int n = gather_row(s, r, columns, values, &rounding);
        kept = fb_elimination_add(e, n, columns, values, rounding);
        is_dropped[r] = kept == 0;
    }
    free(columns);
    free(values);
    fb_elimination_destroy(e);
    return kept;
}

FbStatus fb_rows_choose(FbSystem* s, const double* q, FbError* err) {
    bool* is_dropped = calloc((size_t)s->m->n_rows + 1, sizeof(bool));
    if (!is_dropped) {
        return fb_fail_memory(err);
    }
    fb_system_realize(s, q, s->zero_v, NULL);
    fb_rows_realize(s, q, s->zero_v, false);
    FbStatus status =
        find_dependent(s, is_dropped) >= 0 ? fb_rows_use(s, is_dropped, err) : fb_fail_memory(err);
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
        for (int j = 0; row->carriage && j < m->carriages[row->carriage - 1].n; j++) {
            fb_pattern_builder_add(b, c, m->carriages[row->carriage - 1].v[j]);
        }
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

static bool is_in_use(const FbSystem* s, const bool* is_dropped) {
    bool is_same = s->row_arena && s->kkt.solver;
    for (int r = 0; is_same && r < s->m->n_rows; r++) {
        is_same = is_dropped[r] == (s->slot_of_row[r] < 0);
    }
    return is_same;
}

static void number_rows(FbSystem* s, const bool* is_dropped) {
    FbSizes* size = &s->dynamics.size;
    size->n_c = size->n_g = 0;
    for (int r = 0; r < s->m->n_rows; r++) {
        s->slot_of_row[r] = is_dropped[r] ? -1 : size->n_c;
        if (!is_dropped[r]) {
            s->active[size->n_c++] = r;
            size->n_g += s->m->rows[r].is_holonomic;
        }
    }
}

FbStatus fb_rows_use(FbSystem* s, const bool* is_dropped, FbError* err) {
    const FbModel* m = s->m;
    if (is_in_use(s, is_dropped)) {
        fb_kkt_reset(s);
        return FB_OK;
    }
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
    number_rows(s, is_dropped);
    s->c_scale = FB_TAKE(s->row_arena, double, size->n_c + 1);
    for (int c = 0; s->c_scale && c < size->n_c; c++) {
        s->c_scale[c] = m->rows[s->active[c]].unit;
    }
    s->dynamics.c_scale = s->c_scale;
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
