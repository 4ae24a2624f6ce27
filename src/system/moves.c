// Laws moved by events: the functions that start the moves, and their state.
//
// A move that should be centred on its event starts `lead` seconds before it. The signal y is then
// watched as it will be: for a harmonic y of frequency w the prediction y cos(w lead) + y'/w sin(w
// lead) (eq. 10.6) crosses zero exactly `lead` before y does.
#include <math.h>
#include <stdio.h>

#include "system/part.h"

static void take(FbSystem* s) {
    const FbModel* m = s->m;
    s->moves = FB_TAKE(s->arena, FbMoveState, m->n_movers + 1);
}

static void reset(FbSystem* s) {
    for (int i = 0; i < s->m->n_movers; i++) {
        s->moves[i] = fb_moves_start(s->m->movers[i].moves);
    }
}

static double explicit_rate(FbSystem* s, const FbPoint* p, int function);

static double callback_rate(FbSystem* s, const FbPoint* p, const FbSignal* signal) {
    const FbCallbackPart* c = &s->m->callbacks[signal->index];
    double sum = fb_callback_calc_time_slope(s, p, signal);
    const double* slopes = fb_callback_calc_slopes(s, p, signal);
    for (int i = 0; i < c->n_arguments; i++) {
        sum += slopes[i] != 0.0 ? slopes[i] * explicit_rate(s, p, c->arguments[i]) : 0.0;
    }
    return sum;
}

// The part of a function's time derivative that does not come through q, v and x.
static double explicit_rate(FbSystem* s, const FbPoint* p, int function) {
    const FbExpr* expr = s->m->functions[function].expr;
    const int* input = fb_expr_inputs(expr);
    int n = fb_expr_input_count(expr);
    size_t mark = s->scratch_used;
    double* values = fb_scratch_take(s, (size_t)n);
    double* gradient = fb_scratch_take(s, (size_t)n);
    double* scratch = fb_scratch_take(s, fb_expr_scratch(expr));
    for (int i = 0; i < n; i++) {
        values[i] = fb_signal_calc(s, p, input[i]);
    }
    fb_expr_gradient(expr, values, scratch, gradient);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const FbSignal* signal = &s->m->signals[input[i]];
        double law[4] = {0.0, 0.0, 0.0, 0.0}, rate = 0.0;
        if (signal->kind == FB_SIGNAL_TIME) {
            rate = 1.0;
        } else if (signal->kind == FB_SIGNAL_LAW) {
            fb_law_now(s, signal->index, p->t, law);
            rate = law[signal->component + 1];
        } else if (signal->kind == FB_SIGNAL_SLIDER && s->m->sliders[signal->index].law >= 0) {
            fb_law_now(s, s->m->sliders[signal->index].law, p->t, law);
            rate = law[signal->component + 1];
        } else if (signal->kind == FB_SIGNAL_FUNCTION) {
            rate = explicit_rate(s, p, signal->index);
        } else if (signal->kind == FB_SIGNAL_CALLBACK) {
            rate = callback_rate(s, p, signal);
        }
        sum += gradient[i] * rate;
    }
    s->scratch_used = mark;
    return sum;
}

// Accelerations into s->ahead, where the gradient says that they are needed.
static FbStatus find_accelerations(FbSystem* s, const FbPoint* p, const FbGradient* g) {
    FbPoint at = {p->t, p->q, p->v, s->ahead.a, p->x, s->ahead.lambda, p->w};
    FbError err;
    for (int i = 0; i < g->n_touched; i++) {
        if (g->v[g->touched[i]] != 0.0) {
            return fb_system_accelerations(&s->dynamics, &at, &err);
        }
    }
    return FB_OK;
}

