// The numerical part of the multifrontal LDL': fronts are assembled from entries and from what
// their children left, and eliminated.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/front.h"
#include "math/symmetric_data.h"

enum { EQUILIBRATIONS = 4 };

bool fb_pool_reserve(FbPool* p, size_t more) {
    if (p->n + more > p->capacity) {
        size_t capacity = p->n + more + p->capacity / 2;
        double* values = realloc(p->values, sizeof *values * capacity);
        if (!values) {
            return false;
        }
        p->values = values;
        p->capacity = capacity;
    }
    return true;
}

bool fb_index_pool_reserve(FbIndexPool* p, size_t more) {
    if (p->n + more > p->capacity) {
        size_t capacity = p->n + more + p->capacity / 2;
        int* values = realloc(p->values, sizeof *values * capacity);
        if (!values) {
            return false;
        }
        p->values = values;
        p->capacity = capacity;
    }
    return true;
}

// Entries of a lower triangle, by columns.
static size_t triangle(size_t n) {
    return n * (n + 1) / 2;
}

static double power_of_two(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, exponent);
}

// Powers of two that make the largest entry of each row about one (Ruiz: A scaling algorithm to
// equilibrate both rows and columns norms in matrices. RAL-TR-2001-034). False: not finite.
static bool equilibrate(FbSymmetric* s) {
    const FbPattern* p = s->pattern;
    double* largest = s->x;
    for (int i = 0; i < p->n_col; i++) {
        s->scale[i] = 1.0;
    }
    for (int pass = 0; pass < EQUILIBRATIONS; pass++) {
        memset(largest, 0, sizeof(double) * (size_t)p->n_col);
        for (int col = 0; col < p->n_col; col++) {
            for (int e = p->start[col]; e < p->start[col + 1]; e++) {
                int row = p->row[e];
                if (row >= col) {
                    double size = fabs(s->values[e]) * s->scale[row] * s->scale[col];
                    largest[row] = size > largest[row] ? size : largest[row];
                    largest[col] = size > largest[col] ? size : largest[col];
                }
            }
        }
        for (int i = 0; i < p->n_col; i++) {
            if (!(largest[i] <= DBL_MAX)) {
                return false;
            }
            s->scale[i] /= largest[i] > 0.0 ? power_of_two(sqrt(largest[i])) : 1.0;
        }
    }
    return true;
}

// Definite matrices need no scale; their pivots are compared with the diagonal.
static bool measure_diagonal(FbSymmetric* s, double noise) {
    const FbSymbolic* y = &s->symbolic;
    for (int j = 0; j < y->n; j++) {
        double diagonal = 0.0, sum = 0.0;
        for (int e = y->a_start[j]; e < y->a_start[j + 1]; e++) {
            double value = s->values[y->a_place[e]];
            sum += 0.0 * value;
            diagonal += y->a_row[e] == j ? value : 0.0;
        }
        s->limit[j] = noise * diagonal;
        s->scale[y->order[j]] = 1.0;
        if (sum != 0.0 || !(diagonal > 0.0)) {
            return false;
        }
    }
    return true;
}

// The rows of front f: its own columns, those of children that wait, and the others.
static bool list_front(FbSymmetric* s, int f, FbFront* front) {
    const FbSymbolic* y = &s->symbolic;
    int k = 0, own = y->first[f + 1] - y->first[f], rest = y->row_start[f + 1] - y->row_start[f];
    size_t top = s->stack_index.n;
    for (int c = s->child[f]; c >= 0; c = s->child[y->n_front + c]) {
        k += s->stack_waiting[c];
    }
    s->front_index.n = 0;
    if (!fb_index_pool_reserve(&s->front_index, (size_t)(own + k + rest) + 1)) {
        return false;
    }
    int* index = s->front_index.values;
    for (int j = 0; j < own; j++) {
        index[j] = y->first[f] + j;
    }
    for (int c = s->child[f], at = own; c >= 0; c = s->child[y->n_front + c]) {
        top -= (size_t)s->stack_rows[c];
        for (int i = 0; i < s->stack_waiting[c]; i++) {
            index[at++] = s->stack_index.values[top + (size_t)i];
        }
    }
    memcpy(index + own + k, y->row + y->row_start[f], sizeof(int) * (size_t)rest);
    *front = (FbFront){.m = own + k + rest, .k = own + k, .index = index};
    for (int i = 0; i < front->m; i++) {
        s->local[index[i]] = i;
    }
    return true;
}

static void add_entries(FbSymmetric* s, int f, const FbFront* front) {
    const FbSymbolic* y = &s->symbolic;
    for (int j = y->first[f]; j < y->first[f + 1]; j++) {
        double* column = front->a + (size_t)(j - y->first[f]) * (size_t)front->m;
        double scale = s->scale[y->order[j]];
        for (int e = y->a_start[j]; e < y->a_start[j + 1]; e++) {
            int row = y->a_row[e];
            column[s->local[row]] += s->values[y->a_place[e]] * scale * s->scale[y->order[row]];
        }
    }
}

// What a child left, a lower triangle, into the front. Places keep their order mostly, but not
// always.
static void add_child(FbSymmetric* s, int c, const FbFront* front) {
    int m = s->stack_rows[c];
    const double* a = s->stack.values + s->stack.n - triangle((size_t)m);
    int* at = s->stack_index.values + s->stack_index.n - (size_t)m;
    for (int i = 0; i < m; i++) {
        at[i] = s->local[at[i]];
    }
    for (int j = 0; j < m; a += m - j, j++) {
        double* column = front->a + (size_t)at[j] * (size_t)front->m;
        for (int i = j; i < m; i++) {
            if (at[i] >= at[j]) {
                column[at[i]] += a[i - j];
            } else {
                front->a[(size_t)at[i] * (size_t)front->m + (size_t)at[j]] += a[i - j];
            }
        }
    }
    s->stack.n -= triangle((size_t)m);
    s->stack_index.n -= (size_t)m;
}

