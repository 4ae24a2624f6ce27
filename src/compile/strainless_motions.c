// The motions of a structure without strain, by inverse iteration.
//
// The stiffness of the drawing with respect to the coordinates of the structure's own nodes, scaled
// to a unit diagonal, S = D^-1/2 K D^-1/2, has a null space there (eq. 8.72). It is found by
// inverse iteration with a few vectors, along the constraints: [S + e, G'; G, -e].
#include "compile/strainless.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "math/dense.h"
#include "math/symmetric.h"

// Unit diagonal: an elastic motion of a member with n elements has about (2/n)^4/24, rounding
// leaves some 1e-16.
static const double SHIFT = 1e-12, NO_STRAIN = 1e-14;
// Of the largest stiffness, as an energy of displacements of the model's size: less is none.
static const double NO_STIFFNESS = 1e-20;
enum { MOST_VECTORS = 12, ITERATIONS = 4 };

FbStatus fb_mechanism_list_own(FbMechanism* s, FbError* err) {
    const FbTree* tree = &s->m->tree;
    s->v = FB_TAKE(s->arena, int, tree->n_v + 1);
    s->own = FB_TAKE(s->arena, int, tree->n_v + 1);
    if (fb_arena_has_failed(s->arena)) {
        return fb_fail_memory(err);
    }
    for (int j = 0; j < tree->n_v; j++) {
        int joint = tree->links[tree->link_of_v[j]].joint;
        bool is_own = joint >= 0 && fb_is_part_of(s->m->joints[joint].name, s->structure->name);
        s->own[j] = is_own ? s->n : -1;
        if (is_own) {
            s->v[s->n++] = j;
        }
    }
    return FB_OK;
}

static void calc_scale(FbMechanism* s, const FbBlocks* b) {
    double most = 0.0;
    for (int i = 0; i < s->n; i++) {
        double size = fb_model_displacement(s->m, s->v[i]);
        most = fmax(most, fabs(b->K[fb_pattern_index(b->vv, s->v[i], s->v[i])]) * size * size);
    }
    for (int i = 0; i < s->n; i++) {
        double d = fabs(b->K[fb_pattern_index(b->vv, s->v[i], s->v[i])]);
        double size = fb_model_displacement(s->m, s->v[i]);
        s->scale[i] = 1.0 / sqrt(fmax(d, most > 0.0 ? NO_STIFFNESS * most / (size * size) : 1.0));
    }
}

// S and G as triplets; both are small enough to be kept once more.
static FbStatus pick_matrices(FbMechanism* s, const FbBlocks* b, FbError* err) {
    size_t most = (size_t)fb_pattern_count(b->vv) + (size_t)(s->n_c ? fb_pattern_count(b->cv) : 0);
    FbTriplet* list = malloc(sizeof(FbTriplet) * (most + 1));
    size_t n_s = 0, n_g = 0;
    if (!list) {
        return fb_fail_memory(err);
    }
    for (int c = 0; c < s->n; c++) {
        for (int e = b->vv->start[s->v[c]]; e < b->vv->start[s->v[c] + 1]; e++) {
            int r = s->own[b->vv->row[e]];
            if (r >= 0) {
                list[n_s++] = (FbTriplet){r, c, b->K[e] * s->scale[r] * s->scale[c]};
            }
        }
    }
    FbStatus status = fb_sparse_from_triplets(s->n, s->n, list, n_s, s->arena, &s->S, err);
    for (int c = 0; s->n_c > 0 && c < s->n; c++) {
        for (int e = b->cv->start[s->v[c]]; e < b->cv->start[s->v[c] + 1]; e++) {
            list[n_g++] = (FbTriplet){b->cv->row[e], c, b->G[e] * s->scale[c]};
        }
    }
    if (status == FB_OK && s->n_c > 0) {
        status = fb_sparse_from_triplets(s->n_c, s->n, list, n_g, s->arena, &s->G, err);
    }
    free(list);
    return status;
}

// Rows of G have unit length, so that their part of the matrix is as large as S.
static FbStatus scale_rows(FbMechanism* s, FbError* err) {
    double* size = calloc((size_t)s->n_c + 1, sizeof(double));
    if (!size) {
        return fb_fail_memory(err);
    }
    int n = s->n_c > 0 ? fb_pattern_count(&s->G.pattern) : 0;
    for (int e = 0; e < n; e++) {
        size[s->G.pattern.row[e]] += s->G.values[e] * s->G.values[e];
    }
    for (int e = 0; e < n; e++) {
        double length = sqrt(size[s->G.pattern.row[e]]);
        s->G.values[e] /= length > 0.0 ? length : 1.0;
    }
    free(size);
    return FB_OK;
}

