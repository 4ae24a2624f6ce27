// Angles of joints that close a loop, counted over full turns.
//
// The position shows such an angle only up to full turns. It is the one next to the angle of the
// last accepted point moved on with its rate and with the acceleration of the last step, so that
// steps may be longer than a turn as long as the motion within one departs from that by less than
// half a turn.
#include <math.h>

#include "system/work.h"

void fb_turns_predict(FbSystem* s, double t) {
    s->now = t;
    for (int i = 0; i < s->m->n_turns; i++) {
        double dt = t - s->turn_time;
        s->turns[i] = s->turn_angle[i] + (s->turn_rate[i] + 0.5 * s->turn_pull[i] * dt) * dt;
    }
    fb_charts_predict(s, t);
}

// The row that a term belongs to, -1: none.
static int row_of_term(const FbModel* m, int t) {
    for (int r = 0; r < m->n_rows; r++) {
        if (t >= m->rows[r].term && t < m->rows[r].term + m->rows[r].n_terms) {
            return r;
        }
    }
    return -1;
}

static FbStatus report_lost(const FbModel* m, int r, double h, double t, FbError* err) {
    const FbRow* row = &m->rows[r];
    const FbPlace* place =
        row->is_joint ? &m->joints[row->owner].place : &m->constraints[row->owner].place;
    return fb_fail(err, FB_ERR_CONVERGENCE, place,
                   "a step of %.3g s to t = %.6g s is too long to count the turns of %s '%s'; set "
                   "'max_step' in 'simulation' to a time in which the rate of its angle changes "
                   "little",
                   h, t, row->is_joint ? "joint" : "constraint",
                   row->is_joint ? m->joints[row->owner].name : m->constraints[row->owner].name);
}

// The angle of a term at p, where positions and velocities are realized, and its rate. Both ends'
// rates together predict better than the first alone: `is_other` where that makes it another turn
// than the one that a row was held at.
static FbTermState count_turn(const FbSystem* s, const FbPoint* p, int t, bool* is_other) {
    static const double HALF_TURN = 3.14159265358979323846;
    const FbTerm* term = &s->m->terms[t];
    double dt = p->t - s->turn_time, held, *turn = &s->turns[term->turn];
    FbTermState state;
    fb_term_calc_position(term, &s->k, p->q, s->turns, &state);
    fb_term_calc_rate(term, &s->k, p->v, &state);
    held = state.value;
    *turn = s->turn_angle[term->turn] + 0.5 * (s->turn_rate[term->turn] + state.rate) * dt;
    fb_term_calc_position(term, &s->k, p->q, s->turns, &state);
    *is_other = dt > 0.0 && fabs(state.value - held) > HALF_TURN;
    return state;
}

FbStatus fb_turns_check(FbDynamics* d, const FbPoint* p) {
    FbSystem* s = fb_system_of(d);
    bool is_lost = false;
    if (s->m->n_turns == 0) {
        return FB_OK;
    }
    fb_turns_predict(s, p->t);
    fb_system_realize(s, p->q, p->v, NULL);
    for (int t = 0; t < s->m->n_terms && !is_lost; t++) {
        if (s->m->terms[t].turn >= 0) {
            count_turn(s, p, t, &is_lost);
        }
    }
    fb_turns_predict(s, p->t);
    return is_lost ? FB_RETRY : FB_OK;
}

FbStatus fb_turns_accept(FbSystem* s, const FbPoint* p, FbError* err) {
    double dt = p->t - s->turn_time;
    int lost = -1;
    for (int t = 0; s->m->n_turns > 0 && t < s->m->n_terms; t++) {
        int i = s->m->terms[t].turn;
        bool is_other;
        if (i < 0) {
            continue;
        }
        FbTermState state = count_turn(s, p, t, &is_other);
        lost = is_other && lost < 0 ? row_of_term(s->m, t) : lost;
        s->turns[i] = s->turn_angle[i] = state.value;
        s->turn_pull[i] = dt > 0.0 ? (state.rate - s->turn_rate[i]) / dt : s->turn_pull[i];
        s->turn_rate[i] = state.rate;
    }
    s->turn_time = s->now = p->t;
    return lost < 0 ? FB_OK : report_lost(s->m, lost, dt, p->t, err);
}

void fb_turns_draw(FbSystem* s) {
    for (int i = 0; i < s->m->n_terms; i++) {
        const FbTerm* term = &s->m->terms[i];
        if (term->turn >= 0) {
            s->turns[term->turn] = term->start;
        }
    }
}

void fb_turns_start(FbSystem* s, double t, const double* q) {
    for (int i = 0; i < s->m->n_terms; i++) {
        const FbTerm* term = &s->m->terms[i];
        if (term->turn >= 0) {
            FbTermState state;
            fb_term_calc_position(term, &s->k, q, s->turns, &state);
            s->turns[term->turn] = s->turn_angle[term->turn] = state.value;
            s->turn_rate[term->turn] = s->turn_pull[term->turn] = 0.0;
        }
    }
    s->turn_time = s->now = t;
}
