// The unbalanced forces of a position, and the system (7.2) of a step towards balance.
#include "solve/balance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "system/port.h"

enum { MAX_REFINEMENTS = 8 };

// dv/dq (and, as its square, da/dq) of what turns steadily: from column `from` to column `to`.
typedef void (*SpinVisit)(void* self, int from, int to, double by_v, double by_a);

static void visit_spins(FbBalance* s, SpinVisit visit, void* self) {
    const FbSpins* x = &s->op->spins;
    for (int i = 0; i < x->n_entries; i++) {
        const FbSpinEntry* e = &x->entries[i];
        visit(self, e->row, e->col, e->value, 0.0);
        for (int k = 0; k < x->n_entries; k++) {
            if (x->entries[k].row == e->col) {
                visit(self, e->row, x->entries[k].col, 0.0, e->value * x->entries[k].value);
            }
        }
    }
    for (int i = 0; i < x->n_spins; i++) {
        int j = x->spins[i].ball;
        const double* w = s->op->p.v + j;
        for (int k = 0; j >= 0 && k < 3; k++) {  // [w] by columns: the body's rates turn with it
            visit(self, j + (k + 1) % 3, j + k, w[(k + 2) % 3], 0.0);
            visit(self, j + (k + 2) % 3, j + k, -w[(k + 1) % 3], 0.0);
        }
    }
}

typedef struct SpinPattern {
    const FbPattern* vv;
    FbPatternBuilder* builder;
} SpinPattern;

static void add_spin_column(void* self, int from, int to, double by_v, double by_a) {
    SpinPattern* x = self;
    (void)by_v;
    (void)by_a;
    for (int e = x->vv->start[from]; e < x->vv->start[from + 1]; e++) {
        fb_pattern_builder_add(x->builder, x->vv->row[e], to);
    }
}

static void add_spin_pattern(FbBalance* s, FbPatternBuilder* builder) {
    SpinPattern x = {s->b.vv, builder};
    visit_spins(s, add_spin_column, &x);
}

// K += C dv/dq + M da/dq
static void add_spin_values(void* self, int from, int to, double by_v, double by_a) {
    FbBalance* s = self;
    double* values = fb_linear_values(s->solver);
    for (int e = s->b.vv->start[from]; e < s->b.vv->start[from + 1]; e++) {
        values[fb_pattern_index(&s->pattern, s->b.vv->row[e], to)] +=
            s->b.C[e] * by_v + s->b.M[e] * by_a;
    }
}

// Next to x: what is scaled by it does not round.
static double power_of_two(double x) {
    int exponent;
    frexp(x, &exponent);
    return x > 0.0 && isfinite(x) ? ldexp(0.5, exponent) : 1.0;
}

// Rows, states and what turns steadily make it larger than that of the blocks.
static FbStatus build_pattern(FbBalance* s, FbError* err) {
    const FbPattern *vv = s->b.vv, *cv = s->b.cv;
    int n = s->n, n_c = s->n_c, n_x = s->n_x, size = n + n_c + n_x;
    if (n_c == 0 && n_x == 0 && s->op->spins.n_spins == 0 && s->op->spins.n_entries == 0) {
        s->pattern = *vv;
        return FB_OK;
    }
    FbPatternBuilder* builder = fb_pattern_builder_create(size, size);
    if (!builder) {
        return fb_fail_memory(err);
    }
    for (int col = 0; col < n; col++) {
        for (int e = vv->start[col]; e < vv->start[col + 1]; e++) {
            fb_pattern_builder_add(builder, vv->row[e], col);
        }
        for (int e = cv->start[col]; n_c > 0 && e < cv->start[col + 1]; e++) {
            fb_pattern_builder_add(builder, n + cv->row[e], col);
            fb_pattern_builder_add(builder, col, n + cv->row[e]);
        }
    }
    for (int c = 0; c < n_c; c++) {
        fb_pattern_builder_add(builder, n + c, n + c);
    }
    add_spin_pattern(s, builder);
    for (int i = 0; i < n_x; i++) {
        for (int j = 0; j < n; j++) {
            fb_pattern_builder_add(builder, j, n + n_c + i);
            fb_pattern_builder_add(builder, n + n_c + i, j);
        }
        for (int j = 0; j < n_x; j++) {
            fb_pattern_builder_add(builder, n + n_c + j, n + n_c + i);
        }
    }
    FbStatus status = fb_pattern_builder_finish(builder, s->arena, &s->pattern, err);
    fb_pattern_builder_destroy(builder);
    return status;
}

