// Moments and quantiles of measures, standardized regression coefficients (eq. 11.15), and Sobol'
// indices from Saltelli's arrangement of points (eqs. 11.16 and 11.17).
#include "study/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"
#include "study/samples.h"

// Repetitions by which the intervals of indices are found, and their stream of random numbers.
enum { N_BOOTSTRAPS = 200, STREAM_BOOTSTRAP = 1 << 22 };
// Half the width of the interval of 95 % of a normal distribution.
static const double WIDTH = 1.959963984540054;

typedef struct Samples {
    const FbStudy* study;
    int n_points, d;
    const FbTrial** trials;  // [n_points] NULL: not run, or failed
    double* y;               // scratch [n_points]
    const FbTrial** used;    // scratch [n_points]
} Samples;

static bool is_measured(const FbTrial* t) {
    return t && t->status != FB_TRIAL_FAILED;
}

static FbStatus open_samples(Samples* s, const FbTrialTable* table, FbError* err) {
    double* parameters = calloc((size_t)s->d + 1, sizeof *parameters);
    size_t n = (size_t)s->n_points + 1;
    s->trials = calloc(n, sizeof *s->trials);
    s->used = calloc(n, sizeof *s->used);
    s->y = calloc(n, sizeof *s->y);
    bool is_good = parameters && s->trials && s->used && s->y;
    for (int i = 0; is_good && i < s->n_points; i++) {
        fb_study_get_point(s->study, i, parameters);
        const FbTrial* t = fb_table_find(table, parameters);
        s->trials[i] = is_measured(t) ? t : NULL;
    }
    free(parameters);
    return is_good ? FB_OK : fb_fail_memory(err);
}

static void close_samples(Samples* s) {
    free((void*)s->trials);
    free((void*)s->used);
    free(s->y);
}

// Independent points: all, or of Saltelli's those that A and B are.
static int collect(Samples* s) {
    bool is_saltelli = s->study->samples.method == FB_SAMPLES_SALTELLI;
    int n = 0;
    for (int i = 0; i < s->n_points; i++) {
        if (s->trials[i] && (!is_saltelli || i % (s->d + 2) < 2)) {
            s->used[n++] = s->trials[i];
        }
    }
    return n;
}

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// Between the two nearest of n sorted values.
static double quantile(const double* y, int n, double u) {
    double at = u * (n - 1);
    int i = (int)at;
    return i + 1 < n ? y[i] + (at - i) * (y[i + 1] - y[i]) : y[n - 1];
}

static void calc_moments(const double* y, int n, double* mean, double* deviation) {
    double sum = 0.0, square = 0.0;
    for (int i = 0; i < n; i++) {
        sum += y[i];
    }
    *mean = n > 0 ? sum / n : NAN;
    for (int i = 0; i < n; i++) {
        square += (y[i] - *mean) * (y[i] - *mean);
    }
    *deviation = n > 1 ? sqrt(square / (n - 1)) : NAN;
}

static void describe(Samples* s, int measure, int n, FbSensitivity* out) {
    for (int i = 0; i < n; i++) {
        s->y[i] = s->used[i]->values[s->d + measure];
    }
    calc_moments(s->y, n, &out->mean, &out->deviation);
    if (n > 0) {
        qsort(s->y, (size_t)n, sizeof *s->y, compare);
        out->low = quantile(s->y, n, 0.05);
        out->median = quantile(s->y, n, 0.5);
        out->high = quantile(s->y, n, 0.95);
    }
}

// The correlation of columns a and b of the values.
static double correlate(const Samples* s, int n, int a, int b) {
    double mean_a = 0.0, mean_b = 0.0, ab = 0.0, aa = 0.0, bb = 0.0;
    for (int i = 0; i < n; i++) {
        mean_a += s->used[i]->values[a] / n;
        mean_b += s->used[i]->values[b] / n;
    }
    for (int i = 0; i < n; i++) {
        double x = s->used[i]->values[a] - mean_a, y = s->used[i]->values[b] - mean_b;
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    return ab / (sqrt(aa) * sqrt(bb));
}

// R beta = r with the correlations R of the parameters and r of these with the measure (eq. 11.15).
static void regress(const Samples* s, int measure, int n, double* R, FbSensitivity* out) {
    int d = s->d;
    double* beta = out->coefficients;
    if (n < d + 2) {
        return;
    }
    for (int i = 0; i < d; i++) {
        beta[i] = correlate(s, n, i, d + measure);
        for (int j = 0; j < d; j++) {
            R[i * d + j] = i == j ? 1.0 : correlate(s, n, i, j);
        }
    }
    double r_squared = 0.0;
    if (fb_cholesky_factor(d, R) >= 0) {
        for (int i = 0; i < d; i++) {
            beta[i] = NAN;
        }
        return;
    }
    double* r = R + (size_t)d * (size_t)d;
    memcpy(r, beta, sizeof *r * (size_t)d);
    fb_cholesky_solve(d, R, beta);
    for (int i = 0; i < d; i++) {
        r_squared += r[i] * beta[i];
    }
    out->r_squared = r_squared;
}

// Blocks that are measured as a whole.
typedef struct Blocks {
    const Samples* s;
    int column;         // of the measure
    const int* blocks;  // [n]
    int n;
} Blocks;

static double value_of(const Blocks* b, int block, int kind) {
    const FbTrial* t = b->s->trials[block * (b->s->d + 2) + kind];
    return t ? t->values[b->column] : NAN;  // blocks are whole
}

// Saltelli's estimate of the first index and Jansen's of the total one, of all parameters (eqs.
// 11.16 and 11.17). draw < 0: of the blocks as they are; else of as many that are drawn from them.
static void estimate(const Blocks* b, int draw, double* first, double* total) {
    int d = b->s->d;
    double mean = 0.0, variance = 0.0;
    memset(first, 0, sizeof *first * (size_t)d);
    memset(total, 0, sizeof *total * (size_t)d);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < b->n; k++) {
            uint64_t bits = fb_random_bits((uint64_t)b->s->study->samples.seed,
                                           STREAM_BOOTSTRAP + (uint64_t)draw, (uint64_t)k);
            int j = b->blocks[draw < 0 ? k : (int)(bits % (uint64_t)b->n)];
            double A = value_of(b, j, 0), B = value_of(b, j, 1);
            if (pass == 0) {
                mean += 0.5 * (A + B) / b->n;
                continue;
            }
            variance += ((A - mean) * (A - mean) + (B - mean) * (B - mean)) / (2 * b->n - 1);
            for (int i = 0; i < d; i++) {
                double AB = value_of(b, j, 2 + i);
                first[i] += (B - mean) * (AB - A) / b->n;
                total[i] += 0.5 * (A - AB) * (A - AB) / b->n;
            }
        }
    }
    for (int i = 0; i < d; i++) {
        first[i] /= variance;
        total[i] /= variance;
    }
}

