// What rounding leaves of accelerations, measured at points that differ in their last digits.
#include "solve/noise.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/point.h"

// Directions that are so much smaller than the largest one are rounding themselves.
static const double LEAST = 1e-8;
// What is left of its size from step to step, and how much larger it may have been.
static const double FADE = 0.8, MOST = 30.0;
// What is left of it all the same, as part of it: noise of the stages turns the others' directions.
static const double LEFT = 3e-3;
// Errors of a method fall at least with this power of the step, unless something is not smooth, and
// grow by more than with the first one.
static const double POWER = 4.0;
static const double SHORTER = 0.95;      // steps that can be compared
static const double LEAST_ERROR = 1e-3;  // of the tolerance: smaller ones limit no steps
static const long FIRST_WAIT = 8;        // steps

void fb_noise_init(FbNoise* z, const FbDynamics* d, FbArena* arena) {
    int n = d->size.n_q > d->size.n_v ? d->size.n_q : d->size.n_v;
    z->is_on = false;
    z->calm = 0;
    z->size = 0.0;
    z->more = 1.0;
    z->next = 0;
    z->wait = FIRST_WAIT;
    fb_noise_restart(z);
    for (int k = 0; k < FB_NOISE_PLACES; k++) {
        z->a[k] = FB_TAKE(arena, double, d->size.n_v + 1);
        z->q[k] = FB_TAKE(arena, double, d->size.n_q + 1);
        z->rest[k] = FB_TAKE(arena, double, n + 1);
    }
    fb_point_take(arena, &d->size, &z->near);
}

bool fb_noise_is_suspect(FbNoise* z, double error, double h, long step) {
    double ratio = h / z->h, before = z->error;
    z->error = error;
    z->h = h;
    if (z->is_on || step < z->next || !(fmin(error, before) > LEAST_ERROR)) {
        return false;
    }
    return ratio < SHORTER ? error > before * pow(ratio, POWER)
                           : ratio > 1.0 / SHORTER && error < before * ratio;
}

void fb_noise_note(FbNoise* z, bool is_on, long step) {
    z->is_on = is_on;
    z->calm = 0;
    z->wait = is_on ? FIRST_WAIT : 2 * z->wait;
    z->next = step + (is_on ? 0 : z->wait);
}

void fb_noise_restart(FbNoise* z) {
    z->has_start = false;
    z->error = z->h = 0.0;
}

// A unit of rounding up or down, different for each entry and look.
static double last_digit(int i, int look) {
    unsigned bits = (unsigned)i * 2654435761u + (unsigned)look * 40503u + 12345u;
    return (bits >> 13) % 2u == 0 ? DBL_EPSILON : -DBL_EPSILON;
}

// Places are sums of lengths of the model, whatever a coordinate counts from.
static void move_near(FbNoise* z, const FbDynamics* d, const FbWeights* w, const FbPoint* p,
                      int look) {
    fb_point_copy(&d->size, p, &z->near);
    for (int i = 0; i < d->size.n_q; i++) {
        bool is_scaled = d->q_scale && w->q_of_v[w->v_of_q[i]] >= 0;
        double unit = is_scaled ? d->q_scale[w->v_of_q[i]] : 1.0;
        z->near.q[i] += last_digit(i, look) * fmax(fabs(p->q[i]), unit);
    }
    for (int j = 0; j < d->size.n_v; j++) {
        z->near.v[j] += last_digit(d->size.n_q + j, look) * fabs(p->v[j]);
    }
}