FbStatus fb_balance_build(FbBalance* s, FbError* err) {
    const FbPattern *vv = s->b.vv, *cv = s->b.cv;
    int n = s->n, n_c = s->n_c, n_x = s->n_x, size = n + n_c + n_x;
    FB_TRY(build_pattern(s, err));
    s->of_vv = FB_TAKE(s->arena, int, fb_pattern_count(vv) + 1);
    s->of_g = FB_TAKE(s->arena, int, n_c > 0 ? fb_pattern_count(cv) + 1 : 1);
    s->of_gt = FB_TAKE(s->arena, int, n_c > 0 ? fb_pattern_count(cv) + 1 : 1);
    s->of_diagonal = FB_TAKE(s->arena, int, n_c + 1);
    s->of_x = FB_TAKE(s->arena, int, n_x*(2 * n + n_x) + 1);
    s->x = FB_TAKE(s->arena, double, size + 1);
    s->unit = FB_TAKE(s->arena, double, n + 1);
    s->state_rate = FB_TAKE(s->arena, double, n_x + 1);
    s->state_kept = FB_TAKE(s->arena, double, n_x + 1);
    s->unbalanced = FB_TAKE(s->arena, double, n + 1);
    s->q_kept = FB_TAKE(s->arena, double, s->d->size.n_q + 1);
    s->q_new = FB_TAKE(s->arena, double, s->d->size.n_q + 1);
    s->q_first = FB_TAKE(s->arena, double, s->d->size.n_q + 1);
    s->x_first = FB_TAKE(s->arena, double, n_x + 1);
    s->q_begin = FB_TAKE(s->arena, double, s->d->size.n_q + 1);
    s->load = FB_TAKE(s->arena, double, n + 1);
    s->correction = FB_TAKE(s->arena, double, size + 1);
    if (fb_arena_has_failed(s->arena)) {
        return fb_fail_memory(err);
    }
    for (int col = 0; col < n; col++) {
        s->unit[col] = power_of_two(fb_model_displacement(s->op->model, col));
        for (int e = vv->start[col], at = s->pattern.start[col]; e < vv->start[col + 1]; e++) {
            at = s->of_vv[e] = fb_pattern_seek(&s->pattern, vv->row[e], col, at);
        }
        for (int e = cv->start[col]; n_c > 0 && e < cv->start[col + 1]; e++) {
            s->of_g[e] = fb_pattern_index(&s->pattern, n + cv->row[e], col);
            s->of_gt[e] = fb_pattern_index(&s->pattern, col, n + cv->row[e]);
        }
    }
    for (int c = 0; c < n_c; c++) {
        s->of_diagonal[c] = fb_pattern_index(&s->pattern, n + c, n + c);
    }
    int* at = s->of_x;
    for (int i = 0; i < n_x; i++) {
        for (int j = 0; j < n; j++) {
            *at++ = fb_pattern_index(&s->pattern, j, n + n_c + i);
            *at++ = fb_pattern_index(&s->pattern, n + n_c + i, j);
        }
        for (int j = 0; j < n_x; j++) {
            *at++ = fb_pattern_index(&s->pattern, n + n_c + j, n + n_c + i);
        }
    }
    FB_TRY(fb_linear_create(&s->pattern, FB_LINEAR_SYMMETRIC, false, &s->solver, err));
    fb_linear_share(s->solver, fb_system_get_mass_solver(s->op->system));
    return FB_OK;
}

