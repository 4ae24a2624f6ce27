// Why an evaluation failed: the part, the expression or the matrix that has no finite value.
//
// Called only after a failure, at the point where it happened: integrators treat such a trial as
// a step that was too long, and name the cause only where steps cannot become shorter.
#include <math.h>
#include <stdio.h>

#include "system/work.h"

// The expression and the operation in it that has no finite value, although its arguments have.
static bool explain_function(FbSystem* s, const FbPoint* p, int function, double value, double rate,
                             const char* owner, const char* name) {
    const FbFunction* f = &s->m->functions[function];
    size_t mark = s->scratch_used;
    double *inputs, *scratch;
    const FbExpr* expr = fb_function_gather(s, p, function, value, rate, &inputs, &scratch);
    char what[96];
    int at = fb_expr_find_trouble(expr, inputs, scratch, what, sizeof what);
    s->scratch_used = mark;
    if (at < 0) {
        return false;
    }
    FbPlace place = f->place;
    place.col += place.col > 0 ? at : 0;
    fb_fail(&s->trouble, FB_RETRY, &place,
            "the expression of %s '%s' has no finite value: %s at t = %.10g s", owner, name, what,
            p->t);
    return true;
}

static bool explain_element(FbSystem* s, const FbPoint* p, const FbForce* e) {
    double value = 0.0, rate = 0.0;
    if (e->term >= 0) {
        FbTermState state;
        fb_term_calc_position(&s->m->terms[e->term], &s->k, p->q, s->turns, &state);
        fb_term_calc_rate(&s->m->terms[e->term], &s->k, p->v, &state);
        value = state.value;
        rate = state.rate;
    }
    for (int f = 0; f < 3; f++) {
        if (e->function[f] >= 0 &&
            explain_function(s, p, e->function[f], value, rate, "force", e->name)) {
            return true;
        }
    }
    return false;
}

static bool is_point_finite(const FbSystem* s, const FbPoint* p) {
    return isfinite(p->t) && fb_is_finite(p->q, s->m->tree.n_q) &&
           fb_is_finite(p->v, s->m->tree.n_v) && fb_is_finite(p->x, s->m->n_states);
}

// Sensors of expressions used by forces and states.
static bool explain_sensors(FbSystem* s, const FbPoint* p) {
    const FbModel* m = s->m;
    for (int i = 0; i < m->n_sensors; i++) {
        const FbSensor* sensor = &m->sensors[i];
        for (int k = 0; k < sensor->n_signals; k++) {
            const FbSignal* signal = &m->signals[sensor->first_signal + k];
            if (signal->kind == FB_SIGNAL_FUNCTION && m->functions[signal->index].acts &&
                explain_function(s, p, signal->index, 0.0, 0.0, "sensor", sensor->name)) {
                return true;
            }
        }
    }
    return false;
}

static bool explain_expressions(FbSystem* s, const FbPoint* p) {
    const FbModel* m = s->m;
    if (fb_callbacks_explain(s, p) || explain_sensors(s, p)) {
        return true;
    }
    for (int i = 0; i < m->n_forces; i++) {
        if (!fb_force_is_off(s, &m->forces[i]) && explain_element(s, p, &m->forces[i])) {
            return true;
        }
    }
    for (int i = 0; i < m->n_states; i++) {
        if (explain_function(s, p, m->states[i].function, 0.0, 0.0, "state", m->states[i].name)) {
            return true;
        }
    }
    return false;
}

void fb_system_explain(FbSystem* s, const FbPoint* p, int velocity) {
    s->has_trouble = true;
    if (!is_point_finite(s, p)) {
        fb_fail(&s->trouble, FB_RETRY, NULL, "the motion overflows after t = %.10g s", p->t);
        return;
    }
    fb_system_realize(s, p->q, p->v, NULL);
    if (explain_expressions(s, p)) {
        return;
    }
    if (velocity >= 0) {
        fb_fail(
            &s->trouble, FB_RETRY, NULL,
            "at t = %.10g s the position is singular: the accelerations of '%s' are not determined",
            p->t, s->dynamics.ops->name_of_velocity(&s->dynamics, velocity));
        return;
    }
    fb_fail(&s->trouble, FB_RETRY, NULL, "the forces are not finite at t = %.10g s", p->t);
}

const FbError* fb_system_trouble(const FbDynamics* d) {
    const FbSystem* s = (const FbSystem*)d;
    return s->has_trouble ? &s->trouble : NULL;
}
