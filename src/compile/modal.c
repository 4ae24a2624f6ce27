// Modal damping: every mode of a linear structure in the drawn position gets the same damping
// ratio. And the factors of modal amplitudes that are measured.
//
// With K phi_i = w_i^2 M phi_i and phi_i' M phi_i = 1 (eq. 8.71)
//   C = sum_i 2 z w_i (M phi_i) (M phi_i)'.
// M holds the elements and the bodies that the structure carries, K the elements and every spring
// that acts on its nodes; sliders, which come and go, are not part of either.
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "math/dense.h"
#include "system/part.h"

void fb_modal_damping_add_pattern(const FbBuilder* b, FbPatternBuilder* builder) {
    const FbModel* m = b->m;
    for (int i = 0; i < m->n_structures; i++) {
        const FbStructure* s = &m->structures[i];
        for (int r = 0; s->damping_ratio > 0.0 && r < s->n_v; r++) {
            for (int c = 0; c < s->n_v; c++) {
                fb_pattern_builder_add(builder, s->v[r], s->v[c]);
            }
        }
    }
}

static void pick_symmetric(const FbPattern* vv, const double* values, const FbStructure* s,
                           double* out) {
    assert(values);
    for (int c = 0; c < s->n_v; c++) {
        for (int r = 0; r < s->n_v; r++) {
            int one = fb_pattern_index(vv, s->v[r], s->v[c]);
            int other = fb_pattern_index(vv, s->v[c], s->v[r]);
            out[c * s->n_v + r] =
                0.5 * ((one >= 0 ? values[one] : 0.0) + (other >= 0 ? values[other] : 0.0));
        }
    }
}

// C = sum of 2 z w p p' with p = M phi.
static void calc_damping(const FbStructure* s, const double* M, const double* phi,
                         const double* squares, double* p, double* C) {
    int n = s->n_v;
    double rounding = 8.0 * n * DBL_EPSILON * fabs(squares[n - 1]);  // no strain: w = 0
    memset(C, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) {
        double factor = 2.0 * s->damping_ratio * sqrt(fmax(squares[i], 0.0));
        if (squares[i] <= rounding) {
            continue;
        }
        memset(p, 0, sizeof(double) * (size_t)n);
        for (int c = 0; c < n; c++) {
            for (int r = 0; r < n; r++) {
                p[r] += M[c * n + r] * phi[i * n + c];
            }
        }
        for (int c = 0; c < n; c++) {
            for (int r = 0; r < n; r++) {
                C[c * n + r] += factor * p[r] * p[c];
            }
        }
    }
}

static void add_damping(FbModel* m, const FbStructure* s, const double* C) {
    for (int c = 0; c < s->n_v; c++) {
        for (int r = 0; r < s->n_v; r++) {
            m->linear_C[fb_pattern_index(&m->vv, s->v[r], s->v[c])] += C[c * s->n_v + r];
        }
    }
}

// The factors of modal amplitudes, M phi (eq. 8.78); its largest one is positive.
static void fill_amplitudes(FbModel* m, int structure, const double* M, const double* phi,
                            double* p) {
    for (int i = 0; structure >= 0 && i < m->n_modal; i++) {
        const FbModalOutput* out = &m->modal[i];
        int n = m->structures[structure].n_v;
        const double* x = phi + (size_t)(out->mode - 1) * (size_t)n;
        double largest = 0.0;
        if (out->structure != structure) {
            continue;
        }
        memset(p, 0, sizeof(double) * (size_t)n);
        for (int c = 0; c < n; c++) {
            for (int r = 0; r < n; r++) {
                p[r] += M[c * n + r] * x[c];
            }
        }
        for (int r = 0; r < n; r++) {
            largest = fabs(p[r]) > fabs(largest) ? p[r] : largest;
        }
        for (int r = 0; r < n; r++) {
            m->terms[out->term + r].factor = largest < 0.0 ? -p[r] : p[r];
        }
    }
}

static bool is_needed(const FbModel* m, int structure) {
    bool is_measured = false;
    for (int i = 0; i < m->n_modal; i++) {
        is_measured |= m->modal[i].structure == structure;
    }
    return is_measured || m->structures[structure].damping_ratio > 0.0;
}