static FbStatus build_solver(FbMechanism* s, FbError* err) {
    int size = s->n + s->n_c;
    const FbPattern *S = &s->S.pattern, *G = &s->G.pattern;
    FbPatternBuilder* builder = fb_pattern_builder_create(size, size);
    if (!builder) {
        return fb_fail_memory(err);
    }
    for (int c = 0; c < s->n; c++) {
        fb_pattern_builder_add(builder, c, c);
        for (int e = S->start[c]; e < S->start[c + 1]; e++) {
            fb_pattern_builder_add(builder, S->row[e], c);
        }
        for (int e = s->n_c > 0 ? G->start[c] : 0; s->n_c > 0 && e < G->start[c + 1]; e++) {
            fb_pattern_builder_add(builder, s->n + G->row[e], c);
            fb_pattern_builder_add(builder, c, s->n + G->row[e]);
        }
    }
    for (int c = 0; c < s->n_c; c++) {
        fb_pattern_builder_add(builder, s->n + c, s->n + c);
    }
    FbStatus status = fb_pattern_builder_finish(builder, s->arena, &s->pattern, err);
    fb_pattern_builder_destroy(builder);
    FB_TRY(status);
    return fb_linear_create(&s->pattern, FB_LINEAR_AUTO, false, &s->solver, err);
}

// FB_RETRY where it is singular even so.
static FbStatus factor(FbMechanism* s) {
    double* values = fb_linear_values(s->solver);
    const FbPattern *S = &s->S.pattern, *G = &s->G.pattern, *p = &s->pattern;
    memset(values, 0, sizeof(double) * (size_t)fb_pattern_count(p));
    for (int c = 0; c < s->n; c++) {
        for (int e = S->start[c]; e < S->start[c + 1]; e++) {
            values[fb_pattern_index(p, S->row[e], c)] += s->S.values[e];
        }
        values[fb_pattern_index(p, c, c)] += SHIFT;
        for (int e = s->n_c > 0 ? G->start[c] : 0; s->n_c > 0 && e < G->start[c + 1]; e++) {
            values[fb_pattern_index(p, s->n + G->row[e], c)] = s->G.values[e];
            values[fb_pattern_index(p, c, s->n + G->row[e])] = s->G.values[e];
        }
    }
    for (int c = 0; c < s->n_c; c++) {
        values[fb_pattern_index(p, s->n + c, s->n + c)] = -SHIFT;
    }
    return fb_linear_factor(s->solver);
}

