// Callbacks: values that a function of the program computes from those of expressions.
//
// y = f(t, u), u the values of the arguments. The derivatives of y with respect to the motion
// follow by the chain rule from df/du, which the program gives or differences approximate
// (eq. 10.15), and those of the arguments. A call that fails leaves NaN, so that the step is tried
// with a smaller length; one that fails for good is kept in `failure`, and fails whatever needed
// it.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "system/part.h"
#include "system/system.h"

static void take_gradient(FbSystem* s, FbGradient* g) {
    int n_v = s->m->tree.n_v + 1;
    g->q = FB_TAKE(s->arena, double, n_v);
    g->v = FB_TAKE(s->arena, double, n_v);
    g->x = FB_TAKE(s->arena, double, s->m->n_states + s->m->n_inputs + 1);
    g->touched = FB_TAKE(s->arena, int, n_v);
    g->is_touched = FB_TAKE(s->arena, bool, n_v);
}

static void take(FbSystem* s) {
    s->callbacks = FB_TAKE(s->arena, FbCallbackState, s->m->n_callbacks + 1);
    for (int i = 0; s->callbacks && i < s->m->n_callbacks; i++) {
        const FbCallbackPart* c = &s->m->callbacks[i];
        FbCallbackState* x = &s->callbacks[i];
        size_t n_slopes = (size_t)c->n_results * (size_t)c->n_arguments;
        x->arguments = FB_TAKE(s->arena, double, c->n_arguments + 1);
        x->near = FB_TAKE(s->arena, double, c->n_arguments + 1);
        x->results = FB_TAKE(s->arena, double, c->n_results);
        x->above = FB_TAKE(s->arena, double, c->n_results);
        x->below = FB_TAKE(s->arena, double, c->n_results);
        x->slopes = FB_TAKE(s->arena, double, n_slopes + 1);
        if (!c->function.calc_derivatives) {
            take_gradient(s, &x->gradient);
        }
    }
}

static void fill(double* x, size_t n, double value) {
    for (size_t i = 0; i < n; i++) {
        x[i] = value;
    }
}

// For good: a status below zero, or a sample, which cannot be taken at another time instead.
static void note_failure(FbSystem* s, const FbCallbackPart* c, double t, FbStatus status,
                         const char* text) {
    if (s->failure.status < 0 || (status >= 0 && !s->is_sampling)) {
        return;
    }
    const char* why = text[0]           ? text
                      : status == FB_OK ? "its results are not finite"
                                        : fb_status_text(status);
    fb_fail(&s->failure, status < 0 ? status : FB_ERR_CONVERGENCE, &c->place,
            "callback '%.100s' failed at t = %.10g s: %.300s", c->name, t, why);
}

// The results at t and u; false: there are none, and they are NaN.
static bool call(FbSystem* s, const FbCallbackPart* c, double t, const double* u, double* results) {
    FbError err = {.status = FB_OK};
    FbStatus status = FB_RETRY;
    if (!c->function.calc) {
        fill(results, (size_t)c->n_results, c->fallback);
        return true;
    }
    if (s->failure.status >= 0 && isfinite(t) && fb_is_finite(u, c->n_arguments)) {
        status = c->function.calc(c->function.self, t, u, results, &err);
        if (status != FB_OK || !fb_is_finite(results, c->n_results)) {
            note_failure(s, c, t, status, err.text);
            status = FB_RETRY;
        }
    }
    if (status != FB_OK) {
        fill(results, (size_t)c->n_results, NAN);
    }
    return status == FB_OK;
}

// Results at p, recomputed only if time or arguments have changed.
static FbCallbackState* realize(FbSystem* s, const FbPoint* p, int index) {
    const FbCallbackPart* c = &s->m->callbacks[index];
    FbCallbackState* x = &s->callbacks[index];
    bool is_same = x->has_results && x->t == p->t;
    for (int i = 0; i < c->n_arguments; i++) {
        double u = fb_function_calc(s, p, c->arguments[i], 0.0, 0.0);
        is_same = is_same && u == x->arguments[i];
        x->arguments[i] = u;
    }
    if (!is_same) {
        x->t = p->t;
        x->has_slopes = false;
        x->has_results = call(s, c, p->t, x->arguments, x->results);
    }
    return x;
}

