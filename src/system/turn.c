// Angles of joints that close a loop, counted over full turns.
//
// The position shows such an angle only up to full turns. It is the one next to the angle of the
// last accepted point moved on with its rate, so that steps may be longer than a turn as long as
// the motion within one departs from an even one by less than half a turn.
#include "system/work.h"

void fb_turns_predict(FbSystem* s, double t) {
    s->now = t;
    for (int i = 0; i < s->m->n_turns; i++) {
        s->turns[i] = s->turn_angle[i] + s->turn_rate[i] * (t - s->turn_time);
    }
    fb_charts_predict(s, t);
}

// Both ends' rates together predict better than the first alone.
void fb_turns_accept(FbSystem* s, const FbPoint* p) {
    for (int t = 0; s->m->n_turns > 0 && t < s->m->n_terms; t++) {
        const FbTerm* term = &s->m->terms[t];
        if (term->turn < 0) {
            continue;
        }
        int i = term->turn;
        FbTermState state;
        fb_term_calc_position(term, &s->k, p->q, NULL, &state);
        fb_term_calc_rate(term, &s->k, p->v, &state);
        s->turns[i] =
            s->turn_angle[i] + 0.5 * (s->turn_rate[i] + state.rate) * (p->t - s->turn_time);
        fb_term_calc_position(term, &s->k, p->q, s->turns, &state);
        s->turns[i] = s->turn_angle[i] = state.value;
        s->turn_rate[i] = state.rate;
    }
    s->turn_time = s->now = p->t;
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
            s->turn_rate[term->turn] = 0.0;
        }
    }
    s->turn_time = s->now = t;
}
