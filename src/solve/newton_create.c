// Creating the shifted systems: their pattern, and where each entry of the blocks goes.
#include <stdlib.h>
#include <string.h>

#include "solve/newton_parts.h"

// The columns that column j of K mixes into: three of its ball joint, or itself alone.
static int first_column(const FbNewtonMatrix* m, int j, int* count) {
    int b = m->ball_of[j];
    *count = b < 0 ? 1 : 3;
    return b < 0 ? j : m->ball[b];
}

static void add_block_entries(const FbNewtonMatrix* m, const FbPattern* p, int row0,
                              FbPatternBuilder* builder) {
    for (int j = 0; j < p->n_col; j++) {
        int count, first = first_column(m, j, &count);
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            for (int c = 0; c < count; c++) {
                fb_pattern_builder_add(builder, row0 + p->row[k], first + c);
            }
        }
    }
}

static FbStatus build_pattern(FbNewtonMatrix* m, FbError* err) {
    int n_v = m->size.n_v, n_x = m->size.n_x, n_c = m->size.n_c;
    FbPatternBuilder* b = fb_pattern_builder_create(m->n, m->n);
    if (!b) {
        return fb_fail_memory(err);
    }
    add_block_entries(m, &m->vv, 0, b);
    if (n_c > 0) {
        add_block_entries(m, &m->cv, n_v + n_x, b);
    }
    for (int j = 0; j < n_v && n_c > 0; j++) {
        for (int k = m->cv.start[j]; k < m->cv.start[j + 1]; k++) {
            fb_pattern_builder_add(b, j, n_v + n_x + m->cv.row[k]);
        }
    }
    for (int i = 0; i < n_x; i++) {
        for (int j = 0; j < n_v + n_x; j++) {
            fb_pattern_builder_add(b, n_v + i, j);
            fb_pattern_builder_add(b, j, n_v + i);
        }
    }
    for (int i = 0; i < m->n; i++) {
        fb_pattern_builder_add(b, i, i);
    }
    FbStatus status = fb_pattern_builder_finish(b, m->arena, &m->pattern, err);
    fb_pattern_builder_destroy(b);
    return status;
}

static void map_block(const FbNewtonMatrix* m, const FbPattern* p, int row0, int* place) {
    for (int j = 0; j < p->n_col; j++) {
        int count, first = first_column(m, j, &count);
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            for (int c = 0; c < count; c++) {
                place[3 * k + c] = fb_pattern_index(&m->pattern, row0 + p->row[k], first + c);
            }
        }
    }
}

static void map_places(FbNewtonMatrix* m) {
    int n_v = m->size.n_v, n_x = m->size.n_x, n_c = m->size.n_c;
    for (int j = 0; j < n_v; j++) {
        m->diagonal[j] = fb_pattern_index(&m->vv, j, j);
    }
    map_block(m, &m->vv, 0, m->place_vv);
    for (int j = 0; j < n_v && n_c > 0; j++) {
        for (int k = m->cv.start[j]; k < m->cv.start[j + 1]; k++) {
            m->place_ct[k] = fb_pattern_index(&m->pattern, j, n_v + n_x + m->cv.row[k]);
        }
    }
    if (n_c > 0) {
        map_block(m, &m->cv, n_v + n_x, m->place_cv);
    }
    for (int i = 0; i < n_x; i++) {
        for (int j = 0; j < n_v; j++) {
            m->place_rx[i * n_v + j] = fb_pattern_index(&m->pattern, j, n_v + i);
            m->place_xv[j * n_x + i] = fb_pattern_index(&m->pattern, n_v + i, j);
        }
        for (int j = 0; j < n_x; j++) {
            m->place_xx[j * n_x + i] = fb_pattern_index(&m->pattern, n_v + i, n_v + j);
        }
    }
    for (int i = 0; i < n_c; i++) {
        m->place_diag[i] = fb_pattern_index(&m->pattern, n_v + n_x + i, n_v + n_x + i);
    }
}

