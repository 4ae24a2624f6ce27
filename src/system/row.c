// Constraint rows: position and velocity errors, reactions on links, and their blocks.
#include <math.h>
#include <string.h>

#include "system/block.h"

void fb_rows_realize(FbSystem* s, const double* q, const double* v, bool only_active) {
    int n = only_active ? s->dynamics.size.n_c : s->m->n_rows;
    fb_carriages_realize(s, q, v);
    for (int c = 0; c < n; c++) {
        const FbRow* row = &s->m->rows[only_active ? s->active[c] : c];
        for (int t = row->term; t < row->term + row->n_terms; t++) {
            fb_term_calc_position(&s->m->terms[t], &s->k, q, s->turns, &s->term[t]);
            if (v) {
                fb_term_calc_rate(&s->m->terms[t], &s->k, v, &s->term[t]);
            }
        }
    }
}

// g = sum of terms - offset - law(t)
double fb_row_calc_error(const FbSystem* s, int r, double t) {
    const FbRow* row = &s->m->rows[r];
    if (row->carriage) {
        return s->carriages[row->carriage - 1].error[row->component];
    }
    double sum = -row->offset;
    for (int i = row->term; i < row->term + row->n_terms; i++) {
        sum += s->m->terms[i].factor * s->term[i].value;
    }
    if (row->law >= 0) {
        double law[3];
        fb_law_now(s, row->law, t, law);
        sum -= law[0];
    }
    return sum;
}

double fb_row_calc_rate(const FbSystem* s, int r, double t) {
    const FbRow* row = &s->m->rows[r];
    if (row->carriage) {
        return s->carriages[row->carriage - 1].rate[row->component];
    }
    double sum = 0.0;
    for (int i = row->term; i < row->term + row->n_terms; i++) {
        sum += s->m->terms[i].factor * s->term[i].rate;
    }
    if (row->law >= 0) {
        double law[3];
        fb_law_now(s, row->law, t, law);
        sum -= law[1];
    }
    return sum;
}

// Coordinates of points that are further from their bases than this times the unit of their row
// round to more than other errors come to.
static const double FAR = 64.0;

double fb_row_calc_size(const FbSystem* s, int r, bool is_drawn) {
    const FbRow* row = &s->m->rows[r];
    double size = row->unit;
    if (row->carriage && row->component < FB_CARRIAGE_TURN) {
        size = fmax(size, s->carriages[row->carriage - 1].distance / FAR);
    }
    for (int i = row->term; i < row->term + row->n_terms; i++) {
        const FbTermState* state = &s->term[i];
        double distance = fb_term_calc_distance(&s->m->terms[i], &s->k, state);
        if (is_drawn && fb_term_is_position(s->m->terms[i].kind)) {
            distance = fmax(distance, s->m->drawn_distance);
        }
        size = fmax(size, fabs(s->m->terms[i].factor) * fmax(fabs(state->value), distance) / FAR);
    }
    return size;
}

// The constraint forces -G' lambda, as forces on links (terms must be realized).
void fb_rows_apply(FbSystem* s, const double* q, const double* lambda) {
    fb_carriages_clear(s);
    for (int c = 0; c < s->dynamics.size.n_c; c++) {
        const FbRow* row = &s->m->rows[s->active[c]];
        if (row->carriage) {
            fb_carriage_set(s, row, lambda[c]);
        }
        for (int i = row->term; i < row->term + row->n_terms; i++) {
            const FbTerm* term = &s->m->terms[i];
            double x = -lambda[c] * term->factor;
            if (term->kind == FB_TERM_COORDINATE) {
                s->k.tau[term->coordinate_v] += x;
                continue;
            }
            fb_term_push(term, &s->k, &s->term[i], x);
        }
    }
    fb_carriages_push(s, q);
}

void fb_row_add_gradient(const FbSystem* s, int r, double* dense) {
    const FbRow* row = &s->m->rows[r];
    const FbPaths* paths = &s->m->paths;
    if (row->carriage) {
        const FbCarriage* carriage = &s->m->carriages[row->carriage - 1];
        const double* G = s->carriages[row->carriage - 1].G + row->component * s->m->tree.n_v;
        for (int j = 0; j < carriage->n; j++) {
            dense[carriage->v[j]] += G[carriage->v[j]];
        }
    }
    for (int i = row->term; i < row->term + row->n_terms; i++) {
        const FbTerm* term = &s->m->terms[i];
        if (term->kind == FB_TERM_COORDINATE) {
            dense[term->coordinate_v] += term->factor;
        }
        for (int j = term->path; j < term->path + term->n_path; j++) {
            double slope = fb_term_slope(&s->k, &s->term[i], paths->v[j], paths->sign[j]);
            dense[paths->v[j]] += term->factor * paths->sign[j] * slope;
        }
    }
}

static void add_term_blocks(FbSystem* s, const FbTerm* term, const FbTermState* state, int c,
                            double lambda, bool with_velocity, FbBlocks* b) {
    if (term->kind == FB_TERM_COORDINATE) {
        b->G[fb_at(&s->cv, c, term->coordinate_v)] += term->factor;
        return;
    }
    size_t mark = s->scratch_used;
    int n = term->n_path;
    double* value = fb_scratch_take(s, (size_t)n);
    double* rate = fb_scratch_take(s, (size_t)n);
    fb_term_path_gradients(s, term, state, value, with_velocity ? rate : NULL);
    for (int j = 0; j < n; j++) {
        int at = fb_at(&s->cv, c, s->m->paths.v[term->path + j]);
        b->G[at] += term->factor * value[j];
        if (with_velocity) {
            b->Gq[at] += term->factor * rate[j];
        }
    }
    if (with_velocity) {
        fb_block_add_hessian(s, term, state, lambda, b);
    }
    s->scratch_used = mark;
}

// A row of a carriage; without sliders it holds nothing.
static void add_carriage_row(FbSystem* s, const FbRow* row, int c, bool with_velocity,
                             FbBlocks* b) {
    const FbCarriage* carriage = &s->m->carriages[row->carriage - 1];
    const FbCarriageState* x = &s->carriages[row->carriage - 1];
    int first = row->component * s->m->tree.n_v;
    for (int j = 0; !s->has_no_sliders && j < carriage->n; j++) {
        int at = fb_at(&s->cv, c, carriage->v[j]);
        b->G[at] += x->G[first + carriage->v[j]];
        if (with_velocity) {
            b->Gq[at] += x->Gq[first + carriage->v[j]];
        }
    }
}

// G always; with a point (p not NULL) also Gq and the derivative of G' lambda in K.
void fb_rows_add_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b) {
    fb_carriages_clear(s);
    if (p) {
        fb_carriages_calc_rate_gradients(s, p->q, p->v);
    }
    for (int c = 0; c < s->dynamics.size.n_c; c++) {
        const FbRow* row = &s->m->rows[s->active[c]];
        if (row->carriage) {
            fb_carriage_set(s, row, p ? p->lambda[c] : 0.0);
            add_carriage_row(s, row, c, p != NULL, b);
        }
        for (int i = row->term; i < row->term + row->n_terms; i++) {
            add_term_blocks(s, &s->m->terms[i], &s->term[i], c, p ? p->lambda[c] : 0.0, p != NULL,
                            b);
        }
    }
    if (p) {
        fb_carriages_add_blocks(s, p, b);
    }
}
