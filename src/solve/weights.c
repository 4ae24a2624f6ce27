// Error weights and norms that all our integrators share.
#include "solve/weights.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What is left of an envelope after each step in which the value stays below it.
static const double DECAY = 0.8;
// States have units that only their user knows: atol is absolute for values of 1 and more, relative
// for smaller ones, down to this.
static const double LEAST_STATE = 1e-6;

static void map_coordinates(const FbDynamics* d, int* q_of_v) {
    // A ball joint has four coordinates for three velocities; all else is one to one and in the
    // same order.
    bool is_regular = d->size.n_q == d->size.n_v + d->n_ball;
    int b = 0;
    for (int j = 0; j < d->size.n_v; j++) {
        while (b < d->n_ball && j >= d->ball[b] + 3) {
            b++;
        }
        bool is_ball = b < d->n_ball && j >= d->ball[b];
        q_of_v[j] = is_regular && !is_ball ? j + b : -1;
    }
}

static void map_velocities(const FbDynamics* d, const int* q_of_v, int* v_of_q) {
    for (int i = 0; i < d->size.n_q; i++) {
        v_of_q[i] = -1;
    }
    for (int j = 0; j < d->size.n_v; j++) {
        if (q_of_v[j] >= 0) {
            v_of_q[q_of_v[j]] = j;
        }
    }
    // What is left belongs to ball joints, four coordinates each, in the order of the joints.
    int count = 0;
    for (int i = 0; i < d->size.n_q; i++) {
        if (v_of_q[i] < 0) {
            int b = count++ / 4;
            v_of_q[i] = b < d->n_ball ? d->ball[b] : 0;
        }
    }
}

void fb_weights_init(FbWeights* w, const FbDynamics* d, FbArena* arena) {
    int n_v = d->size.n_v, n_x = d->size.n_x;
    w->xi = FB_TAKE(arena, double, n_v + 1);
    w->v = FB_TAKE(arena, double, n_v + 1);
    w->x = FB_TAKE(arena, double, n_x + 1);
    w->size_q = FB_TAKE(arena, double, n_v + 1);
    w->size_v = FB_TAKE(arena, double, n_v + 1);
    w->size_x = FB_TAKE(arena, double, n_x + 1);
    w->peak_x = FB_TAKE(arena, double, n_x + 1);
    w->peak_q = w->peak_v = w->motion = 0.0;
    w->q_start = FB_TAKE(arena, double, d->size.n_q + 1);
    w->has_start = false;
    w->rounding_part = 0.1;
    w->vector = FB_TAKE(arena, int, n_v + 1);
    for (int j = 0; w->vector && j < n_v; j++) {
        w->vector[j] = d->vector ? d->vector[j] : j;
    }
    w->q_of_v = FB_TAKE(arena, int, n_v + 1);
    w->v_of_q = FB_TAKE(arena, int, d->size.n_q + 1);
    if (w->q_of_v && w->v_of_q) {
        map_coordinates(d, w->q_of_v);
        map_velocities(d, w->q_of_v, w->v_of_q);
    }
}

// fmax() and fmin() without the call: a value that is not a number is left out, too.
static inline double larger(double sum, double value) {
    return value > sum ? value : sum;
}

static inline double smaller(double sum, double value) {
    return value < sum ? value : sum;
}

static double scale_of(const double* scale, int j) {
    return scale ? scale[j] : 1.0;
}

// The length of the vector whose components up to j are known: `before` up to the last one.
static double lengthen(const FbWeights* w, int j, double before, double own) {
    return w->vector[j] == j ? fabs(own) : sqrt(before * before + own * own);
}

// How far coordinate j is from the drawing: where its zero is says nothing about what is accurate.
// Those of balls count as 1 rad.
static double coordinate_of(const FbWeights* w, const FbDynamics* d, const FbPoint* p, int j) {
    int i = w->q_of_v[j];
    return i >= 0 ? p->q[i] - (d->q_origin ? d->q_origin[i] : 0.0) : w->vector[j] == j ? 1.0 : 0.0;
}

// The sizes of the vectors from the first component on, of coordinates (from the drawing) and
// velocities at p: the root mean square of the components, so that a vector is not less accurate
// than components that are equal. Returns the first component of the next vector.
static int measure(const FbWeights* w, const FbDynamics* d, const FbPoint* p, int first, double* q,
                   double* v) {
    int j = first;
    *q = *v = 0.0;
    for (; j < d->size.n_v && w->vector[j] == first; j++) {
        *q = lengthen(w, j, *q, coordinate_of(w, d, p, j));
        *v = lengthen(w, j, *v, p->v[j]);
    }
    if (j > first + 1) {
        *q /= w->q_of_v[first] < 0 ? 1.0 : sqrt(j - first);
        *v /= sqrt(j - first);
    }
    return j;
}

