// Samplers: values that are measured at multiples of a period and held, some samples late, as a
// digital controller has them.
//
// Samples are taken at t_k = t_0 + k T, t_0 the start of the run; between t_k and t_k+1 the sample
// taken at t_k-d is shown (eq. 10.7). All samplers that are due at one time measure first and show
// afterwards, so that one of them may depend on another or on itself: y_k = f(y_k-1, ...).
#include <math.h>
#include <string.h>

#include "system/part.h"

static void take(FbSystem* s) {
    const FbModel* m = s->m;
    s->samples = FB_TAKE(s->arena, FbSampleState, m->n_samplers + 1);
    for (int i = 0; s->samples && i < m->n_samplers; i++) {
        s->samples[i].ring = FB_TAKE(s->arena, double, m->samplers[i].late + 1);
    }
}

static bool is_due(const FbSampleState* state, double t) {
    // The same rounding as that of the break at the time of the sample.
    return fb_law_first_after(&state->next, 1, t) == INFINITY;
}

// The sample k = count goes into the ring; the one that is old enough is shown.
static void keep(const FbSampler* sampler, FbSampleState* state) {
    long k = state->count++, n = sampler->late + 1;
    state->ring[k % n] = state->fresh;
    if (k >= sampler->late) {
        state->value = state->ring[(k - sampler->late) % n];
    } else if (k == 0 && isnan(sampler->initial)) {
        state->value = state->fresh;
    }
    state->next = state->first + (double)state->count * sampler->period;
}

static void at_break(FbSystem* s, const FbPoint* p) {
    const FbModel* m = s->m;
    if (m->n_samplers == 0) {
        return;
    }
    // The accelerations with what the samplers show so far.
    FbPoint at = {p->t, p->q, p->v, s->ahead.a, p->x, s->ahead.lambda, p->w};
    FbError err;
    bool has_accelerations =
        m->needs_accelerations && fb_system_accelerations(&s->dynamics, &at, &err) == FB_OK;
    p = has_accelerations ? &at : p;
    fb_system_realize_outputs(s, p);
    s->is_sampling = true;
    for (int i = 0; i < m->n_samplers; i++) {
        if (is_due(&s->samples[i], p->t)) {
            s->samples[i].fresh = fb_function_calc(s, p, m->samplers[i].function, 0.0, 0.0);
        }
    }
    s->is_sampling = false;
    if (s->failure.status < 0) {
        return;  // the run ends here; the samples stay due
    }
    for (int i = 0; i < m->n_samplers; i++) {
        if (is_due(&s->samples[i], p->t)) {
            keep(&m->samplers[i], &s->samples[i]);
        }
    }
}

void fb_samples_start(FbSystem* s, const FbPoint* p) {
    for (int i = 0; i < s->m->n_samplers; i++) {
        FbSampleState* state = &s->samples[i];
        double initial = s->m->samplers[i].initial;
        *state = (FbSampleState){.value = isnan(initial) ? 0.0 : initial,
                                 .ring = state->ring,
                                 .first = p->t,
                                 .next = p->t};
    }
    at_break(s, p);
}

static double next_break(const FbSystem* s, double t) {
    double first = INFINITY;
    for (int i = 0; i < s->m->n_samplers; i++) {
        first = fmin(first, fb_law_first_after(&s->samples[i].next, 1, t));
    }
    return first;
}

void fb_system_stop_sampling(FbSystem* s) {
    s->is_sampling_off = true;
}

void fb_system_copy_discrete(FbSystem* s, const FbSystem* other) {
    const FbModel* m = s->m;
    for (int i = 0; i < m->n_laws; i++) {
        s->law_of[i] = other->law_of[i];
    }
    for (int i = 0; i < m->n_movers; i++) {
        s->moves[i] = other->moves[i];
    }
    for (int i = 0; i < m->n_samplers; i++) {
        double* ring = s->samples[i].ring;
        s->samples[i] = other->samples[i];
        s->samples[i].ring = ring;
        memcpy(ring, other->samples[i].ring, sizeof(double) * (size_t)(m->samplers[i].late + 1));
    }
}

static void remember(FbSystem* s, FbMemory* m) {
    FB_REMEMBER(m, s->is_sampling_off);
    for (int i = 0; i < s->m->n_samplers; i++) {
        FbSampleState* state = &s->samples[i];
        FB_REMEMBER(m, state->value);
        fb_memory_doubles(m, state->ring, s->m->samplers[i].late + 1);
        FB_REMEMBER(m, state->first);
        FB_REMEMBER(m, state->next);
        FB_REMEMBER(m, state->count);
    }
}

static int count(const FbModel* m) {
    return m->n_samplers;
}

static FbStatus check_linear(FbSystem* s, FbError* err) {
    (void)s;
    return fb_fail(err, FB_ERR_MODEL, NULL, "it has sampled values");
}

const FbPartKind fb_part_samplers = {
    .name = "sampler",
    .count = count,
    .take = take,
    .remember = remember,
    .next_break = next_break,
    .at_break = at_break,
    .check_linear = check_linear,
};
