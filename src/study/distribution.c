// Distributions by their quantile functions (eq. 11.11): uniform, logarithmic uniform, normal,
// lognormal, triangular, and a choice of values.
#include "study/distribution.h"

#include <math.h>
#include <string.h>

#include "math/portable.h"
#include "read/field.h"
#include "study/study_tables.h"

const char* const fb_distribution_names[] = {"uniform", "normal", "lognormal", "triangular",
                                             "choice"};

// The part of the values up to the mode has the probability (mode - low)/(high - low).
static double triangular(const FbStudyParameter* p, double u) {
    double width = p->high - p->low, rise = p->mode - p->low, fall = p->high - p->mode;
    return u * width < rise ? p->low + sqrt(u * width * rise)
                            : p->high - sqrt((1.0 - u) * width * fall);
}

// With s^2 = ln(1 + (deviation/mean)^2) and the median mean exp(-s^2/2).
static double lognormal(const FbStudyParameter* p, double u) {
    double ratio = p->deviation / p->mean, square = fb_portable_log(1.0 + ratio * ratio);
    return p->mean * fb_portable_exp(sqrt(square) * fb_normal_quantile(u) - 0.5 * square);
}

// `weights` are sums: the last one is the sum of all.
static double choice(const FbStudyParameter* p, double u) {
    int i = 0;
    while (i < p->n - 1 && u * p->weights[p->n - 1] >= p->weights[i]) {
        i++;
    }
    return p->values[i];
}

double fb_distribution_quantile(const FbStudyParameter* p, double u) {
    switch (p->distribution) {
        case FB_DISTRIBUTION_NORMAL:
            return p->mean + p->deviation * fb_normal_quantile(u);
        case FB_DISTRIBUTION_LOGNORMAL:
            return lognormal(p, u);
        case FB_DISTRIBUTION_TRIANGULAR:
            return triangular(p, u);
        case FB_DISTRIBUTION_CHOICE:
            return choice(p, u);
        default: {
            double value = p->is_log
                               ? p->low * fb_portable_exp(u * fb_portable_log(p->high / p->low))
                               : p->low + (p->high - p->low) * u;
            return fmin(fmax(value, p->low), p->high);
        }
    }
}

static void check_spread(FbStudyReader* r, const FbNode* map, const FbStudyParameter* p) {
    const FbNode *deviation = fb_node_get(map, "deviation"), *mean = fb_node_get(map, "mean");
    if (!(p->deviation > 0.0)) {
        fb_report(&r->base, FB_ERR_RANGE, deviation->line, deviation->col,
                  "the standard deviation of '%s' is %g; it must be above 0", p->name,
                  p->deviation);
    }
    if (p->distribution == FB_DISTRIBUTION_LOGNORMAL && !(p->mean > 0.0)) {
        fb_report(&r->base, FB_ERR_RANGE, mean->line, mean->col,
                  "the mean of '%s' is %g; that of a lognormal distribution must be above 0",
                  p->name, p->mean);
    }
}

static void check_triangle(FbStudyReader* r, const FbNode* map, const FbStudyParameter* p) {
    if (!(p->low < p->high && p->mode >= p->low && p->mode <= p->high)) {
        fb_report(&r->base, FB_ERR_RANGE, map->line, map->col,
                  "the triangular distribution of '%s' has from = %g, mode = %g and to = %g; it "
                  "needs from "
                  "<= mode <= to and from < to",
                  p->name, p->low, p->mode, p->high);
    }
}

// Keeps values and sums of weights in the memory of the study.
static void keep_choice(FbStudyReader* r, const FbNode* map, FbStudyParameter* p) {
    const FbNode* at = fb_node_get(map, p->n_weights > 0 ? "weights" : "values");
    double *values = FB_TAKE(r->study->arena, double, p->n + 1),
           *sums = FB_TAKE(r->study->arena, double, p->n + 1), sum = 0.0;
    bool is_good = p->n > 0 && (p->n_weights == 0 || p->n_weights == p->n);
    if (!is_good) {
        fb_report(&r->base, FB_ERR_RANGE, at->line, at->col,
                  "'%s' has %d values and %d weights; it needs values, and weights for all or for "
                  "none of them",
                  p->name, p->n, p->n_weights);
    }
    p->low = INFINITY;
    p->high = -INFINITY;
    for (int i = 0; is_good && values && sums && i < p->n; i++) {
        double weight = p->n_weights > 0 ? p->weights[i] : 1.0;
        if (!(weight > 0.0) || !isfinite(sum + weight)) {
            fb_report(&r->base, FB_ERR_RANGE, at->line, at->col,
                      "weight %d of '%s' is %g; weights must be above 0", i + 1, p->name, weight);
        }
        values[i] = p->values[i];
        sums[i] = sum += weight;
        p->low = fmin(p->low, values[i]);
        p->high = fmax(p->high, values[i]);
    }
    p->values = values;
    p->weights = sums;
}

static const FbTypeInfo* find_table(const char* name, int* distribution) {
    for (int i = 0; fb_study_distribution_tables[i]; i++) {
        if (strcmp(fb_distribution_names[i], name) == 0) {
            *distribution = i;
            return fb_study_distribution_tables[i];
        }
    }
    return NULL;
}

void fb_study_read_distribution(FbStudyReader* r, const FbNode* map, FbStudyParameter* p) {
    static const char* const others[] = {"distribution", NULL};
    const FbNode* node = fb_node_get(map, "distribution");
    const char* name = NULL;
    if (!fb_read_text(&r->base, node, "distribution", &name)) {
        return;
    }
    const FbTypeInfo* type = find_table(name, &p->distribution);
    if (!type) {
        char hint[128];
        fb_suggest(name, fb_distribution_names, FB_N_DISTRIBUTIONS, hint);
        fb_report(&r->base, FB_ERR_NAME, node->line, node->col,
                  "unknown distribution '%s'; it must be uniform, normal, lognormal, triangular or "
                  "choice%s",
                  name, hint);
        return;
    }
    const char* what = fb_arena_format(r->base.arena, "a %s distribution", type->name);
    FbTable table = {what ? what : "", type->fields, type->n_fields, others};
    FbOrigin origin = {.place = {r->study->file, map->line, map->col}};
    if (!fb_read_table(&r->base, map, &table, p, &origin)) {
        return;
    }
    p->is_distribution = true;
    if (p->distribution == FB_DISTRIBUTION_TRIANGULAR) {
        check_triangle(r, map, p);
    } else if (p->distribution == FB_DISTRIBUTION_CHOICE) {
        keep_choice(r, map, p);
    } else if (p->distribution != FB_DISTRIBUTION_UNIFORM) {
        check_spread(r, map, p);
    }
}