static double dot(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// The difference at one neighbour, kept where it is the largest; *largest is its weighted size.
static bool look(FbNoise* z, FbDynamics* d, const FbWeights* w, const FbPoint* p, int place,
                 int count, double* largest) {
    FbError err;
    double sum = 0.0;
    move_near(z, d, w, p, count);
    if (d->ops->accelerations(d, &z->near, &err) != FB_OK) {
        return false;
    }
    for (int j = 0; j < d->size.n_v; j++) {
        z->near.a[j] -= p->a[j];
        sum += z->near.a[j] * z->near.a[j] * w->v[j] * w->v[j];
    }
    if (!(sum <= *largest)) {
        *largest = sum;
        memcpy(z->a[place], z->near.a, sizeof(double) * (size_t)d->size.n_v);
    }
    return true;
}

bool fb_noise_measure(FbNoise* z, FbDynamics* d, const FbWeights* w, const FbPoint* p, int place) {
    double largest = 0.0;
    memset(z->a[place], 0, sizeof(double) * (size_t)d->size.n_v);
    for (int i = 0; i < (place == FB_NOISE_START ? FB_NOISE_LOOKS : 1); i++) {
        if (!look(z, d, w, p, place, i, &largest)) {
            return false;
        }
    }
    d->ops->coordinate_rates(d, p->q, z->a[place], z->q[place]);
    if (place == FB_NOISE_START && largest > 0.0 && isfinite(largest)) {
        z->size = fmin(fmax(sqrt(largest), FADE * z->size), MOST * sqrt(largest));
        z->more = z->size / sqrt(largest);
    }
    return isfinite(largest);
}

static void subtract(int n, double factor, const double* from, double* to) {
    for (int i = 0; i < n; i++) {
        to[i] -= factor * from[i];
    }
}

// The largest of the samples, and its length.
static int find_largest(const FbNoise* z, int n, double* size) {
    int best = 0;
    *size = 0.0;
    for (int k = 0; k < FB_NOISE_PLACES; k++) {
        double own = sqrt(dot(n, z->rest[k], z->rest[k]));
        best = own > *size ? k : best;
        *size = fmax(*size, own);
    }
    return best;
}

// Takes the part along `axis`, up to reach times its length, out of an error.
static void remove_along(int n, const double* axis, double size, double reach, double* error) {
    double along = dot(n, error, axis) / size;
    double noise = fmax(-reach * size, fmin(reach * size, along));
    subtract(n, noise / size, axis, error);
}

static void shorten(int n, double by, double* error) {
    for (int i = 0; i < n; i++) {
        error[i] = copysign(fmax(fabs(error[i]) - by, 0.0), error[i]);
    }
}

// Weighted samples, all as long as that of the start: which of them is short is a matter of chance,
// and a trial that fails has no noise of its own.
static void take_samples(FbNoise* z, int n, double* const* samples, const double* inverse,
                         const int* index) {
    for (int k = 0; k < FB_NOISE_PLACES; k++) {
        for (int i = 0; i < n; i++) {
            z->rest[k][i] = samples[k][i] * inverse[index ? index[i] : i];
        }
    }
    double size = z->more * sqrt(dot(n, z->rest[FB_NOISE_START], z->rest[FB_NOISE_START]));
    for (int k = 0; k < FB_NOISE_PLACES; k++) {
        double own = sqrt(dot(n, z->rest[k], z->rest[k]));
        subtract(n, own > 0.0 ? 1.0 - size / own : 0.0, z->rest[k], z->rest[k]);
    }
}

double fb_noise_remove(FbNoise* z, int n, double* const* samples, const double* inverse,
                       const int* index, double reach, int n_errors, double* const* errors) {
    double first = 0.0;
    take_samples(z, n, samples, inverse, index);
    for (int round = 0; round < FB_NOISE_PLACES; round++) {
        double size;
        int largest = find_largest(z, n, &size);
        double* axis = z->rest[largest];
        first = fmax(first, size);
        if (!(size > LEAST * first) || !isfinite(size)) {
            break;
        }
        for (int e = 0; e < n_errors; e++) {
            remove_along(n, axis, size, reach, errors[e]);
        }
        for (int k = 0; k < FB_NOISE_PLACES; k++) {
            double part = k == largest ? 0.0 : dot(n, z->rest[k], axis) / (size * size);
            subtract(n, part, axis, z->rest[k]);
        }
        memset(axis, 0, sizeof(double) * (size_t)n);
    }
    for (int e = 0; e < n_errors; e++) {
        shorten(n, LEFT * reach * first, errors[e]);
    }
    return reach * first;
}

void fb_noise_remember(FbNoise* z, FbMemory* m) {
    FB_REMEMBER(m, z->is_on);
    FB_REMEMBER(m, z->calm);
    FB_REMEMBER(m, z->size);
    FB_REMEMBER(m, z->more);
    FB_REMEMBER(m, z->error);
    FB_REMEMBER(m, z->h);
    FB_REMEMBER(m, z->next);
    FB_REMEMBER(m, z->wait);
    if (m->is_loading) {
        z->has_start = false;
    }
}
