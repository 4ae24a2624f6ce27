// Error weights and norms that all our integrators share.
#include "solve/weights.h"

#include <math.h>

// What is left of an envelope after each step in which the value stays below it.
static const double DECAY = 0.8;

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
    w->q_of_v = FB_TAKE(arena, int, n_v + 1);
    w->v_of_q = FB_TAKE(arena, int, d->size.n_q + 1);
    if (w->q_of_v && w->v_of_q) {
        map_coordinates(d, w->q_of_v);
        map_velocities(d, w->q_of_v, w->v_of_q);
    }
}

// How far a coordinate is from the drawing: where its zero is says nothing about what is accurate.
static double coordinate_size(const FbWeights* w, const FbDynamics* d, const FbPoint* p, int j) {
    int i = w->q_of_v[j];
    return i >= 0 ? fabs(p->q[i] - (d->q_origin ? d->q_origin[i] : 0.0)) : 1.0;
}

static void follow(FbWeights* w, const FbDynamics* d, const FbPoint* p, double decay) {
    for (int j = 0; j < d->size.n_v; j++) {
        w->size_q[j] = fmax(coordinate_size(w, d, p, j), decay * w->size_q[j]);
        w->size_v[j] = fmax(fabs(p->v[j]), decay * w->size_v[j]);
    }
    for (int i = 0; i < d->size.n_x; i++) {
        w->size_x[i] = fabs(p->x[i]);  // states may be anything: no natural swing to bridge
    }
}

void fb_weights_restart(FbWeights* w, const FbDynamics* d, const FbPoint* p) {
    follow(w, d, p, 0.0);
}

void fb_weights_accept(FbWeights* w, const FbDynamics* d, const FbPoint* p) {
    follow(w, d, p, DECAY);
}

void fb_weights_set(FbWeights* w, const FbDynamics* d, double rtol, double atol, const FbPoint* p) {
    for (int j = 0; j < d->size.n_v; j++) {
        double size = fmax(w->size_q[j], coordinate_size(w, d, p, j));
        w->xi[j] = 1.0 / (rtol * size + atol * (d->q_scale ? d->q_scale[j] : 1.0));
        double speed = fmax(w->size_v[j], fabs(p->v[j]));
        w->v[j] = 1.0 / (rtol * speed + atol * (d->v_scale ? d->v_scale[j] : 1.0));
    }
    for (int i = 0; i < d->size.n_x; i++) {
        w->x[i] = 1.0 / (rtol * fmax(w->size_x[i], fabs(p->x[i])) + atol);
    }
}

void fb_weights_norm(int n, const double* inverse, const double* values, int index0,
                     FbWorst* worst) {
    for (int i = 0; i < n; i++) {
        double e = fabs(values[i]) * inverse[i];
        if (!(e <= worst->value)) {
            worst->value = isnan(e) ? INFINITY : e;
            worst->index = index0 + i;
        }
    }
}

double fb_weights_first_step(const FbWeights* w, const FbDynamics* d, double rtol, const FbPoint* p,
                             const double* x_rate) {
    static const double MAX_FIRST = 0.1;
    double part = 0.1 * pow(rtol, 0.25), h = MAX_FIRST;
    for (int j = 0; j < d->size.n_v; j++) {
        double scale = (d->q_scale ? d->q_scale[j] : 1.0), speed = fabs(p->v[j]), a = fabs(p->a[j]);
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