static int find_blocks(const Samples* s, int* blocks) {
    int n = 0;
    for (int j = 0; j < s->study->samples.n; j++) {
        bool is_whole = true;
        for (int k = 0; k < s->d + 2; k++) {
            is_whole = is_whole && s->trials[j * (s->d + 2) + k];
        }
        blocks[n] = j;
        n += is_whole;
    }
    return n;
}

// The estimates, with intervals from estimates of blocks that are drawn again (bootstrap).
static FbStatus calc_indices(const Samples* s, int measure, FbSensitivity* out, FbError* err) {
    size_t d = (size_t)s->d;
    int* blocks = calloc((size_t)s->study->samples.n + 1, sizeof *blocks);
    double* work = calloc(6 * d + 1, sizeof *work);
    if (!blocks || !work) {
        free(blocks);
        free(work);
        return fb_fail_memory(err);
    }
    Blocks b = {s, s->d + measure, blocks, find_blocks(s, blocks)};
    double *own = work, *drawn = work + 2 * d, *squares = work + 4 * d;
    out->n_blocks = b.n;
    if (b.n > 1) {
        estimate(&b, -1, own, own + d);
        for (int k = 0; k < N_BOOTSTRAPS; k++) {
            estimate(&b, k, drawn, drawn + d);
            for (size_t i = 0; i < 2 * d; i++) {
                squares[i] += (drawn[i] - own[i]) * (drawn[i] - own[i]) / N_BOOTSTRAPS;
            }
        }
        for (size_t i = 0; i < d; i++) {
            out->first[i] = (FbIndex){own[i], WIDTH * sqrt(squares[i])};
            out->total[i] = (FbIndex){own[d + i], WIDTH * sqrt(squares[d + i])};
        }
    }
    free(blocks);
    free(work);
    return FB_OK;
}

static bool take(const FbStudy* study, FbArena* arena, FbSensitivity* out) {
    int d = study->n_parameters;
    bool has_indices = study->samples.method == FB_SAMPLES_SALTELLI;
    *out = (FbSensitivity){.low = NAN,
                           .median = NAN,
                           .high = NAN,
                           .r_squared = NAN,
                           .coefficients = FB_TAKE(arena, double, d + 1),
                           .first = has_indices ? FB_TAKE(arena, FbIndex, d + 1) : NULL,
                           .total = has_indices ? FB_TAKE(arena, FbIndex, d + 1) : NULL};
    if (fb_arena_has_failed(arena)) {
        return false;
    }
    for (int i = 0; i < d; i++) {
        out->coefficients[i] = NAN;
        if (has_indices) {
            out->first[i] = out->total[i] = (FbIndex){NAN, NAN};
        }
    }
    return true;
}

// Is it the same everywhere, to rounding? Then it depends on nothing.
static bool is_constant(const FbSensitivity* a) {
    return !(a->deviation > 1e-13 * fabs(a->mean));
}

static FbStatus calc_all(Samples* s, FbArena* arena, FbSensitivity* all, FbError* err) {
    size_t d = (size_t)s->d;
    double* R = calloc(d * d + d + 1, sizeof *R);
    int n = collect(s);
    FbStatus status = R ? FB_OK : fb_fail_memory(err);
    for (int i = 0; status == FB_OK && i < s->study->n_measures; i++) {
        if (!take(s->study, arena, &all[i])) {
            status = fb_fail_memory(err);
            break;
        }
        all[i].n = n;
        describe(s, i, n, &all[i]);
        if (is_constant(&all[i])) {
            continue;
        }
        regress(s, i, n, R, &all[i]);
        if (all[i].first) {
            status = calc_indices(s, i, &all[i], err);
        }
    }
    free(R);
    return status;
}

FbStatus fb_sensitivity_calc(const FbStudy* study, const FbTrialTable* table, FbArena* arena,
                             FbSensitivity** out, FbError* err) {
    *out = NULL;
    if (study->samples.n == 0) {
        return FB_OK;
    }
    Samples s = {
        .study = study, .n_points = (int)fb_study_count_points(study), .d = study->n_parameters};
    FbSensitivity* all = FB_TAKE(arena, FbSensitivity, study->n_measures + 1);
    FbStatus status = all ? open_samples(&s, table, err) : fb_fail_memory(err);
    if (status == FB_OK) {
        status = calc_all(&s, arena, all, err);
    }
    close_samples(&s);
    *out = status == FB_OK ? all : NULL;
    return status;
}
