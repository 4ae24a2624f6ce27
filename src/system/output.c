// Outputs, energies, constraint errors, and the advice which kind of integrator fits.
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
    (void)err;
    return FB_OK;
}

bool fb_system_outputs_need_accelerations(const FbSystem* s) {
    return s->m->needs_accelerations;
}

void fb_system_calc_energies(FbSystem* s, const FbPoint* p, FbEnergies* out) {
    FbTreeEnergy e;
    fb_turns_predict(s, p->t);
    fb_system_realize(s, p->q, p->v, NULL);
    fb_tree_calc_energy(&s->m->tree, &s->k, &e);
    out->kinetic = e.kinetic;
    out->potential = e.potential;
    fb_parts_add_energies(s, p, &out->kinetic, &out->potential);
    out->supplied = s->m->has_work ? p->w[0] : 0.0;
    out->dissipated = s->m->has_work ? p->w[1] : 0.0;
}

void fb_system_calc_constraint_errors(FbSystem* s, const FbPoint* p, double* position,
                                      double* velocity) {
    *position = *velocity = 0.0;
    if (s->m->n_rows == 0) {
        return;
    }
    fb_turns_predict(s, p->t);
    fb_system_realize(s, p->q, p->v, NULL);
    fb_rows_realize(s, p->q, p->v, false);
    for (int r = 0; r < s->m->n_rows; r++) {
        if (s->m->rows[r].is_holonomic) {
            *position = fmax(*position, fabs(fb_row_calc_error(s, r, p->t)));
        }
        *velocity = fmax(*velocity, fabs(fb_row_calc_rate(s, r, p->t)));
    }
}

// |x| in the metric of M; Mx is room.
static double energy_norm(FbSystem* s, const double* M, int n, const double* x, double* Mx) {
    double sum = 0.0;
    memset(Mx, 0, sizeof(double) * (size_t)n);
    fb_pattern_multiply(&s->m->vv, M, 1.0, x, Mx);
    for (int j = 0; j < n; j++) {
        sum += x[j] * Mx[j];
    }
    return sqrt(fmax(sum, 0.0));
}

// The largest growth of x -> M^-1 A x in the metric of M, which no axes and units change: about the
// largest |eigenvalue|.
static double largest_rate(FbSystem* s, const FbBlocks* b, const double* A, int n) {
    enum { MOST = 100 };
    static const double SETTLED = 1e-4;
    double *x = s->work_v[0], *y = s->work_v[1], *rhs = s->kkt.rhs, rate = 0.0;
    for (int j = 0; j < n; j++) {
        double mass = b->M[fb_at(&s->m->vv, j, j)];
        x[j] = (1.0 + 0.1 * (j % 7)) / (mass > 0.0 ? sqrt(mass) : 1.0);
    }
    double before, norm = energy_norm(s, b->M, n, x, y);
    for (int i = 0; i < MOST && norm > 0.0; i++) {
        for (int j = 0; j < n; j++) {
            x[j] /= norm;
        }
        memset(rhs, 0, sizeof(double) * (size_t)(n + s->dynamics.size.n_c));
        fb_pattern_multiply(&s->m->vv, A, 1.0, x, rhs);
        fb_kkt_solve(s, rhs);
        memcpy(x, rhs, sizeof(double) * (size_t)n);
        before = rate;
        rate = norm = energy_norm(s, b->M, n, x, y);
        if (i > 2 && fabs(rate - before) <= SETTLED * rate) {
            break;
        }
    }
    return rate;
}

// The largest rate of the states by their own equations: a bound on the eigenvalues (Gershgorin).
static double largest_state_rate(const FbBlocks* b, int n) {
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) {
            sum += fabs(b->Xx[i + j * n]);
        }
        largest = fmax(largest, sum);
    }
    return largest;
}

// The rate of the motion at p: how fast coordinates move, and begin to move, through their scales.
// Those of one joint with one unit are a vector, whatever its axes.
static double motion_rate(const FbSystem* s, const FbPoint* p, double duration) {
    const FbDynamics* d = &s->dynamics;
    const FbTree* tree = &s->m->tree;
    double rate = 1.0 / duration, v = 0.0, a = 0.0;
    for (int j = 0, last = -1; j < d->size.n_v; j++) {
        double scale = d->q_scale[j];
        int joint = tree->links[tree->link_of_v[j]].joint;
        bool goes_on = joint == last && scale == d->q_scale[j - 1];
        last = joint >= 0 ? joint : -2;
        v = hypot(goes_on ? v : 0.0, p->v[j] / scale);
        a = hypot(goes_on ? a : 0.0, p->a[j] / scale);
        rate = fmax(rate, fmax(v, sqrt(a)));
    }
    return rate;
}

// An explicit method of order 8 needs about rate/6 steps a second for stability; this many more
// than accuracy asks for is stiff. Undamped vibrations may have to be resolved anyway, so they
// count only where they are much faster.
static const double STIFF_DAMPING = 30.0, STIFF_VIBRATION = 300.0;

bool fb_system_is_stiff(FbSystem* s, const FbPoint* p, double duration, char* reason, size_t size) {
    FbBlocks b;
    FbError err;
    int n = s->dynamics.size.n_v;
    snprintf(reason, size, "no stiff forces");
    if (n == 0 || s->dynamics.ops->jacobian(&s->dynamics, p, &b, &err) != FB_OK) {
        return false;
    }
    fb_rows_realize(s, p->q, p->v, true);
    // The factorization overwrites M and G only, with the same values; C and K stay.
    if (fb_kkt_factor(s, p->q, false, &err) < 0) {
        snprintf(reason, size,
                 "the mass matrix is singular, which only the implicit method can handle");
        return true;
    }
    double damping =
        fmax(largest_rate(s, &b, b.C, n), largest_state_rate(&b, s->dynamics.size.n_x));
    double frequency = sqrt(largest_rate(s, &b, b.K, n));
    double needed = motion_rate(s, p, duration), fastest = fmax(damping, frequency);
    if (damping > STIFF_DAMPING * needed || frequency > STIFF_VIBRATION * needed) {
        snprintf(reason, size, "stiff: rates up to %.2g 1/s next to motion of about %.2g 1/s",
                 fastest, needed);
        return true;
    }
    return false;
}