double fb_callback_calc(FbSystem* s, const FbPoint* p, const FbSignal* signal) {
    return realize(s, p, signal->index)->results[signal->component];
}

// By how much an argument changes with motions of the model's size; 0: not at all.
static double argument_size(FbSystem* s, const FbPoint* p, int function, FbGradient* g) {
    double own[2], size = 0.0, unknown = 0.0;
    fb_function_add_gradient(s, p, function, 0.0, 0.0, 1.0, own, g);
    for (int i = 0; i < g->n_touched; i++) {
        int j = g->touched[i];
        double speed = s->v_scale && s->v_scale[j] > 0.0 ? s->v_scale[j] : s->m->unit_v[j];
        size = fmax(size, fmax(fabs(g->q[j]) * s->m->unit_v[j], fabs(g->v[j]) * speed));
    }
    for (int i = 0; i < s->m->n_states + s->m->n_inputs; i++) {
        double value = i < s->m->n_states ? p->x[i] : s->inputs[i - s->m->n_states];
        size = fmax(size, fabs(g->x[i] * value));
        unknown = fmax(unknown, fabs(g->x[i]));  // of a state or an input that is zero now
    }
    fb_gradient_clear(s, g);
    return size > 0.0 ? size : unknown;
}

// h = d (e max(d, |u|) / d)^(1/3): half the digits that u has are left, two thirds of them in the
// difference (eq. 10.15).
static double difference_step(double size, double u) {
    return size * cbrt(DBL_EPSILON * fmax(size, fabs(u)) / size);
}

// Slopes with respect to argument i by central differences, by one-sided ones at the border of
// where the function has values.
static void differentiate(FbSystem* s, const FbCallbackPart* c, FbCallbackState* x, int i,
                          double size) {
    double u = x->arguments[i], h = difference_step(size, u), above = u + h, below = u - h;
    memcpy(x->near, x->arguments, sizeof(double) * (size_t)c->n_arguments);
    x->near[i] = above;
    if (!call(s, c, x->t, x->near, x->above)) {
        memcpy(x->above, x->results, sizeof(double) * (size_t)c->n_results);
        above = u;
    }
    x->near[i] = below;
    if (!call(s, c, x->t, x->near, x->below)) {
        memcpy(x->below, x->results, sizeof(double) * (size_t)c->n_results);
        below = u;
    }
    for (int k = 0; k < c->n_results; k++) {
        x->slopes[k * c->n_arguments + i] = (x->above[k] - x->below[k]) / (above - below);
    }
}

static void calc_slopes(FbSystem* s, const FbPoint* p, const FbCallbackPart* c,
                        FbCallbackState* x) {
    size_t n = (size_t)c->n_results * (size_t)c->n_arguments;
    fill(x->slopes, n, 0.0);
    if (!c->function.calc) {
        return;
    }
    if (!c->function.calc_derivatives) {
        for (int i = 0; i < c->n_arguments; i++) {
            double size = argument_size(s, p, c->arguments[i], &x->gradient);
            if (size > 0.0) {
                differentiate(s, c, x, i, size);
            }
        }
        return;
    }
    FbError err = {.status = FB_OK};
    FbStatus status = FB_RETRY;
    if (s->failure.status >= 0) {
        status =
            c->function.calc_derivatives(c->function.self, x->t, x->arguments, x->slopes, &err);
        if (status != FB_OK) {
            note_failure(s, c, x->t, status, err.text);
        }
    }
    if (status != FB_OK) {
        fill(x->slopes, n, NAN);
    }
}

const double* fb_callback_calc_slopes(FbSystem* s, const FbPoint* p, const FbSignal* signal) {
    const FbCallbackPart* c = &s->m->callbacks[signal->index];
    FbCallbackState* x = realize(s, p, signal->index);
    if (!x->has_results) {
        fill(x->slopes, (size_t)c->n_results * (size_t)c->n_arguments, NAN);
    } else if (!x->has_slopes) {
        calc_slopes(s, p, c, x);
        x->has_slopes = true;
    }
    return x->slopes + (size_t)signal->component * (size_t)c->n_arguments;
}

