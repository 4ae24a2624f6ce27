// Outputs, energies and constraint errors.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "system/part.h"

// Forces on links with the multipliers of all rows, so that reactions in the tree and at loops
// belong together.
static void realize_forces(FbSystem* s, const FbPoint* p) {
    const FbModel* m = s->m;
    fb_parts_realize(s, p);
    fb_rows_realize(s, p->q, p->v, false);
    fb_system_calc_all_lambda(s, p);
    fb_carriages_clear(s);
    for (int r = 0; r < m->n_rows; r++) {
        if (m->rows[r].carriage) {
            fb_carriage_set(s, &m->rows[r], s->all_lambda[r]);
        }
    }
    fb_tree_clear_forces(&m->tree, &s->k);
    fb_parts_apply(s, p, p->a);
    if (m->has_reactions) {
        fb_parts_move_to_links(s, p, p->a);
    }
    for (int r = 0; r < m->n_rows; r++) {
        const FbRow* row = &m->rows[r];
        for (int i = row->term; i < row->term + row->n_terms; i++) {
            const FbTerm* term = &m->terms[i];
            if (term->kind == FB_TERM_COORDINATE) {
                s->k.tau[term->coordinate_v] -= s->all_lambda[r] * term->factor;
                continue;
            }
            fb_term_push(term, &s->k, &s->term[i], -s->all_lambda[r] * term->factor);
        }
    }
    fb_carriages_push(s, p->q);
    if (m->has_reactions) {
        fb_carriages_move_to_links(s, p->q);
    }
    fb_tree_calc_residual(&m->tree, &s->k, s->work_v[0]);
}

void fb_system_realize_outputs(FbSystem* s, const FbPoint* p) {
    fb_turns_predict(s, p->t);
    fb_system_realize(s, p->q, p->v, s->m->needs_accelerations ? p->a : NULL);
    if (s->m->needs_accelerations) {
        realize_forces(s, p);
    }
}

FbStatus fb_system_calc_outputs(FbSystem* s, const FbPoint* p, double* values, FbError* err) {
    const FbModel* m = s->m;
    fb_system_realize_outputs(s, p);
    for (int i = 0; i < m->n_outputs; i++) {
        values[i] = fb_signal_calc(s, p, m->outputs[i].signal);
    }
    return fb_system_conclude(s, FB_OK, err);
}

bool fb_system_outputs_need_accelerations(const FbSystem* s) {
    return s->m->needs_accelerations;
}

void fb_system_calc_energies(FbSystem* s, const FbPoint* p, FbEnergies* out) {
    fb_turns_predict(s, p->t);
    fb_system_realize(s, p->q, p->v, NULL);
    fb_system_sum_energies(s, p, out);
}

void fb_system_sum_energies(FbSystem* s, const FbPoint* p, FbEnergies* out) {
    FbTreeEnergy e;
    fb_tree_calc_energy(&s->m->tree, &s->k, &e);
    out->kinetic = e.kinetic;
    out->potential = e.potential;
    fb_parts_add_energies(s, p, &out->kinetic, &out->potential);
    out->supplied = s->m->has_work ? p->w[0] : 0.0;
    out->dissipated = s->m->has_work ? p->w[1] : 0.0;
}

void fb_system_calc_constraint_errors(FbSystem* s, const FbPoint* p, FbConstraintErrors* out) {
    *out = (FbConstraintErrors){.row = -1};
    if (s->m->n_rows == 0) {
        return;
    }
    fb_turns_predict(s, p->t);
    fb_system_realize(s, p->q, p->v, NULL);
    fb_rows_realize(s, p->q, p->v, false);
    for (int r = 0; r < s->m->n_rows; r++) {
        out->velocity = fmax(out->velocity, fabs(fb_row_calc_rate(s, r, p->t)));
        if (!s->m->rows[r].is_holonomic) {
            continue;
        }
        double error = fabs(fb_row_calc_error(s, r, p->t));
        double share = error / fb_row_calc_size(s, r, true);
        out->position = fmax(out->position, error);
        if (share > out->share) {
            out->share = share;
            out->worst = error;
            out->row = r;
        }
    }
}

void fb_system_write_row(const FbSystem* s, int row, char* text, size_t size) {
    const FbModel* m = s->m;
    const FbRow* r = &m->rows[row];
    const char* name = r->carriage   ? m->sliders[r->owner].name
                       : r->is_joint ? m->joints[r->owner].name
                                     : m->constraints[r->owner].name;
    const char* kind = r->carriage ? "slider" : r->is_joint ? "joint" : "constraint";
    snprintf(text, size, "%s of %s '%s'", r->text, kind, name);
}