static double dot(int n, const double* x, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

// Motions without strain outgrow the others by 1e12 in each round, so that rounding of them is all
// that is left of another vector next to them: it has to be made orthogonal, and of unit size,
// again until nothing of them is left, lest it be counted as one more of them.
static void orthonormalize(FbMechanism* s) {
    enum { PASSES = 4 };
    for (int k = 0; k < s->n_x; k++) {
        double* x = s->x + (size_t)k * (size_t)s->n;
        for (int pass = 0; pass < PASSES; pass++) {
            for (int j = 0; j < k; j++) {
                const double* y = s->x + (size_t)j * (size_t)s->n;
                double along = dot(s->n, x, y);
                for (int i = 0; i < s->n; i++) {
                    x[i] -= along * y[i];
                }
            }
            double size = sqrt(dot(s->n, x, x));
            for (int i = 0; i < s->n; i++) {
                x[i] = size > 0.0 ? x[i] / size : (i + pass) % s->n == k ? 1.0 : 0.0;
            }
        }
    }
}

static void iterate(FbMechanism* s, double* rhs) {
    unsigned seed = 1;
    for (int i = 0; i < s->n * s->n_x; i++) {
        seed = seed * 1664525u + 1013904223u;
        s->x[i] = (double)(seed >> 8) / 8388608.0 - 1.0;
    }
    for (int round = 0; round < ITERATIONS; round++) {
        orthonormalize(s);
        for (int k = 0; k < s->n_x; k++) {
            double* x = s->x + (size_t)k * (size_t)s->n;
            memset(rhs, 0, sizeof(double) * (size_t)(s->n + s->n_c));
            memcpy(rhs, x, sizeof(double) * (size_t)s->n);
            fb_linear_solve(s->solver, rhs);
            memcpy(x, rhs, sizeof(double) * (size_t)s->n);
        }
    }
    orthonormalize(s);
}

// y += G' G x: what the constraints forbid counts as strain.
static void add_violation(const FbMechanism* s, const double* x, double* along, double* y) {
    if (s->n_c > 0) {
        memset(along, 0, sizeof(double) * (size_t)s->n_c);
        fb_pattern_multiply(&s->G.pattern, s->G.values, 1.0, x, along);
        fb_pattern_multiply_transposed(&s->G.pattern, s->G.values, 1.0, along, y);
    }
}

// Ritz: keeps the combinations of x without strain, as the first *n_null columns of x.
static FbStatus separate(FbMechanism* s, int* n_null, FbError* err) {
    int p = s->n_x, n = s->n;
    size_t room = (size_t)p * (size_t)(2 * p + 1) + (size_t)n * (size_t)(p + 1) + (size_t)s->n_c;
    double* work = calloc(room + 1, sizeof(double));
    if (!work) {
        return fb_fail_memory(err);
    }
    double *H = work, *unit = H + p * p, *theta = unit + p * p, *y = theta + p, *along = y + n,
           *kept = along + s->n_c;
    for (int k = 0; k < p; k++) {
        unit[k * p + k] = 1.0;
        memset(y, 0, sizeof(double) * (size_t)n);
        fb_pattern_multiply(&s->S.pattern, s->S.values, 0.5, s->x + (size_t)k * (size_t)n, y);
        fb_pattern_multiply_transposed(&s->S.pattern, s->S.values, 0.5,
                                       s->x + (size_t)k * (size_t)n, y);
        add_violation(s, s->x + (size_t)k * (size_t)n, along, y);
        for (int j = 0; j < p; j++) {
            H[k * p + j] = dot(n, y, s->x + (size_t)j * (size_t)n);
        }
    }
    FbStatus status = fb_eigen_symmetric_pencil(p, H, unit, theta, err);
    *n_null = 0;
    for (int k = 0; status == FB_OK && k < p; k++) {
        if (fabs(theta[k]) > NO_STRAIN) {
            continue;
        }
        double* out = kept + (size_t)(*n_null)++ * (size_t)n;
        for (int j = 0; j < p; j++) {
            for (int i = 0; i < n; i++) {
                out[i] += H[k * p + j] * s->x[(size_t)j * (size_t)n + (size_t)i];
            }
        }
    }
    if (status == FB_OK) {
        memcpy(s->x, kept, sizeof(double) * (size_t)n * (size_t)*n_null);
    }
    free(work);
    return status;
}

// From scaled coordinates to an orthonormal basis of displacements (turns times the model's
// length).
static void make_physical(FbMechanism* s, int n_null) {
    const FbTree* tree = &s->m->tree;
    for (int i = 0; i < s->n; i++) {
        FbLinkKind kind = tree->links[tree->link_of_v[s->v[i]]].kind;
        bool is_slide = kind == FB_LINK_SLIDE || kind == FB_LINK_TRANSLATE3;
        double size = is_slide ? 1.0 : s->m->length;
        for (int k = 0; k < n_null; k++) {
            s->x[(size_t)k * (size_t)s->n + (size_t)i] *= size * s->scale[i];
        }
        s->scale[i] = 1.0 / size;
    }
    s->n_x = n_null;
    orthonormalize(s);
}

// Has S no eigenvalue as small as those of motions without strain? Then S - SHIFT has a Cholesky
// factorization: its rounding is far below SHIFT, and SHIFT far above NO_STRAIN. FB_RETRY: not
// known.
static FbStatus check_firm(const FbMechanism* s, FbError* err) {
    const FbPattern *vv = &s->m->vv, *own = &s->S.pattern;
    bool is_whole = s->n == vv->n_col && fb_pattern_count(own) == fb_pattern_count(vv);
    const FbPattern* p = is_whole ? vv : own;  // equal ones; the model's lives longer
    FbSymmetric* solver;
    FB_TRY(fb_symmetric_create_like(p, s->system->analysed, &solver, err));
    double* values = fb_symmetric_values(solver);
    FbStatus status = FB_OK;
    memcpy(values, s->S.values, sizeof(double) * (size_t)fb_pattern_count(p));
    for (int c = 0; status == FB_OK && c < s->n; c++) {
        int at = fb_pattern_index(p, c, c);
        status = at >= 0 ? FB_OK : FB_RETRY;
        if (at >= 0) {
            values[at] -= SHIFT;
        }
    }
    status = status == FB_OK ? fb_symmetric_factor(solver, FB_SYMMETRIC_DEFINITE) : status;
    if (is_whole && !s->system->analysed) {
        fb_symmetric_trim(solver);
        s->system->analysed = solver;
    } else {
        fb_symmetric_destroy(solver);
    }
    return status < 0 ? fb_fail_memory(err) : status;
}

FbStatus fb_mechanism_find(FbMechanism* s, const FbBlocks* b, bool* is_all, FbError* err) {
    int n_x = s->n < MOST_VECTORS ? s->n : MOST_VECTORS, n_null = 0;
    s->n_x = n_x;
    s->scale = FB_TAKE(s->arena, double, s->n + 1);
    s->x = FB_TAKE(s->arena, double, s->n* n_x + 1);
    double* rhs = FB_TAKE(s->arena, double, s->n + s->n_c + 1);
    if (fb_arena_has_failed(s->arena)) {
        return fb_fail_memory(err);
    }
    calc_scale(s, b);
    FB_TRY(pick_matrices(s, b, err));
    FB_TRY(scale_rows(s, err));
    FbStatus status = s->n_c == 0 ? check_firm(s, err) : FB_RETRY;
    if (status <= 0) {
        s->n_x = 0;
        *is_all = true;
        return status;
    }
    FB_TRY(build_solver(s, err));
    status = factor(s);
    if (status < 0) {
        return fb_fail_memory(err);
    }
    if (status == FB_OK) {
        iterate(s, rhs);
        FB_TRY(separate(s, &n_null, err));
    }
    *is_all = n_null < n_x || n_null == s->n;
    make_physical(s, n_null);
    return FB_OK;
}