// dy/dt of a function along the motion: accelerations and rates of states as at p.
static double function_rate(FbSystem* s, const FbPoint* p, int function) {
    FbGradient* g = &s->gradient;
    double own[2], sum = explicit_rate(s, p, function);
    fb_function_add_gradient(s, p, function, 0.0, 0.0, 1.0, own, g);
    FbStatus status = find_accelerations(s, p, g);
    for (int i = 0; i < g->n_touched; i++) {
        int j = g->touched[i];
        sum += g->q[j] * p->v[j] + (g->v[j] != 0.0 ? g->v[j] * s->ahead.a[j] : 0.0);
    }
    for (int i = 0; i < s->m->n_states; i++) {
        double rate = g->x[i] != 0.0 ? fb_function_calc(s, p, s->m->states[i].function, 0, 0) : 0.0;
        sum += g->x[i] * rate;
    }
    fb_gradient_clear(s, g);
    fb_system_realize(s, p->q, p->v, NULL);
    return status == FB_OK ? sum : NAN;
}

static bool is_armed(const FbSystem* s, int root, double t) {
    return fb_moves_waits_for(&s->moves[root / FB_N_MOVES], t) == root % FB_N_MOVES;
}

static void calc_roots(FbSystem* s, const FbPoint* p, double* values) {
    for (int i = 0; i < FB_N_MOVES * s->m->n_movers; i++) {
        const FbMover* mover = &s->m->movers[i / FB_N_MOVES];
        int function = mover->function[i % FB_N_MOVES];
        double lead = mover->moves->lead, w = mover->moves->frequency;
        if (!is_armed(s, i, p->t)) {
            values[i] = 0.0;
            continue;
        }
        values[i] = fb_function_calc(s, p, function, 0.0, 0.0);
        if (lead > 0.0) {
            values[i] =
                values[i] * cos(w * lead) + function_rate(s, p, function) / w * sin(w * lead);
        }
    }
}

static FbStatus cross(FbSystem* s, FbPoint* p, int root, bool* has_changed, bool* stop,
                      FbError* err) {
    int i = root / FB_N_MOVES;
    fb_moves_go(s->m->movers[i].moves, &s->moves[i], p->t);
    *has_changed = true;
    (void)stop;
    (void)err;
    return FB_OK;
}

static double next_break(const FbSystem* s, double t) {
    double first = INFINITY;
    for (int i = 0; i < s->m->n_movers; i++) {
        first = fmin(first, fb_law_first_after(&s->moves[i].end, 1, t));
    }
    return first;
}

static void write_note(const FbSystem* s, int mover, char* text, size_t size) {
    const FbMoves* m = s->m->movers[mover].moves;
    const FbMoveState* state = &s->moves[mover];
    long n = state->count[FB_MOVE_OUTWARD] + state->count[FB_MOVE_INWARD];
    text[0] = '\0';
    if (m->duration > m->asked && n > 0) {
        snprintf(text, size,
                 "the limits of law '%.80s' are active: each of its %ld moves takes %.6g s instead "
                 "of %.6g s",
                 s->m->laws[s->m->movers[mover].law].name, n, m->duration, m->asked);
    }
}

static void remember(FbSystem* s, FbMemory* m) {
    fb_memory_bytes(m, s->moves, sizeof *s->moves * (size_t)s->m->n_movers);
    for (int i = 0; i < s->m->n_movers; i++) {
        fb_memory_check_flag(m, &s->moves[i].is_outer);
    }
}

static int count(const FbModel* m) {
    return m->n_movers;
}

static int count_roots(const FbModel* m) {
    return FB_N_MOVES * m->n_movers;
}

static const char* name_of_root(const FbModel* m, int root) {
    return m->movers[root / FB_N_MOVES].event[root % FB_N_MOVES];
}

static int direction_of_root(const FbModel* m, int root) {
    return m->movers[root / FB_N_MOVES].moves->direction[root % FB_N_MOVES];
}

const FbPartKind fb_part_moves = {
    .name = "law of moves",
    .count = count,
    .take = take,
    .remember = remember,
    .draw = reset,
    .reset = reset,
    .count_roots = count_roots,
    .calc_roots = calc_roots,
    .is_armed = is_armed,
    .name_of_root = name_of_root,
    .direction_of_root = direction_of_root,
    .cross = cross,
    .next_break = next_break,
    .count_notes = count,
    .write_note = write_note,
};