// Accelerations, blocks, unbalanced forces and merit at the current q.
FbStatus fb_balance_evaluate(FbBalance* s, FbError* err) {
    FbPoint* p = &s->op->p;
    s->is_current = false;
    fb_operating_follow(s->op);
    FbStatus status = s->d->ops->accelerations(s->d, p, err);
    if (status != FB_OK) {
        return status;
    }
    FbPoint still = *p;
    double* none = s->q_new;  // n_q >= n_v; zeros for the accelerations, or those of what turns
    memset(none, 0, sizeof(double) * (size_t)s->d->size.n_q);
    for (int j = 0; s->op->spins.n_spins > 0 && j < s->n; j++) {
        none[j] = s->op->steady_a[j];
        p->a[j] -= none[j];
    }
    still.a = none;
    status = s->d->ops->jacobian(s->d, &still, &s->b, err);
    if (status != FB_OK) {
        return status;
    }
    memset(s->unbalanced, 0, sizeof(double) * (size_t)s->n);
    fb_pattern_multiply(s->b.vv, s->b.M, 1.0, p->a, s->unbalanced);
    double energy = 0.0, largest = 0.0;
    s->swiftest = 0.0;
    for (int j = 0; j < s->n; j++) {
        energy += s->unbalanced[j] * p->a[j];
        largest = fmax(largest, fabs(s->unbalanced[j]) * s->unit[j]);
        s->swiftest = fmax(s->swiftest, fabs(p->a[j]) / s->unit[j]);
    }
    s->residual = fb_operating_residual(s->op, &s->b, s->unbalanced, &s->scale, &s->worst);
    s->fraction = s->scale > 0.0 ? largest / s->scale : 0.0;
    double inertia = 0.0;
    for (int j = 0; j < s->n; j++) {
        int e = fb_pattern_index(s->b.vv, j, j);
        inertia = e >= 0 ? fmax(inertia, s->b.M[e] * s->unit[j] * s->unit[j]) : inertia;
    }
    s->swiftest = inertia > 0.0 ? fmax(s->swiftest, 1e-6 * s->scale / inertia) : s->swiftest;
    double drift = fb_operating_state_residual(s->op, &s->b, s->state_rate, &s->worst_state);
    if (drift > s->residual) {
        s->residual = drift;
    } else {
        s->worst_state = -1;
    }
    double rates = 0.0;
    for (int i = 0; i < s->n_x; i++) {
        rates += s->state_rate[i] * s->state_rate[i];
        s->has_control = s->has_control || s->op->is_followed[i];
    }
    if (s->state_weight == 0.0) {  // at the start both count alike
        s->state_weight = rates > 0.0 && energy > 0.0 ? energy / rates : 1.0;
    }
    s->merit = sqrt(fmax(energy, 0.0) + s->state_weight * rates);
    s->is_current = true;
    return isfinite(s->merit) ? FB_OK : FB_RETRY;
}

// The rows and columns of the states; one that no force depends on stays as it is.
static void fill_states(FbBalance* s, double mu, double* values) {
    const int* at = s->of_x;
    for (int i = 0; i < s->n_x; i++) {
        bool is_followed = s->op->is_followed[i];
        for (int j = 0; j < s->n; j++) {
            values[*at++] = is_followed ? s->b.Rx[(size_t)i * (size_t)s->n + (size_t)j] : 0.0;
            values[*at++] = is_followed ? s->b.Xq[(size_t)j * (size_t)s->n_x + (size_t)i] : 0.0;
        }
        for (int j = 0; j < s->n_x; j++) {
            bool is_both = is_followed && s->op->is_followed[j];
            double x = is_both ? s->b.Xx[(size_t)i * (size_t)s->n_x + (size_t)j] : 0.0;
            values[*at++] = j != i ? x : is_followed ? x - sqrt(mu) : 1.0;
        }
        s->x[s->n + s->n_c + i] = -s->state_rate[i];
    }
}

// What an unknown of 1 is: a displacement, a multiplier that does the energy along its row's
// length.
static double column_unit(const FbBalance* s, double energy, int i) {
    if (i < s->n) {
        return s->unit[i];
    }
    double length = s->d->c_scale && i < s->n + s->n_c ? s->d->c_scale[i - s->n] : 1.0;
    return i < s->n + s->n_c ? energy / power_of_two(length) : 1.0;
}

// Equations of forces count in energies, those of constraints in their own lengths: whatever the
// units of the model are, entries are about 1.
static void scale_rows(FbBalance* s, double energy, double* values) {
    const FbPattern* p = &s->pattern;
    int n = s->n, end = n + s->n_c;
    for (int col = 0; col < p->n_col; col++) {
        double unit = column_unit(s, energy, col);
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            int row = p->row[e];
            values[e] *= unit * (row < end ? column_unit(s, energy, row) / energy : 1.0);
        }
    }
    for (int i = 0; i < end; i++) {
        s->x[i] *= column_unit(s, energy, i) / energy;
    }
}

// Is the model one of linear structures without rows and states, whose K is constant?
static bool is_plain(const FbBalance* s) {
    const FbModel* m = s->op->model;
    bool is_linear = m->linear_K && s->n_c == 0 && s->n_x == 0 && s->op->spins.n_spins == 0;
    for (int i = 0; is_linear && i < m->n_beams; i++) {
        is_linear = m->beams[i].is_linear;
    }
    return is_linear;
}