// Over a short part of the time in which the motion changes.
double fb_callback_calc_time_slope(FbSystem* s, const FbPoint* p, const FbSignal* signal) {
    const FbCallbackPart* c = &s->m->callbacks[signal->index];
    FbCallbackState* x = realize(s, p, signal->index);
    double h = difference_step(s->rate > 0.0 ? 1.0 / s->rate : 1.0, p->t);
    bool is_good = x->has_results && call(s, c, p->t + h, x->arguments, x->above) &&
                   call(s, c, p->t - h, x->arguments, x->below);
    int k = signal->component;
    return is_good ? (x->above[k] - x->below[k]) / (p->t + h - (p->t - h)) : NAN;
}

void fb_callback_add_gradient(FbSystem* s, const FbPoint* p, const FbSignal* signal, double factor,
                              FbGradient* g) {
    const FbCallbackPart* c = &s->m->callbacks[signal->index];
    const double* slopes = fb_callback_calc_slopes(s, p, signal);
    for (int i = 0; i < c->n_arguments; i++) {
        double own[2];
        if (slopes[i] != 0.0) {
            fb_function_add_gradient(s, p, c->arguments[i], 0.0, 0.0, factor * slopes[i], own, g);
        }
    }
}

bool fb_callbacks_explain(FbSystem* s, const FbPoint* p) {
    if (s->failure.status < 0) {
        s->trouble = s->failure;
        return true;
    }
    for (int i = 0; i < s->m->n_callbacks; i++) {
        const FbCallbackPart* c = &s->m->callbacks[i];
        const FbCallbackState* x = c->period > 0.0 && !s->is_sampling_off ? NULL : realize(s, p, i);
        if (x && !x->has_results && fb_is_finite(x->arguments, c->n_arguments)) {
            fb_fail(&s->trouble, FB_RETRY, &c->place,
                    "callback '%s' has no finite results at t = %.10g s", c->name, p->t);
            return true;
        }
    }
    return false;
}

FbStatus fb_system_check_callbacks(const FbSystem* s, FbError* err) {
    for (int i = 0; i < s->m->n_callbacks; i++) {
        const FbCallbackPart* c = &s->m->callbacks[i];
        if (!c->function.calc && isnan(c->fallback)) {
            return fb_fail(
                err, FB_ERR_MODEL, &c->place,
                "sensor '%s' is a callback, and no function is set for it. Set one "
                "(fb_model_def_set_callback(), in Python callbacks={'%s': ...}), or give "
                "it a 'default' that holds without one",
                c->name, c->name);
        }
    }
    return FB_OK;
}

bool fb_system_clear_failure(FbSystem* s) {
    bool had_failed = s->failure.status < 0;
    s->failure.status = FB_OK;
    for (int i = 0; had_failed && i < s->m->n_callbacks; i++) {
        s->callbacks[i].has_results = false;
    }
    return had_failed;
}

FbStatus fb_system_conclude(const FbSystem* s, FbStatus status, FbError* err) {
    if (s->failure.status >= 0 || status == FB_ERR_MEMORY) {
        return status;
    }
    *err = s->failure;
    err->place.file = err->file[0] ? err->file : NULL;
    return err->status;
}

static int count(const FbModel* m) {
    return m->n_callbacks;
}

static void write_note(const FbSystem* s, int index, char* text, size_t size) {
    const FbCallbackPart* c = &s->m->callbacks[index];
    text[0] = '\0';
    if (!c->function.calc) {
        snprintf(text, size,
                 "no function is set for callback '%.100s': its results are the default, %g",
                 c->name, c->fallback);
    }
}

const FbPartKind fb_part_callbacks = {
    .name = "callback",
    .count = count,
    .take = take,
    .has_no_memory = true,  // sampled results are those of samplers
    .count_notes = count,
    .write_note = write_note,
};