static bool assemble(FbSymmetric* s, int f, FbFront* front) {
    if (!list_front(s, f, front)) {
        return false;
    }
    size_t m = (size_t)front->m, k = (size_t)front->k;
    if (!fb_pool_reserve(&s->front, m * m + 1) || !fb_pool_reserve(&s->off, k + 1)) {
        return false;
    }
    front->a = s->front.values;
    for (size_t j = 0; j < m; j++) {
        memset(front->a + j * m + j, 0, sizeof(double) * (m - j));
    }
    add_entries(s, f, front);
    for (int c = s->child[f]; c >= 0; c = s->child[s->symbolic.n_front + c]) {
        add_child(s, c, front);
    }
    front->off = s->off.values + s->off.n;
    return true;
}

// Keeps the eliminated columns and puts what is left on the stack.
static bool keep(FbSymmetric* s, int f, const FbFront* front, int n_done) {
    size_t m = (size_t)front->m, done = (size_t)n_done, left = m - done;
    FbSymmetricBlock* b = &s->blocks[f];
    if (!fb_pool_reserve(&s->factor, m * done) || !fb_index_pool_reserve(&s->index, m) ||
        !fb_pool_reserve(&s->stack, triangle(left) + 1) ||
        !fb_index_pool_reserve(&s->stack_index, left + 1)) {
        return false;
    }
    *b = (FbSymmetricBlock){front->m, n_done, s->index.n, s->factor.n, s->off.n};
    memcpy(s->factor.values + b->values, front->a, sizeof(double) * m * done);
    memcpy(s->index.values + b->index, front->index, sizeof(int) * m);
    double* top = s->stack.values + s->stack.n;
    for (size_t j = 0; j < left; top += left - j, j++) {
        memcpy(top, front->a + (done + j) * m + done + j, sizeof(double) * (left - j));
    }
    memcpy(s->stack_index.values + s->stack_index.n, front->index + done, sizeof(int) * left);
    s->factor.n += m * done;
    s->index.n += m;
    s->off.n += done;
    s->stack.n += triangle(left);
    s->stack_index.n += left;
    s->stack_rows[f] = (int)left;
    s->stack_waiting[f] = front->k - n_done;
    return true;
}

// FB_RETRY: not definite.
static FbStatus eliminate_definite(FbSymmetric* s, int f, FbFront* front) {
    const double* limit = s->limit + s->symbolic.first[f];
    if (!fb_front_eliminate_definite(front, limit)) {
        return FB_RETRY;
    }
    return keep(s, f, front, front->k) ? FB_OK : FB_ERR_MEMORY;
}

static FbStatus eliminate_any(FbSymmetric* s, int f, FbFront* front, double noise) {
    if (!fb_pool_reserve(&s->work, (size_t)front->m * (size_t)front->k + 1)) {
        return FB_ERR_MEMORY;
    }
    front->work = s->work.values;
    front->noise = noise;
    int done = fb_front_eliminate(front);
    s->signs.n_negative += front->n_negative;
    s->signs.n_positive += done - front->n_negative;
    if (s->symbolic.parent[f] < 0) {
        s->signs.n_zero += front->k - done;
        s->zero = done < front->k ? s->symbolic.order[front->index[done]] : s->zero;
    }
    return keep(s, f, front, done) ? FB_OK : FB_ERR_MEMORY;
}

static void reset(FbSymmetric* s) {
    s->factor.n = s->off.n = s->stack.n = s->index.n = s->stack_index.n = 0;
    s->front.n = s->work.n = 0;
    s->signs = (FbSigns){0};
    s->zero = -1;
    memset(s->child, -1, sizeof(int) * 2 * (size_t)s->symbolic.n_front);
}

static FbStatus run(FbSymmetric* s, bool is_definite, double noise) {
    const FbSymbolic* y = &s->symbolic;
    // As if no column waited: taken at once, large ones are not copied while they grow.
    size_t largest = (size_t)y->largest;
    if (!fb_pool_reserve(&s->front, largest * largest + 1) ||
        !fb_pool_reserve(&s->stack, y->n_stack + 1)) {
        return FB_ERR_MEMORY;
    }
    for (int f = 0; f < y->n_front; f++) {
        FbFront front;
        if (!assemble(s, f, &front)) {
            return FB_ERR_MEMORY;
        }
        FbStatus status =
            is_definite ? eliminate_definite(s, f, &front) : eliminate_any(s, f, &front, noise);
        if (status != FB_OK) {
            return status;
        }
        int up = y->parent[f];
        if (up >= 0) {
            s->child[y->n_front + f] = s->child[up];
            s->child[up] = f;
        } else {
            s->stack.n -= triangle((size_t)s->stack_rows[f]);
            s->stack_index.n -= (size_t)s->stack_rows[f];
        }
    }
    return FB_OK;
}

FbStatus fb_symmetric_factor(FbSymmetric* s, FbSymmetricKind kind) {
    bool is_definite = kind == FB_SYMMETRIC_DEFINITE;
    // Rounding leaves a pivot of this relative size where the exact one is zero.
    const double noise = 2.0 * sqrt((double)s->symbolic.n + 1.0) * DBL_EPSILON;
    reset(s);
    if (is_definite ? !measure_diagonal(s, noise) : !equilibrate(s)) {
        return FB_RETRY;
    }
    FbStatus status = run(s, is_definite, noise);
    if (is_definite) {
        s->signs.n_positive = status == FB_OK ? s->symbolic.n : 0;
    }
    return status == FB_OK && s->signs.n_zero > 0 ? FB_RETRY : status;
}
