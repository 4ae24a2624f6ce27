// The operations of the contract for models whose equations are tapes (compile/tapes.c).
//
// Tapes handle no exceptions: if they give no finite number (a spring of zero length), the passes
// over the links are used.
#include <string.h>

#include "system/work.h"

static double* take_work(FbSystem* s, const FbFormulaTape* t) {
    const FbTapes* tapes = &s->m->tapes;
    double* work = t ? FB_TAKE(s->arena, double, t->n_work) : NULL;
    if (work) {
        const double* in[FB_TAPE_LANES];
        for (int k = 0; k < FB_TAPE_LANES; k++) {
            in[k] = tapes->numbers;
        }
        fb_tape_start(t, work);
        fb_tape_set(t, work, t->n_inputs - tapes->n_numbers, tapes->n_numbers, in);
    }
    return work;
}

void fb_tapes_take(FbSystem* s) {
    const FbTapes* t = &s->m->tapes;
    s->tapes.residual = take_work(s, t->residual);
    s->tapes.powers = take_work(s, t->powers);
    s->tapes.blocks = take_work(s, t->blocks);
    s->dynamics.has_tapes = s->tapes.residual && s->tapes.powers;
}

// A tape with its memory, and the number of velocities.
typedef struct Taped {
    const FbFormulaTape* t;
    double* work;
    int n_v;
} Taped;

// q (0), v (1) or a (2) of n points; lanes beyond the last point repeat it.
static void set_inputs(const Taped* tape, int which, int n, const double* x) {
    const double* in[FB_TAPE_LANES];
    int n_v = tape->n_v;
    for (int k = 0; k < FB_TAPE_LANES; k++) {
        in[k] = x + (k < n ? k : n - 1) * n_v;
    }
    fb_tape_set(tape->t, tape->work, which * n_v, n_v, in);
}

// The outputs of n points, each [n_outputs], one after the other; a may be NULL.
static void evaluate(const Taped* tape, int n, const double* q, const double* v, const double* a,
                     double* out) {
    const FbFormulaTape* t = tape->t;
    int n_v = tape->n_v, n_out = t->n_outputs;
    for (int first = 0; first < n; first += FB_TAPE_LANES, out += FB_TAPE_LANES * n_out) {
        int count = n - first < FB_TAPE_LANES ? n - first : FB_TAPE_LANES;
        set_inputs(tape, 0, count, q + first * n_v);
        set_inputs(tape, 1, count, v + first * n_v);
        if (a) {
            set_inputs(tape, 2, count, a + first * n_v);
        }
        fb_tape_run(t, tape->work, count);
        for (int i = 0; i < n_out; i++) {
            const double* value = fb_tape_output(t, tape->work, i);
            for (int k = 0; k < count; k++) {
                out[k * n_out + i] = value[k];
            }
        }
    }
}

// Coordinates are as many as velocities.
static FbPoint point_of(const double* q, const double* v, const double* a) {
    return (FbPoint){.q = (double*)q, .v = (double*)v, .a = (double*)a};
}

FbStatus fb_system_residuals(FbDynamics* d, int n, const double* q, const double* v,
                             const double* a, double* r) {
    FbSystem* s = fb_system_of(d);
    int n_v = d->size.n_v;
    FbStatus status = FB_OK;
    evaluate(&(Taped){s->m->tapes.residual, s->tapes.residual, n_v}, n, q, v, a, r);
    if (fb_is_finite(r, n * n_v)) {
        return FB_OK;
    }
    for (int i = 0; i < n * n_v && status == FB_OK; i += n_v) {
        FbPoint p = point_of(q + i, v + i, a + i);
        p.t = s->now;  // nothing depends on it
        status = d->ops->residual(d, &p, r + i, NULL, NULL);
    }
    return status;
}

void fb_system_all_powers(FbDynamics* d, int n, const double* q, const double* v, double* rates) {
    FbSystem* s = fb_system_of(d);
    int n_v = d->size.n_v;
    evaluate(&(Taped){s->m->tapes.powers, s->tapes.powers, n_v}, n, q, v, NULL, rates);
    for (int i = 0; i < n; i++) {
        if (!fb_is_finite(rates + 2 * i, 2)) {
            FbPoint p = point_of(q + i * n_v, v + i * n_v, NULL);
            p.t = s->now;
            d->ops->powers(d, &p, rates + 2 * i);
        }
    }
}

bool fb_tapes_calc_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b) {
    const FbFormulaTape* t = s->m->tapes.blocks;
    int n = fb_pattern_count(b->vv);
    if (!s->dynamics.has_tapes || !s->tapes.blocks) {
        return false;
    }
    Taped tape = {t, s->tapes.blocks, s->m->tree.n_v};
    set_inputs(&tape, 0, 1, p->q);
    set_inputs(&tape, 1, 1, p->v);
    set_inputs(&tape, 2, 1, p->a);
    fb_tape_run(t, s->tapes.blocks, 1);
    for (int i = 0; i < n; i++) {
        b->M[i] = *fb_tape_output(t, s->tapes.blocks, i);
        b->C[i] = *fb_tape_output(t, s->tapes.blocks, n + i);
        b->K[i] = *fb_tape_output(t, s->tapes.blocks, 2 * n + i);
    }
    return fb_is_finite(b->M, n) && fb_is_finite(b->C, n) && fb_is_finite(b->K, n);
}
