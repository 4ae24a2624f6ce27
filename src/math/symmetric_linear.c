// Symmetric elimination for systems whose values change, or do not: definite as long as that works.
#include "math/symmetric_linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/symmetric.h"

// Entries may differ from their mirror images by this part of the larger one's diagonal entries.
static const double ASYMMETRY = 1e-12;

struct FbSymmetricLinear {
    const FbPattern* pattern;
    const double* values;
    FbSymmetric* solver;
    double* factored;        // [entries] values of the last factorization
    int *mirror, *diagonal;  // [entries], [n] places; -1: none
    bool is_factored;
    bool is_definite;  // worth a try
};

// Columns in order: the mirror images of their entries are requested in order, too. `diagonal` has
// the place reached in each column meanwhile.
static void fill_places(FbSymmetricLinear* s) {
    const FbPattern* p = s->pattern;
    memcpy(s->diagonal, p->start, sizeof *s->diagonal * (size_t)p->n_col);
    for (int col = 0; col < p->n_col; col++) {
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            int other = p->row[e], *at = &s->diagonal[other], end = p->start[other + 1];
            while (*at < end && p->row[*at] < col) {
                ++*at;
            }
            s->mirror[e] = *at < end && p->row[*at] == col ? *at : -1;
        }
    }
    for (int col = 0; col < p->n_col; col++) {
        s->diagonal[col] = fb_pattern_index(p, col, col);
    }
}

FbStatus fb_symmetric_linear_create(const FbPattern* pattern, const double* values,
                                    const FbSymmetricLinear* like, FbSymmetricLinear** out,
                                    FbError* err) {
    size_t count = (size_t)fb_pattern_count(pattern);
    *out = NULL;
    FbSymmetricLinear* s = calloc(1, sizeof *s);
    if (!s) {
        return fb_fail_memory(err);
    }
    *s = (FbSymmetricLinear){.pattern = pattern, .values = values, .is_definite = true};
    s->factored = malloc(sizeof *s->factored * (count + 1));
    s->mirror = malloc(sizeof *s->mirror * (count + 1));
    s->diagonal = malloc(sizeof *s->diagonal * ((size_t)pattern->n_col + 1));
    FbStatus status =
        s->factored && s->mirror && s->diagonal
            ? fb_symmetric_create_like(pattern, like ? like->solver : NULL, &s->solver, err)
            : fb_fail_memory(err);
    if (status != FB_OK) {
        fb_symmetric_linear_destroy(s);
        return status;
    }
    fill_places(s);
    *out = s;
    return FB_OK;
}

void fb_symmetric_linear_destroy(FbSymmetricLinear* s) {
    if (s) {
        fb_symmetric_destroy(s->solver);
        free(s->factored);
        free(s->mirror);
        free(s->diagonal);
        free(s);
    }
}

FbSymmetric* fb_symmetric_linear_get_solver(const FbSymmetricLinear* s) {
    return s->solver;
}

bool* fb_symmetric_linear_trial(FbSymmetricLinear* s) {
    return &s->is_definite;
}

void fb_symmetric_linear_reset(FbSymmetricLinear* s) {
    s->is_definite = true;
}

static double diagonal_of(const FbSymmetricLinear* s, int j) {
    return s->diagonal[j] >= 0 ? s->values[s->diagonal[j]] : 0.0;
}

bool fb_symmetric_linear_suits(const FbSymmetricLinear* s) {
    const FbPattern* p = s->pattern;
    for (int col = 0; col < p->n_col; col++) {
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            double a = s->values[e], b = s->mirror[e] >= 0 ? s->values[s->mirror[e]] : 0.0;
            if (a != b) {
                double size = sqrt(fabs(diagonal_of(s, col) * diagonal_of(s, p->row[e])));
                if (!(fabs(a - b) <= ASYMMETRY * fmax(size, fabs(a)))) {
                    return false;
                }
            }
        }
    }
    return true;
}

FbStatus fb_symmetric_linear_factor(FbSymmetricLinear* s, int* bad_column) {
    size_t size = sizeof *s->factored * (size_t)fb_pattern_count(s->pattern);
    if (s->is_factored && memcmp(s->factored, s->values, size) == 0) {
        return FB_OK;
    }
    memcpy(s->factored, s->values, size);
    memcpy(fb_symmetric_values(s->solver), s->values, size);
    FbStatus status = FB_RETRY;
    if (s->is_definite) {
        status = fb_symmetric_factor(s->solver, FB_SYMMETRIC_DEFINITE);
        s->is_definite = status == FB_OK;
    }
    if (status == FB_RETRY) {
        status = fb_symmetric_factor(s->solver, FB_SYMMETRIC_INDEFINITE);
    }
    s->is_factored = status == FB_OK;
    *bad_column = status == FB_RETRY ? fb_symmetric_get_zero(s->solver) : -1;
    return status;
}

void fb_symmetric_linear_solve(FbSymmetricLinear* s, double* b) {
    fb_symmetric_solve(s->solver, b);
}