static void copy_pattern(FbArena* arena, const FbPattern* from, FbPattern* to) {
    int count = fb_pattern_count(from);
    *to = *from;
    to->start = FB_TAKE(arena, int, from->n_col + 1);
    to->row = FB_TAKE(arena, int, count + 1);
    if (to->start && to->row) {
        memcpy(to->start, from->start, sizeof(int) * (size_t)(from->n_col + 1));
        memcpy(to->row, from->row, sizeof(int) * (size_t)count);
    }
}

static void take_values(FbNewtonMatrix* m, const FbBlocks* blocks) {
    FbArena* a = m->arena;
    int n_v = m->size.n_v, n_x = m->size.n_x;
    int vv = fb_pattern_count(blocks->vv);
    int cv = m->size.n_c > 0 ? fb_pattern_count(blocks->cv) : 0;
    copy_pattern(a, blocks->vv, &m->vv);
    if (m->size.n_c > 0) {
        copy_pattern(a, blocks->cv, &m->cv);
    }
    m->M = FB_TAKE(a, double, vv + 1);
    m->C = FB_TAKE(a, double, vv + 1);
    m->K = FB_TAKE(a, double, vv + 1);
    m->G = FB_TAKE(a, double, cv + 1);
    m->Gq = FB_TAKE(a, double, cv + 1);
    m->Rx = FB_TAKE(a, double, n_v* n_x + 1);
    m->Xq = FB_TAKE(a, double, n_v* n_x + 1);
    m->Xv = FB_TAKE(a, double, n_v* n_x + 1);
    m->Xx = FB_TAKE(a, double, n_x* n_x + 1);
    m->place_vv = FB_TAKE(a, int, 3 * vv + 1);
    m->place_cv = FB_TAKE(a, int, 3 * cv + 1);
    m->place_ct = FB_TAKE(a, int, cv + 1);
    m->place_rx = FB_TAKE(a, int, n_v* n_x + 1);
    m->place_xv = FB_TAKE(a, int, n_v* n_x + 1);
    m->place_xx = FB_TAKE(a, int, n_x* n_x + 1);
    m->place_diag = FB_TAKE(a, int, m->size.n_c + 1);
    m->omega = FB_TAKE(a, double, 3 * m->n_ball + 1);
    m->unit = FB_TAKE(a, double, m->n + 1);
    m->diagonal = FB_TAKE(a, int, n_v + 1);
    m->work = FB_TAKE(a, double, 2 * n_v + 2);
    m->probe = FB_TAKE(a, double, 2 * m->n + 2);
}

static void take_balls(FbNewtonMatrix* m, const FbDynamics* d) {
    m->n_ball = d->n_ball;
    int* ball = FB_TAKE(m->arena, int, d->n_ball + 1);
    m->ball_of = FB_TAKE(m->arena, int, m->size.n_v + 1);
    if (!ball || !m->ball_of) {
        return;
    }
    for (int j = 0; j < m->size.n_v; j++) {
        m->ball_of[j] = -1;
    }
    for (int b = 0; b < d->n_ball; b++) {
        ball[b] = d->ball[b];
        for (int c = 0; c < 3; c++) {
            m->ball_of[ball[b] + c] = b;
        }
    }
    m->ball = ball;
}

// Matrices of large structures are often symmetric, which their solver finds out by itself.
static FbStatus create_system(FbNewtonMatrix* m, bool is_complex, FbError* err) {
    FbLinearKind kind = m->may_be_symmetric ? FB_LINEAR_SYMMETRIC : FB_LINEAR_AUTO;
    FbNewtonSystem* system = &m->systems[m->n_systems++];
    system->is_complex = is_complex;
    system->E = fb_arena_take(m->arena, sizeof(double complex[3][3]) * (size_t)(m->n_ball + 1));
    if (!system->E) {
        return fb_fail_memory(err);
    }
    return m->is_deep ? fb_tree_fronts_create(m->plan, is_complex, &system->fronts, err)
                      : fb_linear_create(&m->pattern, kind, is_complex, &system->linear, err);
}

