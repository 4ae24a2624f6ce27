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

// Both ends' rates together predict better than the first alone. Where that makes it another turn
// than the one that a row was held at, the step was too long for it.
FbStatus fb_turns_accept(FbSystem* s, const FbPoint* p, FbError* err) {
    static const double HALF_TURN = 3.14159265358979323846;
    double dt = p->t - s->turn_time;
    int lost = -1;
    for (int t = 0; s->m->n_turns > 0 && t < s->m->n_terms; t++) {
        const FbTerm* term = &s->m->terms[t];
        if (term->turn < 0) {
            continue;
        }
        int i = term->turn;
        FbTermState state;
        fb_term_calc_position(term, &s->k, p->q, s->turns, &state);
        fb_term_calc_rate(term, &s->k, p->v, &state);
        double held = state.value;
        s->turns[i] = s->turn_angle[i] + 0.5 * (s->turn_rate[i] + state.rate) * dt;
        fb_term_calc_position(term, &s->k, p->q, s->turns, &state);
        bool is_other = dt > 0.0 && fabs(state.value - held) > HALF_TURN;
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
