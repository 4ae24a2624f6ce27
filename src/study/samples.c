// Random points, Latin hypercubes, Sobol' points, and Saltelli's arrangement of these for the
// indices of a sensitivity analysis (section 11.7 of the theory).
#include "study/samples.h"

#include <math.h>

#include "read/field.h"
#include "study/distribution.h"
#include "study/sobol.h"
#include "study/study_tables.h"

// The streams of a Latin hypercube: its permutations, and places in the cells.
enum { STREAM_PLACES = 1 << 20, STREAM_SHIFTS = 1 << 21 };

// The generator SplitMix64: a counter, mixed (Steele, Lea and Flood, Fast splittable pseudorandom
// number generators, OOPSLA 2014).
static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t fb_random_bits(uint64_t seed, uint64_t stream, uint64_t index) {
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t start = mix(mix(seed * step + 1) + stream * step);
    return mix(start + (index + 1) * step);
}

// The middle of one of 2^52 cells, which is exact.
static double middle(uint64_t cell) {
    return ((double)cell + 0.5) * 0x1p-52;
}

double fb_random_uniform(uint64_t seed, uint64_t stream, uint64_t index) {
    return middle(fb_random_bits(seed, stream, index) >> 12U);
}

// Cell order[j] of n, at a random place inside. 28 bits of it: the sum is exact for all n.
static double latin(const FbStudySamples* s, int dimension, int j) {
    int cell = s->order[(size_t)dimension * (size_t)s->n + (size_t)j];
    uint64_t bits =
        fb_random_bits((uint64_t)s->seed, STREAM_PLACES + (uint64_t)dimension, (uint64_t)j);
    return (cell + ((double)(bits >> 36U) + 0.5) * 0x1p-28) / s->n;
}

// With a shift of all digits by a random number, unless the seed is 0.
static double sobol(const FbStudySamples* s, int dimension, int j) {
    uint64_t shift =
        s->seed ? fb_random_bits((uint64_t)s->seed, STREAM_SHIFTS, (uint64_t)dimension) >> 12U : 0;
    return middle(((uint64_t)fb_sobol_point(dimension, (uint32_t)j) << 20U) ^ shift);
}

long fb_samples_count(const FbStudy* study) {
    const FbStudySamples* s = &study->samples;
    double n = s->method == FB_SAMPLES_SALTELLI ? (double)s->n * (study->n_parameters + 2) : s->n;
    return n > FB_STUDY_MAX_POINTS ? -1 : (long)n;
}

// Saltelli: for each j the points A, B, and for each parameter A with that one of B.
static double unit_value(const FbStudy* study, int index, int i) {
    const FbStudySamples* s = &study->samples;
    int d = study->n_parameters;
    switch (s->method) {
        case FB_SAMPLES_LATIN:
            return latin(s, i, index);
        case FB_SAMPLES_SOBOL:
            return sobol(s, i, index);
        case FB_SAMPLES_SALTELLI: {
            int kind = index % (d + 2);
            return sobol(s, kind == 1 || kind == i + 2 ? d + i : i, index / (d + 2));
        }
        default:
            return fb_random_uniform((uint64_t)s->seed, (uint64_t)i, (uint64_t)index);
    }
}

void fb_samples_get_point(const FbStudy* study, int index, double* parameters) {
    for (int i = 0; i < study->n_parameters; i++) {
        parameters[i] =
            fb_distribution_quantile(&study->parameters[i], unit_value(study, index, i));
    }
}

// A random permutation for each parameter, by Fisher and Yates.
static void take_orders(FbStudy* study) {
    FbStudySamples* s = &study->samples;
    size_t n = (size_t)s->n;
    int* order = FB_TAKE(study->arena, int, n*(size_t)study->n_parameters + 1);
    s->order = order;
    for (int i = 0; order && i < study->n_parameters; i++, order += n) {
        for (int j = 0; j < s->n; j++) {
            // The remainder is uneven by 2^-40 at most.
            int k = (int)(fb_random_bits((uint64_t)s->seed, (uint64_t)i, (uint64_t)j) %
                          (uint64_t)(j + 1));
            order[j] = order[k];
            order[k] = j;
        }
    }
}

static void check_parameters(FbStudyReader* r) {
    for (int i = 0; i < r->study->n_parameters; i++) {
        const FbStudyParameter* p = &r->study->parameters[i];
        if (!p->is_list && !p->is_distribution && p->n > 0) {
            fb_report(&r->base, FB_ERR_MODEL, p->place.line, p->place.col,
                      "'n' of '%s' is for grids, but 'samples' says how many points there are; "
                      "remove one of the two",
                      p->name);
        }
    }
}

static void check_dimensions(FbStudyReader* r, const FbNode* map) {
    const FbStudySamples* s = &r->study->samples;
    int d = r->study->n_parameters, factor = s->method == FB_SAMPLES_SALTELLI ? 2 : 1;
    const FbNode *method = fb_node_get(map, "method"), *n = fb_node_get(map, "n");
    bool is_sobol = s->method == FB_SAMPLES_SOBOL || s->method == FB_SAMPLES_SALTELLI;
    if (is_sobol && factor * d > FB_SOBOL_DIMENSIONS) {
        fb_report(&r->base, FB_ERR_RANGE, method->line, method->col,
                  "Sobol' points have at most %d dimensions here, %d parameters need %d; use "
                  "latin_hypercube or random",
                  FB_SOBOL_DIMENSIONS, d, factor * d);
    }
    if (is_sobol && (s->n & (s->n - 1)) != 0) {
        FbPlace place = {r->study->file, n->line, n->col};
        fb_diagnose(r->base.diagnostics, FB_WARNING, FB_OK, &place,
                    "n is %d; Sobol' points are balanced only if it is a power of 2", s->n);
    }
    bool is_too_large = s->method == FB_SAMPLES_LATIN && (double)s->n * d > FB_STUDY_MAX_POINTS;
    if (fb_samples_count(r->study) < 0 || is_too_large) {
        fb_report(&r->base, FB_ERR_RANGE, n->line, n->col,
                  "n is %d, which makes more than %d points%s", s->n, FB_STUDY_MAX_POINTS,
                  is_too_large ? " times parameters" : "");
    }
}

void fb_study_read_samples(FbStudyReader* r, const FbNode* map) {
    FbStudy* s = r->study;
    if (!map) {
        return;
    }
    FbTable table = {"'samples'", fb_study_samples_table.fields, fb_study_samples_table.n_fields,
                     NULL};
    FbOrigin origin = {.place = {s->file, map->line, map->col}};
    if (!fb_read_table(&r->base, map, &table, &s->samples, &origin)) {
        s->samples.n = 0;
        return;
    }
    check_parameters(r);
    check_dimensions(r, map);
    if (s->samples.method == FB_SAMPLES_LATIN &&
        (double)s->samples.n * s->n_parameters <= FB_STUDY_MAX_POINTS) {
        take_orders(s);
    }
}