// Raises the largest motion by that at p. The orientation of a ball has no intrinsic size: its
// speed shows whether it moves.
static void raise_motion(const FbWeights* w, const FbDynamics* d, const FbPoint* p, double* q,
                         double* v) {
    for (int j = 0, next; j < d->size.n_v; j = next) {
        double size, speed;
        next = measure(w, d, p, j, &size, &speed);
        speed /= scale_of(d->v_scale, j);
        *q = larger(*q, w->q_of_v[j] < 0 ? speed : size / scale_of(d->q_scale, j));
        *v = larger(*v, speed);
    }
}

// How much moves, all in all: the change of position since the start, the speed, and what the
// acceleration makes of it in the natural time.
static double motion_at(const FbWeights* w, const FbDynamics* d, const FbPoint* p, bool has_a) {
    double motion = w->motion, way = 0.0, v = 0.0, a = 0.0;
    for (int j = 0; j < d->size.n_v; j++) {
        double u = scale_of(d->q_scale, j), speed = scale_of(d->v_scale, j), rate = speed / u;
        int i = w->q_of_v[j];
        way = lengthen(w, j, way, i >= 0 ? (p->q[i] - w->q_start[i]) / u : 0.0);
        v = lengthen(w, j, v, p->v[j] / speed);
        a = lengthen(w, j, a, has_a && !d->is_stiff ? p->a[j] / (speed * rate) : 0.0);
        motion = larger(motion, larger(way, larger(v, a)));
    }
    return motion;
}

static const double SMALL = 1e-3;

bool fb_weights_is_large(const FbWeights* w) {
    return w->motion >= SMALL;
}

// Where nothing moves by more than SMALL of the scales, errors are judged in these times as much as
// moves (theory manual, eq. 6.15): 1 where it does, or where rounding is all that moves.
static double smallness(const FbDynamics* d, double motion) {
    return motion >= SMALL || !(motion > d->noise) ? 1.0 : motion / SMALL;
}

static void follow(FbWeights* w, const FbDynamics* d, const FbPoint* p, double decay) {
    for (int j = 0, next; j < d->size.n_v; j = next) {
        double size, speed;
        next = measure(w, d, p, j, &size, &speed);
        w->size_q[j] = larger(decay * w->size_q[j], size);
        w->size_v[j] = larger(decay * w->size_v[j], speed);
    }
    raise_motion(w, d, p, &w->peak_q, &w->peak_v);
    w->motion = motion_at(w, d, p, true);
    for (int i = 0; i < d->size.n_x; i++) {
        w->size_x[i] = fabs(p->x[i]);  // states may be anything: no natural swing to bridge
        w->peak_x[i] = larger(w->peak_x[i], w->size_x[i]);
    }
}

void fb_weights_copy(FbWeights* w, const FbDynamics* d, const FbWeights* from) {
    memcpy(w->size_q, from->size_q, sizeof(double) * (size_t)d->size.n_v);
    memcpy(w->size_v, from->size_v, sizeof(double) * (size_t)d->size.n_v);
    memcpy(w->size_x, from->size_x, sizeof(double) * (size_t)d->size.n_x);
    memcpy(w->peak_x, from->peak_x, sizeof(double) * (size_t)d->size.n_x);
    memcpy(w->q_start, from->q_start, sizeof(double) * (size_t)d->size.n_q);
    w->has_start = from->has_start;
    w->lags = from->lags;
    w->peak_q = from->peak_q;
    w->peak_v = from->peak_v;
    w->motion = from->motion;
}

void fb_weights_restart(FbWeights* w, const FbDynamics* d, const FbPoint* p) {
    for (int i = 0; i < d->size.n_q && !w->has_start; i++) {
        w->q_start[i] = p->q[i];
    }
    w->has_start = true;
    follow(w, d, p, 0.0);
    // From rest any size may come. What was set to the values of the drawing differs from it by
    // rounding, and is at rest, too.
    w->lags |= !(fmax(w->peak_q, w->peak_v) > d->noise);
}

void fb_weights_accept(FbWeights* w, const FbDynamics* d, const FbPoint* p) {
    follow(w, d, p, DECAY);
}

// What constraints leave open: they hold to the rounding of lengths only.
static double rounding_of(const FbDynamics* d, int j) {
    static const double ROUNDING = 4.0 * DBL_EPSILON;
    return ROUNDING * scale_of(d->least, j);
}

static double inverse_weight(double relative, double absolute, double rounding) {
    double weight = relative + larger(absolute, rounding);
    return weight > 0.0 ? 1.0 / weight : 0.0;  // nothing moves at all
}