// The merit that a rounding of each K_ij (q_j - drawn) would leave, one in the last place of it.
// What K's own solution leaves is a third of that.
bool fb_balance_is_rounding(const FbBalance* s) {
    const FbPattern* vv = s->b.vv;
    double noise = 0.0;
    if (!is_plain(s)) {
        return false;
    }
    for (int j = 0; j < s->n; j++) {
        double sum = 0.0, inertia = 0.0;
        for (int e = vv->start[j]; e < vv->start[j + 1]; e++) {
            sum += fabs(s->b.K[e] * fb_displacement(s->op->model, s->op->p.q, vv->row[e]));
            inertia = vv->row[e] == j ? s->b.M[e] : inertia;
        }
        noise += inertia > 0.0 ? sum * sum / inertia : 0.0;
    }
    return s->merit <= DBL_EPSILON * sqrt(noise);
}

// x += (K + e M)^-1 (b - K x) until that is rounding: where K is constant this step is the last one
// then. Motions that nothing resists do not become smaller so, and stay as they are.
static void refine(FbBalance* s, double energy) {
    double before = 0.0;
    for (int i = 0; i < s->n; i++) {
        before = fmax(before, fabs(s->x[i]) / s->unit[i]);
    }
    for (int k = 0; k < MAX_REFINEMENTS; k++) {
        double size = 0.0, change = 0.0, *x = s->correction;
        for (int i = 0; i < s->n; i++) {
            x[i] = s->unbalanced[i] - s->held * s->load[i];
        }
        fb_pattern_multiply(s->b.vv, s->b.K, -1.0, s->x, x);
        for (int i = 0; i < s->n; i++) {
            x[i] *= s->unit[i] / energy;
        }
        fb_linear_solve(s->solver, x);
        for (int i = 0; i < s->n; i++) {
            size = fmax(size, fabs(s->x[i]) / s->unit[i]);
            change = fmax(change, fabs(x[i]));
        }
        if (!(change < 0.5 * before)) {
            return;
        }
        for (int i = 0; i < s->n; i++) {
            s->x[i] += x[i] * s->unit[i];
        }
        before = change;
        if (change <= DBL_EPSILON * size) {
            return;
        }
    }
}

// Solves for the step with shift mu; false where the matrix is singular.
bool fb_balance_solve(FbBalance* s, double mu) {
    double* values = fb_linear_values(s->solver);
    memset(values, 0, sizeof(double) * (size_t)fb_pattern_count(&s->pattern));
    double size_k = 0.0, size_m = 0.0;
    for (int j = 0; j < s->n; j++) {
        for (int e = s->b.vv->start[j]; e < s->b.vv->start[j + 1]; e++) {
            double size = s->unit[s->b.vv->row[e]] * s->unit[j];
            size_k = fmax(size_k, fabs(s->b.K[e]) * size);
            size_m = fmax(size_m, fabs(s->b.M[e]) * size);
        }
    }
    // Coordinates that no force resists (a freely turning shaft) must not make the matrix singular.
    double tiny = size_m > 0.0 ? 1e-12 * size_k / size_m + DBL_MIN : 0.0;
    for (int e = 0; e < fb_pattern_count(s->b.vv); e++) {
        values[s->of_vv[e]] = s->b.K[e] + (mu + tiny) * s->b.M[e];
    }
    for (int e = 0; s->n_c > 0 && e < fb_pattern_count(s->b.cv); e++) {
        values[s->of_g[e]] = values[s->of_gt[e]] = s->b.G[e];
    }
    visit_spins(s, add_spin_values, s);
    memset(s->x, 0, sizeof(double) * (size_t)(s->n + s->n_c));
    for (int j = 0; j < s->n; j++) {
        s->x[j] = s->unbalanced[j] - s->held * s->load[j];
    }
    fill_states(s, mu, values);
    double energy = power_of_two(fmax(size_k, mu * size_m));
    scale_rows(s, energy, values);
    if (fb_linear_factor(s->solver) != FB_OK) {
        return false;
    }
    fb_linear_solve(s->solver, s->x);
    for (int i = 0; i < s->n + s->n_c; i++) {
        s->x[i] *= column_unit(s, energy, i);
    }
    if (mu == 0.0 && is_plain(s)) {
        refine(s, energy);
    }
    double sum = 0.0;
    for (int j = 0; j < s->n + s->n_c + s->n_x; j++) {
        sum += s->x[j] * 0.0;
    }
    return sum == 0.0;
}