// `index`: of the structure, whose amplitudes may be measured; -1: of matrices.
static FbStatus add_structure(FbModel* m, int index, const FbStructure* s, const double* M_all,
                              const double* K_all, FbError* err) {
    size_t n = (size_t)s->n_v;
    double* work = malloc(sizeof(double) * (3 * n * n + 2 * n + 1));
    if (!work) {
        return fb_fail_memory(err);
    }
    double *K = work, *M = K + n * n, *spent = M + n * n, *squares = spent + n * n,
           *p = squares + n;
    pick_symmetric(&m->vv, K_all, s, K);
    pick_symmetric(&m->vv, M_all, s, M);
    memcpy(spent, M, sizeof(double) * n * n);
    FbStatus status = fb_eigen_symmetric_pencil(s->n_v, K, spent, squares, err);
    if (status == FB_OK) {
        fill_amplitudes(m, index, M, K, p);
        if (s->damping_ratio > 0.0) {
            calc_damping(s, M, K, squares, p, spent);
            add_damping(m, s, spent);
        }
    } else if (status != FB_ERR_MEMORY) {
        status = fb_fail(err, FB_ERR_MODEL, &s->place,
                         "structure '%s' has no modes, because some of its nodes can move without "
                         "moving any mass; give its material a density, or its nodes masses",
                         s->name);
    }
    free(work);
    return status;
}

// M and K of the whole model at rest in the drawing, without sliders.
static void calc_matrices(FbSystem* system, double* M) {
    const FbModel* m = system->m;
    FbBlocks* b = &system->blocks;
    assert(M);
    FbPoint p = {.t = m->settings.start,
                 .q = m->q_drawn,
                 .v = system->zero_v,
                 .a = system->zero_v,
                 .x = system->ahead.x};
    for (int i = 0; i < m->n_states; i++) {
        p.x[i] = m->states[i].initial;
    }
    fb_turns_predict(system, p.t);
    fb_system_realize(system, p.q, p.v, p.a);
    memset(b->K, 0, sizeof(double) * (size_t)fb_pattern_count(&m->vv));
    fb_part_forces.add_blocks(system, &p, b);
    fb_tree_add_mass_matrix(&m->tree, &system->k, &m->vv, M);
    for (int i = 0; i < fb_pattern_count(&m->vv); i++) {
        M[i] += m->linear_M[i];
        b->K[i] += m->linear_K[i];
    }
}

FbStatus fb_compile_modal_damping(FbBuilder* b, FbError* err) {
    FbModel* m = b->m;
    bool has_any = false;
    for (int i = 0; i < m->n_structures; i++) {
        has_any = has_any || is_needed(m, i);
    }
    for (int i = 0; i < m->n_superelements; i++) {
        has_any = has_any || m->superelements[i].damping_ratio > 0.0;
    }
    if (!has_any || !m->linear_M) {
        return FB_OK;
    }
    FbSystem* system;
    FB_TRY(fb_system_create(m, &system, err));
    double* M = calloc((size_t)fb_pattern_count(&m->vv) + 1, sizeof(double));
    FbStatus status = M ? FB_OK : fb_fail_memory(err);
    if (status == FB_OK) {
        calc_matrices(system, M);
    }
    for (int i = 0; i < m->n_structures && status == FB_OK; i++) {
        if (is_needed(m, i)) {
            status = add_structure(m, i, &m->structures[i], M, system->blocks.K, err);
        }
    }
    for (int i = 0; i < m->n_superelements && status == FB_OK; i++) {
        const FbSuperelement* e = &m->superelements[i];
        FbStructure s = {.name = e->name,
                         .damping_ratio = e->damping_ratio,
                         .v = e->v,
                         .n_v = e->n,
                         .place = e->place};
        if (s.damping_ratio > 0.0) {
            status = add_structure(m, -1, &s, M, system->blocks.K, err);
        }
    }
    free(M);
    fb_system_destroy(system);
    return status;
}