void fb_weights_set(FbWeights* w, const FbDynamics* d, double rtol, double atol, const FbPoint* p) {
    double motion_q = w->peak_q, motion_v = w->peak_v;
    raise_motion(w, d, p, &motion_q, &motion_v);
    // At rest, or at the origin, the other one gives the size of the motion.
    motion_v = larger(motion_v, motion_q);
    motion_q = motion_q > 0.0 ? motion_q : motion_v;
    if (w->lags || !(motion_v > 0.0)) {
        motion_q = motion_v = 1.0;  // nothing has moved so far: any size may come
    }
    double small = smallness(d, motion_at(w, d, p, false));
    for (int j = 0, next; j < d->size.n_v; j = next) {
        double size, speed, least = scale_of(d->least, j);
        next = measure(w, d, p, j, &size, &speed);
        size = larger(w->size_q[j], size);
        speed = larger(w->size_v[j], speed);
        double q_scale = scale_of(d->q_scale, j), v_scale = scale_of(d->v_scale, j);
        double of_ball = w->q_of_v[j] < 0 ? 1.0 : least;
        double unit_q = smaller(larger(of_ball, smaller(1.0, motion_q)), small);
        double unit_v = smaller(larger(least, smaller(1.0, motion_v)), small);
        double floor =
            small < 1.0 ? w->rounding_part * larger(d->rounding, rounding_of(d, j)) : d->rounding;
        size = small < 1.0 ? smaller(size, small * q_scale) : size;
        w->xi[j] = inverse_weight(rtol * size, atol * q_scale * unit_q, floor * q_scale);
        w->v[j] = inverse_weight(rtol * speed, atol * v_scale * unit_v, floor * v_scale);
        for (int k = j + 1; k < next; k++) {
            w->xi[k] = w->xi[j];
            w->v[k] = w->v[j];
        }
    }
    for (int i = 0; i < d->size.n_x; i++) {
        double size = larger(w->size_x[i], fabs(p->x[i])), peak = larger(w->peak_x[i], size);
        w->x[i] = 1.0 / (rtol * size + atol * larger(LEAST_STATE, smaller(1.0, peak)));
    }
}

void fb_weights_norm(int n, const double* inverse, const double* values, int index0,
                     FbWorst* worst) {
    for (int i = 0; i < n; i++) {
        double e = fabs(values[i]) * (inverse ? inverse[i] : 1.0);
        if (!(e <= worst->value)) {
            worst->value = isnan(e) ? INFINITY : e;
            worst->index = index0 + i;
        }
    }
}

void fb_weights_add(const FbWeights* w, int j, double e, double* sum, FbWorst* worst) {
    *sum = w->vector[j] == j ? e * e : *sum + e * e;
    if (!(*sum <= worst->value * worst->value)) {
        worst->value = isnan(*sum) ? INFINITY : sqrt(*sum);
        worst->index = j;
    }
}

void fb_weights_norm_v(const FbWeights* w, int n_v, const double* inverse, const double* values,
                       FbWorst* worst) {
    double sum = 0.0;
    for (int j = 0; j < n_v; j++) {
        fb_weights_add(w, j, inverse ? values[j] * inverse[j] : values[j], &sum, worst);
    }
}

double fb_weights_natural_time(const FbDynamics* d) {
    double time = 1.0;
    for (int j = 0; j < d->size.n_v && d->q_scale && d->v_scale; j++) {
        double own = d->q_scale[j] / d->v_scale[j];
        time = j == 0 ? own : fmin(time, own);
    }
    return time;
}

double fb_weights_first_step(const FbWeights* w, const FbDynamics* d, double rtol, const FbPoint* p,
                             const double* x_rate) {
    static const double LONGEST = 0.03;  // of the natural time
    double part = 0.1 * pow(rtol, 0.25), h = LONGEST * fb_weights_natural_time(d);
    double speed = 0.0, a = 0.0;
    for (int j = 0; j < d->size.n_v; j++) {
        double scale = scale_of(d->q_scale, j);
        speed = lengthen(w, j, speed, p->v[j]);
        a = lengthen(w, j, a, p->a[j]);
        h = speed * h > 10.0 * part * scale ? 10.0 * part * scale / speed : h;
        h = a * h * h > 2.0 * part * scale ? sqrt(2.0 * part * scale / a) : h;
    }
    for (int i = 0; i < d->size.n_x; i++) {
        double size = part * (1.0 + w->size_x[i]);
        h = fabs(x_rate[i]) * h > size ? size / fabs(x_rate[i]) : h;
    }
    return h;
}

const char* fb_weights_name(const FbDynamics* d, int index) {
    if (index < 0) {
        return "the whole model";
    }
    if (index >= d->size.n_v) {
        return "a state";
    }
    return d->ops->name_of_velocity ? d->ops->name_of_velocity(d, index) : "a coordinate";
}

void fb_weights_remember(FbWeights* w, const FbSizes* n, FbMemory* m) {
    double* of_v[] = {w->xi, w->v, w->size_q, w->size_v};
    double* of_x[] = {w->x, w->size_x, w->peak_x};
    for (size_t i = 0; i < sizeof of_v / sizeof of_v[0]; i++) {
        fb_memory_doubles(m, of_v[i], n->n_v);
    }
    for (size_t i = 0; i < sizeof of_x / sizeof of_x[0]; i++) {
        fb_memory_doubles(m, of_x[i], n->n_x);
    }
    fb_memory_doubles(m, w->q_start, n->n_q);
    FB_REMEMBER(m, w->peak_q);
    FB_REMEMBER(m, w->peak_v);
    FB_REMEMBER(m, w->has_start);
    FB_REMEMBER(m, w->rounding_part);
    FB_REMEMBER(m, w->motion);
    FB_REMEMBER(m, w->lags);
}