static FbStatus create_systems(FbNewtonMatrix* m, int n_complex, FbError* err) {
    if (m->is_deep) {
        FB_TRY(fb_tree_plan_create(m->tree.tree, &m->pattern, m->size.n_x, &m->plan, err));
    }
    for (int k = 0; k < 1 + n_complex; k++) {
        FB_TRY(create_system(m, k > 0, err));
    }
    return FB_OK;
}

FbStatus fb_newton_matrix_add_real(FbNewtonMatrix* m, int* k, FbError* err) {
    *k = m->n_systems;
    return create_system(m, false, err);
}

FbStatus fb_newton_matrix_create(const FbDynamics* d, const FbBlocks* blocks, int n_complex,
                                 FbNewtonMatrix** out, FbError* err) {
    *out = NULL;
    FbNewtonMatrix* m = calloc(1, sizeof *m);
    FbArena* arena = fb_arena_create();
    if (!m || !arena) {
        free(m);
        fb_arena_destroy(arena);
        return fb_fail_memory(err);
    }
    m->arena = arena;
    m->size = d->size;
    m->dynamics = d;
    m->n = d->size.n_v + d->size.n_x + d->size.n_c;
    m->is_deep = blocks->tree != NULL;
    m->may_be_symmetric = d->is_stiff && d->size.n_x == 0 && d->size.n_c == 0;
    if (m->is_deep) {
        fb_variation_init(blocks->tree->tree, arena, &m->tree);
    }
    take_balls(m, d);
    take_values(m, blocks);
    FbStatus status = fb_arena_has_failed(arena) ? fb_fail_memory(err) : build_pattern(m, err);
    if (status == FB_OK) {
        map_places(m);
        status = create_systems(m, n_complex, err);
    }
    if (status != FB_OK) {
        fb_newton_matrix_destroy(m);
        return status;
    }
    *out = m;
    return FB_OK;
}

void fb_newton_matrix_destroy(FbNewtonMatrix* m) {
    if (!m) {
        return;
    }
    for (int k = 0; k < m->n_systems; k++) {
        if (m->systems[k].linear) {
            fb_linear_destroy(m->systems[k].linear);
        }
        fb_tree_fronts_destroy(m->systems[k].fronts);
    }
    fb_tree_plan_destroy(m->plan);
    fb_arena_destroy(m->arena);
    free(m);
}

FbStatus fb_newton_calc_blocks(FbDynamics* d, const FbPoint* p, FbBlocks* blocks, FbError* err) {
    if (d->has_tapes && d->ops->plain_jacobian) {
        return d->ops->plain_jacobian(d, p, blocks, err);
    }
    return d->is_deep ? d->ops->split_jacobian(d, p, blocks, err)
                      : d->ops->jacobian(d, p, blocks, err);
}

static bool is_same_pattern(const FbPattern* a, const FbPattern* b) {
    size_t n = (size_t)a->n_col;
    return a->n_row == b->n_row && a->n_col == b->n_col &&
           memcmp(a->start, b->start, sizeof(int) * (n + 1)) == 0 &&
           memcmp(a->row, b->row, sizeof(int) * (size_t)a->start[n]) == 0;
}

bool fb_newton_matrix_fits(const FbNewtonMatrix* m, const FbDynamics* d, const FbBlocks* blocks) {
    return m->size.n_v == d->size.n_v && m->size.n_x == d->size.n_x && m->size.n_c == d->size.n_c &&
           m->is_deep == (blocks->tree != NULL) && is_same_pattern(&m->vv, blocks->vv) &&
           (m->size.n_c == 0 || is_same_pattern(&m->cv, blocks->cv));
}

FbStatus fb_newton_matrix_renew(const FbDynamics* d, const FbBlocks* blocks, int n_complex,
                                FbNewtonMatrix** m, FbError* err) {
    if (*m && fb_newton_matrix_fits(*m, d, blocks)) {
        return FB_OK;
    }
    fb_newton_matrix_destroy(*m);
    *m = NULL;
    return fb_newton_matrix_create(d, blocks, n_complex, m, err);
}
